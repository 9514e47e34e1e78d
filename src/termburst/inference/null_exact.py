"""Exact null distributions of the burstiness test: enumerate all ways to split a few tokens among the documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.core import null as core
from termburst.inference.null_lengths import Lengths
from termburst.inference.null_tails import TIE
from termburst.statistics.matrix import Integers

Floats = NDArray[np.float64]

WORK = 400_000_000  # most steps of the enumeration; with very many documents it stops at fewer occurrences


@dataclass(frozen=True, slots=True)
class States:
    """The ways to split n_i tokens: b, Σ log (n_ij − 1)! and probability of each."""

    documents: Integers
    repetition: Floats
    mass: Floats


def partitions(lengths: Lengths, largest: int) -> dict[int, States]:
    """For n_i = 2..largest the ways to split n_i tokens among documents, with their probabilities."""
    parts: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(largest))]
    for s in range(1, largest + 1):
        parts[s] = [(c, *rest) for c in range(1, s + 1) for rest in parts[s - c] if not rest or c >= rest[0]]
    while largest > 1 and lengths.documents * sum(len(parts[s]) * (largest - s) for s in range(largest)) > WORK:
        largest -= 1
    if largest < 2:
        return {}
    states = [state for s in range(largest + 1) for state in parts[s]]
    index = {state: k for k, state in enumerate(states)}
    sizes = np.array([sum(state) for state in states])
    onward = np.full((len(states), largest + 1), -1, dtype=np.int64)
    for k, state in enumerate(states):
        for c in range(1, largest + 1 - sum(state)):
            onward[k, c] = index[tuple(sorted((*state, c), reverse=True))]
    distinct, each = lengths.distinct
    counts = np.arange(largest + 1)
    choose = special.binom(distinct[:, None], counts) / lengths.tokens**counts
    choose[counts > distinct[:, None]] = 0.0
    mass = core.partition_masses(each, choose, onward, sizes)
    found = {}
    for v in range(2, largest + 1):
        at = np.flatnonzero(sizes == v)
        found[v] = States(
            np.array([len(states[k]) for k in at]),
            np.array([special.gammaln(states[k]).sum() for k in at]),
            mass[at] / mass[at].sum(),
        )
    return found


def upper(values: Floats, mass: Floats, observed: Floats, mid_p: bool) -> Floats:
    """P(T ≥ t) of a discrete T, or P(T > t) + ½ P(T = t)."""
    order = np.argsort(values, kind="stable")
    values, above = values[order], np.append(np.cumsum(mass[order][::-1])[::-1], 0.0)
    near = TIE * (1 + np.abs(observed))
    reached = above[np.searchsorted(values, observed - near)]
    further = above[np.searchsorted(values, observed + near)]
    return np.minimum((reached + further) / 2 if mid_p else reached, 1.0)
