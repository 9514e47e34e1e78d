"""From counts by document to the rows of a sparse matrix (matrix_rows.c)."""

from __future__ import annotations

from typing import Any, NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Integers, Struct, call, definition, require, struct
from termburst.core.tokenizer import MOST_CELLS
from termburst.core.vocabulary import MOST_NODES, Nodes

Piece = NewType("Piece", Struct)


def piece(ids: Nodes, counts: Nodes, indptr: Integers, starts: Integers, columns: Nodes) -> Piece:
    """Counts of documents whose rows begin at *starts* in a matrix. Node v goes to columns[v]; −1 leaves it out."""
    require(ids.size == counts.size, "ids and counts must have one entry per cell")
    require(indptr.size == starts.size + 1, "each row must have a start")
    return struct(Piece, ids=ids, counts=counts, indptr=indptr, starts=starts, columns=columns)


def write_rows(pieces: list[Piece], width: int, longest: int, indices: NDArray[Any], data: Integers) -> None:
    """Write the rows of all pieces with sorted columns. No row has more than *longest* cells."""
    require(indices.size == data.size, "indices and data must have the same size")
    require(0 <= longest <= MOST_CELLS and 0 <= width <= MOST_NODES, "a row is too long")
    keys, spare = np.empty((2, longest), dtype=np.uint64)
    long_indices, is_long = np.empty(0, dtype=np.int64), indices.dtype == np.int64
    if is_long:
        indices, long_indices = np.empty(0, dtype=np.int32), indices
    listed = (definition("Piece").kind * len(pieces))(*pieces)
    call("tb_write_rows", listed, struct("MatrixRows", locals(), pieces=len(pieces)))
