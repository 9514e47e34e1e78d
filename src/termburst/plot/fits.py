"""The parameters of fits that can be drawn: those that are finite."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.plot.canvas import Floats, same_length, vectors


class Fit(Protocol):
    """The parts of a `BetaBinomialFit` that figures use."""

    @property
    def alpha(self) -> Floats:
        """α̂_i, one value per term."""

    @property
    def alpha_not(self) -> Floats:
        """α̂_¬i, one value per term."""

    @property
    def status(self) -> NDArray[Any]:
        """Such as "converged", "boundary" or "degenerate", one value per term."""


def interior(fit: Fit) -> tuple[Floats, Floats]:
    """log α_i and log α_¬i of interior fits, NaN for other terms; raises an error if the lengths differ."""
    alpha, alpha_not = vectors(("alpha", fit.alpha), ("alpha_not", fit.alpha_not))
    status = np.asarray(fit.status)
    same_length(("alpha", alpha), ("status", status))
    inside = status == "converged"
    return _log(np.where(inside, alpha, np.nan)), _log(np.where(inside, alpha_not, np.nan))


def published_logs(published: tuple[ArrayLike, ArrayLike], length: int) -> tuple[Floats, Floats]:
    """log α_i and log α_¬i of the published fits, NaN where they are not finite and positive."""
    if len(published) != 2:
        raise ValueError("published must be a pair, alpha and alpha_not")
    alpha, alpha_not = vectors(("published alpha", published[0]), ("published alpha_not", published[1]))
    if len(alpha) != length:
        raise ValueError(f"published must have one entry for each of the {length:,} terms; it has {len(alpha):,}")
    return _log(alpha), _log(alpha_not)


def _log(values: Floats) -> Floats:
    usable = np.isfinite(values) & (values > 0)
    return np.log(np.where(usable, values, np.nan))
