"""Figures that only the reproduction draws."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import termburst as tb
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalties import named_penalty
from termburst.paper import drawings
from termburst.paper.classification import MU, SIGMA2
from termburst.paper.drawings import accuracy_grids, approximation_error, likelihood_ridge, ranking_agreement
from termburst.paper.fit_drawings import fit_scatter, fitted_parameters
from termburst.plot.canvas import VERMILION
from termburst.plot.corpus import statistic_against_weight


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


def test_the_map_shows_medians(lines):
    alpha, alpha_not = np.array([0.01, 0.01, 0.01, 1.0]), np.array([100.0, 100.0, 100.0, 10.0])
    figure = approximation_error(alpha, alpha_not, np.array([0.1, -0.3, 2.0, 5.0]), 50.0)
    left, right = figure.axes[:2]
    (medians,) = [np.asarray(c.get_array()) for c in left.collections if c.get_array() is not None]
    assert sorted(medians[np.isfinite(medians)]) == [0.3, 5.0]
    assert np.allclose(lines(left)[r"$\alpha_i = 0.1$"].get_xdata(), 0.1)
    assert any(np.allclose(line.get_ydata(), 50.0) for line in left.lines)
    curve = lines(right)[r"prediction: $\log(1 + 1/x)$"]
    x, y = curve.get_xydata().T
    assert np.allclose(y, np.log(1 + 1 / x))
    middle, median = lines(right)["running median"].get_xydata().T
    assert np.allclose(np.column_stack([middle, median]), [[11.0 / 50, 5.0], [100.01 / 50, 0.3]])
    (hexagons,) = [c for c in right.collections if c.get_array() is not None]
    assert hexagons.get_array().sum() == 4


def test_fit_scatter_bins_every_finite_fit(fit, published, lines):
    alpha, alpha_not = (values.copy() for values in published)
    alpha[:5] = np.nan
    figure = fit_scatter(fit, (alpha, alpha_not))
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


def test_parameters_count_every_term_once(fit, published, words):
    figure = fitted_parameters(fit, published, {"t7": 7})
    for panel, (values, printed) in enumerate(zip((fit.alpha, fit.alpha_not), published, strict=True)):
        main, beyond = figure.axes[4 * panel : 4 * panel + 2]
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
    highlight = {"t7": 7, "t300": 300, "t2": 2}  # the second is at the boundary
    figure = fitted_parameters(fit, published, highlight)
    for panel, (exact, printed) in enumerate(zip((fit.alpha, fit.alpha_not), published, strict=True)):
        strip, corner = figure.axes[4 * panel + 2 : 4 * panel + 4]
        assert [label.get_text() for label in strip.get_yticklabels()] == list(highlight)
        hollow = [line.get_xydata()[0].tolist() for line in strip.lines if line.get_marker() == "s"]
        assert hollow == [[np.log(printed[index]), row] for row, index in enumerate((7, 300, 2))]
        filled = [line.get_xydata()[0].tolist() for line in strip.lines if line.get_marker() == "o"]
        assert filled == [[np.log(exact[7]), 0], [np.log(exact[2]), 2]]
        assert [line.get_xydata()[0].tolist() for line in corner.lines if line.get_marker() == ">"] == [[0.0, 1.0]]
        arrows = [(note.xyann[0], note.xy[0]) for note in strip.texts]
        assert (np.log(printed[300]), 1.0) in arrows  # the arrow ends at the edge of the axes


def test_parameters_of_terms_with_a_dollar_sign(fit, words):
    figure = fitted_parameters(fit, None, {"$a$b^": 0})
    figure.draw_without_rendering()
    assert "published" not in words(figure)


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


def test_ridge_shows_the_approximate_likelihood(fig2, monkeypatch):
    x, y = np.linspace(0.05, 0.2, 7), np.linspace(40.0, 60.0, 5)
    monkeypatch.setattr(drawings, "_window", lambda centre, *_: y if centre == 50.0 else x)
    figure = likelihood_ridge(fig2, 50.0, 4.0, (0.1, 49.9))
    expected = np.zeros((5, 7))
    for n_ij, n_not in fig2:
        expected += approximate_log_pmf(n_ij, n_ij + n_not, x[None, :], y[:, None])
    penalty = named_penalty("gamma", 50.0, 4.0).log_density(x[None, :] + y[:, None])
    assert np.allclose(drawings._log_likelihood(fig2, x, y), expected)
    flats = [axes for axes in figure.axes if axes.get_title()]
    for axes, surface in zip(flats, (expected, expected + penalty), strict=True):
        filled = axes.collections[0]
        assert np.isclose(filled.zmin, max(surface.min() - surface.max(), -drawings.DEPTHS[0]))
        assert filled.zmax == 0


def test_the_first_and_the_last_ranking_are_drawn():
    scores = {"first": np.array([5.0, 1.0, 5.0, 9.0]), "mid": np.ones(4), "last": np.array([1.0, 2.0, 3.0, 4.0])}
    figure = ranking_agreement(scores, np.full(4, 2), {"a": 0, "d": 3})
    (marked,) = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert marked.get_xydata().tolist() == [[2.5, 4.0], [1.0, 1.0]]  # ties have their average rank
    assert figure.axes[0].collections[0].get_array().sum() == 4
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("rank by first", "rank by last")


def test_ranking_correlations_by_frequency(lines):
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    n_i = np.repeat(
        [1, 2, 3, 4, 7, 15, 50, 500, 5000], [50, 40, 10, 9, 9, 30, 20, 12, 11]
    )  # too few terms with 5 to 9 occurrences
    scores = {name: rng.normal(size=len(n_i)).round(1) for name in ("a", "b", "c")}
    axes = ranking_agreement(scores, n_i, {"x": 0}).axes[1]
    bands = {"2": (2, 2), "3–4": (3, 4), "10–19": (10, 19), "20–99": (20, 99), "100–999": (100, 999)}
    bands["≥ 1000"] = (1000, 10**9)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(bands)
    for pair in ("a – b", "a – c", "b – c"):
        first, second = pair.split(" – ")
        inside = [(n_i >= low) & (n_i <= high) for low, high in bands.values()]
        expected = [spearmanr(scores[first][chosen], scores[second][chosen]).statistic for chosen in inside]
        assert np.allclose(lines(axes)[pair].get_ydata(), expected)
    assert len({line.get_marker() for line in axes.lines}) == 3


def test_ranking_labels_do_not_overlap():
    rng = np.random.default_rng(0)
    score = rng.normal(size=300)
    close = {f"word{i}": int(i) for i in np.argsort(-score)[60:180:15]}  # near each other in rank
    figure = ranking_agreement({"a": score, "b": score}, np.full(300, 2), close)
    figure.draw_without_rendering()
    boxes = [note.get_bbox_patch().get_window_extent() for note in figure.axes[0].texts]
    assert len(boxes) == 8
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_terms_at_one_point_share_a_label():
    figure = ranking_agreement(dict.fromkeys("ab", np.array([1, 1, 2])), np.full(3, 2), {"x": 0, "z": 2, "y": 1})
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
    assert r"$\alpha_i = 1$" in words(figure)


def test_the_legend_counts_terms_that_are_not_drawn(words):
    x, y = np.array([1.0, np.nan, 3.0, 3.0]), np.array([3.0, 1.0, np.inf, 4.0])
    figure = statistic_against_weight(x, y, np.zeros(4))
    assert len(figure.axes[0].collections[0].get_offsets()) == 2
    assert "2 without a value" in words(figure)
    assert "r$ undefined" in words(statistic_against_weight(np.ones(2), np.array([3.0, 4.0]), np.zeros(2)))


def test_without_a_finite_value_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no term has a finite"):
        statistic_against_weight(np.array([np.nan]), np.ones(1), np.zeros(1))
