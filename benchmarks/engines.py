"""Time and peak memory of the same statistics on each engine as the corpus grows.

The corpus is all of 20 Newsgroups, repeated, in a Parquet file of (document, text). Each post gets one new word, so
that the vocabulary grows as in corpora of that size. A separate process reads the file, does the task and writes the
result to another Parquet file. Memory is the resident memory of this process and its children, measured every 0.1 s.
DuckDB gets a memory_limit of 300 MB and uses the disk beyond.

    TERMBURST_DATA=… python benchmarks/engines.py growth [table fits …] [--sizes 1 4 16] [--engines duckdb spark …]
    TERMBURST_DATA=… python benchmarks/engines.py growth --sizes 1 5 20 100 --engines polars-lazy duckdb     # to 3.6 GB
    TERMBURST_DATA=… python benchmarks/engines.py growth --large 100     # 3.6 GB, Polars and DuckDB, goal < 1 GB
    python benchmarks/engines.py vocabulary dispersion tests --sizes 100000 1000000 10000000     # patterns
    python benchmarks/engines.py growing table fits --sizes 50 250 1000 --engines polars-lazy duckdb --memory none 700MB

In the part "vocabulary", the file has the patterns of a made-up collection with that many terms, most of them rare. It
has row groups of 50,000 rows: Polars reads some row groups ahead, so its memory follows their size. The tasks
"point_keyness" and "point_tests" are without intervals. "own MB" is the memory of the process itself, which is the
driver on Spark, without Java and workers.

In the part "growing", sizes are megabytes of synthetic text whose vocabulary keeps growing (`_growing_text.py`), in row
groups of 2,000 documents. Each task is done with each limit of --memory: "none", or one for `memory_limit`,
inside which the result is written, too; DuckDB has no limit of its own then. All results of a task must be the same to
the last bit, in any order of rows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _memory import Watch, own_peak, processor_seconds

import termburst as tb
from termburst.backends import memory_limit
from termburst.limits import parsed_memory

GOAL = 1000  # largest number of megabytes, for a corpus of gigabytes
TASKS: dict[str, Callable[[Any], Any]] = {
    "table": lambda frame: tb.scan(frame).term_table(effects=False, sort=None),
    "statistics": tb.build_statistics,
    "fits": lambda frame: tb.scan(frame).fit_beta_binomial(sort=None),
    "weights": lambda frame: tb.scan(frame).weights("s-lambda"),
    "tests": lambda frame: tb.scan(frame).burstiness(sort=None),
    "effects": lambda frame: tb.scan(frame).term_table(sort=None),
    "dispersion": lambda frame: tb.scan(frame).dispersion(sort=None),
    "keyness": lambda frame: tb.scan(frame).keyness(by="side", sort=None),
    "point_keyness": lambda frame: tb.scan(frame).keyness(by="side", confidence=None, sort=None),
    "point_tests": lambda frame: tb.scan(frame).burstiness(intervals=False, sort=None),
}
PARTS = ("growth", "vocabulary", "growing")
ROW_GROUP = 50_000  # rows of patterns
ENGINES = ("polars-lazy", "duckdb", "spark", "polars", "pandas", "pyarrow")


def write_corpus(path: Path, size: int) -> int:
    """Write a file of *size* copies of the corpus. Returns the bytes of text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    posts, total = list(tb.datasets.load_20newsgroups("all").texts), 0
    schema = pa.schema([("document", pa.string()), ("text", pa.string()), ("side", pa.string())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for copy in range(size):
            for start in range(0, len(posts), 2_000):
                names = [f"{copy}/{j}" for j in range(start, min(start + 2_000, len(posts)))]
                texts = [f"{posts[start + k]} w{copy}x{start + k}" for k in range(len(names))]
                total += sum(map(len, texts))
                writer.write_table(pa.table([names, texts, ["ab"[k % 2] for k in range(len(names))]], schema=schema))
    return total


def write_patterns(path: Path, terms: int) -> int:
    """Write patterns of that many terms, in two groups; P(b_i ≥ x) = x^−1.5, at most 10,000. Returns the rows."""
    import pyarrow.parquet as pq

    rng, writer, rows, step = np.random.default_rng(0), None, 0, 200_000
    lengths = pl.DataFrame({"length": np.arange(100, 400)}).join(pl.DataFrame({"side": ["a", "b"]}), how="cross")
    empty = lengths.with_columns(term=pl.lit(None, dtype=pl.String), count=pl.lit(0), documents=pl.lit(2_000))
    order = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64, "side": pl.String}
    for first in range(0, terms, step):
        names = pl.Series("term", [f"w{k}" for k in range(first, min(first + step, terms))])
        documents = np.minimum(rng.random(names.len()) ** (-1 / 1.5), 10_000).astype(np.int64)
        place = np.repeat(np.arange(names.len()), documents)
        columns = {"count": rng.geometric(0.7, place.size), "length": rng.integers(100, 400, place.size)}
        held = pl.DataFrame({**columns, "side": np.where(rng.random(place.size) < 0.5, "a", "b")})
        held = held.with_columns(names.gather(place)).group_by("term", "count", "length", "side").len("documents")
        frames = [frame.select(*order).cast(order) for frame in ((held, empty) if first == 0 else (held,))]
        table = pl.concat(frames).to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=ROW_GROUP)
        rows += table.num_rows
    if writer is not None:
        writer.close()
    return rows


def write_growing(path: Path, megabytes: int) -> int:
    """Write documents of growing text, on two sides. Returns the bytes of text."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from _growing_text import write_growing_text

    text = path.with_suffix(".txt")
    write_growing_text(text, megabytes * 10**6)
    schema = pa.schema([("document", pa.int64()), ("text", pa.string()), ("side", pa.string())])
    with text.open() as lines, pq.ParquetWriter(path, schema, compression="zstd") as writer:
        first = 0
        while block := [line.rstrip("\n") for line in islice(lines, 2_000)]:
            ids = range(first, first + len(block))
            writer.write_table(pa.table([ids, block, ["ab"[k % 2] for k in ids]], schema=schema))
            first += len(block)
    size = text.stat().st_size
    text.unlink()
    return size


def digest(path: str) -> tuple[int, int]:
    """The number of rows of a table, and a sum of their hashes, in which their order does not matter."""
    rows = total = 0
    for batch in pl.scan_parquet(path).collect_batches(chunk_size=500_000):
        rows, total = rows + batch.height, total + sum(batch.hash_rows(seed=1).to_list())
    return rows, total


def opened(engine: str, path: str, *, limited: bool = False) -> Any:
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
        if not limited:
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


def measure(engine: str, task: str, path: str, memory: str) -> None:
    """In this process: seconds from opening the file to the result on disk."""
    frame = opened(engine, path, limited=memory != "none")
    start = time.perf_counter()
    with memory_limit(memory) if memory != "none" else nullcontext():
        write(TASKS[task](frame), f"{path}.{engine}.{task}")
    print(json.dumps([time.perf_counter() - start, processor_seconds(), own_peak()]))


def measured(engine: str, task: str, path: Path, memory: str = "none") -> tuple[float, float, float, float]:
    """In a separate process: seconds, processor seconds of all its processes, peak megabytes of itself and of all."""
    command = [sys.executable, __file__, "--measure", engine, task, str(path), memory]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process, Watch(process.pid) as watch:
        out, error = process.communicate()
    if process.returncode:
        sys.exit(f"{engine}, {task}: {error[-2000:]}")
    seconds, processor, own = json.loads(out.splitlines()[-1])
    return float(seconds), float(processor), float(own), watch.peak


def print_growth(found: dict[tuple[str, str], list[tuple[float, ...]]]) -> None:
    """The exponents of size with which time and memory grow: 1 is linear, 0 is flat. Start-up makes them smaller."""
    for (engine, task), rows in found.items():
        if len(rows) > 1:
            size, seconds, processor, peak = np.log(np.array(rows)).T
            slopes = [np.polyfit(size, values, 1)[0] for values in (seconds, processor, peak)]
            print(f"{engine}, {task}: seconds ∝ size^{slopes[0]:.2f}, cpu ^{slopes[1]:.2f}, peak MB ^{slopes[2]:.2f}")


def growing(sizes: list[int], names: Sequence[str], tasks: Sequence[str], limits: list[str]) -> bool:
    """The part "growing"; whether all limits were held and all results of a task were the same."""
    print(f"{'MB':>6} {'rows':>11} {'engine':>12} {'task':>10} {'limit':>7} {'seconds':>8} {'cpu s':>7} {'own MB':>7}")
    right = True
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "corpus.parquet"
            write_growing(path, size)
            for engine, task in product(names, tasks):
                expected = None
                for memory in limits:
                    seconds, processor, own, _ = measured(engine, task, path, memory)
                    found = digest(f"{path}.{engine}.{task}")
                    expected = expected or found
                    held = memory == "none" or own * 2**20 <= parsed_memory(memory)
                    marks = f"{'' if held else '  NOT HELD'}{'' if found == expected else '  ANOTHER RESULT'}"
                    right = right and not marks
                    print(
                        f"{size:6,} {found[0]:11,} {engine:>12} {task:>10} {memory:>7} {seconds:8.1f} {processor:7.1f} "
                        f"{own:7.0f}{marks}",
                        flush=True,
                    )
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=PARTS, default="growth")
    parser.add_argument("tasks", nargs="*", help=f"some of: {', '.join(TASKS)}")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 16], help="copies of the corpus, or terms")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--large", type=int, metavar="COPIES")
    parser.add_argument("--memory", nargs="+", default=["none"], help='limits in the part "growing"')
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    sizes, names, tasks = options.sizes, options.engines, options.tasks or ["table", "fits"]
    if unknown := set(tasks) - set(TASKS):
        parser.error(f"unknown task: {', '.join(sorted(unknown))}")
    if options.part == "growing":
        sys.exit(0 if growing(sizes, names, tasks, options.memory) else 1)
    of_terms = options.part == "vocabulary"
    if options.large:
        sizes, names, tasks = [options.large], ("polars-lazy", "duckdb"), ("statistics", "table")
    kind, unit = ("terms", "M rows") if of_terms else ("corpora", "MB")
    numbers = f"{'seconds':>9} {'cpu s':>9} {'own MB':>9} {'peak MB':>9}"
    print(f"{kind:>9} {'size':>12} {'engine':>12} {'task':>13} {numbers}", flush=True)
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "corpus.parquet"
            total = write_patterns(path, size) if of_terms else write_corpus(path, size)
            for engine in names:
                for task in tasks:
                    seconds, processor, own, peak = measured(engine, task, path)
                    found.setdefault((engine, task), []).append((total, seconds, processor, peak))
                    mark = "" if not options.large else "  below 1 GB" if peak < GOAL else "  ABOVE 1 GB"
                    print(
                        f"{size:9,} {total / 1e6:5.1f} {unit:>6} {engine:>12} {task:>13} {seconds:9.1f} "
                        f"{processor:9.1f} {own:9.0f} {peak:9.0f}{mark}",
                        flush=True,
                    )
    print_growth(found)


if __name__ == "__main__":
    main()
