"""JSON files (.json): an array of objects, one document per object; read as it comes, one object at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.messages import named
from termburst.reading.documents import Scalar, Text
from termburst.reading.faults import megabytes, reason
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, found_id, require_column
from termburst.reading.formats.text_lines import decoded_blocks
from termburst.reading.options import ReadingPlan

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


def read_json(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The objects of an array, one document per object.

    A file that is one object is one document. Objects one after the other (JSON Lines) are read, too. Values that are
    text, numbers or true and false become metadata; arrays and objects are left out and named in a note.
    """
    column = "text" if options.text is None else options.text
    left_out: set[str] = set()
    ids = options.id_column()
    for number, (record, single) in enumerate(_records(stream, options, note), 1):
        name = "" if single else str(number)
        where = f"object {number}"
        if not isinstance(record, dict):
            kind = _kind(record)
            raise UnreadableFile(f'{where} is {kind}; write each document as an object, {{"text": …}}')
        require_column(column, "text", list(record))
        if ids is not None:
            require_column(ids.column, "id", list(record))
            name = found_id(record.pop(ids.column), where, ids)
        text = _text(record.pop(column), where, column)
        metadata: dict[str, Scalar] = {}
        for key, value in record.items():
            if isinstance(value, (dict, list)):
                left_out.add(key)
            else:
                metadata[key] = value
        yield FoundDocument(name, text, metadata)
    if left_out:
        shown = ", ".join(map(repr, sorted(left_out)[:10])) + (", …" if len(left_out) > 10 else "")
        note("fields left out", f"{shown}: arrays and objects cannot be metadata")


def _text(value: Any, where: str, column: str) -> Text:
    if value is None:
        return ""
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(token, str) for token in value)):
        return value
    raise UnreadableFile(f"{where} has {_kind(value)} in {column!r}; choose another field with " + named("text"))


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


class _Buffer:
    """Text that is read as far as it is needed, with the place that has been read up to."""

    def __init__(self, stream: BinaryIO, limit: int, note: Note) -> None:
        self._blocks = decoded_blocks(stream, note)
        self._limit = limit
        self.text, self.at = "", 0

    def more(self) -> bool:
        """Read on, at least as much as there is already: to try again after each block would be slow."""
        held = self.text[self.at :]
        if len(held) > self._limit:
            raise UnreadableFile(
                f"one object holds more than {megabytes(self._limit)}; if that is meant, raise "
                + named("max_document_mb")
            )
        parts, size = [held], 0
        for block in self._blocks:
            parts.append(block)
            size += len(block)
            if size >= len(held):
                break
        self.text, self.at = "".join(parts), 0
        return size > 0

    def next_character(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def value(self, number: int) -> Any:
        """The value that begins here."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                # A value that is cut fails near the end of what is there; one that is wrong fails for good.
                if not self.more():
                    raise UnreadableFile(
                        f"object {number} is not valid JSON ({reason(error).partition(':')[0]})"
                    ) from error
            except (ValueError, RecursionError) as error:
                raise UnreadableFile(f"object {number} is JSON that cannot be read ({reason(error)[:100]})") from error
            else:
                if end < len(self.text) or not self.more():  # a number at the end might go on
                    self.at = end
                    return value


def _records(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[tuple[Any, bool]]:
    """Each value, and whether it is the only one."""
    buffer = _Buffer(stream, options.document_bytes, note)
    first = buffer.next_character()
    if not first:
        raise UnreadableFile("is empty")
    if first == "[":
        yield from ((value, False) for value in _array(buffer))
        return
    value = buffer.value(1)
    if not buffer.next_character():
        _say_where_arrays_are(value, options)
        yield value, True
        return
    note("several objects", "the file is not one array but objects one after the other (JSON Lines)")
    yield value, False
    number = 1
    while buffer.next_character():
        number += 1
        yield buffer.value(number), False


def _array(buffer: _Buffer) -> Iterator[Any]:
    buffer.at += 1
    if buffer.next_character() == "]":
        raise UnreadableFile("is an empty array; there are no documents in it")
    number = 0
    while True:
        number += 1
        buffer.next_character()
        yield buffer.value(number)
        mark = buffer.next_character()
        buffer.at += 1
        if mark == "]":
            if buffer.next_character():
                raise UnreadableFile("goes on after the end of its array; put all documents into one array")
            return
        if mark != ",":
            problem = "ends too early" if not mark else f"has {mark!r} where a comma or ] should be"
            raise UnreadableFile(f"is not valid JSON: it {problem} after object {number}")


def _say_where_arrays_are(value: Any, options: ReadingPlan) -> None:
    column = "text" if options.text is None else options.text
    if isinstance(value, dict) and column not in value:
        arrays = [key for key, inner in value.items() if isinstance(inner, list)]
        if arrays:
            shown = ", ".join(map(repr, arrays[:5]))
            raise UnreadableFile(
                f'is one object whose documents may be in {shown}; save that array alone, [{{"text": …}}, …]'
            )
