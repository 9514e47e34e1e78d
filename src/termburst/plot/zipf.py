"""The frequency of every term against its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.plot.canvas import BLUE, VERMILION, WIDTH, dress, legend_below, sheet
from termburst.statistics.term_statistics import as_statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 1000  # points; more would overlap


def zipf(X_or_statistics: Any) -> Figure:
    """Draw n_i against rank on logarithmic axes, with the line of Zipf's law, n_(r) = n_(1)/r.

    For a large vocabulary every term up to some rank is drawn, then terms at even steps of log rank. The legend has the
    share of terms that occur once (hapax legomena) and the number of terms that never occur, which have no point.

    Parameters
    ----------
    X_or_statistics : TermStatistics, `Corpus`, or count matrix

    Examples
    --------
    >>> figure = zipf([[4, 1, 20, 0], [0, 0, 24, 0]])
    >>> figure.axes[0].lines[0].get_xydata().tolist()
    [[1.0, 44.0], [2.0, 4.0], [3.0, 1.0]]
    """
    statistics = as_statistics(X_or_statistics, "frequencies")
    n_i = np.sort(statistics.collection_frequency)[::-1]
    never = int((n_i == 0).sum())
    n_i = n_i[: n_i.size - never]
    if not n_i.size:
        raise ValueError("there is nothing to draw: no term occurs")
    rank = np.unique(np.geomspace(1, n_i.size, MOST).round().astype(np.int64)) if n_i.size > MOST else None
    rank = np.arange(1, n_i.size + 1) if rank is None else rank
    figure = sheet(WIDTH, 4.2)
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log")
    axes.plot(rank, n_i[rank - 1], "o", ms=3.2, mfc="none", mec=BLUE, mew=0.8, label=f"{n_i.size:,} terms")
    ends = np.array([1.0, max(n_i.size, 2)])
    axes.plot(ends, n_i[0] / ends, color=VERMILION, ls="--", lw=1.3, label="Zipf's law, $n_{(1)}$/rank")
    once = float((n_i == 1).mean())
    axes.plot([], [], ls="none", label=f"{100 * once:.1f} % of terms occur once")
    if never:
        axes.plot([], [], ls="none", label=f"not drawn: {never:,} without an occurrence")
    axes.set_ylim(0.7, 1.6 * float(n_i[0]))
    axes.set_xlim(0.8, 1.4 * max(n_i.size, 2))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
        axis.set_minor_formatter("")
    axes.grid(visible=True, color="0.9", lw=0.6)
    axes.set_axisbelow(True)
    dress(axes, "rank of the term", "occurrences $n_i$")
    legend_below(figure)
    return figure
