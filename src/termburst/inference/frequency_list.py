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

How bursty a word is in the reference, A can only tell as well as its own documents show it. So |z| is made smaller, by
the relative error of the variance of its counts in A.

Single documents may still contain far more of a term than any such model expects. How much that matters is found out
with A: its documents are dealt into two parts, one is collapsed to a list, and what |z| then has too much, but for a
few terms in a thousand, is taken from all |z|.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from termburst.inference import distributions as stats
from termburst.inference.confident_effect import agreeing
from termburst.inference.keyness import Keyness, keyness
from termburst.inference.list_documents import WordList, cells_of_tokens, class_shares, document_lengths, filled_in
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.statistics.tally import Integers

Floats = NDArray[np.float64]

NAME = "frequency list"  # in the column `reference`
DRAWS = 6  # times that the documents of the reference are filled in with a random precision
CAUTIOUS = 2  # more times, with a low precision
CAUTION = 2.326  # standard deviations by which that is below the mean: the 1 % quantile
UNKNOWN = 0.5  # of its size: a reference whose number of documents is not known
MOST = 20.0  # times the tokens of A: a larger reference counts as if it had this size
LIMIT = 0.01  # probability that p with the documents is larger
OWN = 5  # documents with the term from which A's own estimate is used
BAND = 200  # terms of similar frequency that define the trend at a point
LEAST = 1.645  # a smaller |z| (p above 0.1) says nothing, and p is reported as 1
EDGES = (5, 20, 100, 1_000)  # bands of occurrences in A, for `_excess`
TOLERATED = 0.004  # share of the terms of A in which |z| may exceed that with documents
UNKNOWN_EXCESS = 1.5  # taken from |z| if A is too small to find out
FEWEST = 30  # documents of A from which it is large enough
DOUBT = 1.0  # standard errors of the dispersion of A, for terms that A has more often
SOME = 20  # documents of A with such a term from which that counts


def list_keyness(
    a: TermCells, b: WordList, *, confidence: float | None = 0.95, draws: int = DRAWS, seed: int = 0
) -> Keyness:
    """Compare a corpus with a list of frequencies over the same terms."""
    rng = np.random.default_rng(seed)
    found = _answers(a, b, confidence, draws, rng)
    excess = _excess(a, b, draws, rng)
    z, sure = _nearest(found[:draws], found[draws:]), _sure_part(a, b)
    nearest = np.maximum(z * sure - excess, 0.0)
    p_value = np.where(nearest > LEAST, 2 * ndtr(-nearest), 1.0)
    absent = a.n_i + b.n_i == 0
    p_value = np.where(absent, np.nan, p_value)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log2(a.n_i / a.tokens) - np.log2(b.n_i / b.tokens)
    limits = np.full((2, log_ratio.size), np.nan)
    if confidence is not None:
        deviate = float(stats.norm.isf((1 - confidence) / 2))
        wider, nearer = (1 + excess / deviate) / sure - 1, (z - nearest) / np.maximum(z - deviate, 1e-9)
        limits = _limits(found, log_ratio, wider, nearer)
        limits = agreeing(limits.T, log_ratio, p_value, 1 - confidence).T
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
    shares = class_shares(a)
    found = []
    for draw in range(draws + CAUTIOUS):
        z = rng.standard_normal(mean.size) if draw < draws else -CAUTION
        alpha_0 = np.exp(np.clip(mean + deviation * z, -30.0, 30.0))
        some = _shrunken(b, scale, rng)
        filled = filled_in(some, alpha_0, document_lengths(a, some), shares, rng, a)
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


def _sure_part(a: TermCells, b: WordList) -> Floats:
    """The part of |z| that is left if the documents of the reference are burstier than those of A; one entry per term.

    |z| falls with the root of the variance of counts, which is known from A with the relative error r: the part is
    e^(−c r/2). A word that A has less often is the dangerous one: A may lack just the documents that repeat it, and so
    any sign of its burstiness. There c is `CAUTION`, and elsewhere `DOUBT`.
    """
    error = np.maximum(_relative_error(a), 1 / np.sqrt(np.maximum(a.b_i, 1)))
    less = a.n_i * float(b.tokens) < b.n_i * float(a.tokens)
    return np.exp(-np.where(less, CAUTION, np.where(a.b_i >= SOME, DOUBT, 0.0)) * error / 2)


def _relative_error(a: TermCells) -> Floats:
    """The standard error of V = Σ_j e_j², e_j = n_ij − n_i n_j/n, of every term, as a share of V; 0 if A lacks it.

    It is √(Σ_j e_j⁴ − V²/d)/V over the d documents, those without the term, too.
    """
    lengths, documents, share = a.lengths.astype(np.float64), a.length_documents, a.n_i / a.tokens
    weight, mean = np.broadcast_to(a.weight, a.count.shape), share[a.term] * a.length
    sums = []
    for power in (2, 4):
        own = np.bincount(a.term, weight * ((a.count - mean) ** power - mean**power), a.n_i.size)
        sums.append(own + share**power * (lengths**power @ documents))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.maximum(sums[1] - sums[0] ** 2 / documents[lengths > 0].sum(), 0.0)) / sums[0]
    return np.where(np.isfinite(error), error, 0.0)


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
    listed = _nearest(answers[:draws], answers[draws:]) * _sure_part(first, WordList(second.n_i, second.tokens))
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
        parts.append(cells_of_tokens(term[kept], count[kept], length[kept], n_j[inside], n_i))
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
