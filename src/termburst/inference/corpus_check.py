"""Do the p-values of keyness hold on this corpus? In random halves of it every significant word is a false alarm.

Halves dealt document by document cannot reveal that documents depend on each other, because both halves then depend in
the same way: only near-copies, and halves dealt by whole clusters (all documents of one author, say), can.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst.inference.keyness import keyness
from termburst.inference.keyness_tests import g2
from termburst.models.cells import TermCells, term_cells
from termburst.statistics.matrix import Integers, canonical_counts, document_lengths

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
    counts, rng = canonical_counts(X), np.random.default_rng(seed)
    chosen = chosen_words(np.bincount(counts.indices, counts.data, counts.shape[1]), rng)
    return alarms_of_words(counts[:, chosen], document_lengths(counts), rng, cluster, halves)


def chosen_words(n_i: NDArray[Any], rng: np.random.Generator) -> Integers:
    """The numbers of the words to test, in ascending order: of each band at random."""
    chosen = []
    for least, most in BANDS:
        inside = np.flatnonzero((n_i >= least) & (n_i <= most))
        chosen.append(rng.choice(inside, PER_BAND, replace=False) if inside.size > PER_BAND else inside)
    return np.sort(np.concatenate(chosen))


def alarms_of_words(
    counts: Any, n_j: Integers, rng: np.random.Generator, cluster: NDArray[np.intp] | None, halves: int
) -> Alarms | None:
    """The result of `false_alarms`, from the counts of the chosen words in documents of n_j tokens."""
    n_i = np.asarray(counts.sum(axis=0), np.int64)
    filled = np.flatnonzero(n_j)
    of = np.arange(filled.size) if cluster is None else np.unique(cluster[filled], return_inverse=True)[1]
    units = int(of.max(initial=-1)) + 1
    if units < FEWEST:
        return None
    rest = n_j - np.asarray(counts.sum(axis=1), np.int64)
    documents = sp.hstack([counts, sp.csr_array(rest[:, None])], format="csr")[filled]
    member = sp.csr_array((np.ones(of.size, np.int64), (of, np.arange(of.size))), shape=(units, of.size))
    whole = None if cluster is None else member @ documents
    least, most = np.array(BANDS).T
    band = np.searchsorted(least, n_i, side="right") - 1
    words = np.bincount(band, minlength=len(BANDS))
    shares = np.full((halves, 3, len(BANDS)), np.nan)
    for share in shares:
        first = np.zeros(units, dtype=bool)
        first[rng.permutation(units)[: units // 2]] = True
        a, b = _halved(documents, first[of])
        tested = [keyness(a, b, confidence=None).p_value, g2(a, b)[1]]
        if whole is not None:
            tested.append(keyness(*_halved(whole, first), confidence=None).p_value)
        for k, p_value in enumerate(tested):
            below = np.bincount(band[p_value < LEVEL], minlength=len(BANDS))
            np.divide(below, words, out=share[k], where=words > 0)
    mean = shares.mean(axis=0)
    error = shares.std(axis=0, ddof=1) / np.sqrt(halves) if halves > 1 else np.full(mean.shape, np.nan)
    found = {"least": least, "most": np.minimum(most, n_i.max(initial=0)), "words": words}
    for k, test in enumerate(("keyness", "g2", "summed")):
        found |= {test: mean[k], f"{test}_error": error[k]}
    return found


def _halved(counts: Any, first: NDArray[np.bool_]) -> tuple[TermCells, TermCells]:
    """The cells of the words in both halves, without the last column, which is the rest of each document."""
    words = np.arange(counts.shape[1] - 1)
    return term_cells(counts[first]).of_terms(words), term_cells(counts[~first]).of_terms(words)
