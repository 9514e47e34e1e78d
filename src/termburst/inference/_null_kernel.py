"""Compiled null distributions of the burstiness test: n_i tokens drawn without replacement from all positions."""

from __future__ import annotations

import math

import numpy as np

from termburst.models._beta_binomial_kernel import COLUMNS, GAIN, _gather, fit_term
from termburst.models._compiled import compiled


@compiled
def _next_document(n, lengths, ends, guide, scale, count):  # type: ignore[no-untyped-def]
    """The document of the next token drawn without replacement, when *count* were drawn from each before.

    A position among all n is in document j with probability n_j/n, and one of the positions used with c_j/n_j: then it
    is drawn again. *guide* holds, for even steps of the position, the first document to look at.
    """
    while True:
        position = np.random.random() * n  # noqa: NPY002  Numba's own state, one a thread
        j = guide[int(position * scale)]
        while ends[j] <= position:
            j += 1
        if count[j] == 0 or np.random.random() * lengths[j] >= count[j]:  # noqa: NPY002
            return j


@compiled
def simulate(seed, first, last, checkpoints, lengths, ends, guide, scale, documents, repetition, squares, products):  # type: ignore[no-untyped-def]
    """Draws [first, last) of as many tokens as the last checkpoint; what is asked for is noted at every checkpoint.

    The first m tokens of a draw without replacement are themselves such a draw of m: one run of the longest serves all.
    Rows are checkpoints, columns draws: b, Σ log (n_ij − 1)!, Σ n_ij² and Σ n_ij n_j.
    """
    np.random.seed(seed)  # noqa: NPY002
    n, most = float(ends[-1]), checkpoints[-1]
    count, held = np.zeros(lengths.size, dtype=np.int32), np.empty(most, dtype=np.int32)
    logs = np.log(np.maximum(np.arange(most + 1), 1))
    for draw in range(first, last):
        b = square = product = at = 0
        total = 0.0
        for token in range(most):
            j = _next_document(n, lengths, ends, guide, scale, count)
            c = count[j]
            count[j] = c + 1
            held[token] = j
            b += c == 0
            total += logs[c]
            square += 2 * int(c) + 1
            product += lengths[j]
            if token + 1 == checkpoints[at]:
                documents[at, draw], repetition[at, draw] = b, total
                squares[at, draw], products[at, draw] = square, product
                at += 1
        for token in range(most):
            count[held[token]] = 0


@compiled
def simulate_ratio(seed, first, last, size, lengths, ends, guide, scale, longest, pairs, table, spacing, out):  # type: ignore[no-untyped-def]
    """The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws [first, last) of *size* tokens."""
    np.random.seed(seed)  # noqa: NPY002
    n = float(ends[-1])
    count, held = np.zeros(lengths.size, dtype=np.int32), np.empty(size, dtype=np.int32)
    counts, of = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    seen, penalty, result, weight = np.zeros(longest), np.zeros(4), np.zeros(COLUMNS), np.ones(1)
    for draw in range(first, last):
        for token in range(size):
            j = _next_document(n, lengths, ends, guide, scale, count)
            count[j] += 1
            held[token] = j
        b = 0
        for token in range(size):
            j = held[token]
            if count[j] > 0:
                counts[b], of[b] = count[j], lengths[j]
                count[j] = 0
                b += 1
        more, after, times, mixed = _gather(0, b, counts, of, weight, seen)
        fit_term(more, after, times, mixed, float(size), n, longest, pairs, table, penalty, spacing, result)
        best = max(result[GAIN], 0.0)
        if mixed == 0:  # every document all or nothing: α_0 → 0 may be the supremum
            best = max(best, _log_likelihood(b, lengths.size) - _log_likelihood(size, n))
        out[draw] = 2 * best


@compiled
def _log_likelihood(part, whole):  # type: ignore[no-untyped-def]
    """The binomial's greatest log-likelihood."""
    share = part / whole
    return part * math.log(share) + ((whole - part) * math.log1p(-share) if part < whole else 0.0)


@compiled
def partition_masses(lengths, documents, choose, onward, sizes, mass):  # type: ignore[no-untyped-def]
    """The weight of every way to split s tokens among documents (a partition of s), for all s at once, in *mass*.

    *onward*[state, c] is the partition with a part c more (−1: none); *choose*[k, c] ∝ (n_k choose c) for the k-th
    distinct length, of which there are *documents*[k]. States are in order of s, so that going down uses a document
    once.
    """
    mass[:] = 0.0
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


@compiled
def tilted(s, slope, start, n_i, rate, weights, log_gamma, scratch):  # type: ignore[no-untyped-def]
    """The null tilted by e^{s(slope·b + 2R)}, given that the total is n_i: u, its log mass, and the means of b and R.

    Documents come in classes of Poisson counts with mean *rate*, *weights* many; u makes the mean total n_i.
    *log_gamma*[c] is log Γ(c).
    """
    u = start
    for _ in range(80):
        cumulant = total = square = b = r = 0.0
        for k in range(rate.size):
            log_rate = math.log(rate[k]) + u
            top, last = 0.0, 0
            scratch[0] = 0.0
            for c in range(1, scratch.size):
                value = c * log_rate - log_gamma[c] - math.log(c) + s * (slope + 2 * log_gamma[c])
                scratch[c] = value
                last = c
                top = max(top, value)
                if value < top - 36 and c > 4 and value < scratch[c - 1]:
                    break
            z = first = second = zb = zr = 0.0
            for c in range(last + 1):
                weight = math.exp(scratch[c] - top)
                z += weight
                first += c * weight
                second += c * c * weight
                if c > 0:
                    zb += weight
                    zr += log_gamma[c] * weight
            cumulant += weights[k] * (math.log(z) + top)
            mean = first / z
            total += weights[k] * mean
            square += weights[k] * (second / z - mean * mean)
            b += weights[k] * zb / z
            r += weights[k] * zr / z
        step = (n_i - total) / square
        if abs(step) < 1e-6:
            break
        u += min(max(step, -1.0), 1.0)
    return u, cumulant - u * n_i, b, r


@compiled
def tail_curve(tilts, start_b, v, rate, weights, grid, base, log_gamma, scratch, x, log_p):  # type: ignore[no-untyped-def]
    """The points (x, log p + constant) of the tail of g(b) + 2R at each tilt; *base* is g on an even *grid* of b."""
    u, b = 0.0, start_b
    width = grid[1] - grid[0]
    for k in range(tilts.size):
        s, slope, mass, r = tilts[k], 0.0, 0.0, 0.0
        for _ in range(6):
            at = min(max(int((b - grid[0]) / width), 0), grid.size - 2)
            slope = (base[at + 1] - base[at]) / width
            u, mass, new_b, r = tilted(s, slope, u, v, rate, weights, log_gamma, scratch)
            moved, b = abs(new_b - b), new_b
            if moved < 1e-3 * (1 + b):
                break
        at = min(max(int((b - grid[0]) / width), 0), grid.size - 2)
        x[k] = base[at] + (base[at + 1] - base[at]) * (b - grid[at]) / width + 2 * r
        log_p[k] = mass - s * (slope * b + 2 * r)


@compiled
def log_one_document(excess, share, rate, weights, lengths):  # type: ignore[no-untyped-def]
    """log of the chance that one document alone brings Σ_j (n_ij − n_j p)² up by *excess*: Σ P(Poisson ≥ that)."""
    top = -math.inf
    for pass_ in range(2):
        total = 0.0
        for k in range(rate.size):
            middle = share * lengths[k]
            c = middle + math.sqrt(middle * middle + excess)
            if c > lengths[k] or c <= rate[k]:
                continue
            value = math.log(weights[k]) + c * math.log(rate[k]) - rate[k] - math.lgamma(c + 1)
            if pass_ == 0:
                top = max(top, value)
            else:
                total += math.exp(value - top)
    return top + math.log(total) if total > 0 else -math.inf
