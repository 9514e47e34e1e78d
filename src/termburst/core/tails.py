"""Upper tails of the null distributions of the burstiness test: from draws, and extrapolated beyond them (tails.c)."""

from __future__ import annotations

from typing import NamedTuple, NewType

import numpy as np

from termburst.core.beta_binomial import LANES
from termburst.core.binding import Floats, Integers, Struct, call, record, require, struct

TailTask = NewType("TailTask", Struct)


def tail_task(
    n_i: Floats, odds: Floats, start_b: Floats, grid: Floats, base: Floats, tilts: Floats, length: Floats,
    weight: Floats, steps: Floats, log_gamma: Floats,
) -> TailTask:  # fmt: skip
    """The task: tails of g(b) + 2R at several n_i, at each tilt.

    Rows of *grid* are evenly spaced values of b, and rows of *base* are g there. Documents come in classes with
    binomial counts; *weight* documents have each *length*. Rows of *steps* are (c − 1)^{2s}/c for each tilt s, and
    *log_gamma* is log Γ(c).
    """
    require(n_i.shape == odds.shape == start_b.shape, "n_i, odds and start_b must have one entry per tail")
    require(
        grid.ndim == 2 and grid.shape == base.shape and grid.shape[0] == n_i.size,
        "grid and base must have one row per tail",
    )
    require(grid.shape[1] > 1, "a grid must have at least two points")
    require(length.shape == weight.shape, "length and weight must have one entry per class")
    require(steps.shape == (tilts.size, log_gamma.size), "steps must have one row per tilt")
    length, weight = (np.append(values, np.zeros(-values.size % LANES)) for values in (length, weight))
    x, log_p = np.empty((2, n_i.size, tilts.size))
    return struct(TailTask, locals(), grid_size=grid.shape[1])


def tail_curves(task: TailTask) -> tuple[Floats, Floats]:
    """The points (x, log p + constant) at each tilt, one row per tail."""
    call("tb_tail_curves", task)
    return task.arrays["x"], task.arrays["log_p"]


def tilted(task: TailTask, row: int, slope: float, start: float) -> tuple[float, float, float, float]:
    """The null tilted by e^{s(slope·b + 2R)}, given a total of n_i: u, its log mass, and the means of b and R.

    s is the tilt of that row. u is chosen so that the mean total is n_i; the search starts at *start*.
    """
    require(task.tails > 0, "there must be a tail")
    out = np.zeros(1, record("Tilted"))
    call("tb_tilted", task, struct("TiltTask", row=row, slope=slope, start=start, out=out))
    u, mass, b, r = out[0].tolist()
    return u, mass, b, r


class Reach(NamedTuple):
    """How many draws reach and exceed each value; for each sample, where its tail begins and how many reach that."""

    reached: Integers
    exceeded: Integers
    anchor: Floats
    at_least: Integers


def reach(sample: Floats, observed: Floats, row: Integers, top: int, few: int, tie: float) -> Reach:
    """Compare each *observed* value with a *row* of sorted draws. The tail of a row begins at its *top*-th largest.

    Values with a relative difference up to *tie* are equal. If most draws from that place on are equal, the tail begins
    at the next larger draw, or at the largest if fewer than *few* are larger.
    """
    rows, draws = sample.shape
    require(observed.shape == row.shape, "observed and row must have one entry per value")
    require(1 <= top <= draws and few >= 1, "a tail must begin at one of the draws")
    reached, exceeded = np.empty((2, observed.size), np.int64)
    anchor, at_least = np.empty(rows), np.empty(rows, np.int64)
    call("tb_reach", struct("ReachTask", locals()))
    return Reach(reached, exceeded, anchor, at_least)


def falling_cubics(x: Floats, y: Floats, size: Integers, shift: Floats, value: Floats, row: Integers) -> Floats:
    """Monotone piecewise cubics through decreasing points with increasing x (Fritsch & Butland 1984).

    In each row of *x* and *y* the first *size* points are used, shifted by *shift*. A *value* beyond the ends gets the
    value at that end. The same as SciPy's `PchipInterpolator`, which is slow for many curves with few points each.
    """
    rows, columns = x.shape
    require(x.shape == y.shape and size.shape == shift.shape == (rows,), "there must be one curve per row")
    require(value.shape == row.shape, "value and row must have one entry per value")
    out, room = np.empty(value.size), np.empty(2 * columns)
    call("tb_falling_cubics", struct("CubicTask", locals()))
    return out


def log_one_document(
    excess: Floats, row: Integers, n_i: Floats, tokens: float, length: Floats, weight: Floats
) -> Floats:
    """log of the probability that one document alone raises Σ_j (n_ij − n_j p)² by *excess*: a sum of Poisson tails.

    *row* is the term of each excess in *n_i*, and p = n_i/tokens. *weight* documents have each *length*.
    """
    require(excess.shape == row.shape, "excess and row must have one entry per value")
    require(length.shape == weight.shape, "length and weight must have one entry per class")
    log_p, log_weight, room = np.empty(excess.size), np.log(weight), np.empty(2 * length.size)
    call("tb_one_document", struct("OneDocumentTask", locals()))
    return log_p
