"""The beta-binomial distribution of a term's count in a document, and the paper's approximation to it (Claim 1).

In all functions n_ij is the count of the term in a document of n_j tokens, α the parameter of the term, α_¬ that of all
other terms, and α_0 = α + α_¬. Arguments broadcast. Parameters must be finite and above 0; for α_0 = ∞ use
`termburst.models.binomial`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from termburst.models.binomial import positive, possible_counts
from termburst.models.special import (
    deviance,
    factorial_remainder,
)

Floats = NDArray[np.float64]

_HEAD = 16  # terms of a sum over q < n added one by one; from a + 16 the asymptotic series are exact up to rounding


def log_pmf(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The log-probability of n_ij occurrences in a document of n_j tokens (Eq. bcb-pmf, with its coefficient).

    log C(n_j, n_ij) + log[α^(n_ij) α_¬^(n_j − n_ij) / α_0^(n_j)], where a^(n) = Γ(a + n)/Γ(a) is the rising factorial.

    Summing these logarithms would lose eight digits at n_j = 1e7. Expanding each log Γ by Stirling gives instead
    −n_j KL(p‖q) − α_0 KL(α/α_0‖q) with p = n_ij/n_j, q = (n_ij + α)/(n_j + α_0), whose four deviances are
    non-negative, and remainders of logarithmic size. −inf outside 0 ≤ n_ij ≤ n_j and for numbers that are not integers.

    Limits: as α_0 → ∞, binomial(n_j, α/α_0); as α_0 → 0, n_j or 0 with probabilities α/α_0 and α_¬/α_0.

    Examples
    --------
    >>> np.exp(log_pmf([0, 1, 2, 3], 2, 1.0, 1.0)).round(6).tolist()
    [0.333333, 0.333333, 0.333333, 0.0]
    """
    alpha, alpha_not = positive("alpha", alpha), positive("alpha_not", alpha_not)
    possible, n_ij, n_j = possible_counts(n_ij, n_j)
    n_not, alpha_0 = n_j - n_ij, alpha + alpha_not
    total = alpha_0 + n_j
    q, q_not = (alpha + n_ij) / total, (alpha_not + n_not) / total
    excess = n_not * (alpha / total) - n_ij * (alpha_not / total)  # n_j q − n_ij, and minus α_0 q − α
    value = (
        -deviance(n_ij, n_j * q, excess) - deviance(n_not, n_j * q_not, -excess)
        - deviance(alpha, alpha_0 * q, -excess) - deviance(alpha_not, alpha_0 * q_not, excess)
        + factorial_remainder(n_j) - factorial_remainder(n_ij) - factorial_remainder(n_not)
        + remainder_step(alpha, n_ij) + remainder_step(alpha_not, n_not) - remainder_step(alpha_0, n_j)
    )  # fmt: skip
    return np.where(possible, np.minimum(value, 0.0), -np.inf)


def approximate_log_pmf(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The approximate log-probability of n_ij occurrences in a document of n_j tokens (Claim 1, Eq. bcb-approx-1).

    log n_j! − log n_¬ij! + b_ij log(α_i/n_ij) + n_¬ij log α_¬i − n_j log α_0i, n_¬ij = n_j − n_ij, b_ij = [n_ij > 0].

    It is valid for α_i ≪ 1 and α_¬i ≫ n_j (α_¬i ≫ 1 is not enough: see erratum 7) and need not sum to one.
    −inf outside 0 ≤ n_ij ≤ n_j.

    Examples
    --------
    >>> float(approximate_log_pmf(2, 50, 0.1, 5000.0).round(4))
    -12.2273
    """
    alpha, alpha_not = positive("alpha", alpha), positive("alpha_not", alpha_not)
    possible, n_ij, n_j = possible_counts(n_ij, n_j)
    n_not = n_j - n_ij
    # log n_j!/(n_j − n_ij)!, by Stirling's formula for both
    rising = xlogy(n_ij, n_j) + n_not * np.log1p(n_ij / np.maximum(n_not, 1.0)) - n_ij
    rising += factorial_remainder(n_j) - factorial_remainder(n_not)
    burst = np.where(n_ij > 0, np.log(alpha) - np.log(np.maximum(n_ij, 1.0)), 0.0)
    value = rising + burst - n_not * np.log1p(alpha / alpha_not) - n_ij * np.log(alpha + alpha_not)
    return np.where(possible, value, -np.inf)


def remainder_step(a: Floats, n: Floats) -> Floats:
    """The part of log Γ(a + n) − log Γ(a) that is not in the difference of x log x − x."""
    return factorial_remainder(a + n) - factorial_remainder(a) - np.log1p(n / a)
