"""Several groups of few documents each: the scores of the documents, dealt to the groups again and again.

With a mean per group and few documents in each, 2(ℓ_1 − ℓ_0) is far above χ²: the means take up most of what the
documents say about the precision. Permuting the documents needs no such law.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.statistics.tally import Integers
from termburst.threads import in_threads

Floats = NDArray[np.float64]

BLOCKS = 16  # blocks of draws, each with its own seed
WORK = 2_000_000_000  # terms × documents × draws at most; there are fewer draws beyond, but at least FEWEST
FEWEST = 499
ROOM = 4_000_000  # terms × documents that are looked at together


def permuted_p(
    groups: Sequence[TermCells], null: BetaBinomialFit, terms: Integers, draws: int, seed: int, dealt: int | None = None
) -> Floats:
    """Monte Carlo p of the given terms: (½ + #{Q* > Q} + ½ #{Q* = Q})/(draws + 1), documents dealt to groups at random.

    Q = Σ_g (Σ_g s_j)²/Σ_g v_j with s_j = (n_ij − n_j π)/(1 + (n_j − 1) ρ) and v_j = n_j/(1 + (n_j − 1) ρ), where π and
    ρ = 1/(1 + α_0) are from the common fit. A document takes its s_j and v_j along, so that its length counts wherever
    it goes. All terms share the draws. Their number depends on that of the terms: *dealt*, if only some are given.
    """
    n_j = [np.repeat(g.lengths[g.lengths > 0], g.length_documents[g.lengths > 0]) for g in groups]
    starts = np.cumsum([0, *(one.size for one in n_j[:-1])])
    lengths = np.concatenate(n_j)
    size = terms.size if dealt is None else dealt
    draws = max(min(draws, WORK // max(size * lengths.size, 1)), min(draws, FEWEST))
    found = np.empty(terms.size)
    step = max(ROOM // lengths.size, 1)
    for first in range(0, terms.size, step):
        part = terms[first : first + step]
        score, spread = _scores(groups, null, part, lengths, starts)
        found[first : first + step] = _dealt(score, spread, starts, draws, seed)
    return found


def _dealt(score: Floats, spread: Floats, starts: Integers, draws: int, seed: int) -> Floats:
    """p from scores and their weights, terms × documents; groups are consecutive documents from *starts* on."""

    def distance(order: NDArray[np.intp] | slice) -> Floats:
        sums = np.add.reduceat(score[:, order], starts, axis=1)
        weight = np.add.reduceat(spread[:, order], starts, axis=1)
        return np.asarray(np.sum(sums * sums / np.maximum(weight, 1e-300), axis=1))

    observed = distance(slice(None))
    near, seeds = 1e-9 * (1 + observed), np.random.SeedSequence(seed).spawn(BLOCKS)
    reached = np.zeros((BLOCKS, len(score)))

    def deal(block: int) -> None:
        rng = np.random.default_rng(seeds[block])
        for _ in range(block, draws, BLOCKS):
            value = distance(rng.permutation(score.shape[1]))
            reached[block] += np.where(value > observed + near, 1.0, np.where(value >= observed - near, 0.5, 0.0))

    in_threads(deal, range(BLOCKS))
    return np.asarray((0.5 + reached.sum(axis=0)) / (draws + 1))


def _scores(
    groups: Sequence[TermCells], null: BetaBinomialFit, terms: Integers, lengths: Integers, starts: Integers
) -> tuple[Floats, Floats]:
    """s_j and v_j of the terms, terms × documents; the documents of a group are in the order of their lengths."""
    rho = np.where(np.isfinite(null.alpha_0[terms]), 1 / (1 + null.alpha_0[terms]), 0.0)[:, None]
    spread = lengths / (1 + (lengths - 1) * rho)
    score = -null.mean[terms][:, None] * spread
    row_of = np.full(null.mean.size, -1)
    row_of[terms] = np.arange(terms.size)
    for g, start in zip(groups, starts.tolist(), strict=True):
        own = np.sort(np.repeat(g.lengths[g.lengths > 0], g.length_documents[g.lengths > 0]))
        cells = np.repeat(np.arange(g.count.size), np.broadcast_to(g.weight, g.count.shape).astype(np.int64))
        cells = cells[row_of[g.term[cells]] >= 0]
        row, length = row_of[g.term[cells]], g.length[cells]
        order = np.lexsort((g.count[cells], length, row))
        cells, row, length = cells[order], row[order], length[order]
        # Documents of one length are alike: those with the term are the first of them, in the order of their counts.
        first = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(length, prepend=-1) != 0))
        run = np.repeat(first, np.diff(np.append(first, cells.size)))
        document = start + np.searchsorted(own, length) + np.arange(cells.size) - run
        score[row, document] += g.count[cells] / (1 + (length - 1) * rho[row, 0])
    return score, spread
