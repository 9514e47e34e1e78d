"""Numbers for tokens and n-grams, their names, and the alphabetical order of names (vocabulary.c)."""

from __future__ import annotations

from typing import Any, NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Bytes, Integers, Struct, call, record, require, struct

Nodes = NDArray[np.int32]

BATCH = 32  # nodes that are looked up together, as in vocabulary.h
MOST_NODES = 2**31 - 1
MOST_POOL = 2**32 - 1  # words

# Nodes by number, and the hash table to find them. Kernels that add nodes increase `size` and `used`.
Vocabulary = NewType("Vocabulary", Struct)


def vocabulary(
    slots: NDArray[np.uint64], nodes: NDArray[Any], pool: NDArray[np.uint64], size: int = 0, used: int = 0
) -> Vocabulary:
    """The first *size* of *nodes*, as a struct for kernels. Long names are in the first *used* words of *pool*."""
    require(slots.size > 0 and slots.size & (slots.size - 1) == 0, "the number of slots must be a power of two")
    require(0 <= size <= min(nodes.size, slots.size // 2, MOST_NODES), "nodes must fill at most half of the slots")
    require(0 <= used <= min(pool.size, MOST_POOL), "used must not exceed the size of the pool")
    return struct(Vocabulary, slots=slots, nodes=nodes, size=size, pool=pool, used=used)


def learn(known: Vocabulary, data: Bytes, ends: Integers, longest: int) -> Nodes:
    """The nodes of terms that end at *ends*; missing nodes are added. The tokens of a term are split at single spaces.

    −1 for a term that can never be counted: it has an empty token or more than *longest* tokens. There must be space
    for all nodes.
    """
    nodes = np.empty(ends.size, dtype=np.int32)
    call("tb_learn", struct("Terms", data=data, ends=ends, nodes=nodes, longest=longest), known)
    return nodes


def absorb(known: Vocabulary, other: Vocabulary) -> Nodes:
    """Add all nodes of another vocabulary. Returns their numbers here. There must be space for all."""
    nodes = np.empty(other.size, dtype=np.int32)
    call("tb_absorb", other, known, struct("Taken", nodes=nodes))
    return nodes


def rehash(old: Vocabulary, known: Vocabulary) -> None:
    """Put all nodes into new, empty slots."""
    call("tb_rehash", old, known)


def written(known: Vocabulary, nodes: Nodes) -> tuple[Bytes, Integers]:
    """The names of nodes: tokens joined by spaces, one name per line. Returns the bytes and where each name ends."""
    ends, nothing = np.empty(nodes.size, dtype=np.int64), np.empty(0, dtype=np.uint8)
    call("tb_name_ends", known, struct("Names", nodes=nodes, ends=ends, bytes=nothing))
    names = np.empty(int(ends[-1]) + 1 if nodes.size else 0, dtype=np.uint8)
    call("tb_write_names", known, struct("Names", nodes=nodes, ends=ends, bytes=names))
    return names, ends


def alphabetical(names: Bytes, ends: Integers) -> Integers:
    """The order of names by their bytes, which in UTF-8 is the order of code points.

    Names end at *ends*, with one byte between two names. For the kernel the end of a name equals a zero byte. So if
    names contain zero bytes, they are first sorted by length.
    """
    order = np.arange(ends.size) if names.all() else np.argsort(np.diff(ends, prepend=-1), kind="stable")
    items, spare = np.empty((2, ends.size), dtype=record("SortItem"))
    spans = np.empty(ends.size, dtype=record("SortSpan"))
    named = struct("Names", nodes=np.empty(0, dtype=np.int32), ends=ends, bytes=names)
    call("tb_sort_names", named, struct("NameOrder", locals()))
    return order
