"""Lockwords, as a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.forks import check_fork
from termburst.names import Adjustment
from termburst.options import Option, Question, made_from

if TYPE_CHECKING:
    import polars as pl

    from termburst.counting.options import CountingOptions


@dataclass(frozen=True)
class Lockwords(Question):
    """The question of `termburst.questions.lockwords`."""

    ratio: Annotated[float, Option("Shares differ by less than this ratio.", above=1)] = 1.5
    level: Annotated[float, Option("Level; the interval has the confidence 1 − 2 level.", above=0, below=0.5)] = 0.05
    adjust: Annotated[Adjustment, Option("How p-values are adjusted to q-values.")] = "bh"
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1


def lockwords(
    A: Any,
    B: Any,
    *,
    ratio: float = 1.5,
    level: float = 0.05,
    terms: Any = None,
    terms_b: Any = None,
    counting: CountingOptions | None = None,
    adjust: Adjustment = "bh",
    min_count: int = 1,
) -> pl.DataFrame:
    """Which terms do two corpora surely use about equally often: their shares differ by less than a ratio?

    An equivalence test: the hypothesis is that the share of a term in A is at least *ratio* times that in B, or the
    other way round. It is rejected at *level* if the 1 − 2 level interval of the log ratio lies within ±log2 ratio. A
    large p of `keyness` does not show this: rare terms always have one.

    Parameters
    ----------
    A, B, terms, terms_b, counting, adjust, min_count : see `keyness`
    ratio : float above 1
    level : float, between 0 and 0.5; of the interval, which has the confidence 1 − 2 level

    Returns
    -------
    polars.DataFrame
        term, n_a, n_b, b_a, b_b, per_million_a, per_million_b, log_ratio, ci_low, ci_high, p_value, q_value; the surest
        first. q_value is the expected share, among terms with a q this small, of terms that differ by the ratio.

    Examples
    --------
    >>> import termburst as tb
    >>> A, B = [[9, 1, 40]] * 40, [[1, 1, 40], [2, 1, 44]] * 20
    >>> tb.questions.lockwords(A, B, terms=["ha", "no", "so"]).select("term", "n_a", "n_b").rows()[0]
    ('so', 1600, 1680)
    """
    check_fork()
    asked = made_from(Lockwords, locals())
    import numpy as np

    from termburst.inference import lockwords as tests
    from termburst.inference.multiplicity import adjust as adjusted
    from termburst.questions.compared import aligned, counts_of_sides, rates_of_sides, ratios_of
    from termburst.questions.frames import term_frame

    a, b, names = aligned(A, B, terms, terms_b, counting)
    found = tests.lockwords(a, b, asked.ratio, level=asked.level)
    counted = a.n_i + b.n_i >= asked.min_count
    p_value = np.where(counted, found.p_value, np.nan)
    columns: dict[str, Any] = {
        **counts_of_sides(a, b),
        **rates_of_sides(a, b),
        **ratios_of(found),
        "p_value": p_value,
        "q_value": adjusted(p_value, adjust),
    }
    return term_frame(names, columns, counted).sort("p_value", "term", nulls_last=True)
