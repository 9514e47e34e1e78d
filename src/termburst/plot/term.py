"""One term: where it bursts, its counts beside two models, and λ_i as the sum of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.inference.checks import checked_whole
from termburst.inference.count_distribution import count_distribution
from termburst.inference.plr import Explanation
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.plot.canvas import (
    BLUE,
    MANY,
    SKY,
    SMALL,
    VERMILION,
    WIDTH,
    dress,
    legend_below,
    sheet,
    whole_numbers,
)
from termburst.plot.terms import heading, label_points, titled, written
from termburst.statistics.matrix import canonical_counts, counted_corpus
from termburst.statistics.term_statistics import TermStatistics, as_statistics, from_canonical

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def term_along_corpus(
    X: Any,
    term: str | int,
    *,
    label: int = 3,
) -> Figure:
    """Draw n_ij, the count of a term in each document, in the order of the corpus.

    The dashed line is n_i/d, the count per document if the term were spread evenly.

    Parameters
    ----------
    X : `Corpus`; or a count matrix, documents × terms, which knows no names
    term : name of the term, or number of its column
    label : how many documents of a `Corpus` are named, those with the highest counts

    Examples
    --------
    >>> import termburst as tb
    >>> figure = term_along_corpus(tb.read(["ha ha ha ha so", "so no", "so it is", "ha so"]), "ha")
    >>> [line.tolist() for line in figure.axes[0].collections[0].get_segments()]
    [[[1.0, 0.0], [1.0, 4.0]], [[4.0, 0.0], [4.0, 1.0]]]
    """
    if isinstance(X, TermStatistics):
        raise ValueError("this figure needs the count matrix, documents × terms: statistics have no single documents")
    counts, corpus, label = canonical_counts(X), counted_corpus(X), checked_whole("label", label)
    if 0 in counts.shape:
        raise ValueError(f"there is nothing to draw: the count matrix is {counts.shape[0]} × {counts.shape[1]}")
    statistics = from_canonical(counts, None if corpus is None else corpus.terms, "frequencies")
    column, d = statistics.index(term), counts.shape[0]
    n_ij = np.asarray(counts[:, [column]].sum(axis=1)).ravel()
    held = np.flatnonzero(n_ij)
    figure = sheet(WIDTH, 3.2)
    axes = figure.subplots()
    # Never thinner than can be seen, and so wide that bars of few documents do not touch.
    axes.vlines(held + 1, 0, n_ij[held], color=BLUE, lw=max(0.8, 300 / d), rasterized=held.size > MANY)
    even = float(n_ij.mean())
    axes.axhline(even, color=VERMILION, ls="--", lw=1.2, label=f"spread evenly: {even:,.3g} per document")
    axes.set_xlim(0.5 - 0.01 * d, d + 0.5 + 0.01 * d)
    axes.set_ylim(0, 1.08 * float(n_ij.max(initial=1)))
    whole_numbers(axes, x=8, y=6)
    dress(axes, "document, in the order of the corpus", "count in a document")
    legend_below(figure)
    titled(axes, heading(statistics, column))
    ordered = held[np.argsort(-n_ij[held], kind="stable")]
    if corpus is not None and label and ordered.size:
        most, seen = ordered[:label], ordered[:1000]  # labels avoid the highest bars
        bars = np.column_stack([np.repeat(seen + 1, 20), np.outer(n_ij[seen], np.linspace(0.0, 1.0, 20)).ravel()])
        x, y = (most + 1).astype(np.float64), n_ij[most].astype(np.float64)
        label_points(figure, axes, x, y, [written(corpus.ids[place]) for place in most], bars)
    return figure


LEAST = 0.02  # documents; lower end of the logarithmic axis, since expected numbers have no lower bound


def term_counts(X_or_statistics: Any, term: str | int, *, largest: int = 12) -> Figure:
    """Draw in how many documents a term occurs 0, 1, 2, … times, observed and expected.

    Expected numbers are those of the binomial and of the beta-binomial. The binomial has the share n_i/n in every
    document. The beta-binomial is the exact maximum-likelihood fit of this term (Eq. bcb-pmf). The vertical axis is
    logarithmic.

    Parameters
    ----------
    X_or_statistics : count matrix, `Corpus`, or TermStatistics with detail="patterns"
    term : name of the term, or number of its column
    largest : this count and all larger ones share the last bar

    Examples
    --------
    >>> figure = term_counts([[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]], 0, largest=3)
    >>> [int(bar.get_height()) for bar in figure.axes[0].patches]
    [3, 1, 0, 2]
    """
    statistics = as_statistics(X_or_statistics, "frequencies")
    column = statistics.index(term)
    cells = term_cells(X_or_statistics).of_terms(np.array([column]))
    largest = min(checked_whole("largest", largest, least=1), int(cells.count.max(initial=0)) + 1)
    fit = fit_beta_binomial(cells)
    found = count_distribution(cells, [0], fit=fit, largest=largest)
    figure = sheet(WIDTH, 3.8)
    axes = figure.subplots()
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
    legend_below(figure)
    titled(axes, heading(statistics, column))
    return figure


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
