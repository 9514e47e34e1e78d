"""The options of every command that reads text, declared once, and the options of the library that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import typer

from termburst.cli.option_values import parsed_ngrams, parsed_stop_words, unlike

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.statistics.term_statistics import TermStatistics

CORPUS_HELP = (
    "A folder, a file, an archive, or a glob in quotes. A text file is one document (--lines: each line is one). So is "
    "a Word, PDF, HTML or TEI file, or a row of a CSV, JSONL, Parquet or Excel table. - is standard input, where each "
    "line is one. Or a data set: inaugural, 20newsgroups, r8, stdlib."
)
_PANEL = "Reading text"
Layer = Literal["form", "lemma", "upos", "lemma_upos"]
Words = Literal["unicode", "sklearn"]
Apostrophes = Literal["keep", "split"]


def _option(*names: str, help: str, **limits: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, **limits)


@dataclass(frozen=True)
class TextOptions:
    """The options of commands that read text, and the options of the library that they stand for."""

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

    def showing(self, layer: Layer | None) -> Self:
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

    def without_columns(self) -> Self:
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
        from termburst.counting.options import CountingOptions

        if self.token_pattern is not None and (self.words, self.apostrophes) != (None, None):
            raise ValueError("--token-pattern says what a word is; omit --words and --apostrophes")
        return CountingOptions(
            ngrams=parsed_ngrams(self.ngrams),
            stop_words=parsed_stop_words(self.stop_words),
            token_pattern=self.token_pattern,
            lowercase=self.lowercase,
            pretokenized=self.pretokenized,
            words=self.words,
            language=self.language,
            apostrophes=self.apostrophes,
            ngrams_over_stop_words=self.ngrams_over_stop_words,
        )

    def counting_like(self, known: TermStatistics, name: str | PathLike[str]) -> CountingOptions:
        """The options that saved statistics were counted with; other options on the command line are refused."""
        asked = self.counting()
        if known.counting is not None and self.layer not in (None, known.counting.layer):
            layer = "without --layer" if known.counting.layer is None else f"with --layer {known.counting.layer}"
            raise ValueError(f"{name} was counted {layer}; omit your own --layer to count in the same way")
        if known.counting is not None and asked not in (TextOptions().counting(), known.counting):
            theirs = unlike(known.counting, asked)
            raise ValueError(f"{name} was counted with {theirs}; omit your own options to count in the same way")
        # Equal options may differ in one thing: a pattern that the user gives has no limits of a pattern from a file.
        return asked if known.counting is None or asked == known.counting else known.counting
