"""Frames of every engine: to Polars and back, sums, and what each engine does in its own way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw


def to_polars(frame: Any) -> Any:
    """A frame of any engine as a Polars DataFrame, in this process."""
    import polars as pl

    native = nw.to_native(frame)
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming")
    if is_spark(frame):
        from termburst.engines.spark import to_arrow as collected

        return pl.from_arrow(collected(native))
    if frame.implementation.is_duckdb():
        return pl.from_arrow(native.to_arrow_table())
    return frame.to_polars()


def from_polars(local: Any, like: Any) -> Any:
    """A Polars DataFrame as a frame of the same engine as *like*: Polars, pandas or PyArrow."""
    if like.implementation.is_polars():
        return nw.from_native(local)
    return nw.from_arrow(to_arrow(local), backend=like.implementation)


def in_polars(frame: Any) -> tuple[Any, Any]:
    """A frame in memory as one of Polars, and the frame whose engine the result is to have; lazy frames unchanged.

    Columns of integers with nulls stay what they are; pandas would make floats of them.
    """
    if not isinstance(frame, nw.DataFrame):
        return frame, None
    return nw.from_native(frame.to_polars()), frame


def back_from_polars(found: Any, like: Any) -> Any:
    """The native frame of a result, in the engine of the frame that `in_polars` was given."""
    return nw.to_native(found if like is None else from_polars(nw.to_native(found), like))


def to_arrow(local: Any) -> Any:
    """A Polars frame as an Arrow table with plain strings, which every engine can join with its own."""
    import polars as pl
    import pyarrow as pa

    table = local.to_arrow(compat_level=pl.CompatLevel.oldest())
    plain = [pa.field(f.name, pa.string() if pa.types.is_large_string(f.type) else f.type) for f in table.schema]
    return table.cast(pa.schema(plain))


def concatenated(frames: Sequence[Any]) -> Any:
    """One frame with the rows of all, which are of one engine; ValueError for relations of two DuckDB connections."""
    if len(frames) == 1:
        return frames[0]
    first = frames[0].collect_schema().names()
    try:
        return nw.concat([frame.select(*first) for frame in frames])
    except Exception as error:
        duckdb = sys.modules.get("duckdb")  # it is imported if the frames are its own
        if duckdb is None or not isinstance(error, duckdb.InvalidInputException):
            raise
        # The columns are the same, so nothing else is invalid (a wrong type or name would be a BinderException).
        raise ValueError("these relations belong to different DuckDB connections; use one connection") from None


def totals(frame: Any, keys: Sequence[str], column: str = "documents") -> Any:
    """The sum of a column of integers for every combination of the keys."""
    # Cast afterwards: pandas is quick only at plain sums, and DuckDB's sums have 128 bits.
    sums = frame.group_by(*keys).agg(nw.col(column).sum())
    return sums.with_columns(nw.col(column).cast(nw.Int64))


def bytewise(frame: Any) -> Any:
    """The frame with strings that are equal only if their bytes are; a DuckDB database may have another collation."""
    if not frame.implementation.is_duckdb():
        return frame
    columns = []
    for name, dtype in frame.collect_schema().items():
        quoted = '"' + name.replace('"', '""') + '"'
        columns.append(f'{quoted} collate "binary" as {quoted}' if dtype == nw.String else quoted)
    return nw.from_native(nw.to_native(frame).project(", ".join(columns)))


def as_float(frame: Any, whole: Any) -> Any:
    """An expression of 64-bit integers as the nearest floats; *frame* is the frame that has its columns."""
    if not frame.implementation.is_pyarrow():
        return whole.cast(nw.Float64)
    high = whole // 2**31  # Arrow casts only integers that are exact floats: both halves are, and their sum is rounded
    return high.cast(nw.Float64) * 2.0**31 + (whole - high * 2**31).cast(nw.Float64)


def is_spark(frame: Any) -> bool:
    """Whether it is a frame of PySpark, classic or Connect."""
    return bool(frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect())
