"""The approximate likelihood without and with the penalty."""

import numpy as np
import pytest

import termburst as tb
from termburst import plot
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalties import named_penalty
from termburst.plot import model
from termburst.plot.model import DEPTHS, _log_likelihood


def test_ridge_marks_the_maximum_of_claim_2(fig2, lines):
    figure = plot.likelihood_ridge(fig2, mu=50.0, sigma2=4.0, truth=(0.1, 49.9))
    upper, lower = (axes for axes in figure.axes if axes.name == "rectilinear" and axes.get_title())
    best = tb.penalized_mle(fig2, mu=50.0, sigma2=4.0)
    (marked,) = [line for label, line in lines(lower).items() if label.startswith("maximum")]
    assert marked.get_xydata().tolist() == [[best.alpha[0], best.alpha_not[0]]]
    (surface,) = [axes for axes in figure.axes if axes.name == "3d" and axes.lines]
    assert [float(values[0]) for values in surface.lines[0].get_data_3d()] == [best.alpha[0], best.alpha_not[0], 0.0]
    for axes in (upper, lower):
        (truth,) = [line for label, line in lines(axes).items() if label.startswith("truth")]
        assert truth.get_xydata().tolist() == [[0.1, 49.9]]
    (ridge,) = [line for label, line in lines(upper).items() if label.startswith("ridge")]
    x, y = ridge.get_xydata().T
    assert np.allclose(x / y, (fig2[:, 0] > 0).sum() / fig2[:, 1].sum())


def test_ridge_shows_the_approximate_likelihood(fig2, monkeypatch):
    x, y = np.linspace(0.05, 0.2, 7), np.linspace(40.0, 60.0, 5)
    monkeypatch.setattr(model, "_window", lambda centre, *_: y if centre == 50.0 else x)
    figure = plot.likelihood_ridge(fig2, mu=50.0, sigma2=4.0)
    expected = np.zeros((5, 7))
    for n_ij, n_not in fig2:
        expected += approximate_log_pmf(n_ij, n_ij + n_not, x[None, :], y[:, None])
    penalty = named_penalty("gamma", 50.0, 4.0).log_density(x[None, :] + y[:, None])
    assert np.allclose(_log_likelihood(fig2, x, y), expected)
    flats = [axes for axes in figure.axes if axes.get_title()]
    for axes, surface in zip(flats, (expected, expected + penalty), strict=True):
        filled = axes.collections[0]
        assert np.isclose(filled.zmin, max(surface.min() - surface.max(), -DEPTHS[0]))
        assert filled.zmax == 0


def test_an_invalid_maximum_is_not_marked(words):
    counts = [[30, 5], [0, 10], [25, 2]]  # r_i = 54 is above η² = 9
    figure = plot.likelihood_ridge(counts, mu=3.0, sigma2=1.0)
    assert "maximum" not in words(figure)
    assert not tb.penalized_mle(counts, mu=3.0, sigma2=1.0).valid[0]


BAD = {
    "two columns": lambda: plot.likelihood_ridge([[1, 2, 3]], mu=1.0, sigma2=1.0),
    "both columns": lambda: plot.likelihood_ridge([[0, 2], [0, 3]], mu=1.0, sigma2=1.0),
    "mu must be": lambda: plot.likelihood_ridge([[1, 2]], mu=-1.0, sigma2=1.0),
    "truth must be": lambda: plot.likelihood_ridge([[1, 2]], mu=1.0, sigma2=1.0, truth=(0.0, 0.1)),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)
