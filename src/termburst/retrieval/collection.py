"""The data that ranking models use: postings, document lengths, and frequencies of terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
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
        import scipy.sparse as sp

        rows = canonical_counts(X)
        columns = sp.csc_array(rows)
        columns.sort_indices()
        return cls(
            counts=columns,
            lengths=document_lengths(rows),
            distinct=np.diff(rows.indptr).astype(np.int64),
            document_frequency=np.diff(columns.indptr).astype(np.int64),
            collection_frequency=np.asarray(columns.sum(axis=0, dtype=np.int64)).ravel(),
        )

    @property
    def tokens(self) -> int:
        """The number of tokens of the collection."""
        return int(self.lengths.sum())

    def by_posting(self, of_terms: NDArray[Any]) -> NDArray[Any]:
        """Repeat one value per term for each posting of the term."""
        return np.repeat(of_terms, self.document_frequency)
