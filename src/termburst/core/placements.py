"""The reference of a coefficient given the bursts of a term: where could they have been? (placements.c)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType

import numpy as np

from termburst.core.binding import Floats, Integers, Struct, call, require, struct
from termburst.core.cells import Cells
from termburst.core.regression import AFTER, Design

MOST_SIZES = 64  # distinct sizes of bursts, as in placements.h
CLASS_RATIO = 1.25  # longest to shortest document of a length class
RESULTS = 5  # numbers per term, as in placements.h

LengthClasses = NewType("LengthClasses", Struct)


def length_classes(starts: Integers, lengths: Floats, documents: Floats) -> LengthClasses:
    """Classes of documents of similar length: those of design cell g are [starts[g]:starts[g + 1]]."""
    require(lengths.shape == documents.shape, "each class must have a length and a number of documents")
    return struct(LengthClasses, starts=starts, lengths=lengths, documents=documents)


def classes_of(lengths_by_cell: Sequence[tuple[Integers, Integers]]) -> LengthClasses:
    """The documents of each design cell in classes of similar length, from their lengths and how many have each."""
    starts, lengths, documents = [0], [], []
    for of, number in lengths_by_cell:
        place = np.floor(np.log(np.maximum(of, 1)) / np.log(CLASS_RATIO)).astype(np.int64)
        edges = np.flatnonzero(np.diff(place, prepend=-1))
        if edges.size:
            held = np.add.reduceat(number, edges).astype(np.float64)
            lengths.append(np.add.reduceat(of * number, edges) / held)
            documents.append(held)
        starts.append(starts[-1] + edges.size)
    return length_classes(np.array(starts, np.int64), np.concatenate(lengths), np.concatenate(documents))


def placements(
    cells: Cells, design: Design, classes: LengthClasses, terms: Integers, fits: Floats, enough: float, out: Floats
) -> None:
    """Test the first coefficient of the given terms, conditional on their bursts.

    *fits* are rows of `regression.fit_design` with that coefficient held at 0. Rows of *out* receive p, the signed
    root of the statistic, the effective number of bursts, the part of the variance that remains because no two bursts
    are in one document, and the smallest p that these bursts could have. p is NaN from *enough* effective bursts on.
    """
    require(fits.shape == (cells.terms, design.columns + 1 + AFTER), "fits must have one row per term")
    require(out.shape == (cells.terms, RESULTS), f"out must have {RESULTS} numbers per term")
    require(classes.arrays["starts"].shape == (design.groups + 1,), "each design cell must have its length classes")
    size = (2 * MOST_SIZES + 3) * design.groups + design.columns**2
    task = struct("PlacementTask", terms=terms, enough=enough, fits=fits, out=out)
    call("tb_placements", cells, design, classes, task, struct("PlacementRoom", numbers=np.empty(size)))
