"""Values of the reading options as they are written on the command line, and options as they would be written there."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst.cli.output import many

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions


def parsed_tokens(number: str) -> int:
    """The number of tokens of a piece."""
    if len(number) > 9 or int(number) < 1:
        raise ValueError(f"--split must be 1 to 999,999,999 tokens, or a pattern; got {number:.60}")
    return int(number)


def parsed_ngrams(value: str) -> tuple[int, int]:
    """The smallest and the largest number of tokens of a term."""
    try:
        numbers = [int(part) for part in value.replace("-", ",").split(",")]
        first, last = numbers if len(numbers) == 2 else numbers * 2
    except ValueError as error:
        raise ValueError(f"--ngrams must be a number, or two such as 1,2; got {value!r:.60}") from error
    return first, last


def parsed_list(values: Sequence[str] | None) -> list[str]:
    """The names that an option lists, each once: with commas between them, or one option for each; or both.

    A name with a comma stands in quotes.

    Examples
    --------
    >>> parsed_list(["year, party", "year", '"Washington, D.C."']), parsed_list(None)
    (['year', 'party', 'Washington, D.C.'], [])
    """
    rows = csv.reader(values or (), skipinitialspace=True)
    return list(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))


def unlike(options: CountingOptions, others: CountingOptions) -> str:
    """The options that differ from *others*, as written on the command line."""
    values = {f.name: getattr(options, f.name) for f in fields(options)}
    if options.words != others.words:  # it follows from it
        del values["apostrophes"]
    return " and ".join(_spelled(name, value) for name, value in values.items() if value != getattr(others, name))


def _spelled(option: str, value: Any) -> str:
    from termburst.counting.options import CountingOptions

    name = f"--{option.replace('_', '-')}"
    if option == "lowercase":
        return name if value else "--no-lowercase"
    if option == "ngrams":
        return f"{name} {value[0]}" if value[0] == value[1] else f"{name} {value[0]},{value[1]}"
    if value == getattr(CountingOptions(), option) and option != "words":
        return f"no {name}"
    if isinstance(value, tuple):
        return f"{name} FILE of {many(len(value), 'word')}"
    return name if value is True else f"{name} {value}"


def parsed_stop_words(value: str | None) -> str | tuple[str, ...] | None:
    """The name of a language, or the words of a file."""
    if value is None or value == "english":
        return value
    path = Path(value)
    if not os.path.lexists(path):
        if "." not in value and os.sep not in value:  # CountingOptions knows the languages
            return value
        raise ValueError(
            f"--stop-words must be a language or a text file with one word per line; there is no file {value!r}"
        )
    if path.exists() and not path.is_file():  # a pipe is refused, too: reading it could wait forever
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
