"""One Dirichlet-multinomial per class, scored on stored cells only, for `DirichletMultinomialNB` and `EDCMMixture`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from termburst.models.special import log1p_minus, stirling_remainder

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
TABLE_CELLS = 2**22  # patterns × classes computed at a time: limits the memory
GRID_CELLS = 2**14  # precisions × patterns computed at a time: they stay in the processor's cache
PRECISIONS = np.geomspace(1e-3, 1e9, 37)  # grid where the search for a precision starts; the last value means infinity


@dataclass(frozen=True, slots=True)
class Patterns:
    """The distinct (term, count) of stored counts other than 1, and the document of every such cell.

    A count of 1 contributes only its multinomial part, and the others repeat: a function of term and count is computed
    once per pattern.

    Examples
    --------
    >>> patterns = Patterns.of(sp.csr_matrix([[2, 1], [2, 3]]))
    >>> patterns.term.tolist(), patterns.count.tolist(), patterns.documents.toarray().tolist()
    ([0, 1], [2.0, 3.0], [[1.0, 0.0], [1.0, 1.0]])
    """

    term: Integers
    count: Floats
    documents: Any  # documents × patterns, 1 if a document has the pattern

    @classmethod
    def of(cls, counts: Any) -> Patterns:
        """The patterns of a CSR matrix without duplicate cells."""
        above = counts.data != 1
        count, level = np.unique(counts.data[above], return_inverse=True)
        key, pattern = np.unique(
            counts.indices[above].astype(np.int64) * max(count.size, 1) + level, return_inverse=True
        )
        upto = np.concatenate([[0], np.cumsum(above)])[counts.indptr]
        documents = sp.csr_array((np.ones(pattern.size), pattern, upto), shape=(counts.shape[0], key.size))
        return cls(key // max(count.size, 1), count[key % max(count.size, 1)].astype(np.float64), documents)


def log_rise(alpha: ArrayLike, n: ArrayLike) -> Floats:
    """Σ_{q<n} log(1 + q/α) = log Γ(α + n) − log Γ(α) − n log α for α > 0, with full precision at any α.

    Limits: 0 at n = 0 and n = 1, and as α → ∞. By the second form, n ≥ 0 may be fractional.

    Examples
    --------
    >>> log_rise([0.5, 1e12, np.inf], 3).round(12).tolist()
    [2.708050201102, 3e-12, 0.0]
    """
    a, n = np.broadcast_arrays(np.asarray(alpha, dtype=np.float64), np.asarray(n, dtype=np.float64))
    trivial = np.isinf(a) | (n == 0) | (n == 1)
    a = np.where(trivial, 1.0, a)
    x = n / a
    rise = a * log1p_minus(x) + (n - 0.5) * np.log1p(x) + stirling_remainder(a + n) - stirling_remainder(a)
    return np.where(trivial, 0.0, rise)


def class_log_likelihood(counts: Any, mean: Floats, precision: Floats, *, patterns: Patterns | None = None) -> Floats:
    """log P(n_j | class c) of every document and class, without the multinomial coefficient, the same for all classes.

    Σ_i n_ij log m_ci + Σ_i R(s_c m_ci, n_ij) − R(s_c, n_j), where R is `log_rise`: the Dirichlet-multinomial with
    α_ci = s_c m_ci, written so that s_c = ∞ is the multinomial.

    Parameters
    ----------
    counts : CSR, documents × terms, without duplicate cells
    mean : array, classes × terms
        m_ci > 0; each row sums to 1.
    precision : array, one value per class
        s_c > 0, infinite for a multinomial.
    patterns : Patterns, optional
        The patterns of *counts*, for callers that score the same documents many times.

    Returns
    -------
    array, documents × classes

    Examples
    --------
    >>> class_log_likelihood(sp.csr_matrix([[2, 1]]), np.array([[0.5, 0.5]]), np.array([2.0])).round(6)
    array([[-2.484907]])
    """
    n_j = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    log_likelihood = np.asarray(counts @ np.log(mean).T, dtype=np.float64)
    patterns = Patterns.of(counts) if patterns is None else patterns
    classes = max(1, TABLE_CELLS // max(patterns.term.size, 1))
    for first in range(0, precision.size, classes):
        block = slice(first, first + classes)
        alpha = (precision[block, None] * mean[block])[:, patterns.term]
        log_likelihood[:, block] += patterns.documents @ _rise_of_patterns(alpha, patterns.count).T
    length, which = np.unique(n_j, return_inverse=True)
    log_likelihood -= log_rise(precision, length[:, None])[which]
    return log_likelihood


def _rise_of_patterns(alpha: Floats, count: Floats) -> Floats:
    """`log_rise` of classes × patterns: most counts are small, and a sum of a few logarithms is faster."""
    rise = np.empty(alpha.shape)
    small = np.zeros(count.size, dtype=bool)
    for n in (2, 3, 4):
        at = count == n
        a = alpha[:, at]
        rise[:, at] = sum(np.log1p(q / a) for q in range(1, n))
        small |= at
    rise[:, ~small] = log_rise(alpha[:, ~small], count[~small])
    return rise


def fit_precision(counts: Any, weight: Floats, mean: Floats) -> float:
    """The maximum-likelihood precision of one Dirichlet-multinomial, given its mean.

    Parameters
    ----------
    counts : CSR, documents × terms, without duplicate cells
    weight : array, one value per document
    mean : array, one value per term

    Returns
    -------
    float
        Infinite if the likelihood rises to the end of `PRECISIONS`: the documents vary no more than a multinomial.

    Examples
    --------
    >>> X = sp.csr_matrix([[4, 0], [0, 4], [3, 1]])
    >>> round(fit_precision(X, np.ones(3), np.array([0.5, 0.5])), 3)
    0.551
    """
    patterns = Patterns.of(counts)
    length, which = np.unique(np.asarray(counts.sum(axis=1), dtype=np.float64).ravel(), return_inverse=True)
    documents, times = np.bincount(which, weights=weight), weight @ patterns.documents
    seen = times > 0
    m, count, times = mean[patterns.term[seen]], patterns.count[seen], times[seen]

    def losses(log_s: Floats) -> Floats:
        s = np.exp(log_s)[:, None]
        return np.asarray(log_rise(s, length) @ documents - log_rise(s * m, count) @ times)

    def loss(log_s: float) -> float:
        return float(losses(np.array([log_s]))[0])

    grid = np.log(PRECISIONS)
    rows = max(1, GRID_CELLS // max(count.size, length.size))
    at = int(np.argmin(np.concatenate([losses(grid[i : i + rows]) for i in range(0, grid.size, rows)])))
    if at == grid.size - 1:
        return np.inf
    found = minimize_scalar(
        loss, bounds=(grid[max(at - 1, 0)], grid[at + 1]), method="bounded", options={"xatol": 1e-8}
    )
    return float(np.exp(found.x))
