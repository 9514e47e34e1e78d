"""The computations of core/beta_binomial.c in plain Python.

Variables are τ = log α_0 and ω = logit p with p = α_i/α_0, so that α_i = e^τ p and α_¬i = e^τ (1 − p). With T_q the
number of documents that contain the term more than q times, and K the function of the length table,

    ∂ℓ/∂τ = Σ_r r/(α_¬ + r) − Σ_q T_q q/(α + q) − [K(α_¬) − K(α_0)]
    ∂ℓ/∂ω = (1 − p) A + p B − p (n − K(α_¬)),  A = n_i − Σ_q T_q q/(α + q),  B = n_i − Σ_r r/(α_¬ + r)

where r runs over n_j − 1, …, n_j − n_ij for each document that contains the term: one number per occurrence. Equal
values of r are stored once, with a multiplicity.

Each summand of ∂ℓ/∂τ falls like 1/α_0, so its root has full precision however large α_0 is. At fixed τ the
likelihood is concave in p. A penalty on α_0 adds a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ to ∂ℓ/∂τ.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from twins.length_table import look_up

BOUNDARY, CONVERGED, DEGENERATE, FAILED = 0, 1, 2, 3
COLUMNS = 11
TAU, OMEGA, GAIN, OBJECTIVE, SCORE, STEP, EVALUATIONS, STATUS, H_TT, H_TO, H_OO = range(COLUMNS)  # columns of a result
SMALLEST, LARGEST = -27.0, 36.0  # range of τ: α_0 from 2e-12 to 4e15
TOLERANCE = 1e-9  # of the last Newton step in τ and ω
ROUNDING = 5e-13  # largest relative error of the sums in a slope
_GAUSS_2 = 0.5773502691896258
_GAUSS_4 = (0.3399810435848563, 0.8611363115940526)
_WEIGHT_4 = (0.6521451548625461, 0.34785484513745385)


def _split(omega):
    """p and 1 − p, both without subtraction."""
    if omega > 0:
        e = math.exp(-omega)
        return 1 / (1 + e), e / (1 + e)
    e = math.exp(omega)
    return e / (1 + e), 1 / (1 + e)


def _lengths_part(table, tau, delta):
    """K(α_¬), its slope at α_¬ and at α_0, and K(α_¬) − K(α_0), integrated from the slope if it would cancel."""
    half = delta / 2
    middle = tau - half
    if delta < 1e-4:  # so close that the slope is linear to rounding
        shift = half * _GAUSS_2
        k_1, slope_1 = look_up(table, middle - shift)
        _, slope_2 = look_up(table, middle + shift)
        bend = (slope_2 - slope_1) / (2 * shift)
        edge = half - shift
        k_not = k_1 + edge * (slope_1 - bend * edge / 2)
        return k_not, slope_1 - bend * edge, slope_2 + bend * edge, half * (slope_1 + slope_2)
    k_not, slope_not = look_up(table, tau - delta)
    k_0, slope_0 = look_up(table, tau)
    if delta > 0.1:
        return k_not, slope_not, slope_0, k_not - k_0
    drop = 0.0
    for g in range(2):
        shift = half * _GAUSS_4[g]
        drop += _WEIGHT_4[g] * (look_up(table, middle - shift)[1] + look_up(table, middle + shift)[1])
    return k_not, slope_not, slope_0, half * drop


def derivatives(tau, omega, more, after, times, n_i, n, table, penalty):
    """(∂τ, ∂ω, ∂ττ, ∂τω, ∂ωω) of the penalised log-likelihood, and the size of the sums that cancel in ∂τ.

    `more`[q] is T_q; `after` are the distinct r, with the multiplicities `times`.
    """
    p, rest = _split(omega)
    alpha_0 = math.exp(tau)
    alpha, alpha_not = alpha_0 * p, alpha_0 * rest
    own = own_slope = 0.0
    for q in range(1, more.size):
        share = q / (alpha + q)
        own += more[q] * share
        own_slope += more[q] * share * (1 - share)
    other = other_slope = 0.0
    for j in range(after.size):
        share = after[j] / (alpha_not + after[j])
        other += times[j] * share
        other_slope += times[j] * share * (1 - share)
    k_not, slope_not, slope_0, drop = _lengths_part(table, tau, math.log1p(alpha / alpha_not))
    g_tau = other - own - drop
    g_omega = rest * (n_i - own) + p * (n_i - other) - p * (n - k_not)
    h_tt = own_slope - other_slope + (slope_not - slope_0)
    h_to = rest * own_slope + p * other_slope - p * slope_not
    h_oo = p * rest * (own - other - (n - k_not)) + rest * rest * own_slope - p * p * (other_slope - slope_not)
    g_tau += penalty[0] + penalty[1] * tau + penalty[2] * alpha_0 + penalty[3] / alpha_0
    h_tt += penalty[1] + penalty[2] * alpha_0 - penalty[3] / alpha_0
    return g_tau, g_omega, h_tt, h_to, h_oo, own + other + abs(drop)


def _log_ratio(new, old, change):
    """log(new/old) with *change* = new − old: by log1p if they are close, but not if one is almost 0."""
    return math.log1p(change / old) if abs(change) < 0.5 * old else math.log(new / old)


def gain(tau, omega, more, after, times, n_i, n, table):
    """ℓ(τ, ω) − ℓ_binomial, as a sum of log1p: Σ T_q log(1 + q/α) − Σ_r log(1 + r/α_¬) + ∫ K d log z + …"""
    p, rest = _split(omega)
    alpha_0 = math.exp(tau)
    alpha, alpha_not = alpha_0 * p, alpha_0 * rest
    total = 0.0
    for q in range(1, more.size):
        total += more[q] * math.log1p(q / alpha)
    for j in range(after.size):
        total -= times[j] * math.log1p(after[j] / alpha_not)
    delta = math.log1p(alpha / alpha_not)
    panels = int(delta / 0.2) + 1
    half = delta / (2 * panels)
    for k in range(panels):
        middle = tau - delta + half * (2 * k + 1)
        for g in range(2):
            shift = half * _GAUSS_4[g]
            pair = look_up(table, middle - shift)[0] + look_up(table, middle + shift)[0]
            total += half * _WEIGHT_4[g] * pair
    if n_i == 0:
        return total + n * math.log(rest)
    if n_i == n:
        return total + n * math.log(p)
    p_0, rest_0 = n_i / n, (n - n_i) / n
    change = p - p_0 if p < 0.5 else rest_0 - rest
    return total + n_i * _log_ratio(p, p_0, change) + (n - n_i) * _log_ratio(rest, rest_0, -change)


def _profile(tau, omega, near, more, after, times, n_i, n, table, penalty):
    """ω to within *near* of the maximum at fixed τ, the derivatives there, and the number of evaluations.

    The function is concave, so Newton's method with bounded steps converges.
    """
    evaluations = 0
    for _ in range(100):
        evaluations += 1
        d = derivatives(tau, omega, more, after, times, n_i, n, table, penalty)
        step = -d[1] / d[4] if d[4] < 0 else math.copysign(1.0, d[1])
        if abs(step) < near:
            break
        omega = min(max(omega + min(max(step, -2.0), 2.0), -700.0), 36.0)
    return omega, d, evaluations


def _doubt(g_omega, h_oo):
    """Error bound of the slope of the profile, linearised from a nearby point: of the order of ∂ω²/∂ωω."""
    return 10 * g_omega * g_omega / -h_oo


def _climb(tau, omega, low, high, more, after, times, n_i, n, table, penalty, result):
    """Newton's method in (τ, ω) for a maximum between *low* (where ∂τ > 0) and *high* (where ∂τ < 0).

    Returns 1 if found, 2 if only rounding decides the sign of the slope between two neighbouring numbers, otherwise 0.

    The bracket shrinks with each slope of the profile. A step out of the bracket is replaced by bisection, so the
    method cannot leave the bracket, cycle, or stop at a saddle.
    """
    evaluations = quiet = found = 0
    for iteration in range(300):
        d = derivatives(tau, omega, more, after, times, n_i, n, table, penalty)
        evaluations += 1
        g_tau, g_omega, h_tt, h_to, h_oo, size = d
        if not h_oo < 0 or g_omega * g_omega > -0.01 * h_oo:  # too far from the profile to know its slope
            omega, d, more_evaluations = _profile(tau, omega, 0.01, more, after, times, n_i, n, table, penalty)
            evaluations += more_evaluations - 1  # the first one is the same
            g_tau, g_omega, h_tt, h_to, h_oo, size = d
        slope = g_tau - h_to * g_omega / h_oo
        curvature = h_tt - h_to * h_to / h_oo
        if slope > _doubt(g_omega, h_oo):
            low = max(low, tau)
        elif slope < -_doubt(g_omega, h_oo):
            high = min(high, tau)
        step = -slope / curvature if curvature < 0 else math.copysign(2.0, slope)
        noise = ROUNDING * size / abs(curvature)  # the part of a step that may be rounding error
        moved = max(abs(step), abs((g_omega + h_to * step) / h_oo))
        quiet = quiet + 1 if moved < noise else 0  # a few more steps: the bound on rounding is pessimistic
        if curvature < 0 and (moved < TOLERANCE or quiet > 3 or (iteration > 50 and moved < 100 * TOLERANCE)):
            found = 1
            step = math.copysign(max(abs(step), noise), step)
            break
        if max(abs(step), high - low) < max(TOLERANCE, noise):  # τ has converged: the rest is noise
            step = 0.0
        step = min(max(step, -3.0), 3.0)
        if not low <= tau + step <= high and step != 0:
            step = (low + high) / 2 - tau
        omega_step = -(g_omega + h_to * step) / h_oo
        collapsed = step != 0 and high - low < 1e-14 * max(1.0, abs(low))
        if collapsed and curvature < 0:
            found, step = 2, ROUNDING * n / abs(curvature)
            break
        if collapsed or tau + step < SMALLEST or tau + step > LARGEST:
            break
        tau += step
        omega += min(max(omega_step, -3.0), 3.0)
    p, rest = _split(omega)
    result[TAU], result[OMEGA], result[STEP] = tau, omega, step
    on_alpha, on_alpha_not = p * g_tau + g_omega, rest * g_tau - g_omega
    result[SCORE] = math.sqrt(on_alpha * on_alpha + on_alpha_not * on_alpha_not) / n_i
    result[EVALUATIONS] += evaluations
    result[H_TT], result[H_TO], result[H_OO] = h_tt, h_to, h_oo
    return found


def excess_pairs(more, after, times, n_i, n, pairs):
    """lim −α_0 ∂ℓ/∂τ as α_0 → ∞, at p = n_i/n: above 0 if the likelihood rises as α_0 decreases from infinity.

    It has the sign of Tarone's score.
    """
    rest = (n - n_i) / n
    rise, fall = pairs * (n_i / n) / rest, 0.0
    for q in range(1, more.size):
        rise += more[q] * q / (n_i / n)
    for j in range(after.size):
        fall += times[j] * after[j] / rest
    return rise - fall if abs(rise - fall) > 1e-13 * (rise + fall) else 0.0  # rounding must not break a tie


def fit_term(more, after, times, mixed, n_i, n, longest, pairs, table, penalty, spacing, best, trial):  # noqa: PLR0912
    """Fit one term; the result goes to the row *best*. *trial* is scratch space.

    A scan of the slope of the profile over τ, in steps of *spacing* from large to small α_0, brackets every maximum.
    Newton's method finds each, and the best one above the binomial is kept. (One Newton run from one start is not
    enough: a term may have two interior maxima, or one interior maximum and one at infinity.) The scan begins where the
    limit of large α_0 holds, and ends where the limit of small α_0 holds: there ∂τ is *mixed*, the number of documents
    with the term and other terms.
    """
    penalised = False
    for k in range(4):
        penalised = penalised or penalty[k] != 0
    for k in range(COLUMNS):
        best[k] = 0.0
    omega = math.log(n_i / (n - n_i))
    best[OMEGA] = omega
    if mixed == 0 and not penalised:  # (α_0 p + q)/(α_0 + q) decreases in α_0, so the supremum is at α_0 → 0
        best[STATUS] = DEGENERATE
        return
    tau, above = math.log(max(float(longest), more.size * n / n_i)) + 2.0, LARGEST
    falling, slope_above = penalised or excess_pairs(more, after, times, n_i, n, pairs) > 0, 0.0
    while tau > SMALLEST:
        omega, d, evaluations = _profile(tau, omega, 0.05, more, after, times, n_i, n, table, penalty)
        best[EVALUATIONS] += evaluations
        slope = d[0] - d[3] * d[1] / d[4]
        if abs(slope) <= _doubt(d[1], d[4]):
            omega, d, evaluations = _profile(tau, omega, 1e-8, more, after, times, n_i, n, table, penalty)
            best[EVALUATIONS] += evaluations - 1  # the first one is the same
            slope = d[0]
        rising = slope > 0
        if rising and falling:
            for k in range(COLUMNS):
                trial[k] = 0.0
            # start where the line through the two slopes crosses zero
            start = tau + min(spacing, above - tau) * (slope / (slope - slope_above) if slope_above < 0 else 0.5)
            omega_there = omega - d[3] / d[4] * (start - tau)
            found = _climb(start, omega_there, tau, above, more, after, times, n_i, n, table, penalty, trial)
            best[EVALUATIONS] += trial[EVALUATIONS]
            if found == 1 or (found == 2 and best[STATUS] != CONVERGED and above < LARGEST):
                trial[GAIN] = gain(trial[TAU], trial[OMEGA], more, after, times, n_i, n, table)
                trial[OBJECTIVE] = trial[GAIN] + _log_penalty(trial[TAU], penalty)
                if trial[OBJECTIVE] > best[OBJECTIVE] or (penalised and best[STATUS] != CONVERGED):
                    trial[EVALUATIONS] = best[EVALUATIONS]
                    for k in range(COLUMNS):
                        best[k] = trial[k]
                    best[STATUS] = CONVERGED
            elif best[STATUS] != CONVERGED and above < LARGEST:  # in the uppermost interval a gain is only rounding
                best[STATUS] = FAILED
        falling, above, slope_above = not rising, tau, slope
        if rising and not penalised and slope > 0.5 * mixed:
            break
        omega += min(max(d[3] / d[4] * spacing, -1.0), 1.0)  # along the profile to the next τ
        tau -= spacing
    if falling and best[STATUS] == BOUNDARY:  # a penalty pulls the fit to α_0 = 0
        best[STATUS] = FAILED


def _log_penalty(tau, penalty):
    """The log-penalty up to a constant: the integral of a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ."""
    return (penalty[0] + penalty[1] * tau / 2) * tau + penalty[2] * math.exp(tau) - penalty[3] * math.exp(-tau)


def gather(first, last, count, length, weight, seen, parts, start):
    """T_q, the r and their multiplicities of the cells [first, last), written to *parts* from *start* on.

    Returns where each of the three ends, n_i, and the number of mixed documents. `seen` is scratch space with one
    number per possible r; it is zero before and after.
    """
    largest = 0
    mixed = n_i = 0.0
    step = 1 if weight.size > 1 else 0  # one weight for all cells
    for j in range(first, last):
        largest = max(largest, int(count[j]))
        mixed += weight[j * step] if count[j] < length[j] else 0.0
    after = start + largest
    for q in range(start, after):
        parts[q] = 0.0
    distinct = 0
    for j in range(first, last):
        times = weight[j * step]
        parts[start + count[j] - 1] += times
        n_i += times * count[j]
        for r in range(length[j] - count[j], length[j]):
            if seen[r] == 0:
                parts[after + distinct] = r
                distinct += 1
            seen[r] += times
    for k in range(after, after + distinct):
        r = int(parts[k])
        parts[k + distinct] = seen[r]
        seen[r] = 0.0
    for q in range(after - 2, start - 1, -1):
        parts[q] += parts[q + 1]
    return after, after + distinct, after + 2 * distinct, n_i, mixed


def _gather(first, last, count, length, weight, seen):
    """The three of `gather` as arrays, and the number of mixed documents."""
    occurrences = 0
    for j in range(first, last):
        occurrences += count[j]
    parts = np.empty(3 * occurrences)
    a, b, c, _, mixed = gather(first, last, count, length, weight, seen, parts, first * 0)
    return parts[:a], parts[a:b], parts[b:c], mixed


def fit_gathered(
    first, last, count, length, weight, seen, parts, n, longest, pairs, table, penalty, spacing, best, trial
):
    """Gather the cells [first, last) and fit them by `fit_term`. Returns the number of mixed documents."""
    a, b, c, n_i, mixed = gather(first, last, count, length, weight, seen, parts, first - first)
    fit_term(parts[:a], parts[a:b], parts[b:c], mixed, n_i, n, longest, pairs, table, penalty, spacing, best, trial)
    return mixed


def room(n_i: Any) -> Any:
    """Scratch space for `gather`, for any term of these n_i: three numbers per occurrence."""
    return np.empty(3 * int(n_i.max(initial=0)))


def fit_terms(
    terms: Any, n_i: Any, indptr: Any, count: Any, length: Any, weight: Any, n: Any, longest: Any, *rest: Any
) -> None:
    """Fit the given terms, whose cells (or patterns) are [indptr[i]:indptr[i + 1]], to the rows of the last array."""
    seen, trial = np.zeros(longest), np.empty(COLUMNS)
    _fit_terms(terms, indptr, count, length, weight, float(n), longest, *rest, seen, room(n_i[terms]), trial)


def _fit_terms(
    terms, indptr, count, length, weight, n, longest, pairs, table, penalty, spacing, results, seen, parts, trial
):
    for k in range(terms.size):
        i = terms[k]
        fit_gathered(indptr[i], indptr[i + 1], count, length, weight, seen, parts, n, longest, pairs, table, penalty,
                     spacing, results[i], trial)  # fmt: skip


def gains(
    terms: Any, n_i: Any, indptr: Any, count: Any, length: Any, weight: Any, n: Any, longest: Any, *rest: Any
) -> None:
    """ℓ(τ_i, ω_i) − ℓ_binomial of the given terms, to the last array."""
    _gains(terms, indptr, count, length, weight, float(n), *rest, np.zeros(longest), room(n_i[terms]))


def _gains(terms, indptr, count, length, weight, n, table, tau, omega, out, seen, parts):
    for k in range(terms.size):
        i = terms[k]
        a, b, c, n_i, _ = gather(indptr[i], indptr[i + 1], count, length, weight, seen, parts, i - i)
        out[i] = gain(tau[i], omega[i], parts[:a], parts[a:b], parts[b:c], n_i, n, table)
