"""Do the p-values of keyness hold on this corpus? In random halves of it every significant word is a false alarm.

Halves dealt document by document cannot reveal that documents depend on each other, because both halves then depend in
the same way: only near-copies, and halves dealt by whole clusters (all documents of one author, say), can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.keyness import compare, keyness
from termburst.inference.keyness_tests import g2
from termburst.inference.two_sides import PrecisionPrior
from termburst.models.cells import TermCells
from termburst.statistics.matrix import Integers, canonical_counts, tally

Floats = NDArray[np.float64]
Alarms = dict[str, NDArray[Any]]  # see `false_alarms`

BANDS = ((5, 19), (20, 99), (100, 999), (1_000, 10**18))  # occurrences of a word in the whole corpus
LEVEL = 0.05
PER_BAND = 1_000  # words of a band that are tested, drawn at random from more
FEWEST = 10  # documents (or clusters) from which halves are dealt


def effective_documents(n_j: Integers) -> float:
    """(Σ n_j²)²/Σ n_j⁴: how many documents of equal length would weigh as much as these.

    Evidence about burstiness and about differences comes from pairs of tokens of one document, whose number grows with
    n_j². A corpus of many short documents and one long one therefore has little more than one effective document.

    >>> effective_documents(np.array([100, 100, 100, 100])), round(effective_documents(np.array([10, 10, 10, 1000])), 3)
    (4.0, 1.001)
    """
    squares = n_j.astype(np.float64) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0


def false_alarms(X: Any, *, cluster: NDArray[np.intp] | None = None, halves: int = 10, seed: int = 0) -> Alarms | None:
    """Halve the documents at random, or the clusters, and count the words that differ; None for too few of them.

    The result has one entry per band of frequency:

    * least, most: occurrences of the words of the band; words: how many of them were tested
    * keyness, g2, summed: the share of words with p < 0.05 for termburst's test, for G², and for termburst's test where
      all documents of a cluster are one (NaN without clusters), and
    * keyness_error, g2_error, summed_error: its standard error between halves.

    Parameters
    ----------
    X : count matrix
    cluster : number of the cluster of each document, from 0
    halves : how many times
    seed : of the random numbers
    """
    counts = canonical_counts(X)
    n_j = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
    filled = np.flatnonzero(n_j)
    counts, n_j = counts[filled], n_j[filled]
    of = np.arange(n_j.size) if cluster is None else np.unique(cluster[filled], return_inverse=True)[1]
    units = int(of.max(initial=-1)) + 1
    if units < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    chosen, band = _chosen_words(counts, rng)
    documents = TermDocuments.of(counts, chosen, n_j)
    whole = documents.summed(of, units) if cluster is not None else None
    below = [words_below(documents, band, first, of, whole) for first in random_halves(rng, units, halves)]
    words = np.bincount(band, minlength=len(BANDS))
    return alarms_of(np.array(below), words, int(documents.n_i.max(initial=0)))


def random_halves(rng: np.random.Generator, units: int, halves: int) -> list[NDArray[np.bool_]]:
    """Which units are in the first half, for each of the halves."""
    found = []
    for _ in range(halves):
        first = np.zeros(units, dtype=bool)
        first[rng.permutation(units)[: units // 2]] = True
        found.append(first)
    return found


def prior_sums(
    documents: TermDocuments, first: NDArray[np.bool_], of: NDArray[np.intp], whole: TermDocuments | None = None
) -> list[Floats]:
    """What some words say about the precisions of two halves, as sums over words for `PrecisionPrior.of_sums`."""
    found = [compare(documents.cells(first[of]), documents.cells(~first[of])).sides.prior_sums()]
    if whole is not None:
        found.append(compare(whole.cells(first), whole.cells(~first)).sides.prior_sums())
    return found


def words_below(
    documents: TermDocuments,
    band: Integers,
    first: NDArray[np.bool_],
    of: NDArray[np.intp],
    whole: TermDocuments | None = None,
    priors: Sequence[PrecisionPrior | None] = (None, None),
) -> Integers:
    """How many words of each band have p below 0.05: three tests × bands, as in `false_alarms`.

    Parameters
    ----------
    documents, band : words, and the band of each
    first : which units are in the first half
    of : the unit of each document
    whole : the same words, if units are also tested as one document each
    priors : what all words say about the precisions of the halves, of documents and of *whole*, if only some are given
    """
    a, b = documents.cells(first[of]), documents.cells(~first[of])
    tested = [keyness(a, b, confidence=None, prior=priors[0]).p_value, g2(a, b)[1]]
    if whole is not None:
        tested.append(keyness(whole.cells(first), whole.cells(~first), confidence=None, prior=priors[1]).p_value)
    found = np.full((3, len(BANDS)), -1, np.int64)  # −1: not tested
    for k, p_value in enumerate(tested):
        found[k] = np.bincount(band[p_value < LEVEL], minlength=len(BANDS))
    return found


def alarms_of(below: Integers, words: Integers, most: int) -> Alarms:
    """The result of `false_alarms`, from the numbers of words: halves × tests × bands."""
    shares = np.full(below.shape, np.nan)
    np.divide(below, words, out=shares, where=(words > 0) & (below >= 0))
    mean = shares.mean(axis=0)
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(below)) if len(below) > 1 else np.full(mean.shape, np.nan)
    least, largest = np.array(BANDS).T
    tests = ("keyness", "g2", "summed")
    found = {"least": least, "most": np.minimum(largest, most), "words": words, **dict(zip(tests, mean, strict=True))}
    return found | {f"{test}_error": values for test, values in zip(tests, error, strict=True)}


def _chosen_words(counts: Any, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """The columns to test in ascending order, and the band of each."""
    n_i = np.bincount(counts.indices, counts.data, counts.shape[1])
    columns, bands = [], []
    for number, (least, most) in enumerate(BANDS):
        inside = np.flatnonzero((n_i >= least) & (n_i <= most))
        inside = inside[chosen_places(inside.size, rng)]
        columns.append(inside)
        bands.append(np.full(inside.size, number))
    column, band = np.concatenate(columns), np.concatenate(bands)
    order = np.argsort(column)
    return column[order], band[order]


def chosen_places(words: int, rng: np.random.Generator) -> Integers:
    """Which of the words of a band are tested, of those in order of their columns."""
    return rng.choice(words, PER_BAND, replace=False) if words > PER_BAND else np.arange(words)


@dataclass(frozen=True, slots=True)
class TermDocuments:
    """The cells of some terms in order of terms, with the document of each, and the lengths of all documents."""

    term: Integers
    document: Integers
    count: Integers
    n_j: Integers
    n_i: Integers

    @classmethod
    def of(cls, counts: Any, columns: Integers, n_j: Integers) -> TermDocuments:
        by_term = counts.tocsc()[:, columns]
        term = np.repeat(np.arange(columns.size), np.diff(by_term.indptr))
        count = by_term.data.astype(np.int64)
        return cls(
            term, by_term.indices.astype(np.int64), count, n_j, np.bincount(term, count, columns.size).astype(np.int64)
        )

    def summed(self, of: NDArray[np.intp], units: int) -> TermDocuments:
        """The same with all documents of a unit as one."""
        (term, unit), count = tally([self.term, of[self.document].astype(np.int64)], self.count)
        return TermDocuments(term, unit, count, np.bincount(of, self.n_j, units).astype(np.int64), self.n_i)

    def cells(self, inside: NDArray[np.bool_]) -> TermCells:
        """The cells of the documents *inside*."""
        kept = inside[self.document]
        term, count, terms = self.term[kept], self.count[kept], self.n_i.size
        b_i = np.bincount(term, minlength=terms)
        (lengths,), documents = tally([self.n_j[inside]])
        return TermCells(
            np.concatenate([[0], np.cumsum(b_i)]).astype(np.int64),
            count.astype(np.int32),
            self.n_j[self.document[kept]].astype(np.int32),
            np.ones(1),
            np.bincount(term, count, terms).astype(np.int64),
            b_i.astype(np.int64),
            lengths,
            documents,
        )
