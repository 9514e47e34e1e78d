"""From a frame to cells (a term in a document, its count, the document's length) and to the document lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions, checked_counting
from termburst.engines.batches import TEXTS, map_and_add, map_batches
from termburst.engines.door import Opened
from termburst.engines.frames import to_polars, totals
from termburst.statistics.matrix import canonical_counts, document_lengths
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

if TYPE_CHECKING:
    import polars as pl

Grain = Literal["documents", "patterns", "counts"]  # one row per cell; per term, count, length; per term, count


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a collection in an engine.

    Attributes
    ----------
    parts : frames of (document,) term, count, length, documents, tokens
        One frame, or several that have no term in common.
        *documents* is the number of documents with such a cell, *tokens* the number of their tokens. With the grain
        "counts" their single lengths are not known, and *length* is 0.
    lengths : frame of length, documents
    """

    parts: tuple[Any, ...]
    lengths: Any

    def totals(self, *keys: str) -> tuple[Any, ...]:
        """Parts with the sum of *documents* for every combination of keys; "term" must be one of them."""
        return tuple(totals(part, keys).filter(nw.col("documents") != 0) for part in self.parts)


def length_statistics(cells: Cells) -> TermStatistics:
    """The histogram of document lengths, fetched from the engine: the statistics of the collection without its terms.

    It is the only corpus-level data that the formulas and the fit of one term need.
    """
    found = to_polars(totals(cells.lengths, ["length"]).filter(nw.col("documents") != 0)).sort("length")
    none = np.zeros(0, dtype=np.int64)
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
        parts = rows_of_texts(source.frame, counting, grain)
        return _split(*(part.with_columns(documents=one) if grain == "documents" else part for part in parts))
    if counting is not None:
        raise ValueError(f"counting says how to count texts, but this frame has {source.kind}; omit it")
    if source.kind == "patterns":
        return _split(source.frame)
    lengths = totals(source.frame, ["document"], "count").rename({"count": "length"})
    held = source.frame.filter(nw.col("count") > 0).join(lengths, on="document", how="inner")
    cells = _with_tokens(held.with_columns(documents=one))
    return Cells((cells,), lengths.select("length").with_columns(documents=one))


def rows_of_texts(frame: Any, counting: CountingOptions | None, grain: Grain) -> tuple[Any, ...]:
    """The rows of `tokenised` for all texts, in the engine, in parts that have no term in common."""
    import polars as pl

    function = partial(tokenised, counting=checked_counting(counting), grain=grain)
    rows = {"term": pl.String, "count": pl.Int64, "length": pl.Int64}
    if grain == "documents":
        return (map_batches(frame, function, {"document": document_type(frame), **rows}, rows=TEXTS),)
    sums = {"documents": pl.Int64} if grain == "patterns" else {"documents": pl.Int64, "tokens": pl.Int64}
    return map_and_add(frame, function, {**rows, **sums}, tuple(sums), rows=TEXTS)


def tokenised(batch: pl.DataFrame, *, counting: CountingOptions, grain: Grain) -> pl.DataFrame:
    """The cells of a batch of texts, and for the length of each document one row without a term.

    The grain "patterns" merges equal rows, "counts" all rows with the same term and count.
    """
    import polars as pl

    X, terms = counting.count(batch["text"].to_list())
    counts = canonical_counts(X)
    n_j = document_lengths(counts)
    row = np.repeat(np.arange(batch.height), np.diff(counts.indptr))
    cells = pl.DataFrame({"term": counts.indices, "count": counts.data.astype(np.int64), "length": n_j[row]})
    names = pl.Series("term", terms.tolist(), dtype=pl.String)
    none = pl.lit(None, dtype=pl.String).alias("term")
    documents = pl.DataFrame({"document": batch["document"], "length": n_j})
    if grain == "documents":
        held = cells.select(batch["document"].gather(row), names.gather(cells["term"]), "count", "length")
        return pl.concat([held, documents.select("document", none, pl.lit(0).cast(pl.Int64).alias("count"), "length")])
    number = pl.len().cast(pl.Int64).alias("documents")
    if grain == "patterns":
        held = cells.group_by("term", "count", "length").agg(number)
    else:
        held = cells.group_by("term", "count").agg(number, pl.col("length").sum().alias("tokens"))
        held = held.with_columns(length=pl.lit(0, dtype=pl.Int64))
    sums = [name for name in ("documents", "tokens") if name in held.columns]
    held = held.select(names.gather(held["term"]), "count", "length", *sums)
    by_length = documents.group_by("length").agg(number)
    zero = [pl.lit(0, dtype=pl.Int64).alias(name) for name in ("count", "tokens")]
    return pl.concat([held, by_length.select(none, zero[0], "length", "documents", *zero[1 : len(sums)])])


def document_type(frame: Any) -> Any:
    """The Polars type of the frame's ids: strings or integers."""
    import polars as pl

    return pl.String if frame.collect_schema()["document"] == nw.String else pl.Int64


def _split(*parts: Any) -> Cells:
    empty = nw.col("term").is_null()
    lengths = [part.filter(empty).select("length", "documents") for part in parts]
    return Cells(tuple(_with_tokens(part.filter(~empty)) for part in parts), together(lengths))


def together(frames: Sequence[Any]) -> Any:
    """One frame with the rows of all."""
    return frames[0] if len(frames) == 1 else nw.concat(frames)


def _with_tokens(cells: Any) -> Any:
    if "tokens" in cells.collect_schema():
        return cells
    return cells.with_columns(tokens=nw.col("length") * nw.col("documents"))
