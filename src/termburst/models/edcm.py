"""The exponential-family approximation of the Dirichlet-multinomial, one per component, for `EDCMMixture`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

Floats = NDArray[np.float64]
LEAST, MOST = np.log(1e-3), np.log(1e9)  # limits of log s; values beyond are set to the limit


def edcm_log_likelihood(counts: Any, mean: Floats, precision: Floats) -> Floats:
    """log P(n_j | component c) of every document and component.

    log [n_j! Γ(s_c)/Γ(s_c + n_j) Π_{i: n_ij > 0} β_ci/n_ij], β_ci = s_c m_ci (Elkan 2006): whether a term occurs
    matters, not how often. It is an approximation for β ≪ 1 and does not sum to exactly 1.

    Parameters
    ----------
    counts : CSR, documents × terms, without duplicate cells and stored zeros
    mean : array, components × terms
        m_ci > 0; each row sums to 1.
    precision : array, one value per component
        s_c.

    Returns
    -------
    array, documents × components

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> edcm_log_likelihood(sp.csr_array([[2, 0], [0, 1]]), np.array([[0.5, 0.5]]), np.array([0.1])).round(4)
    array([[-0.7885],
           [-0.6931]])
    """
    present = counts.copy()
    present.data = np.ones(counts.nnz)
    n_j = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    length, which = np.unique(n_j, return_inverse=True)
    logs = counts.copy()
    logs.data = np.log(counts.data)
    base = gammaln(n_j + 1) - np.asarray(logs.sum(axis=1)).ravel()
    of_length = (gammaln(precision) - gammaln(precision + length[:, None]))[which]
    distinct = np.diff(counts.indptr)[:, None]
    return np.asarray(present @ np.log(mean).T + distinct * np.log(precision) + of_length + base[:, None])


def edcm_precision(length: Floats, documents: Floats, distinct: float) -> float:
    """The maximum-likelihood s: s Σ_j [ψ(s + n_j) − ψ(s)] = Σ_j b_j, with b_j the number of distinct terms in j.

    Parameters
    ----------
    length : array
        Distinct lengths n_j.
    documents : array
        The (weighted) number of documents of each length.
    distinct : float
        Σ_j b_j, with the same weights.

    Returns
    -------
    float
        Between 1e-3 (every document repeats one term) and 1e9 (no term is repeated).

    Examples
    --------
    >>> round(edcm_precision(np.array([10.0]), np.array([1.0]), 5.0), 3)
    3.301
    """

    def excess(log_s: float) -> float:
        s = np.exp(log_s)
        return float(s * (documents @ (digamma(s + length) - digamma(s))) - distinct)

    if excess(LEAST) >= 0:
        return float(np.exp(LEAST))
    if excess(MOST) <= 0:
        return float(np.exp(MOST))
    return float(np.exp(brentq(excess, LEAST, MOST, xtol=1e-10)))
