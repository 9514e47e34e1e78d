"""Processor seconds of the term table on each engine, beside the same by hand: SQL, a Polars expression, Spark's MLlib.

All read one Parquet file of (document, text), all of 20 Newsgroups repeated (`engines.write_corpus`), and write one row
per term with n_i, b_i and IDF to another. The tokens are the same: lower case, two or more characters of words; numbers
of terms and tokens are compared. Each runs in its own process. Seconds are those of all processors, of the process and
its descendants, without the start of Spark.

    TERMBURST_DATA=… python benchmarks/engines_peers.py [--copies 7] [--only polars duckdb] [--rounds 2]

"ratio" is the seconds divided by those of `term_table` on the same engine. CountVectorizer is given the number
of terms, because it keeps only the most frequent ones; it has no n_i. HashingTF has neither terms nor n_i.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from _memory import processor_seconds
from engines import opened, write, write_corpus

import termburst as tb

LETTERS = r"\b\w\w+\b"
SQL = """
with tokens as (select document, unnest(regexp_extract_all(lower(text), '[\\pL\\pN_]{2,}')) as term from corpus),
     cells as (select document, term, count(*) as n from tokens group by document, term)
select term, sum(n)::bigint as n, count(*) as b, ln((select count(*) from corpus) / count(*)) as idf
from cells group by term
"""


def ours(engine: str, path: str) -> str:
    out = f"{path}.ours.{engine}"
    write(tb.scan(opened(engine, path), words="sklearn").term_table(effects=False, sort=None), out)
    return out


def sql(path: str) -> str:
    out = f"{path}.sql"
    connection = opened_connection(path)
    connection.execute(f"copy ({SQL}) to '{out}' (format parquet)")
    return out


def opened_connection(path: str) -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"create view corpus as select * from read_parquet('{path}')")
    return connection


def expression(path: str) -> str:
    out = f"{path}.expression"
    corpus = pl.scan_parquet(path)
    documents = corpus.select(pl.len()).collect().item()
    tokens = corpus.select("document", term=pl.col("text").str.to_lowercase().str.extract_all(LETTERS)).explode("term")
    cells = tokens.drop_nulls("term").group_by("document", "term").agg(n=pl.len())
    terms = cells.group_by("term").agg(n=pl.col("n").sum().cast(pl.Int64), b=pl.len().cast(pl.Int64))
    terms.with_columns(idf=(documents / pl.col("b")).log()).sink_parquet(out)
    return out


def mllib(path: str, *, hashed: bool) -> str:
    from pyspark.ml.feature import IDF, CountVectorizer, HashingTF, RegexTokenizer

    corpus = opened("spark", path)
    tokenizer = RegexTokenizer(inputCol="text", outputCol="tokens", pattern=r"[\pL\pN_]{2,}", gaps=False)
    tokens = tokenizer.transform(corpus)
    size = 2**24
    if hashed:
        counts = HashingTF(inputCol="tokens", outputCol="counts", numFeatures=size).transform(tokens)
        IDF(inputCol="counts", outputCol="weights").fit(counts).idf.toArray()
        return ""
    model = CountVectorizer(inputCol="tokens", outputCol="counts", vocabSize=size).fit(tokens)
    idf = IDF(inputCol="counts", outputCol="weights").fit(model.transform(tokens))
    out = f"{path}.mllib"
    pl.DataFrame({"term": model.vocabulary, "b": list(idf.docFreq), "idf": idf.idf.toArray()}).write_parquet(out)
    return out


PEERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "polars term_table": ("polars", lambda path: ours("polars-lazy", path)),
    "polars expression": ("polars", expression),
    "duckdb term_table": ("duckdb", lambda path: ours("duckdb", path)),
    "duckdb SQL": ("duckdb", sql),
    "spark term_table": ("spark", lambda path: ours("spark", path)),
    "spark CountVectorizer, IDF": ("spark", lambda path: mllib(path, hashed=False)),
    "spark HashingTF, IDF": ("spark", lambda path: mllib(path, hashed=True)),
}


def measure(name: str, path: str) -> None:
    engine, run = PEERS[name]
    if engine == "spark":
        opened("spark", path).limit(1).collect()
    before = processor_seconds()
    out = run(path)
    print(json.dumps([processor_seconds() - before, out]))


def measured(name: str, path: Path) -> tuple[float, list[int]]:
    """Processor seconds in a separate process; the numbers of terms, of their documents, and of tokens."""
    command = [sys.executable, __file__, "--measure", name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr[-2000:]}")
    seconds, out = json.loads(done.stdout.splitlines()[-1])
    if not out:
        return float(seconds), []
    found = pl.scan_parquet(f"{out}/*.parquet" if Path(out).is_dir() else out)
    sums = [pl.len(), *(pl.col(c).sum().cast(pl.Int64) for c in ("b", "n") if c in found.collect_schema())]
    return float(seconds), list(found.select(sums).collect().row(0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=7, help="of 20 Newsgroups, 36 MB each")
    parser.add_argument(
        "--only", nargs="+", choices=("polars", "duckdb", "spark"), default=("polars", "duckdb", "spark")
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.parquet"
        print(f"{write_corpus(path, options.copies) / 1e6:.0f} MB of text")
        print(f"{'':28} {'cpu s':>8} {'ratio':>7} {'terms':>10} {'documents':>12} {'tokens':>12}", flush=True)
        for _ in range(options.rounds):
            base = 1.0
            for name, (engine, _run) in PEERS.items():
                if engine not in options.only:
                    continue
                seconds, sums = measured(name, path)
                base = seconds if name.endswith("term_table") else base
                shown = " ".join(f"{number:12,}" for number in sums)
                print(f"{name:28} {seconds:8.1f} {seconds / base:7.2f} {shown}", flush=True)


if __name__ == "__main__":
    main()
