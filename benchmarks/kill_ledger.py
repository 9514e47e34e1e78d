"""A ledger: a job is killed at random moments (SIGKILL) and run again; two processes write at once.

The job adds batches, withdraws one by its id and some documents of another, and compacts the ledger; it is a list of
steps that is simply run from its beginning again. In the end the ledger must have the patterns that the same steps give
in memory. With two writers, both add batches of their own and the same common ones. A writer that loses is told, and
tries again. In the end every batch must be there once.

    python benchmarks/kill_ledger.py [--kills 50] [--batches 8] [--seed 0]
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import termburst as tb
from termburst import ledgers

# Processes are forks of one that has imported everything and computed nothing. Python 3.11 does not preload "__main__",
# so what this file imports is named; and so are modules that libraries import only when they first need them. A job
# would otherwise spend most of its time on imports, and few kills would hit a step.
FORKS = multiprocessing.get_context("forkserver")
IMPORTED = ["polars", "termburst.ledgers", "rich.console", "rich.table"]
PATTERN = ["term", "count", "length"]


def write_batches(folder: Path, number: int) -> None:
    """Write the patterns of some made-up batches, one file each, and of a document of the first batch."""
    rng = np.random.default_rng(0)
    texts = {k: [" ".join(f"w{w}" for w in rng.zipf(1.3, 60) % 5_000) for _ in range(100)] for k in range(2 * number)}
    for k, batch in texts.items():
        frame = pl.DataFrame({"document": [f"{k}/{i}" for i in range(len(batch))], "text": batch})
        tb.scan(frame).patterns(f"batch {k}").write_parquet(folder / f"{k}.parquet")
    gone = pl.DataFrame({"document": ["0/0"], "text": texts[0][:1]})
    tb.scan(gone).patterns("withdrawn").write_parquet(folder / "withdrawn.parquet")


def job(said: Connection, place: str, folder: Path, number: int) -> None:
    """All steps. Those that were made before change nothing."""
    warnings.simplefilter("ignore")  # that batch 1 was withdrawn, and is not added again
    ledger = ledgers.Ledger(place)
    said.send("ready")
    for k in range(number):
        ledger.add(pl.read_parquet(folder / f"{k}.parquet"))
        if k == 1:
            ledger.withdraw("batch 1")
        if k == number // 2:
            ledger.withdraw(pl.read_parquet(folder / "withdrawn.parquet"))
            ledger.compact()
    ledger.clean(0)


def writer(said: Connection, place: str, folder: Path, mine: list[int]) -> None:
    """Add batches; after a conflict, again. Says how often it lost."""
    ledger, lost = ledgers.Ledger(place), 0
    for k in mine:
        while True:
            try:
                ledger.add(pl.read_parquet(folder / f"{k}.parquet"))
                break
            except ledgers.LedgerConflictError:
                lost += 1
                time.sleep(random.random() / 20)
    said.send(lost)


def expected(folder: Path, batches: list[int], withdrawn: bool) -> pl.DataFrame:
    """The patterns that these batches have together."""
    rows = pl.concat([pl.read_parquet(folder / f"{k}.parquet") for k in batches])
    if withdrawn:
        gone = pl.read_parquet(folder / "withdrawn.parquet")
        rows = pl.concat([rows, gone.with_columns(-pl.col("documents"))])
    return summed(rows)


def summed(rows: pl.DataFrame) -> pl.DataFrame:
    sums = rows.group_by(*PATTERN).agg(pl.col("documents").sum()).filter(pl.col("documents") != 0)
    return sums.sort(PATTERN)


def stored(place: str) -> pl.DataFrame:
    frame = ledgers.Ledger(place).frame()
    return summed(frame.collect())


def started(function: Callable[..., None], *arguments: Any) -> tuple[Any, Connection]:
    """A process that runs the function, and what it says."""
    said, end = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=function, args=(end, *arguments))
    process.start()
    end.close()
    return process, said


def killed(folder: Path, number: int, kills: int, rng: random.Random) -> bool:
    """Kill jobs that many times; whether every ledger is right in the end."""
    done = ledgers = right = 0
    wanted = expected(folder, [k for k in range(number) if k != 1], withdrawn=True)
    took = 0.0
    while done < kills or not ledgers:
        with tempfile.TemporaryDirectory() as name:
            place = str(Path(name) / "ledger")
            while True:
                process, said = started(job, place, folder, number)
                said.recv()  # it begins
                began = time.perf_counter()
                if took and done < kills:
                    time.sleep(rng.uniform(0, took))
                    process.kill()
                process.join()
                if process.exitcode not in (0, -9):
                    raise SystemExit(f"exit code {process.exitcode}")
                done += process.exitcode == -9
                if process.exitcode == 0:
                    took = took or time.perf_counter() - began
                    break
            ledgers += 1
            right += stored(place).equals(wanted)
    print(f"{done} kills of jobs of {took:.2f} s, {right} of {ledgers} ledgers right", flush=True)
    return right == ledgers


def contended(folder: Path, number: int) -> bool:
    """Two writers at once; whether every batch is there once."""
    with tempfile.TemporaryDirectory() as name:
        place = str(Path(name) / "ledger")
        halves = [[*range(number), *range(number, 2 * number, 2)], [*range(number), *range(number + 1, 2 * number, 2)]]
        writers = [started(writer, place, folder, half) for half in halves]
        for process, _ in writers:
            process.join()
            if process.exitcode:
                raise SystemExit("a writer failed")
        lost = [str(said.recv()) for _, said in writers]
        right = stored(place).equals(expected(folder, list(range(2 * number)), withdrawn=False))
        batches = ledgers.Ledger(place).batches.height
    print(
        f"two writers, {' and '.join(lost)} steps lost and repeated, {batches} of {2 * number} batches, "
        f"{'right' if right else 'WRONG'}",
        flush=True,
    )
    return right and batches == 2 * number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    FORKS.set_forkserver_preload(IMPORTED)
    rng, right = random.Random(given.seed), []
    with tempfile.TemporaryDirectory() as name:
        write_batches(Path(name), given.batches)
        right.append(killed(Path(name), given.batches, given.kills, rng))
        right.append(contended(Path(name), given.batches))
    sys.exit(not all(right))


if __name__ == "__main__":
    main()
