"""The penalty on the precision α_0: a density, given by its mean μ and variance σ²."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.models.special import stirling_remainder

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GammaPenalty:
    """The gamma density of the paper's Eq. gamma-penalty, with mean μ and variance σ².

    log f(α_0; μ, σ²) = η² log(μ/σ²) − log Γ(η²) + (η² − 1) log α_0 − (μ/σ²) α_0, with η² = μ²/σ².

    It is computed around α_0 = μ with Stirling's series for log Γ, since the four terms cancel when η² is large:
    (η² − 1) log(α_0/μ) − η² (α_0/μ − 1) − ½ log(2πσ²) − δ(η²), where δ is `stirling_remainder`.

    Examples
    --------
    >>> float(GammaPenalty(mu=75.0, sigma2=1.0).log_density(75.0).round(6))
    -0.918953
    """

    mu: float
    sigma2: float

    def __post_init__(self) -> None:
        """Raise ValueError for a mean or a variance that is not a positive number, or is out of range."""
        mu, sigma2 = checked_hyperparameters(self.mu, self.sigma2)
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "sigma2", sigma2)

    @property
    def eta2(self) -> float:
        """η² = μ²/σ²."""
        return self.mu / self.sigma2 * self.mu

    def log_density(self, alpha_0: ArrayLike) -> Floats:
        """log f(α_0); −inf if α_0 ≤ 0."""
        alpha_0 = np.asarray(alpha_0, dtype=np.float64)
        inside = alpha_0 > 0
        safe = np.where(inside, alpha_0, self.mu)
        deviation = (safe - self.mu) / self.mu
        far = deviation < -0.5  # near the mean, log1p keeps all digits
        ratio = np.where(far, np.log(safe / self.mu), np.log1p(np.where(far, 0.0, deviation)))
        value = (self.eta2 - 1) * ratio - self.eta2 * deviation
        normaliser = 0.5 * np.log(2 * np.pi * self.sigma2) + stirling_remainder(self.eta2)
        return np.where(inside, value - normaliser, -np.inf)

    @property
    def log_coefficients(self) -> tuple[float, float, float, float]:
        """(a_0, a_1, a_2, a_3) such that d log f / d τ = a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ, where τ = log α_0."""
        return self.eta2 - 1, 0.0, -self.mu / self.sigma2, 0.0


def checked_hyperparameters(mu: float, sigma2: float) -> tuple[float, float]:
    """μ and σ² as plain floats, from any kind of number; raises if they are not positive or out of range.

    Examples
    --------
    >>> import numpy as np
    >>> checked_hyperparameters(np.int8(100), 1)  # the square of this int8 would overflow
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
            raise ValueError(f"{name} must be between 1e-100 and 1e100; got {value:g}")
    return mean, variance
