"""The permutation test's tails by the saddlepoint, and by counting where T is at an end of its range.

*points*, *spare* and *by* are those of `_points_kernel`.
"""

from __future__ import annotations

import math

import numpy as np

from termburst._compiled import inner
from termburst.inference._points_kernel import (
    DOCUMENTS,
    GAP,
    LAST,
    LEFT,
    LEVEL,
    MOVE,
    NEED,
    ONE,
    SAME,
    START,
    TAKEN,
    TIED,
    ZERO,
    H,
    M,
    X,
    log_choose,
)

STEP = 1.5  # the most that a Newton step may move a log-odds; the logistic function's curvature changes little in it
_ROUNDS = 400


@inner
def at_the_end(t, sign, points, order, size, by):  # type: ignore[no-untyped-def]
    """P(T = t) where t is the least that T can be with *sign* 1, the largest with −1; −1 elsewhere."""
    least = log_p = 0.0
    strata = by.shape[1]
    for s in range(strata):
        by[LEFT, s] = by[TAKEN, s]
    for k in range(size):
        o = order[0, k if sign > 0 else size - 1 - k]
        s = int(points[H, o])
        taken = min(points[M, o], by[LEFT, s])
        least += taken * sign * points[X, o]
        by[LEFT, s] -= taken
    if sign * t > least + SAME:
        return -1.0
    for s in range(strata):
        by[LEFT, s] = by[NEED, s] = by[TAKEN, s]
        by[DOCUMENTS, s] = by[LAST, s] = by[TIED, s] = 0.0
    for k in range(size):  # those at the last score taken may be exchanged for one another
        o = order[0, k if sign > 0 else size - 1 - k]
        s, m, x = int(points[H, o]), points[M, o], sign * points[X, o]
        by[DOCUMENTS, s] += m
        if by[LEFT, s] > 0:
            if by[TIED, s] == 0 or x > by[LAST, s] + SAME:
                by[TIED, s], by[LAST, s], by[NEED, s] = 0.0, x, by[LEFT, s]
            by[TIED, s] += m
            by[LEFT, s] -= min(m, by[LEFT, s])
        elif by[TIED, s] > 0 and x <= by[LAST, s] + SAME:
            by[TIED, s] += m
    for s in range(strata):
        log_p += log_choose(by[TIED, s], by[NEED, s]) - log_choose(by[DOCUMENTS, s], by[TAKEN, s])
    return math.exp(log_p)


@inner
def _tilted(t, theta, points, size, by):  # type: ignore[no-untyped-def]
    """Σ q(1 − q) x^0, 1, 2 and what the constraints lack at q = logistic(level + θ x), levels eliminated from the last.

    ZERO, ONE and GAP (the number still to be taken) are filled by stratum; returns slope and curvature in θ.
    """
    for s in range(by.shape[1]):
        by[ZERO, s], by[ONE, s], by[GAP, s] = 0.0, 0.0, by[TAKEN, s]
    two, slope = 0.0, t
    for k in range(size):
        s, x, m = int(points[H, k]), points[X, k], points[M, k]
        q = 1 / (1 + math.exp(-by[LEVEL, s] - theta * x))
        w = m * q * (1 - q)
        by[GAP, s] -= m * q
        slope -= m * q * x
        by[ZERO, s] += w
        by[ONE, s] += w * x
        two += w * x * x
    for s in range(by.shape[1]):
        if 0 < by[TAKEN, s] < by[DOCUMENTS, s]:
            slope -= by[ONE, s] / by[ZERO, s] * by[GAP, s]
            two -= by[ONE, s] * by[ONE, s] / by[ZERO, s]
    return slope, max(two, 1e-300)


@inner
def _information(theta, points, size, by):  # type: ignore[no-untyped-def]
    """Σ KL(q ‖ p), p the share taken: q log(q/p) + (1 − q) log((1 − q)/(1 − p)).

    With shift = logit q − logit p, which is known, (1 − p)/(1 − q) = 1 + p(e^shift − 1): nothing large cancels.
    """
    total = 0.0
    for k in range(size):
        s, x = int(points[H, k]), points[X, k]
        share = by[TAKEN, s] / by[DOCUMENTS, s]
        shift = by[LEVEL, s] - by[START, s] + theta * x
        q = 1 / (1 + math.exp(-by[LEVEL, s] - theta * x))
        log_rest = math.log1p(share * math.expm1(shift)) if shift < 600 else math.log(share) + shift
        total += points[M, k] * (q * shift - log_rest)
    return total


@inner
def saddlepoint(t, points, spare, size, by):  # type: ignore[no-untyped-def]  # noqa: PLR0912
    """r* with P(T ≥ t) ≈ 1 − Φ(r*): independent documents given how many fall in the first corpus (Skovgaard).

    q = logistic(level_stratum + θ x) solves Σ q x = t and Σ_stratum q = taken. Then r²/2 is the information
    Σ KL(q ‖ q at θ = 0), u = θ times the root of the determinants' ratio, and r* = r + log(u/r)/r.
    """
    strata = by.shape[1]
    for s in range(strata):
        by[DOCUMENTS, s] = by[START, s] = by[MOVE, s] = 0.0
    for k in range(size):
        by[DOCUMENTS, int(points[H, k])] += points[M, k]
    for s in range(strata):
        if 0 < by[TAKEN, s] < by[DOCUMENTS, s]:
            by[START, s] = math.log(by[TAKEN, s]) - math.log(by[DOCUMENTS, s] - by[TAKEN, s])
        by[LEVEL, s] = by[START, s]
    kept, largest = np.int64(0), 0.0  # a typed number, or the functions that take it are compiled twice
    for k in range(size):  # a stratum that is in one corpus as a whole adds a constant, which centring made 0
        s = int(points[H, k])
        if 0 < by[TAKEN, s] < by[DOCUMENTS, s]:
            for row in range(3):
                spare[row, kept] = points[row, k]
            largest = max(largest, abs(points[X, k]))
            kept += 1
    theta, curvature = 0.0, 1.0
    for _ in range(_ROUNDS):
        slope, curvature = _tilted(t, theta, spare, kept, by)
        step = slope / max(curvature, 1e-12)
        farthest = abs(step) * largest
        for s in range(strata):
            if 0 < by[TAKEN, s] < by[DOCUMENTS, s]:
                by[MOVE, s] = (by[GAP, s] - by[ONE, s] * step) / by[ZERO, s]
                farthest = max(farthest, abs(step) * largest + abs(by[MOVE, s]))
        shorter = min(1.0, STEP / farthest) if farthest > 0 else 1.0
        theta += shorter * step
        for s in range(strata):
            by[LEVEL, s] += shorter * by[MOVE, s]
        if farthest < 1e-5:  # Newton's error is the square of that
            break
    r = math.sqrt(max(2 * _information(theta, spare, kept, by), 0.0))
    if r < 0.005:  # log(u/r)/r would be rounding, and p is next to 1
        return t
    log_ratio = math.log(curvature)
    for s in range(strata):
        taken, documents = by[TAKEN, s], by[DOCUMENTS, s]
        if 0 < taken < documents:
            log_ratio += math.log(by[ZERO, s]) - math.log(taken * (1 - taken / documents))
    return math.copysign(r + (math.log(abs(theta)) + 0.5 * log_ratio - math.log(r)) / r, theta)
