"""A corpus: the lengths of its documents, the frequencies of its terms, and λ_i against the sum of TF–IDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.plr import plr_statistic
from termburst.models import closed_forms as forms
from termburst.models.penalized_mle import penalized_mle
from termburst.names import Form, Invalid
from termburst.plot.canvas import (
    BLUE,
    MANY,
    SKY,
    VERMILION,
    WIDTH,
    Floats,
    dress,
    legend,
    legend_below,
    notes,
    sheet,
    whole_numbers,
)
from termburst.plot.terms import label_points, picked, written
from termburst.statistics.term_statistics import TermStatistics, as_statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 40


def document_lengths(X_or_statistics: Any) -> Figure:
    """Draw a histogram of document lengths n_j, in tokens, with their mean n/d and their median.

    The axis is logarithmic. Mean and median include empty documents; the legend has their number.

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
    if not statistics.tokens:
        raise ValueError("there is nothing to draw: no document has a token")
    edges, heights = length_histogram(statistics)
    middle, empty = median(statistics.lengths, statistics.length_documents), statistics.documents - int(heights.sum())
    figure = sheet(WIDTH, 3.6)
    axes = figure.subplots()
    axes.bar(
        edges[:-1], heights, width=np.diff(edges), align="edge", color=SKY, edgecolor="white", linewidth=0.4,
        label=f"{statistics.documents:,} documents",
    )  # fmt: skip
    axes.axvline(statistics.mean_length, color=VERMILION, ls="--", lw=1.5, label=f"mean: {statistics.mean_length:,.1f}")
    axes.axvline(middle, color=BLUE, ls=":", lw=2.0, label=f"median: {middle:,.1f}")
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter("")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if empty:
        notes(axes, f"not drawn: {empty:,} empty")
    whole_numbers(axes, y=6)
    dress(axes, "document length $n_j$ (tokens)", "documents")
    legend_below(figure)
    return figure


def length_histogram(statistics: TermStatistics) -> tuple[Floats, Floats]:
    """Edges in about equal steps of log length, which are whole numbers, and how many documents lie between them.

    Examples
    --------
    >>> length_histogram(TermStatistics.from_counts([[1], [2], [2], [4], [0]]))
    (array([1., 2., 3., 4., 5.]), array([1., 2., 0., 1.]))
    """
    filled = statistics.lengths > 0
    lengths, documents = statistics.lengths[filled].astype(np.float64), statistics.length_documents[filled]
    edges: Floats = np.unique(np.round(np.geomspace(lengths.min(), lengths.max() + 1, BINS + 1))).astype(np.float64)
    return edges, np.histogram(lengths, edges, weights=documents)[0].astype(np.float64)


def median(values: Any, times: Any) -> float:
    """The median of sorted values that occur several *times* each; between the middle two if there are two.

    Examples
    --------
    >>> median(np.array([1, 3, 8]), np.array([2, 1, 1]))
    2.0
    """
    upto, total = np.cumsum(times), int(times.sum())
    low, high = (values[np.searchsorted(upto, place, side="right")] for place in ((total - 1) // 2, total // 2))
    return float(low + high) / 2


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
    rank = ranks_to_draw(n_i.size, MOST) if n_i.size > MOST else np.arange(1, n_i.size + 1)
    figure = sheet(WIDTH, 4.2)
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log")
    axes.plot(rank, n_i[rank - 1], "o", ms=3.2, mfc="none", mec=BLUE, mew=0.8, label=f"{n_i.size:,} terms")
    ends = np.array([1.0, max(n_i.size, 2)])
    axes.plot(ends, n_i[0] / ends, color=VERMILION, ls="--", lw=1.3, label="Zipf's law, $n_{(1)}$/rank")
    notes(axes, f"{100 * float((n_i == 1).mean()):.1f} % of terms occur once")
    if never:
        notes(axes, f"not drawn: {never:,} without an occurrence")
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


def ranks_to_draw(terms: int, most: int) -> NDArray[np.int64]:
    """About *most* ranks in even steps of their logarithm, each once.

    Examples
    --------
    >>> ranks_to_draw(1000, 4).tolist()
    [1, 10, 100, 1000]
    """
    return np.unique(np.geomspace(1, terms, most).round().astype(np.int64))


WIDE = 100.0  # an axis is logarithmic if its largest value exceeds this multiple of the median


def burstiness(
    X_or_statistics: Any,
    *,
    label: int | Sequence[str] = 10,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: str = "gamma",
    invalid: Invalid = "clamp",
) -> Figure:
    """Draw λ_i against Σ_j TF–IDF(i, j) = n_i log(d/b_i), one point per term that occurs.

    The diameter of a point shows α̂_i (Claim 2). An axis is logarithmic, except near 0, if some values are far larger
    than most. A term without a valid α̂_i, since η² ≤ r_i, has the smallest point: there α̂_i tends to 0.

    Parameters
    ----------
    X_or_statistics : TermStatistics of detail "moments" or more, `Corpus`, or count matrix
    label : number of terms with the highest λ_i to name, or a list of terms
    mu, sigma2, form, penalty, invalid : see `termburst.plr_statistic`

    Examples
    --------
    >>> import termburst as tb
    >>> s = tb.TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> figure = burstiness(s, label=1)
    >>> [note.get_text() for note in figure.axes[0].texts]
    ['ha']
    """
    statistics = as_statistics(X_or_statistics, "moments")
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    plr = plr_statistic(statistics, mu=mu, sigma2=sigma2, form=form, penalty=penalty, invalid=invalid)
    weight = forms.tf_idf_sum(n_i, forms.idf(forms.NUMPY, statistics.documents, b_i))
    alpha = penalized_mle(statistics, mu=mu, sigma2=sigma2, penalty=penalty).alpha
    there = n_i > 0
    drawn = there & np.isfinite(plr)
    order = np.argsort(-plr, kind="stable")
    names = np.arange(n_i.size) if statistics.terms is None else statistics.terms
    chosen = picked(label, names, order[drawn[order]])
    figure = statistic_against_weight(plr[there], weight[there], np.nan_to_num(alpha[there]))
    axes = figure.axes[0]
    for values, scale in ((plr, axes.set_xscale), (weight, axes.set_yscale)):
        reach = np.abs(values[drawn])
        if reach.max() > WIDE * max(float(np.median(reach)), 1.0):
            scale("symlog", linthresh=1.0, linscale=0.5)
    if chosen:
        points = np.column_stack([plr, weight])
        x, y = points[chosen].T
        label_points(figure, axes, x, y, [written(names[k]) for k in chosen], points[drawn])
    return figure


LARGEST, SMALLEST, HOLLOW = 22.0, 2.0, 6.0  # diameters in points; smaller points, or hollow ones, could not be seen


def statistic_against_weight(
    statistic: Floats, weight: Floats, alpha: Floats, occurs: NDArray[np.bool_] | None = None
) -> Figure:
    """Draw λ_i against the sum of TF–IDF, one point per term, with a diameter proportional to *alpha*.

    The legend has Pearson's correlation over all terms with both values. Terms for which *occurs* is false are drawn
    hollow; the legend then also has the correlation over the others.
    """
    present = np.ones(statistic.shape, dtype=np.bool_) if occurs is None else occurs
    drawn = np.isfinite(statistic) & np.isfinite(weight)
    if not drawn.any():
        raise ValueError("there is nothing to draw: no term has a finite statistic and weight")
    largest = float(alpha[drawn].max())
    diameter = np.maximum(LARGEST * alpha / (largest or 1.0), np.where(present, SMALLEST, HOLLOW))
    figure = sheet(WIDTH, 4.6)
    axes = figure.subplots()
    for chosen, face, label in ((present, SKY, "terms"), (~present, "none", "terms that never occur")):
        here = chosen & drawn
        if here.any():
            axes.scatter(
                statistic[here], weight[here], s=diameter[here] ** 2, c=face, edgecolors=BLUE, linewidths=0.7,
                alpha=0.75 if face == SKY else None, label=f"{here.sum():,} {label}",
                rasterized=bool(here.sum() > MANY),
            )  # fmt: skip
    dress(axes, r"likelihood-ratio statistic $\lambda_i$", r"total weight $\sum_j$ TF–IDF$(i, j)$")
    axes.grid(visible=True, color="0.9", lw=0.6)
    axes.set_axisbelow(True)
    groups = {"all": drawn} if present[drawn].all() else {"all": drawn, "those that occur": drawn & present}
    lines = [f"{_correlation(statistic[chosen], weight[chosen])} ({name})" for name, chosen in groups.items()]
    lines += [f"{(~drawn).sum():,} without a value"] if not drawn.all() else []
    _explain(figure, axes, lines, largest)
    return figure


def _correlation(x: Floats, y: Floats) -> str:
    if len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
        return f"$r = {np.corrcoef(x, y)[0, 1]:.4f}$"
    return "$r$ undefined"


def _explain(figure: Figure, axes: Any, lines: list[str], largest: float) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    handles = [
        Line2D([], [], ls="none", marker="o", ms=7, mec=BLUE, mew=0.7, mfc="none" if "never" in label else SKY)
        for label in labels
    ]
    if largest > 0:
        lines.append(rf"diameter $\propto \alpha_i$, at most {largest:.2g}")
    handles += [Line2D([], [], ls="none") for _ in lines]
    legend(figure, handles, labels + lines, loc="outside lower center", ncols=2)
