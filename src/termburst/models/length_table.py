"""The part of document lengths in a beta-binomial likelihood, tabulated once.

Let C_k be the number of documents longer than k. The likelihood depends on the lengths only through
K(z) = Σ_k C_k k/(z + k) and its derivative, at z = α_¬ and z = α_0. Interpolation from a table takes nanoseconds, for
any number of documents. That is why a fit costs only one pass over a term's own occurrences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from termburst.core import length_table as core
from termburst.statistics.matrix import Integers
from termburst.threads import over_parts

LENGTHS, RUN = 64, 16  # a cell costs a kernel about as much as 64 terms of such a sum, and a run as much as 16
DIRECT = 4096  # lengths up to which C_k is summed term by term


@dataclass(frozen=True, slots=True)
class LengthTable:
    """K(z) on a grid of log z, for the non-empty documents of a collection.

    Attributes
    ----------
    coefficients : array of shape (panels, degree + 1, 2)
        Polynomials in −1…1 for K and −dK/d log z on every panel.
    tokens, longest : int
        The sum and the maximum of the lengths.
    pairs : float
        Σ_k C_k k = Σ_j n_j (n_j − 1)/2, the limit of z K(z).

    Examples
    --------
    >>> table = LengthTable.of(np.array([1, 3]), np.array([5, 2]))  # five documents of one token, two of three
    >>> value, slope = core.look_up(table.for_kernels(), np.log([2.0]))  # C_1 = C_2 = 2: K(2) = 2 · 1/3 + 2 · 2/4
    >>> value.round(12).tolist()
    [1.666666666667]
    """

    coefficients: NDArray[np.float64]
    tokens: int
    longest: int
    pairs: float

    @classmethod
    def of(cls, lengths: Integers, documents: Integers) -> LengthTable:
        """The table of distinct, ascending lengths and the number of documents of each; length 0 is left out."""
        present = lengths > 0
        lengths, documents = lengths[present], documents[present]
        longest = int(lengths[-1]) if lengths.size else 0
        from_here = np.append(np.cumsum(documents[::-1])[::-1], 0).astype(np.float64)
        direct = min(longest, DIRECT)
        longer = from_here[np.searchsorted(lengths, np.arange(direct), side="right")]
        edges = np.append(direct, lengths[lengths > direct])
        run_longer = from_here[np.searchsorted(lengths, edges[:-1], side="right")]
        angles, interpolation = _interpolation()
        middles = core.LOWEST + core.WIDTH * (np.arange(core.PANELS) + 0.5)
        t = (middles[:, None] + core.WIDTH / 2 * np.cos(angles)).ravel()
        values = np.empty((t.size, 2))

        def fill(part: slice) -> None:
            log_z = np.ascontiguousarray(t[part])
            values[part, 0], values[part, 1] = core.length_sums(log_z, longer, edges, run_longer)

        over_parts(fill, t.size * (direct + RUN * run_longer.size) // LENGTHS)
        by_panel = values.reshape(core.PANELS, -1, 2).transpose(0, 2, 1)
        return cls(
            np.ascontiguousarray((by_panel @ interpolation).transpose(0, 2, 1)),
            int(lengths @ documents),
            longest,
            float((lengths * (lengths - 1) // 2) @ documents.astype(np.float64)),
        )

    def for_kernels(self) -> core.LengthTable:
        """The table in the form of the compiled core."""
        return core.length_table(self.coefficients, float(self.tokens), self.pairs, self.longest)


@cache
def _interpolation() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The angles of Chebyshev nodes, and the matrix from values at the nodes to coefficients of powers.

    It is made by way of Chebyshev polynomials: inverting the matrix of powers would lose four digits.
    """
    size = core.DEGREE + 1
    angles = np.pi * (np.arange(size) + 0.5) / size
    to_chebyshev = 2 / size * np.cos(np.outer(angles, np.arange(size)))
    to_chebyshev[:, 0] /= 2
    to_powers = np.zeros((size, size))
    for k in range(size):
        row = np.polynomial.chebyshev.cheb2poly(np.eye(size)[k])
        to_powers[k, : row.size] = row
    return angles, to_chebyshev @ to_powers
