"""The table of benchmarks/output/peers.md, with its first rows in the README: termburst and its peers in one run.

    TERMBURST_DATA=… python benchmarks/peers.py [--only fits keyness …] [--write]

All options are the defaults unless the row says otherwise. Nothing is chosen on test documents, except the form of
TF–IDF, which is the best on them. Seconds are the smallest of several rounds in which the rivals take turns, after a
first round to warm up. Where SciPy works word by word, it does so for a sample, and the time for all words is
extrapolated. bm25s and BERTopic are not dependencies: if one is not installed, its rows say so and are not written.
The other benchmarks have the details, and the same numbers for more rivals.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import _paired
import counting_speed
import fit_speed
import keyness_calibration as calibration
import numpy as np
import quality_models
import topic_words
import weighting_speed
from _table import Row, around, digits, fastest, markdown, timed, write_between
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln, expit, logit, psi
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

import retrieval
import termburst as tb
from termburst.inference.keyness import METHODS, compare
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.paper.collections import Collections
from termburst.retrieval import Index
from termburst.threads import cores

SKLEARN, SCIPY = (
    f"{name} {version(package)}" for name, package in (("scikit-learn", "scikit-learn"), ("SciPy", "scipy"))
)
ROUNDS = 5
WORDS = 40  # words that SciPy fits one by one
MISSED = 0.01  # a log-likelihood lower by this has missed the maximum
SPLITS = 8
LEVEL = 0.05
FREQUENT = 5  # minimum occurrences of a word in the count of false alarms
RANKED = 40  # words that SciPy ranks
LEADING = (  # the beginnings of the rows that the README has
    "false alarms of keyness at 5 %", "counting ", "beta-binomial fits ", "test accuracy", "1,000 queries",
)  # fmt: skip
README, PAGE = (Path(__file__).parents[1] / name for name in ("README.md", "benchmarks/output/peers.md"))


@cache
def collections() -> Collections:
    return Collections()


def counting() -> Iterator[Row]:
    """Text to counts (time and memory), text to weights, counts to weights."""
    posts = counting_speed.texts()
    with contextlib.redirect_stdout(sys.stderr):
        counting_speed.identical()  # exits if they differ
    rivals = list(counting_speed.TASKS.values())[:4]
    times = fastest([partial(function, posts) for function in rivals], 3)
    yield timed(
        f"counting {len(posts):,} posts of 20 Newsgroups, to the same matrix",
        f"{SKLEARN} `CountVectorizer`",
        *times[:2],
    )
    if sys.platform == "linux":
        tasks = list(counting_speed.TASKS)[:2]
        theirs, ours = (counting_speed.measured(task, 1)[1] for task in tasks)
        share = f"{abs(100 - 100 * ours / theirs):.0f} % {'less' if theirs >= ours else 'more'}"
        yield Row(
            "the same, peak memory beyond the texts",
            "`CountVectorizer`",
            f"{digits(theirs)} MB",
            f"{digits(ours)} MB",
            share,
        )
    yield timed("the same posts to weights, S(λ)", "`TfidfVectorizer`", *times[2:])

    X = weighting_speed.training_counts()
    for order, ordered, scheme in (
        ("columns unsorted, as its `CountVectorizer` returns them", False, "s-lambda"),
        ("columns sorted", True, "s-lambda"),
        ("columns sorted", True, "log-damped-tf-idf"),
    ):
        makers = (TfidfTransformer, partial(tb.TermWeighting, scheme))
        copies = iter([weighting_speed.fresh(X, ordered=ordered) for _ in range(2 * 2 * ROUNDS + 2)])
        weigh = [lambda make=make, copies=copies: make().fit_transform(next(copies)) for make in makers]
        times = fastest(weigh, 2 * ROUNDS)
        yield timed(f"counts to weights, “{scheme}”; {order}", "`TfidfTransformer`", *times)


def loglik(alpha: float, alpha_not: float, column: np.ndarray, lengths: np.ndarray) -> float:
    """Log-likelihood of a beta-binomial, by products: the rounding of `betaln` matters at large precisions."""
    n_ij, n_j = column.astype(int), lengths.astype(int)
    k = np.arange(n_j.max())

    def summed(terms: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum(terms)])

    alpha_0 = alpha + alpha_not
    others, rest = summed(np.log1p(-alpha / (alpha_0 + k))), summed(np.log(alpha_0 + k))
    return float((summed(np.log(alpha + k))[n_ij] + others[n_j - n_ij] - rest[n_j] + rest[n_j - n_ij]).sum())


def papers_fit(column: np.ndarray, lengths: np.ndarray) -> tuple[float, float]:
    alpha, alpha_not = fit_speed.authors_fit(column, lengths).x
    return alpha, alpha_not


def careful_fit(column: np.ndarray, lengths: np.ndarray) -> tuple[float, float]:
    """A careful fit by SciPy: logit of the mean and log of the precision, exact gradients, a start from the data."""

    def negative(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        mean, precision = expit(parameters[0]), np.exp(parameters[1])
        a, b = precision * mean, precision * (1 - mean)
        value = (betaln(column + a, lengths - column + b) - betaln(a, b)).sum()
        whole = (psi(precision) - psi(lengths + precision)).sum()
        by_a = (psi(column + a) - psi(a)).sum() + whole
        by_b = (psi(lengths - column + b) - psi(b)).sum() + whole
        slope = np.array([(by_a - by_b) * precision * mean * (1 - mean), a * by_a + b * by_b])
        return float(-value), -slope

    start = [logit(column.sum() / lengths.sum()), np.log(lengths.mean())]
    found = minimize(negative, start, jac=True, method="L-BFGS-B", bounds=[(-25, 25), (-12, 18)]).x
    return np.exp(found[1]) * expit(found[0]), np.exp(found[1]) * expit(-found[0])


def fits() -> Iterator[Row]:
    """Exact beta-binomial fits: SciPy as in the paper, and with more care."""
    X = collections().fig4.counts
    (ours,) = fastest([partial(tb.fit_beta_binomial, X)], 2 * ROUNDS)
    sample, columns, lengths = fit_speed.sampled(X, WORDS)
    best = tb.fit_beta_binomial(X).loglik[sample]
    rivals = {"as in the paper": papers_fit, "with care: logarithms, gradients": careful_fit}
    ends: dict[tuple[str, int], tuple[float, float]] = {}

    def run(how: str, k: int) -> None:
        ends[how, k] = rivals[how](columns[k], lengths)

    times = np.array([fastest([partial(run, how, k) for how in rivals], 2) for k in range(WORDS)])
    for how, theirs in zip(rivals, times.mean(axis=0), strict=True):
        found = np.array([loglik(*ends[how, k], columns[k], lengths) for k in range(WORDS)])
        above = float((found - best).max())
        progress(f"SciPy's log-likelihood {how}: at most {above:.1e} above termburst's")
        if above > 1e-6:
            sys.exit("SciPy found a better maximum")
        missed = f"{100 * np.mean(found < best - MISSED):.0f} %"
        yield timed(
            f"beta-binomial fits of {X.shape[1]:,} words, 20 Newsgroups",
            f"{SCIPY} `minimize`, {how}; {WORDS} words, extrapolated",
            theirs * X.shape[1], ours, f"; the peer is more than {MISSED} below the maximum for {missed} of the words",
        )  # fmt: skip


def g2(a: np.ndarray, b: np.ndarray, n_a: int, n_b: int, statistic: str = "log-likelihood") -> np.ndarray:
    """p of each word from the numbers of tokens, by SciPy: G², or "pearson" for χ²."""
    observed = np.stack([a, b, n_a - a, n_b - b]).astype(float)
    share = (a + b) / (n_a + n_b)
    expected = np.stack([n_a * share, n_b * share, n_a * (1 - share), n_b * (1 - share)])
    return stats.power_divergence(observed, expected, ddof=2, axis=0, lambda_=statistic).pvalue


def keyness() -> Iterator[Row]:
    """False alarms between random halves of one corpus, and the time of the test."""
    peers = {
        "G²": f"G², as corpus tools have it ({SCIPY} `power_divergence`)",
        "χ²": "χ², uncorrected (the same)",
        "Mann–Whitney": "Mann–Whitney on relative frequencies (termburst's own)",
    }
    means: dict[str, list[float]] = {name: [] for name in ("ours", *peers)}
    for corpus in calibration.corpora():
        whole = corpus.cells(np.ones(corpus.n_j.size, dtype=bool))
        fit, tested = fit_beta_binomial(whole), whole.n_i >= FREQUENT
        alarms: dict[str, list[float]] = {name: [] for name in means}
        for split in range(SPLITS):
            inside = calibration.random_part(corpus, 0.5, np.random.default_rng([calibration.SEED, split]))
            a, b = corpus.cells(inside), corpus.cells(~inside)
            found = compare(a, b, fit)
            tokens = int(corpus.n_j[inside].sum()), int(corpus.n_j[~inside].sum())
            p_values = {
                "ours": METHODS[calibration.OURS](found)[1],
                "G²": g2(a.n_i, b.n_i, *tokens),
                "χ²": g2(a.n_i, b.n_i, *tokens, "pearson"),
                "Mann–Whitney": METHODS["mann-whitney"](found)[1],
            }
            for name, p in p_values.items():
                alarms[name].append(float(np.mean(p[tested] <= LEVEL)))
        for name, shares in alarms.items():
            means[name].append(statistics.mean(shares))
    shown = {name: "; ".join(f"{100 * share:.1f} %" for share in shares) for name, shares in means.items()}
    holds = {name: max(shares) <= calibration.CALIBRATED for name, shares in means.items()}
    for name, peer in peers.items():
        who = [side for side, held in (("the peer", holds[name]), ("termburst", holds["ours"])) if held]
        yield Row(
            "false alarms of keyness at 5 %, random halves of 20 Newsgroups; of R8; of Python's docstrings",
            peer, shown[name], shown["ours"], f"{' and '.join(who) or 'none'} within 6 %",
        )  # fmt: skip
    yield from keyness_times()


def keyness_times() -> Iterator[Row]:
    X = collections().fig4.counts
    order = np.random.default_rng(calibration.SEED).permutation(X.shape[0])
    A, B = X[order[::2]].tocsr(), X[order[1::2]].tocsr()

    def tokens_alone() -> Any:
        a, b = (np.asarray(part.sum(axis=0)).ravel() for part in (A, B))
        return g2(a, b, int(a.sum()), int(b.sum()))

    what = f"keyness of {X.shape[1]:,} words"
    theirs, ours, bare = fastest(
        [tokens_alone, partial(tb.keyness, A, B), partial(tb.keyness, A, B, confidence=None)], ROUNDS
    )
    yield timed(f"{what}, with intervals", f"{SCIPY} `power_divergence`, without", theirs, ours)
    sample = np.random.default_rng(0).choice(X.shape[1], RANKED, replace=False)
    lengths = [np.maximum(np.asarray(part.sum(axis=1)), 1) for part in (A, B)]
    shares = [part.tocsc()[:, sample].toarray() / n_j for part, n_j in zip((A, B), lengths, strict=True)]
    (ranks,) = fastest([partial(stats.mannwhitneyu, *shares)], 3)
    yield timed(
        f"{what}, no intervals",
        f"{SCIPY} `mannwhitneyu`; {RANKED} words, extrapolated",
        ranks / RANKED * X.shape[1],
        bare,
    )


def classification() -> Iterator[Row]:
    """Test accuracy: weights under two classifiers, and classifiers on counts."""
    splits = (collections().newsgroups, collections().r8)

    def right(model: Any, weigh: Any = None) -> list[np.ndarray]:
        """The test documents of each collection that a classifier gets right, on weights or on counts."""
        found = []
        for split in splits:
            train, test = split.train, split.test
            if weigh is not None:
                train, test = weigh.fit_transform(train, split.train_labels), weigh.transform(test)
            found.append(model.fit(train, split.train_labels).predict(test) == split.test_labels)
        return found

    def row(what: str, peer: str, theirs: list[np.ndarray], ours: list[np.ndarray]) -> Row:
        pairs = zip(theirs, ours, strict=True)
        return compared(f"test accuracy, 20 Newsgroups; R8: {what}", peer, [(a.astype(float), b) for a, b in pairs])

    def best_tfidf(model: Any, every: tuple[dict[str, Any], ...]) -> tuple[str, list[np.ndarray]]:
        """The form of TF–IDF with the best mean accuracy on the test documents, which favours the peer."""
        named = partial(quality_models.named, TfidfTransformer)
        tried = {f"`{named(form)}`": right(model, TfidfTransformer(**form)) for form in every}
        best = max(tried, key=lambda name: sum(hits.mean() for hits in tried[name]))
        return f"{best}, the best of {len(every)} forms", tried[best]

    bayes, linear, svc = (
        tb.recommended_scheme("naive-bayes"),
        tb.recommended_scheme("linear"),
        LinearSVC(random_state=0),
    )
    unit: tuple[dict[str, Any], ...] = ({}, {"sublinear_tf": True})  # rows of unit length, which LinearSVC needs
    weighed = right(MultinomialNB(), tb.TermWeighting(bayes, norm=None))
    plain, bursty = right(MultinomialNB()), right(tb.DirichletMultinomialNB(alpha=0.02, evidence="documents"))
    forms = (*unit, *({"norm": None} | form for form in unit))
    yield row(f"`MultinomialNB()` on “{bayes}”", *best_tfidf(MultinomialNB(), forms), weighed)
    yield row(f"`MultinomialNB()` on “{bayes}”", "`MultinomialNB()` on counts", plain, weighed)
    of_unit_length = right(svc, tb.TermWeighting(linear, norm="l2"))
    yield row(f"`LinearSVC()` on “{linear}”", *best_tfidf(svc, unit), of_unit_length)
    fixed = '`DirichletMultinomialNB(alpha=0.02, evidence="documents")`'
    yield row(fixed, "`MultinomialNB()`", plain, bursty)
    yield row(fixed, "`ComplementNB()`", right(ComplementNB()), bursty)


def compared(what: str, peer: str, pairs: list[tuple[np.ndarray, np.ndarray]]) -> Row:
    """A row of means over the same documents or queries, with intervals of the differences; one pair per collection."""
    verdicts = []
    for theirs, ours in pairs:
        low, high = _paired.interval(ours - theirs)
        verdicts.append(f"{signed((ours - theirs).mean())} ({signed(low)} to {signed(high)})")
    means = ("; ".join(f"{values.mean():.3f}" for values in side) for side in zip(*pairs, strict=True))
    return Row(what, peer, *means, "; ".join(verdicts))


def signed(value: float) -> str:
    """Three decimals with a sign, or 0.000 without one."""
    shown = f"{value:+.3f}".replace("-", "−")
    return shown if shown.strip("+−0.") else "0.000"


def ranking() -> Iterator[Row]:
    """MAP on Cranfield."""
    run = retrieval.cranfield_runs(tb.CountingOptions(words="sklearn", stop_words="english"))
    ours = run("spud").values["map"]
    tuned, _ = retrieval.tuned({mu: run("lm-dirichlet", mu=mu) for mu in retrieval.MU})
    for peer, theirs in {
        "BM25, Lucene's form and parameters": run("bm25").values["map"],
        "language model, Dirichlet's μ by cross-validation": tuned["map"],
    }.items():
        what = f"mean average precision on Cranfield, {ours.size} queries: SPUD"
        yield compared(what, f"{peer} (termburst's own)", [(theirs, ours)])


def search() -> Iterator[Row]:
    """Queries of 20 Newsgroups by BM25, many at once and one at a time."""
    texts = counting_speed.texts()
    index = Index.from_texts(texts, counting=tb.CountingOptions(words="sklearn", stop_words="english"))
    tokens, queries = retrieval.tokens_and_queries(texts)
    theirs = retrieval.bm25s_rivals(tokens, queries)
    same = retrieval.same_scores(
        index.batch_search(queries, retrieval.HITS, model="bm25"), theirs["bm25s numpy"]().scores
    )
    progress(f"BM25 scores as bm25s has them: {same} of {len(queries)} queries")
    ours = {
        "at once": lambda: index.batch_search(queries, retrieval.HITS, model="bm25"),
        "one at a time": lambda: [index.search(query, retrieval.HITS, model="bm25") for query in queries],
    }
    for how, search_all in ours.items():
        backends = [
            f"bm25s {backend}{'' if how == 'at once' else ', one at a time'}" for backend in retrieval.backends()
        ]
        mine, *others = fastest([search_all, *(theirs[name] for name in backends)], ROUNDS)
        for backend, seconds in zip(("", ", Numba backend"), others, strict=False):
            peer = f"bm25s {version('bm25s')}{backend}"
            yield timed(f"{len(queries):,} queries of 20 Newsgroups by BM25, {how}", peer, seconds, mine)


def topics() -> Iterator[Row]:
    """The words of topics, by `ClassTermWeighting` and BERTopic's c-TF-IDF."""
    scheme = tb.ClassTermWeighting().scheme
    for label, stop_words in (("stop words kept", None), ("stop words left out", "english")):
        found = topic_words.measured([topic_words.newsgroups(stop_words)], only=(scheme, "BERTopic"))
        theirs, ours = (float(found[name][:, 2].mean()) for name in ("BERTopic", scheme))
        yield Row(
            f"words of topics, coherence × diversity on 20 Newsgroups, {label}",
            f"BERTopic {version('bertopic')}, c-TF-IDF", f"{theirs:.3f}", f"{ours:.3f}", signed(ours - theirs),
        )  # fmt: skip


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "counting": counting,
    "fits": fits,
    "keyness": keyness,
    "classification": classification,
    "ranking": ranking,
    "search": search,
    "topics": topics,
}
NEEDS = {"search": "bm25s", "topics": "bertopic"}


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def machine() -> str:
    """The machine of the measurements, and how to repeat them."""
    return (
        f"`python benchmarks/peers.py` prints this table; {cores()} cores ({platform.machine()}), Python "
        f"{platform.python_version()}, load {os.getloadavg()[0]:.1f} at the end. termburst uses all cores, the peers "
        "one, as they do by default. In brackets are 95 % intervals over documents or queries."
    )


def leading(rows: list[Row]) -> list[Row]:
    """The rows of the README: the first row of each subject that it names."""
    found = [next((row for row in rows if row.what.startswith(subject)), None) for subject in LEADING]
    return [row for row in found if row is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=" ".join(PARTS))
    parser.add_argument(
        "--write", action="store_true", help="write all rows to benchmarks/output/peers.md, the leading to README.md"
    )
    options = parser.parse_args()
    if options.write:
        around(PAGE), around(README)  # find a file without markers before measuring
    warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
    rows: list[Row] = []
    absent: list[Row] = []
    for name in options.only:
        start = time.perf_counter()
        if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
            absent.append(Row(name, NEEDS[name], "not installed here", "", ""))
            continue
        rows += PARTS[name]()
        progress(f"{name}: {time.perf_counter() - start:.0f} s")
    print(f"{markdown([*rows, *absent])}\n\n{machine()}")
    if options.write:
        write_between(PAGE, f"{markdown(rows)}\n\n{machine()}")
        write_between(README, markdown(leading(rows)))


if __name__ == "__main__":
    main()
