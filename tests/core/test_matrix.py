"""Surveys and sums of count matrices equal NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.simulated import block_of
from termburst.core.matrix import add_totals, count_block, has_repeats, row_sums, survey
from termburst.statistics import matrix
from termburst.statistics.matrix import canonical_counts, document_lengths, over_rows, totals

COUNTS = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(0, 3))


@given(COUNTS, st.integers(-1, 2))
def test_a_survey_equals_numpy(dense, shift):
    X = sp.csr_matrix(dense)
    X.data += shift
    found = survey(block_of(X))
    assert found.inside
    assert found.ascending
    assert (found.least, found.most) == ((X.data.min(), X.data.max()) if X.nnz else (1, 0))


@given(st.lists(st.lists(st.integers(-1, 5), max_size=6), min_size=1, max_size=6))
def test_order_and_range(rows):
    starts = np.cumsum([0, *map(len, rows)])
    term = np.array([i for row in rows for i in row], dtype=np.int32)
    block = count_block(starts, term, np.ones(term.size, dtype=np.int64), 5)
    found = survey(block)
    inside = bool(((term >= 0) & (term < 5)).all())
    assert found.inside == inside
    assert found.ascending == all(row == sorted(set(row)) for row in rows)
    if inside:
        assert has_repeats(block) == any(len(set(row)) < len(row) for row in rows)


@given(COUNTS)
def test_sums_of_rows_and_terms(dense):
    block = block_of(sp.csr_matrix(dense))
    n_j, start = dense.sum(axis=1), np.arange(dense.shape[1])
    n_i, b_i, length_sum = start.copy(), start.copy(), start.copy()
    np.testing.assert_array_equal(add_totals(block, n_i, b_i, length_sum), n_j)
    np.testing.assert_array_equal(n_i, start + dense.sum(axis=0))
    np.testing.assert_array_equal(b_i, start + (dense > 0).sum(axis=0))
    np.testing.assert_array_equal(length_sum, start + n_j @ dense)
    np.testing.assert_array_equal(row_sums(block), n_j)


@pytest.mark.parametrize("starts", [[1, 2], [0, 3, 2], [0, -1, 2], [0, 2, 2**40]])
def test_damaged_rows(starts):
    block = count_block(np.array(starts), np.zeros(2, dtype=np.int32), np.ones(2, dtype=np.int64), 1)
    assert not survey(block).inside
    if starts[0] == 0:
        for kernel in (row_sums, has_repeats):
            with pytest.raises(ValueError, match="out of range"):
                kernel(count_block(np.array(starts), np.arange(2, dtype=np.int32), np.ones(2, dtype=np.int64), 2))


def test_sizes_that_do_not_match_are_errors():
    block = count_block(np.array([0, 1]), np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int64), 3)
    with pytest.raises(ValueError, match="one sum"):
        add_totals(block, np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.int64), None)
    with pytest.raises(ValueError, match="a term and a count"):
        count_block(np.array([0, 1]), np.zeros(1, dtype=np.int32), np.ones(2, dtype=np.int64), 3)
    with pytest.raises(ValueError, match="32 bits"):
        count_block(np.array([0, 1]), np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int64), 2**31)


# ---- as called by termburst.statistics.matrix: in blocks, with any dtype


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(matrix, "BLOCK", 8)


@given(COUNTS)
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "bool"])
def test_blocks_cover_the_matrix(index, dtype, dense):
    dense = dense.astype(dtype)
    X = sp.csr_matrix(dense)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    dense = dense.astype(np.int64)
    np.testing.assert_array_equal(document_lengths(X), dense.sum(axis=1))
    found = totals(X, length_sums=True)
    np.testing.assert_array_equal(found.n_j, dense.sum(axis=1))
    np.testing.assert_array_equal(found.n_i, dense.sum(axis=0))
    np.testing.assert_array_equal(found.b_i, (dense > 0).sum(axis=0))
    np.testing.assert_array_equal(found.length_sum, dense.sum(axis=1) @ dense)
    cells, n_j = np.zeros(X.nnz, dtype=np.int64), np.full(X.shape[0], -1)

    def mark(block, rows, of_cells):
        cells[of_cells] += 1
        n_j[rows] = row_sums(block)

    over_rows(X, mark)
    assert (cells == 1).all()
    np.testing.assert_array_equal(n_j, dense.sum(axis=1))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_a_cell_stored_twice_is_found_in_any_block(dtype):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.integers(1, 4, (30, 9)).astype(dtype))
    for row in X.indptr[:-1]:
        X.indices[row : row + 9] = rng.permutation(9)
    X.has_sorted_indices = X.has_canonical_format = False
    assert canonical_counts(X) is X
    X.indices[-1] = X.indices[-2]
    assert canonical_counts(X).nnz == X.nnz - 1
    assert canonical_counts(X).sum() == X.sum()


@pytest.mark.parametrize("index", [2**32, -(2**32), 2**31])
def test_an_index_beyond_32_bits_is_not_truncated(index):
    X = sp.csr_matrix(np.ones((2, 2), dtype=np.int64))
    X.indices, X.indptr = np.array([0, 1, index, 1]), X.indptr.astype(np.int64)
    with pytest.raises(ValueError, match="damaged"):
        canonical_counts(X)
    with pytest.raises(ValueError, match="out of range"):
        totals(X, length_sums=False)


def test_a_stored_zero_alone_is_dropped():
    assert canonical_counts(sp.csr_matrix((np.zeros(2, dtype=np.int64), [0, 1], [0, 1, 2]))).nnz == 0
