"""A limit on the processor time that the search for tokens may take in one document: some patterns never end.

A pattern such as ``(?:\\w+)+x`` can match in exponentially many ways, and Python's `re` then searches for years. It
handles signals while it searches. So Ctrl-C stops it in any program, and a timer stops it, too, if the program has no
use of its own for that signal. A pattern that was read from a file does not run without a timer, because anyone may
have written it.

The package regex has a limit of its own, but would find other words: its ``\\w`` has 30,000 characters more, such as
the marks of Hindi, of Arabic, and of é as two characters.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from termburst.messages import named

STORED_SECONDS = 60.0  # for a pattern from a file, if no `pattern_limit` is around it
_RAISE = "raise " + named("pattern_seconds")
_TOKENS = "the token pattern"
_limits: list[tuple[float, str, str]] = []  # seconds, advice, what takes them; empty outside `pattern_limit`


class StoredPattern(str):
    """A token pattern that was read from a file and that is not a simple class of characters.

    It equals the same pattern as a plain string, but runs only inside `search_limit`.
    """

    __slots__ = ()


def can_limit() -> bool:
    """Whether a search can be stopped here: in the main thread, and not on Windows."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def search_limit(pattern: str, seconds: float) -> Iterator[None]:
    """Inside the context, one search for a token pattern has a limit: that of `pattern_limit` around it, or *seconds*.

    A `StoredPattern` has a limit of its own, `STORED_SECONDS`.

    Raises
    ------
    ValueError
        If the search takes too long, or if no limit is possible here for a `StoredPattern`.

    Examples
    --------
    >>> with search_limit(StoredPattern(r"\\w+-\\w+"), 60):
    ...     pass
    """
    if not can_limit():
        if isinstance(pattern, StoredPattern):
            raise ValueError(
                f"the token pattern {str(pattern)!r:.60} was read from a file, and only the main thread (not on "
                "Windows) can stop a pattern that never ends; if you trust it, set it again with "
                "CountingOptions(token_pattern=...)"
            )
        yield
        return
    own: tuple[float, str, str] = (seconds, _RAISE, _TOKENS)
    if isinstance(pattern, StoredPattern):
        own = (STORED_SECONDS, "set another one with CountingOptions(token_pattern=...)", _TOKENS)
    elif signal.getsignal(signal.SIGVTALRM) not in (signal.SIG_DFL, _stop):
        yield  # the signal belongs to the program
        return
    with pattern_limit(*(_limits[-1] if _limits else own)):
        start_clock()
        yield


@contextmanager
def pattern_limit(seconds: float, advice: str = _RAISE, what: str = _TOKENS) -> Iterator[None]:
    """Inside the context, raise ValueError when one document takes longer than *seconds*.

    The message begins with *what* takes so long, and ends in *advice*.

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


def check_pattern(token_pattern: str, seconds: float) -> None:
    """Raise ValueError if a token pattern is no regular expression, matches the empty string, or has several groups."""
    try:
        pattern = re.compile(token_pattern)
    except (re.error, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(f"the token pattern {token_pattern!r} is not a regular expression: {error}") from error
    if isinstance(token_pattern, StoredPattern) and not can_limit():
        return  # where it cannot be stopped, it is not run
    with search_limit(token_pattern, seconds):
        is_empty = pattern.fullmatch("")
    if is_empty:
        from termburst.counting.plain_tokenizer import EMPTY_MATCH

        raise ValueError(EMPTY_MATCH.format(token_pattern))
    if pattern.groups > 1:
        raise ValueError(f"the token pattern {token_pattern!r} has {pattern.groups} groups; it may have one at most")
