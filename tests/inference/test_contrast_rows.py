"""A design in terms of a contrast spans the same, and its first coefficient is the contrast."""

import numpy as np
import pytest

from termburst.inference.contrast_rows import contrast_rows


def test_the_first_coefficient_of_contrast_rows_is_the_contrast():
    rng = np.random.default_rng(3)
    rows, vector, tokens = rng.normal(size=(7, 3)), np.array([1.0, -1, 0.5]), rng.random(7)
    made, beta = contrast_rows(rows, vector, tokens), rng.normal(size=3)
    coefficients = np.linalg.lstsq(made, rows @ beta, rcond=None)[0]
    assert coefficients[0] == pytest.approx(vector @ beta)
    np.testing.assert_allclose((made[:, 0] * tokens) @ made[:, 1:], 0, atol=1e-12)


def test_a_category_has_columns_that_are_mostly_zero():
    tokens = np.array([3.0, 5, 2, 8, 1, 4, 6])
    rows = np.column_stack([np.ones(7), np.eye(6)[[0, 1, 2, 3, 4, 5, 5], 1:]])  # two design cells of the last value
    vector = np.array([0.0, 1, 0, -1, 0, 0])
    found = contrast_rows(rows, vector, tokens)
    assert (found != 0).sum(axis=1).max() == 2
    back = np.linalg.lstsq(rows, found, rcond=None)[0]
    np.testing.assert_allclose(rows @ back, found, atol=1e-12)
    np.testing.assert_allclose(vector @ back, [1, 0, 0, 0, 0, 0], atol=1e-12)
    products = (found * (tokens / tokens.sum())[:, None]).T @ found
    np.testing.assert_allclose(products[1:, 1:], np.eye(5), atol=1e-12)
    np.testing.assert_allclose(products[0, 1:], 0, atol=1e-12)
