"""Texts and counts as sources of shingles, for the search for near-copies (`inference.duplicates`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.minhash import ShingleLists, mixed, shingles
from termburst.counting.counted_corpus import texts_at
from termburst.counting.tokenizer import MOST_DOCUMENTS, in_chunks
from termburst.limits import require_memory
from termburst.reading.documents import Text

Integers = NDArray[np.int64]

BLOCK = 2**22  # characters, or cells of counts, that a thread takes at a time
# Characters of words, and characters that are words by themselves; minhash.c has the same, by their bytes.
_WORDS = re.compile(
    "[0-9a-z\u00c0-\u0dff\u1000-\u1fff\ua000-\udfff]+"
    "|[\u0e00-\u0fff\u2c00-\u2fff\u3040-\u9fff\ue000-\uffff\U00010000-\U0010ffff]"
)


def plain_words(text: Text) -> list[str]:
    """The words that shingles are made of: runs of letters and digits, in lower case.

    They do not depend on the options of counting, so that stop words and punctuation do not matter.

    Examples
    --------
    >>> plain_words("I DON’T, said Älva; 我們")
    ['i', 'don', 't', 'said', 'älva', '我', '們']
    """
    return _WORDS.findall(_plain(text).lower())


def _plain(text: Text) -> str:
    return text if isinstance(text, str) else " ".join(text)


def _encoded(text: Text) -> bytes:
    """UTF-8 in lower case; the kernel itself converts ASCII."""
    plain = _plain(text)
    return plain.encode() if plain.isascii() else plain.lower().encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class TextShingles:
    """The shingles of texts, or of token lists."""

    texts: Sequence[Text]

    def blocks(self, numbers: Integers | None = None) -> Iterator[list[Text]]:
        """Lists of texts with about the same number of characters."""
        return in_chunks(self.texts if numbers is None else texts_at(self.texts, numbers.tolist()), BLOCK)

    def shingles(self, block: list[Text], width: int) -> ShingleLists:
        """The shingles of *width* words of these texts."""
        parts = [_encoded(text) for text in block]
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        return shingles(np.frombuffer(b"".join(parts), dtype=np.uint8), ends, width)


@dataclass(frozen=True, slots=True)
class CountShingles:
    """Documents of which only the counts are known: the k-th occurrence of a term in a document is one shingle.

    The Jaccard index of two documents is then Σ_i min(n_ij, n_ik) / Σ_i max(n_ij, n_ik), whatever the order of words.
    """

    counts: Any

    def blocks(self, numbers: Integers | None = None) -> Iterator[Any]:
        """Some rows of the counts at a time."""
        counts = self.counts if numbers is None else self.counts[numbers]
        step = max(1, min(MOST_DOCUMENTS, BLOCK * counts.shape[0] // max(counts.nnz, 1)))
        for first in range(0, counts.shape[0], step):
            yield counts[first : first + step]

    def shingles(self, block: Any, width: int) -> ShingleLists:
        """One hash per occurrence; the order of words is not known, so *width* has no use."""
        count = block.data.astype(np.int64)
        require_memory(48 * int(count.sum(dtype=np.float64)), "comparing documents by their counts")
        cell = np.repeat(np.arange(count.size), count)
        occurrence = np.arange(cell.size) - (np.cumsum(count) - count)[cell]
        hashes = mixed(mixed(block.indices.astype(np.uint64)[cell]) + occurrence.astype(np.uint64))
        ends = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        indptr = ends[block.indptr]
        words = np.diff(indptr)
        running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(hashes), dtype=np.uint64)])
        return ShingleLists(hashes, indptr, words, np.diff(running[indptr]))
