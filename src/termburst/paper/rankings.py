"""Beyond the paper: how λ and the exact likelihood ratio rank the terms."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from termburst.inference.plr import ClampedTermsWarning, plr_statistic
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.models.penalized_mle import precision_margin
from termburst.paper.beyond import (
    DECIMALS,
    Floats,
    Mask,
    Numbers,
    kendall,
    median,
    numbered_rows,
    place,
    repeats_in,
    spearman,
    spoken,
    top,
)
from termburst.paper.collections import CORPORA, Collections, Fitted
from termburst.paper.drawings import ranking_agreement
from termburst.paper.markdown import percent, rendered, table
from termburst.paper.results import Row, Section
from termburst.statistics.term_statistics import TermStatistics

CORRECTED, PRINTED, EXACT = "λ corrected", "λ printed", "LR"
BANDS = ((2, 9), (10, 99), (100, 999), (1000, None))  # occurrences; all terms with one occurrence have the same λ
TOPS = (50, 100, 1000)
EVIDENCE = 2.71  # the 5 % point of ½χ²_0 + ½χ²_1, LR's asymptotic distribution for a binomial term
REASONS = (  # a term has the first one that applies
    "clamped: r_i ≥ η²",
    "never repeats, LR = 0",
    "never repeats, LR > 0",
    f"repeats, LR < {EVIDENCE}",
    "repeats, α̂_i ≥ 0.1",
    "repeats, α̂_i < 0.1, α̂_¬i ≤ n/d",
    "repeats, α̂_i < 0.1, α̂_¬i > n/d",
)


def scores(statistics: TermStatistics, fit: BetaBinomialFit) -> dict[str, Floats]:
    """λ_i corrected, λ_i printed and LR_i = 2(ℓ̂_i − ℓ_binomial), rounded so that values equal in theory are equal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        printed, corrected = plr_statistic(statistics), plr_statistic(statistics, form="corrected")
    exact = 2 * (fit.loglik - fit.loglik_binomial)
    return {name: np.round(x, DECIMALS) for name, x in ((CORRECTED, corrected), (PRINTED, printed), (EXACT, exact))}


def disagreement(x: Floats, y: Floats) -> Floats:
    """Each term's part of 1 − ρ, where ρ is Spearman's: ½ (z_x − z_y)²/m of the standardised ranks, ties averaged.

    Examples
    --------
    >>> parts = disagreement(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
    >>> parts.round(3).tolist(), round(float(1 - parts.sum()), 3)
    ([0.0, 0.0, 0.1, 0.1], 0.8)
    """
    ranks = np.array([rankdata(x), rankdata(y)])
    z = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.std(axis=1, keepdims=True)
    return np.asarray((z[0] - z[1]) ** 2 / (2 * x.size))


def reasons(statistics: TermStatistics, fit: BetaBinomialFit, lr: Floats) -> NDArray[np.intp]:
    """The index in `REASONS` of every term: why λ_i and LR_i may differ."""
    clamped = precision_margin(statistics, statistics.mean_length, 1.0) <= 0
    never, frequent, tight = ~repeats_in(statistics), fit.alpha >= 0.1, fit.alpha_not <= statistics.mean_length
    first = [clamped, never & (lr <= 0), never, lr < EVIDENCE, frequent, tight]
    return np.select(first, range(6), 6).astype(np.intp)


def in_short_documents(statistics: TermStatistics) -> Mask:
    """Whether the mean of n_j − 1 over the occurrences of a term is less than half its mean over all tokens.

    At θ = n_i/n the log-likelihood has the derivative ½ Σ_j [n_ij(n_ij−1)/θ + n_¬ij(n_¬ij−1)/(1−θ) − n_j(n_j−1)] in
    1/α_0 at 0, Tarone's score. For a term that never repeats it is positive exactly if this function is true: LR then
    measures a preference for short documents.
    """
    if statistics.count_length_sum is None:
        raise ValueError('the lengths of the documents of a term need statistics with detail="moments" or more')
    lengths, n_i = statistics.lengths.astype(np.float64), statistics.collection_frequency
    half = float(lengths * (lengths - 1) @ statistics.length_documents) / (2 * statistics.tokens)
    return np.asarray(statistics.count_length_sum - n_i < half * n_i)


def largest_disagreements(fitted: Fitted, ranked: Mapping[str, Floats], inside: Mask, number: int = 4) -> list[int]:
    """The columns that LR ranks furthest above λ, then those that λ ranks furthest above LR, among the terms *inside*.

    If rank differences are equal, the more frequent term comes first, then alphabetical order.
    """
    columns = np.flatnonzero(inside)
    gap = rankdata(ranked[CORRECTED][columns]) - rankdata(ranked[EXACT][columns])
    alphabet, n_i = rankdata(fitted.terms[columns].astype(str)), fitted.statistics.collection_frequency[columns]
    sides = (np.lexsort((alphabet, -n_i, side * gap))[:number] for side in (1, -1))
    return [int(columns[k]) for side, order in zip((-1, 1), sides, strict=True) for k in order if side * gap[k] > 0]


_WORD_COLUMNS = ("term", "n_i", "b_i", "λ", "LR", "α̂_i", "status", "rank by λ", "rank by LR", "reason")


def rankings(collections: Collections) -> Section:
    """How λ and the exact likelihood ratio rank the terms."""
    rows: list[Row] = []
    agreement, shares, words, found, pictures = [], [], [], [], {}
    for corpus in CORPORA:
        fitted: Fitted = getattr(collections, corpus.fits)
        name, statistics, fit = corpus.name, fitted.statistics, fitted.fit
        ranked = scores(statistics, fit)
        why = reasons(statistics, fit, ranked[EXACT])
        numbers = _ranking_numbers(statistics, fit, ranked, why)
        rows += numbered_rows(f"Rankings, {name}", numbers)
        for scope, inside in _scopes(statistics, fit).items():
            line = _agreement_line(statistics, ranked, inside)
            agreement.append([name, scope, *line.values()])
            rows += numbered_rows(f"Rankings, {name}, {scope}", line, cell=True)
        for reason, share in _reason_lines(statistics, ranked, why).items():
            shares.append([name, reason, *share.values()])
            rows += numbered_rows(f"Rankings, {name}, reason “{reason}”", share, cell=True)
        far = largest_disagreements(fitted, ranked, why >= 0)
        far += largest_disagreements(fitted, ranked, repeats_in(statistics))
        words += [[name, *_word_line(fitted, ranked, why, column)] for column in dict.fromkeys(far)]
        labels = {str(fitted.terms[column]): column for column in far[::4]}
        n_i, stem = statistics.collection_frequency, f"rankings-{corpus.stem}"
        found.append({"name": name, "stem": stem, **_examples(fitted, ranked, why, numbers)})
        pictures[stem] = ranking_agreement(ranked, n_i, labels)
    text = rendered(
        "report", "rankings", decimals=DECIMALS, evidence=EVIDENCE, tops=[f"{k:,}" for k in TOPS], found=found,
        agreement=table(["collection", "terms", *line], agreement, "ll" + "r" * len(line)),
        shares=table(["collection", "reason", *share], shares, "ll" + "r" * len(share)),
        words=table(["collection", *_WORD_COLUMNS], words, "llrrrrrlrrl"),
    )  # fmt: skip
    return Section("rankings", text, rows, pictures)


def _ranking_numbers(
    statistics: TermStatistics, fit: BetaBinomialFit, ranked: Mapping[str, Floats], why: NDArray[np.intp]
) -> Numbers:
    printed, corrected, exact = (ranked[name] for name in (PRINTED, CORRECTED, EXACT))
    repeats = repeats_in(statistics)
    never, ahead = ~repeats, repeats & (exact > 0) & (why > 0)
    ratio = corrected[ahead] / exact[ahead]
    quiet = repeats & (exact < EVIDENCE)
    rare = np.flatnonzero(repeats & (fit.alpha < 0.1))
    by_lambda, by_lr = set(top(corrected, 100)), set(top(exact, 100))
    return {
        "never repeating, % of terms": percent(never),
        "never repeating, LR > 0": int((never & (exact > 0)).sum()),
        f"never repeating, LR > {EVIDENCE}": int((never & (exact > EVIDENCE)).sum()),
        "LR > 0 just where documents are short, % of terms that never repeat": percent(
            in_short_documents(statistics)[never] == (exact[never] > 0)
        ),
        **{f"rank by λ above rank by LR, Spearman with {what}": value for what, value in _followed(statistics, ranked)},
        f"repeating, LR < {EVIDENCE}": int(quiet.sum()),
        f"repeating, LR < {EVIDENCE}: least λ": float(corrected[quiet].min()) if quiet.any() else float("nan"),
        "clamped terms": int((why == 0).sum()),
        "Spearman of λ printed and λ corrected": spearman(printed, corrected),
        "λ over LR, median of terms that repeat": median(ratio),
        "λ over LR, 95 % quantile of terms that repeat": float(np.quantile(ratio, 0.95))
        if ratio.size
        else float("nan"),
        **{f"top {k:,} in common, λ printed and LR": overlap(printed, exact, k) for k in TOPS},
        **{f"top {k:,} in common, λ corrected and LR": overlap(corrected, exact, k) for k in TOPS},
        **{f"top {k:,} in common, α̂_i < 0.1": overlap(corrected[rare], exact[rare], k) for k in TOPS},
        "top 100 by λ only": len(by_lambda - by_lr),
        "top 100 by λ only, α̂_i ≥ 0.1": sum(bool(fit.alpha[k] >= 0.1) for k in by_lambda - by_lr),
        "top 100 by LR only, α̂_i < 0.1": sum(bool(fit.alpha[k] < 0.1) for k in by_lr - by_lambda),
    }


def _followed(statistics: TermStatistics, ranked: Mapping[str, Floats]) -> Iterable[tuple[str, float]]:
    """What is correlated with a higher rank by λ than by LR, among terms that repeat."""
    repeats = repeats_in(statistics)
    assert statistics.count_length_sum is not None
    gap = rankdata(ranked[CORRECTED][repeats]) - rankdata(ranked[EXACT][repeats])
    n_i = statistics.collection_frequency[repeats].astype(np.float64)
    yield "document length", spearman(gap, statistics.count_length_sum[repeats] / n_i)
    yield "n_i", spearman(gap, n_i)


def _examples(fitted: Fitted, ranked: Mapping[str, Floats], why: NDArray[np.intp], numbers: Numbers) -> dict[str, Any]:
    """Terms that show how the two rankings differ, and the numbers of the collection, for the text."""
    terms, n_i, of = fitted.terms, fitted.statistics.collection_frequency, spoken(numbers)
    corrected, exact = ranked[CORRECTED], ranked[EXACT]
    tops = top(corrected, 100)
    loud = min(tops, key=lambda column: exact[column])
    return {
        "of": of, "terms": terms, "n_i": n_i, "corrected": corrected, "exact": exact,
        "missed": int(np.argmax(np.where(repeats_in(fitted.statistics), -1, exact))),
        "once": int(np.argmax(np.where(n_i == 1, exact, -1))),
        "loud": loud, "place_loud": (place(corrected, loud), place(exact, loud)),
        "both": [str(terms[k]) for k in top(exact, 100) if k in tops and fitted.fit.alpha[k] < 0.1],
        "clamped": [f"“{terms[k]}” ({place(corrected, k):,})" for k in tops if why[k] == 0],
        "common": [of(f"top {k:,} in common, λ corrected and LR") for k in TOPS],
        "common_rare": [of(f"top {k:,} in common, α̂_i < 0.1") for k in TOPS],
    }  # fmt: skip


def _scopes(statistics: TermStatistics, fit: BetaBinomialFit) -> dict[str, Mask]:
    n_i, repeats = statistics.collection_frequency, repeats_in(statistics)
    scopes = {
        "all": n_i >= 0,
        "repeating": repeats,
        "repeating, α̂_i < 0.1": repeats & (fit.alpha < 0.1),
        "repeating, α̂_i ≥ 0.1": repeats & (fit.alpha >= 0.1),
    }
    for low, high in BANDS:
        scopes[f"n_i = {low}–{high}" if high else f"n_i ≥ {low:,}"] = (n_i >= low) & (n_i <= (high or np.inf))
    return scopes


def _agreement_line(statistics: TermStatistics, ranked: Mapping[str, Floats], inside: Mask) -> Numbers:
    printed, corrected, exact = (ranked[name][inside] for name in (PRINTED, CORRECTED, EXACT))
    n_i = statistics.collection_frequency[inside].astype(np.float64)
    return {
        "number": int(inside.sum()),
        "ρ(λ printed, LR)": spearman(printed, exact),
        "ρ(λ corrected, LR)": spearman(corrected, exact),
        "τ(λ printed, LR)": kendall(printed, exact),
        "τ(λ corrected, LR)": kendall(corrected, exact),
        "ρ(λ corrected, n_i)": spearman(corrected, n_i),
        "ρ(LR, n_i)": spearman(exact, n_i),
    }


def _reason_lines(
    statistics: TermStatistics, ranked: Mapping[str, Floats], why: NDArray[np.intp]
) -> dict[str, Numbers]:
    corrected, exact, repeats = ranked[CORRECTED], ranked[EXACT], repeats_in(statistics)
    parts, among = disagreement(corrected, exact), np.zeros(why.size)
    among[repeats] = disagreement(corrected[repeats], exact[repeats])
    shift = (rankdata(corrected) - rankdata(exact)) / why.size
    assert statistics.count_length_sum is not None
    n_i = np.maximum(statistics.collection_frequency, 1)
    lines: dict[str, Numbers] = {}
    for number, reason in enumerate(REASONS):
        inside = why == number
        lines[reason] = {
            "number": int(inside.sum()),
            "% of terms": percent(inside),
            "% of 1 − ρ": 100 * float(parts[inside].sum() / parts.sum()),
            "% of 1 − ρ, repeating terms": 100 * float(among[inside].sum() / among.sum()),
            "mean shift": 100 * float(shift[inside].mean()) if inside.any() else float("nan"),
            "median n_i": median(n_i[inside]),
            "median mean length": median((statistics.count_length_sum / n_i)[inside]),
        }
    return lines


def _word_line(fitted: Fitted, ranked: Mapping[str, Floats], why: NDArray[np.intp], column: int) -> list[Any]:
    s, fit = fitted.statistics, fitted.fit
    numbers = [int(s.collection_frequency[column]), int(s.document_frequency[column])]
    values = [float(x[column]) for x in (ranked[CORRECTED], ranked[EXACT], fit.alpha)]
    places = [place(ranked[k], column) for k in (CORRECTED, EXACT)]
    return [str(fitted.terms[column]), *numbers, *values, str(fit.status[column]), *places, REASONS[why[column]]]


def overlap(x: Floats, y: Floats, number: int) -> int:
    """How many of the *number* terms with the largest x are also among those with the largest y."""
    return len(set(top(x, number)) & set(top(y, number)))
