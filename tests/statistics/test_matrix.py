"""All sparse and dense forms of the same counts give the same result; everything else is refused."""

from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termburst.statistics.matrix import canonical_counts, document_lengths

COUNTS = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(0, 60))
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


def twice_stored(dense: np.ndarray, dtype: str) -> sp.coo_array:
    """The same matrix with every cell split in two entries, including zeros."""
    rows, columns = np.indices(dense.shape).reshape(2, -1)
    half = dense.ravel() // 2
    data = np.concatenate([half, dense.ravel() - half]).astype(dtype)
    return sp.coo_array((data, (np.tile(rows, 2), np.tile(columns, 2))), shape=dense.shape)


@given(COUNTS, st.sampled_from(INTEGERS), st.sampled_from(FORMATS), st.booleans())
def test_all_formats_and_types_give_the_same(dense, dtype, form, array):
    make = sp.coo_array if array else sp.coo_matrix
    wide = dense.astype("float32" if dtype == "float16" else dtype)  # SciPy has no 16-bit floats
    counts = canonical_counts(make(wide).asformat(form))
    np.testing.assert_array_equal(counts.toarray(), dense)
    assert counts.data.dtype.kind in "iu"
    assert counts.nnz == np.count_nonzero(dense)
    assert isinstance(counts, sp.csr_array if array else sp.csr_matrix)


@given(COUNTS, st.sampled_from(INTEGERS))
def test_dense_input(dense, dtype):
    np.testing.assert_array_equal(canonical_counts(dense.astype(dtype)).toarray(), dense)


@given(COUNTS, st.sampled_from(["int8", "int64", "float32"]), st.sampled_from(["csr", "csc", "coo"]))
def test_duplicates_are_summed_and_stored_zeros_dropped(dense, dtype, form):
    counts = canonical_counts(twice_stored(dense, dtype).asformat(form))
    np.testing.assert_array_equal(counts.toarray(), dense)
    assert counts.nnz == np.count_nonzero(dense)


def test_duplicates_in_a_csr_do_not_overflow_small_integers():
    data = np.array([100, 100], dtype=np.int8)
    doubled = sp.csr_matrix((data, [0, 0], [0, 2]), shape=(1, 1))
    assert canonical_counts(doubled).data.tolist() == [200]
    doubled = sp.csr_matrix((np.array([True, True]), [0, 0], [0, 2]), shape=(1, 1))
    assert canonical_counts(doubled).data.tolist() == [2]


@pytest.mark.parametrize(("columns", "cells"), [([2**20, 5, 5], 3), ([5, 5, 5], 2)])
def test_a_matrix_too_wide_for_32_bit_keys(columns, cells):
    wide = sp.csr_matrix((np.ones(3), columns, [0, 2, *[3] * 9999]), shape=(10_000, 2**21))
    assert canonical_counts(wide).nnz == cells
    assert canonical_counts(wide).sum() == 3


@given(COUNTS, st.randoms())
def test_unsorted_rows_are_accepted_and_the_caller_s_matrix_is_not_changed(dense, random):
    rows = sp.csr_matrix(dense)
    order = [random.sample(range(a, b), b - a) for a, b in pairwise(rows.indptr.tolist())]
    order = [k for row in order for k in row]
    shuffled = sp.csr_matrix((rows.data[order], rows.indices[order], rows.indptr), shape=dense.shape)
    before = shuffled.data.copy(), shuffled.indices.copy(), shuffled.indptr.copy()
    np.testing.assert_array_equal(canonical_counts(shuffled).toarray(), dense)
    for array, copy in zip((shuffled.data, shuffled.indices, shuffled.indptr), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@given(COUNTS)
def test_document_lengths(dense):
    np.testing.assert_array_equal(document_lengths(canonical_counts(dense)), dense.sum(axis=1))


def test_document_lengths_of_small_integers_do_not_overflow():
    lengths = document_lengths(canonical_counts(np.full((2, 5), 100, dtype=np.int8)))
    assert lengths.tolist() == [500, 500]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (-1, "Negative values in data: row 1, column 2 of the count matrix is -1"),
        (0.5, "Weights .* cannot be weighted again"),
        (np.nan, "NaN values in data: row 1, column 2 of the count matrix is nan"),
        (np.inf, "row 1, column 2 of the count matrix is inf"),
        (-np.inf, "row 1, column 2"),
        (1e300, "row 1, column 2"),
    ],
)
def test_a_bad_cell_is_named(bad, said):
    for make in (np.asarray, sp.csr_matrix, sp.coo_array):
        X = np.array([[1, 0, 2], [3, 0, bad]])
        with pytest.raises(ValueError, match=said) as caught:
            canonical_counts(make(X))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (["some text", "more text"], "count texts first"),
        ([["a", "b"]], "not <U1"),
        ([[1, 2], [3]], "differ in length"),
        (np.array([["a", 1]], dtype=object), "not other objects: could not convert"),
        (np.ones(3), "two-dimensional"),
        (np.ones((2, 2), dtype=complex), "not complex128"),
        (sp.csr_matrix(np.ones((2, 2), dtype=complex)), "not complex128"),
        (np.full((2, 2), 2**62), "too many tokens"),
        (np.array([["2026-01-01"]], dtype="datetime64[D]"), "not datetime64"),
    ],
)
def test_other_input_is_refused(bad, said):
    with pytest.raises(ValueError, match=said):
        canonical_counts(bad)


def test_huge_unsigned_counts_do_not_become_negative():
    large = np.array([[2**64 - 3, 1]], dtype=np.uint64)
    for X in (large, sp.csr_matrix(large), sp.coo_array(large), sp.lil_matrix(large)):
        with pytest.raises(ValueError, match="too many tokens"):
            canonical_counts(X)


@pytest.mark.parametrize("bad", [7, -1])
def test_a_damaged_sparse_matrix_is_refused_before_compiled_code_sees_it(bad):
    X = sp.csr_matrix([[1, 2], [3, 4]])
    X.indices = np.array([0, bad, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="point outside of it"):
        canonical_counts(X)


def test_damaged_coordinates_are_refused_before_scipy_s_code_sees_them():
    for axis, bad in product((0, 1), (-(10**6), 2, 10**6)):
        X = sp.coo_array(np.eye(2, dtype=int))
        X.coords[axis][1] = bad
        with pytest.raises(ValueError, match="point outside of it"):
            canonical_counts(X)


@pytest.mark.parametrize("starts", [[0, 10**6, 2], [0, 2, 1], [1, 1, 2], [0, 1], []])
def test_damaged_bounds_are_refused_before_scipy_s_code_sees_them(starts):
    X = sp.csc_array(np.eye(2, dtype=int))
    X.indptr = np.array(starts, dtype=np.int32)
    with pytest.raises(ValueError, match="point outside of it"):
        canonical_counts(X)


def test_masked_cells_are_refused():
    with pytest.raises(ValueError, match="masked"):
        canonical_counts(np.ma.array([[1, 2]], mask=[[0, 1]]))


def test_objects_that_are_numbers_are_accepted_and_others_are_not():
    assert canonical_counts(np.array([[1, 2]], dtype=object)).data.tolist() == [1, 2]
    for other in ({}, "so", 10**400):
        with pytest.raises(ValueError, match="not other objects"):
            canonical_counts(np.array([[other, 1]], dtype=object))


def _changed(make, **attributes):
    X = make(np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1], [0, 0, 2]]))
    for name, change in attributes.items():
        setattr(X, name, change(getattr(X, name)))
    return X


@pytest.mark.parametrize(
    "bad",
    [
        _changed(sp.csr_array, indptr=lambda starts: starts[:0]),
        _changed(sp.csr_array, indptr=lambda starts: starts.astype(float)),
        _changed(sp.csr_array, indptr=lambda starts: np.append(starts[:-1], -(2**31)).astype(np.int32)),
        _changed(sp.csr_array, indices=lambda places: places[:-2]),
        _changed(sp.csr_array, data=lambda data: data.reshape(-1, 1)),
        _changed(sp.csc_array, indices=lambda places: places + 99),
        _changed(sp.csc_array, indices=lambda places: places - 1),
        _changed(sp.csc_array, indptr=lambda starts: starts[[0, 3, 1, 2]]),
        _changed(sp.coo_array, coords=lambda places: (places[0] + 0.5, places[1])),
    ],
)
def test_damaged_matrices_of_any_format_are_refused(bad):
    with pytest.raises(ValueError, match="the sparse matrix is damaged"):
        canonical_counts(bad)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_wrong_flags_of_scipy_are_ignored(form):
    for dtype in (np.int8, np.int64, np.float64):
        data, row, column = np.array([100, 100, 3], dtype=dtype), np.array([0, 0, 1]), np.array([0, 0, 1])
        starts = np.array([0, 2, 3])
        X = form((data, (row, column)) if form is sp.coo_array else (data, column, starts), shape=(2, 2))
        X.has_canonical_format = True
        counts = canonical_counts(X)
        assert counts.nnz == 2
        np.testing.assert_array_equal(counts.toarray(), [[200, 0], [0, 3]])


def test_diagonals_outside_of_a_matrix_are_ignored():
    X = sp.dia_matrix((np.ones((3, 3), int), [7, 0, -9]), shape=(3, 3))
    assert canonical_counts(X).toarray().tolist() == np.eye(3, dtype=int).tolist()


def test_objects_that_are_no_numbers_are_refused():
    X = sp.lil_array((1, 2))
    X.rows[0], X.data[0] = [1], ["two"]
    with pytest.raises(ValueError, match="must contain integers, not other objects"):
        canonical_counts(X)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix])
def test_subclasses_of_scipy_s_matrices_are_accepted(kind):
    class Named(kind):
        def __init__(self, name):
            super().__init__(np.array([[2.0, 0.0], [1.0, 3.0]]))
            self.name = name

    assert canonical_counts(Named("mine")).toarray().tolist() == [[2, 0], [1, 3]]
