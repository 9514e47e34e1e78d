"""From a frame to cells (a term in a document, its count, the document's length) and to the document lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions, checked_counting
from termburst.engines.batches import TEXTS, dealt_out, is_lazy_polars, kept, map_and_add, map_batches
from termburst.engines.door import COLUMNS, Opened
from termburst.engines.frames import is_spark, to_polars, totals
from termburst.engines.text_cells import Grain, by_group, merged_cells, tokenised
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a collection in an engine.

    Attributes
    ----------
    parts : frames of (document,) (group,) term, count, length, documents, tokens
        One frame, or several that have no term in common.
        *documents* is the number of documents with such a cell, *tokens* the number of their tokens. With the grain
        "counts" their single lengths are not known, and *length* is 0.
    lengths : frame of (group,) length, documents
    merged : whether no two rows of the parts are equal in term, count and length (and group), and the parts are `kept`
    """

    parts: tuple[Any, ...]
    lengths: Any
    merged: bool = False

    def totals(self, *keys: str) -> tuple[Any, ...]:
        """Parts with the sum of *documents* for every combination of keys; "term" must be one of them."""
        if self.merged and {"count", "length"} <= set(keys):
            return tuple(part.select(*keys, "documents") for part in self.parts)
        return tuple(totals(part, keys).filter(nw.col("documents") != 0) for part in self.parts)


def kept_patterns(cells: Cells, *keys: str) -> tuple[Any, ...]:
    """Parts of term, count, length, (keys,) documents, which several queries may read."""
    parts = cells.totals("term", "count", "length", *keys)
    if len(parts) == 1 and is_lazy_polars(parts[0]):
        return dealt_out(parts)
    return parts if cells.merged else tuple(map(kept, parts))


def length_statistics(cells: Cells) -> TermStatistics:
    """The histogram of document lengths, fetched from the engine: the statistics of the collection without its terms.

    It is the only corpus-level data that the formulas and the fit of one term need.
    """
    return histogram(length_rows(cells))


def length_rows(cells: Cells, *keys: str) -> pl.DataFrame:
    """Rows of (keys,) length and documents, fetched from the engine."""
    rows: pl.DataFrame = to_polars(totals(cells.lengths, [*keys, "length"]).filter(nw.col("documents") != 0))
    return rows


def histogram(found: pl.DataFrame) -> TermStatistics:
    """Statistics without terms, from rows of length and documents."""
    found, none = found.sort("length"), np.zeros(0, dtype=np.int64)
    statistics = TermStatistics(None, found["length"].to_numpy(), found["documents"].to_numpy(), none, none)
    if not statistics.documents:
        raise NothingToCountError("there are no documents: the frame has no rows")
    if not statistics.tokens:
        raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
    return statistics


def cells_of(source: Opened, counting: CountingOptions | None, grain: Grain) -> Cells:
    """The cells of texts, counts or patterns, with the rows of that grain or finer ones."""
    one = nw.lit(1, dtype=nw.Int64)
    if source.kind == "texts":
        parts = rows_of_texts(source.frame, counting, grain, grouped=source.grouped)
        cells = _split(*(part.with_columns(documents=one) if grain == "documents" else part for part in parts))
        return replace(cells, merged=grain == "patterns" and is_spark(source.frame))
    if counting is not None:
        raise ValueError(f"counting says how to count texts, but this frame has {source.kind}; omit it")
    if source.kind == "patterns":
        columns = [*COLUMNS["patterns"], *(["group"] if source.grouped else [])]
        return _split(*dealt_out((source.frame.select(*columns),)))
    group = ["group"] if source.grouped else []  # every document is in one group
    lengths = totals(source.frame, ["document", *group], "count").rename({"count": "length"})
    held = source.frame.filter(nw.col("count") > 0).join(lengths.drop(*group), on="document", how="inner")
    cells = _with_tokens(held.with_columns(documents=one))
    return Cells((cells,), lengths.select(*group, "length").with_columns(documents=one))


def rows_of_texts(
    frame: Any, counting: CountingOptions | None, grain: Grain, *, grouped: bool = False
) -> tuple[Any, ...]:
    """The rows of `tokenised` for all texts, in the engine, in parts that have no term in common.

    Texts are tokenised once, even if several queries read the rows.
    """
    import polars as pl

    options = checked_counting(counting)
    rows = {"term": pl.String, "count": pl.Int64, "length": pl.Int64} | ({"group": pl.String} if grouped else {})
    if grain == "documents":
        function = partial(by_group if grouped else tokenised, counting=options, grain=grain)
        return (kept(map_batches(frame, function, {"document": document_type(frame), **rows}, rows=TEXTS)),)
    sums = {"documents": pl.Int64} if grain == "patterns" else {"documents": pl.Int64, "tokens": pl.Int64}
    stage = partial(merged_cells, counting=options, grain=grain)
    parts = map_and_add(frame, stage, {**rows, **sums}, tuple(sums), rows=TEXTS)
    if not is_spark(frame):
        return parts
    merged = parts[0].group_by(*rows).agg(*(nw.col(name).sum() for name in sums))  # a fraction of the rows to keep
    return (kept(merged),)


def document_type(frame: Any) -> Any:
    """The Polars type of the frame's ids: strings or integers."""
    import polars as pl

    return pl.String if frame.collect_schema()["document"] == nw.String else pl.Int64


def _split(*parts: Any) -> Cells:
    empty = nw.col("term").is_null()
    columns = [name for name in parts[0].collect_schema().names() if name in ("group", "length", "documents")]
    lengths = [part.filter(empty).select(*columns) for part in parts]
    return Cells(tuple(_with_tokens(part.filter(~empty)) for part in parts), together(lengths))


def together(frames: Sequence[Any]) -> Any:
    """One frame with the rows of all."""
    return frames[0] if len(frames) == 1 else nw.concat(frames)


def _with_tokens(cells: Any) -> Any:
    if "tokens" in cells.collect_schema():
        return cells
    return cells.with_columns(tokens=nw.col("length") * nw.col("documents"))
