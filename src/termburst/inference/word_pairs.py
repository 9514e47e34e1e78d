"""Two questions about a pair of words: do they come together, and does one come after the other?

*Together* looks only at which documents have a word, so it knows nothing of the order of words. *After* looks only at
that order, given the words of each document. Pairs are chosen by the first, so the p-values of the second hold for
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.special import betainc, expit, gammaln, xlog1py, xlogy

from termburst.core import pair_order as core
from termburst.inference.multiplicity import adjust_log10
from termburst.models.urn_sequences import Floats, Integers, Numbers, Sequences
from termburst.threads import BLOCK, check_given_up, in_threads

MOST = 10  # pairs of one word that are chosen for it; others may choose it, too
PARTS = 64  # into which the pairs are divided for the threads
_BLOCK, _CELLS = 512, 2**22  # words, and pairs of words, that are in memory at a time
_SMALLEST = 1e-290  # a tail below this is summed by its logarithm
_FURTHER = 2000  # terms of such a sum, at most
_STEPS, _RIDGE = 40, 1e-6  # of Newton's method; the ridge keeps words finite that are in all documents
_WEIGHT = 4.0  # of the slope 1: 1/½²


@dataclass(frozen=True, slots=True, eq=False)
class PairsTogether:
    """Pairs of words in more of the same documents than by chance; arrays have one entry per pair.

    Attributes
    ----------
    one, other : terms, one < other
    documents : T, the documents that have both
    expected : its mean if the two words are independent, given the lengths of the documents
    log10_p : log₁₀ of the mid-p P(T* > T) + ½ P(T* = T)
    looked_at : the number of pairs of words that were looked at
    """

    one: Numbers
    other: Numbers
    documents: Integers
    expected: Floats
    log10_p: Floats
    looked_at: int

    def log10_q(self, adjust: str) -> Floats:
        """log₁₀ q over all pairs that were looked at; those that were not chosen count with p = 1."""
        if not self.one.size:
            return np.zeros(0)
        return adjust_log10(self.log10_p, adjust, tests=max(self.looked_at, self.one.size))


def pairs_together(sequences: Sequences, *, min_documents: int = 5) -> PairsTogether:
    """For each word, the `MOST` words that come in more of the same documents than by chance.

    A document counts once for a word, however often it repeats it, so burstiness makes no pair. The chance that a
    document of n_j tokens has word i is a logistic regression of just that on the length,

    P_ij = 1/(1 + exp(−a_i − c_i log n_j)),

    whose slope c_i is 1 for a rare word that comes once, and less if it comes again; a normal density with mean 1 and
    standard deviation ½ holds it where few documents say anything about it. Independent words share T documents with
    E T = Σ_j P_ij P_kj. The reference of T is Binomial(b, E T/b), where b is the documents of the rarer word: it is at
    least as spread as a sum of unequal chances with the same mean (Hoeffding 1956). A pair is a candidate of a word if
    the likelihood ratio 2 b KL(T/b ‖ E T/b) is at least 2 log m for m words, and T ≥ *min_documents*.

    Examples
    --------
    0 and 1 are in the same twenty of eighty documents, and 2 is in all of them:

    >>> tokens = np.array([0, 1, 2] * 20 + [3, 4, 2] * 30 + [5, 6, 2] * 30, dtype=np.int32)
    >>> found = pairs_together(Sequences(tokens, np.arange(1, 81) * 3, 7))
    >>> found.one.tolist(), found.other.tolist(), found.documents.tolist(), found.expected.round(3).tolist()
    ([0, 3, 5], [1, 4, 6], [20, 30, 30], [5.0, 11.25, 11.25])
    """
    document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
    shape = (sequences.ends.size, sequences.terms)
    cells = sp.csr_matrix((np.ones(sequences.tokens.size, dtype=np.int32), (document, sequences.tokens)), shape=shape)
    cells.sum_duplicates()
    cells.data[:] = 1
    b = np.bincount(cells.indices, minlength=sequences.terms)
    words = np.flatnonzero(b >= max(min_documents, 1))
    rows = cells[:, words].tocsr()
    occurs = rows.tocsc()
    chance = _Chances.of(occurs, sequences.lengths)
    least = 2 * float(np.log(max(words.size, 1)))
    step = max(1, min(_BLOCK, _CELLS // max(words.size, 1)))

    def some(block: tuple[int, int]) -> tuple[Integers, Floats]:
        check_given_up()
        return _candidates(rows, occurs[:, slice(*block)], chance, block, min_documents, least)

    chosen = in_threads(some, pairwise([*range(0, words.size, step), words.size]))
    pairs = np.concatenate([np.empty((0, 3), dtype=np.int64), *(found for found, _ in chosen)])
    pairs, first = np.unique(pairs, axis=0, return_index=True)
    mean = np.concatenate([np.empty(0), *(expected for _, expected in chosen)])[first]
    one, other, shared = words[pairs[:, 0]], words[pairs[:, 1]], pairs[:, 2].copy()
    rarer = np.minimum(b[one], b[other])
    log10_p = log10_upper(shared, rarer, mean / np.maximum(rarer, 1))
    looked_at = words.size * max(words.size - 1, 0) // 2
    return PairsTogether(one.astype(np.int32), other.astype(np.int32), shared, mean, log10_p, looked_at)


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """P_ij of words and of documents of each length.

    Attributes
    ----------
    present : P, by words and classes of documents
    documents : how many documents there are of each class: lengths that differ by less than a quarter, with their mean
    words : in how many documents each word is
    """

    present: Floats
    documents: Floats
    words: Integers

    @classmethod
    def of(cls, occurs: sp.csc_matrix, lengths: Integers) -> _Chances:
        """Logistic regressions, one per column of *occurs*, by Newton's method."""
        log_length = np.log(np.maximum(lengths, 1))
        _, which, documents = np.unique(np.rint(4 * log_length), return_inverse=True, return_counts=True)
        documents = documents * (np.bincount(which, lengths) > 0)  # empty documents cannot have a word
        x = np.bincount(which, log_length) / np.maximum(np.bincount(which), 1)
        x -= float((documents * x).sum()) / max(int(documents.sum()), 1)
        word = np.repeat(np.arange(occurs.shape[1]), np.diff(occurs.indptr))
        b = np.bincount(word, minlength=occurs.shape[1])
        bx = np.bincount(word, x[which[occurs.indices]], occurs.shape[1])
        a, c = np.log((b + 0.5) / (documents.sum() - b + 0.5)), np.ones(b.size)
        for _ in range(_STEPS):
            p = expit(a[:, None] + c[:, None] * x)
            w = p * (1 - p) * documents
            slope_a, slope_c = b - p @ documents - _RIDGE * a, bx - p @ (documents * x) - _WEIGHT * (c - 1)
            aa, ac, cc = w.sum(axis=1) + _RIDGE, w @ x, w @ x**2 + _WEIGHT
            step_a = (cc * slope_a - ac * slope_c) / (aa * cc - ac**2)
            step_c = (aa * slope_c - ac * slope_a) / (aa * cc - ac**2)
            shorter = 2 / np.maximum(np.maximum(np.abs(step_a), np.abs(step_c)), 2)  # a step is at most 2
            a, c = a + step_a * shorter, c + step_c * shorter
            if max(np.abs(step_a).max(initial=0), np.abs(step_c).max(initial=0)) < 1e-9:
                break
        return cls(expit(a[:, None] + c[:, None] * x), documents.astype(np.float64), b)

    def shared(self, one: Integers, other: Integers) -> Floats:
        """E T of pairs of words."""
        found = np.empty(one.size)
        weighted = self.present * self.documents
        for start in range(0, one.size, BLOCK):
            some = slice(start, start + BLOCK)
            found[some] = np.einsum("ij,ij->i", weighted[one[some]], self.present[other[some]])
        return found


def _candidates(
    rows: sp.csr_matrix, some: sp.csc_matrix, chance: _Chances, block: tuple[int, int], min_documents: int, least: float
) -> tuple[Integers, Floats]:
    """The candidates of the words of a block: the smaller word, the larger one and the documents of both; E T."""
    together = (some.T @ rows).tocsr()
    enough = np.flatnonzero(together.data >= min_documents)  # of many
    word = np.repeat(np.arange(*block), np.diff(together.indptr))[enough]
    other, shared = together.indices[enough].astype(np.int64), together.data[enough].astype(np.int64)
    word, other, shared = (part[word != other] for part in (word, other, shared))
    expected = chance.shared(word, other)
    rarer = np.minimum(chance.words[word], chance.words[other])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = xlogy(shared, shared / expected)
        ratio += np.where(shared < rarer, xlogy(rarer - shared, (rarer - shared) / (rarer - expected)), 0.0)
    sure = np.flatnonzero((shared > expected) & (2 * ratio >= least))
    sure = sure[np.lexsort((other[sure], -ratio[sure], word[sure]))]
    begin = np.searchsorted(word[sure], word[sure])
    sure = sure[np.arange(sure.size) - begin < MOST]
    pairs = np.stack([np.minimum(word, other)[sure], np.maximum(word, other)[sure], shared[sure]], axis=1)
    return pairs, expected[sure]


@dataclass(frozen=True, slots=True, eq=False)
class PairOrders:
    """In how many documents with both words of a pair the other word comes later than the one; one entry per pair.

    Attributes
    ----------
    later, earlier : documents; where neither holds, the order says nothing
    log10_p : log₁₀ of the two-sided mid-p
    """

    later: Integers
    earlier: Integers
    log10_p: Floats


def pair_orders(sequences: Sequences, one: Numbers, other: Numbers) -> PairOrders:
    """Does one word come after the other, more than if the words of each document were shuffled?

    In a document that has both, the *other* word is later if it comes after *one* in more than half of the pairs of
    their occurrences, and earlier if in less than half. A document where it is exactly half says nothing. If all orders
    of the words of a document are equally likely, so are an order and its reverse, which turns later into earlier. So

    later ~ Binomial(later + earlier, ½)

    exactly, given the words of all documents: no shuffles are drawn. It also holds if words come in clumps, as long as
    a text is as likely as its reverse. Each document counts once. The p-value is twice the smaller mid-p tail.

    Examples
    --------
    >>> tokens = np.array([0, 1, 2, 0, 1, 1, 1, 0, 0, 1, 1, 0], dtype=np.int32)
    >>> sequences = Sequences(tokens, np.array([3, 6, 8, 12]), 3)  # 0 1 2, 0 1 1, 1 0 and 0 1 1 0
    >>> found = pair_orders(sequences, np.array([0], np.int32), np.array([1], np.int32))
    >>> found.later.tolist(), found.earlier.tolist(), (10**found.log10_p).round(3).tolist()
    ([2], [1], [0.625])
    """
    later, earlier = np.zeros(one.size, dtype=np.int64), np.zeros(one.size, dtype=np.int64)
    places = core.term_places(sequences.tokens, sequences.ends.astype(np.int64), sequences.terms)
    spread = one.size * np.arange(PARTS + 1) // PARTS
    pairs = (one.astype(np.int32), other.astype(np.int32))

    def some(part: int) -> None:
        core.count_orders(places, pairs, (int(spread[part]), int(spread[part + 1])), later, earlier)

    in_threads(some, range(PARTS))
    documents = later + earlier
    tail = log10_upper(np.maximum(later, earlier), documents, np.full(one.size, 0.5))
    return PairOrders(later, earlier, np.minimum(tail + np.log10(2), 0.0))


def log10_upper(count: Integers, tries: Integers, chance: Floats) -> Floats:
    """log₁₀ of the mid-p P(X > x) + ½ P(X = x) of a binomial X, however small; ½ without tries.

    Examples
    --------
    >>> found = log10_upper(np.array([2, 3, 9000, 0]), np.array([3, 3, 9000, 0]), np.array([0.5, 0.5, 0.5, 0.5]))
    >>> [round(float(10.0 ** x), 4) for x in found[[0, 1, 3]]], round(float(found[2]), 1)  # 9000 log₁₀ ½ + log₁₀ ½
    ([0.3125, 0.0625, 0.5], -2709.6)
    """
    x, n, chance = count.astype(float), tries.astype(float), np.clip(chance, 0.0, 1.0)
    log_mass = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + xlogy(x, chance) + xlog1py(n - x, -chance)
    beyond = np.where(x < n, betainc(x + 1, np.maximum(n - x, 1e-9), chance), 0.0)  # P(X > x)
    with np.errstate(divide="ignore", under="ignore"):
        found = np.log10(beyond + np.exp(log_mass) / 2)
    small = np.flatnonzero(~(beyond + np.exp(log_mass) > _SMALLEST))
    if small.size:  # P(X = x) (½ + Σ_r P(X = x + r)/P(X = x))
        x, n, odds = x[small], n[small], chance[small] / np.maximum(1 - chance[small], 1e-300)
        term, total = np.ones(small.size), np.full(small.size, 0.5)
        for r in range(_FURTHER):
            term = term * np.maximum(n - x - r, 0.0) / (x + r + 1) * odds
            total += term
            if (term <= 1e-12 * total).all():
                break
        found[small] = (log_mass[small] + np.log(total)) / np.log(10)
    return np.minimum(found, 0.0)
