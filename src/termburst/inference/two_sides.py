"""Two corpora, each with its own burstiness: how sure is it that a word is more frequent in one of them?

Given the precision α_0 of a corpus, it is worth x = N π̂ occurrences in N independent tokens (`core.profiles`). For a
rare word x is about the number of its bursts: forty mentions in one report count as one. Then the ratio of both shares
is tested as in a 2 × 2 table. P(θ), the probability that the log ratio is above θ, comes from the signed root of the
likelihood ratio, with a correction that makes it a mid-p for small counts, and one for shares that are more skewed than
counts are (`core/comparison.c`).

The precisions are not known, so P(θ) is averaged over them. Their weights are what the word's own documents say, with
the mean integrated out, times what the collection says of their ratio: log α_0a/α_0b = δ + s t, where t has Student's
distribution with four degrees of freedom. So a corpus that is burstier as a whole does not make its words look rarer,
and its heavy tails leave room for a word that is burstier than the others on one side. δ and s are learned once, from
all words, as sums that add over words (`PrecisionPrior`).

p is twice the smaller of P(0) and 1 − P(0). An interval has the θ at which one of them is (1 − confidence)/2, and the
estimate is where both are ½, so the three always agree. A word and its complement have the same p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from termburst.core import beta_binomial as core_fits
from termburst.core import comparison as core
from termburst.core import profiles as core_profiles
from termburst.core.length_table import look_up
from termburst.models.cells import GroupedCells, TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.threads import over_parts, parts_of

Floats = NDArray[np.float64]

SHIFTS = np.arange(-4.0, 4.01, 0.125)  # the grid of δ,
SPREADS = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0])  # and of s, on which both are learned
SHIFT_DEVIATION, MEAN_SPREAD = 0.7, 0.3  # what is assumed before: δ ~ N(0, 0.7²), s ~ exponential with mean 0.3
HIGHEST = 5.0  # of log α_0 above `level`: higher precisions are so unlikely that they are left out
QUANTILES = 9  # points of the prior for the smallest possible p
FEW_BURSTS = 200.0  # up to which the smallest possible p may matter
PART = 512  # terms whose profiles are made together
KEPT = 40_000  # distinct terms up to which profiles are kept after learning; they take 64 MB then
LEARNED_FROM = 5  # documents with a term from which something is learned from it
FEWEST_DOCUMENTS = 5  # of each corpus, from which on its words say how bursty it is


@dataclass(frozen=True, slots=True)
class PrecisionPrior:
    """log α_0a − log α_0b is `shift` + `spread` × t, with four degrees of freedom.

    Learned by `of_sums`; with few words that are on both sides it stays near what is assumed before: the same precision
    but for a factor of about two.
    """

    shift: float
    spread: float

    @classmethod
    def of_sums(cls, sums: Floats) -> PrecisionPrior:
        """From `TwoSides.prior_sums` of all words, Σ_i log ∫ L_i(r) p(r | δ, s) dr on the grid of δ and s.

        δ is the posterior mean, and s² the mean of s² plus the variance of δ: what is not known of δ widens s. Both are
        rounded: the order in which terms were added up must not show.

        >>> PrecisionPrior.of_sums(np.zeros(SHIFTS.size * SPREADS.size)).shift
        0.0
        """
        sums = sums if sums.size else np.zeros(SHIFTS.size * SPREADS.size)  # no terms at all
        posterior = sums.reshape(SHIFTS.size, SPREADS.size) - SPREADS / MEAN_SPREAD
        posterior = posterior - 0.5 * (SHIFTS[:, None] / SHIFT_DEVIATION) ** 2
        weight = np.exp(posterior - posterior.max())
        weight /= weight.sum()
        by_shift = weight.sum(axis=1)
        shift = float(by_shift @ SHIFTS)
        variance = float(by_shift @ (SHIFTS - shift) ** 2 + weight.sum(axis=0) @ SPREADS**2)
        return cls(round(shift, 12) + 0.0, round(float(np.sqrt(variance)), 12))


@dataclass(frozen=True, slots=True)
class SideTails:
    """What P(θ) says of every term.

    Attributes
    ----------
    below, above : P(log ratio < θ) and P(log ratio > θ) at the asked θ, terms × θ; natural logarithms.
    log_ratio : where both are ½; ±inf if one corpus lacks the term.
    statistic : the likelihood ratio of a ratio of 1, with x and N at their means; about χ²_1 if both are large.
    limits : of log_ratio, terms × levels × 2; NaN from the second level on for terms with p above the first.
    """

    below: Floats
    above: Floats
    log_ratio: Floats
    statistic: Floats
    limits: Floats


class TwoSides:
    """Two corpora over the same terms; *null* is the fit of both together."""

    def __init__(self, a: TermCells, b: TermCells, null: BetaBinomialFit) -> None:
        self.a, self.b, self.null = a, b, null
        self.groups = GroupedCells([a, b])
        squares = sum(float(c.lengths.astype(np.float64) ** 2 @ c.length_documents) for c in (a, b))
        tokens = float(a.tokens + b.tokens)
        self.level = float(np.log(squares / tokens))  # log of the length of the document of a mean token
        self.weight_a = a.tokens / tokens
        with np.errstate(divide="ignore"):
            tau = np.where(null.status == "converged", np.log(null.alpha_0), self.level)
        self._kept: dict[int, NDArray[np.void]] = {}
        self.start = np.where(null.status == "degenerate", -HIGHEST, np.nan_to_num(tau, nan=self.level))

    def _profiles(self, terms: NDArray[np.int64], *, keep: bool) -> NDArray[np.void]:
        """Those that were kept, which are then no longer, or new ones."""
        groups = self.groups
        if (found := self._kept.pop(int(terms[0]), None)) is None:
            found = core_profiles.profiles(groups.cells, groups.lengths, terms, self.start, self.level + HIGHEST)
        if keep and groups.terms.size <= KEPT:
            self._kept[int(terms[0])] = found
        return found

    def _over_parts(self, function: Callable[[int, NDArray[np.int64]], None]) -> None:
        """Call *function* with the number of a part and some of its terms, on all cores, always the same terms."""

        def over(part: slice) -> None:
            terms = self.groups.terms[part]
            for first in range(0, terms.size, PART):
                function(part.start, terms[first : first + PART].copy())

        over_parts(over, self.groups.work, self.groups.terms.size)

    def prior_sums(self) -> Floats:
        """What the terms say about δ and s: numbers that add over terms, for `PrecisionPrior.of_sums`.

        Terms that only one corpus has say nothing, and those in very few documents hardly anything. With a handful of
        documents, what the mean takes from the likelihood of the precision is as large as the likelihood, so nothing is
        learned from them.
        """
        b_a, b_b = self.a.b_i, self.b.b_i
        if min(self.a.documents, self.b.documents) < FEWEST_DOCUMENTS:
            return np.zeros(SHIFTS.size * SPREADS.size)
        informative = (b_a > 0) & (b_b > 0) & (b_a + b_b >= LEARNED_FROM)
        times = np.bincount(self.groups.same_as, minlength=b_a.size).astype(np.float64)
        parts = len(parts_of(self.groups.work, self.groups.terms.size))
        sums, densities = np.zeros((parts, SHIFTS.size * SPREADS.size)), _densities()

        def learn(block: int, terms: NDArray[np.int64]) -> None:
            told = informative[terms]
            if told.any():
                profiles, of = self._profiles(terms, keep=True)[told], times[terms[told]]
                sums[block] += core.learn_precisions(profiles, of, self.level, self.weight_a, densities)

        self._over_parts(learn)
        return np.asarray(sums.sum(axis=0))

    def tails(self, prior: PrecisionPrior, log_ratios: Floats, levels: Floats) -> SideTails:
        """P(θ) of every term at *log_ratios* (natural logarithms, the same for all), and its limits at *levels*."""
        size, groups = self.a.n_i.size, self.groups
        below, above = np.full((2, size, log_ratios.size), np.nan)
        median, statistic = np.full((2, size), np.nan)
        limits = np.full((size, levels.size, 2), np.nan)
        results = (below, above, median, statistic, limits)
        four = (prior.shift, prior.spread, self.level, self.weight_a)

        def compare(_: int, terms: NDArray[np.int64]) -> None:
            profiles = self._profiles(terms, keep=False)
            found = core.compare_sides(profiles, four, np.tile(log_ratios, (terms.size, 1)), levels)
            for result, values in zip(results, found, strict=True):
                result[terms] = values

        self._over_parts(compare)
        for result in results:
            result[groups.occurring] = result[groups.same_as]
        tails = SideTails(*results)
        self._set_unknown(tails)
        return tails

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """Terms of which nothing is known: if each corpus has one document, or if there is no other term.

        Nor does a term in one document alone show a difference, unless that document is a corpus. The same is true of
        its complement, so of a term that is all of every document but one.
        """
        sides = (self.a, self.b)
        documents = [c.documents for c in sides]
        held = self.a.b_i + self.b.b_i
        others = sum(documents) - sum(_alone(c) for c in sides)
        alone = ((held == 1) | (others == 1)) & (min(documents) > 1)
        return np.asarray((held > 0) & ((max(documents) < 2) | (others == 0) | alone))

    def _set_unknown(self, found: SideTails) -> None:
        a, b, unknown = self.a, self.b, self.unknown
        found.below[unknown] = found.above[unknown] = 0.5
        found.statistic[unknown] = 0.0
        found.limits[unknown] = -np.inf, np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            found.log_ratio[unknown] = (np.log(a.n_i / a.tokens) - np.log(b.n_i / b.tokens))[unknown]

    @cached_property
    def _effective(self) -> Floats:
        """The occurrences that a term is worth in both corpora together, if both have its common precision."""
        null, both = self.null, self.a.n_i + self.b.n_i
        worth = both * (1 - both / (self.a.tokens + self.b.tokens))
        terms = np.flatnonzero((null.status == "converged") & (worth < 100 * FEW_BURSTS))
        if terms.size:
            tau, omega = np.log(null.alpha_0[terms]), np.log(null.mean[terms]) - np.log1p(-null.mean[terms])
            worth[terms] = 0.0
            for cells, table in zip((self.a, self.b), self.groups.tables, strict=True):
                found = core_fits.derivatives(cells.for_kernels(), table.for_kernels(), terms, tau, omega, np.zeros(4))
                worth[terms] -= found["omega_omega"]
        return np.asarray(worth)

    def least_p(self, prior: PrecisionPrior) -> Floats:
        """The p of every term if all of its documents were in one corpus, whichever gives the smaller one; 0 if tiny.

        It depends on the documents of both corpora together, not on which of them have the term.
        """
        worth = self._effective
        few = np.flatnonzero((worth < FEW_BURSTS) & (self.a.n_i + self.b.n_i > 0))
        least = np.zeros(worth.size)
        if not few.size:
            return np.where(self.unknown, 1.0, least)
        tau = np.clip(np.nan_to_num(self.start[few], posinf=self.level + HIGHEST), -8.0, self.level + HIGHEST)
        quantile = stdtrit(core.DEGREES, (np.arange(QUANTILES) + 0.5) / QUANTILES)
        sums = np.zeros((2, few.size))
        for ratio in prior.shift + prior.spread * quantile:
            sizes = []
            for table, part in zip(self.groups.tables, (1 - self.weight_a, -self.weight_a), strict=True):
                value, _ = look_up(table.for_kernels(), tau + part * ratio)
                sizes.append(np.maximum(table.tokens - value, 1e-300))
            share = sizes[0] / (sizes[0] + sizes[1])
            sums += np.stack([share, 1 - share]) ** worth[few] / QUANTILES
        least[few] = sums.min(axis=0)
        return np.where(self.unknown, 1.0, least)


def _alone(cells: TermCells) -> Floats:
    """In how many documents each term is the only one."""
    those = np.flatnonzero(cells.count == cells.length)
    term = np.searchsorted(cells.indptr, those, side="right") - 1
    weight = np.broadcast_to(cells.weight, cells.count.shape)[those]
    return np.asarray(np.bincount(term, weight, cells.n_i.size), np.float64)


@cache
def _densities() -> Floats:
    """p(r | δ, s) at the lattice of r, one row per pair of δ and s."""
    r = core.RATIO_STEP * (np.arange(core.RATIOS) - core.RATIOS // 2)
    z = (r - SHIFTS[:, None, None]) / SPREADS[:, None]
    density = (1 + z**2 / core.DEGREES) ** (-(core.DEGREES + 1) / 2)
    density /= density.sum(axis=-1, keepdims=True)
    return np.ascontiguousarray(density.reshape(-1, core.RATIOS))
