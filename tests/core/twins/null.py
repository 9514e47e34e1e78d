"""The computations of core/null.c in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from twins.beta_binomial import COLUMNS, GAIN, fit_gathered

# Constants of SplitMix64, unsigned: mixed with signed numbers NumPy would make floats.
GOLDEN, MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S_11, S_27, S_30, S_31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


def _uniform(state):
    """A number in [0, 1) of 53 bits; each number adds GOLDEN to the state (SplitMix64; Steele et al. 2014).

    Only this addition links one number to the next, so a core computes several at once.
    """
    z = (state ^ (state >> S_30)) * MIX_1
    z = (z ^ (z >> S_27)) * MIX_2
    return np.int64((z ^ (z >> S_31)) >> S_11) * 2.0**-53


def _next_document(state, lengths, accept, other, count):
    """The document of the next token drawn without replacement, and the state; *count* tokens were drawn before.

    Document j has probability n_j/n by the alias method (`Lengths`). The drawn position is already used with
    probability c_j/n_j; then the draw is repeated. A draw always uses two numbers.
    """
    while True:
        place = _uniform(state + GOLDEN) * lengths.size
        cell = int(place)
        alias = int(other[cell])
        j = alias + (cell - alias) * int(place - cell < accept[cell])  # no branch, since it would be unpredictable
        state += GOLDEN + GOLDEN
        if _uniform(state) * lengths[j] >= count[j]:
            return j, state


def simulate(state: Any, first: Any, last: Any, checkpoints: Any, lengths: Any, *rest: Any) -> None:
    """The draws [first, last), each of as many tokens as the last checkpoint, with results at each checkpoint.

    The first m tokens of a draw without replacement are such a draw of m tokens, so one run of the longest serves all.
    The last three arrays receive b, Σ log (n_ij − 1)! and Σ (n_ij² − 2 n_ij n_j m/n): rows are checkpoints, columns are
    draws.
    """
    most = int(checkpoints[-1])
    logs = np.zeros(most + 1)
    logs[2:] = np.log(np.arange(2, most + 1))
    count, held = np.zeros(lengths.size, np.int32), np.empty(most, np.int32)
    _simulate(state, first, last, checkpoints, lengths, *rest, 2.0 / int(lengths.sum()), count, held, logs)


def _simulate(
    state, first, last, checkpoints, lengths, accept, other, documents, repetition, scatter, share, count, held, logs
):
    most = held.size
    for draw in range(first, last):
        b = square = product = at = 0
        total = 0.0
        for token in range(most):
            j, state = _next_document(state, lengths, accept, other, count)
            c = count[j]
            count[j] = c + 1
            held[token] = j
            b += c == 0
            total += logs[c]
            square += 2 * int(c) + 1
            product += lengths[j]
            if token + 1 == checkpoints[at]:
                documents[at, draw], repetition[at, draw] = b, total
                scatter[at, draw] = square - share * (token + 1) * product
                at += 1
        for token in range(most):
            count[held[token]] = 0


def simulate_ratio(
    state: Any, first: Any, last: Any, size: Any, lengths: Any, accept: Any, other: Any, longest: Any, *rest: Any
) -> None:
    """The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws [first, last) of *size* tokens, to the last array."""
    count, (held, counts, of) = np.zeros(lengths.size, np.int32), np.empty((3, size), np.int32)
    seen, penalty, (result, trial) = np.zeros(longest), np.zeros(4), np.zeros((2, COLUMNS))
    _simulate_ratio(
        state, first, last, lengths, accept, other, longest, *rest, float(lengths.sum()), count, held, counts, of,
        np.ones(1), seen, np.empty(3 * size), penalty, result, trial,
    )  # fmt: skip


def _simulate_ratio(
    state, first, last, lengths, accept, other, longest, pairs, table, spacing, out, n,
    count, held, counts, of, weight, seen, parts, penalty, result, trial,
):  # fmt: skip
    size, none = held.size, first - first
    for draw in range(first, last):
        for token in range(size):
            j, state = _next_document(state, lengths, accept, other, count)
            count[j] += 1
            held[token] = j
        b = none
        for token in range(size):
            j = held[token]
            if count[j] > 0:
                counts[b], of[b] = count[j], lengths[j]
                count[j] = 0
                b += 1
        mixed = fit_gathered(
            none, b, counts, of, weight, seen, parts, n, longest, pairs, table, penalty, spacing, result, trial
        )
        best = max(result[GAIN], 0.0)
        if mixed == 0:  # each document has only the term or none of it: the supremum may be at α_0 → 0
            best = max(best, _log_likelihood(float(b), float(lengths.size)) - _log_likelihood(float(size), n))
        out[draw] = 2 * best


def _log_likelihood(part, whole):
    """The maximum log-likelihood of the binomial."""
    share = part / whole
    return part * math.log(share) + ((whole - part) * math.log1p(-share) if part < whole else 0.0)


def partition_masses(lengths, documents, choose, onward, sizes, mass):
    """The weight of each way to split s tokens among documents (each partition of s), for all s at once, in *mass*.

    A state is a partition. *onward*[state, c] is the state with one more part c (−1: none). *choose*[k, c] ∝ (n_k
    choose c) for the k-th distinct length, which *documents*[k] documents have. States are sorted by s, so that going
    down uses each document once.
    """
    for state in range(mass.size):
        mass[state] = 0.0
    mass[0] = 1.0
    largest = choose.shape[1] - 1
    reach = 0
    for k in range(lengths.size):
        for _ in range(documents[k]):
            reach = min(reach + lengths[k], largest)
            for state in range(sizes.size - 1, -1, -1):
                here = mass[state]
                if here == 0.0:
                    continue
                for c in range(1, largest + 1 - sizes[state]):
                    if choose[k, c] == 0.0:
                        break
                    mass[onward[state, c]] += here * choose[k, c]


def null_values(b, repetition, scatter, checkpoints, sampled, g, least, start, tokens, squared):
    """λ = g(b) + 2R from the checkpoint *sampled* on, Tarone's score, and the moments of both; 0 for those before."""
    plr, score, moments = repetition.copy(), scatter.copy(), np.zeros((2, len(checkpoints), 3))
    for at, v in enumerate(checkpoints):
        if at >= sampled:
            plr[at] = g[start[at] + b[at] - least[at]] + 2 * repetition[at]
            moments[0, at] = _moments(plr[at])
        share = v / tokens
        excess = (scatter[at] + share**2 * squared) / (share * (1 - share)) - tokens
        score[at] = excess / math.sqrt(2 * (squared - tokens))
        moments[1, at] = _moments(score[at])
    return plr, score, *moments


def _moments(values):
    mean, deviation = values.mean(), values.std()
    return mean, deviation, min(max(((values - mean) ** 3).mean() / deviation**3, 0.01), 10.0)
