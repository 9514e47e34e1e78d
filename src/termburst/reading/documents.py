"""What the readers of all kinds of files share: their options, how far they are, and what may be a text or an id."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from termburst.reading.faults import fault

Text = str | list[str]  # a list holds tokens
DocumentStream = Generator[tuple[str, Text], None, None]  # (id, text) of one document after another


@dataclass(frozen=True, slots=True)
class Options:
    """How to read, as `open_corpus` was told.

    `limit` is the most bytes that one document may hold, `id_option` what messages call the option that named `id`.
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
    """How far a reader is; it writes here, and whoever cuts the batches looks."""

    position: int = 0  # in the bytes on disk of the file being read


@dataclass(frozen=True, slots=True)
class Place:
    """A place between two documents of a corpus: how many *documents* come before it.

    The first *files* of the corpus are wholly before it, with as many documents as *before* says; what more there is
    before it is in the next file, or the next ones.
    """

    documents: int = 0
    files: int = 0
    before: int = 0


def require_columns(place: str, options: Options, there: Sequence[str]) -> None:
    """Raise ValueError where a column that the options name is not there."""
    for option, name in (("text", options.text), (options.id_option, options.id)):
        if name is not None and name not in there:
            shown = ", ".join(map(repr, there)) or "none at all"
            problem = f"there is no column {name!r}, only {shown if len(shown) <= 300 else shown[:299] + '…'}"
            if len(there) == 1 and ";" in there[0]:
                problem += " (is it separated by semicolons? commas and tabs are read)"
            raise fault(place, f"{problem}; choose one with --{option}")


def as_text(value: Any, place: str, options: Options) -> Text:
    """The text in a cell, null being an empty one; ValueError where it holds anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    column = f"the column {options.text!r}"
    if not isinstance(value, list):
        raise fault(place, f"{column} holds no text but {type(value).__name__}; choose another with --text")
    if not options.pretokenized:
        raise fault(place, f"{column} holds a list; if its items are tokens, give --pretokenized")
    if not all(isinstance(token, str) for token in value):
        raise fault(place, f"{column} holds a list with items that are not strings; make every token a string")
    return value


def as_id(value: Any, place: str, options: Options) -> str:
    """The id in a cell; ValueError where it holds no name or number."""
    if value is None or isinstance(value, (list, dict, bytes)):
        kind = "null" if value is None else type(value).__name__
        problem = f"the column {options.id!r} holds {kind}, which is no name"
        raise fault(place, f"{problem}; choose another with --{options.id_option}")
    return str(value)


def bytes_of(text: Text) -> int:
    """The size of a text in UTF-8, or of all its tokens with one more for each, so that empty ones count."""
    if not isinstance(text, str):
        return len(text) + sum(map(bytes_of, text))
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
