"""What the tables have in common: a row a term, and options that are names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


def term_frame(names: Any, columns: dict[str, Any], counted: NDArray[np.bool_] | None = None) -> pl.DataFrame:
    """A row a term, by its name or else its column; only those *counted*, and null in the place of NaN.

    Examples
    --------
    >>> term_frame(None, {"n": np.array([3, 0, 5])}, np.array([True, False, True])).rows()
    [(0, 3), (2, 5)]
    """
    import polars as pl

    size = len(next(iter(columns.values())))
    table = pl.DataFrame({"term": np.arange(size) if names is None else list(names), **columns})
    if counted is not None:
        table = table.filter(pl.Series(counted))
    return table.with_columns(pl.selectors.float().fill_nan(None))


def check_name(option: str, value: Any, known: Iterable[str]) -> None:
    """Raise ValueError where an option is not one of the names *known*."""
    known = list(known)
    if value not in known:
        raise ValueError(f"{option} is one of {', '.join(map(repr, known))}; got {value!r}")
