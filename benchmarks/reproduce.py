"""The time of `termburst reproduce all`, and whether a second run writes the same bytes.

The scripts of the authors need two to five hours for Fig. 4 alone (0.11–0.25 s per term, 72,916 terms; fit_speed.py
measures their method on a sample of terms).

    TERMBURST_DATA=… python benchmarks/reproduce.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 2
GOAL = 180  # seconds, on two cores, with warm caches


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder) / str(run) for run in range(RUNS)]
        for run, out in enumerate(outs):
            start = time.perf_counter()
            command = [sys.executable, "-m", "termburst", "reproduce", "all", "--out", str(out)]
            done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
            taken = time.perf_counter() - start
            print(f"run {run + 1}: {taken:.1f} s (goal < {GOAL} s), exit code {done.returncode}")
            print(done.stderr or done.stdout.splitlines()[-1])
        first, second = ({path.name: path.read_bytes() for path in out.iterdir()} for out in outs)
        different = [name for name in sorted(first | second) if first.get(name) != second.get(name)]
        print(f"{len(first)} files, of which {len(different)} differ on the second run {different or ''}")
        rows = json.loads(first["results.json"])
        differing = sum(row["agrees"] is False for row in rows)
        print(f"results.json: {len(rows)} rows, {differing} that differ from the paper")


if __name__ == "__main__":
    main()
