"""Histograms of the fitted parameters."""

from types import SimpleNamespace

import numpy as np
import pytest

import termburst as tb
from termburst import plot


def test_parameters_count_every_term_once(fit, published, words):
    figure = plot.fitted_parameters(fit, published=published)
    for panel, (values, printed) in enumerate(zip((fit.alpha, fit.alpha_not), published, strict=True)):
        main, beyond = figure.axes[2 * panel : 2 * panel + 2]
        bars = [patch for patch in main.patches if hasattr(patch, "get_height")]
        edges = [bar.get_x() for bar in bars] + [bars[-1].get_x() + bars[-1].get_width()]
        edges[0], edges[-1] = edges[0] - 1e-9, edges[-1] + 1e-9  # smallest and largest value are on these edges
        inside = np.log(values[fit.status == "converged"])
        assert [bar.get_height() for bar in bars] == np.histogram(inside, edges)[0].tolist()
        assert sum(bar.get_height() for bar in bars) == 250
        (outline,) = [patch for patch in main.patches if not hasattr(patch, "get_height")]
        assert outline.get_path().vertices[:, 1].max() == np.histogram(np.log(printed), edges)[0].max()
        (hatched,) = [patch for patch in beyond.patches if patch.get_hatch()]
        assert hatched.get_height() == 120
        limit = float(np.log([0.1, 10.0][panel]))
        assert any(np.allclose(line.get_xdata(), limit) and line.get_linestyle() == "--" for line in main.lines)
    text = words(figure)
    assert "30.0 % of terms" in text
    assert "not drawn: 20 degenerate" in text
    assert "not drawn: 10 without an occurrence" in text


def test_parameters_mark_the_highlighted_terms(fit, published):
    terms = [f"t{i}" for i in range(400)]
    highlight = ["t7", "t300", "t2"]  # the second is at the boundary
    figure = plot.fitted_parameters(fit, published=published, highlight=highlight, terms=terms)
    for panel, (exact, printed) in enumerate(zip((fit.alpha, fit.alpha_not), published, strict=True)):
        strip, corner = figure.axes[4 * panel + 2 : 4 * panel + 4]
        assert [label.get_text() for label in strip.get_yticklabels()] == highlight
        hollow = [line.get_xydata()[0].tolist() for line in strip.lines if line.get_marker() == "s"]
        assert hollow == [[np.log(printed[index]), row] for row, index in enumerate((7, 300, 2))]
        filled = [line.get_xydata()[0].tolist() for line in strip.lines if line.get_marker() == "o"]
        assert filled == [[np.log(exact[7]), 0], [np.log(exact[2]), 2]]
        assert [line.get_xydata()[0].tolist() for line in corner.lines if line.get_marker() == ">"] == [[0.0, 1.0]]
        arrows = [(note.xyann[0], note.xy[0]) for note in strip.texts]
        assert (np.log(printed[300]), 1.0) in arrows  # the arrow ends at the edge of the axes


def test_parameters_of_terms_with_a_dollar_sign(fit, words):
    figure = plot.fitted_parameters(fit, highlight=["$a$b^"], terms=["$a$b^", *map(str, range(399))])
    figure.draw_without_rendering()
    assert "published" not in words(figure)


def test_fits_without_an_interior_maximum_can_be_drawn(words):
    fit = tb.fit_beta_binomial([[1, 9], [1, 9], [1, 9]])
    assert set(fit.status) == {"boundary"}
    assert "100.0 % of terms" in words(plot.fitted_parameters(fit))


BAD = {
    "terms are needed": lambda fit: plot.fitted_parameters(fit, highlight=["a"]),
    "terms must have one entry for each": lambda fit: plot.fitted_parameters(fit, highlight=["a"], terms=["a"]),
    "'a' is not among the terms": lambda fit: plot.fitted_parameters(fit, highlight=["a"], terms=["b"] * 400),
    "published must have one entry": lambda fit: plot.fitted_parameters(fit, published=([1.0], [1.0])),
    "no term has a fit": lambda _: plot.fitted_parameters(
        SimpleNamespace(alpha=np.array([np.nan]), alpha_not=np.array([np.nan]), status=np.array(["empty"]))
    ),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence, fit):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence](fit)
    assert "\n" not in str(error.value)
