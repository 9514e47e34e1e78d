"""Plans of questions about terms: the same few steps, whoever runs them, and on all terms or on some at a time.

1. `learn`: what some terms say about the others, as a few rows; `taught` is the plan with the rows of all terms.
2. `rows`: one row of the table for each term, or several, from all cells of the term.
3. `finish`: what depends on all rows, such as adjusted p-values. Only the columns that it asks for come to one process.

`run_in_memory` has all terms at once, so step 1 is left to step 2. Engines deal terms out to workers, so a plan is a
frozen dataclass that can be pickled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from termburst.inference.multiplicity import selected_end
from termburst.models.cells import TermCells

Floats = NDArray[np.float64]
NO_ROWS = "there are no documents: the frame has no rows, or none that meets the condition of where"
Order = Sequence[Any]  # expressions of the columns of a table, by which its rows are sorted: null last, equal ones stay

# Two documents with each of two terms: enough to see which columns a plan makes.
SAMPLE = TermCells(
    np.arange(3), np.ones(2, np.int32), np.full(2, 2, np.int32), np.full(2, 2.0), np.full(2, 2), np.full(2, 2),
    np.array([2, 3]), np.array([6, 6]),
)  # fmt: skip


class Rows(Protocol):
    """All rows of a table, wherever they are, in an order that stays the same."""

    def take(self, *names: str, at_most: float | None = None) -> list[Floats]:
        """Columns of numbers, NaN for null; with *at_most* only those of rows whose p_value is at most that."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a plan.

    Attributes
    ----------
    q_value : of all rows, in their order; None if the table has none
    apply : from rows with their q_value to rows of the final table; it treats each row by itself
    columns : of the final table, if not all
    """

    q_value: Floats | None
    apply: Callable[[pl.DataFrame], pl.DataFrame]
    columns: tuple[str, ...] | None = None

    def ended(self, table: pl.DataFrame, rows: slice = slice(None)) -> pl.DataFrame:
        """The final rows of these *rows* of the table, with all columns."""
        if self.q_value is not None:  # null where nothing was tested
            table = table.with_columns(q_value=pl.Series(self.q_value[rows], dtype=pl.Float64).fill_nan(None))
        return self.apply(table)

    def selected(self, table: pl.DataFrame) -> pl.DataFrame:
        """The columns of the final table."""
        return table if self.columns is None else table.select(self.columns)


class TermsPlan(ABC):
    """The steps of a question about terms. Columns whose names begin with _ are only for `finish`."""

    learns: bool = True  # whether terms say something about each other

    def over(self, terms: int) -> Self:
        """The plan for a collection of so many terms."""
        return self

    def prepared(self, collections: Sequence[TermCells]) -> Self:
        """The plan for groups of documents with these lengths: cells without terms."""
        return self

    def learn(self, cells: Sequence[TermCells]) -> pl.DataFrame:
        """What some terms say about the others, of which the cells in each group are given: see `lesson`."""
        raise NotImplementedError

    @staticmethod
    def lesson_schema() -> dict[str, Any]:
        """The columns of `learn`: values with a name and a place."""
        return {"pair": pl.Int64, "what": pl.String, "place": pl.Int64, "value": pl.Float64}

    def taught(self, rows: pl.DataFrame) -> Self:
        """The plan with what all terms say: the rows of `learn` for all of them."""
        return self

    @abstractmethod
    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """The rows of some terms. A plan that was not taught learns from these alone."""

    @abstractmethod
    def finish(self, rows: Rows) -> Finish:
        """What all rows together say."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The columns of `rows` and their types, for engines that must know them in advance."""

    def order(self) -> Order:
        """What the rows of the final table are sorted by; nothing if they may come in any order."""
        return [pl.col("term")]


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows of a table in memory."""

    table: pl.DataFrame

    def take(self, *names: str, at_most: float | None = None) -> list[Floats]:
        """See `Rows`."""
        if at_most is None:
            return [floats(self.table[name]) for name in names]
        some = self.table["p_value"] <= at_most
        return [floats(self.table[name].filter(some)) for name in names]


def lesson(values: Mapping[tuple[int, str], ArrayLike]) -> pl.DataFrame:
    """Rows of pair, what, place and value, as `TermsPlan.learn` returns them.

    Examples
    --------
    >>> lesson({(0, "terms"): [12.0], (1, "sums"): [0.5, 0.7]}).rows()
    [(0, 'terms', 0, 12.0), (1, 'sums', 0, 0.5), (1, 'sums', 1, 0.7)]
    """
    schema: Any = TermsPlan.lesson_schema()
    rows = [
        pl.DataFrame({"pair": pair, "what": what, "place": np.arange(np.size(value)), "value": np.ravel(value)})
        for (pair, what), value in values.items()
    ]
    return pl.concat([pl.DataFrame(schema=schema), *(row.cast(schema) for row in rows)])


def sums_of(rows: pl.DataFrame) -> dict[tuple[int, str], Floats]:
    """The sums over all terms: values with the same pair, name and place add up."""
    keys = ["pair", "what", "place"]
    total = rows.group_by(keys).agg(pl.col("value").sum()).sort(keys)
    parts = total.partition_by("pair", "what", as_dict=True, maintain_order=True)
    return {(int(pair), str(what)): part["value"].to_numpy() for (pair, what), part in parts.items()}


def run_in_memory(plan: TermsPlan, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
    """The table of a plan, from all terms at once."""
    plan = plan.over(cells[0].n_i.size)
    return finished(plan, plan.rows(terms, cells))


def finished(plan: TermsPlan, table: pl.DataFrame) -> pl.DataFrame:
    """The final table in order, from all rows in memory."""
    end, order = plan.finish(TableRows(table)), plan.order()
    found = end.ended(table)
    return end.selected(found.sort(order, nulls_last=True, maintain_order=True) if order else found)


def with_selected_end(table: pl.DataFrame, *, confidence: float | None) -> pl.DataFrame:
    """Rows with their lower bounds by `selected_end`, and without the columns that were only for `finish`."""
    low, high, q_value = (floats(table[name]) for name in ("ci_low", "ci_high", "q_value"))
    return with_lower_bound(table, selected_end(low, high, q_value, confidence))


def with_lower_bound(table: pl.DataFrame, lower_bound: Floats) -> pl.DataFrame:
    """Rows with these lower bounds, and without the columns that were only for `finish`."""
    # + 0.0: no −0
    return shown(table.with_columns(lower_bound=pl.Series(lower_bound + 0.0, dtype=pl.Float64).fill_nan(None)))


def shown(table: pl.DataFrame) -> pl.DataFrame:
    """Rows without the columns that were only for `finish`."""
    return table.select(name for name in table.columns if not name.startswith("_"))


def floats(column: pl.Series) -> Floats:
    """A column of numbers, NaN for null."""
    return np.asarray(column.to_numpy(), np.float64)
