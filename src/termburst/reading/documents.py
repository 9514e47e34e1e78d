"""Code that all readers share: options, progress, and the checks of texts and ids."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from termburst.display import did_you_mean
from termburst.messages import Message, named
from termburst.reading.faults import fault
from termburst.reading.options import ReadingPlan

FILE_COLUMNS = ("file", "folder")  # metadata that every file has
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
Scalar = str | int | float | bool | None
Metadata = Mapping[str, Scalar]
Text = str | list[str]  # a list of tokens
DocumentStream = Generator[tuple[str, Text], None, None]  # (id, text) of one document after another


@dataclass(slots=True)
class Progress:
    """How far a reader has come. The reader writes it, and the loop that makes the batches reads it."""

    position: int = 0  # in the bytes on disk of the file being read
    metadata: Metadata | None = None  # of the document that the reader gave last, if it has any
    notes: tuple[tuple[str, str, str], ...] = ()  # (file, kind, detail), for the report
    how: str = ""  # what becomes one document: "one per row"
    format: str = ""
    parts: tuple[tuple[int, str, str], ...] = ()  # (documents, format, how) of the files in an archive
    say: Callable[[str, str, str], None] | None = None  # where notes go at once; a thread that reads ahead has none

    def note(self, file: str, kind: str, detail: str) -> None:
        """Something in a file was skipped, repaired or guessed."""
        if self.say is not None:
            self.say(file, kind, detail)
        else:
            self.notes += ((file, kind, detail),)


@dataclass(frozen=True, slots=True)
class Place:
    """A place between two documents of a corpus: how many *documents* come before it.

    The first *files* files of the corpus are completely before it; they have *before* documents. The other documents
    before it are in the files that follow.
    """

    documents: int = 0
    files: int = 0
    before: int = 0


def require_columns(place: str, options: ReadingPlan, text: str, there: Sequence[str]) -> None:
    """Raise ValueError if the column *text*, or another one that the options name, is missing."""
    asked = () if options.columns == "all" else options.columns
    wanted = [("text", text), ("id", options.id), *(("columns", name) for name in asked)]
    for option, name in wanted:
        if option == "columns" and name == text:
            raise fault(place, f"the column {name!r:.60} has the texts, which are no metadata; name another one")
        if name is not None and name not in there and not (option == "columns" and name in FILE_COLUMNS):
            if not there:
                raise fault(place, f"there are no columns; {name!r} is needed")
            shown = ", ".join(map(repr, there))
            problem = f"there is no column {name!r}, only {shown if len(shown) <= 300 else shown[:299] + '…'}"
            chosen = "" if option == "columns" else "; choose one with " + named(option)  # by and where ask for columns
            hint = did_you_mean(name, there)
            if not hint and option == "columns":  # in a condition, a word in double quotes is a column
                hint = f"; if {name!r:.60} is text in a condition, write it in single quotes"
            raise fault(place, Message(problem, chosen, hint))


def row_documents(
    rows: Iterable[tuple[int, dict[str, Any]]],
    place: Callable[[int], str],
    options: ReadingPlan,
    note: Callable[[str, str], None],
    label: str,
) -> Iterator[tuple[str, Text, dict[str, Scalar] | None]]:
    """Id, text and metadata of the rows of a table, which are numbered; *place* names one of them in messages.

    Without a column of ids, the id is *label* and the number; it is *label* alone if the number is 0.
    """
    ids, needed = options.id_column(), set[str]()
    for number, record in rows:
        if not needed:  # the first row decides
            strings = [key for key, value in record.items() if isinstance(value, str)]
            column = text_column(options, list(record), strings.copy, note)
            options = replace(options, text=column)
            require_columns(place(number), options, column, list(record))
            needed = {column} if ids is None else {column, ids.column}
            needed.update(() if options.columns == "all" else set(options.columns).difference(FILE_COLUMNS))
        if not needed <= record.keys():
            require_columns(place(number), options, column, list(record))
        text = record[column]
        if not (isinstance(text, str) and text.isascii()):
            text = as_text(text, place(number), options)
        if ids is not None:
            name = as_id(record[ids.column], place(number), ids, options)
        else:
            name = f"{label}:{number}" if number else label
        more = metadata_columns(options, column, list(record)) if options.columns else None
        yield name, text, None if more is None else {key: as_scalar(record[key]) for key in more}


def text_column(
    options: ReadingPlan, there: Sequence[str], strings: Callable[[], Sequence[str]], note: Callable[[str, str], None]
) -> str:
    """The column with the text: the one that is named, or "text", or the only one of *strings*, which is noted."""
    if options.text is not None:
        return options.text
    if "text" not in there:
        only = [name for name in strings() if name != options.id]
        if len(only) == 1:
            note("column guessed", f"the text is in {only[0]!r}, the only column of strings")
            return only[0]
    return "text"


def metadata_columns(options: ReadingPlan, text: str, there: Sequence[str]) -> list[str]:
    """The columns of a table that become metadata."""
    if options.columns == "all":
        return [name for name in there if name not in (text, options.id)]
    return [name for name in options.columns if name in there]


def as_scalar(value: Any) -> Scalar:
    """A value of a table as metadata; lists and objects become their JSON or their printed form."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def as_number(field: str) -> Scalar:
    """A field of text as metadata: a number where it is written as one, None where it is empty.

    Examples
    --------
    >>> [as_number(field) for field in ("1789", "-2.5", "007", "1e5", "", "north")]
    [1789, -2.5, '007', '1e5', None, 'north']
    """
    if not field:
        return None
    if field[-1] in "0123456789" and len(field) <= 300 and _NUMBER.fullmatch(field):
        return float(field) if "." in field else int(field)
    return field


def as_text(value: Any, place: str, options: ReadingPlan) -> Text:
    """The text in a cell: a string, null (empty text) or, if pretokenized, a list of tokens. ValueError otherwise."""
    if value is None:
        return ""
    if isinstance(value, str):
        return paired(value, place, options)
    column = f"the column {options.text or 'text'!r}"
    if not isinstance(value, list):
        raise fault(place, f"{column} contains {type(value).__name__}, not text; choose another with " + named("text"))
    if not options.pretokenized:
        tokens = named("pretokenized", True)
        raise fault(place, f"{column} contains a list; if its items are tokens, give " + tokens)
    if not all(isinstance(token, str) for token in value):
        raise fault(place, f"{column} contains a list with items that are not strings; make every token a string")
    return [paired(token, place, options) for token in value]


def paired(text: str, place: str, options: ReadingPlan) -> str:
    """The same text if it is valid Unicode. Half of a surrogate pair is treated like a byte that cannot be decoded."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError as error:
        if options.errors != "strict":
            return text.encode("utf-8", options.errors).decode()
        problem = "an escape \\u stands for half a character; repair it or give " + named("errors", "replace")
        raise fault(place, problem) from error


class IdColumn:
    """The ids in a column of one file.

    Examples
    --------
    >>> ids = IdColumn("year")
    >>> ids.checked(1945)
    '1945'
    >>> ids.checked(None)
    Traceback (most recent call last):
    ValueError: the column 'year' contains null, but ids must be strings or numbers; choose another with id=
    """

    def __init__(self, column: str) -> None:
        self.column = column

    def checked(self, value: Any) -> str:
        """The id in a cell; ValueError, without the place, if it cannot be an id."""
        number = isinstance(value, float) and not math.isfinite(value)
        if number or value is None or isinstance(value, (list, dict, bytes)):
            shown = f"{value:g}" if number else "null" if value is None else type(value).__name__
            problem = f"the column {self.column!r} contains {shown}, but ids must be strings or numbers"
            raise ValueError(f"{problem}; choose another with " + named("id"))
        return str(value)


def same_ids(ids: Sequence[str]) -> str:
    """That several documents have one id, in words; "" if ids are unique.

    Examples
    --------
    >>> same_ids(["a", "b", "a", "a"]), same_ids(["a", "b"])
    ("1 id is that of more than one document: 'a'", '')
    """
    if len(set(ids)) == len(ids):
        return ""
    several = [name for name, count in Counter(ids).items() if count > 1]
    if len(several) == 1:
        return f"1 id is that of more than one document: {several[0]!r:.60}"
    return f"{len(several):,} ids are those of more than one document, such as {several[0]!r:.60}"


def as_id(value: Any, place: str, ids: IdColumn, options: ReadingPlan) -> str:
    """The id in a cell; ValueError with the place if it cannot be one."""
    try:
        return paired(ids.checked(value), place, options)
    except ValueError as error:
        raise fault(place, str(error)) from error
