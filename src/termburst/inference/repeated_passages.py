"""Which tokens stand in a passage that another document has, too: signatures, quotations, forms, reprints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.minhash import mixed
from termburst.inference.duplicates import documents_with
from termburst.models.urn_sequences import Integers, Sequences

WIDTH = 8  # words in a row; common phrases are shorter


def repeated_tokens(sequences: Sequences, width: int = WIDTH) -> NDArray[np.bool_]:
    """Whether each token is one of *width* tokens in a row that stand word for word in another document, too.

    Runs are compared by hashes of 64 bits: of a million different ones, two agree with a probability of 3e-8.

    Examples
    --------
    >>> tokens = np.array([0, 1, 2, 3, 9, 1, 2, 3, 8, 7, 8, 7, 8], dtype=np.int32)
    >>> repeated_tokens(Sequences(tokens, np.array([4, 8, 13]), 10), 3).astype(int).tolist()
    [0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0]
    """
    n = sequences.tokens.size
    document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
    starts = np.flatnonzero(np.arange(n) + width <= sequences.ends[document])
    words = mixed(sequences.tokens.astype(np.uint64))
    hashes = np.zeros(starts.size, dtype=np.uint64)
    for place in range(width):
        hashes = mixed(hashes + words[starts + place])
    chosen = starts[documents_with(hashes, document[starts]) > 1]
    edges = np.bincount(chosen, minlength=n + 1) - np.bincount(chosen + width, minlength=n + 1)
    return np.asarray(np.cumsum(edges[:n]) > 0)


class RepeatedPairs:
    """In how many documents the two words of a pair stand in repeated passages.

    Examples
    --------
    >>> tokens = np.array([0, 1, 2, 3, 9, 1, 2, 3, 1, 8, 3], dtype=np.int32)
    >>> pairs = RepeatedPairs(Sequences(tokens, np.array([4, 8, 11]), 10), 3)
    >>> pairs.documents(np.array([1, 0]), np.array([3, 3])).tolist()  # not in the third, where 8 stands between
    [2, 0]
    """

    def __init__(self, sequences: Sequences, width: int = WIDTH) -> None:
        covered = np.flatnonzero(repeated_tokens(sequences, width))
        document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
        cells = np.unique(sequences.tokens[covered].astype(np.int64) * sequences.ends.size + document[covered])
        self.document = cells % max(sequences.ends.size, 1)  # with such a passage: of each term, ascending
        self.start = np.searchsorted(cells, np.arange(sequences.terms + 1) * sequences.ends.size)

    def documents(self, one: Integers, other: Integers) -> Integers:
        """Documents where both words stand in repeated passages, in one or in several; one per pair."""
        return np.array([self._both(int(i), int(k)) for i, k in zip(one, other, strict=True)], dtype=np.int64)

    def _both(self, one: int, other: int) -> int:
        return int(np.intersect1d(self._of(one), self._of(other), assume_unique=True).size)

    def _of(self, term: int) -> Integers:
        return self.document[self.start[term] : self.start[term + 1]]
