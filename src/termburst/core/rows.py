"""Checks that the rows of stored statistics are possible, and add up to the stored sums (rows.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np

from termburst.core.binding import Integers, Struct, call, require, struct

NEAR = 2**16  # shorter lengths are looked up in a table
FAULTS = (  # as in rows.h
    "sound",
    "bad range",
    "bad count",
    "bad documents",
    "unknown length",
    "beyond length",
    "no order",
    "too many",
    "wrong b",
    "wrong n",
    "wrong sum",
)

StoredRows = NewType("StoredRows", Struct)
LengthHistogram = NewType("LengthHistogram", Struct)


def stored_rows(indptr: Integers, count: Integers, length: Integers | None, documents: Integers) -> StoredRows:
    """Rows as a struct for the kernel; term i has the rows [indptr[i]:indptr[i + 1]]."""
    require(indptr.ndim == 1 and indptr.size > 0, "indptr must have one entry more than there are terms")
    require(count.ndim == 1 and count.shape == documents.shape, "each row must have a count and a number of documents")
    require(length is None or length.shape == count.shape, "each row must have a length")
    with_lengths = length is not None
    return struct(StoredRows, locals(), length=length if with_lengths else count, terms=indptr.size - 1)


def length_histogram(lengths: Integers, documents: Integers) -> LengthHistogram:
    """The distinct lengths, sorted and not negative, and how many documents have each."""
    require(lengths.ndim == 1 and lengths.shape == documents.shape, "each length must have a number of documents")
    require(not lengths.size or bool(lengths[0] >= 0), "a length must be 0 or more")
    require(bool((lengths[1:] > lengths[:-1]).all()), "lengths must increase")
    place = np.full(min(int(lengths[-1]) + 1, NEAR) if lengths.size else 0, -1, dtype=np.int32)
    near = lengths[: np.searchsorted(lengths, NEAR)]
    place[near] = np.arange(near.size)
    return struct(LengthHistogram, locals(), total=int(documents.sum()), tokens=int(lengths @ documents))


def row_fault(
    rows: StoredRows,
    lengths: LengthHistogram,
    *,
    n_i: Integers,
    b_i: Integers,
    length_sum: Integers,
    squared_sum: Integers,
) -> tuple[str, int, int]:
    """The first fault of the rows: its name from `FAULTS` ("sound" if there is none), its term, and its row or −1.

    Σ n_ij n_j is checked if rows have lengths. The sums over the whole collection must fit in 64-bit integers.
    """
    for name, values in (("n_i", n_i), ("b_i", b_i), ("length_sum", length_sum), ("squared_sum", squared_sum)):
        require(values.shape == (rows.terms,), f"{name} must have one entry per term")
    held, held_by = np.zeros(lengths.size, np.int64), np.full(lengths.size, -1, np.int64)
    found = struct("RowFault", held=held, held_by=held_by, fault=0, term=-1, row=-1)
    call("tb_check_rows", rows, lengths, struct("StoredSums", locals()), found)
    return FAULTS[found.fault], found.term, found.row
