"""Runs the plans of questions about terms where the data are: terms are dealt out, and only small columns come here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions
from termburst.engines.batches import folder_of, kept, map_batches, map_terms, read_file, read_spooled, spooled
from termburst.engines.cells import Cells, cells_of, kept_patterns, length_statistics
from termburst.engines.door import Opened
from termburst.engines.frames import back_from_polars, in_polars, is_spark, to_polars
from termburst.engines.term_cells import cells_of_groups, lengths_of_groups
from termburst.models.cells import check_lengths
from termburst.questions.plans import Finish, Floats, Rows, TableRows, TermsPlan, floats, run_in_memory
from termburst.statistics.tally import Integers
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

Groups = tuple[tuple[str, Integers, Integers], ...]  # name, lengths and documents of each length, of every group
PLACE = "_place"  # column of results on Spark: a number for each row


def run(plan: TermsPlan, parts: tuple[Any, ...], groups: Groups, like: Any = None) -> Any:
    """The table of a plan, as a frame of the engine; its rows are in no order, but for frames in memory.

    Parameters
    ----------
    parts : frames of term, count, length, (group,) documents that have no term in common
    groups : of all documents
    like : the frame in memory, if there is one, whose engine the result is to have; parts are frames of Polars then
    """
    if plan.all_terms is not None:
        raise ValueError(
            f"{plan.all_terms}, but engines deal terms out; compare engines.term_statistics(frame, detail='patterns') "
            "of both frames with termburst.keyness"
        )
    if like is not None:
        terms, cells = cells_of_groups(nw.to_native(parts[0]), groups)
        return back_from_polars(nw.from_native(run_in_memory(plan, terms, cells)), like)
    plan = plan.prepared(lengths_of_groups(groups))
    if plan.learns:
        said = map_terms(parts, partial(lesson_of, plan=plan, groups=groups), plan.lesson_schema())
        plan = plan.taught(to_polars(said))
    function = partial(rows_of, plan=plan, groups=groups)
    results = map_terms(parts, function, plan.schema(), place=PLACE)
    return nw.to_native(finished(results, plan.schema(), plan.finish, parts[0]))


def lesson_of(patterns: pl.DataFrame, *, plan: TermsPlan, groups: Groups) -> pl.DataFrame:
    """What some terms say about the others, of which all patterns are given."""
    return plan.learn(cells_of_groups(patterns, groups)[1])


def rows_of(patterns: pl.DataFrame, *, plan: TermsPlan, groups: Groups) -> pl.DataFrame:
    """The rows of some terms, of which all patterns are given."""
    return plan.rows(*cells_of_groups(patterns, groups))


def run_on_collection(plan: TermsPlan, source: Opened, counting: CountingOptions | None) -> Any:
    """The table of a plan of one collection, as a native frame."""
    cells = cells_of(source, counting, "patterns")
    like = source.frame if isinstance(source.frame, nw.DataFrame) else None
    return run_on_cells(plan, cells, length_statistics(cells), like)


def run_on_cells(plan: TermsPlan, cells: Cells, collection: TermStatistics, like: Any = None) -> Any:
    """The same from cells, and a collection that has their document lengths."""
    check_lengths(collection.lengths)
    parts = tuple(in_polars(part)[0] if like is not None else part for part in kept_patterns(cells))
    return run(plan, parts, (("", collection.lengths, collection.length_documents),), like)


def finished(results: Any, schema: dict[str, Any], finish: Callable[[Rows], Finish], like: Any) -> Any:
    """The final table, a frame as *like*, from the results of `map_terms` with `PLACE`, which have these columns.

    Files of the results are deleted.
    """
    import polars as pl

    empty = pl.DataFrame(schema=schema)
    if isinstance(results, nw.DataFrame):
        table = nw.to_native(results)
        end = finish(TableRows(table))
        return nw.from_native(end.selected(end.ended(table)))
    if is_spark(results):
        rows = SparkRows(kept(results))
        end = finish(rows)
        found = map_batches(rows.with_q_value(end, list(schema)), end.apply, end.ended(empty, slice(0, 0)).schema)
    else:
        folder = folder_of(results)
        files = FileRows(sorted(folder.glob("*.parquet")) if folder else [])
        end = finish(files)
        found = read_spooled(spooled(files.ended(end), end.ended(empty, slice(0, 0)).schema), like)
    return found if end.columns is None else found.select(*end.columns)


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

    def ended(self, end: Finish) -> Iterator[pl.DataFrame]:
        """The final rows of all files, which are deleted."""
        start = 0
        for file in self.files:
            table = read_file(file)
            yield end.ended(table, slice(start, start + table.height))
            start += table.height
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
        import polars as pl

        from termburst.engines.spark import from_polars

        if end.q_value is None:
            return self.frame.select(*columns)
        places = to_polars(self.frame.select(PLACE))[PLACE].sort()
        values = pl.DataFrame({PLACE: places, "q_value": end.q_value}).with_columns(pl.col("q_value").fill_nan(None))
        q_values = nw.from_native(from_polars(values, nw.to_native(self.frame)))
        without = self.frame.select(PLACE, *(name for name in columns if name != "q_value"))
        return without.join(q_values, on=PLACE, how="left").select(*columns)
