"""Files that are zip archives inside (Word, OpenDocument, EPUB, Excel), read with limits."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from termburst.reading.documents import Scalar
from termburst.reading.faults import reason
from termburst.reading.formats.found import CHUNK, UnreadableFile, held, known, too_large
from termburst.reading.formats.safe_xml import local_name

MOST_PARTS = 100_000
MOST_RATIO = 1000  # unpacked to packed bytes of the whole file; XML rarely passes 50
_SMALL = 2**24  # bytes that may be packed as tightly as they like

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # older Office files, and newer ones with a password


class ZipPackage:
    """The parts of a zip archive by name; each is unpacked when asked for, within *limit* bytes in all.

    Examples
    --------
    >>> import io, zipfile
    >>> stream = io.BytesIO()
    >>> with zipfile.ZipFile(stream, "w") as archive:
    ...     archive.writestr("mimetype", "application/epub+zip")
    >>> package = ZipPackage(io.BytesIO(stream.getvalue()), 2**20, "an e-book")
    >>> package.read("mimetype"), package.read("missing")
    (b'application/epub+zip', None)
    """

    def __init__(self, stream: BinaryIO, limit: int, name: str) -> None:
        stream = held(stream, limit)
        start = stream.read(8)
        stream.seek(0)
        if start == _OLE:
            raise UnreadableFile("is encrypted or in an older Office format; save it again without a password")
        if not start:
            raise UnreadableFile("is empty")
        if not start.startswith(b"PK"):
            raise UnreadableFile(f"is not {name}: it does not begin as one; check how the file was made")
        if count_parts(stream, MOST_PARTS) > MOST_PARTS:
            raise UnreadableFile(f"has more parts inside than the {MOST_PARTS:,} that {name} may")
        try:
            self._archive = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise UnreadableFile(
                f"is damaged or incomplete and cannot be read as {name} ({reason(error)[:100]}); get it again"
            ) from error
        self.stream = stream
        self._name = name
        self._limit = self._left = limit
        self._parts = {part.filename: part for part in self._archive.infolist()}
        self._check_sizes()

    def _check_sizes(self) -> None:
        parts = self._archive.infolist()
        size = sum(part.file_size for part in parts)
        packed = sum(part.compress_size for part in parts)
        if size > self._limit:
            raise too_large(self._limit)
        if size > _SMALL and size > MOST_RATIO * packed:
            raise UnreadableFile(
                f"unpacks to {size // max(packed, 1):,} times its size, more than the {MOST_RATIO:,} times allowed"
            )

    @property
    def names(self) -> list[str]:
        """The names of all parts, in the order of the archive."""
        return list(self._parts)

    def read(self, name: str) -> bytes | None:
        """The bytes of one part; None where it is missing."""
        part = self._parts.get(name)
        if part is None:
            return None
        if part.flag_bits & 1:
            raise UnreadableFile("is encrypted; remove the password and save it again")
        pieces = []
        try:
            with self._archive.open(part) as opened:
                while piece := opened.read(CHUNK):
                    self._left -= len(piece)  # what is unpacked, not what the archive declares
                    if self._left < 0:
                        raise too_large(self._limit)
                    pieces.append(piece)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise UnreadableFile(
                f"is damaged: its part {name!r:.100} cannot be unpacked ({reason(error)[:100]}); get it again"
            ) from error
        return b"".join(pieces)

    def require(self, name: str) -> bytes:
        """The bytes of a part without which the file is not what it says."""
        data = self.read(name)
        if data is None:
            raise UnreadableFile(f"is not {self._name}: its part {name!r:.100} is missing")
        return data

    def unpack_all(self) -> Iterator[tuple[str, bytes]]:
        """Unpack every part once, before another library does so without limits; refuse entities in their XML."""
        for name in self._parts:
            data = self.read(name) or b""
            if name.endswith((".xml", ".rels", ".vml")):
                plain = data.replace(b"\0", b"") if b"\0" in data[:200] else data  # UTF-16
                if b"<!ENTITY" in plain or b"<!DOCTYPE" in plain[:4096]:
                    raise UnreadableFile(
                        f"its part {name!r:.100} declares XML entities, which are not expanded as they can be harmful"
                    )
                yield name, plain
        self.stream.seek(0)


def count_parts(stream: BinaryIO, most: int) -> int:
    """The number of files in a zip archive, or more than *most*: zipfile would make an object of each one.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> with zipfile.ZipFile(stream, "w") as archive:
    ...     archive.writestr("a.txt", "a")
    >>> count_parts(stream, 10)
    1
    """
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, end - 2**16 - 100))
    tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + 22:
        return 0  # zipfile says what is wrong
    size, start = struct.unpack("<LL", tail[at + 12 : at + 20])
    locator = tail[at - 20 : at] if at >= 20 else b""
    if locator.startswith(b"PK\6\7"):
        stream.seek(min(struct.unpack("<Q", locator[8:16])[0], end))
        record = stream.read(56)
        if len(record) == 56:
            size, start = struct.unpack("<QQ", record[40:56])
    stream.seek(max(0, min(start, end - size, end)))
    count, rest = 0, b""
    while count <= most and (block := stream.read(CHUNK)):
        count += (rest + block).count(b"PK\1\2")
        rest = block[-3:]
    stream.seek(0)
    return count


def office_properties(nodes: Iterable[Any]) -> dict[str, Scalar]:
    """Title, author and day of creation out of the properties of a document, as Word and LibreOffice store them."""
    named = {local_name(node): (node.text or "").strip() for node in nodes if isinstance(node.tag, str)}
    author, created = named.get("initial-creator") or named.get("creator"), named.get("created")
    return known(title=named.get("title"), author=author, created=created or named.get("creation-date"))
