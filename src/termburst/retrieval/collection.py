"""What ranking models see of a collection: the postings, and the counts that go with documents and terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.statistics.matrix import canonical_counts, document_lengths

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing arrays field by field has no single truth value
class Collection:
    """Counts by term, as a query wants them.

    Attributes
    ----------
    counts : csc_array of shape (d, m)
        Documents × terms, documents in ascending order within a term, no stored zeros.
    lengths : array of shape (d,)
        |d|, the tokens of each document.
    distinct : array of shape (d,)
        The different terms of each document.
    document_frequency, collection_frequency : arrays of shape (m,)
        df_t and cf_t: the documents with a term, and its occurrences.

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
        """From documents × terms in any form."""
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
        """All occurrences of all terms."""
        return int(self.lengths.sum())

    def by_posting(self, of_terms: NDArray[Any]) -> NDArray[Any]:
        """A value a term, repeated for each of its postings."""
        return np.repeat(of_terms, self.document_frequency)
