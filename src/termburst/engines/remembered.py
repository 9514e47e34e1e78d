"""What this process knows about a frame that it made: as long as the frame lives, and only of this very object."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """Values of native frames, by identity: frames of most engines cannot be compared or hashed.

    Examples
    --------
    >>> import polars as pl
    >>> known, frame = Remembered[str](), pl.DataFrame({"a": [1]})
    >>> known.put(frame, "mine")
    >>> known.get(frame), known.get(frame.clone())
    ('mine', None)
    """

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, T]] = {}  # the key is the frame's id, as long as it lives

    def put(self, frame: Any, value: T) -> None:
        """Remember the value of a frame."""
        own = id(frame)
        self._found[own] = weakref.ref(frame, lambda _: self._found.pop(own, None)), value

    def get(self, frame: Any) -> T | None:
        """The value of a frame; None if there is none."""
        alive, value = self._found.get(id(frame), (None, None))
        return value if alive is not None and alive() is frame else None
