"""How much does the precision of words depend on a covariate? What all words of a collection say about it.

log α_0g = τ + Σ_p (δ_p + γ_p) z_gp − κ (v_g − v), with z_p a column of the contrast and γ_p ~ N(0, s_p²) for each word.
δ and s maximise the sum over words of the log marginal likelihood on a fixed grid, where the profile likelihood of γ of
one word is taken as normal. Such sums add over words: slices of a collection and engines give the same δ and s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHIFTS = np.linspace(-4.0, 4.0, 81)
SPREADS = np.array([0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.3, 1.7, 2.2])
SUMS = 1 + SHIFTS.size * SPREADS.size  # numbers of a column: how many words say something, and the sums on the grid
WIDE = 2.0  # standard deviation of γ while δ and s are learned
LEAST = 10  # documents with a word from which it may say something
TELLING = 0.5  # of the information about γ, from which a word says something
ENOUGH_WORDS = 20  # that say something, from which δ and s are learned; below,
UNLEARNED = 0.7  # this is s, and δ is 0


@dataclass(frozen=True, slots=True)
class Leaning:
    """δ and s of each column z."""

    shift: Floats
    spread: Floats

    @classmethod
    def of(cls, sums: Floats) -> Leaning:
        """The maximum of sums over all words, one row of `SUMS` numbers per column."""
        shift, spread = np.zeros(len(sums)), np.full(len(sums), UNLEARNED)
        for p, (words, *heights) in enumerate(sums):
            if words >= ENOUGH_WORDS:
                at, width = divmod(int(np.argmax(heights)), SPREADS.size)
                shift[p], spread[p] = SHIFTS[at], SPREADS[width]
        return cls(shift, spread)


def log_marginals(mean: Floats, variance: Floats) -> Floats:
    """Σ log N(m; δ, u + s²) over words, on the grid of δ and s, after the number of words that say something.

    *mean* and *variance* are those of γ of each word under the prior N(0, `WIDE`²); m and u are without that prior.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gamma = rng.normal(1.0, 0.5, 500) + rng.normal(0, 0.3, 500)
    >>> information = 1 / 0.3**2 + 1 / WIDE**2
    >>> sums = log_marginals(gamma / 0.3**2 / information, np.full(500, 1 / information))
    >>> found = Leaning.of(sums[None, :])
    >>> found.shift.round(1).tolist(), found.spread.tolist()
    ([1.0], [0.5])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        known = 1 / variance - 1 / WIDE**2
    told = np.isfinite(mean) & (known > TELLING)
    own = (mean[told] / variance[told] / known[told])[:, None]
    total = 1 / known[told][:, None] + SPREADS**2
    # Σ (m − δ)²/(u + s²) = Σ m²/(u + s²) − 2δ Σ m/(u + s²) + δ² Σ 1/(u + s²)
    squares, products, weights = ((own**power / total).sum(axis=0) for power in (2, 1, 0))
    delta = SHIFTS[:, None]
    heights = -(squares - 2 * delta * products + delta**2 * weights + np.log(total).sum(axis=0)) / 2
    return np.concatenate([[float(told.sum())], heights.ravel()])
