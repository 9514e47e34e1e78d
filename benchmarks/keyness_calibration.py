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
import time
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from _keyness_corpora import BY_N, LAST, Corpus, band_name, corpora, draw, random_part, thinned
from _verdicts import Verdicts, summary

from termburst.inference.keyness import METHODS, Comparison, compare, keyness
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial

OURS = "beta-binomial"
RIVALS = ("g2", "chi2", "welch", "mann-whitney", "permutation", "stratified-permutation")
LEVELS = (0.05, 0.001)
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


NAMES = [f"n {band_name(*band)}" for band in BY_N] + [f"b {band_name(*band)}" for band in BY_B]
Rates = defaultdict[tuple[str, str, str], list[np.ndarray]]  # corpus, scenario, method → bands × levels for each split


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
    by_name = {corpus.name: corpus for corpus in corpora((options.only or "",))}
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
