"""The tests of Fisher, Welch, and Mann and Whitney in plain Python: the computations of two_corpora.c."""

import math

import numpy as np

TIE = 1e-7  # relative: probabilities this close to that of the observed outcome are equal to it
NEGLIGIBLE = 1e-18  # relative to a tail: smaller summands change no digit


def _remainder(x):
    """log x! − x log x + x, the remainder of Stirling's leading terms."""
    if x <= 0:
        return 0.0
    if x < 12:
        return math.lgamma(x + 1.0) - x * math.log(x) + x
    y = 1 / (x * x)
    series = 1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188 - y * 691 / 360360))))
    return 0.5 * math.log(2 * math.pi * x) + series / x


def _deviance(observed, expected, excess):
    """x log(x/e) + e − x without cancellation; excess is e − x."""
    if observed <= 0:
        return expected
    v = excess / (observed + expected)
    if abs(v) >= 0.1:
        return observed * math.log(observed / expected) + excess
    square, series = v * v, 0.0
    for power in range(19, 1, -2):
        series = series * square + 1 / power
    return excess * v - 2 * observed * v * square * series


def _log_hypergeometric(x, n_i, n_a, n_b, margins):
    """log P(x of the n_i occurrences fall among the n_a tokens): −G²/2 of the table, and the Stirling remainders."""
    n = n_a + n_b
    n_not = n - n_i
    if x < 0 or x > n_i or x > n_a or n_i - x > n_b:
        return -math.inf
    excess = n_i * (n_a / n) - x
    g = _deviance(x, n_i * (n_a / n), excess) + _deviance(n_i - x, n_i * (n_b / n), -excess)
    g += _deviance(n_a - x, n_not * (n_a / n), -excess) + _deviance(n_b - n_i + x, n_not * (n_b / n), excess)
    cells = _remainder(x) + _remainder(n_i - x) + _remainder(n_a - x) + _remainder(n_b - n_i + x)
    return margins - g - cells


def _hypergeometric_tail(x, step, n_i, n_a, n_b):
    """[P(x) + P(x + step) + …]/P(x). step is +1 or −1, and x is beyond the mode on that side."""
    total = term = 1.0
    while True:
        if step > 0:
            term *= (n_i - x) / (x + 1) * ((n_a - x) / (n_b - n_i + x + 1))
        else:
            term *= x / (n_i - x + 1) * ((n_b - n_i + x) / (n_a - x + 1))
        x += step
        total += term
        if not term > NEGLIGIBLE * total:
            return total


def fisher(first, last, n_i_a, n_i_b, n_a, n_b, out):
    """Fisher's two-sided p of the terms first to last; counts and totals are floats, exact below 2⁵³."""
    for i in range(first, last):
        n_i, x = n_i_a[i] + n_i_b[i], n_i_a[i]
        n = n_a + n_b
        margins = _remainder(n_i) + _remainder(n - n_i) + _remainder(n_a) + _remainder(n_b) - _remainder(n)
        lowest, highest = max(0.0, n_i - n_b), min(n_i, n_a)
        mode = min(max(float(math.floor((n_i + 1) * ((n_a + 1) / (n + 2)))), lowest), highest)
        here = _log_hypergeometric(x, n_i, n_a, n_b, margins)
        bound = here + math.log1p(TIE)
        if _log_hypergeometric(mode, n_i, n_a, n_b, margins) <= bound:
            out[i] = 1.0
            continue
        side = 1.0 if x > mode else -1.0
        p = math.exp(here) * _hypergeometric_tail(x, side, n_i, n_a, n_b)
        end = lowest if side > 0 else highest
        if _log_hypergeometric(end, n_i, n_a, n_b, margins) <= bound:
            inside, outside = mode, end  # bracket of the nearest outcome beyond the mode that is at most as probable
            while abs(outside - inside) > 1:
                middle = float(math.floor((inside + outside) / 2))
                if _log_hypergeometric(middle, n_i, n_a, n_b, margins) <= bound:
                    outside = middle
                else:
                    inside = middle
            across = _log_hypergeometric(outside, n_i, n_a, n_b, margins)
            p += math.exp(across) * _hypergeometric_tail(outside, -side, n_i, n_a, n_b)
        out[i] = min(p, 1.0)


def _times(weight, j):
    return weight[0] if weight.size == 1 else weight[j]


def relative_moments(first, last, indptr, count, length, weight, documents, out):
    """Mean and sum of squared deviations of n_ij/n_j over the documents; the latter is exactly 0 if all are equal."""
    for i in range(first, last):
        total = present = 0.0
        least, most = math.inf, -math.inf
        for j in range(indptr[i], indptr[i + 1]):
            share, times = count[j] / length[j], _times(weight, j)
            total += times * share
            present += times
            least, most = min(least, share), max(most, share)
        if present < documents:
            least, most = min(least, 0.0), max(most, 0.0)
        if least == most:
            out[i, 0], out[i, 1] = least, 0.0
            continue
        mean = total / documents
        squares = (documents - present) * mean * mean
        for j in range(indptr[i], indptr[i + 1]):
            squares += _times(weight, j) * (count[j] / length[j] - mean) ** 2
        out[i, 0], out[i, 1] = mean, squares


def mann_whitney(first, last, indptr, *rest):
    """U of the first corpus and Σ t³ − t over the groups of ties, to the last array.

    The cells of corpus g are [indptr[g, i]:indptr[g, i + 1]].
    """
    most = int(np.diff(indptr[:, first : last + 1]).sum(axis=0).max(initial=0))
    cells, order = (
        np.empty((3, most)),
        np.empty((2, most), np.int64),
    )  # relative frequency, and documents in the two corpora
    _mann_whitney(first, last, indptr, *rest, cells, order)


def _mann_whitney(first, last, indptr, count, length, weight, documents_a, documents_b, out, cells, order):
    for i in range(first, last):
        size, present_a, present_b = first - first, 0.0, 0.0
        for corpus in range(2):
            for j in range(indptr[corpus, i], indptr[corpus, i + 1]):
                cells[0, size], cells[1, size], cells[2, size] = count[j] / length[j], 0.0, 0.0
                cells[1 + corpus, size] = weight[j]
                present_a += cells[1, size]
                present_b += cells[2, size]
                size += 1
        # The documents without the term are the lowest group of ties, so they need not be sorted.
        below, absent_a = documents_b - present_b, documents_a - present_a
        tied = below + absent_a
        u, ties = absent_a * below / 2, tied * tied * tied - tied
        order[0, :size] = np.argsort(cells[0, :size], kind="stable")
        k = 0
        while k < size:
            value, here_a, here_b = cells[0, order[0, k]], 0.0, 0.0
            while k < size and cells[0, order[0, k]] == value:
                here_a += cells[1, order[0, k]]
                here_b += cells[2, order[0, k]]
                k += 1
            u += here_a * (below + here_b / 2)
            below += here_b
            tied = here_a + here_b
            ties += tied * tied * tied - tied
        out[i, 0], out[i, 1] = u, ties
