"""Keyness: is a term more frequent in one corpus than in another, by more than its burstiness explains?

The default test, "beta-binomial", lets each corpus have its own burstiness: see `inference.two_sides`. Other tests are
`METHODS`; whichever gives p, the ratio and its interval are those of the default. `keyness_groups` compares more than two
corpora at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import bursts as core
from termburst.inference import distributions as stats
from termburst.inference import keyness_measures as measures
from termburst.inference import keyness_tests as rivals
from termburst.inference.confident_effect import levels_of
from termburst.inference.group_permutation import permuted_p
from termburst.inference.two_sides import PrecisionPrior, SideTails, TwoSides
from termburst.models.cells import TermCells, joined
from termburst.models.fit_beta_binomial import BLOCKS, BetaBinomialFit, fit_beta_binomial
from termburst.models.fit_groups import GroupedCells
from termburst.statistics.tally import Integers
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

ENOUGH = 6.0  # expected documents with the term in each of several corpora from which χ² is accurate
IDENTICAL = 1e-7  # a likelihood ratio below this is rounding error: the corpora do not differ
EVEN = 1e-6  # the same for the difference of two tails
ROUNDED = 1e-13  # relative to the log-likelihood: the same
DIRECT, RATIO = 64, 1.04  # each length up to the first is its own class; beyond, classes grow by the second
FEW_GROUPS, FEW_PER_GROUP = 8, 25  # with more groups, and fewer documents per group on average, χ² does not hold
DEALT = 0.2  # share of the documents with a term from which its documents are permuted then
STRATA = 10  # strata of document length in "stratified-permutation"
OWN = "own precisions"  # how the default test gets p: each corpus has its own precision


@dataclass(frozen=True)
class Comparison:
    """Input of a keyness test: the cells of both corpora over the same terms, and the fit of both together.

    *prior* is what the collection says about the precisions, if it was learned elsewhere, from all terms.
    """

    a: TermCells
    b: TermCells
    null: BetaBinomialFit
    given_prior: PrecisionPrior | None = None

    @cached_property
    def sides(self) -> TwoSides:
        return TwoSides(self.a, self.b, self.null)

    @cached_property
    def prior(self) -> PrecisionPrior:
        """Learned from all terms, unless it was given."""
        return self.given_prior or PrecisionPrior.of_sums(self.sides.prior_sums())

    def tails(self, log_ratios: Sequence[float], levels: Floats) -> SideTails:
        """What `TwoSides.tails` says at some log ratios and levels."""
        return self.sides.tails(self.prior, np.asarray(log_ratios, dtype=np.float64), levels)


Test = Callable[[Comparison], tuple[Floats, Floats]]  # statistic and p-value


@dataclass(frozen=True, slots=True)
class Keyness:
    """The comparison of two corpora, one entry per term.

    Attributes
    ----------
    log_ratio : log₂ of the ratio of the mean shares; ±inf if one corpus lacks the term, NaN if both do.
    ci_low, ci_high : its confidence limits; ±inf on the side where the term is missing.
    statistic, p_value : of the chosen test.
    least_p : the smallest p-value that the term's documents could give; 0 if it is not known.
    ends, levels : for terms with p at most 1 − confidence, the end of the interval nearest to 0 at several levels, as a
        distance from 0 (below 0 if the interval contains 0); terms × levels. For `confident_effects`.
    reference : how p was obtained: "own precisions" for the default test, otherwise the test's name.
    """

    log_ratio: Floats
    ci_low: Floats
    ci_high: Floats
    statistic: Floats
    p_value: Floats
    reference: Names
    least_p: Floats
    ends: Floats
    levels: Floats


def compare(
    a: TermCells, b: TermCells, null: BetaBinomialFit | None = None, prior: PrecisionPrior | None = None
) -> Comparison:
    """Two corpora to compare; *null* is the fit of both together, and *prior* learned from all terms, if known."""
    for name, cells in (("first", a), ("second", b)):
        if not cells.tokens:
            raise ValueError(f"the {name} corpus has no tokens: there is nothing to compare with")
    return Comparison(a, b, fit_beta_binomial(joined([a, b])) if null is None else null, prior)


def keyness(
    a: TermCells, b: TermCells, *, method: str = "beta-binomial", confidence: float | None = 0.95,
    terms: int | None = None, prior: PrecisionPrior | None = None,
) -> Keyness:  # fmt: skip
    """Compare two corpora, term by term; with *confidence* None there are no intervals (NaN).

    *terms* is the number of all terms, and *prior* what was learned from all of them, if only some are given.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}")
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; got {confidence!r}")
    found = compare(a, b, prior=prior)
    absent = found.null.status == "empty"
    levels = np.empty(0) if confidence is None else levels_of(1 - confidence, terms or absent.size)
    tails = found.tails([0.0], levels)
    if method == "beta-binomial":
        statistic, p_value, least_p = _default_test(found, tails)
        reference = OWN
    else:
        statistic, p_value = METHODS[method](found)
        least_p, reference = np.zeros(p_value.size), method
    log_ratio = tails.log_ratio / np.log(2)
    limits = tails.limits[:, 0] / np.log(2) if levels.size else np.full((absent.size, 2), np.nan)
    ends = np.full((absent.size, levels.size), np.nan)
    if levels.size:
        nearest = np.where(log_ratio[:, None] > 0, tails.limits[:, :, 0], -tails.limits[:, :, 1]) / np.log(2)
        ends = np.where((p_value <= levels[0])[:, None], _known_ends(nearest), np.nan)
    return Keyness(
        np.where(absent, np.nan, log_ratio),
        np.where(absent, np.nan, limits[:, 0]),
        np.where(absent, np.nan, limits[:, 1]),
        np.where(absent, np.nan, statistic),
        np.where(absent, np.nan, p_value),
        np.where(absent, "", reference).astype(object),
        np.where(absent, np.nan, least_p),
        ends,
        levels,
    )


def _known_ends(ends: Floats) -> Floats:
    """The ends at each level; where only the first is known, since the default test has a larger p, 0 at the others."""
    return np.where(np.isnan(ends), np.minimum(ends[:, :1], 0.0), ends)


def _default_test(found: Comparison, tails: SideTails) -> tuple[Floats, Floats, Floats]:
    """Statistic, p and the smallest p possible; a term in one document alone shows no difference: p = 1."""
    p_value = np.minimum(2 * np.minimum(tails.below, tails.above)[:, 0], 1.0)
    alone = (found.a.b_i + found.b.b_i == 1) & (min(_documents(found.a), _documents(found.b)) > 1)
    same = alone | (np.abs(tails.below - tails.above)[:, 0] < EVEN)
    p_value = np.where(same, 1.0, p_value)
    least_p = np.where(alone, 1.0, np.minimum(found.sides.least_p(found.prior), p_value))
    return tails.statistic, p_value, least_p


def _default(found: Comparison) -> tuple[Floats, Floats]:
    return _default_test(found, found.tails([0.0], np.empty(0)))[:2]


def is_rounding(ratio: Floats, loglik: Floats) -> NDArray[np.bool_]:
    """Whether a likelihood ratio is so small that only rounding of the log-likelihoods separates the models."""
    return ratio < np.maximum(IDENTICAL, ROUNDED * np.abs(loglik))


METHODS: dict[str, Test] = {
    "beta-binomial": _default,
    "permutation": lambda found: rivals.permutation(found.a, found.b, found.null),
    "stratified-permutation": lambda found: rivals.permutation(found.a, found.b, found.null, strata=STRATA),
    "g2": lambda found: rivals.g2(found.a, found.b),
    "chi2": lambda found: rivals.chi2(found.a, found.b),
    "fisher": lambda found: rivals.fisher(found.a, found.b),
    "welch": lambda found: rivals.welch(found.a, found.b),
    "mann-whitney": lambda found: rivals.mann_whitney(found.a, found.b),
    "text-dispersion": lambda found: measures.text_dispersion(found.a, found.b),
    "bootstrap": lambda found: measures.bootstrap(found.a, found.b),
    "log-odds": lambda found: measures.log_odds(found.a, found.b),
}


def term_seeds(seed: int, groups: Sequence[TermCells]) -> Integers:
    """A seed of 31 bits for every term, from its n_i and b_i in all groups together.

    So it depends neither on which other terms there are nor on the order of the groups.
    """
    state = np.full(groups[0].n_i.size, seed, dtype=np.uint64)
    for name in ("n_i", "b_i"):
        state ^= np.sum([getattr(cells, name) for cells in groups], axis=0).astype(np.uint64)
        state += np.uint64(0x9E3779B97F4A7C15)  # SplitMix64
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return (state >> np.uint64(33)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class GroupKeyness:
    """The comparison of several corpora, one entry per term: one likelihood ratio over all groups.

    Attributes
    ----------
    mean : the fitted mean shares, terms × groups.
    statistic : 2(ℓ_1 − ℓ_0): one mean per group against one common mean.
    p_value : by χ² with groups − 1 degrees of freedom (F, for very few documents), by *draws* random assignments of the
        bursts, or by as many permutations of the documents if groups have few of them; a tie counts as half.
    reference : how p was obtained: "chi2", "monte-carlo" or "permutation".
    """

    mean: Floats
    statistic: Floats
    p_value: Floats
    reference: Names


def keyness_groups(
    groups: Sequence[TermCells], *, draws: int = 1999, seed: int = 0, dealt: int | None = None
) -> GroupKeyness:
    """Compare several corpora over the same terms.

    *dealt* is the number of all terms whose documents are permuted (`dealt_terms`), if only some terms are given.
    """
    for number, cells in enumerate(groups):
        if not cells.tokens:
            raise ValueError(f"group {number} has no tokens: there is nothing to compare with")
    null = fit_beta_binomial(joined(groups))
    grouped = GroupedCells(groups)
    alternative, _ = grouped.fit(null)
    ratio = np.maximum(2 * (alternative.loglik - null.loglik), 0.0)
    between = len(groups) - 1
    b_i: Integers = np.sum([g.b_i for g in groups], axis=0)
    documents = sum(map(_documents, groups))
    many = dealt_terms(groups, null)
    few = np.flatnonzero((b_i > 0) & (b_i * min(_shares(groups)) < ENOUGH) & (b_i <= documents / 2) & ~many)
    p_value = stats.f.sf(ratio / between, between, max(documents - len(groups), 1))
    lengths, by_group = _length_classes(groups)
    inside = null.status == "converged"
    alpha, alpha_0 = (np.where(inside, x, np.inf) for x in (null.alpha, null.alpha_0))
    seeds = term_seeds(seed, groups)

    classes, model = core.length_classes(lengths, by_group), core.common_model(alpha, alpha_0, null.mean, grouped.kappa)

    def fill(part: int) -> None:
        terms = few[part::BLOCKS].copy()
        core.burst_draws(grouped.cells, classes, model, terms, b_i, seeds, draws, p_value)

    in_threads(fill, range(BLOCKS))
    p_value[many] = permuted_p(groups, null, np.flatnonzero(many), draws, seed, dealt)
    reference = np.full(b_i.size, "chi2", dtype=object)
    reference[few], reference[many] = "monte-carlo", "permutation"
    p_value = np.where((b_i == 1) | is_rounding(ratio, null.loglik), 1.0, p_value)
    absent = null.status == "empty"
    return GroupKeyness(
        alternative.mean,
        np.where(absent, np.nan, ratio),
        np.where(absent, np.nan, p_value),
        np.where(absent, "", reference),
    )


def dealt_terms(groups: Sequence[TermCells], null: BetaBinomialFit) -> NDArray[np.bool_]:
    """Whether the documents of a term are permuted: groups are many and small, and many documents have the term."""
    b_i: Integers = np.sum([g.b_i for g in groups], axis=0)
    documents = sum(map(_documents, groups))
    if len(groups) <= FEW_GROUPS or documents >= FEW_PER_GROUP * len(groups):
        return np.zeros(b_i.size, dtype=bool)
    return (b_i > DEALT * documents) & (null.status != "degenerate")


def _shares(groups: Sequence[TermCells]) -> list[float]:
    """The share of each group in the tokens and in the documents."""
    tokens = [float(g.tokens) for g in groups]
    documents = [float(_documents(g)) for g in groups]
    return [x / sum(sizes) for sizes in (tokens, documents) for x in sizes]


def _documents(cells: TermCells) -> int:
    return int(cells.length_documents[cells.lengths > 0].sum())


def _length_classes(groups: Sequence[TermCells]) -> tuple[Floats, Floats]:
    """Mean length of classes of similar length, and the number of documents, classes × groups.

    Within a class P(c | n_j) is nearly linear in n_j, so the mean length can represent its documents.
    """
    lengths = np.concatenate([g.lengths for g in groups]).astype(np.float64)
    documents = np.concatenate([g.length_documents for g in groups]).astype(np.float64)
    group = np.repeat(np.arange(len(groups)), [g.lengths.size for g in groups])
    filled = lengths > 0
    lengths, documents, group = lengths[filled], documents[filled], group[filled]
    grown = DIRECT + 1 + np.floor(np.log(lengths / DIRECT) / np.log(RATIO))
    _, place = np.unique(np.where(lengths <= DIRECT, lengths, grown), return_inverse=True)
    size = place.max() + 1
    by_group: Floats = np.stack(
        [np.bincount(place, documents * (group == g), size).astype(np.float64) for g in range(len(groups))], axis=1
    )
    return np.bincount(place, documents * lengths) / by_group.sum(axis=1), by_group
