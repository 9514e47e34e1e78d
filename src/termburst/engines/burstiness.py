"""How bursty is every term, how sure is that, and how evenly is it spread? Asked where the data are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from termburst.counting.options import CountingOptions
from termburst.engines.door import opened
from termburst.engines.running import run_on_collection
from termburst.inference.checks import check_confidence
from termburst.inference.dispersion import checked_measures
from termburst.names import Adjustment, Columns, Form, Statistic
from termburst.options import made_from
from termburst.questions.burstiness_plan import BurstinessPlan, DispersionPlan, EffectsPlan
from termburst.questions.burstiness_test import Burstiness


def burstiness_test(
    frame: Any,
    *,
    statistic: Statistic = "plr",
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    adjust: Adjustment = "bh",
    mid_p: bool = False,
    min_count: int = 1,
    draws: int = 9_999,
    seed: int = 0,
    dispersion: bool = True,
    intervals: bool = True,
    columns: Columns = "main",
    counting: CountingOptions | None = None,
    check: bool = True,
    **names: str,
) -> Any:
    """How bursty is every term, and how sure is that? `termburst.burstiness_test`, as a frame of the same engine.

    The columns and numbers are those of the function in memory; the rows are in no order. Lazy frames are read batch by
    batch: neither this process nor a worker ever has more than the lengths and some of the terms. Terms go through our
    own code twice: first for what they learn from each other, then for the tests.

    Parameters
    ----------
    frame, counting, check, **names : see `term_statistics`, where the names of columns are ``**columns``
    statistic, mu, sigma2, form, adjust, mid_p, min_count, draws, seed, dispersion, intervals, columns
        See `termburst.burstiness_test`.

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["ha ha ha ha so it goes on and on", "so it goes and so on", "it goes on and so it goes", "so so it"]
    >>> frame = pl.LazyFrame({"document": range(4), "text": texts})
    >>> found = burstiness_test(frame, draws=99).collect()
    >>> found.sort("p_value").select("term", "n", "b", "p_method").rows()[0]
    ('ha', 4, 1, 'exact')
    """
    asked = made_from(Burstiness, locals() | {"sort": "lower_bound"})
    return run_on_collection(BurstinessPlan(asked), opened(frame, names, check=check), counting)


def burst_effects(
    frame: Any,
    *,
    confidence: float = 0.95,
    intervals: bool = True,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """How bursty is every term, with intervals but without tests: a frame of the same engine, in no order of rows.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    confidence, intervals : see `termburst.inference.burst_effects`

    Returns
    -------
    frame
        term, n, b, burst_ratio, ci_low, ci_high, lower_bound, reuse, reuse_low, reuse_high, reuse_binomial, as in
        `termburst.burstiness_test`.

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["ha ha ha so it goes", "so it goes", "so it goes on", "ha ha so it is", "so it was"]
    >>> found = burst_effects(pl.DataFrame({"document": range(5), "text": texts}))
    >>> found.sort("burst_ratio").select("term", "n", "b").rows()[-1]
    ('ha', 5, 2)
    """
    check_confidence(confidence)
    return run_on_collection(EffectsPlan(confidence, intervals), opened(frame, columns, check=check), counting)


def dispersion(
    frame: Any,
    measures: str | Iterable[str] | None = None,
    *,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """How evenly is each term spread over the documents? `termburst.dispersion`, as a frame of the same engine.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    measures : name or names of `termburst.inference.dispersion.MEASURES`, optional
        By default all.

    Returns
    -------
    frame
        term, n, b, and one column per measure, in no order of rows.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": [1, 2], "text": ["so it goes", "so so"]})
    >>> dispersion(frame, "dp").sort("term").rows()[0]
    ('goes', 1, 1, 0.4)
    """
    plan = DispersionPlan(tuple(checked_measures(measures)))
    return run_on_collection(plan, opened(frame, columns, check=check), counting)
