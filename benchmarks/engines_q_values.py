"""Peak memory of q-values of many tests in a lazy Polars frame, where this process ranks them.

The p-values are made up: 40 % are 1, the others differ. Another process writes them. Run it once per size, since the
peak is that of the process. "before" is what it takes to import everything.

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
import pyarrow.parquet as pq

from termburst.engines.adjusting import key_columns, with_q_values

STEP = 200_000


def write_tests(path: Path, tests: int) -> None:
    """Write a table of tests with eight more columns, as tables of results have."""
    rng, writer = np.random.default_rng(0), None
    for first in range(0, tests, STEP):
        size = min(STEP, tests - first)
        p = np.where(rng.random(size) < 0.4, 1.0, rng.random(size) ** 3)
        columns = {f"x{k}": rng.random(size) for k in range(8)} | key_columns(p, p * rng.random(size))
        terms = [f"w{k}" for k in range(first, first + size)]
        made = pl.DataFrame({"term": terms, "p_value": p, "q_value": np.full(size, np.nan), **columns})
        table = made.to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def peak() -> float:
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(tests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tests.parquet"
        subprocess.run([sys.executable, __file__, str(tests), str(path)], check=True)
        before, start = peak(), time.process_time()
        found, _ = with_q_values(nw.from_native(pl.scan_parquet(path)), "bh", attainable=True)
        nw.to_native(found).sink_parquet(path.with_suffix(".out"))
        seconds = time.process_time() - start
    print(f"{tests:,} tests: {before:.0f} MB before, {peak():.0f} MB at most, {seconds:.1f} processor seconds")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        write_tests(Path(sys.argv[2]), int(sys.argv[1]))
    else:
        main(int(sys.argv[1]))
