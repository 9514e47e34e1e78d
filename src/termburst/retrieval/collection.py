"""The data that ranking models use: postings, document lengths, and frequencies of terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst.statistics.matrix import canonical_counts, document_lengths

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)  # no eq: a comparison of arrays has no single truth value
class Collection:
    """Counts stored by term, for fast queries.

    Attributes
    ----------
    counts : csc_array of shape (d, m)
        Documents × terms, documents in ascending order within a term, no stored zeros.
    lengths : array of shape (d,)
        |d|, the number of tokens of each document.
    distinct : array of shape (d,)
        The number of distinct terms of each document.
    document_frequency, collection_frequency : arrays of shape (m,)
        df_t and cf_t: the number of documents with the term, and the number of its occurrences.

    Examples
    --------
    >>> collection = Collection.from_counts([[2, 0, 1], [0, 0, 1]])
    >>> collection.lengths.tolist(), collection.distinct.tolist(), collection.document_frequency.tolist()
    ([3, 1], [2, 1], [1, 0, 2])
    """

    counts: Any
    lengths: Integers
    distinct: Integers
    document_frequency: Integers
    collection_frequency: Integers

    @classmethod
    def from_counts(cls, X: Any) -> Collection:
        """Make a collection from a count matrix, documents × terms, sparse or dense."""
        rows = canonical_counts(X)
        columns = sp.csc_array(rows)
        columns.sort_indices()
        return cls._of(columns, document_lengths(rows), np.diff(rows.indptr).astype(np.int64))

    @classmethod
    def _of(cls, columns: Any, lengths: Integers, distinct: Integers) -> Collection:
        return cls(
            counts=columns,
            lengths=lengths,
            distinct=distinct,
            document_frequency=np.diff(columns.indptr).astype(np.int64),
            collection_frequency=np.asarray(columns.sum(axis=0, dtype=np.int64)).ravel(),
        )

    def joined(self, other: Collection, own_columns: Integers, other_columns: Integers, terms: int) -> Collection:
        """The documents of both, those of *other* last; the terms of each get the columns given for them.

        Postings are moved, not sorted again: in each column those of *other* come after the own ones.

        Examples
        --------
        >>> a, b = Collection.from_counts([[2, 1]]), Collection.from_counts([[5, 3]])
        >>> a.joined(b, np.array([0, 1]), np.array([1, 2]), 3).counts.toarray().tolist()
        [[2, 1, 0], [0, 5, 3]]
        """
        d = self.lengths.size
        frequency, occurrences = (np.zeros(terms, dtype=np.int64) for _ in range(2))
        for part, columns in ((self, own_columns), (other, other_columns)):
            frequency[columns] += part.document_frequency
            occurrences[columns] += part.collection_frequency
        starts = np.concatenate([[0], np.cumsum(frequency)])
        documents, data = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=self.counts.data.dtype)
        free = starts[:-1].copy()  # where the next posting of a column goes
        for part, columns, first in ((self, own_columns, 0), (other, other_columns, d)):
            to = part.by_posting(free[columns] - part.counts.indptr[:-1]) + np.arange(part.counts.nnz)
            documents[to], data[to] = part.counts.indices + first, part.counts.data
            free[columns] += part.document_frequency
        return Collection(
            counts=sp.csc_array((data, documents, starts), shape=(d + other.lengths.size, terms)),
            lengths=np.concatenate([self.lengths, other.lengths]),
            distinct=np.concatenate([self.distinct, other.distinct]),
            document_frequency=frequency,
            collection_frequency=occurrences,
        )

    def only(self, kept: NDArray[np.bool_]) -> tuple[Collection, NDArray[np.bool_]]:
        """The documents with a True in *kept*, and which terms they have; the columns of other terms are left out.

        Examples
        --------
        >>> rest, terms = Collection.from_counts([[2, 0, 1], [0, 3, 1]]).only(np.array([True, False]))
        >>> rest.counts.toarray().tolist(), terms.tolist()
        ([[2, 1]], [True, False, True])
        """
        rest = self.counts[kept]
        held = np.diff(rest.indptr) > 0
        return Collection._of(rest[:, held], self.lengths[kept], self.distinct[kept]), held

    @property
    def tokens(self) -> int:
        """The number of tokens of the collection."""
        return int(self.lengths.sum())

    def by_posting(self, of_terms: NDArray[Any]) -> NDArray[Any]:
        """Repeat one value per term for each posting of the term."""
        return np.repeat(of_terms, self.document_frequency)
