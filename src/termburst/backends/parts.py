"""Rows with terms, dealt out into parts that have no term in common, on disk: for engines that stream through here.

Rows are divided by a hash of their term. What does not fit is written to 32 piles, and each pile is dealt out
again, until it fits. Then equal rows are merged, and the terms of a pile are divided further until a part has at most
`ROWS_OF_PART` rows. So memory depends neither on the vocabulary nor on the text. The parts depend only on the merged
rows, not on how much memory there was: whatever is computed part by part is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.backends.frames import concatenated, is_spark, totals
from termburst.backends.stream import (
    ROWS,
    Schema,
    Stage,
    is_lazy_polars,
    kept,
    map_stream,
    read_file,
    read_files,
    stream,
    typed,
    write_scratch,
)
from termburst.scratch import scratch_folder

ROWS_OF_PART = 100_000
HELD = 8 * 2**20  # bytes of rows that are held before they are written
BITS = 5  # of the hash, that divide rows into piles at a time
DEEPEST = 60  # bits that are used at most; rows that have all of them in common are those of one term


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a collection in an engine.

    Attributes
    ----------
    parts : frames of (document,) (group,) term, count, length, documents, tokens
        One frame, or several that have no term in common.
        *documents* is the number of documents with such a cell, *tokens* the number of their tokens. With the grain
        "counts" their single lengths are not known, and *length* is 0.
    lengths : frame of (group,) length, documents: the rows without a term
    whole : one frame with the rows of all parts
    merged : whether no two rows of the parts are equal in term, count and length (and group), and the parts are `kept`
    rows : with the grain "documents": the cells with document, term, count, and the documents without a term
    """

    parts: tuple[Any, ...]
    lengths: Any
    whole: Any
    merged: bool = False
    rows: Any = None

    @classmethod
    def of(cls, frame: Any) -> Cells:
        """Those of one frame of an engine that divides terms itself, or that has them in memory."""
        empty = nw.col("term").is_null()
        terms = frame.filter(~empty)
        return cls((terms,), frame.filter(empty), terms)

    @property
    def few(self) -> bool:
        """Whether all terms are in one part that fits into memory."""
        return self.merged and len(self.parts) == 1 and not is_spark(self.whole)

    def totals(self, *keys: str) -> tuple[Any, ...]:
        """Parts with the sum of *documents* for every combination of keys; "term" must be one of them."""
        return tuple(self._totals(part, keys) for part in self.parts)

    def total(self, *keys: str) -> Any:
        """The same, as one frame."""
        return self._totals(self.whole, keys)

    def _totals(self, rows: Any, keys: tuple[str, ...]) -> Any:
        done = self.merged and {"count", "length"} <= set(keys)
        return (rows.select(*keys, "documents") if done else totals(rows, keys)).filter(nw.col("documents") != 0)


def map_and_add(frame: Any, stage: Stage, schema: Schema, add_up: tuple[str, ...], *, rows: int = ROWS) -> Cells:
    """What *stage* makes of all batches; rows that are equal in all other columns may be merged.

    Then the columns *add_up* are added up. On Spark the stage gets the batches of one partition at a time, and what is
    merged is kept, so that the stage runs once although several queries read the parts.
    """
    if is_spark(frame):
        keys = (name for name in schema if name not in add_up)
        merged = (
            map_stream(frame, stage, schema, rows=rows).group_by(*keys).agg(*(nw.col(name).sum() for name in add_up))
        )
        return replace(Cells.of(kept(merged)), merged=True)
    return dealt(stage(stream(frame, rows)), schema, add_up, frame)


def dealt_out(frames: Sequence[Any]) -> Cells:
    """The rows of all frames of patterns, which may have terms in common; lazy Polars frames are dealt out on disk."""
    first = frames[0]
    if not is_lazy_polars(first):
        return Cells.of(concatenated(frames))
    names = first.collect_schema().names()
    schema = {name: pl.Int64 if name in ("count", "length", "documents") else pl.String for name in names}
    rows = (batch for frame in frames for batch in stream(frame.select(*names), ROWS))
    return dealt(rows, schema, ("documents",), first)


def dealt(results: Iterable[pl.DataFrame], schema: Schema, add_up: tuple[str, ...], like: Any) -> Cells:
    """Cells of all rows, on disk, as frames of the engine of *like*: Polars or DuckDB."""
    dealer = Dealer(schema, add_up, HELD)
    leaves = dealer.leaves(dealer.with_terms(results))
    if not leaves:  # an empty file has the columns
        leaves = [Leaf((dealer.written(dealer.none),), 0)]
    write_scratch(dealer.others, dealer.folder / "others.parquet")
    whole = [file for leaf in leaves for file in leaf.files]
    parts = tuple(read_files(leaf.files, like) for leaf in leaves)
    others = read_files([dealer.folder / "others.parquet"], like)
    return Cells(parts, others, read_files(whole, like), merged=True)


@dataclass(frozen=True, slots=True)
class Leaf:
    """All merged rows of some terms: their files, and how many rows these have."""

    files: tuple[Path, ...]
    rows: int


class Dealer:
    """Divides rows by the hash of their term.

    Parameters
    ----------
    schema : the columns of the rows
    add_up : columns that are added up where all others are equal
    room : bytes of rows that are held at a time; merging them takes several times as much for a moment
    """

    def __init__(self, schema: Schema, add_up: tuple[str, ...], room: int) -> None:
        self.schema, self.add_up, self.room = schema, add_up, room
        self.folder = scratch_folder()
        self.none = pl.DataFrame(schema=schema)
        self.others = self.none
        self._files = 0

    def with_terms(self, results: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The rows that have a term. The others are few, and held."""
        for result in results:
            rows = typed(result, self.schema)
            if rows["term"].null_count():
                self.others = self._merged([self.others, rows.filter(pl.col("term").is_null())])
                rows = rows.filter(pl.col("term").is_not_null())
            yield rows

    def leaves(self, frames: Iterable[pl.DataFrame], depth: int = 0) -> list[Leaf]:
        """Deal out rows whose hashes have the first *depth* bits in common; the leaves are in the order of hashes."""
        held: list[pl.DataFrame] = []
        size, piles = 0, [list[Path]() for _ in range(2**BITS)]
        for frame in self._sliced(frames):
            held.append(frame)
            size += int(frame.estimated_size())
            if size < self.room or depth >= DEEPEST:
                continue
            held = [self._merged(held)] if len(held) > 1 else held
            size = int(held[0].estimated_size())
            if size > self.room // 2:
                self._throw(held.pop(), depth, piles)
                size = 0
        rest = self._merged(held)
        held.clear()
        if not any(piles):
            return self._divided(rest, depth)
        self._throw(rest, depth, piles)
        del rest
        found = [self.leaves(self._taken(pile), depth + BITS) if pile else [] for pile in piles]
        return reduce(lambda halves, _: _joined(halves), range(BITS), found)[0]

    def _sliced(self, frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The same rows, in frames that are not larger than the room."""
        for frame in frames:
            number = -(-int(frame.estimated_size()) // self.room)
            yield from frame.iter_slices(-(-frame.height // number)) if number > 1 else [frame]

    def _throw(self, rows: pl.DataFrame, depth: int, piles: list[list[Path]]) -> None:
        """Write rows to piles, by the next bits of their hash."""
        numbered = rows.with_columns(_bits(rows, depth, BITS).alias("_place"))
        for (number,), part in numbered.partition_by("_place", as_dict=True, include_key=False).items():
            piles[number].append(self.written(part))

    def _taken(self, pile: list[Path]) -> Iterator[pl.DataFrame]:
        """The files of a pile, each deleted when it is read."""
        for file in pile:
            rows = read_file(file)
            file.unlink()
            yield rows

    def _divided(self, rows: pl.DataFrame, depth: int) -> list[Leaf]:
        """Divide merged rows, bit by bit, until a leaf has at most `ROWS_OF_PART`."""
        if not rows.height:
            return []
        if rows.height <= ROWS_OF_PART or depth >= DEEPEST:
            return [Leaf((self.written(rows),), rows.height)]
        bit = _bits(rows, depth, 1) == 1
        return self._divided(rows.filter(~bit), depth + 1) + self._divided(rows.filter(bit), depth + 1)

    def written(self, rows: pl.DataFrame) -> Path:
        """The file with some rows."""
        self._files += 1
        file = self.folder / f"{self._files:07}.parquet"
        write_scratch(rows, file)
        return file

    def _merged(self, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """One frame, in which rows that are equal but for the columns to add up are one."""
        rows = pl.concat([self.none, *frames])
        keys = [name for name in self.schema if name not in self.add_up]
        return rows.group_by(*keys).agg(pl.col(self.add_up).sum()).select(*self.schema)


def _bits(rows: pl.DataFrame, depth: int, number: int) -> pl.Series:
    """Some bits of the hash of each row's term, after the first *depth*."""
    hashes = rows["term"].hash(0).to_numpy()
    return pl.Series(hashes >> np.uint64(64 - depth - number) & np.uint64(2**number - 1))


def _joined(halves: list[list[Leaf]]) -> list[list[Leaf]]:
    """The leaves of pairs of neighbours: one leaf, if that has at most `ROWS_OF_PART` rows.

    So leaves are those that dividing all rows bit by bit would give.
    """
    found = []
    for left, right in zip(halves[::2], halves[1::2], strict=True):
        leaves = left + right
        rows = sum(leaf.rows for leaf in leaves)
        if leaves and rows <= ROWS_OF_PART:
            leaves = [Leaf(tuple(file for leaf in leaves for file in leaf.files), rows)]
        found.append(leaves)
    return found
