"""A yardstick for tests of keyness and burstiness: are they right where the truth is known?

Ours and those of other tools are measured on the same data, and any test can be entered beside them:

    python benchmarks/truth.py --parts halves windows --test my_tests.py:my_keyness
    python benchmarks/truth.py --parts halves --command 'Rscript my.R {a} {b} {out}' --tests beta-binomial g2

A function gets two CSR matrices of counts, documents of A × words and documents of B × words. It returns an array with
p of each column, or a tuple (p, low, high) with a 95 % interval of log2 of the ratio of shares, A over B. The last
column is all other words together, so that the rows add up to the lengths of the documents; what a test says of it is
not used. NaN means: no answer. A function that has an argument `clusters` gets the pair of arrays that say which
documents belong together, or (None, None).

A command gets the same in files: {a} and {b} are matrices in Matrix Market format (in R: Matrix::readMM), {clusters_a}
and {clusters_b} have one number per line. It writes {out}: one line per column, p, or p, low and high with spaces
between; NA means no answer. Both may have a name: `--test mine=my_tests.py:my_keyness`.

A test of burstiness (part shuffled) gets one matrix: `--burstiness my_tests.py:f` or
`--burstiness 'Rscript my.R {x} {out}'`.

In tables of sizes no word differs: each word with p ≤ 5 % is a false alarm. Bands are of n, the tokens of a word on
both sides. ± is the standard error over draws; in brackets are the per cent with p ≤ 0.1 %. "!" is above 6 % (0.2 %) by
a t-test over draws. A test "holds" if it has no "!".

    TERMBURST_DATA=… python benchmarks/truth.py [--parts …] [--tests …] [--draws 20] [--corpora R8 …] [--keep]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import _words
import numpy as np
from _corpora import CLUSTERED, COLLECTIONS, Collection, drawn, exact_tails, grid, thinned
from _program import Program, Table, percent
from _tests import (
    BURSTINESS,
    OURS,
    TESTS,
    USUAL,
    Answer,
    Floats,
    Side,
    Test,
    burstiness_by,
    by_command,
    by_function,
    entered,
)  # fmt: skip
from scipy import stats
from scipy.sparse import csr_array

from termburst.inference.multiplicity import adjust
from termburst.models.fit_beta_binomial import fit_beta_binomial

BANDS = {"n 5–19": (5, 19), "20–99": (20, 99), "100–999": (100, 999), "≥1,000": (1_000, 10**9)}
LEVELS = {0.05: 0.06, 0.001: 0.002}  # and the share of false alarms that is still right
ROUNDED = 1 + 1e-9
SCENARIOS = {"halves": 0.5, "10/90": 0.1, "90/10": 0.9}  # share of the documents in A
PLANTED = (1.5, 2.0, 4.0, np.inf)  # inf: B loses the word
BY_LEAST_B = {"b 5–9": (5, 9), "10–19": (10, 19), "20–49": (20, 49), "≥50": (50, 10**9)}
INTERVALS = (OURS, "formula", "list", "robust")
COVERED = (0.25, 0.5, 2 / 3, 1.0, 1.5, 2.0, 4.0)

program = Program(__doc__, __file__)
program.option("--tests", nargs="*", choices=sorted(TESTS), help=f"built-in tests; default: {', '.join(USUAL)}")
program.option("--test", action="append", default=[], metavar="PLACE", help="enter a function, module:function")
program.option("--command", action="append", default=[], metavar="'COMMAND {a} {b} {out}'", help="enter a command")
program.option("--burstiness", action="append", default=[], metavar="PLACE", help="enter a test of burstiness")
program.option("--draws", type=int, default=20, help="random splits, or simulated corpora")
program.option("--corpora", nargs="+", default=[], metavar="NAME", help="real texts, by the start of their names")


def asked_tests(asked: argparse.Namespace, usual: tuple[str, ...] = USUAL) -> dict[str, Test]:
    """The tests that are asked for, and those that are entered."""
    found = {name: TESTS[name] for name in (usual if asked.tests is None else asked.tests)}
    found |= {name: by_function(place) for name, place in map(entered, asked.test)}
    return found | {name: by_command(command) for name, command in map(entered, asked.command)}


def draws(asked: argparse.Namespace) -> Iterator[np.random.Generator]:
    for draw in range(2 if asked.quick else asked.draws):
        yield np.random.default_rng([asked.seed, draw])


def collections(
    asked: argparse.Namespace, every: dict[str, Callable[[], Collection]] = COLLECTIONS, usual: int = 4
) -> Iterator[Collection]:
    starts = tuple(asked.corpora) or tuple(list(every)[: 1 if asked.quick else usual])
    for name, load in every.items():
        if name.startswith(starts):
            yield load()


class Sizes:
    """How often each test calls words different that do not differ, by band of n."""

    def __init__(self) -> None:
        self.rates: dict[str, list[Floats]] = defaultdict(list)

    def add(self, name: str, p: Floats, a: Side, b: Side, members: Floats | None = None) -> None:
        """The rates of one draw: bands × (p ≤ 5 %, p ≤ 0.1 %), and last the per cent in which A is higher and lower."""
        n, known = a.n_i + b.n_i, ~np.isnan(p)
        if members is not None:
            known &= members
        small = [p <= level * ROUNDED for level in LEVELS]
        higher = a.n_i / a.n_j.sum() > b.n_i / b.n_j.sum()
        bands = [known & (n >= low) & (n <= high) for low, high in BANDS.values()]
        some = known & (n >= 5)
        rates = [[hits[band].mean() if band.any() else np.nan for hits in small] for band in bands]
        ways = [(small[0] & way)[some].mean() if some.any() else np.nan for way in (higher, ~higher)]
        self.rates[name].append(np.array([*rates, ways]))

    def show(self, title: str) -> dict[str, bool]:
        """Print the table; whether each test holds."""
        table = Table(f"{title}: per cent with p ≤ 5 % (≤ 0.1 %)", "", *BANDS, "A higher", "A lower", "holds", width=21)
        holds = {}
        for name, draws_ in self.rates.items():
            values = np.array(draws_)
            cells, wrong = [], 0
            for k in range(len(BANDS)):
                text = f"{percent(values[:, k, 0])}{mark(values[:, k, 0], 0.06)}"
                rare = f"{100 * np.nanmean(values[:, k, 1]):.2f}{mark(values[:, k, 1], 0.002)}" if text else ""
                wrong += "!" in text + rare
                cells.append(f"{text} ({rare})" if text else "")
            ways = [f"{100 * np.nanmean(values[:, -1, k]):.1f}" for k in (0, 1)]
            holds[name] = not wrong
            table.row(name, *cells, *ways, "yes" if holds[name] else f"not in {wrong}")
        return holds


def mark(rates: Floats, limit: float) -> str:
    """The mark "!" if the mean of the draws is above the limit, by a one-sided t-test at 2.5 %."""
    known = rates[~np.isnan(rates)]
    if known.size < 2:
        return ""
    error = known.std(ddof=1) / known.size**0.5
    return "!" if known.mean() > limit + stats.t.isf(0.025, known.size - 1) * error else ""


def sizes(title: str, pairs: Iterable[tuple[Side, Side]], tests: dict[str, Test]) -> dict[str, bool]:
    """Measure and print the sizes of the tests on pairs of sides that do not differ."""
    found = Sizes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few clusters, few documents in a stratum
        for a, b in pairs:
            for name, test in tests.items():
                found.add(name, test(a, b).p, a, b)
    return found.show(title)


@program.part("6 min")
def halves(asked: argparse.Namespace) -> None:
    """Size on random halves of the documents of one corpus."""
    for corpus in collections(asked):
        sizes(f"Halves of {corpus.name}", (corpus.halved(rng) for rng in draws(asked)), asked_tests(asked))


@program.part("6 min")
def tenths(asked: argparse.Namespace) -> None:
    """Size on a random tenth of the documents against the rest."""
    for corpus in collections(asked):
        sizes(f"10/90 of {corpus.name}", (corpus.halved(rng, 0.1) for rng in draws(asked)), asked_tests(asked))


@program.part("20 min")
def windows(asked: argparse.Namespace) -> None:
    """Size if lengths differ for real: random halves, and of the documents in A only a random window is kept.

    It has a fifth or a twentieth of the tokens (at least one). The expected share of each word stays the same, but not
    if long documents use the word more or less than short ones: such words are shown apart.
    """
    for corpus in collections(asked, usual=6):
        related = corpus.related_to_length()
        for part in (5, 20):
            groups = {"": Sizes(), ", words unrelated to length": Sizes(), ", words related to length": Sizes()}
            for rng in draws(asked):
                order = rng.permutation(corpus.n_j.size)
                short, whole = np.sort(order[: order.size // 2]), np.sort(order[order.size // 2 :])
                a = corpus.windows(short, np.maximum(np.rint(corpus.n_j[short] / part).astype(int), 1), rng)
                b = corpus.windows(whole, corpus.n_j[whole], rng)
                some = a.n_i + b.n_i >= 5
                a, b = (Side(csr_array(side.X[:, some]), side.n_j) for side in (a, b))
                for name, test in asked_tests(asked).items():
                    p = test(a, b).p
                    for found, members in zip(groups.values(), (None, ~related[some], related[some]), strict=True):
                        found.add(name, p, a, b, members)
            for group, found in groups.items():
                found.show(f"{corpus.name}, windows of 1/{part}{group}")


@program.part("8 min")
def within(asked: argparse.Namespace) -> None:
    """Size if documents depend on each other: both sides have half of the documents of each cluster."""
    for corpus in collections(asked, CLUSTERED):
        assert corpus.cluster is not None
        pairs = []
        for rng in draws(asked):
            order = np.lexsort((rng.random(corpus.n_j.size), corpus.cluster))
            first = np.zeros(order.size, dtype=bool)
            first[order[rng.integers(2) :: 2]] = True
            pairs.append((corpus.side(first), corpus.side(~first)))
        sizes(f"{corpus.name}, within clusters", pairs, asked_tests(asked, (*USUAL, "formula")))


@program.part("12 min")
def between(asked: argparse.Namespace) -> None:
    """Size if documents depend on each other: each cluster is wholly on one side; also with few clusters."""
    for corpus in collections(asked, CLUSTERED):
        assert corpus.cluster is not None
        every = int(corpus.cluster.max()) + 1
        for number in (every, 20, 10, 6):
            pairs = []
            for rng in draws(asked) if number <= every else ():
                side = np.full(every, -1)
                side[rng.permutation(every)[:number]] = np.arange(number) % 2
                pairs.append((corpus.side(side[corpus.cluster] == 0), corpus.side(side[corpus.cluster] == 1)))
            if pairs:
                sizes(f"{corpus.name}, between {number} clusters", pairs, asked_tests(asked, (*USUAL, "formula")))


@program.part("15 min")
def power(asked: argparse.Namespace) -> None:
    """Power at planted ratios, and the share of false discoveries.

    A fifth of the words differ: each of their tokens in B is kept with probability 1/ratio ("inf": none is). Bands are
    of the smaller number of documents with the word, after that (of removed words: of A's). "others" are the words that
    do not differ; a power is worth nothing if their share is above 6 %, which "!" marks. "false, q" is the share of
    words that do not differ among those with q ≤ 5 % (Benjamini–Hochberg), and "found, q" how many differ.
    """
    for corpus in collections(asked, usual=2):
        for scenario, share in SCENARIOS.items():
            found: dict[tuple[str, float], list[list[float]]] = defaultdict(list)
            for rng in draws(asked):
                a, b = corpus.halved(rng, share)
                ratio = np.where(rng.random(a.n_i.size) < 0.2, rng.choice(PLANTED, a.n_i.size), 1.0)
                b = thinned(b, ratio, rng)
                for name, test in asked_tests(asked, (*USUAL, "tied")).items():
                    answer = test(a, b)
                    for planted in PLANTED:
                        found[name, planted].append(powers(answer, a, b, ratio, planted))
            columns = ("ratio", *BY_LEAST_B, "others", "false, q", "found, q")
            table = Table(f"Power, {corpus.name}, {scenario}: per cent with p ≤ 5 %", "", *columns, width=11)
            for (name, planted), rows in found.items():
                values = np.array(rows)
                cells = [percent(values[:, k]) for k in range(6)]
                cells = [*cells[:4], cells[4] + mark(values[:, 4], 0.06), cells[5], f"{values[:, 6].mean():.0f}"]
                first = planted == PLANTED[0]
                table.row(name if first else "", f"{planted:g}×", *(cells if first else cells[:4]))


def powers(answer: Answer, a: Side, b: Side, ratio: Floats, planted: float) -> list[float]:
    """Per band the share that is found; then that of words that do not differ, and q's false share and number found."""
    least = a.b_i if np.isinf(planted) else np.minimum(a.b_i, b.b_i)
    bands = [(ratio == planted) & (least >= low) & (least <= high) for low, high in BY_LEAST_B.values()]
    others = (ratio == 1) & (a.n_i + b.n_i >= 5)
    small = answer.p <= 0.05 * ROUNDED
    chosen = np.nan_to_num(adjust(answer.p), nan=1.0) <= 0.05
    false = (chosen & (ratio == 1)).sum() / max(chosen.sum(), 1)
    rates = [small[band].mean() if band.any() else np.nan for band in (*bands, others)]
    return [*rates, false, float((chosen & (ratio > 1)).sum())]


@program.part("5 min")
def stability(asked: argparse.Namespace) -> None:
    """Do independent halves agree? Both sides of a real difference are halved, and the two comparisons are compared.

    "ranks": Spearman's correlation of the signed −log p over words with five tokens in each comparison. "first 50": how
    many of the 50 words with the smallest p are among those of the other half, in per cent. "again": of the words with
    q ≤ 5 % in one half, how many have p ≤ 5 % and the same direction in the other.
    """
    for corpus in collections(asked, {name: load for name, load in COLLECTIONS.items() if name != "stdlib"}, 3):
        assert corpus.kind is not None
        found: dict[str, list[list[float]]] = defaultdict(list)
        for rng in draws(asked):
            half, in_a = rng.permutation(corpus.n_j.size) % 2 == 0, corpus.kind % 2 == 0
            pairs = [[corpus.side(in_a & part), corpus.side(~in_a & part)] for part in (half, ~half)]
            enough = np.all([a.n_i + b.n_i >= 5 for a, b in pairs], axis=0)
            way = [np.sign(a.n_i / a.n_j.sum() - b.n_i / b.n_j.sum()) for a, b in pairs]
            for name, test in asked_tests(asked).items():
                p = [np.where(enough, np.nan_to_num(test(a, b).p, nan=1.0), 1.0) for a, b in pairs]
                signed = [w * -np.log10(np.maximum(one, 1e-300)) for w, one in zip(way, p, strict=True)]
                first = [set(np.argsort(one, kind="stable")[:50].tolist()) for one in p]
                chosen = adjust(p[0]) <= 0.05
                again = (p[1] <= 0.05) & (way[0] == way[1])
                ranks = stats.spearmanr(signed[0][enough], signed[1][enough])[0]
                replicated = again[chosen].mean() if chosen.any() else np.nan
                found[name].append([ranks, len(first[0] & first[1]) / 50, replicated])
        table = Table(f"Stability, {corpus.name}, by kind", "", "ranks", "first 50", "again", width=12)
        for name, rows in found.items():
            values = np.array(rows)
            table.row(name, f"{np.nanmean(values[:, 0]):.3f}", percent(values[:, 1]), percent(values[:, 2]))


@program.part("10 min")
def coverage(asked: argparse.Namespace) -> None:
    """Coverage of 95 % intervals at planted ratios of A over B, in per cent; half of the words have ratio 1.

    "thinned" are words with 100 to 999 tokens in random parts of the documents, whose tokens are removed on one side.
    "documents" and "tokens" are words drawn from their fits on real lengths: on both sides α_0 is the same, or α is.
    """
    for corpus in collections(asked, usual=2):
        whole = corpus.side(np.ones(corpus.n_j.size, dtype=bool))
        fit = fit_beta_binomial(whole.cells)
        frequent = np.flatnonzero((whole.n_i >= 100) & (whole.n_i <= 999) & (fit.status == "converged"))
        titles = [f"{ratio:g}×" if ratio >= 1 else f"1/{1 / ratio:g}×" for ratio in COVERED]
        table = Table(f"Coverage, {corpus.name}", "", *titles, first=44, width=10)
        for scenario, share in SCENARIOS.items():
            for law in ("thinned", "documents", "tokens"):
                inside: dict[str, list[Floats]] = defaultdict(list)
                for rng in draws(asked):
                    words = rng.permutation(frequent)[:500]
                    ratio = np.where(rng.random(words.size) < 0.5, 1.0, rng.choice(COVERED, words.size))
                    a, b = (Side(csr_array(s.X[:, words]), s.n_j, s.cluster) for s in corpus.halved(rng, share))
                    if law == "thinned":
                        a, b = thinned(a, np.maximum(1 / ratio, 1), rng), thinned(b, np.maximum(ratio, 1), rng)
                    else:
                        parts = []
                        for side, mean in ((a, fit.mean[words]), (b, fit.mean[words] / ratio)):
                            change = fit.mean[words] / mean if law == "tokens" else 1.0
                            parts.append(drawn(mean, fit.alpha_0[words] * change, side.n_j, rng))
                        a, b = parts
                    for name, test in asked_tests(asked, INTERVALS).items():
                        if name == "formula" and law != "thinned":
                            continue  # it needs whole documents
                        answer = test(a, b)
                        if answer.low is None or answer.high is None:
                            continue
                        held = (answer.low <= np.log2(ratio)) & (np.log2(ratio) <= answer.high)
                        known = ~np.isnan(answer.low)
                        inside[name].append(np.array([held[known & np.isclose(ratio, r)].mean() for r in COVERED]))
                for name, rows in inside.items():
                    table.row(f"{name}, {scenario}, {law}", *map(percent, np.array(rows).T))


@program.part("60 min")
def grid_(asked: argparse.Namespace) -> None:
    """Size and coverage if words burst more on one side, beside an oracle that knows the precisions.

    Every word has the same mean share on both sides, but another precision α_0: the smaller, the more it bursts. α_0 of
    the burstier side is log-normal: median 150, standard deviation of the log 0.5. α_0B/α_0A is the same for all words,
    or drawn (median times exp(N(0, 0.5²))), or a mixture (half the words have 1). All documents of a side have the same
    length. A test may learn from all words of a call, which has 2,000 of them; a test that was entered gets so few that
    they have half of the tokens. The oracle is the exact distribution of the difference of the shares at the common
    mean (mid-p, tails doubled).
    """
    cells = list(grid())
    found: dict[str, list[bool]] = defaultdict(list)
    columns = ("p ≤ 5 %", "A higher", "A lower", "p ≤ .1 %", "covered", "oracle")
    table = Table("Grid; law, α₀B/α₀A, lengths, documents, share of a word; per cent", "", *columns, first=66, width=10)
    for cell in cells[7 :: len(cells) // 6 + 2] if asked.quick else cells:
        rng = np.random.default_rng([asked.seed, *cell.label.encode()])  # the same words, whatever else is measured
        precisions = cell.precisions(2_000, rng)
        a, b = cell.sides(precisions, rng)
        upper, lower = exact_tails((a.n_i, b.n_i), precisions, cell.lengths, cell.documents)
        oracle = np.minimum(2 * np.minimum(upper, lower), 1)
        for name, test in asked_tests(asked, (OURS, "g2", "quasi-likelihood", "robust")).items():
            answer = in_calls(test, a, b, 2_000 if name in TESTS and name != "formula" else int(0.5 / cell.share))
            known = ~np.isnan(answer.p) & (a.n_i + b.n_i > 0)
            small, higher = answer.p <= 0.05 * ROUNDED, a.n_i / a.n_j.sum() > b.n_i / b.n_j.sum()
            ways = [small, small & higher, small & ~higher, answer.p <= 0.001 * ROUNDED]
            rates = [float(way[known].mean()) for way in ways]
            error = np.sqrt(rates[0] * (1 - rates[0]) / known.sum())
            wrong = rates[0] > 0.06 + 2 * error
            held = np.nan if answer.low is None else np.mean(((answer.low <= 0) & (answer.high >= 0))[known])
            found[name].append(not wrong)
            texts = [f"{100 * rate:.2f}" for rate in rates]
            texts[0] += "!" if wrong else ""
            last = f"{100 * np.nanmean(oracle <= 0.05 * ROUNDED):.1f}"
            table.row(f"{cell.label}  {name}", *texts, "" if np.isnan(held) else f"{100 * held:.1f}", last)
    for name, held_in in found.items():
        print(f"{name}: p ≤ 5 % at most 6 % in {sum(held_in)} of {len(held_in)} cells")


def in_calls(test: Test, a: Side, b: Side, most: int) -> Answer:
    """The answer of a test that gets some words at a time."""
    words = a.X.shape[1]
    answers = []
    for first in range(0, words, most):
        some = slice(first, first + most)
        answers.append(test(Side(csr_array(a.X[:, some]), a.n_j), Side(csr_array(b.X[:, some]), b.n_j)))
    columns = zip(*((x for x in one if x is not None) for one in answers), strict=True)
    return Answer(*map(np.concatenate, columns))


@program.part("4 min")
def shuffled(asked: argparse.Namespace) -> None:
    """Size of tests of burstiness: words whose tokens are at random places of real documents, by their number n."""
    for corpus in collections(asked, usual=2):
        lengths, columns = corpus.n_j, (2, 3, 5, 10, 30, 100, 1_000)
        rates: dict[str, dict[int, list[Floats]]] = defaultdict(lambda: defaultdict(list))
        for rng in draws(asked):
            for n in columns:
                side = at_random(lengths, n, 200, rng)
                for name, test in burstiness_tests(asked).items():
                    p = test(side)
                    rates[name][n].append(np.array([np.mean(p <= level * ROUNDED) for level in LEVELS]))
        title = f"Shuffled words of {corpus.name}: per cent with p ≤ 5 % (≤ 0.1 %)"
        table = Table(title, "", *(f"n = {n:,}" for n in columns), width=17)
        for name, by_n in rates.items():
            cells = []
            for values in map(np.array, by_n.values()):
                rare = f"{100 * values[:, 1].mean():.2f}{mark(values[:, 1], 0.002)}"
                cells.append(f"{percent(values[:, 0])}{mark(values[:, 0], 0.06)} ({rare})")
            table.row(name, *cells)


def at_random(lengths: Floats, n: int, words: int, rng: np.random.Generator) -> Side:
    """Words with n tokens at random places of documents of these lengths."""
    ends = np.cumsum(lengths)
    places = np.concatenate([rng.choice(int(ends[-1]), n, replace=False, shuffle=False) for _ in range(words)])
    cells = np.searchsorted(ends, places, "right"), np.repeat(np.arange(words), n)
    X = csr_array((np.ones(places.size, dtype=np.int64), cells), shape=(lengths.size, words))
    X.sum_duplicates()
    return Side(X, lengths)


def burstiness_tests(asked: argparse.Namespace) -> dict[str, Callable[[Side], Floats]]:
    return BURSTINESS | {name: burstiness_by(place) for name, place in map(entered, asked.burstiness)}


_words.add_parts(program)

if __name__ == "__main__":
    sys.exit(program.main())
