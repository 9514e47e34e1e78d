"""The null distributions of the burstiness test, one for all terms of equal n_i: enumerated, drawn, and their tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from scipy.interpolate import PchipInterpolator

from termburst._threads import in_threads
from termburst.counts.tally import Integers
from termburst.inference.plr import Form, add_up, plr_parts
from termburst.models import binomial
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import SPACING, fit_beta_binomial
from termburst.models.length_table import LengthTable

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

EXACT = 16  # occurrences up to which the null of λ is enumerated
WORK = 400_000_000  # steps that the enumeration may take; with very many documents it stops at fewer occurrences
# Up to so many occurrences: draws as a share of those asked for, and the share of largest ones that the tail replaces.
# Where n_i is small the null is coarse and draws are cheap; where it is large the tail's shape is known well.
FREQUENT = 20_000  # occurrences beyond which nothing is drawn: λ has its moments, LR and the score the null at this n_i
PHASES = ((64, 10.0, 0.0005), (300, 1.0, 0.0025), (2_000, 0.4, 0.1), (FREQUENT, 0.04, 0.25))
RATIO_PHASES = ((30, 1.0, 0.0025), (100, 0.5, 0.02), (1_000, 0.3, 0.12), (10**12, 0.2, 0.12))  # the same for LR
SCORE_TOP = 0.25  # of that share for the score, whose tail is known less well
RATIO_NODES = (2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40, 60, 100, 200, 400, 1_000, 3_000)  # n_i at which LR is drawn
BLOCKS = 20  # that draws are made in, each with a seed of its own
CURVE = 0.45 * np.linspace(0.0, 1.0, 11) ** 2  # tilts at which the tail of λ is computed; near ½ they diverge
CLASS = 1.35  # ratio of the lengths in a class of documents, for the tails
FINE = 1.03  # the same for the moments of λ, where an error grows with n_i
GRID = 257  # numbers of documents, evenly, between which g of the tail is a straight line
MOST = 4_000  # occurrences in a document that the tail of λ looks at
TIE = 1e-9  # relative: two values of a statistic that differ by less are equal


class PlrFunction:
    """λ as a function of n_i, b_i and Σ log (n_ij − 1)!, by the parts of `plr_statistic`."""

    def __init__(self, cells: TermCells, mu: float | None, sigma2: float, form: Form) -> None:
        self.documents, self.tokens = int(cells.length_documents.sum()), cells.tokens
        self.options: dict[str, Any] = {"mu": mu, "sigma2": sigma2, "form": form}

    def __call__(self, n_i: Any, b_i: Any, repetition: Floats) -> Floats:
        statistics: Any = SimpleNamespace(
            documents=self.documents,
            tokens=self.tokens,
            mean_length=self.tokens / self.documents,
            vocabulary_size=n_i.size,
            terms=None,
            collection_frequency=n_i,
            document_frequency=b_i,
            log_factorial_sum=repetition,
        )
        # Quiet, since a clamped λ is a statistic like any other here, and warnings are no business of threads.
        return add_up(plr_parts(statistics, **self.options, penalty="gamma", invalid="clamp", quiet=True))


@dataclass(frozen=True, slots=True)
class Lengths:
    """The documents that hold tokens, in order of length, and how to draw one with probability n_j/n.

    By Walker's aliases: of as many cells as documents one is drawn evenly; cell k stands for document k with
    probability accept[k], and for other[k] if not.
    """

    each: Integers
    accept: Floats
    other: NDArray[np.int32]
    tokens: float  # n
    squared: float  # Σ n_j²

    @classmethod
    def of(cls, cells: TermCells) -> Lengths:
        each = np.repeat(cells.lengths, cells.length_documents)
        each = each[each > 0]
        tokens = float(each.sum())
        return cls(each, *_aliases(each / tokens), tokens, float(np.sum(each.astype(np.float64) ** 2)))

    def score(self, n_i: Any, squares: Any, products: Any) -> Floats:
        """Tarone's z from Σ n_ij² and Σ n_ij n_j."""
        n = self.tokens
        p = np.asarray(n_i) / n
        spread = np.sqrt(2 * (self.squared - n))
        with np.errstate(divide="ignore", invalid="ignore"):
            return ((squares - 2 * p * products + p**2 * self.squared) / (p * (1 - p)) - n) / spread

    def classes(self, ratio: float) -> tuple[Floats, Floats]:
        """Mean length of classes whose lengths differ by at most *ratio*, and the documents in each."""
        _, place = np.unique(np.floor(np.log(self.each) / np.log(ratio)), return_inverse=True)
        documents = np.bincount(place).astype(np.float64)
        return np.bincount(place, self.each.astype(np.float64)) / documents, documents


class Null:
    """The null distributions, shared by all terms of equal n_i."""

    def __init__(self, cells: TermCells, draws: int, seed: int, mid_p: bool, plr: PlrFunction) -> None:
        self.cells, self.draws, self.mid_p, self.plr = cells, draws, mid_p, plr
        self.lengths = Lengths.of(cells)
        self.seeds = np.random.SeedSequence(seed)

    def drawn_p(self, plr: Floats, score: Floats) -> tuple[tuple[Floats, Floats], tuple[Names, Names]]:
        """log p of λ and of Tarone's score, and how each was obtained."""
        n_i = self.cells.n_i
        log_p = (np.full(n_i.size, np.nan), np.full(n_i.size, np.nan))
        how = (np.full(n_i.size, "", dtype=object), np.full(n_i.size, "", dtype=object))
        sizes, place = np.unique(n_i, return_inverse=True)
        terms = dict(
            zip(
                sizes.tolist(),
                np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1]),
                strict=True,
            )
        )
        terms.pop(0, None)
        frequent = [v for v in terms if v > FREQUENT]
        for v in frequent:
            log_p[0][terms[v]] = self._frequent_p(v, plr[terms[v]])
            how[0][terms[v]] = "tail"
        more = np.concatenate([terms.pop(v) for v in frequent]) if frequent else np.empty(0, np.intp)
        if frequent:
            terms.setdefault(FREQUENT, np.empty(0, np.intp))
        self._once(terms.get(1, np.empty(0, np.intp)), score, log_p, how)
        enumerated = self._partitions(max((v for v in terms if v <= EXACT), default=0))
        for v, states in enumerated.items():
            if v in terms:
                values = self.plr(np.full(states.documents.size, v), states.documents, states.repetition)
                log_p[0][terms[v]] = np.log(_upper(values, states.mass, plr[terms[v]], self.mid_p))
                how[0][terms[v]] = "exact"
        low = 1
        for (high, share, top), seeds in zip(PHASES, self.seeds.spawn(len(PHASES)), strict=True):
            checkpoints = np.array([v for v in sorted(terms) if low < v <= high], dtype=np.int64)
            low = high
            if checkpoints.size:
                draws = max(49, int(share * self.draws))
                self._phase(checkpoints, draws, top, seeds, terms, more, plr, score, set(enumerated), log_p, how)
        return log_p, how

    def _frequent_p(self, v: int, plr: Floats) -> Floats:
        """log p of λ at an n_i so large that it is next to normal: a gamma of its mean, variance and skewness.

        λ = g(b) + 2R is made additive by the slope of g; given the total, what remains of a document is its deviation
        from the regression on its count. Counts are binomial.
        """
        share = v / self.lengths.tokens
        length, weights = self.lengths.classes(FINE)
        length = np.maximum(np.round(length), 1)
        spread = np.sqrt(length * share * (1 - share))
        steps = np.linspace(-10, 10, 513)
        count = np.clip(np.round(length[:, None] * share + steps * spread[:, None]), 0, length[:, None])
        row, at = np.nonzero(np.diff(count, axis=1, prepend=-1) > 0)  # in short documents most steps coincide
        count = count[row, at]
        mass = np.exp(binomial.log_pmf(count, length[row], share))
        mass /= np.bincount(row, mass)[row]
        weighted = weights[row] * mass

        def total(of: Any) -> float:  # not by @, whose threads wait for one another
            return float(np.sum(weighted * of))

        def centred(of: Floats) -> Floats:
            return of - np.bincount(row, mass * of)[row]

        present, repetition = (count > 0).astype(np.float64), special.gammaln(np.maximum(count, 1))
        b, r = total(present), total(repetition)
        near = np.clip(np.array([b - 0.5, b, b + 0.5]), 1, v)
        g = self._g(np.full(3, v), near)
        value = (g[2] - g[0]) / max(near[2] - near[0], 1e-9) * present + 2 * repetition
        value, count = centred(value), centred(count)
        rest = value - total(value * count) / max(total(count**2), 1e-300) * count
        variance, third = total(rest**2), total(rest * rest * rest)
        deviation = max(variance, 1e-300) ** 0.5
        skew = min(max(third / deviation**3, 0.01), 10.0)
        return _log_gamma_tail((plr - g[1] - 2 * r) / deviation, skew)

    def _g(self, n_i: Integers, b_i: Any) -> Floats:
        """λ less 2 Σ log (n_ij − 1)!."""
        return self.plr(n_i, b_i, np.zeros(n_i.size))

    def _once(self, terms: NDArray[np.intp], score: Floats, log_p: Any, how: Any) -> None:
        """Terms that occur once: λ is the same for all, and the score falls with the document's length."""
        if terms.size:
            lengths, documents = np.unique(self.lengths.each, return_counts=True)
            values = self.lengths.score(1, 1, lengths)
            log_p[0][terms] = np.log(0.5) if self.mid_p else 0.0
            log_p[1][terms] = np.log(
                _upper(values, lengths * documents / self.lengths.tokens, score[terms], self.mid_p)
            )
            how[0][terms] = how[1][terms] = "exact"

    def _partitions(self, largest: int) -> dict[int, _States]:
        """For n_i = 2..largest the ways to split n_i tokens among documents, with their probabilities."""
        from termburst.inference import _null_kernel as kernel

        parts: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(largest))]
        for s in range(1, largest + 1):
            parts[s] = [(c, *rest) for c in range(1, s + 1) for rest in parts[s - c] if not rest or c >= rest[0]]
        documents = self.lengths.each.size
        while largest > 1 and documents * sum(len(parts[s]) * (largest - s) for s in range(largest)) > WORK:
            largest -= 1
        if largest < 2:
            return {}
        states = [state for s in range(largest + 1) for state in parts[s]]
        index = {state: k for k, state in enumerate(states)}
        sizes = np.array([sum(state) for state in states])
        onward = np.full((len(states), largest + 1), -1, dtype=np.int64)
        for k, state in enumerate(states):
            for c in range(1, largest + 1 - sum(state)):
                onward[k, c] = index[tuple(sorted((*state, c), reverse=True))]
        lengths, each = np.unique(self.lengths.each, return_counts=True)
        n = self.lengths.tokens
        choose = special.binom(lengths[:, None], np.arange(largest + 1)) / n ** np.arange(largest + 1)
        choose[np.arange(largest + 1) > lengths[:, None]] = 0.0
        mass = np.empty(len(states))
        kernel.partition_masses(lengths, each, choose, onward, sizes, mass)
        found = {}
        for v in range(2, largest + 1):
            at = np.flatnonzero(sizes == v)
            found[v] = _States(
                np.array([len(states[k]) for k in at]),
                np.array([special.gammaln(states[k]).sum() for k in at]),
                mass[at] / mass[at].sum(),
            )
        return found

    def _phase(
        self, checkpoints: Integers, draws: int, top: float, seeds: Any, terms: dict[int, Any], frequent: Any,
        plr: Floats, score: Floats, enumerated: set[int], log_p: Any, how: Any,
    ) -> None:  # fmt: skip
        """Draw for all checkpoints at once, then compare; *frequent* terms have their score held against the last."""
        from termburst.inference import _null_kernel as kernel

        lengths = self.lengths
        shape = (checkpoints.size, draws)
        b, repetition, scatter = np.empty(shape, dtype=np.int32), np.empty(shape), np.empty(shape)
        edges = np.linspace(0, draws, BLOCKS + 1).astype(np.int64)
        states = seeds.generate_state(BLOCKS, np.uint64)

        def draw(block: int) -> None:
            kernel.simulate(
                states[block], edges[block], edges[block + 1], checkpoints, lengths.each, lengths.accept, lengths.other,
                b, repetition, scatter,
            )  # fmt: skip

        in_threads(draw, range(BLOCKS))
        mean_length, weights = lengths.classes(CLASS)
        # g of λ = g(b) + 2R, for all checkpoints at once: at every b that was drawn, and on the grids of the tails
        low = b.min(axis=1)
        width = b.max(axis=1) - low + 1
        start = np.cumsum(width) - width - low
        g = self._g(np.repeat(checkpoints, width), np.arange(width.sum()) - np.repeat(start, width))
        grids = np.linspace(1, np.minimum(checkpoints, lengths.each.size), GRID, axis=1)
        on_grids = self._g(np.repeat(checkpoints, GRID), grids.ravel()).reshape(grids.shape)

        def compare(at: int) -> None:
            v = int(checkpoints[at])
            mine = terms[v]
            if v not in enumerated:
                sample = np.sort(g[b[at] + start[at]] + 2 * repetition[at])
                tail: Any = PlrTail(self, v, mean_length, weights, sample, grids[at], on_grids[at])
                log_p[0][mine], how[0][mine] = _drawn(sample, plr[mine], tail, self.mid_p, top)
            if v == FREQUENT:
                mine = np.concatenate([mine, frequent])
            sample = np.sort(lengths.score(v, scatter[at], 0.0))
            tail = ScoreTail(self, v, mean_length, weights, sample)
            log_p[1][mine], how[1][mine] = _drawn(sample, score[mine], tail, self.mid_p, SCORE_TOP * top)

        in_threads(compare, range(checkpoints.size))

    def ratio_p(self, ratio: Floats) -> tuple[Floats, Names]:
        """log p of the likelihood ratio, and how it was obtained."""
        n_i = self.cells.n_i
        log_p, how = np.full(n_i.size, np.nan), np.full(n_i.size, "", dtype=object)
        once = np.flatnonzero(n_i == 1)
        if once.size:
            lengths, documents = np.unique(self.lengths.each, return_counts=True)
            values = self._ratios_once(lengths, documents)
            log_p[once] = np.log(_upper(values, lengths * documents / self.lengths.tokens, ratio[once], self.mid_p))
            how[once] = "exact"
        several = np.flatnonzero(n_i > 1)
        if not several.size:
            return log_p, how
        most = int(n_i[several].max())
        nodes = [v for v in RATIO_NODES if v <= most] or [2]
        if nodes[-1] < min(most, RATIO_NODES[-1]):
            nodes.append(min(most, RATIO_NODES[-1]))
        samples = self._ratio_samples(nodes)
        position = np.interp(np.log(n_i[several]), np.log(nodes), np.arange(len(nodes)))
        below = np.minimum(position.astype(np.intp), len(nodes) - 1)
        weight = position - below
        for at, sample in enumerate(samples):
            for offset, share in ((0, 1 - weight), (1, weight)):
                chosen = np.flatnonzero((below + offset == at) & (share > 0))
                if chosen.size:
                    mine = several[chosen]
                    value, kind = _drawn(sample, ratio[mine], _chi2_tail, self.mid_p, _phase_of(nodes[at])[2])
                    log_p[mine] = np.nan_to_num(log_p[mine]) + share[chosen] * value
                    how[mine] = np.where(how[mine] == "tail", "tail", kind)
        return log_p, how

    def _ratio_samples(self, nodes: Sequence[int]) -> list[Floats]:
        from termburst.inference import _null_kernel as kernel

        lengths, table = self.lengths, LengthTable.of(self.cells.lengths, self.cells.length_documents)
        samples, tasks = [], []
        for v, seeds in zip(nodes, self.seeds.spawn(len(nodes)), strict=True):
            draws = max(49, int(_phase_of(v)[1] * self.draws))
            samples.append(np.empty(draws))
            edges = np.linspace(0, draws, BLOCKS + 1).astype(np.int64)
            tasks += [
                (v, state, edges[k], edges[k + 1], samples[-1])
                for k, state in enumerate(seeds.generate_state(BLOCKS, np.uint64))
            ]

        def draw(task: Any) -> None:
            v, state, first, last, out = task
            kernel.simulate_ratio(
                state, first, last, v, lengths.each, lengths.accept, lengths.other, table.longest, table.pairs,
                table.coefficients, SPACING, out,
            )  # fmt: skip

        in_threads(draw, sorted(tasks, key=lambda task: -task[0]))  # the long ones first
        return [np.sort(sample) for sample in samples]

    def _ratios_once(self, lengths: Integers, documents: Integers) -> Floats:
        """LR of a term that occurs once, in a document of each length."""
        size = lengths.size
        each = TermCells(
            np.arange(size + 1), np.ones(size, np.int32), lengths.astype(np.int32), np.ones(1), np.ones(size, np.int64),
            np.ones(size, np.int64), lengths, documents,
        )  # fmt: skip
        fit = fit_beta_binomial(each)
        return np.maximum(2 * (fit.loglik - fit.loglik_binomial), 0.0)


@dataclass(frozen=True, slots=True)
class _States:
    documents: Integers
    repetition: Floats
    mass: Floats


@cache
def _steps() -> tuple[Floats, Floats]:
    """(c − 1)^{2s}/c for every tilt s and count c, and log Γ(c): what `tilted` multiplies by; 1 and 0 for c = 0."""
    count = np.arange(MOST + 1)
    less = np.maximum(count - 1, 1)
    return less ** (2 * CURVE[:, None]) / np.maximum(count, 1), special.gammaln(np.maximum(count, 1))


class PlrTail:
    """The shape of λ's upper tail at one n_i: a saddlepoint approximation at the dominating point, log p + constant.

    log P(λ ≥ x | n_i) ≈ K(s) − s x + ½w² + log Φ(−w), w² = s² K″(s), the null being tilted by e^{sλ}; λ = g(b) + 2R is
    made additive by the slope of g at the mean of b. Beyond the last s, which is near a likelihood ratio's ½, the slope
    stays −s: Chernoff's bound, which holds for any s.
    """

    def __init__(
        self, null: Null, v: int, mean_length: Floats, weights: Floats, sample: Floats, grid: Floats, base: Floats
    ) -> None:
        self.v, self.weights, self.sample, self.grid, self.base = v, weights, sample, grid, base
        self.rate = v * mean_length / null.lengths.tokens
        self.curve: tuple[Floats, Floats] | None = None

    def __call__(self, values: Floats) -> Floats:
        if self.curve is None:
            self.curve = self._points()
        x, log_p = self.curve
        if x.size < 3:  # no tilt could be solved, as where documents hold the term by the thousand: the gamma then
            mean, deviation, skew = _moments(self.sample)
            return _log_gamma_tail((values - mean) / deviation, skew)
        inside = PchipInterpolator(x, log_p)(np.clip(values, x[0], x[-1]))
        return inside - CURVE[x.size - 1] * np.maximum(values - x[-1], 0.0)

    def _points(self) -> tuple[Floats, Floats]:
        from termburst.inference import _null_kernel as kernel

        if self.grid[-1] <= 1:
            return np.zeros(0), np.zeros(0)
        start = float(self.weights @ -np.expm1(-self.rate))
        x, log_p = np.empty(CURVE.size), np.empty(CURVE.size)
        kernel.tail_curve(
            CURVE, start, float(self.v), self.rate, self.weights, self.grid, self.base, *_steps(), x, log_p
        )
        w = CURVE * np.sqrt(np.maximum(np.gradient(x, CURVE), 0.0))
        log_p += w**2 / 2 + special.log_ndtr(-w)
        rising = np.append(True, np.cumprod((np.diff(x) > 0) & (np.diff(log_p) < 0)) > 0)  # as far as it was solved
        return x[rising], log_p[rising]


class ScoreTail:
    """The shape of the score's upper tail at one n_i: the heavier of a gamma and of one document that has it all."""

    def __init__(self, null: Null, v: int, mean_length: Floats, weights: Floats, sample: Floats) -> None:
        self.lengths, self.weights = mean_length, weights
        n = null.lengths.tokens
        self.share, self.rate = v / n, v * mean_length / n
        self.spread = np.sqrt(2 * (null.lengths.squared - n)) * self.share * (1 - self.share)
        self.mean, self.deviation, self.skew = _moments(sample)

    def __call__(self, values: Floats) -> Floats:
        from termburst.inference import _null_kernel as kernel

        gamma = _log_gamma_tail((values - self.mean) / self.deviation, self.skew)
        excess = np.maximum(values - self.mean, 0.0) * self.spread
        one = np.empty(excess.size)
        kernel.log_one_document(excess, self.share, self.rate, self.weights, self.lengths, one)
        return np.stack([gamma, one])


def _aliases(share: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Walker's aliases of probabilities in ascending order: how often a cell stands for itself, and for which other.

    Cells that have too much give, one after another, to those that have too little in their order; one that has given
    all that it had above its own 1/d, and more, is made up for by the next. Cumulative sums say who gives to whom.
    """
    accept = share * share.size
    few = int(np.searchsorted(accept, 1.0))
    lacking, given = np.append(0.0, np.cumsum(1 - accept[:few])), np.cumsum(accept[few:] - 1)
    other = np.arange(1, share.size + 1)
    other[:few] = few + np.searchsorted(given, lacking[:-1])
    needed = np.append(lacking, 0.0)[np.searchsorted(lacking, given, side="right")]
    accept[few:] = np.minimum(1 + given - needed, 1.0)
    accept[-1] = 1.0
    return accept, np.minimum(other, share.size - 1).astype(np.int32)


def _phase_of(v: int) -> tuple[int, float, float]:
    return next(phase for phase in RATIO_PHASES if v <= phase[0])


def _moments(sample: Floats) -> tuple[float, float, float]:
    """Mean, standard deviation and skewness, as far as a gamma distribution can have it."""
    mean = float(sample.mean())
    centred = sample - mean
    square = centred * centred
    deviation = float(square.mean()) ** 0.5 or 1.0
    return mean, deviation, min(max(float(np.mean(square * centred)) / deviation**3, 0.01), 10.0)


def _log_gamma_tail(z: Floats, skew: float) -> Floats:
    """log P(Z ≥ z) of the standardised gamma distribution (Pearson III) of that skewness, however small."""
    shape = 4 / skew**2
    y = np.maximum(shape + z * np.sqrt(shape), 1e-300)
    with np.errstate(divide="ignore"):
        near = np.log(special.gammaincc(shape, y))
        far = (shape - 1) * np.log(y) - y - special.gammaln(shape) - np.log1p(-np.minimum((shape - 1) / y, 0.999))
    return np.where((near < -600) | ~np.isfinite(near), far, near)


def _chi2_tail(values: Floats) -> Floats:
    """log of χ²_1's upper tail, however small."""
    return stats.norm.logsf(np.sqrt(values)) + np.log(2)


def _drawn(sample: Floats, observed: Floats, tail: Any, mid_p: bool, top: float) -> tuple[Floats, Names]:
    """log p of the observed values from a sorted sample of the null; beyond its *top* share by *tail*'s shape."""
    draws = sample.size
    near = TIE * (1 + np.abs(observed))
    reached = draws - np.searchsorted(sample, observed - near)
    tied = reached - (draws - np.searchsorted(sample, observed + near))
    log_p = np.log((1 + reached - (0.5 * tied if mid_p else 0)) / (draws + 1))
    how = np.full(observed.size, "monte-carlo", dtype=object)
    anchor = sample[-max(int(top * draws), min(20, draws // 5))]
    at_anchor = np.log((1 + draws - np.searchsorted(sample, anchor)) / (draws + 1))
    beyond = np.flatnonzero(observed > anchor + near)
    if beyond.size:
        shape = np.atleast_2d(tail(np.append(observed[beyond], anchor)))
        with np.errstate(invalid="ignore"):
            fall = np.nanmax(np.nan_to_num(shape[:, :-1] - shape[:, -1:], nan=-np.inf), axis=0)
        log_p[beyond] = at_anchor + np.minimum(fall, 0.0)
        how[beyond] = "tail"
    return log_p, how


def _upper(values: Floats, mass: Floats, observed: Floats, mid_p: bool) -> Floats:
    """P(T ≥ t) of a discrete T, or P(T > t) + ½ P(T = t)."""
    order = np.argsort(values, kind="stable")
    values, above = values[order], np.append(np.cumsum(mass[order][::-1])[::-1], 0.0)
    near = TIE * (1 + np.abs(observed))
    reached = above[np.searchsorted(values, observed - near)]
    further = above[np.searchsorted(values, observed + near)]
    return np.minimum((reached + further) / 2 if mid_p else reached, 1.0)
