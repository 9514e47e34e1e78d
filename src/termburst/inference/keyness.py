"""Keyness: is a term more frequent in one corpus than in another, by more than its burstiness explains?

The default test, "beta-binomial", compares two models of the counts of a term: one mean share for both corpora, or one
for each, with precisions tied by one parameter (`models.fit_groups` explains how and why). If either corpus is expected
to have only a few of the documents with the term, 2(ℓ_1 − ℓ_0) is not χ²_1. Then a reference distribution conditional
on the bursts is used: each burst of size c falls into A with probability Σ_A P(c | n_j)/Σ P(c | n_j), where P is the
common beta-binomial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import bursts as core
from termburst.inference import distributions as stats
from termburst.inference import keyness_measures as measures
from termburst.inference import keyness_tests as rivals
from termburst.inference.confident_effect import agreeing, levels_of
from termburst.inference.group_permutation import permuted_p
from termburst.models.cells import TermCells, joined
from termburst.models.fit_beta_binomial import BLOCKS, BetaBinomialFit, fit_beta_binomial
from termburst.models.fit_groups import ApartFit, GroupedCells, GroupsFit
from termburst.statistics.tally import Integers
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

ENOUGH = 6.0  # expected documents with the term in each corpus from which χ²_1 is accurate
OWN_PRECISION = 5  # documents with the term in each corpus from which intervals need no tie between precisions
IDENTICAL = 1e-7  # a likelihood ratio below this is rounding error: the corpora do not differ
ROUNDED = 1e-13  # relative to the log-likelihood: the same
PREDICTIVE = 999  # draws from the common model
DIRECT, RATIO = 64, 1.04  # each length up to the first is its own class; beyond, classes grow by the second
FEW_DOCUMENTS = 5  # a corpus with fewer documents is compared with draws from the common model
FEW_GROUPS, FEW_PER_GROUP = 8, 25  # with more groups, and fewer documents per group on average, χ² does not hold
DEALT = 0.2  # share of the documents with a term from which its documents are permuted then
STRATA = 10  # strata of document length in "stratified-permutation"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Input of a keyness test: the cells of both corpora over the same terms, and their fits."""

    a: TermCells
    b: TermCells
    null: BetaBinomialFit
    alternative: GroupsFit
    apart: ApartFit
    groups: GroupedCells
    raw: Floats

    @property
    def mean(self) -> Floats:
        """The fitted mean shares, terms × corpora."""
        return np.where(self.apart.own[:, None], self.apart.mean, self.alternative.mean)

    @property
    def likelihood_ratio(self) -> Floats:
        """2(ℓ_1 − ℓ_0) of every term, at least 0; NaN for a term that occurs in neither corpus."""
        ratio = np.maximum(2 * (self.alternative.loglik - self.null.loglik), 0.0)
        return np.where(self.null.status == "empty", np.nan, ratio)


Test = Callable[[Comparison], tuple[Floats, Floats, Names]]  # statistic, p-value, and how p was obtained


@dataclass(frozen=True, slots=True)
class Keyness:
    """The comparison of two corpora, one entry per term.

    Attributes
    ----------
    log_ratio : log₂ π̂_a/π̂_b of the fitted mean shares; ±inf if one corpus lacks the term, NaN if both do.
    ci_low, ci_high : its confidence limits, where twice the log-likelihood has fallen by the χ²_1 quantile (profile
        likelihood: precisions and level are fitted again at every ratio). ±inf on the side where the term is missing.
        Each corpus has its own precision in both if enough of its documents contain the term.
    statistic, p_value : of the chosen test.
    least_p : the smallest p-value that the term's documents could give; 0 if it is not known.
    ends, levels : for terms with p at most 1 − confidence, the end of the interval nearest to 0 at several levels, as a
        distance from 0 (below 0 if the interval contains 0); terms × levels. For `confident_effects`.
    reference : how p was obtained: "chi2", "conditional" or "predictive" for the default test, otherwise the test's
        name.
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


def compare(a: TermCells, b: TermCells, null: BetaBinomialFit | None = None) -> Comparison:
    """Fit both models to every term; *null* is the fit of both corpora together, if known."""
    for name, cells in (("first", a), ("second", b)):
        if not cells.tokens:
            raise ValueError(f"the {name} corpus has no tokens: there is nothing to compare with")
    null = fit_beta_binomial(joined([a, b])) if null is None else null
    groups = GroupedCells([a, b])
    alternative, raw = groups.fit(null)
    return Comparison(a, b, null, alternative, groups.fit_apart(OWN_PRECISION), groups, raw)


def keyness(
    a: TermCells, b: TermCells, *, method: str = "beta-binomial", confidence: float | None = 0.95,
    terms: int | None = None,
) -> Keyness:  # fmt: skip
    """Compare two corpora, term by term; with *confidence* None there are no intervals (NaN).

    *terms* is the number of all terms, if only some are given; the levels of `ends` depend on it.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}")
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; got {confidence!r}")
    found = compare(a, b)
    if method == "beta-binomial":
        statistic, p_value, reference, least_p = default_test(found)
    else:
        statistic, p_value, reference = METHODS[method](found)
        least_p = np.zeros(p_value.size)
    absent = found.null.status == "empty"
    mean_a, mean_b = found.mean.T
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.where(absent, np.nan, np.log2(mean_a) - np.log2(mean_b))
    limits, ends, levels = np.full((absent.size, 2), np.nan), np.empty((absent.size, 0)), np.empty(0)
    if confidence is not None:
        levels = levels_of(1 - confidence, absent.size if terms is None else terms)
        limits, ends = _limits(found, log_ratio, p_value, reference, levels)
        if method == "beta-binomial":
            limits = agreeing(limits, log_ratio, p_value, 1 - confidence)
        limits = np.where(absent[:, None], np.nan, limits)
    return Keyness(
        log_ratio,
        limits[:, 0],
        limits[:, 1],
        np.where(absent, np.nan, statistic),
        np.where(absent, np.nan, p_value),
        np.where(absent, "", reference),
        np.where(absent, np.nan, least_p),
        ends,
        levels,
    )


def _limits(
    found: Comparison, log_ratio: Floats, p_value: Floats, reference: Names, levels: Floats
) -> tuple[Floats, Floats]:
    """The limits at the first level; and, if p is at most that, the ends nearest to 0 at all levels, as distances."""
    ends = np.full((p_value.size, levels.size), np.nan)
    only = p_value <= levels[0]
    at: list[Floats] = []
    for level in levels[: levels.size if only.any() else 1].tolist():
        critical = _critical(found, p_value, reference, level)
        limits = found.groups.ratio_limits(found.raw, critical, found.apart, only if at else None) / np.log(2)
        ends[only, len(at)] = np.where(log_ratio > 0, limits[:, 0], -limits[:, 1])[only]
        at.append(limits)
    return at[0], ends


def _critical(found: Comparison, p_value: Floats, reference: Names, level: float) -> Floats:
    """How far twice the log-likelihood may fall within an interval: the quantile of the reference distribution of p.

    This is the quantile of F(1, d − 2). If p is conditional, it is the χ²_1 quantile scaled by the likelihood ratio
    over the χ²_1 value with the same p-value, within bounds, unless p is extremely small. If it is not, the corpus with
    fewer of the term's documents, b of them, may say little about how bursty the term is there: as far as its tokens
    repeat, 1 − b_i/n_i, the quantile is raised to that of F(1, 3b). If a corpus lacks the term, there is one limit, and
    the log-likelihood may fall to the logarithm of *level*: as far as a corpus without the term has that probability.
    """
    documents = _documents(found.a) + _documents(found.b)
    critical = np.full(p_value.size, stats.f.isf(level, 1, max(documents - 2, 1)))
    ratio = found.likelihood_ratio
    scaled = (reference == "conditional") & ~found.apart.own & (ratio > 0.5) & (p_value > 1e-6)
    with np.errstate(divide="ignore"):  # p = 1 has the quantile 0
        scale = np.clip(ratio[scaled] / stats.norm.isf(p_value[scaled] / 2) ** 2, 0.4, 3.0)
    chi2 = stats.chi2.isf(level, 1)
    critical[scaled] = scale * chi2
    n_i, fewest = found.a.n_i + found.b.n_i, np.minimum(found.a.b_i, found.b.b_i)
    repeats = 1 - (found.a.b_i + found.b.b_i) / np.maximum(n_i, 1)
    numbers, place = np.unique(fewest, return_inverse=True)
    raised = np.where(numbers > 0, stats.f.isf(level, 1, np.maximum(3 * numbers, 3)) / chi2, 1.0)[place]
    critical = np.where(reference == "conditional", critical, critical * (1 + repeats * (raised - 1)))
    return np.where(fewest == 0, np.maximum(critical, -2 * np.log(level)), critical)


def default_test(found: Comparison) -> tuple[Floats, Floats, Names, Floats]:
    """The likelihood-ratio test by χ²_1, or by the conditional reference if bursts are few; and the smallest p.

    A term in one document alone has p = 1: one document cannot show that corpora differ.
    """
    ratio = found.likelihood_ratio
    documents, b_i = _documents(found.a) + _documents(found.b), found.a.b_i + found.b.b_i
    p_value = stats.f.sf(ratio, 1, max(documents - 2, 1))  # nearly χ²_1, except for very few documents
    conditional, least = conditional_p(found)
    few = np.isfinite(conditional) & (b_i <= documents / 2)  # a term in most documents: no bursts
    few &= found.null.status != "degenerate"  # such a burst is as large as its document
    p_value, least = np.where(few, conditional, p_value), np.where(few, least, 0.0)
    reference = np.where(few, "conditional", "chi2").astype(object)
    alone = b_i == 1
    small = [cells for cells in (found.a, found.b) if _documents(cells) < FEW_DOCUMENTS]
    if small:
        p_value = np.max([predictive_p(found, cells) for cells in small], axis=0)
        reference, least = np.full(ratio.size, "predictive", dtype=object), np.full(ratio.size, 1 / (PREDICTIVE + 1))
        alone &= min(map(_documents, (found.a, found.b))) > 1
    same = alone | is_rounding(ratio, found.null.loglik)
    return ratio, np.where(same, 1.0, p_value), reference, np.where(alone, 1.0, np.minimum(least, p_value))


def beta_binomial(found: Comparison) -> tuple[Floats, Floats, Names]:
    """The default test, without the smallest p possible."""
    return default_test(found)[:3]


def is_rounding(ratio: Floats, loglik: Floats) -> NDArray[np.bool_]:
    """Whether a likelihood ratio is so small that only rounding of the log-likelihoods separates the models."""
    return ratio < np.maximum(IDENTICAL, ROUNDED * np.abs(loglik))


def predictive_p(found: Comparison, small: TermCells, draws: int = PREDICTIVE, seed: int = 0) -> Floats:
    """Two-sided mid-p of the term's count in the *small* corpus, by draws from the common beta-binomial.

    For a corpus of very few documents, where the likelihood ratio has no useful reference distribution: is its count
    typical for such documents, according to both corpora? The smallest possible p is 1/(draws + 1). A term's draws do
    not depend on the other terms.
    """
    n_j = np.repeat(small.lengths, small.length_documents)
    fit = found.null
    p_value = np.ones(fit.mean.size)
    occurring = np.flatnonzero(fit.status != "empty")
    seeds = term_seeds(seed, [found.a, found.b])

    def fill(part: int) -> None:
        for i in occurring[part::BLOCKS]:
            rng = np.random.default_rng(seeds[i])
            share: Any = fit.mean[i]
            if fit.status[i] == "converged":
                share = rng.beta(fit.alpha[i], fit.alpha_not[i], (draws, n_j.size))
            elif fit.status[i] == "degenerate":
                share = (rng.random((draws, n_j.size)) < fit.mean[i]).astype(np.float64)
            drawn = rng.binomial(n_j, np.broadcast_to(share, (draws, n_j.size))).sum(axis=1)
            tied = 0.5 * (1 + np.sum(drawn == small.n_i[i]))
            tails = (np.sum(drawn > small.n_i[i]), np.sum(drawn < small.n_i[i]))
            p_value[i] = min(2 * (tied + min(tails)) / (draws + 1), 1.0)

    in_threads(fill, range(BLOCKS))
    return p_value


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


def conditional_p(found: Comparison, enough: float = ENOUGH) -> tuple[Floats, Floats]:
    """Two-sided p given the bursts, and the smallest p that these bursts could have.

    Only for terms with fewer than *enough* bursts expected in a corpus; NaN for others.
    """
    lengths, documents = _length_classes([found.a, found.b])
    inside = found.null.status == "converged"
    alpha = np.where(inside, found.null.alpha, np.inf)
    alpha_0 = np.where(inside, found.null.alpha_0, np.inf)
    b_i = found.a.b_i + found.b.b_i
    smallest = min(_shares([found.a, found.b]))
    # The kernel computes the expected number of bursts exactly; this only skips terms with many documents.
    candidates = (b_i > 0) & (b_i * smallest < 10 * enough)
    p_value, least = np.full(b_i.size, np.nan), np.full(b_i.size, np.nan)
    groups = found.groups
    classes = core.length_classes(lengths, documents)
    model = core.common_model(alpha, alpha_0, found.null.mean, groups.kappa)
    groups.over_terms(
        lambda terms: core.burst_reference(groups.cells, classes, model, terms, b_i, enough, p_value, least),
        groups.terms[candidates[groups.terms]],
        p_value,
        least,
    )
    return p_value, least


def _by_name(
    name: str, test: Callable[[Comparison], tuple[Floats, Floats]]
) -> Callable[..., tuple[Floats, Floats, Names]]:
    def run(found: Comparison) -> tuple[Floats, Floats, Names]:
        statistic, p_value = test(found)
        return statistic, p_value, np.full(p_value.size, name, dtype=object)

    return run


METHODS: dict[str, Test] = {
    "beta-binomial": beta_binomial,
    "permutation": _by_name("permutation", lambda found: rivals.permutation(found.a, found.b, found.null)),
    "stratified-permutation": _by_name(
        "stratified-permutation", lambda found: rivals.permutation(found.a, found.b, found.null, strata=STRATA)
    ),
    "g2": _by_name("g2", lambda found: rivals.g2(found.a, found.b)),
    "chi2": _by_name("chi2", lambda found: rivals.chi2(found.a, found.b)),
    "fisher": _by_name("fisher", lambda found: rivals.fisher(found.a, found.b)),
    "welch": _by_name("welch", lambda found: rivals.welch(found.a, found.b)),
    "mann-whitney": _by_name("mann-whitney", lambda found: rivals.mann_whitney(found.a, found.b)),
    "text-dispersion": _by_name("text-dispersion", lambda found: measures.text_dispersion(found.a, found.b)),
    "bootstrap": _by_name("bootstrap", lambda found: measures.bootstrap(found.a, found.b)),
    "log-odds": _by_name("log-odds", lambda found: measures.log_odds(found.a, found.b)),
}


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
