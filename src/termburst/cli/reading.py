"""The options of every command that reads text, declared once, and how a corpus is read and counted with them."""

from __future__ import annotations

import functools
import inspect
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from termburst.cli.output import many, progress_bar

if TYPE_CHECKING:
    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.counting.options import CountingOptions
    from termburst.names import Detail
    from termburst.reading.documents import Text
    from termburst.reading.readers import Batch, Corpus, Place
    from termburst.statistics.checkpoint import Checkpoint
    from termburst.statistics.term_statistics import TermStatistics

CORPUS_HELP = (
    "A folder of text files, a text file (one document per line), a CSV, TSV, JSONL or Parquet file, any of these "
    "compressed with gzip or zstd, a glob in quotes, - for standard input, or 20newsgroups, r8, stdlib."
)
_PANEL = "Reading text"
Words = Literal["unicode", "sklearn"]
Apostrophes = Literal["keep", "split"]


def _option(*names: str, help: str, **limits: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, **limits)


@dataclass(frozen=True)
class Reading:
    """How to read and count a corpus, as given on the command line."""

    text: Annotated[str | None, _option("--text", help="Column (or JSON key) with the text. (default: text)")] = None
    id: Annotated[str | None, _option("--id", help="Column (or JSON key) with the document's id.")] = None
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
    encoding: Annotated[str, _option("--encoding", help="Encoding of the files, such as latin-1.")] = "utf-8"
    errors: Annotated[
        str, _option("--errors", help="What to do with bytes that cannot be decoded: strict (stop), replace or ignore.")
    ] = "strict"
    max_document_mb: Annotated[
        int, _option("--max-document-mb", help="Stop at a document larger than this.", min=1, max=1_000_000)
    ] = 64
    pattern_seconds: Annotated[
        int,
        _option(
            "--pattern-seconds", help="Stop if --token-pattern takes longer for one document.", min=1, max=1_000_000
        ),
    ] = 60

    id_option = "id"  # the option that named the id column, for messages; not annotated, so not a field or an option

    def renamed(self, column: str) -> Reading:
        """The same options, but a document's id is read from the *column* that --by names."""
        return _ByColumn(**{**vars(self), "id": column})

    def without_columns(self) -> Reading:
        """The same options, for a corpus that has no columns."""
        return replace(self, text=None, id=None)

    def counting(self) -> CountingOptions:
        """The options that define what a term is."""
        from termburst.counting.options import DEFAULT_TOKEN_PATTERN, CountingOptions

        pattern = self.token_pattern
        if pattern is not None and (self.words, self.apostrophes) != (None, None):
            raise ValueError("--token-pattern says what a word is; omit --words and --apostrophes")
        return CountingOptions(
            ngrams=_parsed_ngrams(self.ngrams),
            stop_words=_stop_words(self.stop_words),
            token_pattern=DEFAULT_TOKEN_PATTERN if pattern is None else pattern,
            lowercase=self.lowercase,
            pretokenized=self.pretokenized,
            words=self.words or ("unicode" if pattern is None else "sklearn"),
            language=self.language,
            apostrophes=self.apostrophes,
            ngrams_over_stop_words=self.ngrams_over_stop_words or None,
        )

    def counting_like(self, known: TermStatistics, name: str | PathLike[str]) -> CountingOptions:
        """The options that saved statistics were counted with; other options on the command line are refused."""
        asked = self.counting()
        if known.counting is not None and asked not in (Reading().counting(), known.counting):
            theirs = unlike(known.counting, asked)
            raise ValueError(f"{name} was counted with {theirs}; omit your own options to count in the same way")
        return known.counting or asked

    def statistics(
        self,
        corpus: str,
        detail: Detail = "moments",
        *,
        counting: CountingOptions | None = None,
        batch: str | None = None,
        content: bool = False,
    ) -> TermStatistics:
        """The statistics of a corpus; if *corpus* is a file of saved statistics, these.

        With *content*, they have a digest of the texts.
        """
        from termburst.names import DETAILS
        from termburst.statistics.contents import RunningContent
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
        seen = RunningContent()

        def texts(batches: Iterator[Batch]) -> Iterator[list[Text]]:
            for one in batches:
                if content:
                    seen.see(one.texts)
                yield one.texts

        with self.batches(corpus, pretokenized=counting.pretokenized) as batches:
            try:
                found = TermStatistics.from_batches(texts(batches), detail, counting=counting, batch=batch)
            except NothingToCountError as error:
                raise ValueError(f"{corpus}: {error}") from error
        return replace(found, contents=(replace(seen.value(), batch=batch),)) if content else found

    def resumable_statistics(
        self, corpus: str, checkpoint: Checkpoint, *, batch: str | None = None, min_count: int = 1
    ) -> TermStatistics:
        """The statistics of a corpus, continued from a *checkpoint*."""
        from termburst.statistics.term_statistics import NothingToCountError

        pretokenized = checkpoint.counting.pretokenized
        with self.batches(corpus, pretokenized=pretokenized, begin=checkpoint.begin) as batches:
            try:
                return checkpoint.count(batches, batch=batch, min_count=min_count)
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
        with self.batches(corpus, pretokenized=counting.pretokenized) as batches:
            if keep_texts:
                for batch in batches:
                    ids.extend(batch.ids)
                    texts.extend(batch.texts)
            else:
                pairs = (pair for batch in batches for pair in zip(batch.ids, batch.texts, strict=True))
                found = CountedCorpus.from_stream(pairs, counting=counting)
        if keep_texts:
            with working(f"Counting {corpus}"):
                found = CountedCorpus.from_texts(texts, ids, counting=counting)
        if not found.counts.nnz:
            raise ValueError(
                f"{corpus}: no document contains a term; check that the documents are not empty or only stop words"
            )
        return found

    def _refuse_columns(self, why: str) -> None:
        given = [f"--{name}" for name, column in (("text", self.text), (self.id_option, self.id)) if column is not None]
        if given:
            raise ValueError(f"{why}, which have no columns; omit {' and '.join(given)}")

    @contextmanager
    def batches(
        self, corpus: str, *, pretokenized: bool, begin: Callable[[Corpus], Place] | None = None
    ) -> Iterator[Iterator[Batch]]:
        """The corpus in batches, with a progress bar on a terminal; *begin* says where in the files to start."""
        from termburst.datasets import BUILT_IN
        from termburst.reading.readers import Batch, open_corpus

        if hasattr(signal, "siginterrupt"):  # Polars lets a read continue after Ctrl-C and wait for more input
            signal.siginterrupt(signal.SIGINT, True)
        with progress_bar() as bar:
            task = bar.add_task(f"Reading {corpus}", total=None)
            if corpus in BUILT_IN and not Path(corpus).exists():
                self._refuse_columns(f"{corpus} is a built-in data set of texts")
                collection = BUILT_IN[corpus]()
                size: int | None = len(collection)
                step = 500  # documents, so that the bar moves
                found: Iterator[Batch] = (
                    Batch(
                        collection.ids[i : i + step],
                        list(collection.texts[i : i + step]),
                        min(i + step, len(collection)),
                    )
                    for i in range(0, len(collection), step)
                )
            else:
                opened = open_corpus(
                    corpus,
                    text=self.text,
                    id=self.id,
                    encoding=self.encoding,
                    errors=self.errors,
                    pretokenized=pretokenized,
                    max_document_bytes=self.max_document_mb * 2**20,
                    id_option=self.id_option,
                )
                size, found = opened.size, opened.batches(begin(opened)) if begin else opened.batches()

            def counted() -> Iterator[Batch]:
                for batch in found:
                    yield batch
                    bar.update(task, total=size, completed=batch.position)  # after the batch has been processed

            yield counted()


class _ByColumn(Reading):
    """The options of `keyness --by`: a document's id is the name of its group."""

    id_option = "by"


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
        warnings.warn(f"{corpus} is a single document; burstiness shows only between documents", stacklevel=2)


def _parsed_ngrams(value: str) -> tuple[int, int]:
    try:
        numbers = [int(part) for part in value.replace("-", ",").split(",")]
        first, last = numbers if len(numbers) == 2 else numbers * 2
    except ValueError as error:
        raise ValueError(f"--ngrams must be a number, or two such as 1,2; got {value!r:.60}") from error
    return first, last


def unlike(options: CountingOptions, others: CountingOptions) -> str:
    """The options that differ from *others*, as written on the command line."""
    values = {f.name: getattr(options, f.name) for f in fields(options)}
    if options.words != others.words:  # these follow from it
        del values["apostrophes"], values["ngrams_over_stop_words"]
    return " and ".join(_spelled(name, value) for name, value in values.items() if value != getattr(others, name))


def _spelled(option: str, value: Any) -> str:
    name = f"--{option.replace('_', '-')}"
    if option == "lowercase":
        return name if value else "--no-lowercase"
    if option == "ngrams":
        return f"{name} {value[0]}" if value[0] == value[1] else f"{name} {value[0]},{value[1]}"
    if value == getattr(Reading().counting(), option) and option != "words":
        return f"no {name}"
    if isinstance(value, tuple):
        return f"{name} FILE of {many(len(value), 'word')}"
    return name if value is True else f"{name} {value}"


def _stop_words(value: str | None) -> str | tuple[str, ...] | None:
    if value is None or value == "english":
        return value
    path = Path(value)
    if not os.path.lexists(path):
        if "." not in value and os.sep not in value:  # CountingOptions knows the languages
            return value
        raise ValueError(
            f"--stop-words must be a language or a text file with one word per line; there is no file {value!r}"
        )
    if path.exists() and not path.is_file():  # a pipe is refused, too: reading it could wait for ever
        kind = "a folder" if path.is_dir() else "not a regular file"
        raise ValueError(f"--stop-words: {value!r} is {kind}; give a text file with one word per line")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"--stop-words: the file {value!r} cannot be read ({error.strerror})") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"--stop-words: the file {value!r}, line {line}, is not UTF-8; save it as UTF-8") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"--stop-words: the file {value!r}, line {line}, contains a NUL character; it must be text")
    return tuple(sorted(set(text.split())))
