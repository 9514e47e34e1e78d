"""Keyness tests where the truth is known: size, power and coverage if words burst more in one corpus than in the other.

grid. Simulated corpora A and B in which each word has the same mean share in both, but another precision α_0: the
smaller α_0, the more a word bursts. α_0 of the burstier corpus is log-normal over words, median 150, standard deviation
of the log 0.5. The ratio α_0B/α_0A is the same for all words, or drawn (median times exp(N(0, 0.5²))), or a mixture
(half the words have ratio 1). With ratios below 1 words burst more in B. Where sizes differ, A is the smaller corpus. Counts
are beta-binomial; all documents of a corpus have the same length. A test may learn from all words of a call, so each
call has words of one cell, some 2,000 (at least 600). Shown are the per cent of words with p ≤ .05, of these A
significantly higher and A lower, p ≤ .001, the coverage of the 95 % interval (the true log ratio is 0), the rows where
interval and p disagree about 0, and those with an end of the interval at exactly 0. The oracle knows the precisions of
each word: the difference of the shares n_A/tokens_A and n_B/tokens_B, by its exact distribution at the estimated common
mean (mid-p, tails doubled). Its columns are p ≤ .05, A higher, A lower, on the words of the first call.

table. Four cells of the report that led to this test (precisions without variation between words, 600 words a call).

± is the standard error. "!" is out of bounds by more than two standard errors, "?" by less, "low" is a size below 4 %
(2 % in a direction) that the oracle reaches.

    TERMBURST_DATA=… python benchmarks/truth.py [--parts grid table …] [--words 20000] [--seed N] [--quick]
        [--only "mixture 30:300"] [--reverse] [--method beta-binomial]
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np
from _truth_grid import Cell, draw_counts, equal_length_cells, exact_tails, grid
from _verdicts import Verdicts
from numpy.typing import NDArray

from termburst.inference.keyness import keyness
from termburst.models.cells import TermCells

Floats = NDArray[np.float64]

CALL, LEAST = 2_000, 600  # words of a call; fewer are too few to learn from
ROUNDED = 1 + 1e-9
SEED = 20261118
TABLE = (
    ((1_000, 1_000), (150, 400)),
    ((400, 2_000), (150, 400)),
    ((400, 2_000), (250, 400)),
    ((400, 2_000), (400, 400)),
)


@dataclass(frozen=True)
class Outcome:
    """The results of a test for words that occur, as shares of p-values and intervals; `truth` is the log₂ ratio."""

    log_ratio: Floats
    p_value: Floats
    low: Floats
    high: Floats
    truth: float = 0.0

    @classmethod
    def of(cls, a: TermCells, b: TermCells, method: str, truth: float = 0.0) -> Outcome:
        found = keyness(a, b, method=method, confidence=0.95)
        occurs = ~np.isnan(found.p_value)
        return cls(*(x[occurs] for x in (found.log_ratio, found.p_value, found.ci_low, found.ci_high)), truth)

    @classmethod
    def joined(cls, calls: list[Outcome]) -> Outcome:
        names = ("log_ratio", "p_value", "low", "high")
        return cls(*(np.concatenate([getattr(call, name) for call in calls]) for name in names), calls[0].truth)

    @property
    def significant(self) -> NDArray[np.bool_]:
        return self.p_value <= 0.05 * ROUNDED

    @property
    def rates(self) -> dict[str, float]:
        """Share of words with each property."""
        outside = (self.low > 0) | (self.high < 0)
        inside = (self.low < 0) & (self.high > 0)
        properties = {
            "p ≤ .05": self.significant,
            "A higher": self.significant & (self.log_ratio > 0),
            "A lower": self.significant & (self.log_ratio < 0),
            "p ≤ .001": self.p_value <= 0.001 * ROUNDED,
            "coverage": (self.low <= self.truth) & (self.truth <= self.high),
            "disagree": np.where(self.significant, inside, outside),
            "end at 0": (self.low == 0) | (self.high == 0),
        }
        return {name: float(np.mean(which)) if which.size else math.nan for name, which in properties.items()}


LIMITS = {"p ≤ .05": (0.06, 0.04), "A higher": (0.035, 0.02), "A lower": (0.035, 0.02), "p ≤ .001": (0.002, 0.0)}
WIDTHS = dict.fromkeys(LIMITS, 13) | {"coverage": 14, "disagree": 9, "end at 0": 9}


def standard_error(rate: float, size: int) -> float:
    return math.sqrt(rate * (1 - rate) / max(size, 1))


def run_cell(cell: Cell, words: int, method: str, rng: np.random.Generator) -> tuple[Outcome, dict[str, float], int]:
    """The outcome of the test, the rates of the oracle, and the number of words that those are of."""
    calls: list[Outcome] = []
    for size in (len(part) for part in np.array_split(np.arange(words), max(1, words // CALL))):
        precisions = cell.precisions(size, rng)
        counts = [
            draw_counts(cell.share, *pair, rng) for pair in zip(precisions, cell.lengths, cell.documents, strict=True)
        ]
        pair = [equal_length_cells(x, length) for x, length in zip(counts, cell.lengths, strict=True)]
        calls.append(Outcome.of(*pair, method))
        if len(calls) == 1:
            upper, lower = exact_tails((pair[0].n_i, pair[1].n_i), precisions, cell.lengths, cell.documents)
    occurs = ~np.isnan(upper)
    higher, low = (float(np.mean(tail[occurs] <= 0.025 * ROUNDED)) for tail in (upper, lower))
    oracle = {"p ≤ .05": higher + low, "A higher": higher, "A lower": low}
    return Outcome.joined(calls), oracle, int(occurs.sum())


def marks(
    label: str, rates: dict[str, float], size: int, oracle: dict[str, float], known: int, verdicts: Verdicts
) -> dict[str, str]:
    """The mark behind each rate of a cell."""
    found = {}
    for name, (high, low) in LIMITS.items():
        error = standard_error(rates[name], size)
        found[name] = verdicts.judge(f"{name}: at most {100 * high:g} %", label, name, rates[name], error, 0.0, high)
        if oracle.get(name, 0.0) >= low > 0:
            error = math.hypot(error, standard_error(oracle[name], known))
            requirement = f"{name}: at least {100 * low:g} % where the oracle reaches it"
            mark = verdicts.judge(requirement, label, name, rates[name], error, low, 1.0)
            found[name] += f"low{mark}" if mark else ""
    error = standard_error(rates["coverage"], size)
    discrete = oracle.get("p ≤ .05", 0.05) < 0.03  # then no interval covers 95 % exactly
    requirement = (
        f"coverage of 95 % intervals: {'at least 93 %, the oracle has p ≤ .05 in < 3 %' if discrete else '93 to 97 %'}"
    )
    high = 1.0 if discrete else 0.97
    found["coverage"] = verdicts.judge(requirement, label, "coverage", rates["coverage"], error, 0.93, high)
    verdicts.judge("interval and p agree", label, "disagree", rates["disagree"], 0.0, 0.0, 0.0)
    return found


def show_grid(words: int, method: str, chosen: list[Cell], verdicts: Verdicts) -> None:
    print(f"\nGrid, {method}: {words:,} words per cell, equal means; per cent ± standard error")
    print(f"{'law':<8}{'α₀ B/A':>6}{'lengths':>11}{'docs':>9}{'share':>8} |", end="")
    print("".join(f"{name:>{width}}" for name, width in WIDTHS.items()) + " | oracle: p ≤ .05, A higher, A lower")
    for cell in chosen:
        rng = np.random.default_rng([SEED, *cell.label.encode()])  # the same words, whatever else is chosen
        outcome, oracle, known = run_cell(cell, words, method, rng)
        rates, size = outcome.rates, outcome.p_value.size
        mark = marks(" ".join(cell.label.split()), rates, size, oracle, known, verdicts)
        print(f"{cell.label} |{row_text(rates, size, mark)} | {oracle_text(oracle, known)}", flush=True)


def row_text(rates: dict[str, float], size: int, mark: dict[str, str]) -> str:
    texts = []
    for name, width in WIDTHS.items():
        text = f"{100 * rates[name]:.2f}" if name in LIMITS else f"{100 * rates[name]:.1f}"
        if name in mark:
            text += f"±{100 * standard_error(rates[name], size):.2f}{mark[name]}"
        texts.append(f"{text:>{width}}")
    return "".join(texts)


def oracle_text(oracle: dict[str, float], known: int) -> str:
    whole = oracle["p ≤ .05"]
    others = f"({100 * oracle['A higher']:.1f}, {100 * oracle['A lower']:.1f})"
    return f"{100 * whole:.1f}±{100 * standard_error(whole, known):.1f} {others}"


def show_table(words: int, method: str, verdicts: Verdicts) -> None:
    """Share .002, 250 documents a side, as in the issue; 600 words per call."""
    print(f"\nTable, {method}: share .002, 250 documents a side, {LEAST} words a call, {words:,} words")
    print(f"{'lengths':>11}{'α₀ A, B':>10} |" + "".join(f"{name:>{width}}" for name, width in WIDTHS.items()))
    for lengths, alpha_0 in TABLE:
        rng = np.random.default_rng([SEED, *lengths, *alpha_0])
        calls = []
        for _ in range(max(1, words // LEAST)):
            pair = [
                equal_length_cells(draw_counts(0.002, np.full(LEAST, float(a)), length, 250, rng), length)
                for length, a in zip(lengths, alpha_0, strict=True)
            ]
            calls.append(Outcome.of(*pair, method))
        outcome = Outcome.joined(calls)
        label = f"{f'{lengths[0]}:{lengths[1]}':>11}{f'{alpha_0[0]}, {alpha_0[1]}':>10}"
        rates, size = outcome.rates, outcome.p_value.size
        mark = marks(f"table {' '.join(label.split())}", rates, size, {}, 1, verdicts)
        print(f"{label} |{row_text(rates, size, mark)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", default=["grid", "table"])
    parser.add_argument("--words", type=int, default=20_000, help="words per cell of the grid")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--quick", action="store_true", help="a few of everything")
    parser.add_argument("--only", default="", help="cells whose row contains all these words, such as '30:300 .002'")
    parser.add_argument("--reverse", action="store_true", help="also few long documents against many short ones")
    parser.add_argument("--method", default="beta-binomial", help="a method of keyness")
    options = parser.parse_args()
    globals()["SEED"] = options.seed
    words = LEAST if options.quick else max(options.words, LEAST)
    wanted = [f"0{word}" if word.startswith(".") else word for word in options.only.split()]
    chosen = [cell for cell in grid(options.reverse) if set(wanted) <= set(cell.label.split())]
    verdicts = Verdicts()
    if "grid" in options.parts:
        show_grid(words, options.method, chosen[:: len(chosen) // 8 + 1] if options.quick else chosen, verdicts)
    if "table" in options.parts:
        show_table(words, options.method, verdicts)
    verdicts.show()


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
