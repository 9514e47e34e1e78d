"""The beta-binomial distribution of a term's count in a document, and the paper's approximation to it (Claim 1).

In all functions n_ij is the count of the term in a document of n_j tokens, α the parameter of the term, α_¬ that of all
other terms, and α_0 = α + α_¬. Arguments broadcast. Parameters must be finite and above 0; for α_0 = ∞ use
`termburst.models.binomial`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.models.binomial import positive, possible_counts, whole
from termburst.models.special import (
    bernoulli_series,
    deviance,
    factorial_remainder,
    stirling_remainder,
)

Floats = NDArray[np.float64]
Shape = int | tuple[int, ...]

_HEAD = 16  # terms of a sum over q < n added one by one; from a + 16 the asymptotic series are exact up to rounding


def log_pmf(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The log-probability of n_ij occurrences in a document of n_j tokens (Eq. bcb-pmf, with its coefficient).

    log C(n_j, n_ij) + log[α^(n_ij) α_¬^(n_j − n_ij) / α_0^(n_j)], where a^(n) = Γ(a + n)/Γ(a) is the rising factorial.

    Summing these logarithms would lose eight digits at n_j = 1e7. Expanding each log Γ by Stirling gives instead
    −n_j KL(p‖q) − α_0 KL(α/α_0‖q) with p = n_ij/n_j, q = (n_ij + α)/(n_j + α_0), whose four deviances are
    non-negative, and remainders of logarithmic size. −inf outside 0 ≤ n_ij ≤ n_j and for numbers that are not integers.

    Limits: as α_0 → ∞, binomial(n_j, α/α_0); as α_0 → 0, n_j or 0 with probabilities α/α_0 and α_¬/α_0.

    Examples
    --------
    >>> np.exp(log_pmf([0, 1, 2, 3], 2, 1.0, 1.0)).round(6).tolist()
    [0.333333, 0.333333, 0.333333, 0.0]
    """
    alpha, alpha_not = positive("alpha", alpha), positive("alpha_not", alpha_not)
    possible, n_ij, n_j = possible_counts(n_ij, n_j)
    n_not, alpha_0 = n_j - n_ij, alpha + alpha_not
    total = alpha_0 + n_j
    q, q_not = (alpha + n_ij) / total, (alpha_not + n_not) / total
    excess = n_not * (alpha / total) - n_ij * (alpha_not / total)  # n_j q − n_ij, and minus α_0 q − α
    value = (
        -deviance(n_ij, n_j * q, excess) - deviance(n_not, n_j * q_not, -excess)
        - deviance(alpha, alpha_0 * q, -excess) - deviance(alpha_not, alpha_0 * q_not, excess)
        + factorial_remainder(n_j) - factorial_remainder(n_ij) - factorial_remainder(n_not)
        + _remainder_step(alpha, n_ij) + _remainder_step(alpha_not, n_not) - _remainder_step(alpha_0, n_j)
    )  # fmt: skip
    return np.where(possible, np.minimum(value, 0.0), -np.inf)


def log_none(n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """log P(N = 0) = log[α_¬^(n_j) / α_0^(n_j)], as `log_pmf` gives it, in a fifth of its time.

    Each log Γ is (x − ½) log x − x + δ(x), and their differences are logarithms of 1 + y. What cancels is of size α, so
    the error is some 1e-16 α. From α = 1000 on, `log_pmf` computes it.

    Examples
    --------
    >>> np.exp(log_none([0, 1, 2], 1.0, 1.0)).round(6).tolist()
    [1.0, 0.5, 0.333333]
    """
    n_j, alpha, alpha_not = (np.asarray(array, dtype=np.float64) for array in (n_j, alpha, alpha_not))
    if np.max(alpha, initial=0.0) > 1000:
        return log_pmf(0, n_j, alpha, alpha_not)
    alpha_0, grown, grown_0 = alpha + alpha_not, alpha_not + n_j, alpha + alpha_not + n_j
    far = bool(np.min(grown, initial=12.0) >= 12)
    remainder = (bernoulli_series(grown, 0) - bernoulli_series(grown_0, 0)) if far else (
        stirling_remainder(grown) - stirling_remainder(grown_0)
    )  # fmt: skip
    own = (alpha_not - 0.5) * np.log1p(alpha / alpha_not) + stirling_remainder(alpha_0) - stirling_remainder(alpha_not)
    value = own + remainder - (grown - 0.5) * np.log1p(alpha / grown) - alpha * np.log1p(n_j / alpha_0)
    return np.asarray(np.minimum(value, 0.0))


def sample(
    n_j: ArrayLike,
    alpha: ArrayLike,
    alpha_not: ArrayLike,
    rng: np.random.Generator | int | None = None,
    size: Shape | None = None,
) -> NDArray[np.int64]:
    """Draw counts from the model: a share from Beta(α, α_¬), then n_ij from the binomial with that share.

    `size` is the shape of the result, to which the arguments broadcast; by default their common shape. `rng` is a NumPy
    Generator, or a seed.

    Examples
    --------
    >>> sample(50, 5.0, 45.0, np.random.default_rng(0), size=5).shape
    (5,)
    """
    lengths, alpha, alpha_not = whole("n_j", n_j), positive("alpha", alpha), positive("alpha_not", alpha_not)
    if size is None:
        size = np.broadcast_shapes(lengths.shape, alpha.shape, alpha_not.shape)
    generator = np.random.default_rng(rng)
    share = generator.beta(alpha, alpha_not, size=size)
    return np.asarray(generator.binomial(lengths.astype(np.int64), share, size=size), dtype=np.int64)


def approximate_log_pmf(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The approximate log-probability of n_ij occurrences in a document of n_j tokens (Claim 1, Eq. bcb-approx-1).

    log n_j! − log n_¬ij! + b_ij log(α_i/n_ij) + n_¬ij log α_¬i − n_j log α_0i, n_¬ij = n_j − n_ij, b_ij = [n_ij > 0].

    It is valid for α_i ≪ 1 and α_¬i ≫ n_j (α_¬i ≫ 1 is not enough: see `approximation_error`) and need not sum to one.
    −inf outside 0 ≤ n_ij ≤ n_j.

    Examples
    --------
    >>> float(approximate_log_pmf(2, 50, 0.1, 5000.0).round(4))
    -12.2273
    """
    alpha, alpha_not = positive("alpha", alpha), positive("alpha_not", alpha_not)
    possible, n_ij, n_j = possible_counts(n_ij, n_j)
    n_not = n_j - n_ij
    value = (
        log_rising(n_not + 1, n_ij)
        + np.where(n_ij > 0, np.log(alpha) - np.log(np.maximum(n_ij, 1.0)), 0.0)
        - n_not * np.log1p(alpha / alpha_not) - n_ij * np.log(alpha + alpha_not)
    )  # fmt: skip
    return np.where(possible, value, -np.inf)


def approximation_error(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The error of Claim 1: Eq. bcb-approx-1 minus Eq. bcb-pmf in logarithms; NaN for impossible counts.

    The exact error is Σ_{n_¬ij ≤ q < n_j} log(1 + q/α_0) − Σ_{1 ≤ q < n_ij} log(1 + α/q)
    − Σ_{q < n_¬ij} log(1 + αq/(α_¬(α_0 + q))). To leading order, for n_ij ≪ n_j and α ≪ 1, it is n_ij log(1 + n_j/α_0):
    the approximation is too large by a factor (1 + n_j/α_0)^n_ij (erratum 7). This is an upper bound. A lower bound is
    n_ij log(1 + n_¬ij/α_0) − α H_{n_ij − 1} − (α/α_¬)(n_¬ij − α_0 log(1 + n_¬ij/α_0)), with H the harmonic numbers.
    So the error is O(α) at n_ij = 0; elsewhere it vanishes only if both n_j/α_0 and α do.

    Examples
    --------
    >>> float(approximation_error(2, 50, 0.001, 50.0).round(3)), float(np.log(4).round(3))
    (1.355, 1.386)
    """
    approximate, exact = approximate_log_pmf(n_ij, n_j, alpha, alpha_not), log_pmf(n_ij, n_j, alpha, alpha_not)
    return np.where(np.isfinite(exact), approximate, np.nan) - np.where(np.isfinite(exact), exact, 0.0)


def log_rising(a: ArrayLike, n: ArrayLike) -> Floats:
    """log Γ(a + n) − log Γ(a) = Σ_{q < n} log(a + q) for a > 0 and integer n ≥ 0, without cancellation of log-gammas.

    Sixteen logarithms, then the difference of two Stirling series by log1p.

    Examples
    --------
    >>> log_rising([1.0, 1e14], [4, 1]).round(9).tolist()  # log 4!, log 1e14
    [3.17805383, 32.236191302]
    """
    a, n = positive("a", a), whole("n", n)
    x, y, rest = _after_head(a, n)
    tail = rest * np.log(x) + (y - 0.5) * np.log1p(rest / x) - rest + bernoulli_series(y, 0) - bernoulli_series(x, 0)
    return _head(n, lambda q: np.log(a + q)) + tail


def _head(n: Floats, term: Callable[[int], Floats]) -> Floats:
    """Σ_{q < min(n, 16)} term(q)."""
    total = np.asarray(0.0)
    for q in range(int(min(_HEAD, n.max(initial=0.0)))):
        total = total + np.where(q < n, term(q), 0.0)
    return total


def _after_head(a: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """First argument, last argument and number of the terms that `_head` does not sum."""
    rest = np.maximum(n - _HEAD, 0.0)
    return a + _HEAD, a + _HEAD + rest, rest


def _remainder_step(a: Floats, n: Floats) -> Floats:
    """The part of log Γ(a + n) − log Γ(a) that is not in the difference of x log x − x."""
    return factorial_remainder(a + n) - factorial_remainder(a) - np.log1p(n / a)
