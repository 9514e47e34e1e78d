"""Lockwords: terms whose frequency surely differs by less than a given ratio between two corpora.

A large p does not say that corpora agree: a rare term never has a small one. The question is turned round (an
equivalence test, Schuirmann 1987): the hypothesis is that the shares differ by at least the ratio, in either direction,
and it is rejected at level α if the 1 − 2α interval of the log ratio lies within ±log ratio. The p-value is the
smallest such α. The interval is that of `keyness`: by profile likelihood, where twice the log-likelihood has fallen by
c, with c compared with F(1, d − 2).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.inference import distributions as stats
from termburst.inference.keyness import compare
from termburst.models.cells import TermCells

Floats = NDArray[np.float64]

STEPS = 7  # of the search for the level at which a limit is the ratio
LARGEST = 60.0  # fall of twice the log-likelihood from which p is not searched for: below 1e-14


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The equivalence test of every term.

    Attributes
    ----------
    log_ratio : log₂ π̂_a/π̂_b; ±inf if one corpus lacks the term, NaN if both do.
    ci_low, ci_high : the 1 − 2α interval for which the test at level α is equivalent.
    p_value : of the hypothesis that the shares differ by at least the ratio; 1 if the estimate does.
    """

    log_ratio: Floats
    ci_low: Floats
    ci_high: Floats
    p_value: Floats


def lockwords(a: TermCells, b: TermCells, ratio: float, *, level: float = 0.05) -> Equivalence:
    """Test every term for a difference below *ratio* (above 1)."""
    found = compare(a, b)
    mean_a, mean_b = found.mean.T
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.log(mean_a) - np.log(mean_b)
    documents = sum(int(cells.length_documents[cells.lengths > 0].sum()) for cells in (a, b))
    freedom = max(documents - 2, 1)
    bound = np.log(ratio)

    inside = np.isfinite(estimate) & (np.abs(estimate) < bound)
    groups = copy.copy(found.groups)  # only terms whose estimate is inside need a search
    groups.terms = groups.terms[inside[groups.terms]]

    def limits(root: Floats) -> Floats:
        return groups.ratio_limits(found.raw, root**2, found.apart)

    root = np.minimum(*(_root(limits, estimate, bound, inside, side) for side in (0, 1)))
    p_value = np.where(inside, stats.t.sf(root, freedom), 1.0)
    absent = found.null.status == "empty"
    ends = found.groups.ratio_limits(found.raw, stats.t.isf(level, freedom) ** 2, found.apart) / np.log(2)
    ends = np.where(absent[:, None], np.nan, ends)
    log_ratio = np.where(absent, np.nan, estimate / np.log(2))
    return Equivalence(log_ratio, ends[:, 0], ends[:, 1], np.where(absent, np.nan, p_value))


def _root(
    limits: Callable[[Floats], Floats], estimate: Floats, bound: float, inside: NDArray[np.bool_], side: int
) -> Floats:
    """√c at which the lower (side 0) or upper limit is at −bound or +bound; 0 for terms not *inside*.

    √c is nearly linear in the limit, so the secant method with bisection as a guard needs few steps. The result is from
    below: at the returned √c the limit lies within the bound.
    """
    at = -bound if side == 0 else bound
    low, high = np.zeros(estimate.size), np.full(estimate.size, np.sqrt(LARGEST))
    gap_low = np.abs(at - np.where(inside, estimate, 0.0))
    gap_high = np.full(estimate.size, np.nan)
    trial = np.full(estimate.size, 1.5)
    for _ in range(STEPS):
        limit = limits(trial)[:, side]
        gap = (limit - at) * (1.0 if side == 0 else -1.0)  # above 0 if the limit is within the bound
        within = gap >= 0
        low, gap_low = np.where(within, trial, low), np.where(within, gap, gap_low)
        high, gap_high = np.where(within, high, trial), np.where(within, gap_high, -gap)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = np.where(np.isfinite(gap_high), (high - low) / (gap_low + gap_high), np.nan)
            step = np.where(np.isfinite(slope), slope * gap_low, trial)  # without an upper end, twice as far
        margin = 0.02 * (high - low)
        trial = np.clip(np.where(np.isfinite(gap_high), low + step, 2 * low), low + margin, high - margin)
    return np.where(inside, low, 0.0)
