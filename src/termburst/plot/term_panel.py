"""One term in three panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from termburst.inference.plr import explain
from termburst.names import Form
from termburst.plot.canvas import NORMAL, WIDTH, legend_below, sheet
from termburst.plot.term_along_corpus import column_counts
from termburst.plot.term_along_corpus import draw as draw_along_corpus
from termburst.plot.term_counts import draw as draw_counts
from termburst.plot.term_counts import observed_and_expected
from termburst.plot.terms import families, heading, named_counts
from termburst.plot.waterfall import draw as draw_waterfall
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def term_panel(
    X: Any,
    term: str | int,
    *,
    terms: Sequence[str] | NDArray[Any] | None = None,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: str = "gamma",
) -> Figure:
    """Draw where a term bursts, its counts beside two models, and λ_i as the sum of its parts.

    The panels are those of `term_along_corpus`, `term_counts` and `waterfall`.

    Parameters
    ----------
    X : count matrix, documents × terms; or a `Corpus`, which knows its terms
    term : name of the term, or number of its column
    terms : column names; needed to find a term by name
    mu, sigma2, form, penalty : options of λ_i, see `termburst.plr_statistic`

    Examples
    --------
    >>> X = [[4, 26, 1], [0, 31, 1], [0, 28, 1], [1, 24, 1], [0, 30, 2], [5, 15, 1]]
    >>> figure = term_panel(X, "ha", terms=["ha", "the", "so"])
    >>> figure.get_suptitle()
    '10 occurrences of “ha” in 3 of 6 documents'
    """
    counts, named = named_counts(X, terms)
    column = named.index(term)
    why = explain(
        TermStatistics.from_counts(counts, named.terms), column, mu=mu, sigma2=sigma2, form=form, penalty=penalty
    )
    n_ij = column_counts(counts, column)
    figure = sheet(WIDTH, 7.0)
    rows = figure.add_gridspec(2, 1, height_ratios=[1, 1.35])
    # A grid of its own: otherwise the upper panel would leave room for the values beside the lower one.
    beside = rows[1].subgridspec(1, 2)
    draw_along_corpus(figure.add_subplot(rows[0]), n_ij)
    draw_counts(figure.add_subplot(beside[0]), *observed_and_expected(counts, column, largest=10))
    draw_waterfall(figure.add_subplot(beside[1]), why, ticks=3)
    legend_below(figure)
    head = heading(named, column)
    figure.suptitle(head, fontsize=NORMAL + 1, parse_math=False, fontfamily=families())
    return figure
