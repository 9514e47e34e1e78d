"""Keyness: is a term more frequent in one corpus than in another, by more than its burstiness explains?

The default test, "beta-binomial", lets each corpus have its own burstiness: see `inference.two_sides`. Other tests are
`METHODS`; whichever gives p, the ratio and its interval are those of the default. `keyness_groups` compares several
corpora: each with all others together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from termburst.inference import keyness_tests as rivals
from termburst.inference.checks import check_confidence, check_name
from termburst.inference.multiplicity import levels_of
from termburst.inference.permutation_test import permutation
from termburst.inference.two_sides import PrecisionPrior, SideTails, TwoSides
from termburst.models.cells import TermCells, joined, merged
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.statistics.matrix import Integers

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

EVEN = 1e-6  # a smaller difference of two tails is rounding error: the corpora do not differ
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
        distance from 0 (below 0 if the interval contains 0); terms × levels. For `multiplicity.Claims`.
    p_method : how p was obtained: "own precisions" for the default test, otherwise the test's name.
    """

    log_ratio: Floats
    ci_low: Floats
    ci_high: Floats
    statistic: Floats
    p_value: Floats
    p_method: Names
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
    check_name("method", method, METHODS)
    check_confidence(confidence)
    found = compare(a, b, prior=prior)
    absent = found.null.status == "empty"
    levels = np.empty(0) if confidence is None else levels_of(1 - confidence, terms or absent.size)
    tails = found.tails([0.0], levels)
    if method == "beta-binomial":
        statistic, p_value, least_p = _default_test(found, tails)
        p_method = OWN
    else:
        statistic, p_value = METHODS[method](found)
        least_p, p_method = np.zeros(p_value.size), method
    log_ratio = tails.log_ratio / np.log(2)
    limits = tails.limits[:, 0] / np.log(2) if levels.size else np.full((absent.size, 2), np.nan)
    ends = np.full((absent.size, levels.size), np.nan)
    if levels.size:
        nearest = np.where(log_ratio[:, None] > 0, tails.limits[:, :, 0], -tails.limits[:, :, 1]) / np.log(2)
        ends = np.where((p_value <= levels[0])[:, None], _known_ends(nearest), np.nan)
    columns = (log_ratio, *limits.T, statistic, p_value, least_p)
    log_ratio, low, high, statistic, p_value, least_p = (np.where(absent, np.nan, values) for values in columns)
    how = np.where(absent, "", p_method).astype(object)
    return Keyness(log_ratio, low, high, statistic, p_value, how, least_p, ends, levels)


def _known_ends(ends: Floats) -> Floats:
    """The ends at each level; where only the first is known, since the default test has a larger p, 0 at the others."""
    return np.where(np.isnan(ends), np.minimum(ends[:, :1], 0.0), ends)


def _default_test(found: Comparison, tails: SideTails) -> tuple[Floats, Floats, Floats]:
    """Statistic, p and the smallest p possible."""
    p_value = np.minimum(2 * np.minimum(tails.below, tails.above)[:, 0], 1.0)
    same = np.abs(tails.below - tails.above)[:, 0] < EVEN
    p_value = np.where(same, 1.0, p_value)
    least_p = np.minimum(found.sides.least_p(found.prior), p_value)
    return np.where(same, 0.0, tails.statistic), p_value, least_p


def _default(found: Comparison) -> tuple[Floats, Floats]:
    return _default_test(found, found.tails([0.0], np.empty(0)))[:2]


METHODS: dict[str, Test] = {
    "beta-binomial": _default,
    "permutation": lambda found: permutation(found.a, found.b, found.null),
    "stratified-permutation": lambda found: permutation(found.a, found.b, found.null, strata=STRATA),
    "g2": lambda found: rivals.g2(found.a, found.b),
    "chi2": lambda found: rivals.chi2(found.a, found.b),
    "fisher": lambda found: rivals.fisher(found.a, found.b),
    "welch": lambda found: rivals.welch(found.a, found.b),
    "mann-whitney": lambda found: rivals.mann_whitney(found.a, found.b),
    "text-dispersion": lambda found: rivals.text_dispersion(found.a, found.b),
    "log-odds": lambda found: rivals.log_odds(found.a, found.b),
}


@dataclass(frozen=True, slots=True)
class GroupKeyness:
    """The comparison of several corpora, one entry per term.

    Attributes
    ----------
    statistic : the largest likelihood ratio of one corpus against all others together.
    p_value : that all corpora have the same mean share, from the p-values of each against the others, by Simes's rule
        min_k K p_(k)/k (1986, Biometrika 73).
    least_p : the smallest p that the term's documents could give.
    highest : the index of the corpus with the largest ratio of its share to that of the others.
    """

    statistic: Floats
    p_value: Floats
    least_p: Floats
    highest: Integers


def keyness_groups(groups: Sequence[TermCells], priors: Sequence[PrecisionPrior] | None = None) -> GroupKeyness:
    """Compare several corpora over the same terms, each with its own burstiness.

    *priors* are those of each corpus against the others, if only some terms are given.
    """
    for number, cells in enumerate(groups):
        if not cells.tokens:
            raise ValueError(f"group {number} has no tokens: there is nothing to compare with")
    pairs, size = against_others(groups), groups[0].n_i.size  # only one pair, and what is known so far, is in memory
    p_values, ratio, highest = np.empty((len(groups), size)), np.full(size, -np.inf), np.zeros(size, np.intp)
    statistic, least_p = np.full(size, -np.inf), np.full(size, np.inf)
    for number in range(len(groups)):
        found = keyness(*next(pairs), confidence=None, prior=None if priors is None else priors[number])
        higher = found.log_ratio > ratio
        ratio[higher], highest[higher] = found.log_ratio[higher], number
        p_values[number] = found.p_value
        np.maximum(statistic, found.statistic, out=statistic)
        np.minimum(least_p, found.least_p, out=least_p)
    p_values.sort(axis=0)
    p_values *= len(groups)
    p_values /= np.arange(1, len(groups) + 1)[:, None]
    return GroupKeyness(statistic, np.minimum(np.min(p_values, axis=0), 1.0), least_p, highest)


def against_others(groups: Sequence[TermCells]) -> Iterator[tuple[TermCells, TermCells]]:
    """Each corpus, and all others together."""
    for number, own in enumerate(groups):
        others = [*groups[:number], *groups[number + 1 :]]
        yield own, others[0] if len(others) == 1 else merged(others)
