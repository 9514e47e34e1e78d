r"""Where a word or a phrase stands in texts, and the text around it (concordance.c)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType

import numpy as np

from termburst.core.binding import Bytes, Integers, Struct, call, require, struct

LETTER, SPACE, ANY, REST = 0, 1, 2, 3  # parts of a query

Searched = NewType("Searched", Struct)
Query = NewType("Query", Struct)
# The matches so far. `find` increases `size`, and sets `next` to the byte where the search continues.
Matches = NewType("Matches", Struct)


def searched(data: Bytes, ends: Integers, word: Bytes) -> Searched:
    """Documents in UTF-8 that end at *ends*; *word* has 1 for the code points of word characters."""
    return struct(Searched, data=data, ends=ends, word=word)


def query(parts: Sequence[tuple[int, Sequence[str]]]) -> Query:
    """A query from its parts: (kind, the characters that a LETTER may be). The first one must be a LETTER."""
    require(bool(parts) and parts[0][0] == LETTER and bool(parts[0][1]), "the first part must be a letter")
    written = [character.encode() for _, characters in parts for character in characters]
    begins = np.zeros(256, dtype=np.uint8)
    begins[[character.encode()[0] for character in parts[0][1]]] = 1
    kinds = np.array([kind for kind, _ in parts], dtype=np.uint8)
    first = np.cumsum([0, *(len(characters) for _, characters in parts)], dtype=np.int64)
    at = np.cumsum([0, *map(len, written)], dtype=np.int64)
    joined = np.frombuffer(b"".join(written), dtype=np.uint8)
    return struct(Query, locals(), characters=len(written), bytes=joined)


def find(texts: Searched, asked: Query, next: int, room: int) -> Matches:
    """The next matches, at most *room*, from the byte *next* on. If `next` of the result is the size, these are all."""
    document, start, stop, place = np.empty((4, room), dtype=np.int64)
    found = struct(Matches, document=document, start=start, stop=stop, place=place, size=0, next=next)
    call("tb_find", texts, asked, found)
    return found


def lines(texts: Searched, found: Matches, width: int) -> Bytes:
    """For each match a line: *width* characters before it, a tab, the match, a tab, *width* characters after it."""
    size, most = int(found.size), min(width, texts.size)
    matched = int((found.arrays["stop"][:size] - found.arrays["start"][:size]).sum())
    written = np.empty(size * (8 * most + 3) + matched, dtype=np.uint8)
    out = struct("Lines", bytes=written, used=0, width=most)
    call("tb_lines", texts, found, out)
    return written[: out.used]
