"""What all words say about how the precision leans: the maximum of sums, with a fallback for few words."""

import numpy as np
import pytest

from termburst.inference.leaning import ENOUGH_WORDS, SUMS, UNLEARNED, WIDE, Leaning, log_marginals


def posterior(rng, gamma, error):
    """Mean and variance of γ under the wide prior, where its estimate has a normal error."""
    known = 1 / error**2 + 1 / WIDE**2
    return (gamma + rng.normal(0, error)) / error**2 / known, 1 / known


@pytest.mark.parametrize(("shift", "spread"), [(0.0, 0.1), (-1.2, 0.5), (2.0, 1.0)])
def test_shift_and_spread_are_found_whatever_single_words_say(shift, spread):
    rng = np.random.default_rng(1)
    error = rng.uniform(0.2, 1.0, 2000)
    found = Leaning.of(log_marginals(*posterior(rng, rng.normal(shift, spread, 2000), error))[None, :])
    assert found.shift[0] == pytest.approx(shift, abs=0.1)
    assert found.spread[0] == pytest.approx(spread, rel=0.3, abs=0.1)


def test_few_words_say_nothing():
    rng = np.random.default_rng(2)
    few = ENOUGH_WORDS - 1
    sums = log_marginals(*posterior(rng, np.full(few, 3.0), np.full(few, 0.2)))
    found = Leaning.of(np.array([sums, np.zeros(SUMS)]))
    assert found.shift.tolist() == [0.0, 0.0]
    assert found.spread.tolist() == [UNLEARNED, UNLEARNED]


def test_words_without_information_do_not_count():
    sums = log_marginals(np.array([0.0, np.nan, 0.1]), np.array([WIDE**2, 0.1, np.nan]))
    assert sums[0] == 0
    assert np.isfinite(sums).all()
