"""Resident memory of a process and all its descendants, looked at ten times a second (Linux)."""

from __future__ import annotations

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
    total = 0.0
    for process, size in sizes.items():
        above = process
        while above not in (root, 0):
            above = parents.get(above, 0)
        total += size if above == root else 0.0
    return total
