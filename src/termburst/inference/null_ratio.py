"""The null distribution of the likelihood ratio: drawn at some n_i, interpolated between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from termburst.core import null as core
from termburst.inference.null_distribution import BLOCKS, RATIO_NODES, Floats, Names, Null
from termburst.inference.null_exact import upper
from termburst.inference.null_tails import chi2_tail, sampled_p
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import SPACING, fit_beta_binomial
from termburst.models.length_table import LengthTable
from termburst.statistics.matrix import Integers
from termburst.threads import check_given_up

# As the phases of λ: occurrences up to which it applies, draws as a multiple of those asked for, share of the tail.
RATIO_PHASES = ((30, 1.0, 0.0025), (100, 0.5, 0.02), (1_000, 0.3, 0.12), (10**12, 0.2, 0.12))


def log_ratio_p(null: Null, ratio: Floats, nodes: Sequence[int], samples: Sequence[Floats]) -> tuple[Floats, Names]:
    """log p of the likelihood ratio, and how it was obtained, from the draws of `ratio_samples`."""
    sizes = null.sizes
    log_p, how = null.undrawn()
    once = np.flatnonzero(sizes == 1)
    if once.size:
        lengths, documents = null.lengths.distinct
        values = _ratios_once(lengths, documents)
        log_p[once] = np.log(upper(values, lengths * documents / null.lengths.tokens, ratio[once], null.mid_p))
        how[once] = "exact"
    several = np.flatnonzero(sizes > 1)
    if not several.size:
        return log_p, how
    position = np.interp(np.log(sizes[several]), np.log(nodes), np.arange(len(nodes)))
    below = np.minimum(position.astype(np.intp), len(nodes) - 1)
    weight, drawn, from_tail = position - below, np.zeros(several.size), np.zeros(several.size, dtype=bool)
    for at, sample in enumerate(samples):
        for offset, share in ((0, 1 - weight), (1, weight)):
            chosen = np.flatnonzero((below + offset == at) & (share > 0))
            if chosen.size:
                only = np.zeros(chosen.size, np.int64)
                top = _phase_of(nodes[at])[2]
                value, tail = sampled_p(sample[None], ratio[several[chosen]], only, chi2_tail, null.mid_p, top)
                drawn[chosen] += share[chosen] * value
                from_tail[chosen] |= tail
    log_p[several] = drawn
    how[several] = np.where(from_tail, "tail", "monte-carlo")
    return log_p, how


def ratio_samples(null: Null) -> tuple[list[int], list[Floats]]:
    """The n_i at which the likelihood ratio is drawn, and its sorted draws at each."""
    most = null.longest.most
    nodes = [v for v in RATIO_NODES if v <= most]
    if nodes and nodes[-1] < min(most, RATIO_NODES[-1]):
        nodes.append(most)
    table = LengthTable.of(null.cells.lengths, null.cells.length_documents).for_kernels()
    of, samples = null.lengths.for_kernels(), []
    for v, seeds in zip(nodes, null.ratio_seeds, strict=False):
        sample = np.empty(max(49, int(_phase_of(v)[1] * null.draws)))
        edges = np.linspace(0, sample.size, BLOCKS + 1).astype(int).tolist()
        for (first, last), state in zip(pairwise(edges), seeds.generate_state(BLOCKS, np.uint64), strict=True):
            check_given_up()
            core.simulate_ratio(of, table, state, first, last, v, SPACING, sample)
        samples.append(np.sort(sample))
    return nodes, samples


def _ratios_once(lengths: Integers, documents: Integers) -> Floats:
    """LR of a term that occurs once, in a document of each length."""
    size = lengths.size
    each = TermCells(
        np.arange(size + 1), np.ones(size, np.int32), lengths.astype(np.int32), np.ones(1), np.ones(size, np.int64),
        np.ones(size, np.int64), lengths, documents,
    )  # fmt: skip
    fit = fit_beta_binomial(each)
    return np.maximum(2 * (fit.loglik - fit.loglik_binomial), 0.0)


def _phase_of(v: int) -> tuple[int, float, float]:
    return next(phase for phase in RATIO_PHASES if v <= phase[0])
