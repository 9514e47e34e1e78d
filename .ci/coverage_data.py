"""Write what slipcover measured (JSON files, one per run of tests) as data of coverage.py, which reports it.

slipcover takes almost no time on every version of Python, but it also counts docstrings as lines; coverage.py does not.
"""

import json
import sys
from pathlib import Path

from coverage import CoverageData


def convert(measured: list[str], to: str) -> None:
    """Replace the file *to* by the lines of all files in *measured*."""
    data = CoverageData(basename=to)
    data.erase()
    for path in measured:
        files = json.loads(Path(path).read_text(encoding="utf-8"))["files"]
        data.add_lines({str(Path(name).resolve()): found["executed_lines"] for name, found in files.items()})
    data.write()


if __name__ == "__main__":
    convert(sys.argv[1:], ".coverage")
