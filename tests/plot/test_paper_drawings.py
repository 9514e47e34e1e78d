"""Figures that only the reproduction draws."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import termburst as tb
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalties import named_penalty
from termburst.paper import drawings
from termburst.paper.classification import MU, SIGMA2
from termburst.paper.drawings import accuracy_grids, approximate_log_likelihood, likelihood_ridge, samples
from termburst.plot.canvas import VERMILION, sheet
from termburst.plot.corpus import statistic_against_weight
from termburst.plot.terms import label_points


def outlined(axes):
    frames = axes.patches
    assert all(patch.get_edgecolor() == to_rgba(VERMILION) for patch in frames)
    return {(round(patch.get_y() + 0.46), round(patch.get_x() + 0.47)) for patch in frames}


def test_grids_print_values_and_outline_the_best():
    first = np.linspace(0.7, 0.8, 36).reshape(6, 6)
    first[1, 1] = first[4, 2] = 0.80868
    second = np.linspace(0.1, 0.6, 36).reshape(6, 6)
    figure = accuracy_grids({"one": first, "two": second})
    one, two = figure.axes[:2]
    assert [text.get_text() for text in one.texts] == [f"{value:.4f}" for value in first.ravel()]
    assert [text.get_position() for text in one.texts] == [(x, y) for y in range(6) for x in range(6)]
    assert (outlined(one), outlined(two)) == ({(1, 1), (4, 2)}, {(5, 5)})
    assert [axes.images[0].get_clim() for axes in (one, two)] == [(0.1, 0.80868)] * 2
    assert [label.get_text() for label in one.get_yticklabels()] == [f"{mu:g}" for mu in MU]
    assert [label.get_text() for label in two.get_xticklabels()] == [f"{sigma2:g}" for sigma2 in SIGMA2]


def test_values_can_be_read_on_the_colour_of_their_cell():
    table = np.linspace(0, 1, 36).reshape(6, 6)
    figure = accuracy_grids({"one": table, "two": table})
    image = figure.axes[0].images[0]
    for text, value in zip(figure.axes[0].texts, table.ravel(), strict=True):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in image.cmap(image.norm(value))]
        luminance = float(np.dot(linear[:3], [0.2126, 0.7152, 0.0722]))
        other = 1.0 if text.get_color() == "white" else 0.0
        contrast = (max(luminance, other) + 0.05) / (min(luminance, other) + 0.05)
        assert contrast >= 4.5  # what WCAG requires for small text


def test_ridge_marks_the_maximum_of_claim_2(fig2, lines):
    figure = likelihood_ridge(fig2, 50.0, 4.0, (0.1, 49.9))
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


def test_ridge_shows_the_approximate_likelihood(fig2):
    x, y = np.linspace(0.1, 3.0, 121) * 50 * (fig2[:, 0] > 0).sum() / fig2[:, 1].sum(), np.linspace(10.0, 100.0, 121)
    figure = likelihood_ridge(fig2, 50.0, 4.0, (0.1, 49.9))
    expected = np.zeros((121, 121))
    for n_ij, n_not in fig2:
        expected += approximate_log_pmf(n_ij, n_ij + n_not, x[None, :], y[:, None])
    penalty = named_penalty("gamma", 50.0, 4.0).log_density(x[None, :] + y[:, None])
    assert np.allclose(approximate_log_likelihood(fig2, x[None, :], y[:, None]), expected)
    flats = [axes for axes in figure.axes if axes.get_title()]
    for axes, surface in zip(flats, (expected, expected + penalty), strict=True):
        filled = axes.collections[0]
        assert np.isclose(filled.zmin, max(surface.min() - surface.max(), -drawings.DEPTHS[0]))
        assert filled.zmax == 0


def test_samples_have_the_mean_and_the_spread_of_the_model():
    figure = samples((0.1, 1.0, 10.0, 100.0), mean=0.3, length=100, documents=4000)
    for axes, precision in zip(figure.axes, (0.1, 1.0, 10.0, 100.0), strict=True):
        counts = axes.lines[0].get_ydata()
        spread = np.sqrt(30 * 0.7 * (precision + 100) / (precision + 1))
        assert counts.mean() == pytest.approx(30, abs=3)
        assert counts.std() == pytest.approx(spread, rel=0.06)
        (band,) = axes.patches
        assert band.get_y() + band.get_height() == pytest.approx(30 + spread)


def labelled(x, y, names):
    figure = sheet()
    axes = figure.subplots()
    axes.plot(x, y, "o")
    label_points(figure, axes, x, y, names, np.column_stack([x, y]))
    return figure


def test_labels_do_not_overlap():
    x = np.arange(60.0, 180.0, 15.0)
    figure = labelled(x, x + 1e-3 * x**2, [f"word{i}" for i in range(8)])
    figure.draw_without_rendering()
    boxes = [note.get_bbox_patch().get_window_extent() for note in figure.axes[0].texts]
    assert len(boxes) == 8
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_terms_at_one_point_share_a_label():
    place = np.array([1.5, 3.0, 1.5])
    figure = labelled(place, place, ["x", "z", "y"])
    assert [note.get_text() for note in figure.axes[0].texts] == ["x\ny", "z"]


def test_scatter_draws_every_term(fig3, words):
    statistic = tb.plr_statistic(fig3)
    occurs = fig3.sum(axis=0) > 0
    weight = fig3.sum(axis=0) * np.log(100 / np.maximum((fig3 > 0).sum(axis=0), 1))
    figure = statistic_against_weight(statistic, weight, np.ones(250), occurs)
    seen, unseen = figure.axes[0].collections
    assert np.array_equal(seen.get_offsets(), np.column_stack([statistic, weight])[occurs])
    assert len(unseen.get_offsets()) == 39
    assert unseen.get_facecolor().size == 0  # hollow
    assert "39 terms that never occur" in words(figure)
    assert "$r = 0.9269$ (all)" in words(figure)  # the value of the paper


def test_scatter_diameters_are_proportional_to_alpha(words):
    alpha = np.array([0.2, 0.4, 1.0])
    figure = statistic_against_weight(np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]), alpha)
    diameter = np.sqrt(figure.axes[0].collections[0].get_sizes())
    assert np.allclose(diameter / diameter[-1], alpha)
    assert r"diameter $\propto \alpha_i$, at most 1" in words(figure)


def test_the_legend_counts_terms_that_are_not_drawn(words):
    x, y = np.array([1.0, np.nan, 3.0, 3.0]), np.array([3.0, 1.0, np.inf, 4.0])
    figure = statistic_against_weight(x, y, np.zeros(4))
    assert len(figure.axes[0].collections[0].get_offsets()) == 2
    assert "2 without a value" in words(figure)
    assert "r$ undefined" in words(statistic_against_weight(np.ones(2), np.array([3.0, 4.0]), np.zeros(2)))


def test_without_a_finite_value_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no term has a finite"):
        statistic_against_weight(np.array([np.nan]), np.ones(1), np.zeros(1))
