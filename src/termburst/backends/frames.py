"""Frames of every engine: to Polars and back, sums, and what each engine does in its own way."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import narwhals.stable.v2 as nw
import polars as pl

T = TypeVar("T")


def to_polars(frame: Any) -> Any:
    """A frame of any engine as a Polars DataFrame, in this process."""
    native = nw.to_native(frame)
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming")
    if is_spark(frame):
        from termburst.backends.spark import to_arrow as collected

        return pl.from_arrow(collected(native))
    if frame.implementation.is_duckdb():
        return pl.from_arrow(native.to_arrow_table())
    return frame.to_polars()


def returned(found: Any, like: Any = None) -> Any:
    """The native frame of a result; with *like*, a frame in memory, a frame in memory of the same library."""
    if like is None:
        return nw.to_native(found)
    local = to_polars(found)
    return (
        local
        if like.implementation.is_polars()
        else nw.from_arrow(to_arrow(local), backend=like.implementation).to_native()
    )


def to_arrow(local: Any) -> Any:
    """A Polars frame as an Arrow table with plain strings, which every engine can join with its own."""
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


def is_spark(frame: Any) -> bool:
    """Whether it is a frame of PySpark, classic or Connect."""
    return bool(frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect())


class Remembered(Generic[T]):
    """Values of native frames, by identity: frames of most engines cannot be compared or hashed.

    What this process knows about a frame that it made: as long as the frame lives, and only of this very object.

    Examples
    --------
    >>> import polars as pl
    >>> known, frame = Remembered[str](), pl.DataFrame({"a": [1]})
    >>> known.put(frame, "mine")
    >>> known.get(frame), known.get(frame.clone())
    ('mine', None)
    """

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, T]] = {}  # the key is the frame's id, as long as it lives

    def put(self, frame: Any, value: T) -> None:
        """Remember the value of a frame."""
        own = id(frame)
        self._found[own] = weakref.ref(frame, lambda _: self._found.pop(own, None)), value

    def get(self, frame: Any) -> T | None:
        """The value of a frame; None if there is none."""
        alive, value = self._found.get(id(frame), (None, None))
        return value if alive is not None and alive() is frame else None


COUNTED: Remembered[Any] = Remembered()  # how the texts of patterns were counted: `CountingOptions`
