"""How often each word occurs in each document, from the words in their order (word_cells.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import In_i32, In_i64, In_u8, Int, Out_i32, Out_i64, Struct, call, require

Numbers = NDArray[np.int32]
Integers = NDArray[np.int64]


class PlacedWords(Struct):
    _fields_ = [
        ("tokens", In_i32),
        ("chosen", In_u8),
        ("size", Int),
        ("ends", In_i64),
        ("documents", Int),
        ("words", Int),
    ]


class WordDocuments(Struct):
    _fields_ = [("documents", Out_i64), ("seen_in", Out_i32)]


class FilledCells(Struct):
    _fields_ = [("starts", In_i64), ("next", Out_i64), ("document", Out_i32), ("count", Out_i32), ("cells", Int)]


def placed_words(tokens: Numbers, chosen: NDArray[np.bool_], ends: Integers, words: int) -> PlacedWords:
    """The numbers of words, in their order, of documents that end at *ends*; only *chosen* places are counted."""
    require(tokens.size == chosen.size, "tokens and chosen must have one entry per place")
    return PlacedWords(
        tokens=tokens, chosen=chosen.view(np.uint8), size=tokens.size, ends=ends, documents=ends.size, words=words
    )


def word_documents(placed: PlacedWords) -> Integers:
    """The number of documents that contain each word."""
    documents = np.zeros(placed.words, dtype=np.int64)
    call("tb_word_documents", placed, WordDocuments(documents=documents, seen_in=np.full(placed.words, -1, np.int32)))
    return documents


def word_cells(placed: PlacedWords, documents: Integers) -> tuple[Integers, Numbers, Numbers]:
    """Where the cells of each word start, the document of each cell, and the count of the word in it.

    *documents* is the number of cells of each word, as `word_documents` says; 0 leaves a word out.
    """
    require(documents.size == placed.words, "documents must have one entry per word")
    starts = np.append(0, np.cumsum(documents))
    document, count = np.empty((2, int(starts[-1])), dtype=np.int32)
    call(
        "tb_word_cells",
        placed,
        FilledCells(starts=starts, next=starts[:-1].copy(), document=document, count=count, cells=document.size),
    )
    return starts, document, count
