"""How our loops are compiled: cached on disk if that can be written to, without the lock, dividing as NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F | None = None, **options: Any) -> Any:
    """Numba's `njit` as all kernels use it; usable bare or with more options.

    Where no cache can be written (a read-only installation without a home folder) the code is compiled anew each time.

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
    settings: dict[str, Any] = {"nogil": True, "error_model": "numpy", **options}
    try:
        return njit(cache=True, **settings)(function)
    except RuntimeError:  # Numba found no place for its cache
        return njit(**settings)(function)
