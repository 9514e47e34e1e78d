"""Checks of the counting options in a file that anyone may have written."""

from __future__ import annotations

from typing import Any

_TYPES: dict[str, Any] = {
    "ngrams": list, "stop_words": list | str | None, "token_pattern": str | None, "lowercase": bool,
    "pretokenized": bool,
    "words": str, "language": str | None, "apostrophes": str | None, "ngrams_over_stop_words": bool,
    "layer": str | None,
}  # fmt: skip
_IN_WORDS: dict[Any, str] = {
    str: "a string", bool: "true or false", list: "a list", int: "a whole number", dict: "an object",
    dict | None: "an object or null", str | None: "a string or null", list | str | None: "a list, a string or null",
}  # fmt: skip


def check_counting(options: dict[str, Any]) -> None:
    """Raise an error if an option is missing, or has another type than `CountingOptions.to_json` gives it.

    Examples
    --------
    >>> check_counting({"ngrams": [1, 1], "stop_words": None, "token_pattern": None, "lowercase": "no"})
    Traceback (most recent call last):
    TypeError: the header field 'lowercase' must be true or false; got 'no'
    """
    check_fields(options, _TYPES)
    stop_words = options["stop_words"]
    check_entries("ngrams", options["ngrams"], int)
    check_entries("stop_words", stop_words if isinstance(stop_words, list) else [], str)


def check_fields(fields: dict[str, Any], types: dict[str, Any]) -> None:
    """Raise an error if one of the *fields* is missing, or has another type than *types* says."""
    for name, kind in types.items():
        if name not in fields:
            raise ValueError(f"the header field {name!r} is missing")
        value = fields[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(f"the header field {name!r} must be {_IN_WORDS[kind]}; got {value!r:.40}")


def check_entries(name: str, entries: list[Any], kind: type) -> None:
    """Raise TypeError if one of the *entries* of a list is not of this type."""
    for entry in entries:
        if type(entry) is not kind:  # True is an int
            raise TypeError(f"each entry of the header field {name!r} must be {_IN_WORDS[kind]}; got {entry!r:.40}")
