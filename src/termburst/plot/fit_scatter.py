"""Fits in the plane of α_i and α_¬i."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from termburst.plot.canvas import (
    SMALL,
    VERMILION,
    WIDTH,
    Floats,
    colour_bar,
    count_scale,
    density,
    dress,
    frame,
    log_extent,
    sheet,
)
from termburst.plot.fits import Fit, interior, published_logs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def fit_scatter(fit: Fit, *, published: tuple[ArrayLike, ArrayLike] | None = None) -> Figure:
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
    figure.legend(handles, labels, loc="outside lower center", ncols=len(panels), fontsize=SMALL, frameon=False)
    return figure


def _medians(marker: str, label: str, a: Floats, b: Floats) -> list[tuple[str, str, tuple[float, float]]]:
    a, b = _both(a, b)
    return [(marker, label, (float(np.median(a)), float(np.median(b))))] if len(a) else []


def _both(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The exponentials of two arrays of logarithms, where both are finite."""
    usable = np.isfinite(a) & np.isfinite(b)
    return np.exp(a[usable]), np.exp(b[usable])
