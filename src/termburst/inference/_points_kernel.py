"""A term's documents as the permutation test sees them: points, and strata that they belong to.

A *point* is a score x, how many documents have it, and their stratum. First come the points of the documents that have
the term, then those of the classes of length of the documents that lack it. Scores are centred in every stratum and
scaled so that T, the sum over the first corpus, has variance 1.

*points* has the rows X, M, H; *spare* is as large. *by* has a row, named below, for each thing that there is one of a
stratum; the functions fill what they need beyond TAKEN. So few arrays, and none made on the way, since every array that
is passed on or made takes long to compile.
"""

from __future__ import annotations

import math

from termburst._compiled import inner
from termburst.inference._sorting_kernel import argsort

SAME = 1e-9  # of T's standard deviation: closer sums are equal
X, M, H = range(3)
# TAKEN documents of a stratum are in the first corpus, IN_FIRST of them without the term
TAKEN, IN_FIRST, DOCUMENTS, MEAN, SQUARES = range(5)
OTHERS, SIDE, SIGN, P, DEPTH, FALLS, RISES, LEAST, MOST = range(5, 14)  # of the enumeration and the lattice
LEFT, LAST, TIED, NEED = range(5, 9)  # of the end
START, LEVEL, ZERO, ONE, GAP, MOVE = range(5, 11)  # of the saddlepoint
ROWS = 14


@inner
def grouped(points, spare, order, size, strata):  # type: ignore[no-untyped-def]
    """Merge equal scores within a stratum, in place; returns how many are left, sorted by stratum, then score."""
    argsort(points, size, order)
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


@inner
def standardised(points, size, by):  # type: ignore[no-untyped-def]
    """Centre the scores by stratum and scale them for T to have variance 1, in place; returns E T and its deviation."""
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
    if deviation <= 1e-12 * largest:  # rounding, no more: every way of dealing gives the same T
        return expected, 0.0
    for k in range(size):
        points[X, k] /= deviation
    return expected, deviation


@inner
def pooled(points, own, size, by):  # type: ignore[no-untyped-def]
    """Give the points from *own* on their stratum's mean, one point a stratum, in place.

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


@inner
def log_choose(n, k):  # type: ignore[no-untyped-def]
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
