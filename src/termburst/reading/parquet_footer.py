"""The number of values in a Parquet file, read from its footer: a few kilobytes may unpack to any size.

Polars tells the number of rows, but not the number of values in lists, which take the memory. A footer describes every
column of every row group in detail. What is not needed is skipped without making objects of it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any, NamedTuple

from termburst.limits import require_memory

_DEEPEST = 32  # structs within structs; the format has five
_WIDTH = 16  # bytes that Polars needs for a value, at most
STATISTICS = "termburst"  # key in the metadata of a file that has statistics, not texts
_IN_MEMORY = 50  # bytes that a byte of the footer needs in memory, at most: a column may take only a dozen bytes
_WHOLE, _DOUBLE, _TEXT, _LISTS, _STRUCT = (4, 5, 6), 7, 8, (9, 10), 12  # Thrift's compact protocol

_Reader = Callable[[bytes, int, int], tuple[Any, int]]  # (data, start, kind of value) → (value, end)
_NOTHING: dict[int, _Reader] = {}


class FooterError(ValueError):
    """The footer is damaged, or there is none."""


class Chunk(NamedTuple):
    """A column in a row group: its name, its numbers of rows and values, and the unpacked bytes of its pages."""

    name: str
    rows: int
    values: int
    unpacked: int

    @property
    def memory(self) -> int:
        """Bytes needed to read it. Strings of a dictionary are held once, and pages twice while they are read."""
        return _WIDTH * self.values + 2 * self.unpacked


def read_chunks(stream: IO[bytes], place: str = "the file") -> list[list[Chunk]]:
    """The columns of every row group. If the footer itself is too large, the error names *place*.

    Examples
    --------
    >>> import polars as pl
    >>> stream = io.BytesIO()
    >>> pl.DataFrame({"tokens": [["so", "it", "goes"], ["so"]]}).write_parquet(stream)
    >>> [[chunk]] = read_chunks(stream)
    >>> chunk.name, chunk.rows, chunk.values
    ('tokens', 2, 4)
    """
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(end - 8, 0))
    size = int.from_bytes(stream.read(4), "little")
    if stream.read(4) != b"PAR1" or size > end - 12:
        raise FooterError("the file does not end like a Parquet file")
    require_memory(_IN_MEMORY * size, f"{place}: its footer")
    stream.seek(end - 8 - size)
    try:
        footer, _ = _FILE(stream.read(size), 0, _STRUCT)
        return [_chunks(group) for group in footer.get(4, [])]
    except (IndexError, KeyError) as error:
        raise FooterError("its footer is damaged") from error


def _chunks(group: dict[int, Any]) -> list[Chunk]:
    rows = group[3]
    found = [Chunk(name, rows, values, unpacked) for name, values, unpacked in group[1]]
    if rows < 0 or any(chunk.values < 0 or chunk.unpacked < 0 for chunk in found):
        raise FooterError("its footer has a negative size")
    return found


def _fields(data: bytes, at: int, wanted: dict[int, _Reader], depth: int = 0) -> tuple[dict[int, Any], int]:
    """The *wanted* fields of a struct, by their numbers, and where the struct ends. Other fields are skipped.

    If a field ends beyond the data, reading the next byte raises IndexError.
    """
    if depth > _DEEPEST:
        raise FooterError("its footer is nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head > 15:
            number += head >> 4
        else:
            number, at = _integer(data, at, _WHOLE[0])
        if number in wanted:
            fields[number], at = wanted[number](data, at, kind)
        elif 3 < kind < 7:  # whole numbers, the most frequent kind: no function call
            while data[at] > 127:
                at += 1
            at += 1
        elif kind == _TEXT and data[at] < 128:
            at += 1 + data[at]
        elif kind > 2:  # kinds 1 and 2 are the values true and false
            at = _skip(data, at, kind, depth)
    return fields, at + 1


def _skip(data: bytes, at: int, kind: int, depth: int) -> int:
    """Where a value ends."""
    if kind in _WHOLE:
        return _varint(data, at)[1]
    if kind == _TEXT:
        size, at = _varint(data, at)
        return at + size
    if kind in (1, 2, 3):  # in a list, true and false take one byte
        return at + 1
    if kind == _DOUBLE:
        return at + 8
    if kind == _STRUCT:
        return _fields(data, at, _NOTHING, depth + 1)[1]
    if depth > _DEEPEST:
        raise FooterError("its footer is nested too deeply")
    size, inner, at = _list_head(data, at, kind)
    for _ in range(size):
        if inner == _STRUCT:
            at = _fields(data, at, _NOTHING, depth + 1)[1]
        elif data[at] < 128 and 3 < inner < 7:
            at += 1
        else:
            at = _skip(data, at, inner, depth + 1)
    return at


def _list_head(data: bytes, at: int, kind: int) -> tuple[int, int, int]:
    """(number of entries, their kind, where they begin)."""
    if kind not in _LISTS:
        raise FooterError(f"its footer has a value of unknown kind {kind}")
    head, at = data[at], at + 1
    size = head >> 4
    if size == 15:
        size, at = _varint(data, at)
    if size > len(data) - at:  # an entry has at least one byte
        raise FooterError("its footer is cut short")
    return size, head & 15, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise FooterError("its footer has a number of more than 64 bits")


def _integer(data: bytes, at: int, kind: int) -> tuple[int, int]:
    if kind not in _WHOLE:
        raise FooterError("its footer is damaged")
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at


def _first_text(data: bytes, at: int, kind: int) -> tuple[str, int]:
    """The first string of a list: the name of a column, before the names of its parts."""
    size, inner, start = _list_head(data, at, kind)
    if not size or inner != _TEXT:
        raise FooterError("its footer is damaged")
    length, start = _varint(data, start)
    end = start + length if size == 1 else _skip(data, at, kind, 0)
    return data[start : start + length].decode("utf-8", "replace"), end


def _structs(read: _Reader) -> _Reader:
    """A reader of a list of structs."""

    def read_list(data: bytes, at: int, kind: int) -> tuple[list[Any], int]:
        size, inner, at = _list_head(data, at, kind)
        found = []
        for _ in range(size):
            entry, at = read(data, at, inner)
            found.append(entry)
        return found, at

    return read_list


def _struct(wanted: dict[int, _Reader]) -> _Reader:
    """A reader of a struct."""

    def read(data: bytes, at: int, kind: int) -> tuple[dict[int, Any], int]:
        if kind != _STRUCT:
            raise FooterError("its footer is damaged")
        return _fields(data, at, wanted)

    return read


def _column(data: bytes, at: int, kind: int) -> tuple[tuple[str, int, int], int]:
    """The name, the number of values and the unpacked bytes of a ColumnChunk."""
    if kind != _STRUCT:
        raise FooterError("its footer is damaged")
    fields, at = _fields(data, at, _CHUNK)
    sizes = fields[3]
    return (sizes[3], sizes[5], sizes[6]), at


# The numbers of the fields with sizes: of ColumnChunk with its ColumnMetaData, and of FileMetaData with its RowGroups.
_CHUNK: dict[int, _Reader] = {3: _struct({3: _first_text, 5: _integer, 6: _integer})}
_FILE = _struct({4: _structs(_struct({1: _structs(_column), 3: _integer}))})
