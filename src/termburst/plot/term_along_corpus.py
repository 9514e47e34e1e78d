"""The counts of a term along the corpus: where it bursts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import checked_whole
from termburst.plot.canvas import BLUE, NORMAL, VERMILION, WIDTH, Floats, dress, legend_below, sheet
from termburst.plot.labels import label_points
from termburst.plot.terms import families, heading, named_counts, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Counts = NDArray[np.int64]
BARS = 700  # as many as can be seen side by side in 8 inches


def term_along_corpus(
    X: Any,
    term: str | int,
    *,
    terms: Sequence[str] | NDArray[Any] | None = None,
    documents: Sequence[str] | None = None,
    label: int = 3,
) -> Figure:
    """Draw n_ij, the count of a term in each document, in the order of the corpus.

    With more than 700 documents one bar stands for several neighbouring documents and shows the highest of their
    counts. The dashed line is n_i/d, the count per document if the term were spread evenly.

    Parameters
    ----------
    X : count matrix, documents × terms; or a `Corpus`, which knows its terms
    term : name of the term, or number of its column
    terms : column names; needed to find a term by name
    documents : names of the documents; those with the highest counts are labelled
    label : number of documents to label, if *documents* are given

    Examples
    --------
    >>> X = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [1, 1, 23]]
    >>> figure = term_along_corpus(X, "ha", terms=["ha", "no", "so"])
    >>> [(round(bar.get_x() + bar.get_width() / 2), int(bar.get_height())) for bar in figure.axes[0].patches]
    [(1, 4), (4, 1)]
    """
    counts, statistics = named_counts(X, terms)
    column = statistics.index(term)
    n_ij = column_counts(counts, column)
    if documents is not None and len(documents) != n_ij.size:
        raise ValueError(
            f"documents must have one name for each of the {n_ij.size:,} documents; got {len(documents):,}"
        )
    label = checked_whole("label", label)
    figure = sheet(WIDTH, 3.2)
    axes = figure.subplots()
    draw(axes, n_ij)
    legend_below(figure)
    axes.set_title(heading(statistics, column), fontsize=NORMAL, parse_math=False, fontfamily=families())
    if documents is not None and label:
        most = np.argsort(-n_ij, kind="stable")[:label]
        most = most[n_ij[most] > 0]
        names = [written(documents[place]) for place in most]
        if names:
            places, heights = (most + 1).astype(np.float64), n_ij[most].astype(np.float64)
            label_points(figure, axes, places, heights, names, _along_bars(n_ij))
    return figure


def column_counts(counts: Any, column: int) -> Counts:
    """n_ij of one term in all documents, from canonical counts."""
    cells = np.flatnonzero(counts.indices == column)
    n_ij: Counts = np.zeros(counts.shape[0], dtype=np.int64)
    n_ij[np.searchsorted(counts.indptr, cells, side="right") - 1] = counts.data[cells]
    return n_ij


def _along_bars(n_ij: Counts) -> Floats:
    """Points that cover the bars, so that labels can avoid them."""
    starts, highest, width = _bars(n_ij, BARS)
    share = np.linspace(0.0, 1.0, 40)
    return np.column_stack([np.repeat(starts + 0.5 + width / 2, share.size), np.outer(highest, share).ravel()])


def _bars(n_ij: Counts, bars: int) -> tuple[Counts, Counts, int]:
    """First document and height of each bar above 0, and the number of documents per bar."""
    width = -(-n_ij.size // bars)
    starts = np.arange(0, n_ij.size, width)
    highest = np.maximum.reduceat(n_ij, starts)
    return starts[highest > 0], highest[highest > 0], width


def draw(axes: Axes, n_ij: Counts, bars: int = BARS) -> None:
    """One bar per document with the term, or per group of neighbouring documents."""
    d = n_ij.size
    starts, highest, width = _bars(n_ij, bars)
    few = d <= 100
    # Narrow bars have an outline, since a single bar could be too thin to see, and no gaps, which would flicker.
    axes.bar(
        starts + 0.5 + width / 2, highest, width=0.8 * width if few else width, color=BLUE, edgecolor=BLUE,
        linewidth=0.0 if few else 0.5,
    )  # fmt: skip
    even = float(n_ij.mean())
    axes.axhline(even, color=VERMILION, ls="--", lw=1.2, label=f"spread evenly: {even:,.3g} per document")
    axes.set_xlim(0.5 - 0.01 * d, d + 0.5 + 0.01 * d)
    axes.set_ylim(0, 1.08 * float(highest.max(initial=1)))
    axes.locator_params(axis="y", nbins=6, integer=True, min_n_ticks=1)
    axes.locator_params(axis="x", nbins=8, integer=True, min_n_ticks=1)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    what = "count in a document" if width == 1 else f"highest count\nof {width:,} documents"
    dress(axes, "document, in the order of the corpus", what)
