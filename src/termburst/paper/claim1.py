"""Beyond the paper: how good Claim 1 is, over all terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.models.fit_beta_binomial import BetaBinomialFit, beta_binomial_log_likelihood
from termburst.models.penalized_mle import penalized_mle
from termburst.paper.beyond import DECIMALS, Floats, Mask, Numbers, median, numbered_rows, repeats_in, spearman, spoken
from termburst.paper.collections import CORPORA, Collections, Fitted
from termburst.paper.drawings import approximation_error
from termburst.paper.markdown import percent, rendered, table
from termburst.paper.results import Row, Section
from termburst.statistics.term_statistics import TermStatistics

LONGEST = "α̂_i < 0.1, α̂_¬i > longest document"


@dataclass(frozen=True, slots=True)
class Claim1Error:
    """The error of Claim 1 at the exact fits; arrays have one entry per interior term.

    Attributes
    ----------
    column : column numbers of the terms.
    error : approximate minus exact log-likelihood at (α̂_i, α̂_¬i).
    predicted : the result of `predicted_error`.
    evidence : ½ LR_i = ℓ̂_i minus the log-likelihood of the binomial, in the same units.
    repeats : whether n_i > b_i.
    """

    column: NDArray[np.intp]
    error: Floats
    predicted: Floats
    evidence: Floats
    repeats: Mask


@dataclass(frozen=True, slots=True)
class Claim2Point:
    """Claim 1 at the estimates of Claim 2 (μ = n/d, σ² = 1); one entry per term, NaN if they are not valid.

    λ_i, in its form "exact", is LR_i + 2 `error` − 2 `loss` + 2 log f(α̂_0). The last two are negative (f < 1 at σ² =
    1). If λ_i exceeds LR_i, the only reason is therefore the error of Claim 1.

    Attributes
    ----------
    valid : whether the estimates of Claim 2 are valid.
    error : approximate minus exact log-likelihood.
    loss : ℓ̂_i minus the exact log-likelihood at Claim 2's estimates, never negative.
    approximate_gain, exact_gain : the two log-likelihoods minus that of the binomial.
    """

    valid: Mask
    error: Floats
    loss: Floats
    approximate_gain: Floats
    exact_gain: Floats


def approximate_log_likelihood(statistics: TermStatistics, alpha: Floats, alpha_not: Floats) -> Floats:
    """Claim 1 summed over documents, without binomial coefficients, as in a fit's `loglik`; one value per term.

    b_i log α + Σ_j log (n_ij − 1)! + n_¬i log α_¬ − n log α_0, the last two as −n_¬i log(1 + α/α_¬) − n_i log α_0.

    Examples
    --------
    >>> s = TermStatistics.from_counts([[2, 8], [0, 12]])
    >>> approximate_log_likelihood(s, np.array([0.1, 0.1]), np.array([50.0, 50.0])).round(4)
    array([-10.1706, -56.8621])
    """
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    rest = (statistics.tokens - n_i) * np.log1p(alpha / alpha_not) + n_i * np.log(alpha + alpha_not)
    return np.asarray(b_i * np.log(alpha) + statistics.log_factorial_sum - rest)


def predicted_error(statistics: TermStatistics, mean: Floats, alpha_0: Floats) -> Floats:
    """The error of Claim 1 at an exact maximum: Σ_j n_ij log(1 + n_j/α̂_0) − (n α̂_i/α̂_0 − b_i), one value per term.

    Erratum 7 gives the first sum, over documents with the term. All documents together lose (α/α_¬) Σ_j [n_j −
    α_0 log(1 + n_j/α_0)], and repetitions lose α Σ_j H_{n_ij − 1}. At the maximum
    ∂ℓ/∂α = 0, so that α Σ_j log(1 + n_j/α_0) is about b_i + α Σ_j H_{n_ij − 1}. What remains is the bracket: the
    occurrences that the fit expects minus the documents with the term. This needs α̂_i ≪ 1 ≪ α̂_0; α̂_0 may be small
    against n_j.
    """
    rows = statistics.rows
    if rows is None or rows.length is None:
        raise ValueError('the error of Claim 1 needs statistics with detail="patterns"')
    term = rows.term
    first = rows.documents * rows.count * np.log1p(rows.length / alpha_0[term])
    summed = np.bincount(term, weights=first, minlength=statistics.vocabulary_size)
    return np.asarray(summed - (statistics.tokens * mean - statistics.document_frequency))


def claim1_error(statistics: TermStatistics, fit: BetaBinomialFit) -> Claim1Error:
    """The error of Claim 1 at every interior fit."""
    inside = fit.status == "converged"
    alpha, alpha_not, alpha_0 = (np.where(inside, x, 1.0) for x in (fit.alpha, fit.alpha_not, fit.alpha_0))
    return Claim1Error(
        np.flatnonzero(inside),
        (approximate_log_likelihood(statistics, alpha, alpha_not) - fit.loglik)[inside],
        predicted_error(statistics, fit.mean, alpha_0)[inside],
        (fit.loglik - fit.loglik_binomial)[inside],
        repeats_in(statistics)[inside],
    )


def at_claim2(statistics: TermStatistics, fit: BetaBinomialFit) -> Claim2Point:
    """The error of Claim 1 at the parameters where the paper uses it."""
    theirs = penalized_mle(statistics)
    valid = theirs.valid & (theirs.alpha > 0) & (theirs.alpha_not > 0)
    alpha, alpha_not = np.where(valid, theirs.alpha, 1.0), np.where(valid, theirs.alpha_not, 1.0)
    approximate = np.where(valid, approximate_log_likelihood(statistics, alpha, alpha_not), np.nan)
    exact = np.where(valid, beta_binomial_log_likelihood(statistics, alpha, alpha_not), np.nan)
    binomial = fit.loglik_binomial
    return Claim2Point(valid, approximate - exact, fit.loglik - exact, approximate - binomial, exact - binomial)


def regimes(statistics: TermStatistics, alpha: Floats, alpha_not: Floats) -> dict[str, Mask]:
    """Terms for which Claim 1 could hold, from the paper's conditions to those of erratum 7; and others."""
    small, longest = alpha < 0.1, statistics.lengths[-1]
    return {
        "all interior fits": np.ones(alpha.shape, dtype=bool),
        "α̂_i < 0.1, α̂_¬i > 10 (the paper's)": small & (alpha_not > 10),
        "α̂_i < 0.1, α̂_¬i > n/d": small & (alpha_not > statistics.mean_length),
        LONGEST: small & (alpha_not > longest),
        "α̂_i < 0.1, α̂_¬i > 10 × longest document": small & (alpha_not > 10 * longest),
        "α̂_i ≥ 0.1": ~small,
    }


_OFF = "absolute error over ½ LR, median of those that repeat"


def claim1(collections: Collections) -> Section:
    """How good is Claim 1?"""
    rows: list[Row] = []
    lines, off, found, drawn = [], [], {}, {}
    for corpus in CORPORA:
        fitted: Fitted = getattr(collections, corpus.fits)
        name, statistics, fit = corpus.name, fitted.statistics, fitted.fit
        errors = claim1_error(statistics, fit)
        alpha, alpha_not = fit.alpha[errors.column], fit.alpha_not[errors.column]
        each = errors.error / statistics.collection_frequency[errors.column]
        numbers = _claim1_numbers(statistics, errors, at_claim2(statistics, fit))
        rows += numbered_rows(f"Claim 1, {name}", numbers)
        found[name] = spoken(numbers)
        for regime, inside in regimes(statistics, alpha, alpha_not).items():
            line = _regime_line(errors, each, inside)
            lines.append([name, regime, *line.values()])
            rows += numbered_rows(f"Claim 1, {name}, {regime}", line, cell=True)
            if regime == LONGEST:
                of = spoken(line)
                off.append(f"{of(_OFF)} of it for the {of('that repeat')} of {name}")
        stem = f"claim1-{corpus.stem}"
        drawn[stem] = approximation_error(alpha, alpha_not, each, statistics.mean_length)
    by_regime = table(["collection", "regime", *line], lines, align="ll" + "r" * len(line))
    text = rendered(
        "report", "claim1", found=found, by_regime=by_regime, off=off,
        pictures=[(name, stem, of) for (name, of), stem in zip(found.items(), drawn, strict=True)],
    )  # fmt: skip
    return Section("claim1", text, rows, drawn)


def _claim1_numbers(statistics: TermStatistics, found: Claim1Error, point: Claim2Point) -> Numbers:
    n_i, size, again = statistics.collection_frequency, np.abs(found.error), found.repeats
    each, predicted = found.error / n_i[found.column], found.predicted / n_i[found.column]
    valid, repeating = point.valid, point.valid & repeats_in(statistics)
    lr = 2 * (point.loss + point.exact_gain)
    ahead = repeating & (np.round(lr, DECIMALS) > 0)
    return {
        "interior fits": each.size,
        "interior fits that repeat": int(again.sum()),
        **{f"error per occurrence, {q} % quantile": float(np.quantile(each, q / 100)) for q in (1, 5, 50, 95, 99)},
        **{f"absolute error, {q} % quantile": float(np.quantile(size, q / 100)) for q in (5, 50, 95)},
        "error within ±0.1, % of terms": percent(size < 0.1),
        "error within ±1, % of terms": percent(size < 1),
        "error beyond the evidence, % of terms": percent(size > found.evidence),
        "error beyond the evidence, % of terms that never repeat": percent(size[~again] > found.evidence[~again]),
        "error beyond the evidence, % of terms that repeat": percent(size[again] > found.evidence[again]),
        "error upwards, % of terms that repeat": percent(found.error[again] > 0),
        "absolute error over evidence, median of terms that repeat": median(size[again] / found.evidence[again]),
        "error per occurrence as predicted, R²": 1 - float(np.sum((each - predicted) ** 2) / each.size / np.var(each)),
        "error as predicted, Spearman": spearman(found.error, found.predicted),
        "valid terms at Claim 2": int(valid.sum()),
        "error per occurrence at Claim 2, median": median(point.error[valid] / n_i[valid]),
        "error within ±0.1 at Claim 2, % of valid terms": percent(np.abs(point.error[valid]) < 0.1),
        "error within ±1 at Claim 2, % of valid terms": percent(np.abs(point.error[valid]) < 1),
        "bursts beat the binomial at Claim 2 by Claim 1, % of terms that repeat": percent(
            point.approximate_gain[repeating] > 0
        ),
        "bursts beat the binomial at Claim 2 exactly, % of terms that repeat": percent(point.exact_gain[repeating] > 0),
        "2 × error at Claim 2, median of terms that repeat": median(2 * point.error[repeating]),
        "2 × loss at Claim 2, median of terms that repeat": median(2 * point.loss[repeating]),
        "λ less 2 log f over LR, median of terms that repeat": median(2 * point.approximate_gain[ahead] / lr[ahead]),
    }


def _regime_line(found: Claim1Error, each: Floats, inside: Mask) -> Numbers:
    size, again = np.abs(found.error), inside & found.repeats
    return {
        "terms": int(inside.sum()),
        "that repeat": int(again.sum()),
        "median absolute error per occurrence": median(np.abs(each[inside])),
        "error within ±0.1, %": percent(size[inside] < 0.1),
        "within ±1, %": percent(size[inside] < 1),
        "beyond ±½ LR, %": percent(size[inside] > found.evidence[inside]),
        "beyond ±½ LR, % of those that repeat": percent(size[again] > found.evidence[again]),
        _OFF: median(size[again] / found.evidence[again]),
        "median LR": median(2 * found.evidence[inside]),
        "largest LR": 2 * float(found.evidence[inside].max()) if inside.any() else float("nan"),
    }
