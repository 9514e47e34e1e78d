"""Values of the reading options as they are written on the command line, and options as they would be written there."""

from __future__ import annotations

import csv
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from termburst.messages import Absent, Named, spelled


def dashed(name: str) -> str:
    """The name of an option with dashes.

    >>> dashed("name_pattern")
    '--name-pattern'
    """
    return f"--{name.replace('_', '-')}"


def written(name: str, value: Any) -> str:
    """The value of an option as it is written on the command line.

    >>> written("ngrams", (1, 2)), written("ngrams", (2, 2)), written("ngrams", 1), written("text", "two words")
    ('1,2', '2', '1', "'two words'")
    """
    if isinstance(value, (tuple, list)):
        values = dict.fromkeys(value) if name == "ngrams" else value  # (2, 2) is written 2
        return ",".join(map(str, values))
    return shlex.quote(str(value))


def in_dashes(option: Named) -> str:
    """An option that a message names, as it is written on the command line.

    >>> print(in_dashes(Named("text")), in_dashes(Named("layer", "form")), in_dashes(Named("lowercase", False)))
    --text --layer form --no-lowercase
    """
    if option.value is Absent or option.value is True:
        return dashed(option.name)
    if option.value is False:
        return f"--no-{dashed(option.name)[2:]}"
    return f"{dashed(option.name)} {written(option.name, option.value)}"


def with_dashes(message: object) -> str:
    """A message, or that of an error, with the options as the command line spells them.

    >>> from termburst.messages import named
    >>> with_dashes(ValueError("choose one with " + named("text")))
    'choose one with --text'
    """
    return spelled(str(message), in_dashes)


def parsed_split(value: str) -> int | str:
    """The number of tokens of a piece, or a pattern."""
    if not value.isdecimal():
        return value
    if len(value) > 9 or int(value) < 1:
        raise ValueError(f"--split must be 1 to 999,999,999 tokens, or a pattern; got {value:.60}")
    return int(value)


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
