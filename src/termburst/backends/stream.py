"""Our own code on an engine's data: one batch of rows at a time, or all rows of some terms at a time.

Batches are Polars frames for every engine. Spark runs the code on its executors. The rows of a lazy Polars frame and of
DuckDB are streamed through this process. The results are written to disk, in a folder that is deleted when the process
ends: so they can be read again, and are never in memory as a whole.
"""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from termburst.backends.frame_input import refuse_null_texts
from termburst.backends.frames import Remembered, bytewise, is_spark, to_polars
from termburst.scratch import scratch_folder
from termburst.threads import check_given_up

Function = Callable[[pl.DataFrame], pl.DataFrame]
Stage = Callable[[Iterable[pl.DataFrame]], Iterator[pl.DataFrame]]  # on all batches, one after another
Schema = Mapping[str, Any]  # the columns that a function returns: name to Polars type

ROWS = 200_000  # rows of counts in a batch
ROWS_PER_FILE = 500_000
BYTES_PER_FILE = 6_000_000  # in memory; rows of results are wide, and few of them are held
ROWS_OF_TERMS = 100_000  # rows whose terms are fitted at a time


def map_batches(frame: Any, function: Function, schema: Schema, *, rows: int = ROWS) -> Any:
    """The results of *function* on all batches of the frame's rows, as one frame."""
    return map_stream(frame, partial(map, function), schema, rows=rows)


def map_stream(frame: Any, stage: Stage, schema: Schema, *, rows: int = ROWS) -> Any:
    """What *stage* makes of all batches, as one frame. On Spark it gets the batches of one partition at a time."""
    if is_spark(frame):
        from termburst.backends.spark import map_in_arrow

        return nw.from_native(map_in_arrow(nw.to_native(frame), stage, schema))
    return spooled(stage(stream(frame, rows)), schema, frame)


def map_terms(
    parts: tuple[Any, ...], function: Function, schema: Schema, key: str = "term", *, place: str | None = None
) -> Any:
    """The results of *function* on all rows of some terms at a time; the parts have no term in common.

    With another *key*, its values take the place of the terms. With *place*, results on Spark have one more column of
    that name, a number for each row; elsewhere rows have an order.
    """
    first = parts[0]
    if is_spark(first):
        from termburst.backends.spark import map_terms_in_arrow

        return nw.from_native(map_terms_in_arrow(nw.to_native(first), function, schema, key, place))
    if len(parts) > 1:
        whole: Iterable[pl.DataFrame] = _several_parts(parts)
    else:
        whole = _whole_terms(stream(first.sort(key), ROWS), key)
    return spooled(map(function, whole), schema, first)


def kept(frame: Any) -> Any:
    """The frame, computed at most once although several queries read it; on Spark in the executors' own scratch space.

    Frames of other engines are returned unchanged: what our code computes for them is in files already.
    """
    if not is_spark(frame):
        return frame
    from termburst.backends.spark import keep

    return nw.from_native(keep(nw.to_native(frame)))


def stream(frame: Any, rows: int) -> Generator[pl.DataFrame]:
    """The frame's rows in this process, batch by batch.

    Files that this process wrote are read one after the other: an engine would read many of them ahead, and the more,
    the more there are. If texts are null, ValueError is raised after the last batch: then it is known how many are.
    """
    nulls = 0
    with contextlib.closing(_batches(frame, rows)) as batches:
        for batch in batches:
            check_given_up()
            nulls += batch["text"].null_count() if "text" in batch.columns else 0
            if not nulls:
                yield batch
    refuse_null_texts(nulls)


def _batches(frame: Any, rows: int) -> Generator[pl.DataFrame]:
    if (folder := folder_of(frame)) is not None:
        for file in sorted(folder.glob("*.parquet")):
            yield from read_file(file).iter_slices(rows)
        return
    native = nw.to_native(frame)
    if isinstance(native, pl.LazyFrame):
        yield from native.collect_batches(chunk_size=rows, maintain_order=True, engine="streaming")
    else:
        with contextlib.closing(native.to_arrow_reader(rows)) as reader:  # a connection has one open result at a time
            for batch in reader:
                yield pl.DataFrame(pl.from_arrow(batch))


def _several_parts(parts: tuple[Any, ...]) -> Iterator[pl.DataFrame]:
    """The rows of all parts, several parts at a time as long as these have at most `ROWS_OF_TERMS` rows."""
    held: list[pl.DataFrame] = []
    for part in map(to_polars, parts):
        if held and sum(one.height for one in held) + part.height > ROWS_OF_TERMS:
            yield pl.concat(held)
            held = []
        held.append(part)
    yield pl.concat(held)


def _whole_terms(batches: Iterable[pl.DataFrame], key: str = "term") -> Iterator[pl.DataFrame]:
    """Batches of about `ROWS_OF_TERMS` rows, cut where a term ends; the rows come sorted by term."""
    held: list[pl.DataFrame] = []
    size = 0
    for batch in batches:
        if not batch.height:
            continue
        held.append(batch)
        size += batch.height
        if size < ROWS_OF_TERMS:
            continue
        together = pl.concat(held)
        end = together[key].search_sorted(together[key][-1], side="left")
        if end:
            yield together[:end]
        held, size = [together[end:]], together.height - end
    if size:
        yield pl.concat(held)


def spooled(results: Iterable[pl.DataFrame], schema: Schema, like: Any) -> Any:
    """The results as a frame of the engine of *like*, Polars or DuckDB.

    They are in Parquet files, in a folder that is deleted when the process ends.
    """
    folder = scratch_folder()
    held: list[pl.DataFrame] = []
    files = rows_held = bytes_held = 0

    def write() -> None:
        nonlocal held, files, rows_held, bytes_held
        rows = pl.concat(held) if held else pl.DataFrame(schema=schema)
        number = -(-int(rows.estimated_size()) // BYTES_PER_FILE)  # a result may be larger than a file
        for some in rows.iter_slices(max(-(-rows.height // max(number, 1)), 1)) if rows.height else [rows]:
            write_scratch(some, folder / f"{files:06}.parquet")
            files += 1
        held, rows_held, bytes_held = [], 0, 0

    for result in results:
        check_given_up()
        held.append(typed(result, schema))
        rows_held += result.height
        bytes_held += int(held[-1].estimated_size())
        if rows_held >= ROWS_PER_FILE or bytes_held >= BYTES_PER_FILE:
            write()
    if held or not files:
        write()
    found = read_files(sorted(folder.glob("*.parquet")), like)
    _folders.put(nw.to_native(found), folder)
    return found


_folders = Remembered[Path]()  # of frames that read one


def folder_of(frame: Any) -> Path | None:
    """The folder whose files the frame consists of, if it is a result of `spooled`."""
    return _folders.get(nw.to_native(frame))


def write_scratch(rows: pl.DataFrame, file: Path) -> None:
    """Write rows that are read again once or twice: quickly, not small."""
    rows.write_parquet(file, compression="lz4", statistics=False)


def read_file(file: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """A file that `write_scratch` wrote; all columns, or those given."""
    return pl.read_parquet(file, columns=list(columns) if columns else None, glob=False, memory_map=False)


def read_files(files: Sequence[Path], like: Any) -> Any:
    """Some files as a frame of the engine of *like*: Polars or DuckDB."""
    if is_lazy_polars(like):
        return nw.from_native(pl.scan_parquet(list(files), glob=False))
    listed = ", ".join("'" + glob.escape(str(file)).replace("'", "''") + "'" for file in files)
    # without the option, DuckDB takes a folder such as term=7 in the path for a column
    query = f"select * from read_parquet([{listed}], hive_partitioning = false)"
    return bytewise(nw.from_native(nw.to_native(like).query("_", query)))


def is_lazy_polars(frame: Any) -> bool:
    """Whether it is a lazy frame of Polars, not a relation of DuckDB or a frame of Spark."""
    return bool(frame.implementation.is_polars())


def typed(result: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The columns of the schema, with its types."""
    return result.select([result[name].cast(dtype) for name, dtype in schema.items()])
