"""Count matrices as structs for kernels: a survey of the values, sums of rows and of terms (matrix.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Integers, Struct, call, require, struct

CountBlock = NewType("CountBlock", Struct)  # Some rows of a count matrix. `starts` begins at 0.
Survey = NewType("Survey", Struct)


def count_block(starts: Integers, term: NDArray[np.int32], count: Integers, terms: int) -> CountBlock:
    """Rows of a count matrix with *terms* columns, as a struct for kernels."""
    require(starts.size > 0, "starts must have one entry more than there are rows")
    require(term.size == count.size, "each cell must have a term and a count")
    require(0 <= terms < 2**31, "the number of terms must fit in 32 bits")
    return struct(CountBlock, starts=starts, term=term, count=count, rows=starts.size - 1, terms=terms)


def survey(counts: CountBlock) -> Survey:
    """Whether all indices are valid, whether the terms of each row are sorted, and the smallest and largest count."""
    found = struct(Survey, inside=0, ascending=0, least=0, most=0)
    call("tb_survey", counts, found)
    return found


def has_repeats(counts: CountBlock) -> bool:
    """Whether any row contains a term twice."""
    require(counts.rows < 2**31, "the number of rows must fit in 32 bits")
    found = struct("Repeats", seen_in=np.full(counts.terms, -1, dtype=np.int32), twice=0)
    call("tb_repeats", counts, found)
    return bool(found.twice)


def row_sums(counts: CountBlock) -> Integers:
    """n_j, the sum of each row."""
    n_j = np.empty(counts.rows, dtype=np.int64)
    call("tb_row_sums", counts, struct("RowSums", n_j=n_j))
    return n_j


def add_totals(counts: CountBlock, n_i: Integers, b_i: Integers, length_sum: Integers | None) -> Integers:
    """Return n_j of each row, and add the n_i, b_i and (if given) Σ_j n_ij n_j of these rows to the arrays."""
    require(n_i.size == b_i.size == counts.terms, "there must be one sum per term")
    require(length_sum is None or length_sum.size == counts.terms, "there must be one sum per term")
    n_j, wanted = np.empty(counts.rows, dtype=np.int64), length_sum is not None
    call("tb_totals", counts, struct("Totals", locals(), length_sum=length_sum if wanted else n_i))
    return n_j


def put_by_term(counts: CountBlock, places: Integers, count: NDArray[np.int32], length: NDArray[np.int32]) -> None:
    """Write the count of each cell and the length of its row to the next place of its term, and advance *places*.

    Rows of 2³¹ tokens or more are an error.
    """
    require(places.size == counts.terms and count.size == length.size, "there must be one place per term")
    call("tb_by_term", counts, struct("ByTerm", next=places, count=count, length=length))
