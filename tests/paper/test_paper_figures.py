"""Figures of the paper: the best point of Fig. 2, the published fits of Fig. 4."""

import numpy as np
import pytest
from matplotlib.text import Text

import termburst as tb
from termburst.paper.figures import MU, SIGMA2, best_grid_point
from termburst.paper.fit_drawings import fitted_parameters
from termburst.paper.results import published


def test_the_published_estimates_are_the_best_grid_point(collections):
    printed = [float(published()["fig2"][key]) for key in ("α̂_i", "α̂_¬i")]
    assert best_grid_point(collections.fig2) == pytest.approx(printed, abs=5e-3)


def test_claim_2_is_within_one_step_of_the_grid(collections):
    fit = tb.penalized_mle(collections.fig2, mu=MU, sigma2=SIGMA2)
    steps = np.array([10 ** (10 / 99), 10 ** (1 / 99)])
    ratio = np.array([fit.alpha[0], fit.alpha_not[0]]) / best_grid_point(collections.fig2)
    assert np.all(np.abs(np.log(ratio)) < np.log(steps))


def test_exact_and_published_fits_are_drawn(data, collections):
    fitted = collections.fig4
    pair = (fitted.published.alpha, fitted.published.alpha_not)
    figure = fitted_parameters(fitted.fit, pair, {"ambulance": 5, "the": 9})
    (hatched,) = [patch for patch in figure.axes[1].patches if patch.get_hatch()]
    assert hatched.get_height() == (fitted.fit.status == "boundary").sum()
    assert "31.4 % of terms" in "\n".join(text.get_text() for text in figure.findobj(Text))
