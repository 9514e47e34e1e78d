"""P-values as integers, their bins, and their ranks within bins: the arithmetic of `engines.adjusting`.

It works on events: rows of bin, key (a p-value as an integer), *tests* (how many p-values are equal to it) and *able*
(how many smallest possible p-values are).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.multiplicity import LAMBDAS, METHODS, ROUNDING, ranked
from termburst.statistics.tally import Integers

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]

FINE = 40  # bits of a float that do not matter for its bin: 12 bits of the mantissa do
INFINITE = np.array([np.inf]).view(np.int64)[0]
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
        "_bin": reach_of(value, logarithms=logarithms) >> FINE,
        "_least": keys_of(lowest, logarithms=logarithms),
        "_least_bin": keys_of(lowest, logarithms=logarithms) >> FINE,
    }
    mask = pl.Series(tested)
    return {name: pl.select(pl.when(mask).then(pl.Series(keys))).to_series() for name, keys in columns.items()}


def reach_of(values: Floats, *, logarithms: bool) -> Integers:
    """The keys of the largest values that count as equal to these; see `ROUNDING`."""
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

    @classmethod
    def of(
        cls, bins: Integers, tests: Integers, able: Integers, method: str, *, logarithms: bool, attainable: bool
    ) -> Bins:
        """From the bins in ascending order, and how many p-values and smallest possible ones are in each."""
        before = np.cumsum(tests) - tests
        reached = np.cumsum(able) - able if attainable else np.full(before.size, -1)
        return cls(bins, before, reached, int(tests.sum()), method, logarithms)

    @property
    def upwards(self) -> bool:
        return METHODS[self.method].direction == "up"


def bounds_of_others(found: pl.DataFrame, plan: Bins) -> tuple[Floats, int, float]:
    """For every bin the bound that all other bins set; the key of the largest p-value, and its adjusted value.

    *found* has the rows of `bin_bounds` of all bins.
    """
    found = found.sort("bin")
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
    return pl.DataFrame({"_key": found["key"], "q_value": finished(adjusted, factor, logarithms=plan.logarithms)})


def finished(adjusted: Floats, factor: float, *, logarithms: bool) -> Floats:
    """Adjusted p-values: times the factor of the method, and at most 1."""
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
        reached = np.searchsorted(lowest, reach_of(values, logarithms=plan.logarithms), side="right")
        start = np.searchsorted(lowest, place << FINE)
        within = (plan.able[at] + sums[reached] - sums[start]).astype(np.float64)
    found = ranked(values, times, before, within, plan.method, logarithms=plan.logarithms)
    return p.select("bin", "key", pl.Series("ranked", found))


def null_share_edges(*, logarithms: bool) -> list[int]:
    """The largest keys whose p-values are not above each of `LAMBDAS`, found by bisection."""
    edges = []
    for share in LAMBDAS.tolist():
        low, high = 0, int(INFINITE)
        while low < high:
            middle = (low + high + 1) // 2
            value = values_of(np.array([middle]), logarithms=logarithms)
            # The power of NumPy, as in memory: that of Python may differ from it in the last bit.
            above = bool(((10.0 ** np.maximum(value, -300.0) if logarithms else value) > share)[0])
            low, high = (low, middle - 1) if above else (middle, high)
        edges.append(low)
    return edges
