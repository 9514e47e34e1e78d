"""How time and memory grow with the corpus: on each engine, with a limit of memory, and beside the same by hand.

Each measurement is a process of its own, which reads a file, answers, and writes the result to another file. "cpu s"
are seconds of all processors, of the process and its descendants; "own MB" is the peak of the process itself, which is
the driver on Spark, without Java and workers; "all MB" is that of it and its descendants, seen every 0.1 s.

    TERMBURST_DATA=… python benchmarks/scale.py [--parts growth …] [--sizes 1 10 100] [--engines polars-lazy duckdb]
    python benchmarks/scale.py --parts limits --sizes 250 1000 --tasks table build --memory 1GB
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _program import Program, Table, folder, measured

import termburst as tb
from termburst.backends import memory_limit
from termburst.limits import parsed_memory

TASKS: dict[str, Callable[[Any], Any]] = {
    "table": lambda frame: tb.scan(frame).term_table(effects=False, sort=None),
    "fits": lambda frame: tb.scan(frame).fit_beta_binomial(sort=None),
    "statistics": tb.build_statistics,
    "weights": lambda frame: tb.scan(frame).weights("s-lambda"),
    "tests": lambda frame: tb.scan(frame).burstiness(sort=None),
    "effects": lambda frame: tb.scan(frame).term_table(sort=None),
    "dispersion": lambda frame: tb.scan(frame).dispersion(sort=None),
    "keyness": lambda frame: tb.scan(frame).keyness(by="side", sort=None),
}
ENGINES = ("polars-lazy", "duckdb", "spark")

program = Program(__doc__, __file__)
program.option("--sizes", type=int, nargs="+", help="copies of 20 Newsgroups, terms, MB or rows: see the parts")
program.option("--engines", nargs="+", choices=ENGINES, default=["polars-lazy", "duckdb"])
program.option("--tasks", nargs="+", choices=[*TASKS, "build"], default=["table", "fits"])
program.option("--memory", nargs="+", default=["1GB"], help="limits of the parts limits and memory")


def sizes(asked: argparse.Namespace, usual: tuple[int, ...], quick: int) -> list[int]:
    return [quick] if asked.quick else asked.sizes or list(usual)


# --- engines


@program.part("20 min")
def growth(asked: argparse.Namespace) -> None:
    """Copies of 20 Newsgroups (36 MB each), with one new word per post, on each engine; DuckDB gets 300 MB.

    The last rows are exponents of size: 1 is linear, 0 is flat. Start-up makes them smaller.
    """
    table = Table("", "copies", "engine", "task", "MB", "seconds", "cpu s", "own MB", "all MB", first=12, width=13)
    found: dict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    for size in sizes(asked, (1, 4, 16), 1):
        with folder() as place:
            path = place / "corpus.parquet"
            total = write_corpus(path, size)
            for engine, task in product(asked.engines, asked.tasks):
                cost = measured(__file__, "answer", engine, task, str(path), "none")
                found[engine, task].append((total, cost.seconds, cost.processor, cost.most))
                own = cost.before + cost.peak
                table.row(f"{size:,}", engine, task, total / 1e6, cost.seconds, cost.processor, own, cost.most)
    for (engine, task), rows in found.items():
        if len(rows) > 1:
            size, *costs = np.log(np.array(rows)).T
            exponents = [f"{np.polyfit(size, values, 1)[0]:.2f}" for values in costs]
            table.row("exponent", engine, task, "", *exponents[:2], "", exponents[2])


@program.part("15 min")
def limits(asked: argparse.Namespace) -> bool:
    """`memory_limit`: text whose vocabulary keeps growing (sizes are MB), without a limit and with each of --memory.

    All results of a task must be the same to the last bit, in any order of rows. The task "build" is `termburst stats
    build --memory`, of the same file on any engine.
    """
    table = Table("", "MB", "engine", "task", "limit", "rows", "seconds", "cpu s", "own MB", "", first=8, width=13)
    right = True
    for size in sizes(asked, (50, 250), 2):
        with folder() as place:
            path = place / "corpus.parquet"
            write_growing(path, size)
            for engine, task in product(asked.engines, asked.tasks):
                expected = None
                for memory in ("none", *asked.memory):
                    cost = measured(__file__, "answer", engine, task, str(path), memory)
                    result = digest(f"{path}.{engine}.{task}.parquet")
                    expected = expected or result
                    own = cost.most if task == "build" else cost.before + cost.peak
                    held = memory == "none" or own * 2**20 <= parsed_memory(memory)
                    marks = "" if held else "not held", "" if result == expected else "another result"
                    right = right and not any(marks)
                    numbers = result[0], cost.seconds, cost.processor, own
                    table.row(f"{size:,}", engine, task, memory, *numbers, "  ".join(marks))
    return right


def answer(engine: str, task: str, path: str, memory: str) -> Callable[[], None]:
    """What is measured: from the open file to the result on disk."""
    out = f"{path}.{engine}.{task}.parquet"
    if task == "build":
        command = [sys.executable, "-m", "termburst", "stats", "build", path, "-o", out, "--detail", "patterns"]
        limited = [] if memory == "none" else ["--memory", memory]
        return lambda: subprocess.run([*command, "--checkpoint", "0", "--text", "text", *limited], check=True) and None
    frame = opened(engine, path, limited=memory != "none")

    def run() -> None:
        with memory_limit(memory) if memory != "none" else nullcontext():
            write(TASKS[task](frame), out)

    return run


def opened(engine: str, path: str, *, limited: bool = False) -> Any:
    if engine == "polars-lazy":
        return pl.scan_parquet(path)
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
    else:
        (result.write.parquet if hasattr(result, "write") else result.to_parquet)(path)


def digest(path: str) -> tuple[int, int]:
    """The number of rows of a table, and a sum of their hashes, in which their order does not matter."""
    rows = total = 0
    for batch in pl.scan_parquet(path).collect_batches(chunk_size=500_000):
        rows, total = rows + batch.height, total + sum(batch.hash_rows(seed=1).to_list())
    return rows, total


@program.part("5 min")
def peers(asked: argparse.Namespace) -> bool:
    """The term table on an engine, beside the same by hand: SQL, or a Polars expression.

    The sums of all numbers must be the same. Sizes are copies of 20 Newsgroups.
    """
    right = True
    with folder() as place:
        path = place / "corpus.parquet"
        write_corpus(path, sizes(asked, (7,), 1)[0])
        table = Table("", "", "cpu s", "ratio", "terms", "documents", "tokens", first=24, width=12)
        for engine, rival in (("polars-lazy", "expression"), ("duckdb", "sql")):
            costs, numbers = [], []
            for how in ("term_table", rival) if engine in asked.engines else ():
                cost = measured(__file__, "counted", engine, how, str(path))
                found = pl.scan_parquet(f"{path}.{how}.{engine}")
                sums = found.select(pl.len(), pl.col("b", "n").sum().cast(pl.Int64)).collect().row(0)
                costs.append(cost.processor)
                numbers.append(sums)
                table.row(f"{engine}, {how}", cost.processor, cost.processor / costs[0], *sums)
            right &= len(set(numbers)) <= 1
    return right


def counted(engine: str, how: str, path: str) -> Callable[[], None]:
    """The term table of texts, by termburst or by hand."""
    out = f"{path}.{how}.{engine}"
    frame = opened(engine, path, limited=True)
    if how == "term_table":
        return lambda: write(tb.scan(frame, words="sklearn").term_table(effects=False, sort=None), out)
    return {"expression": by_expression, "sql": by_sql}[how](frame, path, out)


def by_expression(corpus: Any, path: str, out: str) -> Callable[[], None]:
    found = pl.col("text").str.to_lowercase().str.extract_all(r"\b\w\w+\b")
    tokens = corpus.select("document", term=found).explode("term")
    cells = tokens.drop_nulls("term").group_by("document", "term").agg(n=pl.len())
    terms = cells.group_by("term").agg(n=pl.col("n").sum().cast(pl.Int64), b=pl.len().cast(pl.Int64))

    def run() -> None:
        documents = corpus.select(pl.len()).collect().item()
        terms.with_columns(idf=(documents / pl.col("b")).log()).sink_parquet(out)

    return run


def by_sql(corpus: Any, path: str, out: str) -> Callable[[], None]:
    import duckdb

    query = f"""
        with corpus as (select * from read_parquet('{path}')),
             found as (select document, regexp_extract_all(lower(text), '[\\pL\\pN_]{{2,}}') as terms from corpus),
             tokens as (select document, unnest(terms) as term from found),
             cells as (select document, term, count(*) as n from tokens group by document, term)
        select term, sum(n)::bigint as n, count(*) as b, ln((select count(*) from corpus) / count(*)) as idf
        from cells group by term"""
    return lambda: duckdb.connect().execute(f"copy ({query}) to '{out}' (format parquet)")


# --- files


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


def write_growing(path: Path, megabytes: int) -> int:
    """Write documents of growing text, on two sides. Returns the bytes of text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

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


EXPONENT = 1.2  # 14.8 million distinct words in 1 GB
LENGTH = 200  # mean tokens of a document
BLOCK = 1_000_000  # tokens that are made at a time
LETTERS = np.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", dtype=np.uint8)


def write_growing_text(path: Path, size: int, *, seed: int = 0) -> tuple[int, int]:
    """Write at least *size* bytes, one document per line, ranks by Zipf's law: new words go on (Heaps' law)."""
    rng = np.random.default_rng(seed)
    documents = tokens = 0
    with path.open("wb") as out:
        while out.tell() < size:
            ranks, where = np.unique(rng.zipf(EXPONENT, BLOCK), return_inverse=True)
            words = [_word(rank) for rank in ranks.tolist()]
            text = [words[k] for k in where.tolist()]
            ends = np.cumsum(1 + rng.geometric(1 / LENGTH, BLOCK // LENGTH))
            ends = ends[ends < BLOCK].tolist()
            for start, stop in zip([0, *ends], [*ends, BLOCK], strict=True):
                out.write(b" ".join(text[start:stop]) + b"\n")
            documents, tokens = documents + len(ends) + 1, tokens + BLOCK
    return documents, tokens


def _word(rank: int) -> bytes:
    """Frequent words are short: the digits of the rank in base 26, at least two letters."""
    digits = []
    rank += 25
    while rank:
        rank, digit = divmod(rank, 26)
        digits.append(digit)
    return LETTERS[digits].tobytes()


if __name__ == "__main__":
    sys.exit(program.main())
