"""Maxima over the columns of an urn (urn_columns.c)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

import numpy as np

from termburst.core.binding import Floats, Integers, Numbers, Struct, call, require, struct

UrnRows = NewType("UrnRows", Struct)
UrnLines = NewType("UrnLines", Struct)
ColumnRoom = NewType("ColumnRoom", Struct)


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """What stood before the tokens of each term; see `UrnRows` in urn_columns.h.

    Attributes
    ----------
    row_of : shape (terms + 1,), where the rows of each column begin
    starts : shape (rows + 1,), where the cells of each row begin
    local, amounts : which sources of the column stood before, from 1, ascending in a row; and how often
    weight : how many tokens each row stands for
    """

    row_of: Integers
    starts: Integers
    local: Numbers
    amounts: Floats
    weight: Floats

    def for_kernels(self) -> UrnRows:
        """The same as a struct."""
        require(self.starts.size == self.weight.size + 1, "each row must have a start and a weight")
        require(self.local.size == self.amounts.size, "each cell must have an amount")
        return struct(UrnRows, vars(self), terms=self.row_of.size - 1)


def urn_lines(
    indptr: Integers,
    exposure: Floats,
    inverse: float,
    of_entries: tuple[Floats, Floats],
    of_alpha: tuple[float, Floats],
) -> UrnLines:
    """The bounds of −log Z as a struct for kernels, with the prior of each entry and of α: counts and rates."""
    (count, rate), (alpha_count, alpha_rate) = of_entries, of_alpha
    require(exposure.size == count.size == rate.size, "each entry must have an exposure and a prior")
    require(alpha_rate.size == indptr.size - 1, "each column must have a rate")
    require(inverse > 0, "there must be a token")
    return struct(UrnLines, locals())


def _columns_room(rows: ColumnRows, indptr: Integers) -> ColumnRoom:
    most_rows, most = int(np.diff(rows.row_of).max(initial=0)), int(np.diff(indptr).max(initial=0)) + 1
    numbers, free = np.empty(most_rows + 6 * most + most**2), np.empty(most, dtype=np.int64)
    return struct(ColumnRoom, locals(), most_parameters=most)


def _check(rows: ColumnRows, indptr: Integers, alpha: Floats, values: Floats, lines: UrnLines) -> None:
    require(alpha.size == rows.row_of.size - 1 == indptr.size - 1, "alpha, rows and columns must have the same size")
    require(values.size == lines.entries, "each entry of M must have an exposure")


def maximise_columns(
    rows: ColumnRows, indptr: Integers, lines: UrnLines, alpha: Floats, values: Floats, span: tuple[int, int]
) -> Floats:
    """Replace α and M of the columns of *span* by their maxima; returns Σ log mass of each column (0 of the others)."""
    _check(rows, indptr, alpha, values, lines)
    log_mass = np.zeros(alpha.size)
    columns = struct("UrnColumns", alpha=alpha, values=values, log_mass=log_mass, first=span[0], last=span[1])
    call("tb_urn_columns", rows.for_kernels(), lines, columns, _columns_room(rows, indptr))
    return log_mass


def profiles(
    rows: ColumnRows,
    indptr: Integers,
    lines: UrnLines,
    start: tuple[Floats, Floats],
    held: tuple[Integers, Numbers, Floats],
    own: Numbers,
    *,
    ratio: bool,
) -> tuple[Floats, Floats, Floats]:
    """The log-likelihood of columns, lines included, if one parameter is held; α and another entry there.

    Parameters
    ----------
    start : α and M to begin from, which are not changed
    held : the column, the place in it (0 is α, from 1 on its entries), and the value; one each
    own : the place of the other entry in its column, or 0; one each
    ratio : whether the value is M/α, and not M
    """
    alpha, values = start
    column, local, value = held
    _check(rows, indptr, alpha, values, lines)
    require(column.size == local.size == value.size == own.size, "each held parameter must have a column and a value")
    log_likelihood, free_value, own_value = np.empty((3, column.size))
    begun = struct("UrnColumns", alpha=alpha, values=values, log_mass=np.zeros(alpha.size), first=0, last=alpha.size)
    asked, room = struct("UrnProfiles", locals()), _columns_room(rows, indptr)
    call("tb_urn_profiles", rows.for_kernels(), lines, begun, asked, room)
    return log_likelihood, free_value, own_value
