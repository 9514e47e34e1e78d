"""The binomial distribution of a term's count, the limit of the beta-binomial without bursts, with full precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from termburst.models.special import deviance, factorial_remainder

Floats = NDArray[np.float64]


def log_pmf(n_ij: ArrayLike, n_j: ArrayLike, theta: ArrayLike) -> Floats:
    """The log-probability of n_ij occurrences in a document of n_j tokens; each token is the term with probability θ.

    log C(n_j, n_ij) + n_ij log θ + (n_j − n_ij) log(1 − θ), the paper's model without bursts and the limit of
    Eq. bcb-pmf as α_0 → ∞ with α_i/α_0 = θ.

    Computed in Loader's saddle-point form, two deviances and three Stirling remainders, because the three terms above
    reach 1e8 and cancel at n_j = 1e7. Arguments broadcast. −inf outside 0 ≤ n_ij ≤ n_j, and at θ = 0 or 1 for all
    counts except the possible one.

    Examples
    --------
    >>> float(log_pmf(2, 4, 0.5).round(6))
    -0.980829
    >>> log_pmf([0, 1], 10, 0.0).tolist()
    [0.0, -inf]
    """
    theta = np.asarray(theta, dtype=np.float64)
    if not ((theta >= 0) & (theta <= 1)).all():
        raise ValueError("theta must lie between 0 and 1")
    possible, n_ij, n_j = possible_counts(n_ij, n_j)
    n_not = n_j - n_ij
    # n_j θ − n_ij, computed from the rarer side: the large numbers of the other side would lose its digits.
    excess = np.where(theta < 0.5, n_j * theta - n_ij, n_not - n_j * (1 - theta))
    value = -deviance(n_ij, n_j * theta, excess) - deviance(n_not, n_j * (1 - theta), -excess)
    value = value + factorial_remainder(n_j) - factorial_remainder(n_ij) - factorial_remainder(n_not)
    return np.where(possible, np.minimum(value, 0.0), -np.inf)


def log_likelihood(n_i: ArrayLike, n: ArrayLike) -> Floats:
    """The maximum binomial log-likelihood of n_i occurrences among n tokens, at θ̂ = n_i/n, without coefficients.

    n_i log(n_i/n) + (n − n_i) log(1 − n_i/n), with 0 log 0 = 0: ℓ_0 of the paper's likelihood ratio. Arguments
    broadcast. 0 if the term never occurs, if every token is the term, or if there are no tokens.

    Examples
    --------
    >>> log_likelihood([0, 1, 2, 4], 4).round(6).tolist()
    [0.0, -2.249341, -2.772589, 0.0]
    """
    n_i, n = np.asarray(n_i, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if not ((n_i >= 0) & (n_i <= n) & np.isfinite(n)).all():
        raise ValueError("n_i must lie between 0 and n, and n must be finite")
    # log1p of the share of the rarer side: 1 − n_i/n would lose its digits.
    rarer, commoner = np.minimum(n_i, n - n_i), np.maximum(n_i, n - n_i)
    share = rarer / np.where(n > 0, n, 1.0)
    return np.asarray(xlogy(rarer, share) + commoner * np.log1p(-share))


def possible_counts(n_ij: ArrayLike, n_j: ArrayLike) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether 0 ≤ n_ij ≤ n_j are integers, and both as floats, replaced by (0, 0) if they are not.

    Examples
    --------
    >>> possible_counts([1, 3], 2)
    (array([ True, False]), array([1., 0.]), array([2., 0.]))
    """
    n_ij, n_j = np.asarray(n_ij, dtype=np.float64), np.asarray(n_j, dtype=np.float64)
    possible = (n_ij >= 0) & (n_ij <= n_j) & np.isfinite(n_j) & (n_ij == np.floor(n_ij)) & (n_j == np.floor(n_j))
    return possible, np.where(possible, n_ij, 0.0), np.where(possible, n_j, 0.0)


def positive(name: str, value: ArrayLike) -> Floats:
    """`value` as floats; ValueError unless they are finite, above 0, and their squares are floats, too.

    Examples
    --------
    >>> positive("alpha", 0.5)
    array(0.5)
    """
    number = np.asarray(value, dtype=np.float64)
    if not (np.isfinite(number) & (number > 0)).all():
        raise ValueError(f"{name} must be finite and above 0")
    if not ((number > 1e-100) & (number < 1e100)).all():
        raise ValueError(f"{name} must lie between 1e-100 and 1e100, the range that can be computed")
    return number
