"""The number of values in a Parquet file, read from its footer: a few kilobytes may unpack to any size.

Polars tells the number of rows, but not the number of values in lists, which take the memory. PyArrow tells both, but
is as large as Polars, and it would read a footer of any size. A footer describes every column of every row group in
detail. What is not needed is skipped without making objects of it.
"""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from termburst.limits import require_memory

_DEEPEST = 32  # structs within structs; the format has five
_WIDTH = 16  # bytes that Polars needs for a value, at most
STATISTICS = "termburst"  # key in the metadata of a file that has statistics, not texts
_IN_MEMORY = 128  # bytes that a byte of the footer needs in memory, at most: an empty list or struct is one byte

# Thrift's compact protocol: the kinds of values. In a list, true and false take one byte.
_WHOLE, _TEXT, _LISTS, _STRUCT = (4, 5, 6), 8, (9, 10), 12
_FIXED = {1: 1, 2: 1, 3: 1, 7: 8}  # kind → bytes
_Wanted = dict[int, Any]  # the number of a field → the fields that are wanted in it
# The row groups of FileMetaData: their columns (name, values and unpacked bytes of ColumnMetaData) and numbers of rows.
_FILE: _Wanted = {4: {1: {3: {3: {}, 5: {}, 6: {}}}, 3: {}}}
_MARKS = (b"\x09termburst\x18", b'"format": "termburst statistics"')  # the key, and what its value begins with


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
    data = _footer(stream, place)
    if data is None:
        raise FooterError("the file does not end like a Parquet file")
    try:
        footer, _ = _read(data, 0, _STRUCT, _FILE)
        return [_chunks(group) for group in footer.get(4, [])]
    except (IndexError, KeyError, TypeError, AttributeError) as error:  # a value is missing, or of another kind
        raise FooterError("its footer is damaged") from error


def has_statistics(path: Path) -> bool:
    """Whether a Parquet file has saved statistics, even if one byte of it is damaged: texts are read otherwise.

    Examples
    --------
    >>> has_statistics(Path("nowhere.parquet"))
    False
    """
    with suppress(OSError):
        if path.is_file():  # a named pipe would wait for somebody to write
            with path.open("rb") as stream:
                footer = _footer(stream, str(path))
                return footer is not None and any(mark in footer for mark in _MARKS)
    return False


def _footer(stream: IO[bytes], place: str) -> bytes | None:
    """The footer of a file; None if it has none, and ValueError if it is too large."""
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(end - 8, 0))
    size = int.from_bytes(stream.read(4), "little")
    if stream.read(4) != b"PAR1" or size > end - 12:
        return None
    require_memory(_IN_MEMORY * size, f"{place}: its footer")
    stream.seek(end - 8 - size)
    return stream.read(size)


def _chunks(group: dict[int, Any]) -> list[Chunk]:
    rows, columns = group[3], [column[3] for column in group[1]]
    # The name of a column stands before the names of its parts.
    found = [Chunk(about[3][0].decode("utf-8", "replace"), rows, about[5], about[6]) for about in columns]
    if any(min(chunk[1:]) < 0 for chunk in found):
        raise FooterError("its footer has a negative size")
    return found


def _read(data: bytes, at: int, kind: int, wanted: _Wanted | None, depth: int = 0) -> tuple[Any, int]:
    """The value of a *kind* at a place, and where it ends; of structs the *wanted* fields; nothing is kept for None.

    If a value ends beyond the data, reading the next byte raises IndexError.
    """
    if depth > _DEEPEST:
        raise FooterError("its footer is nested too deeply")
    if kind in _WHOLE:
        value, at = _varint(data, at)
        return value >> 1 ^ -(value & 1), at
    if kind == _TEXT:
        size, at = _varint(data, at)
        return None if wanted is None else data[at : at + size], at + size
    if kind == _STRUCT:
        return _struct(data, at, wanted or {}, depth)
    if kind in _FIXED:
        return None, at + _FIXED[kind]
    if kind not in _LISTS:
        raise FooterError(f"its footer has a value of unknown kind {kind}")
    size, inner, at = data[at] >> 4, data[at] & 15, at + 1
    if size == 15:
        size, at = _varint(data, at)
    if size > len(data) - at:  # an entry has at least one byte
        raise FooterError("its footer is cut short")
    found = []
    for _ in range(size):
        value, at = _read(data, at, inner, wanted, depth + 1)
        if wanted is not None:
            found.append(value)
    return found, at


def _struct(data: bytes, at: int, wanted: _Wanted, depth: int) -> tuple[dict[int, Any], int]:
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head > 15:
            number += head >> 4
        else:
            number, at = _read(data, at, _WHOLE[0], None)
        if number in wanted:
            fields[number], at = _read(data, at, kind, wanted[number], depth + 1)
        elif 3 < kind < 7:  # whole numbers, the most frequent kind: no function call
            while data[at] > 127:
                at += 1
            at += 1
        elif kind == _TEXT and data[at] < 128:
            at += 1 + data[at]
        elif kind > 2:  # kinds 1 and 2 are the values true and false
            at = _read(data, at, kind, None, depth + 1)[1]
    return fields, at + 1


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
