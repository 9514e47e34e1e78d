"""Regressions of terms on a design equal an independent optimiser, with the same bits in both libraries."""

import numpy as np
import pytest
from twins import regression as twin

from termburst.core import regression as core
from termburst.models import binomial
from termburst.models.beta_binomial_regression import Regression, design_cells
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial


def drawn(seed, documents=48):
    """Counts of three bursty terms and the rest, the design cell of each document, and the rows of the design."""
    rng = np.random.default_rng(seed)
    rows = np.array([[1, 0, -0.5], [1, 0, 1], [1, 1, 0], [1, 1, 2]])
    cell = np.arange(documents) % 4
    lengths = rng.integers(30, 200, documents)
    logits = rows[cell] @ np.array([[-4.0, -3.0, -3.5], [0.8, -0.5, 0.0], [0.3, 0.0, -0.4]])
    mean = 1 / (1 + np.exp(-logits))
    counts = rng.binomial(lengths[:, None], rng.beta(12 * mean, 12 * (1 - mean)))
    return np.column_stack([counts, np.maximum(lengths - counts.sum(axis=1), 0)]), cell, rows


def log_likelihood(of, raw):
    """Of raw fits: what they gain over one binomial for each design cell, and its log-likelihood."""
    data, total = of.data, np.zeros(of.data.cells.n_i.size)
    for group, tokens in enumerate(data.tokens):
        mine = np.where(data.group == group, data.cells.count, 0.0)
        total += binomial.log_likelihood(data.cells.sum(mine), tokens)
    return total + raw[:, -core.AFTER]


def regression(seed, kappa=0.5):
    X, cell, rows = drawn(seed)
    data = design_cells([term_cells(X[cell == g]) for g in range(4)])
    return Regression(data, kappa), fit_beta_binomial(data.cells), X, cell, rows


@pytest.mark.parametrize(("seed", "kappa"), [(0, 0.5), (1, 0.0)])
def test_the_maximum_is_that_of_another_optimiser(seed, kappa, on_both):
    of, null, X, cell, rows = regression(seed, kappa)

    def fitted():
        return of.fit(rows, of.start(rows, null))

    baseline, avx2 = on_both(fitted)
    np.testing.assert_array_equal(baseline, avx2)
    status, loglik = of.status(baseline, null), log_likelihood(of, baseline)
    for i in range(2):
        best = twin.maximum(rows[cell], X[:, i], X.sum(axis=1), kappa)
        assert status[i] == "converged"
        assert loglik[i] == pytest.approx(best, abs=1e-6)
        x = baseline[i, :4]
        assert twin.log_likelihood(x, rows[cell], X[:, i], X.sum(axis=1), kappa) == pytest.approx(best, abs=1e-6)


def test_at_a_limit_twice_the_likelihood_has_fallen_by_the_critical_value(on_both):
    of, null, X, cell, rows = regression(2)
    rows = rows[:, [2, 0, 1]].astype(float)
    raw = of.fit(rows, of.start(rows, null))
    held = np.column_stack([np.zeros(4), raw[:, 1:4]])
    without = of.fit(rows, held, held=True)
    baseline, avx2 = on_both(lambda: of.limits(rows, raw, without, np.full(4, 3.84)))
    np.testing.assert_array_equal(baseline, avx2)
    top = log_likelihood(of, raw)[0]
    for limit in baseline[0]:
        fallen = top - twin.maximum(rows[cell], X[:, 0], X.sum(axis=1), 0.5, held=limit)
        assert 2 * fallen == pytest.approx(3.84, rel=1e-5)
    assert baseline[0, 0] < raw[0, 0] < baseline[0, 1]


def test_an_infinite_estimate_has_one_limit(on_both):
    X, cell, rows = drawn(6)
    X[:, 3] += np.where(cell >= 2, X[:, 0], 0)
    X[cell >= 2, 0] = 0  # the term is on one side only
    rows = rows[:, [1, 0, 2]].astype(float)
    data = design_cells([term_cells(X[cell == g]) for g in range(4)])
    of, null = Regression(data), fit_beta_binomial(data.cells)
    raw = of.fit(rows, of.start(rows, null))
    without = of.fit(rows, np.column_stack([np.zeros(4), raw[:, 1:4]]), held=True)
    baseline, avx2 = on_both(lambda: of.limits(rows, raw, without, np.full(4, 3.84)))
    np.testing.assert_array_equal(baseline, avx2)
    assert baseline[0, 0] == -np.inf
    best = twin.maximum(rows[cell], X[:, 0], X.sum(axis=1), 0.5, held=baseline[0, 1])
    assert 2 * (log_likelihood(of, raw)[0] - best) == pytest.approx(3.84, rel=1e-5)


def test_a_held_column_keeps_its_value():
    of, null, _, _, rows = regression(3)
    start = of.start(rows, null)
    start[:, 0] = -3.3
    assert (of.fit(rows, start, held=True)[:3, 0] == -3.3).all()


def test_absent_terms_and_terms_that_are_everything_are_not_fitted():
    X = np.array([[0, 5], [0, 7], [0, 9]])
    data = design_cells([term_cells(X[:2]), term_cells(X[2:])])
    of, rows = Regression(data), np.eye(2)
    assert np.isnan(of.fit(rows, of.start(rows, fit_beta_binomial(data.cells)))).all()


def test_wrong_shapes_and_indices_are_errors():
    of, null, _, _, rows = regression(4)
    start = of.start(rows, null)
    design, out = of.design(rows), np.empty((4, 4 + core.AFTER))
    with pytest.raises(ValueError, match="out of range"):
        core.fit_design(of.cells, design, np.array([9]), start, out)
    with pytest.raises(ValueError, match="numbers more"):
        core.fit_design(of.cells, design, np.array([0]), start, out[:, 1:].copy())
    with pytest.raises(ValueError, match="one length table"):
        of.design(rows[1:])
    outside = core.design(
        of.cells, rows.astype(float), np.full_like(of.data.group, 7), of.tables, of.data.tokens, of.longest, 0.5
    )
    with pytest.raises(ValueError, match="out of range"):
        core.fit_design(of.cells, outside, np.array([0]), start, out)
    with pytest.raises(ValueError, match="one row per term"):
        core.design_limits(of.cells, design, np.array([0]), out[1:].copy(), out, np.ones(4), np.ones((4, 2)))


def test_numbers_that_are_not_finite_end():
    of, null, _, _, rows = regression(5)
    start = np.full_like(of.start(rows, null), np.nan)
    assert of.fit(rows, start).shape == (4, 7)
    assert of.fit(np.full((4, 3), np.nan), start).shape == (4, 7)


def leaned(of, rows, null):
    """A precision that leans on the first column, and the fits of that design with and without its first column."""
    leaning = of.with_leans(rows[:, [0]] - 0.5, np.array([0.4]), np.array([0.8]))
    wide, start = np.column_stack([rows, np.zeros(len(rows))]), of.start(rows, null)
    start = np.column_stack([start[:, :3], np.zeros(4), start[:, 3]])
    return leaning, wide, leaning.fit(wide, start)


def test_a_precision_that_leans_is_the_maximum_with_its_prior(on_both):
    of, null, X, cell, rows = regression(3)
    rows = rows[:, [1, 0, 2]].astype(float)
    baseline, avx2 = on_both(lambda: leaned(of, rows, null)[2])
    np.testing.assert_array_equal(baseline, avx2)
    matrix, n = rows[cell], X.sum(axis=1)
    for i in range(2):
        height = twin.maximum(matrix, X[:, i], n, 0.5, leans=(matrix[:, 0] - 0.5, 0.4, 0.8))
        assert log_likelihood(of, baseline)[i] == pytest.approx(height, abs=1e-6)
        assert abs(baseline[i, 3]) > 0.01


def test_limits_and_the_ratio_with_a_precision_that_leans(on_both):
    of, null, X, cell, rows = regression(2)
    rows = rows[:, [1, 0, 2]].astype(float)
    leaning, wide, raw = leaned(of, rows, null)
    full, without, tangents, spread = leaning.fit_both(wide, raw[:, :5])
    baseline, avx2 = on_both(lambda: leaning.limits(wide, full, without, np.full(4, 3.84), tangents=tangents))
    np.testing.assert_array_equal(baseline, avx2)
    matrix, n, leans = rows[cell], X.sum(axis=1), (rows[cell, 0] - 0.5, 0.4, 0.8)
    top = twin.maximum(matrix, X[:, 0], n, 0.5, leans=leans)
    without_x = twin.maximum(matrix, X[:, 0], n, 0.5, held=0.0, leans=leans)
    assert full[0, 5] - without[0, 5] == pytest.approx(top - without_x, abs=1e-6)
    for limit in baseline[0]:
        assert 2 * (top - twin.maximum(matrix, X[:, 0], n, 0.5, held=limit, leans=leans)) == pytest.approx(
            3.84, rel=1e-4
        )
    assert (spread[:2, 0] > 0).all()
    assert (spread[:2, 1] < 0.8**2).all()  # the data add to what the prior says


def test_a_design_whose_precision_leans_ends_with_columns_of_zeros():
    of, null, _, _, rows = regression(4)
    leaning = of.with_leans(np.ones((4, 1)), np.zeros(1), np.ones(1))
    with pytest.raises(ValueError, match="last columns"):
        leaning.fit(rows, of.start(rows, null))
    with pytest.raises(ValueError, match="offset and leans"):
        of.with_leans(np.ones((3, 1)), np.zeros(1), np.ones(1)).design(np.column_stack([rows, np.zeros(4)]))
