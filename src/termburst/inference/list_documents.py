"""Documents for a list of frequencies: the n_i tokens of every term are dealt to documents like those of a corpus A.

Given the precision α_0 of a term, its tokens are dealt by Pólya's urn, which is the distribution of beta-binomial
counts of a rare term given their sum. A term that many documents of A contain is filled in with such documents, drawn
with replacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.cells import TermCells
from termburst.statistics.tally import Integers, tally

Floats = NDArray[np.float64]

MANY = 60  # documents with the term from which they are drawn themselves
ALIKE = 1.5  # mean lengths of documents that differ by less than this factor are alike
OFTEN = 4_000  # occurrences from which a term is dealt out at once
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


def document_lengths(a: TermCells, b: WordList) -> Floats:
    """Lengths of the documents of the reference: quantiles of the lengths of A, times a factor."""
    held = a.lengths > 0
    own = np.repeat(a.lengths[held], a.length_documents[held]).astype(np.float64)
    documents = b.documents or max(2, round(b.tokens / own.mean()))
    documents = min(documents, b.tokens)
    lengths = np.quantile(own, (np.arange(documents) + 0.5) / documents)
    return np.maximum(np.rint(lengths * (b.tokens / lengths.sum())), 1.0)


def class_shares(a: TermCells) -> Floats:
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
    deal = Deal(np.cumsum(lengths), np.cumsum(of_class) - of_class, of_class, np.cumsum(shares, axis=1))
    concentration = np.maximum(alpha * lengths.size, 1e-12)
    alike = 1 / ALIKE < lengths.mean() / a.mean_length < ALIKE
    copied = (a.b_i >= MANY) & (b.n_i > 0) & alike
    rare = np.flatnonzero((b.n_i > 0) & (b.n_i <= OFTEN) & ~copied)
    term, document = dealt(b.n_i[rare], concentration[rare], deal, rare, rng)
    (held_term, held_in), count = tally([rare[term], document])
    terms, counts, sizes = [held_term], [count], [lengths[held_in].astype(np.int64)]
    for i in np.flatnonzero(copied | (b.n_i > OFTEN)).tolist():
        if copied[i]:
            own = slice(a.indptr[i], a.indptr[i + 1])
            weight = np.broadcast_to(a.weight, a.count.shape)[own]
            drawn, size = copied_documents(int(b.n_i[i]), a.count[own], a.length[own], weight, lengths.size, rng)
        else:
            each = lengths * (shares[i] / np.maximum(of_class, 1e-300))[place]
            weight = rng.gamma(np.maximum(concentration[i] * each / each.sum(), 1e-8)) + 1e-300
            drawn, size = rng.multinomial(b.n_i[i], weight / weight.sum()), lengths.astype(np.int64)
        held = drawn > 0
        terms.append(np.full(int(held.sum()), i))
        counts.append(drawn[held])
        sizes.append(size[held])
    return cells_of_tokens(np.concatenate(terms), np.concatenate(counts), np.concatenate(sizes), lengths, b.n_i)


def copied_documents(
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
class Deal:
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


def dealt(
    n_i: Integers, concentration: Floats, deal: Deal, terms: Integers, rng: np.random.Generator
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


def cells_of_tokens(
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
