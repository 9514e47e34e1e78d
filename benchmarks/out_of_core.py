"""`termburst stats build --memory`: peak memory, processor time, and whether the result is right.

The text is synthetic, and its vocabulary keeps growing (see `_growing_text.py`). Each result is checked in two ways:

- against a build without the limit, or with another one (--against), which divides the terms otherwise: both files must
  have the same header, which contains a digest of all terms and numbers;
- against a count by a regular expression: the numbers of documents and tokens, and n_i and b_i of all terms that begin
  with `SAMPLE`, one of some 700.

Peak memory is that of the process, as the system reports it, or of it and its children together, looked at ten times a
second, if that is more. Seconds are processor time, then the clock. The part "ngrams" is patterns of n-grams 1-2.

    python benchmarks/out_of_core.py [moments patterns ngrams] [--megabytes 250] [--memory 1GB]
    python benchmarks/out_of_core.py patterns --megabytes 1000 --against 3GB
    python benchmarks/out_of_core.py ngrams --megabytes 50 250 1000 --against 3GB --twice-to 250

A build without a limit needs 20 bytes of memory and more per byte of such text: hence --against. Texts larger than
--twice-to are built once, and checked in the second way only.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import polars as pl
from _memory import Watch

from termburst.limits import parsed_memory

HERE = Path(__file__).parent
PARTS = {"moments": ("moments", (1, 1)), "patterns": ("patterns", (1, 1)), "ngrams": ("patterns", (1, 2))}
SAMPLE = "ze"  # the first letters of the terms that are counted by a regular expression


def build(corpus: Path, target: Path, options: list[str]) -> tuple[float, str]:
    """The peak memory of a build in MB, and its seconds in words."""
    command = [sys.executable, "-m", "termburst", "stats", "build", str(corpus), "--lines", "-o", str(target)]
    start = time.perf_counter()
    process = subprocess.Popen([*command, "--checkpoint", "0", *options], stderr=subprocess.PIPE, text=True)
    with Watch(process.pid) as watch:
        said = process.stderr.read() if process.stderr else ""
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"the build failed: {said}")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    seconds = f"{used.ru_utime + used.ru_stime:.0f} s ({time.perf_counter() - start:.0f} s)"
    return max(used.ru_maxrss / unit, watch.peak), seconds


def counted_otherwise(corpus: Path, longest: int) -> tuple[int, int, Counter[str], Counter[str]]:
    """The numbers of documents and tokens, and n_i and b_i of the sample, by a regular expression line by line."""
    words = re.compile(rf"\b(?=({SAMPLE}[a-z]*)(?: ([a-z]+))?)")
    documents = tokens = 0
    n, b = Counter[str](), Counter[str]()
    with corpus.open(encoding="ascii") as lines:
        for line in lines:
            spaces = line.count(" ")
            documents, tokens = documents + 1, tokens + spaces + 1 + (spaces if longest == 2 else 0)
            if SAMPLE in line:
                found = words.findall(line)
                terms = [one for one, _ in found]
                terms += [f"{one} {two}" for one, two in found if two] if longest == 2 else []
                n.update(terms)
                b.update(set(terms))
    return documents, tokens, n, b


def agrees(corpus: Path, built: Path, longest: int) -> bool:
    """Whether a file has the numbers of `counted_otherwise`."""
    documents, tokens, n, b = counted_otherwise(corpus, longest)
    table = pl.scan_parquet(built)
    sample = table.filter(pl.col("term").str.starts_with(SAMPLE))
    rows = sample.select("term", "collection_frequency", "document_frequency").collect(engine="streaming").rows()
    header = pl.read_parquet_metadata(built)["termburst"]
    own = re.search(r'"length_documents": \[([^]]*)\]', header)
    assert own is not None
    return (
        sum(map(int, own[1].split(","))) == documents
        and table.select(pl.col("collection_frequency").sum()).collect(engine="streaming").item() == tokens
        and len(rows) == len(n)
        and all(n[term] == n_i and b[term] == b_i for term, n_i, b_i in rows)
    )


def measure(corpus: Path, part: str, memory: str, against: str, *, twice: bool) -> bool:
    """Build with the limit, and perhaps with another or none; print whether it was held and the results are right."""
    detail, ngrams = PARTS[part]
    options = ["--detail", detail, "--ngrams", ",".join(map(str, ngrams))]
    bounded, whole = corpus.with_name("bounded.parquet"), corpus.with_name("whole.parquet")
    peak, seconds = build(corpus, bounded, [*options, "--memory", memory])
    terms = pl.scan_parquet(bounded).select(pl.len()).collect().item()
    held, right = peak * 2**20 <= parsed_memory(memory), agrees(corpus, bounded, ngrams[1])
    print(
        f"{detail}, n-grams {'-'.join(map(str, sorted(set(ngrams))))}, {terms:,} terms: with --memory {memory} "
        f"{peak:,.0f} MB ({'' if held else 'NOT '}held), {seconds}; {'same' if right else 'DIFFERENT'} totals and "
        f"sample of terms as by a regular expression",
        flush=True,
    )
    if twice:
        free_peak, free_seconds = build(corpus, whole, [*options, *(["--memory", against] if against else [])])
        same = pl.read_parquet_metadata(bounded)["termburst"] == pl.read_parquet_metadata(whole)["termburst"]
        how = f"with {against}" if against else "without a limit"
        print(f"    {how} {free_peak:,.0f} MB, {free_seconds}; {'same' if same else 'DIFFERENT'} result", flush=True)
        right = right and same
    return held and right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["moments", "patterns"], help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--megabytes", type=float, nargs="+", default=[250])
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--against", default="", metavar="MEMORY", help="the limit of the other build; default: none")
    parser.add_argument("--twice-to", type=float, default=float("inf"), metavar="MB", help="largest text built twice")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    right = []
    for size in given.megabytes:
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "growing.txt"
            # In another process: the system counts the memory of the parent as memory of its children.
            writer = [sys.executable, str(HERE / "_growing_text.py"), str(corpus), str(int(size * 1e6))]
            subprocess.run(writer, check=True)
            for part in given.parts:
                right.append(measure(corpus, part, given.memory, given.against, twice=size <= given.twice_to))
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
