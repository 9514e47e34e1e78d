"""How good are the intervals of burst ratio and reuse, how stable is the order by lower bound, and what do they cost?

* `coverage`: terms drawn from the exact fits of real terms, on the lengths of real documents: how often the intervals
  contain the truth, by the term's n_i and b_i (those of the real term, so that nothing is selected by the outcome).
* `halves`, `tenths`: random halves of the documents, and a random tenth against the rest: how often the interval of the
  ratio of the two burst ratios contains 1, and the size of the test of differential burstiness, by the smaller b_i.
* `planted`: halves where A loses each word of each document with probability 1 − 1/r, and B each token with the same
  probability. The means stay equal, and the burst ratio of A becomes r times that of B: how many words are found.
* `ranks`: Spearman's correlation of the two halves, of the lower bound and others, over the terms that at least
  `floor` documents of both halves have; the same within bands of n_i, and with n_i held fixed, where no measure gains
  by restating frequency; and the area under the curve for content words above function words (scikit-learn's list).
  Two measures are trials: the log burst ratio shrunken towards its trend in n_i, and its lower limit.
* `lists`: the first 30 words by lower bound and by λ.
* `speed`: `tb.burstiness_test` of all terms, with and without intervals.

    TERMBURST_DATA=… python benchmarks/burst_effects.py [coverage|halves|tenths|planted|ranks|lists|speed …]
        [--draws 10] [--seed 2711] [--corpus R8]
"""

from __future__ import annotations

import argparse
import time
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from scipy import special, stats
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import termburst as tb
from termburst.datasets.collection import data_file, data_folder
from termburst.inference.burst_effects import BurstEffects, burst_effects, burst_level, coordinates, reuse_of
from termburst.inference.differential_burstiness import differential_burstiness
from termburst.inference.dispersion import dispersion
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.paper.collections import Collections

DOCUMENT_BANDS = (1, 3, 5, 10, 20, 50, 200, 10**9)
FEW = (5, 20)  # documents: those of the smaller side that a test of burstiness must hold for
RATIOS = (2.0, 4.0)
TOKEN_BANDS = (1, 5, 10, 20, 60, 300, 10**9)
FLOORS = (2, 5, 10, 20, 50)
PER_BAND = 60  # terms of a band of b_i whose fits are the truth
MEASURES = {"DP": "dp", "D_A": "d_a", "KLD": "kl_divergence", "residual IDF": "residual_idf"}


def newsgroups() -> tuple[Any, np.ndarray]:
    found = Collections().fig4
    return found.counts, found.terms


def r8() -> tuple[Any, np.ndarray]:
    found = Collections().fig5
    return found.counts, found.terms


def inaugural() -> tuple[Any, np.ndarray]:
    """The inaugural addresses of NLTK."""
    folder = data_folder()
    if folder is None:
        raise SystemExit("set TERMBURST_DATA to the folder of the data")
    with zipfile.ZipFile(folder / "nltk_data" / "corpora" / "inaugural.zip") as archive:
        names = [name for name in archive.namelist() if name.rsplit("/", 1)[-1][:1].isdigit()]
        texts = [archive.read(name).decode("utf-8", "replace") for name in sorted(names)]
    counts, terms = tb.CountingOptions(words="sklearn").count(texts)
    return counts, np.asarray(terms, dtype=object)


def of_texts(name: str) -> Callable[[], tuple[Any, np.ndarray]]:
    """A set of `classification/`, all of its texts."""

    def load() -> tuple[Any, np.ndarray]:
        texts = pl.read_parquet(data_file(f"classification/{name}.parquet", name))["text"].to_list()
        counts, terms = tb.CountingOptions(words="sklearn").count(texts)
        return counts, np.asarray(terms, dtype=object)

    return load


CORPORA = {"inaugural addresses": inaugural, "R8": r8, "20 Newsgroups": newsgroups}
HELD_OUT = {"WebKB": of_texts("webkb"), "MR": of_texts("mr"), "10kGNAD": of_texts("gnad")}  # for sizes and power


def filled(X: Any) -> Any:
    return X[np.asarray(X.sum(axis=1)).ravel() > 0]


def band(values: np.ndarray, edges: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
    for low, high in pairwise(edges):
        yield f"{low:,}–{high - 1:,}" if high < 10**9 else f"≥ {low:,}", (values >= low) & (values < high)


def simulated(rng: np.random.Generator, n_j: np.ndarray, tau: np.ndarray, omega: np.ndarray) -> TermCells:
    """The cells of terms drawn from beta-binomials (binomials where τ is inf)."""
    counts = np.empty((n_j.size, tau.size), dtype=np.int32)
    for i, (t, p) in enumerate(zip(tau, special.expit(omega), strict=True)):
        shares = p if np.isinf(t) else rng.beta(np.exp(t) * p, np.exp(t) * (1 - p), n_j.size)
        counts[:, i] = rng.binomial(n_j, shares)
    document, term = np.nonzero(counts)
    order = np.argsort(term, kind="stable")
    document, term = document[order], term[order]
    lengths, documents = np.unique(n_j, return_counts=True)
    return TermCells(
        np.searchsorted(term, np.arange(tau.size + 1)).astype(np.int64),
        counts[document, term],
        n_j[document].astype(np.int32),
        np.ones(1),
        counts.sum(axis=0, dtype=np.int64),
        (counts > 0).sum(axis=0).astype(np.int64),
        lengths.astype(np.int64),
        documents.astype(np.int64),
    )


def coverage(name: str, X: Any, _: np.ndarray, draws: int, rng: np.random.Generator) -> None:
    cells = term_cells(X)
    fit = fit_beta_binomial(cells)
    chosen = []
    for _label, of in band(cells.b_i, DOCUMENT_BANDS):
        known = np.flatnonzero(of & np.isin(fit.status, ["converged", "boundary"]))
        chosen.append(rng.choice(known, min(PER_BAND, known.size), replace=False))
    at = np.concatenate(chosen)
    tau, omega = (values[at] for values in coordinates(fit))
    n_j = np.asarray(filled(X).sum(axis=1)).ravel().astype(np.int64)
    ratio, reuse = 1 + np.exp(burst_level(tau, omega)), reuse_of(tau, omega, float(n_j.mean()))
    hits = []
    for _draw in range(draws):
        drawn = simulated(rng, n_j, tau, omega)
        found = burst_effects(drawn)
        occurs = drawn.n_i > 0
        inside = (found.ci_low <= ratio + 1e-12) & (ratio <= found.ci_high)
        again = (found.reuse_low <= reuse) & (reuse <= found.reuse_high)
        hits.append(np.where(occurs, [inside, again, ratio < found.ci_low, ratio > found.ci_high], np.nan))
    shares = np.array(hits)
    print(f"\n{name}: coverage in %, {draws} draws of {at.size} terms; goal 93–97 if n_i ≥ 20 and b_i ≥ 10, else ≥ 93")
    print(f"{'n_i':>10} {'b_i':>10} {'terms':>6} {'ratio':>6} {'below':>6} {'above':>6} {'reuse':>6}")
    for tokens, of_n in band(cells.n_i[at], TOKEN_BANDS):
        for documents, of_b in band(cells.b_i[at], DOCUMENT_BANDS):
            if (of_n & of_b).sum() >= 5:
                inside, again, low, high = 100 * np.nanmean(shares[:, :, of_n & of_b], axis=(0, 2))
                size = (of_n & of_b).sum()
                print(f"{tokens:>10} {documents:>10} {size:6} {inside:6.1f} {low:6.1f} {high:6.1f} {again:6.1f}")


def halves(name: str, X: Any, _: np.ndarray, draws: int, rng: np.random.Generator) -> None:
    print(f"\n{name}: two random halves, {draws} splits: % of terms whose interval contains no difference, and sizes")
    sizes(filled(X), 0.5, draws, rng)


def tenths(name: str, X: Any, _: np.ndarray, draws: int, rng: np.random.Generator) -> None:
    print(f"\n{name}: a random tenth against the rest, {draws} splits: the same")
    sizes(filled(X), 0.1, draws, rng)


def planted(name: str, X: Any, _: np.ndarray, draws: int, rng: np.random.Generator) -> None:
    X = filled(X)
    for ratio in RATIOS:
        print(f"\n{name}: halves with a burst ratio {ratio} times as large, {draws} splits: the same")
        sizes(X, 0.5, draws, rng, ratio)


def sizes(X: Any, share: float, draws: int, rng: np.random.Generator, ratio: float = 1.0) -> None:
    """Print how many terms differ in burstiness, by the smaller b_i, with standard errors over splits at 5 %."""
    X, n_j = X.tocsr().astype(np.int64), np.asarray(X.sum(axis=1)).ravel().astype(np.int64)
    found = []
    for draw in range(draws):
        first = rng.permutation(X.shape[0]) < int(X.shape[0] * share)
        A, B = X[first], X[~first]
        if ratio > 1:
            A.data *= rng.random(A.data.size) < 1 / ratio
            B.data = rng.binomial(B.data, 1 / ratio)
        a, b = (cells_of(Y, lengths) for Y, lengths in ((A, n_j[first]), (B, n_j[~first])))
        one = differential_burstiness(a, b)
        both = (a.n_i > 0) & (b.n_i > 0)
        inside = (one.ci_low <= 0) & (one.ci_high >= 0)
        rows = [np.minimum(a.b_i, b.b_i), np.full(both.size, draw), inside]
        found.append(np.stack([*rows, *(one.p_value < level for level in (0.05, 0.01, 0.001))])[:, both])
    values = np.concatenate(found, axis=1)
    print(f"{'b_i':>10} {'terms':>8} {'inside':>7} {'p ≤ 5 %':>8} {'±':>5} {'p ≤ 1 %':>8} {'p ≤ .1 %':>8}")
    for documents, of in [*band(values[0], DOCUMENT_BANDS), *band(values[0], FEW)]:
        if of.sum() >= 30:
            inside, *shares = 100 * values[2:, of].mean(axis=1)
            splits = [values[3, of & (values[1] == draw)] for draw in range(draws)]
            error = 100 * np.std([s.mean() for s in splits if s.size]) / np.sqrt(max(draws - 1, 1))
            five, rest = f"{shares[0]:8.1f} {error:5.1f}", f"{shares[1]:8.1f} {shares[2]:8.2f}"
            print(f"{documents:>10} {of.sum():8,} {inside:7.1f} {five} {rest}")


def cells_of(X: Any, n_j: np.ndarray) -> TermCells:
    """The cells of counts in documents of the given lengths, which may have lost tokens."""
    by_term = X.tocsc()
    by_term.eliminate_zeros()
    lengths, documents = np.unique(n_j, return_counts=True)
    return TermCells(
        by_term.indptr.astype(np.int64),
        by_term.data.astype(np.int32),
        n_j[by_term.indices].astype(np.int32),
        np.ones(1),
        np.asarray(by_term.sum(axis=0)).ravel().astype(np.int64),
        np.diff(by_term.indptr).astype(np.int64),
        lengths.astype(np.int64),
        documents.astype(np.int64),
    )


def measured(X: Any) -> tuple[dict[str, np.ndarray], TermCells]:
    """Every measure of burstiness, of every term; large is bursty or uneven."""
    cells = term_cells(X)
    fit = fit_beta_binomial(cells)
    found, spread = burst_effects(cells, fit), dispersion(cells, list(MEASURES.values()))
    ratio, limit = shrunken(found, cells)
    values = {
        "lower bound": found.ci_low,  # the floor is that of the row
        "burst ratio": found.burst_ratio,
        "shrunken": ratio,
        "its limit": limit,
        "reuse": found.reuse,
        "λ": tb.plr_statistic(tb.TermStatistics.from_counts(X)),
        "LR": 2 * (fit.loglik - fit.loglik_binomial),
        "ρ": 1 / (1 + fit.alpha_0),
        **{label: spread[column] * (-1 if label == "D_A" else 1) for label, column in MEASURES.items()},
        "n_i": cells.n_i.astype(np.float64),
    }
    return values, cells


def shrunken(found: BurstEffects, cells: TermCells) -> tuple[np.ndarray, np.ndarray]:
    """log R shrunken towards its trend in log n_i by empirical Bayes, and its lower limit at 2.5 %.

    The standard error is that of the interval, the trend a parabola by weighted least squares, the variance around it
    that of moments. NaN for a term without an interval.
    """
    value, low, high = (np.log(x) for x in (found.burst_ratio, found.ci_low, found.ci_high))
    variance = np.maximum((high - low) / (2 * stats.norm.isf(0.025)), 1e-6) ** 2
    known = np.isfinite(value) & np.isfinite(variance)
    frequency = np.log(np.maximum(cells.n_i, 1)).astype(np.float64)
    around = 1.0
    for _ in range(20):
        weight = 1 / (variance[known] + around)
        trend = np.polynomial.Polynomial.fit(frequency[known], value[known], 2, w=np.sqrt(weight))(frequency)
        rest = (value - trend)[known] ** 2 - variance[known]
        around = max(float(np.average(rest, weights=weight**2)), 1e-3)
    share = around / (around + variance)
    mean = trend + share * (value - trend)
    return mean, mean - stats.norm.isf(0.025) * np.sqrt(share * variance)


def within_bands(x: np.ndarray, y: np.ndarray, n: np.ndarray) -> float:
    """Spearman's correlation of terms of about the same frequency: the mean over bands of a factor of two."""
    bands = np.floor(np.log2(n))
    found = [(stats.spearmanr(x[bands == k], y[bands == k])[0], (bands == k).sum()) for k in np.unique(bands)]
    known = [(r, size) for r, size in found if size >= 10 and np.isfinite(r)]
    return float(np.average([r for r, _ in known], weights=[size for _, size in known])) if known else np.nan


def at_fixed_frequency(x: np.ndarray, y: np.ndarray, n_x: np.ndarray, n_y: np.ndarray) -> float:
    """Partial rank correlation: of what is left of the ranks after a polynomial of degree 5 in the ranks of n_i.

    Each half has its own n_i. 0 for a measure that is a function of n_i.
    """
    left = []
    for values, n in ((x, n_x), (y, n_y)):
        rank, of_n = stats.rankdata(values), stats.rankdata(n)
        left.append(rank - np.polynomial.Legendre.fit(of_n, rank, 5)(of_n))
    small = min(np.ptp(rest) for rest in left) < 1e-6 * x.size
    return 0.0 if small else float(np.corrcoef(*left)[0, 1])


def ranks(name: str, X: Any, terms: np.ndarray, draws: int, rng: np.random.Generator) -> None:
    X = filled(X)
    tables: list[dict[tuple[str, int], list[float]]] = [defaultdict(list) for _ in range(3)]
    for _draw in range(draws):
        half = rng.permutation(X.shape[0]) < X.shape[0] // 2
        (one, a), (other, b) = measured(X[half]), measured(X[~half])
        for floor in FLOORS:
            kept = (a.b_i >= floor) & (b.b_i >= floor)
            if kept.sum() < 50:
                continue
            n_a, n_b = a.n_i[kept], b.n_i[kept]
            for measure in one:
                x, y = one[measure][kept], other[measure][kept]
                found = stats.spearmanr(x, y)[0], within_bands(x, y, n_a + n_b), at_fixed_frequency(x, y, n_a, n_b)
                for table, value in zip(tables, found, strict=True):
                    table[measure, floor].append(value)
    values, cells = measured(X)
    function = np.array([str(term) in ENGLISH_STOP_WORDS for term in terms])
    print(
        f"\n{name}: rank correlation of random halves ({draws} splits); within bands of frequency; with the frequency"
    )
    print(
        "held fixed; each by floor on b_i; then the area under the curve for content above function words among terms"
    )
    print("in 20 documents or more")
    print(f"{'':>14}", *(" ".join([*(f"{floor:>6}" for floor in FLOORS), "  |"]) for _ in tables), "  area")
    often = (cells.b_i >= 20) & np.isfinite(values["λ"])
    for measure in values:
        shown = []
        for table in tables:
            means = [np.mean(table[measure, floor]) if (measure, floor) in table else np.nan for floor in FLOORS]
            shown.append(" ".join([*(f"{mean:6.3f}" if np.isfinite(mean) else " " * 6 for mean in means), "  |"]))
        content, grammar = values[measure][often & ~function], values[measure][often & function]
        area = stats.mannwhitneyu(content, grammar).statistic / (content.size * grammar.size)
        print(f"{measure:>14}", *shown, f"{area:6.3f}")


def lists(name: str, X: Any, terms: np.ndarray, _draws: int, _rng: np.random.Generator) -> None:
    cells = term_cells(X)
    bound, plr = burst_effects(cells).lower_bound, tb.plr_statistic(tb.TermStatistics.from_counts(X))
    for label, values in (("lower bound", bound), ("λ", plr)):
        first = np.argsort(-values, kind="stable")[:30]
        print(f"\n{name}, first 30 by {label}: {', '.join(str(terms[i]) for i in first)}")


def speed(name: str, X: Any, _: np.ndarray, draws: int, _rng: np.random.Generator) -> None:
    def seconds(intervals: bool) -> float:
        start = time.perf_counter()
        tb.burstiness_test(X, columns="all", intervals=intervals)
        return time.perf_counter() - start

    pairs = [(seconds(False), seconds(True)) for _ in range(max(draws // 3, 3))]
    bare, full = np.median(pairs, axis=0)
    print(
        f"\n{name}: burstiness_test of {X.shape[1]:,} terms {bare:.2f} s without intervals, {full:.2f} s with", end=""
    )
    print(f" ({full / bare:.2f} times; goal at most 3)")


PARTS: dict[str, Callable[..., None]] = {
    "coverage": coverage, "halves": halves, "tenths": tenths, "planted": planted, "ranks": ranks, "lists": lists,
    "speed": speed,
}  # fmt: skip
COMPARED = ("halves", "tenths", "planted")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2711)
    parser.add_argument("--corpus", default="", help="only corpora whose name contains this")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # measures that are not defined, clamped λ
    for name, load in (CORPORA | HELD_OUT).items():
        parts = [part for part in given.parts if name in CORPORA or part in COMPARED]
        if parts and given.corpus.lower() in name.lower():
            X, terms = load()
            for part in parts:
                PARTS[part](name, X, terms, given.draws, np.random.default_rng([given.seed, len(name)]))


if __name__ == "__main__":
    main()
