"""Upper tails of the null distributions of the burstiness test: p-values from draws, beyond them by a known shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.core import tails as core

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Moments = NDArray[Any]  # structured: mean, deviation, skew

CURVE = 0.45 * np.linspace(0.0, 1.0, 11) ** 2  # tilts at which the tail of λ is computed; it diverges near ½
# multiplied with values at the tilts, this gives their derivative
_SLOPES: Floats = np.asarray(np.gradient(np.eye(CURVE.size), CURVE, axis=0))
MOST = 4_000  # largest count in a document that the tail of λ considers
FEW = 20  # fewer draws do not show where a tail begins
TIE = 1e-9  # relative: values of a statistic that differ by less are equal


# Shapes of upper tails, log p + constant, of several nulls at some values: one row per shape; the highest one is used.
# A shape takes the values, the row of the null of each, and one anchor per null; no value is below its anchor.
Tail = Callable[[Floats, Integers, Floats], Floats]


def counted_p(sample: Floats, observed: Floats, mid_p: bool) -> Floats:
    """log p of observed values from a sorted sample of the null: (1 + #{T* ≥ T})/(B + 1); *mid_p* counts ties half."""
    only = np.zeros(observed.size, np.int64)
    return _log_p(core.reach(sample[None], observed, only, 1, FEW, TIE), sample.size, mid_p)


def _log_p(found: core.Reach, draws: int, mid_p: bool) -> Floats:
    return np.log((1 + (0.5 * (found.reached + found.exceeded) if mid_p else found.reached)) / (draws + 1))


def sampled_p(
    samples: Floats, observed: Floats, row: Integers, tail: Tail, mid_p: bool, top: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """log p of observed values, each from a row of sorted draws; beyond the *top* share of draws by the shape *tail*.

    Also whether it is from the tail.

    The shape is limited to three standard errors around what the draws say. If most draws at or beyond its start are
    equal, as at LR = 0, it starts at the next larger draw, or at the largest one if fewer than `FEW` are larger.
    """
    draws = samples.shape[1]
    found = core.reach(samples, observed, row, max(int(top * draws), min(FEW, draws // 5)), FEW, TIE)
    log_p = _log_p(found, draws, mid_p)
    from_tail = observed > found.anchor[row] + TIE * (1 + np.abs(observed))
    beyond = np.flatnonzero(from_tail)
    if beyond.size:
        row, count = row[beyond], 1.0 + found.reached[beyond]
        error = 3 * np.sqrt(count)
        rows, place = np.unique(row, return_inverse=True)
        shape, begin = (tail(*at, found.anchor) for at in ((observed[beyond], row), (found.anchor[rows], rows)))
        with np.errstate(invalid="ignore", divide="ignore"):
            fall = np.fmax.reduce(shape - begin[:, place], axis=0, initial=-np.inf)
            low, high = np.log(np.maximum(count - error, 0.0) / (draws + 1)), np.log((count + error) / (draws + 1))
        shaped = np.log((1 + found.at_least[row]) / (draws + 1)) + np.minimum(fall, 0.0)
        log_p[beyond] = np.minimum(np.maximum(shaped, low), high)
    return log_p, from_tail


@cache
def _steps() -> tuple[Floats, Floats]:
    """(c − 1)^{2s}/c for every tilt s and count c, and log Γ(c), the factors of the tilted null; 1 and 0 for c = 0."""
    count = np.arange(MOST + 1)
    less = np.maximum(count - 1, 1)
    return less ** (2 * CURVE[:, None]) / np.maximum(count, 1), special.gammaln(np.maximum(count, 1))


class Curves(NamedTuple):
    """Points (x, log p + constant), one row per tail; only the first *size* points of each are valid."""

    x: Floats
    log_p: Floats
    size: Integers


def plr_curves(v: Integers, tokens: float, lengths: Floats, weights: Floats, grids: Floats, bases: Floats) -> Curves:
    """The upper tail of λ at each n_i: points (x, log p + constant), by a saddlepoint at the dominating point.

    log P(λ ≥ x | n_i) ≈ K(s) − s x + ½w² + log Φ(−w), w² = s² K″(s), where the null is tilted by e^{sλ}; λ = g(b) + 2R
    is made additive by the slope of g at the mean of b. *lengths* and *weights* describe classes of documents. Each row
    of *grids* has numbers of documents b; the same row of *bases* has g(b).
    """
    odds = v / np.maximum(tokens - v, 1.0)
    start = np.array([float(np.sum(weights * -np.expm1(-lengths * log_odds))) for log_odds in np.log1p(odds)])  # E b
    task = core.tail_task(v.astype(np.float64), odds, start, grids, bases, CURVE, lengths, weights, *_steps())
    x, log_p = core.tail_curves(task)
    # Not with @: the threads of BLAS would keep spinning while ours need the cores.
    w = CURVE * np.sqrt(np.maximum(np.sum(x[:, None] * _SLOPES, axis=2), 0.0))
    log_p += w**2 / 2 + special.log_ndtr(-w)
    solved = (x[:, 1:] > x[:, :-1]) & (log_p[:, 1:] < log_p[:, :-1]) & (grids[:, -1:] > 1)
    valid = np.where(solved.all(axis=1), CURVE.size, 1 + solved.argmin(axis=1))  # up to the first unsolved point
    return Curves(x, log_p, valid)


class PlrTail:
    """The shape of the upper tail of λ at every n_i.

    Beyond the last point of a curve, near s = ½ as for a likelihood ratio, the slope stays −s: this is Chernoff's
    bound, which holds for any s. The curve starts at the mean of the draws: its own mean, computed from classes of
    documents, is off by a fraction of the standard deviation that grows with the number of documents.
    """

    def __init__(self, curves: Curves, moments: Moments) -> None:
        self.curves, self.moments = curves, moments

    def __call__(self, values: Floats, row: Integers, anchor: Floats) -> Floats:
        x, log_p, size = self.curves
        shift = np.minimum(self.moments["mean"], anchor) - x[:, 0]  # not above the anchor, where p would be flat
        found = np.empty(values.size)
        curved = size[row] > 2  # otherwise no tilt could be solved, for example with thousands of tokens per document
        values_of, row_of = values[curved], row[curved]
        last = size[row_of] - 1
        inside = core.falling_cubics(x, log_p, size, shift, values_of, row_of)
        found[curved] = inside - CURVE[last] * np.maximum(values_of - (x[row_of, last] + shift[row_of]), 0.0)
        found[~curved] = gamma_tail(values[~curved], self.moments[row[~curved]])
        return found[None]


class ScoreTail:
    """The shape of the upper tail of the score at every n_i: the heavier of a gamma and of a single large document.

    *lengths* and *weights* describe classes of documents; *squared* is Σ n_j².
    """

    def __init__(
        self, v: Integers, tokens: float, squared: float, lengths: Floats, weights: Floats, moments: Moments
    ) -> None:
        self.n_i, self.tokens, self.classes, self.moments = v.astype(np.float64), tokens, (lengths, weights), moments
        share = v / tokens
        self.spread = np.sqrt(2 * (squared - tokens)) * share * (1 - share)

    def __call__(self, values: Floats, row: Integers, anchor: Floats) -> Floats:
        excess = np.maximum(values - self.moments["mean"][row], 0.0) * self.spread[row]
        one = core.log_one_document(excess, row, self.n_i, self.tokens, *self.classes)
        return np.stack([gamma_tail(values, self.moments[row]), one])


def gamma_tail(values: Floats, moments: Moments) -> Floats:
    """log of the upper tail of gamma distributions with these moments, one distribution per value."""
    return log_gamma_tail((values - moments["mean"]) / moments["deviation"], moments["skew"])


def log_gamma_tail(z: Floats, skew: Any) -> Floats:
    """log P(Z ≥ z) of the standardised gamma distribution (Pearson III) with this skewness, however small."""
    shape = 4 / skew**2
    y = np.maximum(shape + z * np.sqrt(shape), 1e-300)
    with np.errstate(divide="ignore"):
        near = np.log(special.gammaincc(shape, y))
        far = (shape - 1) * np.log(y) - y - special.gammaln(shape) - np.log1p(-np.minimum((shape - 1) / y, 0.999))
    return np.where((near < -600) | ~np.isfinite(near), far, near)


def chi2_tail(values: Floats, row: Integers, anchor: Floats) -> Floats:
    """log of the upper tail of χ²_1, however small, for any null."""
    return (special.log_ndtr(-np.sqrt(values)) + np.log(2))[None]
