"""Time and peak memory of the same statistics on each engine as the corpus grows.

The corpus is all of 20 Newsgroups, repeated, in a Parquet file of (document, text). Each post gets one new word, so
that the vocabulary grows as in corpora of that size. A separate process reads the file, does the task and writes the
result to another Parquet file. Memory is the resident memory of this process and its children, measured every 20 ms.
DuckDB gets a memory_limit of 300 MB and uses the disk beyond.

    TERMBURST_DATA=… python benchmarks/engines.py [--sizes 1 4 16] [--engines duckdb spark …] [--tasks fits …]
    TERMBURST_DATA=… python benchmarks/engines.py --large 100     # 3.6 GB of text, Polars and DuckDB, goal < 1 GB
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import termburst as tb
from termburst import engines

GOAL = 1000  # largest number of megabytes, for a corpus of gigabytes
TASKS: dict[str, Callable[[Any], Any]] = {
    "table": engines.term_table,
    "statistics": engines.term_statistics,
    "fits": engines.fit_beta_binomial,
    "weights": lambda frame: engines.weigh(frame, "s-lambda"),
}
ENGINES = ("polars-lazy", "duckdb", "spark", "polars", "pandas", "pyarrow")


def write_corpus(path: Path, size: int) -> int:
    """Write a file of *size* copies of the corpus. Returns the bytes of text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    posts, total = list(tb.datasets.load_20newsgroups("all").texts), 0
    schema = pa.schema([("document", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for copy in range(size):
            for start in range(0, len(posts), 2_000):
                names = [f"{copy}/{j}" for j in range(start, min(start + 2_000, len(posts)))]
                texts = [f"{posts[start + k]} w{copy}x{start + k}" for k in range(len(names))]
                total += sum(map(len, texts))
                writer.write_table(pa.table([names, texts], schema=schema))
    return total


def opened(engine: str, path: str) -> Any:
    if engine == "polars-lazy":
        return pl.scan_parquet(path)
    if engine == "polars":
        return pl.read_parquet(path)
    if engine == "pandas":
        import pandas as pd

        return pd.read_parquet(path)
    if engine == "pyarrow":
        import pyarrow.parquet as pq

        return pq.read_table(path)
    if engine == "duckdb":
        import duckdb

        connection = duckdb.connect()
        connection.execute("set memory_limit = '300MB'")
        connection.execute(f"set temp_directory = '{path}.spill'")
        return connection.read_parquet(path)
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.chdir(Path(path).parent)
    session = (
        SparkSession.builder.master(f"local[{os.cpu_count()}]").config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "8").config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000")
        .getOrCreate()
    )  # fmt: skip
    session.sparkContext.setLogLevel("OFF")
    return session.read.parquet(path)


def write(result: Any, path: str) -> None:
    if isinstance(result, tb.TermStatistics):
        result.save(path)
    elif isinstance(result, pl.LazyFrame):
        result.sink_parquet(path)
    elif isinstance(result, pl.DataFrame):
        result.write_parquet(path)
    elif hasattr(result, "write"):
        result.write.parquet(path)
    elif hasattr(result, "to_parquet"):
        result.to_parquet(path)
    else:
        import pyarrow.parquet as pq

        pq.write_table(result, path)


def measure(engine: str, task: str, path: str) -> None:
    """In this process: seconds from opening the file to the result on disk."""
    frame = opened(engine, path)
    start = time.perf_counter()
    write(TASKS[task](frame), f"{path}.{engine}.{task}")
    print(json.dumps(time.perf_counter() - start))


def measured(engine: str, task: str, path: Path) -> tuple[float, float]:
    """In a separate process: seconds, and peak megabytes."""
    command = [sys.executable, __file__, "--measure", engine, task, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        peak = [0.0]
        watch = threading.Thread(target=lambda: watched(process, peak))
        watch.start()
        out, error = process.communicate()
        watch.join()
    if process.returncode:
        sys.exit(f"{engine}, {task}: {error[-2000:]}")
    return float(json.loads(out.splitlines()[-1])), peak[0]


def watched(process: subprocess.Popen[str], peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], resident(process.pid))
        time.sleep(0.02)


def resident(root: int) -> float:
    """Megabytes of a process and its descendants."""
    parents, sizes = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        except (OSError, ValueError):
            continue
        parents[int(folder.name)] = int(fields["PPid"])
        sizes[int(folder.name)] = int(fields.get("VmRSS", "0 kB").split()[0]) / 1024
    total = 0.0
    for process, size in sizes.items():
        above = process
        while above not in (root, 0):
            above = parents.get(above, 0)
        total += size if above == root else 0.0
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=["table", "fits"])
    parser.add_argument("--large", type=int, metavar="COPIES")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    sizes, names, tasks = options.sizes, options.engines, options.tasks
    if options.large:
        sizes, names, tasks = [options.large], ("polars-lazy", "duckdb"), ("statistics", "table")
    print(f"{'corpora':>8} {'text':>9} {'engine':>12} {'task':>11} {'seconds':>9} {'MB/s':>7} {'peak MB':>9}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "corpus.parquet"
            total = write_corpus(path, size)
            for engine in names:
                for task in tasks:
                    seconds, peak = measured(engine, task, path)
                    mark = "" if not options.large else "  below 1 GB" if peak < GOAL else "  ABOVE 1 GB"
                    print(
                        f"{size:8} {total / 1e6:6.0f} MB {engine:>12} {task:>11} {seconds:9.1f} "
                        f"{total / 1e6 / seconds:7.1f} {peak:9.0f}{mark}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
