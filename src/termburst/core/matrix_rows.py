"""From counts by document to the rows of a sparse matrix (matrix_rows.c)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_i32, In_i64, Int, Out_i32, Out_i64, Out_u64, Struct, call, require
from termburst.core.tokenizer import MOST_CELLS
from termburst.core.vocabulary import MOST_NODES, Integers, Nodes


class Piece(Struct):
    _fields_ = [
        ("ids", In_i32),
        ("counts", In_i32),
        ("size", Int),
        ("indptr", In_i64),
        ("starts", In_i64),
        ("documents", Int),
        ("columns", In_i32),
        ("nodes", Int),
    ]


class MatrixRows(Struct):
    _fields_ = [
        ("pieces", Int),
        ("width", Int),
        ("indices", Out_i32),
        ("long_indices", Out_i64),
        ("data", Out_i64),
        ("room", Int),
        ("is_long", Int),
        ("keys", Out_u64),
        ("spare", Out_u64),
        ("longest", Int),
    ]


def piece(ids: Nodes, counts: Nodes, indptr: Integers, starts: Integers, columns: Nodes) -> Piece:
    """Counts of documents whose rows begin at *starts* in a matrix. Node v goes to columns[v]; −1 leaves it out."""
    require(ids.size == counts.size, "ids and counts must have one entry per cell")
    require(indptr.size == starts.size + 1, "each row must have a start")
    return Piece(
        ids=ids,
        counts=counts,
        size=ids.size,
        indptr=indptr,
        starts=starts,
        documents=starts.size,
        columns=columns,
        nodes=columns.size,
    )


def write_rows(pieces: list[Piece], width: int, longest: int, indices: NDArray[Any], data: Integers) -> None:
    """Write the rows of all pieces with sorted columns. No row has more than *longest* cells."""
    require(indices.size == data.size, "indices and data must have the same size")
    require(0 <= longest <= MOST_CELLS and 0 <= width <= MOST_NODES, "a row is too long")
    keys, spare = np.empty((2, longest), dtype=np.uint64)
    is_long = indices.dtype == np.int64
    call(
        "tb_write_rows",
        (Piece * len(pieces))(*pieces),
        MatrixRows(
            pieces=len(pieces),
            width=width,
            indices=np.empty(0, dtype=np.int32) if is_long else indices,
            long_indices=indices if is_long else np.empty(0, dtype=np.int64),
            data=data,
            room=data.size,
            is_long=is_long,
            keys=keys,
            spare=spare,
            longest=longest,
        ),
    )
