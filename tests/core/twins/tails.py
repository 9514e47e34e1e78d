"""The computations of core/tails.c in plain Python."""

from __future__ import annotations

import math

HUGE, NEGLIGIBLE = (
    1e200,
    math.exp(-36),
)  # larger weights are scaled down; smaller ones, relative to the largest, left out


def tilted(s, slope, start, n_i, odds, lengths, weights, steps, log_gamma):
    """The null tilted by e^{s(slope·b + 2R)}, given a total of n_i: u, its log mass, and the means of b and R.

    Documents come in classes with binomial counts: *weights* documents of *lengths* m. u is chosen so that the mean
    total is n_i. A count has the weight w_0 = 1, w_1 = m odds e^u e^{s·slope}, w_c = w_{c−1} · (m − c + 1) odds e^u ·
    (c − 1)^{2s}/c. The last factor is *steps*[c]. c goes up to m, rounded up, since m may be a mean length.
    *log_gamma*[c] is log Γ(c).
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
    """log of the probability that one document alone raises Σ_j (n_ij − n_j p)² by *excess*: a sum of Poisson tails."""
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
