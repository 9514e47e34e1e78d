"""Sorted runs: statistics of a build on disk in alphabetical order of their terms, of which a range can be read."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termburst.digests import check_digest, check_format, header_text, seal
from termburst.files import atomic_path
from termburst.statistics.merging import SUMS
from termburst.statistics.rows import CountRows

if TYPE_CHECKING:
    from termburst.statistics.matrix import Integers
    from termburst.statistics.term_statistics import TermStatistics

TERM_BYTES = 350  # assumed memory of a term while runs are merged and written; benchmarks/scale.py checks the sum
ROW_BYTES = 180  # assumed memory of a row
BLOCK = 2**20  # bytes of memory for the terms of a block
PER_ROW = ("count", "length", "documents")


class Block(NamedTuple):
    """Some terms of a run: the first, the memory that merging takes for all, and where they are in the file."""

    first: str
    weight: int
    place: int
    terms: int
    rows: int
    characters: int  # bytes of all names


class Run:
    """Statistics in a file: blocks of some terms each, then a header with a digest, and its size in eight bytes.

    Attributes
    ----------
    header : what was given to `write_run`
    arrays : the names of the arrays of each block
    blocks : in alphabetical order
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as stream:
            end = max(stream.seek(0, 2) - 8, 0)
            stream.seek(end)
            size = int.from_bytes(stream.read(8), "little")
            if not 0 < size <= end:
                raise ValueError("it is damaged")
            stream.seek(end - size)
            found = json.loads(stream.read(size))
        check_format(found, "run")
        self.header: dict[str, Any] = found["header"]
        self.arrays: list[str] = found["arrays"]
        self.blocks = [Block(*block) for block in found["blocks"]]

    def check(self) -> None:
        """ValueError if a bit of the file has changed."""
        with self.path.open("rb") as stream:
            check_digest(stream, "run")

    def range(self, low: str, high: str | None) -> Iterator[tuple[list[str], dict[str, Integers]]]:
        """The terms from *low* on and before *high*, with their arrays, block by block."""
        firsts = [block.first for block in self.blocks]
        last = len(firsts) if high is None else bisect_left(firsts, high)
        with self.path.open("rb") as stream:
            for block in self.blocks[max(bisect_left(firsts, low) - 1, 0) : last]:
                stream.seek(block.place)
                sizes = [block.rows if name in PER_ROW else block.terms for name in self.arrays]
                ends = np.cumsum(sizes)
                whole = np.fromfile(stream, dtype="<i8", count=int(ends[-1]))
                arrays = dict(zip(self.arrays, np.split(whole, ends[:-1]), strict=True))
                data, place = stream.read(block.characters), [0, *arrays.pop("ends").tolist()]
                names = [data[a:b].decode() for a, b in pairwise(place)]
                start, stop = bisect_left(names, low), len(names) if high is None else bisect_left(names, high)
                if start < stop:
                    yield names[start:stop], _cut(arrays, start, stop)


def _cut(arrays: dict[str, Integers], start: int, stop: int) -> dict[str, Integers]:
    """The arrays of some terms of a block."""
    terms, rows = slice(start, stop), slice(0)
    if "sizes" in arrays:
        ends = np.cumsum(np.concatenate([[0], arrays["sizes"]]))
        rows = slice(ends[start], ends[stop])
    return {name: values[rows if name in PER_ROW else terms] for name, values in arrays.items()}


def write_run(statistics: TermStatistics, path: Path, header: dict[str, Any]) -> None:
    """Write statistics with named terms, without those that never occur; *header* is stored as JSON."""
    kept = statistics.prune()
    if kept.terms is None:
        raise ValueError("statistics without term names cannot be written in parts; name the terms")
    names, rows = kept.terms.tolist(), kept.rows
    arrays: dict[str, Any] = {name: getattr(kept, name) for name in SUMS}
    indptr = np.zeros(len(names) + 1, dtype=np.int64)
    if rows is not None:
        indptr = rows.indptr
        arrays |= {"sizes": np.diff(indptr)} | {name: getattr(rows, name) for name in PER_ROW}
    arrays = {name: values for name, values in arrays.items() if values is not None}
    weights = TERM_BYTES + ROW_BYTES * np.diff(indptr)
    starts = np.unique((np.cumsum(weights) - weights) // BLOCK, return_index=True)[1].tolist()
    blocks: list[Block] = []
    with atomic_path(path, follow=False) as temporary:
        with temporary.open("wb") as stream:
            for start, stop in pairwise([*starts, len(names)]):
                encoded, some = [_encoded(name) for name in names[start:stop]], slice(indptr[start], indptr[stop])
                sizes = stop - start, int(indptr[stop] - indptr[start]), sum(map(len, encoded))
                blocks.append(Block(names[start], int(weights[start:stop].sum()), stream.tell(), *sizes))
                np.cumsum([*map(len, encoded)], dtype="<i8").tofile(stream)
                for name, values in arrays.items():
                    values[some if name in PER_ROW else slice(start, stop)].astype("<i8").tofile(stream)
                stream.write(b"".join(encoded))
            fields = {"header": header, "arrays": ["ends", *arrays], "blocks": blocks}
            stored = header_text("run", fields).encode()
            stream.write(stored + len(stored).to_bytes(8, "little"))
        seal(temporary)


def _encoded(term: str) -> bytes:
    try:
        return term.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a term is not valid Unicode text (a lone surrogate): {error.object!r}") from error


def bounds_between(runs: Sequence[Run], room: float) -> list[str]:
    """Where ranges of terms begin, each of which takes about *room* bytes while it is merged.

    A range takes at most one block per run more than *room*, unless a single term takes more.
    """
    bounds, held = [""], 0
    for first, weight, *_ in sorted(block for run in runs for block in run.blocks):
        if held and held + weight > room and first > bounds[-1]:
            bounds.append(first)
            held = 0
        held += weight
    return bounds


def merged_range(runs: Sequence[Run], low: str, high: str | None) -> tuple[list[str], dict[str, Any]]:
    """The sum of runs over a range of terms: their names, and the fields of `TermStatistics` that are about terms."""
    blocks = [block for run in runs for block in run.range(low, high)]
    names = sorted(set().union(*(some for some, _ in blocks)))
    place = {name: k for k, name in enumerate(names)}
    targets = [np.fromiter(map(place.__getitem__, some), dtype=np.int64, count=len(some)) for some, _ in blocks]
    arrays = [found for _, found in blocks]
    del place, blocks
    fields: dict[str, Any] = {}
    for name in (one for one in SUMS if one in runs[0].arrays):
        fields[name] = np.zeros(len(names), dtype=np.int64)
        for target, found in zip(targets, arrays, strict=True):
            fields[name][target] += found.pop(name)  # a term is once in a run
    if "sizes" in runs[0].arrays:
        none = np.zeros(0, dtype=np.int64)
        term = [np.repeat(target, found["sizes"]) for target, found in zip(targets, arrays, strict=True)]
        columns = {"term": term} | {
            name: [found.pop(name) for found in arrays] for name in PER_ROW if name in runs[0].arrays
        }
        rows = {name: np.concatenate([none, *parts]) for name, parts in columns.items()}
        fields["rows"] = CountRows.tallied(len(names), **rows)
    return names, fields
