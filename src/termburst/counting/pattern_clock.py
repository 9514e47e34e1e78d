"""A limit on the processor time that the search for tokens may take in one document: some patterns never end.

A pattern such as ``(?:\\w+)+x`` can match in exponentially many ways, and Python's `re` then searches for years. It
handles signals while it searches. So Ctrl-C stops it in any program, and on the command line a timer stops it, too.
In a program, the timer is used only for a pattern that was read from a file, because anyone may have written it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from termburst.messages import named

STORED_SECONDS = 60.0  # for a pattern from a file, if the command line gives no limit
_RAISE = "raise " + named("pattern_seconds")
_TOKENS = "the token pattern"
_limits: list[tuple[float, str, str]] = []  # seconds, advice, what takes them; empty outside `pattern_limit`


class StoredPattern(str):
    """A token pattern that was read from a file and that is not a simple class of characters.

    It equals the same pattern as a plain string, but runs only inside `stored_limit`.
    """

    __slots__ = ()


def can_limit() -> bool:
    """Whether a search can be stopped here: in the main thread, and not on Windows."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def stored_limit(pattern: str) -> Iterator[None]:
    """Inside the context, one search for a `StoredPattern` has a limit; a plain string has none of its own.

    Raises
    ------
    ValueError
        If the search takes too long, or if no limit is possible here.

    Examples
    --------
    >>> with stored_limit(StoredPattern(r"\\w+-\\w+")):
    ...     pass
    """
    if not isinstance(pattern, StoredPattern):
        yield
        return
    if not can_limit():
        raise ValueError(
            f"the token pattern {str(pattern)!r:.60} was read from a file, and only the main thread (not on Windows) "
            "can stop a pattern that never ends; if you trust it, set it again with CountingOptions(token_pattern=...)"
        )
    own = (STORED_SECONDS, "set another one with CountingOptions(token_pattern=...)", _TOKENS)
    with pattern_limit(*(_limits[-1] if _limits else own)):
        start_clock()
        yield


@contextmanager
def pattern_limit(seconds: float, advice: str = _RAISE, what: str = _TOKENS) -> Iterator[None]:
    """Inside the context, raise ValueError when one document takes longer than *seconds*.

    The message begins with *what* takes so long, and ends in *advice*.

    Only the command line and `stored_limit` use it, because a library must not touch the signals of a program.
    Signals reach only the main thread, and Windows has no such timer. So other threads and Windows have no limit.
    """
    if not can_limit():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    _limits.append((seconds, advice, what))
    try:
        yield
    finally:
        stop_clock()
        _limits.pop()
        signal.signal(signal.SIGVTALRM, before)


def start_clock() -> None:
    """Start the time of the next document."""
    if _limits:
        signal.setitimer(signal.ITIMER_VIRTUAL, _limits[-1][0])


def stop_clock() -> None:
    """Stop the time: the last document is done."""
    if _limits:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(*_: Any) -> None:
    seconds, advice, what = _limits[-1]
    raise ValueError(
        f"{what} takes more than {seconds:g} seconds of processor time in one document; "
        r"avoid nested repetition such as (\w+)+, or " + advice
    )
