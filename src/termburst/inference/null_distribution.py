"""The null distributions of the burstiness test: enumerated, drawn, and their tails. Terms of equal n_i share one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.core import null as core
from termburst.inference.checks import check_name
from termburst.inference.null_exact import States, partitions, upper
from termburst.inference.null_lengths import SEPARATE, Lengths
from termburst.inference.null_tails import (
    CURVE,
    Curves,
    Moments,
    PlrTail,
    ScoreTail,
    counted_p,
    log_gamma_tail,
    plr_curves,
    sampled_p,
)
from termburst.models import binomial
from termburst.models.cells import TermCells
from termburst.models.closed_forms import NUMPY, Collection, add_up, plr_parts
from termburst.models.penalties import checked_hyperparameters
from termburst.names import FORMS, Form
from termburst.statistics.matrix import Integers
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Names = NDArray[np.object_]
Drawn = tuple[NDArray[np.int32], Floats, Floats]  # b_i, Σ log (n_ij − 1)! and the sums of the score, of every draw

EXACT = 16  # occurrences up to which the null of λ is enumerated
FREQUENT = 20_000  # occurrences beyond which nothing is drawn: λ has its moments, LR and the score the null at this n_i
# (occurrences up to which it applies, draws as a multiple of those asked for, share of the largest draws that the tail
# replaces). For small n_i the null is coarse and draws are cheap; for large n_i the tail's shape is known well.
PHASES = ((64, 10.0, 0.0005), (300, 1.0, 0.0025), (2_000, 0.4, 0.1), (FREQUENT, 0.2, 0.25))
SCORE_TOP = 0.25  # a factor of that share for the score, whose tail is known less well
RATIO_NODES = (2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40, 60, 100, 200, 400, 1_000, 3_000)  # n_i at which LR is drawn
# For a term that is more than half of all tokens: documents × draws at most, and the least number of draws.
MOST_TEXT = (20_000_000, 199)
COUNTABLE = 10**9  # from this many tokens on, NumPy cannot draw without replacement
BLOCKS = 20  # blocks of draws, each with its own seed
CLASS = 1.35  # largest ratio of the lengths in one class of documents, for the tails
FINE = 1.03  # ratio of neighbouring lengths at which the moments of λ are computed
FEWEST = 9  # the counts 0 to 8 of a frequent term in a document always enter its moments
GRID = 257  # evenly spaced numbers of documents; between them g of the tail is linear


class PlrFunction:
    """λ as a function of n_i, b_i and Σ log (n_ij − 1)!: `plr_statistic` without its warning.

    Clamped values of λ are values like all others here, and threads should not warn.
    """

    def __init__(self, cells: TermCells, mu: float | None, sigma2: float, form: Form) -> None:
        check_name("form", form, FORMS)
        documents, tokens = int(cells.length_documents.sum()), cells.tokens
        mu, sigma2 = checked_hyperparameters(tokens / documents if mu is None else mu, sigma2)
        self.collection, self.form = Collection(documents, tokens, mu, sigma2), form

    def __call__(self, n_i: Any, b_i: Any, repetition: Floats) -> Floats:
        return add_up(plr_parts(NUMPY, self.collection, n_i, b_i, repetition, self.form))


@dataclass(frozen=True, slots=True)
class Longest:
    """How many tokens the draws have: what the null distributions depend on beyond lengths and seed.

    One draw of the largest n_i of a phase serves all smaller ones. Workers that have some of the terms of a collection
    make the same draws if they know these numbers.

    Attributes
    ----------
    phases : the largest number of tokens to draw in each of `PHASES`; 0 if it has no terms
    most : the largest of all terms
    """

    phases: tuple[int, ...]
    most: int

    @classmethod
    def of(cls, sizes: Integers) -> Longest:
        """Those of terms whose draws have these *sizes*."""
        edges = [1, *(phase[0] for phase in PHASES)]
        largest = [int(sizes[(low < sizes) & (sizes <= high)].max(initial=0)) for low, high in pairwise(edges)]
        most = int(sizes.max(initial=0))
        return cls((*largest[:-1], FREQUENT if most > FREQUENT else largest[-1]), most)


@dataclass(frozen=True, slots=True)
class Tested:
    """A statistic of every term, with log p and how it was obtained, which are filled in step by step."""

    value: Floats
    log_p: Floats
    how: Names

    def put(self, terms: NDArray[np.intp], log_p: Floats | float, how: str) -> None:
        """Fill in the p-values of some terms."""
        self.log_p[terms], self.how[terms] = log_p, how

    def put_sampled(self, terms: NDArray[np.intp], log_p: Floats, from_tail: NDArray[np.bool_]) -> None:
        """Fill in the p-values of some terms that `sampled_p` found."""
        self.put(terms, log_p, "monte-carlo")
        self.how[terms[from_tail]] = "tail"


@dataclass(frozen=True, slots=True)
class PhaseNulls:
    """The null distributions of λ and of the score at some n_i of one phase.

    Attributes
    ----------
    checkpoints : the n_i, ascending
    sampled : the first whose λ was not enumerated; rows of *plr* before it have no meaning
    plr, score : sorted draws, checkpoints × draws
    curves : the tails of λ
    of_plr, of_score : the moments of the draws
    """

    checkpoints: Integers
    sampled: int
    plr: Floats
    score: Floats
    curves: Curves
    of_plr: Moments
    of_score: Moments


class Nulls(Protocol):
    """Null distributions that were made before, for all n_i of a collection."""

    def enumerated(self) -> dict[int, States]:
        """Those of λ that are enumerated, by n_i."""
        ...

    def drawn(self, phase: int, checkpoints: Integers) -> Iterable[PhaseNulls]:
        """Those at the *checkpoints* of one of `PHASES`, in parts that follow each other."""
        ...


class Null:
    """The null distributions, shared by all terms of equal n_i.

    LR and the score are the same for a term and for all other tokens. So if a term is more than half of the text, its
    null is that of n − n_i. This does not hold for λ, which has its own draws there.
    """

    def __init__(
        self, cells: TermCells, draws: int, seed: int, mid_p: bool, plr: PlrFunction, longest: Longest | None = None,
        *, scores: bool = True, nulls: Nulls | None = None,
    ) -> None:  # fmt: skip
        self.nulls = nulls  # of all terms, if they were made before
        self.cells, self.draws, self.mid_p, self.plr = cells, draws, mid_p, plr
        self.scores = scores  # whether p-values of Tarone's score are wanted
        self.lengths = Lengths.of(cells)
        self.fixed = self.lengths.fixed(cells.n_i)
        self.sizes = self.lengths.drawn(cells.n_i)
        self.longest = Longest.of(self.sizes) if longest is None else longest  # of all terms, if *cells* has only some
        self.seeds = np.random.SeedSequence(seed)
        self.phase_seeds = self.seeds.spawn(len(PHASES))
        self.ratio_seeds = self.seeds.spawn(len(RATIO_NODES) + 1)

    def drawn_p(self, plr: Floats, score: Floats) -> tuple[tuple[Floats, Floats], tuple[Names, Names]]:
        """log p of λ and of Tarone's score, and how each was obtained."""
        of_plr, of_score = Tested(plr, *self.undrawn()), Tested(score, *self.undrawn())
        sizes, place = np.unique(self.sizes, return_inverse=True)
        parts = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
        terms = dict(zip(sizes.tolist(), parts, strict=False))  # of no term there is one part, and no size
        terms.pop(0, None)
        frequent = [v for v in terms if v > FREQUENT]
        for v in frequent:
            mine = self._minor(terms[v])
            of_plr.put(mine, self._frequent_p(v, plr[mine]), "tail")
        more = np.concatenate([terms.pop(v) for v in frequent]) if frequent else np.empty(0, np.intp)
        if frequent:
            terms.setdefault(FREQUENT, np.empty(0, np.intp))
        self._once(terms.get(1, np.empty(0, np.intp)), of_plr, of_score)
        enumerated = self.enumerated(terms) if self.nulls is None else self.nulls.enumerated()
        for v, states in enumerated.items():
            if v in terms:
                mine = self._minor(terms[v])
                values = self.plr(np.full(states.documents.size, v), states.documents, states.repetition)
                of_plr.put(mine, np.log(upper(values, states.mass, plr[mine], self.mid_p)), "exact")
        self._compare_drawn(terms, more, max(enumerated, default=0), of_plr, of_score)
        major = np.flatnonzero((self.sizes > 0) & (self.sizes < self.cells.n_i))
        for v in np.unique(self.cells.n_i[major]).tolist():
            mine = major[self.cells.n_i[major] == v]
            of_plr.put(mine, *self._major_p(v, plr[mine]))
        return (of_plr.log_p, of_score.log_p), (of_plr.how, of_score.how)

    def enumerated(self, sizes: Iterable[int]) -> dict[int, States]:
        """The enumerated distributions of λ, up to the largest of these n_i that has one."""
        return partitions(self.lengths, max((v for v in sizes if v <= EXACT), default=0))

    def _compare_drawn(
        self, terms: dict[int, NDArray[np.intp]], more: NDArray[np.intp], enumerated: int, of_plr: Tested,
        of_score: Tested,
    ) -> None:  # fmt: skip
        """Compare terms with draws, phase by phase. *more* have an n_i above `FREQUENT`, and its null of the score."""
        low = 1
        for phase, (high, _, top) in enumerate(PHASES):
            checkpoints = np.array([v for v in sorted(terms) if low < v <= high], dtype=np.int64)
            low = high
            if not checkpoints.size:
                continue
            if self.nulls is None:
                parts: Iterable[PhaseNulls] = [self.drawn(phase, checkpoints, enumerated)]
            else:
                parts = self.nulls.drawn(phase, checkpoints)
            for found in parts:
                by_size = [terms.get(v, np.empty(0, np.intp)) for v in found.checkpoints.tolist()]
                if found.checkpoints[-1] == FREQUENT:
                    by_size[-1] = np.concatenate([by_size[-1], more])
                self._compare(found, top, by_size, of_plr, of_score)

    def undrawn(self) -> tuple[Floats, Names]:
        """log p and how before anything is drawn: p = 1, or ½ with mid-p, where nothing can vary; NaN elsewhere."""
        log_p: Floats = np.where(self.fixed, np.log(0.5) if self.mid_p else 0.0, np.nan)
        return log_p, np.where(self.fixed, "exact", "").astype(np.object_)

    def _minor(self, terms: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of the terms that are at most half of all tokens."""
        return terms[self.cells.n_i[terms] == self.sizes[terms]]

    def _major_p(self, v: int, plr: Floats) -> tuple[Floats, str]:
        """log p of λ of a term that is more than half of all tokens: the n − n_i other tokens are drawn.

        If a document of n_j tokens gets c of them, it has the term n_j − c times. There is no tail beyond the draws:
        its shape is not known. In very large collections these tokens are so many that λ has that of a frequent term.
        """
        (lengths, documents), others = self.lengths.distinct, int(self.lengths.tokens) - v
        if self.lengths.documents > SEPARATE or self.lengths.tokens >= COUNTABLE:
            return self._frequent_p(v, plr), "tail"
        each = np.repeat(lengths, documents)
        most, least = MOST_TEXT
        draws = min(self.draws, max(most // each.size, least))
        b, repetition = np.empty(draws, dtype=np.int64), np.empty(draws)
        edges = np.linspace(0, draws, BLOCKS + 1).astype(np.int64)
        seeds = self.seeds.spawn(BLOCKS)

        def draw(block: int) -> None:
            rng = np.random.default_rng(seeds[block])
            for at in range(edges[block], edges[block + 1]):
                held = each - rng.multivariate_hypergeometric(each, others, method="marginals")
                b[at], repetition[at] = np.count_nonzero(held), special.gammaln(np.maximum(held, 1)).sum()

        in_threads(draw, range(BLOCKS))
        return counted_p(np.sort(self.plr(np.full(draws, v), b, repetition)), plr, self.mid_p), "monte-carlo"

    def _frequent_p(self, v: int, plr: Floats) -> Floats:
        """log p of λ at an n_i so large that the sum over documents has a gamma's shape: mean, variance and skewness.

        λ = g(b) + 2R becomes a sum over documents if g is replaced by its tangent. Since the total count is given, each
        document contributes its deviation from the regression on its count. Counts are binomial; given their total they
        are hypergeometric, which lowers the mean by half the regression on their squares.
        """
        share = v / self.lengths.tokens
        length, weights = self.lengths.nodes(FINE)
        spread = np.sqrt(length * share * (1 - share))
        stride = np.maximum(np.ceil(20 * spread / 512), 1)  # whole: counts between two steps are alike
        step = np.arange(-256, 257) * stride[:, None]
        step[np.abs(step) > (12 * spread + 24)[:, None]] = 0.0  # no mass there: below 1e-20
        near = np.round(length * share)[:, None] + step
        few = np.arange(FEWEST) + 0 * length[:, None]  # if the term is rare, beyond ten standard deviations
        count = np.sort(np.clip(np.concatenate([near, few], axis=1), 0, length[:, None]), axis=1)
        row, at = np.nonzero(np.diff(count, axis=1, prepend=-1) > 0)  # in short documents most steps coincide
        count = count[row, at]
        mass = np.exp(binomial.log_pmf(count, length[row], share))
        mass /= np.bincount(row, mass)[row]
        weighted = weights[row] * mass

        def total(of: Any) -> float:  # not by @: its threads would wait for one another
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
        bend = total(rest * count**2) / max(total(count**2), 1e-300)
        return log_gamma_tail((plr - g[1] - 2 * r + bend / 2) / deviation, skew)

    def _g(self, n_i: Integers, b_i: Any) -> Floats:
        """λ without 2 Σ log (n_ij − 1)!."""
        return self.plr(n_i, b_i, np.zeros(n_i.size))

    def _once(self, terms: NDArray[np.intp], of_plr: Tested, of_score: Tested) -> None:
        """Terms that occur once, or that are all tokens but one: the score falls with the length of that document.

        λ is the same for all terms that occur once.
        """
        if terms.size:
            lengths, documents = self.lengths.distinct
            values = self.lengths.score(1, 1, lengths)
            of_plr.put(self._minor(terms), np.log(0.5) if self.mid_p else 0.0, "exact")
            share = lengths * documents / self.lengths.tokens
            of_score.put(terms, np.log(upper(values, share, of_score.value[terms], self.mid_p)), "exact")

    def _compare(
        self,
        found: PhaseNulls,
        top: float,
        terms: Sequence[NDArray[np.intp]],
        of_plr: Tested,
        of_score: Tested,
    ) -> None:
        """Compare the *terms* of each checkpoint with its draws; λ only if it was not enumerated.

        The last checkpoint may have terms of a larger n_i, too: only their score is compared with its draws.
        """
        checkpoints, lengths = found.checkpoints, self.lengths
        held, row = np.concatenate(terms), np.repeat(np.arange(checkpoints.size), [len(some) for some in terms])
        if self.scores:
            tail = ScoreTail(checkpoints, lengths.tokens, lengths.squared, *lengths.classes(CLASS), found.of_score)
            of_score.put_sampled(
                held, *sampled_p(found.score, of_score.value[held], row, tail, self.mid_p, SCORE_TOP * top)
            )
        minor = (row >= found.sampled) & (self.cells.n_i[held] == checkpoints[row])
        held, row = held[minor], row[minor]
        tail_of_plr = PlrTail(found.curves, found.of_plr)
        of_plr.put_sampled(held, *sampled_p(found.plr, of_plr.value[held], row, tail_of_plr, self.mid_p, top))

    def draws_of(self, phase: int) -> int:
        """How many draws a phase has."""
        return max(49, int(PHASES[phase][1] * self.draws))

    def drawn(self, phase: int, checkpoints: Integers, enumerated: int) -> PhaseNulls:
        """The null distributions at the *checkpoints* of a phase, drawn now; λ only beyond n_i = *enumerated*.

        Each draw has as many tokens as the largest n_i of all terms of the phase, so that it is the same draw whatever
        the checkpoints are. The arrays are valid until the next call.
        """
        last = self.longest.phases[phase]
        if checkpoints[-1] != last:
            checkpoints = np.append(checkpoints, last)
        b, plr, score = self._draw(checkpoints, self.draws_of(phase), self.phase_seeds[phase])
        sampled = int(np.searchsorted(checkpoints, enumerated, side="right"))
        curves, of_plr, of_score = self._values(checkpoints, sampled, b, plr, score)
        return PhaseNulls(checkpoints, sampled, plr, score, curves, of_plr, of_score)

    def _draw(self, checkpoints: Integers, draws: int, seeds: Any) -> Drawn:
        """The results of `core.simulate`, one row per checkpoint."""
        shape = checkpoints.size, draws
        b, repetition, scatter = np.empty(shape, np.int32), np.empty(shape), np.empty(shape)
        edges = np.linspace(0, draws, BLOCKS + 1).astype(np.int64)
        states, of = seeds.generate_state(BLOCKS, np.uint64), self.lengths.for_kernels()

        def draw(block: int) -> None:
            first, last = int(edges[block]), int(edges[block + 1])
            core.simulate(of, states[block], first, last, checkpoints, b, repetition, scatter)

        in_threads(draw, range(BLOCKS))
        return b, repetition, scatter

    def _values(
        self, checkpoints: Integers, sampled: int, b: NDArray[np.int32], repetition: Floats, scatter: Floats
    ) -> tuple[Curves, Moments, Moments]:
        """Overwrite R by sorted λ (from checkpoint *sampled* on) and the sums by sorted scores.

        Returns the tails of λ and the moments of both.
        """
        lengths, (mean_length, weights) = self.lengths, self.lengths.classes(CLASS)
        # g of λ = g(b) + 2R, for all checkpoints at once: at every b that was drawn, and on the grids of the tails
        least = b.min(axis=1).astype(np.int64)
        width = b.max(axis=1) - least + 1
        start = np.append(0, np.cumsum(width))
        g = self._g(np.repeat(checkpoints, width), np.arange(start[-1]) + np.repeat(least - start[:-1], width))
        grids = np.ascontiguousarray(np.linspace(1, np.minimum(checkpoints, lengths.documents), GRID, axis=1))
        on_grids = self._g(np.repeat(checkpoints, GRID), grids.ravel()).reshape(grids.shape)
        values = core.null_values(
            b, repetition, scatter, checkpoints, sampled, g, least, start, lengths.tokens, lengths.squared
        )
        shape = (checkpoints.size, CURVE.size)
        curves = Curves(np.zeros(shape), np.zeros(shape), np.zeros(checkpoints.size, np.int64))

        def make(rows: slice) -> None:
            core.make_values(values, rows.start, rows.stop)
            if self.scores:
                scatter[rows].sort(axis=1)
            drawn = slice(max(rows.start, sampled), rows.stop)
            if drawn.start < drawn.stop:
                repetition[drawn].sort(axis=1)
                found = plr_curves(
                    checkpoints[drawn], lengths.tokens, mean_length, weights, grids[drawn], on_grids[drawn]
                )
                for whole, part in zip(curves, found, strict=True):
                    whole[drawn] = part

        cuts = np.linspace(0, checkpoints.size, min(BLOCKS, checkpoints.size) + 1).astype(int)
        in_threads(make, [slice(*cut) for cut in pairwise(cuts.tolist())])
        return curves, values.arrays["plr"], values.arrays["score"]
