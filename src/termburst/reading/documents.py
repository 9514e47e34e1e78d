"""Code that all readers share: options, progress, and the checks of texts and ids."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from termburst.reading.faults import fault

Text = str | list[str]  # a list of tokens
DocumentStream = Generator[tuple[str, Text], None, None]  # (id, text) of one document after another


@dataclass(frozen=True, slots=True)
class Options:
    """How to read: the arguments of `open_corpus`.

    `limit` is the largest number of bytes in one document. `id_option` is the command-line option that set `id`, for
    messages.
    """

    text: str
    id: str | None
    encoding: str
    errors: str
    pretokenized: bool
    limit: int
    batch_documents: int
    batch_bytes: int
    id_option: str


@dataclass(slots=True)
class Progress:
    """How far a reader has come. The reader writes it, and the loop that makes the batches reads it."""

    position: int = 0  # in the bytes on disk of the file being read


@dataclass(frozen=True, slots=True)
class Place:
    """A place between two documents of a corpus: how many *documents* come before it.

    The first *files* files of the corpus are completely before it; they have *before* documents. The other documents
    before it are in the files that follow.
    """

    documents: int = 0
    files: int = 0
    before: int = 0


def require_columns(place: str, options: Options, there: Sequence[str]) -> None:
    """Raise ValueError if a column that the options name is missing."""
    for option, name in (("text", options.text), (options.id_option, options.id)):
        if name is not None and name not in there:
            if not there:
                raise fault(place, f"there are no columns; {name!r} is needed")
            shown = ", ".join(map(repr, there))
            problem = f"there is no column {name!r}, only {shown if len(shown) <= 300 else shown[:299] + '…'}"
            if len(there) == 1 and ";" in there[0]:
                problem += " (is it separated by semicolons? Only commas and tabs are supported)"
            raise fault(place, f"{problem}; choose one with --{option}")


def as_text(value: Any, place: str, options: Options) -> Text:
    """The text in a cell: a string, null (empty text) or, if pretokenized, a list of tokens. ValueError otherwise."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    column = f"the column {options.text!r}"
    if not isinstance(value, list):
        raise fault(place, f"{column} contains {type(value).__name__}, not text; choose another with --text")
    if not options.pretokenized:
        raise fault(place, f"{column} contains a list; if its items are tokens, give --pretokenized")
    if not all(isinstance(token, str) for token in value):
        raise fault(place, f"{column} contains a list with items that are not strings; make every token a string")
    return value


def as_id(value: Any, place: str, options: Options) -> str:
    """The id in a cell; ValueError if it is not a string or a number."""
    if value is None or isinstance(value, (list, dict, bytes)):
        kind = "null" if value is None else type(value).__name__
        problem = f"the column {options.id!r} contains {kind}, but ids must be strings or numbers"
        raise fault(place, f"{problem}; choose another with --{options.id_option}")
    return str(value)


def bytes_of(text: Text) -> int:
    """The size of a text in UTF-8. Each token counts one byte more, so that empty tokens count, too."""
    if not isinstance(text, str):
        return len(text) + sum(map(bytes_of, text))
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
