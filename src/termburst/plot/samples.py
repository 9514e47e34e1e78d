"""Samples of the model at several precisions, as in Fig. 1 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.plot.canvas import BLUE, NORMAL, SKY, VERMILION, WIDTH, dress, legend, sheet

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
        counts = rng.binomial(length, rng.beta(mean * precision, (1 - mean) * precision, documents))
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
