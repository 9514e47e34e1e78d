"""Peak memory of q-values of many tests in a lazy Polars frame, where this process ranks them.

The p-values are made up: 40 % are 1, the others differ. Another process writes them, to files of the size that tests
in engines write. Run it once per size, since the peak is that of the process. "before" is what it takes to import
everything.

    python benchmarks/engines_q_values.py 1000000
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.engines.adjusting import key_columns, with_q_values
from termburst.engines.batches import read_spooled, write_scratch

STEP = 100_000


def write_tests(folder: Path, tests: int) -> None:
    """Write a table of tests with eight more columns, as tables of results have."""
    rng = np.random.default_rng(0)
    for first in range(0, tests, STEP):
        size = min(STEP, tests - first)
        p = np.where(rng.random(size) < 0.4, 1.0, rng.random(size) ** 3)
        columns = {f"x{k}": rng.random(size) for k in range(8)} | key_columns(p, p * rng.random(size))
        terms = [f"w{k}" for k in range(first, first + size)]
        made = pl.DataFrame({"term": terms, "p_value": p, "q_value": np.full(size, np.nan), **columns})
        write_scratch(made, folder / f"{first:09}.parquet")


def peak() -> float:
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(tests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tests"
        path.mkdir()
        subprocess.run([sys.executable, __file__, str(tests), str(path)], check=True)
        before, start = peak(), time.process_time()
        results = read_spooled(path, nw.from_native(pl.LazyFrame()))
        found, _ = with_q_values(results, "bh", attainable=True)
        nw.to_native(found).sink_parquet(Path(folder) / "out.parquet")
        seconds = time.process_time() - start
    print(f"{tests:,} tests: {before:.0f} MB before, {peak():.0f} MB at most, {seconds:.1f} processor seconds")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        write_tests(Path(sys.argv[2]), int(sys.argv[1]))
    else:
        main(int(sys.argv[1]))
