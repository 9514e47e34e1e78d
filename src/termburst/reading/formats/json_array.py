"""JSON files (.json): an array of objects, one document per object; read as it comes, one object at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.messages import named
from termburst.reading.faults import megabytes, reason
from termburst.reading.formats.found import CHUNK, Note, UnreadableFile
from termburst.reading.options import ReadingPlan

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


def read_json(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of an array with their numbers.

    An object that is alone in its file has the number 0. Objects one after the other (JSON Lines) are read, too.
    """
    for number, record in _values(_Text(stream, options.document_bytes), options, note):
        if not isinstance(record, dict):
            what = f"object {number or 1} is {_kind(record)}"
            raise UnreadableFile(what + '; write each document as an object, {"text": …}')
        yield number, record


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


class _Text:
    """Text that is read as far as it is needed, with the place that has been read up to."""

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self._stream = io.TextIOWrapper(stream, "utf-8-sig")
        self._limit = limit
        self.text, self.at = "", 0

    def _more(self) -> bool:
        """Read on, at least as much as there is already: to try again after each block would be slow."""
        held = self.text[self.at :]
        self._check_size(len(held))
        added = self._stream.read(max(CHUNK, len(held)))
        self.text, self.at = held + added, 0
        return bool(added)

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            problem = f"one object holds more than {megabytes(self._limit)}; if that is meant, raise "
            raise UnreadableFile(problem + named("max_document_mb"))

    def next_character(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def value(self, number: int) -> Any:
        """The value that begins here."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                # A value that is cut fails near the end of what is there; one that is wrong fails for good.
                if not self._more():
                    problem = f"object {number} is not valid JSON ({reason(error).partition(':')[0]})"
                    raise UnreadableFile(problem) from error
            except (ValueError, RecursionError) as error:
                raise UnreadableFile(f"object {number} is JSON that cannot be read ({reason(error)[:100]})") from error
            else:
                self._check_size(end - self.at)
                if end < len(self.text) or not self._more():  # a number at the end might go on
                    self.at = end
                    return value


def _values(text: _Text, options: ReadingPlan, note: Note) -> Iterator[tuple[int, Any]]:
    """Each value with its number, which is 0 if there is only one."""
    first = text.next_character()
    if not first:
        raise UnreadableFile("is empty")
    if first == "[":
        yield from enumerate(_array(text), 1)
        return
    value, number = text.value(1), 1
    if not text.next_character():
        _say_where_arrays_are(value, options)
        yield 0, value
        return
    note("several objects", "the file is not one array but objects one after the other (JSON Lines)")
    yield 1, value
    while text.next_character():
        number += 1
        yield number, text.value(number)


def _array(text: _Text) -> Iterator[Any]:
    text.at += 1
    if text.next_character() == "]":
        raise UnreadableFile("is an empty array; there are no documents in it")
    number, mark = 0, ","
    while mark == ",":
        number += 1
        text.next_character()
        yield text.value(number)
        mark = text.next_character()
        text.at += 1
    if mark != "]":
        problem = "ends too early" if not mark else f"has {mark!r} where a comma or ] should be"
        raise UnreadableFile(f"is not valid JSON: it {problem} after object {number}")
    if text.next_character():
        raise UnreadableFile("goes on after the end of its array; put all documents into one array")


def _say_where_arrays_are(value: Any, options: ReadingPlan) -> None:
    if isinstance(value, dict) and (options.text or "text") not in value:
        arrays = [key for key, inner in value.items() if isinstance(inner, list)]
        if arrays:
            shown = ", ".join(map(repr, arrays[:5]))
            raise UnreadableFile(
                f'is one object whose documents may be in {shown}; save that array alone, [{{"text": …}}, …]'
            )
