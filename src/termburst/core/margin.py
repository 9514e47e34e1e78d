"""A linear classifier of two classes with one prior variance per column (margin.c)."""

from __future__ import annotations

from typing import Any, NewType

import numpy as np

from termburst.core.binding import Floats, Struct, call, require, struct

WeightRows = NewType("WeightRows", Struct)


def weight_rows(weights: Any) -> WeightRows:
    """A CSR matrix of weights, documents × terms, as a struct for the kernel."""
    rows, columns = weights.shape
    require(columns < 2**31, "there must be fewer than 2**31 columns")
    starts, columns_of = weights.indptr.astype(np.int64), weights.indices.astype(np.int32)
    return struct(WeightRows, locals(), weights=weights.data.astype(np.float64))


def margin(
    rows: WeightRows, variance: Floats, side: Floats, cost: Floats, *, tolerance: float, sweeps: int, seed: int = 0
) -> tuple[Floats, float, Floats, float, float]:
    """Minimise ½ Σ_i v_i²/s_i + ½ b² + ½ Σ_j c_j max(0, 1 − y_j (v·x_j + b))².

    `variance` is s, `side` is y (1 or −1), `cost` is c. Returns v, b, the dual variables, the number of sweeps (a sweep
    over a part of the rows counts as that part) and the largest violation in the last sweep, which is at most
    `tolerance` if the search converged.
    """
    require(variance.shape == (rows.columns,), "variance must have one number per column")
    require(side.shape == cost.shape == (rows.rows,), "side and cost must have one number per row")
    pairs, dual, state = np.zeros((rows.columns, 2)), np.empty(rows.rows), np.empty(3)
    pairs[:, 1] = variance
    square, order = np.empty(rows.rows), np.empty(rows.rows, dtype=np.int64)
    call("tb_margin", rows, struct("MarginProblem", locals()), struct("MarginFit", locals()))
    return pairs[:, 0].copy(), float(state[0]), dual, float(state[1]), float(state[2])
