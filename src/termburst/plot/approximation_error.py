"""The error of the paper's approximation (Claim 1), and where it is large."""

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
    vectors,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def approximation_error(
    alpha: ArrayLike, alpha_not: ArrayLike, error_per_occurrence: ArrayLike, *, mean_length: float
) -> Figure:
    """Draw the error of Claim 1, in log-likelihood units per occurrence of the term, over the fitted parameters.

    Left: the median |error| of the terms in each hexagon of (α_i, α_¬i). Claim 1 assumes the upper left corner, α_i <
    0.1 and α_¬i above the mean length. Right: |error| against x = α_0/mean length, with the running median and the
    leading term log(1 + 1/x) (`termburst.models.beta_binomial.approximation_error`).

    Parameters
    ----------
    alpha, alpha_not, error_per_occurrence : one value per term
        Terms without finite positive parameters are not drawn.
    mean_length : mean document length, in tokens

    Examples
    --------
    >>> figure = approximation_error([0.01, 0.1], [100.0, 50.0], [0.5, 0.9], mean_length=80.0)
    >>> figure.axes[1].get_xlabel()
    '$x = \\\\alpha_0$ / mean document length'
    """
    a, b, error = vectors(("alpha", alpha), ("alpha_not", alpha_not), ("error_per_occurrence", error_per_occurrence))
    if not 0 < mean_length < np.inf:
        raise ValueError(f"mean_length must be a finite number above 0; got {mean_length!r}")
    error = np.abs(error)
    usable = (a > 0) & (b > 0) & (error > 0) & np.isfinite(a) & np.isfinite(b) & np.isfinite(error)
    if not usable.any():
        raise ValueError("there is nothing to draw: no term has finite parameters and a finite error other than 0")
    a, b, error = a[usable], b[usable], error[usable]
    figure = sheet(WIDTH, 4.7)
    left, right = figure.subplots(1, 2)
    _draw_map(figure, left, a, b, error, mean_length)
    _draw_prediction(figure, right, (a + b) / mean_length, error)
    return figure


def _draw_map(figure: Figure, axes: Axes, a: Floats, b: Floats, error: Floats, mean_length: float) -> None:
    from matplotlib.colors import LogNorm

    extent = log_extent(np.append(a, 0.1), np.append(b, mean_length))
    frame(axes, extent)
    axes.fill_between(
        [10 ** extent[0], 0.1], mean_length, 10 ** extent[3], facecolor="none", edgecolor="0.75", hatch="...", lw=0,
        label="where Claim 1 should hold",
    )  # fmt: skip
    hexagons = axes.hexbin(
        a, b, C=error, reduce_C_function=np.median, gridsize=40, xscale="log", yscale="log", extent=extent,
        cmap="cividis", linewidths=0.2,
    )  # fmt: skip
    # Otherwise a few hexagons of a single term would take most of the colour scale.
    low, high = np.quantile(np.asarray(hexagons.get_array()), [0.03, 0.97])
    if high < 10 * low:  # the ticks would be too close within one decade
        low, high = 10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(high) + 1e-9)
    hexagons.set_norm(LogNorm(low, high))
    axes.axvline(0.1, color=VERMILION, ls="--", lw=1.4, label=r"$\alpha_i = 0.1$")
    label = rf"$\alpha_{{\neg i}}$ = mean document length ({mean_length:.4g} tokens)"
    axes.axhline(mean_length, color=VERMILION, ls=":", lw=1.8, label=label)
    dress(axes, r"$\alpha_i$", r"$\alpha_{\neg i}$")
    label = "median |error| per occurrence\n(log-likelihood units)"
    colour_bar(figure, hexagons, axes, label, location="top", extend="both")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=SMALL, frameon=False)


def _draw_prediction(figure: Figure, axes: Axes, x: Floats, error: Floats) -> None:
    extent = log_extent(x, error)
    frame(axes, extent)
    hexagons = density(axes, x, error, extent)
    count_scale([hexagons])
    curve = np.geomspace(10 ** extent[0], 10 ** extent[1], 200)
    axes.plot(curve, np.log1p(1 / curve), color=VERMILION, ls="--", lw=1.8, label=r"prediction: $\log(1 + 1/x)$")
    middle, median = running_median(x, error)
    axes.plot(middle, median, "o-", color="black", mfc="white", ms=4, lw=1.2, label="running median")
    dress(axes, r"$x = \alpha_0$ / mean document length", "|error| per occurrence\n(log-likelihood units)")
    colour_bar(figure, hexagons, axes, "terms", location="top")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=SMALL, frameon=False)


def running_median(x: Floats, y: Floats, parts: int = 24, fewest: int = 10) -> tuple[Floats, Floats]:
    """Medians of x and of y in equal steps of log x.

    Steps with fewer than *fewest* points are left out, unless all steps have so few.

    Examples
    --------
    >>> running_median(np.array([1.0, 1.0, 100.0]), np.array([2.0, 4.0, 8.0]), parts=2)
    (array([  1., 100.]), array([3., 8.]))
    """
    edges = np.geomspace(x.min(), x.max(), parts + 1)
    step = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, parts - 1)
    sizes = np.bincount(step, minlength=parts)
    kept = np.flatnonzero(sizes >= fewest if sizes.max() >= fewest else sizes > 0)
    return np.array([np.median(x[step == k]) for k in kept]), np.array([np.median(y[step == k]) for k in kept])
