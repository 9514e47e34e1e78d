"""Penalties on the precision α_0: densities given by their mean μ and variance σ²."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

# Bernoulli terms B_{2k} / (2k (2k − 1)) of Stirling's series, for x^{1 − 2k}
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


class Penalty(Protocol):
    """What a penalty owes: its logarithm and the derivative of that, at any α_0 > 0."""

    def log_density(self, alpha_0: ArrayLike) -> NDArray[np.float64]:
        """log f(α_0); −inf outside the support."""

    def derivative(self, alpha_0: ArrayLike) -> NDArray[np.float64]:
        """d log f / d α_0."""


@dataclass(frozen=True, slots=True)
class GammaPenalty:
    """The gamma density of the paper's Eq. gamma-penalty, by mean μ and variance σ².

    log f(α_0; μ, σ²) = η² log(μ/σ²) − log Γ(η²) + (η² − 1) log α_0 − (μ/σ²) α_0, with η² = μ²/σ².

    Evaluated around α_0 = μ with Stirling's series for log Γ, since the four terms cancel when η² is large:
    (η² − 1) log(α_0/μ) − η² (α_0/μ − 1) − ½ log(2πσ²) − δ(η²), δ being `stirling_remainder`.

    Examples
    --------
    >>> float(GammaPenalty(mu=75.0, sigma2=1.0).log_density(75.0).round(6))
    -0.918953
    """

    mu: float
    sigma2: float

    def __post_init__(self) -> None:
        """Refuse a mean or a variance that no gamma distribution has."""
        check_hyperparameters(self.mu, self.sigma2)

    @property
    def eta2(self) -> float:
        """η² = μ²/σ², the shape."""
        return self.mu**2 / self.sigma2

    def log_density(self, alpha_0: ArrayLike) -> NDArray[np.float64]:
        """log f(α_0); −inf where α_0 ≤ 0."""
        alpha_0 = np.asarray(alpha_0, dtype=np.float64)
        deviation = (alpha_0 - self.mu) / self.mu
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (self.eta2 - 1) * np.log1p(deviation) - self.eta2 * deviation
        normaliser = 0.5 * np.log(2 * np.pi * self.sigma2) + stirling_remainder(self.eta2)
        return np.where(alpha_0 > 0, value - normaliser, -np.inf)

    def derivative(self, alpha_0: ArrayLike) -> NDArray[np.float64]:
        """(η² − 1)/α_0 − μ/σ²."""
        return (self.eta2 - 1) / np.asarray(alpha_0, dtype=np.float64) - self.mu / self.sigma2


PENALTIES: dict[str, type[GammaPenalty]] = {"gamma": GammaPenalty}


def named_penalty(name: str, mu: float, sigma2: float) -> Penalty:
    """The penalty of that name, with mean μ and variance σ².

    Examples
    --------
    >>> named_penalty("gamma", 75.0, 1.0)
    GammaPenalty(mu=75.0, sigma2=1.0)
    """
    if name not in PENALTIES:
        raise ValueError(f"penalty is one of {', '.join(map(repr, PENALTIES))}; got {name!r}")
    return PENALTIES[name](mu, sigma2)


def check_hyperparameters(mu: float, sigma2: float) -> None:
    """Refuse μ ≤ 0 and σ² ≤ 0, and what is no finite number at all."""
    for name, value in (("mu", mu), ("sigma2", sigma2)):
        try:
            good = bool(np.isfinite(value)) and value > 0
        except TypeError:
            good = False
        if not good:
            raise ValueError(f"{name} must be a finite number above 0; got {value!r}")


def stirling_remainder(x: float) -> float:
    """δ(x) = log Γ(x) − [(x − ½) log x − x + ½ log 2π], which is 1/(12x) to first order.

    Examples
    --------
    >>> round(stirling_remainder(100.0), 12)
    0.000833330556
    """
    if x < 12:  # below, the series is short of digits; above, log-gamma itself is
        return float(gammaln(x) - ((x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi)))
    return sum(coefficient / x ** (2 * k + 1) for k, coefficient in enumerate(_STIRLING))
