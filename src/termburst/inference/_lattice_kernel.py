"""The permutation test's small tails: by every way in which a term's documents can fall, or on a lattice.

*points*, *spare* and *by* are those of `_points_kernel`; *w* is room for `SPACE` numbers.
"""

from __future__ import annotations

import math

from termburst._compiled import inner
from termburst.inference._points_kernel import (
    DEPTH,
    DOCUMENTS,
    FALLS,
    LEAST,
    MEAN,
    MOST,
    OTHERS,
    RISES,
    SAME,
    SIDE,
    SIGN,
    SQUARES,
    TAKEN,
    H,
    M,
    P,
    X,
    log_choose,
)

OUTCOMES = 2048  # how many ways of dealing out are enumerated: those of 11 different documents
CELL, MARGIN = 0.004, 8  # of the lattice: the least width in sd T, how many are kept free for rounding
WORK = 2**21  # cells that may be filled for a term
DEEPEST = 64  # documents of a stratum that are followed on a lattice
# A lattice has up to WORK/work + 12 + MARGIN cells in up to min(work, DEEPEST) + 1 rows.
SPACE = 2 * WORK + (DEEPEST + 1) * (16 + MARGIN)


@inner
def _below(value, t):  # type: ignore[no-untyped-def]
    return 1.0 if value < t - SAME else 0.5 if value <= t + SAME else 0.0


@inner
def _log_choose_rest(by, most, w):  # type: ignore[no-untyped-def]
    """log C(others, taken − k) by stratum and k < *most*, apart from a constant a stratum; −inf where impossible."""
    for s in range(by.shape[1]):
        taken, others, value = by[TAKEN, s], by[OTHERS, s], 0.0
        for k in range(most):
            w[s * most + k] = -math.inf
        for k in range(max(int(taken - others), 0), min(int(taken), most - 1) + 1):
            w[s * most + k] = value
            if k < taken:
                value += math.log(taken - k) - math.log(others - taken + k + 1)


@inner
def enumerated(t, points, spare, own, size, by, w):  # type: ignore[no-untyped-def]
    """The smaller mid-p tail by every way in which the first *own* points fall; all others of a stratum are alike.

    With k_g of the m_g documents of point g in the first corpus, k of them in a stratum, the weight is
    Π_g C(m_g, k_g) Π_strata C(others, taken − k). In a reflected Gray code one k_g changes by one at a time; k_g is
    in *spare* and so is its way, up or down; k in SIDE, and the logarithms of the last factors in *w*.
    """
    strata = by.shape[1]
    most = 1
    for k in range(own):
        most += int(points[M, k])
        spare[X, k], spare[M, k] = 0.0, 1.0
    for s in range(strata):
        by[OTHERS, s] = by[MEAN, s] = by[SIDE, s] = 0.0
    for k in range(own, size):
        s = int(points[H, k])
        by[OTHERS, s], by[MEAN, s] = points[M, k], points[X, k]
    _log_choose_rest(by, most, w)
    log_ways = total = below = above = own_sum = 0.0
    top = -math.inf  # the largest log-weight so far, which the sums are relative to
    while True:
        log_weight, here = log_ways, own_sum
        for s in range(strata):
            log_weight += w[s * most + int(by[SIDE, s])]
            here += (by[TAKEN, s] - by[SIDE, s]) * by[MEAN, s]
        if log_weight > -math.inf:
            if log_weight > top:
                shrink = math.exp(top - log_weight)
                total, below, above, top = total * shrink, below * shrink, above * shrink, log_weight
            weight = math.exp(log_weight - top)
            total += weight
            below += weight * _below(here, t)
            above += weight * _below(-here, -t)
        g = 0
        while g < own and not 0 <= spare[X, g] + spare[M, g] <= points[M, g]:
            spare[M, g] = -spare[M, g]
            g += 1
        if g == own:
            return min(below, above) / total
        fallen, way = spare[X, g], spare[M, g]
        if way > 0:
            log_ways += math.log((points[M, g] - fallen) / (fallen + 1))
        else:
            log_ways += math.log(fallen / (points[M, g] - fallen + 1))
        spare[X, g] = fallen + way
        by[SIDE, int(points[H, g])] += way
        own_sum += way * points[X, g]


@inner
def _sides(t, points, own, size, by):  # type: ignore[no-untyped-def]
    """Fill *by* for a lattice; the variance of the others' scores, or −1 where T is in the middle of a symmetric law.

    DOCUMENTS are all, OTHERS those from point *own* on, whose scores have MEAN and SQUARES. Counted are the documents
    on one SIDE, whose scores have a SIGN: the other than the first where it is the smaller, unless that makes no odds
    and T would need more cells. With t < 0 it is exchanged for the other corpus's −T: that must not matter.
    """
    strata = by.shape[1]
    for s in range(strata):
        by[DOCUMENTS, s] = by[OTHERS, s] = by[MEAN, s] = by[SQUARES, s] = 0.0
        by[LEAST, s] = math.inf
    for k in range(size):
        s = int(points[H, k])
        by[DOCUMENTS, s] += points[M, k]
        if k >= own:
            by[OTHERS, s] += points[M, k]
            by[MEAN, s] += points[M, k] * points[X, k]
    for s in range(strata):
        by[MEAN, s] /= max(by[OTHERS, s], 1.0)
    for k in range(own, size):
        s = int(points[H, k])
        by[SQUARES, s] += points[M, k] * (points[X, k] - by[MEAN, s]) ** 2
    variance, middle = 0.0, abs(t) <= SAME
    for s in range(strata):
        documents, others, held = by[DOCUMENTS, s], by[OTHERS, s], by[DOCUMENTS, s] - by[OTHERS, s]
        side, sign = documents - by[TAKEN, s] if t < 0 else by[TAKEN, s], 1.0
        middle = middle and 2 * side == documents
        if 4 * side > 3 * documents or (2 * side > documents and held > min(documents - side, DEEPEST)):
            side, sign = documents - side, -1.0
        p = side / documents
        by[SIDE, s], by[SIGN, s], by[P, s], by[DEPTH, s] = side, sign, p, min(side, held, DEEPEST)
        variance += by[SQUARES, s] * others / max(others - 1, 1.0) * p * (1 - p)
    return -1.0 if middle else variance


@inner
def _increments(points, own, by, spare):  # type: ignore[no-untyped-def]
    """What each own document adds to T, to *spare*; by how much all may lower and raise T; T without any."""
    strata = by.shape[1]
    for k in range(own):
        s = int(points[H, k])
        by[LEAST, s] = min(by[LEAST, s], by[SIGN, s] * points[X, k])
    for s in range(strata):
        if by[OTHERS, s] == 0:  # then k is fixed, and any score may serve for the others': sums only rise
            by[MEAN, s] = by[SIGN, s] * by[LEAST, s]
        by[LEAST, s] = by[MOST, s] = by[FALLS, s] = by[RISES, s] = 0.0
    for k in range(own):
        s = int(points[H, k])
        y = by[SIGN, s] * (points[X, k] - by[MEAN, s])
        spare[X, k] = y
        by[LEAST, s], by[MOST, s] = min(by[LEAST, s], y), max(by[MOST, s], y)
        by[FALLS, s] -= points[M, k] * min(y, 0.0)
        by[RISES, s] += points[M, k] * max(y, 0.0)
    fall = rise = none = 0.0
    for s in range(strata):
        fall += min(by[FALLS, s], -by[LEAST, s] * by[SIDE, s])
        rise += min(by[RISES, s], by[MOST, s] * by[SIDE, s])
        none += by[SIGN, s] * by[SIDE, s] * by[MEAN, s]
    return fall, rise, none


@inner
def _step(w, to, of, last, low, high, jump, stay, near, far):  # type: ignore[no-untyped-def]
    """The row at *to* ← stay × itself + near × the row at *of* shifted by *jump* + far × the same shifted by one more.

    The end cells, of which *last* is one, keep what leaves.
    """
    for c in range(low, high):
        w[to + c] *= stay
    first, end = min(max(low, -jump), high), max(min(high, last - jump), low)
    for c in range(first, end):
        w[to + jump + c] += near * w[of + c]
    for c in range(first, end):
        w[to + jump + 1 + c] += far * w[of + c]
    for c in range(low, first):
        w[to] += (near + far) * w[of + c]
    for c in range(max(first, end), high):
        w[to + last] += (near + far) * w[of + c]


@inner
def _convolved(w, cells, points, own, by, spare, cell, zero):  # type: ignore[no-untyped-def]
    """The probabilities of the sums of y, to the first row of *cells*; the first and last that are filled."""
    w[zero] = 1.0
    first, low, high = 0, zero, zero + 1  # only cells from low to high are filled as yet
    for s in range(by.shape[1]):
        depth, inside, p = int(by[DEPTH, s]), 0, by[P, s]
        while first < own and points[H, first] == s:
            y = spare[X, first] / cell
            jump = math.floor(y)
            far = p * (y - jump)
            for _ in range(int(points[M, first])):
                inside = min(inside + 1, depth)
                to_low, to_high = max(min(low, low + jump), 0), min(max(high, high + jump + 1), cells)
                for k in range(inside, 0, -1):
                    _step(w, k * cells, (k - 1) * cells, cells - 1, low, high, jump, 1 - p, p - far, far)
                for c in range(low, high):
                    w[c] *= 1 - p
                low, high = to_low, to_high
            first += 1
        documents, others, side = by[DOCUMENTS, s], by[OTHERS, s], by[SIDE, s]
        for k in range(depth + 1):
            ratio = 0.0
            if 0 <= side - k <= others:
                log_ratio = log_choose(others, side - k) - log_choose(documents, side)
                ratio = math.exp(log_ratio - k * math.log(p) - (documents - others - k) * math.log1p(-p))
            for c in range(low, high):
                value = w[k * cells + c] * ratio
                w[k * cells + c] = 0.0
                w[c] += value  # to what was just cleared, in the first row
    return low, high


@inner
def lattice(t, points, spare, own, size, by, w):  # type: ignore[no-untyped-def]
    """The smaller mid-p tail by convolving the first *own* points on a lattice; the rest of a stratum sums to a normal.

    On the smaller side of a stratum fall k of the own documents and side − k others. Each own document is in with
    probability p = side/documents, which adds y, its score less the others' mean, shared by the two nearest cells; in
    the end the binomial weight of k is exchanged for the hypergeometric one. Sums that can no longer come back below t
    stay in the uppermost cell. What the others' scores vary smooths the whole, or else one cell: equal sums count half.
    """
    variance = _sides(t, points, own, size, by)
    if variance < 0:
        return 0.5
    fall, rise, none = _increments(points, own, by, spare)
    target = abs(t) - none
    if target + 2 * fall > 2 * rise - target:  # the way round that needs fewer cells
        target, fall = -target, rise
        for k in range(own):
            spare[X, k] = -spare[X, k]
    work = deepest = 0.0
    for s in range(by.shape[1]):
        work += (by[DOCUMENTS, s] - by[OTHERS, s]) * by[DEPTH, s]
        deepest = max(deepest, by[DEPTH, s])
    cell = max(CELL, 0.7 * math.sqrt(variance), (target + 2 * fall) * work / WORK)
    for k in range(own):  # sharing out between two cells varies the sums as well
        share = spare[X, k] / cell - math.floor(spare[X, k] / cell)
        variance -= points[M, k] * by[P, int(points[H, k])] * share * (1 - share) * cell * cell
    smooth = max(math.sqrt(max(variance, 0.0)), cell)
    zero = int(fall / cell) + MARGIN
    cells = max(zero + 1, int((target + fall + 8 * smooth) / cell) + zero + 1)
    for c in range((int(deepest) + 1) * cells):
        w[c] = 0.0
    low, high = _convolved(w, cells, points, own, by, spare, cell, zero)
    below = over = 0.0
    for c in range(low, high):
        gap = (target - (c - zero) * cell) / (smooth * math.sqrt(2.0))
        below += w[c] * math.erfc(-gap) / 2
        over += w[c] * math.erfc(gap) / 2
    return min(below, over)
