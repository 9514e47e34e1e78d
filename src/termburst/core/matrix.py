"""Count matrices as kernels take them: a look at everything, sums of rows and of terms (matrix.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_i32, In_i64, Int, Out_i32, Out_i64, Struct, call, require

Integers = NDArray[np.int64]


class CountBlock(Struct):
    """Some rows of a count matrix; `starts` begins at 0."""

    _fields_ = [("starts", In_i64), ("term", In_i32), ("count", In_i64), ("rows", Int), ("terms", Int), ("cells", Int)]


class Survey(Struct):
    _fields_ = [("inside", Int), ("ascending", Int), ("least", Int), ("most", Int)]


class Repeats(Struct):
    _fields_ = [("seen_in", Out_i32), ("twice", Int)]


class RowSums(Struct):
    _fields_ = [("n_j", Out_i64)]


class Totals(Struct):
    _fields_ = [("n_j", Out_i64), ("n_i", Out_i64), ("b_i", Out_i64), ("length_sum", Out_i64), ("wanted", Int)]


class ByTerm(Struct):
    _fields_ = [("next", Out_i64), ("count", Out_i32), ("length", Out_i32), ("room", Int)]


def count_block(starts: Integers, term: NDArray[np.int32], count: Integers, terms: int) -> CountBlock:
    """Rows of counts of *terms* terms, as kernels take them."""
    require(starts.size > 0, "a matrix has one start of a row more than it has rows")
    require(term.size == count.size, "a cell has a term and a count")
    require(0 <= terms < 2**31, "terms are numbered in 32 bits")
    return CountBlock(starts=starts, term=term, count=count, rows=starts.size - 1, terms=terms, cells=term.size)


def survey(counts: CountBlock) -> Survey:
    """Whether indices stay inside, and terms ascend in every row; the least and the greatest count."""
    found = Survey(inside=0, ascending=0, least=0, most=0)
    call("tb_survey", counts, found)
    return found


def has_repeats(counts: CountBlock) -> bool:
    """Whether any row has a term twice."""
    require(counts.rows < 2**31, "rows are numbered in 32 bits")
    found = Repeats(seen_in=np.full(counts.terms, -1, dtype=np.int32), twice=0)
    call("tb_repeats", counts, found)
    return bool(found.twice)


def row_sums(counts: CountBlock) -> Integers:
    """n_j of every row."""
    n_j = np.empty(counts.rows, dtype=np.int64)
    call("tb_row_sums", counts, RowSums(n_j=n_j))
    return n_j


def add_totals(counts: CountBlock, n_i: Integers, b_i: Integers, length_sum: Integers | None) -> Integers:
    """n_j of every row; n_i, b_i and, where wanted, Σ_j n_ij n_j of these rows are added to those of every term."""
    require(n_i.size == b_i.size == counts.terms, "there is one sum for every term")
    require(length_sum is None or length_sum.size == counts.terms, "there is one sum for every term")
    n_j = np.empty(counts.rows, dtype=np.int64)
    sums = n_i if length_sum is None else length_sum
    call("tb_totals", counts, Totals(n_j=n_j, n_i=n_i, b_i=b_i, length_sum=sums, wanted=length_sum is not None))
    return n_j


def put_by_term(counts: CountBlock, places: Integers, count: NDArray[np.int32], length: NDArray[np.int32]) -> None:
    """Put the count of every cell, and the length of its row, to the next place of its term; *places* are moved on.

    Rows of 2³¹ tokens or more are refused.
    """
    require(places.size == counts.terms and count.size == length.size, "there is one place for every term")
    call("tb_by_term", counts, ByTerm(next=places, count=count, length=length, room=count.size))
