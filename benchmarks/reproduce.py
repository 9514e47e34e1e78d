"""`termburst reproduce all`: how long it takes, how many numbers of the paper agree, and the same bytes again.

The scripts of the authors need two to five hours for Fig. 4 alone (0.11–0.25 s per term, 72,916 terms;
`speed.py --parts fits` measures their method on a sample of terms).

    TERMBURST_DATA=… python benchmarks/reproduce.py [--keep]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from _program import Program, folder

GOAL = 180  # seconds, on two cores, with warm caches

program = Program(__doc__, __file__)


@program.part("5 min")
def paper(asked: argparse.Namespace) -> bool:
    """All figures and tables twice: seconds, rows that differ from the paper, and files that differ the second time."""
    parts = ["fig1"] if asked.quick else ["all"]
    with folder() as place:
        first, second = (run(parts, place / str(number)) for number in (1, 2))
        different = [name for name in sorted(first | second) if first.get(name) != second.get(name)]
        print(f"{len(first)} files, of which {len(different)} differ on the second run {different or ''}")
        rows = json.loads(first["results.json"])
        print(
            f"results.json: {len(rows)} rows, {sum(row['agrees'] is False for row in rows)} that differ from the paper"
        )
    return not different


def run(parts: list[str], out: Path) -> dict[str, bytes]:
    """The files that the command writes."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "termburst", "reproduce", *parts, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    print(f"{time.perf_counter() - start:.1f} s (goal < {GOAL} s), exit code {done.returncode}")
    print(done.stderr or done.stdout.splitlines()[-1])
    return {path.name: path.read_bytes() for path in out.iterdir()}


if __name__ == "__main__":
    sys.exit(program.main())
