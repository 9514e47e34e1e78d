from types import SimpleNamespace

import numpy as np
import pytest

import termburst as tb
from termburst import plot


def test_bars_count_the_interior_fits(statistics, words):
    fit = tb.fit_beta_binomial(statistics)
    figure = plot.log_alpha(fit)
    inside = fit.status == "converged"
    for axes, values in zip(figure.axes, (fit.alpha, fit.alpha_not), strict=True):
        logs = np.log(values[inside])
        edges = [bar.get_x() for bar in axes.patches] + [axes.patches[-1].get_x() + axes.patches[-1].get_width()]
        edges[0], edges[-1] = edges[0] - 1e-9, edges[-1] + 1e-9  # smallest and largest value are on these edges
        assert [bar.get_height() for bar in axes.patches] == np.histogram(logs, edges)[0].tolist()
        assert sum(bar.get_height() for bar in axes.patches) == inside.sum()
        (median,) = [line for line in axes.lines if str(line.get_label()).startswith("median")]
        assert np.allclose(median.get_xdata(), np.median(logs))
    for axes, limit in zip(figure.axes, (np.log(0.1), np.log(10)), strict=True):
        assert np.allclose(axes.lines[0].get_xdata(), limit)  # α_i = 0.1, α_¬i = 10
    boundary = int((fit.status == "boundary").sum())
    assert boundary
    assert f"not drawn: {boundary:,} at the boundary" in words(figure)
    assert "not drawn: 2 without an occurrence" in words(figure)


def test_one_interior_fit_is_enough():
    fit = SimpleNamespace(alpha=np.array([0.5]), alpha_not=np.array([9.0]), status=np.array(["converged"]))
    assert sum(bar.get_height() for bar in plot.log_alpha(fit).axes[0].patches) == 1


def test_without_an_interior_fit_there_is_nothing_to_draw():
    fit = tb.fit_beta_binomial([[1, 9], [1, 9], [1, 9]])
    with pytest.raises(ValueError, match="none of the 2 terms has an interior fit"):
        plot.log_alpha(fit)


def test_published_fits_are_an_outline(fit, published, words):
    theirs = tuple(np.where(np.arange(400) < 5, np.nan, values) for values in published)
    figure = plot.log_alpha(fit, theirs)
    for axes, values, printed in zip(figure.axes, (fit.alpha, fit.alpha_not), theirs, strict=True):
        bars = [patch for patch in axes.patches if hasattr(patch, "get_height")]
        edges = [bar.get_x() for bar in bars] + [bars[-1].get_x() + bars[-1].get_width()]
        edges[0], edges[-1] = edges[0] - 1e-9, edges[-1] + 1e-9
        inside = np.log(values[fit.status == "converged"])
        assert [bar.get_height() for bar in bars] == np.histogram(inside, edges)[0].tolist()
        (outline,) = [patch for patch in axes.patches if not hasattr(patch, "get_height")]
        logs = np.log(printed[5:])
        assert outline.get_path().vertices[:, 1].max() == np.histogram(logs, edges)[0].max()
    text = words(figure)
    assert "published fits: 395 terms" in text
    assert "120 at the boundary, $\\alpha_0 \\to \\infty$ (30.0 %)" in text
    assert "not drawn: 20 degenerate" in text
    assert "not drawn: 10 without an occurrence" in text
