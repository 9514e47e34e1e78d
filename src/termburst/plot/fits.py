"""Figures of fits: the fitted parameters of all terms, as in Figs 4 and 5 of the paper, and in the plane of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.plot.canvas import (
    BLUE,
    SKY,
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
    positions,
    same_length,
    sheet,
    vectors,
    whole_numbers,
)

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


def interior(fit: BetaBinomialFit) -> tuple[Floats, Floats]:
    """log α_i and log α_¬i of interior fits, NaN for other terms; raises an error if the lengths differ."""
    alpha, alpha_not = vectors(("alpha", fit.alpha), ("alpha_not", fit.alpha_not))
    status = np.asarray(fit.status)
    same_length(("alpha", alpha), ("status", status))
    inside = status == "converged"
    return _log(np.where(inside, alpha, np.nan)), _log(np.where(inside, alpha_not, np.nan))


def published_logs(published: tuple[ArrayLike, ArrayLike], length: int) -> tuple[Floats, Floats]:
    """log α_i and log α_¬i of the published fits, NaN where they are not finite and positive."""
    if len(published) != 2:
        raise ValueError("published must be a pair, alpha and alpha_not")
    alpha, alpha_not = vectors(("published alpha", published[0]), ("published alpha_not", published[1]))
    if len(alpha) != length:
        raise ValueError(f"published must have one entry for each of the {length:,} terms; it has {len(alpha):,}")
    return _log(alpha), _log(alpha_not)


def _log(values: Floats) -> Floats:
    usable = np.isfinite(values) & (values > 0)
    return np.log(np.where(usable, values, np.nan))


def fitted_parameters(
    fit: BetaBinomialFit,
    *,
    published: tuple[ArrayLike, ArrayLike] | None = None,
    highlight: Sequence[str] | None = None,
    terms: Sequence[str] | NDArray[Any] | None = None,
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
        _draw_histogram(main, exact[panel], outline, panel)
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
    _explain_fits(figure, status, bool(rows), printed is not None)
    return figure


def _draw_histogram(axes: Axes, exact: Floats, published: Floats | None, panel: int, base: float = np.e) -> None:
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
    whole_numbers(axes, y=6)
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


def _explain_fits(figure: Figure, status: NDArray[Any], marked: bool, compared: bool) -> None:
    """The legend, outside the panels so that it cannot cover data."""
    from matplotlib.lines import Line2D

    handles, labels = (list(part) for part in figure.axes[0].get_legend_handles_labels())
    if marked:
        handles.append(Line2D([], [], ls="none", marker="o", ms=5, color=BLUE))
        labels.append("a term's exact fit")
        if compared:
            handles.append(Line2D([], [], ls="none", marker="s", ms=8, mfc="white", mec=VERMILION, mew=1.4))
            labels.append("a term's published fit")
    missing = not_drawn(status)
    handles += [Line2D([], [], ls="none") for _ in missing]
    if handles:
        legend(figure, handles, labels + missing, loc="outside lower center", ncols=3)


def log_alpha(fit: BetaBinomialFit) -> Figure:
    """Draw histograms of log10 α̂_i and log10 α̂_¬i over the terms with an interior fit, and the median of each.

    Terms at the boundary, α_0 → ∞, have no finite value; the legend has their number. `fitted_parameters` draws them
    too. It uses natural logarithms, as the paper does, and can compare with published fits.

    Parameters
    ----------
    fit : BetaBinomialFit, or any object with alpha, alpha_not and status

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[4, 26, 1], [0, 31, 1], [0, 28, 1], [1, 24, 1], [0, 30, 2], [5, 15, 1]])
    >>> figure = log_alpha(fit)
    >>> figure.axes[0].get_xlabel(), int(sum(bar.get_height() for bar in figure.axes[0].patches))
    ('$\\\\log_{10}\\\\,\\\\alpha_i$', 2)
    """
    from matplotlib.lines import Line2D

    status = np.asarray(fit.status)
    logs = interior(fit)
    at_boundary = int((status == "boundary").sum())
    if not (status == "converged").any():
        raise ValueError(
            f"there is nothing to draw: none of the {status.size:,} terms has an interior fit "
            f"({at_boundary:,} are at the boundary)"
        )
    figure = sheet(WIDTH, 3.5)
    for panel, (axes, values) in enumerate(zip(figure.subplots(1, 2), logs, strict=True)):
        _draw_histogram(axes, values, None, panel, base=10.0)
        middle = float(np.nanmedian(values)) / np.log(10)
        axes.axvline(middle, color=VERMILION, ls=":", lw=2.0, label=f"median: {10**middle:.3g}")
        last = (part[-1:] for part in axes.get_legend_handles_labels())
        legend(axes, *last, loc="upper center", bbox_to_anchor=(0.5, -0.2), borderaxespad=0.0)
        dress(axes, x=rf"$\log_{{10}}\,{SYMBOLS[panel]}$", y="terms per bin" if panel == 0 else "")
    handles, labels = (list(part[:1]) for part in figure.axes[0].get_legend_handles_labels())
    missing = not_drawn(status)
    if at_boundary:
        share = 100 * at_boundary / status.size
        missing.insert(
            0, rf"not drawn: {at_boundary:,} at the boundary, $\alpha_0 \to \infty$ ({share:.1f} % of terms)"
        )
    handles += [Line2D([], [], ls="none") for _ in missing]
    legend(figure, handles, labels + missing, loc="outside lower center", ncols=2)
    return figure


def fit_scatter(fit: BetaBinomialFit, *, published: tuple[ArrayLike, ArrayLike] | None = None) -> Figure:
    """Draw the number of terms per hexagon of (α_i, α_¬i): interior exact fits, beside them the published fits.

    Both panels have the same axes. The star is (1, 1), where the search for the published fits began. The other two
    marks are the medians of α_i and of α_¬i, one mark per fit, over the terms whose exact fit is interior.

    Parameters
    ----------
    fit : BetaBinomialFit, or any object with alpha, alpha_not and status
    published : (alpha, alpha_not), one value per term each

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[4, 26, 1], [0, 31, 1], [0, 28, 1], [1, 24, 1], [0, 30, 2], [5, 15, 1]])
    >>> figure = fit_scatter(fit, published=([0.5, 20.0, 1.0], [6.0, 2.0, 20.0]))
    >>> [axes.get_title() for axes in figure.axes[:2]]
    ['exact fits (2 terms)', 'published fits (3 terms)']
    """
    exact = interior(fit)
    panels = [("exact fits", *_both(*exact))]
    medians = _medians("P", "median of the exact fits", *exact)
    if published is not None:
        printed = published_logs(published, len(exact[0]))
        panels.append(("published fits", *_both(*printed)))
        medians += _medians(
            "X", "median of the published fits of those terms", *np.where(np.isfinite(exact), printed, np.nan)
        )
    if not any(len(a) for _, a, _ in panels):
        raise ValueError("there is nothing to draw: no term has a finite fit")
    start = np.ones(1)
    extent = log_extent(
        np.concatenate([start, *[a for _, a, _ in panels]]), np.concatenate([start, *[b for _, _, b in panels]])
    )
    figure = sheet(WIDTH if published is not None else 5.0, 4.4)
    panes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    drawn = []
    for axes, (title, a, b) in zip(panes, panels, strict=True):
        frame(axes, extent)
        if len(a):
            drawn.append(density(axes, a, b, extent))
        for marker, label, point in medians:
            axes.plot(*point, marker, ms=9, mfc="white", mec="black", ls="none", label=label)
        axes.plot(1, 1, "*", ms=13, mfc=VERMILION, mec="black", ls="none", label="(1, 1), start of the search")
        dress(axes, r"$\alpha_i$", title=f"{title} ({len(a):,} terms)")
    dress(panes[0], y=r"$\alpha_{\neg i}$")
    count_scale(drawn)
    colour_bar(figure, drawn[0], panes.tolist(), "terms")
    handles, labels = panes[0].get_legend_handles_labels()
    legend(figure, handles, labels, loc="outside lower center", ncols=len(panels))
    return figure


def _medians(marker: str, label: str, a: Floats, b: Floats) -> list[tuple[str, str, tuple[float, float]]]:
    a, b = _both(a, b)
    return [(marker, label, (float(np.median(a)), float(np.median(b))))] if len(a) else []


def _both(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The exponentials of two arrays of logarithms, where both are finite."""
    usable = np.isfinite(a) & np.isfinite(b)
    return np.exp(a[usable]), np.exp(b[usable])
