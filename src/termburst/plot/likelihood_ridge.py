"""Figure 2 of the paper: the ridge of the approximate likelihood, and the penalty that breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.plot.canvas import NORMAL, SMALL, VERMILION, WIDTH, Floats, colour_bar, dress, sheet
from termburst.statistics.matrix import canonical_counts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Doubling steps: near the top the ridge shows, and yet the flanks have shape.
DEPTHS = np.array([32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.0])


def likelihood_ridge(
    counts: Any,
    *,
    mu: float,
    sigma2: float,
    alpha: ArrayLike | None = None,
    alpha_not: ArrayLike | None = None,
    truth: tuple[float, float] | None = None,
) -> Figure:
    """The approximate log-likelihood over (α_i, α_¬i), without and with the gamma penalty (the paper's Fig. 2).

    The upper row shows the sum of Claim 1 over documents, whose ridge is the ray α_i : α_¬i = b_i : n_¬i; the lower
    one adds log f(α_0) and marks the maximum of Claim 2, if it is valid. Each surface is shown as its depth below its
    highest point in view, and cut off at 32 units.

    Parameters
    ----------
    counts : documents × 2 counts, of the term and of all others
    mu, sigma2 : mean and variance of the penalty on α_0
    alpha, alpha_not : the grid's values; by default up to 3 and 2 times where the ridge has α_¬i = μ. An axis is
        logarithmic if its values are spaced that way
    truth : (α_i, α_¬i) that the counts were drawn with

    Examples
    --------
    >>> figure = likelihood_ridge([[2, 8], [0, 12], [1, 9]], mu=10.0, sigma2=4.0)
    >>> [axes.get_xlabel() for axes in figure.axes][0]
    '$\\\\alpha_i$'
    """
    table = canonical_counts(counts).toarray()
    if table.shape[1] != 2:
        raise ValueError(f"counts must have two columns, the term's and all others'; their shape is {table.shape}")
    b_i, n_not = int((table[:, 0] > 0).sum()), int(table[:, 1].sum())
    if not b_i or not n_not:
        raise ValueError("both columns of counts need an occurrence: there is no ridge without")
    if truth is not None and not (len(truth) == 2 and all(0 < value < np.inf for value in truth)):
        raise ValueError(f"truth must be a pair of finite numbers above 0; got {truth!r}")
    density = named_penalty("gamma", mu, sigma2)
    best = penalized_mle(table, mu=mu, sigma2=sigma2)
    ratio = b_i / n_not
    marks = [(float(best.alpha[0]), float(best.alpha_not[0]))] if best.valid[0] else []
    marks += [truth] if truth is not None else []
    x = _window("alpha", alpha, mu * ratio, 0.1, 3.0, [mark[0] for mark in marks])
    y = _window("alpha_not", alpha_not, mu, 0.2, 2.0, [mark[1] for mark in marks])
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
        dress(solid, _solid_label(x, r"\alpha_i"), _solid_label(y, r"\alpha_{\neg i}"))
        if truth is not None:
            label = rf"truth: $\alpha_i = {truth[0]:g}$, $\alpha_{{\neg i}} = {truth[1]:g}$"
            flat.plot(*truth, "P", ms=13, mfc="white", mec="black", ls="none", label=label)
        if row == 0:
            on_ridge = y[(y * ratio >= x[0]) & (y * ratio <= x[-1])]
            label = r"ridge: $\alpha_i : \alpha_{\neg i} = b_i : n_{\neg i}$"
            flat.plot(ratio * on_ridge, on_ridge, color=VERMILION, ls="--", lw=2.0, label=label)
        elif best.valid[0]:
            label = rf"maximum: $\hat\alpha_i = {best.alpha[0]:.3g}$, $\hat\alpha_{{\neg i}} = {best.alpha_not[0]:.4g}$"
            style: Any = {"marker": "o", "ms": 6.5, "mfc": VERMILION, "mec": "black", "ls": "none", "label": label}
            flat.plot(*marks[0], **style)
            if x[0] <= marks[0][0] <= x[-1] and y[0] <= marks[0][1] <= y[-1]:
                solid.plot(_along(x, marks[0][0]), _along(y, marks[0][1]), [0.0], zorder=10, **style)
        flat.set(xscale=_scale(x), yscale=_scale(y), xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        if flat.get_legend_handles_labels()[0]:
            flat.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=SMALL, frameon=False)
    return figure


def _window(name: str, given: ArrayLike | None, centre: float, low: float, high: float, seen: list[float]) -> Floats:
    if given is None:
        lowest = min([low * centre, *[0.5 * value for value in seen]])
        highest = max([high * centre, *[1.5 * value for value in seen]])
        return np.linspace(lowest, highest, 121)
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or not np.all(np.isfinite(values) & (values > 0)):
        raise ValueError(f"{name} must hold two or more finite numbers above 0")
    if not np.all(np.diff(values) > 0):
        raise ValueError(f"{name} must be increasing")
    return values


def _log_likelihood(table: Any, x: Floats, y: Floats) -> Floats:
    """Σ_j of Claim 1 at each (y, x), documents that are alike evaluated once."""
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


def _draw_surface(axes: Any, x: Floats, y: Floats, depth: Floats) -> None:
    from matplotlib import colormaps

    axes.computed_zorder = False  # else the marker of the maximum, on the surface, could be behind it
    share = np.interp(depth, -DEPTHS, np.linspace(0, 1, len(DEPTHS)))  # the steps of the contours, made smooth
    axes.plot_surface(
        _along(x, x)[None, :], _along(y, y)[:, None], depth, facecolors=colormaps["cividis"](share), rcount=100,
        ccount=100, linewidth=0, antialiased=False, shade=False, rasterized=True,
    )  # fmt: skip
    axes.set_zlabel("log-likelihood units", fontsize=NORMAL)
    axes.set_zlim(-DEPTHS[0], 0)
    axes.view_init(elev=30, azim=-125)
    axes.locator_params(nbins=4)


def _scale(values: Floats) -> str:
    """The scale on which the values are evenly spaced."""
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return "log" if np.allclose(ratios, ratios[0]) and not np.allclose(steps, steps[0]) else "linear"


def _along(axis: Floats, value: ArrayLike) -> Floats:
    """The value's place along an axis in space, which has no logarithmic scale of its own."""
    place = np.atleast_1d(np.asarray(value, dtype=np.float64))
    return np.log10(place) if _scale(axis) == "log" else place


def _solid_label(axis: Floats, symbol: str) -> str:
    return rf"$\log_{{10}}\,{symbol}$" if _scale(axis) == "log" else f"${symbol}$"
