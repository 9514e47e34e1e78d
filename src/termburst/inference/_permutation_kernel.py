"""The compiled permutation test: how a term's score would fall if the documents were dealt to the corpora at random.

Where few documents have the term, all others count with their mean score: T is then its expectation given where the
term's own documents are. Documents that no permutation moves, their stratum being in one corpus as a whole, are left
out beforehand. `_points_kernel` says what *points*, *spare* and *by* are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from termburst._compiled import compiled, inlined
from termburst.inference._lattice_kernel import OUTCOMES, SPACE, enumerated, lattice
from termburst.inference._points_kernel import IN_FIRST, ROWS, SAME, TAKEN, H, M, X, grouped, pooled, standardised
from termburst.inference._saddlepoint_kernel import at_the_end, saddlepoint
from termburst.inference._sorting_kernel import argsort

RARE = 2.0  # documents with the term expected on the smaller side: below, most outcomes would differ by lengths alone
COARSE = 8.0  # as many leave T gaps that the saddlepoint does not know of
SMALL = 4096  # documents × those of the smaller corpus: so few and T is convolved document by document
FAINT = 1e-25  # tails that a lattice cut off at 64 documents may not reach


@inlined
def _two_sided(t, points, spare, order, own, size, by, w, enumerable, coarse):  # type: ignore[no-untyped-def]
    """Twice the smaller of P(T < t) and P(T > t), each with P(T = t)/2."""
    if enumerable:
        return min(1.0, 2 * enumerated(t, points, spare, own, size, by, w))
    if coarse:
        tail = lattice(t, points, spare, own, size, by, w)
        if tail > FAINT:
            return min(1.0, 2 * tail)
    argsort(points, size, order)
    end = at_the_end(t, 1.0, points, order, size, by)
    if end < 0:
        end = at_the_end(t, -1.0, points, order, size, by)
    if end >= 0:
        return min(1.0, end)
    return math.erfc(abs(saddlepoint(t, points, spare, size, by)) / math.sqrt(2.0))


@inlined
def _present(i, indptr, count, length, weight, class_of, mean, rho, strata_of, points, by, classes):  # type: ignore[no-untyped-def]
    """The points of the documents that have the term; they are taken out of the *classes* of length.

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


@inlined
def _absent(rho, lengths, in_a, both, starts, classes):  # type: ignore[no-untyped-def]
    """All documents of each class of length, the sum of n_j/(1 + (n_j − 1) ρ) over them, and over the first corpus."""
    for c in range(classes.shape[1]):
        documents = sums = sums_a = 0.0
        for k in range(starts[c], starts[c + 1]):
            share = lengths[k] / (1 + (lengths[k] - 1) * rho)
            documents += both[k]
            sums += both[k] * share
            sums_a += in_a[k] * share
        classes[0, c], classes[1, c], classes[2, c] = documents, sums, sums_a


def permutation(
    terms: Any,
    indptr: Any,
    count: Any,
    length: Any,
    weight: Any,
    class_of: Any,
    lengths: Any,
    in_a: Any,
    both: Any,
    starts: Any,
    strata_of: Any,
    taken: Any,
    *rest: Any,
) -> None:
    """(T − E T)/sd T and p for the given terms, whose cells in corpus g are indptr[g, i] to indptr[g, i + 1].

    *lengths* are those of both corpora in increasing order, *in_a* and *both* their documents; class c of lengths is
    [starts[c]:starts[c + 1]], and lies in stratum strata_of[c]; documents of class −1 stay where they are. *taken* is
    how many of a stratum's *documents* are in the first.
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


@compiled
def _permutation(  # type: ignore[no-untyped-def]
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
        for s in range(strata):  # less those with the term: the documents of the first corpus without it
            by[IN_FIRST, s] = taken[s]
        _absent(rho[i], lengths, in_a, both, starts, classes)
        size, t = _present(i, indptr, count, length, weight, class_of, mean[i], rho[i], strata_of, points, by, classes)
        own = size = grouped(points, spare, order, size, strata)
        ways, fewer = 1.0, 0.0  # with the term, expected on the smaller side
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
            if small:  # all documents are convolved then, whether they have the term or not
                own = size = grouped(points, spare, order, size, strata)
        expected, deviation = standardised(points, size, by)
        if deviation > 0:
            t = (t - expected) / deviation
            out[i, 0] = t
            out[i, 1] = _two_sided(t, points, spare, order, own, size, by, w, enumerable, small or fewer <= COARSE)
