"""In how many documents a term occurs 0, 1, 2, … times: observed, and expected by two models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.models.cells import TermCells, term_cells
from termburst.models.dirichlet_multinomial_classes import log_rise
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.threads import in_threads

Floats = NDArray[np.float64]
_ROUNDING = 1e-13  # rounding error of a share computed as 1 − others; smaller ones count as 0
_ENTRIES = 1 << 15  # terms × lengths processed at a time, so that they stay in the cache of a core


@dataclass(frozen=True, slots=True)
class CountDistribution:
    """Numbers of documents by count of a term: one row per term, one column for each of 0, 1, …, K − 1, and ≥ K.

    Attributes
    ----------
    observed : documents with that many occurrences.
    binomial : Σ_j P(N = k), N ~ binomial(n_j, n_i/n): what chance alone gives.
    beta_binomial : the same under the exact fit of the term (Eq. bcb-pmf); equal to `binomial` at the boundary.
    """

    observed: Floats
    binomial: Floats
    beta_binomial: Floats


def count_distribution(
    X_or_statistics: Any, columns: ArrayLike, *, fit: BetaBinomialFit | None = None, largest: int = 12
) -> CountDistribution:
    """In how many documents terms occur k times, and how many the binomial and the fitted beta-binomial expect.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics with detail="patterns"
    columns : the columns of the terms
    fit : the fit of all terms; computed if not given
    largest : K; counts of K and more share the last column

    Examples
    --------
    >>> found = count_distribution([[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]], [0], largest=3)
    >>> found.observed.tolist()
    [[3.0, 1.0, 0.0, 2.0]]
    >>> found.binomial.round(2).tolist(), found.beta_binomial.round(2).tolist()
    ([[1.11, 1.89, 1.6, 1.4]], [[2.95, 0.98, 0.58, 1.49]])
    """
    cells, chosen = term_cells(X_or_statistics), np.asarray(columns, dtype=np.intp)
    fit = fit_beta_binomial(cells) if fit is None else fit
    theta = cells.n_i[chosen] / max(cells.tokens, 1)
    alpha, alpha_not, mean, status = (v[chosen] for v in (fit.alpha, fit.alpha_not, fit.mean, fit.status))
    plain, bursty = (np.empty((chosen.size, largest + 1)) for _ in range(2))

    def expect(block: slice) -> None:
        plain[block] = _under_binomial(theta[block], cells, largest)
        bursty[block] = plain[block]
        inner = np.arange(chosen.size)[block][status[block] == "converged"]
        bursty[inner] = _under_beta_binomial(alpha[inner], alpha_not[inner], cells, largest)

    step = max(_ENTRIES // max(cells.lengths.size, 1), 1)
    in_threads(expect, [slice(start, start + step) for start in range(0, chosen.size, step)])
    for row in np.flatnonzero(status == "degenerate"):
        bursty[row] = _all_or_nothing(float(mean[row]), cells, largest)
    return CountDistribution(_observed(cells, chosen, largest), plain, bursty)


def _observed(cells: TermCells, chosen: NDArray[np.intp], largest: int) -> Floats:
    documents = np.zeros((chosen.size, largest + 1))
    weight = np.broadcast_to(cells.weight, cells.count.shape)
    for row, term in enumerate(chosen):
        held = slice(cells.indptr[term], cells.indptr[term + 1])
        documents[row] = np.bincount(np.minimum(cells.count[held], largest), weight[held], largest + 1)
    documents[:, 0] = cells.length_documents.sum() - cells.b_i[chosen]
    return documents


def _under_binomial(theta: Floats, cells: TermCells, largest: int) -> Floats:
    surely = theta == 1  # every token is this term: n_ij = n_j
    odds = np.where(surely, 0.0, theta / np.where(surely, 1.0, 1 - theta))[:, None]
    none = np.exp(cells.lengths * np.log1p(-np.where(surely, 0.0, theta))[:, None])
    expected = _expected(none, lambda _, __: odds, cells, largest)
    expected[surely] = _all_or_nothing(1.0, cells, largest)
    return expected


def _under_beta_binomial(alpha: Floats, alpha_not: Floats, cells: TermCells, largest: int) -> Floats:
    a, a_not = alpha[:, None], alpha_not[:, None]
    log_none = log_rise(a_not, cells.lengths) - log_rise(a + a_not, cells.lengths) - cells.lengths * np.log1p(a / a_not)
    none = np.exp(log_none)
    return _expected(none, lambda k, left: (a + k) / (a_not + np.maximum(left - 1, 0)), cells, largest)


def _expected(none: Floats, odds: Callable[[int, Floats], Floats], cells: TermCells, largest: int) -> Floats:
    """Documents by count, from P(N = 0) of every term and length, by ratios of neighbouring probabilities.

    P(N = k + 1) / P(N = k) = (n_j − k)/(k + 1) times the odds of another token after k, *odds*(k, n_j − k).
    """
    documents = cells.length_documents.astype(np.float64)
    expected = np.empty((len(none), largest + 1))
    for k in range(largest):
        expected[:, k] = none @ documents
        left = np.maximum(cells.lengths - k, 0)
        none *= odds(k, left)
        none *= left / (k + 1)
    rest = documents.sum() - expected[:, :largest].sum(axis=1)
    expected[:, largest] = np.where(rest < _ROUNDING * documents.sum(), 0.0, rest)
    return expected


def _all_or_nothing(mean: float, cells: TermCells, largest: int) -> Floats:
    """Documents by count if each document is only the term, with probability *mean*, or has none of it."""
    full = np.bincount(np.minimum(cells.lengths, largest), cells.length_documents, largest + 1)
    expected = mean * full
    expected[0] += (1 - mean) * full.sum()
    return np.asarray(expected)
