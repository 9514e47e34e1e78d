"""The permutation test of two corpora (permutation.c, which uses points.c, lattice.c and saddlepoint.c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, Integers, call, record, require, struct
from termburst.core.cells import Cells

OUTCOMES, SPACE = 2048, 2 * 2**21 + 65 * 24  # as in lattice.h


@dataclass(frozen=True)
class Lengths:
    """The sorted distinct lengths of two corpora, and how many documents have each: in_a of the first, both in total.

    Length class c is [starts[c]:starts[c + 1]] and belongs to stratum strata_of[c]. The class of length n is
    class_of[n]; documents with class −1 are not permuted. Stratum s has documents[s] documents, of which taken[s] are
    in the first corpus.
    """

    lengths: Floats
    in_a: Floats
    both: Floats
    starts: Integers
    strata_of: Integers
    class_of: NDArray[np.int32]
    taken: Floats
    documents: Floats


def permutation(
    cells: Cells, of: Lengths, terms: Integers, most: int, mean: Floats, rho: Floats, statistic: Floats, p_value: Floats
) -> None:
    """(T − E T)/sd T and p of the given terms, written to *statistic* and *p_value*.

    These two, *mean* and *rho* have one entry per term of the cells. The cells have two groups. *most* is the largest
    number of cells of any of the given terms.
    """
    require(cells.groups == 2, "the permutation test needs two corpora")
    require(
        mean.shape == rho.shape == statistic.shape == p_value.shape == (cells.terms,),
        "there must be one entry per term",
    )
    require(of.lengths.shape == of.in_a.shape == of.both.shape, "in_a and both must have one entry per length")
    require(of.starts.shape == (of.strata_of.size + 1,), "each length class must have a stratum")
    require(of.taken.shape == of.documents.shape, "taken and documents must have one entry per stratum")
    require(of.class_of.size > cells.longest, "each length must have a class")
    classes, strata = of.strata_of.size, of.taken.size
    points, spare = np.empty((2, most + classes), record("Point"))
    by, w, shares = np.zeros(strata, record("Stratum")), np.empty(SPACE + OUTCOMES * strata), np.empty(of.lengths.size)
    every, lacking = np.empty((2, classes), record("ClassSum"))
    room = struct("PermutationRoom", locals(), all=every)
    lengths = struct("ClassedLengths", vars(of), longest=of.class_of.size - 1)
    call("tb_permutation", cells, lengths, struct("Strata", vars(of)), struct("PermutationTask", locals()), room)
