"""Statistics of a large corpus: sums that are written to disk as runs, so that memory is enough and nothing is lost."""

from __future__ import annotations

import json
import time
import unicodedata
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from termburst.digests import seal
from termburst.files import atomic_path, companion, first_line, parquet_damage, remove_leftovers
from termburst.limits import checked_memory
from termburst.messages import named
from termburst.names import Detail
from termburst.reading.documents import Place, Text
from termburst.statistics.contents import MOST_HASHES, Hashes, hash_of, known_hashes
from termburst.statistics.labels import checked_batch
from termburst.statistics.matrix import Integers
from termburst.statistics.merging import SUMS, added
from termburst.statistics.runs import Run, bounds_between, merged_range, write_run
from termburst.statistics.soundness import check_sound
from termburst.statistics.store import frame_of, metadata_of, save_statistics
from termburst.statistics.streaming import RunningSum
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics, counted, partial_statistics

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.reading.readers import Batch, TextSource

LEAST = 128 * 2**20  # bytes beyond those that the program takes itself
READING = 64 * 2**20  # bytes for texts that are read ahead and counted
COUNTING = 0.6  # share of the rest for a part that is counted
SHARE = 50  # a run has at least this part of the time so far, so that a long build has few runs
HOLDING = 0.15  # share for the sum of parts; adding takes several times as much for a moment
MERGING = 0.6  # share for a range of terms that is merged and written
NAME_BYTES = 100  # memory of a term's string, beside its numbers
ROW_GROUP = 2**16  # terms in a row group of the file
LENGTHS = ("lengths", "length_documents")
NONE = np.zeros(0, dtype=np.int64)
RUN, RANGE = ".run", ".range"  # what the names of files in the folder end in


@dataclass
class Building:
    """A build of statistics: sums are added up in memory, and now and then written to a folder beside the output.

    A run has the sum over some documents, in a file of its own; the first k runs have the first k parts of the corpus.
    So each document is counted once, even if the process is killed, and the vocabulary may be larger than memory: runs
    are merged one range of terms after another. `begin` continues a build whose runs are there. Without it (standard
    input, a corpus with steps, texts of Python) nothing can be continued, and the folder is removed at the end in any
    case. Use it as a context, under the lock of the output.

    Parameters
    ----------
    path : the Parquet file to write
    detail, counting : what is counted, and how
    memory : peak memory of the process, such as "1GB"; None for no limit
    every : seconds between two runs, without a limit; 0 for none
    fresh : remove what another build has left, and start again
    say : called with each message, one sentence at a time
    tell : called with what is done: "Spilling", "Reading", "Merging"
    """

    path: Path
    detail: Detail
    counting: CountingOptions
    memory: str | int | None = None
    every: float = 0
    fresh: bool = False
    say: Callable[[str], None] = lambda sentence: None
    tell: Callable[[str], None] = lambda doing: None
    runs: list[Run] = field(default_factory=list)
    _room: float = float("inf")  # bytes that may be used, beyond those that the process takes already
    _identity: dict[str, Any] | None = None  # of a build that can be continued
    _written: TermStatistics = field(init=False)  # of all documents in runs, without terms
    _total: RunningSum = field(default_factory=RunningSum)  # of the others
    _held: int = 0  # bytes of it
    _hashes: array[int] | None = field(default_factory=partial(array, "Q"))  # of them, in order; None if too many
    # Ends of batches, in order; the first is at or before the end of what has been added up.
    _places: deque[Place] = field(default_factory=lambda: deque([Place()]))
    _begun: float = 0
    _due: float = float("inf")

    def __enter__(self) -> Self:
        """Prepare the folder. ValueError if the limit is too small, or if the folder has other files."""
        if self.memory is not None:
            self._room = room_within(self.memory)
        remove_leftovers(self.path)
        self.folder = companion(self.path.resolve(), ".scratch")
        remove_folder(self.folder)
        self._written = without_terms(self.detail, NONE, NONE)
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the folder; not the runs of a build that can be continued."""
        if self._identity is None:
            remove_folder(self.folder)
        with suppress(OSError):
            self.folder.rmdir()

    # Continuing a build

    def begin(self, corpus: TextSource) -> Place:
        """Where to start reading the corpus: after the documents that the runs contain.

        ValueError if the runs are of another build, or the folder is none: what may have taken hours is not removed
        without being asked. A symbolic link is a ValueError even with *fresh*: its target is neither read nor written.
        """
        files = corpus.fingerprint()
        if files is None:  # standard input can be read only once
            return Place()
        identity = {
            "corpus, or how it is read": files,
            "counting options": self.counting.to_json(),
            "detail": self.detail,
            "version of the software": [version("termburst"), unicodedata.unidata_version],  # tokens depend on these
        }
        folder = companion(self.path.resolve(), ".partial")  # hidden, so that it is not read as part of a corpus
        wrong = "is a symbolic link" if folder.is_symlink() else ""
        if folder.exists() and not wrong:
            wrong = "" if folder.is_dir() else "is not a folder"
            wrong = wrong or ("" if all(map(_is_own, folder.iterdir())) else "has other files")
        if wrong:
            raise ValueError(
                f"{folder}, the place for an unfinished build, {wrong}: remove it, or write to another place"
            )
        if self.fresh:
            remove_folder(folder)
        self.folder, self._identity = folder, json.loads(json.dumps(identity))  # as it will be read from a file
        start = self._resumed() if folder.exists() else Place()
        self._places = deque([start])
        self._begun = time.monotonic()
        self._due = self._begun + self.every if self.every > 0 else float("inf")
        return start

    def _resumed(self) -> Place:
        """Take the runs that are there; the place where they end."""
        place = Place()
        for path in sorted(self.folder.glob(f"*{RUN}")):
            try:
                run = Run(path)
                run.check()
                known = dict(run.header)
                place, texts = Place(**known.pop("place")), known.pop("texts")
                if texts is None:
                    self._hashes = None
                lengths, number = (np.array(known.pop(name), dtype=np.int64) for name in LENGTHS)
                self._note(run, lengths, number, np.frombuffer(bytes.fromhex(texts or ""), dtype="<u8"))
                if place.documents != self._documents or not all(
                    type(n) is int and n >= 0 for n in asdict(place).values()
                ):
                    raise ValueError("its position in the corpus does not match its statistics")
            except (ValueError, OSError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
                why = first_line(error).removeprefix(f"{path} ")
                raise ValueError(
                    f"{path} is not a build that can be resumed ({why}): give "
                    + named("fresh", True)
                    + " to replace it and count again, or write to another place"
                ) from error
            if known != self._identity:
                mine = self._identity or {}
                other = next((name for name in mine if known.get(name) != mine[name]), "header")
                raise ValueError(
                    f"{self.folder} contains documents of another build, which differs in the {other}: "
                    "give " + named("fresh", True) + " to count again, or write to another place"
                )
        if self.runs:
            self.say(f"resumed: skipped {place.documents:,} documents that were counted before")
        return place

    # Counting

    def count(self, batches: Iterable[Batch] | Iterable[list[Text]]) -> None:
        """Count the documents after those in runs. On Ctrl-C, what has been added up is written first."""
        room = None if self.memory is None else int(COUNTING * self._room)
        options: dict[str, Any] = {"first": self._documents, "pause": self._is_due, "room": room}
        try:
            for part in partial_statistics(self._texts(batches), self.detail, self.counting, **options):
                self._add(part)
                del part
                if self._is_due():
                    self._save()
        except (KeyboardInterrupt, SystemExit):
            if self.every > 0:
                self._save()
            raise

    @property
    def _documents(self) -> int:
        """The number of documents that have been added up."""
        return self._written.documents + self._total.documents

    def _is_due(self) -> bool:
        return time.monotonic() >= self._due

    def _texts(self, batches: Iterable[Any]) -> Iterator[list[Text]]:
        for batch in batches:
            texts = batch if isinstance(batch, list) else batch.texts
            if self._identity is not None:
                self._places.append(batch.place)
            if self._hashes is not None:
                self._hashes.extend(map(hash_of, texts))
                if len(self._hashes) + self._written.texts.size > MOST_HASHES:
                    self._hashes = None
            yield texts

    def _add(self, part: TermStatistics) -> None:
        """Add a part. If the sum would become too large, what is held is written first."""
        size, most = _memory(part), HOLDING * self._room
        if self._held and self._held + size > most:
            self._spill()
        self._total.add(part)
        self._held += size
        if self._held > most:
            del part
            self._spill()

    def _save(self) -> None:
        """Write what has been added up. If that cannot be, the build continues without it."""
        if self._identity is not None:
            try:
                self._spill()
            except ValueError as error:
                self.say(f"{first_line(error)}; the build continues, but cannot be resumed from here")
        now = time.monotonic()
        self._due = now + max(self.every, (now - self._begun) / SHARE)

    def _spill(self) -> None:
        """Write the sum of what is held as one run, and start a new sum."""
        total = self._total.value()
        if total is None:
            return
        self.tell("Spilling")
        documents = self._documents
        while len(self._places) > 1 and self._places[1].documents <= documents:
            self._places.popleft()
        texts = known_hashes(() if self._hashes is None else self._hashes[: total.documents])
        header = {
            **(self._identity or {}),
            "place": asdict(replace(self._places[0], documents=documents)),
            "texts": None if self._hashes is None else texts.astype("<u8").tobytes().hex(),
            **{name: getattr(total, name).tolist() for name in LENGTHS},
        }
        path = self.folder / f"{len(self.runs):06}{RUN}"
        with _on_disk(self.folder):
            self.folder.mkdir(mode=0o700, exist_ok=True)
            write_run(total, path, header)
            self._note(Run(path), total.lengths, total.length_documents, texts)
        self._total, self._held = RunningSum(), 0
        if self._hashes is not None:
            del self._hashes[: total.documents]
        self.tell("Reading")

    def _note(self, run: Run, lengths: Integers, length_documents: Integers, texts: Hashes) -> None:
        """Remember a run, and what is known of all documents in runs."""
        known = without_terms(self.detail, lengths, length_documents, texts=texts)
        self._written = added(self._written, known)
        self.runs.append(run)

    # The result

    def save(self, *, batch: str | None = None, min_count: int = 1) -> tuple[int, int]:
        """Write the file of all statistics; returns the numbers of documents and terms."""
        every = () if self._hashes is None else [*self._written.texts.tolist(), *self._hashes]
        known: dict[str, Any] = {"batches": checked_batch(batch), "texts": known_hashes(every)}
        if self.runs and self.memory is not None:
            self._spill()
            self.tell("Merging")
            size = self._join(replace(self._written, counting=self.counting, **known), min_count)
        else:
            total = self._total
            for run in self.runs:
                lengths = (np.array(run.header[name], dtype=np.int64) for name in LENGTHS)
                total.add(self._merged([run], "", None, without_terms(self.detail, *lengths)))
            whole = replace(counted(total.value(), min_count=min_count), **known)
            save_statistics(whole, self.path)
            size = whole.documents, whole.vocabulary_size
        remove_folder(self.folder)
        return size

    def _merged(self, runs: list[Run], low: str, high: str | None, whole: TermStatistics) -> TermStatistics:
        """The sum of runs over a range of terms; *whole* says what is known of all terms."""
        with _on_disk(self.folder):
            names, fields = merged_range(runs, low, high)
        return replace(whole, terms=np.array(names, dtype=object), counting=self.counting, **fields)

    def _join(self, whole: TermStatistics, min_count: int) -> tuple[int, int]:
        """Write the table of each range of terms to a file of its own, and join these."""
        parts: list[Path] = []
        terms = 0
        bounds = bounds_between(self.runs, MERGING * self._room)
        for low, high in zip(bounds, [*bounds[1:], None], strict=True):
            some = self._merged(self.runs, low, high, self._written)
            check_sound(some)
            table = frame_of(some.prune(min_count))
            del some
            if table.height:
                parts.append(self.folder / f"{len(parts):06}{RANGE}")
                terms += table.height
                with _on_disk(self.folder):
                    table.write_parquet(parts[-1], compression="lz4")
            del table  # before the next range is read
        if not parts:
            raise NothingToCountError(f"no term occurs {min_count:,} times or more")
        metadata = metadata_of(replace(whole, min_count=max(1, min_count)))
        with atomic_path(self.path) as temporary:
            joined = pl.scan_parquet(parts, glob=False)
            try:
                joined.sink_parquet(temporary, metadata=metadata, row_group_size=ROW_GROUP, engine="streaming")
            except pl.exceptions.PolarsError as error:
                raise ValueError(f"{self.path} cannot be written: {first_line(error)}") from error
            seal(temporary)
        return whole.documents, terms


def without_terms(detail: Detail, lengths: Integers, length_documents: Integers, **more: Any) -> TermStatistics:
    """What statistics say of a whole collection."""
    return TermStatistics(np.zeros(0, dtype=object), lengths, length_documents, NONE, NONE, detail, **more)


def _memory(part: TermStatistics) -> int:
    """Bytes of the arrays and names of statistics."""
    arrays = [getattr(part, name) for name in SUMS]
    if part.rows is not None:
        arrays += [part.rows.indptr, part.rows.count, part.rows.length, part.rows.documents]
    return NAME_BYTES * part.vocabulary_size + sum(array.nbytes for array in arrays if array is not None)


def remove_folder(folder: Path) -> None:
    """Remove the folder of a build, if there is one. Only files of this module are removed.

    ValueError if it contains other files, or is a symbolic link: then it is not a folder of termburst.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ValueError(f"{folder}, the place for temporary files, is not a folder; remove it, or write elsewhere")
    if not folder.exists():
        return
    for file in filter(_is_own, folder.iterdir()):
        with suppress(OSError):
            file.unlink()
    try:
        folder.rmdir()
    except OSError as error:
        raise ValueError(f"{folder}, the place for temporary files, cannot be removed ({error.strerror})") from error


def _is_own(file: Path) -> bool:
    """Whether a file in the folder of a build is of this module."""
    return file.suffix in (RUN, RANGE) or file.name.startswith(".termburst-")


@contextmanager
def _on_disk(folder: Path) -> Iterator[None]:
    """Errors of the disk become a ValueError that names the folder."""
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
