"""Build statistics of a large corpus so that an interruption costs little: partial counts are saved to a file."""

from __future__ import annotations

import json
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst.files import first_line, remove_leftovers
from termburst.messages import named
from termburst.names import Detail
from termburst.reading.documents import Place, Text
from termburst.statistics.contents import Content, RunningContent
from termburst.statistics.store import load_unfinished, save_statistics
from termburst.statistics.streaming import RunningSum
from termburst.statistics.term_statistics import TermStatistics, counted, partial_statistics

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.reading.readers import Batch, TextSource

SHARE = 4  # counting takes at least this many times as long as saving


@dataclass
class Checkpoint:
    """A file with what a build has counted so far, and a description of the build.

    `begin` says where to start reading, `count` counts from there and saves now and then, and `finish` removes the file
    once the result is written. The file always contains the sum over the first k documents, so that each document
    is counted once, even if the process is killed.

    Parameters
    ----------
    path : path of the file, which need not exist yet
    detail, counting : what is counted, and how
    every : seconds between two saves; 0 for no saving. If saving takes long, it is done less often.
    fresh : remove an existing file and start again
    say : called with each message, one sentence at a time
    """

    path: Path
    detail: Detail
    counting: CountingOptions
    every: float = 30.0
    fresh: bool = False
    say: Callable[[str], None] = lambda sentence: None
    _total: RunningSum = field(default_factory=RunningSum, repr=False)
    _content: RunningContent | None = field(default_factory=RunningContent, repr=False)  # None if not known
    _identity: dict[str, Any] | None = field(default=None, repr=False)
    # Ends of batches, in order; the first is at or before the end of what has been added up.
    _places: deque[Place] = field(default_factory=deque, repr=False)
    _saved: int = field(default=0, repr=False)  # documents in the file
    _due: float = field(default=float("inf"), repr=False)

    def begin(self, corpus: TextSource) -> Place:
        """Where to start reading the corpus: after the documents that the file contains.

        ValueError if the file is from another build, or from none: a file that may have taken hours is not overwritten
        without being asked. A symbolic link is a ValueError even with *fresh*: its target is neither read nor written.
        """
        files = corpus.fingerprint()
        if files is None:  # standard input can be read only once
            return Place()
        identity = {
            "corpus": files,
            "counting": self.counting.to_json(),
            "detail": self.detail,
            "software": [version("termburst"), unicodedata.unidata_version],  # tokens depend on these, too
        }
        self._identity = json.loads(json.dumps(identity))  # as it will be read from the file
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            kind = "a symbolic link" if self.path.is_symlink() else "not a file"
            raise ValueError(
                f"{self.path}, the place for an unfinished build, is {kind}: remove it, or write to another place"
            )
        remove_leftovers(self.path)
        if self.fresh:
            self.path.unlink(missing_ok=True)
        start = self._resumed() if self.path.exists() else Place()
        self._places.append(start)
        self._due = time.monotonic() + self.every if self.every > 0 else float("inf")
        return start

    def count(self, batches: Iterable[Batch], *, batch: str | None = None, min_count: int = 1) -> TermStatistics:
        """The statistics of all documents, including those before the place where *batches* begin.

        On `KeyboardInterrupt` or `SystemExit`, what has been added up is saved first.
        """
        parts = partial_statistics(
            self._texts(batches), self.detail, self.counting, first=self._total.documents, pause=self._is_due
        )
        try:
            for part in parts:
                self._total.add(part)
                if self._is_due():
                    self._save()
            whole = counted(self._total.value(), batch, min_count)
            return replace(whole, contents=tuple(replace(one, batch=batch) for one in self._contents(whole.documents)))
        except (KeyboardInterrupt, SystemExit):
            if self.every > 0:
                self._save()
            raise

    def finish(self) -> None:
        """Remove the file, once the result has been written."""
        if self._identity is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _is_due(self) -> bool:
        return time.monotonic() >= self._due

    def _texts(self, batches: Iterable[Batch]) -> Iterator[list[Text]]:
        for batch in batches:
            if self._identity is not None and self.every > 0:
                self._places.append(batch.place)
            if self._content is not None:
                self._content.see(batch.texts)
            yield batch.texts

    def _contents(self, documents: int) -> tuple[Content, ...]:
        """The digest of the first *documents*; nothing if a part of them was counted without one."""
        return () if self._content is None else (self._content.value(documents),)

    def _resumed(self) -> Place:
        try:
            statistics, known = load_unfinished(self.path, TermStatistics)
            place = _place(known, statistics)
        except (ValueError, OSError, KeyError, TypeError, AttributeError) as error:
            why = first_line(error).removeprefix(f"{self.path} ")
            raise ValueError(
                f"{self.path} is not a build that can be resumed ({why}): give "
                + named("fresh", True)
                + " to replace it and count again, or write to another place"
            ) from error
        if self._identity is None or known != self._identity:
            raise ValueError(
                f"{self.path} contains {place.documents:,} documents of another build ({self._difference(known)}): "
                "give " + named("fresh", True) + " to count again, or write to another place"
            )
        contents = statistics.contents
        fits = [content.documents for content in contents] == [place.documents]
        self._content = RunningContent(contents[0]) if fits else None
        self._total.add(replace(statistics, contents=()))
        self._saved = place.documents
        self.say(f"resumed: skipped {place.documents:,} documents that were counted before")
        return place

    def _difference(self, known: dict[str, Any]) -> str:
        said = {
            "corpus": "the corpus, or how it is read, has changed",
            "counting": "the counting options differ",
            "detail": "the detail differs",
        }
        mine = self._identity or {}
        return next(
            (text for key, text in said.items() if known.get(key) != mine.get(key)), "another version of the software"
        )

    def _save(self) -> None:
        """Save what has been added up. If the file cannot be written, the build continues without it."""
        documents = self._total.documents
        if self._identity is None or documents <= self._saved:
            self._due = time.monotonic() + self.every
            return
        began = time.monotonic()
        total = self._total.value()
        if total is not None and total.tokens:  # without tokens there is nothing to save, and no file format for it
            while len(self._places) > 1 and self._places[1].documents <= documents:
                self._places.popleft()
            place = Place(documents, self._places[0].files, self._places[0].before)
            try:
                kept = replace(total.prune(), contents=self._contents(documents))
                save_statistics(kept, self.path, unfinished=self._identity | {"place": asdict(place)})
                self._saved = documents
            except ValueError as error:
                self.say(f"{first_line(error)}; the build continues, but cannot be resumed from here")
        now = time.monotonic()
        self._due = now + max(self.every, SHARE * (now - began))


def _place(known: dict[str, Any], statistics: TermStatistics) -> Place:
    """Remove the place in the corpus from what is *known* of a build, and check that it matches the statistics."""
    place = Place(**known.pop("place"))
    if place.documents != statistics.documents or not all(type(n) is int and n >= 0 for n in asdict(place).values()):
        raise ValueError("its position in the corpus does not match its statistics")
    return place
