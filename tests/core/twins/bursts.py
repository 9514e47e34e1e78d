"""The computations of core/bursts.c in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

WAYS = 2048  # largest number of assignments that are enumerated
LATTICE = 8192  # largest number of steps of the sum of scores on a lattice
CROWDED = 1 << 16  # largest number of cells of a lattice of sums and numbers of bursts
FINEST, CROWDED_FINEST = 32, 8  # largest number of steps in the smallest score
BEYOND = 8  # bursts that a lattice of numbers has beyond ten standard deviations
NEAR = 0.05  # in standard deviations: sums that differ by less are equal
ALIKE = 0.1  # relative: tails of both sides that differ by less are equal
SPARSE = 0.004  # share of a document's chance to have the term, below which bursts hardly exclude each other


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


def mid_p(scores, shares, in_first, kinds=None, crowding=None):
    """Two-sided p of T = Σ_k score_k I_k, and the smallest that is possible; see `core.bursts.mid_p`.

    *kinds* numbers bursts with equal scores and shares, which decides whether assignments are enumerated.
    """
    size = len(scores)
    if sum(scores) == 0:
        return 1.0, 1.0
    kinds = np.arange(size) if kinds is None else np.asarray(kinds)
    if math.prod(int(np.sum(kinds == k)) + 1 for k in np.unique(kinds)) <= WAYS:
        values, mass = np.zeros(1), np.ones(1)
        number = np.zeros(1, int)
        for score, share in zip(scores, shares, strict=True):
            values = np.append(values, values + score)
            mass = np.append(mass * (1 - share), mass * share)
            number = np.append(number, number + 1)
        seen, total = float(np.sum(scores * in_first)), float(np.sum(scores))
        order = np.argsort(values, kind="stable")
        values, mass, number = values[order], mass[order], number[order]
        if crowding is not None:
            mass = mass * crowding[number]
    else:
        values, mass, seen, total = _on_lattice(scores, shares, in_first, crowding)
    mass = mass / mass.sum()
    mean = float(values @ mass)
    near = max(NEAR * math.sqrt(float(mass @ (values - mean) ** 2)), 1e-9 * total)
    excess = min(max(1.3 + 0.7 * (size - 3) / 9, 1.3), 2.0)
    p = _p_at(seen, values, mass, near, excess)
    held = values[mass > 0]
    return p, min(p, _p_at(held[0], values, mass, near, excess), _p_at(held[-1], values, mass, near, excess))


def _p_at(t, values, mass, near, excess):
    """Outcomes with a smaller tail, on either side, and half of those with about the same tail."""

    def tail(x, side):
        beyond = mass[values < x - near] if side < 0 else mass[values >= x + near]
        return math.fsum(beyond) + 0.5 * math.fsum(mass[(values >= x - near) & (values < x + near)])

    side = 1 if tail(t, 1) < tail(t, -1) else -1
    here = tail(t, side)
    own = values >= t - near if side > 0 else values < t + near
    far = values >= t + near if side > 0 else values < t - near
    opposite = np.zeros(values.size)
    for at in np.flatnonzero(~own):
        opposite[at] = tail(values[at], -side)
    further = math.fsum(mass[far]) + math.fsum(mass[~own & (opposite <= here * (1 - ALIKE))])
    reached = math.fsum(mass[own]) + math.fsum(mass[~own & (opposite <= here * (1 + ALIKE))])
    return min(max((further + reached) / 2, reached / excess), 1.0)


def _on_lattice(scores, shares, in_first, crowding):
    """The distribution of the sum of the corpus with the smaller expected value, on a lattice: steps, masses, observed.

    It is cut off at a value that it hardly ever reaches; the mass above is put there.
    """
    size, total = len(scores), float(np.sum(scores))
    flip = np.sum(scores * shares) > total / 2
    share, inside = (1 - shares, ~in_first) if flip else (shares, in_first)
    mean, variance = np.sum(scores * share), np.sum(scores**2 * share * (1 - share))
    observed = np.sum(scores * inside)
    reach = min(total, max(2 * mean - observed, observed, mean + 10 * math.sqrt(variance)) + scores.max())
    fill = share.sum() + 10 * math.sqrt(np.sum(share * (1 - share))) + BEYOND
    most = min(size, max(int(inside.sum()) + 1, int(min(fill, size))))
    rows, cells, finest = (1, LATTICE, FINEST) if crowding is None else (most + 1, CROWDED, CROWDED_FINEST)
    step = max(scores.min() / finest, reach / max(cells // rows - 4, 1))
    jumps = np.rint(scores / step).astype(int)
    seen = int(jumps[inside].sum())
    last = min(int(jumps.sum()), max(int(reach / step) + 2, seen + 1))
    mass = np.zeros((size + 1, last + 1))
    mass[0, 0] = 1.0
    for p, jump in zip(share, jumps, strict=True):
        moved = np.zeros_like(mass)
        moved[1:, jump:] = mass[:-1, : last + 1 - jump]
        moved[1:, last] += mass[:-1, max(last + 1 - jump, 0) :].sum(axis=1)
        mass = mass * (1 - p) + moved * p
    if crowding is not None:
        mass = (mass * (crowding[::-1] if flip else crowding)[:, None])[: most + 1]
    return np.arange(last + 1.0), mass.sum(axis=0), float(seen), float(jumps.sum())


def left(size, lengths, documents, alpha, alpha_0, mean):
    """What 0 to *size* bursts leave of the chance of a group, groups × numbers; None if bursts are few."""
    if alpha_0 == math.inf:
        none = lengths * math.log1p(-mean)
    else:
        rest = alpha_0 - alpha
        none = np.array([math.lgamma(n + rest) - math.lgamma(n + alpha_0) for n in lengths])
        none += math.lgamma(alpha_0) - math.lgamma(rest)
    some = -np.expm1(none)
    first, second, held = some @ documents, some**2 @ documents, documents.sum(axis=0)
    if second.sum() <= SPARSE * first.sum():
        return None
    power = np.maximum(held * second / first**2, 1.0)
    free = np.maximum(1 - np.arange(size + 1) / held[:, None], 0.0)
    return free ** power[:, None] / ((1 - first / held) ** power)[:, None]


def crowding(size, lengths, documents, alpha, alpha_0, mean):
    """The factor of P(x bursts in the first of two groups), x = 0 to *size*; None if bursts are few."""
    of = left(size, lengths, documents, alpha, alpha_0, mean)
    if of is None:
        return None
    with np.errstate(divide="ignore"):
        in_a, in_b = (np.append(0.0, np.cumsum(np.log(row[:-1]))) for row in of)
    value = in_a + in_b[::-1]
    return np.exp(value - value.max())


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


def _of_term(i, kappa, indptr, count, weight, b_i, lengths, documents, model):
    """The scores, counts, shares and groups of the bursts of term i."""
    most, (classes, groups) = int(b_i[i]), documents.shape
    scores, shares, group = np.empty((most, 2)), np.empty((most, groups)), np.empty(most, np.int64)
    size = _bursts(
        i, kappa, indptr, count, weight, lengths, documents, *model, np.empty(classes), scores, shares, group
    )
    assert size == most
    return scores[:, 0].copy(), scores[:, 1].astype(int), shares, group


def reference_terms(
    terms: Any, kappa: Any, indptr: Any, count: Any, weight: Any, b_i: Any, lengths: Any, documents: Any, alpha: Any,
    alpha_0: Any, mean: Any, enough: Any, out: Any, least: Any,
) -> None:  # fmt: skip
    """The two-sided p of the given terms, from the total score of their bursts in the first of two corpora.

    Terms with at least *enough* expected bursts in each corpus keep their p-value.
    """
    for i in terms.tolist():
        model = alpha[i], alpha_0[i], mean[i]
        scores, counts, shares, group = _of_term(i, kappa, indptr, count, weight, b_i, lengths, documents, model)
        expected = shares[:, 0].sum()
        if min(expected, scores.size - expected) < enough:
            factors = crowding(scores.size, lengths, documents, *model)
            out[i], least[i] = mid_p(scores, shares[:, 0], group == 0, counts, factors)


def drawn_terms(
    terms: Any, kappa: Any, indptr: Any, count: Any, weight: Any, b_i: Any, lengths: Any, documents: Any, alpha: Any,
    alpha_0: Any, mean: Any, draws: Any, seeds: Any, out: Any,
) -> None:  # fmt: skip
    """(½ + #{Q* > Q} + ½ #{Q* = Q})/(draws + 1), Q = Σ_g (S_g − E S_g)²/E S_g, for randomly assigned bursts."""
    for i in terms.tolist():
        model = alpha[i], alpha_0[i], mean[i]
        scores, counts, shares, group = _of_term(i, kappa, indptr, count, weight, b_i, lengths, documents, model)
        of = left(scores.size, lengths, documents, *model)
        order = np.argsort(-counts, kind="stable")
        numbers = iter(np.random.RandomState(seeds[i]).random_sample(draws * scores.size).tolist())
        out[i] = _drawn(scores[order], shares[order], group[order], of, draws, numbers)


def _drawn(scores, shares, group, of, draws, numbers):
    groups, expected = shares.shape[1], scores @ shares
    reached, observed = 0.5, 0.0
    for draw in range(draws + 1):
        sums, held = np.zeros(groups), np.zeros(groups, int)
        for s, score in enumerate(scores):
            g = group[s]
            if draw > 0:
                chance = shares[s] if of is None else shares[s] * of[np.arange(groups), held]
                u, g = next(numbers) * (1.0 if of is None else sum(chance.tolist())), 0
                while g < groups - 1 and u > chance[g]:
                    u -= chance[g]
                    g += 1
            held[g] += 1
            sums[g] += score
        value = np.sum((sums - expected) ** 2 / np.maximum(expected, 1e-300))
        if draw == 0:
            observed = value
        elif value >= observed - 1e-9 * (1 + observed):
            reached += 1.0 if value > observed + 1e-9 * (1 + observed) else 0.5
    return reached / (draws + 1)
