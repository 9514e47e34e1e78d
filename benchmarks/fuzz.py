"""Random inputs for the C core under sanitizers, and for the CSV cutter: every crash or wrong result is reported.

The harnesses in `fuzz/` are built by clang with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, for all
processors and, if this machine has it, for AVX2. They start with the inputs in `fuzz/corpus/`; new inputs are kept for
this run only. If one fails, its input is in the folder named at the end, and the exit code is 1. The exit code is 2 if
clang is not installed.

    python benchmarks/fuzz.py [seconds in total, default 600] [--keep]

--keep adds new inputs that reach new code to `fuzz/corpus/`, the smallest of each.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from termburst.core.binding import load
from termburst.reading.csv_blocks import cut_block

HERE = Path(__file__).parent / "fuzz"
CORE = Path(__file__).parent.parent / "src" / "termburst" / "core"
SANITIZERS = "-fsanitize=fuzzer,address,undefined"
FLAGS = [
    "-std=gnu17",
    "-O1",
    "-g",
    "-ffp-contract=off",
    SANITIZERS,
    "-fno-sanitize-recover=all",
    f"-I{CORE}",
    f"-I{HERE}",
]
LONGEST = 4096  # bytes of an input
CSV_SHARE = 0.1  # of the time
TOKENS = ['"', '""', ",", "\n", "\r\n", "\r", "a", "b c", "é", "𝄞", "\x85", "\u2028", '"a""b"', '""""', "\0", '"x,\ny"']


def subjects() -> list[str]:
    """The harnesses whose kernel exists."""
    names = [path.name.removesuffix("_fuzz.c") for path in sorted(HERE.glob("*_fuzz.c"))]
    return [name for name in names if (CORE / f"{name}.c").exists()]


def processors() -> dict[str, list[str]]:
    return {"baseline": [], **({"avx2": ["-mavx2"]} if load("baseline").tb_has_avx2() else {})}


def clang(*arguments: str, what: str, **options: Path) -> None:
    made = subprocess.run(["clang", *FLAGS, *arguments], check=False, capture_output=True, text=True, **options)
    if made.returncode:
        sys.exit(f"clang could not build {what}; it needs clang with its runtime libraries\n{made.stderr}")


def compile_core(options: list[str], folder: Path) -> list[str]:
    """The object files of the core, linked with all harnesses."""
    folder.mkdir()
    sources = sorted(CORE.glob("*.c"))
    clang(*options, "-c", *map(str, sources), what="the core", cwd=folder)
    return [str(folder / f"{path.stem}.o") for path in sources]


def run(binary: Path, corpus: list[Path], seconds: float, found: Path) -> bool:
    """Whether nothing was found in *seconds* seconds."""
    command = [
        str(binary), *map(str, corpus), f"-max_total_time={max(round(seconds), 1)}", f"-max_len={LONGEST}",
        "-timeout=20", f"-artifact_prefix={found}/{binary.name}-", "-print_final_stats=1", "-verbosity=1",
    ]  # fmt: skip
    result = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    stats = [
        line.split()[-1] for line in result.stderr.splitlines() if line.startswith("stat::number_of_executed_units")
    ]
    if result.returncode:
        print(result.stderr[-6000:])
        print(f"{binary.name}: FAILED")
    else:
        print(f"{binary.name:>20} {int(stats[0]) if stats else 0:>12,} inputs in {seconds:.0f} s: nothing found")
    return result.returncode == 0


def csv_blocks(seconds: float, seed: int) -> bool:
    """Whether unambiguous blocks are split like the csv module splits them."""
    rng, done, cut, end = random.Random(seed), 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        width = rng.randint(1, 3)
        block = "".join(rng.choices(TOKENS, k=rng.randint(0, 30))).encode()
        if rng.random() < 0.5:  # like the output of a program
            table = io.StringIO(newline="")
            cells = ["".join(rng.choices(TOKENS[:-2], k=rng.randint(0, 3))) for _ in range(width * rng.randint(1, 5))]
            csv.writer(table, lineterminator="\n").writerows(cells[k : k + width] for k in range(0, len(cells), width))
            block = table.getvalue().encode() + block
        if rng.random() < 0.1 and block:
            place = rng.randrange(len(block))
            block = block[:place] + bytes([rng.randrange(256)]) + block[place + 1 :]
        found = cut_block(block, ord(","), width, list(range(width)), 10**6)
        done += 1
        if found.columns is None:
            continue
        cut += 1
        text = block[: found.size].decode()
        rows = csv.reader(io.StringIO(text, newline=""))
        # An empty line is not a row; in a table of one column it is an empty field.
        expected = [row or [""] for row in rows if row or width == 1]
        if [list(row) for row in zip(*found.columns, strict=True)] != expected:
            print(f"csv_blocks: FAILED with seed {seed}: {block!r} in {width} columns")
            return False
    print(f"{'csv_blocks':>20} {done:>12,} blocks in {seconds:.0f} s, {cut:,} of them cut: nothing found")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seconds", type=float, nargs="?", default=600.0)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if shutil.which("clang") is None:
        print("clang is not installed, so the C core is not fuzzed (Debian: install clang and libclang-rt-14-dev)")
        return 2
    folder = Path(tempfile.mkdtemp(prefix="termburst-fuzz-"))
    core = {kind: compile_core(flags, folder / kind) for kind, flags in processors().items()}
    builds = [(subject, kind, flags) for subject in subjects() for kind, flags in processors().items()]
    share = options.seconds * (1 - CSV_SHARE) / len(builds)
    sound = csv_blocks(options.seconds * CSV_SHARE, seed=int(time.time()))
    for subject, kind, flags in builds:
        binary, grown = folder / f"{subject}-{kind}", folder / f"{subject}-corpus"
        grown.mkdir(exist_ok=True)
        harness = str(HERE / f"{subject}_fuzz.c")
        clang(*flags, harness, *core[kind], "-lm", "-o", str(binary), what=harness)
        corpus = HERE / "corpus" / subject
        sound &= run(binary, [grown, *([corpus] if corpus.is_dir() else [])], share, folder)
        if options.keep:
            corpus.mkdir(parents=True, exist_ok=True)
            merge = [str(binary), "-merge=1", f"-max_len={LONGEST}", str(corpus), str(grown)]
            subprocess.run(merge, check=True, capture_output=True)
    if sound:
        shutil.rmtree(folder)
    else:
        print(f"the failing input is in {folder}{os.sep}")
    return int(not sound)


if __name__ == "__main__":
    sys.exit(main())
