"""Documents by their count of a term: observed, and expected by the binomial and by the fitted beta-binomial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import checked_whole
from termburst.inference.count_distribution import CountDistribution, count_distribution
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.plot.canvas import BLUE, NORMAL, SKY, VERMILION, WIDTH, dress, legend_below, sheet
from termburst.plot.terms import corpus_and_names, families, heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 0.02  # documents; lower end of the logarithmic axis, since expected numbers have no lower bound


def term_counts(
    X_or_statistics: Any,
    term: str | int,
    *,
    terms: Sequence[str] | NDArray[Any] | None = None,
    largest: int = 12,
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
    found, fit = observed_and_expected(corpus, column, largest)
    figure = sheet(WIDTH, 3.8)
    axes = figure.subplots()
    draw(axes, found, fit)
    legend_below(figure)
    axes.set_title(heading(statistics, column), fontsize=NORMAL, parse_math=False, fontfamily=families())
    return figure


def observed_and_expected(corpus: Any, column: int, largest: int = 12) -> tuple[CountDistribution, BetaBinomialFit]:
    """The count distribution of one term and its fit; only this term is fitted, and there are no empty last bars."""
    cells = _alone(term_cells(corpus), column)
    largest = min(checked_whole("largest", largest, least=1), int(cells.count.max(initial=0)) + 1)
    fit = fit_beta_binomial(cells)
    return count_distribution(cells, [0], fit=fit, largest=largest), fit


def _alone(cells: TermCells, column: int) -> TermCells:
    held = slice(int(cells.indptr[column]), int(cells.indptr[column + 1]))
    count = cells.count[held]
    weight = np.broadcast_to(cells.weight, cells.count.shape)[held]
    n_i, b_i = cells.n_i[column : column + 1], cells.b_i[column : column + 1]
    indptr = np.array([0, count.size])
    return TermCells(indptr, count, cells.length[held], weight, n_i, b_i, cells.lengths, cells.length_documents)


def draw(axes: Axes, found: CountDistribution, fit: BetaBinomialFit) -> None:
    """Observed as bars, expected as points joined by lines."""
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
