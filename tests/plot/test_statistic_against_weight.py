"""A statistic against a weight, one point per term."""

import numpy as np
import pytest

import termburst as tb
from termburst import plot


def test_scatter_draws_every_term(fig3, words):
    statistic = tb.plr_statistic(fig3)
    occurs = fig3.sum(axis=0) > 0
    weight = fig3.sum(axis=0) * np.log(100 / np.maximum((fig3 > 0).sum(axis=0), 1))
    figure = plot.statistic_against_weight(statistic, weight, occurs=occurs)
    seen, unseen = figure.axes[0].collections
    assert np.array_equal(seen.get_offsets(), np.column_stack([statistic, weight])[occurs])
    assert len(unseen.get_offsets()) == 39
    assert unseen.get_facecolor().size == 0  # hollow
    assert "39 terms that never occur" in words(figure)
    assert "$r = 0.9269$ (all)" in words(figure)  # the value of the paper


def test_scatter_diameters_are_proportional_to_alpha(words):
    alpha = np.array([0.2, 0.4, 1.0])
    figure = plot.statistic_against_weight([1.0, 2.0, 3.0], [3.0, 1.0, 2.0], alpha=alpha)
    diameter = np.sqrt(figure.axes[0].collections[0].get_sizes())
    assert np.allclose(diameter / diameter[-1], alpha)
    assert r"$\alpha_i = 1$" in words(figure)


def test_the_legend_counts_terms_that_are_not_drawn(words):
    figure = plot.statistic_against_weight([1.0, np.nan, 3.0, 3.0], [3.0, 1.0, np.inf, 4.0], alpha=[0.0] * 4)
    assert len(figure.axes[0].collections[0].get_offsets()) == 2
    assert "2 without a value" in words(figure)
    assert "r$ undefined" in words(plot.statistic_against_weight([1.0, 1.0], [3.0, 4.0]))


BAD = {
    "statistic has 2, weight has 1": lambda: plot.statistic_against_weight([1.0, 2.0], [1.0]),
    "statistic is empty": lambda: plot.statistic_against_weight([], []),
    "no term has a finite": lambda: plot.statistic_against_weight([np.nan], [1.0]),
    "statistic must contain numbers only": lambda: plot.statistic_against_weight(["a"], [1.0]),
    "weight must have one dimension": lambda: plot.statistic_against_weight([1.0], [[1.0]]),
    "alpha must not be negative": lambda: plot.statistic_against_weight([1.0], [1.0], alpha=[-1.0]),
    "occurs must have one entry": lambda: plot.statistic_against_weight([1.0], [1.0], occurs=[True, False]),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)
