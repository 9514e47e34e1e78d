"""Parts of `truth.py` about what is not a test of two sides: intervals of burstiness, collocates, triggers, strata."""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from _corpora import COLLECTIONS, drawn
from _program import Program, Table, percent, shown
from _tests import table_p
from scipy import special, stats
from scipy.sparse import csr_array, diags_array

import termburst as tb
from termburst.concordance.positions import Chunk, TokenPositions
from termburst.concordance.sequences import token_sequences
from termburst.inference.burst_effects import burst_effects, burst_level, coordinates, reuse_of
from termburst.inference.dispersion import dispersion
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.word_pairs import pair_orders, pairs_together
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.urn_sequences import Sequences
from termburst.questions.collocates import Collocates
from termburst.questions.designs import keyness_design

BY_B = {"b 1–2": (1, 2), "3–9": (3, 9), "10–49": (10, 49), "≥50": (50, 10**9)}
MEASURES = {"DP": "dp", "D_A": "d_a", "KLD": "kl_divergence", "residual IDF": "residual_idf"}
FLOORS = (2, 5, 10, 20, 50)
EXPECTED = ((0, 0.1), (0.1, 0.3), (0.3, 1), (1, 5), (5, 20), (20, np.inf))
NODES = ("people", "god", "government", "like", "one")
LEVELS = (0.05, 0.01, 0.001)


def add_parts(program: Program) -> None:
    """Register the parts of this file."""
    parts = {effects: "2 min", ranks: "3 min", strata: "8 min", collocates: "3 min", triggers: "6 min"}
    for function, takes in parts.items():
        program.part(takes)(function)


def rounds(asked: argparse.Namespace, most: int) -> range:
    return range(2 if asked.quick else min(asked.draws, most))


def texts_of(asked: argparse.Namespace) -> dict[str, Any]:
    names = asked.corpora or (["inaugural"] if asked.quick else ["inaugural", "R8", "20 Newsgroups"])
    return {name: COLLECTIONS[name]() for name in names}


def effects(asked: argparse.Namespace) -> None:
    """Coverage of 95 % intervals of the burst ratio and of reuse: words drawn from the exact fits of real words.

    Bands are of the documents with the real word, so that nothing is selected by the outcome. "below" and "above" are
    the words whose true ratio is below, or above, the interval.
    """
    for name, corpus in texts_of(asked).items():
        cells = corpus.side(np.ones(corpus.n_j.size, dtype=bool)).cells
        fit, rng = fit_beta_binomial(cells), np.random.default_rng([asked.seed, 1])
        known = np.isin(fit.status, ["converged", "boundary"])
        table = Table(f"{name}: coverage in per cent", "", "words", "ratio", "below", "above", "reuse", width=11)
        for band, (low, high) in BY_B.items():
            some = rng.permutation(np.flatnonzero(known & (cells.b_i >= low) & (cells.b_i <= high)))[:60]
            tau, omega = (values[some] for values in coordinates(fit))
            ratio = 1 + np.exp(burst_level(tau, omega))
            reuse = reuse_of(tau, omega, float(corpus.n_j.mean()))
            rates = []
            for _ in rounds(asked, 10):
                side = drawn(special.expit(omega), np.exp(tau), corpus.n_j, rng)
                found, occurs = burst_effects(side.cells), side.n_i > 0
                hits = [
                    (found.ci_low <= ratio + 1e-12) & (ratio <= found.ci_high),
                    ratio < found.ci_low,
                    ratio > found.ci_high,
                    (found.reuse_low <= reuse) & (reuse <= found.reuse_high),
                ]
                rates.append([hit[occurs].mean() for hit in hits])
            table.row(band, some.size, *map(percent, np.array(rates).T))


def ranks(asked: argparse.Namespace) -> None:
    """Measures of burstiness: do two random halves order words alike? Also with frequency held fixed.

    Spearman's correlation, over words in at least so many documents of both halves; then the partial correlation of
    ranks after a polynomial of degree 5 in the ranks of n, which is 0 for a measure that only restates frequency.
    """
    for name, corpus in texts_of(asked).items():
        tables: list[dict[tuple[str, int], list[float]]] = [defaultdict(list) for _ in range(2)]
        for number in rounds(asked, 5):
            sides = corpus.halved(np.random.default_rng([asked.seed, 2, number]))
            one, other = (measures(side.matrix[:, :-1]) for side in sides)
            for floor in FLOORS:
                kept = (sides[0].b_i >= floor) & (sides[1].b_i >= floor)
                for measure in one if kept.sum() >= 50 else ():
                    x, y = one[measure][kept], other[measure][kept]
                    tables[0][measure, floor].append(stats.spearmanr(x, y)[0])
                    tables[1][measure, floor].append(at_fixed_frequency(x, y, *(side.n_i[kept] for side in sides)))
        floors = [f"b ≥ {floor}" for floor in FLOORS]
        columns = [*floors, *(f"{floor}, fixed n" for floor in floors)]
        table = Table(f"{name}: correlation of halves", "", *columns, width=16)
        for measure in dict.fromkeys(key[0] for key in tables[0]):
            keys = [(measure, floor) for floor in FLOORS]
            table.row(measure, *(np.mean(found[key]) if key in found else np.nan for found in tables for key in keys))


def measures(X: Any) -> dict[str, Any]:
    """Measures of burstiness of every word; large is bursty or uneven."""
    cells = term_cells(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = fit_beta_binomial(cells)
        found, spread = burst_effects(cells, fit), dispersion(cells, list(MEASURES.values()))
        return {
            "lower bound": found.ci_low, "burst ratio": found.burst_ratio, "reuse": found.reuse,
            "λ": tb.plr_statistic(tb.TermStatistics.from_counts(X)),
            "LR": 2 * (fit.loglik - fit.loglik_binomial), "ρ": 1 / (1 + fit.alpha_0),
            **{label: spread[column] * (-1 if label == "D_A" else 1) for label, column in MEASURES.items()},
            "n_i": cells.n_i.astype(float),
        }  # fmt: skip


def at_fixed_frequency(x: Any, y: Any, n_x: Any, n_y: Any) -> float:
    """The correlation of what is left of the ranks after a polynomial in the ranks of n."""
    left = []
    for values, n in ((x, n_x), (y, n_y)):
        rank, of_n = stats.rankdata(values), stats.rankdata(n)
        left.append(rank - np.polynomial.Legendre.fit(of_n, rank, 5)(of_n))
    return 0.0 if min(np.ptp(rest) for rest in left) < 1e-6 * x.size else float(np.corrcoef(*left)[0, 1])


def strata(asked: argparse.Namespace) -> None:
    """Size and coverage of `keyness("side", strata=…)` by how many documents a stratum has.

    Words with 20 to 999 tokens are drawn on documents in strata of their own shares, half of each on either side.
    """
    columns = ("p ≤ 5 %", "p ≤ .1 %", "covers 1", "covers 1.5")
    table = Table("Strata: per cent", "documents in each", "strata", *columns, width=11)
    for each in (2, 5, 20) if asked.quick else (2, 3, 5, 8, 10, 15, 20):
        for number in (4, 24):
            rates: dict[str, list[float]] = defaultdict(list)
            for draw in rounds(asked, 16):
                rng = np.random.default_rng([asked.seed, 3, draw, each, number])
                for ratio in (1.0, 1.5):
                    X, side, stratum = words_in_strata(rng, number, each, 40, ratio)
                    metadata = {"side": np.where(side, "b", "a"), "stratum": stratum.astype(str)}
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # too few documents: that is what is measured
                        found = keyness_design(
                            X, "side", metadata=metadata, strata="stratum", contrast="side: b - a",
                            terms=[f"{k:02}" for k in range(X.shape[1])], sort="term", adjust="none",
                        )  # fmt: skip
                    n = np.asarray(X.sum(axis=0)).ravel()[:-1]
                    some = found.head(X.shape[1] - 1).filter(pl.Series((n >= 20) & (n < 1_000)))
                    held = ((some["ci_low"] <= np.log2(ratio)) & (some["ci_high"] >= np.log2(ratio))).mean()
                    rates[f"covers {ratio:g}"].append(held)
                    if ratio == 1:
                        rates["p ≤ 5 %"].append((some["p_value"] <= 0.05).mean())
                        rates["p ≤ .1 %"].append((some["p_value"] <= 0.001).mean())
            table.row(f"{each}", number, *(percent(rates[column]) for column in columns))


def words_in_strata(rng: np.random.Generator, strata: int, each: int, words: int, ratio: float) -> tuple[Any, Any, Any]:
    """Counts of words and, in the last column, the rest; the side and the stratum of each document."""
    stratum = np.repeat(np.arange(strata), each)
    side = np.concatenate([rng.permutation((np.arange(each) + rng.integers(2)) % 2) for _ in range(strata)])
    lengths = np.maximum(rng.lognormal(np.log(800), 0.5, stratum.size).astype(int), 50)
    mean, alpha_0 = 10 ** rng.uniform(-4, -2.3, words), 10 ** rng.uniform(1.5, 3.5, words)
    own = 0.5 * rng.normal(size=(strata, words))[stratum]
    pi = special.expit(np.log(mean) + own + np.log(ratio) * side[:, None])
    counts = rng.binomial(lengths[:, None], rng.beta(alpha_0 * pi, alpha_0 * (1 - pi)))
    rest = np.maximum(lengths - counts.sum(axis=1), 0)
    kept = counts.sum(axis=0) >= 5
    return csr_array(np.column_stack([counts[:, kept], rest])), side, stratum


def collocates(asked: argparse.Namespace) -> None:
    """Size and intervals of collocates: texts shuffled within documents, where nothing is attracted, beside G².

    By the number of a word that is expected near the node: per cent with p ≤ 5 %, G² of the whole corpus, one-sided,
    and intervals that cover 0; "near" counts only words that are near the node at least once.
    """
    columns = ("words", "p ≤ 5 %", "G²", "cover 0", "near")
    for name in ("r8",) if asked.quick else ("20newsgroups", "r8"):
        corpus, rows = tb.read(name), []
        source = TokenPositions.of(corpus.texts, corpus.counting)
        for node in NODES:
            for draw in rounds(asked, 4) if node in source.words else ():
                made = shuffled_around(source, node, np.random.default_rng([asked.seed, 4, draw]))
                found = Collocates(node).answer(made, corpus.counting)
                found = found.filter(found["log_ratio"].is_not_null())
                places, tokens = int(found["n_window"].sum()), source.chunk.tokens.size
                near, n = found["n_window"].to_numpy(), found["n"].to_numpy()
                p = table_p(near, n - near, places, tokens - places) / 2
                rival = np.where(near / places > n / tokens, p, 1 - p)
                own = found.select("expected", "p_value", "ci_low", "ci_high", "n_window").to_numpy()
                rows.append(np.column_stack([own, rival]))
        expected, p, low, high, near, rival = np.vstack(rows).T
        table = Table(f"Collocates in shuffled {name}: per cent", "expected near the node", *columns)
        for first, last in EXPECTED:
            some = (expected >= first) & (expected < last)
            covered = (low <= 0) & (high >= 0)
            cells = [(p[some] < 0.05), (rival[some] < 0.05), covered[some], covered[some & (near > 0)]]
            table.row(f"{first:g} to {last:g}", int(some.sum()), *(f"{100 * cell.mean():.1f}" for cell in cells))


def shuffled_around(source: TokenPositions, node: str, rng: np.random.Generator) -> TokenPositions:
    """The same documents with the node where it was, and all other tokens of each document in random order."""
    chunk = source.chunk
    document = np.repeat(np.arange(chunk.ends.size), np.diff(chunk.ends, prepend=0))
    other = np.flatnonzero(chunk.tokens != source.words.index(node))
    tokens = chunk.tokens.copy()
    tokens[other] = chunk.tokens[other][np.lexsort((rng.random(other.size), document[other]))]
    return TokenPositions(Chunk(tokens, chunk.ends, chunk.ends), source.words)


def triggers(asked: argparse.Namespace) -> None:
    """Size of `Corpus.triggers`: p_after in documents whose words were shuffled; p_together of independent words.

    "any q" is the share of corpora in which some pair has q ≤ 5 %.
    """
    columns = ["pairs", *(f"p ≤ {100 * level:g} %" for level in LEVELS), "any q"]
    table = Table("Triggers: per cent", "", *columns, first=60, width=12)
    for name in ("inaugural",) if asked.quick else ("inaugural", "r8"):
        sequences, _ = token_sequences(tb.read(name))
        pairs = pairs_together(sequences)
        document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
        rates = []
        for draw in rounds(asked, 20):
            order = np.lexsort((np.random.default_rng([asked.seed, 5, draw]).random(document.size), document))
            log_p = pair_orders(replace(sequences, tokens=sequences.tokens[order]), pairs.one, pairs.other).log10_p
            rates.append(found_at(log_p, log_p.size, adjust_log10(log_p, "bh")))
        table.row(f"p_after, {name} shuffled", pairs.one.size, *map(percent, np.array(rates).T))
    for documents, length, spread in ((60, 100, 0.5), (800, 100, 1.2), (3000, 60, 1.2)):
        for burst in (0.001, 0.1):
            rates, tested = [], 0
            for draw in rounds(asked, 20):
                rng = np.random.default_rng([asked.seed, 6, draw])
                alpha = rng.gamma(0.7, size=300) + 0.02
                urn = tb.PolyaUrn(alpha / alpha.sum(), diags_array(rng.gamma(2.0, burst / 2, 300)).toarray())
                lengths = np.maximum(np.exp(rng.normal(np.log(length), spread, documents)).astype(int), 2)
                drawn_ = urn.sample_tokens(lengths, rng)
                tokens, ends = np.concatenate(drawn_).astype(np.int32), np.cumsum([one.size for one in drawn_])
                pairs = pairs_together(Sequences(tokens, ends.astype(np.int64), 300), least_ratio=0.0, most=300)
                tested = pairs.looked_at
                rates.append(found_at(pairs.log10_p, pairs.looked_at, pairs.log10_q("bh")))
            label = f"p_together, {documents:,} documents, lengths {length} ± {shown(spread)}, bursts {burst:g}"
            table.row(label, tested, *map(percent, np.array(rates).T))


def found_at(log10_p: Any, size: int, log10_q: Any) -> list[float]:
    """The shares of p at each level, and whether any q is at most 5 %."""
    small = [float((log10_p <= np.log10(level)).sum() / max(size, 1)) for level in LEVELS]
    return [*small, float((log10_q <= np.log10(0.05)).any())]
