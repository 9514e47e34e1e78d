"""Damage, random input and kills: each gives a right answer or one sentence, and no file is lost.

In the parts stored to csv, each case damages or draws something at random, in a forked worker with limits of
processor time and memory. If a worker dies, the case is a crash (or a hang, if it ran out of time), and the next worker
continues after it. A case depends only on seed and number: `--parts tables --only 17` shows one. The part core builds
the C core with sanitizers and feeds it random bytes. The parts build and ledger kill processes (SIGKILL), and run them
again.

    python benchmarks/hostile.py [--parts …] [--cases 4000] [--seconds 600] [--kills 50] [--seed N]

The exit code is 1 if there was any crash, hang, traceback or changed content. It needs Linux.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import _hostile_cases as cases  # imports Polars but must not use it here: its threads do not survive a fork
from _program import ROOT, Program, Table, folder

CRASH, HANG = "crash", "hang"
OUTCOMES = (cases.RIGHT, cases.SENTENCE, cases.TRACEBACK, cases.CHANGED, HANG, CRASH)
CPU_SECONDS = 10  # per case
CLOCK_SECONDS = 120  # a worker must report something within this time
MEMORY = 4 * 2**30
FORKING = threading.Lock()  # otherwise one worker could keep the pipe of another open

program = Program(__doc__, __file__, seed=0)
program.option("--cases", type=int, default=4_000, help="of each part that has cases")
program.option("--workers", type=int, default=2)
program.option("--only", type=int, metavar="NUMBER", help="run one case in this process, to see its traceback")
program.option("--seconds", type=float, default=600, help="of the part core")
program.option("--kills", type=int, default=50, help="of the parts build and ledger")


# --- cases in forked workers


SUBJECTS = {
    "stored": "Bytes of stored statistics are changed or cut: the same content, or loading says what is wrong.",
    "crafted": "Numbers of stored statistics are changed, and the digest is made anew.",
    "tables": "Damaged CSV, JSON Lines, Parquet and text files are read by commands.",
    "matrices": "Sparse matrices with one array altered are counted, tested and weighted.",
    "options": "Random command lines; no file but the output may change.",
    "counting": "Random texts from all of Unicode are counted as scikit-learn counts them, in any number of threads.",
    "csv": "Random blocks of CSV are split as Python's csv module does it, or left to another reader.",
}


def add_part(subject: str) -> None:
    def run(asked: argparse.Namespace) -> bool:
        return run_cases(subject, asked)

    run.__name__, run.__doc__ = subject, SUBJECTS[subject]
    program.part("2 min")(run)


for subject in SUBJECTS:
    add_part(subject)


def run_cases(subject: str, asked: argparse.Namespace) -> bool:
    """Run the cases of a part in forked workers; whether all outcomes were as they should be."""
    if asked.only is not None:
        cases.Seen.tracebacks = True
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with folder() as place:
            print(subject, cases.Cases(place).run(subject, of_case(asked.seed, subject, asked.only)))
        return True
    size, found = 40 if asked.quick else asked.cases, dict[int, str]()
    shares = [list(range(first, size, asked.workers)) for first in range(asked.workers)]
    threads = [threading.Thread(target=watched, args=(subject, share, asked.seed, found)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = Counter(found.values())
    Table("", "", *OUTCOMES, "cases", first=12, width=15).row(subject, *(counts[one] for one in OUTCOMES), len(found))
    bad = {number: one for number, one in sorted(found.items()) if one not in (cases.RIGHT, cases.SENTENCE)}
    for number, outcome in list(bad.items())[:50]:
        print(f"case {number}: {outcome}; see it with --parts {subject} --seed {asked.seed} --only {number}")
    return not bad


def of_case(seed: int, subject: str, number: int) -> random.Random:
    return random.Random(f"{seed}-{subject}-{number}")


def work(subject: str, numbers: list[int], seed: int, said: int, place: Path) -> None:
    """Run cases in this fork, and report the number of each before and its outcome after it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # Rust writes panics there
        os.dup2(silent, stream)
    known = cases.Cases(place)
    for number in numbers:
        os.write(said, f"begin {number}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # without a handler, the kernel also ends compiled loops
        outcome = known.run(subject, of_case(seed, subject, number))
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(said, f"end {number} {outcome}\n".encode())


def watched(subject: str, numbers: list[int], seed: int, found: dict[int, str]) -> None:
    """Run cases in workers, one after the other, until each has an outcome."""
    while numbers:
        with tempfile.TemporaryDirectory() as place:
            with FORKING:
                heard, said = os.pipe()
                worker = os.fork()
                if worker == 0:
                    try:
                        work(subject, numbers, seed, said, Path(place))
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


# --- random bytes for the C core

HARNESSES, CORE = Path(__file__).parent / "fuzz", ROOT / "src" / "termburst" / "core"
FLAGS = [
    "-std=gnu17", "-O1", "-g", "-ffp-contract=off", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
    f"-I{CORE}", f"-I{HARNESSES}",
]  # fmt: skip
LONGEST = 4096  # bytes of an input


@program.part("10 min")
def core(asked: argparse.Namespace) -> bool:
    """The harnesses of benchmarks/fuzz, by clang with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.

    They are built for all processors and, if this machine has it, for AVX2. They start with the inputs in
    `benchmarks/fuzz/corpus`. If one fails, its input is in the folder that is named.
    """
    from termburst.core.binding import load

    if shutil.which("clang") is None:
        sys.exit("clang is not installed, so the C core is not fuzzed (Debian: install clang and libclang-rt-14-dev)")
    place, right = Path(tempfile.mkdtemp(prefix="termburst-fuzz-")), True
    kinds = {"baseline": [], **({"avx2": ["-mavx2"]} if load("baseline").tb_has_avx2() else {})}
    subjects = [path.name.removesuffix("_fuzz.c") for path in sorted(HARNESSES.glob("*_fuzz.c"))]
    seconds = (4 if asked.quick else asked.seconds) / len(kinds) / len(subjects)
    for kind, flags in kinds.items():
        (place / kind).mkdir()
        clang(*flags, "-c", *map(str, sorted(CORE.glob("*.c"))), what="the core", cwd=place / kind)
        for subject in subjects:
            binary, grown, corpus = (
                place / f"{subject}-{kind}",
                place / f"{subject}-corpus",
                HARNESSES / "corpus" / subject,
            )
            grown.mkdir(exist_ok=True)
            objects = map(str, sorted((place / kind).glob("*.o")))
            clang(*flags, str(HARNESSES / f"{subject}_fuzz.c"), *objects, "-lm", "-o", str(binary), what=subject)
            right &= fuzzed(binary, [grown, *([corpus] if corpus.is_dir() else [])], seconds, place)
    if right:
        shutil.rmtree(place)
    else:
        print(f"the failing input is in {place}{os.sep}")
    return right


def clang(*arguments: str, what: str, **where: Path) -> None:
    made = subprocess.run(["clang", *FLAGS, *arguments], check=False, capture_output=True, text=True, **where)
    if made.returncode:
        sys.exit(f"clang could not build {what}; it needs clang with its runtime libraries\n{made.stderr}")


def fuzzed(binary: Path, corpus: list[Path], seconds: float, place: Path) -> bool:
    """Whether nothing was found in *seconds* seconds."""
    command = [
        str(binary), *map(str, corpus), f"-max_total_time={max(round(seconds), 1)}", f"-max_len={LONGEST}",
        "-timeout=20", f"-artifact_prefix={place}/{binary.name}-", "-print_final_stats=1", "-verbosity=1",
    ]  # fmt: skip
    result = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    number = re.findall(r"stat::number_of_executed_units:\s*(\d+)", result.stderr)
    if result.returncode:
        print(result.stderr[-6000:])
    said = "FAILED" if result.returncode else "nothing found"
    print(f"{binary.name:>20} {int(number[0]) if number else 0:>12,} inputs in {seconds:.0f} s: {said}")
    return result.returncode == 0


# --- kills

WAYS: tuple[list[str], ...] = (
    [],
    ["--detail", "patterns"],
    ["--detail", "frequencies", "--ngrams", "1,2", "--stop-words", "english"],
    ["--token-pattern", r"\w+'\w+|\w\w+"],  # not compiled
)


@program.part("10 min")
def build(asked: argparse.Namespace) -> bool:
    """`termburst stats build` is killed many times and resumed: the same bytes as without kills, and no other file."""
    rng, wanted = random.Random(asked.seed), 3 if asked.quick else asked.kills
    kills = resumed = builds = equal = 0
    with folder() as place:
        corpus, target = place / "corpus", place / "out" / "all.parquet"
        write_corpus(corpus, 0.5 if asked.quick else 6, rng)
        target.parent.mkdir()
        whole: list[tuple[bytes, float]] = []
        for way in WAYS:
            began = time.perf_counter()
            if built(corpus, target, way)[0]:
                sys.exit("the build fails even without a kill")
            whole.append((target.read_bytes(), time.perf_counter() - began))
        while kills < wanted:
            content, took = whole[k := builds % len(WAYS)]
            target.unlink(missing_ok=True)
            while not target.exists():  # if it is there, the build has finished, though the process may still be ending
                # At any time, but most often soon after a checkpoint, since starting takes longer than counting.
                moment = ("start", rng.uniform(0, took)) if rng.random() < 0.25 else ("checkpoint", rng.uniform(0, 0.3))
                code, said = built(corpus, target, WAYS[k], moment if kills < wanted else None)
                resumed += "resumed: " in said
                kills += code == -9
                if code not in (0, -9):
                    sys.exit(f"exit code {code}: {said}")
            first = target.read_bytes()
            built(corpus, target, WAYS[k])  # from a checkpoint that was not yet removed, or from the beginning
            builds += 1
            left = [path.name for path in target.parent.iterdir()]
            equal += first == target.read_bytes() == content and left == [target.name]
    print(f"{kills} kills over {builds} builds; {resumed} runs resumed")
    print(f"{equal} of {builds} results equal the uninterrupted one, byte for byte")
    return equal == builds


def write_corpus(place: Path, megabytes: float, rng: random.Random) -> None:
    """Write a file of lines, a table, and files of one document each."""

    def documents(size: float) -> list[str]:
        found: list[str] = []
        while size > 0:
            found.append(" ".join(f"w{int(30_000 * rng.random() ** 4)}" for _ in range(rng.randrange(300))))
            size -= len(found[-1]) + 1
        return found

    place.mkdir()
    rows = (json.dumps({"text": text}) + "\n" for text in documents(megabytes * 4e5))
    (place / "a.jsonl").write_text("".join(rows), encoding="utf-8")
    for i, text in enumerate(documents(megabytes * 2e5)):
        (place / f"b{i}.txt").write_text(text, encoding="utf-8")
    lines = (f'"{text}"\n' for text in documents(megabytes * 4e5))
    (place / "c.csv").write_text("text\n" + "".join(lines), encoding="utf-8")


def built(corpus: Path, target: Path, way: list[str], moment: tuple[str, float] | None = None) -> tuple[int, str]:
    """The exit code and the output; a negative code is a signal.

    A *moment* is ("start", seconds) after the start of the process, or ("checkpoint", seconds) after a checkpoint.
    """
    command = [sys.executable, "-m", "termburst", "stats", "build", str(corpus), "-o", str(target)]
    before = saved(target)
    with subprocess.Popen([*command, "--checkpoint", "0.05", *way], stderr=subprocess.PIPE, text=True) as process:
        if moment is not None:
            while moment[0] == "checkpoint" and process.poll() is None and saved(target) in (None, before):
                time.sleep(0.002)
            time.sleep(moment[1])
            process.kill()
        _, said = process.communicate()
    return process.returncode, said


def saved(target: Path) -> int | None:
    """The time at which a checkpoint was written."""
    try:
        return target.with_name(f".{target.name}.partial").stat().st_mtime_ns
    except FileNotFoundError:
        return None


# Processes are forks of one that has imported everything and computed nothing: a job would otherwise spend most of its
# time on imports, and few kills would hit a step.
FORKS = multiprocessing.get_context("forkserver")
IMPORTED = ["polars", "termburst.ledgers", "pyarrow.dataset", "rich.console", "rich.table"]
BATCHES = 8
PATTERN = ["term", "count", "length"]


@program.part("5 min")
def ledger(asked: argparse.Namespace) -> bool:
    """A job that adds, withdraws and compacts batches is killed and run again; then two processes write at once.

    In the end the ledger must have the patterns that the same steps give in memory, and every batch once.
    """
    rng, kills = random.Random(asked.seed), 3 if asked.quick else asked.kills
    FORKS.set_forkserver_preload(IMPORTED)
    with folder() as place:
        write_batches(place)
        right, ledgers_, done, took = 0, 0, 0, 0.0
        wanted = expected(place, [k for k in range(BATCHES) if k != 1], withdrawn=True)
        while done < kills or not ledgers_:
            with folder() as where:
                while True:
                    process, said = started(job, str(where / "ledger"), place)
                    said.recv()  # it begins
                    began = time.perf_counter()
                    if took and done < kills:
                        time.sleep(rng.uniform(0, took))
                        process.kill()
                    process.join()
                    done += process.exitcode == -9
                    if process.exitcode == 0:
                        took = took or time.perf_counter() - began
                        break
                    if process.exitcode != -9:
                        sys.exit(f"the job ended with exit code {process.exitcode}")
                ledgers_ += 1
                right += contents(str(where / "ledger")).equals(wanted)
        print(f"{done} kills of jobs of {took:.2f} s, {right} of {ledgers_} ledgers right")
        return contended(place) and right == ledgers_


def contended(place: Path) -> bool:
    """Two writers at once; whether every batch is there once."""
    from termburst.ledgers import Ledger

    every = range(2 * BATCHES)
    with folder() as where:
        halves = [[*range(BATCHES), *range(first, 2 * BATCHES, 2)] for first in (BATCHES, BATCHES + 1)]
        writers = [started(writer, str(where / "ledger"), place, half) for half in halves]
        for process, _ in writers:
            process.join()
            if process.exitcode:
                sys.exit("a writer failed")
        lost = [str(said.recv()) for _, said in writers]
        right = contents(str(where / "ledger")).equals(expected(place, list(every), withdrawn=False))
        batches = Ledger(str(where / "ledger")).batches.height
    said = f"two writers, {' and '.join(lost)} steps lost and repeated, {batches} of {len(every)} batches"
    print(f"{said}, {'right' if right else 'WRONG'}")
    return right and batches == len(every)


def job(said: Connection, ledger: str, place: Path) -> None:
    """All steps. Those that were made before change nothing."""
    import polars as pl

    from termburst.ledgers import Ledger

    warnings.simplefilter("ignore")  # that batch 1 was withdrawn, and is not added again
    book = Ledger(ledger)
    said.send("ready")
    for k in range(BATCHES):
        book.add(pl.read_parquet(place / f"{k}.parquet"))
        if k == 1:
            book.withdraw("batch 1")
        if k == BATCHES // 2:
            book.withdraw(pl.read_parquet(place / "withdrawn.parquet"))
            book.compact()
    book.clean(0)


def writer(said: Connection, ledger: str, place: Path, mine: list[int]) -> None:
    """Add batches; after a conflict, again. Says how often it lost."""
    import polars as pl

    from termburst.ledgers import Ledger, LedgerConflictError

    book, lost = Ledger(ledger), 0
    for k in mine:
        while True:
            try:
                book.add(pl.read_parquet(place / f"{k}.parquet"))
                break
            except LedgerConflictError:
                lost += 1
                time.sleep(random.random() / 20)
    said.send(lost)


def started(function: Any, *arguments: Any) -> tuple[Any, Connection]:
    """A process that runs the function, and what it says."""
    said, end = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=function, args=(end, *arguments))
    process.start()
    end.close()
    return process, said


def write_batches(place: Path) -> None:
    """Write the patterns of some made-up batches, one file each, and of a document of the first batch."""
    import numpy as np
    import polars as pl

    import termburst as tb

    rng = np.random.default_rng(0)
    for k in range(2 * BATCHES):
        texts = [" ".join(f"w{w}" for w in rng.zipf(1.3, 60) % 5_000) for _ in range(100)]
        frame = pl.DataFrame({"document": [f"{k}/{i}" for i in range(len(texts))], "text": texts})
        tb.scan(frame).patterns(f"batch {k}").write_parquet(place / f"{k}.parquet")
        if k == 0:
            tb.scan(frame[:1]).patterns("withdrawn").write_parquet(place / "withdrawn.parquet")


def expected(place: Path, batches: list[int], *, withdrawn: bool) -> Any:
    """The patterns that these batches have together."""
    import polars as pl

    rows = pl.concat([pl.read_parquet(place / f"{k}.parquet") for k in batches])
    gone = pl.read_parquet(place / "withdrawn.parquet").with_columns(-pl.col("documents"))
    return summed(pl.concat([rows, gone]) if withdrawn else rows)


def contents(ledger: str) -> Any:
    from termburst.ledgers import Ledger

    return summed(Ledger(ledger).frame().lazy().collect())


def summed(rows: Any) -> Any:
    import polars as pl

    sums = rows.group_by(*PATTERN).agg(pl.col("documents").sum()).filter(pl.col("documents") != 0)
    return sums.sort(PATTERN)


if __name__ == "__main__":
    sys.exit(program.main())
