"""How a command reads and counts a corpus, with the options that were given."""

from __future__ import annotations

import functools
import signal
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

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
from termburst.cli.conditions import Known, about, columns_of, meeting
from termburst.cli.option_values import unlike
from termburst.cli.options import takes_options
from termburst.cli.output import progress_bar
from termburst.cli.text_options import PANEL, Steps
from termburst.counting.options import CountingOptions
from termburst.names import Layer
from termburst.reading.conditions import is_condition
from termburst.reading.documents import FILE_COLUMNS
from termburst.reading.file_metadata import named_groups_of
from termburst.reading.options import ReadingOptions

if TYPE_CHECKING:
    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.names import Detail
    from termburst.reading.documents import Text
    from termburst.reading.readers import Batch, Place, TextSource
    from termburst.reading.report import ReadingReport
    from termburst.statistics.checkpoint import Checkpoint
    from termburst.statistics.term_statistics import TermStatistics


class _By(Enum):
    """What --by names: a column of a table, what files have, or a condition."""

    COLUMN = "column"
    FILE = "file"
    CONDITION = "condition"


@dataclass(frozen=True)
class Reading:
    """How to read and count a corpus, as given on the command line.

    Attributes
    ----------
    files, counting, steps : options of reading and of counting, and what is done with the documents
    notes : whether to print all of the reading report, or nothing of it
    given : the values of all options as they were written
    columns : the metadata that batches have
    by : a column, or a condition, that says of each document in which group it is; batches have this as ids
    show : another layer, which documents have beside that of the options
    """

    files: ReadingOptions = field(default_factory=ReadingOptions)
    counting: CountingOptions = field(default_factory=CountingOptions)
    steps: Steps = field(default_factory=Steps)
    notes: Annotated[
        bool | None,
        typer.Option(
            "--verbose/--quiet",
            help="Print the whole reading report, or none of it. (default: its first lines)",
            rich_help_panel=PANEL,
        ),
    ] = None
    given: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] | Literal["all"] = ()
    by: str | None = None
    show: Layer | None = None

    def without_columns(self) -> Reading:
        """The same options, for a corpus that has no columns."""
        files, steps = replace(self.files, text=None, id=None), replace(self.steps, where=None)
        return replace(self, files=files, steps=steps)

    @property
    def shows_another(self) -> bool:
        """Whether documents have two layers side by side."""
        return self.show not in (None, self.files.layer or "form")

    def inputs(self, *corpora: str) -> list[str]:
        """Everything that a command reads, and so must not write: the corpora and the file of stop words."""
        words = self.given.get("stop_words")
        return [*corpora, *([words] if words not in (None, "english") and Path(words).is_file() else [])]

    def counting_like(self, known: TermStatistics, name: str | PathLike[str]) -> CountingOptions:
        """The options that saved statistics were counted with; other options on the command line are refused."""
        asked, theirs, layer = self.counting, known.counting, self.files.layer
        if theirs is not None and layer not in (None, theirs.layer):
            how = "without --layer" if theirs.layer is None else f"with --layer {theirs.layer}"
            raise ValueError(f"{name} was counted {how}; omit your own --layer to count in the same way")
        if theirs is not None and asked not in (CountingOptions(), theirs):
            how = unlike(theirs, asked)
            raise ValueError(f"{name} was counted with {how}; omit your own options to count in the same way")
        # Equal options may differ in one thing: a pattern that the user gives has no limits of a pattern from a file.
        return asked if theirs is None or asked == theirs else theirs

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
        counting = counting or self.counting
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

        if self.steps.drop_duplicates:
            raise ValueError("--drop-duplicates needs all texts at once, so it cannot resume; omit one of the two")
        # A checkpoint counts documents: neither their pieces, nor those that --where leaves out.
        begin = checkpoint.begin if self.steps.split is None and self.steps.where is None else None
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

        if self.steps.drop_duplicates:
            raise ValueError("--drop-duplicates needs all texts at once, so memory has no limit; omit one of the two")
        with scratch_of(output) as scratch, self.batches(corpus, self.counting) as read:
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
        counting = counting or self.counting
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
        named = (("text", self.files.text), ("id", self.files.id), ("by", self.by), ("where", self.steps.where))
        given = [f"--{name}" for name, column in named if column is not None]
        if given:
            raise ValueError(f"{why}, which have no columns; omit {' and '.join(given)}")

    def _opened(self, corpus: str, counting: CountingOptions) -> TextSource:
        """The files of a corpus, with the columns that are needed."""
        from termburst.reading.readers import open_corpus

        files, columns = self.files, self.columns
        if counting.layer is not None:
            files = replace(files, layer=cast(Layer, counting.layer))
        if self._by is _By.COLUMN:
            files = replace(files, id=self.by)
        elif self._by is _By.FILE:
            columns = (str(self.by),)
        elif self._by is _By.CONDITION:
            columns = columns_of(self.by, "by")
        if columns != "all":
            columns = tuple(dict.fromkeys((*columns, *columns_of(self.steps.where))))
        return open_corpus(
            corpus,
            files,
            pretokenized=counting.pretokenized,
            columns=columns,
            show=self.show,
            inspect=self.notes is not False,
            labels=self._by is _By.COLUMN,
        )

    @property
    def _by(self) -> _By | None:
        """What `by` names, if anything."""
        if self.by is None:
            return None
        if is_condition(self.by):
            return _By.CONDITION
        known = (*FILE_COLUMNS, *named_groups_of(self.files.name_pattern))
        return _By.FILE if self.by in known else _By.COLUMN

    def _named(self, batches: Iterator[Batch], report: ReadingReport) -> Iterator[Batch]:
        """The batches; the ids are the groups, if documents are grouped by their files or by a condition."""
        if self._by is _By.FILE:
            for batch in batches:
                known = [row.get(str(self.by)) for row in batch.metadata or [{}] * len(batch.ids)]
                yield _labelled(batch, ["" if value is None else str(value) for value in known], report)
        elif self._by is _By.CONDITION:
            from termburst.corpus.condition_groups import side_of_each

            condition, names = str(self.by), columns_of(self.by, "by")
            found = Known(names)
            for batch in found.seen(batches):
                yield _labelled(batch, side_of_each(about(batch, names), condition), report)
            found.check()
        else:
            yield from batches

    @contextmanager
    def batches(
        self,
        corpus: str,
        counting: CountingOptions,
        *,
        begin: Callable[[TextSource], Place] | None = None,
        bar: bool = True,
    ) -> Iterator[CorpusRead]:
        """The corpus in batches, with a progress *bar* on a terminal; *begin* says where in the files to start.

        Then the reading report is printed.
        """
        from termburst.counting.words_of import words_of
        from termburst.datasets import BUILT_IN
        from termburst.reading.report import ReadingReport

        if hasattr(signal, "siginterrupt"):  # Polars lets a read continue after Ctrl-C and wait for more input
            signal.siginterrupt(signal.SIGINT, True)
        with progress_bar(when=bar) as progress:
            task = progress.add_task(f"Reading {corpus}", total=None)
            if corpus in BUILT_IN and not Path(corpus).exists():
                if self.files.text is not None:
                    raise ValueError(f"{corpus} is a built-in data set, whose text has no column; omit --text")
                if self.files.layer is not None or self.shows_another:
                    options = "--layer and --show" if self.shows_another else "--layer"
                    raise ValueError(f"{corpus} is a built-in data set of texts without annotation; omit {options}")
                collection = BUILT_IN[corpus]()
                size: int | None = len(collection)
                column = self.by if self._by is _By.COLUMN else self.files.id
                report = ReadingReport(corpus)
                report.documents = len(collection)
                found = self._named(collection_batches(collection, column), report)
            else:
                opened = self._opened(corpus, counting)
                size, report = opened.size, opened.report
                found = self._named(opened.batches(begin(opened)) if begin else opened.batches(), report)
            texts, found = peeked(found)
            if any(isinstance(text, list) for text in texts) and not counting.pretokenized:  # an annotated corpus
                counting = replace(counting, pretokenized=True, layer=self.files.layer or "form")
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
            if self.steps.where is not None:
                batches = meeting(corpus, batches, self.steps.where)
            if self.steps.drop_duplicates:
                batches = without_duplicates(corpus, batches)
            if self.steps.split is not None:
                batches = cut(batches, self.steps.split, counting, report, numbered=self.by is None)
            yield CorpusRead(
                batches, counting, report, lambda doing: progress.update(task, description=f"{doing} {corpus}")
            )
        left_out = self.counting.stop_words is not None
        print_report(report, texts, language=self.counting.language, stop_words=left_out, whole=self.notes)


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
    """Give a command the options of `Reading`, which it receives in its argument *reading*; patterns have a limit."""

    @functools.wraps(command)
    def limited(**given: Any) -> None:
        from termburst.counting.pattern_clock import pattern_limit

        with pattern_limit(given["reading"].counting.pattern_seconds):
            command(**given)

    return takes_options(limited)


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
