"""The model of the paper: samples at several precisions (Fig. 1), the ridge of the likelihood (Fig. 2), Claim 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from termburst.models import beta_binomial
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.plot.canvas import (
    BLUE,
    NORMAL,
    SKY,
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
    vectors,
)
from termburst.statistics.matrix import canonical_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def beta_binomial_samples(
    precisions: Sequence[float] = (0.1, 1.0, 10.0, 100.0),
    *,
    mean: float = 0.3,
    length: int = 100,
    documents: int = 500,
    seed: int = 0,
) -> Figure:
    """Draw counts of a term in documents of equal length, one panel per precision α_0 (the paper's Fig. 1).

    Each point is one document, drawn from the beta-binomial with α_i = mean · α_0. The dashed line is the expected
    count. The shaded band is ± one standard deviation, √(length · mean (1 − mean) (α_0 + length)/(α_0 + 1)). The
    histogram beside a panel counts its documents.

    Parameters
    ----------
    precisions : α_0, one value per panel
    mean : α_i/α_0, between 0 and 1
    length, documents : tokens per document, documents per panel
    seed : seed of the random numbers

    Examples
    --------
    >>> figure = beta_binomial_samples([0.1, 100.0], documents=50)
    >>> len(figure.axes)  # two panels, two histograms
    4
    """
    precisions = [float(precision) for precision in precisions]
    if not precisions or not all(0 < precision < np.inf for precision in precisions):
        raise ValueError(f"precisions must be finite numbers above 0, and at least one of them; got {precisions}")
    if not 0 < mean < 1:
        raise ValueError(f"mean must be between 0 and 1; got {mean!r}")
    for name, value in (("length", length), ("documents", documents)):
        if int(value) != value or value < 1:
            raise ValueError(f"{name} must be a whole number above 0; got {value!r}")
    columns = min(len(precisions), 2)
    rows = -(-len(precisions) // columns)
    figure = sheet(WIDTH, 0.6 + 2.7 * rows)
    grid = figure.add_gridspec(rows, 2 * columns, width_ratios=[3.6, 1] * columns)
    rng = np.random.default_rng(seed)
    for panel, precision in enumerate(precisions):
        row, column = divmod(panel, columns)
        axes = figure.add_subplot(grid[row, 2 * column])
        beside = figure.add_subplot(grid[row, 2 * column + 1], sharey=axes)
        counts = beta_binomial.sample(length, mean * precision, (1 - mean) * precision, rng, documents)
        _draw_documents(axes, counts, precision, mean, length)
        _draw_histogram(beside, counts, mean, length)
        if panel + columns >= len(precisions):  # the last of its column
            dress(axes, x="document")
            dress(beside, x="documents")
        if column == 0:
            dress(axes, y=f"count of the term\nin {length:,} tokens")
        else:
            axes.tick_params(labelleft=False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    legend(figure, handles, labels, loc="outside lower center", ncols=3)
    figure.suptitle(rf"Beta-binomial counts at $\alpha_i/\alpha_0 = {mean:g}$", fontsize=NORMAL + 1)
    return figure


def _draw_documents(axes: Axes, counts: Any, precision: float, mean: float, length: int) -> None:
    """One point per document, with the expected count and its standard deviation."""
    centre = mean * length
    spread = np.sqrt(centre * (1 - mean) * (precision + length) / (precision + 1))
    low, high = max(centre - spread, 0.0), min(centre + spread, float(length))
    axes.axhspan(low, high, color=SKY, alpha=0.25, lw=0, label="± 1 standard deviation")
    places = np.arange(1, len(counts) + 1)
    axes.plot(places, counts, "o", ms=2.6, mfc="none", mec=BLUE, mew=0.6, label="one document")
    axes.axhline(centre, color=VERMILION, ls="--", lw=1.4, label="expected count")
    margin = max(0.6, 0.03 * length)
    axes.set(xlim=(0, len(counts) + 1), ylim=(-margin, length + margin))
    axes.locator_params(axis="x", nbins=4, integer=True)
    axes.locator_params(axis="y", nbins=6, integer=True)
    dress(axes, title=rf"$\alpha_0 = {precision:g}$")


def _draw_histogram(axes: Axes, counts: Any, mean: float, length: int) -> None:
    """Documents by their count, on the vertical axis of the panel at the left."""
    edges = np.arange(0, length + 1.5, max(1, round(length / 25))) - 0.5
    edges = np.append(edges, edges[-1] + edges[1] - edges[0]) if edges[-1] < length + 0.5 else edges
    axes.hist(counts, bins=edges.tolist(), orientation="horizontal", color=SKY, edgecolor=BLUE, linewidth=0.5)
    axes.axhline(mean * length, color=VERMILION, ls="--", lw=1.4)
    axes.tick_params(labelleft=False, left=False)
    axes.locator_params(axis="x", nbins=2, integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    dress(axes)


# Each step doubles: both the ridge near the top and the slopes beside it can be seen.
DEPTHS = np.array([32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.0])


def likelihood_ridge(counts: Any, *, mu: float, sigma2: float, truth: tuple[float, float] | None = None) -> Figure:
    """Draw the approximate log-likelihood over (α_i, α_¬i), without and with the gamma penalty (the paper's Fig. 2).

    The upper row shows Claim 1 summed over documents; its ridge is the line α_i : α_¬i = b_i : n_¬i. The lower row adds
    log f(α_0) and marks the maximum of Claim 2, if it is valid. Each surface is drawn as its depth below the highest
    point shown, cut off at 32 units. The window reaches to 3 and 2 times the point of the ridge where α_¬i = μ.

    Parameters
    ----------
    counts : documents × 2 counts, of the term and of all other terms
    mu, sigma2 : mean and variance of the penalty on α_0
    truth : (α_i, α_¬i) that the counts were drawn with

    Examples
    --------
    >>> figure = likelihood_ridge([[2, 8], [0, 12], [1, 9]], mu=10.0, sigma2=4.0)
    >>> [axes.get_xlabel() for axes in figure.axes][0]
    '$\\\\alpha_i$'
    """
    table = canonical_counts(counts).toarray()
    ratio = _ridge(table)
    if truth is not None and not (len(truth) == 2 and all(0 < value < np.inf for value in truth)):
        raise ValueError(f"truth must be a pair of finite numbers above 0; got {truth!r}")
    density = named_penalty("gamma", mu, sigma2)
    best = penalized_mle(table, mu=mu, sigma2=sigma2)
    marks = [(float(best.alpha[0]), float(best.alpha_not[0]))] if best.valid[0] else []
    marks += [truth] if truth is not None else []
    x = _window(mu * ratio, 0.1, 3.0, [mark[0] for mark in marks])
    y = _window(mu, 0.2, 2.0, [mark[1] for mark in marks])
    figure = sheet(WIDTH, 7.2)
    plain = _log_likelihood(table, x, y)
    rows = (
        ("Approximate likelihood", plain),
        ("with the gamma penalty", plain + density.log_density(x[None, :] + y[:, None])),
    )
    for row, (title, surface) in enumerate(rows):
        depth = np.maximum(surface - surface.max(), -DEPTHS[0])
        flat: Any = figure.add_subplot(2, 2, 2 * row + 1)
        solid: Any = figure.add_subplot(2, 2, 2 * row + 2, projection="3d")
        _draw_contours(figure, flat, solid, x, y, depth)
        _draw_surface(solid, x, y, depth)
        dress(flat, r"$\alpha_i$", r"$\alpha_{\neg i}$", title)
        if truth is not None:
            label = rf"truth: $\alpha_i = {truth[0]:g}$, $\alpha_{{\neg i}} = {truth[1]:g}$"
            flat.plot(*truth, "P", ms=13, mfc="white", mec="black", ls="none", label=label)
        if row == 0:
            on_ridge = y[(y * ratio >= x[0]) & (y * ratio <= x[-1])]
            label = r"ridge: $\alpha_i : \alpha_{\neg i} = b_i : n_{\neg i}$"
            flat.plot(ratio * on_ridge, on_ridge, color=VERMILION, ls="--", lw=2.0, label=label)
        elif best.valid[0]:
            _draw_maximum(flat, solid, x, y, marks[0])
        flat.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        if flat.get_legend_handles_labels()[0]:
            legend(flat, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure


def _ridge(table: Any) -> float:
    """α_i/α_¬i along the ridge, b_i/n_¬i; raises an error if *table* cannot have one."""
    if table.shape[1] != 2:
        raise ValueError(
            f"counts must have two columns, the term and all other terms together; their shape is {table.shape}"
        )
    b_i, n_not = int((table[:, 0] > 0).sum()), int(table[:, 1].sum())
    if not b_i or not n_not:
        raise ValueError("both columns of counts must have a count above 0: otherwise there is no ridge")
    return b_i / n_not


def _window(centre: float, low: float, high: float, seen: list[float]) -> Floats:
    """Values around the ridge, which include all marks."""
    lowest = min([low * centre, *[0.5 * value for value in seen]])
    return np.linspace(lowest, max([high * centre, *[1.5 * value for value in seen]]), 121)


def _log_likelihood(table: Any, x: Floats, y: Floats) -> Floats:
    """Claim 1 summed over documents at each (y, x); documents with equal counts are evaluated once."""
    pairs, documents = np.unique(np.column_stack([table[:, 0], table.sum(axis=1)]), axis=0, return_counts=True)
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


def _draw_maximum(flat: Any, solid: Any, x: Floats, y: Floats, best: tuple[float, float]) -> None:
    """Mark the maximum in the plane and, if it is within the window, on the surface."""
    label = rf"maximum: $\hat\alpha_i = {best[0]:.3g}$, $\hat\alpha_{{\neg i}} = {best[1]:.4g}$"
    style: Any = {"marker": "o", "ms": 6.5, "mfc": VERMILION, "mec": "black", "ls": "none", "label": label}
    flat.plot(*best, **style)
    if x[0] <= best[0] <= x[-1] and y[0] <= best[1] <= y[-1]:
        solid.plot([best[0]], [best[1]], [0.0], zorder=10, **style)


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
