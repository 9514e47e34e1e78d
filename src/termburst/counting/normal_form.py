"""Unicode's normal form NFC, quickly: only the few places of a text that may change are normalised."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SHORT = 500  # characters; up to here nothing is saved
_MOST_PLACES = 0.1  # per character; with more of them the whole text is normalised
_MARK, _UNSURE = 1, 2  # has a combining class; may change alone or with the character before it
_END = 0x2FA20  # characters from here on never change
# Blocks without a character that changes, and Hangul: a syllable changes only with a letter after it.
_STABLE = (
    range(0x3400, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0x17000, 0x1B000),
    range(0x20000, 0x2F800),
)
_HANGUL = (range(0x1161, 0x1176), range(0x11A8, 0x11C3))  # vowels and final consonants, which join the letter before


def composed(text: str) -> str:
    r"""The text in Unicode's form NFC, as `unicodedata.normalize` gives it.

    A text is cut before each character that has no combining class and never joins the one before it: what is done to
    one part does not depend on the others. A part can only change if it has a character that may change, or two marks,
    whose order may. In Hindi these are 1 in 300 characters, but `unicodedata` normalises the whole text if it has one.

    Examples
    --------
    >>> composed("cafe\u0301") == "café"
    True
    """
    if len(text) <= SHORT:
        return unicodedata.normalize("NFC", text)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = _kinds()[np.minimum(points, _END)]
    marks = kinds.astype(bool)
    if not marks.any():
        return text
    edges = np.flatnonzero(np.diff(marks, prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]  # of runs of marks; each run follows a character that is none
    changing = (stops - starts > 1) | (kinds[starts] == _UNSURE)
    starts, stops = starts[changing], stops[changing]
    if starts.size > _MOST_PLACES * len(text):
        return unicodedata.normalize("NFC", text)
    parts: list[str] = []
    done = 0
    for start, stop in zip(np.maximum(starts - 1, 0).tolist(), stops.tolist(), strict=True):
        parts += text[done:start], unicodedata.normalize("NFC", text[start:stop])
        done = stop
    return "".join(parts) + text[done:]


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    """For every code point: 0, `_MARK` or `_UNSURE`. The last one stands for all after it."""
    kinds = np.zeros(_END + 1, dtype=np.uint8)
    skipped = {point for block in _STABLE for point in (block.start, block.stop)}
    bounds = [0x80, *sorted(skipped), _END]
    for first, last in zip(bounds[::2], bounds[1::2], strict=True):
        for point in range(first, last):
            character = chr(point)
            if unicodedata.combining(character):
                kinds[point] = max(kinds[point], _MARK)
            decomposition = unicodedata.decomposition(character)
            if not decomposition or decomposition[0] == "<":
                continue
            if unicodedata.normalize("NFC", character) != character:
                kinds[point] = _UNSURE
            elif " " in decomposition:  # its second character joins the first one
                kinds[int(decomposition.split()[1], 16)] = _UNSURE
    for block in _HANGUL:
        kinds[block.start : block.stop] = _UNSURE
    return kinds
