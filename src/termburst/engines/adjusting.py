"""P-values adjusted for multiplicity, exactly, although no process has all of them.

The adjusted p-value of a test depends on its rank and on one minimum over all larger p-values. P-values are put into
bins, narrow intervals. Their histogram says how many tests are below each bin. Within a bin, our own code ranks them.
The minimum of each bin comes to this process, which tells every bin the minimum over all later ones.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from termburst.engines.batches import kept, map_terms, read_files, read_parts, read_spooled, spooled, stream
from termburst.engines.frames import concatenated, is_spark, polars_types, to_polars
from termburst.inference.multiplicity import LAMBDAS, METHODS, ROUNDING, constant, null_share_of, ranked
from termburst.statistics.tally import Integers

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]

FINE = 40  # bits of a float that do not matter for its bin: 12 bits of the mantissa do
INFINITE = np.array([np.inf]).view(np.int64)[0]
TESTS_OF_RANGE = 200_000  # p-values that are ranked at a time, where this process ranks them
ROWS_OF_TESTS = 50_000  # rows of a table of tests in a batch: they are wide
KEYS = ("_key", "_bin", "_least", "_least_bin")  # columns of a table of tests; see `key_columns`


def keys_of(values: Floats, *, logarithms: bool) -> Integers:
    """Integers in the same order as p-values, or as logarithms of p-values; both are found again by `values_of`.

    >>> keys_of(np.array([0.0, 1e-300, 0.5, 1.0]), logarithms=False).argsort().tolist()
    [0, 1, 2, 3]
    >>> keys_of(np.array([-5000.0, -1.5, -0.0, 0.0]), logarithms=True).tolist()[2:] == [INFINITE] * 2
    True
    """
    if logarithms:
        return np.asarray(INFINITE - (np.maximum(-values, 0.0) + 0.0).view(np.int64))
    return (np.minimum(values, 1.0) + 0.0).view(np.int64)


def values_of(keys: Integers, *, logarithms: bool) -> Floats:
    """The inverse of `keys_of`.

    >>> values_of(keys_of(np.array([-12.5, 0.0]), logarithms=True), logarithms=True).tolist()
    [-12.5, 0.0]
    """
    if logarithms:
        return np.asarray(0.0 - (INFINITE - keys).view(np.float64))
    return np.ascontiguousarray(keys).view(np.float64)


def key_columns(p: Floats, least: Floats | None = None, *, logarithms: bool = False) -> dict[str, Any]:
    """The columns `KEYS` of tests: p-value and smallest possible p-value as integers, and their bins.

    Null where p is NaN. A p-value is in the bin of the largest value that counts as equal to it, so that all smallest
    p-values that it reaches are in the same bin or an earlier one.
    """
    import polars as pl

    tested = ~np.isnan(p)
    value = np.where(tested, p, 0.0)
    lowest = value if least is None else np.minimum(np.where(tested, least, 0.0), value)
    columns = {
        "_key": keys_of(value, logarithms=logarithms),
        "_bin": _reach(value, logarithms=logarithms) >> FINE,
        "_least": keys_of(lowest, logarithms=logarithms),
        "_least_bin": keys_of(lowest, logarithms=logarithms) >> FINE,
    }
    mask = pl.Series(tested)
    return {name: pl.select(pl.when(mask).then(pl.Series(keys))).to_series() for name, keys in columns.items()}


def _reach(values: Floats, *, logarithms: bool) -> Integers:
    if logarithms:
        return keys_of(values, logarithms=True)
    return (np.minimum(values, 1.0) * (1 + ROUNDING)).view(np.int64)


@dataclass(frozen=True, slots=True)
class Bins:
    """The histogram of p-values, sorted by bin, and how to adjust them.

    Attributes
    ----------
    bins : the bins that have p-values, or smallest possible ones
    tests, able : the number of p-values, and of smallest possible ones, in all earlier bins
    m : the number of all tests
    method : a name in `METHODS`
    logarithms : whether values are logarithms of p-values
    """

    bins: Integers
    tests: Integers
    able: Integers
    m: int
    method: str
    logarithms: bool

    @property
    def upwards(self) -> bool:
        return METHODS[self.method].direction == "up"


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
    on_disk = not is_spark(results) and isinstance(results, nw.LazyFrame)
    if on_disk:
        found = _histogram(results, attainable=attainable)
        ranges = _ranges(found)
        by_range = _event_parts(results, ranges, attainable=attainable)
        events = tuple(by_range.values())
    else:
        events = (kept(_events(results, attainable=attainable)),)
        found = to_polars(events[0].group_by("bin").agg(nw.col("tests").sum(), nw.col("able").sum())).sort("bin")
    number = {name: found[name].to_numpy().astype(np.int64) for name in found.columns}
    m = int(number["tests"].sum())
    if not m:
        return results.select(*columns), 1.0
    tests, able = (np.cumsum(number[name]) - number[name] for name in ("tests", "able"))
    plan = Bins(number["bin"], tests, able if attainable else np.full(tests.size, -1), m, method, logarithms)
    bounds = _bounds(events, plan)
    share = _null_share(concatenated(events), m, logarithms=logarithms) if method == "storey" else 1.0
    looked_up = partial(bin_q_values, plan=plan, bounds=bounds[0], factor=constant(method, m, share))
    if on_disk:
        return _joined_on_disk(results, columns, by_range, ranges, looked_up), share
    return _joined(results, columns, events, bounds, looked_up), share


def _joined(
    results: Any, columns: list[str], events: tuple[Any, ...], bounds: tuple[Floats, int, float], looked_up: Any
) -> Any:
    """The table of tests with q-values, by a join in the engine."""
    import polars as pl

    _, last_key, last_value = bounds
    lookup = map_terms(events, looked_up, {"_key": pl.Int64, "q_value": pl.Float64}, "bin")
    factor, logarithms = looked_up.keywords["factor"], looked_up.keywords["plan"].logarithms
    last = float(_finished(np.array([last_value]), factor, logarithms=logarithms)[0])
    rest = [name for name in columns if name != "q_value"]
    largest = results.filter(nw.col("_key") == int(last_key)).select(*rest, nw.lit(last).alias("q_value"))
    none = results.filter(nw.col("_key").is_null()).select(*rest, nw.lit(None, dtype=nw.Float64).alias("q_value"))
    others = results.filter(nw.col("_key") != int(last_key)).select(*rest, "_key").join(lookup, on="_key", how="inner")
    # The largest p-value, which is 1 for half of all terms, takes no part in the join: one worker would have them all.
    return nw.concat([frame.select(*columns) for frame in (largest, none, others)])


def _histogram(results: Any, *, attainable: bool) -> pl.DataFrame:
    """Bins in order, with the number of p-values and of smallest possible ones: all that is ever held of all tests."""
    import polars as pl

    held = pl.DataFrame(schema={"bin": pl.Int64, "tests": pl.Int64, "able": pl.Int64})
    for batch in stream(results, ROWS_OF_TESTS, KEYS):
        some = batch_events(batch, attainable=attainable).drop("key")
        held = pl.concat([held, some]).group_by("bin").agg(pl.col("tests", "able").sum())
    return held.sort("bin")


def batch_events(batch: pl.DataFrame, *, attainable: bool) -> pl.DataFrame:
    """`_events` of some tests."""
    return cast("pl.DataFrame", nw.to_native(_events(nw.from_native(batch), attainable=attainable)))


def _ranges(found: pl.DataFrame) -> Integers:
    """The first bins of ranges with at most about `TESTS_OF_RANGE` p-values each, or one bin."""
    number = np.cumsum(found["tests"].to_numpy() + found["able"].to_numpy())
    at = np.flatnonzero(np.diff(number // TESTS_OF_RANGE, prepend=-1))
    return found["bin"].to_numpy()[at]


def _range_of(bins: pl.Series, ranges: Integers) -> pl.Series:
    """The number of the range of each bin; that of tests without a p-value is 0."""
    import polars as pl

    found = np.searchsorted(ranges, bins.fill_null(0).to_numpy(), side="right") - 1
    return pl.Series(np.maximum(found, 0))


def _event_parts(results: Any, ranges: Integers, *, attainable: bool) -> dict[int, Any]:
    """P-values as `_events` has them, in files, one part per range; the same p-value may be in several rows."""
    import polars as pl

    rows = (batch_events(batch, attainable=attainable) for batch in stream(results, ROWS_OF_TESTS, KEYS))
    schema = dict.fromkeys(("bin", "key", "tests", "able"), pl.Int64)
    return read_parts(spooled(rows, schema, place=lambda some: _range_of(some["bin"], ranges)))


def _joined_on_disk(
    results: Any, columns: list[str], by_range: dict[int, Any], ranges: Integers, looked_up: Any
) -> Any:
    """The table of tests with q-values: the tests of one range at a time, from files to files."""
    import polars as pl

    schema = polars_types(results)
    folder = spooled(stream(results, ROWS_OF_TESTS), schema, place=lambda some: _range_of(some["_bin"], ranges))

    def joined() -> Iterator[pl.DataFrame]:
        for number, files in read_files(folder):
            lookup = pl.DataFrame(schema={"_key": pl.Int64, "q_value": pl.Float64})
            if number in by_range:  # else none of them has a p-value
                lookup = looked_up(to_polars(by_range[number]))
            for tests in files:
                yield tests.drop("q_value").join(lookup, on="_key", how="left").select(columns)

    found = spooled(joined(), {name: schema[name] for name in columns})
    shutil.rmtree(folder, ignore_errors=True)
    return read_spooled(found, results)


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


def _bounds(events: tuple[Any, ...], plan: Bins) -> tuple[Floats, int, float]:
    """For every bin the bound that all other bins set; the key of the largest p-value, and its adjusted value."""
    import polars as pl

    schema = {"bin": pl.Int64, "bound": pl.Float64, "key": pl.Int64, "last": pl.Float64}
    found = to_polars(map_terms(events, partial(bin_bounds, plan=plan), schema, "bin")).sort("bin")
    worst = np.inf if plan.upwards else -np.inf
    own = np.full(plan.bins.size, worst)
    own[np.searchsorted(plan.bins, found["bin"].to_numpy())] = found["bound"].to_numpy()
    key, last = int(found["key"][-1]), float(found["last"][-1])
    if plan.upwards:
        later = np.minimum.accumulate(own[::-1])[::-1]
        return np.append(later[1:], worst), key, last
    return np.append(worst, np.maximum.accumulate(own)[:-1]), key, float(own.max())


def bin_bounds(events: pl.DataFrame, *, plan: Bins) -> pl.DataFrame:
    """The bound of every bin: the least (for "holm" the largest) of its ranked p-values; and its last p-value."""
    import polars as pl

    found = _ranked(events, plan)
    bound = pl.col("ranked").min() if plan.upwards else pl.col("ranked").max()
    return found.group_by("bin").agg(bound.alias("bound"), pl.col("key").last(), pl.col("ranked").last().alias("last"))


def bin_q_values(events: pl.DataFrame, *, plan: Bins, bounds: Floats, factor: float) -> pl.DataFrame:
    """The adjusted p-value of every distinct p-value of some bins."""
    import polars as pl

    found = _ranked(events, plan)
    running = pl.col("ranked").cum_min(reverse=True) if plan.upwards else pl.col("ranked").cum_max()
    within = found.select(running.over("bin")).to_series().to_numpy()
    bound = bounds[np.searchsorted(plan.bins, found["bin"].to_numpy())]
    adjusted = np.minimum(within, bound) if plan.upwards else np.maximum(within, bound)
    return pl.DataFrame({"_key": found["key"], "q_value": _finished(adjusted, factor, logarithms=plan.logarithms)})


def _finished(adjusted: Floats, factor: float, *, logarithms: bool) -> Floats:
    if logarithms:
        return 10.0 ** np.minimum(adjusted + np.log10(factor), 0.0)
    return np.minimum(adjusted * factor, 1.0)


def _ranked(events: pl.DataFrame, plan: Bins) -> pl.DataFrame:
    """The p-values of some bins in order, each with its value times the factor of its rank."""
    import polars as pl

    p = events.filter(pl.col("tests") > 0).group_by("bin", "key").agg(pl.col("tests").sum()).sort("bin", "key")
    place = p["bin"].to_numpy().astype(np.int64)
    key, times = p["key"].to_numpy(), p["tests"].to_numpy()
    at = np.searchsorted(plan.bins, place)
    values = values_of(key, logarithms=plan.logarithms)
    sums = np.append(0, np.cumsum(times))
    before = plan.tests[at] + sums[:-1] - sums[np.searchsorted(place, place)]
    within: int | Floats = plan.m
    if plan.able[0] >= 0:
        able = events.filter(pl.col("able") > 0).sort("key")
        lowest, sums = able["key"].to_numpy(), np.append(0, np.cumsum(able["able"].to_numpy()))
        reached = np.searchsorted(lowest, _reach(values, logarithms=plan.logarithms), side="right")
        start = np.searchsorted(lowest, place << FINE)
        within = (plan.able[at] + sums[reached] - sums[start]).astype(np.float64)
    found = ranked(values, times, before, within, plan.method, logarithms=plan.logarithms)
    return p.select("bin", "key", pl.Series("ranked", found))


def _null_share(events: Any, m: int, *, logarithms: bool) -> float:
    """π_0, from how many p-values are above each of `LAMBDAS`."""
    above = {}
    for number, edge in enumerate(_edges(logarithms=logarithms)):
        held = nw.when(nw.col("key") > edge).then(nw.col("tests")).otherwise(nw.lit(0, dtype=nw.Int64))
        above[f"above_{number}"] = held
    row = to_polars(events.select(**above).select(*(nw.col(name).sum() for name in above))).row(0)
    return null_share_of(np.array(row, dtype=np.int64), m)


def _edges(*, logarithms: bool) -> list[int]:
    """The largest keys whose p-values are not above each of `LAMBDAS`, found by bisection."""
    edges = []
    for share in LAMBDAS.tolist():
        low, high = 0, int(INFINITE)
        while low < high:
            middle = (low + high + 1) // 2
            value = float(values_of(np.array([middle]), logarithms=logarithms)[0])
            above = 10.0 ** max(value, -300.0) > share if logarithms else value > share
            low, high = (low, middle - 1) if above else (middle, high)
        edges.append(low)
    return edges
