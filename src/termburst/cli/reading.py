"""How a command reads and counts a corpus, with the options that were given."""

from __future__ import annotations

import functools
import inspect
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from termburst.cli.batches import (
    CorpusRead,
    collection_batches,
    cut,
    of_one_kind,
    peeked,
    print_report,
    warn_of_unsegmented,
    without_duplicates,
)
from termburst.cli.conditions import Known, about, columns_of, meeting, with_columns_of
from termburst.cli.output import progress_bar
from termburst.cli.text_options import TextOptions
from termburst.reading.conditions import is_condition, where_expression

if TYPE_CHECKING:
    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.counting.options import CountingOptions
    from termburst.names import Detail
    from termburst.reading.documents import Text
    from termburst.reading.readers import Batch, Corpus, Place
    from termburst.reading.report import ReadingReport
    from termburst.statistics.checkpoint import Checkpoint
    from termburst.statistics.term_statistics import TermStatistics

FILE_COLUMNS = ("file", "folder")  # what is known of every file


class Reading(TextOptions):
    """How to read and count a corpus, as given on the command line."""

    def renamed(self, column: str) -> Reading:
        """The same options, but a document's id is read from the *column* that --by names.

        That is a column of a table; or "file", "folder" or a group of --name-pattern, which files have. If --by is a
        condition, the id says whether the document meets it.
        """
        if is_condition(column):
            where_expression(column, "--by")
            by_condition = _ByCondition(**vars(self))
            object.__setattr__(by_condition, "condition", column)
            return by_condition
        from termburst.reading.file_metadata import named_groups_of

        if column in FILE_COLUMNS or column in named_groups_of(self.name_pattern):
            by_file = _ByFile(**vars(self))
            object.__setattr__(by_file, "column", column)
            return by_file
        return _ByColumn(**{**vars(self), "id": column})

    def with_columns(self, columns: tuple[str, ...] | Literal["all"]) -> Reading:
        """The same options; batches then have these columns, or all, as metadata."""
        if not columns:
            return self
        more = _WithColumns(**vars(self))
        object.__setattr__(more, "columns", columns)
        return more

    def _named(self, batches: Iterator[Batch], _report: ReadingReport) -> Iterator[Batch]:
        """The batches, with other ids if the documents are to be named by something else."""
        return batches

    def statistics(
        self,
        corpus: str,
        detail: Detail = "moments",
        *,
        counting: CountingOptions | None = None,
    ) -> TermStatistics:
        """The statistics of a corpus; if *corpus* is a file of saved statistics or a ledger, these."""
        from termburst.cli.saved import is_saved, load_saved
        from termburst.names import DETAILS
        from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

        if counting is None and is_saved(corpus):
            self._refuse_columns(f"{corpus} contains statistics")
            known = load_saved(corpus)
            self.counting_like(known, corpus)
            if DETAILS.index(known.detail) < DETAILS.index(detail):
                raise ValueError(
                    f"{corpus} was built with --detail {known.detail}, but this question needs {detail}; "
                    f"count the texts again: stats build CORPUS -o {corpus} --detail {detail}"
                )
            return known
        counting = counting or self.counting()
        with self.batches(corpus, counting) as read:
            texts = (batch.texts for batch in read.batches)
            try:
                return TermStatistics.from_batches(texts, detail, counting=read.counting)
            except NothingToCountError as error:
                raise ValueError(f"{corpus}: {error}") from error

    def resumable_statistics(
        self, corpus: str, checkpoint: Checkpoint, *, batch: str | None = None, min_count: int = 1
    ) -> TermStatistics:
        """The statistics of a corpus, continued from a *checkpoint*."""
        from termburst.statistics.term_statistics import NothingToCountError

        if self.drop_duplicates:
            raise ValueError("--drop-duplicates needs all texts at once, so it cannot resume; omit one of the two")
        # A checkpoint counts documents: neither their pieces, nor those that --where leaves out.
        begin = checkpoint.begin if self.split is None and self.where is None else None
        with self.batches(corpus, checkpoint.counting, begin=begin) as read:
            checkpoint.counting = read.counting
            try:
                return checkpoint.count(read.batches, batch=batch, min_count=min_count)
            except NothingToCountError as error:
                raise ValueError(f"{corpus}: {error}") from error

    def bounded_statistics(
        self, corpus: str, output: Path, detail: Detail, memory: str, *, batch: str | None = None, min_count: int = 1
    ) -> tuple[int, int]:
        """Write the statistics of a corpus within a limit of *memory*; returns the numbers of documents and terms."""
        from termburst.statistics.out_of_core import OutOfCore, room_within, scratch_of
        from termburst.statistics.term_statistics import NothingToCountError

        if self.drop_duplicates:
            raise ValueError("--drop-duplicates needs all texts at once, so memory has no limit; omit one of the two")
        with scratch_of(output) as scratch, self.batches(corpus, self.counting()) as read:
            build = OutOfCore(scratch, room_within(memory), detail, read.counting, read.tell)
            try:
                content = build.count(one.texts for one in read.batches)
                return build.save(output, content=content, batch=batch, min_count=min_count)
            except NothingToCountError as error:
                raise ValueError(f"{corpus}: {error}") from error

    def counted_corpus(
        self, corpus: str, *, counting: CountingOptions | None = None, keep_texts: bool = True
    ) -> CountedCorpus:
        """A corpus with its ids, counts and texts, all in memory; without *keep_texts* the texts are dropped."""
        from termburst.counting.counted_corpus import CountedCorpus

        ids: list[str] = []
        texts: list[Text] = []
        counting = counting or self.counting()
        with self.batches(corpus, counting) as read:
            if keep_texts:
                for batch in read.batches:
                    ids.extend(batch.ids)
                    texts.extend(batch.texts)
            else:
                pairs = (pair for batch in read.batches for pair in zip(batch.ids, batch.texts, strict=True))
                found = CountedCorpus.from_stream(pairs, counting=read.counting)
        if keep_texts:
            with working(f"Counting {corpus}"):
                found = CountedCorpus.from_texts(texts, ids, counting=read.counting)
        if not found.counts.nnz:
            raise no_terms(corpus)
        return replace(found, reading=read.report)

    def _refuse_columns(self, why: str) -> None:
        named = (("text", self.text), (self.id_option, self.id), ("where", self.where))
        given = [f"--{name}" for name, column in named if column is not None]
        if given:
            raise ValueError(f"{why}, which have no columns; omit {' and '.join(given)}")

    @contextmanager
    def batches(
        self,
        corpus: str,
        counting: CountingOptions,
        *,
        begin: Callable[[Corpus], Place] | None = None,
        bar: bool = True,
    ) -> Iterator[CorpusRead]:
        """The corpus in batches, with a progress *bar* on a terminal; *begin* says where in the files to start.

        Then the reading report is printed.
        """
        from termburst.counting.words_of import words_of
        from termburst.datasets import BUILT_IN
        from termburst.reading.readers import ReadingReport, open_corpus

        if hasattr(signal, "siginterrupt"):  # Polars lets a read continue after Ctrl-C and wait for more input
            signal.siginterrupt(signal.SIGINT, True)
        with progress_bar(when=bar) as progress:
            task = progress.add_task(f"Reading {corpus}", total=None)
            if corpus in BUILT_IN and not Path(corpus).exists():
                if self.text is not None:
                    raise ValueError(f"{corpus} is a built-in data set, whose text has no column; omit --text")
                if self.layer is not None:
                    options = "--layer and --show" if self.shows_another else "--layer"
                    raise ValueError(f"{corpus} is a built-in data set of texts without annotation; omit {options}")
                collection = BUILT_IN[corpus]()
                size: int | None = len(collection)
                report = ReadingReport(corpus)
                report.documents = len(collection)
                found = self._named(collection_batches(collection, self.id), report)
            else:
                how = self._how_files_are_read() | ({"layer": counting.layer} if counting.layer else {})
                how = with_columns_of(self.where, how)
                opened = open_corpus(corpus, pretokenized=counting.pretokenized, **how)
                size, report = opened.size, opened.report
                found = self._named(opened.batches(begin(opened)) if begin else opened.batches(), report)
            texts, found = peeked(found)
            if any(isinstance(text, list) for text in texts) and not counting.pretokenized:  # an annotated corpus
                counting = replace(counting, pretokenized=True, layer=(self.layer or "form").partition(">")[0])
            elif not counting.pretokenized:
                warn_of_unsegmented(corpus, texts, counting.language)
            if counting.layer is not None or not counting.pretokenized:
                found = of_one_kind(corpus, found, annotated=counting.pretokenized)

            def shown() -> Iterator[Batch]:
                for batch in found:
                    yield batch
                    progress.update(task, total=size, completed=batch.position)  # after the batch has been processed

            report.words = words_of(counting)
            batches = shown()
            if self.where is not None:
                batches = meeting(corpus, batches, self.where)
            if self.drop_duplicates:
                batches = without_duplicates(corpus, batches)
            if self.split is not None:
                batches = cut(batches, self.split, counting, report, numbered=not self.labels)
            yield CorpusRead(
                batches, counting, report, lambda doing: progress.update(task, description=f"{doing} {corpus}")
            )
        left_out = self.stop_words is not None
        print_report(report, texts, language=self.language, stop_words=left_out, whole=self.notes)


class _ByColumn(Reading):
    """The options of `keyness --by`: a document's id is the name of its group."""

    id_option = "by"
    labels = True


class _WithColumns(Reading):
    """Options that also ask for columns, or for what the name of a file says."""

    columns: ClassVar[tuple[str, ...] | str] = ()

    def _how_files_are_read(self) -> dict[str, Any]:
        return {**super()._how_files_are_read(), "columns": self.columns}


class _ByFile(Reading):
    """The options of `keyness --by folder`: the group of a document is what its file's name says."""

    column = ""
    labels = True

    def _how_files_are_read(self) -> dict[str, Any]:
        return {**super()._how_files_are_read(), "columns": (self.column,)}

    def _named(self, batches: Iterator[Batch], report: ReadingReport) -> Iterator[Batch]:
        for batch in batches:
            known = [row.get(self.column) for row in batch.metadata or [{}] * len(batch.ids)]
            yield _labelled(batch, ["" if value is None else str(value) for value in known], report)


class _ByCondition(Reading):
    """The options of `keyness --by 'year >= 1945'`: the group of a document says whether it meets the condition."""

    condition = ""
    labels = True

    def _how_files_are_read(self) -> dict[str, Any]:
        return with_columns_of(self.condition, super()._how_files_are_read())

    def _named(self, batches: Iterator[Batch], report: ReadingReport) -> Iterator[Batch]:
        from termburst.corpus.condition_groups import side_of_each

        names = columns_of(self.condition)
        known = Known(names)
        for batch in known.seen(batches):
            yield _labelled(batch, side_of_each(about(batch, names), self.condition, "--by"), report)
        known.check()


def _labelled(batch: Batch, labels: list[str], report: ReadingReport) -> Batch:
    """The batch with the labels of groups as ids; the report gets the names of documents that have none."""
    for name, label in zip(batch.ids, labels, strict=True):
        if not label.strip():
            report.add_unlabelled(name, ())
    return replace(batch, ids=labels)


def no_terms(corpus: str) -> ValueError:
    """There is nothing to count in any document."""
    return ValueError(
        f"{corpus}: no document contains a term; check that the documents are not empty or only stop words"
    )


def reads_text(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Reading`; it receives them in its argument *reading*."""
    own = [p for name, p in inspect.signature(command, eval_str=True).parameters.items() if name != "reading"]
    hints = inspect.get_annotations(TextOptions, eval_str=True)
    shared = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(TextOptions)
    ]

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        from termburst.counting.pattern_clock import pattern_limit

        reading = Reading(**{f.name: given.pop(f.name) for f in fields(TextOptions)})
        with pattern_limit(reading.pattern_seconds):
            command(**given, reading=reading)

    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    del wrapper.__wrapped__  # otherwise typer would look at the signature of the command itself
    wrapper.__signature__ = inspect.Signature([*keyword_only, *shared])  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in (*keyword_only, *shared)}
    return wrapper


@contextmanager
def working(what: str, *, when: bool = True) -> Iterator[Callable[[str], None]]:
    """A moving bar with the text *what*, on a terminal, for work whose progress is not known.

    It gives a function that changes the text.
    """
    with progress_bar() as bar:
        task = bar.add_task(what, total=None) if when else None

        def go_on(what: str) -> None:
            if task is not None:
                bar.update(task, description=what)

        yield go_on


def warn_of_one_document(corpus: str, documents: int) -> None:
    """Warn if there is only one document: burstiness compares documents."""
    if documents == 1:
        warnings.warn(
            f"{corpus} is a single document, but burstiness shows only between documents; --lines makes each line a "
            "document, --split 1000 makes pieces of 1,000 tokens",
            stacklevel=2,
        )
