"""From UTF-8 bytes to tokens, to counts by document (tokenizer.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np

from termburst.core.binding import Bytes, Integers, Struct, call, require, struct
from termburst.core.vocabulary import Nodes, Vocabulary

WORD, INSIDE = 1, 2  # marks of a character: a word character for `\\b`; allowed in tokens
DIGIT, EXTEND = 4, 8  # a digit among the characters of tokens; a combining mark, which continues a token
JOINS, JOINS_LETTERS, JOINS_DIGITS = 16, 32, 64  # in a token between two characters: any, letters, digits
DONE, MORE_NODES, MORE_POOL, MORE_CELLS = 0, -1, -2, -3  # results of `count`
BLOCK = 64
LONGEST = 2**31 - 1 - 4 * BLOCK  # bytes of a document
MOST_CELLS = 2**31 - 1  # in one piece

Texts = NewType("Texts", Struct)
Rules = NewType("Rules", Struct)
# The counts so far: `size` cells of `documents` documents. `count` increases both.
Counts = NewType("Counts", Struct)
# The nodes so far: `size` tokens of `documents` documents. `number` increases both.
Numbered = NewType("Numbered", Struct)
TextRoom = NewType("TextRoom", Struct)


def texts(data: Bytes, ends: Integers, before: int) -> Texts:
    """Documents that end at *ends* in *data*. *before* documents were already counted with the same vocabulary."""
    return struct(Texts, data=data, ends=ends, before=before)


def rules(
    kinds: Bytes,
    wide: Bytes,
    *,
    lowercase: bool,
    bounded: bool,
    shortest: int,
    ngrams: tuple[int, int],
    left_out: int,
    growing: bool,
    barriers: bool = False,
) -> Rules:
    """What is counted. *kinds* has the marks of ASCII characters, *wide* those of all code points (or is empty).

    With *barriers*, no n-gram reaches over a stop word.
    """
    require(kinds.size >= 128, "kinds must have one entry for each of the 128 ASCII characters")
    require(shortest >= 1 and 1 <= ngrams[0] <= ngrams[1], "tokens and terms must have a length of 1 or more")
    most = 2**31 - 1  # no token and no n-gram is longer
    grams_from, grams_to = (min(n, most) for n in ngrams)
    return struct(Rules, locals(), shortest=min(shortest, most), joined=bool((kinds >= EXTEND).any()))


def cells(ids: Nodes, counts: Nodes, indptr: Integers, size: int = 0, documents: int = 0) -> Counts:
    """Counts with space for as many cells as *ids* has entries."""
    require(ids.size == counts.size, "ids and counts must have one entry per cell")
    require(0 <= size <= ids.size, "size must not exceed the space for cells")
    require(0 <= documents < indptr.size, "indptr must have one entry more than there are documents")
    return struct(Counts, locals(), room=min(ids.size, MOST_CELLS))


def text_room(length: int, runs: bool) -> TextRoom:
    """Scratch space for documents of up to *length* bytes, and for n-grams if *runs*."""
    require(0 <= length <= LONGEST, f"a document of more than {LONGEST:,} bytes cannot be counted; split it")
    text, edges = np.empty(length + 2 * BLOCK, dtype=np.uint8), np.empty(length + 3, dtype=np.int32)
    inside, word = np.empty((2, length // BLOCK + 2), dtype=np.uint64)
    of_tokens, of_runs = np.empty((2, length // 2 + 1 if runs else 0), dtype=np.int32)
    return struct(TextRoom, locals(), tokens=of_tokens, runs=of_runs)


def room_size(length: int, runs: bool) -> int:
    """Size in bytes of the `text_room` for documents of up to *length* bytes."""
    return 5 * length + length // 4 + (4 * length if runs else 0)


def count(texts: Texts, rules: Rules, known: Vocabulary, cells: Counts, room: TextRoom) -> int:
    """Count the documents after those in *cells*. Returns DONE, or what needs more space before it can continue."""
    require(cells.arrays["indptr"].size > texts.documents, "indptr must have one entry more than there are documents")
    require(rules.grams_to == 1 or room.arrays["runs"].size > room.length // 2, "there must be room for n-grams")
    return call("tb_count", texts, rules, known, cells, room)


def numbered(nodes: Nodes, ends: Integers, size: int = 0, documents: int = 0) -> Numbered:
    """Space for as many tokens as *nodes* has entries."""
    require(0 <= size <= nodes.size, "size must not exceed the space for tokens")
    require(0 <= documents <= ends.size, "there must be one end per document")
    return struct(Numbered, nodes=nodes, size=size, ends=ends, documents=documents)


def number(texts: Texts, rules: Rules, known: Vocabulary, found: Numbered, room: TextRoom) -> int:
    """Write the node of every token after those in *found*. Returns DONE, or what needs more space first.

    The rules must be for n-grams of two tokens, without stop words.
    """
    require(found.arrays["ends"].size >= texts.documents, "there must be one end per document")
    require(room.arrays["tokens"].size > room.length // 2, "there must be room for tokens")
    return call("tb_number", texts, rules, known, found, room)
