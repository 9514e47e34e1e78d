"""Documents that stay where they are: one pass after another through files or a data set, batch by batch."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from termburst.corpus.read_arguments import SAMPLE, ReadArguments
from termburst.counting.counted_corpus import texts_at
from termburst.counting.languages import guessed_language
from termburst.counting.options import CountingOptions, words_of
from termburst.counting.scripts import guess_language
from termburst.datasets import TextCollection
from termburst.display import did_you_mean
from termburst.messages import joined, named
from termburst.names import Layer
from termburst.reading import readers
from termburst.reading.conditions import quotes_advice
from termburst.reading.documents import Place, Text
from termburst.reading.faults import mixed_kinds
from termburst.reading.readers import Batch
from termburst.reading.report import ReadingReport
from termburst.statistics.term_statistics import NothingToCountError
from termburst.threads import check_given_up

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.steps import Step

Columns = tuple[str, ...] | Literal["all"]
Begin = Callable[[Any], Place]
_BEGINNING = Place()
_DOCUMENTS, _CHARACTERS = 500, 2**22  # a batch of documents at hand ends when it has so many


@dataclass
class Pass:
    """One reading of a source, from its beginning or from a later place.

    Attributes
    ----------
    name : the source as the user wrote it
    counting : how its texts are counted; the first ones say whether they are lists of tokens
    whole : whether it is read from the beginning
    sample : the first texts
    reports : a reading report for each source, complete after the last batch
    pieces, dropped : what the steps found: how many pieces there are, and which near-copies were left out
    source : the number of the source that is being read
    columns : names of metadata that documents have, also of those that are not wanted
    types : those of columns that steps have added
    """

    name: str
    counting: CountingOptions
    whole: bool
    sample: list[Text]
    reports: tuple[Any, ...] = ()
    pieces: int | None = None
    dropped: pl.DataFrame | None = None
    source: int = 0
    columns: set[str] = field(default_factory=set)
    types: dict[str, Any] = field(default_factory=dict)

    def with_language(self) -> Pass:
        """The same; if no language was given, the reports now say which one the first texts are in."""
        if self.counting.language is None and self.sample:
            with suppress(ImportError):  # of the lists of stop words
                guessed, left_out = guess_language(self.sample), self.counting.stop_words is not None
                for report in self.reports if guessed is not None else ():
                    report.language = None if guessed is None else guessed_language(guessed[0], stop_words=left_out)
            self.sample = []  # once is enough
        return self


@dataclass(frozen=True, eq=False)
class Stream:
    """Where documents come from, how they are counted, and what is done with them on the way.

    Attributes
    ----------
    sources : each has `name`, `size`, `report`, `batches(place)` and `with_columns`, as `open_corpus` gives them
    asked : the options of reading and counting
    steps : what is done with the documents, in order
    columns : the metadata that are wanted
    watch : what is told of each pass, so that people can see it: `reading(name, size)` is a context that gives a
        function of the bytes so far, and `finished(pass)` is called after a pass without an error
    prefixes : what stands before the ids of each source, if their files have the same names
    begun : "-" after the one pass through standard input; shared by all streams of these sources
    """

    sources: tuple[Any, ...]
    asked: ReadArguments
    steps: tuple[Step, ...] = ()
    columns: Columns = "all"
    watch: Any = None
    prefixes: tuple[str, ...] = ()
    begun: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        sources: Sequence[Any],
        asked: ReadArguments,
        *,
        columns: Columns = "all",
        inspect: bool = True,
        watch: Any = None,
    ) -> Stream:
        """The files of some paths, or a data set; FileNotFoundError if there are none.

        *inspect* says whether the report looks at documents.
        """
        tokens = asked.counting.pretokenized
        opened = tuple(
            HeldSource.of(one, asked.reading.id)
            if isinstance(one, TextCollection)
            else readers.open_corpus(one, asked.reading, pretokenized=tokens, columns="all", inspect=inspect)
            for one in sources
        )
        steps: tuple[Step, ...] = ()
        if asked.tokenizer is not None:
            from termburst.corpus.steps import tokenize

            steps = (tokenize(asked.tokenizer),)
        return cls(opened, asked, steps, columns, watch, _prefixes(sources, opened, asked))

    @property
    def name(self) -> str:
        """The source as the user wrote it."""
        return self.sources[0].name if len(self.sources) == 1 else f"{len(self.sources):,} files"

    @property
    def once(self) -> bool:
        """Whether there can be only one pass: through standard input."""
        return any(source.name == "-" and source.size is None for source in self.sources)

    def then(self, step: Step) -> Stream:
        """The same with one more step."""
        return replace(self, steps=(*self.steps, step))

    def with_layers(self, searched: Layer, shown: Layer) -> Stream:
        """The same documents as tokens of two layers side by side; ValueError for a data set."""
        if any(isinstance(source, HeldSource) for source in self.sources):
            both = joined([named("layer", bare=True), named("show", bare=True)], " and ")
            raise ValueError(f"{self.name} is a built-in data set of texts without annotation; omit " + both)
        return replace(self, sources=tuple(source.with_layers(searched, shown) for source in self.sources))

    @contextmanager
    def reading(
        self, start: tuple[int, Place] = (0, _BEGINNING), *, begin: Begin | None = None
    ) -> Iterator[tuple[Pass, Iterator[Batch]]]:
        """One pass, and the batches after all steps.

        Parameters
        ----------
        start : number of the source to start in, and the place in it
        begin : says where in the one source to start, if this pass continues an earlier one
        """
        self._check_once()
        whole = start == (0, _BEGINNING)
        sizes = [source.size for source in self.sources]
        size = None if None in sizes else sum(sizes)
        found = Pass(self.name, self.asked.counting, whole and begin is None, [])
        watch = self.watch if whole else None
        watched = nullcontext(lambda position: None) if watch is None else watch.reading(self.name, size)
        with watched as reached:
            wanted = [source.with_columns(self._wanted) for source in self.sources]
            batches = self._read(wanted, found, start, begin, reached)
            found.sample, batches = _peeked(batches)
            found.counting = self._settled(found.sample)
            if found.counting.layer is not None or not found.counting.pretokenized:
                batches = _of_one_kind(self.name, batches, annotated=found.counting.pretokenized)
            if self.columns not in ("all", ()):
                made = {name for step in self.steps for name in step.makes}
                batches = _known(batches, tuple(name for name in self.columns if name not in made), found)
            for step in self.steps:
                batches = step.of(_known(batches, step.needs, found, step.condition), found)
            try:
                yield found, batches
            except NothingToCountError as error:
                raise NothingToCountError(f"{self.name}: {error}") from error
        reports = [copy.copy(source.report) for source in self.sources]  # reading again begins them anew
        for report in reports:
            report.words, report.pieces = words_of(found.counting), found.pieces
        found.reports = tuple(reports)
        if watch is not None:
            watch.finished(found)

    @property
    def _wanted(self) -> Columns:
        """The columns that the source must give, for the metadata and for the steps."""
        if self.columns == "all":
            return "all"
        wanted = set(self.columns)
        for step in reversed(self.steps):
            wanted = (wanted - set(step.makes)) | set(step.needs)
        return tuple(sorted(wanted - {"id"}))

    def _check_once(self) -> None:
        """ValueError if standard input is needed a second time."""
        if "-" in self.begun:
            raise ValueError(
                "standard input can be read only once, and this needs its texts again; save them in a file first"
            )
        self.begun.extend("-" for _ in self.sources if self.once)

    def _read(
        self, sources: list[Any], found: Pass, start: tuple[int, Place], begin: Begin | None, reached: Any
    ) -> Iterator[Batch]:
        """The batches of all sources, as they are read."""
        first, place = start
        before = 0
        for number, source in enumerate(sources[first:], first):
            found.source = number
            at = begin(source) if begin is not None and hasattr(source, "fingerprint") else place
            with closing(source.batches(at)) as batches:
                for batch in batches:
                    check_given_up()
                    found.columns |= source.report.columns
                    first_part = self.prefixes[number] if self.prefixes else ""
                    yield replace(batch, ids=[first_part + name for name in batch.ids]) if first_part else batch
                    reached(before + batch.position)  # after it has been processed
            before, place = before + (source.size or 0), _BEGINNING

    def _settled(self, texts: list[Text]) -> CountingOptions:
        """How the texts are counted: those of annotated corpora are lists of tokens, in a layer."""
        counting, name = self.asked.counting, self.sources[0].name
        annotated = any(isinstance(text, list) for text in texts)
        if annotated and self.asked.tokenizer is not None:
            raise ValueError(f"{name} has tokens already; omit " + named("tokenizer"))
        if annotated and not counting.pretokenized:
            return replace(counting, pretokenized=True, layer=self.asked.reading.layer or "form")
        if not annotated and not getattr(self.sources[0], "looked_at", False):
            self.asked.warn_of_script(texts, f"{name}: ")
        return counting


@dataclass(frozen=True)
class HeldSource:
    """Documents that are at hand as a source: a data set, or those of a corpus.

    Attributes
    ----------
    ids, texts, columns : what is known of them; texts may be read when they are needed
    looked_at : whether somebody has looked at the script of the texts before
    """

    name: str
    ids: Sequence[str]
    texts: Sequence[Text]
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    looked_at: bool = False
    report: ReadingReport = field(default_factory=lambda: ReadingReport(""))

    @classmethod
    def of(cls, collection: TextCollection, id: str | None) -> HeldSource:
        """A data set, with its own ids or the values of the column *id*; ValueError if there is no such column."""
        columns = collection.columns()
        if id is not None and id not in columns:
            known = f"it has {', '.join(columns)}" if columns else "it has none"
            raise ValueError(f"{collection.name} has no column {id!r:.60}; {known}")
        ids = collection.ids if id is None else [str(value) for value in columns[id]]
        return cls(collection.name, ids, collection.texts, columns)

    @property
    def size(self) -> int:
        """The number of documents: a bar counts them."""
        return len(self.ids)

    def with_columns(self, columns: Columns) -> HeldSource:
        """Itself: it has few columns."""
        return self

    def batches(self, start: Place = _BEGINNING) -> Iterator[Batch]:
        """The documents, some at a time, so that a bar moves and texts that are read do not fill the memory."""
        self.report.restart()
        self.report.source, self.report.documents = self.name, self.size
        self.report.columns.update(self.columns)
        texts: list[Text] = []
        number, held, first = start.files, 0, start.documents
        for end, text in enumerate(texts_at(self.texts, range(first, self.size)), first + 1):
            texts.append(text)
            held += len(text)
            if len(texts) == _DOCUMENTS or held > _CHARACTERS or end == self.size:
                rows = zip(*(column[first:end] for column in self.columns.values()), strict=True)
                known: list[Any] | None = [dict(zip(self.columns, row, strict=True)) for row in rows] or None
                number += 1  # the place counts batches as it counts files
                yield Batch(list(self.ids[first:end]), texts, end, Place(end, number, end), known)
                texts, held, first = [], 0, end


def _prefixes(sources: Sequence[Any], opened: tuple[Any, ...], asked: ReadArguments) -> tuple[str, ...]:
    """What tells the ids of one source from those of others, such as a/x.txt and b/x.txt; nothing if names differ."""
    if asked.reading.id is not None or len(opened) == 1:
        return ("",) * len(opened)
    labels = [set(source.labels) for source in opened]
    same = sum(map(len, labels)) > len(set().union(*labels))
    return tuple(_folder(source) if same else "" for source in sources)


def _folder(source: str | os.PathLike[str]) -> str:
    """The folder that tells the ids of one source from those of others, as the user wrote it.

    Examples
    --------
    >>> _folder("a/x.txt"), _folder("x.txt")
    ('a/', '')
    """
    path = Path(source)
    folder = (path if path.is_dir() else path.parent).as_posix()
    return "" if folder == "." else f"{folder.rstrip('/')}/"


def _peeked(batches: Iterator[Batch]) -> tuple[list[Text], Iterator[Batch]]:
    """The first texts, and all batches."""
    head = []
    for batch in batches:
        head.append(batch)
        if batch.texts:
            break
    return (head[-1].texts[:SAMPLE] if head else []), chain(head, batches)


def _of_one_kind(name: str, batches: Iterator[Batch], *, annotated: bool) -> Iterator[Batch]:
    """The same batches. ValueError if some documents are token lists and others are texts.

    *annotated* says of which kind they must be.
    """
    right = wrong = ""  # the first documents of each kind
    for batch in batches:
        for document, text in zip(batch.ids, batch.texts, strict=True):
            if isinstance(text, list) is annotated:
                right = right or document
            elif text:
                wrong = wrong or document
        if wrong:
            raise mixed_kinds(name, *((right, wrong) if annotated else (wrong, right)))
        yield batch


def _known(batches: Iterator[Batch], names: tuple[str, ...], found: Pass, condition: Any = None) -> Iterator[Batch]:
    """The same batches. ValueError if no document has one of the columns: a misspelt one must not give empty values.

    If all documents of the first batch have the same columns, as in a table, a missing one is an error at once;
    otherwise, such as for files with different headers, when all batches have been read.
    """
    missing, there = set(names) - {"id"}, False
    for batch in batches:
        kinds = {tuple(row) for row in batch.metadata or ({},)} if missing and batch.ids else set()
        missing -= {name for kind in kinds for name in kind}
        if missing and len(kinds) == 1 and not there:
            raise _no_document_has(missing, found, condition)
        there = there or bool(batch.ids)
        yield batch
    if missing and there and found.whole:
        raise _no_document_has(missing, found, condition)


def _no_document_has(missing: set[str], found: Pass, condition: Any) -> ValueError:
    known = {name for name in found.columns if name}
    there = f"; columns here: {', '.join(sorted(known))}" if known else ""
    inside = " (of files in folders inside the one that you give)" if "folder" in missing else ""
    hint = f"a column of the table, file, folder{inside}, or a group of " + named("name_pattern")
    names = ", ".join(repr(name) for name in sorted(missing))
    near = did_you_mean(min(missing), known) or quotes_advice(
        condition if isinstance(condition, str) else "", min(missing)
    )
    return ValueError(f"no document has the column {names:.200} (" + hint + f"){there:.200}{near}")
