"""P of likelihood ratios whose precision is estimated, and how far the log-likelihood falls within an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NARROWEST, WIDEST = 0.4, 3.0  # of the scale of a likelihood ratio that its p says
BEYOND = 1e-3  # part of a likelihood ratio by which a limit is beyond 0 or short of it, if only p says which


def tail_of(ratio: Floats, freedom: Floats, separated: Flags) -> Floats:
    """P of a likelihood ratio R whose precision is known as well as a variance with ν degrees of freedom.

    As for a mean of normal numbers, R = (ν + 1) log(1 + t²/ν), and t is compared with t_ν. If one side lacks the term,
    p is the probability of that: e^(−R'/2) if the precision is known, whose mean over a χ²_ν/ν is e^(−Rν/(2ν + 2)).

    >>> tail_of(np.array([3.841459, 5.991465]), np.array([1e9, 1e9]), np.array([False, True])).round(4).tolist()
    [0.05, 0.05]
    """
    with np.errstate(over="ignore"):
        square = freedom * np.expm1(np.clip(ratio / (freedom + 1), 0.0, 700.0))  # SciPy has NaN below 0
    return np.where(separated, np.exp(-ratio / 2 * freedom / (freedom + 1)), special.fdtrc(1, freedom, square))


def inverse_tail(p_value: Any, freedom: Floats, separated: Flags) -> Floats:
    """The R of which `tail_of` is *p_value*.

    >>> freedom, separated = np.array([4.0, 4.0]), np.array([False, True])
    >>> tail_of(inverse_tail(0.01, freedom, separated), freedom, separated).round(6).tolist()
    [0.01, 0.01]
    """
    lacking = -2 * np.log(p_value) * (freedom + 1) / freedom
    return np.where(
        separated, lacking, (freedom + 1) * np.log1p(special.fdtri(1, freedom, 1 - np.asarray(p_value)) / freedom)
    )


def critical_fall(
    ratio: Floats, freedom: Floats, separated: Flags, p_value: Floats, given: Flags, confidence: float
) -> Floats:
    """How far twice the log-likelihood may fall within an interval: to where its p is 1 − *confidence*.

    *given* are the terms whose p is that given their bursts. It is known at 0 alone: there a fall by the *ratio* has
    *p_value*. Other falls are taken to be as much more or less improbable than by `tail_of`. So interval and p agree
    about 0.

    >>> one, no = np.array([100.0]), np.array([False])
    >>> [critical_fall(np.array([4.0]), one, no, np.array([p]), ~no, 0.95).round(2).tolist() for p in (0.04, 0.06)]
    [[3.64], [4.34]]
    """
    level = 1 - confidence
    critical = inverse_tail(level, freedom, separated)
    own = inverse_tail(np.clip(p_value, 1e-300, 1 - 1e-9), freedom, separated)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = critical * np.clip(ratio / own, NARROWEST, WIDEST)
    critical = np.where(given & ~separated & (ratio > 0.5) & (p_value > 1e-6), scaled, critical)
    return np.where(given, agreeing_fall(critical, ratio, p_value, level), critical)


def agreeing_fall(critical: Floats, ratio: Floats, p_value: Floats, level: float) -> Floats:
    """The fall nearest to *critical* at which 0, where the fall is *ratio*, is inside exactly if p is above *level*.

    >>> agreeing_fall(np.array([3.0, 3.0]), np.array([4.0, 4.0]), np.array([0.04, 0.06]), 0.05).round(2).tolist()
    [3.0, 4.0]
    """
    beyond, within = np.maximum(critical, ratio * (1 + BEYOND)), np.minimum(critical, ratio * (1 - BEYOND))
    return np.where(p_value > level, beyond, within)


def at_own_tie(limits: Floats, loose: Floats, estimate: Floats) -> Floats:
    """Limits θ at which the prior of the precision is that of θ; *limits* have that of 0, *loose* of the *estimate*.

    By how much the tie between mean and precision is off changes with θ, and with it the prior. Between these two a
    limit is taken as linear in |θ|. So it is on the same side of 0 as with the prior of 0, which is that of p.

    >>> limits, loose = np.array([[0.2, 2.0], [0.2, 2.0]]), np.array([[-0.2, 2.2], [np.nan, np.nan]])
    >>> at_own_tie(limits, loose, np.array([1.0, 1.0])).round(2).tolist()
    [[0.14, 2.5], [0.2, 2.0]]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = (loose - limits) / np.abs(estimate)[:, None] * np.sign(limits)
        found = limits / np.maximum(1 - slope, 0.5)
    return np.where(np.isfinite(loose + limits), found, np.where(np.isinf(loose), loose, limits))


def contradicts(p_value: Floats, ratio: Floats) -> Flags:
    """Whether a conditional p is far too small for the likelihood ratio.

    This happens where the other columns explain nearly all that a contrast could, so that the score T hardly varies. In
    other contrasts z² of p is hardly ever so large, neither in R8 nor in the inaugural addresses.

    >>> contradicts(np.array([0.0070, 0.1, 4e-62, 7e-9]), np.array([5.3, 0.8, 0.0013, 8.4])).tolist()
    [False, False, True, True]
    """
    square = np.square(special.ndtri(np.fmin(p_value, 1.0) / 2))
    return np.asarray(square > np.minimum(5 * ratio, 1.5 * ratio + 4))
