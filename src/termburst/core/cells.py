"""The cells of a collection by term, as a struct for kernels; terms with equal cells (cells.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, Integers, Struct, call, require, struct

# Made by `cells`, which checks the values. `occurrences` and `longest` determine the scratch space of kernels.
Cells = NewType("Cells", Struct)


def cells(indptr: Integers, count: NDArray[np.int32], length: NDArray[np.int32], weight: Floats) -> Cells:
    """Term i has the cells [indptr[i]:indptr[i + 1]], or [indptr[g, i]:indptr[g, i + 1]] in group g.

    *weight* has one number per cell, or one for all. Ranges outside the arrays are rejected, and counts that are not
    between 1 and the length of their document.
    """
    groups, ends = (1, indptr.size) if indptr.ndim == 1 else indptr.shape
    require(ends > 0 and indptr.ndim <= 2, "indptr must have one entry more than there are terms")
    require(count.ndim == 1 and count.shape == length.shape, "count and length must have one entry per cell")
    require(weight.ndim == 1 and weight.size in (1, count.size), "weight must have one entry per cell, or one for all")
    made = struct(Cells, indptr=indptr, count=count, length=length, weight=weight, terms=ends - 1, groups=groups)
    occurrences, longest = np.zeros(1, np.int64), np.zeros(1, np.int64)
    call("tb_cell_bounds", made, struct("CellBounds", occurrences=occurrences, longest=longest))
    made.occurrences, made.longest = int(occurrences[0]), int(longest[0])
    return made


def alike_terms(of: Cells, terms: Integers) -> tuple[Integers, Integers]:
    """Terms with distinct cells, and for each of *terms* the position of its representative among them.

    A result that depends only on the cells is computed once for all terms with equal cells. Only terms with a handful
    of cells are compared; these are most of a vocabulary.
    """
    distinct, place, found = np.empty(terms.size, np.int64), np.empty(terms.size, np.int64), np.empty(1, np.int64)
    slots = np.empty(1 << (2 * terms.size + 1).bit_length(), np.int64)
    task = struct("AlikeTerms", terms=terms, distinct=distinct, place=place, found=found, slots=slots)
    call("tb_alike_terms", of, task)
    return distinct[: int(found[0])], place
