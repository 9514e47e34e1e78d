"""The compiled fit of one term in several groups of documents: a mean of its own each, and precisions tied by one.

Variables are τ, shared, and ω_g = logit π_g, with log α_0g = τ − κ (v_g − v), v_g = log π_g(1 − π_g) and v the same of
all groups together. Given τ the groups are independent, so that the Hessian is an arrow: a Newton step costs one
evaluation a group, and the slope and curvature of the profile over τ are sums.

*law* is (κ, v) wherever it is passed on.
"""

from __future__ import annotations

import math

import numpy as np

from termburst._compiled import compiled
from termburst.models._beta_binomial_kernel import LARGEST, SMALLEST, _gather, _split, derivatives, gain

TOLERANCE = 1e-8  # of the last Newton step in τ
SPACING = 1.5  # of the scan over τ
FEW = 30  # documents with a term, up to which the profile over τ is scanned for a second maximum
FARTHEST = 12.0  # above log of the longest document: from there on the binomial's own interval
FARTHEST_RATIO = 60.0  # of a limit's logarithm: beyond there is none
_ROUNDS = 60


@compiled
def gather_groups(term, groups, indptr, count, length, weight, seen):  # type: ignore[no-untyped-def]
    """T_q, r, times of a term in every group, whose cells are [indptr[g, term]:indptr[g, term + 1]]; n_ig; mixed."""
    more, after, times = [np.empty(0)], [np.empty(0)], [np.empty(0)]
    n_i, mixed = np.zeros(groups), 0.0
    for g in range(groups):
        first, last = indptr[g, term], indptr[g, term + 1]
        m, a, t, both = _gather(first, last, count, length, weight, seen) if last > first else (
            np.empty(0), np.empty(0), np.empty(0), 0.0)  # fmt: skip
        more.append(m)
        after.append(a)
        times.append(t)
        n_i[g] = m.sum()
        mixed += both
    return more[1:], after[1:], times[1:], n_i, mixed


@compiled
def _bent(tau, omega, law):  # type: ignore[no-untyped-def]
    """log α_0 of a group with logit π = ω, and its first and second derivative in ω."""
    kappa, middle = law
    if kappa == 0:
        return tau, 0.0, 0.0
    p, rest = _split(omega)
    bent = tau - kappa * (-abs(omega) - 2 * math.log1p(math.exp(-abs(omega))) - middle)
    if bent > LARGEST or bent < SMALLEST:
        return min(max(bent, SMALLEST), LARGEST), 0.0, 0.0
    return bent, -kappa * (rest - p), 2 * kappa * p * rest


@compiled
def _derivatives(tau, omega, law, more, after, times, n_i, n, table, none):  # type: ignore[no-untyped-def]
    """(∂τ, ∂ω, ∂ττ, ∂τω, ∂ωω) of one group's log-likelihood in the shared τ and its own ω, by the chain rule."""
    own, slope, bend = _bent(tau, omega, law)
    d = derivatives(own, omega, more, after, times, n_i, n, table, none)
    across = d[3] + slope * d[2]
    return d[0], d[1] + slope * d[0], d[2], across, d[4] + slope * (d[3] + across) + bend * d[0]


@compiled
def _gain(tau, omega, law, more, after, times, n_i, n, table):  # type: ignore[no-untyped-def]
    return gain(_bent(tau, omega, law)[0], omega, more, after, times, n_i, n, table)


@compiled
def _profile(tau, omega, near, law, more, after, times, n_i, n, table, none):  # type: ignore[no-untyped-def]
    """ω to within *near* of the maximum at fixed τ, and the derivatives there."""
    for _ in range(100):
        d = _derivatives(tau, omega, law, more, after, times, n_i, n, table, none)
        step = -d[1] / d[4] if d[4] < 0 else math.copysign(1.0, d[1])
        if abs(step) < near:
            break
        omega = min(max(omega + min(max(step, -2.0), 2.0), -700.0), 36.0)
    return omega, d


@compiled
def _slope(tau, omega, near, law, more, after, times, n_i, n, tables, none):  # type: ignore[no-untyped-def]
    """Slope and curvature of the profile at τ; ω is moved to within *near* of its maximum in every group."""
    slope = curvature = 0.0
    for g in range(n_i.size):
        if n_i[g] == 0 or n_i[g] == n[g]:
            continue  # all or nothing in this group: its likelihood is 1 whatever τ is
        omega[g], d = _profile(tau, omega[g], near, law, more[g], after[g], times[g], n_i[g], n[g], tables[g], none)
        slope += d[0] - d[3] * d[1] / d[4]
        curvature += d[2] - d[3] * d[3] / d[4]
    return slope, curvature


@compiled
def total_gain(tau, omega, law, more, after, times, n_i, n, tables):  # type: ignore[no-untyped-def]
    """Σ_g ℓ_g(τ, ω_g) − ℓ_g,binomial, each group's binomial having its own mean."""
    total = 0.0
    for g in range(n_i.size):
        if 0 < n_i[g] < n[g]:
            total += _gain(tau, omega[g], law, more[g], after[g], times[g], n_i[g], n[g], tables[g])
    return total


@compiled
def _climb(tau, omega, low, high, law, more, after, times, n_i, n, tables, none):  # type: ignore[no-untyped-def]
    """Newton's method on the profile to the maximum between *low* (rising) and *high* (falling), kept in between."""
    for _ in range(_ROUNDS):
        slope, curvature = _slope(tau, omega, 1e-4, law, more, after, times, n_i, n, tables, none)
        if slope > 0:
            low = tau
        else:
            high = tau
        step = -slope / curvature if curvature < 0 else math.copysign(2.0, slope)
        step = min(max(step, -3.0), 3.0)
        if not low < tau + step < high:
            step = (low + high) / 2 - tau
        tau += step
        if abs(step) < TOLERANCE:
            break
    _slope(tau, omega, TOLERANCE, law, more, after, times, n_i, n, tables, none)
    return tau


@compiled
def _near(tau, omega, law, more, after, times, n_i, n, tables, none):  # type: ignore[no-untyped-def]
    """The maximum uphill from τ: brackets widen until the slope turns; inf where it never does."""
    slope, _ = _slope(tau, omega, 1e-4, law, more, after, times, n_i, n, tables, none)
    side = math.copysign(1.0, slope)
    step = 0.25
    other = tau
    while True:
        other += side * step
        step *= 2
        if other > LARGEST:
            return math.inf
        if other < SMALLEST:
            return math.nan
        trial = omega.copy()
        slope, _ = _slope(other, trial, 1e-3, law, more, after, times, n_i, n, tables, none)
        if slope * side <= 0:
            break
        tau = other
        omega[:] = trial
    low, high = (tau, other) if side > 0 else (other, tau)
    return _climb((low + high) / 2, omega, low, high, law, more, after, times, n_i, n, tables, none)


@compiled
def _scan(omega, law, more, after, times, n_i, n, mixed, longest, tables, none):  # type: ignore[no-untyped-def]
    """The best τ of all maxima that a scan from large to small α_0 brackets, with its gain; inf where none gains."""
    best_tau, best_gain, rarest = math.inf, 0.0, 1.0
    trial = omega.copy()
    for g in range(n_i.size):
        if n_i[g] > 0:
            rarest = max(rarest, more[g].size * n[g] / n_i[g])
    tau, above, falling = math.log(max(float(longest), rarest)) + 2.0, LARGEST, True
    while tau > SMALLEST:
        slope, _ = _slope(tau, trial, 1e-3, law, more, after, times, n_i, n, tables, none)
        if slope > 0 and falling:
            found = trial.copy()
            at = _climb(
                tau + min(above - tau, 2.0) / 2, found, tau, above, law, more, after, times, n_i, n, tables, none
            )
            value = total_gain(at, found, law, more, after, times, n_i, n, tables)
            if value > best_gain:
                best_tau, best_gain = at, value
                omega[:] = found
        falling, above = slope <= 0, tau
        if slope > 0.5 * mixed:
            break
        tau -= SPACING
    return best_tau, best_gain


@compiled
def fit_groups(start, start_gain, omega_start, law, more, after, times, n_i, n, mixed, longest, tables, none, omega):  # type: ignore[no-untyped-def]
    """The best τ (inf for the binomial) with its gain; *omega* receives the groups' logits.

    Where the null model has an interior maximum (*start*, *omega_start*) the search goes uphill from there, so that the
    result is never below it; *start_gain* is that model's gain over the groups' own binomials. Elsewhere, where that
    search ends below, and where documents are so few that groups may disagree on their precision, the profile is
    scanned from large to small α_0, as for one group.
    """
    for g in range(n_i.size):
        share = min(max(n_i[g], 1e-300) / n[g], 1 - 1e-16)
        omega[g] = math.log(share) - math.log1p(-share)
    if mixed == 0:
        return math.inf, 0.0
    tau, value = math.inf, 0.0
    climbed = omega.copy()
    if start < LARGEST:
        climbed[:] = omega_start
        tau = _near(start, climbed, law, more, after, times, n_i, n, tables, none)
        if tau < LARGEST:
            value = total_gain(tau, climbed, law, more, after, times, n_i, n, tables)
        if not (value > 0 and value >= start_gain):
            tau, value = math.inf, 0.0
        documents = 0.0
        for g in range(n_i.size):
            documents += more[g][0] if n_i[g] > 0 else 0.0
        if documents > FEW and (tau < LARGEST or start_gain <= 0):
            if tau < LARGEST:
                omega[:] = climbed
            return tau, value
    scanned, best = _scan(omega, law, more, after, times, n_i, n, mixed, longest, tables, none)
    if value > best:
        omega[:] = climbed
        return tau, value
    return scanned, best


@compiled
def _law(kappa, n_i, n):  # type: ignore[no-untyped-def]
    """κ, and v of the share in all groups together."""
    share = min(n_i.sum() / n.sum(), 1 - 1e-16)
    return kappa, math.log(share) + math.log1p(-share)


@compiled
def fit_all(terms, groups, kappa, indptr, count, length, weight, n, longest, tables, starts, gains, omega_starts, out):  # type: ignore[no-untyped-def]
    """Fit the given terms; *out* has a row each: τ, gain, then ω of every group."""
    seen, none = np.zeros(longest), np.zeros(4)
    omega = np.empty(groups)
    for k in range(terms.size):
        i = terms[k]
        more, after, times, n_i, mixed = gather_groups(i, groups, indptr, count, length, weight, seen)
        law = _law(kappa, n_i, n)
        start = 2 * starts[i] - _bent(starts[i], omega_starts[i], law)[0]  # the τ that gives the null model its α_0
        tau, value = fit_groups(
            start, gains[i], omega_starts[i], law, more, after, times, n_i, n, mixed, longest, tables, none, omega
        )
        out[i, 0], out[i, 1] = tau, value
        out[i, 2:] = omega


@compiled
def _logit(log_share):  # type: ignore[no-untyped-def]
    """log π/(1 − π) from log π."""
    return log_share - math.log(-math.expm1(log_share))


@compiled
def _at_ratio(ratio, tau, level, cap, omega, law, own, more, after, times, n_i, n, tables, none):  # type: ignore[no-untyped-def]
    """Maximise over *tau* and log π_b = *level* at a given log π_a/π_b; returns the level.

    *tau* has an entry a group, moved in place: the same two, or two of their *own*. *omega* receives the logits.
    Newton's method with bounded steps; τ stays at *cap* where the likelihood still rises there.
    """
    highest = -1e-6 - max(ratio, 0.0)  # of the level, lest a share exceed 1
    level = min(level, highest - 0.1)  # nearer, steps would be so short that they seem to be the last
    g_t, h_tt, h_tl = np.empty(2), np.empty(2), np.empty(2)
    for _ in range(_ROUNDS):
        slope = curvature = 0.0  # in the level
        for g in range(2):
            log_share = min(level + ratio if g == 0 else level, -1e-12)
            omega[g] = max(_logit(log_share), -700.0)
            d = _derivatives(tau[g], omega[g], law, more[g], after[g], times[g], n_i[g], n[g], tables[g], none)
            p, rest = _split(omega[g])
            g_t[g], h_tt[g], h_tl[g] = d[0], d[2], d[3] / rest
            slope += d[1] / rest  # dω/d log π = 1/(1 − π)
            curvature += (d[4] + d[1] * p) / (rest * rest)
        if not own:  # one τ for both
            g_t[:], h_tt[:], h_tl[:] = g_t.sum(), h_tt.sum(), h_tl.sum()
        free_slope, free_curvature = slope, curvature  # of the profile over what τ there is to move
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
        if moved < 1e-5:  # the likelihood is stationary: what is left of it is the square of that
            break
    for g in range(2):
        omega[g] = max(_logit(min(level + ratio if g == 0 else level, -1e-12)), -700.0)
    return level


@compiled
def _fall(before, ratio, top, tau, level, cap, omega, law, own, more, after, times, n_i, n, tables, none):  # type: ignore[no-untyped-def]
    """√(2(ℓ̂ − ℓ(ratio))), next to linear in the ratio, with the level where ℓ(ratio) is attained; *tau* is moved there.

    τ and level begin from where the ratio was *before*; the share of the group with more of the term will move least.
    """
    if n_i[0] > n_i[1]:
        level += before - ratio
    level = _at_ratio(ratio, tau, level, cap, omega, law, own, more, after, times, n_i, n, tables, none)
    reached = 0.0
    for g in range(2):
        reached += _gain(tau[g], omega[g], law, more[g], after[g], times[g], n_i[g], n[g], tables[g])
    return math.sqrt(max(2 * (top - reached), 0.0)), level


@compiled
def _limit(inside, step, top, root, start, level, cap, omega, law, own, more, after, times, n_i, n, tables, none):  # type: ignore[no-untyped-def]
    """The log ratio beyond *inside*, in the direction of *step*, where √(2 × fall) is *root*; ±inf beyond ±60.

    The step doubles until the fall is enough, then the Illinois variant of regula falsi closes in.
    """
    at_inside, outside, at_outside = 0.0, inside, 0.0
    tau = start.copy()
    while True:
        outside = inside + step
        if not abs(outside) <= FARTHEST_RATIO:
            return math.copysign(math.inf, step)
        at_outside, level = _fall(
            inside, outside, top, tau, level, cap, omega, law, own, more, after, times, n_i, n, tables, none
        )
        if at_outside >= root:
            break
        inside, at_inside = outside, at_outside
        step *= 2
    low, high = at_inside - root, at_outside - root
    side, middle, at = 0, outside, outside
    for _ in range(_ROUNDS):
        middle = (inside * high - outside * low) / (high - low)
        value, level = _fall(
            at, middle, top, tau, level, cap, omega, law, own, more, after, times, n_i, n, tables, none
        )
        at = middle
        value -= root
        if abs(value) < 1e-5 * root or abs(outside - inside) < 1e-9:
            break
        if value > 0:
            outside, high = middle, value
            low = low / 2 if side == 1 else low
            side = 1
        else:
            inside, low = middle, value
            high = high / 2 if side == -1 else high
            side = -1
    return middle


@compiled
def _begin(i, n_i, n, cap, fits):  # type: ignore[no-untyped-def]
    """log π_a/π_b and log π_b at the maximum, τ and ω of both groups; of nothing or all, it begins next to that."""
    shares, tau, omega = np.empty(2), np.empty(2), fits[i, 3:5].copy()
    for g in range(2):
        shares[g] = math.log(_split(omega[g])[0]) if n_i[g] > 0 else math.log(1e-3 / n[g])
        if n_i[g] == n[g]:
            shares[g] = math.log1p(-1e-3 / n[g])
            omega[g] = _logit(shares[g])
        tau[g] = min(fits[i, g], cap)
    return shares[0] - shares[1], shares[1], tau, omega


@compiled
def ratios(terms, indptr, count, length, weight, n, longest, tables, fits, out):  # type: ignore[no-untyped-def]
    """2(ℓ̂ − ℓ) of the given terms where both groups have one mean and precisions of their own; rows of *fits* are
    τ_a, τ_b, gain, ω_a, ω_b.
    """
    seen, none = np.zeros(longest), np.zeros(4)
    cap = math.log(float(longest)) + FARTHEST
    for k in range(terms.size):
        i = terms[k]
        more, after, times, n_i, _ = gather_groups(i, 2, indptr, count, length, weight, seen)
        before, level, tau, omega = _begin(i, n_i, n, cap, fits)
        fall, _ = _fall(
            before, 0.0, fits[i, 2], tau, level, cap, omega, (0.0, 0.0), True, more, after, times, n_i, n, tables, none
        )
        out[i] = fall * fall


@compiled
def intervals(terms, kappa, own, indptr, count, length, weight, n, longest, tables, fits, critical, out):  # type: ignore[no-untyped-def]
    """Profile-likelihood limits of log π_a/π_b for the given terms of two groups; *fits* as for `ratios`."""
    seen, none = np.zeros(longest), np.zeros(4)
    cap = math.log(float(longest)) + FARTHEST
    for k in range(terms.size):
        i = terms[k]
        more, after, times, n_i, _ = gather_groups(i, 2, indptr, count, length, weight, seen)
        if n_i[0] + n_i[1] == n[0] + n[1]:
            continue
        law = _law(0.0 if own[i] else kappa, n_i, n)
        ratio, level, tau, omega = _begin(i, n_i, n, cap, fits)
        variance = 0.0
        for g in range(2):
            if n_i[g] > 0:
                d = _derivatives(tau[g], omega[g], law, more[g], after[g], times[g], n_i[g], n[g], tables[g], none)
                _, rest = _split(omega[g])
                variance += rest * rest / max(-d[4], 1e-3)
        step, root = min(max(math.sqrt(critical[i] * variance), 1e-3), 5.0), math.sqrt(critical[i])
        for side in range(2):
            if n_i[side] > 0:
                out[i, side] = _limit(
                    ratio, step if side else -step, fits[i, 2], root, tau, level, cap, omega, law, own[i], more, after,
                    times, n_i, n, tables, none,
                )  # fmt: skip
