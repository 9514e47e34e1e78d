"""Token patterns that a table of characters can express: those that the compiled tokenizer can find."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from termburst.core.tokenizer import INSIDE, WORD

Bytes = NDArray[np.uint8]

_CLASS = r"\\w|\[(?:\\[wWdDsS]|[^\\\[\]])+\]"
_SIMPLE = re.compile(rf"(?:\(\?u\))?(\\b)?({_CLASS})(?:(\2)?\+|\{{(\d+),\}})(\\b)?")


@dataclass(frozen=True)
class CharacterClass:
    r"""Tokens as runs of characters of one class: ``\w\w+``, ``[^\W\d_]{2,}``, ``\b[a-z]+\b``.

    Attributes
    ----------
    members : the class as a regular expression.
    shortest : the smallest number of characters in a token.
    bounded : whether a token must not have a word character beside it. (False for ``\w``: a whole run has none.)
    """

    members: str
    shortest: int
    bounded: bool

    @cached_property
    def wide(self) -> Bytes:
        r"""For every code point the bits WORD and INSIDE, as Python's `re` decides them."""
        return _marked(_every_character(), self.members)

    @cached_property
    def kinds(self) -> Bytes:
        """The same for ASCII characters only."""
        return _marked("".join(map(chr, range(128))), self.members)


def _marked(characters: str, members: str) -> Bytes:
    marks = np.zeros(len(characters), dtype=np.uint8)
    for pattern, bit in ((r"\w", WORD), (members, INSIDE)):
        for run in re.finditer(f"{pattern}+", characters):
            marks[run.start() : run.end()] |= bit
    return marks


@lru_cache(maxsize=64)
def character_class(token_pattern: str) -> CharacterClass | None:
    r"""The class of characters that a token pattern consists of; None if the pattern is not that simple.

    Examples
    --------
    >>> character_class(r"(?u)\b\w\w+\b")
    CharacterClass(members='\\w', shortest=2, bounded=False)
    >>> character_class(r"[a-z]{3,}").shortest
    3
    >>> character_class(r"\w+-\w+") is None
    True
    """
    found = _SIMPLE.fullmatch(token_pattern)
    if not found:
        return None
    before, members, doubled, least, after = found.groups()
    try:
        inside = re.compile(members)
    except re.error:
        return None
    # Terms join their tokens by spaces, and the kernel writes one term per line. So neither may be in a token.
    if (before is None) != (after is None) or inside.match(" ") or inside.match("\n"):
        return None
    shortest = int(least) if least else 1 + (doubled is not None)
    pattern = CharacterClass(members, shortest, before is not None and members != r"\w")
    if shortest < 1 or (pattern.bounded and _beyond_words(members)):
        return None
    return pattern


def _beyond_words(members: str) -> bool:
    r"""Whether the class has a character that is not a word character. `\b` would then have another meaning."""
    return re.search(rf"(?!\w){members}", _every_character()) is not None


def _every_character() -> str:
    return np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
