"""Statistics of a vocabulary that does not fit into memory: sorted runs on disk, merged into one file by ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.counting.options import checked_counting
from termburst.digests import seal
from termburst.files import atomic_path, check_output, companion, first_line, parquet_damage
from termburst.forks import check_fork
from termburst.limits import checked_memory
from termburst.locks import locked
from termburst.names import Detail
from termburst.statistics.contents import RunningContent
from termburst.statistics.labels import checked_batch, checked_detail
from termburst.statistics.matrix import Integers, tally
from termburst.statistics.merging import SUMS, pruned
from termburst.statistics.runs import SUFFIX, Run, bounds_between, merged_range, write_run
from termburst.statistics.soundness import check_sound
from termburst.statistics.store import frame_of, metadata_of, save_statistics
from termburst.statistics.streaming import RunningSum, in_batches
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics, counted, partial_statistics

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.reading.documents import Text
    from termburst.statistics.rows import CountRows

LEAST = 128 * 2**20  # bytes beyond those that the program takes itself
READING = 64 * 2**20  # bytes for texts that are read ahead and counted
COUNTING = 0.6  # share of the rest for a part that is counted
HOLDING = 0.15  # share for the sum of parts; adding takes several times as much for a moment
MERGING = 0.6  # share for a range of terms that is merged and written
_NAME_BYTES = 100  # memory of a term's string, beside its numbers
_PART = f"-part{SUFFIX}"
ROW_GROUP = 2**16  # terms in a row group of the file
NONE = np.zeros(0, dtype=np.int64)


@dataclass
class OutOfCore:
    """Statistics that are added up in memory until they fill their share, and then written to a scratch folder.

    The scratch folder is beside the output file. It is removed at the end, and by the next build of the same file if
    the process was killed. Use it inside `scratch_of`, under the lock of the output.

    Parameters
    ----------
    scratch : an empty folder
    room : bytes that may be used, beyond those that the process takes already
    detail, counting : what is counted, and how
    tell : called with what is done: "Spilling", "Reading", "Merging"
    """

    scratch: Path
    room: int
    detail: Detail
    counting: CountingOptions
    tell: Callable[[str], None] = lambda doing: None
    runs: list[Run] = field(default_factory=list)
    _total: RunningSum = field(default_factory=RunningSum, repr=False)
    _held: int = field(default=0, repr=False)
    _lengths: tuple[Integers, Integers] = field(default=(NONE, NONE), repr=False)

    @property
    def documents(self) -> int:
        """The number of documents so far."""
        return int(self._lengths[1].sum())

    def count(self, batches: Iterable[list[Text]]) -> RunningContent:
        """Count texts; returns the content of all of them."""
        content = RunningContent()

        def seen() -> Iterator[list[Text]]:
            for batch in batches:
                content.see(batch)
                yield batch

        for part in partial_statistics(seen(), self.detail, self.counting, room=int(COUNTING * self.room)):
            self.add(part)
            del part
            content.value(self.documents)  # the digests of these texts need not wait any longer
        return content

    def add(self, part: TermStatistics) -> None:
        """Add a part. If the sum would become too large, what is held is written first."""
        size, most = _memory(part), HOLDING * self.room
        if self._held and self._held + size > most:
            self._spill()
        known, documents = self._lengths
        (lengths,), documents = tally(
            [np.concatenate([known, part.lengths])], np.concatenate([documents, part.length_documents])
        )
        self._lengths = lengths, documents
        self._total.add(part)
        self._held += size
        if self._held > most:
            del part
            self._spill()

    def save(
        self, path: str | PathLike[str], *, content: RunningContent, batch: str | None = None, min_count: int = 1
    ) -> tuple[int, int]:
        """Write the file of all statistics; returns the numbers of documents and terms."""
        if not self.runs:
            whole = counted(self._total.value(), batch, min_count)
            contents = (replace(content.value(whole.documents), batch=batch),)
            save_statistics(replace(whole, contents=contents), path)
            return whole.documents, whole.vocabulary_size
        if self._held:
            self._spill()
        self.tell("Merging")
        whole = self._without_terms(batch, content)
        with _on_disk(self.scratch):
            parts = self._merged(whole, min_count)
            for run in self.runs:  # makes room on the disk
                run.remove()
        if not parts:
            raise NothingToCountError(f"no term occurs {min_count:,} times or more")
        _write_whole(replace(whole, min_count=max(1, min_count)), list(parts), path)
        return whole.documents, sum(parts.values())

    def _merged(self, whole: TermStatistics, min_count: int) -> dict[Path, int]:
        """Write the table of each range of terms to a file of its own; returns their numbers of terms."""
        parts: dict[Path, int] = {}
        for k, (names, sums, rows) in enumerate(self._ranges()):
            one = replace(whole, terms=np.array(names, dtype=object), rows=rows, **sums).prune(min_count)
            del names, sums, rows
            check_sound(one)
            if one.vocabulary_size:
                part = self.scratch / f"{k:06}{_PART}"
                frame_of(one).write_parquet(part)
                parts[part] = one.vocabulary_size
            del one
        return parts

    def _spill(self) -> None:
        """Write the sum of what is held as one run, and start a new sum."""
        self.tell("Spilling")
        total = self._total.value()
        if total is not None:
            with _on_disk(self.scratch):
                self.runs.append(write_run(total, self.scratch / f"{len(self.runs):06}"))
        self._total, self._held = RunningSum(), 0
        self.tell("Reading")

    def _without_terms(self, batch: str | None, content: RunningContent) -> TermStatistics:
        """What the file says of the whole collection, for an empty vocabulary."""
        lengths, documents = self._lengths
        contents = tuple(replace(one, batch=batch) for one in (content.value(self.documents),))
        return TermStatistics(
            np.zeros(0, dtype=object),
            lengths,
            documents,
            NONE,
            NONE,
            self.detail,
            batches=checked_batch(batch),
            counting=self.counting,
            contents=contents,
        )

    def _ranges(self) -> Iterator[tuple[list[str], dict[str, Any], CountRows | None]]:
        """The merged statistics of one range of terms after another."""
        bounds = bounds_between(self.runs, int(MERGING * self.room))
        stops = [[run.position(bound) for run in self.runs] for bound in bounds]
        ends = [[0] * len(self.runs), *stops, [run.size for run in self.runs]]
        for start, stop in pairwise(ends):
            yield merged_range(self.runs, start, stop)


def _memory(part: TermStatistics) -> int:
    """Bytes of the arrays and names of statistics."""
    arrays = [getattr(part, name) for name in SUMS]
    if part.rows is not None:
        arrays += [part.rows.indptr, part.rows.count, part.rows.length, part.rows.documents]
    return _NAME_BYTES * part.vocabulary_size + sum(array.nbytes for array in arrays if array is not None)


def _write_whole(whole: TermStatistics, parts: Sequence[Path], path: str | PathLike[str]) -> None:
    """Join the tables of *parts* to one file; *whole* says what its header must say."""
    import polars as pl

    with atomic_path(path) as temporary:
        table = pl.scan_parquet(list(parts), glob=False)
        try:
            table.sink_parquet(temporary, metadata=metadata_of(whole), row_group_size=ROW_GROUP, engine="streaming")
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{path} cannot be written: {first_line(error)}") from error
        seal(temporary)


def scratch_folder(path: str | PathLike[str]) -> Path:
    """The scratch folder of an output file: hidden, in the same folder."""
    return companion(Path(path).resolve(), ".scratch")


def remove_scratch(path: str | PathLike[str]) -> None:
    """Remove the scratch folder of an output file, if there is one. Only files of this module are removed.

    ValueError if it contains other files, or is a symbolic link: then it is not a scratch folder of termburst.
    """
    folder = scratch_folder(path)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ValueError(f"{folder}, the place for temporary files, is not a folder; remove it, or write elsewhere")
    if not folder.exists():
        return
    for file in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            file.unlink()
    try:
        folder.rmdir()
    except OSError as error:
        raise ValueError(f"{folder}, the place for temporary files, cannot be removed ({error.strerror})") from error


@contextmanager
def scratch_of(path: str | PathLike[str]) -> Iterator[Path]:
    """An empty scratch folder beside an output file, removed at the end in any case. Hold the lock of the file."""
    remove_scratch(path)
    folder = scratch_folder(path)
    with _on_disk(folder):
        folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        remove_scratch(path)


@contextmanager
def _on_disk(folder: Path) -> Iterator[None]:
    """Errors of the disk become a ValueError that names the scratch folder."""
    damage: tuple[type[BaseException], ...] = (OSError, *parquet_damage())
    try:
        yield
    except damage as error:
        why = getattr(error, "strerror", None) or first_line(error)
        raise ValueError(f"temporary files cannot be kept in {folder}: {why}") from error


def room_within(memory: str | int) -> int:
    """The bytes that are left of a limit such as "1GB" after what the process takes already.

    Raises
    ------
    ValueError
        If too little is left to work with.
    """
    import polars  # noqa: F401  they take memory, too
    import scipy.sparse  # noqa: F401

    limit, used = checked_memory(memory, READING + LEAST)
    return limit - used - READING


def build_statistics(
    texts: Iterable[Text] | Iterable[list[Text]],
    path: str | PathLike[str],
    detail: Detail = "moments",
    *,
    memory: str | int,
    counting: CountingOptions | None = None,
    batch: str | None = None,
    min_count: int = 1,
) -> tuple[int, int]:
    """Count texts and write their statistics to a file, within a limit of memory.

    The file has the same content as ``TermStatistics.from_texts(texts, …).save(path)``, and the digests of the texts.
    What does not fit into memory is written to a scratch folder beside the file, sorted by term, and merged at the end,
    one range of terms after another. So the vocabulary may be larger than memory. Memory also has: the histogram of
    document lengths, 64 bits per text of up to a million texts, and the document that is counted.

    Parameters
    ----------
    texts, detail, counting, batch : see `TermStatistics.from_texts`
    path : the Parquet file to write
    memory : for example "1GB" or "500MB", or bytes
        Peak memory of the whole process. It is an estimate: see docs/engines.md.
    min_count : leave out terms that occur fewer times

    Returns
    -------
    (int, int)
        The numbers of documents and of terms in the file.

    Raises
    ------
    ValueError
        If the limit is too small, or a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "all.parquet"
    >>> build_statistics(["so it goes", "so so"], file, memory="4GB")
    (2, 3)
    >>> TermStatistics.load(file) == TermStatistics.from_texts(["so it goes", "so so"])
    True
    """
    check_fork()
    check_output(path)
    pruned(TermStatistics(None, NONE, NONE, NONE, NONE), min_count)  # ValueError now, not after counting
    options = checked_counting(counting)
    batches = in_batches(texts, lists_are_texts=options.pretokenized)
    with locked(path), scratch_of(path) as scratch:
        build = OutOfCore(scratch, room_within(memory), checked_detail(detail), options)
        return build.save(path, content=build.count(batches), batch=batch, min_count=min_count)
