"""One term: where it bursts, its counts beside two models, and λ_i as the sum of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import checked_whole
from termburst.inference.count_distribution import count_distribution
from termburst.inference.plr import Explanation
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.plot.canvas import (
    BLUE,
    SKY,
    SMALL,
    VERMILION,
    WIDTH,
    Floats,
    dress,
    legend_below,
    sheet,
    whole_numbers,
)
from termburst.plot.terms import corpus_and_names, heading, label_points, named_counts, titled, written

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
    _draw_along(axes, n_ij)
    legend_below(figure)
    titled(axes, heading(statistics, column))
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
    starts, highest, width = _bars(n_ij)
    share = np.linspace(0.0, 1.0, 40)
    return np.column_stack([np.repeat(starts + 0.5 + width / 2, share.size), np.outer(highest, share).ravel()])


def _bars(n_ij: Counts) -> tuple[Counts, Counts, int]:
    """First document and height of each bar above 0, and the number of documents per bar."""
    width = -(-n_ij.size // BARS)
    starts = np.arange(0, n_ij.size, width)
    highest = np.maximum.reduceat(n_ij, starts)
    return starts[highest > 0], highest[highest > 0], width


def _draw_along(axes: Axes, n_ij: Counts) -> None:
    """One bar per document with the term, or per group of neighbouring documents."""
    d = n_ij.size
    starts, highest, width = _bars(n_ij)
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
    whole_numbers(axes, x=8, y=6)
    what = "count in a document" if width == 1 else f"highest count\nof {width:,} documents"
    dress(axes, "document, in the order of the corpus", what)


LEAST = 0.02  # documents; lower end of the logarithmic axis, since expected numbers have no lower bound


def term_counts(
    X_or_statistics: Any, term: str | int, *, terms: Sequence[str] | NDArray[Any] | None = None, largest: int = 12
) -> Figure:
    """Draw in how many documents a term occurs 0, 1, 2, … times, observed and expected.

    Expected numbers are those of the binomial and of the beta-binomial. The binomial has the share n_i/n in every
    document. The beta-binomial is the exact maximum-likelihood fit of this term (Eq. bcb-pmf). The vertical axis is
    logarithmic.

    Parameters
    ----------
    X_or_statistics : count matrix, `Corpus`, or TermStatistics with detail="patterns"
    term : name of the term, or number of its column
    terms : column names of a count matrix; needed to find a term by name
    largest : this count and all larger ones share the last bar

    Examples
    --------
    >>> X = [[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]]
    >>> figure = term_counts(X, "ha", terms=["ha", "the"], largest=3)
    >>> [int(bar.get_height()) for bar in figure.axes[0].patches]
    [3, 1, 0, 2]
    """
    corpus, statistics = corpus_and_names(X_or_statistics, terms)
    column = statistics.index(term)
    figure = sheet(WIDTH, 3.8)
    axes = figure.subplots()
    _draw_counts(axes, corpus, column, largest)
    legend_below(figure)
    titled(axes, heading(statistics, column))
    return figure


def _draw_counts(axes: Axes, corpus: Any, column: int, largest: int) -> None:
    """Observed as bars, expected as points joined by lines; only this term is fitted, and no last bar is empty."""
    cells = term_cells(corpus).of_terms(np.array([column]))
    largest = min(checked_whole("largest", largest, least=1), int(cells.count.max(initial=0)) + 1)
    fit = fit_beta_binomial(cells)
    found = count_distribution(cells, [0], fit=fit, largest=largest)
    k = np.arange(found.observed.shape[1])
    observed, plain, bursty = found.observed[0], found.binomial[0], found.beta_binomial[0]
    axes.set_yscale("log")
    axes.bar(k, observed, width=0.75, bottom=0.0, color=SKY, label="observed")
    line: Any = {"lw": 1.3, "ms": 5.5, "mew": 1.2}
    for expected, style, colour, face, label in (
        (plain, "s--", VERMILION, "white", "binomial"),
        (bursty, "o-", BLUE, BLUE, _model(fit)),
    ):
        # The last point stands for many counts: a line to it would seem to rise.
        axes.plot(k[:-1], expected[:-1], style, color=colour, mfc=face, label=label, **line)
        axes.plot(k[-1:], expected[-1:], style, color=colour, mfc=face, **line)
    axes.set_ylim(LEAST, 2.0 * float(max(observed.max(), plain.max(), bursty.max(), 1.0)))
    axes.set_xticks(k, [*map(str, k[:-1]), f"{k[-1]}+"])
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.spines[["top", "right"]].set_visible(False)
    dress(axes, "occurrences in a document", "documents")


def _model(fit: BetaBinomialFit) -> str:
    kind = str(fit.status[0])
    if kind == "converged":
        return rf"beta-binomial, $\alpha_i$ = {fit.alpha[0]:.3g}, $\alpha_{{\neg i}}$ = {fit.alpha_not[0]:.3g}"
    limits = {"boundary": r"beta-binomial: the same ($\alpha_0 \to \infty$)"}
    limits["degenerate"] = r"beta-binomial, $\alpha_0 \to 0$"
    return limits.get(kind, "beta-binomial")


SUM = "0.35"


def waterfall(explanation: Explanation) -> Figure:
    """Draw λ_i as a waterfall: each part begins where the one before ends, and the last bar is the sum (Claim 3).

    Parts above 0 go to the right, others to the left. The values are in a column of their own, since one part may be
    ten thousand times another.

    Parameters
    ----------
    explanation : result of `termburst.explain`

    Examples
    --------
    >>> import termburst as tb
    >>> s = tb.TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> figure = waterfall(tb.explain(s, "ha"))
    >>> round(float(figure.axes[0].patches[-1].get_width()), 2)
    5.83
    """
    if not isinstance(explanation, Explanation):
        raise ValueError("waterfall needs the result of tb.explain(statistics, term)")
    figure = sheet(WIDTH, 1.3 + 0.29 * (len(explanation.parts) + 1))
    axes = figure.subplots()
    _draw_parts(axes, explanation)
    name = f"column {explanation.term}" if isinstance(explanation.term, int) else f"“{written(explanation.term)}”"
    titled(axes, f"{explanation.n_i:,} occurrences of {name} in {explanation.b_i:,} documents")
    return figure


def _draw_parts(axes: Axes, explanation: Explanation) -> None:
    """One bar per part from the top down, its value at the right, λ_i at the bottom."""
    values = np.array(list(explanation.parts.values()))
    if not np.isfinite(values).all():
        raise ValueError(
            f"λ_i of {explanation.term!r} has no value in the form {explanation.form!r}, since η² ≤ r_i: "
            "draw another form, or explain it with a smaller sigma2"
        )
    ends = np.cumsum(values)
    starts = ends - values
    rows = np.arange(values.size + 1)
    # The sum exactly as `explain` has it.
    left, width = [*starts, 0.0], [*values, explanation.plr]
    colours = [*np.where(values < 0, VERMILION, BLUE), SUM]
    axes.barh(rows, width, left=left, height=0.68, color=colours)
    # The bar of a very small part cannot be seen: the tick shows where it is.
    axes.plot([*ends, explanation.plr], rows, "|", color="black", ms=9, mew=1.0, zorder=3)
    for row, end in zip(rows[:-1], ends, strict=True):
        axes.plot([end, end], [row, row + 1], color="0.6", lw=0.7, zorder=0)
    axes.axvline(0.0, color="black", lw=0.8, zorder=0)
    axes.axhline(values.size - 0.5, color="0.75", lw=0.7)
    axes.set_ylim(values.size + 0.55, -0.55)
    axes.set_yticks(rows, [*explanation.parts, r"$\lambda_i$"])
    beside = axes.secondary_yaxis("right")
    decimals = 2 if max(np.abs(values).max(), abs(explanation.plr)) < 100_000 else 0
    beside.set_yticks(rows, [signed(value, decimals) for value in [*values, explanation.plr]], ha="right")
    beside.tick_params(length=0, labelsize=SMALL, pad=6 + 5.4 * max(len(signed(v, decimals)) for v in width))
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=6)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}".replace("-", "−"))
    for spine in ("top", "right", "left"):
        axes.spines[spine].set_visible(False)
    beside.spines["right"].set_visible(False)
    axes.use_sticky_edges = False  # room beside the longest bar
    axes.margins(x=0.03)
    dress(axes, rf"parts of $\lambda_i$ ({explanation.form})")


def signed(value: float, decimals: int = 2) -> str:
    """A value with its sign and this number of decimals; 0 has no sign.

    Examples
    --------
    >>> signed(12345.678), signed(-0.5), signed(0.001)
    ('+12,345.68', '−0.50', '0.00')
    """
    text = f"{value:+,.{decimals}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text[1:]
