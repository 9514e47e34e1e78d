"""Runs the plans of questions about terms where the data are: terms are dealt out, and only small columns come here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.backends.cells import Groups, cells_of_groups, lengths_of_groups
from termburst.backends.frames import is_spark, to_polars
from termburst.backends.memory import limit_engine
from termburst.backends.stream import (
    folder_of,
    is_lazy_polars,
    kept,
    map_batches,
    map_terms,
    read_file,
    spooled,
)
from termburst.questions.plans import Finish, Floats, Order, Rows, TableRows, TermsPlan, floats, run_in_memory

PLACE = "_place"  # column of results on Spark: a number for each row
ROW = "_row"  # the same in files, so that rows with equal keys stay in their order


def run(plan: TermsPlan, parts: tuple[Any, ...], groups: Groups, *, few: bool = False) -> Any:
    """The table of a plan, as a frame of the engine, with its rows in order; on Spark they are in none.

    Parameters
    ----------
    parts : frames of term, count, length, (group,) documents that have no term in common
    groups : of all documents
    few : whether all terms are in one part that fits into memory
    """
    limit_engine(parts[0])  # cells may be older than the limit
    rows = to_polars(parts[0]) if few else None
    if rows is not None and rows.height:
        return in_engine(run_in_memory(plan, *cells_of_groups(rows, groups)), parts[0])
    plan = plan.prepared(lengths_of_groups(groups))
    if plan.learns:
        said = map_terms(parts, partial(lesson_of, plan=plan, groups=groups), plan.lesson_schema())
        plan = plan.taught(to_polars(said))
    results = map_terms(parts, partial(rows_of, plan=plan, groups=groups), plan.schema(), place=PLACE)
    return finished(results, plan.schema(), plan.finish, parts[0], plan.order())


def lesson_of(patterns: pl.DataFrame, *, plan: TermsPlan, groups: Groups) -> pl.DataFrame:
    """What some terms say about the others, of which all patterns are given."""
    return plan.learn(cells_of_groups(patterns, groups)[1])


def rows_of(patterns: pl.DataFrame, *, plan: TermsPlan, groups: Groups) -> pl.DataFrame:
    """The rows of some terms, of which all patterns are given."""
    return plan.rows(*cells_of_groups(patterns, groups))


def in_engine(table: pl.DataFrame, like: Any) -> Any:
    """A table in memory as a frame of the engine of *like*: Polars or DuckDB."""
    if is_lazy_polars(like):
        return nw.from_native(table.lazy())
    return spooled([table], table.schema, like)


def finished(
    results: Any, schema: dict[str, Any], finish: Callable[[Rows], Finish], like: Any, order: Order = ()
) -> Any:
    """The final table, a frame as *like*, from the results of `map_terms` with `PLACE`, which have these columns.

    Files of the results are deleted.
    """
    empty = pl.DataFrame(schema=schema)
    if is_spark(results):
        rows = SparkRows(kept(results))
        end = finish(rows)
        found = map_batches(rows.with_q_value(end, list(schema)), end.apply, end.ended(empty, slice(0, 0)).schema)
        return found if end.columns is None else found.select(*end.columns)
    folder = folder_of(results)
    files = FileRows(sorted(folder.glob("*.parquet")) if folder else [])
    end = finish(files)
    final = end.ended(empty, slice(0, 0))
    keys = {f"_order_{k}": key for k, key in enumerate(order)}
    schema = dict(final.with_columns(**keys).schema) | ({ROW: pl.Int64} if order else {})
    found = spooled(files.ended(end, keys), schema, like)
    return sorted_by(found, [*keys, ROW] if order else [], end.columns or final.columns)


def sorted_by(frame: Any, keys: Sequence[str], columns: Sequence[str]) -> Any:
    """These columns of a frame, sorted by the engine; null comes last."""
    found = frame.sort(*keys, nulls_last=True) if keys else frame
    return found.select(*columns)


class FileRows:
    """The rows of scratch files of this process, one file in memory at a time."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files

    def take(self, *names: str, at_most: float | None = None) -> list[Floats]:
        """See `Rows`."""
        found: list[list[Floats]] = [[np.zeros(0)] for _ in names]
        for file in self.files:
            table = TableRows(read_file(file, names if at_most is None else list({*names, "p_value"})))
            for held, column in zip(found, table.take(*names, at_most=at_most), strict=True):
                held.append(column)
        return [np.concatenate(found.pop(0)) for _ in names]

    def ended(self, end: Finish, keys: dict[str, Any]) -> Iterator[pl.DataFrame]:
        """The final rows of all files, with columns to sort by and a number for each row. The files are deleted."""
        start = 0
        for file in self.files:
            table = read_file(file)
            stop = start + table.height
            yield end.ended(table, slice(start, stop)).with_columns(pl.int_range(start, stop).alias(ROW), **keys)
            start = stop
            file.unlink()


class SparkRows:
    """The rows of a persisted frame, in the order of their places."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def take(self, *names: str, at_most: float | None = None) -> list[Floats]:
        """See `Rows`."""
        some = self.frame if at_most is None else self.frame.filter(nw.col("p_value") <= at_most)
        table = to_polars(some.select(PLACE, *names)).sort(PLACE)
        return [floats(table[name]) for name in names]

    def with_q_value(self, end: Finish, columns: list[str]) -> Any:
        """The frame with q-values, which come by a join on the places of rows: these are numbers, and few bytes."""
        from termburst.backends.spark import from_polars

        if end.q_value is None:
            return self.frame.select(*columns)
        places = to_polars(self.frame.select(PLACE))[PLACE].sort()
        values = pl.DataFrame({PLACE: places, "q_value": end.q_value}).with_columns(pl.col("q_value").fill_nan(None))
        q_values = nw.from_native(from_polars(values, nw.to_native(self.frame)))
        without = self.frame.select(PLACE, *(name for name in columns if name != "q_value"))
        return without.join(q_values, on=PLACE, how="left").select(*columns)
