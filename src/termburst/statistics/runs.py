"""Sorted runs: statistics on disk in alphabetical order of their terms, of which a range of terms can be read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.statistics.merging import SUMS
from termburst.statistics.rows import CountRows

if TYPE_CHECKING:
    from termburst.statistics.matrix import Integers
    from termburst.statistics.term_statistics import TermStatistics

SUFFIX = ".run"  # of every file of a run
TERM_BYTES = 350  # assumed memory of a term while runs are merged and written; benchmarks/scale.py checks the sum
ROW_BYTES = 180  # assumed memory of a row
BLOCK = 2**18  # bytes of memory for the terms between two entries of the index
_PER_ROW = ("count", "length", "documents")


@dataclass(frozen=True)
class Run:
    """Statistics in raw files, one per array, and an index in memory: every so many bytes, the position of a term.

    Parameters
    ----------
    stem : path of the files without their endings
    columns : names of the arrays that the detail has
    firsts, starts : the terms of the index and their positions
    weights : the memory that merging takes for the terms from one entry of the index to the next
    size : the number of terms
    """

    stem: Path
    columns: tuple[str, ...]
    firsts: list[str]
    starts: list[int]
    weights: list[int]
    size: int

    def position(self, term: str) -> int:
        """The number of terms before *term* in alphabetical order."""
        block = bisect_left(self.firsts, term) - 1
        if block < 0:
            return 0
        start, stop = self.starts[block], [*self.starts, self.size][block + 1]
        return start + bisect_left(self.terms(start, stop), term)

    def terms(self, start: int, stop: int) -> list[str]:
        """The terms from one position to another."""
        ends = self._read("ends", start, stop + 1).tolist()
        with self._path("terms").open("rb") as stream:
            stream.seek(ends[0])
            data = stream.read(ends[-1] - ends[0])
        return [data[one - ends[0] : next - ends[0]].decode() for one, next in pairwise(ends)]

    def sums(self, name: str, start: int, stop: int) -> Integers:
        """One number per term."""
        return self._read(name, start, stop)

    def rows(self, start: int, stop: int) -> tuple[Integers, dict[str, Integers]]:
        """The number of rows of each term, and the columns of the rows."""
        indptr = self._read("indptr", start, stop + 1)
        bounds = int(indptr[0]), int(indptr[-1])
        return np.diff(indptr), {name: self._read(name, *bounds) for name in _PER_ROW if name in self.columns}

    def remove(self) -> None:
        """Remove the files."""
        for name in ("terms", "ends", *self.columns):
            self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.stem.with_name(f"{self.stem.name}-{name}{SUFFIX}")

    def _read(self, name: str, start: int, stop: int) -> Integers:
        found = np.fromfile(self._path(name), dtype=np.int64, count=stop - start, offset=8 * start)
        if found.size != stop - start:
            raise ValueError(f"{self._path(name)} is damaged: it is too short; build the statistics again")
        return found


def write_run(statistics: TermStatistics, stem: Path) -> Run:
    """Write statistics with named terms, without those that never occur, as a run; *stem* is the start of all names."""
    kept = statistics.prune()
    if kept.terms is None:
        raise ValueError("statistics without term names cannot be written in parts; name the terms")
    names: list[str] = kept.terms.tolist()
    arrays: dict[str, Any] = {name: getattr(kept, name) for name in SUMS}
    per_term = np.full(len(names), TERM_BYTES)
    if kept.rows is not None:
        arrays |= {name: getattr(kept.rows, name) for name in ("indptr", *_PER_ROW)}
        per_term += ROW_BYTES * np.diff(kept.rows.indptr)
    arrays = {name: values for name, values in arrays.items() if values is not None}
    starts, weights = _index(per_term)
    run = Run(stem, tuple(arrays), [names[k] for k in starts], starts, weights, len(names))
    ends = np.zeros(len(names) + 1, dtype=np.int64)
    with run._path("terms").open("xb") as stream:
        for k, name in enumerate(names):
            ends[k + 1] = ends[k] + stream.write(_encoded(name))
    for name, values in (arrays | {"ends": ends}).items():
        with run._path(name).open("xb") as stream:
            np.ascontiguousarray(values, dtype=np.int64).tofile(stream)
    return run


def _encoded(term: str) -> bytes:
    try:
        return term.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a term is not valid Unicode text (a lone surrogate): {error.object!r}") from error


def _index(per_term: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """Positions about `BLOCK` bytes apart, and the bytes from each to the next."""
    before = np.cumsum(per_term) - per_term
    starts = np.unique(np.searchsorted(before, np.arange(0, int(per_term.sum()), BLOCK)))
    starts = starts[starts < per_term.size]
    return starts.tolist(), np.add.reduceat(per_term, starts).tolist() if starts.size else []


def bounds_between(runs: Sequence[Run], room: int) -> list[str]:
    """Terms that cut the vocabulary into ranges, each of which takes about *room* bytes while it is merged.

    A range takes at most one block per run more than *room*, unless a single term takes more.
    """
    blocks = sorted((first, weight) for run in runs for first, weight in zip(run.firsts, run.weights, strict=True))
    bounds = [blocks[0][0]]
    held = 0
    for first, weight in blocks:
        if held + weight > room and first > bounds[-1]:
            bounds.append(first)
            held = 0
        held += weight
    return bounds[1:]


def merged_range(
    runs: Sequence[Run], start: Sequence[int], stop: Sequence[int]
) -> tuple[list[str], dict[str, Integers], CountRows | None]:
    """The sum of runs over a range of terms: names, sums and rows. Run k has the terms from start[k] to stop[k]."""
    parts = [(run, a, b) for run, a, b in zip(runs, start, stop, strict=True) if a < b]
    named = [run.terms(a, b) for run, a, b in parts]
    names = sorted(set().union(*named))
    place = {name: k for k, name in enumerate(names)}
    targets = [np.fromiter(map(place.__getitem__, some), dtype=np.int64, count=len(some)) for some in named]
    del named, place
    sums: dict[str, Integers] = {}
    for name in (one for one in SUMS if one in runs[0].columns):
        sums[name] = np.zeros(len(names), dtype=np.int64)
        for target, (run, a, b) in zip(targets, parts, strict=True):
            sums[name][target] += run.sums(name, a, b)  # a term is once in a run
    if "count" not in runs[0].columns:
        return names, sums, None
    found: dict[str, list[Integers]] = {"term": []}
    for target, (run, a, b) in zip(targets, parts, strict=True):
        sizes, columns = run.rows(a, b)
        found["term"].append(np.repeat(target, sizes))
        for name, values in columns.items():
            found.setdefault(name, []).append(values)
    joined = {name: np.concatenate(found.pop(name)) for name in list(found)}
    return names, sums, CountRows.tallied(len(names), **joined)
