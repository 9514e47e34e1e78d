"""One beta-binomial per class and term, summed over all terms of a document: the arithmetic of `BetaBinomialNB`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import gammaln

from termburst.statistics.matrix import document_lengths

Floats = NDArray[np.float64]
NODES = 24  # lengths at which absent terms are summed; between them a cubic spline


def beta_binomial_class_log_likelihood(counts: Any, alpha: Floats, alpha_not: Floats) -> Floats:
    """Σ_i log P(n_ij | n_j, class c) over all terms, without binomial coefficients; documents × classes.

    Stored cells are summed one by one. If all terms were absent, they would add
    z_c(n) = Σ_i log [Γ(α_¬ci + n) Γ(α_0ci)/(Γ(α_¬ci) Γ(α_0ci + n))], which depends only on the length. It is summed at
    every length; for more than `NODES` lengths it is summed at `NODES` of them and interpolated (z_c(n)/n over log n).

    Parameters
    ----------
    counts : canonical counts, documents × terms
    alpha, alpha_not : array, classes × terms
        Finite and above 0.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> one = np.ones((1, 2))
    >>> beta_binomial_class_log_likelihood(sp.csr_array([[2, 0]]), one, one).round(4)
    array([[-2.1972]])
    """
    n_j = document_lengths(counts).astype(np.float64)
    row = np.repeat(np.arange(n_j.size), np.diff(counts.indptr))
    n, total, term = counts.data.astype(np.float64), n_j[row], counts.indices
    found = np.empty((n_j.size, alpha.shape[0]))
    for c, (a, a_not) in enumerate(zip(alpha, alpha_not, strict=True)):
        own, rest = a[term], a_not[term] + total
        cell = gammaln(own + n) - gammaln(own) + gammaln(rest - n) - gammaln(rest)
        found[:, c] = np.bincount(row, weights=cell, minlength=n_j.size) + _absent(n_j, a, a_not)
    return found


def _absent(n_j: Floats, a: Floats, a_not: Floats) -> Floats:
    length, which = np.unique(n_j, return_inverse=True)
    filled = length[length > 0]
    if not filled.size:
        return np.zeros(n_j.size)
    node = filled if filled.size <= NODES else np.geomspace(filled[0], filled[-1], NODES)
    alpha_0 = a + a_not
    at_zero = gammaln(a_not) - gammaln(alpha_0)
    rate = np.array([(gammaln(a_not + n) - gammaln(alpha_0 + n) - at_zero).sum() / n for n in node])
    value = np.zeros(length.size)
    value[length > 0] = filled * (rate if node is filled else CubicSpline(np.log(node), rate)(np.log(filled)))
    return np.asarray(value[which])
