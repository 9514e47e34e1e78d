"""Forked processes, in which Polars may wait for ever for threads that the fork left behind."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class _Threads:
    """Of Polars."""

    at_work = False  # when this process was forked last
    lost = False  # they were in the parent, and so Polars does not work here


def check_fork() -> None:
    """Refuse to use Polars where it would hang: in a process forked from one in which its threads were at work.

    Examples
    --------
    >>> check_fork()  # nothing is wrong here
    """
    if _Threads.lost:
        raise RuntimeError(
            "Polars, which termburst needs for this, cannot be used in a process forked from one that has used it: "
            "start processes with multiprocessing.get_context('spawn')"
        )


def polars_is_lost() -> bool:
    """Whether Polars would hang in this process, for what can do without."""
    return _Threads.lost


def _before() -> None:
    _Threads.at_work = "polars" in sys.modules and _has_threads()


def _in_child() -> None:
    _Threads.lost = _Threads.lost or _Threads.at_work


def _has_threads() -> bool:
    """Whether Polars has started its threads, which it does with its first larger work; to import it is no harm."""
    if not sys.platform.startswith("linux"):
        return True
    from pathlib import Path  # loaded with Polars; `import termburst` does without

    names = []
    try:
        for task in Path("/proc/self/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                _wait_for_first_run(task)
                names.append((task / "comm").read_text())
    except OSError:  # no /proc: better a sentence too many than a process that hangs
        return True
    return any(map(_is_of_polars, names))


def _wait_for_first_run(task: Path, seconds: float = 1.0) -> None:
    """Wait until a thread has run: it gives itself its name then, which may take a while on a busy machine."""
    ran, end = task / "schedstat", time.monotonic() + seconds
    while ran.exists() and ran.read_text().startswith("0 ") and time.monotonic() < end:
        time.sleep(0.001)


def _is_of_polars(thread: str) -> bool:
    # Those with a number compute; the others read files, and may be alone, as after `collect_schema` of a scanned one.
    return thread.startswith(("tokio-rt", "async-exec")) or (thread.startswith("polars-") and thread[7:8].isdigit())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
