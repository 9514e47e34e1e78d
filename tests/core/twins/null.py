"""What core/null.c computes, in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from twins.beta_binomial import COLUMNS, GAIN, fit_gathered

# Of SplitMix64: with signed numbers they would turn to floats.
GOLDEN, MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S_11, S_27, S_30, S_31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
HUGE, NEGLIGIBLE = 1e200, math.exp(-36)  # weights beyond are scaled down; below, of the largest, left out


def _uniform(state):
    """A number in [0, 1) of 53 bits from a state that goes up by GOLDEN each time (SplitMix64; Steele et al. 2014).

    Only an addition ties one number to the next, so that a core works on several at once.
    """
    z = (state ^ (state >> S_30)) * MIX_1
    z = (z ^ (z >> S_27)) * MIX_2
    return np.int64((z ^ (z >> S_31)) >> S_11) * 2.0**-53


def _next_document(state, lengths, accept, other, count):
    """The document of the next token drawn without replacement, when *count* were drawn from each before; the state.

    Document j has probability n_j/n by Walker's aliases (`Lengths`); a position in it was used before with c_j/n_j:
    then all is drawn again. Both numbers are drawn always.
    """
    while True:
        place = _uniform(state + GOLDEN) * lengths.size
        cell = int(place)
        alias = int(other[cell])
        j = alias + (cell - alias) * int(place - cell < accept[cell])  # not a branch, which none could foresee
        state += GOLDEN + GOLDEN
        if _uniform(state) * lengths[j] >= count[j]:
            return j, state


def simulate(state: Any, first: Any, last: Any, checkpoints: Any, lengths: Any, *rest: Any) -> None:
    """Draws [first, last) of as many tokens as the last checkpoint; what is asked for is noted at every checkpoint.

    The first m tokens of a draw without replacement are themselves such a draw of m: one run of the longest serves all.
    Rows of the last three arrays are checkpoints, columns draws: b, Σ log (n_ij − 1)! and Σ (n_ij² − 2 n_ij n_j m/n).
    """
    most = int(checkpoints[-1])
    logs = np.zeros(most + 1)
    logs[2:] = np.log(np.arange(2, most + 1))
    count, held = np.zeros(lengths.size, np.int32), np.empty(most, np.int32)
    _simulate(state, first, last, checkpoints, lengths, *rest, 2.0 / int(lengths.sum()), count, held, logs)


def _simulate(
    state, first, last, checkpoints, lengths, accept, other, documents, repetition, scatter, share, count, held, logs
):
    most = held.size
    for draw in range(first, last):
        b = square = product = at = 0
        total = 0.0
        for token in range(most):
            j, state = _next_document(state, lengths, accept, other, count)
            c = count[j]
            count[j] = c + 1
            held[token] = j
            b += c == 0
            total += logs[c]
            square += 2 * int(c) + 1
            product += lengths[j]
            if token + 1 == checkpoints[at]:
                documents[at, draw], repetition[at, draw] = b, total
                scatter[at, draw] = square - share * (token + 1) * product
                at += 1
        for token in range(most):
            count[held[token]] = 0


def simulate_ratio(
    state: Any, first: Any, last: Any, size: Any, lengths: Any, accept: Any, other: Any, longest: Any, *rest: Any
) -> None:
    """The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws [first, last) of *size* tokens, to the last array."""
    count, (held, counts, of) = np.zeros(lengths.size, np.int32), np.empty((3, size), np.int32)
    seen, penalty, (result, trial) = np.zeros(longest), np.zeros(4), np.zeros((2, COLUMNS))
    _simulate_ratio(
        state, first, last, lengths, accept, other, longest, *rest, float(lengths.sum()), count, held, counts, of,
        np.ones(1), seen, np.empty(3 * size), penalty, result, trial,
    )  # fmt: skip


def _simulate_ratio(
    state, first, last, lengths, accept, other, longest, pairs, table, spacing, out, n,
    count, held, counts, of, weight, seen, parts, penalty, result, trial,
):  # fmt: skip
    size, none = held.size, first - first
    for draw in range(first, last):
        for token in range(size):
            j, state = _next_document(state, lengths, accept, other, count)
            count[j] += 1
            held[token] = j
        b = none
        for token in range(size):
            j = held[token]
            if count[j] > 0:
                counts[b], of[b] = count[j], lengths[j]
                count[j] = 0
                b += 1
        mixed = fit_gathered(
            none, b, counts, of, weight, seen, parts, n, longest, pairs, table, penalty, spacing, result, trial
        )
        best = max(result[GAIN], 0.0)
        if mixed == 0:  # every document all or nothing: α_0 → 0 may be the supremum
            best = max(best, _log_likelihood(float(b), float(lengths.size)) - _log_likelihood(float(size), n))
        out[draw] = 2 * best


def _log_likelihood(part, whole):
    """The binomial's greatest log-likelihood."""
    share = part / whole
    return part * math.log(share) + ((whole - part) * math.log1p(-share) if part < whole else 0.0)


def partition_masses(lengths, documents, choose, onward, sizes, mass):
    """The weight of every way to split s tokens among documents (a partition of s), for all s at once, in *mass*.

    *onward*[state, c] is the partition with a part c more (−1: none); *choose*[k, c] ∝ (n_k choose c) for the k-th
    distinct length, of which there are *documents*[k]. States are in order of s, so that going down uses a document
    once.
    """
    for state in range(mass.size):
        mass[state] = 0.0
    mass[0] = 1.0
    largest = choose.shape[1] - 1
    reach = 0
    for k in range(lengths.size):
        for _ in range(documents[k]):
            reach = min(reach + lengths[k], largest)
            for state in range(sizes.size - 1, -1, -1):
                here = mass[state]
                if here == 0.0:
                    continue
                for c in range(1, largest + 1 - sizes[state]):
                    if choose[k, c] == 0.0:
                        break
                    mass[onward[state, c]] += here * choose[k, c]


def tilted(s, slope, start, n_i, odds, lengths, weights, steps, log_gamma):
    """The null tilted by e^{s(slope·b + 2R)}, given that the total is n_i: u, its log mass, and the means of b and R.

    Documents come in classes of binomial counts, *weights* many of *lengths* m; u makes the mean total n_i. A count
    weighs w_0 = 1, w_1 = m odds e^u e^{s·slope}, w_c = w_{c−1} · (m − c + 1) odds e^u · (c − 1)^{2s}/c, the last factor
    being *steps*[c], up to c = m or, if that is a mean, the next whole number; *log_gamma*[c] is log Γ(c).
    """
    u, first_step = start, math.exp(s * slope)
    for _ in range(80):
        cumulant = total = square = b = r = 0.0
        growth = odds * math.exp(u)
        for k in range(lengths.size):
            left, last = lengths[k] + 1.0, min(n_i, math.ceil(lengths[k]), steps.size - 1.0)
            none = top = 1.0
            scaled = z = first = second = zr = 0.0
            weight = first_step
            for c in range(1, int(last) + 1):
                before = weight
                weight *= (left - c) * growth * steps[c]
                z += weight
                first += c * weight
                second += c * c * weight
                zr += log_gamma[c] * weight
                top = max(top, weight)
                if weight < NEGLIGIBLE * top and c > 4 and weight < before:
                    break
                if weight > HUGE:
                    scaled += math.log(HUGE)
                    none, top, weight = none / HUGE, top / HUGE, weight / HUGE
                    z, first, second, zr = z / HUGE, first / HUGE, second / HUGE, zr / HUGE
            whole = none + z
            cumulant += weights[k] * (math.log(whole) + scaled)
            mean = first / whole
            total += weights[k] * mean
            square += weights[k] * (second / whole - mean * mean)
            b += weights[k] * z / whole
            r += weights[k] * zr / whole
        step = (n_i - total) / square
        if abs(step) < 1e-6:
            break
        u += min(max(step, -1.0), 1.0)
    return u, cumulant - u * n_i, b, r


def tail_curve(tilts, start_b, v, odds, lengths, weights, grid, base, steps, log_gamma, x, log_p):
    """The points (x, log p + constant) of the tail of g(b) + 2R at each tilt; *base* is g on an even *grid* of b."""
    u, b = 0.0, start_b
    width = grid[1] - grid[0]
    for k in range(tilts.size):
        s, slope, mass, r = tilts[k], 0.0, 0.0, 0.0
        for _ in range(6):
            at = min(max(int((b - grid[0]) / width), 0), grid.size - 2)
            slope = (base[at + 1] - base[at]) / width
            u, mass, new_b, r = tilted(s, slope, u, v, odds, lengths, weights, steps[k], log_gamma)
            moved, b = abs(new_b - b), new_b
            if moved < 1e-3 * (1 + b):
                break
        at = min(max(int((b - grid[0]) / width), 0), grid.size - 2)
        x[k] = base[at] + (base[at + 1] - base[at]) * (b - grid[at]) / width + 2 * r
        log_p[k] = mass - s * (slope * b + 2 * r)


def log_one_document(excess, share, rate, weights, lengths, out):
    """log of the chance that one document alone brings Σ_j (n_ij − n_j p)² up by each *excess*: Σ P(Poisson ≥ that)."""
    for e in range(excess.size):
        top, total = -math.inf, 0.0
        for k in range(rate.size):
            middle = share * lengths[k]
            c = middle + math.sqrt(middle * middle + excess[e])
            if c > lengths[k] or c <= rate[k]:
                continue
            value = math.log(weights[k]) + c * math.log(rate[k]) - rate[k] - math.lgamma(c + 1)
            if value > top:
                top, total = value, total * math.exp(top - value) + 1
            else:
                total += math.exp(value - top)
        out[e] = top + math.log(total) if total > 0 else -math.inf
