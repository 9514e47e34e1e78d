"""The ratio of a term's means in two groups: its likelihood-ratio statistic and its confidence limits (ratios.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core import beta_binomial, groups
from termburst.core.binding import Float, In_f64, In_i64, In_u8, Int, Out_f64, Struct, call, require
from termburst.core.cells import Cells
from termburst.core.groups import GroupLengths

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
    call(kernel, cells, lengths, task, beta_binomial.room(cells, 2), groups.room(2))
