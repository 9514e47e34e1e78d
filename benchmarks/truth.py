"""Keyness tests where the truth is known: size, power and coverage if words burst more in one corpus than in the other.

grid. Simulated corpora A and B in which each word has the same mean share in both, but another precision α_0: the
smaller α_0, the more a word bursts. α_0 of the burstier corpus is log-normal over words: median 150, standard deviation
of the log 0.5. The ratio α_0B/α_0A is the same for all words, or drawn (median times exp(N(0, 0.5²))), or a mixture
(half the words have ratio 1). With ratios below 1 words burst more in B. Where sizes differ, A is the smaller corpus.
Counts are beta-binomial; all documents of a corpus have the same length. A test may learn from all words of a call, so
each call has words of one cell, some 2,000 (at least 600). Shown are the per cent of words with p ≤ .05, of these A
significantly higher and A lower, p ≤ .001, the coverage of the 95 % interval (the true log ratio is 0), the rows where
interval and p disagree about 0, and those with an end of the interval at exactly 0. The oracle knows the precisions of
each word: the difference of the shares n_A/tokens_A and n_B/tokens_B, by its exact distribution at the estimated common
mean (mid-p, tails doubled). Its columns are p ≤ .05, A higher, A lower, on the first 2,000 words.

table. Four cells in which the tied test failed (precisions without variation between words, 600 words a call).

windows. Real texts: random halves of the documents; of those in A only a random circular window is kept, a fifth or a
twentieth of the tokens (rounded, at least one, so more of the shortest documents). But for the rounding the expected
share of tokens stays the same for each word, and not the expected mean share if long documents use the word more or
less than short ones do: such words are shown apart. Bands are of n_i, the tokens that remain in both. In windows-held
the texts are others, on which nothing was tuned. In windows-equal all documents of both are first cut to 100 tokens:
what is in excess without that is due to length.

price. Power, and the difference from the test that ties the precisions of both corpora, 2(ℓ_1 − ℓ_0) by χ²_1. A fifth
of the words differ, as in a corpus; the others do not. In real parts of a corpus each token in B is kept with
probability 1/ratio, or all are removed. Simulated words have the fits of R8, its lengths, and B's mean divided by the
ratio. In "10/90" A is the tenth, in "90/10" B is. Bands are of the smaller of b_A and b_B, after thinning; "absent" is
in at least 5 documents of one corpus and in none of the other; for removed words b is that of A.
Where fewer than 6 documents with the word are expected in a corpus, 2(ℓ_1 − ℓ_0) is not χ²_1; there the other test is
that of b_A given b_A + b_B.

coverage. 95 % intervals at planted ratios (A's mean over B's) on some cells of the grid; and of words with 100 to 999
tokens, drawn from their fits on real lengths (α_0 is the same, "documents", or α is, "tokens"), or in real parts of a
corpus, "thinned". ± ignores that real parts have the same documents.

± is the standard error. "!" is out of bounds by more than two standard errors, "?" by less, "low" is a size below 4 %
(2 % in a direction) that the oracle reaches.

    TERMBURST_DATA=… python benchmarks/truth.py [--parts grid windows …] [--words 20000] [--splits 20] [--seed N]
        [--quick] [--only "mixture 30:300"] [--corpora R8 …] [--reverse] [--method beta-binomial]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from _keyness_corpora import corpora
from _truth_grid import SHARES, Cell, draw_counts, equal_length_cells, exact_tails, grid
from _truth_outcome import ROUNDED, WIDTHS, Outcome, marks, row_text, standard_error
from _truth_power import LAWS, show_coverage, show_price
from _truth_texts import HELD, TUNED, show_windows
from _verdicts import Verdicts

CALL, LEAST = 2_000, 600  # words of a call; fewer are too few to learn from
KNOWN = 2_000  # words of a cell that the oracle tests
SEED = 20261118
PARTS = ("grid", "table", "windows", "windows-held", "windows-equal", "price", "coverage")
EQUAL = 100  # tokens of all documents in windows-equal
COVERAGE_RATIOS = (1.0, 2.7, 1 / 2.7)
TABLE = (
    ((1_000, 1_000), (150, 400)),
    ((400, 2_000), (150, 400)),
    ((400, 2_000), (250, 400)),
    ((400, 2_000), (400, 400)),
)


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
            totals = pair[0].n_i[:KNOWN], pair[1].n_i[:KNOWN]
            known = precisions[0][:KNOWN], precisions[1][:KNOWN]
            upper, lower = exact_tails(totals, known, cell.lengths, cell.documents)
    occurs = ~np.isnan(upper)
    higher, low = (float(np.mean(tail[occurs] <= 0.025 * ROUNDED)) for tail in (upper, lower))
    oracle = {"p ≤ .05": higher + low, "A higher": higher, "A lower": low}
    outcome = Outcome.joined(calls)
    return outcome.only(np.ones(words, dtype=bool)), oracle, int(occurs.sum())


def show_grid(words: int, method: str, chosen: list[Cell], seed: int, verdicts: Verdicts) -> None:
    print(f"\nGrid, {method}: {words:,} words per cell, equal means; per cent ± standard error")
    print(f"{'law':<8}{'α₀ B/A':>6}{'lengths':>11}{'docs':>9}{'share':>8} |", end="")
    print("".join(f"{name:>{width}}" for name, width in WIDTHS.items()) + " | oracle: p ≤ .05, A higher, A lower")
    for cell in chosen:
        rng = np.random.default_rng([seed, *cell.label.encode()])  # the same words, whatever else is chosen
        outcome, oracle, known = run_cell(cell, words, method, rng)
        rates, size = outcome.rates, outcome.p_value.size
        mark = marks(" ".join(cell.label.split()), rates, size, oracle, known, verdicts)
        print(f"{cell.label} |{row_text(rates, size, mark)} | {oracle_text(oracle, known)}", flush=True)


def oracle_text(oracle: dict[str, float], known: int) -> str:
    whole = oracle["p ≤ .05"]
    others = f"({100 * oracle['A higher']:.1f}, {100 * oracle['A lower']:.1f})"
    return f"{100 * whole:.1f}±{100 * standard_error(whole, known):.1f} {others}"


def show_table(words: int, method: str, seed: int, verdicts: Verdicts) -> None:
    """Share .002, 250 documents a side; 600 words per call."""
    print(f"\nTable, {method}: share .002, 250 documents a side, {LEAST} words a call, {words:,} words")
    print(f"{'lengths':>11}{'α₀ A, B':>10} |" + "".join(f"{name:>{width}}" for name, width in WIDTHS.items()))
    for lengths, alpha_0 in TABLE:
        rng = np.random.default_rng([seed, *lengths, *alpha_0])
        calls = []
        for _ in range(max(1, words // LEAST)):
            pair = [
                equal_length_cells(draw_counts(0.002, np.full(LEAST, float(a)), length, 250, rng), length)
                for length, a in zip(lengths, alpha_0, strict=True)
            ]
            calls.append(Outcome.of(*pair, method))
        outcome = Outcome.joined(calls).only(np.ones(LEAST * len(calls), dtype=bool))
        label = f"{f'{lengths[0]}:{lengths[1]}':>11}{f'{alpha_0[0]}, {alpha_0[1]}':>10}"
        rates, size = outcome.rates, outcome.p_value.size
        mark = marks(f"table {' '.join(label.split())}", rates, size, {}, 1, verdicts)
        print(f"{label} |{row_text(rates, size, mark)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parser.add_argument("--words", type=int, default=20_000, help="words per cell of the grid")
    parser.add_argument("--splits", type=int, default=20, help="random splits of real texts")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--quick", action="store_true", help="a few of everything")
    parser.add_argument("--only", default="", help="cells whose row contains all these words, such as '30:300 .002'")
    parser.add_argument("--corpora", nargs="+", default=[], help="real texts, by the start of their names")
    parser.add_argument("--reverse", action="store_true", help="also few long documents against many short ones")
    parser.add_argument("--method", default="beta-binomial", help="a method of keyness")
    options = parser.parse_args()
    method, splits = options.method, 2 if options.quick else options.splits
    words = LEAST if options.quick else max(options.words, LEAST)
    starts = tuple(options.corpora) or (("inaugural", "R8", "webkb") if options.quick else ("",))
    wanted = {f"0{word}" if word.startswith(".") else word for word in options.only.split()}
    cells = [cell for cell in grid(options.reverse) if wanted <= set(cell.label.split())]
    counted = tuple(name for name in ("20 Newsgroups", "R8") if name.startswith(starts))
    verdicts = Verdicts()
    if "grid" in options.parts:
        show_grid(words, method, cells[:: len(cells) // 8 + 1] if options.quick else cells, options.seed, verdicts)
    if "table" in options.parts:
        show_table(words, method, options.seed, verdicts)
    for part, loaders, length in (
        ("windows", TUNED, None),
        ("windows-held", HELD, None),
        ("windows-equal", TUNED | HELD, EQUAL),
    ):
        if part in options.parts:
            chosen = {name: load for name, load in loaders.items() if name.startswith(starts)}
            show_windows(chosen, splits, method, options.seed, verdicts, length)
    if "price" in options.parts:
        laws = LAWS[::3] if options.quick else LAWS
        show_price(corpora(counted), laws, max(2, splits // 2), method, options.seed, verdicts)
    if "coverage" in options.parts:
        some = [cell for cell in cells if cell.law in ("same", "drawn") and cell.ratio in COVERAGE_RATIOS]
        some = [cell for cell in some if cell.share > SHARES[0]]
        some = some[:: len(some) // 4 + 1] if options.quick else some
        show_coverage(some, corpora(counted), max(words // 2, 4 * LEAST), method, options.seed, verdicts)
    verdicts.show()


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
