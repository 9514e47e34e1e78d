"""Randomly damaged stored files, tables, matrices and command lines: each gives a right answer or one sentence.

Each case runs in a forked worker with limits of processor time and memory. If a worker dies, the case is a crash (or a
hang, if it ran out of time), and the next worker continues after it. A case depends only on the seed and its number.

    python benchmarks/hostile.py [--cases 20000] [--seed 0] [--workers 2] [--only NUMBER]

The exit code is 1 if there was any crash, hang, traceback or changed content. It needs Linux.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import select
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import _hostile_cases as cases  # imports Polars but must not use it here: its threads do not survive a fork

SUBJECTS = ("stored", "crafted", "tables", "matrices", "options")
CRASH, HANG = "crash", "hang"
OUTCOMES = (cases.RIGHT, cases.SENTENCE, cases.TRACEBACK, cases.CHANGED, HANG, CRASH)
CPU_SECONDS = 10  # per case
CLOCK_SECONDS = 120  # a worker must report something within this time
MEMORY = 4 * 2**30
FORKING = threading.Lock()  # otherwise one worker could keep the pipe of another open


def work(numbers: list[int], seed: int, said: int, folder: Path) -> None:
    """Run cases in this fork, and report the number of each before and its outcome after it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # Rust writes panics there
        os.dup2(silent, stream)
    known = cases.Cases(folder)
    for number in numbers:
        os.write(said, f"begin {number}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # without a handler, the kernel also ends compiled loops
        outcome = known.run(subject(number), random.Random(f"{seed}-{number}"))
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(said, f"end {number} {outcome}\n".encode())


def subject(number: int) -> str:
    return SUBJECTS[number % len(SUBJECTS)]


def watched(numbers: list[int], seed: int, found: dict[int, str]) -> None:
    """Run cases in workers, one after the other, until each has an outcome."""
    while numbers:
        with tempfile.TemporaryDirectory() as folder:
            with FORKING:
                heard, said = os.pipe()
                worker = os.fork()
                if worker == 0:
                    try:
                        work(numbers, seed, said, Path(folder))
                    finally:
                        os._exit(0)
                os.close(said)
            last, late = _listen(heard, found)
            if late:
                os.kill(worker, signal.SIGKILL)
            status = os.waitpid(worker, 0)[1]
        if last is None and numbers[0] not in found:
            sys.exit("a worker ended before its first case: is termburst installed?")
        if last is not None and last not in found:
            dead = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            found[last] = HANG if late or dead == signal.SIGPROF else CRASH
        numbers = [number for number in numbers if number not in found]


def _listen(heard: int, found: dict[int, str]) -> tuple[int | None, bool]:
    """Record the reports of a worker until it ends: (the last case that it began, whether it stopped reporting)."""
    last, rest = None, b""
    with os.fdopen(heard, "rb", buffering=0) as stream:
        while True:
            if not select.select([stream], [], [], CLOCK_SECONDS)[0]:
                return last, True
            if not (new := stream.read(65536)):
                return last, False
            *lines, rest = (rest + new).split(b"\n")
            for line in lines:
                what, number, *outcome = line.decode().split(" ", 2)
                if what == "begin":
                    last = int(number)
                else:
                    found[int(number)] = outcome[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", type=int, help="run one case in this process, to see its traceback")
    options = parser.parse_args()
    if options.only is not None:
        cases.Seen.tracebacks = True
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with tempfile.TemporaryDirectory() as folder:
            known: Any = cases.Cases(Path(folder))
            print(
                subject(options.only), known.run(subject(options.only), random.Random(f"{options.seed}-{options.only}"))
            )
        return
    began = time.monotonic()
    found: dict[int, str] = {}
    shares = [list(range(first, options.cases, options.workers)) for first in range(options.workers)]
    threads = [threading.Thread(target=watched, args=(share, options.seed, found)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(told(found, options.seed, time.monotonic() - began))


def told(found: dict[int, str], seed: int, seconds: float) -> int:
    """Print the table and each unexpected case. Returns the exit code."""
    counts = {name: Counter(found[number] for number in found if subject(number) == name) for name in SUBJECTS}
    print(f"{'':10}" + "".join(f"{outcome:>17}" for outcome in OUTCOMES))
    for name, counter in counts.items():
        print(f"{name:10}" + "".join(f"{counter[outcome]:17,}" for outcome in OUTCOMES))
    bad = {number: outcome for number, outcome in sorted(found.items()) if outcome not in (cases.RIGHT, cases.SENTENCE)}
    for number, outcome in list(bad.items())[:50]:
        print(f"case {number} ({subject(number)}): {outcome}; see it with --seed {seed} --only {number}")
    print(f"{len(found):,} cases in {seconds:.0f} s, {len(bad):,} unexpected")
    return int(bool(bad))


if __name__ == "__main__":
    main()
