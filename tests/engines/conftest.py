"""Frames of every engine, and a Spark session with two executor processes and a folder for its temporary files."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

# For Java that runs for minutes, not for days: quick compilation, one thread for the garbage collection, and classes of
# an installed package are not verified. Loading classes is what most of the time goes to.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# Tables here have a few rows: compiling Java for each query, or planning it anew after each stage, would take longer
# than running it.
QUICK_SQL = {
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.locality.wait": "0",  # a task does not wait for the one executor that has its rows
}
LOCAL = ("polars", "polars-lazy", "pandas", "pyarrow", "duckdb")


@pytest.fixture(scope="session")
def spark(pyspark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    scratch = tmp_path_factory.mktemp("spark")
    installed = Path(pyspark.__file__).parent
    before = {path.name for path in installed.iterdir()}
    # Workers of a local cluster write to SPARK_HOME/work, which would be inside the installed package.
    home = scratch / "home"
    home.mkdir()
    for entry in installed.iterdir():
        (home / entry.name).symlink_to(entry)
    patch = pytest.MonkeyPatch()
    patch.setenv("SPARK_HOME", str(home))
    patch.setenv("SPARK_LOCAL_DIRS", str(scratch / "local"))
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    patch.chdir(scratch)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("termburst")
    settings = {
        **QUICK_SQL,
        "spark.driver.extraJavaOptions": QUICK_JAVA,
        "spark.executor.extraJavaOptions": QUICK_JAVA,
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    session = builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    patch.undo()
    assert {path.name for path in installed.iterdir()} - {"__pycache__"} == before - {"__pycache__"}


@pytest.fixture(scope="session", params=[*LOCAL, "spark"])
def engine(request: pytest.FixtureRequest) -> Callable[[dict[str, Any]], Any]:
    """A function that makes a frame of one engine from columns (or from a Polars frame)."""
    name = request.param
    session = request.getfixturevalue("spark") if name == "spark" else None

    def frame(columns: Any) -> Any:
        made = pl.DataFrame(columns)
        if name == "polars":
            return made
        if name == "polars-lazy":
            return made.lazy()
        if name == "pandas":
            return made.to_pandas()
        arrow = made.to_arrow(compat_level=pl.CompatLevel.oldest())
        if name == "pyarrow":
            return arrow
        if name == "duckdb":
            import duckdb

            connection = duckdb.connect()  # a new one, not the default one
            connection.register("made", arrow)
            connection.sql("create table kept as select * from made")
            return connection.table("kept")
        return in_spark(session, arrow)

    frame.name = name
    return frame


def in_spark(session: Any, arrow: Any) -> Any:
    """A table of Arrow as a frame of Spark."""
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


@pytest.fixture(scope="session", name="local")
def _local() -> Callable[[Any], pl.DataFrame]:
    return local


@pytest.fixture(scope="session")
def quick_spark() -> tuple[str, dict[str, str]]:
    """Options of Java, and settings of a session, for tables of a few rows."""
    return QUICK_JAVA, QUICK_SQL
