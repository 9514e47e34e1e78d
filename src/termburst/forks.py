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
    doubtful = False  # whether a fork before `import termburst` may have lost them


ANSWER = 5.0  # seconds until Polars counts as lost; where it works, it answers within milliseconds


def check_fork() -> None:
    """Raise RuntimeError if Polars would hang: in a process forked from one that had threads of Polars.

    Examples
    --------
    >>> check_fork()  # this process was not forked
    """
    if polars_is_lost():
        raise RuntimeError(
            "termburst needs Polars for this, and Polars cannot be used in a process forked from one that has used it; "
            "start processes with multiprocessing.get_context('spawn')"
        )


def polars_is_lost() -> bool:
    """Whether Polars would hang in this process, for callers that can work without it."""
    if _Threads.doubtful:
        _Threads.lost = _Threads.lost or not _answers()
        _Threads.doubtful = False
    return _Threads.lost


def _answers() -> bool:
    """Whether Polars still computes and reads files. A thread tries it, because it would hang otherwise."""
    import io
    import threading

    import polars as pl

    answered = threading.Event()

    def compute() -> None:
        try:
            pl.DataFrame({"a": [1, 2]}).write_parquet(file := io.BytesIO())
            file.seek(0)
            pl.scan_parquet(file).collect()
        finally:  # an error is an answer, too
            answered.set()

    threading.Thread(target=compute, daemon=True).start()
    return answered.wait(ANSWER)


def _before() -> None:
    if "polars" in sys.modules:
        names = _thread_names()  # unknown: one error too many is better than a process that hangs
        _Threads.at_work = names is None or any(map(_is_of_polars, names))


def _in_child() -> None:
    _Threads.lost = _Threads.lost or _Threads.at_work


def _may_be_forked() -> bool:
    """Whether Polars was imported, but none of its threads is here: recent versions start one with the import."""
    if "polars" not in sys.modules:
        return False
    names = _thread_names()
    return names is None or not any(name.startswith("polars-") for name in names)


def _thread_names() -> list[str] | None:
    """The names of the threads of this process; None if the system does not tell."""
    if not sys.platform.startswith("linux"):
        return None
    from pathlib import Path  # Polars has loaded it already; `import termburst` should not

    names = []
    try:
        for task in Path("/proc/self/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                _wait_for_first_run(task)
                names.append((task / "comm").read_text())
    except OSError:  # no /proc
        return None
    return names


def _wait_for_first_run(task: Path, seconds: float = 1.0) -> None:
    """Wait until a thread has run once. Only then does it set its name, which may take a while on a busy machine."""
    ran, end = task / "schedstat", time.monotonic() + seconds
    while ran.exists() and ran.read_text().startswith("0 ") and time.monotonic() < end:
        time.sleep(0.001)


def _is_of_polars(thread: str) -> bool:
    """Whether a thread belongs to those that Polars starts with the first larger computation, not with the import."""
    # Threads with a number compute. The others read files, and may exist alone: after `collect_schema` of a scan.
    return thread.startswith(("tokio-rt", "async-exec")) or (thread.startswith("polars-") and thread[7:8].isdigit())


if hasattr(os, "register_at_fork"):
    _Threads.doubtful = _may_be_forked()
    os.register_at_fork(before=_before, after_in_child=_in_child)
