"""The computations of core/ratios.c in plain Python; arguments are as in `twins.groups`."""

from __future__ import annotations

import math
from typing import Any

from twins.beta_binomial import SMALLEST, _split
from twins.groups import _ROUNDS, _copy, _derivatives, _gain, _middle, _scratch, gather_groups

FARTHEST = 12.0  # of τ above log of the longest document: from there on the binomial's interval is used
FARTHEST_RATIO = 60.0  # of the logarithm of a limit: beyond, it is infinite


def _logit(log_share):
    """log π/(1 − π) from log π."""
    return log_share - math.log(-math.expm1(log_share))


def _at_ratio(ratio, level, cap, rows, kappa, middle, own, parts, ends, n_i, n, tables, none):
    """Maximise over τ and log π_b = *level* at a given log π_a/π_b; returns the level.

    *rows* are: τ, one entry per group, changed in place (equal, or separate if *own*); ω, which receives the logits;
    and three rows of scratch space.
    Newton's method with bounded steps. τ stays at *cap* if the likelihood still rises there.
    """
    highest = -1e-6 - max(ratio, 0.0)  # largest level: a share must not exceed 1
    level = min(level, highest - 0.1)  # closer, steps would be so short that they seem to have converged
    tau, omega, g_t, h_tt, h_tl = rows[0], rows[1], rows[2], rows[3], rows[4]
    for _ in range(_ROUNDS):
        slope = curvature = 0.0  # in the level
        for g in range(2):
            log_share = min(level + ratio if g == 0 else level, -1e-12)
            omega[g] = max(_logit(log_share), -700.0)
            d = _derivatives(tau[g], omega[g], kappa, middle, parts, ends, g, n_i, n, tables, none)
            p, rest = _split(omega[g])
            g_t[g], h_tt[g], h_tl[g] = d[0], d[2], d[3] / rest
            slope += d[1] / rest  # dω/d log π = 1/(1 − π)
            curvature += (d[4] + d[1] * p) / (rest * rest)
        if not own:  # one τ for both
            for row in range(2, 5):
                rows[row, 0] = rows[row, 1] = rows[row, 0] + rows[row, 1]
        free_slope, free_curvature = slope, curvature  # of the profile over the free τ
        for g in range(2 if own else 1):
            if h_tt[g] < 0 and (tau[g] < cap or g_t[g] < 0):
                free_slope -= h_tl[g] * g_t[g] / h_tt[g]
                free_curvature -= h_tl[g] * h_tl[g] / h_tt[g]
        if free_curvature < 0:
            move = -free_slope / free_curvature
        else:
            move = -slope / curvature if curvature < 0 else math.copysign(1.5, slope)
        move = min(max(move, -1.5), 1.5)
        move = min(level + move, highest) - level
        moved = abs(move)
        for g in range(2):
            step = -(g_t[g] + h_tl[g] * move) / h_tt[g] if h_tt[g] < 0 else math.copysign(1.0, g_t[g])
            step = min(max(tau[g] + min(max(step, -1.0), 1.0), SMALLEST), cap) - tau[g]
            tau[g] += step
            moved = max(moved, abs(step))
        level += move
        if moved < 1e-5:  # the likelihood is stationary: its error is of the order of the square
            break
    for g in range(2):
        omega[g] = max(_logit(min(level + ratio if g == 0 else level, -1e-12)), -700.0)
    return level


def _fall(before, ratio, top, level, cap, rows, kappa, middle, own, parts, ends, n_i, n, tables, none):
    """√(2(ℓ̂ − ℓ(ratio))), almost linear in the ratio, with the level where ℓ(ratio) is attained; τ is moved there.

    τ and level start from their values at the ratio *before*; the share of the group with more of the term changes
    least.
    """
    if n_i[0] > n_i[1]:
        level += before - ratio
    level = _at_ratio(ratio, level, cap, rows, kappa, middle, own, parts, ends, n_i, n, tables, none)
    reached = 0.0
    for g in range(2):
        reached += _gain(rows[0, g], rows[1, g], kappa, middle, parts, ends, g, n_i, n, tables)
    return math.sqrt(max(2 * (top - reached), 0.0)), level


def _limit(inside, step, top, root, level, cap, rows, kappa, middle, own, parts, ends, n_i, n, tables, none):
    """The log ratio beyond *inside*, in the direction of *step*, where √(2 × fall) equals *root*; ±inf beyond ±60.

    τ starts from the last row. The step doubles until the fall is large enough; then the Illinois variant of regula
    falsi finds the root.
    """
    at_inside, outside, at_outside = 0.0, inside, 0.0
    _copy(rows[5], rows[0])
    while True:
        outside = inside + step
        if not abs(outside) <= FARTHEST_RATIO:
            return math.copysign(math.inf, step)
        at_outside, level = _fall(
            inside, outside, top, level, cap, rows, kappa, middle, own, parts, ends, n_i, n, tables, none
        )
        if at_outside >= root:
            break
        inside, at_inside = outside, at_outside
        step *= 2
    low, high = at_inside - root, at_outside - root
    side, between, at = 0, outside, outside
    for _ in range(_ROUNDS):
        between = (inside * high - outside * low) / (high - low)
        value, level = _fall(at, between, top, level, cap, rows, kappa, middle, own, parts, ends, n_i, n, tables, none)
        at = between
        value -= root
        if abs(value) < 1e-5 * root or abs(outside - inside) < 1e-9:
            break
        if value > 0:
            outside, high = between, value
            low = low / 2 if side == 1 else low
            side = 1
        else:
            inside, low = between, value
            high = high / 2 if side == -1 else high
            side = -1
    return between


def _begin(i, n_i, n, cap, fits, rows):
    """log π_a/π_b and log π_b at the maximum, τ and ω to *rows*. If a share is 0 or 1, it starts close to that."""
    for g in range(2):
        omega = fits[i, 3 + g]
        share = math.log(_split(omega)[0]) if n_i[g] > 0 else math.log(1e-3 / n[g])
        if n_i[g] == n[g]:
            share = math.log1p(-1e-3 / n[g])
            omega = _logit(share)
        rows[0, g] = rows[5, g] = min(fits[i, g], cap)
        rows[1, g], rows[2, g] = omega, share
    return rows[2, 0] - rows[2, 1], rows[2, 1]


def ratios(terms: Any, n_i: Any, longest: Any, *rest: Any) -> None:
    """2(ℓ̂ − ℓ) of the given terms, to the last array; under ℓ both groups have one mean and separate precisions.

    Rows of *fits* are τ_a, τ_b, gain, ω_a, ω_b.
    """
    _ratios(terms, math.log(longest) + FARTHEST, *rest, *_scratch(n_i[terms], longest, 6))


def _ratios(terms, cap, own, indptr, count, length, weight, n, tables, fits, out, seen, none, parts, ends, n_i, rows):
    for k in range(terms.size):
        i = terms[k]
        gather_groups(i, indptr, count, length, weight, seen, parts, ends, n_i)
        before, level = _begin(i, n_i, n, cap, fits, rows)
        fall, _ = _fall(before, 0.0, fits[i, 2], level, cap, rows, 0.0, 0.0, own[i], parts, ends, n_i, n, tables, none)
        out[i] = fall * fall


def intervals(terms: Any, n_i: Any, longest: Any, *rest: Any) -> None:
    """Profile-likelihood limits of log π_a/π_b for the given terms of two groups, to the last array."""
    _intervals(terms, math.log(longest) + FARTHEST, *rest, *_scratch(n_i[terms], longest, 6))


def _intervals(
    terms, cap, kappa, own, indptr, count, length, weight, n, tables, fits, critical, out,
    seen, none, parts, ends, n_i, rows,
):  # fmt: skip
    """*fits* are as for `ratios`."""
    for k in range(terms.size):
        i = terms[k]
        gather_groups(i, indptr, count, length, weight, seen, parts, ends, n_i)
        if n_i[0] + n_i[1] == n[0] + n[1]:
            continue
        tie, middle = 0.0 if own[i] else kappa, _middle(n_i, n)
        ratio, level = _begin(i, n_i, n, cap, fits, rows)
        variance = 0.0
        for g in range(2):
            if n_i[g] > 0:
                d = _derivatives(rows[0, g], rows[1, g], tie, middle, parts, ends, g, n_i, n, tables, none)
                _, rest = _split(rows[1, g])
                variance += rest * rest / max(-d[4], 1e-3)
        step, root = min(max(math.sqrt(critical[i] * variance), 1e-3), 5.0), math.sqrt(critical[i])
        for side in range(2):
            if n_i[side] > 0:
                out[i, side] = _limit(
                    ratio, step if side else -step, fits[i, 2], root, level, cap, rows, tie, middle, own[i], parts,
                    ends, n_i, n, tables, none,
                )  # fmt: skip
