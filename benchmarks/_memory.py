"""Resident memory and processor time of a process and all its descendants (Linux)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

EVERY = 0.1  # seconds


class Watch:
    """While it is open, a thread looks at the memory of a process; `peak` is the most that was seen, in MB."""

    def __init__(self, process: int) -> None:
        self.process, self.peak = process, 0.0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(EVERY):
            self.peak = max(self.peak, resident(self.process))


def own_peak() -> float:
    """Peak megabytes of this process. `ru_maxrss` would include its parent's, from which it was forked."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) / 1024


def resident(root: int) -> float:
    """Megabytes of a process and its descendants."""
    parents, sizes = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        except (OSError, ValueError):
            continue
        parents[int(folder.name)] = int(fields["PPid"])
        sizes[int(folder.name)] = int(fields.get("VmRSS", "0 kB").split()[0]) / 1024
    return sum(sizes[process] for process in family(root, parents))


def processor_seconds() -> float:
    """Of this process, its descendants, and those that they have waited for."""
    parents, ticks = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    return sum(ticks[process] for process in family(os.getpid(), parents)) / os.sysconf("SC_CLK_TCK")


def family(root: int, parents: dict[int, int]) -> list[int]:
    """A process and its descendants."""

    def belongs(process: int) -> bool:
        while process not in (root, 0):
            process = parents.get(process, 0)
        return process == root

    return [process for process in parents if belongs(process)]
