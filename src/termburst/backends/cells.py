"""From a frame to cells (a term in a document, its count, the document's length), to sums and to `TermStatistics`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.backends.frame_input import COLUMNS, Opened
from termburst.backends.frames import is_spark, to_polars, totals
from termburst.backends.memory import scale
from termburst.backends.parts import Cells, dealt_out, map_and_add
from termburst.backends.stream import is_lazy_polars, kept, map_batches, stream
from termburst.counting.options import CountingOptions, checked_counting
from termburst.models.cells import TermCells, narrow
from termburst.names import Detail
from termburst.questions.plans import NO_ROWS
from termburst.questions.text_cells import TEXTS, Grain, document_type, merged_cells, tokenised
from termburst.statistics.labels import checked_batch, checked_detail
from termburst.statistics.matrix import Integers
from termburst.statistics.rows import CountRows
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

_ROW = {"term": pl.String, "count": pl.Int64, "length": pl.Int64}  # columns of the rows of `text_cells`
Groups = tuple[tuple[str, Integers, Integers], ...]  # name, lengths and documents of each length, of every group


def kept_patterns(cells: Cells, *keys: str) -> tuple[Any, ...]:
    """Parts of term, count, length, (keys,) documents, which several queries may read."""
    parts = cells.totals("term", "count", "length", *keys)
    return parts if cells.merged else tuple(map(kept, parts))


def length_rows(cells: Cells, *keys: str) -> pl.DataFrame:
    """Rows of (keys,) length and documents, fetched from the engine."""
    rows: pl.DataFrame = to_polars(totals(cells.lengths, [*keys, "length"]).filter(nw.col("documents") != 0))
    return rows


def histogram(found: pl.DataFrame) -> TermStatistics:
    """Statistics without terms, from rows of length and documents."""
    found, none = found.sort("length"), np.zeros(0, dtype=np.int64)
    statistics = TermStatistics(None, found["length"].to_numpy(), found["documents"].to_numpy(), none, none)
    if not statistics.documents:
        raise NothingToCountError(NO_ROWS)
    if not statistics.tokens:
        raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
    return statistics


def coarser(cells: Cells) -> Cells:
    """The cells of patterns, from those of documents, which are one part."""
    if not is_lazy_polars(cells.whole):
        return cells
    dealt = dealt_out((cells.whole.select(*COLUMNS["patterns"]),))
    return replace(_with_lengths(dealt), lengths=cells.lengths)


def cells_of(source: Opened, counting: CountingOptions | None, grain: Grain) -> Cells:
    """The cells of texts, counts or patterns, with the rows of that grain or finer ones."""
    one, empty = nw.lit(1, dtype=nw.Int64), nw.col("term").is_null()
    group = ["group"] if "group" in source.frame.collect_schema() else []  # every document is in one group
    if source.kind == "texts":
        options = checked_counting(counting)
        if grain != "documents":
            sums = ("documents",) if grain == "patterns" else ("documents", "tokens")
            schema = {**_ROW, **dict.fromkeys(group, pl.String), **dict.fromkeys(sums, pl.Int64)}
            stage = partial(merged_cells, counting=options, grain=grain, scale=scale())
            return _with_lengths(map_and_add(source.frame, stage, schema, sums, rows=TEXTS))
        schema = {"document": document_type(source.frame), **_ROW}
        # kept: texts are tokenised once, even if several queries read the rows
        rows = kept(map_batches(source.frame, partial(tokenised, counting=options), schema, rows=TEXTS))
        listed = rows.filter(~empty | (nw.col("length") == 0)).select("document", "term", "count")
        return replace(_with_lengths(Cells.of(rows.with_columns(documents=one))), rows=listed)
    if source.kind == "patterns":
        return _with_lengths(dealt_out((source.frame.select(*COLUMNS["patterns"], *group),)))
    documents = totals(source.frame, ["document", *group], "count").rename({"count": "length"})
    filled = source.frame.filter(nw.col("count") > 0)
    held = filled.join(documents.drop(*group), on="document", how="inner")
    held, lengths = (rows.with_columns(documents=one) for rows in (held, documents.select(*group, "length")))
    if is_lazy_polars(held) and grain != "documents":  # Polars would have all rows in memory to merge equal ones
        dealt = dealt_out((held.select(*COLUMNS["patterns"], *group),))
        return replace(_with_lengths(dealt), lengths=lengths)
    nothing = documents.filter(nw.col("length") == 0).with_columns(term=nw.lit(None, dtype=nw.String))
    counts = ("document", "term", "count")
    listed = nw.concat([filled.select(*counts), nothing.rename({"length": "count"}).select(*counts)])
    cells = _with_tokens(held)
    return Cells((cells,), lengths, cells, rows=listed)


def _with_lengths(found: Cells) -> Cells:
    """The same with numbers of tokens, and with nothing but lengths of rows without a term."""
    columns = [name for name in found.lengths.collect_schema().names() if name in ("group", "length", "documents")]
    parts = tuple(map(_with_tokens, found.parts))
    return replace(found, parts=parts, lengths=found.lengths.select(*columns), whole=_with_tokens(found.whole))


def _with_tokens(cells: Any) -> Any:
    if "tokens" in cells.collect_schema():
        return cells
    return cells.with_columns(tokens=nw.col("length") * nw.col("documents"))


# Sums and statistics


def term_sums(cells: Any) -> Any:
    """Frame of term, n = n_i, b = b_i, from all cells."""
    rows = cells.with_columns(n=nw.col("count") * nw.col("documents"))
    sums = rows.group_by("term").agg(nw.col("n").sum(), nw.col("documents").sum())
    whole = sums.select("term", n=nw.col("n").cast(nw.Int64), b=nw.col("documents").cast(nw.Int64))
    return whole.filter(nw.col("b") != 0)


def build_statistics(source: Opened, counting: CountingOptions | None, detail: Detail, batch: str | None) -> Any:
    """`TermStatistics` of a frame; of texts that come through this process, without cells on disk."""
    names, detail = checked_batch(batch), checked_detail(detail)
    if source.kind == "texts" and not is_spark(source.frame):
        texts = (rows["text"].to_list() for rows in stream(source.frame.select("text"), TEXTS))
        return TermStatistics.from_batches(texts, detail, counting=counting, batch=batch)
    cells = cells_of(source, counting, "patterns" if detail == "patterns" else "counts")
    counting = checked_counting(counting) if source.kind == "texts" else None
    return replace(statistics_of(cells, detail), batches=names, counting=counting)


def statistics_of(cells: Cells, detail: Detail) -> TermStatistics:
    """`TermStatistics` of cells: the engine adds up, this process stores the result."""
    n, length = pl.col("count") * pl.col("documents"), ["length"] if detail == "patterns" else []
    keys = ["term", "count", *length]
    sums = [nw.col("documents").sum(), nw.col("tokens").sum()]
    held = cells.whole if cells.merged and detail == "patterns" else cells.whole.group_by(*keys).agg(*sums)
    rows = to_polars(held.select(*keys, *(nw.col(name).cast(nw.Int64) for name in ("documents", "tokens"))))
    rows = rows.filter(pl.col("documents") != 0)
    by_term = rows.group_by("term").agg(
        n=n.sum(), b=pl.col("documents").sum(), products=(pl.col("count") * pl.col("tokens")).sum(),
        squares=(pl.col("count") * n).sum(),
    ).sort("term")  # fmt: skip
    listed = CountRows.tallied(
        by_term.height,
        term=by_term["term"].search_sorted(rows["term"]).to_numpy().astype(np.int64),
        **{name: rows[name].to_numpy() for name in ("count", *length, "documents")},
    )
    found = replace(
        histogram(length_rows(cells)),
        terms=by_term["term"].to_numpy(writable=True).astype(object),
        collection_frequency=by_term["n"].to_numpy(),
        document_frequency=by_term["b"].to_numpy(),
        detail="patterns" if length else "moments",
        count_length_sum=by_term["products"].to_numpy(),
        count_squared_sum=by_term["squares"].to_numpy(),
        rows=listed,
    )
    return found.coarsen(detail)


# Cells of some terms, in the form that fits and tests take


def cells_by_term(patterns: pl.DataFrame, terms: pl.Series, lengths: Integers, length_documents: Integers) -> TermCells:
    """The cells of some terms in a collection with these document lengths.

    Parameters
    ----------
    patterns : all rows of term, count, length, documents that the terms have
    terms : distinct terms in ascending order; those without patterns have no cells
    lengths, length_documents : the histogram of document lengths

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"term": ["so", "ha", "so"], "count": [2, 1, 1], "length": [3, 3, 4], "documents": [1, 1, 5]}
    >>> cells = cells_by_term(pl.DataFrame(rows), pl.Series(["ha", "so"]), np.array([3, 4]), np.array([1, 5]))
    >>> cells.n_i.tolist(), cells.b_i.tolist()
    ([1, 7], [1, 6])
    """
    rows = patterns.sort("term", "count", "length")  # as `CountRows`: sums are the same to the last bit
    term, count, documents = rows["term"], rows["count"].to_numpy(), rows["documents"].to_numpy()
    place = terms.search_sorted(term, side="left").to_numpy().astype(np.int64)
    indptr = np.searchsorted(place, np.arange(terms.len() + 1))
    n_i, b_i = (_sums(values, indptr) for values in (count * documents, documents))
    return TermCells(
        indptr,
        narrow("count", count),
        narrow("length", rows["length"].to_numpy()),
        documents.astype(np.float64),
        n_i,
        b_i,
        lengths,
        length_documents,
    )


def cells_of_groups(
    patterns: pl.DataFrame, groups: Iterable[tuple[str, Integers, Integers]]
) -> tuple[pl.Series, list[TermCells]]:
    """The terms in order, and their cells in each group.

    Parameters
    ----------
    patterns : all rows of term, count, length, (group,) documents that some terms have
    groups : name, lengths and documents of each length, of every group
    """
    terms = patterns["term"].unique().sort()
    if "group" not in patterns.columns:
        ((_, *own),) = groups
        return terms, [cells_by_term(patterns, terms, *own)]
    parts = patterns.partition_by("group", as_dict=True)
    none = patterns.clear()
    return terms, [cells_by_term(parts.get((name,), none), terms, *own) for name, *own in groups]


def lengths_of_groups(groups: Iterable[tuple[str, Integers, Integers]]) -> list[TermCells]:
    """Cells without terms, of groups with these document lengths."""
    none, narrow_ = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return [TermCells(np.zeros(1, np.int64), narrow_, narrow_, np.ones(1), none, none, *own) for _, *own in groups]


def _sums(values: Integers, indptr: Integers) -> Integers:
    """The sums of values[indptr[i]:indptr[i + 1]], of integers."""
    before = np.append(0, np.cumsum(values))
    return before[indptr[1:]] - before[indptr[:-1]]
