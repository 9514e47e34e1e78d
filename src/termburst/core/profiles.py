"""What a group of documents says about the precision of a term, and what it is then worth (profiles.c)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import beta_binomial
from termburst.core.binding import Float, In_f64, In_i64, Int, Struct, call, pointer, require
from termburst.core.cells import Cells
from termburst.core.length_table import DEGREE, PANELS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NODES = 24  # points of a profile at most


class GroupLengths(Struct):
    _fields_ = [("tables", In_f64), ("tokens", In_f64), ("groups", Int)]


class SideProfile(Struct):
    """The profile of one group, for one term; `SIDE_PROFILE` is the NumPy dtype of the same struct."""

    _fields_ = [
        ("height", Float * NODES),
        ("slope", Float * NODES),
        ("omega", Float * NODES),
        ("log_size", Float * NODES),
        ("skew", Float * NODES),
        ("step", Float),
        ("first", Int),
        ("size", Int),
    ]


SIDE_PROFILE = np.dtype(SideProfile)


class SideProfileTask(Struct):
    _fields_ = [
        ("terms", In_i64),
        ("size", Int),
        ("start", In_f64),
        ("highest", Float),
        ("out", pointer(SIDE_PROFILE, writes=True)),
    ]


def group_lengths(tables: Floats, tokens: Floats) -> GroupLengths:
    """The length table and the number of tokens of each group."""
    require(tables.shape == (tokens.size, PANELS, DEGREE + 1, 2), "there must be one length table per group")
    return GroupLengths(tables=tables, tokens=tokens, groups=tokens.size)


def profiles(cells: Cells, lengths: GroupLengths, terms: Integers, start: Floats, highest: float) -> NDArray[Any]:
    """The profiles of the given terms, terms × groups.

    *start* is the τ around which the likelihood is, one entry per term of the collection; no point is above *highest*.
    """
    require(lengths.groups == cells.groups <= 2, "there must be one or two groups, and one length table per group")
    require(start.shape == (cells.terms,), "start must have one entry per term")
    require(not np.isnan(start).any(), "start must be a number")
    out = np.zeros((terms.size, cells.groups), SIDE_PROFILE)
    task = SideProfileTask(terms=terms, size=terms.size, start=start, highest=highest, out=out.reshape(-1))
    call("tb_profiles", cells, lengths, task, beta_binomial.room(cells, cells.groups))
    return out
