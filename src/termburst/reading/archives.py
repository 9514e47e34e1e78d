"""Files inside zip and tar archives. Nothing is written to disk, and nothing is unpacked beyond what is read.

Limits are checked before and while an archive is unpacked: its number of files, its unpacked size, and how many times
larger it becomes. Links, names that lead out of the archive, and archives inside it are skipped and noted.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from termburst.messages import named
from termburst.reading.corpus_files import CorpusFile, describe_name, not_meant
from termburst.reading.documents import Progress
from termburst.reading.faults import fault, reason
from termburst.reading.formats.zip_package import count_parts
from termburst.reading.lines import zstd_module
from termburst.reading.options import ReadingPlan

MOST_RATIO = 500  # unpacked to packed bytes; text rarely passes 50, and gzip cannot pass 1,032
_SMALL = 2**24  # bytes that may be packed as tightly as they like
_LONGEST_HEADER = 2**20  # of a file in a tar archive: names and attributes
_CHUNK = 2**18
DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError,
)  # fmt: skip


class ArchiveLimit(ValueError):  # noqa: N818 - it says which limit is passed
    """An archive is larger than allowed; nothing more of it is read."""


def archive_files(file: CorpusFile, options: ReadingPlan, progress: Progress) -> Iterator[CorpusFile]:
    """The files of an archive, in the order of their names (zip) or of the archive (tar), to be read one by one."""
    try:
        with Path(file.path).open("rb") as raw:
            start = raw.read(4)
            raw.seek(0)
            if start[:2] == b"PK":
                yield from _zip_files(raw, file, options, progress)
            else:
                yield from _tar_files(raw, file, options, progress)
    except Exception as error:
        if isinstance(error, DAMAGE) or type(error).__name__ == "ZstdError":  # its module is loaded only if needed
            raise fault(file.path, f"is not a complete archive ({reason(error)}); download or pack it again") from error
        if isinstance(error, OSError):
            raise fault(file.path, f"cannot be read ({reason(error)})") from error
        raise


def _zip_files(raw: BinaryIO, file: CorpusFile, options: ReadingPlan, progress: Progress) -> Iterator[CorpusFile]:
    _check_number(count_parts(raw, options.max_archive_files), file, options)
    with zipfile.ZipFile(raw) as archive:
        parts = archive.infolist()
        size = sum(part.file_size for part in parts)
        _check_size(size, file, options)
        if size > _SMALL and size > MOST_RATIO * (file.size or 1):
            raise _too_tight(file)
        for part in sorted(parts, key=lambda part: part.filename):
            name = part.filename.replace("\\", "/")
            if part.is_dir():
                continue
            label = f"{file.label}/{name}"
            if stat.S_ISLNK(part.external_attr >> 16):
                progress.note(label, "skipped", "a link in an archive")
            elif part.flag_bits & 1:
                progress.note(label, "could not be read", "is encrypted; unpack it with its password first")
            elif entry := _entry(file, name, part.file_size, options, progress):
                yield replace(entry, opened=partial(archive.open, part))
            progress.position = raw.tell()


def _tar_files(raw: BinaryIO, file: CorpusFile, options: ReadingPlan, progress: Progress) -> Iterator[CorpusFile]:
    with ExitStack() as stack:
        stream = _Forward(_unpacked(raw, stack), raw, file, options)
        archive = stack.enter_context(tarfile.open(fileobj=cast(Any, stream), mode="r:"))
        count = size = 0
        while (part := archive.next()) is not None:
            cast(Any, archive).members = []  # tarfile would keep them all
            count, size = count + 1, size + part.size
            _check_number(count, file, options)
            _check_size(size, file, options)  # a sparse file has bytes that are not in the archive
            label = f"{file.label}/{part.name}"
            if part.issym() or part.islnk():
                progress.note(label, "skipped", "a link in an archive")
            elif part.isdir():
                continue
            elif not part.isfile():
                progress.note(label, "skipped", "a device in an archive")
            elif entry := _entry(file, part.name, part.size, options, progress):
                yield replace(entry, opened=partial(cast(Any, archive).extractfile, part))
            progress.position = raw.tell()
        if not stream.ended:
            progress.note(file.label, "incomplete", f"the archive is cut off or damaged behind its file {count:,}")


def _entry(file: CorpusFile, name: str, size: int, options: ReadingPlan, progress: Progress) -> CorpusFile | None:
    """How to read a file of an archive; None if it is skipped, which is noted."""
    parts = name.split("/")
    entry = describe_name(f"{file.path}/{name}", f"{file.label}/{name.removeprefix('./')}", None, lines=options.lines)
    why = not_meant(entry, size)
    if name.startswith("/") or ".." in parts or (len(name) > 1 and name[1] == ":"):
        why = "a name that leads out of the archive"
    elif any(part.startswith(".") and part != "." for part in parts) or "__MACOSX" in parts:
        why = "hidden"
    elif why is None and entry.kind == "archive":
        why = "an archive inside an archive; unpack it first"
    if why is not None:
        progress.note(entry.label, "skipped", why)
        return None
    return entry


def _check_number(count: int, file: CorpusFile, options: ReadingPlan) -> None:
    if count > options.max_archive_files:
        most = f"{options.max_archive_files:,}"
        advice = "unpack it and give the folder, or raise " + named("max_archive_files")
        raise ArchiveLimit(str(fault(file.path, f"the archive has more than {most} files; " + advice)))


def _check_size(size: int, file: CorpusFile, options: ReadingPlan) -> None:
    if size > options.archive_bytes:
        most = f"{options.archive_bytes / 2**20:,g} MB"
        problem = f"the archive holds more than {most} when unpacked"
        raise ArchiveLimit(str(fault(file.path, f"{problem}; if this is intended, raise " + named("max_archive_mb"))))


def _too_tight(file: CorpusFile) -> ArchiveLimit:
    problem = f"the archive becomes more than {MOST_RATIO:,} times larger when unpacked, as harmful ones do"
    return ArchiveLimit(str(fault(file.path, f"{problem}; if you trust it, unpack it and give the folder")))


def _unpacked(raw: BinaryIO, stack: ExitStack) -> IO[bytes]:
    start = raw.read(6)
    raw.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=raw)))
    if start.startswith(b"\xfd7zXZ\0"):
        return stack.enter_context(lzma.LZMAFile(raw))
    if start.startswith(b"BZh"):
        return stack.enter_context(bz2.BZ2File(raw))
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return cast(IO[bytes], stack.enter_context(zstd_module().open(raw, "rb")))
    return raw


class _Forward:
    """An unpacked stream that tarfile reads from its start to its end, within limits."""

    def __init__(self, stream: IO[bytes], raw: BinaryIO, file: CorpusFile, options: ReadingPlan) -> None:
        self._stream, self._raw, self._file, self._options = stream, raw, file, options
        self._at = 0
        self.ended = False  # with the block of zeros that ends an archive

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= max(_LONGEST_HEADER, _CHUNK):
            raise tarfile.ReadError("a header in it is too long")
        parts = []
        while size > 0 and (part := self._stream.read(size)):
            parts.append(part)
            size -= len(part)
        data = b"".join(parts)
        self._at += len(data)
        self.ended = len(data) == tarfile.BLOCKSIZE and not data.strip(b"\0")
        _check_size(self._at, self._file, self._options)
        if self._at > _SMALL and self._stream is not self._raw and self._at > MOST_RATIO * max(1, self._raw.tell()):
            raise _too_tight(self._file)
        return data

    def tell(self) -> int:
        return self._at

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or place < self._at:
            raise tarfile.ReadError("its parts are not one behind the other")
        while self._at < place:
            if not self.read(min(_CHUNK, place - self._at)):
                break
        return self._at
