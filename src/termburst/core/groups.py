"""The lengths of the documents of several groups, as a struct for kernels (groups.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_f64, Int, Struct, require
from termburst.core.length_table import DEGREE, PANELS

Floats = NDArray[np.float64]


class GroupLengths(Struct):
    _fields_ = [("tables", In_f64), ("tokens", In_f64), ("groups", Int)]


def group_lengths(tables: Floats, tokens: Floats) -> GroupLengths:
    """The length table and the number of tokens of each group."""
    require(tables.shape == (tokens.size, PANELS, DEGREE + 1, 2), "there must be one length table per group")
    return GroupLengths(tables=tables, tokens=tokens, groups=tokens.size)
