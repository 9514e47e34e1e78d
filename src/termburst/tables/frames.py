"""Shared by the tables: frames with one row per term."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.statistics.labels import checked_terms
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl


def term_frame(names: Any, columns: dict[str, Any], counted: NDArray[np.bool_] | None = None) -> pl.DataFrame:
    """One row per term, with its name or its column number; only terms that are *counted*; null instead of NaN.

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


def named_terms(corpus: Any, terms: Any, size: int, which: str = "") -> NDArray[np.object_] | None:
    """The names of the terms of a matrix or of statistics; *terms* must not differ from the names in statistics.

    Examples
    --------
    >>> named_terms(TermStatistics.from_counts([[1, 2]], ["so", "it"]), ["it", "so"], 2)
    Traceback (most recent call last):
    ValueError: the statistics already have other term names; omit `terms`
    """
    names = checked_terms(terms, size)
    own = corpus.terms if isinstance(corpus, TermStatistics) else None
    if names is not None and own is not None and not np.array_equal(names, own):
        of = f" of {which}" if which else ""
        raise ValueError(f"the statistics{of} already have other term names; omit `terms`")
    return names if own is None else own
