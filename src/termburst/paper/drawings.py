"""Figs 1, 2, A1 and A2 of the paper; `termburst.plot` draws the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.paper.classification import MU, SIGMA2
from termburst.plot.canvas import BLUE, NORMAL, SKY, SMALL, VERMILION, WIDTH, Floats, dress, legend, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Integers = NDArray[np.int64]


def samples(precisions: Sequence[float], mean: float, length: int, documents: int) -> Figure:
    """Fig. 1: counts of a term in documents of equal length, one panel per precision α_0, one point per document.

    They are drawn from the beta-binomial with α_i = mean · α_0. The band is ± one standard deviation,
    √(length · mean (1 − mean) (α_0 + length)/(α_0 + 1)), around the expected count.
    """
    figure, rng = sheet(WIDTH, 6.0), np.random.default_rng(0)
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    centre = mean * length
    for precision, axes in zip(precisions, panels.flat, strict=True):
        counts = rng.binomial(length, rng.beta(mean * precision, (1 - mean) * precision, documents))
        spread = np.sqrt(centre * (1 - mean) * (precision + length) / (precision + 1))
        low, high = max(centre - spread, 0.0), min(centre + spread, float(length))
        axes.axhspan(low, high, color=SKY, alpha=0.25, lw=0, label="± 1 standard deviation")
        axes.plot(counts, "o", ms=2.6, mfc="none", mec=BLUE, mew=0.6, label="one document")
        axes.axhline(centre, color=VERMILION, ls="--", lw=1.4, label="expected count")
        dress(axes, "document", f"count of the term\nin {length:,} tokens", rf"$\alpha_0 = {precision:g}$")
        axes.label_outer()
    legend(figure, *panels.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


# Each step doubles: both the ridge near the top and the slopes beside it can be seen.
DEPTHS = np.array([32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.0])


def likelihood_ridge(counts: Integers, mu: float, sigma2: float, truth: tuple[float, float]) -> Figure:
    """Fig. 2: the approximate log-likelihood over (α_i, α_¬i), without and with the gamma penalty.

    The upper row shows Claim 1 summed over documents; its ridge is the line α_i : α_¬i = b_i : n_¬i. The lower row adds
    log f(α_0) and marks the maximum of Claim 2. Each surface is drawn as its depth below the highest point shown, cut
    off at 32 units. *counts* has the columns of the term and of all other terms; *truth* is the (α_i, α_¬i) that they
    were drawn with.
    """
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm

    ratio = np.count_nonzero(counts[:, 0]) / counts[:, 1].sum()  # α_i/α_¬i along the ridge, b_i/n_¬i
    fit = penalized_mle(counts, mu=mu, sigma2=sigma2)
    best = float(fit.alpha[0]), float(fit.alpha_not[0])
    x, y = np.linspace(0.1, 3.0, 121) * mu * ratio, np.linspace(0.2, 2.0, 121) * mu
    plain = approximate_log_likelihood(counts, x[None, :], y[:, None])
    penalty = named_penalty("gamma", mu, sigma2).log_density(x[None, :] + y[:, None])
    figure = sheet(WIDTH, 7.2)
    for row, (title, surface) in enumerate(
        (("Approximate likelihood", plain), ("with the gamma penalty", plain + penalty))
    ):
        depth = np.maximum(surface - surface.max(), -DEPTHS[0])
        flat: Any = figure.add_subplot(2, 2, 2 * row + 1)
        solid: Any = figure.add_subplot(2, 2, 2 * row + 2, projection="3d")
        filled = flat.contourf(x, y, depth, levels=-DEPTHS, norm=BoundaryNorm(-DEPTHS, 256), cmap="cividis")
        flat.contour(x, y, depth, levels=-DEPTHS[1:-1], colors="black", linewidths=0.4, linestyles="solid")
        bar = figure.colorbar(filled, ax=[flat, solid], ticks=-DEPTHS, shrink=0.85, aspect=16)
        bar.set_label("log-likelihood units\nbelow the highest in view", fontsize=NORMAL)
        bar.ax.tick_params(labelsize=SMALL)
        solid.computed_zorder = False  # otherwise the surface could hide the marker of the maximum, which lies on it
        share = np.interp(depth, -DEPTHS, np.linspace(0, 1, len(DEPTHS)))  # the colours of the contours, interpolated
        solid.plot_surface(
            x[None, :], y[:, None], depth, facecolors=colormaps["cividis"](share), rcount=100,
            ccount=100, linewidth=0, antialiased=False, shade=False, rasterized=True,
        )  # fmt: skip
        solid.view_init(elev=30, azim=-125)
        solid.locator_params(nbins=4)
        for axes in (flat, solid):
            dress(axes, r"$\alpha_i$", r"$\alpha_{\neg i}$")
        dress(flat, title=title)
        flat.plot(*truth, "P", ms=13, mfc="white", mec="black", ls="none", label="truth")
        if row == 0:
            label = r"ridge: $\alpha_i : \alpha_{\neg i} = b_i : n_{\neg i}$"
            flat.plot(ratio * y, y, color=VERMILION, ls="--", lw=2.0, label=label)
        else:
            label = rf"maximum: $\hat\alpha_i = {best[0]:.3g}$, $\hat\alpha_{{\neg i}} = {best[1]:.4g}$"
            style: Any = {"marker": "o", "ms": 6.5, "mfc": VERMILION, "mec": "black", "ls": "none", "label": label}
            flat.plot(*best, **style)
            solid.plot([best[0]], [best[1]], [0.0], zorder=10, **style)
        legend(flat, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure


def approximate_log_likelihood(counts: Integers, alpha: Floats, alpha_not: Floats) -> Floats:
    """Claim 1 summed over the documents at every (α_i, α_¬i); documents with equal counts are evaluated once."""
    pairs, documents = np.unique(np.column_stack([counts[:, 0], counts.sum(axis=1)]), axis=0, return_counts=True)
    parts = [
        times * approximate_log_pmf(n_ij, n_j, alpha, alpha_not)
        for (n_ij, n_j), times in zip(pairs, documents, strict=True)
    ]
    return np.sum(parts, axis=0)


def accuracy_grids(grids: Mapping[str, Floats]) -> Figure:
    """Figs A1 and A2: two heat maps of accuracy over `MU` × `SIGMA2`, titled, on one colour scale.

    The highest value of each grid is outlined; if several are equal, all of them are.
    """
    from matplotlib.patches import Rectangle

    low, high = min(grid.min() for grid in grids.values()), max(grid.max() for grid in grids.values())
    figure = sheet(8.03, 3.56)
    panes = figure.subplots(1, 2, sharex=True, sharey=True)
    best: Any = {"fill": False, "ec": VERMILION, "lw": 2.2, "label": "highest of its grid"}
    for axes, (title, grid) in zip(panes, grids.items(), strict=True):
        image = axes.imshow(grid, cmap="viridis", vmin=low, vmax=high, aspect="auto")
        for (row, column), value in np.ndenumerate(grid):  # black on colours with a luminance above 0.18
            colour = "black" if value > low + 0.434 * (high - low) else "white"
            axes.text(column, row, f"{value:.4f}", ha="center", va="center", fontsize=SMALL, color=colour)
        for row, column in np.argwhere(grid == grid.max()):
            axes.add_patch(Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, **best))
        dress(axes, r"$\sigma^2$", title=title)
        axes.set_xticks(range(len(SIGMA2)), [f"{value:g}" for value in SIGMA2])
        axes.set_yticks(range(len(MU)), [f"{value:g}" for value in MU])
        axes.tick_params(length=0)
    dress(panes[0], y=r"$\mu$ (tokens)")
    bar = figure.colorbar(image, ax=panes.tolist(), fraction=0.04, pad=0.015, aspect=28, format="{x:.4f}")
    bar.set_label("accuracy", fontsize=NORMAL)
    bar.ax.tick_params(labelsize=SMALL)
    legend(figure, handles=[Rectangle((0, 0), 1, 1, **best)], loc="outside lower center")
    return figure
