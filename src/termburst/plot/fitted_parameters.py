"""The distribution of the fitted parameters of all terms, as in Figs 4 and 5 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.plot.canvas import BLUE, NORMAL, SKY, SMALL, VERMILION, WIDTH, Floats, dress, positions, sheet
from termburst.plot.fits import Fit, interior, published_logs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SYMBOLS = (r"\alpha_i", r"\alpha_{\neg i}")
LIMITS = (0.1, 10.0)  # the paper expects α_i below the first and α_¬i above the second
NOT_DRAWN = {
    "degenerate": r"degenerate ($\alpha_0 \to 0$)",
    "empty": "without an occurrence",
    "failed": "without a fit",
}


def fitted_parameters(
    fit: Fit,
    *,
    published: tuple[ArrayLike, ArrayLike] | None = None,
    highlight: Sequence[str] | None = None,
    terms: Sequence[str] | NDArray[Any] | None = None,
    what: str = "",
) -> Figure:
    """Draw histograms of log α_i and log α_¬i, natural logarithms, over all terms (the paper's Figs 4 and 5).

    Interior fits are filled bars, published fits an outline. Terms whose best fit is the binomial, α_0 → ∞, have no
    finite value: the hatched bar to the right of the axis break counts them, on its own scale. Dashed lines mark α_i =
    0.1 and α_¬i = 10.

    Parameters
    ----------
    fit : BetaBinomialFit, or any object with alpha, alpha_not and status
    published : (alpha, alpha_not), one value per term each
    highlight : terms to mark below the histograms, one line per term, with an arrow from the published to the exact fit
    terms : names of all terms of the fit, in order; needed for *highlight*
    what : name of the collection, for the title

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[4, 26, 1], [0, 31, 1], [0, 28, 1], [1, 24, 1], [0, 30, 2], [5, 15, 1]])
    >>> figure = fitted_parameters(fit, highlight=["ha"], terms=["ha", "the", "so"])
    >>> len(figure.axes)  # two histograms and two rows of marks, each beside its column for the boundary
    8
    """
    exact = interior(fit)
    status = np.asarray(fit.status)
    printed = None if published is None else published_logs(published, len(status))
    rows = [] if not highlight else positions(list(highlight), terms, len(status))
    if not (status == "converged").any() and printed is None and not (status == "boundary").any():
        raise ValueError("there is nothing to draw: no term has a fit")
    strip = 0.32 + 0.2 * len(rows) if rows else 0.0
    figure = sheet(WIDTH, 6.0 + 2 * strip)
    heights = [2.1, strip] * 2 if rows else [2.1, 2.1]
    grid = figure.add_gridspec(len(heights), 2, height_ratios=heights, width_ratios=[13, 1])
    for panel in range(2):
        row = panel * len(heights) // 2
        main, beyond = figure.add_subplot(grid[row, 0]), figure.add_subplot(grid[row, 1])
        outline = None if printed is None else printed[panel]
        draw_histogram(main, exact[panel], outline, panel)
        dress(main, y="terms per bin")
        _draw_boundary(beyond, int((status == "boundary").sum()), len(status))
        lowest: tuple[Axes, Axes] = (main, beyond)
        if rows:
            below = figure.add_subplot(grid[row + 1, 0], sharex=main)
            corner = figure.add_subplot(grid[row + 1, 1], sharex=beyond, sharey=below)
            main.tick_params(labelbottom=False)
            _draw_marks(below, corner, exact[panel], outline, status, rows)
            below.set_yticks(range(len(rows)), [str(name) for name in highlight or ()], parse_math=False)
            lowest = below, corner
        dress(lowest[0], x=rf"$\log\,{SYMBOLS[panel]}$ (natural logarithm)")
        _draw_break(*lowest)
    _explain(figure, status, what, bool(rows), printed is not None)
    return figure


def draw_histogram(axes: Axes, exact: Floats, published: Floats | None, panel: int, base: float = np.e) -> None:
    """Draw a histogram of natural logarithms, converted to another *base*, with the limit of the panel's parameter."""
    unit = np.log(base)
    exact = exact[np.isfinite(exact)] / unit
    printed = np.array([]) if published is None else published[np.isfinite(published)] / unit
    limit = float(np.log(LIMITS[panel]) / unit)
    shown = np.concatenate([exact, printed, [limit - 0.5, limit + 0.5]])
    bins = int(np.clip(np.sqrt(max(len(exact), len(printed))), 12, 60))
    edges = np.linspace(shown.min(), shown.max(), bins + 1).tolist()
    if len(exact):
        label = f"exact fits, interior: {len(exact):,} terms"
        axes.hist(exact, bins=edges, color=SKY, edgecolor="white", linewidth=0.3, label=label)
    if len(printed):
        label = f"published fits: {len(printed):,} terms"
        axes.hist(printed, bins=edges, histtype="step", color=VERMILION, lw=1.6, label=label)
    axes.axvline(limit, color="black", ls="--", lw=1.1)
    axes.annotate(
        rf"${SYMBOLS[panel]} = {LIMITS[panel]:g}$", (limit, 1.0), (0, 3), xycoords=axes.get_xaxis_transform(),
        textcoords="offset points", ha="center", va="bottom", fontsize=SMALL,
    )  # fmt: skip
    axes.locator_params(axis="y", nbins=6, integer=True)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    dress(axes)


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
    axes: Axes, corner: Axes, exact: Floats, published: Floats | None, status: NDArray[Any], rows: Sequence[int]
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
        elif status[term] == "boundary":
            corner.plot(0.0, line, ">", ms=7, mfc=BLUE, mec=BLUE)
        far = status[term] == "boundary" or abs(end - start) > shortest
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


def not_drawn(status: NDArray[Any]) -> list[str]:
    """How many terms a histogram leaves out, and why; terms at the boundary are not included."""
    numbers = {reason: int((status == name).sum()) for name, reason in NOT_DRAWN.items()}
    return [f"not drawn: {number:,} {reason}" for reason, number in numbers.items() if number]


def _explain(figure: Figure, status: NDArray[Any], what: str, marked: bool, compared: bool) -> None:
    """Title and legend, both outside the panels so that they cannot cover data."""
    from matplotlib.lines import Line2D

    handles, labels = (list(part) for part in figure.axes[0].get_legend_handles_labels())
    if marked:
        handles.append(Line2D([], [], ls="none", marker="o", ms=5, color=BLUE))
        labels.append("a term's exact fit")
        if compared:
            handles.append(Line2D([], [], ls="none", marker="s", ms=8, mfc="white", mec=VERMILION, mew=1.4))
            labels.append("a term's published fit")
    notes = not_drawn(status)
    handles += [Line2D([], [], ls="none") for _ in notes]
    labels += notes
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=SMALL, frameon=False)
    if what:
        figure.suptitle(what, fontsize=NORMAL + 1)
