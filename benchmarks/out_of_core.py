"""`termburst stats build --memory` against the build without a limit: peak memory, processor time, the same result.

The text is synthetic, and its vocabulary keeps growing (see `_growing_text.py`). Both files must have the same header,
which contains a digest of all terms and numbers. Peak memory is that of the process, as the system reports it, or of
it and its children together, looked at ten times a second, if that is more. Seconds are processor time, then the clock.

    python benchmarks/out_of_core.py [moments patterns] [--megabytes 250] [--memory 1GB] [--ngrams 1]
    python benchmarks/out_of_core.py patterns --megabytes 1000 --against 3GB

A build without a limit needs 20 bytes of memory and more per byte of such text. Where that does not fit, --against
compares with a build that has another limit, and so divides the terms otherwise.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from _memory import Watch

from termburst.limits import parsed_memory

HERE = Path(__file__).parent


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


def compare(corpus: Path, memory: str, against: str, detail: str, ngrams: str) -> bool:
    """Build with the limit and with another or none; print whether it was held and the results are the same."""
    options = ["--detail", detail, "--ngrams", ngrams]
    bounded, whole = corpus.with_name("bounded.parquet"), corpus.with_name("whole.parquet")
    peak, seconds = build(corpus, bounded, [*options, "--memory", memory])
    free_peak, free_seconds = build(corpus, whole, [*options, *(["--memory", against] if against else [])])
    same = pl.read_parquet_metadata(bounded)["termburst"] == pl.read_parquet_metadata(whole)["termburst"]
    terms = pl.scan_parquet(whole).select(pl.len()).collect().item()
    held = peak * 2**20 <= parsed_memory(memory)
    print(
        f"{detail}, n-grams {ngrams}, {terms:,} terms: with --memory {memory} {peak:,.0f} MB ({'' if held else 'NOT '}"
        f"held), {seconds}; with{' ' + against if against else 'out'} {free_peak:,.0f} MB, {free_seconds}; "
        f"{'same' if same else 'DIFFERENT'} result",
        flush=True,
    )
    return held and same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=250)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--against", default="", metavar="MEMORY", help="the limit of the other build; default: none")
    parser.add_argument("details", nargs="*", default=["moments", "patterns"])
    parser.add_argument("--ngrams", default="1")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "growing.txt"
        # In another process: the system counts the memory of the parent as memory of its children.
        writer = [sys.executable, str(HERE / "_growing_text.py"), str(corpus), str(int(given.megabytes * 1e6))]
        subprocess.run(writer, check=True)
        right = [compare(corpus, given.memory, given.against, detail, given.ngrams) for detail in given.details]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
