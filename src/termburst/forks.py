"""Forked processes. A fork does not copy threads, so Polars may wait forever for its threads."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class _Threads:
    """State of the threads of Polars."""

    at_work = False  # whether they existed when this process last forked
    lost = False  # whether they exist only in the parent, so that Polars does not work here


def check_fork() -> None:
    """Raise RuntimeError if Polars would hang: in a process forked from one that had threads of Polars.

    Examples
    --------
    >>> check_fork()  # this process was not forked
    """
    if _Threads.lost:
        raise RuntimeError(
            "termburst needs Polars for this, and Polars cannot be used in a process forked from one that has used it; "
            "start processes with multiprocessing.get_context('spawn')"
        )


def polars_is_lost() -> bool:
    """Whether Polars would hang in this process, for callers that can work without it."""
    return _Threads.lost


def _before() -> None:
    _Threads.at_work = "polars" in sys.modules and _has_threads()


def _in_child() -> None:
    _Threads.lost = _Threads.lost or _Threads.at_work


def _has_threads() -> bool:
    """Whether Polars has started its threads. It does so with the first larger computation, not with the import."""
    if not sys.platform.startswith("linux"):
        return True
    from pathlib import Path  # Polars has loaded it already; `import termburst` should not

    names = []
    try:
        for task in Path("/proc/self/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                _wait_for_first_run(task)
                names.append((task / "comm").read_text())
    except OSError:  # no /proc: one error too many is better than a process that hangs
        return True
    return any(map(_is_of_polars, names))


def _wait_for_first_run(task: Path, seconds: float = 1.0) -> None:
    """Wait until a thread has run once. Only then does it set its name, which may take a while on a busy machine."""
    ran, end = task / "schedstat", time.monotonic() + seconds
    while ran.exists() and ran.read_text().startswith("0 ") and time.monotonic() < end:
        time.sleep(0.001)


def _is_of_polars(thread: str) -> bool:
    # Threads with a number compute. The others read files, and may exist alone: after `collect_schema` of a scan.
    return thread.startswith(("tokio-rt", "async-exec")) or (thread.startswith("polars-") and thread[7:8].isdigit())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
