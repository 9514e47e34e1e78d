"""By how much do the selected terms differ at least? Limits that stay true for those that were chosen by them.

A list that is sorted by the lower end of 95 % intervals has the ends that are too high at its top. Here the level of an
interval depends on how many terms are claimed to differ by that much: the k-th needs the level that a test of rank k
needs (Benjamini & Yekutieli 2005, JASA 100; Harrison, Pattison, Powell & Beilharz 2019, Genome Biology 20).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.inference import distributions as stats
from termburst.inference.multiplicity import critical

Floats = NDArray[np.float64]

RANKS = 64  # how many ranks are looked at


def levels_of(alpha: float, terms: int, size: int = 5) -> Floats:
    """Two-sided levels from *alpha* down to alpha/terms, at equal steps of the normal quantile.

    >>> levels_of(0.05, 1_000, 3).round(5).tolist()
    [0.05, 0.00263, 5e-05]
    """
    first, last = stats.norm.isf(alpha / 2), stats.norm.isf(alpha / (2 * max(terms, 1)))
    return np.minimum(2 * stats.norm.sf(np.linspace(first, last, size)), alpha)


def confident_effects(
    ends: Floats, levels: Floats, selected: NDArray[np.bool_], adjust: str, tests: int, null_share: float = 1.0
) -> Floats:
    """By how much each term differs at least; 0 for terms that are not *selected*.

    For any x, the expected share of terms that differ by less than x among those with a result above x is at most the
    first of the levels, under the conditions of *adjust*. Let L_i(t) be the end of term i's interval at level t, and
    t_k the p-value that a test of rank k may have (for "bh" αk/m). If x_k is the k-th largest L_i(t_k), the result is
    max_k min(L_i(t_k), x_k).

    Parameters
    ----------
    ends : array of shape (terms, levels)
        The end of the interval nearest to 0 at each of the *levels*, as a distance from 0; below 0 if it contains 0.
    selected : whether a term is significant at the first level after adjustment
    adjust : a name in `multiplicity.METHODS`
    tests, null_share : m, the number of tests, and π_0 for "storey"

    Examples
    --------
    >>> ends = np.array([[2.0, 1.5], [0.9, 0.4], [0.3, -0.2]])
    >>> confident_effects(ends, np.array([0.05, 0.01]), np.array([True, True, False]), "bh", 5).round(2).tolist()
    [1.5, 0.6, 0.0]
    """
    result = np.zeros(len(ends))
    mine = np.flatnonzero(selected)
    if not mine.size:
        return result
    claims, ends = Claims.of(mine.size, levels, adjust, tests, null_share), ends[mine]
    result[mine] = claims.effects(ends, claims.order_statistics(ends))
    return result


@dataclass(frozen=True, slots=True)
class Claims:
    """The ranks that are looked at, and the quantiles of the levels that they need.

    `confident_effects` in steps, for rows that are in several places: only the `order_statistics` depend on all terms.
    """

    ranks: list[int]
    wanted: list[float]
    levels: Floats

    @classmethod
    def of(cls, selected: int, levels: Floats, adjust: str, tests: int, null_share: float = 1.0) -> Claims:
        """For that many *selected* terms."""
        ranks = np.unique(np.geomspace(1, max(selected, 1), RANKS).round())
        level = float(levels[0])
        wanted = [critical(adjust, level, np.array([rank]), tests, null_share)[0] / 2 for rank in ranks]
        return cls(ranks.astype(int).tolist(), stats.norm.isf(wanted).tolist(), levels)

    def at(self, ends: Floats) -> Iterator[Floats]:
        """L_i(t_k) of every term, for one rank k after another."""
        # Intervals are nested. If a likelihood with several maxima gives others, the nearest end so far counts.
        ends = np.minimum.accumulate(np.nan_to_num(ends, nan=0.0, neginf=0.0), axis=1)
        z = stats.norm.isf(self.levels / 2)
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
