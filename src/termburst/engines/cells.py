"""From a frame to cells (a term in a document, its count, the document's length) and to the document lengths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions, checked_counting
from termburst.engines.batches import TEXTS, is_lazy_polars, kept, map_batches
from termburst.engines.dealing import Parts, dealt_out, map_and_add
from termburst.engines.door import COLUMNS, Opened
from termburst.engines.frames import is_spark, to_polars, totals
from termburst.engines.memory import scale
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
    whole : one frame with the rows of all parts
    merged : whether no two rows of the parts are equal in term, count and length (and group), and the parts are `kept`
    """

    parts: tuple[Any, ...]
    lengths: Any
    whole: Any
    merged: bool = False

    @property
    def on_disk(self) -> bool:
        """Whether the parts are files of this process, and so small that it can have each of them in memory."""
        return self.merged and not is_spark(self.whole) and isinstance(self.whole, nw.LazyFrame)

    def totals(self, *keys: str) -> tuple[Any, ...]:
        """Parts with the sum of *documents* for every combination of keys; "term" must be one of them."""
        return tuple(self._totals(part, keys) for part in self.parts)

    def total(self, *keys: str) -> Any:
        """The same, as one frame."""
        return self._totals(self.whole, keys)

    def _totals(self, rows: Any, keys: tuple[str, ...]) -> Any:
        done = self.merged and {"count", "length"} <= set(keys)
        return (rows.select(*keys, "documents") if done else totals(rows, keys)).filter(nw.col("documents") != 0)


def kept_patterns(cells: Cells, *keys: str) -> tuple[Any, ...]:
    """Parts of term, count, length, (keys,) documents, which several queries may read."""
    parts = cells.totals("term", "count", "length", *keys)
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
        if grain == "documents":
            rows = rows_of_texts(source.frame, counting, grouped=source.grouped)
            return _split(Parts.of(rows.with_columns(documents=one)))
        return _split(_parts_of_texts(source.frame, counting, grain, grouped=source.grouped))
    if counting is not None:
        raise ValueError(f"counting says how to count texts, but this frame has {source.kind}; omit it")
    group = ["group"] if source.grouped else []  # every document is in one group
    if source.kind == "patterns":
        return _split(dealt_out((source.frame.select(*COLUMNS["patterns"], *group),)))
    lengths = totals(source.frame, ["document", *group], "count").rename({"count": "length"})
    held = source.frame.filter(nw.col("count") > 0).join(lengths.drop(*group), on="document", how="inner")
    held, lengths = (rows.with_columns(documents=one) for rows in (held, lengths.select(*group, "length")))
    if is_lazy_polars(held) and grain != "documents":  # Polars would have all rows in memory to merge equal ones
        dealt = dealt_out((held.select(*COLUMNS["patterns"], *group),))
        return replace(_split(dealt), lengths=lengths)
    cells = _with_tokens(held)
    return Cells((cells,), lengths, cells)


def rows_of_texts(frame: Any, counting: CountingOptions | None, *, grouped: bool = False) -> Any:
    """The rows of `tokenised` for all texts, in the engine: one per cell, and one without a term per document.

    Texts are tokenised once, even if several queries read the rows.
    """
    options = checked_counting(counting)
    function = partial(by_group if grouped else tokenised, counting=options, grain="documents")
    schema = {"document": document_type(frame), **_row_types(grouped=grouped)}
    return kept(map_batches(frame, function, schema, rows=TEXTS))


def _parts_of_texts(frame: Any, counting: CountingOptions | None, grain: Grain, *, grouped: bool) -> Parts:
    """The rows of `merged_cells` for all texts, in the engine, in parts that have no term in common."""
    import polars as pl

    rows = _row_types(grouped=grouped)
    sums = {"documents": pl.Int64} if grain == "patterns" else {"documents": pl.Int64, "tokens": pl.Int64}
    stage = partial(merged_cells, counting=checked_counting(counting), grain=grain, scale=scale())
    return map_and_add(frame, stage, {**rows, **sums}, tuple(sums), rows=TEXTS)


def _row_types(*, grouped: bool) -> dict[str, Any]:
    import polars as pl

    return {"term": pl.String, "count": pl.Int64, "length": pl.Int64} | ({"group": pl.String} if grouped else {})


def document_type(frame: Any) -> Any:
    """The Polars type of the frame's ids: strings or integers."""
    import polars as pl

    return pl.String if frame.collect_schema()["document"] == nw.String else pl.Int64


def _split(parts: Parts) -> Cells:
    columns = [name for name in parts.others.collect_schema().names() if name in ("group", "length", "documents")]
    terms = tuple(map(_with_tokens, parts.terms))
    return Cells(terms, parts.others.select(*columns), _with_tokens(parts.whole), parts.merged)


def _with_tokens(cells: Any) -> Any:
    if "tokens" in cells.collect_schema():
        return cells
    return cells.with_columns(tokens=nw.col("length") * nw.col("documents"))
