"""The computations of core/bursts.c in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

ENUMERATED = 11  # largest number of documents for which all 2^b assignments are enumerated
LATTICE = 8192  # largest number of steps of the sum of scores on a lattice
SPACE = LATTICE + 8  # largest number of outcomes, plus one per burst for rounding
FINEST = 32  # largest number of steps in the smallest score
NEAR = 0.05  # in standard deviations: distances from the mean that differ by less are equal


def group_shares(c, lengths, documents, alpha, alpha_0, mean, scratch, out):  # noqa: PLR0912
    """The probability that a burst of size c falls into each group: Σ_g P(c | n_j) / Σ P(c | n_j), to *out*.

    Returns E[n_j/(α_0 + n_j) | c], which `burst_score` needs.
    P is the beta-binomial pmf (at α_0 = inf the binomial pmf); factors that do not depend on n_j cancel. The columns of
    *documents* are groups: the number of documents of each length.
    """
    top = -math.inf
    for k in range(lengths.size):
        length = lengths[k]
        if length < c:
            scratch[k] = -math.inf
            continue
        value = 0.0
        if c <= 8:
            for q in range(c):
                value += math.log(length - q)
        else:
            value = math.lgamma(length + 1) - math.lgamma(length - c + 1)
        if alpha_0 > 1e9 * length:
            value += (length - c) * math.log1p(-mean)
        else:
            value += math.lgamma(length - c + (alpha_0 - alpha)) - math.lgamma(length + alpha_0)
        scratch[k] = value
        top = max(top, value)
    bound = total = 0.0
    for g in range(out.size):
        out[g] = documents[lengths.size - 1, g] if top == -math.inf else 0.0
        total += out[g]
    if top == -math.inf:  # the burst is longer than the mean of the longest class, so it must be in that class
        for g in range(out.size):
            out[g] /= total
        return c / (alpha_0 + c)
    for k in range(lengths.size):
        weight = math.exp(scratch[k] - top)
        for g in range(out.size):
            here = documents[k, g] * weight
            out[g] += here
            total += here
            bound += here * lengths[k] / (alpha_0 + lengths[k])
    for g in range(out.size):
        out[g] /= total
    return bound / total


def burst_score(c, alpha, bound, kappa):
    """c (1 − κ E[n_j/(α_0 + n_j)]) − (1 − κ) Σ_{q<c} q/(α + q): the derivative of log P(c) in log π.

    The part of documents without the term is left out, because it is constant. At κ = 0 the score tends to 1 for a
    burst of any size as α → 0, and to c as α → ∞.
    """
    repeats = 0.0
    for q in range(1, c):
        repeats += q / (alpha + q)
    return c * (1 - kappa * bound) - (1 - kappa) * repeats


def mid_p(size, scores, shares, in_first, values, mass):
    """Two-sided mid-p of T = Σ_k score_k I_k, I_k ~ Bernoulli(share_k) independent; observed is I = *in_first*.

    P(|T − E T| > |t − E T|) + ½ P(|T − E T| = |t − E T|), over the first *size* of each. All assignments are
    enumerated if there are few; otherwise scores are rounded to a lattice. Distances that hardly differ count as equal,
    so that a split into almost equal halves is treated like a split into equal halves. *values* and *mass* are scratch
    space for SPACE + *size* outcomes.
    """
    if size <= ENUMERATED:
        values[0], mass[0] = 0.0, 1.0
        known, mean, variance, observed = 1, 0.0, 0.0, 0.0
        for k in range(size):
            score, share = scores[k], shares[k]
            mean += score * share
            variance += score * score * share * (1 - share)
            observed += score if in_first[k] else 0.0
            for s in range(known):
                values[known + s] = values[s] + score
                mass[known + s] = mass[s] * share
                mass[s] *= 1 - share
            known *= 2
    else:
        known, mean, variance, observed = _on_lattice(size, scores, shares, in_first, mass)
        for s in range(known):
            values[s] = s
    near = NEAR * math.sqrt(variance)
    distance = abs(observed - mean)
    equal = further = 0.0
    for s in range(known):
        other = abs(values[s] - mean)
        if other > distance + near:
            further += mass[s]
        elif other >= distance - near:
            equal += mass[s]
    return min(further + 0.5 * equal, 1.0)


def _on_lattice(size, scores, shares, in_first, mass):
    """The distribution of T on a lattice, to *mass*: its steps, and its mean, variance and observed value in steps.

    T is the sum of the corpus with the smaller expected value. It is cut off at a value that it hardly ever reaches;
    the mass above is put there.
    """
    total = expected = most = 0.0
    least = math.inf
    for k in range(size):
        total += scores[k]
        expected += scores[k] * shares[k]
        least, most = min(least, scores[k]), max(most, scores[k])
    flip = expected > total / 2
    mean = variance = observed = 0.0
    for k in range(size):
        share = 1 - shares[k] if flip else shares[k]
        mean += scores[k] * share
        variance += scores[k] * scores[k] * share * (1 - share)
        observed += scores[k] if in_first[k] != flip else 0.0
    reach = min(total, max(2 * mean - observed, observed, mean + 10 * math.sqrt(variance)) + most)
    step = max(least / FINEST, reach / LATTICE)
    mean = variance = 0.0
    seen = highest = 0  # of rounded scores, whose sum may exceed that of the scores
    for k in range(size):
        share = 1 - shares[k] if flip else shares[k]
        rounded = round(scores[k] / step)
        mean += rounded * share
        variance += float(rounded) * rounded * share * (1 - share)
        seen += rounded if in_first[k] != flip else 0
        highest += rounded
    last, at = min(highest, max(int(reach / step) + 2, seen + 1)), 0
    for s in range(last + 1):
        mass[s] = 0.0
    mass[0] = 1.0
    for k in range(size):
        share = 1 - shares[k] if flip else shares[k]
        rounded = round(scores[k] / step)
        for s in range(at, -1, -1):
            moved = mass[s] * share
            mass[s] -= moved
            mass[min(s + rounded, last)] += moved
        at = min(at + rounded, last)
    return last + 1, mean, variance, float(seen)


def _bursts(i, kappa, indptr, count, weight, lengths, documents, alpha, alpha_0, mean, scratch, scores, shares, group):
    """Score, shares and group of each burst of term i, to the given arrays. Returns their number."""
    size, groups = 0, documents.shape[1]
    for g in range(groups):
        for j in range(indptr[g, i], indptr[g, i + 1]):
            c, same = count[j], -1
            for known in range(size):  # a term has few distinct burst sizes, and most are 1
                if scores[known, 1] == c:
                    same = known
                    break
            if same < 0:
                bound = group_shares(c, lengths, documents, alpha, alpha_0, mean, scratch, shares[size])
                scores[size, 0], scores[size, 1] = burst_score(c, alpha, bound, kappa), c
                same = size
            for _ in range(int(weight[j])):
                scores[size, 0], scores[size, 1] = scores[same, 0], c
                for other in range(groups):
                    shares[size, other] = shares[same, other]
                group[size] = g
                size += 1
    return size


def _scratch(b_i: Any, documents: Any) -> Any:
    """Scratch space for `_bursts`: one number per length, then scores, shares and group of each burst."""
    most, (lengths, groups) = int(b_i.max(initial=1)), documents.shape
    return np.empty(lengths), np.empty((most, 2)), np.empty((most, groups)), np.empty(most, np.int64)


def reference_terms(
    terms: Any, kappa: Any, indptr: Any, count: Any, weight: Any, b_i: Any, lengths: Any, documents: Any, *rest: Any
) -> None:
    """The two-sided mid-p of the given terms, from the total score of their bursts in the first of two corpora.

    Terms with at least *enough* expected bursts in each corpus keep their p-value.
    """
    scratch = _scratch(b_i[terms], documents)
    most = scratch[-1].size
    own, ways = np.empty((2, most)), np.empty((2, SPACE + most))
    _reference_terms(
        terms, kappa, indptr, count, weight, lengths, documents, *rest, *scratch, *own, np.empty(most, np.bool_), *ways
    )


def _reference_terms(
    terms, kappa, indptr, count, weight, lengths, documents, alpha, alpha_0, mean, enough, out,
    scratch, scores, shares, group, score, share, in_first, values, mass,
):  # fmt: skip
    for k in range(terms.size):
        i = terms[k]
        size = _bursts(i, kappa, indptr, count, weight, lengths, documents, alpha[i], alpha_0[i], mean[i],
                       scratch, scores, shares, group)  # fmt: skip
        expected = 0.0
        for s in range(size):
            expected += shares[s, 0]
            score[s], share[s], in_first[s] = scores[s, 0], shares[s, 0], group[s] == 0
        if min(expected, size - expected) < enough:
            out[i] = mid_p(size, score, share, in_first, values, mass)


def drawn_terms(
    terms: Any,
    kappa: Any,
    indptr: Any,
    count: Any,
    weight: Any,
    b_i: Any,
    lengths: Any,
    documents: Any,
    alpha: Any,
    alpha_0: Any,
    mean: Any,
    draws: Any,
    seeds: Any,
    out: Any,
) -> None:
    """(½ + #{Q* > Q} + ½ #{Q* = Q})/(draws + 1), Q = Σ_g (S_g − E S_g)²/E S_g, for randomly assigned bursts."""
    scratch, (mean_score, sums) = _scratch(b_i[terms], documents), np.empty((2, documents.shape[1]))
    for i in terms.tolist():
        # The random numbers are made here and passed on.
        numbers = np.random.RandomState(seeds[i]).random_sample(draws * int(b_i[i]))
        out[i] = _drawn(
            i, kappa, indptr, count, weight, lengths, documents, alpha[i], alpha_0[i], mean[i], draws, numbers,
            *scratch, mean_score, sums,
        )  # fmt: skip


def _drawn(
    i, kappa, indptr, count, weight, lengths, documents, alpha, alpha_0, mean, draws, numbers,
    scratch, scores, shares, group, mean_score, sums,
):  # fmt: skip
    groups, drawn = documents.shape[1], 0
    size = _bursts(i, kappa, indptr, count, weight, lengths, documents, alpha, alpha_0, mean, scratch, scores, shares,
                   group)  # fmt: skip
    for g in range(groups):
        mean_score[g] = 0.0
    for s in range(size):
        for g in range(groups):
            mean_score[g] += scores[s, 0] * shares[s, g]
    reached, observed = 0.5, 0.0
    for draw in range(draws + 1):
        for g in range(groups):
            sums[g] = 0.0
        for s in range(size):
            g = group[s]
            if draw > 0:
                u = numbers[drawn]
                drawn += 1
                g = 0
                while g < groups - 1 and u > shares[s, g]:
                    u -= shares[s, g]
                    g += 1
            sums[g] += scores[s, 0]
        value = 0.0
        for g in range(groups):
            value += (sums[g] - mean_score[g]) ** 2 / max(mean_score[g], 1e-300)
        if draw == 0:
            observed = value
        elif value >= observed - 1e-9 * (1 + observed):
            reached += 1.0 if value > observed + 1e-9 * (1 + observed) else 0.5
    return reached / (draws + 1)
