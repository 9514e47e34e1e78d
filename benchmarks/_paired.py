"""Differences between two methods on the same documents or from the same seeds: intervals and tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

SAMPLES = 2000


def mcnemar(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> float:
    """McNemar's exact p: do as many documents change from right to wrong as from wrong to right?"""
    better, worse = int(np.sum(ours & ~theirs)), int(np.sum(~ours & theirs))
    return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0


def documents(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> str:
    """The difference in accuracy, from the documents that each gets right."""
    return _shown(ours.astype(np.float64) - theirs, mcnemar(ours, theirs))


def seeds(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> str:
    """The difference in a measure, one value per seed: Wilcoxon's exact signed-rank p (0.002 if all ten agree)."""
    differences = ours - theirs
    return _shown(differences, float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0)


def _shown(differences: NDArray[np.float64], p: float) -> str:
    """The mean, its 95 % interval by bootstrap samples of the pairs, and p."""
    low, high = interval(differences)
    return f"{differences.mean():+.4f} [{low:+.4f}, {high:+.4f}]  p = {p:.2g}"


def interval(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean, by bootstrap samples of the pairs."""
    rng = np.random.default_rng(0)
    drawn = [differences[rng.integers(0, differences.size, differences.size)].mean() for _ in range(SAMPLES)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
