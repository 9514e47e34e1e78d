"""Shingles of texts, MinHash keys of sets, and their Jaccard index (minhash.c)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Hashes, Integers, Struct, call, require, struct

WIDEST, MOST_MINIMA = 64, 128  # words of a shingle; bands × rows. As in minhash.h

HashSets = NewType("HashSets", Struct)


@dataclass(frozen=True, slots=True)
class ShingleLists:
    """The shingles of documents in order; those of document j are hashes[indptr[j]:indptr[j + 1]].

    Attributes
    ----------
    words : the number of words of each document
    whole : a hash of all words of each document, in order
    """

    hashes: Hashes
    indptr: Integers
    words: Integers
    whole: Hashes


def mixed(values: Hashes) -> Hashes:
    """SplitMix64 of numbers (random.h), without a loop: each bit of a number changes half of the bits of its hash.

    Examples
    --------
    >>> [hex(number) for number in mixed(np.array([0, 1], dtype=np.uint64)).tolist()]
    ['0xe220a8397b1dcdaf', '0x910a2dec89025cc1']
    """
    z = values + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def shingles(data: NDArray[np.uint8], ends: Integers, width: int) -> ShingleLists:
    """The shingles of *width* words of UTF-8 texts that end at *ends* in *data*; upper and lower case ASCII are one.

    A document with fewer words has none. Words are runs of letters and digits; in scripts without spaces between words,
    each character is one.
    """
    require(1 <= width <= WIDEST, f"a shingle must have 1 to {WIDEST} words")
    d = ends.size
    hashes = np.empty(data.size // 2 + d, dtype=np.uint64)  # a word has at least one byte, and one after it, or two
    indptr, words = np.zeros(d + 1, dtype=np.int64), np.zeros(d, dtype=np.int64)
    whole = np.zeros(d, dtype=np.uint64)
    call("tb_shingles", struct("ShingledTexts", locals()), struct("Shingles", locals()))
    return ShingleLists(hashes[: indptr[-1]].copy(), indptr, words, whole)


def _sets(hashes: Hashes, starts: Integers, sizes: Integers) -> HashSets:
    require(starts.size == sizes.size, "each set must have a start and a size")
    return struct(HashSets, hashes=hashes, starts=starts, sizes=sizes)


def band_keys(hashes: Hashes, indptr: Integers, bands: int, rows: int) -> Hashes:
    """MinHash keys, sets × bands: two sets with Jaccard index s have the same key in a band with probability s^rows."""
    require(bands >= 1 and rows >= 1 and bands * rows <= MOST_MINIMA, f"bands × rows must be 1 to {MOST_MINIMA}")
    keys = np.zeros((indptr.size - 1, bands), dtype=np.uint64)
    sets = _sets(hashes, indptr[:-1].copy(), np.diff(indptr))
    call("tb_band_keys", sets, struct("BandKeys", keys=keys, bands=bands, rows=rows))
    return keys


def distinct_hashes(hashes: Hashes, indptr: Integers) -> Integers:
    """Sort each set of *hashes* in place without repetitions; return the number of distinct hashes of each."""
    sizes = np.diff(indptr)
    spare = np.empty(int(sizes.max(initial=0)), dtype=np.uint64)
    sets = _sets(hashes, indptr[:-1].copy(), sizes)
    call("tb_distinct_hashes", sets, struct("HashRoom", spare=spare))
    return sizes


def jaccard(
    hashes: Hashes, starts: Integers, sizes: Integers, first: Integers, second: Integers
) -> NDArray[np.float64]:
    """The Jaccard index of pairs of sorted sets: the size of the intersection over that of the union."""
    require(first.size == second.size, "each pair must have two sets")
    values = np.zeros(first.size)
    call("tb_jaccard", _sets(hashes, starts, sizes), struct("SetPairs", first=first, second=second, jaccard=values))
    return values
