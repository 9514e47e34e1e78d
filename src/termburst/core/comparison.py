"""Two groups of documents, each with its own precision: which has the larger share of a term (comparison.c)?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, call, record, require, struct

DEGREES = 4.0  # degrees of freedom of the prior, a Student distribution
RATIOS, RATIO_STEP = 65, 0.25  # of the lattice of log α_0a − log α_0b, as in comparison.h


def learn_precisions(profiles: NDArray[Any], times: Floats, level: float, weight_a: float, density: Floats) -> Floats:
    """Σ_i log ∫ L_i(r) p(r) dr over the terms, for every row of *density*; each term counts *times*.

    *density* is p(r) at r = RATIO_STEP × (k − 32), one row per prior.
    """
    require(profiles.shape == (times.size, 2), "there must be two profiles per term")
    require(density.ndim == 2 and density.shape[1] == RATIOS, "a row of density must have one number per ratio")
    profiles, density = np.ascontiguousarray(profiles), np.ascontiguousarray(density)
    prior, likelihood, sums = _prior(0.0, 1.0, level, weight_a), np.empty(RATIOS), np.zeros(len(density))
    call("tb_learn_precisions", struct("LearnTask", locals()))
    return sums


def compare_sides(
    profiles: NDArray[Any], prior: tuple[float, float, float, float], log_ratios: Floats, levels: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """P(log ratio < x) and P(log ratio > x) at *log_ratios* (terms × any), its median, a statistic, and its limits.

    The limits are terms × levels × 2; those of the second level on are NaN where p at a ratio of 1 is above the first.
    *prior* is shift, spread, level and weight_a of `PrecisionPrior`.
    """
    size, tails = log_ratios.shape
    require(profiles.shape == (size, 2), "there must be two profiles per term")
    require(bool((levels > 0).all() and (levels < 1).all()), "levels must lie between 0 and 1")
    require(prior[1] > 0, "the spread must be above 0")
    below, above = np.empty((size, tails)), np.empty((size, tails))
    median, statistic = np.empty(size), np.empty(size)
    limits = np.full((size, levels.size, 2), np.nan)
    profiles, log_ratios = np.ascontiguousarray(profiles), np.ascontiguousarray(log_ratios)
    call("tb_compare_sides", struct("CompareTask", locals(), prior=_prior(*prior)))
    return below, above, median, statistic, limits


def _prior(shift: float, spread: float, level: float, weight_a: float) -> NDArray[Any]:
    return np.array([(shift, spread, level, weight_a)], record("PrecisionPrior"))
