"""The arithmetic of `dirichlet_multinomial`: sums over histograms of counts, and the profile in α_0.

Plain NumPy: a pass over the histograms of 88,701 terms takes a few milliseconds, so there is no need for C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma

from termburst.models.special import bernoulli_series, log1p_minus, stirling_remainder

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SINGLY = 64  # steps q below this are summed one by one; from here the asymptotic series have all 16 digits
TOLERANCE, MOST_STEPS = 1e-10, 100  # relative change of the log-likelihood at the end; steps from one start
GRID_FACTOR = 4.0  # ratio of neighbouring values of the multiplier in the search over α_0


@dataclass(frozen=True, slots=True)
class CountSteps:
    """T_iq, the number of documents with more than q of item i, as runs: *documents* for start ≤ q < start + width.

    Runs of more than one step begin at `SINGLY` or above. The sums below are over runs, so the cost grows with the
    number of distinct counts, not with the counts.

    Examples
    --------
    >>> steps = CountSteps.from_histogram(np.array([0, 2]), np.array([1, 3]), np.array([5, 2]))
    >>> steps.start.tolist(), steps.documents.tolist()
    ([0.0, 1.0, 2.0], [7.0, 2.0, 2.0])
    """

    size: int
    item: NDArray[np.intp]
    start: Floats
    width: Floats
    documents: Floats
    runs: NDArray[np.intp]

    @classmethod
    def from_histogram(cls, indptr: Integers, count: Integers, documents: Integers) -> CountSteps:
        """From rows (count ≥ 1, documents); those of item i are indptr[i]:indptr[i + 1], with ascending counts."""
        size = indptr.size - 1
        item = np.repeat(np.arange(size), np.diff(indptr))
        running = np.concatenate([[0], np.cumsum(documents)])
        at_least = running[indptr[item + 1]] - running[:-1]
        previous = np.concatenate([[0], count[:-1]])
        previous[indptr[:-1][np.diff(indptr) > 0]] = 0
        one_by_one = np.maximum(np.minimum(count, SINGLY) - previous, 0)
        owner = np.repeat(np.arange(count.size), one_by_one)
        offset = np.arange(owner.size) - np.repeat(np.cumsum(one_by_one) - one_by_one, one_by_one)
        run = np.flatnonzero(count > SINGLY)
        run_start = np.maximum(previous[run], SINGLY)
        return cls(
            size,
            np.concatenate([item[owner], item[run]]),
            np.concatenate([previous[owner] + offset, run_start]).astype(np.float64),
            np.concatenate([np.ones(owner.size), count[run] - run_start]),
            np.concatenate([at_least[owner], at_least[run]]).astype(np.float64),
            np.arange(owner.size, owner.size + run.size),
        )

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Σ_q T_iq/(α_i + q) and Σ_q T_iq/(α_i + q)²."""
        a = alpha[self.item] + self.start
        first = self.documents / a
        second = first / a
        if self.runs.size:
            a, width = a[self.runs], self.width[self.runs]
            documents, b = self.documents[self.runs], a + width
            first[self.runs] = documents * (np.log1p(width / a) + _digamma_tail(b) - _digamma_tail(a))
            second[self.runs] = documents * (width / a / b + _trigamma_tail(a) - _trigamma_tail(b))
        return self._by_item(first), self._by_item(second)

    def log_rise(self, alpha: Floats) -> Floats:
        """Σ_q T_iq log(1 + q/α_i) = Σ_j [lΓ(n_ij + α_i) − lΓ(α_i)] − n_i log α_i, with full precision at any α_i."""
        value = np.log1p(self.start / alpha[self.item])
        if self.runs.size:
            item, start, width = self.item[self.runs], self.start[self.runs], self.width[self.runs]
            a = alpha[item] + start
            value[self.runs] = (
                a * log1p_minus(width / a)
                - 0.5 * np.log1p(width / a)
                + width * np.log1p((start + width) / alpha[item])
                + stirling_remainder(a + width)
                - stirling_remainder(a)
            )
        return self._by_item(self.documents * value)

    def _by_item(self, values: Floats) -> Floats:
        return np.bincount(self.item, weights=values, minlength=self.size).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True)
class ProfilePoint:
    """The best α for one value λ of the multiplier: Σ_q T_iq/(α_i + q) = λ for every term.

    `score` is log λ − log F′(α_0), positive if the likelihood rises with α_0. `slope` is its derivative by log λ,
    1 − F″-curvature × Σ 1/D_i, which is positive at a maximum. `gain` is the log-likelihood minus the multinomial's.
    """

    position: float  # −log λ, which grows with α_0
    alpha: Floats
    score: float
    slope: float
    gain: float

    @property
    def newton_step(self) -> float:
        """The step in `position` to the zero of the linearised score; infinite if that is not a maximum."""
        return self.score / self.slope if self.slope > 0 else np.inf


@dataclass(frozen=True, slots=True)
class Profile:
    """The log-likelihood of a collection (only terms that occur), maximised over α at given multipliers λ.

    For fixed Σ α_i = α_0, log L is a sum of concave functions of one α_i each, so there is one α for every λ. The
    Newton step on the multiplier is that of Minka's diagonal-plus-rank-one Hessian, with the diagonal part solved.
    """

    terms: CountSteps
    lengths: CountSteps
    frequency: Floats  # n_i
    found_in: Floats  # b_i

    def at(self, position: float, guess: Floats, precision: float = 1e-13) -> ProfilePoint:
        """The point at λ = exp(−position)."""
        multiplier = np.exp(-position)
        lowest, highest = self.found_in / multiplier, self.frequency / multiplier
        # 1/s_i(α) is concave, 0 at 0 and nearly linear: Newton's method approaches the root from below, never past it.
        alpha, worst = np.clip(guess, lowest, highest), np.inf
        for _ in range(200):
            first, second = self.terms.derivatives(alpha)
            residual = float(np.abs(first / multiplier - 1).max())
            if residual <= precision or (residual < 1e-9 and residual >= 0.5 * worst):  # the second: rounding error
                break
            worst = residual
            alpha = np.clip(alpha + first * (first / multiplier - 1) / second, lowest, highest)
        alpha_0 = float(alpha.sum())
        (by_length,), (curvature,) = self.lengths.derivatives(np.array([alpha_0]))
        return ProfilePoint(
            position,
            alpha,
            float(np.log1p((multiplier - by_length) / by_length)),
            float(1 - curvature * multiplier / by_length * (1 / second).sum()),
            self.gain(alpha),
        )

    def gain(self, alpha: Floats) -> float:
        """log L(α) − Σ_i n_i log(n_i/n), accurate even if α_0 is so large that both agree to 16 digits."""
        alpha_0, n = alpha.sum(), self.frequency.sum()
        share = self.frequency @ np.log((alpha / alpha_0) / (self.frequency / n))
        return float(share + self.terms.log_rise(alpha).sum() - self.lengths.log_rise(np.array([alpha_0]))[0])

    def edcm(self) -> tuple[Floats, int]:
        """β_i = b_i/F′(s) with s F′(s) = Σ_i b_i, and the iterations. Like s F′(s), Σ_i b_i lies between d and n."""
        b = self.found_in.sum()
        lowest, highest = self._edcm_bounds()

        def excess(log_s: float) -> float:
            return float(np.exp(log_s) * self.lengths.derivatives(np.exp([log_s]))[0][0] / b - 1)

        bounds = np.log(lowest) - 1e-6, np.log(highest) + 1e-6
        log_s, report = brentq(excess, *bounds, xtol=1e-14, rtol=1e-15, maxiter=200, full_output=True)
        return np.exp(log_s) * self.found_in / b, int(report.iterations)

    def highest(self, start: Floats) -> tuple[Floats | None, int, bool]:
        """α at the highest maximum, or None if the multinomial is higher; the iterations; whether it converged."""
        (multiplier,), _ = self.lengths.derivatives(np.array([start.sum()]))
        longest = (self.lengths.start + self.lengths.width).max()
        # Σb_i/α_0 ≤ λ ≤ n/α_0. A maximum beyond the end would gain about 1e-16 per token over the multinomial.
        first = np.log(self._edcm_bounds()[0] / self.frequency.sum())
        last = max(np.log(1e8 * longest / self.found_in.sum()), 2 * np.log(GRID_FACTOR) - np.log(multiplier))
        points = self._scan(start, -np.log(multiplier), first, last)
        gain = np.array([point.gain for point in points])
        noise = self._noise
        top = (np.diff(gain)[:-1] >= 0) & (np.diff(gain)[1:] <= 0)
        top &= gain[1:-1] - np.minimum(gain[:-2], gain[2:]) > noise  # not a plateau of rounding errors
        best, iterations, converged = None, 0, True
        for k in np.flatnonzero(top) + 1:
            point, steps, done = self._climb(points[k - 1], points[k], points[k + 1])
            iterations += steps
            if point.gain > (noise if best is None else best.gain):
                best, converged = point, done
        return (None if best is None else best.alpha), iterations, converged

    @property
    def _noise(self) -> float:
        """The rounding error of `gain`, a sum of logarithms over all tokens."""
        return float(64 * np.finfo(float).eps * self.frequency.sum())

    def _edcm_bounds(self) -> tuple[float, float]:
        """Bounds of s, from d + s Σ C_k/k ≥ s F′(s) ≥ n − Σ C_k k/s. Below the first, log L rises with α_0, too.

        The reason is that s_i ≥ b_i/α_i at every α, so that λ ≥ Σ b_i/α_0.
        """
        start, width, documents = self.lengths.start, self.lengths.width, self.lengths.documents
        later = start > 0
        harmonic = documents[later] @ (digamma(start + width) - digamma(start))[later]
        b = self.found_in.sum()
        moment = documents @ (width * (start + (width - 1) / 2))
        return float((b - documents[~later].sum()) / harmonic), float(moment / (self.frequency.sum() - b))

    def _scan(self, start: Floats, position: float, lowest: float, highest: float) -> list[ProfilePoint]:
        """Points a factor `GRID_FACTOR` apart in λ over the whole possible range, from *start* to both sides."""
        centre = self.at(position, start, 1e-9)
        points = [centre]
        for direction, limit in ((1.0, highest), (-1.0, lowest)):
            point, side = centre, []
            while direction * (limit - point.position) > 0:
                step = direction * np.log(GRID_FACTOR)
                point = self.at(point.position + step, point.alpha * np.exp(step), 1e-9)
                side.append(point)
            points = points + side if direction > 0 else side[::-1] + points
        return points

    def _climb(self, low: ProfilePoint, start: ProfilePoint, high: ProfilePoint) -> tuple[ProfilePoint, int, bool]:
        """The maximum between two points that are lower than *start*; the iterations; whether it converged.

        A Newton step if it stays between them and does not decrease the likelihood, otherwise bisection. It has
        converged if the relative change of the likelihood is below `TOLERANCE` and both the Newton step in log α_0 and
        the score are negligible.
        """
        below, above = low.position, high.position
        best, change = self.at(start.position, start.alpha), np.inf
        noise = self._noise
        log_likelihood = self.frequency @ np.log(self.frequency / self.frequency.sum())
        for iteration in range(MOST_STEPS):
            end = above if best.score > 0 else below
            still = abs(best.newton_step) < 1e-9 or abs(end - best.position) < 1e-9
            if still and change <= TOLERANCE and abs(best.score) < 1e-9:
                return best, iteration, True
            target = best.position + best.newton_step
            if not min(best.position, end) < target < max(best.position, end):
                target = (best.position + end) / 2
            trial = self.at(target, best.alpha * np.exp(target - best.position))
            change = abs(trial.gain - best.gain) / max(abs(log_likelihood + best.gain), np.finfo(float).tiny)
            closer = abs(trial.score) < abs(best.score) and trial.slope > 0
            if trial.gain > best.gain + noise or (closer and trial.gain >= best.gain - noise):
                below, above = (best.position, above) if best.score > 0 else (below, best.position)
                best = trial
            else:
                below, above = (below, target) if best.score > 0 else (target, above)
        return best, MOST_STEPS, False


def _digamma_tail(x: Floats) -> Floats:
    """ψ(x) − log x, for x ≥ `SINGLY`."""
    return -0.5 / x - bernoulli_series(x, 1)


def _trigamma_tail(x: Floats) -> Floats:
    """ψ′(x) − 1/x, for x ≥ `SINGLY`."""
    return 0.5 / x**2 + bernoulli_series(x, 2)
