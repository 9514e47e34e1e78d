"""Frames of every engine, and a Spark session with two executor processes and a folder for its temporary files."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.frames import LOCAL, in_engine, local

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
        return in_engine(name, pl.DataFrame(columns), session)

    frame.name = name
    return frame


@pytest.fixture(scope="session", name="local")
def _local() -> Callable[[Any], pl.DataFrame]:
    return local


@pytest.fixture(scope="session")
def quick_spark() -> tuple[str, dict[str, str]]:
    """Options of Java, and settings of a session, for tables of a few rows."""
    return QUICK_JAVA, QUICK_SQL
