"""A compiled sort: NumPy's takes Numba two seconds to compile."""

from __future__ import annotations

from termburst._compiled import inner

RUN = 12  # numbers that are sorted by insertion


@inner
def argsort(keys, size, order):  # type: ignore[no-untyped-def]
    """The places of keys[0, :size] in rising order, to order[0, :size]; equal ones stay as they are.

    Runs are sorted by insertion, then merged by way of order[1].
    """
    for first in range(0, size, RUN):
        for k in range(first, min(first + RUN, size)):
            key, at = keys[0, k], k
            while at > first and keys[0, order[0, at - 1]] > key:
                order[0, at] = order[0, at - 1]
                at -= 1
            order[0, at] = k
    width = RUN
    while width < size:
        for first in range(0, size, 2 * width):
            middle, last = min(first + width, size), min(first + 2 * width, size)
            left, right = first, middle
            for k in range(first, last):
                if right >= last or (left < middle and keys[0, order[0, left]] <= keys[0, order[0, right]]):
                    order[1, k] = order[0, left]
                    left += 1
                else:
                    order[1, k] = order[0, right]
                    right += 1
        for k in range(size):
            order[0, k] = order[1, k]
        width *= 2
