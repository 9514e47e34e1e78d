"""Fits in the plane of α_i and α_¬i."""

from types import SimpleNamespace

import numpy as np
import pytest

from termburst import plot


def test_fit_scatter_bins_every_finite_fit(fit, published, lines):
    alpha, alpha_not = (values.copy() for values in published)
    alpha[:5] = np.nan
    figure = plot.fit_scatter(fit, published=(alpha, alpha_not))
    left, right = figure.axes[:2]
    assert left.collections[0].get_array().sum() == 250
    assert right.collections[0].get_array().sum() == 395
    assert left.get_title() == "exact fits (250 terms)"
    assert (left.get_xlim(), left.get_ylim()) == (right.get_xlim(), right.get_ylim())
    assert left.collections[0].norm is right.collections[0].norm
    marks = lines(right)
    assert marks["(1, 1), start of the search"].get_xydata().tolist() == [[1.0, 1.0]]
    inside = fit.status == "converged"
    middle = marks["median of the exact fits"].get_xydata()[0]
    assert np.allclose(middle, [np.median(fit.alpha[inside]), np.median(fit.alpha_not[inside])])
    both = inside & np.isfinite(alpha)
    middle = marks["median of the published fits of those terms"].get_xydata()[0]
    assert np.allclose(middle, [np.median(alpha[both]), np.median(alpha_not[both])])


BAD = {
    "published must be a pair": lambda fit: plot.fit_scatter(fit, published=([1.0],)),
    "no term has a finite fit": lambda _: plot.fit_scatter(
        SimpleNamespace(alpha=np.array([np.inf]), alpha_not=np.array([np.inf]), status=np.array(["boundary"]))
    ),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence, fit):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence](fit)
    assert "\n" not in str(error.value)
