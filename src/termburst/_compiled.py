"""How our loops are compiled: cached on disk if that can be written to, without the lock, dividing as NumPy does."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import event
from numba.core.registry import CPUDispatcher

F = TypeVar("F", bound=Callable[..., Any])

NOTICE = "termburst: compiling its numerical code, once after an installation (seconds for each kind of analysis) ..."


def compiled(function: F | None = None, **options: Any) -> Any:
    """Numba's `njit` as all kernels use it, for functions that make no arrays (or with ``_nrt=True``).

    Usable bare or with more options. Where no cache can be written (a read-only installation without a home folder)
    the code is compiled anew each time.

    Examples
    --------
    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return lambda later: compiled(later, **options)
    # Functions that count no references and cannot be called from C are smaller, and sooner compiled.
    lean = {"no_cfunc_wrapper": True, "_nrt": False}
    # Said outright, or a function would take this over from whichever caller was compiled first.
    exact = {"fastmath": False, "error_model": "numpy"}
    settings: dict[str, Any] = {"nogil": True, **exact, **lean, **options}
    try:
        return njit(cache=True, **settings)(function)
    except RuntimeError:  # Numba found no place for its cache
        return njit(**settings)(function)


def inlined(function: F) -> Any:
    """For a function that one or two others call: it becomes part of them, and takes no compiling of its own."""
    return compiled(function, inline="always")


class _Interpreted(CPUDispatcher):
    """A compiled function that has no entry from Python, and is interpreted if called from there."""

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def inner(function: F | None = None, **options: Any) -> Any:
    """For a function that only compiled ones call, and that makes no arrays and returns none.

    It has no wrapper for Python, which takes as long to compile as the function. Called from Python it is interpreted;
    `from_python` has it compiled.
    """
    if function is None:
        return lambda later: inner(later, **options)
    dispatcher = compiled(function, **{"no_cpython_wrapper": True, **options})
    if isinstance(dispatcher, CPUDispatcher):  # with NUMBA_DISABLE_JIT it is the function itself
        dispatcher.__class__ = _Interpreted
    return dispatcher


def from_python(function: Any) -> Any:
    """An inner function for tests, compiled.

    Examples
    --------
    >>> @inner
    ... def double(x):
    ...     return 2 * x
    >>> from_python(double)(21)
    42
    """

    @njit
    def call(*arguments):  # type: ignore[no-untyped-def]
        return function(*arguments)

    return call


class _Watch(event.Listener):
    """While our functions are compiled, not found in the cache: one line on a terminal, and no garbage collection.

    Compiling makes so many objects that Python would go through all there are time and again: a tenth of the time.
    Numba compiles one function at a time, and those that it calls within.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.said = self.collects = False

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            if not event.data["dispatcher"].py_func.__module__.startswith("termburst."):
                return
            self._say()
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        if self.depth == 0:
            return
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()

    def _say(self) -> None:
        if not self.said and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{NOTICE}\n")
            sys.stderr.flush()
        self.said = True


event.register("numba:compile", _Watch())
