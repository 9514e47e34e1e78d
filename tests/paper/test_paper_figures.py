"""Figures of the paper: the best point of Fig. 2."""

import numpy as np
import pytest

import termburst as tb
from termburst.paper.figures import MU, SIGMA2, best_grid_point
from termburst.paper.results import published


def test_the_published_estimates_are_the_best_grid_point(collections):
    printed = [float(published()["fig2"][key]) for key in ("α̂_i", "α̂_¬i")]
    assert best_grid_point(collections.fig2) == pytest.approx(printed, abs=5e-3)


def test_claim_2_is_within_one_step_of_the_grid(collections):
    fit = tb.penalized_mle(collections.fig2, mu=MU, sigma2=SIGMA2)
    steps = np.array([10 ** (10 / 99), 10 ** (1 / 99)])
    ratio = np.array([fit.alpha[0], fit.alpha_not[0]]) / best_grid_point(collections.fig2)
    assert np.all(np.abs(np.log(ratio)) < np.log(steps))
