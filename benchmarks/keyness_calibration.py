"""Size, power and coverage of keyness tests, compared with the methods of other tools on the same splits.

Size. Documents of one corpus are split at random, into halves, 10/90 and, with fewer splits, 8/92, 30/70 and 45/55:
each significant word is a false alarm. Also
a simulated null in which A has the longer documents: independent beta-binomial terms drawn from the exact fits of the
corpus on its real lengths. A is the tenth with the largest log n_j + N(0, 0.5²), or the longer half.

Power. For each term, each token in B is kept with probability 1/ratio. Lengths stay the same, as if other words had
replaced the lost tokens. In "10/90" A is the tenth, in "90/10" B is. Bands are by the remaining counts, as a user would
see them. A rival is calibrated if its size in that band and scenario is at most 6 %. An average may hide differences
(Mann–Whitney finds every eighth term in 4 documents significant), so there is also a verdict for the rivals that are
calibrated in every band of the scenario.

Coverage. Terms are drawn on the lengths of R8 with means π and π/ratio: how often do 95 % limits contain the ratio? The
precision of B is that of A ("documents": fewer documents use the word) or `ratio` times that ("tokens": the documents
that use it do so less often).

Bands are of n_i, tokens of both corpora, from 5 on, and of b_i, documents, from 2 on. ± is the standard error between
splits; the size at 0.1 % is in parentheses. "!" is out of bounds by more than two standard errors, "?" by less.

    TERMBURST_DATA=… python benchmarks/keyness_calibration.py [--splits 200] [--seed N] [--quick] [--only R8]
        [--parts size …]
"""

from __future__ import annotations

import argparse
import math
import textwrap
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import load_stdlib
from termburst.inference.keyness import METHODS, Comparison, compare, keyness
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.paper.collections import Collections
from termburst.threads import in_threads

OURS = "beta-binomial"
RIVALS = ("g2", "chi2", "welch", "mann-whitney", "permutation", "stratified-permutation")
LEVELS = (0.05, 0.001)
LAST = 10**9
BY_N = ((5, 19), (20, 99), (100, 999), (1_000, LAST))
BY_B = ((2, 2), (3, 3), (4, 4), (5, 7), (8, 11), (12, 15), (16, 25), (26, 60), (61, 200), (201, LAST))
SHARES = {"halves": 0.5, "10/90": 0.1, "90/10": 0.9}
OTHER_SHARES = {"8/92": 0.08, "30/70": 0.3, "45/55": 0.45}
SIZE_OF = {"90/10": "10/90"}  # without a difference to find, the two are the same
LONGER = ("long tenth", "long half")
RATIOS = (1.5, 2.0, 4.0)
DRAWN = {(2, 4): 800, (5, 19): 1_500, (20, 99): 1_500, (100, 999): 1_000, (1_000, LAST): 300}  # terms per simulation
POWERED = 1_000  # terms per band, before thinning, to measure power in real splits
CALIBRATED = 0.06
MEANS, PRECISIONS = (3e-5, 1e-4, 1e-3, 1e-2), (10.0, 100.0, 1_000.0, math.inf)
SEED = 20260101


@dataclass(frozen=True)
class Effort:
    """Numbers of repetitions."""

    splits: int
    rival_splits: int = 20
    other_splits: int = 60
    simulations: int = 24
    power_splits: int = 8
    power_scenarios: tuple[str, ...] = (*SHARES, LONGER[0])
    ratios: tuple[float, ...] = RATIOS
    means: tuple[float, ...] = MEANS
    terms: int = 2_000


QUICK = Effort(3, 2, 2, 2, 2, ("halves", "10/90"), (2.0,), MEANS[1:3], 200)


@dataclass(frozen=True)
class Corpus:
    """Terms to test and their cells, sorted by term, without empty documents."""

    name: str
    term: np.ndarray
    document: np.ndarray
    count: np.ndarray
    n_j: np.ndarray
    terms: int

    def cells(self, inside: np.ndarray, count: np.ndarray | None = None) -> TermCells:
        """The cells of the documents *inside*; with *count* in place of the counts, if it is above 0."""
        count = self.count if count is None else count
        kept = np.flatnonzero(inside[self.document] & (count > 0))
        return as_cells(self.term[kept], count[kept], self.n_j[self.document[kept]], self.terms, self.n_j[inside])

    def only(self, terms: np.ndarray) -> Corpus:
        """The same with only these terms, sorted."""
        place = np.full(self.terms, -1)
        place[terms] = np.arange(terms.size)
        kept = place[self.term] >= 0
        return Corpus(self.name, place[self.term[kept]], self.document[kept], self.count[kept], self.n_j, terms.size)


def as_cells(term: np.ndarray, count: np.ndarray, length: np.ndarray, terms: int, n_j: np.ndarray) -> TermCells:
    lengths, documents = np.unique(n_j, return_counts=True)
    b_i = np.bincount(term, minlength=terms)
    return TermCells(
        np.concatenate([[0], np.cumsum(b_i)]).astype(np.int64),
        count.astype(np.int32),
        length.astype(np.int32),
        np.ones(1),
        np.bincount(term, count, terms).astype(np.int64),
        b_i.astype(np.int64),
        lengths.astype(np.int64),
        documents.astype(np.int64),
    )


def corpora() -> Iterator[Corpus]:
    collections = Collections()
    for name, X in (
        ("20 Newsgroups", collections.fig4.counts),
        ("R8", collections.fig5.counts),
        ("stdlib", CountVectorizer().fit_transform(load_stdlib().texts)),
    ):
        n_j = np.asarray(X.sum(axis=1)).ravel().astype(np.int64)
        by_term = X[n_j > 0].tocsc()
        term = np.repeat(np.arange(X.shape[1]), np.diff(by_term.indptr))
        whole = Corpus(name, term, by_term.indices, by_term.data.astype(np.int64), n_j[n_j > 0], X.shape[1])
        n_i, b_i = np.bincount(term, whole.count), np.bincount(term)
        yield whole.only(np.flatnonzero((b_i >= 2) | (n_i >= 5)))


def draw_block(
    alpha: np.ndarray, alpha_not: np.ndarray, mean: np.ndarray, lengths: np.ndarray, documents: np.ndarray, seed: int
) -> tuple[np.ndarray, ...]:
    """Beta-binomial terms on documents of these lengths (α = inf: binomial): b_i, then counts and lengths of cells."""
    rng = np.random.default_rng(seed)
    counts, sizes, terms = [], [], []  # cells drawn document by document
    rare_terms, rare_sizes, log_nones = [], [], []  # cells whose counts are drawn below
    for i, (a, rest, share) in enumerate(zip(alpha, alpha_not, mean, strict=True)):
        log_none = lengths * math.log1p(-share)
        if a < math.inf:
            log_none = gammaln(lengths + rest) - gammaln(lengths + a + rest) + (gammaln(a + rest) - gammaln(rest))
            log_none = np.minimum(log_none, 0.0)  # rounding, if α is tiny beside α_¬
        some = -np.expm1(log_none)
        often = some > 0.2
        n = np.repeat(lengths[often], documents[often])
        drawn = rng.binomial(n, rng.beta(a, rest, n.size) if a < math.inf else share)
        counts.append(drawn[drawn > 0])
        sizes.append(n[drawn > 0])
        terms.append(np.full(counts[-1].size, i))
        seldom = np.flatnonzero(~often)
        rare = np.repeat(seldom, rng.binomial(documents[seldom], some[seldom]))  # documents with the term
        rare_terms.append(np.full(rare.size, i))
        rare_sizes.append(lengths[rare])
        log_nones.append(log_none[rare])
    term, n = np.concatenate(rare_terms), np.concatenate(rare_sizes)
    parameters = alpha[term], alpha_not[term], (mean / (1 - mean))[term]
    counts.append(counts_above_0(*parameters, n, np.concatenate(log_nones), rng))
    order = np.argsort(np.concatenate([*terms, term]), kind="stable")
    b_i = np.bincount(np.concatenate([*terms, term]), minlength=alpha.size)
    return b_i, np.concatenate(counts)[order], np.concatenate([*sizes, n])[order]


def counts_above_0(
    a: np.ndarray, rest: np.ndarray, odds: np.ndarray, n: np.ndarray, log_none: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Counts of terms in documents that contain them, by inversion of the distribution function from 1 on."""
    plain = a == math.inf
    a, rest = np.where(plain, 0.0, a), np.where(plain, n, rest)  # not used there
    c, going = np.ones(n.size, dtype=np.int64), np.arange(n.size)
    u = rng.random(n.size) * -np.expm1(log_none)
    mass = np.exp(log_none) * n * np.where(plain, odds, a / (n - 1 + rest))
    while True:
        more = np.flatnonzero((u > mass) & (c[going] < n))
        if not more.size:
            return c
        u = (u - mass)[more]
        going, mass, n, a, rest, odds, plain = (x[more] for x in (going, mass, n, a, rest, odds, plain))
        have = c[going]
        mass *= (n - have) / (have + 1) * np.where(plain, odds, (a + have) / (n - have - 1 + rest))
        c[going] += 1


def draw(
    alpha: np.ndarray, alpha_not: np.ndarray, mean: np.ndarray, n_j: np.ndarray, rng: np.random.Generator
) -> TermCells:
    """Cells of one term per parameter, on documents of lengths *n_j*."""
    lengths, documents = np.unique(n_j, return_counts=True)
    blocks = np.array_split(np.arange(alpha.size), 32)
    seeds = rng.integers(0, 2**31, len(blocks))
    found: list[tuple[np.ndarray, ...]] = [()] * len(blocks)

    def fill(k: int) -> None:
        part = blocks[k]
        found[k] = draw_block(alpha[part], alpha_not[part], mean[part], lengths, documents, seeds[k])

    in_threads(fill, range(len(blocks)))
    b_i, count, length = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return as_cells(np.repeat(np.arange(alpha.size), b_i), count, length, alpha.size, n_j)


def thinned(cells: TermCells, ratio: float | np.ndarray, rng: np.random.Generator) -> TermCells:
    count = rng.binomial(cells.count, 1 / ratio)
    kept = count > 0
    n_j = np.repeat(cells.lengths, cells.length_documents)
    return as_cells(cells.term[kept], count[kept], cells.length[kept], cells.n_i.size, n_j)


@dataclass(frozen=True)
class Bands:
    """The terms of each band, one array of indices per band."""

    members: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, n_i: np.ndarray, b_i: np.ndarray) -> Bands:
        by_n = [np.flatnonzero((n_i >= low) & (n_i <= high)) for low, high in BY_N]
        return cls((*by_n, *(np.flatnonzero((b_i >= low) & (b_i <= high)) for low, high in BY_B)))

    def rates(self, found: Comparison, method: str) -> np.ndarray:
        """Bands × levels: the share of p-values up to the level."""
        p_value = METHODS[method](found)[1]
        hits = p_value[:, None] <= np.array(LEVELS) * (1 + 1e-9)
        return np.array([hits[m].mean(axis=0) if m.size else [np.nan, np.nan] for m in self.members])


def band_name(low: int, high: int) -> str:
    return f"{low}" if low == high else f"≥{low}" if high == LAST else f"{low}–{high}"


NAMES = [f"n {band_name(*band)}" for band in BY_N] + [f"b {band_name(*band)}" for band in BY_B]
Rates = defaultdict[tuple[str, str, str], list[np.ndarray]]  # corpus, scenario, method → bands × levels for each split


def summary(splits: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard error between splits."""
    stack = np.array(splits)
    with np.errstate(invalid="ignore"):
        return np.nanmean(stack, axis=0), np.nanstd(stack, axis=0, ddof=1) / np.sqrt(np.isfinite(stack).sum(axis=0))


def random_part(corpus: Corpus, share: float, rng: np.random.Generator) -> np.ndarray:
    inside = np.zeros(corpus.n_j.size, dtype=bool)
    inside[rng.permutation(inside.size)[: round(share * inside.size)]] = True
    return inside


def longer_part(corpus: Corpus, scenario: str, rng: np.random.Generator) -> np.ndarray:
    noise, share = (0.5, 0.1) if scenario == "long tenth" else (0.0, 0.5)
    rank = np.argsort(-(np.log(corpus.n_j) + noise * rng.standard_normal(corpus.n_j.size)), kind="stable")
    inside = np.zeros(rank.size, dtype=bool)
    inside[rank[: round(share * rank.size)]] = True
    return inside


def some_terms(n_i: np.ndarray, fit: BetaBinomialFit, rng: np.random.Generator) -> np.ndarray:
    """Terms to draw from, with replacement, a fixed number per band."""
    usable = np.isin(fit.status, ["converged", "boundary"])
    bands = [np.flatnonzero((n_i >= low) & (n_i <= high) & usable) for low, high in DRAWN]
    return rng.permutation(np.concatenate([rng.choice(*pair) for pair in zip(bands, DRAWN.values(), strict=True)]))


def simulated(
    corpus: Corpus, fit: BetaBinomialFit, n_i: np.ndarray, scenario: str, rng: np.random.Generator
) -> tuple[TermCells, TermCells]:
    terms = some_terms(n_i, fit, rng)
    inside = longer_part(corpus, scenario, rng)
    parameters = fit.alpha[terms], fit.alpha_not[terms], fit.mean[terms]
    return draw(*parameters, corpus.n_j[inside], rng), draw(*parameters, corpus.n_j[~inside], rng)


def measure_size(corpus: Corpus, fit: BetaBinomialFit, effort: Effort, rates: Rates) -> None:
    whole = corpus.cells(np.ones(corpus.n_j.size, dtype=bool))
    bands = Bands.of(whole.n_i, whole.b_i)
    shares = {name: SHARES[name] for name in ("halves", "10/90")} | OTHER_SHARES
    for scenario, share in shares.items():
        for split in range(effort.splits if scenario in SHARES else effort.other_splits):
            inside = random_part(corpus, share, np.random.default_rng([SEED, split]))
            found = compare(corpus.cells(inside), corpus.cells(~inside), fit)
            for method in (OURS, *RIVALS) if split < effort.rival_splits else (OURS,):
                rates[corpus.name, scenario, method].append(bands.rates(found, method))


def measure_long(corpus: Corpus, fit: BetaBinomialFit, n_i: np.ndarray, effort: Effort, rates: Rates) -> None:
    for scenario in LONGER:
        for split in range(effort.simulations):
            found = compare(*simulated(corpus, fit, n_i, scenario, np.random.default_rng([SEED, 1, split])))
            bands = Bands.of(found.a.n_i + found.b.n_i, found.a.b_i + found.b.b_i)
            for method in (OURS, *RIVALS):
                rates[corpus.name, scenario, method].append(bands.rates(found, method))


def measure_power(
    corpus: Corpus, fit: BetaBinomialFit, n_i: np.ndarray, effort: Effort, power: dict[float, Rates]
) -> None:
    rng = np.random.default_rng([SEED, 2])
    by_band = [np.flatnonzero((n_i >= low) & (n_i <= high)) for low, high in DRAWN]
    part = corpus.only(np.sort(np.concatenate([rng.permutation(terms)[:POWERED] for terms in by_band])))
    for scenario in effort.power_scenarios:
        for split in range(effort.power_splits):
            rng = np.random.default_rng([SEED, 3, split])
            if scenario in SHARES:
                inside = random_part(part, SHARES[scenario], rng)
                a, b = part.cells(inside), part.cells(~inside)
            else:
                a, b = simulated(corpus, fit, n_i, scenario, rng)
            for ratio in effort.ratios:
                found = compare(a, thinned(b, ratio, rng))
                bands = Bands.of(found.a.n_i + found.b.n_i, found.a.b_i + found.b.b_i)
                for method in (OURS, *RIVALS):
                    power[ratio][corpus.name, scenario, method].append(bands.rates(found, method))


class Verdicts:
    """Requirements, the number of cells of each, and the cells that miss it, by place."""

    def __init__(self) -> None:
        self.cells: defaultdict[str, int] = defaultdict(int)
        self.missed: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))

    def judge(
        self, requirement: str, where: str, cell: str, value: float, error: float, low: float, high: float
    ) -> str:
        """The mark of a cell: "", "?" or "!"."""
        if math.isnan(value):
            return ""
        self.cells[requirement] += 1
        off = max(low - value, value - high)
        if off <= 0:
            return ""
        mark = "!" if off > 2 * error else "?"
        self.missed[requirement][where].append(f"{cell} {100 * value:.2f}±{100 * error:.2f}{mark}")
        return mark

    def show(self) -> None:
        print("\nVerdicts")
        for requirement, cells in self.cells.items():
            groups = self.missed[requirement]
            missed = [text for texts in groups.values() for text in texts]
            sure = sum(text.endswith("!") for text in missed)
            verdict = "met" if not missed else f"MISSED in {len(missed)}, {sure} by more than two standard errors"
            print(f"  {requirement}: {cells} cells, {verdict}")
            for where, texts in groups.items():
                line = f"{where}: {'; '.join(texts)}"
                print(textwrap.fill(line, 150, initial_indent=" " * 6, subsequent_indent=" " * 10))
        total = sum(self.cells.values())
        out = sum(len(texts) for groups in self.missed.values() for texts in groups.values())
        print(f"  {total} cells in total, {out} out of bounds")


def bounds(scenario: str, band: int) -> tuple[str, float, float]:
    """The requirement for the size of a band at 5 %, and its limits."""
    if scenario in LONGER:
        return "A has the longer documents: at most 6.5 %", 0.0, 0.065
    if scenario == "10/90" or scenario in OTHER_SHARES:
        return "unequal parts: at most 6.5 %", 0.0, 0.065
    if band >= len(BY_N):
        return "halves, bands of b_i: at most 6 %", 0.0, 0.06
    return ("halves, n_i ≥ 20: 4 to 6 %", 0.04, 0.06) if band else ("halves, n_i 5–19: at most 6 %", 0.0, 0.06)


def show_sizes(rates: Rates, verdicts: Verdicts) -> None:
    for corpus, scenario in dict.fromkeys(key[:2] for key in rates):
        methods = [method for method in (OURS, *RIVALS) if (corpus, scenario, method) in rates]
        splits = [len(rates[corpus, scenario, method]) for method in (OURS, RIVALS[0])]
        print(f"\nSize, {corpus}, {scenario}: {splits[0]} splits, rivals {splits[1]}; % at 5 % (at 0.1 %)")
        for bands in (range(len(BY_N)), range(len(BY_N), len(NAMES))):
            print(f"{'':>23}" + "".join(f"{NAMES[k]:>19}" for k in bands))
            for method in methods:
                mean, error = summary(rates[corpus, scenario, method])
                line = f"{method:>23}"
                for k in bands:
                    marks = ["", ""]
                    if method == OURS:
                        where = (f"{corpus}, {scenario}", NAMES[k])
                        requirement, low, high = bounds(scenario, k)
                        marks[0] = verdicts.judge(requirement, *where, mean[k, 0], error[k, 0], low, high)
                        marks[1] = verdicts.judge(
                            "at 0.1 %: at most 0.2 %", *where, mean[k, 1], error[k, 1], 0.0, 0.002
                        )
                    text = f"{100 * mean[k, 0]:.2f}±{100 * error[k, 0]:.2f}{marks[0]}"
                    line += f"{f'{text} ({100 * mean[k, 1]:.2f}{marks[1]})':>19}"
                print(line)


def show_power(power: dict[float, Rates], rates: Rates, verdicts: Verdicts) -> None:
    print("\nPower at 5 %, ours, and the difference from the best rival calibrated in that band and scenario")
    print(f"{'':>37}" + "".join(f"{NAMES[k]:>34}" for k in range(len(BY_N))))
    for corpus, scenario in dict.fromkeys(key[:2] for rates_ in power.values() for key in rates_):
        sizes = {rival: summary(rates[corpus, SIZE_OF.get(scenario, scenario), rival])[0][:, 0] for rival in RIVALS}
        throughout = {rival for rival in RIVALS if np.nanmax(sizes[rival]) <= CALIBRATED}
        for ratio, found in power.items():
            line = f"{corpus:>14} {scenario:>12} {ratio:>8}×"
            for k, band in enumerate(NAMES):
                powers = {method: np.array(found[corpus, scenario, method])[:, k, 0] for method in (OURS, *RIVALS)}
                if np.isnan(powers[OURS]).all():
                    continue
                in_band = {rival for rival in RIVALS if sizes[rival][k] <= CALIBRATED}
                text = f"{100 * np.nanmean(powers[OURS]):.1f}"
                for rivals, which in ((in_band, "in that band"), (throughout, "in every band")):
                    requirement = f"power within two standard errors of the best rival calibrated {which}, or above"
                    shown = gap_text(powers, rivals, (f"{corpus}, {scenario}, {ratio}×", band), requirement, verdicts)
                    text += shown if which == "in that band" else ""
                line += f"{text:>34}" if k < len(BY_N) else ""
            print(line)
    for ratio, found in power.items():
        print(f"\nPower of all methods at a ratio of {ratio}, halves; * marks a size above 6 %")
        print(f"{'':>38}" + "".join(f"{name:>12}" for name in NAMES))
        for corpus in dict.fromkeys(key[0] for key in found):
            for method in (OURS, *RIVALS):
                size = summary(rates[corpus, "halves", method])[0][:, 0]
                mean = summary(found[corpus, "halves", method])[0][:, 0]
                shown = [f"{100 * mean[k]:.1f}{'*' if size[k] > CALIBRATED else ' '}" for k in range(len(NAMES))]
                print(f"{corpus:>14} {method:>23}" + "".join(f"{text:>12}" for text in shown))


def gap_text(
    powers: dict[str, np.ndarray], rivals: set[str], where: tuple[str, str], requirement: str, verdicts: Verdicts
) -> str:
    """Our power minus that of the best of *rivals*, split by split, with a verdict."""
    if not rivals:
        return " (none)"
    best = max(sorted(rivals), key=lambda rival: np.nanmean(powers[rival]))
    gap, error = summary(powers[OURS] - powers[best])
    verdicts.cells[requirement] += 1
    mark = "!" if gap < -2 * error - 1e-12 else ""
    text = f" ({100 * gap:+.1f}±{100 * error:.1f}{mark} {best[:16]})"
    if mark:
        ours = f"{where[1]} {100 * np.nanmean(powers[OURS]):.1f}"
        verdicts.missed[requirement][where[0]].append(f"{ours}, {100 * gap:+.1f}±{100 * error:.1f} from {best}!")
    return text


def show_coverage(corpus: Corpus, effort: Effort, verdicts: Verdicts) -> None:
    tokens, size = corpus.n_j.sum(), effort.terms
    print(f"\nCoverage of 95 % limits, {corpus.name}'s lengths, {size:,} terms per cell (% below, above the limits)")
    columns = [(name, *law) for name in SHARES for law in ((1.0, "same"), (2.0, "documents"), (2.0, "tokens"))]
    print(f"{'π (n π)':>18} {'α_0':>6}" + "".join(f"{f'{name}, {r:g} {law}':>23}" for name, r, law in columns))
    for mean in effort.means:
        for alpha_0 in PRECISIONS:
            line = f"{mean:>9.0e} {f'({mean * tokens:,.0f})':>8} {alpha_0:>6g}"
            for scenario, ratio, law in columns:
                rng = np.random.default_rng([SEED, 4])
                inside = random_part(corpus, SHARES[scenario], rng)
                pair = []
                for share, n_j in ((mean, corpus.n_j[inside]), (mean / ratio, corpus.n_j[~inside])):
                    precision = alpha_0 * mean / share if law == "tokens" else alpha_0
                    parameters = (precision * share, precision * (1 - share), share)
                    pair.append(draw(*(np.full(size, value) for value in parameters), n_j, rng))
                found = keyness(*pair, confidence=0.95)
                occurring = ~np.isnan(found.log_ratio)
                below, above = (
                    np.mean(outside[occurring])
                    for outside in (found.ci_high < math.log2(ratio), found.ci_low > math.log2(ratio))
                )
                covered = 1 - below - above
                error = math.sqrt(covered * (1 - covered) / occurring.sum())
                where = (f"π {mean:.0e}, α_0 {alpha_0:g}", f"{scenario}, ratio {ratio:g} {law}")
                mark = verdicts.judge("coverage of 95 % limits: 93 to 97 %", *where, covered, error, 0.93, 0.97)
                text = f"{100 * covered:.1f}±{100 * error:.1f}{mark} ({100 * below:.1f}, {100 * above:.1f})"
                line += f"{text:>23}"
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=200, help="random splits for our test (the rivals have 20)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--quick", action="store_true", help="a few of everything")
    parser.add_argument("--parts", nargs="+", default=["size", "long", "power", "coverage"])
    parser.add_argument("--only", help="one corpus, by the start of its name")
    options = parser.parse_args()
    globals()["SEED"] = options.seed
    few = options.splits
    effort = QUICK if options.quick else Effort(few, min(few, 20), min(few, 60), min(few, 24), min(few, 8))
    wanted = set(options.parts)
    if "power" in wanted:
        wanted |= {"size", "long"}  # to know which rivals are calibrated
    rates: Rates = defaultdict(list)
    power: dict[float, Rates] = {ratio: defaultdict(list) for ratio in effort.ratios}
    verdicts = Verdicts()
    by_name = {corpus.name: corpus for corpus in corpora() if corpus.name.startswith(options.only or "")}
    for name, corpus in by_name.items():
        started = time.perf_counter()
        cells = corpus.cells(np.ones(corpus.n_j.size, dtype=bool))
        fit = fit_beta_binomial(cells)
        if "size" in wanted:
            measure_size(corpus, fit, effort, rates)
        if "long" in wanted:
            measure_long(corpus, fit, cells.n_i, effort, rates)
        if "power" in wanted:
            measure_power(corpus, fit, cells.n_i, effort, power)
        print(
            f"{name}: {corpus.n_j.size:,} documents, {corpus.terms:,} terms with b_i ≥ 2 or n_i ≥ 5; "
            f"{time.perf_counter() - started:.0f} s",
            flush=True,
        )
    show_sizes(rates, verdicts)
    if "power" in wanted:
        show_power(power, rates, verdicts)
    if "coverage" in wanted and "R8" in by_name:
        show_coverage(by_name["R8"], effort, verdicts)
    verdicts.show()


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
