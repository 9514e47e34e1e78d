"""Likelihood ratios and confidence limits of the difference of two burst ratios (burst_difference.c)."""

from __future__ import annotations

from termburst.core.beta_binomial import room
from termburst.core.binding import Floats, Integers, call, require, struct
from termburst.core.cells import Cells
from termburst.core.length_table import LengthTable


def burst_differences(
    cells: Cells, tables: tuple[LengthTable, LengthTable], terms: Integers, fits: Floats, roots: Floats, out: Floats
) -> None:
    """2(ℓ̂ − ℓ) at equal burst ratios, and the limits of log R_a/R_b, to the rows of *out* of the given terms.

    *fits* has six numbers per term of the collection: τ (inf at the boundary), ω and the gain over the binomial, of
    each group. At a limit √(2(ℓ̂ − ℓ)) is the root of the term; with 0 no limits are
    searched.
    """
    require(cells.groups == 2, "there must be two groups")
    require(fits.shape == (cells.terms, 6), "a row of fits must have tau, omega and gain of each group")
    require(roots.shape == (cells.terms,), "there must be one root per term")
    require(out.shape == (cells.terms, 3), "a row of out must have a ratio and two limits")
    task = struct("DifferenceTask", terms=terms, fits=fits, roots=roots, out=out)
    call("tb_burst_differences", cells, *tables, task, room(cells, 2))
