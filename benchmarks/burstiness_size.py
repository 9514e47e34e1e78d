"""The size of the burstiness test: p-values of terms without bursts, simulated on real document lengths.

For n_i = 2, 3, 5, 10, 30, 100, 1,000 and 5,000 tokens, placed at random among all positions of 20 Newsgroups (the
texts of Fig. 4) and R8: the share of p-values at most 0.05, 0.01 and 0.001, for λ, the likelihood ratio and Tarone's
score, and the same with mid-p. Then the number of cells above α by more than a simultaneous margin (Bonferroni, 99 %),
and the number of cells below 0.8 α at n_i = 1,000.

    TERMBURST_DATA=… python benchmarks/burstiness_size.py [terms for every n_i, default 20000]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import stats

from termburst.inference.overdispersion import burstiness
from termburst.models.cells import TermCells
from termburst.paper.collections import Collections

SIZES = (2, 3, 5, 10, 30, 100, 1_000, 5_000)
LEVELS = (0.05, 0.01, 0.001)
SEEDS = (
    10  # of the draws of the test, one per tenth of the terms, since terms of equal n_i share the draws of their null
)


def null_terms(lengths: np.ndarray, size: int, terms: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Term, count and length of the cells of terms whose tokens are at random positions."""
    ends = np.cumsum(lengths)
    found = []
    for term in range(terms):
        positions = rng.choice(int(ends[-1]), size, replace=False, shuffle=False)
        document, count = np.unique(np.searchsorted(ends, positions, side="right"), return_counts=True)
        found.append((np.full(count.size, term), count, lengths[document]))
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))


def as_cells(lengths: np.ndarray, parts: list[tuple[np.ndarray, ...]], terms: int) -> TermCells:
    term = np.concatenate([part[0] + k * terms for k, part in enumerate(parts)])
    count, length = (np.concatenate([part[column] for part in parts]) for column in (1, 2))
    distinct, documents = np.unique(lengths, return_counts=True)
    size = terms * len(parts)
    return TermCells(
        np.searchsorted(term, np.arange(size + 1)).astype(np.int64),
        count.astype(np.int32),
        length.astype(np.int32),
        np.ones(1),
        np.bincount(term, count, size).astype(np.int64),
        np.bincount(term, minlength=size).astype(np.int64),
        distinct.astype(np.int64),
        documents.astype(np.int64),
    )


def main() -> None:
    terms = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    collections = Collections()
    cells_shown = 0
    high = []
    for name, counts in (("20 Newsgroups", collections.fig4.counts), ("R8", collections.fig5.counts)):
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        lengths = lengths[lengths > 0]
        rng = np.random.default_rng(20260101)
        repeats = {size: terms if size <= 1_000 else terms // 4 for size in SIZES}
        print(f"\n{name}: {terms:,} terms for every n_i ({terms // 4:,} at 5,000)")
        heads = ("λ", "LR", "score", "λ, mid-p", "LR, mid-p")
        print(f"{'n_i':>6} {'':>6} " + " ".join(f"{head:>22}" for head in heads))
        for size in SIZES:
            some, parts = repeats[size] // SEEDS, []
            for seed in range(SEEDS):
                cells = as_cells(lengths, [null_terms(lengths, size, some, rng)], some)
                plain, mid = burstiness(cells, seed=seed), burstiness(cells, seed=seed, mid_p=True)
                parts.append([test.log10_p for test in (plain.plr, plain.lr, plain.score, mid.plr, mid.lr)])
            columns = []
            for position, log10_p in enumerate(np.concatenate(parts, axis=1)):
                sizes = [float(np.mean(log10_p <= np.log10(level) + 1e-12)) for level in LEVELS]
                columns.append(" ".join(f"{100 * value:6.2f}" for value in sizes))
                if position < 3:
                    for level, value in zip(LEVELS, sizes, strict=True):
                        cells_shown += 1
                        high.append((name, size, position, level, value, repeats[size]))
            print(f"{size:>6} {'%':>6} " + " ".join(f"{column:>22}" for column in columns), flush=True)
    z = stats.norm.isf(0.01 / cells_shown)
    above = [h for h in high if h[4] > h[3] + z * np.sqrt(h[3] * (1 - h[3]) / h[5])]
    low = [h for h in high if h[1] == 1_000 and h[4] < 0.8 * h[3]]
    print(f"\n{cells_shown} cells; above α by more than {z:.1f} standard errors: {len(above)} {above or ''}")
    print(f"below 0.8 α at n_i = 1,000: {len(low)} {low or ''}")


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
