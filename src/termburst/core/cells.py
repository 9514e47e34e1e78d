"""The cells of a collection by term as kernels take them, and which terms have the same (cells.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_f64, In_i32, In_i64, Int, Out_i64, Struct, call, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Cells(Struct):
    """Made by `cells`, which checks the values; `occurrences` and `longest` say how much room kernels need."""

    _fields_ = [
        ("indptr", In_i64),
        ("count", In_i32),
        ("length", In_i32),
        ("weight", In_f64),
        ("terms", Int),
        ("groups", Int),
        ("size", Int),
        ("weights", Int),
    ]
    occurrences: int
    longest: int


class CellBounds(Struct):
    _fields_ = [("occurrences", Out_i64), ("longest", Out_i64)]


class AlikeTerms(Struct):
    _fields_ = [("terms", In_i64), ("first", Out_i64), ("size", Int), ("slots", Out_i64), ("slot_count", Int)]


def cells(indptr: Integers, count: NDArray[np.int32], length: NDArray[np.int32], weight: Floats) -> Cells:
    """Cells [indptr[i]:indptr[i + 1]] of term i, or [indptr[g, i]:indptr[g, i + 1]] in group g.

    *weight* has one number per cell, or a single one. Refused are ranges that leave the arrays, and counts that are not
    between 1 and the length of their document.
    """
    groups, ends = (1, indptr.size) if indptr.ndim == 1 else indptr.shape
    require(ends > 0 and indptr.ndim <= 2, "indptr has one entry more than there are terms")
    require(count.ndim == 1 and count.shape == length.shape, "count and length have one entry per cell")
    require(weight.ndim == 1 and weight.size in (1, count.size), "weight has one entry per cell, or one for all")
    made = Cells(
        indptr=indptr,
        count=count,
        length=length,
        weight=weight,
        terms=ends - 1,
        groups=groups,
        size=count.size,
        weights=weight.size,
    )
    occurrences, longest = np.zeros(1, np.int64), np.zeros(1, np.int64)
    call("tb_cell_bounds", made, CellBounds(occurrences=occurrences, longest=longest))
    made.occurrences, made.longest = int(occurrences[0]), int(longest[0])
    return made


def alike_terms(of: Cells, terms: Integers) -> tuple[Integers, Integers]:
    """The terms that differ in their cells, and for each of *terms* its place among those.

    What depends on a term's cells alone need be computed only once for all terms that have the same. Only terms with a
    handful of cells are compared. They are most of a vocabulary.
    """
    first = np.empty(terms.size, np.int64)
    slots = np.empty(1 << (2 * terms.size + 1).bit_length(), np.int64)
    call("tb_alike_terms", of, AlikeTerms(terms=terms, first=first, size=terms.size, slots=slots, slot_count=slots.size))
    distinct, place = np.unique(first, return_inverse=True)
    return terms[distinct], place
