"""Frames of Polars, pandas, PyArrow, DuckDB and PySpark as texts or counts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl

from termburst.display import listed, no_column
from termburst.reading.documents import Text


def is_frame(source: Any) -> bool:
    """Whether it is a frame, also one of a library that is not supported, or one with several columns of one name.

    >>> is_frame(pl.LazyFrame({"text": ["so"]})), is_frame(["so"])
    (True, False)
    """
    import narwhals.stable.v2 as nw

    from termburst.backends.frame_input import FOREIGN

    try:
        known = isinstance(nw.from_native(source, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    except nw.exceptions.DuplicateError:
        return True
    return known or type(source).__module__.partition(".")[0] in FOREIGN


def as_polars(frame: Any) -> pl.DataFrame | None:
    """A frame of any engine as a Polars DataFrame; None for anything that is no frame.

    Examples
    --------
    >>> as_polars(pl.DataFrame({"a": [1]})).rows(), as_polars([[1]])
    ([(1,)], None)
    """
    import narwhals.stable.v2 as nw

    from termburst.backends.frames import to_polars

    if isinstance(frame, (list, tuple, str, np.ndarray)):
        return None
    try:
        opened = nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ValueError("two columns of the frame have the same name; rename or drop one") from None
    if not isinstance(opened, (nw.DataFrame, nw.LazyFrame)):
        return None
    try:
        return to_polars(opened)
    except (TypeError, ValueError) as error:  # of Arrow, about a column of pandas with values of several types
        raise ValueError(_mixed_column(opened, str(error))) from error


def _mixed_column(opened: Any, problem: str) -> str:
    """The sentence about the first column whose values have several types, such as texts and numbers."""
    for name in opened.columns if hasattr(opened, "to_native") else ():
        kinds = list(dict.fromkeys(type(value).__name__ for value in opened[name].to_list() if value is not None))
        if len(kinds) > 1:
            return f"the column {name!r:.60} has values of several types ({', '.join(kinds[:3])}); give one type"
    return f"the frame cannot be read: {problem.splitlines()[0]:.200}"


def row_names(frame: Any, height: int) -> list[str] | None:
    """The index of a pandas frame, if it is more than row numbers."""
    index = getattr(frame, "index", None)
    if not type(frame).__module__.startswith("pandas") or type(index).__name__ == "RangeIndex":
        return None
    names = [str(name) for name in index]  # type: ignore[union-attr]
    return names if len(names) == height else None


def id_column(frame: pl.DataFrame, id: Any) -> str | None:
    """The name of the column with the ids: *id*, or "id" if there is such a column."""
    if id is None:
        return "id" if "id" in frame.columns else None
    if not isinstance(id, str) or id not in frame.columns:
        raise ValueError(no_column(id, frame.columns, " (id=...)", "the frame"))
    return id


def text_column(frame: pl.DataFrame, text: str | None) -> str | None:
    """The name of the column with the texts: *text*, or "text"; None if the frame has counts."""
    if text is not None:
        if text not in frame.columns:
            raise ValueError(no_column(text, frame.columns, " (text=...)", "the frame"))
        return text
    if "text" in frame.columns and not frame["text"].dtype.is_numeric():  # "text" may be a term of a frame of counts
        return "text"
    return None


def column_texts(column: pl.Series) -> list[Text]:
    """The texts in a column of strings, or of lists of strings; null is an empty text, and a warning says so."""
    if empty := column.null_count():
        such = "documents have" if empty > 1 else "document has"
        warnings.warn(f"{empty:,} {such} nothing in the column {column.name!r:.60}, and no tokens", stacklevel=4)
    if column.dtype == pl.String:
        return column.fill_null("").to_list()
    if column.dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String).fill_null("").to_list()
    if column.dtype == pl.List(pl.String):
        return [[] if tokens is None else tokens for tokens in column.to_list()]
    raise ValueError(f"the column {column.name!r:.60} must contain texts or lists of tokens; got {column.dtype}")


def frame_counts(frame: pl.DataFrame) -> tuple[Any, list[str]]:
    """Counts from a frame with one column of whole numbers per term.

    Examples
    --------
    >>> counts, terms = frame_counts(pl.DataFrame({"ha": [2, 0], "no": [1, 3]}))
    >>> counts.toarray().tolist(), terms
    ([[2, 1], [0, 3]], ['ha', 'no'])
    """
    words = [name for name, kind in frame.schema.items() if not (kind.is_numeric() or kind == pl.Boolean)]
    if words:
        raise ValueError(
            f"name the column with the texts, such as text={words[0]!r:.60}; in a frame of counts, every column except "
            f"the ids must contain numbers. The frame has {listed(frame.columns)}"
        )
    if not frame.width:
        raise ValueError("the frame has no columns with counts or texts")
    for name in frame.columns:
        if frame[name].null_count():
            raise ValueError(f"the column {name!r:.60} has null; fill it with 0 first")
    import scipy.sparse as sp

    columns = [sp.csc_array(frame[name].to_numpy().reshape(-1, 1)) for name in frame.columns]
    return sp.hstack(columns, format="csr"), list(frame.columns)
