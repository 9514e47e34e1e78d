"""Tails of the reference distributions, with the names of `scipy.stats`, whose import takes most of a second.

Each is the function of `scipy.special` that `scipy.stats` calls. `sf` is P(T > x) and `isf` its inverse; `ppf` is the
inverse of P(T ≤ x). A NaN stays a NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special


class norm:  # noqa: N801  # named as in scipy.stats
    """The standard normal distribution."""

    @staticmethod
    def sf(x: Any) -> Any:
        """P(Z > x).

        >>> norm.sf(1.96).round(4), norm.sf([0.0, 40.0]).tolist()[1] < 1e-300
        (np.float64(0.025), True)
        """
        return special.ndtr(-np.asarray(x, dtype=np.float64))

    @staticmethod
    def isf(p: Any) -> Any:
        """The x with P(Z > x) = *p*."""
        return -special.ndtri(p)


class chi2:  # noqa: N801
    """The χ² distribution."""

    @staticmethod
    def sf(x: Any, freedom: Any) -> Any:
        """P(X > x); 1 if x is negative.

        >>> chi2.sf(3.841459, 1).round(6)
        np.float64(0.05)
        """
        return special.chdtrc(freedom, np.maximum(x, 0.0))

    @staticmethod
    def ppf(p: Any, freedom: Any) -> Any:
        """The x with P(X ≤ x) = *p*."""
        return 2 * special.gammaincinv(freedom / 2, p)


class f:  # noqa: N801
    """The F distribution."""

    @staticmethod
    def sf(x: Any, freedom: Any, rest: Any) -> Any:
        """P(F > x), with degrees of freedom of numerator and denominator; 1 if x is negative, 0 at infinity.

        >>> f.sf(4.964603, 1, 10).round(6), f.sf([-1.0, float("inf")], 1, 10).tolist()
        (np.float64(0.05), [1.0, 0.0])
        """
        x = np.maximum(x, 0.0)
        return np.where(np.isposinf(x), 0.0, special.fdtrc(freedom, rest, x))[()]

    @staticmethod
    def isf(p: Any, freedom: Any, rest: Any) -> Any:
        """The x with P(F > x) = *p*."""
        p = np.asarray(p)
        return np.where(p == 1, 0.0, special.fdtri(freedom, rest, 1.0 - p))[()]  # SciPy before 1.17 has NaN there
