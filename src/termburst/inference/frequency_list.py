"""Keyness against a list of frequencies: a reference of which only the totals n_i are known, not the documents.

How much of n_i is evidence depends on how many documents it comes from, which a list does not say. So the documents of
the reference are filled in, several times, and each time the corpora are compared as if those were the documents. The
z-values of the terms then vary. The p that is reported belongs to the 99 % limit of z, the one nearest to 0: with the
documents at hand, p should be larger in about one of a hundred terms at most (docs/keyness.md has what was measured).

To fill in documents, the precision α_0 of a term is borrowed. The fits of A give a trend of log α_0 with frequency, and
how far terms lie from it. A term with enough documents in A has its own estimate, too, combined with the trend by their
variances, or alone if it is burstier. Each time, log α_0 is drawn from that normal distribution. Given α_0, the n_i
tokens are dealt to documents by Pólya's urn, which is the distribution of beta-binomial counts of a rare term given
their sum. Long documents get more or less of a term if they do in A. A term that many documents of A contain is filled
in with such documents, drawn with replacement. The documents have lengths like those of A. If their number is not
known, there may be fewer and longer ones, so the reference counts as if it had only half of its size. Twice more the
documents are filled in with a low α_0, its 1 % quantile, and p is at least what they give.

Single documents may still contain far more of a term than any such model expects. How much that matters is found out
with A: its documents are dealt into two parts, one is collapsed to a list, and what |z| then has too much, but for a
few terms in a thousand, is taken from all |z|.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from termburst.inference import distributions as stats
from termburst.inference.keyness import Keyness, keyness
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.statistics.tally import Integers, tally

Floats = NDArray[np.float64]

NAME = "frequency list"  # in the column `reference`
DRAWS = 6  # times that the documents of the reference are filled in with a random precision
CAUTIOUS = 2  # more times, with a low precision
CAUTION = 2.326  # standard deviations by which that is below the mean: the 1 % quantile
UNKNOWN = 0.5  # of its size: a reference whose number of documents is not known
MOST = 20.0  # times the tokens of A: a larger reference counts as if it had this size
LIMIT = 0.01  # probability that p with the documents is larger
MANY = 60  # documents with the term from which they are drawn themselves
ALIKE = 1.5  # mean lengths of documents that differ by less than this factor are alike
OWN = 5  # documents with the term from which A's own estimate is used
BAND = 200  # terms of similar frequency that define the trend at a point
OFTEN = 4_000  # occurrences from which a term is dealt out at once
LEAST = 1.645  # a smaller |z| (p above 0.1) says nothing, and p is reported as 1
EDGES = (5, 20, 100, 1_000)  # bands of occurrences in A, for `_excess`
TOLERATED = 0.004  # share of the terms of A in which |z| may exceed that with documents
UNKNOWN_EXCESS = 1.5  # taken from |z| if A is too small to find out
FEWEST = 30  # documents of A from which it is large enough
CLASSES = 8  # of document length; in each, a term may have another share
PRIOR = 4.0  # occurrences by which the share in a class is pulled to the overall share


@dataclass(frozen=True, slots=True)
class WordList:
    """A reference of which only totals are known.

    Attributes
    ----------
    n_i : occurrences of every term
    tokens : of the whole reference, at least Σ n_i
    documents : their number, or None if it is not known
    """

    n_i: Integers
    tokens: int
    documents: int | None = None


def list_keyness(
    a: TermCells, b: WordList, *, confidence: float | None = 0.95, draws: int = DRAWS, seed: int = 0
) -> Keyness:
    """Compare a corpus with a list of frequencies over the same terms."""
    rng = np.random.default_rng(seed)
    found = _answers(a, b, confidence, draws, rng)
    excess = _excess(a, b, draws, rng)
    z = _nearest(found[:draws], found[draws:])
    nearest = np.maximum(z - excess, 0.0)
    p_value = np.where(nearest > LEAST, 2 * ndtr(-nearest), 1.0)
    absent = a.n_i + b.n_i == 0
    p_value = np.where(absent, np.nan, p_value)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log2(a.n_i / a.tokens) - np.log2(b.n_i / b.tokens)
    limits = np.full((2, log_ratio.size), np.nan)
    if confidence is not None:
        deviate = float(stats.norm.isf((1 - confidence) / 2))
        limits = _limits(found, log_ratio, excess / deviate, excess / np.maximum(z - deviate, 1e-9))
        limits = _agreeing(limits, log_ratio, p_value < 1 - confidence)
        limits[:, absent] = np.nan
    statistic = np.where(absent, np.nan, np.median([np.nan_to_num(one.statistic) for one in found], axis=0))
    reference = np.where(absent, "", NAME).astype(object)
    return Keyness(
        log_ratio, limits[0], limits[1], statistic, p_value, reference,
        least_p=np.zeros(p_value.size), ends=np.empty((p_value.size, 0)), levels=np.empty(0),
    )  # fmt: skip


def _answers(
    a: TermCells, b: WordList, confidence: float | None, draws: int, rng: np.random.Generator
) -> list[Keyness]:
    """The comparisons with filled-in documents: *draws* with a random precision, then `CAUTIOUS` with a low one."""
    scale = min(1.0 if b.documents is not None else UNKNOWN, MOST * a.tokens / b.tokens)
    mean, deviation = borrowed_precision(a, fit_beta_binomial(a), b)
    shares = _class_shares(a)
    found = []
    for draw in range(draws + CAUTIOUS):
        z = rng.standard_normal(mean.size) if draw < draws else -CAUTION
        alpha_0 = np.exp(np.clip(mean + deviation * z, -30.0, 30.0))
        some = _shrunken(b, scale, rng)
        filled = filled_in(some, alpha_0, _document_lengths(a, some), shares, rng, a)
        found.append(keyness(a, filled, confidence=confidence))
    return found


def _nearest(found: list[Keyness], least: list[Keyness]) -> Floats:
    """The prediction limit of |z| nearest to 0, |z̄| − t s √(1 + 1/k) of k normal values; at most any |z|."""
    sign = np.array([np.nan_to_num(np.sign(one.log_ratio)) for one in found])  # NaN: a term that no draw has
    size = np.array([_z(one.p_value) for one in found])
    z, k = sign * size, len(found)
    margin = stats.t.isf(LIMIT, max(k - 1, 1)) * np.sqrt(1 + 1 / k)
    nearest = np.abs(z.mean(axis=0)) - margin * z.std(axis=0, ddof=min(k - 1, 1))
    return np.maximum(np.min([nearest, *size, *(_z(one.p_value) for one in least)], axis=0), 0.0)


def _z(p_value: Floats) -> Floats:
    """|z| of a two-sided p."""
    return -ndtri(np.clip(np.nan_to_num(p_value, nan=1.0), 1e-300, 1.0) / 2)


def _excess(a: TermCells, b: WordList, draws: int, rng: np.random.Generator) -> Floats:
    """What must be taken from |z| so that it exceeds that with documents in few terms; one entry per term.

    This is found out with A itself: its documents are dealt into two parts with sizes like those of A and the list, and
    the second part is collapsed to a list. Then both answers are known, in bands of frequency.
    """
    total = a.n_i + b.n_i
    level = np.digitize(total / (a.tokens + b.tokens) * a.tokens, EDGES)
    if int(a.length_documents[a.lengths > 0].sum()) < FEWEST:
        return np.full(total.size, UNKNOWN_EXCESS)
    first, second = _dealt_out(a, float(np.clip(b.tokens / (a.tokens + b.tokens), 0.1, 0.9)), rng)
    documents = None if b.documents is None else int(second.length_documents[second.lengths > 0].sum())
    answers = _answers(first, WordList(second.n_i, second.tokens, documents), None, draws, rng)
    listed = _nearest(answers[:draws], answers[draws:])
    known = _z(keyness(first, second, confidence=None).p_value)
    held, own = np.flatnonzero(a.n_i), np.digitize(a.n_i, EDGES)
    found = np.zeros(len(EDGES) + 1)
    for band in range(found.size):
        inside = held[own[held] == band]
        inside = inside if inside.size >= BAND else held[np.abs(own[held] - band) <= 1]
        # too large by: the part above what the documents give, but only as far as p would be reported as below 1
        over = np.sort(np.minimum(listed[inside] - known[inside], listed[inside] - LEAST))[::-1]
        # Of m terms, a share of k/(m + 1) is expected above the k-th largest value.
        place = max(int(TOLERATED * (over.size + 1)) - 1, 0)
        found[band] = max(float(over[place]), 0.0) if place < over.size else UNKNOWN_EXCESS
    return found[level]


def _dealt_out(a: TermCells, share: float, rng: np.random.Generator) -> tuple[TermCells, TermCells]:
    """The documents of A in two parts, of which the second has about that share.

    Cells do not say which document they are of, only its length. So the documents with a term are drawn anew among
    those of that length, for each term by itself.
    """
    weight = np.broadcast_to(a.weight, a.count.shape).astype(np.int64)
    term: Integers = np.repeat(a.term, weight)
    count, length = (np.repeat(values, weight) for values in (a.count, a.length))
    in_second = rng.random(int(a.length_documents.sum())) < share
    in_second[rng.integers(in_second.size)] = True
    place = np.searchsorted(a.lengths, length)
    groups: Integers = term * a.lengths.size + place
    group, index, size = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(index, kind="stable")
    running = np.empty(index.size, dtype=np.int64)
    running[order] = np.arange(index.size) - np.repeat(np.cumsum(size) - size, size)
    alike = a.length_documents[place]
    offset = (rng.random(group.size)[index] * alike).astype(np.int64)
    document = (np.cumsum(a.length_documents) - a.length_documents)[place] + (running + offset) % alike
    n_j = np.repeat(a.lengths, a.length_documents)
    parts = []
    for inside in (~in_second, in_second):
        kept = inside[document]
        n_i = np.bincount(term[kept], count[kept], a.n_i.size).astype(np.int64)
        parts.append(_cells(term[kept], count[kept], length[kept], n_j[inside], n_i))
    return parts[0], parts[1]


def _limits(found: list[Keyness], log_ratio: Floats, wider: Floats, nearer: Floats) -> Floats:
    """Limits that contain those of all comparisons, each moved away from the log ratio by the share *wider*.

    A term in one corpus only has one finite end; it is moved towards 0 by the share *nearer*, at most up to 0.
    """
    low = np.fmin(np.min([one.ci_low for one in found], axis=0), log_ratio)
    high = np.fmax(np.max([one.ci_high for one in found], axis=0), log_ratio)
    ends = np.stack([low, high])
    finite = np.isfinite(log_ratio)
    centre, share = np.where(finite, log_ratio, 0.0), np.where(finite, wider, np.minimum(nearer, 1.0))
    outwards = np.array([[-1.0], [1.0]])
    moved = np.where(np.isfinite(ends), np.abs(np.where(np.isfinite(ends), ends, 0.0) - centre) * share, 0.0)
    return ends + outwards * moved


def _agreeing(limits: Floats, log_ratio: Floats, sure: NDArray[np.bool_]) -> Floats:
    """Limits that agree with p: if it is small, the interval ends at 0 or before it; otherwise it contains 0.

    >>> limits, log_ratio = np.array([[-0.5, -0.5, 0.2], [2.0, 2.0, 2.0]]), np.ones(3)
    >>> _agreeing(limits, log_ratio, np.array([True, False, False])).tolist()
    [[0.0, -0.5, 0.0], [2.0, 2.0, 2.0]]
    """
    low, high = limits
    low = np.where(sure, np.where(log_ratio > 0, np.fmax(low, 0.0), low), np.fmin(low, 0.0))
    high = np.where(sure, np.where(log_ratio < 0, np.fmin(high, 0.0), high), np.fmax(high, 0.0))
    return np.stack([low, high])


def borrowed_precision(a: TermCells, fit: BetaBinomialFit, b: WordList) -> tuple[Floats, Floats]:
    """Mean and standard deviation of log α_0 of every term in the reference, from the fits of A."""
    fitted = np.flatnonzero((a.n_i >= 2) & np.isin(fit.status, ["converged", "boundary", "degenerate"]))
    share = (a.n_i + b.n_i) / (a.tokens + b.tokens)
    if not fitted.size:
        return np.zeros(share.size), np.full(share.size, 3.0)
    with np.errstate(divide="ignore"):
        log_alpha_0 = np.log(fit.alpha_0)
    middle, spread = _trend(np.log(a.n_i[fitted] / a.tokens), log_alpha_0[fitted], np.log(np.maximum(share, 1e-300)))
    with np.errstate(invalid="ignore", divide="ignore"):
        error = fit.standard_error_alpha_not / fit.alpha_not
        own = (fit.status == "converged") & (a.b_i >= OWN) & np.isfinite(error)
        trust = np.where(own, spread**2 / (spread**2 + error**2), 0.0)
        mean = np.where(own, trust * log_alpha_0 + (1 - trust) * middle, middle)
        deviation = np.where(own, np.sqrt(trust) * error, spread)
        burstier = (fit.status == "converged") & (a.b_i > 1) & np.isfinite(error) & (log_alpha_0 < middle)
    # A term that is burstier than the trend is not pulled towards it: some are, by far, such as encoded files.
    return np.where(burstier, log_alpha_0, mean), np.where(burstier, np.minimum(error, 3.0), deviation)


def _trend(x: Floats, y: Floats, at: Floats) -> tuple[Floats, Floats]:
    """Median of y among terms with similar x, and how far the lower 5 % lie below it, as a standard deviation."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    y = np.where(np.isfinite(y), y, np.sign(y) * 1e3)  # the boundary is above, and degenerate fits are below all others
    parts = max(1, x.size // BAND)
    bounds = np.linspace(0, x.size, parts + 1).astype(int)
    centre = np.array([np.median(x[i:j]) for i, j in pairwise(bounds)])
    low, half = (np.array([np.quantile(y[i:j], q) for i, j in pairwise(bounds)]) for q in (0.05, 0.5))
    low, half = np.clip(low, -30, 30), np.clip(half, -30, 30)
    middle = np.interp(at, centre, half)
    return middle, np.maximum(middle - np.interp(at, centre, low), 0.1) / 1.645


def _shrunken(b: WordList, scale: float, rng: np.random.Generator) -> WordList:
    """A list of that share of the tokens; counts are rounded up or down at random, and right on average."""
    if scale == 1.0:
        return b
    n_i = np.floor(b.n_i * scale + rng.random(b.n_i.size)).astype(np.int64)
    documents = None if b.documents is None else max(1, round(b.documents * scale))
    return WordList(n_i, max(round(b.tokens * scale), int(n_i.sum()), 1), documents)


def _document_lengths(a: TermCells, b: WordList) -> Floats:
    """Lengths of the documents of the reference: quantiles of the lengths of A, times a factor."""
    held = a.lengths > 0
    own = np.repeat(a.lengths[held], a.length_documents[held]).astype(np.float64)
    documents = b.documents or max(2, round(b.tokens / own.mean()))
    documents = min(documents, b.tokens)
    lengths = np.quantile(own, (np.arange(documents) + 0.5) / documents)
    return np.maximum(np.rint(lengths * (b.tokens / lengths.sum())), 1.0)


def _class_shares(a: TermCells) -> Floats:
    """The share of each term's occurrences in the classes of length, terms × classes, pulled to that of all tokens."""
    held = a.lengths > 0
    lengths, documents = a.lengths[held], a.length_documents[held]
    place = np.minimum((np.cumsum(documents) - documents / 2) * CLASSES // documents.sum(), CLASSES - 1).astype(
        np.int64
    )
    overall = np.bincount(place, lengths * documents, CLASSES) / a.tokens
    of_cell = place[np.minimum(np.searchsorted(lengths, a.length), lengths.size - 1)]
    tokens = np.bincount(a.term * CLASSES + of_cell, a.count * a.weight, a.n_i.size * CLASSES)
    shares: Floats = tokens.reshape(-1, CLASSES) + PRIOR * overall
    return shares / shares.sum(axis=1, keepdims=True)


def filled_in(
    b: WordList, alpha_0: Floats, lengths: Floats, shares: Floats, rng: np.random.Generator, a: TermCells
) -> TermCells:
    """Documents of the reference: the n_i tokens of every term, dealt to documents of these ascending lengths.

    *shares* says which share of a term's occurrences falls to each class of length.
    """
    alpha = alpha_0 * b.n_i / b.tokens  # of a document of mean length
    place = np.minimum((np.arange(lengths.size) + 0.5) * CLASSES // lengths.size, CLASSES - 1).astype(np.int64)
    of_class: Floats = np.bincount(place, lengths, CLASSES).astype(np.float64)
    deal = _Deal(np.cumsum(lengths), np.cumsum(of_class) - of_class, of_class, np.cumsum(shares, axis=1))
    concentration = np.maximum(alpha * lengths.size, 1e-12)
    alike = 1 / ALIKE < lengths.mean() / a.mean_length < ALIKE
    copied = (a.b_i >= MANY) & (b.n_i > 0) & alike
    rare = np.flatnonzero((b.n_i > 0) & (b.n_i <= OFTEN) & ~copied)
    term, document = _dealt(b.n_i[rare], concentration[rare], deal, rare, rng)
    (held_term, held_in), count = tally([rare[term], document])
    terms, counts, sizes = [held_term], [count], [lengths[held_in].astype(np.int64)]
    for i in np.flatnonzero(copied | (b.n_i > OFTEN)).tolist():
        if copied[i]:
            own = slice(a.indptr[i], a.indptr[i + 1])
            weight = np.broadcast_to(a.weight, a.count.shape)[own]
            drawn, size = _copied(int(b.n_i[i]), a.count[own], a.length[own], weight, lengths.size, rng)
        else:
            each = lengths * (shares[i] / np.maximum(of_class, 1e-300))[place]
            weight = rng.gamma(np.maximum(concentration[i] * each / each.sum(), 1e-8)) + 1e-300
            drawn, size = rng.multinomial(b.n_i[i], weight / weight.sum()), lengths.astype(np.int64)
        held = drawn > 0
        terms.append(np.full(int(held.sum()), i))
        counts.append(drawn[held])
        sizes.append(size[held])
    return _cells(np.concatenate(terms), np.concatenate(counts), np.concatenate(sizes), lengths, b.n_i)


def _copied(
    n_i: int,
    count: NDArray[np.int32],
    length: NDArray[np.int32],
    weight: Floats,
    documents: int,
    rng: np.random.Generator,
) -> tuple[Integers, Integers]:
    """Counts and lengths of documents like those of A, until all *n_i* tokens are used up; the last has the rest."""
    up_to = np.cumsum(weight)
    size = min(int(1.3 * n_i * up_to[-1] / (count @ weight)) + 50, documents)
    chosen = np.minimum(np.searchsorted(up_to, rng.random(size) * up_to[-1], side="right"), count.size - 1)
    drawn, sizes = count[chosen].astype(np.int64), length[chosen].astype(np.int64)
    used = np.cumsum(drawn)
    if used[-1] < n_i:  # all documents together have too few: each gets more
        return rng.multinomial(n_i, drawn / used[-1]), sizes
    last = int(np.searchsorted(used, n_i))
    drawn = drawn[: last + 1]
    drawn[-1] -= used[last] - n_i
    return drawn, sizes[: last + 1]


@dataclass(frozen=True, slots=True)
class _Deal:
    """How a document is drawn: first a class of length by the shares of the term, then by length within it."""

    cumulative: Floats
    before: Floats
    size: Floats
    shares: Floats

    def documents(self, terms: Integers, rng: np.random.Generator) -> Integers:
        place = (self.shares[terms] < rng.random(terms.size)[:, None]).sum(axis=1)
        place = np.minimum(place, self.size.size - 1)
        at = self.before[place] + self.size[place] * rng.random(terms.size)
        return np.minimum(np.searchsorted(self.cumulative, at, side="right"), self.cumulative.size - 1)


def _dealt(
    n_i: Integers, concentration: Floats, deal: _Deal, terms: Integers, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Pólya's urn for all terms at once: the term and the document of every token.

    Token t + 1 of a term goes to a new document with probability θ/(θ + t), and otherwise to that of one of the t
    tokens before it, drawn at random.
    """
    order = np.argsort(-n_i, kind="stable")  # terms that still have tokens are then the first ones
    size, theta = n_i[order], concentration[order]
    start = np.cumsum(size) - size
    document = np.empty(int(size.sum()), dtype=np.int64)
    for t in range(int(size.max(initial=0))):
        active = int(np.searchsorted(-size, -t, side="left"))  # size > t
        at = start[:active]
        is_new = rng.random(active) * (theta[:active] + t) < theta[:active]
        own = document[at + rng.integers(0, t, active)] if t else np.empty(active, dtype=np.int64)
        own[is_new] = deal.documents(terms[order[:active][is_new]], rng)
        document[at + t] = own
    return np.repeat(order, size), document


def _cells(
    term: Integers, count: NDArray[Any], length: NDArray[Any], lengths: NDArray[Any], n_i: Integers
) -> TermCells:
    order = np.argsort(term, kind="stable")
    b_i = np.bincount(term, minlength=n_i.size)
    (distinct,), documents = tally([lengths.astype(np.int64)])
    return TermCells(
        np.concatenate([[0], np.cumsum(b_i)]).astype(np.int64),
        count[order].astype(np.int32),
        np.maximum(length, count)[order].astype(np.int32),
        np.ones(1),
        n_i,
        b_i.astype(np.int64),
        distinct,
        documents,
    )
