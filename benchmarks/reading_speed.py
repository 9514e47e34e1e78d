"""Reading a corpus in each format: processor time, compared with counting and with Polars on the same file.

20 Newsgroups is written to a temporary folder, as posts and as lines (short documents). Reading ends with batches of
Python strings, ready to be counted; "report" also looks for duplicates and markup, and reads metadata. Polars, for the
formats that it reads, also ends with a list of strings, but holds the whole file in memory and checks less. Times are
medians of processor seconds, summed over threads.

    TERMBURST_DATA=… python benchmarks/reading_speed.py [rounds]
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import termburst as tb
from termburst.datasets import load_20newsgroups
from termburst.reading.options import ReadingOptions
from termburst.reading.readers import open_corpus

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PEERS: dict[str, Callable[[Path], Any]] = {
    "t.parquet": lambda path: pl.read_parquet(path, columns=["text"])["text"].to_list(),
    "t.csv": lambda path: pl.read_csv(path, columns=["text"], infer_schema=False)["text"].to_list(),
    "t.tsv": lambda path: pl.read_csv(path, columns=["text"], infer_schema=False, separator="\t")["text"].to_list(),
    "t.jsonl": lambda path: pl.read_ndjson(path, schema={"text": pl.String})["text"].to_list(),
}


def write(folder: Path, texts: list[str], *, files: bool) -> list[Path]:
    """Write the texts in each format, with *files* also as a folder with one file per text. Returns the paths."""
    pl.DataFrame({"n": range(len(texts)), "text": texts}).write_parquet(folder / "t.parquet")
    for name, delimiter in (("t.csv", ","), ("t.tsv", "\t")):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(["n", "text"])
            writer.writerows(enumerate(texts))
    lines = "".join(json.dumps({"n": k, "text": text}) + "\n" for k, text in enumerate(texts)).encode()
    (folder / "t.jsonl").write_bytes(lines)
    (folder / "t.jsonl.gz").write_bytes(gzip.compress(lines, 6))
    (folder / "t.jsonl.zst").write_bytes(zstd.compress(lines))
    (folder / "t.txt").write_text("".join(text.replace("\n", " ") + "\n" for text in texts), encoding="utf-8")
    paths = [folder / name for name in ("t.parquet", "t.csv", "t.tsv", "t.jsonl", "t.jsonl.gz", "t.jsonl.zst", "t.txt")]
    if files:
        paths.append(folder / "files")
        paths[-1].mkdir()
        for k, text in enumerate(texts):
            (paths[-1] / f"{k}.txt").write_text(text, encoding="utf-8")
    return paths


def read(path: Path) -> int:
    return sum(len(batch.texts) for batch in open_corpus(path, ReadingOptions(lines=path.suffix == ".txt")).batches())


def inspected(path: Path) -> int:
    """Read with everything that a reading report has: duplicates, near-empty documents, markup, metadata."""
    corpus = open_corpus(path, ReadingOptions(lines=path.suffix == ".txt"), inspect=True, columns="all")
    return sum(len(batch.texts) for batch in corpus.batches())


def seconds(task: Callable[[], Any], rounds: int) -> float:
    task()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return statistics.median(times)


def compare(texts: list[str], rounds: int, *, files: bool) -> None:
    size = sum(len(text.encode()) for text in texts) / 1e6
    counting = seconds(lambda: tb.TermStatistics.from_texts(texts), rounds)
    print(f"{len(texts):,} documents, {size:.0f} MB of text; counting takes {counting:.3f} s")
    print(f"{'':>12} {'seconds':>8} {'MB/s':>6} {'of counting':>12} {'report':>8} {'Polars':>8} {'times Polars':>13}")
    with tempfile.TemporaryDirectory() as folder:
        for path in write(Path(folder), texts, files=files):
            if read(path) != len(texts):
                raise SystemExit(f"{path.name}: not all documents were read")
            ours = seconds(lambda path=path: read(path), rounds)
            full = seconds(lambda path=path: inspected(path), rounds)
            line = f"{path.name:>12} {ours:8.3f} {size / ours:6.0f} {ours / counting:11.0%} {full:9.3f} "
            if path.name in PEERS:
                peer = seconds(lambda path=path: PEERS[path.name](path), rounds)
                line += f"{peer:9.3f} {ours / peer:12.1f}×"
            print(line)
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    rounds = parser.parse_args().rounds
    posts = list(load_20newsgroups("all").texts)
    compare(posts, rounds, files=True)
    compare([line for post in posts for line in post.split("\n") if line.strip()], rounds, files=False)


if __name__ == "__main__":
    main()
