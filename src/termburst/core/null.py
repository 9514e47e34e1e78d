"""Null distributions of the burstiness test: simulated, enumerated, and their tails (null.c)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from termburst.core.beta_binomial import LANES, Room
from termburst.core.binding import Float, In_f64, In_i32, In_i64, Int, Out_f64, Out_i32, Struct, call, pointer, require
from termburst.core.length_table import LengthTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Alias(Struct):
    _fields_ = [("accept", Float), ("other", Int)]


ALIAS = np.dtype(Alias)


class Documents(Struct):
    _fields_ = [("aliases", pointer(ALIAS, writes=False)), ("length", In_i32), ("size", Int), ("tokens", Float)]


class Draws(Struct):
    _fields_ = [("state", ctypes.c_uint64), ("first", Int), ("last", Int), ("draws", Int)]


class Note(Struct):
    _fields_ = [("repetition", Float), ("scatter", Float), ("documents", Int)]


NOTE = np.dtype(Note)
GROUP = 8  # draws that are noted before they are written, as in null.h


class SimulateTask(Struct):
    _fields_ = [
        ("checkpoints", In_i64),
        ("size", Int),
        ("documents", Out_i32),
        ("repetition", Out_f64),
        ("scatter", Out_f64),
        ("count", Out_i32),
        ("held", Out_i32),
        ("log_of", In_f64),
        ("notes", pointer(NOTE, writes=True)),
    ]


class RatioDrawTask(Struct):
    _fields_ = [
        ("tokens", Int),
        ("spacing", Float),
        ("ratio", Out_f64),
        ("count", Out_i32),
        ("held", Out_i32),
        ("counts", Out_i32),
        ("lengths", Out_i32),
    ]


class PartitionTask(Struct):
    _fields_ = [
        ("documents", In_i64),
        ("choose", In_f64),
        ("onward", In_i64),
        ("sizes", In_i64),
        ("lengths", Int),
        ("states", Int),
        ("largest", Int),
        ("mass", Out_f64),
    ]


class TailTask(Struct):
    _fields_ = [
        ("n_i", In_f64),
        ("odds", In_f64),
        ("start_b", In_f64),
        ("tails", Int),
        ("tilts", In_f64),
        ("size", Int),
        ("length", In_f64),
        ("weight", In_f64),
        ("classes", Int),
        ("grid", In_f64),
        ("base", In_f64),
        ("grid_size", Int),
        ("steps", In_f64),
        ("log_gamma", In_f64),
        ("counts", Int),
        ("x", Out_f64),
        ("log_p", Out_f64),
    ]


class Tilted(Struct):
    _fields_ = [("u", Float), ("mass", Float), ("b", Float), ("r", Float)]


TILTED = np.dtype(Tilted)


class TiltTask(Struct):
    _fields_ = [("row", Int), ("slope", Float), ("start", Float), ("out", pointer(TILTED, writes=True))]


class OneDocumentTask(Struct):
    _fields_ = [
        ("excess", In_f64),
        ("size", Int),
        ("share", Float),
        ("rate", In_f64),
        ("weight", In_f64),
        ("length", In_f64),
        ("classes", Int),
        ("log_p", Out_f64),
    ]


def documents(length: Integers, accept: Floats, other: Integers) -> Documents:
    """Documents with Walker's aliases, to be drawn in proportion to their lengths."""
    require(length.shape == accept.shape == other.shape, "there is one alias per document")
    require(
        length.size < 2**31 and bool((length < 2**31).all()), "there are more documents, or tokens, than can be drawn"
    )
    aliases = np.empty(length.size, ALIAS)
    aliases["accept"], aliases["other"] = accept, other
    return Documents(aliases=aliases, length=length.astype(np.int32), size=length.size, tokens=float(length.sum()))


def simulate(
    of: Documents, state: int, first: int, last: int, checkpoints: Integers, b: NDArray[np.int32], repetition: Floats,
    scatter: Floats,
) -> None:  # fmt: skip
    """Draws [first, last) of as many tokens as the last checkpoint; what is asked for is noted at every checkpoint.

    Rows of the last three arrays are checkpoints, columns draws: b, Σ log (n_ij − 1)! and Σ (n_ij² − 2 n_ij n_j m/n).
    """
    draws = b.shape[1]
    require(checkpoints.size > 0 and bool((np.diff(checkpoints, prepend=0) > 0).all()), "checkpoints rise")
    require(b.shape == repetition.shape == scatter.shape == (checkpoints.size, draws), "rows are checkpoints")
    require(0 <= first <= last <= draws, "the draws have their columns")
    most = int(checkpoints[-1])
    log_of = np.zeros(most + 1)
    log_of[2:] = np.log(np.arange(2, most + 1))
    task = SimulateTask(
        checkpoints=checkpoints,
        size=checkpoints.size,
        documents=b,
        repetition=repetition,
        scatter=scatter,
        count=np.zeros(of.size, np.int32),
        held=np.empty(most, np.int32),
        log_of=log_of,
        notes=np.empty(checkpoints.size * GROUP, NOTE),
    )
    call("tb_simulate", of, Draws(state=int(state), first=first, last=last, draws=draws), task)


def simulate_ratio(
    of: Documents, table: LengthTable, state: int, first: int, last: int, tokens: int, spacing: float, ratio: Floats
) -> None:
    """The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws [first, last) of so many *tokens*, to *ratio*."""
    require(0 <= first <= last <= ratio.size and tokens > 0, "the draws have their places")
    require(spacing > 0, "the scan over tau has a spacing above 0")
    held, counts, lengths = np.empty((3, tokens), np.int32)
    task = RatioDrawTask(
        tokens=tokens,
        spacing=spacing,
        ratio=ratio,
        count=np.zeros(of.size, np.int32),
        held=held,
        counts=counts,
        lengths=lengths,
    )
    parts = 3 * (tokens + LANES)
    room = Room(seen=np.zeros(table.longest), parts=np.empty(parts), longest=table.longest, size=parts)
    call("tb_simulate_ratio", of, table, Draws(state=int(state), first=first, last=last, draws=ratio.size), task, room)


def partition_masses(each: Integers, choose: Floats, onward: Integers, sizes: Integers) -> Floats:
    """The weight of every way to split s tokens among documents (a partition of s), for all s at once.

    *onward*[state, c] is the partition with a part c more (−1: none); *choose*[k, c] ∝ (n_k choose c) for the k-th
    distinct length, of which there are *each*[k]. *sizes* are the s of the states, ascending.
    """
    largest = choose.shape[1] - 1
    require(choose.shape[0] == each.size and onward.shape == (sizes.size, largest + 1), "one row per length, state")
    require(sizes.size > 0 and sizes[0] == 0 and bool((sizes >= 0).all()), "the first state has no tokens")
    mass = np.empty(sizes.size)
    task = PartitionTask(
        documents=each,
        choose=choose,
        onward=onward,
        sizes=sizes,
        lengths=each.size,
        states=sizes.size,
        largest=largest,
        mass=mass,
    )
    call("tb_partition_masses", task)
    return mass


def tail_task(
    n_i: Floats, odds: Floats, start_b: Floats, grid: Floats, base: Floats, tilts: Floats, length: Floats,
    weight: Floats, steps: Floats, log_gamma: Floats,
) -> TailTask:  # fmt: skip
    """The tails of g(b) + 2R at several n_i, at each tilt; rows of *base* are g on the even rows of *grid*, of b.

    Documents come in classes of binomial counts, *weight* many of each *length*. Rows of *steps* are (c − 1)^{2s}/c for
    every tilt s, and *log_gamma* is log Γ(c).
    """
    require(n_i.shape == odds.shape == start_b.shape, "there is one number of occurrences per tail")
    require(grid.ndim == 2 and grid.shape == base.shape and grid.shape[0] == n_i.size, "there is one grid per tail")
    require(grid.shape[1] > 1, "a grid has two points at least")
    require(length.shape == weight.shape, "there is one weight per class")
    require(steps.shape == (tilts.size, log_gamma.size), "there is one row of steps per tilt")
    length, weight = (np.append(values, np.zeros(-values.size % LANES)) for values in (length, weight))
    return TailTask(
        n_i=n_i,
        odds=odds,
        start_b=start_b,
        tails=n_i.size,
        tilts=tilts,
        size=tilts.size,
        length=length,
        weight=weight,
        classes=length.size,
        grid=grid,
        base=base,
        grid_size=grid.shape[1],
        steps=steps,
        log_gamma=log_gamma,
        counts=log_gamma.size,
        x=np.empty((n_i.size, tilts.size)),
        log_p=np.empty((n_i.size, tilts.size)),
    )


def tail_curves(task: TailTask) -> tuple[Floats, Floats]:
    """The points (x, log p + constant) at each tilt, a row per tail."""
    call("tb_tail_curves", task)
    return task.arrays["x"], task.arrays["log_p"]


def tilted(task: TailTask, row: int, slope: float, start: float) -> tuple[float, float, float, float]:
    """The null tilted by e^{s(slope·b + 2R)}, given that the total is n_i: u, its log mass, and the means of b and R.

    s is the tilt of that row; u, which begins at *start*, makes the mean total n_i.
    """
    require(task.tails > 0, "there is a tail")
    out = np.zeros(1, TILTED)
    call("tb_tilted", task, TiltTask(row=row, slope=slope, start=start, out=out))
    u, mass, b, r = out[0].tolist()
    return u, mass, b, r


def log_one_document(excess: Floats, share: float, rate: Floats, weight: Floats, length: Floats) -> Floats:
    """log of the chance that one document alone brings Σ_j (n_ij − n_j p)² up by each *excess*: Σ P(Poisson ≥ that)."""
    require(rate.shape == weight.shape == length.shape, "there is one rate per class")
    log_p = np.empty(excess.size)
    task = OneDocumentTask(
        excess=excess,
        size=excess.size,
        share=share,
        rate=rate,
        weight=weight,
        length=length,
        classes=rate.size,
        log_p=log_p,
    )
    call("tb_one_document", task)
    return log_p
