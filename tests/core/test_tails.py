"""Upper tails equal their twins in plain Python, with the same bits in both libraries."""

import numpy as np
import pytest
from twins import tails as twin

from termburst.core import tails as core
from termburst.inference import null_tails


def tail(v, classes=3):
    """Tilts, E b, n_i, odds, lengths and weights of classes, a grid of b, and g on the grid."""
    length, weight = np.array([4.0, 30.5, 250.0, 999.0, 20.0])[:classes], np.array([9.0, 5.0, 2.0, 1.0, 3.0])[:classes]
    grid = np.linspace(1, weight.sum(), 33)
    odds = v / (weight @ length - v)
    start = float(weight @ -np.expm1(-length * np.log1p(odds)))
    return null_tails.CURVE, start, float(v), odds, length, weight, grid, -2.0 * grid


def curves(tails):
    """The curves of the kernel, for several tails with the same classes."""
    tilts, start, n_i, odds, length, weight, grid, base = zip(*tails, strict=True)
    columns = (np.array(column) for column in (n_i, odds, start, grid, base))
    task = core.tail_task(*columns, tilts[0], length[0], weight[0], *null_tails._steps())
    return np.stack(core.tail_curves(task), axis=1)


@pytest.mark.parametrize(("v", "classes"), [((6,), 1), ((40, 6, 3), 3), ((300,), 4), ((300, 70), 5)])
def test_tails_equal_the_twin_to_the_last_bit(v, classes, on_both):
    """A few tails depend on the last digits of the sums, so equal p-values need equal sums."""
    tails = [tail(n_i, classes) for n_i in v]
    baseline, avx2 = on_both(lambda: curves(tails))
    np.testing.assert_array_equal(baseline, avx2)
    for found, arguments in zip(baseline, tails, strict=True):
        expected = np.empty((2, null_tails.CURVE.size))
        twin.tail_curve(*arguments, *null_tails._steps(), *expected)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_probabilities_of_one_document_equal_the_twin(on_both):
    excess, length, weight = np.array([0.0, 3.0, 500.0, 1e9]), np.array([5.0, 80.0, 700.0]), np.array([9.0, 4.0, 1.0])
    n_i, tokens, row, expected = np.array([40.0, 2.0]), 2_000.0, np.array([0, 0, 1, 1]), np.empty(4)
    for k, n in enumerate(n_i):
        mine = slice(2 * k, 2 * k + 2)
        twin.log_one_document(excess[mine], n / tokens, n / tokens * length, weight, length, expected[mine])
    baseline, avx2 = on_both(lambda: core.log_one_document(excess, row, n_i, tokens, length, weight))
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="out of range"):
        core.log_one_document(excess, row + 1, n_i, tokens, length, weight)


def test_reached_values_equal_counts_by_numpy(on_both):
    rng = np.random.default_rng(1)
    samples = np.sort(np.round(rng.normal(size=(5, 40)), 1), axis=1)
    samples[3], samples[4, -3:] = 0.0, 9.0
    row, tie = rng.integers(0, 5, 90), 1e-9
    observed = np.round(rng.normal(size=90), 1) * (1 + rng.choice([0.0, 1e-10, -1e-10, 1e-6], 90))
    baseline, avx2 = on_both(lambda: core.reach(samples, observed, row, 8, 4, tie))
    near = tie * (1 + np.abs(observed))[:, None]
    np.testing.assert_array_equal(baseline.reached, (samples[row] >= observed[:, None] - near).sum(axis=1))
    np.testing.assert_array_equal(baseline.exceeded, (samples[row] >= observed[:, None] + near).sum(axis=1))
    for k, sample in enumerate(samples):
        anchor = sample[-8]
        larger = sample[sample > anchor + 1e-6]
        if 2 * larger.size < (sample >= anchor).sum():  # most are equal to it
            anchor = larger[0] if larger.size >= 4 else sample[-1]
        assert baseline.anchor[k] == anchor
        assert baseline.at_least[k] == (sample >= anchor).sum()
    for one, other in zip(baseline, avx2, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="out of range"):
        core.reach(samples, observed, row - 1, 8, 4, tie)
    with pytest.raises(ValueError, match="a tail must begin at one of the draws"):
        core.reach(samples, observed, row, 41, 4, tie)


def test_cubics_of_rows_out_of_range_are_errors(on_both):
    x, row = np.arange(8.0).reshape(2, 4), np.array([0, 1])
    found = on_both(lambda: core.falling_cubics(x, -(x**2), np.array([4, 3]), np.zeros(2), np.array([0.3, 5.2]), row))
    np.testing.assert_array_equal(*found)
    for size, rows in (([4, 2], row), ([4, 5], row), ([4, 4], row + 1)):
        with pytest.raises(ValueError, match="out of range"):
            core.falling_cubics(x, -x, np.array(size), np.zeros(2), np.ones(2), rows)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, 0.0])
def test_invalid_tails_do_not_hang(bad):
    task = list(tail(40))
    task[3] = bad
    curves([task])
