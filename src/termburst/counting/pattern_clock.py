"""A limit on the processor time that the search for tokens may take in one document: some patterns never end.

A pattern such as ``(?:\\w+)+x`` can match in exponentially many ways, and Python's `re` then searches for years. It
handles signals while it searches. So Ctrl-C stops it in any program, and on the command line a timer stops it, too.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_limits: list[float] = []  # empty outside `pattern_limit`: a library must not touch the signals of a program


@contextmanager
def pattern_limit(seconds: float) -> Iterator[None]:
    """Inside the context, raise ValueError when one document takes longer than *seconds*.

    Signals reach only the main thread, and Windows has no such timer. So other threads and Windows have no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    _limits.append(seconds)
    try:
        yield
    finally:
        stop_clock()
        _limits.pop()
        signal.signal(signal.SIGVTALRM, before)


def start_clock() -> None:
    """Start the time of the next document."""
    if _limits:
        signal.setitimer(signal.ITIMER_VIRTUAL, _limits[-1])


def stop_clock() -> None:
    """Stop the time: the last document is done."""
    if _limits:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(*_: Any) -> None:
    raise ValueError(
        f"the token pattern takes more than {_limits[-1]:g} seconds of processor time in one document; "
        r"avoid nested repetition such as (\w+)+, or raise --pattern-seconds"
    )
