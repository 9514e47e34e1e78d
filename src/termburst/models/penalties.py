"""Penalties on the precision α_0: densities given by their mean μ and variance σ²."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

# Bernoulli terms B_{2k} / (2k (2k − 1)) of Stirling's series, for x^{1 − 2k}, the highest first
_STIRLING = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


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
        mu, sigma2 = checked_hyperparameters(self.mu, self.sigma2)
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "sigma2", sigma2)

    @property
    def eta2(self) -> float:
        """η² = μ²/σ², the shape."""
        return self.mu / self.sigma2 * self.mu

    def log_density(self, alpha_0: ArrayLike) -> NDArray[np.float64]:
        """log f(α_0); −inf where α_0 ≤ 0."""
        alpha_0 = np.asarray(alpha_0, dtype=np.float64)
        deviation = (alpha_0 - self.mu) / self.mu
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.where(deviation < -0.5, np.log(alpha_0 / self.mu), np.log1p(deviation))
            value = (self.eta2 - 1) * log_ratio - self.eta2 * deviation
        normaliser = 0.5 * np.log(2 * np.pi * self.sigma2) + stirling_remainder(self.eta2)
        return np.where(alpha_0 > 0, value - normaliser, -np.inf)

    def derivative(self, alpha_0: ArrayLike) -> NDArray[np.float64]:
        """(η² − 1)/α_0 − μ/σ²; NaN where α_0 ≤ 0."""
        alpha_0 = np.asarray(alpha_0, dtype=np.float64)
        return (self.eta2 - 1) / np.where(alpha_0 > 0, alpha_0, np.nan) - self.mu / self.sigma2


PENALTIES: dict[str, Callable[[float, float], Penalty]] = {"gamma": GammaPenalty}


def named_penalty(name: str, mu: float, sigma2: float) -> Penalty:
    """The penalty of that name, with mean μ and variance σ².

    Examples
    --------
    >>> named_penalty("gamma", 75.0, 1.0)
    GammaPenalty(mu=75.0, sigma2=1.0)
    """
    if not isinstance(name, str) or name not in PENALTIES:
        raise ValueError(f"penalty is one of {', '.join(map(repr, PENALTIES))}; got {name!r}")
    return PENALTIES[name](mu, sigma2)


def checked_hyperparameters(mu: float, sigma2: float) -> tuple[float, float]:
    """μ and σ² as plain floats, whatever kind of number they come as; refused where the model has no use for them.

    Examples
    --------
    >>> import numpy as np
    >>> checked_hyperparameters(np.int8(100), 1)  # whose square would overflow
    (100.0, 1.0)
    """
    values = []
    for name, value in (("mu", mu), ("sigma2", sigma2)):
        try:
            number = float(value) if np.ndim(value) == 0 and not isinstance(value, (str, bytes)) else np.nan
        except (TypeError, ValueError):
            number = np.nan
        if not (np.isfinite(number) and number > 0):
            raise ValueError(f"{name} must be a finite number above 0; got {value!r}")
        values.append(number)
    mean, variance = values
    for name, value in (("mu", mean), ("sigma2", variance), ("η² = μ²/σ²", mean / variance * mean)):
        if not 1e-100 < value < 1e100:
            raise ValueError(f"{name} = {value:g} is beyond what can be computed with, 1e-100 to 1e100")
    return mean, variance


def stirling_remainder(x: float) -> float:
    """δ(x) = log Γ(x) − [(x − ½) log x − x + ½ log 2π], which is 1/(12x) to first order.

    Examples
    --------
    >>> round(stirling_remainder(100.0), 12)
    0.000833330556
    """
    if x < 12:  # below, the series is short of digits; above, log-gamma itself is
        return float(gammaln(x) - ((x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi)))
    value = 0.0
    for coefficient in _STIRLING:
        value = value / x / x + coefficient
    return value / x
