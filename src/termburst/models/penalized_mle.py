"""Penalised maximum-likelihood estimates under the paper's approximate model (Claim 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.closed_forms import repeats, split_precision
from termburst.models.penalties import checked_hyperparameters, named_penalty
from termburst.statistics.term_statistics import TermStatistics, as_statistics

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PenalizedMLE:
    """Penalised maximum-likelihood estimates of every term (Claim 2); NaN if they are not valid.

    Attributes
    ----------
    alpha, alpha_not, alpha_0 : arrays, one entry per term
        α̂_i, α̂_¬i and their sum, the precision α̂_0i.
    valid : array of bool, one entry per term
        Whether α̂_0i > 0. For the gamma penalty that means η² > r_i = n_i − b_i + 1. For the others it is always
        true; but if the log-normal one is too small for a float (below 1e-323), it counts as not valid.
    """

    alpha: Floats
    alpha_not: Floats
    alpha_0: Floats
    valid: NDArray[np.bool_]


def penalized_mle(
    X_or_statistics: Any, *, mu: float | None = None, sigma2: float = 1.0, penalty: str = "gamma"
) -> PenalizedMLE:
    """Penalised maximum-likelihood estimates under the approximate model, in closed form (Claim 2).

    Along a ray, where α_i : α_¬i is constant, the approximate log-likelihood is (b_i − n_i) log α_0 + constant. The
    best ray is b_i : n_¬i for every α_0. So α̂_0i maximises (b_i − n_i) log α_0 + log f(α_0). For the paper's gamma
    penalty it is (σ²/μ)(η² − r_i). The other penalties have formulas as simple, which are valid for every term.

    Parameters
    ----------
    X_or_statistics : count matrix or TermStatistics
    mu, sigma2 : float
        Mean and variance of the penalty on α_0; by default the mean document length, and 1.
    penalty : {"gamma", "log-normal", "inverse-gamma"}

    Examples
    --------
    >>> fit = penalized_mle([[2, 8], [0, 12], [1, 9]], sigma2=4.0)
    >>> fit.alpha_0.round(4), fit.valid
    (array([9.9167, 0.5417]), array([ True,  True]))
    """
    statistics = as_statistics(X_or_statistics, "frequencies")
    mu, sigma2 = settled_hyperparameters(statistics, mu, sigma2)
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    alpha_0 = named_penalty(penalty, mu, sigma2).precision(repeats(n_i, b_i))
    alpha, alpha_not = split_precision(alpha_0, statistics.tokens, n_i, b_i)
    return PenalizedMLE(alpha, alpha_not, alpha_0, np.isfinite(alpha_0))


def precision_margin(statistics: TermStatistics, mu: float, sigma2: float) -> Floats:
    """η² − r_i with r_i = n_i − b_i + 1: positive if Claim 2 gives a positive precision.

    Examples
    --------
    >>> precision_margin(TermStatistics.from_counts([[2, 8], [0, 12]]), mu=4.0, sigma2=2.0)
    array([  6., -11.])
    """
    r_i = repeats(statistics.collection_frequency, statistics.document_frequency)
    return np.asarray(mu / sigma2 * mu - r_i, dtype=np.float64)


def settled_hyperparameters(statistics: TermStatistics, mu: float | None, sigma2: float) -> tuple[float, float]:
    """μ, by default the mean document length, and σ²; raises for an empty collection and for values out of range."""
    if not statistics.tokens:
        raise ValueError("all documents are empty: there is no term to learn from")
    return checked_hyperparameters(statistics.mean_length if mu is None else mu, sigma2)
