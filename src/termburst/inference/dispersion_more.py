"""Measures of dispersion that need more than cells: all lengths, resamples of documents, or the order of tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import checked_number, checked_whole
from termburst.inference.dispersion import dispersion
from termburst.models.cells import TermCells, term_cells
from termburst.statistics.matrix import Integers
from termburst.threads import PARTS, in_threads

Floats = NDArray[np.float64]


def dp_nofreq(X_or_statistics: Any) -> Floats:
    """DP adjusted for frequency (Gries 2022): 0 for the most even spread of n_i tokens, 1 for the least even.

    (DP − DP_even)/(DP_uneven − DP_even), between 0 and 1. DP of a rare term is near 1 however it is spread, since it
    cannot be in all documents. DP_even belongs to the n_i tokens dealt in proportion to the lengths and rounded,
    DP_uneven to the n_i tokens in the shortest documents, each filled up: the extremes of the R package tlda ("even").
    NaN for a term that occurs once, or that can be spread in one way only.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics with detail="patterns"

    Examples
    --------
    >>> dp_nofreq([[1, 9], [1, 9], [1, 9], [1, 9]]).tolist(), dp_nofreq([[4, 6], [0, 10], [0, 10], [0, 10]])[0].item()
    ([0.0, 0.0], 1.0)
    """
    cells = term_cells(X_or_statistics)
    dp = dispersion(cells, ["dp"])["dp"]
    held = cells.lengths > 0
    lengths, documents = cells.lengths[held].astype(np.float64), cells.length_documents[held].astype(np.float64)
    distinct, place = np.unique(cells.n_i, return_inverse=True)
    even = np.array([_most_even(float(n_i), lengths, documents) if n_i > 1 else np.nan for n_i in distinct])
    uneven = np.array([_least_even(float(n_i), lengths, documents) if n_i > 1 else np.nan for n_i in distinct])
    room = (uneven - even)[place]
    with np.errstate(divide="ignore", invalid="ignore"):
        adjusted = np.clip((dp - even[place]) / room, 0.0, 1.0)
    return np.where(room > 1e-12, adjusted, np.nan)


def _most_even(n_i: float, lengths: Floats, documents: Floats) -> float:
    """DP if the tokens are dealt in proportion to the lengths; rounding errors are made up where they are largest."""
    expected = n_i * lengths / (lengths @ documents)
    off = expected - np.rint(expected)  # what a document has too little
    left = round(n_i - float(np.rint(expected) @ documents))
    sign = 1.0 if left >= 0 else -1.0
    order = np.argsort(-sign * off, kind="stable")
    before = np.cumsum(documents[order]) - documents[order]
    moved = np.zeros(lengths.size)
    moved[order] = np.clip(abs(left) - before, 0.0, documents[order])  # documents of each length that get one more
    return float((np.abs(off - sign) @ moved + np.abs(off) @ (documents - moved)) / (2 * n_i))


def _least_even(n_i: float, lengths: Floats, documents: Floats) -> float:
    """DP if the tokens fill the shortest documents."""
    n, up_to = float(lengths @ documents), np.cumsum(lengths * documents)
    at = min(int(np.searchsorted(up_to, n_i)), lengths.size - 1)  # the length of the last document with the term
    before = up_to[at] - lengths[at] * documents[at]
    full = np.floor((n_i - before) / lengths[at])
    filled = before + full * lengths[at]
    rest = n_i - filled
    last = lengths[at] if rest else 0.0
    deviations = (filled / n_i - filled / n) + abs(rest / n_i - last / n) + (n - filled - last) / n
    return deviations / 2


def dp_interval(
    X_or_statistics: Any, *, confidence: float = 0.95, resamples: int = 499, seed: int = 0
) -> tuple[Floats, Floats]:
    """Bootstrap limits of DP of every term: lower and upper.

    Documents are resampled, each Poisson(1) times, and the limits are 2 DP minus the upper and lower quantile of the
    resampled values (the basic bootstrap), because resamples have fewer different documents and so a higher DP. Limits
    are cut to 0 and 1, and contain DP. NaN for a term in fewer than two documents.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics with detail="patterns"
    confidence : level of the interval
    resamples, seed : number of resamples, and the seed of their random numbers

    Examples
    --------
    >>> low, high = dp_interval([[3, 7], [0, 10], [2, 8], [0, 10], [1, 9], [0, 10]])
    >>> bool(low[0] < 0.5 < high[0])
    True
    """
    confidence = checked_number("confidence", confidence, 0.0, 1.0)
    resamples, seed = checked_whole("resamples", resamples, least=19), checked_whole("seed", seed)
    cells = term_cells(X_or_statistics)
    dp = dispersion(cells, ["dp"])["dp"]
    limits = np.full((2, dp.size), np.nan)
    terms = np.flatnonzero(cells.b_i > 1)
    seeds = np.random.SeedSequence(seed).spawn(PARTS)

    def fill(part: int) -> None:
        rng = np.random.default_rng(seeds[part])
        for i in terms[part::PARTS].tolist():
            drawn = _resampled_dp(cells, i, resamples, rng)
            tails = np.quantile(drawn[np.isfinite(drawn)], [(1 + confidence) / 2, (1 - confidence) / 2])
            limits[:, i] = np.clip(2 * dp[i] - tails, 0.0, 1.0)

    in_threads(fill, range(PARTS))
    own = np.where(cells.b_i > 1, dp, np.nan)
    return np.fmin(limits[0], own), np.fmax(limits[1], own)


def _resampled_dp(cells: TermCells, term: int, resamples: int, rng: np.random.Generator) -> Floats:
    """DP of one term in resamples of the documents; NaN for resamples without the term."""
    own = slice(cells.indptr[term], cells.indptr[term + 1])
    weight = np.broadcast_to(cells.weight, cells.count.shape)[own]
    count, length = cells.count[own].astype(np.float64), cells.length[own].astype(np.float64)
    squares = float(cells.lengths.astype(np.float64) ** 2 @ cells.length_documents) - float(length**2 @ weight)
    times = rng.poisson(weight, (resamples, count.size)).astype(np.float64)
    deviation = np.sqrt(np.maximum(squares, 0.0))
    rest = np.maximum(cells.tokens - float(length @ weight) + deviation * rng.standard_normal(resamples), 0.0)
    found, tokens = times @ count, times @ length + rest
    with np.errstate(divide="ignore", invalid="ignore"):
        size = length / tokens[:, None]
        differences = np.abs(count / found[:, None] - size) - size
        return ((times * differences).sum(axis=1) + 1) / 2


def average_reduced_frequency(term: Integers, size: int) -> Floats:
    """ARF of every term: its frequency, but occurrences close to each other count as fewer (Savický & Hlaváčová 2002).

    ARF = (1/v) Σ_k min(d_k, v), v = n/n_i, where d_k are the distances from each occurrence to the next, in tokens, and
    from the last round to the first. It is n_i for an even spread, and near 1 if all occurrences are together. It
    depends on the order of the documents.

    Parameters
    ----------
    term : the number of the term of each token of the corpus, in order
    size : number of terms

    Examples
    --------
    >>> average_reduced_frequency(np.array([0, 1, 0, 1, 0, 1]), 2).tolist()
    [3.0, 3.0]
    >>> average_reduced_frequency(np.array([0, 0, 0, 1, 1, 1]), 2).round(3).tolist()
    [2.0, 2.0]
    >>> average_reduced_frequency(np.array([], dtype=np.int64), 2).tolist()
    [nan, nan]
    """
    n = term.size
    n_i = np.bincount(term, minlength=size)
    order = np.argsort(term, kind="stable")  # positions ascend within a term
    ends = np.cumsum(n_i)
    held = np.flatnonzero(n_i)
    following = np.empty(n, dtype=np.int64)
    following[:-1] = order[1:]
    following[ends[held] - 1] = order[ends[held] - n_i[held]] + n
    distance = (following - order).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 without tokens
        v = n / n_i
    sums = np.bincount(term[order], np.minimum(distance, v[term[order]]), size)
    return np.where(n_i > 0, sums / np.where(n_i > 0, v, 1.0), np.nan)
