"""The permutation test in plain Python: the computations of permutation.c, points.c, lattice.c and saddlepoint.c.

A *point* is a score x, how many documents have it, and their stratum. First come the points of the documents with the
term, then one point per length class of the documents without it. Scores are centred in each stratum and scaled so that
T, the sum over the first corpus, has variance 1.

*points* has the rows X, M, H; *spare* is as large. *by* has the rows named below, with one entry per stratum; functions
fill what they need except TAKEN. *w* is scratch space for `SPACE` numbers.
"""

import math

import numpy as np

SAME = 1e-9  # in standard deviations of T: closer sums are equal
X, M, H = range(3)
# TAKEN documents of a stratum are in the first corpus, IN_FIRST of them without the term
TAKEN, IN_FIRST, DOCUMENTS, MEAN, SQUARES = range(5)
OTHERS, SIDE, SIGN, P, DEPTH, FALLS, RISES, LEAST, MOST = range(5, 14)  # of the enumeration and the lattice
LEFT, LAST, TIED, NEED = range(5, 9)  # of the end
START, LEVEL, ZERO, ONE, GAP, MOVE = range(5, 11)  # of the saddlepoint
ROWS = 14


def grouped(points, spare, order, size, strata):
    """Merge equal scores within a stratum, in place. Returns how many remain, sorted by stratum, then score."""
    order[0, :size] = np.argsort(points[X, :size], kind="stable")
    left = 0
    for s in range(strata):
        fresh = True
        for k in range(size):
            o = order[0, k]
            if points[H, o] != s:
                continue
            if fresh or points[X, o] != spare[X, left - 1]:
                spare[X, left], spare[M, left] = points[X, o], 0.0
                spare[H, left] = s
                left += 1
                fresh = False
            spare[M, left - 1] += points[M, o]
    for row in range(3):
        for k in range(left):
            points[row, k] = spare[row, k]
    return left


def standardised(points, size, by):
    """Centre the scores by stratum and scale them so that T has variance 1, in place. Returns E T and sd T."""
    strata = by.shape[1]
    for s in range(strata):
        by[DOCUMENTS, s] = by[MEAN, s] = by[SQUARES, s] = 0.0
    largest = 0.0
    for k in range(size):
        s = int(points[H, k])
        by[DOCUMENTS, s] += points[M, k]
        by[MEAN, s] += points[M, k] * points[X, k]
        largest = max(largest, abs(points[X, k]))
    for s in range(strata):
        by[MEAN, s] /= max(by[DOCUMENTS, s], 1.0)
    for k in range(size):
        s = int(points[H, k])
        x = points[X, k] - by[MEAN, s]
        points[X, k] = x
        by[SQUARES, s] += points[M, k] * x * x
    variance = expected = 0.0
    for s in range(strata):
        taken, documents = by[TAKEN, s], by[DOCUMENTS, s]
        expected += taken * by[MEAN, s]
        if documents > 1:
            variance += by[SQUARES, s] * taken * (documents - taken) / (documents * (documents - 1))
    deviation = math.sqrt(variance)
    if deviation <= 1e-12 * largest:  # only rounding: every assignment gives the same T
        return expected, 0.0
    for k in range(size):
        points[X, k] /= deviation
    return expected, deviation


def pooled(points, own, size, by):
    """Replace the points from *own* on by one point per stratum with their mean, in place.

    Returns the new size, and the sum of those in the first corpus.
    """
    for s in range(by.shape[1]):
        by[DOCUMENTS, s] = by[MEAN, s] = 0.0
    for k in range(own, size):
        s = int(points[H, k])
        by[DOCUMENTS, s] += points[M, k]
        by[MEAN, s] += points[M, k] * points[X, k]
    size, total = own, 0.0
    for s in range(by.shape[1]):
        if by[DOCUMENTS, s] > 0:
            points[X, size] = by[MEAN, s] / by[DOCUMENTS, s]
            points[M, size] = by[DOCUMENTS, s]
            points[H, size] = s
            total += by[IN_FIRST, s] * points[X, size]
            size += 1
    return size, total


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


OUTCOMES = 2048  # largest number of assignments that are enumerated: 11 distinct documents
CELL, MARGIN = 0.004, 8  # smallest width of a cell in sd T; extra cells for rounding
WORK = 2**21  # largest number of cells to fill for a term
DEEPEST = 64  # largest number of documents of a stratum that a lattice tracks
# A lattice has up to WORK/work + 12 + MARGIN cells in up to min(work, DEEPEST) + 1 rows.
SPACE = 2 * WORK + (DEEPEST + 1) * (16 + MARGIN)


def _below(value, t):
    return 1.0 if value < t - SAME else 0.5 if value <= t + SAME else 0.0


def _log_choose_rest(by, most, w):
    """log C(others, taken − k) by stratum and k < *most*, up to a constant per stratum; −inf if impossible."""
    for s in range(by.shape[1]):
        taken, others, value = by[TAKEN, s], by[OTHERS, s], 0.0
        for k in range(most):
            w[s * most + k] = -math.inf
        for k in range(max(int(taken - others), 0), min(int(taken), most - 1) + 1):
            w[s * most + k] = value
            if k < taken:
                value += math.log(taken - k) - math.log(others - taken + k + 1)


def enumerated(t, points, spare, own, size, by, w):
    """The smaller mid-p tail by enumeration of the first *own* points; all others of a stratum are equal.

    An outcome has k_g of the m_g documents of point g in the first corpus, k in total in a stratum. Its weight is
    Π_g C(m_g, k_g) Π_strata C(others, taken − k). In a reflected Gray code one k_g changes by one at a time. *spare*
    has k_g and its direction, up or down; SIDE has k, and *w* the logarithms of the last factors.
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
    top = -math.inf  # the largest log-weight so far; sums are relative to it
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


def _sides(t, points, own, size, by):
    """Fill *by* for a lattice. Returns the variance of the others' scores, −1 if T is the centre of symmetry.

    DOCUMENTS are all, OTHERS those from point *own* on, whose scores have MEAN and SQUARES. The lattice counts the
    documents on one SIDE, with signed scores (SIGN). This is the second corpus if it is the smaller one, unless the
    choice saves nothing and T would need more cells. With t < 0 the lattice is made for −T of the other corpus; the
    result must be the same.
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


def _increments(points, own, by, spare):
    """What each own document adds to T, to *spare*; by how much all can lower and raise T; T without them."""
    strata = by.shape[1]
    for k in range(own):
        s = int(points[H, k])
        by[LEAST, s] = min(by[LEAST, s], by[SIGN, s] * points[X, k])
    for s in range(strata):
        if (
            by[OTHERS, s] == 0
        ):  # then k is fixed, and any score can stand for the others': this one makes all sums increase
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


def _step(w, to, of, last, low, high, jump, stay, near, far):
    """The row at *to* ← stay × itself + near × the row at *of* shifted by *jump* + far × the same shifted by one more.

    Mass that would leave the row stays in the end cells, 0 and *last*.
    """
    w[to + low : to + high] *= stay
    first, end = min(max(low, -jump), high), max(min(high, last - jump), low)
    if first < end:
        w[to + jump + first : to + jump + end] += near * w[of + first : of + end]
        w[to + jump + 1 + first : to + jump + 1 + end] += far * w[of + first : of + end]
    w[to] += ((near + far) * w[of + low : of + first]).sum()
    w[to + last] += ((near + far) * w[of + max(first, end) : of + high]).sum()


def _convolved(w, cells, points, own, by, spare, cell, zero):
    """The probabilities of the sums of y, to the first row of *cells*. Returns the first and last filled cell."""
    w[zero] = 1.0
    first, low, high = 0, zero, zero + 1  # only cells from low to high are filled so far
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
                w[low:high] *= 1 - p
                low, high = to_low, to_high
            first += 1
        documents, others, side = by[DOCUMENTS, s], by[OTHERS, s], by[SIDE, s]
        for k in range(depth + 1):
            ratio = 0.0
            if 0 <= side - k <= others:
                log_ratio = log_choose(others, side - k) - log_choose(documents, side)
                ratio = math.exp(log_ratio - k * math.log(p) - (documents - others - k) * math.log1p(-p))
            value = w[k * cells + low : k * cells + high] * ratio
            w[k * cells + low : k * cells + high] = 0.0
            w[low:high] += value  # in the first row it was just cleared
    return low, high


def lattice(t, points, spare, own, size, by, w):
    """The smaller mid-p tail by convolution of the first *own* points on a lattice; the sum of the others is normal.

    The smaller side of a stratum has k of the own documents and side − k others. Each own document is in it with
    probability p = side/documents. It then adds y, its score minus the mean of the others, divided between the two
    nearest cells. At the end the binomial weight of k is replaced by the hypergeometric one. Sums that can no longer
    come back below t stay in the uppermost cell. The result is smoothed by the variance of the others' scores; without
    it, by one cell, so that equal sums count half.
    """
    variance = _sides(t, points, own, size, by)
    if variance < 0:
        return 0.5
    fall, rise, none = _increments(points, own, by, spare)
    target = abs(t) - none
    if target + 2 * fall > 2 * rise - target:  # the direction that needs fewer cells
        target, fall = -target, rise
        for k in range(own):
            spare[X, k] = -spare[X, k]
    work = deepest = 0.0
    for s in range(by.shape[1]):
        work += (by[DOCUMENTS, s] - by[OTHERS, s]) * by[DEPTH, s]
        deepest = max(deepest, by[DEPTH, s])
    cell = max(CELL, 0.7 * math.sqrt(variance), (target + 2 * fall) * work / WORK)
    for k in range(own):  # dividing between two cells adds variance, too
        share = spare[X, k] / cell - math.floor(spare[X, k] / cell)
        variance -= points[M, k] * by[P, int(points[H, k])] * share * (1 - share) * cell * cell
    smooth = max(math.sqrt(max(variance, 0.0)), cell)
    zero = int(fall / cell) + MARGIN
    cells = max(zero + 1, int((target + fall + 8 * smooth) / cell) + zero + 1)
    w[: (int(deepest) + 1) * cells] = 0.0
    low, high = _convolved(w, cells, points, own, by, spare, cell, zero)
    below = over = 0.0
    for c in range(low, high):
        gap = (target - (c - zero) * cell) / (smooth * math.sqrt(2.0))
        below += w[c] * math.erfc(-gap) / 2
        over += w[c] * math.erfc(gap) / 2
    return min(below, over)


STEP = 1.5  # largest change of a log-odds in a Newton step, so that the curvature changes little
_ROUNDS = 400


def at_the_end(t, sign, points, order, size, by):
    """P(T = t) if t is the smallest value of T (*sign* 1) or the largest (−1); otherwise −1."""
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
    for k in range(size):  # documents with the last score taken are interchangeable
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


def _tilted(t, theta, points, size, by):
    """Σ q(1 − q) x^0, 1, 2 and the residuals of the constraints at q = logistic(level + θ x); levels are eliminated.

    Fills ZERO, ONE and GAP (the number still to be taken) by stratum. Returns slope and curvature in θ.
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


def _information(theta, points, size, by):
    """Σ KL(q ‖ p), where p is the share taken: q log(q/p) + (1 − q) log((1 − q)/(1 − p)).

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


def saddlepoint(t, points, spare, size, by):  # noqa: PLR0912
    """r* with P(T ≥ t) ≈ 1 − Φ(r*): independent documents, conditional on the number in the first corpus (Skovgaard).

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
    kept, largest = np.int64(0), 0.0  # the number of points kept, and the largest score
    for k in range(size):  # a stratum in one corpus adds a constant, which centring has made 0
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
        if farthest < 1e-5:  # the error after this step is of the order of the square
            break
    r = math.sqrt(max(2 * _information(theta, spare, kept, by), 0.0))
    if r < 0.005:  # log(u/r)/r would be only rounding, and p is almost 1
        return t
    log_ratio = math.log(curvature)
    for s in range(strata):
        taken, documents = by[TAKEN, s], by[DOCUMENTS, s]
        if 0 < taken < documents:
            log_ratio += math.log(by[ZERO, s]) - math.log(taken * (1 - taken / documents))
    return math.copysign(r + (math.log(abs(theta)) + 0.5 * log_ratio - math.log(r)) / r, theta)


RARE = 2.0  # expected documents with the term on the smaller side: below, most outcomes differ only by lengths
COARSE = 8.0  # up to here T has gaps that the saddlepoint approximation ignores
SMALL = 4096  # documents × those of the smaller corpus: up to here T is convolved
FAINT = 1e-25  # smallest tail that a lattice cut off at 64 documents may have


def _two_sided(t, points, spare, order, own, size, by, w, enumerable, coarse):
    """Twice the smaller of P(T < t) and P(T > t), each plus P(T = t)/2."""
    if enumerable:
        return min(1.0, 2 * enumerated(t, points, spare, own, size, by, w))
    if coarse:
        tail = lattice(t, points, spare, own, size, by, w)
        if tail > FAINT:
            return min(1.0, 2 * tail)
    order[0, :size] = np.argsort(points[X, :size], kind="stable")
    end = at_the_end(t, 1.0, points, order, size, by)
    if end < 0:
        end = at_the_end(t, -1.0, points, order, size, by)
    if end >= 0:
        return min(1.0, end)
    return math.erfc(abs(saddlepoint(t, points, spare, size, by)) / math.sqrt(2.0))


def _present(i, indptr, count, length, weight, class_of, mean, rho, strata_of, points, by, classes):
    """The points of the documents with the term, which are removed from the length *classes*.

    Returns how many there are, and the sum of the scores of those in the first corpus.
    """
    total, size = 0.0, np.int64(0)
    for corpus in range(2):
        for j in range(indptr[corpus, i], indptr[corpus, i + 1]):
            c, times = class_of[j], weight[j]
            if c < 0:
                continue
            damped = 1 + (length[j] - 1) * rho
            x, share = (count[j] - length[j] * mean) / damped, times * length[j] / damped
            points[X, size], points[M, size], points[H, size] = x, times, strata_of[c]
            classes[0, c] -= times
            classes[1, c] -= share
            if corpus == 0:
                total += times * x
                classes[2, c] -= share
                by[IN_FIRST, strata_of[c]] -= times
            size += 1
    return size, total


def _absent(rho, lengths, in_a, both, starts, classes):
    """All documents of each length class, the sum of n_j/(1 + (n_j − 1) ρ) over them, and over the first corpus."""
    for c in range(classes.shape[1]):
        documents = sums = sums_a = 0.0
        for k in range(starts[c], starts[c + 1]):
            share = lengths[k] / (1 + (lengths[k] - 1) * rho)
            documents += both[k]
            sums += both[k] * share
            sums_a += in_a[k] * share
        classes[0, c], classes[1, c], classes[2, c] = documents, sums, sums_a


def permutation(
    terms,
    indptr,
    count,
    length,
    weight,
    class_of,
    lengths,
    in_a,
    both,
    starts,
    strata_of,
    taken,
    *rest,
):
    """(T − E T)/sd T and p for the given terms, whose cells in corpus g are indptr[g, i] to indptr[g, i + 1].

    *lengths* are the sorted lengths of both corpora, *in_a* and *both* the numbers of their documents. Length class c
    is [starts[c]:starts[c + 1]] and belongs to stratum strata_of[c]; documents of class −1 are not permuted. *taken*
    of the *documents* of a stratum are in the first corpus.
    """
    most = int((indptr[:, terms + 1] - indptr[:, terms]).sum(axis=0).max(initial=0)) + starts.size
    (points, spare), order = np.empty((2, 3, most)), np.empty((2, most), np.int64)
    by, classes, w = (
        np.empty((ROWS, taken.size)),
        np.empty((3, starts.size - 1)),
        np.empty(SPACE + OUTCOMES * taken.size),
    )
    _permutation(
        terms, indptr, count, length, weight, class_of, lengths, in_a, both, starts, strata_of, taken, *rest,
        points, spare, order, by, classes, w,
    )  # fmt: skip


def _permutation(
    terms, indptr, count, length, weight, class_of, lengths, in_a, both, starts, strata_of, taken, documents, mean, rho,
    out, points, spare, order, by, classes, w,
):  # fmt: skip
    strata, all_documents, all_smaller = taken.size, 0.0, 0.0
    for s in range(strata):
        by[TAKEN, s] = taken[s]
        all_documents += documents[s]
        all_smaller += min(taken[s], documents[s] - taken[s])
    small = all_documents * all_smaller <= SMALL
    for at in range(terms.size):
        i = terms[at]
        out[i, 0], out[i, 1] = 0.0, 1.0
        if indptr[0, i + 1] - indptr[0, i] + indptr[1, i + 1] - indptr[1, i] == 0:
            continue
        for s in range(strata):  # minus those with the term: documents of the first corpus without it
            by[IN_FIRST, s] = taken[s]
        _absent(rho[i], lengths, in_a, both, starts, classes)
        size, t = _present(i, indptr, count, length, weight, class_of, mean[i], rho[i], strata_of, points, by, classes)
        own = size = grouped(points, spare, order, size, strata)
        ways, fewer = 1.0, 0.0  # `fewer`: expected documents with the term, smaller side
        for k in range(own):
            s = int(points[H, k])
            ways *= points[M, k] + 1
            fewer += points[M, k] * (min(taken[s], documents[s] - taken[s]) / documents[s])
        enumerable = ways <= OUTCOMES
        for c in range(classes.shape[1]):
            if classes[0, c] > 0:
                points[X, size], points[M, size] = -mean[i] * classes[1, c] / classes[0, c], classes[0, c]
                points[H, size] = strata_of[c]
                size += 1
        if enumerable or fewer <= RARE * (1 + SAME):
            size, first = pooled(points, own, size, by)
            t += first
        else:
            first = 0.0
            for c in range(classes.shape[1]):
                first += classes[2, c]
            t -= mean[i] * first
            if small:  # then all documents are convolved, with or without the term
                own = size = grouped(points, spare, order, size, strata)
        expected, deviation = standardised(points, size, by)
        if deviation > 0:
            t = (t - expected) / deviation
            out[i, 0] = t
            out[i, 1] = _two_sided(t, points, spare, order, own, size, by, w, enumerable, small or fewer <= COARSE)
