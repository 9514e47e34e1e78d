"""Our own code on Spark's executors: Arrow batches in, Arrow batches out.

What is sent to a worker must be readable there before termburst is imported. A worker without a package would otherwise
crash without a clear message. So the functions that Spark pickles are closures over plain bytes. The bytes are our
function, and are unpickled only after the imports have succeeded.
"""

from __future__ import annotations

import contextlib
import pickle
from collections import deque
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from termburst.backends.stream import Function, Schema, Stage

KEPT = 32  # frames that stay persisted; a comparison needs up to four
GROUPS = 4  # groups of terms per partition after a shuffle; a worker has one group in memory at a time

_kept: deque[Any] = deque()


def map_in_arrow(frame: Any, stage: Stage, schema: Schema) -> Any:
    """The stage on the Arrow batches of every partition, by `mapInArrow`."""
    work = _on_worker(pickle.dumps((stage, dict(schema))))

    def batches(arriving: Iterator[Any]) -> Iterator[Any]:
        for table in work(arriving):
            yield from table.to_batches()

    return frame.mapInArrow(batches, _ddl(schema))


def keep(frame: Any) -> Any:
    """The frame, persisted: written once, read by several jobs, and computed again if an executor is lost.

    A result is lazy, so nobody knows when it has been read for the last time. The oldest frames are released when there
    are more than `KEPT`; a result that still needs one computes it again.
    """
    while len(_kept) >= KEPT:
        with contextlib.suppress(Exception):  # its session may have been stopped, which releases it, too
            _kept.popleft().unpersist()
    _kept.append(frame.persist())
    return _kept[-1]


def map_terms_in_arrow(
    frame: Any, function: Function, schema: Schema, key: str = "term", place: str | None = None
) -> Any:
    """The function on groups of whole terms, by `applyInArrow`; groups are made by the hash of the term, to be even.

    With *place*, each row of the result has a number in a column of that name. It is the same if a lost result is
    computed again: the number of the group, and the place of the row in it.
    """
    import polars as pl
    from pyspark.sql import functions as sql

    schema = dict(schema) | ({place: pl.Int64} if place else {})
    work = _on_worker(pickle.dumps((partial(map, partial(_of_group, function=function, place=place)), schema)))

    def group(table: Any) -> Any:
        (found,) = work(iter([table]))
        return found

    partitions = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    bucket = sql.pmod(sql.xxhash64(key), sql.lit(GROUPS * partitions)).alias("bucket")
    dealt = frame.select("*", bucket)
    grouped = dealt.groupBy("bucket")
    if hasattr(grouped, "applyInArrow"):
        return grouped.applyInArrow(group, _ddl(schema))
    in_order = dealt.repartition(partitions, "bucket").sortWithinPartitions("bucket")
    return in_order.mapInArrow(_by_bucket(group), _ddl(schema))


def _of_group(rows: pl.DataFrame, *, function: Function, place: str | None) -> pl.DataFrame:
    """What the function makes of a group of terms."""
    import polars as pl

    found = function(rows.drop("bucket"))
    if place is None:
        return found
    return found.with_columns((pl.lit(rows["bucket"][0] << 32, dtype=pl.Int64) + pl.int_range(pl.len())).alias(place))


def from_polars(table: pl.DataFrame, like: Any) -> Any:
    """A frame of the session of *like*, from one in memory."""
    from termburst.backends.frames import to_arrow as as_arrow

    arrow = as_arrow(table)  # Spark 3.5 neither gives nor takes Arrow tables
    return like.sparkSession.createDataFrame(arrow if hasattr(like, "toArrow") else arrow.to_pandas())


def _by_bucket(group: Any) -> Any:
    """A function of a partition's batches, which come sorted by bucket: Spark 3.5 has no `applyInArrow`."""

    def batches(arriving: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        held: list[Any] = []
        for batch in arriving:
            table = pa.Table.from_batches([batch])
            while table.num_rows:
                first = table["bucket"][0].as_py()
                if held and held[0]["bucket"][0].as_py() != first:
                    yield from group(pa.concat_tables(held)).to_batches()
                    held = []
                same = pc.sum(pc.equal(table["bucket"], first)).as_py()
                held.append(table.slice(0, same))
                table = table.slice(same)
        if held:
            yield from group(pa.concat_tables(held)).to_batches()

    return batches


def to_arrow(frame: Any) -> Any:
    """The rows of a frame as an Arrow table, in this process."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    if not hasattr(frame, "_collect_as_arrow"):
        raise ValueError("Spark Connect needs PySpark 4 or newer; with PySpark 3.5, use a classic session")
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    return pa.Table.from_batches(frame._collect_as_arrow(), to_arrow_schema(frame.schema))  # Spark 3.5


def _on_worker(pickled: bytes) -> Any:
    """A function from Arrow to Arrow, from a pickled pair: a stage on Polars frames, and the schema of its rows."""

    def work(arriving: Iterator[Any]) -> Iterator[Any]:
        try:
            import socket

            import polars as pl

            from termburst.backends.frames import to_arrow
            from termburst.backends.spark import loaded
            from termburst.backends.stream import typed
        except ImportError as error:
            raise RuntimeError(
                f"the Spark worker on {socket.gethostname()} has no package {error.name!r}: install termburst with its "
                "spark extra in the Python of the executors (spark.pyspark.python), or ship it with spark.archives"
            ) from None
        stage, schema = loaded(pickled)
        for found in stage(pl.DataFrame(pl.from_arrow(arrow)) for arrow in arriving):
            yield to_arrow(typed(found, schema))

    return work


@lru_cache(maxsize=1)
def loaded(pickled: bytes) -> Any:
    """What was pickled; the same object for all groups of terms of a worker, so that it learns lengths only once."""
    return pickle.loads(pickled)


def _ddl(schema: Schema) -> str:
    import polars as pl

    types = {pl.String: "string", pl.Int64: "bigint", pl.Float64: "double"}
    return ", ".join(f"`{name}` {types[dtype]}" for name, dtype in schema.items())
