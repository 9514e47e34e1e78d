"""A limit of processor time for the search of tokens in one document: some patterns never end.

Python's `re` goes on for years where a pattern such as ``(?:\\w+)+x`` can be matched in ever more ways. It looks at
signals meanwhile, so Ctrl-C stops it in any program; on the command line a timer does, too.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_limits: list[float] = []  # empty without `pattern_limit`: a library leaves the signals of a program alone


@contextmanager
def pattern_limit(seconds: float) -> Iterator[None]:
    """Within the context, stop where one document takes longer, by a ValueError; the main thread gets signals."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():  # or Windows
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    _limits.append(seconds)
    try:
        yield
    finally:
        restart(None)
        _limits.pop()
        signal.signal(signal.SIGVTALRM, before)


def restart(document: int | None) -> None:
    """The search of a document begins; None says that the last one is done."""
    if _limits:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0 if document is None else _limits[-1])


def _stop(*_: Any) -> None:
    raise ValueError(
        f"the token pattern takes more than {_limits[-1]:g} seconds of processor time in one document; "
        r"avoid nested repetition such as (\w+)+, or raise --pattern-seconds"
    )
