"""The options of every command that reads text, declared once, and how a corpus is read and counted with them."""

from __future__ import annotations

import functools
import inspect
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

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
from termburst.cli.conditions import meeting, with_columns_of
from termburst.cli.option_values import parsed_ngrams, parsed_stop_words, unlike
from termburst.cli.output import progress_bar

if TYPE_CHECKING:
    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.counting.options import CountingOptions
    from termburst.names import Detail
    from termburst.reading.documents import Text
    from termburst.reading.readers import Batch, Corpus, Place
    from termburst.reading.report import ReadingReport
    from termburst.statistics.checkpoint import Checkpoint
    from termburst.statistics.term_statistics import TermStatistics

CORPUS_HELP = (
    "A folder, a file, an archive, or a glob in quotes. A text file is one document (--lines: each line is one). So is "
    "a Word, PDF, HTML or TEI file, or a row of a CSV, JSONL, Parquet or Excel table. - is standard input, where each "
    "line is one. Or a data set: inaugural, 20newsgroups, r8, stdlib."
)
_PANEL = "Reading text"
FILE_COLUMNS = ("file", "folder")  # what is known of every file
Layer = Literal["form", "lemma", "upos", "lemma_upos"]
Words = Literal["unicode", "sklearn"]
Apostrophes = Literal["keep", "split"]


def _option(*names: str, help: str, **limits: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, **limits)


@dataclass(frozen=True)
class Reading:
    """How to read and count a corpus, as given on the command line."""

    text: Annotated[str | None, _option("--text", help="Column (or JSON key) with the text. (default: text)")] = None
    id: Annotated[str | None, _option("--id", help="Column (or JSON key) with the document's id.")] = None
    lines: Annotated[bool, _option("--lines", help="Each line of a text file is a document.")] = False
    split: Annotated[
        str | None,
        _option("--split", help="Cut documents into pieces: a number of tokens, or a pattern such as '^CHAPTER'."),
    ] = None
    delimiter: Annotated[
        str | None, _option("--delimiter", help="Between the fields of a CSV file. (default: it is found out)")
    ] = None
    layer: Annotated[
        Layer | None,
        _option("--layer", help="What to count in annotated corpora (CoNLL-U, vertical, TEI words). (default: form)"),
    ] = None
    xpath: Annotated[
        str | None, _option("--xpath", help="Which elements of XML files are documents; TEI needs none.")
    ] = None
    name_pattern: Annotated[
        str | None,
        _option("--name-pattern", help="Pattern with named groups, such as '(?P<year>[0-9]{4})', for names of files."),
    ] = None
    strict: Annotated[
        bool, _option("--strict", help="Stop at everything that would be skipped, repaired or guessed.")
    ] = False
    ngrams: Annotated[
        str, _option("--ngrams", help="How many tokens a term has: a number, or from,to such as 1,2.")
    ] = "1"
    stop_words: Annotated[
        str | None,
        _option("--stop-words", help="Words to leave out: a language (german, de), or a file with one word per line."),
    ] = None
    language: Annotated[
        str | None,
        _option("--language", help="Language of the texts, such as de or german; it decides what a word is."),
    ] = None
    words: Annotated[
        Words | None,
        _option("--words", help="What a word is: as Unicode sees words, or as in scikit-learn. (default: unicode)"),
    ] = None
    apostrophes: Annotated[
        Apostrophes | None,
        _option("--apostrophes", help="Whether an apostrophe belongs to the word. (default: keep; split in French, …)"),
    ] = None
    token_pattern: Annotated[
        str | None,
        _option("--token-pattern", help="Regular expression of a token, instead of --words."),
    ] = None
    ngrams_over_stop_words: Annotated[
        bool, _option("--ngrams-over-stop-words", help="Let n-grams join words that have a stop word between them.")
    ] = False
    lowercase: Annotated[
        bool, _option("--lowercase/--no-lowercase", help="Change text to lower case before counting.")
    ] = True
    pretokenized: Annotated[
        bool,
        _option("--pretokenized", help="The text is already tokens, separated by white space; they are not changed."),
    ] = False
    encoding: Annotated[
        str | None,
        _option("--encoding", help="Encoding of all files, such as latin-1. (default: found out for each file)"),
    ] = None
    errors: Annotated[
        str, _option("--errors", help="What to do with bytes that cannot be decoded: strict (stop), replace or ignore.")
    ] = "strict"
    max_document_mb: Annotated[
        int, _option("--max-document-mb", help="Stop at a document larger than this.", min=1, max=1_000_000)
    ] = 64
    max_archive_mb: Annotated[
        int,
        _option("--max-archive-mb", help="Stop at an archive that is larger when unpacked.", min=1, max=1_000_000),
    ] = 8192
    max_archive_files: Annotated[
        int,
        _option("--max-archive-files", help="Stop at an archive with more files.", min=1, max=1_000_000_000),
    ] = 100_000
    pattern_seconds: Annotated[
        int,
        _option(
            "--pattern-seconds", help="Stop if --token-pattern takes longer for one document.", min=1, max=1_000_000
        ),
    ] = 60
    where: Annotated[
        str | None,
        _option("--where", help='Only documents whose columns meet a condition, such as "year >= 1945".'),
    ] = None
    drop_duplicates: Annotated[
        bool,
        _option("--drop-duplicates", help="Leave out near-copies of earlier documents; all texts are held in memory."),
    ] = False

    notes: Annotated[
        bool | None,
        _option("--verbose/--quiet", help="Print the whole reading report, or none of it. (default: its first lines)"),
    ] = None

    # Not annotated, so neither fields nor options:
    id_option = "id"  # the option that named the id column, for messages
    labels = False  # whether the ids are the labels of groups

    def renamed(self, column: str) -> Reading:
        """The same options, but a document's id is read from the *column* that --by names.

        That is a column of a table; or "file", "folder" or a group of --name-pattern, which files have.
        """
        if column in FILE_COLUMNS or f"(?P<{column}>" in (self.name_pattern or ""):
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

    def showing(self, layer: Layer | None) -> Reading:
        """The same options; documents then have two layers side by side: --layer, and another one to show."""
        if layer is None or layer == (self.layer or "form"):
            return self
        from termburst.reading.layers import both_layers

        both: Any = both_layers(self.layer or "form", layer)
        return replace(self, layer=both)

    @property
    def shows_another(self) -> bool:
        """Whether documents have two layers side by side."""
        return ">" in (self.layer or "")

    def inputs(self, *corpora: str) -> list[str]:
        """Everything that a command reads, and so must not write: the corpora and the file of stop words."""
        words = self.stop_words
        return [*corpora, *([words] if words not in (None, "english") and Path(str(words)).is_file() else [])]

    def without_columns(self) -> Reading:
        """The same options, for a corpus that has no columns."""
        return replace(self, text=None, id=None, where=None)

    def _how_files_are_read(self) -> dict[str, Any]:
        """The options of `open_corpus`."""
        return {
            "text": self.text,
            "id": self.id,
            "lines": self.lines,
            "delimiter": self.delimiter,
            "layer": self.layer,
            "xpath": self.xpath,
            "name_pattern": self.name_pattern,
            "strict": self.strict,
            "encoding": self.encoding,
            "errors": self.errors,
            "inspect": self.notes is not False,
            "max_document_bytes": self.max_document_mb * 2**20,
            "max_archive_bytes": self.max_archive_mb * 2**20,
            "max_archive_files": self.max_archive_files,
            "id_option": self.id_option,
        }

    def counting(self) -> CountingOptions:
        """The options that define what a term is."""
        from termburst.counting.counted_corpus import corpus_counting

        if self.token_pattern is not None and (self.words, self.apostrophes) != (None, None):
            raise ValueError("--token-pattern says what a word is; omit --words and --apostrophes")
        return corpus_counting(
            ngrams=parsed_ngrams(self.ngrams),
            stop_words=parsed_stop_words(self.stop_words),
            token_pattern=self.token_pattern,
            lowercase=self.lowercase,
            pretokenized=self.pretokenized,
            words=self.words,
            language=self.language,
            apostrophes=self.apostrophes,
            ngrams_over_stop_words=self.ngrams_over_stop_words or None,
        )

    def counting_like(self, known: TermStatistics, name: str | PathLike[str]) -> CountingOptions:
        """The options that saved statistics were counted with; other options on the command line are refused."""
        asked = self.counting()
        if known.counting is not None and self.layer not in (None, known.counting.layer):
            layer = "without --layer" if known.counting.layer is None else f"with --layer {known.counting.layer}"
            raise ValueError(f"{name} was counted {layer}; omit your own --layer to count in the same way")
        if known.counting is not None and asked not in (Reading().counting(), known.counting):
            theirs = unlike(known.counting, asked)
            raise ValueError(f"{name} was counted with {theirs}; omit your own options to count in the same way")
        # Equal options may differ in one thing: a pattern that the user gives has no limits of a pattern from a file.
        return asked if known.counting is None or asked == known.counting else known.counting

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
        """The statistics of a corpus; if *corpus* is a file of saved statistics, these."""
        from termburst.names import DETAILS
        from termburst.statistics.store import holds_statistics
        from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

        if counting is None and holds_statistics(corpus):
            self._refuse_columns(f"{corpus} contains statistics")
            known = TermStatistics.load(corpus)
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
            raise ValueError(
                f"{corpus}: no document contains a term; check that the documents are not empty or only stop words"
            )
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
        from termburst.datasets import BUILT_IN
        from termburst.reading.readers import open_corpus

        opened: Corpus | None = None
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
                found = collection_batches(collection, self.id)
            else:
                how = self._how_files_are_read() | ({"layer": counting.layer} if counting.layer else {})
                how = with_columns_of(self.where, how)
                opened = open_corpus(corpus, pretokenized=counting.pretokenized, **how)
                size = opened.size
                found = self._named(opened.batches(begin(opened)) if begin else opened.batches(), opened.report)
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

            report, batches = None if opened is None else opened.report, shown()
            if self.where is not None:
                batches = meeting(corpus, batches, self.where)
            if self.drop_duplicates:
                batches = without_duplicates(corpus, batches)
            if self.split is not None:
                batches = cut(batches, self.split, counting, report, numbered=not self.labels)
            yield CorpusRead(
                batches, counting, report, lambda doing: progress.update(task, description=f"{doing} {corpus}")
            )
        if report is not None:
            print_report(report, texts, language=self.language, whole=self.notes)


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
            known = [about.get(self.column) for about in batch.metadata or [{}] * len(batch.ids)]
            for name, value in zip(batch.ids, known, strict=True):
                if value is None or not str(value).strip():
                    report.add_unlabelled(name, ())
            yield replace(batch, ids=["" if value is None else str(value) for value in known])


def reads_text(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Reading`; it receives them in its argument *reading*."""
    own = [p for name, p in inspect.signature(command, eval_str=True).parameters.items() if name != "reading"]
    hints = inspect.get_annotations(Reading, eval_str=True)
    shared = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(Reading)
    ]

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        from termburst.counting.pattern_clock import pattern_limit

        reading = Reading(**{f.name: given.pop(f.name) for f in fields(Reading)})
        with pattern_limit(reading.pattern_seconds):
            command(**given, reading=reading)

    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    del wrapper.__wrapped__  # otherwise typer would look at the signature of the command itself
    wrapper.__signature__ = inspect.Signature([*keyword_only, *shared])  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in (*keyword_only, *shared)}
    return wrapper


@contextmanager
def working(what: str, *, when: bool = True) -> Iterator[None]:
    """A moving bar with the text *what*, on a terminal, for work whose progress is not known."""
    with progress_bar() as bar:
        if when:
            bar.add_task(what, total=None)
        yield


def warn_of_one_document(corpus: str, documents: int) -> None:
    """Warn if there is only one document: burstiness compares documents."""
    if documents == 1:
        warnings.warn(
            f"{corpus} is a single document, but burstiness shows only between documents; --lines makes each line a "
            "document, --split 1000 makes pieces of 1,000 tokens",
            stacklevel=2,
        )
