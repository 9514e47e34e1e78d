"""Power at planted ratios beside the test that ties the precisions of both corpora, and coverage of planted ratios."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from _keyness_corpora import Corpus, draw, random_part, thinned
from _truth_grid import Cell, draw_counts, equal_length_cells
from _truth_outcome import ROUNDED, Outcome, standard_error
from _verdicts import Verdicts, summary
from numpy.typing import NDArray
from scipy import stats
from termburst.models.fit_groups import GroupedCells

from termburst.inference.keyness import keyness
from termburst.models.cells import TermCells, joined
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial

Floats = NDArray[np.float64]

PLANTED = (1.5, 2.0, 4.0)
REMOVED = math.inf
PLANTED_SHARE = 0.2  # of the words of a call; the others have ratio 1, as in a corpus
SCENARIOS = {"halves": 0.5, "10/90": 0.1, "90/10": 0.9}  # share of the documents in A; B has the lower means
BY_LEAST_B = {"b 5–9": (5, 9), "b 10–19": (10, 19), "b 20–49": (20, 49), "b ≥50": (50, 10**9), "absent": (0, 0)}
Required = tuple[tuple[tuple[str, ...], float, str], ...]  # bands, by how much power may be less, in words
LACKING: Required = ((tuple(BY_LEAST_B), 0.06, "where B lacks the word"),)
REQUIRED: Required = (
    (("b 20–49", "b ≥50"), 0.06, "from b = 20 on"),
    (("b ≥50",), 0.03, "from b = 50 on (aim)"),
)
ENOUGH = 6.0  # expected documents with the word in each corpus from which χ²_1 holds for the tied test
DRAWN = {(5, 19): 1_000, (20, 99): 1_500, (100, 999): 2_000, (1_000, 10**9): 500}  # words per simulated split
COVERED = (*(1 / ratio for ratio in PLANTED[::-1]), 1.0, *PLANTED)


@dataclass(frozen=True)
class Law:
    """Log ratio of the precisions, B over A, of simulated words: median and standard deviation."""

    name: str
    ratio: float = 1.0
    spread: float = 0.0


LAWS = (
    Law("equal α₀"),
    Law("spread .5", spread=0.5),
    Law("spread 1", spread=1.0),
    Law("α₀ B/A 2.7", 2.7),
    Law("α₀ B/A 1/2.7", 1 / 2.7),
)


def tied_p(a: TermCells, b: TermCells) -> Floats:
    """The test with one precision parameter for both corpora: 2(ℓ_1 − ℓ_0) by χ²_1.

    If fewer than 6 of the documents with the word are expected in a corpus, that does not hold. Then p is that of b_A
    given b_A + b_B, binomial (mid-p, tails doubled): A and B are random parts, so their lengths are alike.
    """
    null = fit_beta_binomial(joined([a, b]))
    alternative, _ = GroupedCells([a, b]).fit(null)
    p_value = stats.chi2.sf(np.maximum(2 * (alternative.loglik - null.loglik), 0.0), 1)
    documents, b_i = [cells.length_documents.sum() for cells in (a, b)], a.b_i + b.b_i
    share = documents[0] / sum(documents)
    law = stats.binom(b_i, share)
    half = law.pmf(a.b_i) / 2
    given = 2 * np.minimum(law.cdf(a.b_i) - half, law.sf(a.b_i) + half)
    return np.where(b_i * min(share, 1 - share) < ENOUGH, given, p_value)


def planted_ratios(words: int, ratios: tuple[float, ...], rng: np.random.Generator) -> Floats:
    """How many times lower the mean of each word is in B; a random fifth have one of *ratios*, the others 1."""
    return np.where(rng.random(words) < PLANTED_SHARE, rng.choice(ratios, words), 1.0)


Rates = defaultdict[tuple[str, str, float], list[Floats]]  # title, scenario, ratio → bands × (ours, gap, words)


def add_rates(rates: Rates, key: tuple[str, str], a: TermCells, b: TermCells, ratios: Floats, method: str) -> None:
    """Power in bands of the smaller of b_A and b_B (removed words: b_A), and by how much it exceeds the tied test's."""
    ours = keyness(a, b, method=method, confidence=None).p_value <= 0.05 * ROUNDED
    tied = tied_p(a, b) <= 0.05 * ROUNDED
    least, most = np.minimum(a.b_i, b.b_i), np.maximum(a.b_i, b.b_i)
    for ratio in np.unique(ratios[ratios > 1]).tolist():
        bands, band_of = [], a.b_i if ratio == REMOVED else least
        for low, high in BY_LEAST_B.values():
            members = (ratios == ratio) & (most >= 5) & (band_of >= low) & (band_of <= high)
            power = [np.mean(found[members]) if members.any() else math.nan for found in (ours, tied)]
            bands.append([power[0], power[0] - power[1], members.sum()])
        rates[*key, ratio].append(np.array(bands))


def thin_real(corpus: Corpus, splits: int, method: str, seed: int, rates: Rates) -> None:
    """Random parts of a corpus; of a fifth of the words each token in B is kept with probability 1/ratio."""
    for scenario, share in SCENARIOS.items():
        for split in range(splits):
            rng = np.random.default_rng([seed, split, round(100 * share), corpus.terms])
            inside = random_part(corpus, share, rng)
            a, b = corpus.cells(inside), corpus.cells(~inside)
            ratios = planted_ratios(corpus.terms, (*PLANTED, REMOVED), rng)
            b = thinned(b, ratios[b.term], rng)
            add_rates(rates, (f"{corpus.name}, thinned", scenario), a, b, ratios, method)


def some_words(fit: BetaBinomialFit, n_i: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Words to draw from, with replacement, a fixed number per band of n_i."""
    bands = [
        (np.flatnonzero((n_i >= low) & (n_i <= high) & (fit.status == "converged")), size)
        for (low, high), size in DRAWN.items()
    ]
    return rng.permutation(np.concatenate([rng.choice(words, size) for words, size in bands]))


def draw_pair(
    fit: BetaBinomialFit, words: NDArray[np.int64], ratios: Floats, law: Law, n_j: tuple[NDArray[np.int64], ...],
    rng: np.random.Generator,
) -> tuple[TermCells, TermCells]:  # fmt: skip
    """A with the means of the fits, B with these divided by *ratios*; the precisions of both differ by *law*."""
    log_ratio = math.log(law.ratio) + law.spread * rng.standard_normal(words.size)
    pair = []
    for sign, mean, lengths in ((-0.5, fit.mean[words], n_j[0]), (0.5, fit.mean[words] / ratios, n_j[1])):
        alpha_0 = fit.alpha_0[words] * np.exp(sign * log_ratio)
        pair.append(draw(alpha_0 * mean, alpha_0 * (1 - mean), mean, lengths, rng))
    return pair[0], pair[1]


def draw_power(corpus: Corpus, laws: tuple[Law, ...], splits: int, method: str, seed: int, rates: Rates) -> None:
    whole = corpus.cells(np.ones(corpus.n_j.size, dtype=bool))
    fit = fit_beta_binomial(whole)
    for law in laws:
        for scenario, share in SCENARIOS.items():
            for split in range(splits):
                rng = np.random.default_rng([seed, split, round(100 * share), len(law.name)])
                inside = random_part(corpus, share, rng)
                words = some_words(fit, whole.n_i, rng)
                ratios = planted_ratios(words.size, PLANTED, rng)
                pair = draw_pair(fit, words, ratios, law, (corpus.n_j[inside], corpus.n_j[~inside]), rng)
                add_rates(rates, (f"drawn, {law.name}", scenario), *pair, ratios, method)


def show_price(
    corpora: Iterator[Corpus], laws: tuple[Law, ...], splits: int, method: str, seed: int, verdicts: Verdicts
) -> None:
    """Power of *method* and its difference from the tied test on the same words."""
    rates: Rates = defaultdict(list)
    for corpus in corpora:
        thin_real(corpus, splits, method, seed, rates)
        if corpus.name == "R8":
            draw_power(corpus, laws, splits, method, seed, rates)
    valid = {"drawn, equal α₀"} | {title for title, *_ in rates if title.endswith("thinned")}
    for title in dict.fromkeys(key[0] for key in rates):
        shown = "" if title in valid else "; shown only: the tied test is not valid"
        print(f"\nPrice, {title}: per cent p ≤ .05, {method} (minus the tied test ± standard error) words{shown}")
        print(f"{'':>16}" + "".join(f"{name:>27}" for name in BY_LEAST_B))
        for (_, scenario, ratio), found in sorted((item for item in rates.items() if item[0][0] == title), key=str):
            name = "removed" if ratio == REMOVED else f"{ratio:g}×"
            where = f"{title}, {scenario}, {name}"
            required = () if title not in valid else LACKING if ratio == REMOVED else REQUIRED
            line = "".join(f"{text:>27}" for text in price_texts(found, where, required, verdicts))
            print(f"{scenario:>8}{name:>8}{line}", flush=True)


def price_texts(found: list[Floats], where: str, required: Required, verdicts: Verdicts) -> Iterator[str]:
    mean, error = summary(found)
    for k, band in enumerate(BY_LEAST_B):
        power, gap = mean[k, :2]
        if np.isnan(power):
            yield ""
            continue
        mark = ""
        for bands, least, what in required:
            if band in bands:
                requirement = f"power within {100 * least:g} points of the tied test, {what}"
                mark += verdicts.judge(requirement, where, f"{band} difference", gap, error[k, 1], -least, 1.0)
        compared = f"({100 * gap:+.1f}±{100 * error[k, 1]:.1f}{mark})"
        yield f"{100 * power:.1f} {compared} {np.sum([bands[k, 2] for bands in found]):,.0f}"


def mixed_ratios(words: int, rng: np.random.Generator) -> Floats:
    """A's mean over B's: half the words 1, the others one of PLANTED or its inverse."""
    planted = rng.choice(PLANTED, words) ** rng.choice([-1.0, 1.0], words)
    return np.where(rng.random(words) < 0.5, 1.0, planted)


def grid_coverage(cell: Cell, words: int, method: str, rng: np.random.Generator) -> Outcome:
    """Counts of a cell of the grid with planted ratios: the larger mean is the share of the cell."""
    ratios = mixed_ratios(words, rng)
    means = cell.share * np.minimum(ratios, 1.0), cell.share * np.minimum(1 / ratios, 1.0)
    pair = [
        equal_length_cells(draw_counts(mean, alpha_0, length, documents, rng), length)
        for mean, alpha_0, length, documents in zip(
            means, cell.precisions(words, rng), cell.lengths, cell.documents, strict=True
        )
    ]
    return Outcome.of(*pair, method, np.log2(ratios))


def drawn_coverage(
    corpus: Corpus, fit: BetaBinomialFit, scenario: str, law: str, words: int, method: str, rng: np.random.Generator
) -> Outcome:
    """Words with 100 to 999 tokens drawn from their fits on real lengths: α_0 is the same ("documents") or α is."""
    which = rng.choice(np.flatnonzero(_frequent(corpus) & (fit.status == "converged")), words)
    ratios = mixed_ratios(words, rng)
    inside = random_part(corpus, SCENARIOS[scenario], rng)
    pair = []
    for mean, n_j in ((fit.mean[which], corpus.n_j[inside]), (fit.mean[which] / ratios, corpus.n_j[~inside])):
        alpha_0 = fit.alpha_0[which] * (fit.mean[which] / mean if law == "tokens" else 1.0)
        pair.append(draw(alpha_0 * mean, alpha_0 * (1 - mean), mean, n_j, rng))
    return Outcome.of(*pair, method, np.log2(ratios))


def thinned_coverage(corpus: Corpus, scenario: str, words: int, method: str, rng: np.random.Generator) -> Outcome:
    """Words with 100 to 999 tokens in random parts of the real documents, tokens of the lower side thinned."""
    part = corpus.only(np.flatnonzero(_frequent(corpus)))
    outcomes = []
    for _ in range(-(-words // part.terms)):
        ratios = mixed_ratios(part.terms, rng)
        inside = random_part(part, SCENARIOS[scenario], rng)
        a, b = part.cells(inside), part.cells(~inside)
        a, b = (
            thinned(cells, kept[cells.term], rng)
            for cells, kept in ((a, np.maximum(1 / ratios, 1)), (b, np.maximum(ratios, 1)))
        )
        outcomes.append(Outcome.of(a, b, method, np.log2(ratios)))
    return Outcome.joined(outcomes)


def _frequent(corpus: Corpus) -> NDArray[np.bool_]:
    n_i = np.bincount(corpus.term, corpus.count, corpus.terms)
    return (n_i >= 100) & (n_i <= 999)


def show_coverage(
    cells: list[Cell], corpora: Iterator[Corpus], words: int, method: str, seed: int, verdicts: Verdicts
) -> None:
    """Coverage of 95 % intervals by planted ratio, A over B, and rows where interval and p disagree."""
    print(f"\nCoverage, {method}: {words:,} words per row, of which half have ratio 1; per cent ± standard error")
    print(f"{'':>50}" + "".join(f"{ratio_name(ratio):>15}" for ratio in COVERED) + f"{'disagree':>10}")
    for cell in cells:
        rng = np.random.default_rng([seed, 7, *cell.label.encode()])
        coverage_row(cell.label, grid_coverage(cell, words, method, rng), verdicts)
    for corpus in corpora:
        fit = fit_beta_binomial(corpus.cells(np.ones(corpus.n_j.size, dtype=bool)))
        for scenario in SCENARIOS:
            for law in ("documents", "tokens", "thinned"):
                rng = np.random.default_rng([seed, 8, *f"{scenario} {law}".encode()])
                outcome = (
                    thinned_coverage(corpus, scenario, words, method, rng)
                    if law == "thinned"
                    else drawn_coverage(corpus, fit, scenario, law, words, method, rng)
                )
                coverage_row(f"{corpus.name}, 100–999 tokens, {scenario}, {law}", outcome, verdicts)


def ratio_name(ratio: float) -> str:
    return f"{ratio:g}×" if ratio >= 1 else f"1/{1 / ratio:g}×"


def coverage_row(label: str, outcome: Outcome, verdicts: Verdicts) -> None:
    line, where = f"{label:<50}", " ".join(label.split())
    for ratio in COVERED:
        part = outcome.only(np.isclose(outcome.truth, math.log2(ratio)))
        covered = part.rates["coverage"]
        error = standard_error(covered, part.p_value.size)
        requirement = "coverage of 95 % intervals of planted ratios: 93 to 97 %"
        mark = verdicts.judge(requirement, where, ratio_name(ratio), covered, error, 0.93, 0.97)
        line += f"{f'{100 * covered:.1f}±{100 * error:.1f}{mark}':>15}"
    disagree = outcome.only(np.ones(outcome.truth.size, dtype=bool)).rates["disagree"]
    mark = verdicts.judge("interval and p agree", where, "disagree", disagree, 0.0, 0.0, 0.0)
    print(f"{line}{f'{100 * disagree:.1f}{mark}':>10}", flush=True)
