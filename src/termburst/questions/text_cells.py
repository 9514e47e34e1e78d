"""From batches of texts to cells: the code that runs where the texts are, in this process or on Spark's workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.counting import plain_tokenizer
from termburst.counting.options import CountingOptions
from termburst.counting.utf8_texts import count_utf8, names, utf8
from termburst.statistics.matrix import canonical_counts, document_lengths, tally

if TYPE_CHECKING:
    from termburst.counting.tokenizer import Tokenizer, Worker

Grain = Literal["documents", "patterns", "counts"]  # one row per cell; per term, count, length; per term, count
TEXTS = 2_000  # documents in a batch
CELLS = 2_000_000  # cells that are held before equal ones are merged
NODES = 2**18  # terms that are known before counting starts with an empty vocabulary again
ROWS = 500_000  # merged rows that are held before they are returned


def merged_cells(
    batches: Iterable[pl.DataFrame], *, counting: CountingOptions, grain: Grain, scale: float = 1.0
) -> Iterator[pl.DataFrame]:
    """The rows of `tokenised` of many batches, with their groups if they have any; not for the grain "documents".

    The compiled tokenizer reads the bytes of the texts and keeps its vocabulary from batch to batch. So cells are
    numbers until they are merged, and a term becomes a string once in many batches. Memory is limited by `CELLS`,
    `NODES` and `ROWS`, times *scale*.
    """
    running = None
    compiled = True
    for batch in batches:
        texts = batch["text"]
        large = not texts.null_count() and int(texts.str.len_bytes().sum()) > plain_tokenizer.SMALL
        if large and compiled and running is None:
            tokenizer = counting.tokenizer()
            running = RunningCells(counting, tokenizer, grain, scale) if tokenizer is not None else None
            compiled = running is not None
        if running is None or not large:
            yield tokenised(batch, counting=counting, grain=grain)
            continue
        running.add(batch)
        if running.full:
            yield from running.rows()
    if running is not None:
        yield from running.rows()


def document_type(frame: Any) -> Any:
    """The Polars type of the frame's ids: strings or integers."""
    return pl.String if frame.collect_schema()["document"] == nw.String else pl.Int64


class RunningCells:
    """Cells of many texts, merged as numbers: a term is a node of the worker that counted it.

    Parameters
    ----------
    counting, tokenizer : how texts are counted, and its compiled tokenizer
    grain : "counts" or "patterns"
    scale : how many times the usual sizes of blocks are
    """

    def __init__(self, counting: CountingOptions, tokenizer: Tokenizer, grain: Grain, scale: float) -> None:
        self.counting, self.tokenizer, self.grain, self.scale = counting, tokenizer, grain, scale
        self._groups: dict[str, int] = {}
        self._cells: dict[Worker, list[tuple[Any, ...]]] = {}
        self._size = 0  # of the cells
        self._merged: dict[Worker, list[pl.DataFrame]] = {}
        self._lengths: list[dict[str, Any]] = []

    @property
    def full(self) -> bool:
        """Whether it is time to take the rows."""
        if max(worker.nodes for worker in self.tokenizer.workers) >= NODES * self.scale:
            return True
        if self._height >= ROWS * self.scale:
            self._merge_again()
        return self._height >= ROWS * self.scale / 2

    @property
    def _height(self) -> int:
        return sum(frame.height for frames in self._merged.values() for frame in frames)

    def add(self, batch: pl.DataFrame) -> None:
        """Count the texts of a batch."""
        grouped, first = "group" in batch.columns, 0
        codes = [self._groups.setdefault(name, len(self._groups)) for name in batch["group"]] if grouped else []
        for counted in count_utf8(self.tokenizer, *utf8(batch["text"])):
            n_j, sizes = counted.lengths, np.diff(counted.indptr)
            columns = {"length": n_j}
            if grouped:
                columns["group"] = np.array(codes[first : first + n_j.size], dtype=np.int64)
            first += n_j.size
            self._lengths.append({**columns, "documents": np.ones_like(n_j)})
            cells = (counted.ids, counted.counts, *(np.repeat(column, sizes) for column in columns.values()))
            self._cells.setdefault(counted.worker, []).append(cells)
            self._size += counted.ids.size
        if self._size >= CELLS * self.scale:
            self._merge()

    def _merge(self) -> None:
        """Merge equal cells."""
        for worker, held in self._cells.items():
            found = _equal_as_one(*map(np.concatenate, zip(*held, strict=True)), grain=self.grain, terms=worker.nodes)
            self._merged.setdefault(worker, []).append(found)
        self._cells, self._size = {}, 0
        self._lengths = [_tallied(self._lengths)]

    def _merge_again(self) -> None:
        self._merged = {worker: [_added(frames)] for worker, frames in self._merged.items()}

    def rows(self) -> Iterator[pl.DataFrame]:
        """All rows since the last time, and for the lengths of documents rows without a term."""
        if self._cells:
            self._merge()
        if not self._lengths:
            return
        whole, taken = self.tokenizer.absorbed()
        frames = [
            frame.with_columns(pl.Series("term", taken[worker].astype(np.int64)[frame["term"].to_numpy()]))
            for worker, some in self._merged.items()
            for frame in some
        ]
        lengths = self._named(_without_terms(pl.DataFrame(_tallied(self._lengths)), self.grain))
        self._merged, self._lengths = {}, []
        if frames:
            found = _added(frames)
            term = found["term"].to_numpy()
            place = np.zeros(whole.nodes, dtype=np.int64)
            place[term] = 1
            nodes = np.flatnonzero(place).astype(np.int32)
            place[nodes] = np.arange(nodes.size)
            named = self._named(found.with_columns(names(whole, nodes).gather(place[term])))
            lengths = pl.concat([named, lengths.select(named.columns)])
        yield lengths
        if whole.nodes >= NODES * self.scale:
            tokenizer = self.counting.tokenizer()
            assert tokenizer is not None  # as before
            self.tokenizer = tokenizer

    def _named(self, found: pl.DataFrame) -> pl.DataFrame:
        """The frame with the names of its groups."""
        if "group" not in found.columns:
            return found
        return found.with_columns(pl.Series("group", list(self._groups), dtype=pl.String).gather(found["group"]))


def _without_terms(lengths: pl.DataFrame, grain: Grain) -> pl.DataFrame:
    """The rows without a term, which have the lengths of documents."""
    sums = ("tokens",) if grain == "counts" else ()
    zeros = (pl.lit(0, dtype=pl.Int64).alias(name) for name in ("count", *sums))
    return lengths.with_columns(pl.lit(None, dtype=pl.String).alias("term"), *zeros)


def _added(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """One frame, in which rows that are equal but for *documents* and *tokens* are one."""
    if len(frames) == 1:
        return frames[0]
    rows = pl.concat(frames)
    sums = [name for name in ("documents", "tokens") if name in rows.columns]
    return (
        rows.group_by(*(name for name in rows.columns if name not in sums)).agg(pl.col(sums).sum()).select(rows.columns)
    )


def _tallied(lengths: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns of length, (group,) and documents, in which rows that are equal but for *documents* are one."""
    *keys, documents = (np.concatenate([one[name] for one in lengths]) for name in lengths[0])
    columns, documents = tally(keys, documents)
    return dict(zip(lengths[0], [*columns, documents], strict=True))


def _equal_as_one(term: Any, count: Any, length: Any, group: Any = None, *, grain: Grain, terms: int) -> pl.DataFrame:
    """Equal cells as one: rows of term, count, length, (group,) documents, and tokens if the grain is "counts"."""
    if grain == "counts" and group is None:
        return _by_count(term, count, length, terms)
    columns = {"term": term.astype(np.int64), "count": count.astype(np.int64), "length": length}
    cells = pl.DataFrame(columns if group is None else {**columns, "group": group})
    number = pl.len().cast(pl.Int64).alias("documents")
    if grain == "patterns":
        return cells.group_by(*cells.columns).agg(number)
    keys = [name for name in cells.columns if name != "length"]
    found = cells.group_by(*keys).agg(number, pl.col("length").sum().alias("tokens"))
    return found.with_columns(length=pl.lit(0, dtype=pl.Int64))


def tokenised(batch: pl.DataFrame, *, counting: CountingOptions, grain: Grain) -> pl.DataFrame:
    """The cells of a batch of texts, and for the lengths of documents rows without a term.

    The grain "patterns" merges equal rows, "counts" all rows with the same term and count, each within the groups of
    the documents, if they have any.
    """
    X, terms = counting.count(batch["text"].to_list())
    counts = canonical_counts(X)
    name = "document" if grain == "documents" else "group"
    key = {name: batch[name]} if name in batch.columns else {}
    documents = pl.DataFrame({**key, "length": document_lengths(counts)})
    own = documents[np.repeat(np.arange(batch.height), np.diff(counts.indptr))]
    names = pl.Series("term", terms.tolist(), dtype=pl.String)
    if grain == "documents":
        held = own.with_columns(names.gather(counts.indices), count=counts.data.astype(np.int64))
        columns = ["document", "term", "count", "length"]
        return pl.concat([held.select(columns), _without_terms(documents, grain).select(columns)])
    group = own["group"] if key else None
    held = _equal_as_one(counts.indices, counts.data, own["length"].to_numpy(), group, grain=grain, terms=len(terms))
    lengths = documents.group_by(*documents.columns).agg(pl.len().cast(pl.Int64).alias("documents"))
    return pl.concat([
        held.with_columns(names.gather(held["term"])), _without_terms(lengths, grain).select(held.columns)
    ])  # fmt: skip


def _by_count(term: Any, count: Any, lengths: Any, terms: int) -> pl.DataFrame:
    """Cells with the same term and count as one: rows of term, count, length (0), documents, tokens.

    Most cells have the count 1, and those are added up without sorting.
    """
    one = count == 1
    documents = np.bincount(term[one], minlength=terms)
    tokens = np.bincount(term[one], lengths[one], terms).astype(np.int64)  # exact: below 2^53
    place = np.flatnonzero(documents)
    single = pl.DataFrame(
        {"term": place, "count": np.ones_like(place), "documents": documents[place], "tokens": tokens[place]}
    )
    more = pl.DataFrame(
        {"term": term[~one].astype(np.int64), "count": count[~one].astype(np.int64), "n": lengths[~one]}
    )
    several = more.group_by("term", "count").agg(
        pl.len().cast(pl.Int64).alias("documents"), pl.col("n").sum().alias("tokens")
    )
    return pl.concat([single, several]).with_columns(length=pl.lit(0, dtype=pl.Int64))
