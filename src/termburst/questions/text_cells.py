"""From batches of texts to cells: the code that runs where the texts are, in this process or on Spark's workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.counting.options import CountingOptions
from termburst.statistics.matrix import canonical_counts, document_lengths
from termburst.statistics.streaming import counted_parts

Grain = Literal["documents", "patterns", "counts"]  # one row per cell; per term, count, length; per term, count
TEXTS = 2_000  # documents in a batch
ROOM = 300 * 2**20  # bytes that texts may take while they are counted, before equal cells are merged


def document_type(frame: Any) -> Any:
    """The Polars type of the frame's ids: strings or integers."""
    return pl.String if frame.collect_schema()["document"] == nw.String else pl.Int64


def tokenised(batch: pl.DataFrame, *, counting: CountingOptions) -> pl.DataFrame:
    """The cells of a batch of texts, and for the lengths of documents rows without a term."""
    X, terms = counting.count(batch["text"].to_list())
    counts = canonical_counts(X)
    documents = pl.DataFrame({"document": batch["document"], "length": document_lengths(counts)})
    own = documents[np.repeat(np.arange(batch.height), np.diff(counts.indptr))]
    names = pl.Series("term", terms.tolist(), dtype=pl.String)
    cells = own.with_columns(names.gather(counts.indices), count=counts.data.astype(np.int64))
    columns = ["document", "term", "count", "length"]
    empty = _without_terms(documents).cast({"term": pl.String})
    return pl.concat([cells.select(columns), empty.select(columns)])


def merged_cells(
    batches: Iterable[pl.DataFrame], *, counting: CountingOptions, grain: Grain, scale: float = 1.0
) -> Iterator[pl.DataFrame]:
    """The cells of many batches, and the lengths of documents, both with their number of documents.

    Equal cells of several documents, within their groups if they have any, are one row. The grain "patterns" gives rows
    of term, count, length, (group,) documents. For "counts", lengths are added up to *tokens*, and *length* is 0 where
    there is a term. Many texts are counted at a time, in *scale* times `ROOM`, so rows may be equal to earlier ones.
    """
    groups: list[str] = []  # of the documents that are read, but not counted yet

    def texts() -> Iterator[list[Any]]:
        for batch in batches:
            groups.extend(batch["group"] if "group" in batch.columns else ())
            yield batch["text"].to_list()

    def rows(terms: Any, counts: Any) -> pl.DataFrame:
        names, own = {"term": terms.tolist()}, {"length": document_lengths(counts)}
        if groups:
            found, own["group"] = np.unique(groups[: counts.shape[0]], return_inverse=True)
            names["group"] = found.tolist()
            del groups[: counts.shape[0]]
        of_cells = {name: np.repeat(values, np.diff(counts.indptr)) for name, values in own.items()}
        cells = pl.DataFrame({"term": counts.indices, "count": counts.data, **of_cells})
        merged = _equal_as_one(cells, grain).cast(pl.Int64)
        lengths = pl.DataFrame(own).group_by(*own).agg(documents=pl.len()).cast(pl.Int64)
        whole = pl.concat([merged, _without_terms(lengths).select(merged.columns)])
        return whole.with_columns(
            pl.Series(name, listed, dtype=pl.String).gather(whole[name]) for name, listed in names.items()
        )

    # by starmap, which keeps nothing of a part while the next one is counted
    return starmap(rows, counted_parts(texts(), counting, room=int(ROOM * scale)))


def _equal_as_one(cells: pl.DataFrame, grain: Grain) -> pl.DataFrame:
    """Equal cells as one, with their number *documents*; for the grain "counts", with the sum *tokens* of lengths."""
    if grain == "patterns":
        return cells.group_by(*cells.columns).agg(documents=pl.len())
    keys = [name for name in cells.columns if name != "length"]
    return cells.group_by(*keys).agg(documents=pl.len(), tokens=pl.col("length").sum()).with_columns(length=0)


def _without_terms(lengths: pl.DataFrame) -> pl.DataFrame:
    """The rows without a term, which have the lengths of documents, with all columns of cells."""
    zeros = (pl.lit(0, dtype=pl.Int64).alias(name) for name in ("count", "tokens"))
    return lengths.with_columns(*zeros, term=pl.lit(None, dtype=pl.Int64))
