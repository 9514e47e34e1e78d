"""`CountRows`: the distinct cells of a count matrix and the number of documents with each; one histogram per term."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.statistics.matrix import Integers, tally


@dataclass(frozen=True, slots=True)
class CountRows:
    """The distinct (term, count) or (term, count, length) of a count matrix, with the number of documents of each.

    The rows of term i are ``[indptr[i]:indptr[i + 1]]``, ordered by count, then length. `length` is None in a histogram
    of counts alone.

    Examples
    --------
    >>> import numpy as np
    >>> rows = CountRows.tallied(3, term=np.array([2, 0, 2]), count=np.array([1, 4, 1]))
    >>> rows.indptr.tolist(), rows.count.tolist(), rows.documents.tolist()
    ([0, 1, 1, 2], [4, 1], [1, 2])
    """

    indptr: Integers
    count: Integers
    length: Integers | None
    documents: Integers

    @classmethod
    def tallied(
        cls,
        size: int,
        *,
        term: Integers,
        count: Integers,
        length: Integers | None = None,
        documents: Integers | None = None,
    ) -> CountRows:
        """Merge equal rows, for *size* terms; each row stands for *documents* documents, by default one."""
        columns, total = tally([term, count] if length is None else [term, count, length], documents)
        kept = total != 0
        if not kept.all():
            columns, total = [column[kept] for column in columns], total[kept]
        indptr = np.searchsorted(columns[0], np.arange(size + 1))
        return cls(indptr, columns[1], columns[2] if length is not None else None, total)

    @property
    def term(self) -> Integers:
        """The index of each row's term."""
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))

    def sum_by_term(self, values: Integers) -> Integers:
        """For every term the sum of *values* (one per row); exact in 64-bit integers."""
        running = np.concatenate([[0], np.cumsum(values)])
        return np.diff(running[self.indptr])

    def without_lengths(self) -> CountRows:
        """The histogram of counts alone."""
        if self.length is None:
            return self
        return CountRows.tallied(self.indptr.size - 1, term=self.term, count=self.count, documents=self.documents)

    def plus(self, other: CountRows, sign: int) -> CountRows:
        """These rows plus *sign* times the others. Results may be negative; rows with zero documents are dropped."""
        return CountRows.tallied(
            self.indptr.size - 1,
            term=np.concatenate([self.term, other.term]),
            count=np.concatenate([self.count, other.count]),
            length=None if self.length is None or other.length is None else np.concatenate([self.length, other.length]),
            documents=np.concatenate([self.documents, sign * other.documents]),
        )

    def moved(self, target: NDArray[np.intp], size: int) -> CountRows:
        """Term i becomes term target[i] of *size*; −1 drops it."""
        term = target[self.term]
        order = np.argsort(term, kind="stable")[np.count_nonzero(term < 0) :]
        return CountRows(
            np.searchsorted(term[order], np.arange(size + 1)),
            self.count[order],
            None if self.length is None else self.length[order],
            self.documents[order],
        )
