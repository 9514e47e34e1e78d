"""P-values adjusted for multiplicity, exactly, although no process has all of them.

The adjusted p-value of a test depends on its rank and on one minimum over all larger p-values. P-values are put into
bins, narrow intervals. Their histogram says how many tests are below each bin. Within a bin, our own code ranks them.
The minimum of each bin comes to this process, which tells every bin the minimum over all later ones.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.engines.batches import kept, map_terms
from termburst.engines.bins import KEYS, Bins, bin_bounds, bin_q_values, bounds_of_others, finished, null_share_edges
from termburst.engines.frames import is_spark, to_polars
from termburst.engines.q_values_on_disk import q_values_on_disk
from termburst.inference.multiplicity import constant, null_share_of


def with_q_values(
    results: Any, method: str, *, logarithms: bool = False, attainable: bool = False
) -> tuple[Any, float]:
    """The table of tests with the column q_value, `KEYS` dropped; and the share of true nulls (1 unless "storey").

    Parameters
    ----------
    results : frame that can be read several times, with the columns `KEYS`
    method : a name in `METHODS`
    logarithms : whether the keys are those of logarithms of p-values
    attainable : whether to count a test only at p-values that it can have; see `multiplicity.adjust`
    """
    columns = [name for name in results.collect_schema().names() if name not in KEYS]
    if method == "none":
        return results.with_columns(q_value=nw.col("p_value")).select(*columns), 1.0
    if not is_spark(results) and isinstance(results, nw.LazyFrame):
        return q_values_on_disk(results, columns, method, logarithms=logarithms, attainable=attainable)
    events = kept(_events(results, attainable=attainable))
    found = to_polars(events.group_by("bin").agg(nw.col("tests").sum(), nw.col("able").sum())).sort("bin")
    bins, tests, able = (found[name].to_numpy().astype(np.int64) for name in ("bin", "tests", "able"))
    plan = Bins.of(bins, tests, able, method, logarithms=logarithms, attainable=attainable)
    if not plan.m:
        return results.select(*columns), 1.0
    share = _null_share(events, plan.m, logarithms=logarithms) if method == "storey" else 1.0
    return _joined(results, columns, events, plan, constant(method, plan.m, share)), share


def _joined(results: Any, columns: list[str], events: Any, plan: Bins, factor: float) -> Any:
    """The table of tests with q-values, by a join in the engine."""
    import polars as pl

    schema = {"bin": pl.Int64, "bound": pl.Float64, "key": pl.Int64, "last": pl.Float64}
    own = to_polars(map_terms((events,), partial(bin_bounds, plan=plan), schema, "bin"))
    bounds, last_key, last_value = bounds_of_others(own, plan)
    looked_up = partial(bin_q_values, plan=plan, bounds=bounds, factor=factor)
    lookup = map_terms((events,), looked_up, {"_key": pl.Int64, "q_value": pl.Float64}, "bin")
    last = float(finished(np.array([last_value]), factor, logarithms=plan.logarithms)[0])
    rest = [name for name in columns if name != "q_value"]
    largest = results.filter(nw.col("_key") == last_key).select(*rest, nw.lit(last).alias("q_value"))
    none = results.filter(nw.col("_key").is_null()).select(*rest, nw.lit(None, dtype=nw.Float64).alias("q_value"))
    others = results.filter(nw.col("_key") != last_key).select(*rest, "_key").join(lookup, on="_key", how="inner")
    # The largest p-value, which is 1 for half of all terms, takes no part in the join: one worker would have them all.
    return nw.concat([frame.select(*columns) for frame in (largest, none, others)])


def _events(results: Any, *, attainable: bool) -> Any:
    """Distinct p-values, and distinct smallest possible ones: frame of bin, key, tests, able."""
    tested = results.filter(~nw.col("_key").is_null())
    zero = nw.lit(0, dtype=nw.Int64)
    frames = []
    for key, place, tests in (("_key", "_bin", True), ("_least", "_least_bin", False))[: 1 + attainable]:
        number = nw.col("number").cast(nw.Int64)
        some = tested.select(nw.col(place).alias("bin"), nw.col(key).alias("key"))
        some = some.group_by("bin", "key").agg(nw.len().alias("number"))
        numbers = {"tests": number if tests else zero, "able": zero if tests else number}
        frames.append(some.select("bin", "key", **numbers))
    return frames[0] if len(frames) == 1 else nw.concat(frames)


def _null_share(events: Any, m: int, *, logarithms: bool) -> float:
    """π_0, from how many p-values are above each of `LAMBDAS`."""
    above = {}
    for number, edge in enumerate(null_share_edges(logarithms=logarithms)):
        held = nw.when(nw.col("key") > edge).then(nw.col("tests")).otherwise(nw.lit(0, dtype=nw.Int64))
        above[f"above_{number}"] = held
    row = to_polars(events.select(**above).select(*(nw.col(name).sum() for name in above))).row(0)
    return null_share_of(np.array(row, dtype=np.int64), m)
