"""Computation on all cores. NumPy and the C kernels release Python's lock, so plain threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

BLOCK = 2**15  # elements; the few temporary arrays of a block fit into the cache of a core


def over_blocks(function: Callable[[slice], None], size: int) -> None:
    """Call *function* with slices that cover range(size), in parallel if there are enough of them.

    Examples
    --------
    >>> import numpy as np
    >>> squares = np.arange(100_000)
    >>> def square(block: slice) -> None:
    ...     squares[block] **= 2
    >>> over_blocks(square, squares.size)
    >>> int(squares[-1])
    9999800001
    """
    blocks = [slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK)]
    if len(blocks) < 4:
        for block in blocks:
            function(block)
    else:
        in_threads(function, blocks)


def in_threads(function: Callable[[T], None], parts: Iterable[T]) -> None:
    """Call *function* with each part, on all cores.

    Examples
    --------
    >>> seen = set()
    >>> in_threads(seen.add, range(4))
    >>> sorted(seen)
    [0, 1, 2, 3]
    """
    with ThreadPoolExecutor(cores()) as pool:
        for _ in pool.map(function, parts):  # the loop raises the errors of the threads
            pass


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
