"""The linear classifier of the core finds SciPy's and liblinear's minimum, in both libraries. Bad input is refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC
from twins import margin as twin

from termburst.core.binding import struct
from termburst.core.margin import margin, weight_rows


def problem(seed, rows=60, columns=25):
    rng = np.random.default_rng(seed)
    X = sp.random_array((rows, columns), density=0.3, rng=rng, format="csr")
    side = np.where(X @ rng.normal(size=columns) + 0.3 * rng.normal(size=rows) > 0, 1.0, -1.0)
    return X, rng.uniform(0.1, 3.0, columns), side, rng.uniform(0.5, 5.0, rows)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_is_that_of_scipy(seed):
    X, variance, side, cost = problem(seed)
    v, b, dual, _, violation = margin(weight_rows(X), variance, side, cost, tolerance=1e-9, sweeps=5000)
    expected, bias = twin.margin(X.toarray(), variance, side, cost)
    np.testing.assert_allclose(v, expected, atol=2e-5)
    assert b == pytest.approx(bias, abs=2e-5)
    np.testing.assert_allclose(v, variance * (X.T @ (dual * side)), atol=1e-9)  # v is made of the documents
    assert violation <= 1e-9
    assert (dual >= 0).all()


def test_with_variance_1_it_is_linear_svc():
    X, _, side, _ = problem(7)
    v, b, *_ = margin(weight_rows(X), np.ones(25), side, np.full(60, 2 * 0.7), tolerance=1e-8, sweeps=5000)
    theirs = LinearSVC(C=0.7, tol=1e-9, max_iter=100_000, random_state=0).fit(X, side)
    np.testing.assert_allclose(v, theirs.coef_[0], atol=1e-5)
    assert b == pytest.approx(theirs.intercept_[0], abs=1e-5)


@pytest.mark.usefixtures("library")
def test_rows_without_cost_are_left_out_and_the_result_does_not_depend_on_them():
    X, variance, side, cost = problem(3)
    cost[::3] = 0.0
    kept = cost > 0
    ours = margin(weight_rows(X), variance, side, cost, tolerance=1e-9, sweeps=5000)
    few = margin(weight_rows(X[kept]), variance, side[kept], cost[kept], tolerance=1e-9, sweeps=5000)
    np.testing.assert_allclose(ours[0], few[0], atol=1e-7)
    assert (ours[2][~kept] == 0).all()


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_do_not_hang(bad):
    X, variance, side, cost = problem(0)
    X.data[5] = bad
    assert margin(weight_rows(X), variance, side, cost, tolerance=1e-6, sweeps=50)[3] < 51


@pytest.mark.usefixtures("library")
def test_empty_problems():
    nothing = weight_rows(sp.csr_array((0, 3)))
    v, b, *_ = margin(nothing, np.ones(3), np.empty(0), np.empty(0), tolerance=0.1, sweeps=5)
    assert v.tolist() == [0, 0, 0]
    assert b == 0


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("bad", [-1, 25, 2**31 - 1])
def test_a_column_that_does_not_exist_is_an_error(bad):
    X, variance, side, cost = problem(0)
    X.indices[7] = bad
    starts, columns_of = X.indptr.astype(np.int64), X.indices.astype(np.int32)
    rows = struct("WeightRows", starts=starts, columns_of=columns_of, weights=X.data, rows=60, columns=25)
    with pytest.raises(ValueError, match="an index is out of range"):
        margin(rows, variance, side, cost, tolerance=0.1, sweeps=5)


def test_shapes_are_checked():
    X, variance, side, cost = problem(0)
    with pytest.raises(ValueError, match="one number per column"):
        margin(weight_rows(X), variance[1:], side, cost, tolerance=0.1, sweeps=5)
    with pytest.raises(ValueError, match="one number per row"):
        margin(weight_rows(X), variance, side[1:], cost, tolerance=0.1, sweeps=5)
