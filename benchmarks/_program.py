"""What all programs share: parts by name, `--list`, `--quick`, `--seed`, `--keep`, tables, and measurements."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import io
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
OUTPUT = Path(__file__).with_name("output")
EVERY = 0.1  # seconds between two looks at the memory of a process and its descendants


@dataclass(frozen=True)
class Part:
    """A function that measures one thing, and how long that takes on two cores."""

    run: Callable[[argparse.Namespace], bool | None]
    takes: str

    @property
    def what(self) -> str:
        return " ".join((self.run.__doc__ or "").split("\n\n")[0].split())


class Program:
    """A program with parts. A part prints its tables; one that returns False has failed, and the exit code is 1."""

    def __init__(self, doc: str | None, file: str, seed: int = 20261119) -> None:
        self.path, self.parts = Path(file), dict[str, Part]()
        self.doc, self.unasked = doc or "", set[str]()
        self.parser = argparse.ArgumentParser(
            description=self.doc, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        self.parser.add_argument("--parts", nargs="+", metavar="PART", help="what to measure; default: all")
        self.parser.add_argument(
            "--list", action="store_true", help="say what each part measures and how long it takes"
        )
        self.parser.add_argument("--quick", action="store_true", help="a little of everything, to see that it works")
        self.parser.add_argument("--keep", action="store_true", help="write the tables to benchmarks/output/ as well")
        self.parser.add_argument("--seed", type=int, default=seed, help="of everything that is drawn")
        self.option = self.parser.add_argument

    def part(self, takes: str, *, asked: bool = False) -> Callable[[Any], Any]:
        """Make a function a part. With *asked*, it is run only if it is named."""

        def decorate(function: Any) -> Any:
            name = function.__name__.rstrip("_").replace("_", "-")
            self.parts[name] = Part(function, takes)
            if asked:
                self.unasked.add(name)
            return function

        return decorate

    def main(self, arguments: Sequence[str] | None = None) -> int:
        arguments = list(sys.argv[1:] if arguments is None else arguments)
        if arguments[:1] == ["--child"]:
            _child(*arguments[1:])
            return 0
        listed = "\n".join(f"  {name:15} {part.takes:>8}  {part.what}" for name, part in self.parts.items())
        self.parser.epilog = f"parts, with the time that they take on two cores:\n{listed}"
        asked = self.parser.parse_args(arguments)
        names = asked.parts or [name for name in self.parts if name not in self.unasked]
        if unknown := [name for name in names if name not in self.parts]:
            self.parser.error(f"unknown part: {', '.join(unknown)}; there are {', '.join(self.parts)}")
        if asked.list:
            print(listed)
            return 0
        options = _without(arguments, "--keep", "--parts")
        right = [self._run(name, asked, options) for name in names]
        return int(not all(right))

    def _run(self, name: str, asked: argparse.Namespace, options: list[str]) -> bool:
        command = " ".join(["$ python", f"benchmarks/{self.path.name}", "--parts", name, *map(_quoted, options)])
        printed = Tee(sys.stdout)
        began = time.process_time()
        with contextlib.redirect_stdout(printed):
            right = self.parts[name].run(asked) is not False
        print(f"[{name}: {time.process_time() - began:.0f} s of processor time of this process]", file=sys.stderr)
        if asked.keep and right and printed.text.getvalue().strip():
            OUTPUT.mkdir(exist_ok=True)
            lines = [line.rstrip() for line in printed.text.getvalue().strip("\n").splitlines()]
            kept = OUTPUT / f"{self.path.stem}-{name}.txt"
            kept.write_text("\n".join([command, *lines, ""]), encoding="utf-8")
        return right


def _without(arguments: list[str], flag: str, several: str) -> list[str]:
    """The arguments without a flag, and without an option and its values."""
    found, skipping = [], False
    for argument in arguments:
        skipping = argument == several or (skipping and not argument.startswith("--"))
        if not skipping and argument != flag:
            found.append(argument)
    return found


def _quoted(argument: str) -> str:
    return f"'{argument}'" if " " in argument else argument


class Tee(io.TextIOBase):
    """Writes to a stream, and keeps what was written."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.text = stream, io.StringIO()

    def write(self, text: str) -> int:
        self.text.write(text)
        self.stream.write(text)
        self.stream.flush()
        return len(text)


class Table:
    """A table whose rows are printed as they come: the first column to the left, the others to the right."""

    def __init__(self, title: str, *columns: str, first: int = 26, width: int = 9) -> None:
        self.widths = [first, *(max(width, len(column) + 1) for column in columns[1:])]
        if title:
            print(f"\n{title}")
        self.row(*columns)

    def row(self, *cells: object) -> None:
        texts = [shown(cell) for cell in cells]
        rest = (f"{text:>{width}}" for text, width in zip(texts[1:], self.widths[1:], strict=False))
        print(f"{texts[0]:<{self.widths[0]}}{''.join(rest)}".rstrip())


def shown(value: object) -> str:
    """Text as it is, whole numbers with thousands, other numbers with three digits or so; nothing for NaN and None.

    >>> [shown(x) for x in ("a", 12345, 0.0123, 1.5, 123.4, float("nan"))]
    ['a', '12,345', '0.012', '1.50', '123', '']
    """
    if value is None or (isinstance(value, float | np.floating) and math.isnan(value)):
        return ""
    if isinstance(value, float | np.floating):
        size = abs(value)
        return (
            f"{value:,.0f}"
            if size >= 100
            else f"{value:.1f}"
            if size >= 10
            else f"{value:.2f}"
            if size >= 1
            else f"{value:.3f}"
        )
    return f"{value:,}" if isinstance(value, int | np.integer) else str(value)


def percent(values: Any, digits: int = 1) -> str:
    """The mean of some shares in per cent with its standard error over them, such as "5.1±0.3".

    >>> percent([0.05, 0.06, float("nan")])
    '5.5±0.5'
    """
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return ""
    error = f"±{100 * known.std(ddof=1) / known.size**0.5:.{digits}f}" if known.size > 1 else ""
    return f"{100 * known.mean():.{digits}f}{error}"


# --- measurements in a process of their own


class Measured(NamedTuple):
    """Medians over the calls in a new process; memory in MB. `most` is that of the process and its descendants."""

    seconds: float
    processor: float
    before: float
    peak: float
    most: float
    result: Any


def measured(file: str, function: str, *arguments: Any, calls: int = 1, cores: int | None = None) -> Measured:
    """Call what a function of *file* returns, in a new process.

    The function prepares, and returns what is measured. `peak` is the most memory beyond that `before` the first call.
    """
    call = [function, json.dumps(arguments), str(calls), str(cores or 0)]
    command = [sys.executable, "-W", "ignore", file, "--child", *call]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process, Watch(process.pid) as watch:
        out, error = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{function}{arguments} failed: {error[-2000:]}")
    seconds, processor, before, peak, result = json.loads(out.splitlines()[-1])
    return Measured(seconds, processor, before, peak, watch.peak, result)


def _child(function: str, arguments: str, calls: str, cores: str) -> None:
    if int(cores):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: int(cores)]))
    run = getattr(sys.modules["__main__"], function)(*json.loads(arguments))
    forget_peak()
    before, times, result = memory("VmRSS"), [], None
    for _ in range(int(calls)):
        began = time.perf_counter(), processor_seconds()
        result = run()
        times.append((time.perf_counter() - began[0], processor_seconds() - began[1]))
    result = result if isinstance(result, int | float | str | list) else None
    medians = map(statistics.median, zip(*times, strict=True))
    print(json.dumps([*medians, before, memory("VmHWM") - before, result]))


def memory(key: str) -> float:
    """MB of this process: now ("VmRSS"), or at the most since `forget_peak` ("VmHWM")."""
    return _status(Path("/proc/self"), key) / 1024


def forget_peak() -> None:
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)  # return freed memory, whose reuse would not be measured
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _status(process: Path, key: str) -> int:
    lines = (process / "status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{key}:")), 0)


class Watch:
    """While it is open, a thread looks at a process and its descendants; `peak` is the most memory seen, in MB."""

    def __init__(self, process: int) -> None:
        self.process, self.peak, self._end = process, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(EVERY):
            with contextlib.suppress(OSError):
                self.peak = max(self.peak, sum(_status(path, "VmRSS") for path in family(self.process)) / 1024)


def family(root: int) -> list[Path]:
    """The folders in /proc of a process and its descendants."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = _status(folder, "PPid")

    def belongs(process: int) -> bool:
        while process not in (root, 0):
            process = parents.get(process, 0)
        return process == root

    return [Path("/proc", str(process)) for process in parents if belongs(process)]


def processor_seconds() -> float:
    """Of this process, of those that it has waited for, and of its living descendants such as Java."""
    total = time.process_time() + sum(os.times()[2:4])
    for path in family(os.getpid()):
        if path.name != str(os.getpid()):
            with contextlib.suppress(OSError):
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def data() -> Path:
    """The folder of the data sets."""
    found = os.environ.get("TERMBURST_DATA")
    if found is None:
        sys.exit("set TERMBURST_DATA to the folder of the data sets")
    return Path(found)
