"""What a trillion tokens cost, checked: growth measured and extrapolated, and two kinds of skew for real.

growth: random parts of 20 Newsgroups, 1/32 to all of it. The numbers of terms, of cells (document, term), of patterns
(term, count, length) and of rows (term, count), and the bytes of the last two in Arrow's format with zstd, which is
what a shuffle sends. Each is fitted as a power of the tokens, on the parts up to a quarter. All of it says how wrong
this is when it is extended by a factor of 4. Then all parts are fitted, and extended to a terabyte.

everywhere: one term that is in every document, in patterns of its own; memory and time of its fit and its test in one
worker, per pattern.

long: one document of many tokens, among short ones: patterns of its terms, fitted and tested; and as text, counted.

    TERMBURST_DATA=… python benchmarks/scaling.py [growth] [everywhere] [long] [--rows 500000 1000000 2000000]
        [--tokens 1000000 10000000 100000000]
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import time

import numpy as np
import polars as pl
from _memory import own_peak

import termburst as tb

PARTS = ("growth", "everywhere", "long")
TERABYTE = 1e12  # bytes of text


def growth() -> None:
    """Measure, fit, test the fit, extend it."""
    texts = np.array(tb.datasets.load_20newsgroups("all").texts, dtype=object)
    order = np.random.default_rng(0).permutation(texts.size)
    rows = [counted(texts[order[: texts.size // part]].tolist()) for part in (32, 16, 8, 4, 2, 1)]
    found = pl.DataFrame(rows)
    with pl.Config(tbl_cols=-1, tbl_width_chars=160, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
        print(found)
    tokens, target = found["tokens"].to_numpy(), TERABYTE * found["tokens"][-1] / found["text_bytes"][-1]
    print(f"a terabyte of such text has {target:.1e} tokens")
    for name in found.columns[2:]:
        values = found[name].to_numpy()
        early = power(tokens[:4], values[:4])
        error = np.exp(early[1] + early[0] * np.log(tokens[-1])) / values[-1] - 1
        exponent, level = power(tokens, values)
        rows = {"pattern_bytes": "patterns", "count_bytes": "term_counts"}.get(name)
        each = f" ({values[-1] / 1e6:.1f} MB, {values[-1] / found[rows][-1]:.1f} B each)" if rows else ""
        print(
            f"{name:>14}: {values[-1]:,}{each} ∝ tokens^{exponent:.3f}; extended by a factor of 4: {error:+.1%}; "
            f"extended to a terabyte: {np.exp(level + exponent * np.log(target)):.2e}",
            flush=True,
        )


def counted(texts: list[str]) -> dict[str, int]:
    """What texts have, and what a shuffle of it sends."""
    frame = pl.DataFrame({"document": np.arange(len(texts)), "text": texts})
    corpus = tb.scan(frame)
    cells, patterns = corpus.count_rows(), corpus.patterns().filter(pl.col("term").is_not_null())
    closed = patterns.group_by("term", "count").agg(pl.col("documents").sum())
    return {
        "text_bytes": sum(len(text.encode()) for text in texts),
        "tokens": int(cells["count"].sum()),
        "terms": patterns["term"].n_unique(),
        "cells": cells.height,
        "patterns": patterns.height,
        "term_counts": closed.height,
        "pattern_bytes": sent(patterns),
        "count_bytes": sent(closed),
    }


def sent(rows: pl.DataFrame) -> int:
    """Bytes of the rows in random order, as hashing leaves them, but the same in every run."""
    target = io.BytesIO()
    rows.sort(pl.all()).sample(fraction=1.0, shuffle=True, seed=0).write_ipc(target, compression="zstd")
    return target.tell()


def power(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Exponent and logarithm of the factor of y = factor · x^exponent, by least squares of the logarithms."""
    exponent, level = np.polyfit(np.log(x), np.log(y), 1)
    return float(exponent), float(level)


def everywhere(rows: int) -> pl.DataFrame:
    """Patterns of one term that is in every document, each pattern with a length and count of its own."""
    lengths = np.arange(1_000, 1_000 + rows // 100).repeat(100)
    counts = np.tile(np.arange(1, 101), rows // 100)
    held = pl.DataFrame({"term": "the", "count": counts, "length": lengths, "documents": 1}).cast(KINDS)
    return pl.concat([held, empty(np.arange(1_000, 1_000 + rows // 100), 100)])


def long(tokens: int) -> pl.DataFrame:
    """Patterns of 1,000 terms in 10,000 documents of 200 tokens, and in one that has as many tokens as it is told."""
    rng = np.random.default_rng(0)
    terms = pl.DataFrame({"term": [f"w{k}" for k in range(1_000)]})
    short = terms.with_columns(count=pl.lit(1), length=pl.lit(200), documents=pl.Series(rng.integers(1, 2_000, 1_000)))
    counts = rng.integers(1, tokens // 2_000, 1_000)
    counts[0] = tokens // 10  # such as "the"
    alone = terms.with_columns(count=pl.Series(counts), length=pl.lit(tokens), documents=pl.lit(1))
    return pl.concat(
        [frame.cast(KINDS) for frame in (short, alone, empty(np.array([200]), 10_000), empty([tokens], 1))]
    )


def empty(lengths: object, documents: int) -> pl.DataFrame:
    """The rows that say how many documents of each length there are."""
    rows = pl.DataFrame({"length": lengths}).with_columns(
        term=pl.lit(None, pl.String), count=pl.lit(0), documents=pl.lit(documents)
    )
    return rows.select(*KINDS).cast(KINDS)


KINDS = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64}
QUESTIONS = {
    "fit": lambda frame: tb.scan(frame).fit_beta_binomial(),
    "test": lambda frame: tb.scan(frame).burstiness(draws=999),
    "count": lambda frame: tb.scan(frame).count_rows(),
}


def ask(part: str, question: str, size: int) -> None:
    """In this process: make the rows, ask, print the memory before and the peak, in MB, and processor seconds."""
    if question == "count":
        words = np.array([f"w{k}" for k in range(10_000)], dtype=object)
        text = " ".join(words[np.random.default_rng(0).integers(0, 10_000, size)])
        frame = pl.DataFrame({"document": [0, 1], "text": [text, "so it goes"]})
    else:
        frame = {"everywhere": everywhere, "long": long}[part](size).cast(KINDS)
    before, began = own_peak(), time.process_time()
    QUESTIONS[question](frame)
    print(json.dumps([before, own_peak(), time.process_time() - began]))


def skew(part: str, sizes: list[int], questions: tuple[str, ...]) -> None:
    """Every question for every size, each in a process of its own."""
    for question in questions:
        for size in sizes:
            command = [sys.executable, __file__, "--ask", part, question, str(size)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{part}, {question}, {size:,}: {done.stderr.strip().splitlines()[-1]}", flush=True)
                continue
            before, top, seconds = json.loads(done.stdout)
            print(
                f"{part}, {question}, {size:,}: {before:,.0f} MB before, peak {top:,.0f} MB "
                f"({(top - before) * 2**20 / size:,.1f} B each), {seconds:.1f} s of processor time",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="some of: growth, everywhere, long")
    parser.add_argument("--rows", type=int, nargs="+", default=[500_000, 1_000_000, 2_000_000])
    parser.add_argument("--tokens", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--ask", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask(given.ask[0], given.ask[1], int(given.ask[2]))
        return
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    parts = given.parts or PARTS
    if "growth" in parts:
        growth()
    if "everywhere" in parts:
        skew("everywhere", given.rows, ("fit", "test"))
    if "long" in parts:
        skew("long", given.tokens, ("fit", "test"))
        skew("long", [size for size in given.tokens if size <= 10_000_000], ("count",))


if __name__ == "__main__":
    main()
