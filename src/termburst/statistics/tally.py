"""Count equal rows of integer columns: the operation behind every histogram in the statistics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def tally(columns: list[Integers], weights: Integers | None = None) -> tuple[list[Integers], Integers]:
    """Distinct rows in lexicographic order, and for each the sum of *weights* (by default the number of rows).

    The columns contain non-negative integers. Rows are packed into one 64-bit key if that fits: NumPy sorts plain
    integers ten times faster than rows.

    Examples
    --------
    >>> import numpy as np
    >>> rows, times = tally([np.array([1, 0, 1]), np.array([5, 7, 5])])
    >>> [column.tolist() for column in rows], times.tolist()
    ([[0, 1], [7, 5]], [1, 2])
    """
    columns = [np.asarray(column, dtype=np.int64) for column in columns]
    size = columns[0].size
    if size == 0:
        return columns, np.zeros(0, np.int64)
    spans = [int(column.max()) + 1 for column in columns]
    if math.prod(spans) < 2**63:
        key = columns[0]
        for column, span in zip(columns[1:], spans[1:], strict=True):
            key = key * span + column
        if weights is None:  # the order is not needed: sort the keys themselves
            key = np.sort(key)
            first = _run_starts([key])
            return _unpack(key[first], spans), np.diff(np.append(first, size))
        order = np.argsort(key, kind="stable")
    else:
        order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    first = _run_starts(ordered)
    ones = np.ones(size, np.int64)
    return [column[first] for column in ordered], np.add.reduceat(ones if weights is None else weights[order], first)


def _run_starts(ordered: list[Integers]) -> NDArray[np.intp]:
    change = np.zeros(ordered[0].size, dtype=bool)
    change[0] = True
    for column in ordered:
        change[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(change)


def _unpack(key: Integers, spans: list[int]) -> list[Integers]:
    rows = []
    for span in reversed(spans[1:]):
        key, column = np.divmod(key, span)
        rows.append(column)
    return [key, *reversed(rows)]
