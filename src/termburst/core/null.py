"""Null distributions of the burstiness test: simulation and enumeration (null.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.beta_binomial import LANES, Room
from termburst.core.binding import Floats, Integers, Struct, call, record, require, struct
from termburst.core.length_table import LengthTable

Documents = NewType("Documents", Struct)
Drawn = NewType("Drawn", Struct)


GROUP = 8  # draws that are collected before they are written, as in null.h
AHEAD = 64  # documents that are drawn in advance, as in null.h

NullValues = NewType("NullValues", Struct)


def documents(length: Integers, each: Integers, accept: Floats, other: Integers) -> Documents:
    """Documents with Walker's alias table, to draw them in proportion to length; *each* documents have a *length*."""
    require(length.shape == each.shape == accept.shape == other.shape, "there must be one alias per length")
    require(bool((each > 0).all()), "there must be a document of each length")
    require(
        length.size < 2**31 and bool((length < 2**31).all()), "there are more documents or tokens than can be drawn"
    )
    require(bool(((other >= 0) & (other < length.size)).all()), "the alias of a document must be a document")
    aliases = np.empty(length.size, record("Alias"))
    aliases["accept"], aliases["other"] = accept, other
    aliases["other_length"] = length[other]
    first, tokens = np.append(0, np.cumsum(each)), float(length @ each)
    return struct(Documents, locals(), length=length.astype(np.int32), documents=int(each.sum()))


def _drawn(of: Documents, tokens: int) -> Drawn:
    """Scratch space for a draw of *tokens* tokens."""
    grouped = of.size < of.documents
    slots = 1 << (2 * (tokens + AHEAD) - 1).bit_length() if grouped else 0
    count = np.zeros(slots if grouped else of.size, np.int32)
    return struct(Drawn, count=count, held=np.empty(tokens, np.int32), keys=np.empty(slots, np.int64))


def simulate(
    of: Documents, state: int, first: int, last: int, checkpoints: Integers, b: NDArray[np.int32], repetition: Floats,
    scatter: Floats,
) -> None:  # fmt: skip
    """Make the draws [first, last), each of as many tokens as the last checkpoint, with results at each checkpoint.

    The last three arrays receive b, Σ log (n_ij − 1)! and Σ (n_ij² − 2 n_ij n_j m/n): rows are checkpoints, columns
    are draws.
    """
    draws = b.shape[1]
    require(checkpoints.size > 0 and bool((np.diff(checkpoints, prepend=0) > 0).all()), "checkpoints must increase")
    require(
        b.shape == repetition.shape == scatter.shape == (checkpoints.size, draws),
        "there must be one row per checkpoint",
    )
    require(0 <= first <= last <= draws, "there must be one column per draw")
    most = int(checkpoints[-1])
    log_of = np.zeros(most + 1)
    log_of[2:] = np.log(np.arange(2, most + 1))
    notes = np.empty(checkpoints.size * GROUP, record("Note"))
    task = struct("SimulateTask", locals(), documents=b)
    call("tb_simulate", of, struct("Draws", locals(), state=int(state)), _drawn(of, most), task)


def simulate_ratio(
    of: Documents, table: LengthTable, state: int, first: int, last: int, tokens: int, spacing: float, ratio: Floats
) -> None:
    """The likelihood ratio 2(ℓ̂ − ℓ_binomial) of the draws [first, last) of *tokens* tokens, to *ratio*."""
    require(0 <= first <= last <= ratio.size and tokens > 0, "ratio must have one entry per draw")
    require(spacing > 0, "spacing must be above 0")
    task = struct("RatioDrawTask", tokens=tokens, spacing=spacing, ratio=ratio)
    parts = 3 * LANES * (tokens + 2 * LANES)
    room = struct(Room, seen=np.zeros(table.longest), parts=np.empty(parts))
    draws = struct("Draws", state=int(state), first=first, last=last, draws=ratio.size)
    call("tb_simulate_ratio", of, table, draws, _drawn(of, tokens), task, room)


def partition_masses(each: Integers, choose: Floats, onward: Integers, sizes: Integers) -> Floats:
    """The weight of each way to split s tokens among documents (each partition of s), for all s at once.

    A state is a partition. *onward*[state, c] is the state with one more part c (−1: none). *choose*[k, c] ∝ (n_k
    choose c) for the k-th distinct length, which *each*[k] documents have. *sizes* are the s of the states, sorted.
    """
    largest = choose.shape[1] - 1
    require(
        choose.shape[0] == each.size and onward.shape == (sizes.size, largest + 1),
        "there must be one row per length and per state",
    )
    require(sizes.size > 0 and sizes[0] == 0 and bool((sizes >= 0).all()), "the first state must have no tokens")
    mass = np.empty(sizes.size)
    call("tb_partition_masses", struct("PartitionTask", locals(), documents=each))
    return mass


def null_values(
    b: NDArray[np.int32], repetition: Floats, scatter: Floats, checkpoints: Integers, sampled: int, g: Floats,
    least: Integers, start: Integers, tokens: float, squared: float,
) -> NullValues:  # fmt: skip
    """The task that turns the draws of `simulate` into values of λ (from checkpoint *sampled* on) and Tarone's score.

    For λ = g(b) + 2R at checkpoint k, *g*[*start*[k]] is g(*least*[k]), and the values for larger b follow.
    """
    rows, draws = b.shape
    require(
        b.shape == repetition.shape == scatter.shape and checkpoints.shape == (rows,),
        "there must be one row per checkpoint",
    )
    require(least.shape == (rows,) and start.shape == (rows + 1,), "each checkpoint must have its g")
    require(
        start[0] == 0 and start[-1] == g.size and bool((np.diff(start) >= 0).all()),
        "start must divide g by checkpoints",
    )
    require(draws > 0 and 0 <= sampled <= rows, "there must be draws")
    plr, score = np.zeros((2, rows), record("Moments"))
    spread = float(np.sqrt(2 * (squared - tokens)) or 1.0)
    return struct(NullValues, locals(), checkpoints=checkpoints.astype(np.float64), documents=b)


def make_values(task: NullValues, first: int, last: int) -> None:
    """Carry out the task for the checkpoints [first, last)."""
    require(0 <= first <= last <= task.arrays["checkpoints"].size, "the checkpoints must exist")
    call("tb_null_values", task, struct("Rows", first=first, last=last))
