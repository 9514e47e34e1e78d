"""The cells of a collection by term, and of several collections: the input of exact fits and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import cells as core
from termburst.core import profiles
from termburst.messages import named
from termburst.models.length_table import LengthTable
from termburst.statistics.matrix import Integers, by_term, canonical_counts, tally, totals
from termburst.statistics.term_statistics import TermStatistics, as_statistics
from termburst.threads import over_parts

Floats = NDArray[np.float64]
NODES = 128  # cells that cost as much as what these kernels do for any term, whatever its cells
BLOCK = 2**18  # cells that `merged` takes at a time
LONGEST = 100_000_000  # most tokens of a document: every thread of a fit has scratch space of that size


@dataclass(frozen=True, slots=True)
class TermCells:
    """The cells of a collection by term: those of term i are [indptr[i]:indptr[i + 1]].

    `weight` is the number of documents that a cell stands for, or a single number if it is the same for all cells.
    Counts and lengths have 32 bits.
    """

    indptr: Integers
    count: NDArray[np.int32]
    length: NDArray[np.int32]
    weight: Floats
    n_i: Integers
    b_i: Integers
    lengths: Integers
    length_documents: Integers

    @property
    def tokens(self) -> int:
        return int(self.lengths @ self.length_documents)

    @property
    def documents(self) -> int:
        """The number of documents that are not empty."""
        return int(self.length_documents[self.lengths > 0].sum())

    @property
    def mean_length(self) -> float:
        return self.tokens / max(int(self.length_documents.sum()), 1)

    @property
    def term(self) -> Integers:
        """The index of each cell's term."""
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))

    def for_kernels(self) -> core.Cells:
        """The cells in the form of the compiled core; impossible counts and lengths are refused."""
        return core.cells(
            np.ascontiguousarray(self.indptr, np.int64),
            np.ascontiguousarray(self.count, np.int32),
            np.ascontiguousarray(self.length, np.int32),
            np.ascontiguousarray(self.weight, np.float64),
        )

    def sum(self, values: Floats) -> Floats:
        """Σ_j over the documents that contain the term; *values* has one entry per cell."""
        return sums_of_runs(values * self.weight, self.indptr)

    def of_terms(self, terms: NDArray[np.integer[Any]]) -> TermCells:
        """The cells of some terms, by their numbers in ascending order.

        >>> term_cells([[4, 1], [0, 2]]).of_terms(np.array([1])).count.tolist()
        [1, 2]
        """
        kept = np.zeros(self.n_i.size, dtype=bool)
        kept[terms] = True
        mine = kept[self.term]
        return replace(
            self,
            indptr=np.append(0, np.cumsum(np.diff(self.indptr)[kept])),
            count=self.count[mine],
            length=self.length[mine],
            weight=self.weight if self.weight.size == 1 and self.count.size != 1 else self.weight[mine],
            n_i=self.n_i[kept],
            b_i=self.b_i[kept],
        )


def sums_of_runs(values: Floats, indptr: Integers) -> Floats:
    """The sums of values[indptr[i]:indptr[i + 1]].

    >>> sums_of_runs(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 2, 3])).tolist()
    [3.0, 0.0, 3.0]
    """
    sums, held = np.zeros(indptr.size - 1), indptr[1:] > indptr[:-1]
    if held.any():
        sums[held] = np.add.reduceat(values, indptr[:-1][held])  # for an empty run, reduceat returns the next value
    return sums


def term_cells(X_or_statistics: Any) -> TermCells:
    """The cells of a count matrix, or of statistics with detail="patterns"; cells are returned unchanged."""
    if isinstance(X_or_statistics, TermCells):
        return X_or_statistics
    if isinstance(X_or_statistics, TermStatistics):
        s = as_statistics(X_or_statistics, "patterns")
        rows = s.rows
        if rows is None or rows.length is None:
            raise ValueError("an exact fit needs statistics with " + named("detail", "patterns"))
        check_lengths(s.lengths)
        return TermCells(
            rows.indptr,
            narrow("count", rows.count),
            narrow("length", rows.length),
            rows.documents.astype(np.float64),
            s.collection_frequency,
            s.document_frequency,
            s.lengths,
            s.length_documents,
        )
    return cells_of_counts(canonical_counts(X_or_statistics))


def cells_of_counts(counts: Any) -> TermCells:
    """`term_cells` of a count matrix that is in canonical form already."""
    if 0 in counts.shape:
        raise ValueError(f"there is nothing to fit: the count matrix is {counts.shape[0]} × {counts.shape[1]}")
    sums = totals(counts, length_sums=False)
    (lengths,), length_documents = tally([sums.n_j])
    check_lengths(lengths)
    indptr, count, length = by_term(counts, sums.b_i)
    return TermCells(indptr, count, length, np.ones(1), sums.n_i, sums.b_i, lengths, length_documents)


def check_lengths(lengths: Integers) -> None:
    """Raise ValueError if a document is too long for a fit; *lengths* are in ascending order."""
    if lengths.size and lengths[-1] > LONGEST:
        raise ValueError(f"a document of {int(lengths[-1]):,} tokens is too long to fit: the limit is {LONGEST:,}")


def narrow(name: str, values: Integers) -> NDArray[np.int32]:
    """Counts or lengths in 32 bits; ValueError if they would overflow or are below 0.

    Examples
    --------
    >>> narrow("count", np.array([2**40]))
    Traceback (most recent call last):
    ValueError: a count of 1,099,511,627,776 cannot be fitted: it lies outside of 0 to 100,000,000
    """
    for value in (values.min(initial=0), values.max(initial=0)):
        if not 0 <= value <= LONGEST:
            raise ValueError(f"a {name} of {int(value):,} cannot be fitted: it lies outside of 0 to {LONGEST:,}")
    return values.astype(np.int32)


def weights_of(groups: Sequence[TermCells], order: Any = slice(None)) -> Floats:
    """The weights of the cells of all groups, in an *order*; a single number if all have the same."""
    if all(g.weight.size == 1 and g.weight[0] == groups[0].weight[0] for g in groups):
        return groups[0].weight
    return np.concatenate([np.broadcast_to(g.weight, g.count.shape) for g in groups])[order]


def lengths_of_groups(groups: Sequence[TermCells]) -> tuple[Integers, Integers]:
    """The distinct document lengths of all groups, and the number of documents of each."""
    (lengths,), documents = tally(
        [np.concatenate([g.lengths for g in groups])], np.concatenate([g.length_documents for g in groups])
    )
    return lengths, documents


def cells_of_groups(groups: Sequence[TermCells]) -> core.Cells:
    """The cells of all groups, one after another, in the form of the kernels."""
    offset = np.cumsum([0, *(g.count.size for g in groups[:-1])])
    return core.cells(
        np.stack([g.indptr for g in groups]) + offset[:, None],
        np.concatenate([g.count for g in groups]),
        np.concatenate([g.length for g in groups]),
        weights_of(groups),
    )


def joined(groups: Sequence[TermCells]) -> TermCells:
    """The cells of several collections over the same terms, as if they were one."""
    term = np.concatenate([g.term for g in groups])
    order = np.argsort(term, kind="stable")
    lengths, documents = lengths_of_groups(groups)
    return TermCells(
        np.sum([g.indptr for g in groups], axis=0),
        np.concatenate([g.count for g in groups])[order],
        np.concatenate([g.length for g in groups])[order],
        weights_of(groups, order),
        np.sum([g.n_i for g in groups], axis=0),
        np.sum([g.b_i for g in groups], axis=0),
        lengths,
        documents,
    )


def merged(groups: Sequence[TermCells]) -> TermCells:
    """`joined`, with equal cells as one: fewer cells, and sums that do not depend on how documents were divided.

    >>> merged([term_cells([[4], [1]]), term_cells([[4], [2]])]).weight.tolist()
    [1.0, 1.0, 2.0]
    """
    n_i, b_i, ends = (np.sum([getattr(g, name) for g in groups], axis=0) for name in ("n_i", "b_i", "indptr"))
    blocks = [0, *np.searchsorted(ends, np.arange(BLOCK, ends[-1], BLOCK)).tolist(), n_i.size]
    parts = [_merged(groups, first, last) for first, last in pairwise(blocks)]  # some terms at a time need less memory
    held, count, length, weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    lengths, documents = lengths_of_groups(groups)
    return TermCells(np.append(0, np.cumsum(held)), count, length, weight, n_i, b_i, lengths, documents)


def _merged(groups: Sequence[TermCells], first: int, last: int) -> tuple[NDArray[Any], ...]:
    """How many cells each of some terms has, and their counts, lengths and weights."""
    bounds = [g.indptr[first : last + 1] for g in groups]
    cells = [slice(int(ends[0]), int(ends[-1])) for ends in bounds]
    columns = [np.concatenate([np.repeat(np.arange(last - first), np.diff(ends)) for ends in bounds])]
    for name in ("count", "length"):
        columns.append(np.concatenate([getattr(g, name)[part] for g, part in zip(groups, cells, strict=True)]))
    weights = [np.broadcast_to(g.weight, g.count.shape)[part] for g, part in zip(groups, cells, strict=True)]
    (term, count, length), weight = tally(columns, np.concatenate(weights).astype(np.int64))
    held = np.bincount(term, minlength=last - first)
    return held, count.astype(np.int32), length.astype(np.int32), weight.astype(np.float64)


def over_distinct(
    kernel: Callable[[Integers], None], of: core.Cells, terms: Integers, n_i: Integers, *results: NDArray[Any]
) -> None:
    """Call *kernel* with parts of *terms* on all cores; of terms with equal cells, as most rare ones, with one.

    Then copy its *results* to the others.
    """
    distinct, place = core.alike_terms(of, terms)
    by_size = distinct[np.argsort(-n_i[distinct], kind="stable")]  # frequent terms first, evenly over the parts
    over_parts(lambda part: kernel(by_size[part].copy()), of.size, by_size.size)
    for result in results:
        result[terms] = result[distinct[place]]


class GroupedCells:
    """The cells of several collections over the same terms, and what their likelihoods need."""

    def __init__(self, groups: Sequence[TermCells]) -> None:
        self.groups = groups
        self.cells = cells_of_groups(groups)
        self.tables = [LengthTable.of(g.lengths, g.length_documents) for g in groups]
        self.tokens = np.array([float(table.tokens) for table in self.tables])
        self.lengths = profiles.group_lengths(np.stack([table.coefficients for table in self.tables]), self.tokens)
        self.n_i = np.stack([g.n_i for g in groups], axis=1)
        # A result depends only on the cells of a term: terms with equal cells, as most rare terms have, share it.
        n_i = self.n_i.sum(axis=1)
        self.occurring = np.flatnonzero(n_i)
        distinct, place = core.alike_terms(self.cells, self.occurring)
        self.same_as = distinct[place]  # one entry for every term that occurs
        self.terms = distinct[np.argsort(-n_i[distinct], kind="stable")]  # frequent terms first, evenly over the parts
        self.work = self.cells.size + NODES * self.terms.size  # for `parts_of`

    def over_terms(self, kernel: Callable[[Integers], None], terms: Integers, *results: NDArray[Any]) -> None:
        """Call *kernel* with parts of *terms* on all cores; then copy *results* to terms with equal cells."""
        over_parts(lambda part: kernel(terms[part].copy()), self.work, terms.size)
        for result in results:
            result[self.occurring] = result[self.same_as]
