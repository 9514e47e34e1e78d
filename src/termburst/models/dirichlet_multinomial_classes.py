"""One Dirichlet-multinomial per class, scored on stored cells only, for `DirichletMultinomialNB` and `EDCMMixture`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from termburst.models.special import log1p_minus, stirling_remainder

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
TABLE_CELLS = 2**22  # patterns × classes computed at a time: limits the memory


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
