"""How many files of the package one call walks through: the fewer, the sooner a reader has followed it.

A call is made once before, so that imports do not count, and then watched. A file counts if one of its functions runs,
in any thread. A hop is a pair of files, the one that calls and the one that is called; what stands between them of
other packages or of Python is left out. Files above 500 lines are listed, because merging files must not win anything.

    python benchmarks/walks.py [--files] [CALL …]

With --files, the files of each call. The goals are upper bounds; the exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import termburst as tb

PACKAGE = str(Path(tb.__file__).parent)
LONGEST = 500  # lines of a file
GOALS = {"terms": (42, 75), "keyness": (24, None), "scan.keyness": (32, None), "vectorizer": (16, None)}


def walked(call: Callable[[], Any]) -> tuple[set[str], set[tuple[str, str]]]:
    """The files of the package that a call walks through, and its hops from file to file.

    Examples
    --------
    >>> walked(lambda: None)
    (set(), set())
    """
    files: set[str] = set()
    hops: set[tuple[str, str]] = set()

    def see(frame: FrameType, event: str, _: Any) -> None:
        here = frame.f_code.co_filename
        if event != "call" or not here.startswith(PACKAGE):
            return
        files.add(here)
        before = frame.f_back
        while before is not None and not before.f_code.co_filename.startswith(PACKAGE):
            before = before.f_back
        if before is not None and before.f_code.co_filename != here:
            hops.add((before.f_code.co_filename, here))

    call()
    threading.setprofile(see)
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return files, hops


def calls(folder: str) -> dict[str, Callable[[], Any]]:
    """The calls by name, on small counts, on two texts, and on a folder of a dozen texts."""
    from termburst.cli import main

    for number in range(12):
        text = "ha ha so it goes on" if number % 3 else "so it goes and on it goes"
        Path(folder, f"{number}.txt").write_text(text, encoding="utf-8")

    def terms() -> None:
        sys.argv = ["termburst", "terms", folder]
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(SystemExit),
        ):
            main()

    A, B = [[9, 1, 40]] * 8, [[1, 1, 40], [2, 1, 44]] * 6
    return {
        "terms": terms,
        "keyness": lambda: tb.keyness(A, B),
        "scan.keyness": lambda: tb.scan(folder).keyness(tb.scan(folder)),
        "vectorizer": lambda: tb.BurstinessVectorizer().fit_transform(["so it goes", "ha ha so"]),
    }


def main() -> int:
    """Print files and hops of each call beside the goals, and the files that are too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="*", choices=[[], *GOALS], metavar="CALL", help=f"{', '.join(GOALS)}")
    parser.add_argument("--files", action="store_true", help="also list the files")
    asked = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(folder).items():
            if asked.calls and name not in asked.calls:
                continue
            files, hops = walked(call)
            most, most_hops = GOALS[name]
            missed |= len(files) > most or (most_hops is not None and len(hops) > most_hops)
            goal = f"{most} files" + (f", {most_hops} hops" if most_hops else "")
            print(f"{name:<13} {len(files):3} files {len(hops):4} hops   (goal: {goal})")
            for path in sorted(files) if asked.files else ():
                print(f"  {Path(path).relative_to(PACKAGE)}")
    for path in sorted(Path(PACKAGE).rglob("*.py")):
        if (lines := path.read_text(encoding="utf-8").count("\n")) > LONGEST:
            print(f"{path.relative_to(PACKAGE)} has {lines} lines")
            missed = True
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
