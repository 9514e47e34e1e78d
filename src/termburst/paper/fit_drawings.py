"""Figs 4 and 5 of the paper: exact and published fits of all terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.plot.canvas import (
    BLUE,
    SMALL,
    VERMILION,
    WIDTH,
    Floats,
    colour_bar,
    count_scale,
    density,
    dress,
    frame,
    legend,
    log_extent,
    sheet,
)
from termburst.plot.fits import SYMBOLS, draw_histogram, not_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def fitted_parameters(
    fit: BetaBinomialFit, published: tuple[Floats, Floats] | None, highlight: Mapping[str, int]
) -> Figure:
    """Figs 4 and 5: histograms of log α_i and log α_¬i, natural logarithms, over all terms.

    Interior fits are filled bars, *published* fits, (α_i, α_¬i), an outline. Terms whose best fit is the binomial, α_0
    → ∞, have no finite value: the hatched bar to the right of the axis break counts them, on its own scale. Dashed
    lines mark α_i = 0.1 and α_¬i = 10. Below, one line per term in *highlight*, name → column, with an arrow from the
    published to the exact fit.
    """
    inside, at_boundary = fit.status == "converged", fit.status == "boundary"
    rows = list(highlight.values())
    strip = 0.32 + 0.2 * len(rows)
    figure = sheet(WIDTH, 6.0 + 2 * strip)
    grid = figure.add_gridspec(4, 2, height_ratios=[2.1, strip] * 2, width_ratios=[13, 1])
    for panel, values in enumerate((fit.alpha, fit.alpha_not)):
        exact = _logs(values, inside)
        outline = None if published is None else _logs(published[panel], _usable(published[panel]))
        main, beyond = figure.add_subplot(grid[2 * panel, 0]), figure.add_subplot(grid[2 * panel, 1])
        draw_histogram(main, exact, panel, outline)
        dress(main, y="terms per bin")
        _draw_boundary(beyond, int(at_boundary.sum()), len(values))
        below = figure.add_subplot(grid[2 * panel + 1, 0], sharex=main)
        corner = figure.add_subplot(grid[2 * panel + 1, 1], sharex=beyond, sharey=below)
        main.tick_params(labelbottom=False)
        _draw_marks(below, corner, exact, outline, at_boundary, rows)
        below.set_yticks(range(len(rows)), list(highlight), parse_math=False)
        dress(below, x=rf"$\log\,{SYMBOLS[panel]}$ (natural logarithm)")
        _draw_break(below, corner)
    _explain_fits(figure, fit.status, published is not None)
    return figure


def _usable(values: Floats) -> NDArray[np.bool_]:
    return np.isfinite(values) & (values > 0)


def _logs(values: Floats, usable: NDArray[np.bool_]) -> Floats:
    """Natural logarithms, NaN where not *usable*."""
    return np.log(np.where(usable, values, np.nan))


def _draw_boundary(axes: Axes, number: int, total: int) -> None:
    axes.bar([0.0], [number], width=0.7, facecolor="white", edgecolor=BLUE, hatch="////", linewidth=1.0)
    axes.set(xlim=(-0.6, 0.6), ylim=(0, 1.12 * max(number, 1)), xticks=[])
    axes.yaxis.tick_right()
    axes.yaxis.set_label_position("right")
    axes.spines[["top", "left"]].set_visible(False)
    axes.locator_params(axis="y", nbins=5, integer=True)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    dress(axes, y="terms (own scale)")
    share = r"$\alpha_0 \to \infty$:" + f"\n{100 * number / total:.1f} % of terms"
    # A text, not a title: the layout leaves room for the width of a text only.
    axes.text(0.0, 1.02, share, transform=axes.transAxes, va="bottom", fontsize=SMALL)


def _draw_marks(
    axes: Axes,
    corner: Axes,
    exact: Floats,
    published: Floats | None,
    at_boundary: NDArray[np.bool_],
    rows: Sequence[int],
) -> None:
    """One line per term: hollow at the published fit, filled at the exact fit, which is in the corner if infinite."""
    shortest = 0.025 * float(np.diff(axes.get_xlim())[0])  # a shorter arrow would show only its head
    for line, term in enumerate(rows):
        start = np.nan if published is None else published[term]
        end = exact[term]
        if np.isfinite(start):
            axes.plot(start, line, "s", ms=8, mfc="white", mec=VERMILION, mew=1.4, zorder=3)
        if np.isfinite(end):
            axes.plot(end, line, "o", ms=5, mfc=BLUE, mec=BLUE, zorder=4)
        elif at_boundary[term]:
            corner.plot(0.0, line, ">", ms=7, mfc=BLUE, mec=BLUE)
        far = at_boundary[term] or abs(end - start) > shortest
        if np.isfinite(start) and far:
            target = (end, line) if np.isfinite(end) else (1.0, line)
            across: Any = "data" if np.isfinite(end) else axes.get_yaxis_transform()
            axes.annotate(
                "", target, (start, line), xycoords=across, textcoords="data",
                arrowprops={"arrowstyle": "-|>", "color": "0.35", "lw": 1.0, "shrinkA": 4, "shrinkB": 3},
            )  # fmt: skip
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=True, axis="y", color="0.9", lw=0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    corner.tick_params(left=False, labelleft=False)
    corner.spines[["top", "left", "right"]].set_visible(False)
    dress(corner)


def _draw_break(main: Axes, beyond: Axes) -> None:
    """Two slanted strokes where the axis is broken."""
    slash = [(-0.6, -1.0), (0.6, 1.0)]
    stroke: Any = {"marker": slash, "ms": 9, "ls": "none", "color": "black", "mew": 1.0, "clip_on": False}
    main.plot([1], [0], transform=main.transAxes, **stroke)
    beyond.plot([0], [0], transform=beyond.transAxes, **stroke)


def _explain_fits(figure: Figure, status: NDArray[Any], compared: bool) -> None:
    """The legend, outside the panels so that it cannot cover data."""
    from matplotlib.lines import Line2D

    handles, labels = (list(part) for part in figure.axes[0].get_legend_handles_labels())
    handles.append(Line2D([], [], ls="none", marker="o", ms=5, color=BLUE))
    labels.append("a term's exact fit")
    if compared:
        handles.append(Line2D([], [], ls="none", marker="s", ms=8, mfc="white", mec=VERMILION, mew=1.4))
        labels.append("a term's published fit")
    missing = not_drawn(status)
    handles += [Line2D([], [], ls="none") for _ in missing]
    legend(figure, handles, labels + missing, loc="outside lower center", ncols=3)


def fit_scatter(fit: BetaBinomialFit, published: tuple[Floats, Floats]) -> Figure:
    """The number of terms per hexagon of (α_i, α_¬i): interior exact fits, beside them the published fits.

    Both panels have the same axes. The star is (1, 1), where the search for the published fits began. The other two
    marks are the medians of α_i and of α_¬i, one mark per fit, over the terms whose exact fit is interior.
    """
    exact, theirs = np.array([fit.alpha, fit.alpha_not]), np.array(published)
    inside, usable = fit.status == "converged", _usable(theirs).all(axis=0)
    panels = (("exact fits", exact[:, inside]), ("published fits", theirs[:, usable]))
    medians = (
        ("P", "median of the exact fits", np.median(exact[:, inside], axis=1)),
        ("X", "median of the published fits of those terms", np.median(theirs[:, inside & usable], axis=1)),
    )
    extent = log_extent(*np.hstack([np.ones((2, 1)), *(points for _, points in panels)]))
    figure = sheet(WIDTH, 4.4)
    panes = figure.subplots(1, 2, sharex=True, sharey=True)
    drawn = []
    for axes, (title, points) in zip(panes, panels, strict=True):
        frame(axes, extent)
        drawn.append(density(axes, points[0], points[1], extent))
        for marker, label, point in medians:
            axes.plot(*point, marker, ms=9, mfc="white", mec="black", ls="none", label=label)
        axes.plot(1, 1, "*", ms=13, mfc=VERMILION, mec="black", ls="none", label="(1, 1), start of the search")
        dress(axes, r"$\alpha_i$", title=f"{title} ({points.shape[1]:,} terms)")
    dress(panes[0], y=r"$\alpha_{\neg i}$")
    count_scale(drawn)
    colour_bar(figure, drawn[0], panes.tolist(), "terms")
    legend(figure, *panes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure
