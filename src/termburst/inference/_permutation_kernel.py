"""The compiled permutation test: how a term's score would fall if the documents were dealt to the corpora at random.

A term's documents are *points*: a score x, how many documents have it, and their stratum. First come the points of the
documents that have the term, then those of the classes of length of the documents that lack it. Scores are centred in
every stratum and scaled so that T, the sum over the first corpus, has variance 1. Where few documents have the term,
all others count with their mean score: T is then its expectation given where the term's own documents are. Documents
that no permutation moves, their stratum being in one corpus as a whole, are left out beforehand.
"""

from __future__ import annotations

import math

import numpy as np

from termburst._compiled import compiled

OUTCOMES = 2048  # how many ways of dealing out are enumerated: those of 11 different documents
RARE = 2.0  # documents with the term expected on the smaller side: below, most outcomes would differ by lengths alone
COARSE = 8.0  # as many leave T gaps that the saddlepoint does not know of
SMALL = 4096  # documents × those of the smaller corpus: so few and T is convolved document by document
CELL, MARGIN = 0.004, 8  # of the lattice: the least width in sd T, how many are kept free for rounding
WORK = 2**21  # cells that may be filled for a term
DEEPEST = 64  # documents of a stratum that are followed on a lattice
FAINT = 1e-25  # tails that a lattice cut off at 64 documents may not reach
SAME = 1e-9  # of T's standard deviation: closer sums are equal
STEP = 1.5  # the most that a Newton step may move a log-odds; the logistic function's curvature changes little in it
_ROUNDS = 400


@compiled
def _grouped(score, times, stratum, size, strata):  # type: ignore[no-untyped-def]
    """Merge equal scores within a stratum, in place; returns how many are left, sorted by stratum, then score."""
    order = np.argsort(score[:size])
    x, m, h = np.empty(size), np.empty(size), np.empty(size, np.int64)
    left = 0
    for s in range(strata):
        fresh = True
        for k in range(size):
            o = order[k]
            if stratum[o] != s:
                continue
            if fresh or score[o] != x[left - 1]:
                x[left], m[left], h[left] = score[o], 0.0, s
                left += 1
                fresh = False
            m[left - 1] += times[o]
    score[:left], times[:left], stratum[:left] = x[:left], m[:left], h[:left]
    return left


@compiled
def _standardised(x, m, h, size, taken):  # type: ignore[no-untyped-def]
    """Centre the scores by stratum and scale them for T to have variance 1, in place; returns E T and its deviation."""
    strata = taken.size
    documents, mean, squares = np.zeros(strata), np.zeros(strata), np.zeros(strata)
    largest = 0.0
    for k in range(size):
        documents[h[k]] += m[k]
        mean[h[k]] += m[k] * x[k]
        largest = max(largest, abs(x[k]))
    for s in range(strata):
        mean[s] /= max(documents[s], 1.0)
    for k in range(size):
        x[k] -= mean[h[k]]
        squares[h[k]] += m[k] * x[k] * x[k]
    variance = expected = 0.0
    for s in range(strata):
        expected += taken[s] * mean[s]
        if documents[s] > 1:
            variance += squares[s] * taken[s] * (documents[s] - taken[s]) / (documents[s] * (documents[s] - 1))
    deviation = math.sqrt(variance)
    if deviation <= 1e-12 * largest:  # rounding, no more: every way of dealing gives the same T
        return expected, 0.0
    for k in range(size):
        x[k] /= deviation
    return expected, deviation


@compiled
def _pooled(x, m, h, own, size, strata):  # type: ignore[no-untyped-def]
    """Give the points from *own* on their stratum's mean, one point a stratum, in place; returns the new size."""
    number, total = np.zeros(strata), np.zeros(strata)
    for k in range(own, size):
        number[h[k]] += m[k]
        total[h[k]] += m[k] * x[k]
    size = own
    for s in range(strata):
        if number[s] > 0:
            x[size], m[size], h[size] = total[s] / number[s], number[s], s
            size += 1
    return size


@compiled
def _log_choose_rest(taken, others, most):  # type: ignore[no-untyped-def]
    """log C(others, taken − k) by stratum and k < most, apart from a constant a stratum; −inf where impossible."""
    table = np.full((taken.size, most), -math.inf)
    for s in range(taken.size):
        value = 0.0
        for k in range(max(int(taken[s] - others[s]), 0), min(int(taken[s]), most - 1) + 1):
            table[s, k] = value
            if k < taken[s]:
                value += math.log(taken[s] - k) - math.log(others[s] - taken[s] + k + 1)
    return table


@compiled
def _enumerated(t, x, m, h, own, size, taken):  # type: ignore[no-untyped-def]
    """The smaller mid-p tail by every way in which the first *own* points fall; all others of a stratum are alike.

    With k_g of the m_g documents of point g in the first corpus, k of them in a stratum, the weight is
    Π_g C(m_g, k_g) Π_strata C(others, taken − k). In a reflected Gray code one k_g changes by one at a time.
    """
    strata = taken.size
    most = 1
    for k in range(own):
        most += int(m[k])
    others, score, inside = np.zeros(strata), np.zeros(strata), np.zeros(strata, np.int64)
    for k in range(own, size):
        others[h[k]], score[h[k]] = m[k], x[k]
    log_choose = _log_choose_rest(taken, others, most)
    fallen, way = np.zeros(own, np.int64), np.ones(own, np.int64)
    log_ways = total = below = above = own_sum = 0.0
    top = -math.inf  # the largest log-weight so far, which the sums are relative to
    while True:
        log_weight, here = log_ways, own_sum
        for s in range(strata):
            log_weight += log_choose[s, inside[s]]
            here += (taken[s] - inside[s]) * score[s]
        if log_weight > -math.inf:
            if log_weight > top:
                shrink = math.exp(top - log_weight)
                total, below, above, top = total * shrink, below * shrink, above * shrink, log_weight
            weight = math.exp(log_weight - top)
            total += weight
            below += weight * _below(here, t)
            above += weight * _below(-here, -t)
        g = 0
        while g < own and not 0 <= fallen[g] + way[g] <= m[g]:
            way[g] = -way[g]
            g += 1
        if g == own:
            return min(below, above) / total
        if way[g] > 0:
            log_ways += math.log((m[g] - fallen[g]) / (fallen[g] + 1))
        else:
            log_ways += math.log(fallen[g] / (m[g] - fallen[g] + 1))
        fallen[g] += way[g]
        inside[h[g]] += way[g]
        own_sum += way[g] * x[g]


@compiled
def _others(x, m, h, own, size, strata):  # type: ignore[no-untyped-def]
    """By stratum: all documents; of those from point *own* on the number, mean score and sum of squared deviations."""
    documents, others, mean, squares = np.zeros(strata), np.zeros(strata), np.zeros(strata), np.zeros(strata)
    for k in range(size):
        documents[h[k]] += m[k]
        if k >= own:
            others[h[k]] += m[k]
            mean[h[k]] += m[k] * x[k]
    mean /= np.maximum(others, 1.0)
    for k in range(own, size):
        squares[h[k]] += m[k] * (x[k] - mean[h[k]]) ** 2
    return documents, others, mean, squares


@compiled
def _increments(x, m, h, own, side, sign, others, mean):  # type: ignore[no-untyped-def]
    """What each own document adds to T if it is in, by how much all may lower and raise T, and T without any."""
    strata = side.size
    for s in range(strata):
        if others[s] == 0:  # then k is fixed, and any score may serve for the others': sums only rise
            mean[s] = sign[s] * (sign[s] * x[:own][h[:own] == s]).min()
    y, least, most = np.empty(own), np.zeros(strata), np.zeros(strata)
    falls, rises = np.zeros(strata), np.zeros(strata)
    for k in range(own):
        s = h[k]
        y[k] = sign[s] * (x[k] - mean[s])
        least[s], most[s] = min(least[s], y[k]), max(most[s], y[k])
        falls[s] -= m[k] * min(y[k], 0.0)
        rises[s] += m[k] * max(y[k], 0.0)
    fall, rise = np.minimum(falls, -least * side).sum(), np.minimum(rises, most * side).sum()
    return y, fall, rise, (sign * side * mean).sum()


@compiled
def _lattice(t, x, m, h, own, size, taken):  # type: ignore[no-untyped-def]
    """The smaller mid-p tail by convolving the first *own* points on a lattice; the rest of a stratum sums to a normal.

    On the smaller side of a stratum fall k of the own documents and side − k others. Each own document is in with
    probability p = side/documents, which adds y, its score less the others' mean, shared by the two nearest cells; in
    the end the binomial weight of k is exchanged for the hypergeometric one. Sums that can no longer come back below t
    stay in the uppermost cell. What the others' scores vary smooths the whole, or else one cell: equal sums count half.
    """
    documents, others, mean, squares = _others(x, m, h, own, size, taken.size)
    if t < 0:  # the other corpus has −T: exchanging the two must not matter
        t, taken = -t, documents - taken
    if t <= SAME and (2 * taken == documents).all():
        return 0.5
    held = documents - others
    # counted are those on the other side where they are fewer, unless that makes no odds and T would need more cells
    turned = (4 * taken > 3 * documents) | ((2 * taken > documents) & (held > np.minimum(documents - taken, DEEPEST)))
    side, sign = np.where(turned, documents - taken, taken), np.where(turned, -1.0, 1.0)
    p, depths = side / documents, np.minimum(np.minimum(side, held), DEEPEST)
    variance = (squares * others / np.maximum(others - 1, 1.0) * p * (1 - p)).sum()
    y, fall, rise, none = _increments(x, m, h, own, side, sign, others, mean)
    target = t - none
    if target + 2 * fall > 2 * rise - target:  # the way round that needs fewer cells
        y, target, fall = -y, -target, rise
    cell = max(CELL, 0.7 * math.sqrt(variance), (target + 2 * fall) * (held * depths).sum() / WORK)
    for k in range(own):  # sharing out between two cells varies the sums as well
        share = y[k] / cell - math.floor(y[k] / cell)
        variance -= m[k] * p[h[k]] * share * (1 - share) * cell * cell
    smooth = max(math.sqrt(max(variance, 0.0)), cell)
    zero = int(fall / cell) + MARGIN
    cells = max(zero + 1, int((target + fall + 8 * smooth) / cell) + zero + 1)
    sums, low, high = _convolved(y / cell, m, h, side, p, depths, documents, others, zero, cells)
    below = over = 0.0
    for c in range(low, high):
        gap = (target - (c - zero) * cell) / (smooth * math.sqrt(2.0))
        below += sums[c] * math.erfc(-gap) / 2
        over += sums[c] * math.erfc(gap) / 2
    return min(below, over)


@compiled
def _convolved(y, m, h, side, p, depths, documents, others, zero, cells):  # type: ignore[no-untyped-def]
    """The probabilities of the sums of y, in units of a cell, and the first and last cell that are filled."""
    own, held = y.size, documents - others
    w = np.zeros((int(depths.max()) + 1, cells))
    w[0, zero] = 1.0
    first, low, high = 0, zero, zero + 1  # only cells from low to high are filled as yet
    for s in range(side.size):
        depth, inside = int(depths[s]), 0
        while first < own and h[first] == s:
            jump = math.floor(y[first])
            far = p[s] * (y[first] - jump)
            for _ in range(int(m[first])):
                inside = min(inside + 1, depth)
                to_low, to_high = max(min(low, low + jump), 0), min(max(high, high + jump + 1), cells)
                for k in range(inside, 0, -1):
                    _step(w[k], w[k - 1], low, high, jump, 1 - p[s], p[s] - far, far)
                w[0, low:high] *= 1 - p[s]
                low, high = to_low, to_high
            first += 1
        for k in range(depth + 1):
            log_ratio = -math.inf
            if 0 <= side[s] - k <= others[s]:
                log_ratio = _log_choose(others[s], side[s] - k) - _log_choose(documents[s], side[s])
                log_ratio -= k * math.log(p[s]) + (held[s] - k) * math.log1p(-p[s])
            w[k, low:high] *= math.exp(log_ratio)
            if k > 0:
                w[0, low:high] += w[k, low:high]
                w[k, low:high] = 0.0
    return w[0], low, high


@compiled
def _step(to, of, low, high, jump, stay, near, far):  # type: ignore[no-untyped-def]
    """to ← stay × to + near × of shifted by *jump* + far × of shifted by one more; the end cells keep what leaves."""
    last = to.size - 1
    to[low:high] *= stay
    first, end = min(max(low, -jump), high), max(min(high, last - jump), low)
    for c in range(first, end):
        to[c + jump] += near * of[c]
    for c in range(first, end):
        to[c + jump + 1] += far * of[c]
    for c in range(low, first):
        to[0] += (near + far) * of[c]
    for c in range(max(first, end), high):
        to[last] += (near + far) * of[c]


@compiled
def _below(value, t):  # type: ignore[no-untyped-def]
    return 1.0 if value < t - SAME else 0.5 if value <= t + SAME else 0.0


@compiled
def _at_the_end(t, x, m, h, size, taken):  # type: ignore[no-untyped-def]
    """P(T = t) where t is the least that T can be, the scores being given in increasing order; −1 elsewhere."""
    left, least, log_p = taken.copy(), 0.0, 0.0
    for k in range(size):
        least += min(m[k], left[h[k]]) * x[k]
        left[h[k]] -= min(m[k], left[h[k]])
    if t > least + SAME:
        return -1.0
    documents, last, tied, need = np.zeros(taken.size), np.zeros(taken.size), np.zeros(taken.size), taken.copy()
    left[:] = taken
    for k in range(size):  # those at the last score taken may be exchanged for one another
        s = h[k]
        documents[s] += m[k]
        if left[s] > 0:
            if tied[s] == 0 or x[k] > last[s] + SAME:
                tied[s], last[s], need[s] = 0.0, x[k], left[s]
            tied[s] += m[k]
            left[s] -= min(m[k], left[s])
        elif tied[s] > 0 and x[k] <= last[s] + SAME:
            tied[s] += m[k]
    for s in range(taken.size):
        log_p += _log_choose(tied[s], need[s]) - _log_choose(documents[s], taken[s])
    return math.exp(log_p)


@compiled
def _log_choose(n, k):  # type: ignore[no-untyped-def]
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


@compiled
def _tilted(t, theta, level, x, m, h, size, taken, free, zero, one, gap):  # type: ignore[no-untyped-def]
    """Σ q(1 − q) x^0, 1, 2 and what the constraints lack at q = logistic(level + θ x), levels eliminated from the last.

    *zero*, *one* and *gap* (the number still to be taken) are filled by stratum; returns slope and curvature in θ.
    """
    zero[:], one[:], gap[:] = 0.0, 0.0, taken
    two, slope = 0.0, t
    for k in range(size):
        s = h[k]
        q = 1 / (1 + math.exp(-level[s] - theta * x[k]))
        w = m[k] * q * (1 - q)
        gap[s] -= m[k] * q
        slope -= m[k] * q * x[k]
        zero[s] += w
        one[s] += w * x[k]
        two += w * x[k] * x[k]
    for s in range(taken.size):
        if free[s]:
            slope -= one[s] / zero[s] * gap[s]
            two -= one[s] * one[s] / zero[s]
    return slope, max(two, 1e-300)


@compiled
def _information(theta, level, start, share, x, m, h, size):  # type: ignore[no-untyped-def]
    """Σ KL(q ‖ p), p the share taken: q log(q/p) + (1 − q) log((1 − q)/(1 − p)).

    With shift = logit q − logit p, which is known, (1 − p)/(1 − q) = 1 + p(e^shift − 1): nothing large cancels.
    """
    total = 0.0
    for k in range(size):
        s = h[k]
        shift = level[s] - start[s] + theta * x[k]
        q = 1 / (1 + math.exp(-level[s] - theta * x[k]))
        log_rest = math.log1p(share[s] * math.expm1(shift)) if shift < 600 else math.log(share[s]) + shift
        total += m[k] * (q * shift - log_rest)
    return total


@compiled
def _saddlepoint(t, x, m, h, size, taken):  # type: ignore[no-untyped-def]
    """r* with P(T ≥ t) ≈ 1 − Φ(r*): independent documents given how many fall in the first corpus (Skovgaard).

    q = logistic(level_stratum + θ x) solves Σ q x = t and Σ_stratum q = taken. Then r²/2 is the information
    Σ KL(q ‖ q at θ = 0), u = θ times the root of the determinants' ratio, and r* = r + log(u/r)/r.
    """
    strata = taken.size
    documents, start, free = np.zeros(strata), np.zeros(strata), np.zeros(strata, np.bool_)
    largest = 0.0
    for k in range(size):
        documents[h[k]] += m[k]
    for s in range(strata):
        free[s] = 0 < taken[s] < documents[s]
        if free[s]:
            start[s] = math.log(taken[s]) - math.log(documents[s] - taken[s])
    kept = 0
    x, m, h = x[:size].copy(), m[:size].copy(), h[:size].copy()
    for k in range(size):  # a stratum that is in one corpus as a whole adds a constant, which centring made 0
        if free[h[k]]:
            x[kept], m[kept], h[kept] = x[k], m[k], h[k]
            largest = max(largest, abs(x[k]))
            kept += 1
    level, theta, curvature = start.copy(), 0.0, 1.0
    zero, one, gap, move = np.empty(strata), np.empty(strata), np.empty(strata), np.zeros(strata)
    for _ in range(_ROUNDS):
        slope, curvature = _tilted(t, theta, level, x, m, h, kept, taken, free, zero, one, gap)
        step = slope / max(curvature, 1e-12)
        farthest = abs(step) * largest
        for s in range(strata):
            if free[s]:
                move[s] = (gap[s] - one[s] * step) / zero[s]
                farthest = max(farthest, abs(step) * largest + abs(move[s]))
        shorter = min(1.0, STEP / farthest) if farthest > 0 else 1.0
        theta += shorter * step
        level += shorter * move
        if farthest < 1e-5:  # Newton's error is the square of that
            break
    r = math.sqrt(max(2 * _information(theta, level, start, taken / documents, x, m, h, kept), 0.0))
    if r < 0.005:  # log(u/r)/r would be rounding, and p is next to 1
        return t
    log_ratio = math.log(curvature)
    for s in range(strata):
        if free[s]:
            log_ratio += math.log(zero[s]) - math.log(taken[s] * (1 - taken[s] / documents[s]))
    return math.copysign(r + (math.log(abs(theta)) + 0.5 * log_ratio - math.log(r)) / r, theta)


@compiled
def _two_sided(t, x, m, h, own, size, taken, enumerable, coarse):  # type: ignore[no-untyped-def]
    """Twice the smaller of P(T < t) and P(T > t), each with P(T = t)/2."""
    if enumerable:
        return min(1.0, 2 * _enumerated(t, x, m, h, own, size, taken))
    if coarse:
        tail = _lattice(t, x, m, h, own, size, taken)
        if tail > FAINT:
            return min(1.0, 2 * tail)
    order = np.argsort(x[:size])
    y, times, stratum = x[order], m[order], h[order]
    end = _at_the_end(t, y, times, stratum, size, taken)
    if end < 0:
        end = _at_the_end(-t, -y[::-1], times[::-1], stratum[::-1], size, taken)
    if end >= 0:
        return min(1.0, end)
    return math.erfc(abs(_saddlepoint(t, x, m, h, size, taken)) / math.sqrt(2.0))


@compiled
def _present(i, cells, first, mean, rho, strata_of, x, m, h, size, number, weighed, weighed_a, in_first):  # type: ignore[no-untyped-def]
    """Append the points of one corpus's documents that have the term, and take them out of the classes of length.

    Returns the new size and, for the *first* corpus, the sum of their scores.
    """
    total = 0.0
    indptr, count, length, weight, class_of = cells
    for j in range(indptr[i], indptr[i + 1]):
        times = weight[0] if weight.size == 1 else weight[j]
        damped, c = 1 + (length[j] - 1) * rho, class_of[j]
        if c < 0:
            continue
        x[size], m[size], h[size] = (count[j] - length[j] * mean) / damped, times, strata_of[c]
        number[c] -= times
        weighed[c] -= times * length[j] / damped
        if first:
            total += times * x[size]
            weighed_a[c] -= times * length[j] / damped
            in_first[strata_of[c]] -= times
        size += 1
    return size, total


@compiled
def permutation(terms, a, b, lengths, in_a, both, starts, strata_of, taken, mean, rho, out):  # type: ignore[no-untyped-def]
    """(T − E T)/sd T and p for the given terms; a and b are (indptr, count, length, weight, class of the length).

    *lengths* are those of both corpora in increasing order, *in_a* and *both* their documents; class c of lengths is
    [starts[c]:starts[c + 1]], and lies in stratum strata_of[c]; documents of class −1 stay where they are. *taken* is
    how many of a stratum are in the first.
    """
    classes = starts.size - 1
    number, weighed, weighed_a = np.empty(classes), np.empty(classes), np.empty(classes)
    of_length = np.repeat(strata_of, np.diff(starts))
    documents_of = np.bincount(of_length, both)
    smaller = np.minimum(taken, documents_of - taken)
    small = documents_of.sum() * smaller.sum() <= SMALL
    for at in range(terms.size):
        i = terms[at]
        out[i, 0], out[i, 1] = 0.0, 1.0
        own = (a[0][i + 1] - a[0][i]) + (b[0][i + 1] - b[0][i])
        if own == 0:
            continue
        x, m, h = np.empty(own + classes), np.empty(own + classes), np.empty(own + classes, np.int64)
        for c in range(classes):
            documents = sums = sums_a = 0.0
            for k in range(starts[c], starts[c + 1]):
                share = lengths[k] / (1 + (lengths[k] - 1) * rho[i])
                documents += both[k]
                sums += both[k] * share
                sums_a += in_a[k] * share
            number[c], weighed[c], weighed_a[c] = documents, sums, sums_a
        in_first = taken.copy()  # less those with the term: the documents of the first corpus without it
        parts = (mean[i], rho[i], strata_of, x, m, h)
        size, t = _present(i, a, True, *parts, 0, number, weighed, weighed_a, in_first)
        size, _ = _present(i, b, False, *parts, size, number, weighed, weighed_a, in_first)
        own = size = _grouped(x, m, h, size, taken.size)
        enumerable = (m[:own] + 1).prod() <= OUTCOMES
        fewer = (m[:own] * (smaller / documents_of)[h[:own]]).sum()  # with the term, expected on the smaller side
        pooled = enumerable or fewer <= RARE * (1 + SAME)
        for c in range(classes):
            if number[c] > 0:
                x[size], m[size], h[size] = -mean[i] * weighed[c] / number[c], number[c], strata_of[c]
                size += 1
        if pooled:
            size = _pooled(x, m, h, own, size, taken.size)
            for k in range(own, size):
                t += in_first[h[k]] * x[k]
        else:
            t -= mean[i] * weighed_a.sum()
            if small:  # all documents are convolved then, whether they have the term or not
                own = size = _grouped(x, m, h, size, taken.size)
        expected, deviation = _standardised(x, m, h, size, taken)
        if deviation > 0:
            t = (t - expected) / deviation
            out[i, 0] = t
            out[i, 1] = _two_sided(t, x, m, h, own, size, taken, enumerable, small or fewer <= COARSE)
