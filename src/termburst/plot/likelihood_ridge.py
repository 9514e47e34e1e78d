"""The ridge of the approximate likelihood, and the penalty that gives it a maximum, as in Fig. 2 of the paper."""

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

# Each step doubles: both the ridge near the top and the slopes beside it can be seen.
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
    """Draw the approximate log-likelihood over (α_i, α_¬i), without and with the gamma penalty (the paper's Fig. 2).

    The upper row shows Claim 1 summed over documents; its ridge is the line α_i : α_¬i = b_i : n_¬i. The lower row adds
    log f(α_0) and marks the maximum of Claim 2, if it is valid. Each surface is drawn as its depth below the highest
    point shown, cut off at 32 units.

    Parameters
    ----------
    counts : documents × 2 counts, of the term and of all other terms
    mu, sigma2 : mean and variance of the penalty on α_0
    alpha, alpha_not : values of the grid. The default reaches to 3 and 2 times the point of the ridge where α_¬i = μ.
        An axis is logarithmic if its values are spaced logarithmically.
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
        if truth is not None:
            _draw_truth(flat, truth)
        if row == 0:
            _draw_ridge(flat, x, y, ratio)
        elif best.valid[0]:
            _draw_maximum(flat, solid, x, y, marks[0])
        _finish(flat, x, y)
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


def _finish(flat: Any, x: Floats, y: Floats) -> None:
    """Scales, limits and legend of the contours."""
    flat.set(xscale=_scale(x), yscale=_scale(y), xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    if flat.get_legend_handles_labels()[0]:
        flat.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=SMALL, frameon=False)


def _window(name: str, given: ArrayLike | None, centre: float, low: float, high: float, seen: list[float]) -> Floats:
    if given is None:
        lowest = min([low * centre, *[0.5 * value for value in seen]])
        highest = max([high * centre, *[1.5 * value for value in seen]])
        return np.linspace(lowest, highest, 121)
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or not np.all(np.isfinite(values) & (values > 0)):
        raise ValueError(f"{name} must have two or more values, all finite and above 0")
    if not np.all(np.diff(values) > 0):
        raise ValueError(f"{name} must be increasing")
    return values


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


def _draw_truth(flat: Any, truth: tuple[float, float]) -> None:
    label = rf"truth: $\alpha_i = {truth[0]:g}$, $\alpha_{{\neg i}} = {truth[1]:g}$"
    flat.plot(*truth, "P", ms=13, mfc="white", mec="black", ls="none", label=label)


def _draw_ridge(flat: Any, x: Floats, y: Floats, ratio: float) -> None:
    on_ridge = y[(y * ratio >= x[0]) & (y * ratio <= x[-1])]
    label = r"ridge: $\alpha_i : \alpha_{\neg i} = b_i : n_{\neg i}$"
    flat.plot(ratio * on_ridge, on_ridge, color=VERMILION, ls="--", lw=2.0, label=label)


def _draw_maximum(flat: Any, solid: Any, x: Floats, y: Floats, best: tuple[float, float]) -> None:
    """Mark the maximum in the plane and, if it is within the window, on the surface."""
    label = rf"maximum: $\hat\alpha_i = {best[0]:.3g}$, $\hat\alpha_{{\neg i}} = {best[1]:.4g}$"
    style: Any = {"marker": "o", "ms": 6.5, "mfc": VERMILION, "mec": "black", "ls": "none", "label": label}
    flat.plot(*best, **style)
    if x[0] <= best[0] <= x[-1] and y[0] <= best[1] <= y[-1]:
        solid.plot(_along(x, best[0]), _along(y, best[1]), [0.0], zorder=10, **style)


def _draw_surface(axes: Any, x: Floats, y: Floats, depth: Floats) -> None:
    from matplotlib import colormaps

    axes.computed_zorder = False  # otherwise the surface could hide the marker of the maximum, which lies on it
    share = np.interp(depth, -DEPTHS, np.linspace(0, 1, len(DEPTHS)))  # the colours of the contours, interpolated
    axes.plot_surface(
        _along(x, x)[None, :], _along(y, y)[:, None], depth, facecolors=colormaps["cividis"](share), rcount=100,
        ccount=100, linewidth=0, antialiased=False, shade=False, rasterized=True,
    )  # fmt: skip
    axes.set_zlabel("log-likelihood units", fontsize=NORMAL)
    axes.set_zlim(-DEPTHS[0], 0)
    axes.view_init(elev=30, azim=-125)
    axes.locator_params(nbins=4)
    dress(axes, _solid_label(x, r"\alpha_i"), _solid_label(y, r"\alpha_{\neg i}"))


def _scale(values: Floats) -> str:
    """The scale on which the values are evenly spaced."""
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return "log" if np.allclose(ratios, ratios[0]) and not np.allclose(steps, steps[0]) else "linear"


def _along(axis: Floats, value: ArrayLike) -> Floats:
    """The coordinate of a value on a 3D axis; Matplotlib's 3D axes have no logarithmic scale."""
    place = np.atleast_1d(np.asarray(value, dtype=np.float64))
    return np.log10(place) if _scale(axis) == "log" else place


def _solid_label(axis: Floats, symbol: str) -> str:
    return rf"$\log_{{10}}\,{symbol}$" if _scale(axis) == "log" else f"${symbol}$"
