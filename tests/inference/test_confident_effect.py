"""Effects of selected terms: at most the nominal share is overstated, at every height of the list."""

import numpy as np
import pytest
from scipy import stats

from termburst.inference.multiplicity import Claims, adjust, levels_of


def confident_effects(ends, levels, selected, method, tests):
    claims, effects = Claims.of(int(selected.sum()), levels, method, tests), np.zeros(len(ends))
    effects[selected] = claims.effects(ends[selected], claims.order_statistics(ends[selected]))
    return effects


def claimed(x, alpha=0.05, method="bh"):
    """The claims for normal estimates x with standard error 1."""
    levels = levels_of(alpha, x.size)
    ends = np.abs(x)[:, None] - stats.norm.isf(levels / 2)
    selected = adjust(2 * stats.norm.sf(np.abs(x)), method) <= alpha
    return confident_effects(ends, levels, selected, method, x.size), selected


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_few_are_overstated_at_every_height_of_the_list(spread):
    """Half of the terms are null, or all. Ends of 95 % intervals overstate many of the first 50."""
    rng = np.random.default_rng(int(spread))
    shares, naive = [], []
    for _ in range(60):
        truth = np.where(rng.random(2000) < 0.5, 0.0, spread * rng.standard_normal(2000))
        x = truth + rng.standard_normal(2000)
        effect, selected = claimed(x)
        over = np.where(np.sign(x) == np.sign(truth), np.abs(truth), 0.0) < effect
        order = np.argsort(-effect)
        shares.append([over[order[:top]].sum() / max(min(selected.sum(), top), 1) for top in (1, 10, 50, 200)])
        nearest = np.maximum(np.abs(x) - 1.96, 0.0)
        naive.append(np.mean((np.abs(truth) < nearest)[np.argsort(-nearest)[:50]]))
        assert ((effect > 0) <= selected).all()
    error = 3 * np.std(shares, axis=0) / np.sqrt(60)
    assert (np.mean(shares, axis=0) < 0.05 + error).all()
    assert np.mean(naive) > 0.07


def test_a_claim_is_the_largest_at_which_the_test_is_still_rejected():
    """By testing |μ| ≤ x at every x of a grid, with Benjamini and Hochberg."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal(40) * 3
    effect, _ = claimed(x)
    grid = np.linspace(0, 12, 2401)
    found = np.zeros(x.size)
    for height in grid:
        z = np.abs(x) - height
        p = np.where(z > 0, 2 * stats.norm.sf(np.maximum(z, 0.0)), 1.0)
        found[adjust(p) <= 0.05] = height
    np.testing.assert_allclose(effect, found, atol=0.012)


def test_nothing_selected_and_one_level():
    ends = np.array([[1.0], [0.5]])
    assert confident_effects(ends, np.array([0.05]), np.zeros(2, bool), "bh", 2).tolist() == [0.0, 0.0]
    assert confident_effects(ends, np.array([0.05]), np.ones(2, bool), "none", 2).tolist() == [1.0, 0.5]
    infinite = np.array([[-np.inf, -np.inf], [1.0, np.nan]])
    found = confident_effects(infinite, np.array([0.05, 0.01]), np.ones(2, bool), "bh", 2)
    assert np.isfinite(found).all()
    assert found[0] == 0


def test_a_stricter_level_never_gives_a_larger_effect():
    """Ends that are not nested, as a likelihood with two maxima gives them: the nearest one counts."""
    ends, levels = np.array([[1.4, 3.5], [1.2, 0.9]]), np.array([0.05, 0.001])
    assert (confident_effects(ends, levels, np.array([True, True]), "bh", 20) <= ends[:, 0]).all()
