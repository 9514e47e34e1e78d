"""The permutation test of two corpora (permutation.c, which uses points.c, lattice.c and saddlepoint.c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Float, In_f64, In_i32, In_i64, Int, Out_f64, Struct, call, pointer, require
from termburst.core.cells import Cells

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

OUTCOMES, SPACE = 2048, 2 * 2**21 + 65 * 24  # as in lattice.h


class Point(Struct):
    _fields_ = [("x", Float), ("m", Float), ("stratum", Int)]


class Stratum(Struct):
    """The data of a stratum while a term is tested; filled by the kernel."""

    _fields_ = [
        *(("taken", Float), ("in_first", Float), ("documents", Float), ("mean", Float), ("squares", Float)),
        *(("held", Float), ("others", Float)),
        *((name, Float) for name in ("side", "sign", "p", "least", "most", "falls", "rises")),
        *((name, Float) for name in ("left", "last", "tied", "need")),
        *((name, Float) for name in ("start", "level", "zero", "one", "gap", "move")),
        *(("fallen", Int), ("depth", Int)),
    ]


class ClassSum(Struct):
    _fields_ = [("documents", Float), ("sum", Float), ("sum_a", Float)]


POINT, STRATUM, CLASS_SUM = np.dtype(Point), np.dtype(Stratum), np.dtype(ClassSum)


class ClassedLengths(Struct):
    _fields_ = [
        ("lengths", In_f64),
        ("in_a", In_f64),
        ("both", In_f64),
        ("size", Int),
        ("starts", In_i64),
        ("strata_of", In_i64),
        ("classes", Int),
        ("class_of", In_i32),
        ("longest", Int),
    ]


class Strata(Struct):
    _fields_ = [("taken", In_f64), ("documents", In_f64), ("strata", Int)]


class PermutationTask(Struct):
    _fields_ = [
        ("terms", In_i64),
        ("size", Int),
        ("mean", In_f64),
        ("rho", In_f64),
        ("statistic", Out_f64),
        ("p_value", Out_f64),
    ]


class PermutationRoom(Struct):
    _fields_ = [
        ("points", pointer(POINT, writes=True)),
        ("spare", pointer(POINT, writes=True)),
        ("most", Int),
        ("by", pointer(STRATUM, writes=True)),
        ("w", Out_f64),
        ("shares", Out_f64),
        ("all", pointer(CLASS_SUM, writes=True)),
        ("lacking", pointer(CLASS_SUM, writes=True)),
    ]


@dataclass(frozen=True, slots=True)
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
    every = (cells.terms,)
    require(cells.groups == 2, "the permutation test needs two corpora")
    require(mean.shape == rho.shape == statistic.shape == p_value.shape == every, "there must be one entry per term")
    require(of.lengths.shape == of.in_a.shape == of.both.shape, "in_a and both must have one entry per length")
    require(of.starts.shape == (of.strata_of.size + 1,), "each length class must have a stratum")
    require(of.taken.shape == of.documents.shape, "taken and documents must have one entry per stratum")
    require(of.class_of.size > cells.longest, "each length must have a class")
    classes, strata = of.strata_of.size, of.taken.size
    most += classes
    call(
        "tb_permutation",
        cells,
        ClassedLengths(
            lengths=of.lengths,
            in_a=of.in_a,
            both=of.both,
            size=of.lengths.size,
            starts=of.starts,
            strata_of=of.strata_of,
            classes=classes,
            class_of=of.class_of,
            longest=of.class_of.size - 1,
        ),
        Strata(taken=of.taken, documents=of.documents, strata=strata),
        PermutationTask(terms=terms, size=terms.size, mean=mean, rho=rho, statistic=statistic, p_value=p_value),
        PermutationRoom(
            points=np.empty(most, POINT),
            spare=np.empty(most, POINT),
            most=most,
            by=np.zeros(strata, STRATUM),
            w=np.empty(SPACE + OUTCOMES * strata),
            shares=np.empty(of.lengths.size),
            all=np.empty(classes, CLASS_SUM),
            lacking=np.empty(classes, CLASS_SUM),
        ),
    )
