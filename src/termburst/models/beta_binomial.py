"""The beta-binomial distribution of a term's count in a document, and the paper's approximation to it (Claim 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]


def approximate_log_pmf(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The approximate log-probability of n_ij occurrences in a document of n_j tokens (Claim 1, Eq. bcb-approx-1).

    log n_j! − log n_¬ij! + b_ij log(α_i/n_ij) + n_¬ij log α_¬i − n_j log α_0i, n_¬ij = n_j − n_ij, b_ij = [n_ij > 0].

    It holds for α_i ≪ 1 and α_¬i ≫ n_j (not merely ≫ 1: see the errata) and need not sum to one. Arguments broadcast;
    −inf outside 0 ≤ n_ij ≤ n_j.

    Examples
    --------
    >>> float(approximate_log_pmf(2, 50, 0.1, 5000.0).round(4))
    -12.2273
    """
    n_ij, n_j = np.asarray(n_ij, dtype=np.float64), np.asarray(n_j, dtype=np.float64)
    alpha, alpha_not = np.asarray(alpha, dtype=np.float64), np.asarray(alpha_not, dtype=np.float64)
    for name, value in (("alpha", alpha), ("alpha_not", alpha_not)):
        if not (np.isfinite(value) & (value > 0)).all():
            raise ValueError(f"{name} must be finite and above 0")
    possible = (n_ij >= 0) & (n_ij <= n_j) & (n_ij == np.floor(n_ij)) & (n_j == np.floor(n_j))
    n_ij, n_j = np.where(possible, n_ij, 0.0), np.where(possible, n_j, 0.0)
    n_not = n_j - n_ij
    log_pmf = (
        gammaln(n_j + 1) - gammaln(n_not + 1)
        + np.where(n_ij > 0, np.log(alpha) - np.log(np.maximum(n_ij, 1.0)), 0.0)
        - n_not * np.log1p(alpha / alpha_not) - n_ij * np.log(alpha + alpha_not)
    )  # fmt: skip
    return np.where(possible, log_pmf, -np.inf)
