"""The computations of core/groups.c in plain Python.

Variables are τ, shared, and ω_g = logit π_g, with log α_0g = τ − κ (v_g − v), v_g = log π_g(1 − π_g) and v the same for
all groups together. Given τ the groups are independent, so the Hessian is an arrow matrix: a Newton step costs one
evaluation per group, and the slope and curvature of the profile over τ are sums.

*kappa* and *middle* are always κ and v. *parts* has the output of `gather` for the cells of a term, group by group, and
*ends*[g] where the three parts of group g begin and end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from twins.beta_binomial import LARGEST, SMALLEST, _split, derivatives, gain, gather, room

TOLERANCE = 1e-8  # of the last Newton step in τ
SPACING = 1.5  # of the scan over τ
FEW = 30  # documents with a term, up to which the profile over τ is scanned for a second maximum
_ROUNDS = 60


def _scratch(n_i: Any, longest: Any, rows: Any) -> Any:
    """Scratch space for a term: seen, none, parts, ends, n_i and *rows* rows with one entry per group."""
    groups = n_i.shape[1]
    ends, row = np.empty((groups, 4), np.int64), np.empty((rows, groups))
    return np.zeros(longest), np.zeros(4), room(n_i.sum(axis=1)), ends, np.empty(groups), row


def gather_groups(term, indptr, count, length, weight, seen, parts, ends, n_i):
    """Fill *parts*, *ends*, *n_i* for a term with the cells [indptr[g, term]:indptr[g, term + 1]] in group g; mixed."""
    mixed, start = 0.0, term - term
    for g in range(n_i.size):
        after, times, end, n_i[g], both = gather(
            indptr[g, term], indptr[g, term + 1], count, length, weight, seen, parts, start
        )
        ends[g, 0], ends[g, 1], ends[g, 2], ends[g, 3] = start, after, times, end
        mixed += both
        start = end
    return mixed


def _copy(of, to):
    for g in range(to.size):
        to[g] = of[g]


def _bent(tau, omega, kappa, middle):
    """log α_0 of a group with logit π = ω, and its first and second derivative in ω."""
    if kappa == 0:
        return tau, 0.0, 0.0
    p, rest = _split(omega)
    bent = tau - kappa * (-abs(omega) - 2 * math.log1p(math.exp(-abs(omega))) - middle)
    if bent > LARGEST or bent < SMALLEST:
        return min(max(bent, SMALLEST), LARGEST), 0.0, 0.0
    return bent, -kappa * (rest - p), 2 * kappa * p * rest


def _derivatives(tau, omega, kappa, middle, parts, ends, g, n_i, n, tables, none):
    """(∂τ, ∂ω, ∂ττ, ∂τω, ∂ωω) of one group's log-likelihood in the shared τ and its own ω, by the chain rule."""
    own, slope, bend = _bent(tau, omega, kappa, middle)
    more, after, times = parts[ends[g, 0] : ends[g, 1]], parts[ends[g, 1] : ends[g, 2]], parts[ends[g, 2] : ends[g, 3]]
    d = derivatives(own, omega, more, after, times, n_i[g], n[g], tables[g], none)
    across = d[3] + slope * d[2]
    return d[0], d[1] + slope * d[0], d[2], across, d[4] + slope * (d[3] + across) + bend * d[0]


def _gain(tau, omega, kappa, middle, parts, ends, g, n_i, n, tables):
    more, after, times = parts[ends[g, 0] : ends[g, 1]], parts[ends[g, 1] : ends[g, 2]], parts[ends[g, 2] : ends[g, 3]]
    return gain(_bent(tau, omega, kappa, middle)[0], omega, more, after, times, n_i[g], n[g], tables[g])


def _profile(tau, omega, near, kappa, middle, parts, ends, g, n_i, n, tables, none):
    """ω to within *near* of the maximum at fixed τ, and the derivatives there."""
    for _ in range(100):
        d = _derivatives(tau, omega, kappa, middle, parts, ends, g, n_i, n, tables, none)
        step = -d[1] / d[4] if d[4] < 0 else math.copysign(1.0, d[1])
        if abs(step) < near:
            break
        omega = min(max(omega + min(max(step, -2.0), 2.0), -700.0), 36.0)
    return omega, d


def _slope(tau, omega, near, kappa, middle, parts, ends, n_i, n, tables, none):
    """Slope and curvature of the profile at τ. Moves ω to within *near* of its maximum in each group."""
    slope = curvature = 0.0
    for g in range(n_i.size):
        if n_i[g] == 0 or n_i[g] == n[g]:
            continue  # all tokens of this group are the term, or none: its likelihood is 1 for all τ
        omega[g], d = _profile(tau, omega[g], near, kappa, middle, parts, ends, g, n_i, n, tables, none)
        slope += d[0] - d[3] * d[1] / d[4]
        curvature += d[2] - d[3] * d[3] / d[4]
    return slope, curvature


def total_gain(tau, omega, kappa, middle, parts, ends, n_i, n, tables):
    """Σ_g ℓ_g(τ, ω_g) − ℓ_g,binomial, where the binomial of each group has its own mean."""
    total = 0.0
    for g in range(n_i.size):
        if 0 < n_i[g] < n[g]:
            total += _gain(tau, omega[g], kappa, middle, parts, ends, g, n_i, n, tables)
    return total


def _climb(tau, omega, low, high, kappa, middle, parts, ends, n_i, n, tables, none):
    """Newton's method on the profile for the maximum between *low* (rising) and *high* (falling)."""
    for _ in range(_ROUNDS):
        slope, curvature = _slope(tau, omega, 1e-4, kappa, middle, parts, ends, n_i, n, tables, none)
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
    _slope(tau, omega, TOLERANCE, kappa, middle, parts, ends, n_i, n, tables, none)
    return tau


def _near(tau, omega, trial, kappa, middle, parts, ends, n_i, n, tables, none):
    """The next maximum uphill from τ: the bracket widens until the slope changes sign; inf if it never does."""
    slope, _ = _slope(tau, omega, 1e-4, kappa, middle, parts, ends, n_i, n, tables, none)
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
        _copy(omega, trial)
        slope, _ = _slope(other, trial, 1e-3, kappa, middle, parts, ends, n_i, n, tables, none)
        if slope * side <= 0:
            break
        tau = other
        _copy(trial, omega)
    low, high = (tau, other) if side > 0 else (other, tau)
    return _climb((low + high) / 2, omega, low, high, kappa, middle, parts, ends, n_i, n, tables, none)


def _scan(omega, trial, found, kappa, middle, parts, ends, n_i, n, mixed, longest, tables, none):
    """The best τ of all maxima that a scan from large to small α_0 brackets, with its gain; inf if none has a gain."""
    best_tau, best_gain, rarest = math.inf, 0.0, 1.0
    _copy(omega, trial)
    for g in range(n_i.size):
        if n_i[g] > 0:
            rarest = max(rarest, (ends[g, 1] - ends[g, 0]) * n[g] / n_i[g])
    tau, above, falling = math.log(max(float(longest), rarest)) + 2.0, LARGEST, True
    while tau > SMALLEST:
        slope, _ = _slope(tau, trial, 1e-3, kappa, middle, parts, ends, n_i, n, tables, none)
        if slope > 0 and falling:
            _copy(trial, found)
            at = _climb(
                tau + min(above - tau, 2.0) / 2, found, tau, above, kappa, middle, parts, ends, n_i, n, tables, none
            )
            value = total_gain(at, found, kappa, middle, parts, ends, n_i, n, tables)
            if value > best_gain:
                best_tau, best_gain = at, value
                _copy(found, omega)
        falling, above = slope <= 0, tau
        if slope > 0.5 * mixed:
            break
        tau -= SPACING
    return best_tau, best_gain


def fit_groups(start, start_gain, omega_start, kappa, middle, parts, ends, n_i, n, mixed, longest, tables, none, rows):
    """The best τ (inf for the binomial) with its gain. The first of the *rows* receives the logits of the groups.

    If the null model has an interior maximum (*start*, *omega_start*), the search goes uphill from there, so the result
    is never worse; *start_gain* is the gain of that model over one binomial per group. The profile is scanned from
    large to small α_0, as for one group, in three cases: there is no such maximum, the search ends below it, or there
    are so few documents that groups may disagree on their precision.
    """
    omega, climbed, trial, found = rows[0], rows[1], rows[2], rows[3]
    for g in range(n_i.size):
        share = min(max(n_i[g], 1e-300) / n[g], 1 - 1e-16)
        omega[g] = math.log(share) - math.log1p(-share)
    if mixed == 0:
        return math.inf, 0.0
    tau, value = math.inf, 0.0
    if start < LARGEST:
        for g in range(n_i.size):
            climbed[g] = omega_start
        tau = _near(start, climbed, trial, kappa, middle, parts, ends, n_i, n, tables, none)
        if tau < LARGEST:
            value = total_gain(tau, climbed, kappa, middle, parts, ends, n_i, n, tables)
        if not (value > 0 and value >= start_gain):
            tau, value = math.inf, 0.0
        documents = 0.0
        for g in range(n_i.size):
            documents += parts[ends[g, 0]] if n_i[g] > 0 else 0.0
        if documents > FEW and (tau < LARGEST or start_gain <= 0):
            if tau < LARGEST:
                _copy(climbed, omega)
            return tau, value
    scanned, best = _scan(omega, trial, found, kappa, middle, parts, ends, n_i, n, mixed, longest, tables, none)
    if value > best:
        _copy(climbed, omega)
        return tau, value
    return scanned, best


def _middle(n_i, n):
    """v for the share in all groups together."""
    occurrences = tokens = 0.0
    for g in range(n_i.size):
        occurrences += n_i[g]
        tokens += n[g]
    share = min(occurrences / tokens, 1 - 1e-16)
    return math.log(share) + math.log1p(-share)


def fit_all(terms: Any, n_i: Any, longest: Any, *rest: Any) -> None:
    """Fit the given terms. The last array has one row per term: τ, gain, then ω of each group."""
    _fit_all(terms, longest, *rest, *_scratch(n_i[terms], longest, 4))


def _fit_all(
    terms, longest, kappa, indptr, count, length, weight, n, tables, starts, gains, omega_starts, out,
    seen, none, parts, ends, n_i, rows,
):  # fmt: skip
    groups = n.size
    for k in range(terms.size):
        i = terms[k]
        mixed = gather_groups(i, indptr, count, length, weight, seen, parts, ends, n_i)
        middle = _middle(n_i, n)
        # the τ that corresponds to α_0 of the null model
        start = 2 * starts[i] - _bent(starts[i], omega_starts[i], kappa, middle)[0]
        out[i, 0], out[i, 1] = fit_groups(
            start, gains[i], omega_starts[i], kappa, middle, parts, ends, n_i, n, mixed, longest, tables, none, rows
        )
        for g in range(groups):
            out[i, 2 + g] = rows[0, g]
