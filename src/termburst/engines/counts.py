"""Texts to counts, in the engine."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from termburst.counting.options import CountingOptions
from termburst.engines.cells import rows_of_texts
from termburst.engines.door import opened


def count_terms(frame: Any, *, counting: CountingOptions | None = None, check: bool = True, **columns: str) -> Any:
    """Texts to counts: a frame of document, term, count in the same engine, made by the same compiled tokenizer.

    A document without terms has one row, with the term "" and the count 0, so that it is not lost.

    Parameters
    ----------
    frame : texts (document, text) of any engine
    counting, check, **columns : see `term_statistics`

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["so so it goes", "?"]})
    >>> count_terms(frame).rows()
    [('a', 'goes', 1), ('a', 'it', 1), ('a', 'so', 2), ('b', '', 0)]
    """
    source = opened(frame, columns, check=check, kinds=("texts",))
    rows = rows_of_texts(source.frame, counting)
    empty = nw.col("term").is_null()
    kept = rows.filter(~empty | (nw.col("length") == 0))
    return nw.to_native(kept.select("document", nw.col("term").fill_null(""), "count"))
