"""Frames of every engine from a Polars frame, and back."""

from typing import Any

import polars as pl

LOCAL = ("polars", "polars-lazy", "pandas", "pyarrow", "duckdb")


def in_engine(name: str, frame: pl.DataFrame, session: Any = None) -> Any:
    """A frame of an engine; Spark needs its session."""
    if name == "polars":
        return frame
    if name == "polars-lazy":
        return frame.lazy()
    if name == "pandas":
        return frame.to_pandas()
    arrow = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    if name == "pyarrow":
        return arrow
    if name == "duckdb":
        import duckdb

        connection = duckdb.connect()  # a new one, not the default one
        connection.register("made", arrow)
        connection.sql("create table kept as select * from made")
        return connection.table("kept")
    return _in_spark(session, arrow)


def _in_spark(session: Any, arrow: Any) -> Any:
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.types import from_arrow_schema

    if hasattr(DataFrame, "toArrow"):
        return session.createDataFrame(arrow)
    rows = [tuple(row.values()) for row in arrow.to_pylist()]  # PySpark 3.5 cannot read tables of Arrow
    return session.createDataFrame(rows, from_arrow_schema(arrow.schema))


def local(frame: Any) -> pl.DataFrame:
    """A frame of any engine as a Polars one, by the engine's own means."""
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    for method in ("toArrow", "to_arrow_table"):
        if hasattr(frame, method):
            return pl.DataFrame(pl.from_arrow(getattr(frame, method)()))
    if hasattr(frame, "sparkSession"):  # PySpark 3.5 cannot make tables of Arrow
        from pyspark.sql.pandas.types import to_arrow_schema

        columns = pl.DataFrame(pl.from_arrow(to_arrow_schema(frame.schema).empty_table())).schema
        return pl.DataFrame([tuple(row) for row in frame.collect()], schema=columns, orient="row")
    return pl.from_pandas(frame) if hasattr(frame, "iloc") else pl.DataFrame(pl.from_arrow(frame))
