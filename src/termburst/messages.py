"""Messages that name options: Python and the command line spell the same option in different ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


class Absent:
    """Stands for the value of an option that is named without one, because None is a value."""


@dataclass(frozen=True, slots=True)
class Named:
    """An option that a message names, perhaps with a value. `bare` is for the start of a sentence: *sort*, not *sort=*.

    `python` is what stands in Python instead, if that is not an argument: *corpus.split(tokens=1000)*.
    """

    name: str
    value: Any = Absent
    bare: bool = False
    python: str | None = None

    def __str__(self) -> str:
        """As Python spells it."""
        if self.python is not None:
            return self.python
        if self.bare:
            return self.name
        return f"{self.name}=" if self.value is Absent else f"{self.name}={_quoted(self.value)}"


class Message(str):
    """A sentence that names options. As a string it is in Python's spelling; `spelled` gives that of another door.

    It is made of strings, of other messages and of `Named`. ``+`` keeps the names, and so does ``str``, which is what
    an exception shows; an f-string or a method of strings gives a plain string in Python's spelling.

    Examples
    --------
    >>> advice = "choose one with " + named("text") + " or " + named("lines", True)
    >>> print(advice)
    choose one with text= or lines=True
    >>> error = ValueError(Message("a.csv: ", advice))
    >>> spelled(str(error), lambda option: f"<{option.name}>")
    'a.csv: choose one with <text> or <lines>'
    """

    parts: tuple[str | Named, ...]

    def __new__(cls, *parts: str | Named) -> Message:
        """Join the parts; those of a message are taken over."""
        flat: list[str | Named] = []
        for part in (one for given in parts for one in (given.parts if isinstance(given, Message) else (given,))):
            if isinstance(part, str) and flat and isinstance(flat[-1], str):
                flat[-1] += part
            else:
                flat.append(part)
        made = super().__new__(cls, "".join(map(str, flat)))
        made.parts = tuple(flat)
        return made

    def __str__(self) -> str:
        """The message itself, so that ``str(error)`` keeps the names of options."""
        return self

    def __add__(self, other: str) -> Message:
        """The message, and what follows."""
        return Message(self, other)

    def __radd__(self, other: str) -> Message:
        """What comes before, and the message."""
        return Message(other, self)

    def __reduce__(self) -> tuple[Any, ...]:
        """To pickle it with its names."""
        return Message, self.parts

    def changed(self, change: Callable[[str], str]) -> Message:
        """The message with *change* made to all of it but the names of options.

        Examples
        --------
        >>> ("give " + named("id")).changed(str.upper)
        'GIVE id='
        """
        return Message(*(change(part) if isinstance(part, str) else part for part in self.parts))


def named(name: str, value: Any = Absent, *, bare: bool = False, python: str | None = None) -> Message:
    """An option as part of a message; see `Named`.

    Examples
    --------
    >>> print(named("layer", "form"), named("text"), named("sort", bare=True), named("split", 5, python="split(5)"))
    layer="form" text= sort split(5)
    """
    return Message(Named(name, value, bare, python))


def joined(parts: Iterable[str], between: str) -> Message:
    """Messages with a text between each two, as `str.join` does it with strings.

    Examples
    --------
    >>> joined([named("text"), named("id")], " and ")
    'text= and id='
    """
    listed = list(parts)
    return Message(*(one for number, part in enumerate(listed) for one in ((between, part) if number else (part,))))


def spelled(message: str, spell: Callable[[Named], str]) -> str:
    """A message with every option as *spell* writes it; any other string as it is."""
    if not isinstance(message, Message):
        return message
    return "".join(part if isinstance(part, str) else spell(part) for part in message.parts)


def shown(value: Any) -> str:
    """A value as a message shows it: on one line, cut to 60 characters.

    Examples
    --------
    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and '"' not in value else repr(value)
