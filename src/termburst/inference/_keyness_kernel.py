"""Compiled reference distribution of keyness for terms in few documents."""

from __future__ import annotations

import math

import numpy as np

from termburst._compiled import compiled

ENUMERATED = 11  # documents with the term up to which all 2^b assignments are listed
LATTICE = 8192  # steps that the sum of scores is divided into beyond, at the most
FINEST = 32  # steps in the smallest score
NEAR = 0.05  # standard deviations within which two distances from the mean count as equal


@compiled
def group_shares(c, lengths, documents, alpha, alpha_0, mean, scratch, out):  # type: ignore[no-untyped-def]
    """The probabilities that a burst of size c falls into each group: Σ_g P(c | n_j) / Σ P(c | n_j), to *out*.

    Returned is E[n_j/(α_0 + n_j) | c], for `burst_score`.
    P is the beta-binomial pmf, the binomial's at α_0 = inf; what does not depend on n_j cancels. *documents* has the
    groups' documents of each length in its columns.
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
    out[:] = 0.0
    if top == -math.inf:  # a burst longer than the mean of the longest class: it can only have been there
        out[:] = documents[lengths.size - 1]
        out /= out.sum()
        return c / (alpha_0 + c)
    bound = 0.0
    for k in range(lengths.size):
        weight = math.exp(scratch[k] - top)
        for g in range(out.size):
            out[g] += documents[k, g] * weight
            bound += documents[k, g] * weight * lengths[k] / (alpha_0 + lengths[k])
    bound /= out.sum()
    out /= out.sum()
    return bound


@compiled
def burst_score(c, alpha, bound, kappa):  # type: ignore[no-untyped-def]
    """c (1 − κ E[n_j/(α_0 + n_j)]) − (1 − κ) Σ_{q<c} q/(α + q): the derivative of log P(c) in log π.

    What documents without the term share is left out. At κ = 0 it is 1 for a burst however long as α → 0, c as α → ∞.
    """
    repeats = 0.0
    for q in range(1, c):
        repeats += q / (alpha + q)
    return c * (1 - kappa * bound) - (1 - kappa) * repeats


@compiled
def mid_p(scores, shares, in_first):  # type: ignore[no-untyped-def]
    """Two-sided mid-p of T = Σ_k score_k I_k, I_k ~ Bernoulli(share_k) independent; the observed T has I = *in_first*.

    P(|T − E T| > |t − E T|) + ½ P(|T − E T| = |t − E T|). All assignments are listed where there are few; beyond,
    scores are rounded to a lattice, and T is the sum of those. Distances that differ by next to nothing count as equal,
    so that a split in not quite equal halves is treated like one in equal ones.
    """
    size = scores.size
    if size <= ENUMERATED:
        total, mass = np.empty(2**size), np.empty(2**size)
        total[0], mass[0] = 0.0, 1.0
        known, mean, variance, observed = 1, 0.0, 0.0, 0.0
        for k in range(size):
            mean += scores[k] * shares[k]
            variance += scores[k] ** 2 * shares[k] * (1 - shares[k])
            observed += scores[k] if in_first[k] else 0.0
            for s in range(known):
                total[known + s] = total[s] + scores[k]
                mass[known + s] = mass[s] * shares[k]
                mass[s] *= 1 - shares[k]
            known *= 2
    else:
        mass, mean, variance, observed = _on_lattice(scores, shares, in_first)
        total = np.arange(mass.size).astype(np.float64)
    near = NEAR * math.sqrt(variance)
    distance = abs(observed - mean)
    equal = further = 0.0
    for s in range(mass.size):
        other = abs(total[s] - mean)
        if other > distance + near:
            further += mass[s]
        elif other >= distance - near:
            equal += mass[s]
    return min(further + 0.5 * equal, 1.0)


@compiled
def _on_lattice(scores, shares, in_first):  # type: ignore[no-untyped-def]
    """The distribution of T on a lattice, and its mean, variance and observed value in steps of that.

    T is of the corpus that can expect less of it, and cut off where it can hardly come: what is beyond is put there.
    """
    flip = (scores * shares).sum() > scores.sum() / 2
    mean = variance = observed = 0.0
    for k in range(scores.size):
        share = 1 - shares[k] if flip else shares[k]
        mean += scores[k] * share
        variance += scores[k] ** 2 * share * (1 - share)
        observed += scores[k] if in_first[k] != flip else 0.0
    reach = min(scores.sum(), max(2 * mean - observed, observed, mean + 10 * math.sqrt(variance)) + scores.max())
    step = max(scores.min() / FINEST, reach / LATTICE)
    mass = np.zeros(int(reach / step) + 3)
    mass[0] = 1.0
    last, at = mass.size - 1, 0
    mean = variance = 0.0
    seen = 0
    for k in range(scores.size):
        share = 1 - shares[k] if flip else shares[k]
        rounded = round(scores[k] / step)
        mean += rounded * share
        variance += float(rounded) * rounded * share * (1 - share)
        seen += rounded if in_first[k] != flip else 0
        for s in range(at, -1, -1):
            moved = mass[s] * share
            mass[s] -= moved
            mass[min(s + rounded, last)] += moved
        at = min(at + rounded, last)
    return mass, mean, variance, float(seen)


@compiled
def _bursts(  # type: ignore[no-untyped-def]
    i, groups, kappa, indptr, count, weight, lengths, documents, alpha, alpha_0, mean, scratch, scores, shares, group
):
    """Score, shares and group of every burst of term i, to the arrays given; how many there are."""
    size = 0
    for g in range(groups):
        for j in range(indptr[g, i], indptr[g, i + 1]):
            c, same = count[j], -1
            for known in range(size):  # a term has few sizes of burst, and most are 1
                if scores[known, 1] == c:
                    same = known
                    break
            if same < 0:
                bound = group_shares(c, lengths, documents, alpha, alpha_0, mean, scratch, shares[size])
                scores[size, 0], scores[size, 1] = burst_score(c, alpha, bound, kappa), c
                same = size
            for _ in range(int(weight[j])):
                scores[size] = scores[same]
                shares[size] = shares[same]
                group[size] = g
                size += 1
    return size


@compiled
def reference_terms(terms, kappa, indptr, count, weight, b_i, lengths, documents, alpha, alpha_0, mean, enough, out):  # type: ignore[no-untyped-def]
    """The two-sided mid-p of the given terms, from the score of their bursts in the first of two corpora.

    Terms with *enough* bursts expected in either corpus are left as they were.
    """
    most = 1
    for k in range(terms.size):
        most = max(most, b_i[terms[k]])
    scores, shares, group = np.empty((most, 2)), np.empty((most, 2)), np.empty(most, dtype=np.int64)
    scratch = np.empty(lengths.size)
    for k in range(terms.size):
        i = terms[k]
        size = _bursts(i, 2, kappa, indptr, count, weight, lengths, documents, alpha[i], alpha_0[i], mean[i],
                       scratch, scores, shares, group)  # fmt: skip
        expected = shares[:size, 0].sum()
        if min(expected, size - expected) < enough:
            out[i] = mid_p(scores[:size, 0].copy(), shares[:size, 0].copy(), group[:size] == 0)


@compiled
def drawn_terms(terms, kappa, indptr, count, weight, b_i, lengths, documents, alpha, alpha_0, mean, draws, seeds, out):  # type: ignore[no-untyped-def]
    """(½ + #{Q* > Q} + ½ #{Q* = Q})/(draws + 1), Q = Σ_g (S_g − E S_g)²/E S_g of the bursts' scores, drawn anew."""
    groups, most = documents.shape[1], 1
    for k in range(terms.size):
        most = max(most, b_i[terms[k]])
    scores, shares, group = np.empty((most, 2)), np.empty((most, groups)), np.empty(most, dtype=np.int64)
    scratch, mean_score, sums = np.empty(lengths.size), np.empty(groups), np.empty(groups)
    for k in range(terms.size):
        i = terms[k]
        size = _bursts(i, groups, kappa, indptr, count, weight, lengths, documents, alpha[i], alpha_0[i], mean[i],
                       scratch, scores, shares, group)  # fmt: skip
        mean_score[:] = 0.0
        for s in range(size):
            for g in range(groups):
                mean_score[g] += scores[s, 0] * shares[s, g]
        np.random.seed(seeds[i])  # noqa: NPY002  Numba has no generators of its own; this state is the thread's
        reached, observed = 0.5, 0.0
        for draw in range(draws + 1):
            sums[:] = 0.0
            for s in range(size):
                g = group[s]
                if draw > 0:
                    u = np.random.random()  # noqa: NPY002
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
                reached += 1 if value > observed + 1e-9 * (1 + observed) else 0.5
        out[i] = reached / (draws + 1)
