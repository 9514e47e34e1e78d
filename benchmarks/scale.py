"""How time and memory grow with the corpus: on each engine, with a limit of memory, and where one term is everywhere.

Each measurement is a process of its own, which reads a file, answers, and writes the result to another file. "cpu s"
are seconds of all processors, of the process and its descendants; "own MB" is the peak of the process itself, which is the
driver on Spark, without Java and workers; "all MB" is that of it and its descendants, seen every 0.1 s.

    TERMBURST_DATA=… python benchmarks/scale.py [--parts growth …] [--sizes 1 10 100] [--engines polars-lazy duckdb]
    python benchmarks/scale.py --parts memory --sizes 250 1000 --memory 1GB
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _program import Program, Table, Watch, folder, measured

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
ENGINES = ("polars-lazy", "duckdb", "spark", "polars", "pandas", "pyarrow")
ROW_GROUP = 50_000  # rows of patterns; Polars reads some row groups ahead, so its memory follows their size
KINDS = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64}
SAMPLE = "ze"  # the first letters of the terms that are counted by a regular expression
TERABYTE = 1e12  # bytes of text

program = Program(__doc__, __file__)
program.option("--sizes", type=int, nargs="+", help="copies of 20 Newsgroups, terms, MB or rows: see the parts")
program.option("--engines", nargs="+", choices=ENGINES, default=["polars-lazy", "duckdb"])
program.option("--tasks", nargs="+", choices=TASKS, default=["table", "fits"])
program.option("--memory", nargs="+", default=["1GB"], help="limits of the parts limits and memory")


def sizes(asked: argparse.Namespace, usual: tuple[int, ...], quick: int) -> list[int]:
    return [quick] if asked.quick else asked.sizes or list(usual)


# --- engines


@program.part("20 min")
def growth(asked: argparse.Namespace) -> None:
    """Copies of 20 Newsgroups (36 MB each), with one new word per post, on each engine; DuckDB gets 300 MB.

    The last rows are exponents of size: 1 is linear, 0 is flat. Start-up makes them smaller.
    """
    over_engines(asked, write_corpus, sizes(asked, (1, 4, 16), 1), "copies")


@program.part("20 min")
def vocabulary(asked: argparse.Namespace) -> None:
    """Patterns of a made-up collection with that many terms, most of them rare, as an engine counts them once."""
    over_engines(asked, write_patterns, sizes(asked, (100_000, 1_000_000), 20_000), "terms")


def over_engines(asked: argparse.Namespace, make: Callable[[Path, int], int], numbers: list[int], what: str) -> None:
    """Each task on each engine for each size, and how its cost grows."""
    table = Table(
        "", what, "engine", "task", "MB or M rows", "seconds", "cpu s", "own MB", "all MB", first=12, width=13
    )
    found: dict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    for size in numbers:
        with folder() as place:
            path = place / "corpus.parquet"
            total = make(path, size)
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

    All results of a task must be the same to the last bit, in any order of rows.
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
                    result = digest(f"{path}.{engine}.{task}")
                    expected, own = expected or result, cost.before + cost.peak
                    held = memory == "none" or own * 2**20 <= parsed_memory(memory)
                    marks = "" if held else "not held", "" if result == expected else "another result"
                    right = right and not any(marks)
                    numbers = result[0], cost.seconds, cost.processor, own
                    table.row(f"{size:,}", engine, task, memory, *numbers, "  ".join(marks))
    return right


def answer(engine: str, task: str, path: str, memory: str) -> Callable[[], None]:
    """What is measured: from the open file to the result on disk."""
    frame = opened(engine, path, limited=memory != "none")

    def run() -> None:
        with memory_limit(memory) if memory != "none" else nullcontext():
            write(TASKS[task](frame), f"{path}.{engine}.{task}")

    return run


def opened(engine: str, path: str, *, limited: bool = False) -> Any:
    if engine in ("polars-lazy", "polars"):
        return (pl.scan_parquet if engine == "polars-lazy" else pl.read_parquet)(path)
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


def digest(path: str) -> tuple[int, int]:
    """The number of rows of a table, and a sum of their hashes, in which their order does not matter."""
    rows = total = 0
    for batch in pl.scan_parquet(path).collect_batches(chunk_size=500_000):
        rows, total = rows + batch.height, total + sum(batch.hash_rows(seed=1).to_list())
    return rows, total


@program.part("5 min")
def peers(asked: argparse.Namespace) -> bool:
    """The term table on an engine, beside the same by hand: SQL, a Polars expression, or Spark's MLlib.

    Tokens and numbers are the same, but MLlib has no n_i. Sizes are copies of 20 Newsgroups.
    """
    right = True
    with folder() as place:
        path = place / "corpus.parquet"
        write_corpus(path, sizes(asked, (7,), 1)[0])
        table = Table("", "", "cpu s", "ratio", "terms", "documents", "tokens", first=24, width=12)
        for engine, rival in (("polars-lazy", "expression"), ("duckdb", "sql"), ("spark", "mllib")):
            costs, numbers = [], []
            for how in ("term_table", rival) if engine in asked.engines else ():
                cost = measured(__file__, "counted", engine, how, str(path))
                out = f"{path}.{how}.{engine}"
                found = pl.scan_parquet(f"{out}/*.parquet" if Path(out).is_dir() else out)
                known = [name for name in ("b", "n") if name in found.collect_schema()]
                sums = found.select(pl.len(), *(pl.col(name).sum().cast(pl.Int64) for name in known)).collect().row(0)
                costs.append(cost.processor)
                numbers.append(sums)
                table.row(f"{engine}, {how}", cost.processor, cost.processor / costs[0], *sums)
            right &= len({sums[:2] for sums in numbers}) <= 1
    return right


def counted(engine: str, how: str, path: str) -> Callable[[], None]:
    """The term table of texts, by termburst or by hand."""
    out = f"{path}.{how}.{engine}"
    frame = opened(engine, path, limited=True)
    if engine == "spark":
        frame.limit(1).collect()  # Java is ready
    if how == "term_table":
        return lambda: write(tb.scan(frame, words="sklearn").term_table(effects=False, sort=None), out)
    return {"expression": by_expression, "sql": by_sql, "mllib": by_mllib}[how](frame, path, out)


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


def by_mllib(corpus: Any, path: str, out: str) -> Callable[[], None]:
    from pyspark.ml.feature import IDF, CountVectorizer, RegexTokenizer

    def run() -> None:
        tokenizer = RegexTokenizer(inputCol="text", outputCol="tokens", pattern=r"[\pL\pN_]{2,}", gaps=False)
        tokens = tokenizer.transform(corpus)
        model = CountVectorizer(inputCol="tokens", outputCol="counts", vocabSize=2**24).fit(tokens)
        idf = IDF(inputCol="counts", outputCol="weights").fit(model.transform(tokens))
        pl.DataFrame({"term": model.vocabulary, "b": list(idf.docFreq), "idf": idf.idf.toArray()}).write_parquet(out)

    return run


# --- builds within a limit


@program.part("10 min")
def memory(asked: argparse.Namespace) -> bool:
    """`termburst stats build --memory` on text whose vocabulary keeps growing; sizes are MB.

    The result must have the header, with a digest of all numbers, of a build with three times the memory; and the
    documents, tokens, n_i and b_i of all terms that begin with "ze" as a regular expression counts them.
    """
    right = True
    table = Table("", "MB", "what", "limit", "terms", "peak MB", "cpu s", "", first=8, width=20)
    for size, (what, options) in product(sizes(asked, (250,), 3), BUILDS.items()):
        with folder() as place:
            corpus, target = place / "growing.txt", place / "built.parquet"
            # In another process: the system counts the memory of the parent as memory of its children.
            subprocess.run([sys.executable, __file__, "--write-growing", str(corpus), str(size)], check=True)
            headers = []
            for limit in (asked.memory[0], tripled(asked.memory[0])):
                peak, seconds = build(corpus, target, [*options, "--memory", limit])
                headers.append(pl.read_parquet_metadata(target)["termburst"])
                marks = ["" if peak * 2**20 <= parsed_memory(limit) else "not held"]
                marks += [] if agrees(corpus, target, what) else ["another result than a regular expression"]
                marks += [] if headers[0] == headers[-1] else ["another result than with less memory"]
                right = right and not any(marks)
                terms = pl.scan_parquet(target).select(pl.len()).collect().item()
                table.row(f"{size:,}", what, limit, terms, peak, seconds, "  ".join(marks))
    return right


BUILDS = {
    "moments": ["--detail", "moments"], "patterns": ["--detail", "patterns"],
    "pairs of words": ["--detail", "patterns", "--ngrams", "1,2"],
}  # fmt: skip


def tripled(limit: str) -> str:
    return f"{3 * parsed_memory(limit) // 2**20}MB"


def build(corpus: Path, target: Path, options: list[str]) -> tuple[float, float]:
    """The peak memory of a build in MB, and its processor seconds."""
    command = [sys.executable, "-m", "termburst", "stats", "build", str(corpus), "--lines", "-o", str(target)]
    process = subprocess.Popen([*command, "--checkpoint", "0", *options], stderr=subprocess.PIPE, text=True)
    with Watch(process.pid) as watch:
        said = process.stderr.read() if process.stderr else ""
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"the build failed: {said}")
    return max(used.ru_maxrss / 2**10, watch.peak), used.ru_utime + used.ru_stime


def agrees(corpus: Path, built: Path, what: str) -> bool:
    """Whether a file has the numbers that a regular expression counts line by line."""
    pairs = what == "pairs of words"
    words = re.compile(rf"\b(?=({SAMPLE}[a-z]*)(?: ([a-z]+))?)")
    documents = tokens = 0
    n, b = Counter[str](), Counter[str]()
    with corpus.open(encoding="ascii") as lines:
        for line in lines:
            spaces = line.count(" ")
            documents, tokens = documents + 1, tokens + spaces + 1 + (spaces if pairs else 0)
            if SAMPLE in line:
                found = words.findall(line)
                terms = [one for one, _ in found] + [f"{one} {two}" for one, two in found if two and pairs]
                n.update(terms)
                b.update(set(terms))
    table = pl.scan_parquet(built)
    sample = table.filter(pl.col("term").str.starts_with(SAMPLE))
    rows = sample.select("term", "collection_frequency", "document_frequency").collect(engine="streaming").rows()
    own = re.findall(r'"length_documents": \[([^]]*)\]', pl.read_parquet_metadata(built)["termburst"])
    return (
        sum(map(int, own[0].split(","))) == documents
        and table.select(pl.col("collection_frequency").sum()).collect(engine="streaming").item() == tokens
        and len(rows) == len(n)
        and all(n[term] == n_i and b[term] == b_i for term, n_i, b_i in rows)
    )


# --- one term everywhere, one long document, and what a terabyte would be


@program.part("4 min")
def skew(asked: argparse.Namespace) -> None:
    """One term in every document, in patterns of its own, or one document of many tokens: fitted, tested, counted.

    Sizes are rows of patterns, and tokens of the document times ten.
    """
    table = Table("", "what", "question", "size", "before MB", "peak MB", "bytes each", "cpu s", first=20, width=13)
    for size in sizes(asked, (500_000, 1_000_000, 2_000_000), 20_000):
        for what, question in (*product(("one term", "long document"), ("fit", "test")), ("long document", "count")):
            number = size if what == "one term" else 10 * size
            cost = measured(__file__, "skewed", what, question, number)
            each = cost.peak * 2**20 / number
            table.row(what, question, number, cost.before, cost.before + cost.peak, each, cost.processor)


def skewed(what: str, question: str, size: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    if question == "count":
        words = np.array([f"w{k}" for k in range(10_000)], dtype=object)
        text = " ".join(words[rng.integers(0, 10_000, size)])
        return tb.scan(pl.DataFrame({"document": [0, 1], "text": [text, "so it goes"]})).count_rows
    if what == "one term":
        lengths = np.arange(1_000, 1_000 + size // 100)
        counts = np.tile(np.arange(1, 101), lengths.size)
        held = pl.DataFrame({"term": "the", "count": counts, "length": lengths.repeat(100), "documents": 1})
        frame = pl.concat([held.cast(KINDS), no_term(lengths, 100)])  # type: ignore[arg-type]
    else:
        terms = pl.DataFrame({"term": [f"w{k}" for k in range(1_000)]})
        often = pl.Series(rng.integers(1, 2_000, 1_000))
        short = terms.with_columns(count=pl.lit(1), length=pl.lit(200), documents=often)
        counts = rng.integers(1, max(size // 2_000, 2), 1_000)
        alone = terms.with_columns(count=pl.Series(counts), length=pl.lit(size), documents=pl.lit(1))
        rows = [short.cast(KINDS), alone.cast(KINDS), no_term([200], 10_000), no_term([size], 1)]  # type: ignore[arg-type]
        frame = pl.concat(rows)
    corpus = tb.scan(frame)
    return corpus.fit_beta_binomial if question == "fit" else lambda: corpus.burstiness(draws=999)


def no_term(lengths: Any, documents: int) -> pl.DataFrame:
    """The rows that say how many documents of each length there are."""
    rows = pl.DataFrame({"length": lengths}).with_columns(
        term=pl.lit(None, pl.String), count=pl.lit(0), documents=pl.lit(documents)
    )
    return rows.select(*KINDS).cast(KINDS)  # type: ignore[arg-type]


@program.part("1 min")
def extrapolation(asked: argparse.Namespace) -> None:
    """What random parts of 20 Newsgroups have, as powers of the tokens, and what a terabyte of such text would have.

    Terms, cells (document, term), patterns (term, count, length) and rows (term, count), and the bytes of the last two
    in Arrow's format with zstd, which is what a shuffle sends. "4 times" is the error if the powers of the parts up to
    a quarter are extended to the whole.
    """
    texts = np.array(tb.datasets.load_20newsgroups("all").texts, dtype=object)
    order = np.random.default_rng(0).permutation(texts.size)
    parts = (128, 64, 32) if asked.quick else (32, 16, 8, 4, 2, 1)
    found = pl.DataFrame([contents(texts[order[: texts.size // part]].tolist()) for part in parts])
    tokens = found["tokens"].to_numpy()
    target = TERABYTE * tokens[-1] / found["text_bytes"][-1]
    table = Table(
        f"a terabyte has {target:.1e} tokens", "", "all of it", "∝ tokens^", "4 times", "a terabyte", width=14
    )
    for name in found.columns[2:]:
        values = found[name].to_numpy()
        early, whole = (np.polyfit(np.log(tokens[:k]), np.log(values[:k]), 1) for k in (-2, None))
        error = np.exp(np.polyval(early, np.log(tokens[-1]))) / values[-1] - 1
        far = np.exp(np.polyval(whole, np.log(target)))
        table.row(name, int(values[-1]), f"{whole[0]:.3f}", f"{error:+.1%}", f"{far:.2e}")


def contents(texts: list[str]) -> dict[str, int]:
    """What texts have, and what a shuffle of it sends."""
    corpus = tb.scan(pl.DataFrame({"document": np.arange(len(texts)), "text": texts}))
    cells, patterns = corpus.count_rows(), corpus.patterns().filter(pl.col("term").is_not_null())
    counts = patterns.group_by("term", "count").agg(pl.col("documents").sum())
    return {
        "text_bytes": sum(len(text.encode()) for text in texts),
        "tokens": int(cells["count"].sum()),
        "terms": patterns["term"].n_unique(),
        "cells": cells.height,
        "patterns": patterns.height,
        "term counts": counts.height,
        "bytes of patterns": sent(patterns),
        "bytes of term counts": sent(counts),
    }


def sent(rows: pl.DataFrame) -> int:
    """Bytes of the rows in random order, as hashing leaves them, but the same in every run."""
    target = io.BytesIO()
    rows.sort(pl.all()).sample(fraction=1.0, shuffle=True, seed=0).write_ipc(target, compression="zstd")
    return target.tell()


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
    if sys.argv[1:2] == ["--write-growing"]:
        write_growing_text(Path(sys.argv[2]), int(sys.argv[3]) * 10**6)
        sys.exit()
    sys.exit(program.main())
