"""Figures show what they are given: what is asserted are the numbers behind the artists, never pixels."""

import itertools
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from numpy.typing import NDArray

import termburst as tb
from termburst import plot
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalties import named_penalty
from termburst.plot.canvas import VERMILION
from termburst.plot.likelihood_ridge import DEPTHS, _log_likelihood
from termburst.plot.ranking_agreement import ranks

MU, SIGMA2 = [30, 60, 90], [0.5, 1.0]


def made_up_fit(seed: int = 0) -> Any:
    """Of 400 terms: 250 interior, 120 at the boundary, 20 degenerate, 10 that never occur."""
    rng = np.random.default_rng(seed)
    status = np.repeat(np.array(["converged", "boundary", "degenerate", "empty"], dtype=object), [250, 120, 20, 10])
    odd = np.select([status == "boundary", status == "degenerate"], [np.inf, 0.0], np.nan)
    inside = status == "converged"
    return SimpleNamespace(
        alpha=np.where(inside, np.exp(rng.normal(-5, 2, 400)), odd),
        alpha_not=np.where(inside, np.exp(rng.normal(5, 2, 400)), odd),
        status=status,
    )


def made_up_published(seed: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(-6, 2, 400)), np.exp(rng.normal(4, 2, 400))


@pytest.fixture(scope="module")
def fig2() -> NDArray[np.int64]:
    """The simulated collection of the paper's Fig. 2."""
    rng = np.random.default_rng(0)
    return np.array([rng.multinomial(50, theta) for theta in rng.dirichlet([0.10, 49.90], 40)])


@pytest.fixture(scope="module")
def everything(fig2: NDArray[np.int64]) -> dict[str, Figure]:
    """A figure of every kind, with all its options, drawn once."""
    fit, published, rng = made_up_fit(), made_up_published(), np.random.default_rng(2)
    n_i = rng.integers(1, 3000, 400)
    terms = [f"t{i}" for i in range(400)]
    scores = {"first": rng.normal(size=400), "second": rng.normal(size=400), "third": rng.normal(size=400)}
    figures = {
        "samples": plot.beta_binomial_samples(documents=60),
        "ridge": plot.likelihood_ridge(fig2, mu=50.0, sigma2=4.0, truth=(0.1, 49.9)),
        "scatter": plot.statistic_against_weight(
            scores["first"], scores["second"], alpha=rng.gamma(1.0, size=400), occurs=n_i > 300
        ),
        "parameters": plot.fitted_parameters(
            fit, published=published, highlight=["t3", "t300"], terms=terms, what="A collection"
        ),
        "fits": plot.fit_scatter(fit, published=published),
        "grids": plot.accuracy_grids({"a": rng.uniform(size=(3, 2)), "b": rng.uniform(size=(3, 2))}, MU, SIGMA2),
        "error": plot.approximation_error(fit.alpha, fit.alpha_not, rng.gamma(0.5, size=400), mean_length=90.0),
        "ranks": plot.ranking_agreement(scores, n_i, labels=["t3", "t5"], terms=terms),
    }
    for figure in figures.values():
        figure.draw_without_rendering()
    return figures


def words(figure: Figure) -> str:
    """All that is written on the figure and its legends."""
    from matplotlib.text import Text

    return "\n".join(artist.get_text() for artist in figure.findobj(Text))


def lines(axes: Axes) -> dict[str, Any]:
    return {str(line.get_label()): line for line in axes.lines}


@pytest.mark.parametrize(
    ("name", "axes"),
    [("samples", 4), ("ridge", 0), ("scatter", 0), ("parameters", 2), ("fits", 0), ("grids", 0), ("error", 0),
     ("error", 1), ("ranks", 0), ("ranks", 1)],
)  # fmt: skip
def test_axes_are_labelled_and_text_is_legible(everything: dict[str, Figure], name: str, axes: int) -> None:
    from matplotlib.text import Text

    figure = everything[name]
    pane = figure.axes[axes]
    assert pane.get_xlabel()
    assert pane.get_ylabel() or name == "parameters"  # where the names of terms stand
    written = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    assert min(text.get_fontsize() for text in written) >= 9
    assert figure.get_figwidth() <= 8.5


@pytest.mark.parametrize("name", ["samples", "ridge", "scatter", "parameters", "fits", "grids", "error", "ranks"])
def test_nothing_is_cut_off(everything: dict[str, Figure], name: str) -> None:
    figure = everything[name]
    tight = figure.get_tightbbox()
    assert tight.x0 >= 0
    assert tight.y0 >= 0
    assert tight.x1 <= figure.get_figwidth()
    assert tight.y1 <= figure.get_figheight()


def test_legends_stand_beside_the_data(everything: dict[str, Figure]) -> None:
    for figure in everything.values():
        panes = [axes.get_window_extent() for axes in figure.axes]
        legends = [*figure.legends, *[axes.get_legend() for axes in figure.axes if axes.get_legend()]]
        for legend in legends:
            assert not any(legend.get_window_extent().overlaps(pane) for pane in panes)


def test_global_settings_are_left_alone(fig2: NDArray[np.int64], tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    plot.save(plot.likelihood_ridge(fig2, mu=50.0, sigma2=4.0), tmp_path, "ridge")
    assert dict(mpl.rcParams) == before


def test_samples_are_drawn_document_by_document() -> None:
    figure = plot.beta_binomial_samples([0.1, 1.0, 100.0], mean=0.2, length=50, documents=300, seed=4)
    panels, histograms = figure.axes[::2], figure.axes[1::2]
    assert [panel.get_title() for panel in panels] == [rf"$\alpha_0 = {p:g}$" for p in (0.1, 1.0, 100.0)]
    spread = []
    for panel, histogram in zip(panels, histograms, strict=True):
        counts = np.asarray(lines(panel)["one document"].get_ydata())
        assert counts.shape == (300,)
        assert set(lines(panel)["expected count"].get_ydata()) == {10.0}
        assert sum(bar.get_width() for bar in histogram.patches) == 300
        spread.append(counts.std())
    assert spread[0] > spread[1] > spread[2]


def test_samples_follow_the_seed() -> None:
    def drawn(seed: int) -> list[float]:
        figure = plot.beta_binomial_samples([1.0], documents=40, seed=seed)
        return np.asarray(lines(figure.axes[0])["one document"].get_ydata()).tolist()

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("length", [1, 7, 100, 1001])
def test_every_sampled_count_is_in_the_histogram(length: int) -> None:
    figure = plot.beta_binomial_samples([0.05], mean=0.9, length=length, documents=64)
    assert sum(bar.get_width() for bar in figure.axes[1].patches) == 64


def test_ridge_marks_the_maximum_of_claim_2(fig2: NDArray[np.int64]) -> None:
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


def test_ridge_shows_the_approximate_likelihood(fig2: NDArray[np.int64]) -> None:
    x, y = np.linspace(0.05, 0.2, 7), np.linspace(40.0, 60.0, 5)
    figure = plot.likelihood_ridge(fig2, mu=50.0, sigma2=4.0, alpha=x, alpha_not=y)
    expected = np.zeros((5, 7))
    for n_ij, n_not in fig2:
        expected += approximate_log_pmf(n_ij, n_ij + n_not, x[None, :], y[:, None])
    penalty = named_penalty("gamma", 50.0, 4.0).log_density(x[None, :] + y[:, None])
    assert np.allclose(_log_likelihood(fig2, x, y), expected)
    flats = [axes for axes in figure.axes if axes.get_title()]
    for axes, surface in zip(flats, (expected, expected + penalty), strict=True):
        filled: Any = axes.collections[0]
        assert np.isclose(filled.zmin, max(surface.min() - surface.max(), -DEPTHS[0]))
        assert filled.zmax == 0


def test_ridge_without_a_valid_maximum_marks_none() -> None:
    counts = [[30, 5], [0, 10], [25, 2]]  # r_i = 54 repeats against η² = 9
    figure = plot.likelihood_ridge(counts, mu=3.0, sigma2=1.0)
    assert "maximum" not in words(figure)
    assert not tb.penalized_mle(counts, mu=3.0, sigma2=1.0).valid[0]


def test_ridge_has_logarithmic_axes_for_a_geometric_grid(fig2: NDArray[np.int64]) -> None:
    figure = plot.likelihood_ridge(fig2, mu=50.0, sigma2=4.0, alpha=np.geomspace(1e-3, 1, 9))
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "linear")


def test_scatter_draws_every_term(fig3: NDArray[np.int64]) -> None:
    statistic = tb.plr_statistic(fig3)
    occurs = fig3.sum(axis=0) > 0
    weight = fig3.sum(axis=0) * np.log(100 / np.maximum((fig3 > 0).sum(axis=0), 1))
    figure = plot.statistic_against_weight(statistic, weight, occurs=occurs)
    seen, unseen = figure.axes[0].collections
    assert np.array_equal(seen.get_offsets(), np.column_stack([statistic, weight])[occurs])
    assert len(unseen.get_offsets()) == 39
    assert unseen.get_facecolor().size == 0  # hollow
    assert "39 terms that never occur" in words(figure)
    assert "$r = 0.9269$ (all)" in words(figure)  # as the paper has it


def test_scatter_diameters_are_proportional_to_alpha() -> None:
    alpha = np.array([0.2, 0.4, 1.0])
    figure = plot.statistic_against_weight([1.0, 2.0, 3.0], [3.0, 1.0, 2.0], alpha=alpha)
    diameter = np.sqrt(figure.axes[0].collections[0].get_sizes())
    assert np.allclose(diameter / diameter[-1], alpha)
    assert r"$\alpha_i = 1$" in words(figure)


def test_scatter_says_what_it_leaves_out() -> None:
    figure = plot.statistic_against_weight([1.0, np.nan, 3.0, 3.0], [3.0, 1.0, np.inf, 4.0], alpha=[0.0] * 4)
    assert len(figure.axes[0].collections[0].get_offsets()) == 2
    assert "2 without a value" in words(figure)
    assert "r$ undefined" in words(plot.statistic_against_weight([1.0, 1.0], [3.0, 4.0]))


def test_parameters_count_every_term_once() -> None:
    fit, published = made_up_fit(), made_up_published()
    figure = plot.fitted_parameters(fit, published=published)
    for panel, (values, printed) in enumerate(zip((fit.alpha, fit.alpha_not), published, strict=True)):
        main, beyond = figure.axes[2 * panel : 2 * panel + 2]
        bars = [patch for patch in main.patches if hasattr(patch, "get_height")]
        edges = [bar.get_x() for bar in bars] + [bars[-1].get_x() + bars[-1].get_width()]
        edges[0], edges[-1] = edges[0] - 1e-9, edges[-1] + 1e-9  # the extremes stand on them
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


def test_parameters_mark_the_highlighted_terms() -> None:
    fit, published = made_up_fit(), made_up_published()
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
        assert (np.log(printed[300]), 1.0) in arrows  # to the edge of the axes, and beyond


def test_parameters_of_terms_with_a_dollar_sign() -> None:
    fit = made_up_fit()
    figure = plot.fitted_parameters(fit, highlight=["$a$b^"], terms=["$a$b^", *map(str, range(399))])
    figure.draw_without_rendering()
    assert "published" not in words(figure)


def test_fits_without_an_interior_maximum_can_be_drawn() -> None:
    fit = tb.fit_beta_binomial([[1, 9], [1, 9], [1, 9]])
    assert set(fit.status) == {"boundary"}
    assert "100.0 % of terms" in words(plot.fitted_parameters(fit))


def test_fit_scatter_bins_every_finite_fit() -> None:
    fit, (alpha, alpha_not) = made_up_fit(), made_up_published()
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


def outlined(axes: Axes, style: str) -> set[tuple[int, int]]:
    frames = [patch for patch in axes.patches if patch.get_linestyle() == style]
    assert all(patch.get_edgecolor() == to_rgba(VERMILION) for patch in frames)
    return {(round(patch.get_y() + 0.46), round(patch.get_x() + 0.47)) for patch in frames}


def test_grids_print_values_and_outline_the_best() -> None:
    first = np.array([[0.80868, 0.79], [0.8, 0.80868], [0.7, np.nan]])
    second = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    grids = {"one": first, "two": second}
    figure = plot.accuracy_grids(grids, MU, SIGMA2, best={"two": [(60, 0.5)]}, decimals=5)
    one, two = figure.axes[:2]
    printed = [text.get_text() for text in one.texts]
    assert printed == ["0.80868", "0.79000", "0.80000", "0.80868", "0.70000", "–"]
    assert [text.get_position() for text in one.texts] == [(x, y) for y in range(3) for x in range(2)]
    assert (outlined(one, "solid"), outlined(two, "solid")) == ({(0, 0), (1, 1)}, {(2, 1)})
    assert (outlined(one, "dashed"), outlined(two, "dashed")) == (set(), {(1, 0)})
    assert [axes.images[0].get_clim() for axes in (one, two)] == [(0.1, 0.80868)] * 2
    assert [label.get_text() for label in one.get_yticklabels()] == ["30", "60", "90"]
    assert [label.get_text() for label in two.get_xticklabels()] == ["0.5", "1"]


def test_grid_text_stands_out_from_its_cell() -> None:
    table = np.linspace(0, 1, 30).reshape(5, 6)
    figure = plot.accuracy_grids({"one": table}, np.arange(1, 6), np.arange(1, 7))
    image = figure.axes[0].images[0]
    for text, value in zip(figure.axes[0].texts, table.ravel(), strict=True):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in image.cmap(image.norm(value))]
        luminance = float(np.dot(linear[:3], [0.2126, 0.7152, 0.0722]))
        other = 1.0 if text.get_color() == "white" else 0.0
        contrast = (max(luminance, other) + 0.05) / (min(luminance, other) + 0.05)
        assert contrast >= 4.5  # what WCAG asks of small text


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("shape", [(1, 1), (6, 6), (2, 9)])
def test_grids_of_any_number_and_size(number: int, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    grids = {f"grid {k}": rng.uniform(0.7, 0.9, shape) for k in range(number)}
    figure = plot.accuracy_grids(grids, np.arange(1, shape[0] + 1), np.arange(1, shape[1] + 1))
    figure.draw_without_rendering()
    panels = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in panels] == list(grids)
    assert len(figure.axes) == number + 1  # one colour bar
    for axes in panels:
        boxes = [text.get_window_extent() for text in axes.texts]
        rows = [boxes[i : i + shape[1]] for i in range(0, len(boxes), shape[1])]
        assert all(a.x1 < b.x0 for row in rows for a, b in itertools.pairwise(row))


def test_error_map_is_of_medians() -> None:
    alpha, alpha_not = np.array([0.01, 0.01, 0.01, 1.0]), np.array([100.0, 100.0, 100.0, 10.0])
    figure = plot.approximation_error(alpha, alpha_not, [0.1, -0.3, 2.0, 5.0], mean_length=50.0)
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


def test_error_leaves_out_terms_without_finite_parameters() -> None:
    fit = made_up_fit()
    figure = plot.approximation_error(fit.alpha, fit.alpha_not, np.ones(400), mean_length=90.0)
    assert figure.axes[1].collections[0].get_array().sum() == 250


def test_ranks_are_averaged_over_ties() -> None:
    assert ranks([5.0, 1.0, 5.0, 9.0, np.nan])[:4].tolist() == [2.5, 4.0, 2.5, 1.0]
    scores = {"first": [5.0, 1.0, 5.0, 9.0, np.nan], "last": [1.0, 2.0, 3.0, 4.0, 5.0]}
    figure = plot.ranking_agreement(scores, [2, 2, 2, 2, 2], labels=["a", "d"], terms=list("abcde"))
    (marked,) = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert marked.get_xydata().tolist() == [[2.5, 4.0], [1.0, 1.0]]
    assert figure.axes[0].collections[0].get_array().sum() == 4
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("rank by first", "rank by last")


def test_ranking_correlations_by_frequency() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    n_i = np.repeat([1, 2, 3, 4, 7, 15, 50, 500, 5000], [50, 40, 10, 9, 9, 30, 20, 12, 11])  # too few of 5–9
    scores = {name: rng.normal(size=len(n_i)).round(1) for name in ("a", "b", "c")}
    axes = plot.ranking_agreement(scores, n_i).axes[1]
    bands = {"2": (2, 2), "3–4": (3, 4), "10–19": (10, 19), "20–99": (20, 99), "100–999": (100, 999)}
    bands["≥ 1000"] = (1000, 10**9)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(bands)
    for pair in ("a – b", "a – c", "b – c"):
        first, second = pair.split(" – ")
        inside = [(n_i >= low) & (n_i <= high) for low, high in bands.values()]
        expected = [spearmanr(scores[first][chosen], scores[second][chosen]).statistic for chosen in inside]
        assert np.allclose(lines(axes)[pair].get_ydata(), expected)
    assert len({line.get_marker() for line in axes.lines}) == 3


def test_ranking_labels_do_not_overlap() -> None:
    rng = np.random.default_rng(0)
    score = rng.normal(size=300)
    terms = [f"word{i}" for i in range(300)]
    close = [terms[i] for i in np.argsort(-score)[60:180:15]]  # near each other in rank
    figure = plot.ranking_agreement({"a": score, "b": score}, np.full(300, 2), labels=close, terms=terms)
    figure.draw_without_rendering()
    boxes = [note.get_bbox_patch().get_window_extent() for note in figure.axes[0].texts]
    assert len(boxes) == 8
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_ranking_labels_of_one_point_are_one() -> None:
    figure = plot.ranking_agreement({"a": [1, 1, 2], "b": [1, 1, 2]}, [2, 2, 2], labels=["x", "z", "y"], terms="xyz")
    assert [note.get_text() for note in figure.axes[0].texts] == ["x\ny", "z"]


def test_ranking_of_constant_scores_has_no_correlation() -> None:
    figure = plot.ranking_agreement({"a": np.ones(20), "b": np.arange(20.0)}, np.full(20, 2))
    assert np.isnan(lines(figure.axes[1])["a – b"].get_ydata()).all()


FIT = made_up_fit()
BAD: dict[str, Any] = {
    "precisions must be finite": lambda: plot.beta_binomial_samples([]),
    "precisions must be finite numbers above 0": lambda: plot.beta_binomial_samples([1.0, 0.0]),
    "mean must be between": lambda: plot.beta_binomial_samples(mean=1.0),
    "documents must be a whole number": lambda: plot.beta_binomial_samples(documents=0),
    "two columns": lambda: plot.likelihood_ridge([[1, 2, 3]], mu=1.0, sigma2=1.0),
    "both columns": lambda: plot.likelihood_ridge([[0, 2], [0, 3]], mu=1.0, sigma2=1.0),
    "mu must be": lambda: plot.likelihood_ridge([[1, 2]], mu=-1.0, sigma2=1.0),
    "alpha must be increasing": lambda: plot.likelihood_ridge([[1, 2]], mu=1.0, sigma2=1.0, alpha=[0.2, 0.1]),
    "alpha_not must hold": lambda: plot.likelihood_ridge([[1, 2]], mu=1.0, sigma2=1.0, alpha_not=[0.0, 0.1]),
    "truth must be": lambda: plot.likelihood_ridge([[1, 2]], mu=1.0, sigma2=1.0, truth=(0.0, 0.1)),
    "statistic has 2, weight has 1": lambda: plot.statistic_against_weight([1.0, 2.0], [1.0]),
    "statistic is empty": lambda: plot.statistic_against_weight([], []),
    "no term has a finite": lambda: plot.statistic_against_weight([np.nan], [1.0]),
    "statistic must hold numbers": lambda: plot.statistic_against_weight(["a"], [1.0]),
    "weight must have one dimension": lambda: plot.statistic_against_weight([1.0], [[1.0]]),
    "alpha must not be negative": lambda: plot.statistic_against_weight([1.0], [1.0], alpha=[-1.0]),
    "occurs must have one entry": lambda: plot.statistic_against_weight([1.0], [1.0], occurs=[True, False]),
    "terms are needed": lambda: plot.fitted_parameters(FIT, highlight=["a"]),
    "terms must have one entry for each": lambda: plot.fitted_parameters(FIT, highlight=["a"], terms=["a"]),
    "'a' is not among the terms": lambda: plot.fitted_parameters(FIT, highlight=["a"], terms=["b"] * 400),
    "published must have one entry": lambda: plot.fitted_parameters(FIT, published=([1.0], [1.0])),
    "published must be a pair": lambda: plot.fit_scatter(FIT, published=([1.0],)),  # type: ignore[arg-type]
    "no term has a fit": lambda: plot.fitted_parameters(
        SimpleNamespace(alpha=np.array([np.nan]), alpha_not=np.array([np.nan]), status=np.array(["empty"]))
    ),
    "no term has a finite fit": lambda: plot.fit_scatter(
        SimpleNamespace(alpha=np.array([np.inf]), alpha_not=np.array([np.inf]), status=np.array(["boundary"]))
    ),
    "grids is empty": lambda: plot.accuracy_grids({}, MU, SIGMA2),
    r"its shape is \(2, 2\)": lambda: plot.accuracy_grids({"a": np.ones((2, 2))}, MU, SIGMA2),
    "no finite value": lambda: plot.accuracy_grids({"a": np.full((3, 2), np.nan)}, MU, SIGMA2),
    "not on the grid": lambda: plot.accuracy_grids({"a": np.ones((3, 2))}, MU, SIGMA2, best={"a": [(31, 0.5)]}),
    "not among the grids": lambda: plot.accuracy_grids({"a": np.ones((3, 2))}, MU, SIGMA2, best={"b": []}),
    "mean_length must be": lambda: plot.approximation_error([1.0], [1.0], [1.0], mean_length=0.0),
    "no term has finite parameters": lambda: plot.approximation_error([np.inf], [1.0], [1.0], mean_length=1.0),
    "two scores or more": lambda: plot.ranking_agreement({"a": [1.0]}, [1]),
    "a has 1, b has 2": lambda: plot.ranking_agreement({"a": [1.0], "b": [1.0, 2.0]}, [1]),
    "of every score": lambda: plot.ranking_agreement({"a": [np.nan], "b": [1.0]}, [1]),
    "'y' cannot be labelled": lambda: plot.ranking_agreement(
        {"a": [1.0, np.nan], "b": [1.0, 2.0]}, [1, 1], labels=["y"], terms=["x", "y"]
    ),
    "stem must be": lambda: plot.save(Figure(), "nowhere", "a/b"),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)


def test_save_writes_the_same_bytes_again(everything: dict[str, Figure], tmp_path: Path) -> None:
    for name in ("ridge", "ranks"):
        first = [path.read_bytes() for path in plot.save(everything[name], tmp_path / "first", name)]
        again = [path.read_bytes() for path in plot.save(everything[name], tmp_path / "again", name)]
        assert first == again
    svg, png = (tmp_path / "first" / f"ridge.{ending}" for ending in ("svg", "png"))
    assert ET.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "<dc:date>" not in svg.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert b"Software" not in png.read_bytes()
    assert sorted(path.name for path in (tmp_path / "first").iterdir()) == [
        "ranks.png", "ranks.svg", "ridge.png", "ridge.svg",
    ]  # fmt: skip


def test_save_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    program = (
        "import sys; from termburst import plot;"
        "plot.save(plot.beta_binomial_samples([0.5], documents=30), sys.argv[1], 'samples')"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "there")], check=True)
    here = plot.save(plot.beta_binomial_samples([0.5], documents=30), tmp_path / "here", "samples")
    assert [path.read_bytes() for path in here] == [(tmp_path / "there" / path.name).read_bytes() for path in here]


def test_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = plot.beta_binomial_samples([0.5], documents=30)
    (svg, _) = plot.save(figure, tmp_path, "samples")
    before = svg.read_bytes()

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("half-way")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="half-way"):
        plot.save(figure, tmp_path, "samples")
    assert svg.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2


def test_save_into_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be made"):
        plot.save(Figure(), tmp_path / "file", "samples")


def run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_neither_import_nor_figures_load_pyplot(tmp_path: Path) -> None:
    program = f"""
import sys
from termburst import plot
print("matplotlib" in sys.modules)
plot.save(plot.likelihood_ridge([[2, 8], [0, 12], [1, 9]], mu=10.0, sigma2=4.0), {str(tmp_path)!r}, "ridge")
plot.fit_scatter(__import__("termburst").fit_beta_binomial([[4, 26], [0, 31], [5, 15]]))
print("matplotlib.pyplot" in sys.modules)
"""
    assert run(program).split() == ["False", "False"]


def test_without_matplotlib_the_first_call_says_what_to_install() -> None:
    program = """
import sys
sys.modules["matplotlib"] = None
from termburst import plot
try:
    plot.beta_binomial_samples()
except ImportError as error:
    print(error)
"""
    assert run(program) == "figures need Matplotlib: pip install 'termburst[plots]'"


def test_published_collections_can_be_drawn(fig4: tuple[Any, NDArray[np.object_]]) -> None:
    from termburst.datasets import load_published_fits

    counts, terms = fig4
    fit, published = tb.fit_beta_binomial(counts), load_published_fits("20newsgroups")
    figure = plot.fitted_parameters(
        fit, published=(published.alpha, published.alpha_not), highlight=["ambulance", "the"], terms=terms
    )
    (hatched,) = [patch for patch in figure.axes[1].patches if patch.get_hatch()]
    assert hatched.get_height() == (fit.status == "boundary").sum()
    assert "31.4 % of terms" in words(figure)
