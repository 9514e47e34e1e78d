"""Rows of patterns of some terms, in the form that fits and tests take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from termburst.models.cells import TermCells, narrow
from termburst.statistics.tally import Integers

if TYPE_CHECKING:
    import polars as pl


def cells_by_term(
    patterns: pl.DataFrame, lengths: Integers, length_documents: Integers, terms: pl.Series | None = None
) -> tuple[pl.Series, TermCells]:
    """The terms in order, and their cells in a collection with these document lengths.

    Parameters
    ----------
    patterns : all rows of term, count, length, documents that some terms have
    lengths, length_documents : the histogram of document lengths
    terms : distinct terms in ascending order, optional
        By default those of the patterns. Terms without patterns have no cells.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"term": ["so", "ha", "so"], "count": [2, 1, 1], "length": [3, 3, 4], "documents": [1, 1, 5]}
    >>> terms, cells = cells_by_term(pl.DataFrame(rows), np.array([3, 4]), np.array([1, 5]))
    >>> terms.to_list(), cells.n_i.tolist(), cells.b_i.tolist()
    (['ha', 'so'], [1, 7], [1, 6])
    """
    rows = patterns.sort("term", "count", "length")  # as `CountRows`: sums are the same to the last bit
    terms = rows["term"].unique(maintain_order=True) if terms is None else terms
    term, count, documents = rows["term"], rows["count"].to_numpy(), rows["documents"].to_numpy()
    place = terms.search_sorted(term, side="left").to_numpy().astype(np.int64)
    indptr = np.searchsorted(place, np.arange(terms.len() + 1))
    n_i, b_i = (_sums(values, indptr) for values in (count * documents, documents))
    return terms, TermCells(
        indptr,
        narrow("count", count),
        narrow("length", rows["length"].to_numpy()),
        documents.astype(np.float64),
        n_i,
        b_i,
        lengths,
        length_documents,
    )


def cells_of_groups(
    patterns: pl.DataFrame, groups: Iterable[tuple[str, Integers, Integers]], terms: pl.Series | None = None
) -> tuple[pl.Series, list[TermCells]]:
    """The terms in order, and their cells in each group.

    Parameters
    ----------
    patterns : all rows of term, count, length, (group,) documents that some terms have
    groups : name, lengths and documents of each length, of every group
    terms : see `cells_by_term`; by default all terms of the patterns
    """
    terms = patterns["term"].unique().sort() if terms is None else terms
    if "group" not in patterns.columns:
        ((_, lengths, documents),) = groups
        return terms, [cells_by_term(patterns, lengths, documents, terms)[1]]
    parts = patterns.partition_by("group", as_dict=True)
    none = patterns.clear()
    return terms, [
        cells_by_term(parts.get((name,), none), lengths, documents, terms)[1] for name, lengths, documents in groups
    ]


def lengths_of_groups(groups: Iterable[tuple[str, Integers, Integers]]) -> list[TermCells]:
    """Cells without terms, of groups with these document lengths."""
    none, narrow_ = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return [TermCells(np.zeros(1, np.int64), narrow_, narrow_, np.ones(1), none, none, *own) for _, *own in groups]


def _sums(values: Integers, indptr: Integers) -> Integers:
    """The sums of values[indptr[i]:indptr[i + 1]], of integers."""
    before = np.append(0, np.cumsum(values))
    return before[indptr[1:]] - before[indptr[:-1]]
