"""The check of rows of statistics finds the same faults as plain Python, for any input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.rows import first_fault

from termburst.core import rows as core

HISTOGRAM = {0: 2, 1: 1, 3: 2, 5: 4, 70_000: 1}
HUGE = st.sampled_from([-(2**62), -1, 0, 2**31, 2**40, 2**62])


def found(terms, histogram, sums, lengths):
    flat = np.array([row for rows in terms for row in rows], dtype=object).reshape(-1, 3)
    indptr = np.concatenate([[0], np.cumsum([len(rows) for rows in terms])]).astype(np.int64)
    n_i, b_i, products, squares = np.array(sums, dtype=np.int64).reshape(-1, 4).T.copy()
    return core.row_fault(
        core.stored_rows(
            indptr,
            flat[:, 0].astype(np.int64),
            flat[:, 1].astype(np.int64) if lengths else None,
            flat[:, 2].astype(np.int64),
        ),
        core.length_histogram(*(np.array(values, dtype=np.int64) for values in zip(*histogram.items(), strict=True))),
        n_i=n_i, b_i=b_i, length_sum=products, squared_sum=squares,
    )  # fmt: skip


def added_up(rows):
    """n_i, b_i, Σ n_ij n_j and Σ n_ij², limited to 64 bits."""
    sums = [
        sum(count * documents for count, _, documents in rows),
        sum(documents for _, _, documents in rows),
        sum(count * (length or 0) * documents for count, length, documents in rows),
        sum(count * count * documents for count, _, documents in rows),
    ]
    return [min(max(value, -(2**63)), 2**63 - 1) for value in sums]


def rows_of(draw, lengths):
    """Up to four rows, mostly valid; one number may be anything."""
    length = st.sampled_from([length for length in HISTOGRAM if length])
    rows = [
        [min(draw(st.integers(1, 6)), at), at if lengths else None, draw(st.integers(1, 2))]
        for at in draw(st.lists(length, max_size=4))
    ]
    rows.sort(key=lambda row: (row[0], row[1] or 0))
    if rows and draw(st.integers(0, 3)) == 0:
        draw(st.sampled_from(rows))[draw(st.sampled_from([0, 1, 2] if lengths else [0, 2]))] = draw(HUGE)
    return rows


@st.composite
def statistics(draw):
    lengths = draw(st.booleans())
    terms = [rows_of(draw, lengths) for _ in range(draw(st.integers(1, 3)))]
    sums = [added_up(rows) for rows in terms]
    if draw(st.integers(0, 3)) == 0:
        wrong, at = draw(st.sampled_from(sums)), draw(st.integers(0, 3))
        wrong[at] += 1 if wrong[at] < 0 else -1
    return terms, sums, lengths


@given(statistics())
def test_faults_equal_plain_python(given):
    terms, sums, lengths = given
    assert found(terms, HISTOGRAM, sums, lengths)[0] == first_fault(terms, HISTOGRAM, sums, lengths)[0]


def test_both_libraries_name_the_same_row(on_both):
    terms = [[(1, 3, 1)], [(1, 3, 1), (2, 5, 9)]]
    sums = [added_up(rows) for rows in terms]
    assert set(on_both(lambda: found(terms, HISTOGRAM, sums, lengths=True))) == {("too many", 1, 2)}


def test_a_sum_of_squares_that_overflows_is_a_fault():
    histogram = {1: 2**40, 2**31: 1}
    rows = [(2**31, None, 2**9)]
    assert found([rows], histogram, [added_up(rows)], lengths=False)[0] == "wrong sum"


@pytest.mark.parametrize("indptr", [[0, 2, 1], [-1, 1, 1], [0, 1, 2**60]])
def test_ranges_outside_the_rows_are_faults(indptr):
    one = np.ones(1, np.int64)
    rows = core.stored_rows(np.array(indptr), one, one, one)
    sums = dict.fromkeys(("n_i", "b_i", "length_sum", "squared_sum"), np.ones(2, np.int64))
    assert core.row_fault(rows, core.length_histogram(one, one), **sums)[0] == "bad range"
