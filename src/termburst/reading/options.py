"""The options of reading, each written once, and what else the readers of files are told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from termburst.messages import named
from termburst.names import DecodingErrors, Layer
from termburst.options import Option, check_options, wrong_value

if TYPE_CHECKING:
    from termburst.reading.documents import IdColumn

_PANEL = "Reading text"


@dataclass(frozen=True)
class ReadingOptions:
    r"""How documents are read: arguments of `termburst.read`, and options of the command line with the same defaults.

    These options say what a document is and how its text is found. What is done with documents afterwards is no option
    of reading, but a method of `termburst.Corpus`: `where` needs the metadata that reading finds, `split` the words
    that counting finds, and `drop_duplicates` all documents at once, and their order matters. On the command line,
    where methods cannot be called, they are options of their own (`termburst.corpus.steps`).

    Without `text`, the column "text" of a table is read, or the only column of strings, which is noted. Without `id`,
    the id of a row is "<file>:<number>", with the number of the row in CSV and Parquet, and of the line in JSONL.
    Without `encoding`, it is detected for each file: a byte order mark, UTF-8, UTF-16, or a guess that is noted.
    Parquet is always UTF-8, and office files, PDF, XML, web pages and mail name their own encoding. Without
    `delimiter`, it is detected among comma, semicolon, tab and vertical bar; anything but a comma is noted. If a
    `layer` is given, files without annotation are skipped. The named groups of `name_pattern`, which is searched in the
    name of each file, become metadata.

    Examples
    --------
    >>> ReadingOptions(delimiter=r"\t").delimiter
    '\t'
    >>> ReadingOptions(layer="lema")
    Traceback (most recent call last):
    ValueError: layer must be one of 'form', 'lemma', 'upos', 'lemma_upos'; got 'lema'; did you mean 'lemma'?
    """

    text: Annotated[str | None, Option("Column (or JSON key) with the text. (default: text)", panel=_PANEL)] = None
    id: Annotated[str | None, Option("Column (or JSON key) with the document's id.", panel=_PANEL)] = None
    lines: Annotated[bool, Option("Each line of a text file is a document.", panel=_PANEL)] = False
    delimiter: Annotated[
        str | None, Option("Between the fields of a CSV file. (default: detected for each file)", panel=_PANEL)
    ] = None
    layer: Annotated[
        Layer | None,
        Option("What to count in annotated corpora (CoNLL-U, vertical, TEI words). (default: form)", panel=_PANEL),
    ] = None
    xpath: Annotated[str | None, Option("Which elements of XML files are documents; TEI needs none.", panel=_PANEL)] = (
        None
    )
    name_pattern: Annotated[
        str | None,
        Option("Pattern with named groups, such as '(?P<year>[0-9]{4})', for names of files.", panel=_PANEL),
    ] = None
    strict: Annotated[bool, Option("Stop at everything that would be skipped, repaired or guessed.", panel=_PANEL)] = (
        False
    )
    encoding: Annotated[
        str | None,
        Option("Encoding of all files, such as latin-1. (default: detected for each file)", panel=_PANEL),
    ] = None
    errors: Annotated[DecodingErrors, Option("What to do with bytes that cannot be decoded.", panel=_PANEL)] = "strict"
    max_document_mb: Annotated[
        float, Option("Stop at a document larger than this.", panel=_PANEL, above=0, most=1_000_000)
    ] = 64
    max_archive_mb: Annotated[
        float, Option("Stop at an archive that is larger when unpacked.", panel=_PANEL, above=0, most=1_000_000)
    ] = 8192
    max_archive_files: Annotated[
        int, Option("Stop at an archive with more files.", panel=_PANEL, least=1, most=1_000_000_000)
    ] = 100_000

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used, before anything is read."""
        from termburst.reading.encodings import canonical_encoding

        check_options(self)
        encoding = None if self.encoding is None else canonical_encoding(self.encoding)
        values = {
            "encoding": encoding,
            "delimiter": _checked_delimiter(self.delimiter),
            "name_pattern": checked_pattern(self.name_pattern),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def document_bytes(self) -> int:
        """The largest number of bytes in one document."""
        return max(int(self.max_document_mb * 2**20), 1)

    @property
    def archive_bytes(self) -> int:
        """The largest number of bytes in an archive when it is unpacked."""
        return max(int(self.max_archive_mb * 2**20), 1)


@dataclass(frozen=True, kw_only=True)
class ReadingPlan(ReadingOptions):
    """The options of reading, and what a reader of files needs to know beside them; `open_corpus` makes it.

    Parameters
    ----------
    pretokenized : whether lists of strings are accepted as the texts of tables
    columns : "all", or the names of the metadata that are wanted
    show : another layer, which documents then have beside `layer`
    inspect : whether to look for duplicates, markup and the like, for the report
    batch_documents, batch_bytes : a batch ends when it reaches one of these two numbers
    file_bytes : most bytes, unpacked, of a file that must be held as a whole
    """

    pretokenized: bool = False
    columns: str | tuple[str, ...] = ()
    show: Layer | None = None
    inspect: bool = False
    batch_documents: int = 2000
    batch_bytes: int = 16 * 2**20
    file_bytes: int = 2**30

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used."""
        ReadingOptions.__post_init__(self)
        for name in ("batch_documents", "batch_bytes"):
            if getattr(self, name) < 1:
                raise wrong_value(name, "a whole number of 1 or more", getattr(self, name))

    @property
    def has_metadata(self) -> bool:
        """Whether metadata are wanted."""
        return bool(self.columns) or self.name_pattern is not None

    @property
    def layers(self) -> str | None:
        """The layer, or two side by side: "lemma>form"; None if none was asked for."""
        from termburst.reading.layers import both_layers

        if self.show in (None, self.layer or "form"):
            return self.layer
        return both_layers(self.layer or "form", str(self.show))

    def id_column(self) -> IdColumn | None:
        """The check of the ids in one file; None if no column is named."""
        from termburst.reading.documents import IdColumn

        return None if self.id is None else IdColumn(self.id)


def _checked_delimiter(delimiter: str | None) -> str | None:
    if delimiter == "\\t":  # as a shell gives it
        return "\t"
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        what = named("delimiter", bare=True)
        raise ValueError(what + f" must be one ASCII character such as ; or \\t; got {delimiter!r:.60}")
    return delimiter


def checked_pattern(pattern: str | None) -> str | None:
    """The same pattern; ValueError if it is not a regular expression with a named group.

    Groups may also be written as in other languages, ``(?<year>…)``; Python calls them ``(?P<year>…)``.

    Examples
    --------
    >>> checked_pattern("(?<year>[0-9]{4})")
    '(?P<year>[0-9]{4})'
    """
    if pattern is None:
        return None
    try:
        groups = re.compile(pattern).groupindex
    except (re.error, RecursionError, OverflowError) as error:
        from termburst.reading.faults import reason

        as_python = re.sub(r"(?<!\\)\(\?<(?=[^\W\d]\w*>)", "(?P<", pattern)
        if as_python != pattern:
            return checked_pattern(as_python)
        raise ValueError(f"the name pattern {pattern!r} is not a regular expression ({reason(error)})") from error
    if not groups:
        raise ValueError(f"the name pattern {pattern!r} has no named group; write one such as (?P<year>[0-9]{{4}})")
    return pattern
