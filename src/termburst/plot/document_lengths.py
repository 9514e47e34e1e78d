"""How long the documents of a collection are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.plot.canvas import BLUE, SKY, VERMILION, WIDTH, Floats, dress, legend_below, sheet
from termburst.statistics.term_statistics import as_statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 50
SKEWED = 10.0  # the axis is logarithmic if the longest document exceeds this multiple of the median


def document_lengths(X_or_statistics: Any) -> Figure:
    """Draw a histogram of document lengths n_j, in tokens, with their mean n/d and their median.

    The axis is logarithmic if the longest document is more than ten times as long as the median. Mean and median
    include empty documents. Length 0 has no logarithm: on a logarithmic axis the legend has their number instead.

    Parameters
    ----------
    X_or_statistics : TermStatistics, `Corpus`, or count matrix

    Examples
    --------
    >>> figure = document_lengths([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]])
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['mean: 24.2', 'median: 24.5']
    """
    statistics = as_statistics(X_or_statistics, "frequencies")
    lengths, documents = statistics.lengths, statistics.length_documents
    held = documents > 0  # after a subtraction some lengths may have no document
    lengths, documents = lengths[held], documents[held]
    if not documents.size:
        raise ValueError("there is nothing to draw: the statistics contain no documents")
    middle = _median(lengths, documents)
    logarithmic = bool(lengths[-1] > SKEWED * max(middle, 1.0))
    drawn = lengths > 0 if logarithmic else lengths >= 0
    edges = _edges(int(lengths[drawn][0]), int(lengths[-1]), logarithmic)
    figure = sheet(WIDTH, 3.6)
    axes = figure.subplots()
    heights, _ = np.histogram(lengths[drawn], edges, weights=documents[drawn])
    axes.bar(
        edges[:-1], heights, width=np.diff(edges), align="edge", color=SKY, edgecolor="white", linewidth=0.4,
        label=f"{statistics.documents:,} documents",
    )  # fmt: skip
    axes.axvline(statistics.mean_length, color=VERMILION, ls="--", lw=1.5, label=f"mean: {statistics.mean_length:,.1f}")
    axes.axvline(middle, color=BLUE, ls=":", lw=2.0, label=f"median: {middle:,.1f}")
    if not logarithmic:
        axes.locator_params(axis="x", integer=True, min_n_ticks=1)
    else:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter("")
        if lengths[0] == 0:
            axes.plot([], [], ls="none", label=f"not drawn: {documents[0]:,} empty")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="y", nbins=6, integer=True, min_n_ticks=1)
    axes.spines[["top", "right"]].set_visible(False)
    dress(axes, "document length $n_j$ (tokens)", "documents")
    legend_below(figure)
    return figure


def _median(lengths: Any, documents: Any) -> float:
    """The median length over all documents; *lengths* are in ascending order."""
    upto, total = np.cumsum(documents), int(documents.sum())
    low, high = (int(lengths[np.searchsorted(upto, place, side="right")]) for place in ((total - 1) // 2, total // 2))
    return (low + high) / 2


def _edges(shortest: int, longest: int, logarithmic: bool) -> Floats:
    """Edges half-way between whole numbers: each bar covers equally many lengths, or equal steps of log length."""
    if logarithmic:
        ends: Floats = np.floor(np.geomspace(shortest, longest + 1, BINS + 1))[:-1].astype(np.float64)
        return np.unique(np.append(ends, longest + 1.0)) - 0.5
    step = max(1, -(-(longest + 1 - shortest) // BINS))
    return np.arange(shortest, longest + 1 + step, step).astype(np.float64) - 0.5
