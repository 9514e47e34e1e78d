"""Fits of a term in several groups of documents (groups.c)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from termburst.core import beta_binomial
from termburst.core.beta_binomial import Term
from termburst.core.binding import Float, In_f64, In_i64, Int, Out_f64, Out_u8, Struct, call, require
from termburst.core.cells import Cells
from termburst.core.length_table import DEGREE, PANELS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROWS = 6  # numbers per group in the scratch space, as in groups.c


class Group(Struct):
    """The data of one group that the likelihood of a term needs; filled by the kernels."""

    _fields_ = [("term", Term), ("table", ctypes.c_void_p), ("n", Float)]


class GroupLengths(Struct):
    _fields_ = [("tables", In_f64), ("tokens", In_f64), ("groups", Int), ("longest", Int)]


class GroupRoom(Struct):
    _fields_ = [("groups", Out_u8), ("rows", Out_f64), ("size", Int)]


class GroupFitTask(Struct):
    _fields_ = [
        ("terms", In_i64),
        ("size", Int),
        ("kappa", Float),
        ("tau", In_f64),
        ("gain", In_f64),
        ("omega", In_f64),
        ("out", Out_f64),
    ]


def group_lengths(tables: Floats, tokens: Floats, longest: int) -> GroupLengths:
    """The length table and the number of tokens of each group, and the length of the longest document."""
    require(tables.shape == (tokens.size, PANELS, DEGREE + 1, 2), "there must be one length table per group")
    return GroupLengths(tables=tables, tokens=tokens, groups=tokens.size, longest=longest)


def room(groups: int) -> GroupRoom:
    """Scratch space of one thread."""
    return GroupRoom(
        groups=np.zeros(groups * ctypes.sizeof(Group), np.uint8), rows=np.empty(ROWS * groups), size=ROWS * groups
    )


def fit_groups(
    cells: Cells, lengths: GroupLengths, kappa: float, terms: Integers, tau: Floats, gain: Floats, omega: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Fit the given terms. Their rows of *out* receive τ, the gain over one binomial per group, and ω of each group.

    *tau* (inf for the binomial), *omega* and *gain* are the fits to all groups together, one entry per term of the
    collection. κ ties the precision of a group to its mean.
    """
    require(lengths.groups == cells.groups, "there must be one length table per group")
    require(
        tau.shape == gain.shape == omega.shape == (cells.terms,), "tau, omega and gain must have one entry per term"
    )
    require(out.shape == (cells.terms, 2 + cells.groups), "a row of out must have tau, gain and omega of each group")
    task = GroupFitTask(terms=terms, size=terms.size, kappa=kappa, tau=tau, gain=gain, omega=omega, out=out)
    rooms = beta_binomial.room(cells, cells.groups), room(cells.groups)
    call("tb_fit_groups", cells, lengths, task, *rooms)
