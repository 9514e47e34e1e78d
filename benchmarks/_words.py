"""Parts of `truth.py` that are not about tests of two sides: intervals and orders of burstiness, and collocates."""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
from _corpora import COLLECTIONS, drawn
from _program import Program, Table, percent
from _tests import table_p
from scipy import special, stats

import termburst as tb
from termburst.concordance.positions import Chunk, TokenPositions
from termburst.inference.burst_effects import burst_effects, burst_level, coordinates, reuse_of
from termburst.inference.dispersion import dispersion
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.questions.collocates import Collocates

BY_B = {"b 1–2": (1, 2), "3–9": (3, 9), "10–49": (10, 49), "≥50": (50, 10**9)}
MEASURES = {"DP": "dp", "D_A": "d_a", "KLD": "kl_divergence", "residual IDF": "residual_idf"}
FLOORS = (2, 5, 10, 20, 50)
EXPECTED = ((0, 0.1), (0.1, 0.3), (0.3, 1), (1, 5), (5, 20), (20, np.inf))
NODES = ("people", "god", "government", "like", "one")
LEVELS = (0.05, 0.01, 0.001)


def add_parts(program: Program) -> None:
    """Register the parts of this file."""
    parts = {effects: "2 min", ranks: "3 min", collocates: "3 min"}
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
