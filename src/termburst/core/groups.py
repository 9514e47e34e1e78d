"""Fits of a term in several groups of documents, and confidence limits of the ratio of two groups (groups.c)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from termburst.core import beta_binomial
from termburst.core.beta_binomial import Term
from termburst.core.binding import Float, In_f64, In_i64, In_u8, Int, Out_f64, Out_u8, Struct, call, require
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


class RatioTask(Struct):
    _fields_ = [
        ("terms", In_i64),
        ("size", Int),
        ("kappa", Float),
        ("own", In_u8),
        ("fits", In_f64),
        ("critical", In_f64),
        ("out", Out_f64),
    ]


def group_lengths(tables: Floats, tokens: Floats, longest: int) -> GroupLengths:
    """The length table and the number of tokens of each group, and the length of the longest document."""
    require(tables.shape == (tokens.size, PANELS, DEGREE + 1, 2), "there must be one length table per group")
    return GroupLengths(tables=tables, tokens=tokens, groups=tokens.size, longest=longest)


def _room(groups: int) -> GroupRoom:
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
    rooms = beta_binomial.room(cells, cells.groups), _room(cells.groups)
    call("tb_fit_groups", cells, lengths, task, *rooms)


def ratios(
    cells: Cells, lengths: GroupLengths, terms: Integers, own: NDArray[np.uint8], fits: Floats, out: Floats
) -> None:
    """2(ℓ̂ − ℓ) of the given terms, to *out*; under ℓ the two groups have the same mean and separate precisions.

    *fits* has one row per term of the collection: τ_a, τ_b, gain, ω_a, ω_b.
    """
    require(out.shape == (cells.terms,), "out must have one entry per term")
    _two_groups("tb_ratios", cells, lengths, 0.0, terms, own, fits, out, out)


def ratio_limits(
    cells: Cells, lengths: GroupLengths, kappa: float, terms: Integers, own: NDArray[np.uint8], fits: Floats,
    critical: Floats, out: Floats,
) -> None:  # fmt: skip
    """Profile-likelihood limits of log π_a/π_b for the given terms of two groups: low and high in the rows of *out*.

    At a limit, twice the log-likelihood is lower by *critical*. Terms marked *own* have one precision per group; the
    others have precisions tied by κ. *fits* is as for `ratios`.
    """
    require(
        critical.shape == (cells.terms,) and out.shape == (cells.terms, 2),
        "critical and out must have one entry per term",
    )
    _two_groups("tb_ratio_limits", cells, lengths, kappa, terms, own, fits, critical, out)


def _two_groups(
    kernel: str, cells: Cells, lengths: GroupLengths, kappa: float, terms: Integers, own: NDArray[np.uint8],
    fits: Floats, critical: Floats, out: Floats,
) -> None:  # fmt: skip
    require(lengths.groups == cells.groups, "there must be one length table per group")
    require(own.shape == (cells.terms,) and fits.shape == (cells.terms, 5), "there must be one row of fits per term")
    task = RatioTask(terms=terms, size=terms.size, kappa=kappa, own=own, fits=fits, critical=critical, out=out)
    call(kernel, cells, lengths, task, beta_binomial.room(cells, 2), _room(2))
