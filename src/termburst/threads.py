"""Computation on all cores. NumPy and the C kernels release Python's lock, so plain threads are enough.

A kernel cannot be interrupted, so kernels that may take long do not run in the thread that gets Ctrl-C. That thread
waits, and leaves at once at Ctrl-C. The others are daemons: Python does not wait for them when it ends. They hold
references to everything that their kernels use, so no memory is freed too early.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")

BLOCK = 2**15  # elements; the few temporary arrays of a block fit into the cache of a core
PARTS = 64  # parts of the terms of a collection at most, shared by the threads
PART = 4096  # cells of a part at least: with fewer, threads take longer to start than kernels take for their terms
PATIENCE = 0.2  # seconds between two looks for Ctrl-C, where the system does not interrupt a thread that waits


class Stopped(Exception):  # noqa: N818  # no error: it ends work whose result nobody waits for
    """Raised in a thread whose work was given up."""


class _Here(threading.local):
    work: Work | None = None  # of this thread


_here = _Here()


class Work:
    """Work that can be given up. Work that one of its threads starts is given up with it."""

    def __init__(self) -> None:
        self.outer, self._given_up = _here.work, False

    @property
    def given_up(self) -> bool:
        return self._given_up or (self.outer is not None and self.outer.given_up)

    def give_up(self) -> None:
        """Let no thread begin anything more. Nobody waits for what the threads are doing now."""
        self._given_up = True

    def start(self, function: Callable[..., T], *arguments: Any) -> Result[T]:
        """Call *function* in a new thread."""
        return Result(self, function, arguments)


class Result(Generic[T]):
    """What a thread returns or raises."""

    _value: T
    _error: BaseException | None = None

    def __init__(self, work: Work, function: Callable[..., T], arguments: tuple[Any, ...]) -> None:
        def run() -> None:
            _here.work = work
            try:
                self._value = function(*arguments)
            except BaseException as error:
                self._error = error
            self._done.set()

        self._done, self._thread = threading.Event(), threading.Thread(target=run, daemon=True)
        self._thread.start()

    def get(self) -> T:
        """Wait for the result. Ctrl-C interrupts the wait."""
        while not self._done.wait(PATIENCE):
            check_given_up()
        self._thread.join()  # at once: a process that forks next should have no thread left
        if self._error is not None:
            raise self._error
        return self._value


class Aside:
    """Computes something in another thread while this one goes on. An error inside the `with` block gives it up.

    Examples
    --------
    >>> with Aside() as aside:
    ...     total = aside.submit(sum, range(4))
    ...     print(max(range(4)), total.get())
    3 6
    """

    def __enter__(self) -> Aside:
        self._work = Work()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._work.give_up()

    def submit(self, function: Callable[..., T], *arguments: Any) -> Result[T]:
        """Call *function* in another thread; `get` of the result waits for it."""
        return self._work.start(function, *arguments)


def check_given_up() -> None:
    """Raise `Stopped` if the work of this thread was given up. Long loops over kernels call it.

    Examples
    --------
    >>> check_given_up()  # nothing happens outside of a thread
    """
    if _here.work is not None and _here.work.given_up:
        raise Stopped


def parts_of(cells: int, terms: int = PARTS) -> list[slice]:
    """Slices that deal *terms* out, evenly if frequent ones come first; how many depends on the number of *cells*.

    Examples
    --------
    >>> parts_of(10_000)
    [slice(0, None, 2), slice(1, None, 2)]
    """
    parts = min(max(min(cells // PART, terms), 1), PARTS)
    return [slice(part, None, parts) for part in range(parts)]


def over_parts(function: Callable[[slice], None], cells: int, terms: int = PARTS) -> None:
    """Call *function* with each of `parts_of`, on all cores; if there is little to do, in this thread."""
    parts = parts_of(cells, terms)
    if cells < 2 * PART:
        function(parts[0])
    else:  # a single part, too, if a term has many cells: Ctrl-C must work
        in_threads(function, parts)


def in_threads(function: Callable[[T], S], parts: Iterable[T]) -> list[S]:
    """Call *function* with each part, on all cores: its results, in the order of the parts.

    After an error, no part is begun; the error of the first is raised.

    Examples
    --------
    >>> in_threads(str, range(4))
    ['0', '1', '2', '3']
    """
    waiting, work = list(enumerate(parts))[::-1], Work()
    results: dict[int, S] = {}
    errors: dict[int, BaseException] = {}

    def some() -> None:
        while not errors and not work.given_up:
            try:
                at, part = waiting.pop()
            except IndexError:  # another thread took the last one
                return
            try:
                results[at] = function(part)
            except BaseException as error:
                errors[at] = error

    try:
        for result in [work.start(some) for _ in range(min(cores(), len(waiting)))]:
            result.get()
    except BaseException:  # Ctrl-C
        work.give_up()
        raise
    check_given_up()
    if errors:
        raise errors[min(errors)]
    return [results[at] for at in sorted(results)]


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
