"""The upper tails of the burstiness test's null distributions: p-values from draws, and by a known shape beyond."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from termburst.core import null as core

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Names = NDArray[np.object_]

CURVE = 0.45 * np.linspace(0.0, 1.0, 11) ** 2  # tilts at which the tail of λ is computed; near ½ they diverge
# times values at the tilts: their derivative
_SLOPES: Floats = np.asarray(np.gradient(np.eye(CURVE.size), CURVE, axis=0))
MOST = 4_000  # occurrences in a document that the tail of λ looks at
FEW = 20  # draws that are too few to say where a tail begins
TIE = 1e-9  # relative: two values of a statistic that differ by less are equal


def counted_p(sample: Floats, observed: Floats, mid_p: bool) -> Floats:
    """log p of the observed values from a sorted sample of the null: (1 + #{T* ≥ T})/(B + 1), or a tie as half."""
    near = TIE * (1 + np.abs(observed))
    return _log_p(sample, observed, near, _at_least(sample, observed - near), mid_p)


def _at_least(sample: Floats, values: Any) -> Any:
    """How many of a sorted sample are not below each value."""
    return sample.size - sample.searchsorted(values)


def _log_p(sample: Floats, observed: Floats, near: Floats, reached: Integers, mid_p: bool) -> Floats:
    """log p where so many draws *reached* what was observed, those *near* to it included."""
    if mid_p:
        return np.log((1 + 0.5 * (reached + _at_least(sample, observed + near))) / (sample.size + 1))
    return np.log((1 + reached) / (sample.size + 1))


def sampled_p(sample: Floats, observed: Floats, tail: Any, mid_p: bool, top: float) -> tuple[Floats, Names]:
    """log p of the observed values from a sorted sample of the null; beyond its *top* share by *tail*'s shape.

    That shape stands as far as it is within three standard errors of what the draws beyond say. If most draws that
    reach the place where it would begin are equal, as at LR = 0, it begins at the next larger one, or the largest if
    fewer than `FEW` are larger.
    """
    draws = sample.size
    near = TIE * (1 + np.abs(observed))
    reached = _at_least(sample, observed - near)
    log_p = _log_p(sample, observed, near, reached, mid_p)
    how = np.full(observed.size, "monte-carlo", dtype=object)
    anchor = sample[-max(int(top * draws), min(FEW, draws // 5))]
    around = TIE * (1 + abs(anchor))
    at_least, above = _at_least(sample, anchor - around), _at_least(sample, anchor + around)
    if above < at_least / 2:
        anchor = sample[-above if above >= FEW else -1]
        at_least = _at_least(sample, anchor - TIE * (1 + abs(anchor)))
    beyond = np.flatnonzero(observed > anchor + near)
    if beyond.size:
        count = 1.0 + reached[beyond]
        error = 3 * np.sqrt(count)
        shape = np.atleast_2d(tail(np.append(observed[beyond], anchor)))
        with np.errstate(invalid="ignore", divide="ignore"):
            fall = np.fmax.reduce(shape[:, :-1] - shape[:, -1:], axis=0, initial=-np.inf)
            low, high = np.log(np.maximum(count - error, 0.0) / (draws + 1)), np.log((count + error) / (draws + 1))
        shaped = np.log((1 + at_least) / (draws + 1)) + np.minimum(fall, 0.0)
        log_p[beyond] = np.minimum(np.maximum(shaped, low), high)
        how[beyond] = "tail"
    return log_p, how


@cache
def _steps() -> tuple[Floats, Floats]:
    """(c − 1)^{2s}/c for every tilt s and count c, and log Γ(c): what `tilted` multiplies by; 1 and 0 for c = 0."""
    count = np.arange(MOST + 1)
    less = np.maximum(count - 1, 1)
    return less ** (2 * CURVE[:, None]) / np.maximum(count, 1), special.gammaln(np.maximum(count, 1))


Curve = tuple[Floats, Floats]


def plr_curves(
    v: Integers, tokens: float, lengths: Floats, weights: Floats, grids: Floats, bases: Floats
) -> list[Curve]:
    """The upper tail of λ at each n_i: points (x, log p + constant), by a saddlepoint at the dominating point.

    log P(λ ≥ x | n_i) ≈ K(s) − s x + ½w² + log Φ(−w), w² = s² K″(s), the null being tilted by e^{sλ}; λ = g(b) + 2R is
    made additive by the slope of g at the mean of b. *lengths* and *weights* are those of the classes of documents; a
    row of *grids* has numbers of documents, that of *bases* g there.
    """
    odds = v / np.maximum(tokens - v, 1.0)
    start = np.array([float(np.sum(weights * -np.expm1(-lengths * log_odds))) for log_odds in np.log1p(odds)])  # E b
    task = core.tail_task(v.astype(np.float64), odds, start, grids, bases, CURVE, lengths, weights, *_steps())
    x, log_p = core.tail_curves(task)
    w = CURVE * np.sqrt(np.maximum(x @ _SLOPES.T, 0.0))
    log_p += w**2 / 2 + special.log_ndtr(-w)
    solved = (x[:, 1:] > x[:, :-1]) & (log_p[:, 1:] < log_p[:, :-1]) & (grids[:, -1:] > 1)
    sizes = np.where(solved.all(axis=1), CURVE.size, 1 + solved.argmin(axis=1))  # as far as it was solved
    return [(x[at, :size], log_p[at, :size]) for at, size in enumerate(sizes)]


class PlrTail:
    """The shape of λ's upper tail at one n_i, log p + constant.

    Beyond the last point of the *curve*, which is near a likelihood ratio's s = ½, the slope stays −s: Chernoff's
    bound, which holds for any s. The curve begins at the mean of the draws: its own, by classes of documents, would be
    off by a share of the standard deviation that grows with their number.
    """

    def __init__(self, sample: Floats, curve: Curve) -> None:
        self.sample, self.curve = sample, curve

    def __call__(self, values: Floats) -> Floats:
        x, log_p = self.curve
        if x.size < 3:  # no tilt could be solved, as where documents hold the term by the thousand: the gamma then
            mean, deviation, skew = _moments(self.sample)
            return log_gamma_tail((values - mean) / deviation, skew)
        x = x + (min(float(self.sample.mean()), float(values.min())) - x[0])  # never above the least: p would be flat
        inside = falling_cubic(x, log_p, np.minimum(np.maximum(values, x[0]), x[-1]))
        return inside - CURVE[x.size - 1] * np.maximum(values - x[-1], 0.0)


def falling_cubic(x: Floats, y: Floats, at: Floats) -> Floats:
    """The piecewise cubic through falling points, x ascending, that falls between them, too (Fritsch & Butland 1984).

    SciPy's `PchipInterpolator`, for which there are too many curves of a few points: it takes ten times as long.
    """
    h = x[1:] - x[:-1]
    chord = (y[1:] - y[:-1]) / h
    before, after = h[:-1], h[1:]
    slope = np.empty(x.size)
    slope[1:-1] = 3 * (before + after) / ((2 * after + before) / chord[:-1] + (after + 2 * before) / chord[1:])
    for end, next_to in ((0, 1), (-1, -2)):
        one_sided = (2 * h[end] + h[next_to]) * chord[end] - h[end] * chord[next_to]
        slope[end] = min(one_sided / (h[end] + h[next_to]), 0.0)
    k = np.minimum(np.maximum(np.searchsorted(x, at, side="right") - 1, 0), x.size - 2)
    t, first, last = at - x[k], slope[k], slope[k + 1]
    cubic = (first + last - 2 * chord[k]) / h[k] ** 2
    square = (3 * chord[k] - 2 * first - last) / h[k]
    return y[k] + t * (first + t * (square + t * cubic))


class ScoreTail:
    """The shape of the score's upper tail at one n_i: the heavier of a gamma and of one document that has it all.

    *lengths* and *weights* are those of the classes of documents; *squared* is Σ n_j².
    """

    def __init__(self, v: int, tokens: float, squared: float, lengths: Floats, weights: Floats, sample: Floats) -> None:
        self.lengths, self.weights = lengths, weights
        self.share, self.rate = v / tokens, v * lengths / tokens
        self.spread = np.sqrt(2 * (squared - tokens)) * self.share * (1 - self.share)
        self.mean, self.deviation, self.skew = _moments(sample)

    def __call__(self, values: Floats) -> Floats:
        gamma = log_gamma_tail((values - self.mean) / self.deviation, self.skew)
        excess = np.maximum(values - self.mean, 0.0) * self.spread
        one = core.log_one_document(excess, self.share, self.rate, self.weights, self.lengths)
        return np.stack([gamma, one])


def _moments(sample: Floats) -> tuple[float, float, float]:
    """Mean, standard deviation and skewness, as far as a gamma distribution can have it."""
    mean = float(sample.mean())
    centred = sample - mean
    square = centred * centred
    deviation = float(square.mean()) ** 0.5 or 1.0
    return mean, deviation, min(max(float(np.mean(square * centred)) / deviation**3, 0.01), 10.0)


def log_gamma_tail(z: Floats, skew: float) -> Floats:
    """log P(Z ≥ z) of the standardised gamma distribution (Pearson III) of that skewness, however small."""
    shape = 4 / skew**2
    y = np.maximum(shape + z * np.sqrt(shape), 1e-300)
    with np.errstate(divide="ignore"):
        near = np.log(special.gammaincc(shape, y))
        far = (shape - 1) * np.log(y) - y - special.gammaln(shape) - np.log1p(-np.minimum((shape - 1) / y, 0.999))
    return np.where((near < -600) | ~np.isfinite(near), far, near)


def chi2_tail(values: Floats) -> Floats:
    """log of χ²_1's upper tail, however small."""
    return stats.norm.logsf(np.sqrt(values)) + np.log(2)
