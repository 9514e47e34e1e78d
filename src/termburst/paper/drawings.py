"""The figures of the paper and of the sections beyond it, except those of fits and those that `termburst.plot` has."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.paper.beyond import spearman
from termburst.paper.classification import MU, SIGMA2
from termburst.plot.canvas import (
    BLUE,
    GREEN,
    NORMAL,
    ORANGE,
    PURPLE,
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
    sheet,
)
from termburst.plot.terms import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Integers = NDArray[np.int64]

# Each step doubles: both the ridge near the top and the slopes beside it can be seen.
DEPTHS = np.array([32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.0])


def likelihood_ridge(counts: Integers, mu: float, sigma2: float, truth: tuple[float, float]) -> Figure:
    """Fig. 2: the approximate log-likelihood over (α_i, α_¬i), without and with the gamma penalty.

    The upper row shows Claim 1 summed over documents; its ridge is the line α_i : α_¬i = b_i : n_¬i. The lower row adds
    log f(α_0) and marks the maximum of Claim 2. Each surface is drawn as its depth below the highest point shown, cut
    off at 32 units. The window reaches to 3 and 2 times the point of the ridge where α_¬i = μ. *counts* has the columns
    of the term and of all other terms; *truth* is the (α_i, α_¬i) that they were drawn with.
    """
    ratio = np.count_nonzero(counts[:, 0]) / counts[:, 1].sum()  # α_i/α_¬i along the ridge, b_i/n_¬i
    penalty = named_penalty("gamma", mu, sigma2)
    fit = penalized_mle(counts, mu=mu, sigma2=sigma2)
    best = float(fit.alpha[0]), float(fit.alpha_not[0])
    x = _window(mu * ratio, 0.1, 3.0, [best[0], truth[0]])
    y = _window(mu, 0.2, 2.0, [best[1], truth[1]])
    figure = sheet(WIDTH, 7.2)
    plain = _log_likelihood(counts, x, y)
    rows = (
        ("Approximate likelihood", plain),
        ("with the gamma penalty", plain + penalty.log_density(x[None, :] + y[:, None])),
    )
    for row, (title, surface) in enumerate(rows):
        depth = np.maximum(surface - surface.max(), -DEPTHS[0])
        flat: Any = figure.add_subplot(2, 2, 2 * row + 1)
        solid: Any = figure.add_subplot(2, 2, 2 * row + 2, projection="3d")
        _draw_contours(figure, flat, solid, x, y, depth)
        _draw_surface(solid, x, y, depth)
        dress(flat, r"$\alpha_i$", r"$\alpha_{\neg i}$", title)
        label = rf"truth: $\alpha_i = {truth[0]:g}$, $\alpha_{{\neg i}} = {truth[1]:g}$"
        flat.plot(*truth, "P", ms=13, mfc="white", mec="black", ls="none", label=label)
        if row == 0:
            on_ridge = y[(y * ratio >= x[0]) & (y * ratio <= x[-1])]
            label = r"ridge: $\alpha_i : \alpha_{\neg i} = b_i : n_{\neg i}$"
            flat.plot(ratio * on_ridge, on_ridge, color=VERMILION, ls="--", lw=2.0, label=label)
        else:
            label = rf"maximum: $\hat\alpha_i = {best[0]:.3g}$, $\hat\alpha_{{\neg i}} = {best[1]:.4g}$"
            style: Any = {"marker": "o", "ms": 6.5, "mfc": VERMILION, "mec": "black", "ls": "none", "label": label}
            flat.plot(*best, **style)
            solid.plot([best[0]], [best[1]], [0.0], zorder=10, **style)
        flat.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        legend(flat, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure


def _window(centre: float, low: float, high: float, seen: list[float]) -> Floats:
    """Values around the ridge, which include all marks."""
    lowest = min([low * centre, *[0.5 * value for value in seen]])
    return np.linspace(lowest, max([high * centre, *[1.5 * value for value in seen]]), 121)


def _log_likelihood(counts: Integers, x: Floats, y: Floats) -> Floats:
    """Claim 1 summed over documents at each (y, x); documents with equal counts are evaluated once."""
    pairs, documents = np.unique(np.column_stack([counts[:, 0], counts.sum(axis=1)]), axis=0, return_counts=True)
    total = np.zeros((len(y), len(x)))
    for (n_ij, n_j), times in zip(pairs, documents, strict=True):
        total += times * approximate_log_pmf(n_ij, n_j, x[None, :], y[:, None])
    return total


def _draw_contours(figure: Figure, axes: Any, beside: Any, x: Floats, y: Floats, depth: Floats) -> None:
    from matplotlib.colors import BoundaryNorm

    filled = axes.contourf(x, y, depth, levels=-DEPTHS, norm=BoundaryNorm(-DEPTHS, 256), cmap="cividis")
    axes.contour(x, y, depth, levels=-DEPTHS[1:-1], colors="black", linewidths=0.4, linestyles="solid")
    label = "log-likelihood units\nbelow the highest in view"
    bar = colour_bar(figure, filled, [axes, beside], label, ticks=-DEPTHS, shrink=0.85, aspect=16)
    bar.ax.set_yticklabels(["≤ −32", *[f"−{depth:g}" for depth in DEPTHS[1:-1]], "0"])


def _draw_surface(axes: Any, x: Floats, y: Floats, depth: Floats) -> None:
    from matplotlib import colormaps

    axes.computed_zorder = False  # otherwise the surface could hide the marker of the maximum, which lies on it
    share = np.interp(depth, -DEPTHS, np.linspace(0, 1, len(DEPTHS)))  # the colours of the contours, interpolated
    axes.plot_surface(
        x[None, :], y[:, None], depth, facecolors=colormaps["cividis"](share), rcount=100,
        ccount=100, linewidth=0, antialiased=False, shade=False, rasterized=True,
    )  # fmt: skip
    axes.set_zlabel("log-likelihood units", fontsize=NORMAL)
    axes.set_zlim(-DEPTHS[0], 0)
    axes.view_init(elev=30, azim=-125)
    axes.locator_params(nbins=4)
    dress(axes, r"$\alpha_i$", r"$\alpha_{\neg i}$")


def accuracy_grids(grids: Mapping[str, Floats]) -> Figure:
    """Figs A1 and A2: two heat maps of accuracy over `MU` × `SIGMA2`, titled, on one colour scale.

    The highest value of each grid is outlined; if several are equal, all of them are.
    """
    low, high = min(grid.min() for grid in grids.values()), max(grid.max() for grid in grids.values())
    figure = sheet(8.03, 3.56)
    panes = figure.subplots(1, 2, sharex=True, sharey=True)
    image: Any = None
    for axes, (title, grid) in zip(panes, grids.items(), strict=True):
        image = axes.imshow(grid, cmap="viridis", vmin=low, vmax=high, aspect="auto")
        for (row, column), value in np.ndenumerate(grid):
            colour = "white" if _luminance(image.cmap(image.norm(value))) < 0.18 else "black"
            axes.text(column, row, f"{value:.4f}", ha="center", va="center", fontsize=SMALL, color=colour)
        for row, column in np.argwhere(grid == grid.max()):
            axes.add_patch(_outline(column - 0.47, row - 0.46))
        dress(axes, r"$\sigma^2$", title=title)
        axes.set_xticks(range(len(SIGMA2)), [f"{value:g}" for value in SIGMA2])
        axes.set_yticks(range(len(MU)), [f"{value:g}" for value in MU])
        axes.tick_params(length=0)
    dress(panes[0], y=r"$\mu$ (tokens)")
    bar = colour_bar(figure, image, panes.tolist(), "accuracy", fraction=0.04, pad=0.015, aspect=28)
    bar.ax.yaxis.set_major_formatter("{x:.4f}")
    legend(figure, handles=[_outline()], loc="outside lower center", ncols=2)
    return figure


def _luminance(rgba: tuple[float, float, float, float]) -> float:
    """Relative luminance, from 0 for black to 1 for white (WCAG)."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _outline(left: float = 0.0, lower: float = 0.0) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((left, lower), 0.94, 0.92, fill=False, ec=VERMILION, lw=2.2, label="highest of its grid")


def approximation_error(alpha: Floats, alpha_not: Floats, error: Floats, mean_length: float) -> Figure:
    """The error of Claim 1, in log-likelihood units per occurrence of the term, over the fitted parameters.

    Left: the median |error| of the terms in each hexagon of (α_i, α_¬i). Claim 1 assumes the upper left corner, α_i <
    0.1 and α_¬i above the mean length. Right: |error| against x = α_0/mean length, with the running median and the
    leading term log(1 + 1/x).
    """
    drawn = error != 0  # the axis is logarithmic
    alpha, alpha_not, error = alpha[drawn], alpha_not[drawn], np.abs(error[drawn])
    figure = sheet(WIDTH, 4.7)
    left, right = figure.subplots(1, 2)
    _draw_map(figure, left, alpha, alpha_not, error, mean_length)
    _draw_prediction(figure, right, (alpha + alpha_not) / mean_length, error)
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
    legend(axes, loc="upper center", bbox_to_anchor=(0.5, -0.16))


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
    legend(axes, loc="upper center", bbox_to_anchor=(0.5, -0.16))


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


BANDS = ((2, 2), (3, 4), (5, 9), (10, 19), (20, 99), (100, 999), (1000, None))  # occurrences
FEWEST = 10  # terms; with fewer a correlation is not shown


def ranking_agreement(scores: Mapping[str, Floats], n_i: Integers, labels: Mapping[str, int]) -> Figure:
    """How far several scores rank the terms alike.

    Left: terms per hexagon of the ranks by the first and by the last score, with the terms in *labels*, name → column.
    Right: Spearman's correlation of each two scores among terms with equally many occurrences.
    """
    figure = sheet(WIDTH, 4.4)
    left, right = figure.subplots(1, 2)
    names = list(scores)
    first, last = (rankdata(-scores[name]) for name in (names[0], names[-1]))
    _draw_ranks(figure, left, first, last, (names[0], names[-1]))
    _draw_correlations(right, scores, n_i)
    legend(figure, *right.get_legend_handles_labels(), loc="outside lower right", ncols=2)
    named = list(labels.values())
    left.plot(first[named], last[named], "o", ms=5, mfc=VERMILION, mec="white", mew=0.8, ls="none", zorder=5)
    label_points(figure, left, first[named], last[named], list(labels), np.column_stack([first, last]))
    return figure


def _draw_ranks(figure: Figure, axes: Axes, x: Floats, y: Floats, names: tuple[str, str]) -> None:
    end = float(np.log10(max(len(x), 10)))
    extent = (-0.05 * end, 1.03 * end, -0.05 * end, 1.03 * end)
    frame(axes, extent)
    hexagons = density(axes, x, y, extent)
    count_scale([hexagons])
    axes.plot([1, len(x)], [1, len(x)], color=VERMILION, ls="--", lw=1.1)
    dress(axes, f"rank by {names[0]}", f"rank by {names[1]}")
    colour_bar(figure, hexagons, axes, "terms", location="top")


def _draw_correlations(axes: Axes, scores: Mapping[str, Floats], n_i: Integers) -> None:
    bands = []
    for low, high in BANDS:
        inside = (n_i >= low) & (n_i <= (np.inf if high is None else high))
        if inside.sum() >= FEWEST:
            title = f"≥ {low}" if high is None else f"{low}" if low == high else f"{low}–{high}"
            bands.append((title, inside))
    styles = zip(
        (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY), "osD^vP", ("-", "--", ":", "-.", "-", "--"), strict=True
    )
    pairs = combinations(scores, 2)
    for pair, ((first, second), (colour, marker, line)) in enumerate(zip(pairs, cycle(styles), strict=False)):
        correlation = [spearman(scores[first][inside], scores[second][inside]) for _, inside in bands]
        label = f"{first} – {second}"
        axes.plot(
            correlation, marker=marker, ls=line, color=colour, ms=8 - 1.5 * (pair % 3), mfc="none", mew=1.4, label=label
        )
    axes.set_xticks(range(len(bands)), [title for title, _ in bands], rotation=30, ha="right", rotation_mode="anchor")
    axes.grid(visible=True, axis="y", color="0.9", lw=0.6)
    axes.margins(y=0.12)
    dress(axes, r"occurrences $n_i$", "Spearman correlation")
