"""Penalties on the precision α_0: densities, given by their mean μ and variance σ²."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.models.closed_forms import NUMPY, gamma_precision
from termburst.models.special import stirling_remainder

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Penalty:
    """A density of α_0 with mean μ and variance σ²; subclasses say which."""

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

    @property
    def log_coefficients(self) -> tuple[float, float, float, float]:
        """(a_0, a_1, a_2, a_3) such that d log f / d τ = a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ, where τ = log α_0."""
        raise NotImplementedError

    def log_at_precision(self, repeats: ArrayLike) -> tuple[Floats, Floats]:
        """log α_0 and log f(α_0) at `precision`, even if that is too small for a float."""
        alpha_0 = self.precision(repeats)
        return np.log(alpha_0), self.log_density(alpha_0)

    def log_density(self, alpha_0: ArrayLike) -> Floats:
        """log f(α_0); −inf outside the support."""
        raise NotImplementedError

    def precision(self, repeats: ArrayLike) -> Floats:
        """The α_0 that maximises (1 − r) log α_0 + log f(α_0), for Claim 2; NaN if there is none."""
        raise NotImplementedError


class GammaPenalty(Penalty):
    """The gamma density of the paper's Eq. gamma-penalty, with mean μ and variance σ².

    log f(α_0; μ, σ²) = η² log(μ/σ²) − log Γ(η²) + (η² − 1) log α_0 − (μ/σ²) α_0, with η² = μ²/σ².

    It is computed around α_0 = μ with Stirling's series for log Γ, since the four terms cancel when η² is large:
    (η² − 1) log(α_0/μ) − η² (α_0/μ − 1) − ½ log(2πσ²) − δ(η²), where δ is `stirling_remainder`.

    Examples
    --------
    >>> float(GammaPenalty(mu=75.0, sigma2=1.0).log_density(75.0).round(6))
    -0.918953
    """

    __slots__ = ()

    def log_density(self, alpha_0: ArrayLike) -> Floats:
        """log f(α_0); −inf if α_0 ≤ 0."""
        inside, ratio, deviation = _around(alpha_0, self.mu)
        value = (self.eta2 - 1) * ratio - self.eta2 * deviation
        normaliser = 0.5 * np.log(2 * np.pi * self.sigma2) + stirling_remainder(self.eta2)
        return np.where(inside, value - normaliser, -np.inf)

    @property
    def log_coefficients(self) -> tuple[float, float, float, float]:
        """(η² − 1, 0, −μ/σ², 0)."""
        return self.eta2 - 1, 0.0, -self.mu / self.sigma2, 0.0

    def precision(self, repeats: ArrayLike) -> Floats:
        """(σ²/μ)(η² − r), Claim 2; NaN if that is not positive."""
        return np.asarray(gamma_precision(NUMPY, self.mu, self.sigma2, np.asarray(repeats, dtype=np.float64)))


class LogNormalPenalty(Penalty):
    """The log-normal density with mean μ and variance σ².

    log α_0 is normal with variance v = log(1 + σ²/μ²) and mean log μ − v/2:
    log f = −log α_0 − (log α_0 − log μ + v/2)²/(2v) − ½ log(2πv).

    Examples
    --------
    >>> float(LogNormalPenalty(mu=75.0, sigma2=1.0).log_density(75.0).round(6))
    -0.918916
    """

    __slots__ = ()

    @property
    def log_variance(self) -> float:
        """v."""
        return float(np.log1p(1 / self.eta2))

    def log_density(self, alpha_0: ArrayLike) -> Floats:
        """log f(α_0); −inf if α_0 ≤ 0."""
        inside, ratio, _ = _around(alpha_0, self.mu)
        v = self.log_variance
        value = -ratio - np.log(self.mu) - (ratio + v / 2) ** 2 / (2 * v) - 0.5 * np.log(2 * np.pi * v)
        return np.where(inside, value, -np.inf)

    @property
    def log_coefficients(self) -> tuple[float, float, float, float]:
        """(log μ/v − 3/2, −1/v, 0, 0)."""
        v = self.log_variance
        return float(np.log(self.mu)) / v - 1.5, -1 / v, 0.0, 0.0

    def precision(self, repeats: ArrayLike) -> Floats:
        """μ exp(−v (r + ½)); NaN if that is too small for a float."""
        value = self.mu * np.exp(-self.log_variance * (np.asarray(repeats, dtype=np.float64) + 0.5))
        return np.where(value > 0, value, np.nan)

    def log_at_precision(self, repeats: ArrayLike) -> tuple[Floats, Floats]:
        """log μ − v (r + ½), where log f = −log α_0 − v r²/2 − ½ log(2πv)."""
        r, v = np.asarray(repeats, dtype=np.float64), self.log_variance
        log_alpha_0 = np.log(self.mu) - v * (r + 0.5)
        return log_alpha_0, -log_alpha_0 - v * r**2 / 2 - 0.5 * np.log(2 * np.pi * v)


class InverseGammaPenalty(Penalty):
    """The inverse-gamma density with mean μ and variance σ²: shape a = η² + 2, scale β = μ(η² + 1).

    log f = a log β − log Γ(a) − (a + 1) log α_0 − β/α_0; computed around β/α_0 = a, as `GammaPenalty` is around μ.

    Examples
    --------
    >>> float(InverseGammaPenalty(mu=75.0, sigma2=1.0).log_density(75.0).round(6))
    -0.918864
    """

    __slots__ = ()

    def log_density(self, alpha_0: ArrayLike) -> Floats:
        """log f(α_0); −inf if α_0 ≤ 0."""
        a, scale = self.eta2 + 2, self.mu * (self.eta2 + 1)
        alpha_0 = np.asarray(alpha_0, dtype=np.float64)
        with np.errstate(divide="ignore", over="ignore"):
            quotient = scale / np.where(alpha_0 > 0, alpha_0, np.nan)
            inside, ratio, deviation = _around(quotient, a)
        with np.errstate(invalid="ignore"):
            value = a * (ratio - deviation) + 0.5 * np.log(a / (2 * np.pi)) - stirling_remainder(a)
            value = value - np.log(np.where(inside, alpha_0, 1.0))
        return np.where(inside & np.isfinite(quotient), value, -np.inf)

    @property
    def log_coefficients(self) -> tuple[float, float, float, float]:
        """(−η² − 3, 0, 0, μ(η² + 1))."""
        return -self.eta2 - 3, 0.0, 0.0, self.mu * (self.eta2 + 1)

    def precision(self, repeats: ArrayLike) -> Floats:
        """μ(η² + 1)/(η² + 2 + r); always positive."""
        return self.mu * (self.eta2 + 1) / (self.eta2 + 2 + np.asarray(repeats, dtype=np.float64))


PENALTIES: dict[str, Callable[[float, float], Penalty]] = {
    "gamma": GammaPenalty,
    "log-normal": LogNormalPenalty,
    "inverse-gamma": InverseGammaPenalty,
}


def _around(value: ArrayLike, centre: float) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether the value is positive, log(value/centre), and value/centre − 1; no digits are lost near the centre."""
    value = np.asarray(value, dtype=np.float64)
    inside = value > 0
    safe = np.where(inside, value, centre)
    deviation = (safe - centre) / centre
    far = deviation < -0.5
    return inside, np.where(far, np.log(safe / centre), np.log1p(np.where(far, 0.0, deviation))), deviation


def named_penalty(name: str, mu: float, sigma2: float) -> Penalty:
    """The penalty of that name, with mean μ and variance σ².

    Examples
    --------
    >>> named_penalty("gamma", 75.0, 1.0)
    GammaPenalty(mu=75.0, sigma2=1.0)
    """
    if not isinstance(name, str) or name not in PENALTIES:
        raise ValueError(f"penalty must be one of {', '.join(map(repr, PENALTIES))}; got {name!r}")
    return PENALTIES[name](mu, sigma2)


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
