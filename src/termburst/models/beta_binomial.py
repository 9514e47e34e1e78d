"""The beta-binomial model of a term against all others: the paper's approximation and its penalised estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from termburst.counts.statistics import TermStatistics, as_statistics
from termburst.models.penalties import checked_hyperparameters, named_penalty

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


@dataclass(frozen=True, slots=True)
class PenalizedMLE:
    """Penalised maximum-likelihood estimates of every term (Claim 2); NaN where they are not valid.

    Attributes
    ----------
    alpha, alpha_not, alpha_0 : arrays, one a term
        α̂_i, α̂_¬i and their sum, the precision α̂_0i.
    valid : array of bool, one a term
        Whether α̂_0i > 0, that is η² > r_i = n_i − b_i + 1.
    """

    alpha: Floats
    alpha_not: Floats
    alpha_0: Floats
    valid: NDArray[np.bool_]


def penalized_mle(
    X_or_statistics: Any, *, mu: float | None = None, sigma2: float = 1.0, penalty: str = "gamma"
) -> PenalizedMLE:
    """Penalised maximum-likelihood estimates under the approximate model, in closed form (Claim 2).

    α̂_0i = (σ²/μ)(η² − r_i), split between α̂_i and α̂_¬i as b_i to n_¬i.

    Parameters
    ----------
    X_or_statistics : count matrix or TermStatistics
    mu, sigma2 : float
        Mean and variance of the penalty on α_0; by default the mean document length, and 1.
    penalty : "gamma"

    Examples
    --------
    >>> fit = penalized_mle([[2, 8], [0, 12], [1, 9]], sigma2=4.0)
    >>> fit.alpha_0.round(4), fit.valid
    (array([9.9167, 0.5417]), array([ True,  True]))
    """
    statistics = as_statistics(X_or_statistics, "frequencies")
    mu, sigma2 = settled_hyperparameters(statistics, mu, sigma2)
    named_penalty(penalty, mu, sigma2)  # refuses an unknown name
    b_i = statistics.document_frequency
    margin = precision_margin(statistics, mu, sigma2)
    valid = margin > 0
    alpha_0 = np.where(valid, sigma2 / mu * margin, np.nan)
    n_not = statistics.tokens - statistics.collection_frequency
    total = b_i + n_not
    return PenalizedMLE(alpha_0 * b_i / total, alpha_0 * n_not / total, alpha_0, valid)


def precision_margin(statistics: TermStatistics, mu: float, sigma2: float) -> Floats:
    """η² − r_i with r_i = n_i − b_i + 1: positive where Claim 2 gives a positive precision.

    Examples
    --------
    >>> precision_margin(TermStatistics.from_counts([[2, 8], [0, 12]]), mu=4.0, sigma2=2.0)
    array([  6., -11.])
    """
    return np.subtract(mu / sigma2 * mu, repeats(statistics), dtype=np.float64)


def repeats(statistics: TermStatistics) -> NDArray[np.int64]:
    """r_i = n_i − b_i + 1."""
    return statistics.collection_frequency - statistics.document_frequency + 1


def settled_hyperparameters(statistics: TermStatistics, mu: float | None, sigma2: float) -> tuple[float, float]:
    """μ, by default the mean document length, and σ²; an empty collection is refused, as are values of no use."""
    if not statistics.tokens:
        raise ValueError("all documents are empty: there is no term to learn from")
    return checked_hyperparameters(statistics.mean_length if mu is None else mu, sigma2)
