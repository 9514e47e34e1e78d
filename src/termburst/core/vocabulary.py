"""Numbers for tokens and n-grams, their names, and the alphabetical order of names (vocabulary.c)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import (
    In_i32,
    In_i64,
    In_u8,
    Int,
    Out_i32,
    Out_i64,
    Out_u8,
    Out_u64,
    Struct,
    call,
    pointer,
    require,
)

Bytes = NDArray[np.uint8]
Nodes = NDArray[np.int32]
Integers = NDArray[np.int64]

BATCH = 32  # nodes that are looked up together, as in vocabulary.h
MOST_NODES = 2**31 - 1
MOST_POOL = 2**32 - 1  # words


class Node(Struct):
    _fields_ = [
        ("head", ctypes.c_uint64),
        ("tail", ctypes.c_uint64),
        ("at", ctypes.c_uint32),
        ("size", ctypes.c_int32),
        ("seen", ctypes.c_uint32),
        ("place", ctypes.c_int32),
    ]


class SortItem(Struct):
    _fields_ = [("key", ctypes.c_uint64), ("name", Int)]


class SortSpan(Struct):
    _fields_ = [("from", Int), ("to", Int), ("skip", Int)]


NODE: np.dtype[Any] = np.dtype(Node)


class Vocabulary(Struct):
    """Nodes by number, and the hash table to find them. Kernels that add nodes increase `size` and `used`."""

    _fields_ = [
        ("slots", Out_u64),
        ("slot_room", Int),
        ("nodes", pointer(Node, writes=True)),
        ("node_room", Int),
        ("size", Int),
        ("pool", Out_u64),
        ("pool_room", Int),
        ("used", Int),
    ]


class Terms(Struct):
    _fields_ = [
        ("data", In_u8),
        ("size", Int),
        ("ends", In_i64),
        ("nodes", Out_i32),
        ("count", Int),
        ("longest", Int),
    ]


class Taken(Struct):
    _fields_ = [("nodes", Out_i32), ("room", Int)]


class Names(Struct):
    _fields_ = [("nodes", In_i32), ("ends", Out_i64), ("count", Int), ("bytes", Out_u8), ("size", Int)]


class NameOrder(Struct):
    _fields_ = [
        ("order", Out_i64),
        ("items", pointer(SortItem, writes=True)),
        ("spare", pointer(SortItem, writes=True)),
        ("spans", pointer(SortSpan, writes=True)),
        ("room", Int),
    ]


def vocabulary(
    slots: NDArray[np.uint64], nodes: NDArray[Any], pool: NDArray[np.uint64], size: int = 0, used: int = 0
) -> Vocabulary:
    """The first *size* of *nodes*, as a struct for kernels. Long names are in the first *used* words of *pool*."""
    require(slots.size > 0 and slots.size & (slots.size - 1) == 0, "the number of slots must be a power of two")
    require(0 <= size <= min(nodes.size, slots.size // 2, MOST_NODES), "nodes must fill at most half of the slots")
    require(0 <= used <= min(pool.size, MOST_POOL), "used must not exceed the size of the pool")
    return Vocabulary(
        slots=slots,
        slot_room=slots.size,
        nodes=nodes,
        node_room=nodes.size,
        size=size,
        pool=pool,
        pool_room=pool.size,
        used=used,
    )


def learn(known: Vocabulary, data: Bytes, ends: Integers, longest: int) -> Nodes:
    """The nodes of terms that end at *ends*; missing nodes are added. The tokens of a term are split at single spaces.

    −1 for a term that can never be counted: it has an empty token or more than *longest* tokens. There must be space
    for all nodes.
    """
    nodes = np.empty(ends.size, dtype=np.int32)
    call(
        "tb_learn",
        Terms(data=data, size=data.size, ends=ends, nodes=nodes, count=ends.size, longest=longest),
        known,
    )
    return nodes


def absorb(known: Vocabulary, other: Vocabulary) -> Nodes:
    """Add all nodes of another vocabulary. Returns their numbers here. There must be space for all."""
    nodes = np.empty(other.size, dtype=np.int32)
    call("tb_absorb", other, known, Taken(nodes=nodes, room=nodes.size))
    return nodes


def rehash(old: Vocabulary, known: Vocabulary) -> None:
    """Put all nodes into new, empty slots."""
    call("tb_rehash", old, known)


def written(known: Vocabulary, nodes: Nodes) -> tuple[Bytes, Integers]:
    """The names of nodes: tokens joined by spaces, one name per line. Returns the bytes and where each name ends."""
    ends, nothing = np.empty(nodes.size, dtype=np.int64), np.empty(0, dtype=np.uint8)
    call("tb_name_ends", known, Names(nodes=nodes, ends=ends, count=nodes.size, bytes=nothing, size=0))
    names = np.empty(int(ends[-1]) + 1 if nodes.size else 0, dtype=np.uint8)
    call("tb_write_names", known, Names(nodes=nodes, ends=ends, count=nodes.size, bytes=names, size=names.size))
    return names, ends


def alphabetical(names: Bytes, ends: Integers) -> Integers:
    """The order of names by their bytes, which in UTF-8 is the order of code points.

    Names end at *ends*, with one byte between two names. For the kernel the end of a name equals a zero byte. So if
    names contain zero bytes, they are first sorted by length.
    """
    order = np.arange(ends.size) if names.all() else np.argsort(np.diff(ends, prepend=-1), kind="stable")
    items, spare = np.empty((2, ends.size), dtype=np.dtype(SortItem))
    spans = np.empty(ends.size, dtype=np.dtype(SortSpan))
    nothing = np.empty(0, dtype=np.int32)
    call(
        "tb_sort_names",
        Names(nodes=nothing, ends=ends, count=ends.size, bytes=names, size=names.size),
        NameOrder(order=order, items=items, spare=spare, spans=spans, room=ends.size),
    )
    return order
