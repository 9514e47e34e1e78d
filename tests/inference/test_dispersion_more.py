"""Adjusted DP, its interval and ARF: against extremes found by brute force, simulation, and the definition."""

from itertools import product

import numpy as np
import pytest

from helpers.reference import reference_values
from helpers.simulated import cells_of_columns
from termburst.inference.dispersion import dispersion
from termburst.inference.dispersion_more import average_reduced_frequency, dp_interval, dp_nofreq

TLDA = reference_values("dispersion_tlda")


def dp(counts, sizes):
    return 0.5 * np.abs(np.array(counts) / sum(counts) - np.array(sizes) / sum(sizes)).sum()


def extremes(n, sizes):
    """DP of the tokens in the smallest parts, and in proportion to the sizes with the largest remainders made up."""
    uneven, left = np.zeros(len(sizes)), n
    for k in np.argsort(sizes, kind="stable"):
        uneven[k] = min(left, sizes[k])
        left -= uneven[k]
    expected = n * np.array(sizes) / sum(sizes)
    even = np.rint(expected)
    while even.sum() != n:
        step = 1 if even.sum() < n else -1
        even[np.argmax(step * (expected - even))] += step
    return dp(even, sizes), dp(uneven, sizes)


@pytest.mark.parametrize("sizes", [(6, 6, 6, 6), (3, 4, 6, 9), (2, 5, 5, 20), (1, 1, 2, 30, 31)])
@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_extremes_are_those_of_all_ways_to_spread_the_tokens(sizes, n):
    ways = [w for w in product(*(range(min(size, n) + 1) for size in sizes)) if sum(w) == n]
    values = np.array([dp(way, sizes) for way in ways])
    even, uneven = extremes(n, sizes)
    assert even == pytest.approx(values.min())
    if n <= min(sizes):  # otherwise one longer part is less even than several short ones, as the vignette of tlda says
        assert uneven == pytest.approx(values.max())
    for way, value in list(zip(ways, values, strict=True))[:: max(1, len(ways) // 12)]:
        counts = np.column_stack([way, np.array(sizes) - way])
        expected = np.clip((value - even) / (uneven - even), 0, 1)
        assert dp_nofreq(counts)[0] == pytest.approx(expected, abs=1e-12)


def test_the_extremes_of_tlda_on_lyne_s_allemand():
    # tlda's find_min_disp(…, "even") fills the smallest part, find_max_disp(…, "even") rounds proportional shares. It
    # prints no adjusted value for these data; DP itself, published with tlda, is in the same file.
    counts, sizes = np.array(TLDA["counts"]), np.array(TLDA["sizes"])
    uneven, even = np.zeros(10), np.ones(10)
    uneven[np.argmin(sizes)] = 10
    expected = (dp(counts, sizes) - dp(even, sizes)) / (dp(uneven, sizes) - dp(even, sizes))
    assert dp(counts, sizes) == pytest.approx(TLDA["measures"]["dp"], abs=1e-7)
    assert dp_nofreq(np.column_stack([counts, sizes - counts]))[0] == pytest.approx(expected)


def test_terms_without_a_choice_have_no_adjusted_value():
    found = dp_nofreq([[1, 2, 0, 5], [0, 3, 0, 5]])
    assert np.isnan(found[[0, 2]]).all()
    assert not np.isnan(found[[1, 3]]).any()


@pytest.mark.slow
def test_the_interval_covers_dp_of_the_population():
    rng = np.random.default_rng(51)

    def drawn(documents, terms):
        return cells_of_columns(rng.binomial(300, rng.beta(2.0, 98.0, (documents, terms))), np.full(documents, 300))

    true = dispersion(drawn(100_000, 2), ["dp"])["dp"].mean()
    low, high = dp_interval(drawn(200, 400), resamples=199)
    covered = np.mean((low <= true) & (true <= high))
    assert 0.9 <= covered <= 0.98


def test_intervals_contain_dp():
    rng = np.random.default_rng(52)
    counts = rng.poisson(rng.gamma(0.4, 1.0, (60, 25)))
    counts[:, 0] = 0
    counts[:, 1] = np.arange(60) == 7
    low, high = dp_interval(counts, resamples=99)
    value = dispersion(counts, ["dp"])["dp"]
    assert np.isnan([low[:2], high[:2]]).all()
    assert ((low <= value) & (value <= high))[2:].all()
    assert ((low >= 0) & (high <= 1))[2:].all()
    for bad in ({"confidence": 0}, {"resamples": 3}, {"seed": -1}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            dp_interval(counts, **bad)


def test_arf_is_its_definition():
    rng = np.random.default_rng(53)
    tokens = rng.integers(0, 9, 500)
    tokens[100:140] = 9
    found = average_reduced_frequency(tokens, 11)
    for term in range(10):
        places = np.flatnonzero(tokens == term)
        v = 500 / places.size
        distances = np.diff(np.append(places, places[0] + 500))
        assert found[term] == pytest.approx(np.minimum(distances, v).sum() / v)
    assert np.isnan(found[10])
    assert found[9] < 5 < found[:9].min()
