"""Profiles are those of the exact likelihood, by SciPy, in both libraries. Bad input is refused.

Heights are within 1e-3: the curvature in them is that before the last, small step to the maximum.
"""

import numpy as np
import pytest
from twins import profiles as twin

from helpers.profiles import bursty_terms
from termburst.core import profiles as core
from termburst.core.length_table import DEGREE, PANELS
from termburst.core.profiles import group_lengths
from termburst.models.cells import GroupedCells, term_cells

HIGHEST = 11.0


class Sides:
    """Two groups of documents with the terms of `bursty_terms`, one of which the second group lacks."""

    def __init__(self, seed=0):
        self.X = bursty_terms(seed), bursty_terms(seed + 50, documents=12)
        self.X[1][:, 1] = 0
        self.lengths = [X.sum(axis=1) for X in self.X]
        self.groups = GroupedCells([term_cells(X) for X in self.X])

    def profiles(self, start=None, terms=None, lengths=None):
        start = np.full(6, 3.0) if start is None else start
        terms = np.arange(6) if terms is None else terms
        return core.profiles(self.groups.cells, lengths or self.groups.lengths, terms, start, HIGHEST)


def taus(profile):
    return profile["step"] * (profile["first"] + np.arange(profile["size"]))


@pytest.mark.parametrize("seed", [0, 1])
def test_every_point_is_that_of_the_exact_likelihood(on_both, seed):
    sides = Sides(seed)
    baseline, avx2 = on_both(sides.profiles)
    np.testing.assert_array_equal(baseline, avx2)
    for i, both in enumerate(baseline):
        for found, X, length in zip(both, sides.X, sides.lengths, strict=True):
            size = found["size"]
            assert 1 < size <= core.NODES
            height, omega, log_size, skew = twin.profile(X[:, i], length, taus(found))
            np.testing.assert_allclose(found["height"][:size] - found["height"][0], height - height[0], atol=1e-3)
            np.testing.assert_allclose(found["omega"][:size], omega, atol=2e-5)
            np.testing.assert_allclose(found["log_size"][:size], log_size, atol=2e-3)
            np.testing.assert_allclose(found["skew"][:size], skew, atol=0.02)  # a difference over 0.02 of the logit


@pytest.mark.parametrize("i", range(6))
def test_slopes_are_those_of_the_heights(i):
    """Of the likelihood exactly; the slope of −½ log information is by differences of a whole step."""
    sides, e = Sides(), 1e-3
    for found, X, length in zip(sides.profiles()[i], sides.X, sides.lengths, strict=True):
        inner = slice(1, found["size"] - 1)
        up, down = (twin.profile(X[:, i], length, taus(found)[inner] + h)[0] for h in (e, -e))
        np.testing.assert_allclose(found["slope"][inner], (up - down) / (2 * e), atol=0.02)


def test_a_group_without_the_term_and_one_of_this_term_alone():
    X = [np.array([[9, 0]] * 8), np.array([[3, 60], [0, 40]] * 9)]
    groups = GroupedCells([term_cells(one) for one in X])
    term, others = core.profiles(groups.cells, groups.lengths, np.arange(2), np.full(2, 2.0), HIGHEST)
    for found, omega in ((term[0], np.inf), (others[0], -np.inf)):
        size = found["size"]
        assert (found["height"] == 0).all()
        assert (found["slope"] == 0).all()
        assert (found["omega"][:size] == omega).all()
        expected = twin.profile(X[0][:, 0], X[0].sum(axis=1), taus(found))[2]
        np.testing.assert_allclose(found["log_size"][:size], expected, atol=1e-9)
    np.testing.assert_allclose(term[1]["omega"], -others[1]["omega"], atol=1e-9)  # the complement


def test_points_where_the_likelihood_is_negligible_are_left_out():
    found = Sides().profiles()
    for i in (0, 2):
        height = found[i, 0]["height"][: found[i, 0]["size"]]
        assert (height[1:-1] > height.max() - 10).all()
    assert max(taus(found[4, 0])) == HIGHEST  # an even term is as likely with any high precision


@pytest.mark.parametrize(("documents", "held"), [(40, 4), (40, 38), (15, 15)])
def test_a_term_and_its_complement_have_the_same_points(documents, held):
    """Also if few documents have the term, and all have its complement, or the other way round."""
    rng = np.random.default_rng(documents + held)
    n = rng.integers(100, 400, documents)
    x = np.where(np.arange(documents) < held, rng.binomial(n, rng.beta(1.0, 20.0, documents)), 0)
    groups = GroupedCells([term_cells(np.column_stack([x, n - x]))])
    (term,), (complement,) = core.profiles(groups.cells, groups.lengths, np.arange(2), np.full(2, 2.0), HIGHEST)
    for name in ("step", "first", "size"):
        assert term[name] == complement[name]
    size = term["size"]
    np.testing.assert_allclose(term["omega"][:size], -complement["omega"][:size], atol=1e-6)
    term_height, height = (one["height"][:size] - one["height"][0] for one in (term, complement))
    np.testing.assert_allclose(term_height, height, atol=1e-5)


def test_a_wide_likelihood_has_all_its_points():
    """Documents of very different lengths: 24 points half a unit apart ended where it was a 25th of its maximum."""
    rng = np.random.default_rng(5)
    n = np.maximum(rng.lognormal(4.0, 1.0, 40), 2).astype(int)
    x = rng.binomial(n, rng.beta(1.0, 31.0, 40))
    groups, highest = GroupedCells([term_cells(np.column_stack([x, n - x]))]), 14.0
    found = core.profiles(groups.cells, groups.lengths, np.arange(2), np.full(2, 3.0), highest)[0, 0]
    fall = found["height"].max() - found["height"][: found["size"]]
    assert (x > 0).sum() >= 20
    assert fall[0] > 10
    assert fall[-1] > 10 or taus(found)[-1] == highest


def test_where_the_search_starts_does_not_matter():
    sides = Sides()
    left, right = sides.profiles(np.full(6, -3.0))[0, 0], sides.profiles(np.full(6, 6.0))[0, 0]
    shared = set(taus(left)) & set(taus(right))
    assert len(shared) > 5
    ours, theirs = ([p["height"][list(taus(p)).index(t)] for t in shared] for p in (left, right))
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


@pytest.mark.parametrize("start", [-np.inf, np.inf, -1e300, 1e300])
def test_any_start_ends(start):
    found = Sides().profiles(np.full(6, start))
    assert (found["size"] > 0).all()


def test_wrong_groups_shapes_and_indices_are_errors():
    sides = Sides()
    three = GroupedCells([term_cells(sides.X[0])] * 3)
    table = np.zeros((1, PANELS, DEGREE + 1, 2))
    with pytest.raises(ValueError, match="two groups"):
        core.profiles(three.cells, three.lengths, np.arange(6), np.zeros(6), HIGHEST)
    with pytest.raises(ValueError, match="two groups"):
        sides.profiles(lengths=group_lengths(table, np.ones(1)))
    with pytest.raises(ValueError, match="one length table per group"):
        group_lengths(table, np.ones(2))
    with pytest.raises(ValueError, match="one entry per term"):
        sides.profiles(np.zeros(5))
    with pytest.raises(ValueError, match="must be a number"):
        sides.profiles(np.full(6, np.nan))
    for bad in (-1, 6):
        with pytest.raises(ValueError, match="an index is out of range"):
            sides.profiles(terms=np.array([bad]))
