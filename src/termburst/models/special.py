"""Parts of log-gamma and related functions, separated so that no large numbers cancel."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

Floats = NDArray[np.float64]

# B_2, B_4, … B_14: enough that every series below is exact to rounding from 12 on
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def stirling_remainder(x: ArrayLike) -> Floats:
    """δ(x) = log Γ(x) − [(x − ½) log x − x + ½ log 2π] for x > 0, which is 1/(12x) to first order.

    Examples
    --------
    >>> stirling_remainder([1.0, 100.0]).round(9).tolist()
    [0.081061467, 0.000833331]
    """
    x = np.asarray(x, dtype=np.float64)
    small, large = np.minimum(x, 12.0), np.maximum(x, 12.0)
    by_log_gamma = gammaln(small) - ((small - 0.5) * np.log(small) - small + 0.5 * np.log(2 * np.pi))
    return np.where(x < 12, by_log_gamma, bernoulli_series(large, 0))


def deviance(observed: Floats, expected: Floats, excess: Floats) -> Floats:
    """D(x, e) = x log(x/e) + e − x ≥ 0, to full relative accuracy; *excess* is e − x, which the caller knows exactly.

    Limits: e at x = 0, and +inf at e = 0 < x.

    Examples
    --------
    >>> float(deviance(np.array(1e8), np.array(1e8 + 1), np.array(1.0)).round(18))
    4.999999967e-09
    """
    total = observed + expected
    v = excess / np.where(total > 0, total, 1.0)
    # Near e = x the logarithm and the rest cancel, so 2 artanh(v) is expanded there; as v² < 0.01, nine terms suffice.
    near, square = np.abs(v) < 0.1, np.where(np.abs(v) < 0.1, v * v, 0.0)
    series = np.zeros_like(square)
    for power in range(19, 1, -2):
        series = series * square + 1 / power
    ratio = np.where(observed > 0, observed, 1.0) / np.where(expected > 0, expected, 1.0)
    far = np.where(expected > 0, observed * np.log(ratio), np.where(observed > 0, np.inf, 0.0)) + excess
    return np.where(near, excess * v - 2 * observed * v * square * series, far)


def factorial_remainder(x: ArrayLike) -> Floats:
    """log Γ(x + 1) − x log x + x for x ≥ 0: ½ log(2πx) + 1/(12x) − …, the remainder of Stirling's leading terms.

    Limits: 0 at x = 0.

    Examples
    --------
    >>> factorial_remainder([0.0, 1.0, 1e12]).round(9).tolist()
    [0.0, 1.0, 14.734449091]
    """
    x = np.asarray(x, dtype=np.float64)
    small, large = np.minimum(x, 12.0), np.maximum(x, 12.0)
    by_log_gamma = gammaln(small + 1) - xlogy(small, small) + small
    by_series = 0.5 * np.log(2 * np.pi * large) + bernoulli_series(large, 0)
    return np.where(x < 12, by_log_gamma, by_series)


def bernoulli_series(x: Floats, order: int) -> Floats:
    """The remainders of log Γ (order 0), −ψ (1) and ψ′ (2) after their leading terms, for x ≥ 12.

    log Γ(x) = (x − ½) log x − x + ½ log 2π + s_0, ψ(x) = log x − 1/(2x) − s_1, ψ′(x) = 1/x + 1/(2x²) + s_2, where
    s_0 = Σ_k B_2k/(2k(2k−1)) x^(1−2k), s_1 = Σ_k B_2k/(2k) x^(−2k) and s_2 = Σ_k B_2k x^(−1−2k).

    Examples
    --------
    >>> bernoulli_series(np.array([12.0]), 1).round(12).tolist()
    [0.000578303146]
    """
    inverse = 1 / x
    value = np.zeros_like(inverse)
    for k in range(len(_BERNOULLI), 0, -1):
        divisor = (2 * k * (2 * k - 1), 2 * k, 1)[order]
        value = value * inverse * inverse + _BERNOULLI[k - 1] / divisor
    return np.asarray(value * inverse ** (order + 1))


def log1p_minus(x: Floats) -> Floats:
    """log(1 + x) − x for x ≥ 0 without cancellation: with r = x/(2 + x), 2(r³/3 + r⁵/5 + …) − x r.

    Examples
    --------
    >>> log1p_minus(np.array([1e-9, 1.0]))
    array([-5.00000000e-19, -3.06852819e-01])
    """
    r = np.minimum(x, 0.5) / (2 + np.minimum(x, 0.5))
    series = np.zeros_like(r)
    for power in range(23, 1, -2):
        series = (series + 1 / power) * r**2
    return np.where(x > 0.5, np.log1p(x) - x, 2 * r * series - x * r)
