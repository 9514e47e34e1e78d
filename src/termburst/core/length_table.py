"""Sums over document lengths, and the table to look them up (length_table.c)."""

from __future__ import annotations

import math
from typing import NewType

import numpy as np

from termburst.core.binding import Floats, Integers, Struct, call, require, struct

DEGREE = 10  # of the polynomial on each panel; as in length_table.h
WIDTH = 0.5  # of a panel, in log z
LOWEST = math.log(1e-12)
PANELS = 130  # up to log z = 37.4; above, and below LOWEST, the limits are used

LengthTable = NewType("LengthTable", Struct)


def length_table(coefficients: Floats, tokens: float, pairs: float, longest: int) -> LengthTable:
    """The table as a struct for kernels."""
    require(coefficients.shape == (PANELS, DEGREE + 1, 2), f"a length table must have {PANELS} panels of polynomials")
    return struct(LengthTable, coefficients=coefficients, tokens=tokens, pairs=pairs, longest=longest)


def length_sums(log_z: Floats, longer: Floats, edges: Integers, run_longer: Floats) -> tuple[Floats, Floats]:
    """K(z) = Σ_k C_k k/(z + k) and z Σ_k C_k k/(z + k)² = −dK/d log z, at each log z.

    C_k (`longer`) is the number of documents longer than k, given one by one for small k. For larger k it is constant
    between the distinct lengths, and each such run [edges[r], edges[r + 1]) is summed by the Euler–Maclaurin formula.
    """
    require(edges.size == run_longer.size + 1, "there must be one edge more than there are runs")
    value, slope = np.empty(log_z.size), np.empty(log_z.size)
    longer = np.append(longer, np.zeros(-longer.size % 4))  # padded to whole lanes
    call("tb_length_sums", struct("LengthCounts", locals()), struct("LengthSums", locals()))
    return value, slope


def look_up(table: LengthTable, log_z: Floats) -> tuple[Floats, Floats]:
    """(K(z), −dK/d log z) at each log z, from the polynomials of the table."""
    value, slope = np.empty(log_z.size), np.empty(log_z.size)
    call("tb_look_up", table, struct("LengthSums", log_z=log_z, value=value, slope=slope))
    return value, slope
