"""P-values adjusted for multiple tests, including those too small for a floating-point number; limits of effects.

By how much do the selected terms differ at least? Limits that stay true for those that were chosen by them.
A list that is sorted by the lower end of 95 % intervals has the ends that are too high at its top. Here the level of an
interval depends on how many terms are claimed to differ by that much: the k-th needs the level that a test of rank k
needs (Benjamini & Yekutieli 2005, JASA 100; Harrison, Pattison, Powell & Beilharz 2019, Genome Biology 20).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from termburst.inference.checks import check_name

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Direction = Literal["up", "down", "none"]

PART = 1_000_000  # tests that are adjusted at a time
RANKS, LEVELS = 64, 5  # how many ranks are looked at, and levels of intervals
ROUNDING = 1e-9  # a p-value above 1 by less than this counts as 1


@dataclass(frozen=True, slots=True)
class Method:
    """How a method adjusts the k-th smallest of m p-values; `adjust` has the formulas.

    Attributes
    ----------
    factors : function of the ranks k = 1, 2, … and of m (or of one m per rank): the factors of the p-values in
        ascending order
    direction : "up": then the minimum over it and all larger ones; "down": the maximum over it and all smaller ones
    """

    factors: Callable[[Floats, int | Floats], Floats]
    direction: Direction


METHODS: dict[str, Method] = {
    "bh": Method(lambda rank, m: m / rank, "up"),
    "by": Method(lambda rank, m: m / rank * np.float64(special.digamma(np.max(m) + 1) + np.euler_gamma), "up"),
    "holm": Method(lambda rank, m: m - rank + 1, "down"),
    "none": Method(lambda rank, m: np.ones_like(rank), "none"),
}


def adjust(p: ArrayLike, method: str = "bh", *, attainable: ArrayLike | None = None) -> Floats:
    """P-values adjusted for multiplicity, in the given order: reject those at or below the error rate you want to keep.

    With p_(1) ≤ … ≤ p_(m), and everything capped at 1:

    ========= =======================================================================================================
    "bh"      min_{l ≥ k} p_(l) m/l                          false discovery rate, for independent or positively
                                                             dependent tests (Benjamini & Hochberg 1995)
    "by"      min_{l ≥ k} p_(l) m/l · Σ_{h ≤ m} 1/h          the same under any dependence (Benjamini & Yekutieli 2001)
    "holm"    max_{l ≤ k} p_(l) (m − l + 1)                  probability of any false discovery (Holm 1979)
    "none"    p_(k)
    ========= =======================================================================================================

    Parameters
    ----------
    p : array of any shape, all one family of tests
        NaN where nothing was tested: it stays NaN and does not count.
    method : a name in `METHODS`
    attainable : array of the shape of *p*, optional
        The smallest p-value that each test could have had, at most p, from what a discrete test is conditional on. Then
        m at p_(l) is the number of tests that could have a p-value as small: a test that cannot reach a level costs
        the others nothing there (Tarone 1990, Biometrics 46; Gilbert 2005, JRSS C 54; Heyse 2011).

    Returns
    -------
    array of the shape of *p*

    Examples
    --------
    >>> import numpy as np
    >>> adjust([0.01, 0.04, np.nan, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.0533, nan, 0.0533, 0.5]
    >>> adjust([0.01, 0.04, np.nan, 0.03, 0.5], "holm").round(4).tolist()
    [0.04, 0.09, nan, 0.09, 0.5]
    >>> adjust([0.01, 0.04, 0.3, 0.5], attainable=[0.01, 0.02, 0.3, 0.3]).round(4).tolist()  # two can reach 0.05
    [0.01, 0.04, 0.4, 0.5]
    """
    values = _floats(p, "p-values")
    for i in np.flatnonzero((values < 0) | (values > 1 + ROUNDING))[:1]:
        raise ValueError(f"p-values must lie between 0 and 1; number {i} is {values.flat[i]}")
    least = None if attainable is None else _floats(attainable, "attainable p-values")
    if least is not None and (least.shape != values.shape or (least > values + ROUNDING).any()):
        raise ValueError("attainable must have one value per p-value, each at most p")
    return _adjusted(np.minimum(values, 1.0), method, None, least)


def critical(method: str, level: float, ranks: Floats, m: int) -> Floats:
    """The p-values that the tests at these *ranks* may have at most to be significant at *level*, among *m* tests."""
    return np.minimum(level / METHODS[method].factors(ranks, m), level)


def adjust_log10(log10_p: ArrayLike, method: str = "bh", *, tests: int | None = None) -> Floats:
    """Like `adjust`, from and to logarithms to base 10, for p-values such as 1e-5000 that are too small for a float.

    *tests* is m, if only the smallest p-values of more tests are given.

    Examples
    --------
    >>> adjust_log10([-5000.0, -0.3, -2.0]).round(4).tolist()
    [-4999.5229, -0.3, -1.8239]
    """
    values = _floats(log10_p, "logarithms of p-values")
    for i in np.flatnonzero(values > ROUNDING)[:1]:
        raise ValueError(f"logarithms of p-values must be 0 or below; number {i} is {values.flat[i]}")
    return _adjusted(np.minimum(values, 0.0), method, tests, None, logarithms=True)


def _adjusted(
    values: Floats, method: str, tests: int | None, least: Floats | None, *, logarithms: bool = False
) -> Floats:
    """The same code for p and log p: factors multiply or add. SciPy has no logarithms, and only "bh" and "by"."""
    check_name("method", method, METHODS)
    tested = np.flatnonzero(~np.isnan(values))
    m = tested.size if tests is None else tests
    if m < tested.size:
        raise ValueError(f"tests must be at least the number of p-values, {tested.size:,}; got {tests}")
    result = np.full(values.shape, np.nan)
    if not tested.size:
        return result
    rule, given = METHODS["bh" if method == "by" else method], values.flat[tested]
    able = None if least is None else np.sort(least.flat[tested])
    order = np.argsort(given, kind="stable")
    given = given[order]
    for first in range(0, given.size, PART):  # in place, part by part: there may be many millions of tests
        part = slice(first, first + PART)
        ranks = np.arange(first + 1.0, min(first + PART, given.size) + 1)
        within = m if able is None else np.searchsorted(able, given[part] * (1 + ROUNDING), side="right").astype(float)
        factors = rule.factors(ranks, within)
        given[part] = given[part] + np.log10(factors) if logarithms else given[part] * factors
    if rule.direction == "up":
        np.minimum.accumulate(given[::-1], out=given[::-1])
    elif rule.direction == "down":
        np.maximum.accumulate(given, out=given)
    if method == "by":  # a factor that all have in common: Σ_{h ≤ m} 1/h for the largest m
        common = float(special.digamma(np.max(within) + 1) + np.euler_gamma)
        given = given + np.log10(common) if logarithms else given * common
    result.flat[tested[order]] = np.minimum(given, 0.0 if logarithms else 1.0)
    return result


def _floats(values: ArrayLike, what: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be numbers, or NaN where nothing was tested") from error


def levels_of(alpha: float, terms: int) -> Floats:
    """Two-sided levels from *alpha* down to alpha/terms, at equal steps of the normal quantile.

    >>> levels_of(0.05, 1_000).round(5).tolist()[::2]
    [0.05, 0.00263, 5e-05]
    """
    first, last = -special.ndtri(alpha / 2), -special.ndtri(alpha / (2 * max(terms, 1)))
    return np.minimum(2 * special.ndtr(-np.linspace(first, last, LEVELS)), alpha)


@dataclass(frozen=True, slots=True)
class Claims:
    """By how much each selected term differs at least: the ranks that are looked at, and the quantiles that they need.

    For any x, the expected share of terms that differ by less than x among those with a result above x is at most the
    first of the levels, under the conditions of the adjustment. Let L_i(t) be the end of term i's interval at level t,
    and t_k the p-value that a test of rank k may have (for "bh" αk/m). If x_k is the k-th largest L_i(t_k), the result
    is max_k min(L_i(t_k), x_k). Rows may be in several places: only the `order_statistics` depend on all terms.

    *ends*, terms × levels, are those of the interval nearest to 0 at each of the *levels*, as a distance from 0; below
    0 if it contains 0. All are of selected terms: significant at the first level after adjustment.

    Examples
    --------
    >>> ends = np.array([[2.0, 1.5], [0.9, 0.4]])
    >>> claims = Claims.of(2, np.array([0.05, 0.01]), "bh", 5)
    >>> claims.effects(ends, claims.order_statistics(ends)).round(2).tolist()
    [1.5, 0.6]
    """

    ranks: list[int]
    wanted: list[float]
    levels: Floats

    @classmethod
    def of(cls, selected: int, levels: Floats, adjust: str, tests: int) -> Claims:
        """For that many *selected* terms of all *tests*; *adjust* is a name in `METHODS`."""
        ranks = np.unique(np.geomspace(1, max(selected, 1), RANKS).round())
        level = float(levels[0])
        wanted = [critical(adjust, level, np.array([rank]), tests)[0] / 2 for rank in ranks]
        return cls(ranks.astype(int).tolist(), (-special.ndtri(wanted)).tolist(), levels)

    def at(self, ends: Floats) -> Iterator[Floats]:
        """L_i(t_k) of every term, for one rank k after another."""
        # Intervals are nested. If a likelihood with several maxima gives others, the nearest end so far counts.
        ends = np.minimum.accumulate(np.nan_to_num(ends, nan=0.0, neginf=0.0), axis=1)
        z = -special.ndtri(self.levels / 2)
        return (_at(wanted, z, ends) for wanted in self.wanted)

    def order_statistics(self, ends: Floats) -> Floats:
        """The k-th largest L_i(t_k) of all selected terms, for each rank k; 0 if none is selected."""
        if not len(ends):
            return np.zeros(len(self.ranks))
        return np.array([np.partition(at, -rank)[-rank] for rank, at in zip(self.ranks, self.at(ends), strict=True)])

    def effects(self, ends: Floats, least: Floats) -> Floats:
        """The effects of selected terms, if *least* has the k-th largest L_i(t_k) of each rank."""
        best = np.zeros(len(ends))
        for at, kth in zip(self.at(ends), least.tolist(), strict=True):
            best = np.maximum(best, np.minimum(at, kth))
        return best


def _at(wanted: float, z: Floats, ends: Floats) -> Floats:
    """The ends at the quantile *wanted*: linear between the given quantiles and beyond the last."""
    if z.size == 1 or z[-1] == z[0]:
        return ends[:, 0]
    k = int(np.clip(np.searchsorted(z, wanted) - 1, 0, z.size - 2))
    share = (wanted - z[k]) / (z[k + 1] - z[k])
    return ends[:, k] + share * (ends[:, k + 1] - ends[:, k])


def selected_end(low: Floats, high: Floats, q_value: Floats, confidence: float | None) -> Floats:
    """The end of an interval nearest to 0 if q ≤ 1 − confidence and the interval is without 0; otherwise 0.

    It is for tables whose intervals are known at one level only. NaN without an interval.

    >>> low, high = np.array([0.5, -3.0, -1.0, 0.2]), np.array([2.0, -0.4, 1.0, 1.0])
    >>> selected_end(low, high, np.array([0.01, 0.01, 0.01, 0.3]), 0.95).tolist()
    [0.5, -0.4, 0.0, 0.0]
    """
    if confidence is None:
        return np.full(low.size, np.nan)
    end = np.where(low > 0, low, np.where(high < 0, high, 0.0))
    return np.where(np.isnan(low), np.nan, np.where(q_value <= 1 - confidence + 1e-12, end, 0.0))
