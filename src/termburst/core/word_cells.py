"""How often each word occurs in each document, from the words in their order (word_cells.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Integers, Numbers, Struct, call, require, struct

PlacedWords = NewType("PlacedWords", Struct)


def placed_words(tokens: Numbers, chosen: NDArray[np.bool_], ends: Integers, words: int) -> PlacedWords:
    """The numbers of words, in their order, of documents that end at *ends*; only *chosen* places are counted."""
    require(tokens.size == chosen.size, "tokens and chosen must have one entry per place")
    return struct(PlacedWords, tokens=tokens, chosen=chosen.view(np.uint8), ends=ends, words=words)


def word_documents(placed: PlacedWords) -> Integers:
    """The number of documents that contain each word."""
    documents, seen_in = np.zeros(placed.words, dtype=np.int64), np.full(placed.words, -1, np.int32)
    call("tb_word_documents", placed, struct("WordDocuments", locals()))
    return documents


def word_cells(placed: PlacedWords, documents: Integers) -> tuple[Integers, Numbers, Numbers]:
    """Where the cells of each word start, the document of each cell, and the count of the word in it.

    *documents* is the number of cells of each word, as `word_documents` says; 0 leaves a word out.
    """
    require(documents.size == placed.words, "documents must have one entry per word")
    starts = np.append(0, np.cumsum(documents))
    document, count = np.empty((2, int(starts[-1])), dtype=np.int32)
    call("tb_word_cells", placed, struct("FilledCells", locals(), next=starts[:-1].copy()))
    return starts, document, count
