"""Which terms burst more in one corpus than in another? As frames; `keyness(compare="burstiness")` calls this."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.confident_effect import selected_end
from termburst.inference.differential_burstiness import differential_burstiness
from termburst.inference.multiplicity import adjust as adjusted
from termburst.models.cells import TermCells
from termburst.names import Sort
from termburst.questions.frames import term_frame

if TYPE_CHECKING:
    import polars as pl

Names = NDArray[np.object_] | None


def burst_comparison(
    a: TermCells, b: TermCells, names: Names, *, confidence: float | None, adjust: str, min_count: int, sort: Sort
) -> pl.DataFrame:
    """The frame of `termburst.keyness` with compare="burstiness".

    term, n_a, n_b, b_a, b_b, burst_ratio_a, burst_ratio_b, log_ratio (log₂ of their ratio) with ci_low, ci_high and
    lower_bound (the end nearest to 0; 0 if the interval contains 0 or q > 1 − confidence), statistic, p_value, q_value,
    and p_method: "chi2", or "" if a corpus lacks the term, so that there is nothing to compare.
    """
    return burst_contrasts([("", a, b)], names, confidence, adjust, min_count, sort).drop("group")


def burst_contrasts(
    pairs: Iterable[tuple[str, TermCells, TermCells]], names: Names, confidence: float | None, adjust: str,
    min_count: int, sort: Sort,
) -> pl.DataFrame:  # fmt: skip
    """The same for each (group, its cells, cells of the rest); q-values are over all groups and terms."""
    import polars as pl

    frames = [compared_bursts(*pair, names, confidence, min_count) for pair in pairs]
    table = pl.concat(frames)
    q_value = adjusted(table["p_value"].fill_null(np.nan).to_numpy(), adjust)
    low, high = (table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("ci_low", "ci_high"))
    lower_bound = pl.Series(selected_end(low, high, q_value, confidence)).fill_nan(None)
    table = table.with_columns(q_value=pl.Series(q_value).fill_nan(None), lower_bound=lower_bound)
    keys: dict[Sort, list[Any]] = {
        "p": ["p_value", -pl.col("statistic"), "term"],
        "lower_bound": [-pl.col("lower_bound"), "p_value", "term"],
        "log_ratio": [-pl.col("log_ratio"), "p_value", "term"],
        "term": ["term"],
    }
    order = ["term", "group", *(c for c in table.columns if c not in ("term", "group", "q_value", "p_method"))]
    return table.select(*order, "q_value", "p_method").sort(keys[sort], nulls_last=True)


def compared_bursts(
    group: str,
    a: TermCells,
    b: TermCells,
    names: Names,
    confidence: float | None,
    min_count: int,
    sums: Any = (None, None),
) -> pl.DataFrame:
    """One row per term; a term that a corpus lacks has no p-value, and does not count in the adjustment.

    *sums*: those of all terms of each corpus, if only some are given; see `differential_burstiness`.
    """
    found = differential_burstiness(a, b, confidence=confidence, sums=sums)
    both, counted = ~np.isnan(found.log_ratio), a.n_i + b.n_i >= max(min_count, 1)
    columns: dict[str, Any] = {
        "group": [group] * a.n_i.size,
        "n_a": a.n_i,
        "n_b": b.n_i,
        "b_a": a.b_i,
        "b_b": b.b_i,
        "burst_ratio_a": found.burst_ratio_a,
        "burst_ratio_b": found.burst_ratio_b,
        "log_ratio": found.log_ratio,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "lower_bound": np.full(a.n_i.size, np.nan),  # filled in when q is known
        "statistic": np.where(both, found.statistic, np.nan),
        "p_value": np.where(both & counted, found.p_value, np.nan),
        "p_method": np.where(both, "chi2", "").tolist(),
    }
    return term_frame(names, columns, counted)
