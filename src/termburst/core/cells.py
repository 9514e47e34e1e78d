"""The cells of a collection by term, as a struct for kernels; terms with equal cells (cells.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_f64, In_i32, In_i64, Int, Out_i64, Struct, call, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Cells(Struct):
    """Made by `cells`, which checks the values. `occurrences` and `longest` determine the scratch space of kernels."""

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
    _fields_ = [
        ("terms", In_i64),
        ("size", Int),
        ("distinct", Out_i64),
        ("place", Out_i64),
        ("found", Out_i64),
        ("slots", Out_i64),
        ("slot_count", Int),
    ]


def cells(indptr: Integers, count: NDArray[np.int32], length: NDArray[np.int32], weight: Floats) -> Cells:
    """Term i has the cells [indptr[i]:indptr[i + 1]], or [indptr[g, i]:indptr[g, i + 1]] in group g.

    *weight* has one number per cell, or one for all. Ranges outside the arrays are rejected, and counts that are not
    between 1 and the length of their document.
    """
    groups, ends = (1, indptr.size) if indptr.ndim == 1 else indptr.shape
    require(ends > 0 and indptr.ndim <= 2, "indptr must have one entry more than there are terms")
    require(count.ndim == 1 and count.shape == length.shape, "count and length must have one entry per cell")
    require(weight.ndim == 1 and weight.size in (1, count.size), "weight must have one entry per cell, or one for all")
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
    """Terms with distinct cells, and for each of *terms* the position of its representative among them.

    A result that depends only on the cells is computed once for all terms with equal cells. Only terms with a handful
    of cells are compared; these are most of a vocabulary.
    """
    distinct, place, found = np.empty(terms.size, np.int64), np.empty(terms.size, np.int64), np.empty(1, np.int64)
    slots = np.empty(1 << (2 * terms.size + 1).bit_length(), np.int64)
    task = AlikeTerms(
        terms=terms,
        size=terms.size,
        distinct=distinct,
        place=place,
        found=found,
        slots=slots,
        slot_count=slots.size,
    )
    call("tb_alike_terms", of, task)
    return distinct[: int(found[0])], place
