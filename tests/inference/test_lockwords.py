"""Lockwords: the test agrees with the interval, and has its size where the ratio is true."""

import numpy as np
import pytest

from helpers.simulated import cells_of_columns
from termburst.inference.lockwords import lockwords
from termburst.models.cells import term_cells


def corpora(rng, ratio, terms=200, documents=150):
    n_j = rng.integers(150, 400, documents)
    sides = []
    for mean in (0.02 * ratio, 0.02):
        share = rng.beta(80.0 * mean, 80.0 * (1 - mean), (documents, terms))
        sides.append(cells_of_columns(rng.binomial(n_j[:, None], share), n_j))
    return sides


def test_p_and_interval_agree():
    found = lockwords(*corpora(np.random.default_rng(31), 1.2), 1.3, level=0.1)
    inside = (found.ci_low > -np.log2(1.3)) & (found.ci_high < np.log2(1.3))
    clear = np.abs(found.p_value - 0.1) > 0.002
    np.testing.assert_array_equal((found.p_value < 0.1)[clear], inside[clear])
    assert 5 < inside.sum() < 195


@pytest.mark.slow
def test_size_where_the_ratio_is_true_and_power_where_it_is_not():
    rng = np.random.default_rng(32)
    at = np.concatenate([lockwords(*corpora(rng, 1.5), 1.5).p_value for _ in range(4)])
    equal = lockwords(*corpora(rng, 1.0), 1.5).p_value
    assert np.mean(at < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / at.size)
    assert np.mean(at < 0.05) > 0.02
    assert np.mean(equal < 0.05) > 0.95


def test_terms_in_one_corpus_or_none():
    a = term_cells(np.array([[3, 0, 0, 9]] * 12))
    b = term_cells(np.array([[0, 3, 0, 9]] * 12))
    found = lockwords(a, b, 2.0)
    np.testing.assert_allclose(found.p_value[:2], 1.0, atol=1e-4)
    assert np.isnan(found.p_value[2])
    assert found.log_ratio[:2].tolist() == [np.inf, -np.inf]
    assert found.p_value[3] < 0.05


@pytest.mark.parametrize("counts", [([30, 0, 9, 61], [0, 25, 12, 63]), ([1000, 2000, 7000], [1001, 1999, 7000])])
def test_one_document_a_side_says_nothing(counts):
    """How much words vary between documents is not known: p is 1, and the interval is infinite."""
    a, b = (term_cells(np.array([one])) for one in counts)
    found = lockwords(a, b, 2.0)
    assert set(found.p_value) == {1.0}
    assert set(found.ci_low) == {-np.inf}
    assert set(found.ci_high) == {np.inf}
