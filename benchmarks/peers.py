"""The table of benchmarks/output/peers.md, with its first rows in the README: termburst and its peers in one run.

All options are the defaults unless the row says otherwise. Nothing is chosen on test documents, except the form of
TF–IDF, which is the best on them. Seconds are the smallest of several rounds in which the rivals take turns, after a
first round to warm up. Where SciPy works word by word, it does so for a sample, and the time for all words is
extrapolated. bm25s and BERTopic are not dependencies: if one is not installed, its rows say so and are not written.

    TERMBURST_DATA=… python benchmarks/peers.py [--parts fits keyness …] [--write] [--keep]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import quality
import scipy.sparse as sp
from _corpora import COLLECTIONS
from _program import ROOT, Program, measured
from _tests import OURS, TESTS
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln, expit, logit, psi
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

import termburst as tb
from termburst.datasets import clean_text, load_20newsgroups
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
LEVEL, CALIBRATED = 0.05, 0.06
FREQUENT = 5  # minimum occurrences of a word in the count of false alarms
RANKED = 40  # words that SciPy ranks
QUERIES, QUERY_WORDS, HITS = 1_000, 5, 10
LEADING = (  # the beginnings of the rows that the README has
    "false alarms of keyness at 5 %", "counting ", "beta-binomial fits ", "test accuracy", "1,000 queries",
)  # fmt: skip
README, PAGE = ROOT / "README.md", ROOT / "benchmarks" / "output" / "peers.md"
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
HEADER = ("what", "peer", "the peer's", "termburst's", "compared")


@dataclass(frozen=True)
class Row:
    """What is measured, the peer, its number, that of termburst, and the comparison."""

    what: str
    peer: str
    theirs: str
    ours: str
    verdict: str


def timed(what: str, peer: str, theirs: float, ours: float, note: str = "") -> Row:
    """A row of seconds; the verdict says which is faster."""
    won = theirs >= ours
    verdict = f"{factor(theirs / ours)} times as fast" if won else f"takes {factor(ours / theirs)} times as long"
    return Row(what, peer, f"{digits(theirs)} s", f"{digits(ours)} s", verdict + note)


def digits(value: float) -> str:
    """Two significant digits, three from 100 on, with separators of thousands."""
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def factor(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 1.095 else digits(ratio)


def fastest(rivals: Iterable[Callable[[], Any]], rounds: int) -> list[float]:
    """The smallest time of each rival in seconds. Rivals take turns in each round; a first round warms up."""
    rivals = list(rivals)
    least = [float("inf")] * len(rivals)
    for turn in range(rounds + 1):
        for k, function in enumerate(rivals):
            start = time.perf_counter()
            function()
            if turn:
                least[k] = min(least[k], time.perf_counter() - start)
    return least


def markdown(rows: Iterable[Row]) -> str:
    lines = [(row.what, row.peer, row.theirs, row.ours, row.verdict) for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [HEADER, ("---",) * len(HEADER), *lines])


def around(path: Path) -> tuple[str, str]:
    """The text of a file up to the first marker and from the second marker on, including the markers."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end or BEGIN in rest or END in before + after:
        raise ValueError(f"{path} must have {BEGIN} and then {END}, once each")
    return before + begin, end + after


def write_between(path: Path, text: str) -> None:
    """Replace the text between the two markers of a file by *text*; the rest stays the same."""
    before, after = around(path)
    path.write_text(f"{before}\n{text}\n{after}", encoding="utf-8")


program = Program(__doc__, __file__)
program.option("--write", action="store_true", help="write output/peers.md, and the leading rows to README.md")
ROWS: list[Row] = []


def part(takes: str, needs: str = "") -> Callable[[Any], Any]:
    """Make a function that yields rows a part; without the package that it *needs*, its row says so."""

    def decorate(function: Callable[[], Iterator[Row]]) -> Any:
        def run(_: argparse.Namespace) -> None:
            warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
            if needs and importlib.util.find_spec(needs) is None:
                print(markdown([Row(function.__name__, needs, "not installed here", "", "")]))
                return
            found = list(function())
            print(f"{markdown(found)}\n\n{machine()}")
            ROWS.extend(found)

        run.__name__, run.__doc__ = function.__name__, function.__doc__
        program.part(takes)(run)
        return function

    return decorate


@cache
def collections() -> Collections:
    return Collections()


def posts() -> list[str]:
    return list(load_20newsgroups("all").texts)


def count(which: str) -> Callable[[], int]:
    """What is measured in a process of its own: the number of cells."""
    texts = posts()
    make = CountVectorizer if which == "scikit-learn" else tb.CountVectorizer
    return lambda: int(make().fit_transform(texts).nnz)


@part("2 min")
def counting() -> Iterator[Row]:
    """Text to counts (time and memory), text to weights, counts to weights."""
    texts = posts()
    rivals: list[Callable[[], Any]] = [
        lambda: CountVectorizer().fit_transform(texts), lambda: tb.CountVectorizer().fit_transform(texts),
        lambda: TfidfVectorizer().fit_transform(texts),
        lambda: tb.BurstinessVectorizer(scheme="s-lambda").fit_transform(texts),
    ]  # fmt: skip
    X, Y = rivals[1](), rivals[0]()
    Y.sort_indices()
    if not all(np.array_equal(getattr(X, name), getattr(Y, name)) for name in ("data", "indices", "indptr")):
        sys.exit("the matrices are DIFFERENT")
    times = fastest(rivals, 3)
    what = f"counting {len(texts):,} posts of 20 Newsgroups, to the same matrix"
    yield timed(what, f"{SKLEARN} `CountVectorizer`", *times[:2])
    theirs, ours = (measured(__file__, "count", which).peak for which in ("scikit-learn", "termburst"))
    share = f"{abs(100 - 100 * ours / theirs):.0f} % {'less' if theirs >= ours else 'more'}"
    cells = "`CountVectorizer`", f"{digits(theirs)} MB", f"{digits(ours)} MB", share
    yield Row("the same, peak memory beyond the texts", *cells)
    yield timed("the same posts to weights, S(λ)", "`TfidfVectorizer`", *times[2:])
    X = CountVectorizer(stop_words="english").fit_transform(map(clean_text, load_20newsgroups("train").texts))
    for order, ordered, scheme in (
        ("columns unsorted, as its `CountVectorizer` returns them", False, "s-lambda"),
        ("columns sorted", True, "s-lambda"),
        ("columns sorted", True, tb.TermWeighting().scheme),
    ):
        makers = (TfidfTransformer, partial(tb.TermWeighting, scheme))
        copies = iter([fresh(X, ordered=ordered) for _ in range(2 * 2 * ROUNDS + 2)])
        weigh = [lambda make=make, copies=copies: make().fit_transform(next(copies)) for make in makers]
        times = fastest(weigh, 2 * ROUNDS)
        yield timed(f"counts to weights, “{scheme}”; {order}", "`TfidfTransformer`", *times)


def fresh(X: Any, *, ordered: bool) -> Any:
    """A copy without SciPy's cached flags, so that a round does not know from the last one whether it is sorted."""
    copy = sp.csr_matrix((X.data.copy(), X.indices.copy(), X.indptr.copy()), shape=X.shape)
    if ordered:
        copy.sort_indices()
    return copy


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
    def negative(parameters: np.ndarray) -> float:
        a, b = parameters
        return float(-(betaln(column + a, lengths - column + b) - betaln(a, b)).sum())

    alpha, alpha_not = minimize(negative, [1.0, 1.0], method="L-BFGS-B", bounds=[(1e-10, None)] * 2).x
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


@part("3 min")
def fits() -> Iterator[Row]:
    """Exact beta-binomial fits: SciPy as in the paper, and with more care."""
    X = collections().fig4.counts
    (ours,) = fastest([partial(tb.fit_beta_binomial, X)], 2 * ROUNDS)
    sample = np.random.default_rng(0).choice(X.shape[1], WORDS, replace=False)
    lengths = np.asarray(X.sum(axis=1)).ravel().astype(float)
    columns = X.tocsc()[:, sample].toarray()[lengths > 0].astype(float).T
    lengths = lengths[lengths > 0]
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


def g2(a: np.ndarray, b: np.ndarray, n_a: int, n_b: int) -> np.ndarray:
    """p of G² of each word from the numbers of tokens, by SciPy."""
    observed = np.stack([a, b, n_a - a, n_b - b]).astype(float)
    share = (a + b) / (n_a + n_b)
    expected = np.stack([n_a * share, n_b * share, n_a * (1 - share), n_b * (1 - share)])
    return stats.power_divergence(observed, expected, ddof=2, axis=0, lambda_="log-likelihood").pvalue


@part("4 min")
def keyness() -> Iterator[Row]:
    """False alarms between random halves of one corpus, and the time of the test."""
    peers = {
        "g2": "G², as corpus tools have it (`truth.py`)",
        "chi2": "χ², uncorrected (the same)",
        "mann-whitney": "Mann–Whitney on relative frequencies (the same)",
    }
    means: dict[str, list[float]] = {name: [] for name in (OURS, *peers)}
    for name in ("20 Newsgroups", "R8", "stdlib"):
        corpus = COLLECTIONS[name]()
        alarms: dict[str, list[float]] = {test: [] for test in means}
        for split in range(SPLITS):
            a, b = corpus.halved(np.random.default_rng([20260101, split]))
            tested = a.n_i + b.n_i >= FREQUENT
            for test, shares in alarms.items():
                shares.append(float(np.mean(TESTS[test](a, b).p[tested] <= LEVEL)))
        for test, shares in alarms.items():
            means[test].append(statistics.mean(shares))
    shown = {name: "; ".join(f"{100 * share:.1f} %" for share in shares) for name, shares in means.items()}
    holds = {name: max(shares) <= CALIBRATED for name, shares in means.items()}
    for name, peer in peers.items():
        who = [side for side, held in (("the peer", holds[name]), ("termburst", holds[OURS])) if held]
        yield Row(
            "false alarms of keyness at 5 %, random halves of 20 Newsgroups; of R8; of Python's docstrings",
            peer, shown[name], shown[OURS], f"{' and '.join(who) or 'none'} within 6 %",
        )  # fmt: skip
    yield from keyness_times()


def keyness_times() -> Iterator[Row]:
    X = collections().fig4.counts
    order = np.random.default_rng(20260101).permutation(X.shape[0])
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


@part("2 min")
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
        low, high = quality.interval(ours - theirs)
        verdicts.append(f"{signed((ours - theirs).mean())} ({signed(low)} to {signed(high)})")
    means = ("; ".join(f"{values.mean():.3f}" for values in side) for side in zip(*pairs, strict=True))
    return Row(what, peer, *means, "; ".join(verdicts))


def named(options: dict[str, Any]) -> str:
    return f"TfidfTransformer({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def signed(value: float) -> str:
    """Three decimals with a sign, or 0.000 without one."""
    shown = f"{value:+.3f}".replace("-", "−")
    return shown if shown.strip("+−0.") else "0.000"


@part("2 min", needs="bm25s")
def search() -> Iterator[Row]:
    """Queries of 20 Newsgroups by BM25, many at once and one at a time."""
    import bm25s

    texts = posts()
    index = Index.from_texts(texts, counting=tb.CountingOptions(words="sklearn", stop_words="english"))
    analyse, rng = tb.CountVectorizer(stop_words="english").build_analyzer(), np.random.default_rng(0)
    tokens = [analyse(text) for text in texts]
    long = [words for words in tokens if len(words) >= QUERY_WORDS]
    chosen = rng.choice(len(long), QUERIES, replace=False)
    queries = [rng.choice(long[post], QUERY_WORDS, replace=False).tolist() for post in chosen]
    rivals = {}
    for backend in ("numpy", *(["numba"] if importlib.util.find_spec("numba") else [])):
        rivals[backend] = bm25s.BM25(k1=1.2, b=0.75, backend=backend)
        rivals[backend].index(tokens, show_progress=False)
    mine = index.batch_search(queries, HITS, model="bm25")
    theirs = rivals["numpy"].retrieve(queries, k=HITS, show_progress=False).scores
    same = sum(np.allclose(hits.scores, row[: len(hits)], rtol=1e-4) for hits, row in zip(mine, theirs, strict=True))
    progress(f"BM25 scores as bm25s has them: {same} of {len(queries)} queries")

    def of(rival: Any, batches: list[Any]) -> Callable[[], Any]:
        return lambda: [rival.retrieve(batch, k=HITS, show_progress=False) for batch in batches]

    for how, batches, ours in (
        ("at once", [queries], lambda: index.batch_search(queries, HITS, model="bm25")),
        ("one at a time", [[q] for q in queries], lambda: [index.search(q, HITS, model="bm25") for q in queries]),
    ):
        own, *others = fastest([ours, *(of(rival, batches) for rival in rivals.values())], ROUNDS)
        for backend, seconds in zip(("", ", Numba backend"), others, strict=False):
            peer = f"bm25s {version('bm25s')}{backend}"
            yield timed(f"{len(queries):,} queries of 20 Newsgroups by BM25, {how}", peer, seconds, own)


@part("3 min", needs="bertopic")
def topics() -> Iterator[Row]:
    """The words of topics, by `ClassTermWeighting` and BERTopic's c-TF-IDF."""
    scheme, parts = tb.ClassTermWeighting().scheme, ("headers", "footers", "quotes")
    train, test = (load_20newsgroups(side, remove=parts) for side in ("train", "test"))
    for label, stop_words in (("stop words kept", None), ("stop words left out", "english")):
        counter = tb.CountVectorizer(stop_words=stop_words)
        X, Y = counter.fit_transform(train.texts), counter.transform(test.texts)
        found = quality.topic_scores(X, train.labels, Y, test.labels, only=(scheme, "BERTopic"))
        theirs, ours = float(found["BERTopic"][2]), float(found[scheme][2])
        yield Row(
            f"words of topics, coherence × diversity on 20 Newsgroups, {label}",
            f"BERTopic {version('bertopic')}, c-TF-IDF", f"{theirs:.3f}", f"{ours:.3f}", signed(ours - theirs),
        )  # fmt: skip


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


def main() -> int:
    asked, _ = program.parser.parse_known_args()
    if asked.write:
        around(PAGE), around(README)  # find a file without markers before measuring
    code = program.main()
    if asked.write and ROWS:
        write_between(PAGE, f"{markdown(ROWS)}\n\n{machine()}")
        write_between(README, markdown(leading(ROWS)))
    return code


if __name__ == "__main__":
    sys.exit(main())
