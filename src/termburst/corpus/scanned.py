"""The documents of a corpus that is scanned: they are read batch by batch when a question is asked."""

from __future__ import annotations

import warnings
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.corpus import metadata
from termburst.corpus.documents import Documents, InOrder, Numbers
from termburst.corpus.steps import DROP
from termburst.corpus.stream import Pass, Stream
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.reading.documents import Place, Text
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.term_statistics import TermStatistics, from_canonical

if TYPE_CHECKING:
    import polars as pl

    from termburst.reading.readers import Batch


@dataclass(frozen=True, eq=False)
class Held:
    """What is kept after a pass: the documents and what is known of them, and the pass itself."""

    documents: Documents
    records: list[Any]
    reading: Pass

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The metadata. The ids of parents are text, also if they look like numbers."""
        as_text = ("parent",) if self.reading.pieces is not None else ()
        types = self.reading.types
        frame = metadata.of_documents(self.documents.ids, self.records, as_text=(*as_text, *types))
        return frame.with_columns(frame[name].cast(types[name]) for name in types if name in frame.columns)


@dataclass(frozen=True, eq=False)
class Scanned(InOrder):
    """Documents in a stream. What was learned in a pass is kept: statistics, or counts; texts are not.

    Its attributes are those of `Documents`, and each makes the pass that it needs when it is first used.
    """

    stream: Stream
    _last: list[Pass] = field(default_factory=list, repr=False)

    @cached_property
    def statistics(self) -> TermStatistics:
        """The statistics with detail="patterns", in one pass: memory follows the vocabulary and the batch."""
        if "held" in vars(self):
            counted = self.held.documents.counted
            return from_canonical(canonical_counts(counted), counted.terms, "patterns", counting=counted.counting)
        with self.stream.reading() as (found, batches):
            texts = (batch.texts for batch in batches)
            made = TermStatistics.from_batches(texts, "patterns", counting=found.counting)
        self.note(found)
        return made

    @cached_property
    def held(self) -> Held:
        """The counts by document, the ids and the metadata, in one pass; texts are read again when they are needed."""
        ends: list[_End] = []
        sizes = array("q")

        def texts() -> Iterator[Text]:
            for batch in batches:
                sizes.extend(map(len, batch.texts))
                if batch.ids:
                    ends.append(_End(len(ids), found.source, batch.place))
                yield from batch.texts

        with self._noting() as (found, batches, ids, records):
            counts, terms = found.counting.count(texts())
        again = ScannedTexts(self.stream, ids, sizes, ends, np.arange(len(ids)))
        given = CountedCorpus(counts, terms, ids, found.counting, again)
        return Held(Documents(ids, found.counting, again, given), records, found)

    @cached_property
    def in_memory(self) -> Held:
        """The documents with their texts, in one pass."""
        with self._noting() as (found, batches, ids, records):
            texts = [text for batch in batches for text in batch.texts]
        return Held(Documents(ids, found.counting, texts), records, found)

    @contextmanager
    def _noting(self) -> Iterator[tuple[Pass, Iterator[Batch], list[str], list[Any]]]:
        """A pass and its batches, and two lists to which ids and metadata are added; ValueError without documents."""
        ids: list[str] = []
        records: list[Any] = []

        def noted(batches: Iterator[Batch]) -> Iterator[Batch]:
            for batch in batches:
                ids.extend(batch.ids)
                records.extend(batch.metadata or ())
                yield batch

        with self.stream.reading() as (found, batches):
            yield found, noted(batches), ids, records
        if not ids:
            raise ValueError(f"{self.stream.name}: there are no documents to read")
        self.note(found)

    def note(self, reading: Pass) -> None:
        """Keep what a pass finds."""
        self._last[:] = [reading]

    @property
    def last(self) -> Pass | None:
        """The last pass; None before the first question."""
        return self._last[0] if self._last else None

    @property
    def ids(self) -> list[str]:
        """The ids."""
        return self.held.documents.ids

    @property
    def counting(self) -> CountingOptions:
        """How words are found and counted: the first texts say whether they are those of an annotated corpus."""
        return self._settled if self.last is None else self.last.counting

    @cached_property
    def _settled(self) -> CountingOptions:
        asked = self.stream.asked.counting
        if asked.pretokenized or self.stream.once:
            return asked
        with warnings.catch_warnings(action="ignore"), replace(self.stream, watch=None).reading() as (found, _):
            return found.counting

    @property
    def texts(self) -> Sequence[Text]:
        """The texts, read in one pass each time one goes through them."""
        return self.held.documents.texts or () if "held" in vars(self) else StreamedTexts(self)

    @property
    def counted(self) -> CountedCorpus:
        """The counts, documents × terms."""
        return self.held.documents.counted

    @property
    def is_counted(self) -> bool:
        """Whether the counts by document are known already."""
        return "held" in vars(self)

    @property
    def size(self) -> int:
        """The number of documents."""
        return len(self.ids) if self.is_counted else self.statistics.documents


@dataclass(frozen=True, slots=True)
class _End:
    """Where a batch ended: how many documents there are up to it, and the place in the source."""

    documents: int
    source: int
    place: Place


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StreamedTexts(Sequence[Text]):
    """The texts of a corpus that is scanned, one by one; a place among them needs the ids, and so a pass before."""

    scanned: Scanned

    def __len__(self) -> int:
        """How many texts, in a pass of its own; TypeError for standard input, so that ``list`` makes only one pass."""
        if self.scanned.stream.once and not {"held", "statistics"} & set(vars(self.scanned)):
            raise TypeError("the lines of standard input are not counted yet")
        return self.scanned.size

    def __iter__(self) -> Iterator[Text]:
        """All texts, in one pass."""
        with self.scanned.stream.reading() as (found, batches):
            self.scanned.note(found)
            for batch in batches:
                yield from batch.texts

    def __getitem__(self, number: Any) -> Any:
        """One text, or a list of those in a slice."""
        return self._held[number]

    def at(self, numbers: Iterable[int]) -> Iterator[Text]:
        """The texts with these numbers, which must ascend."""
        return self._held.at(numbers)

    def rows(self, numbers: Numbers) -> Sequence[Text]:
        """The same texts, but only those with these numbers, which must ascend."""
        return self._held.rows(numbers)

    @property
    def _held(self) -> ScannedTexts:
        texts: Any = self.scanned.held.documents.texts
        return texts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedTexts(Sequence[Text]):
    """The texts of a stream that was read before, or some of them.

    Attributes
    ----------
    stream : where they are
    ids, sizes : of all documents, as they were: ids, and the characters (or tokens) of their texts
    ends : where batches ended, so that files before a document need not be opened
    numbers : which of all documents these are; ascending
    """

    stream: Stream
    ids: list[str]
    sizes: array[int] | None
    ends: list[_End]
    numbers: Numbers

    def __len__(self) -> int:
        """How many texts."""
        return self.numbers.size

    def __iter__(self) -> Iterator[Text]:
        """All texts, in one pass."""
        return self.at(range(len(self)))

    def __getitem__(self, number: Any) -> Any:
        """One text, or a list of those in a slice."""
        if not isinstance(number, slice):
            return next(self.at([range(len(self))[number]]))
        asked = range(len(self))[number]
        found = list(self.at(sorted(asked)))
        return found if asked.step > 0 else found[::-1]

    def __repr__(self) -> str:
        """How many there are; the texts themselves may be long."""
        return f"<{len(self):,} texts, read when needed>"

    def at(self, numbers: Iterable[int]) -> Iterator[Text]:
        """The texts with these ascending numbers; ValueError if the files have changed since they were first read."""
        wanted = self.numbers[np.fromiter(numbers, dtype=np.intp)].tolist()
        stream, done = replace(self.stream, watch=None), 0
        while done < len(wanted):
            before = self._before(wanted[done])
            number = before.documents
            with stream.reading((before.source, before.place)) as (found, batches):
                for batch in batches:
                    while done < len(wanted) and wanted[done] < number + len(batch.ids):
                        text = batch.texts[wanted[done] - number]
                        self._check(wanted[done], batch.ids[wanted[done] - number], len(text))
                        yield text
                        done += 1
                    number += len(batch.ids)
                    if done == len(wanted) or self._is_far(wanted[done], found.source, batch.place):
                        break
                else:
                    if done < len(wanted):
                        self._check(wanted[done], None, 0)

    def rows(self, numbers: Numbers) -> ScannedTexts:
        """The same texts, but only those with these numbers, which must ascend."""
        return replace(self, numbers=self.numbers[numbers])

    def _before(self, number: int) -> _End:
        """The last known place at or before a document; the beginning, if what is left out depends on all documents."""
        known = bisect_right(self.ends, number, key=lambda end: end.documents)
        if not known or any(step.option == DROP for step in self.stream.steps):
            return _End(0, 0, Place())
        return self.ends[known - 1]

    def _is_far(self, number: int, source: int, place: Place) -> bool:
        """Whether whole files can be left out before a document."""
        before = self._before(number)
        return (before.source, before.place.files) > (source, place.files + 1)

    def _check(self, number: int, found: str | None, size: int) -> None:
        is_other = self.ids[number] != found
        if is_other or (self.sizes is not None and size != self.sizes[number]):
            changed = f"was {self.ids[number]!r:.60}" if is_other else f"({found!r:.60}) had another text"
            was = f"document {number + 1:,} {changed}"
            raise ValueError(f"{self.stream.name} has changed since it was read: {was}; read it again with tb.read")


def with_layers(texts: Sequence[Text], searched: Any, shown: Any) -> Sequence[Text]:
    """The same documents as tokens of two layers side by side; ValueError if they do not come from annotated files."""
    stream = texts.scanned.stream if isinstance(texts, StreamedTexts) else getattr(texts, "stream", None)
    if stream is None or any("piece" in step.makes for step in stream.steps):
        raise ValueError(
            "layer and show read an annotated corpus again, so they need files (CoNLL-U, vertical, TEI with <w>) "
            "that tb.read or tb.scan has read, and whole documents; omit them"
        )
    layered = stream.with_layers(searched, shown)
    return (
        replace(texts, stream=layered, sizes=None)
        if isinstance(texts, ScannedTexts)
        else StreamedTexts(Scanned(layered))
    )
