"""`termburst stats build` is killed many times (SIGKILL, at seeded moments) and resumed: the result must be the same.

Statistics of an artificial corpus are built once without interruption. Then builds are started, killed after a random
time, and started again until they finish. Each result must equal the uninterrupted one byte for byte, and no other file
may remain. This is repeated until the requested number of kills is reached.

    python benchmarks/kill_resume.py [--kills 50] [--megabytes 6] [--seed 0]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WAYS: tuple[list[str], ...] = (
    [],
    ["--detail", "patterns"],
    ["--detail", "frequencies", "--ngrams", "1,2", "--stop-words", "english"],
    ["--token-pattern", r"\w+'\w+|\w\w+"],  # not compiled
)


def write_corpus(folder: Path, megabytes: float, rng: random.Random) -> None:
    """Write a file of lines, a table, and files of one document each."""
    words = [f"w{i}" for i in range(30_000)]

    def documents(size: float) -> list[str]:
        found: list[str] = []
        while size > 0:
            found.append(" ".join(words[int(len(words) * rng.random() ** 4)] for _ in range(rng.randrange(300))))
            size -= len(found[-1]) + 1
        return found

    folder.mkdir()
    rows = (json.dumps({"text": text}) + "\n" for text in documents(megabytes * 4e5))
    (folder / "a.jsonl").write_text("".join(rows), encoding="utf-8")
    for i, text in enumerate(documents(megabytes * 2e5)):
        (folder / f"b{i}.txt").write_text(text, encoding="utf-8")
    lines = (f'"{text}"\n' for text in documents(megabytes * 4e5))
    (folder / "c.csv").write_text("text\n" + "".join(lines), encoding="utf-8")


def run(corpus: Path, target: Path, way: list[str], moment: tuple[str, float] | None = None) -> tuple[int, str]:
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


def main() -> None:
    """Kill, resume, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--megabytes", type=float, default=6)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    kills = resumed = builds = equal = 0
    skipped: list[int] = []
    with tempfile.TemporaryDirectory() as name:
        corpus, target = Path(name, "corpus"), Path(name, "out", "all.parquet")
        write_corpus(corpus, asked.megabytes, rng)
        target.parent.mkdir()
        whole: dict[int, tuple[bytes, float]] = {}
        for k, way in enumerate(WAYS):
            began = time.perf_counter()
            if run(corpus, target, way)[0]:
                raise SystemExit("the build fails even without a kill")
            whole[k] = target.read_bytes(), time.perf_counter() - began
            print(f"{' '.join(way) or 'default options'}: {whole[k][1]:.1f} s without a kill", flush=True)
        while kills < asked.kills:
            k = builds % len(WAYS)
            content, took = whole[k]
            target.unlink(missing_ok=True)
            while True:
                # At any time, but most often soon after a checkpoint, since starting takes longer than counting.
                moment = ("start", rng.uniform(0, took)) if rng.random() < 0.25 else ("checkpoint", rng.uniform(0, 0.3))
                code, said = run(corpus, target, WAYS[k], moment if kills < asked.kills else None)
                if found := re.search(r"resumed: ([\d,]+) documents", said):
                    resumed += 1
                    skipped.append(int(found[1].replace(",", "")))
                if code not in (0, -9):
                    raise SystemExit(f"exit code {code}: {said}")
                kills += code == -9
                if target.exists():  # finished, though the process may still be ending
                    break
            first = target.read_bytes()
            run(corpus, target, WAYS[k])  # from a checkpoint that was not yet removed, or from the beginning
            builds += 1
            print(f"build {builds}: {kills} kills so far, {resumed} runs resumed", flush=True)
            equal += first == target.read_bytes() == content and [path.name for path in target.parent.iterdir()] == [
                target.name
            ]
    behind = sum(skipped) / max(resumed, 1)
    print(f"{kills} kills over {builds} builds; {resumed} runs resumed, on average after {behind:,.0f} documents")
    print(f"{equal} of {builds} results equal the uninterrupted one, byte for byte")
    sys.exit(equal != builds or not resumed)


if __name__ == "__main__":
    main()
