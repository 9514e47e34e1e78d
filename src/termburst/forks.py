"""Forked processes. A fork does not copy threads, so Polars may wait forever for its threads."""

from __future__ import annotations

import os
import sys


class _Threads:
    """State of the threads of Polars."""

    lost = False  # whether they exist only in the parent, so that Polars does not work here
    doubtful = False  # whether a fork may have lost them


ANSWER = 5.0  # seconds until Polars counts as lost; where it works, it answers within milliseconds


def check_fork() -> None:
    """Raise RuntimeError if Polars would hang: in a process forked from one that had threads of Polars.

    Examples
    --------
    >>> check_fork()  # this process was not forked
    """
    if _Threads.doubtful:
        _Threads.doubtful, _Threads.lost = False, not _answers()
    if _Threads.lost:
        raise RuntimeError(
            "termburst needs Polars for this, and Polars cannot be used in a process forked from one that has used it; "
            "start processes with multiprocessing.get_context('spawn')"
        )


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


def _in_child() -> None:
    _Threads.doubtful = not _Threads.lost and "polars" in sys.modules


def _may_be_forked() -> bool:
    """Whether Polars was imported, but none of its threads is seen here: recent versions start one with the import."""
    if "polars" not in sys.modules:
        return False
    from pathlib import Path  # Polars has loaded it already; `import termburst` should not

    try:
        names = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
    except OSError:  # a thread that has just ended
        return True
    return not any(name.startswith("polars-") for name in names)


if hasattr(os, "register_at_fork"):
    _Threads.doubtful = _may_be_forked()
    os.register_at_fork(after_in_child=_in_child)
