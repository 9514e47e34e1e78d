"""Whether the rows of statistics can be, and add up to the statistics' sums (rows.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_i32, In_i64, Int, Out_i64, Struct, call, require

Integers = NDArray[np.int64]

NEAR = 2**16  # lengths below that are found by a table
FAULTS = (  # as in rows.h
    "sound", "bad range", "bad count", "bad documents", "unknown length", "beyond length", "no order", "too many",
    "wrong b", "wrong n", "wrong sum",
)  # fmt: skip


class StoredRows(Struct):
    _fields_ = [
        ("indptr", In_i64),
        ("count", In_i64),
        ("length", In_i64),
        ("documents", In_i64),
        ("terms", Int),
        ("size", Int),
        ("with_lengths", Int),
    ]


class LengthHistogram(Struct):
    _fields_ = [
        ("lengths", In_i64),
        ("documents", In_i64),
        ("place", In_i32),
        ("size", Int),
        ("places", Int),
        ("total", Int),
        ("tokens", Int),
    ]


class StoredSums(Struct):
    _fields_ = [("n_i", In_i64), ("b_i", In_i64), ("length_sum", In_i64), ("squared_sum", In_i64)]


class RowFault(Struct):
    _fields_ = [("held", Out_i64), ("held_by", Out_i64), ("fault", Int), ("term", Int), ("row", Int)]


def stored_rows(indptr: Integers, count: Integers, length: Integers | None, documents: Integers) -> StoredRows:
    """Rows [indptr[i]:indptr[i + 1]] of term i, as the kernel takes them."""
    require(indptr.ndim == 1 and indptr.size > 0, "indptr has one entry more than there are terms")
    require(count.ndim == 1 and count.shape == documents.shape, "a row has a count and a number of documents")
    require(length is None or length.shape == count.shape, "a row has a length")
    return StoredRows(
        indptr=indptr,
        count=count,
        length=count if length is None else length,
        documents=documents,
        terms=indptr.size - 1,
        size=count.size,
        with_lengths=length is not None,
    )


def length_histogram(lengths: Integers, documents: Integers) -> LengthHistogram:
    """The distinct lengths in ascending order, none below 0, and how many documents have each."""
    require(lengths.ndim == 1 and lengths.shape == documents.shape, "a length has a number of documents")
    require(not lengths.size or bool(lengths[0] >= 0), "a length is 0 or more")
    require(bool((lengths[1:] > lengths[:-1]).all()), "lengths ascend")
    place = np.full(min(int(lengths[-1]) + 1, NEAR) if lengths.size else 0, -1, dtype=np.int32)
    near = lengths[: np.searchsorted(lengths, NEAR)]
    place[near] = np.arange(near.size)
    return LengthHistogram(
        lengths=lengths,
        documents=documents,
        place=place,
        size=lengths.size,
        places=place.size,
        total=int(documents.sum()),
        tokens=int(lengths @ documents),
    )


def row_fault(
    rows: StoredRows,
    lengths: LengthHistogram,
    *,
    n_i: Integers,
    b_i: Integers,
    length_sum: Integers,
    squared_sum: Integers,
) -> tuple[str, int, int]:
    """The first fault of the rows: which of `FAULTS`, its term, and its row or −1; "sound" where there is none.

    Σ n_ij n_j is compared where rows have lengths. The sums of the whole collection must fit 64-bit integers.
    """
    for name, values in (("n_i", n_i), ("b_i", b_i), ("length_sum", length_sum), ("squared_sum", squared_sum)):
        require(values.shape == (rows.terms,), f"{name} has one entry per term")
    room = np.zeros(lengths.size, np.int64), np.full(lengths.size, -1, np.int64)
    found = RowFault(held=room[0], held_by=room[1], fault=0, term=-1, row=-1)
    sums = StoredSums(n_i=n_i, b_i=b_i, length_sum=length_sum, squared_sum=squared_sum)
    call("tb_check_rows", rows, lengths, sums, found)
    return FAULTS[found.fault], found.term, found.row
