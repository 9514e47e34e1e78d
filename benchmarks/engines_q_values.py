"""Peak memory of q-values of many tests in a lazy Polars frame: their p-values come to this process, nothing else.

The p-values are made up: 40 % are 1, the others differ. Another process writes them, to files of the size that tests
in engines write. Each size has a process of its own, since the peak is that of the process. "before" is what it takes
to import everything; "writing" is what Polars takes to copy the result to one file.

    python benchmarks/engines_q_values.py 100000 1000000 10000000
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from _memory import own_peak

from termburst.backends.run import finished
from termburst.backends.stream import read_spooled, write_scratch
from termburst.inference.multiplicity import adjust
from termburst.questions.plans import Finish, Rows, shown

STEP = 40_000  # `BYTES_PER_FILE` has as many


def write_tests(folder: Path, tests: int) -> None:
    """Write a table of tests with eight more columns, as tables of results have."""
    rng = np.random.default_rng(0)
    for first in range(0, tests, STEP):
        size = min(STEP, tests - first)
        p = np.where(rng.random(size) < 0.4, 1.0, rng.random(size) ** 3)
        columns = {f"x{k}": rng.random(size) for k in range(8)} | {"least_p": p * rng.random(size)}
        terms = [f"w{k}" for k in range(first, first + size)]
        made = pl.DataFrame({"term": terms, "p_value": p, "q_value": np.full(size, np.nan), **columns})
        write_scratch(made, folder / f"{first:09}.parquet")


def adjusted(rows: Rows) -> Finish:
    """As keyness adjusts."""
    p_value, least = rows.take("p_value", "least_p")
    return Finish(adjust(p_value, attainable=least), shown)


def main(tests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tests"
        path.mkdir()
        subprocess.run([sys.executable, __file__, "--write", str(tests), str(path)], check=True)
        before, start = own_peak(), time.process_time()
        frame = nw.from_native(pl.LazyFrame())
        results = read_spooled(path, frame)
        found = finished(results, dict(pl.read_parquet_schema(next(path.iterdir()))), adjusted, frame)
        seconds, most = time.process_time() - start, own_peak()
        nw.to_native(found).sink_parquet(Path(folder) / "out.parquet")
    print(
        f"{tests:,} tests: {before:.0f} MB before, {most:.0f} MB at most, {seconds:.1f} processor seconds; "
        f"{own_peak():.0f} MB with writing",
        flush=True,
    )


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write_tests(Path(sys.argv[3]), int(sys.argv[2]))
    elif len(sys.argv) == 2:
        main(int(sys.argv[1]))
    else:
        for size in sys.argv[1:]:
            subprocess.run([sys.executable, __file__, size], check=True)
