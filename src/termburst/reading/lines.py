"""From the bytes of a file to its text: unpack and decode, and never hold more at a time than one document may have."""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import os
import re
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from termburst.reading.corpus_files import CorpusFile
from termburst.reading.documents import Progress
from termburst.reading.encodings import SAMPLE, guess_encoding, is_utf8, looks_binary, marked_encoding
from termburst.reading.faults import Skipped, fault, not_text, nul_byte, oversize, reason, undecodable
from termburst.reading.options import ReadingPlan
from termburst.reading.report import ENCODING_FOUND, ENCODING_GUESSED

if TYPE_CHECKING:
    from termburst.reading.formats.found import Format


_CHUNK = 2**18  # bytes to read from disk at a time
# How files in other formats begin; a file with another ending may be one of them.
_MARKED = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:%PDF-|PK\x03\x04|\{\\rtf|\xd0\xcf\x11\xe0|From |\s{0,99}<(?:\?xml|!doctype|html|!--))",
    re.IGNORECASE,
)
_FIRST = frozenset(bytes([byte]) for byte in b"%P{\xd0Ff<\xef \t\r\n")
_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # Windows only


def is_marked(start: bytes) -> bool:
    """Whether a file begins like one in a format of its own."""
    return start[:1] in _FIRST and _MARKED.match(start) is not None


def read_lines(file: CorpusFile, options: ReadingPlan, progress: Progress) -> Generator[list[str], None, None]:
    r"""The lines of a file with their endings, split at \n only, in lists of those that are read together."""
    with open_utf8(file, options, progress) as stream:
        source = Source(stream)
        single = decoded(source, file, options, progress)
        while block := source.peek(1):
            size = block.rfind(b"\n") + 1
            lines = _clean_lines(block[:size], options.document_bytes) if source.lines else None
            if lines:
                source.skip(size, len(lines))
                yield lines
                continue
            # Lines that may have faults are checked one by one, and so is the first line, for its byte order mark.
            until = source.taken + (max(size, 1) if source.lines else 1)
            for line in single:
                yield [line]
                if source.taken >= until:
                    break
            else:
                return


def _clean_lines(block: bytes, limit: int) -> list[str] | None:
    """The lines of a block; None if any of them may have a fault."""
    if b"\0" in block:
        return None
    lines = io.BytesIO(block).readlines()
    if len(block) > limit and max(map(len, lines), default=0) > limit:
        return None
    try:
        return [line.decode("utf-8") for line in lines]
    except UnicodeDecodeError:
        return None


def decoded(source: Source, file: CorpusFile, options: ReadingPlan, progress: Progress) -> Iterator[str]:
    """The lines of a source as text; ValueError if one is too long.

    If no encoding is named, a line that is not valid UTF-8 is read in another encoding, and the first one is noted.
    """
    limit = options.document_bytes
    other: str | None = None
    while True:
        number = source.lines + 1
        if number == 1:
            line = source.readline(limit + 2 + len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        else:
            line = source.readline(limit + 2)  # 2 for the end of the line
        if not line:
            return
        if len(line) > limit and len(line.rstrip(b"\r\n")) > limit:
            raise oversize(f"{file.path}, line {number}", limit)
        if b"\0" in line:
            raise nul_byte(f"{file.path}, line {number}", given=options.encoding is not None)
        try:
            text = line.decode("utf-8", "strict" if options.encoding is None else options.errors)
        except UnicodeDecodeError as error:
            if options.encoding is not None:
                raise undecodable(f"{file.path}, line {number}", error, at_start=number == 1) from error
            if other is None:
                guess = guess_encoding(line)
                if guess is None:
                    raise not_text(f"{file.path}, line {number}") from error
                other = guess
                detail = f"line {number:,} is not valid UTF-8; it and others like it are read as {other}"
                progress.note(file.label or file.path, "lines in another encoding", detail)
            text = line.decode(other, "replace")
        yield text


class Source:
    """The bytes of a file in UTF-8: take one line, or look ahead and skip what was seen."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream = stream
        self._ahead = io.BytesIO()
        self._failure: ValueError | None = None
        self.at_end = False  # nothing follows what `peek` returned last
        self.taken = 0  # bytes taken
        self.lines = 0  # lines taken

    def readline(self, limit: int) -> bytes:
        """The next line, cut after *limit* bytes; empty at the end."""
        line = self._ahead.readline(limit)
        if not line.endswith(b"\n") and len(line) < limit:
            if self._failure is not None:
                raise self._failure
            line += self._stream.readline(limit - len(line))
        self.taken += len(line)
        self.lines += bool(line)
        return line

    def peek(self, size: int) -> bytes:
        """At least the next *size* bytes; fewer only if the file ends or cannot be read further."""
        parts = [self._ahead.read()]
        missing = size - len(parts[0])
        while missing > 0 and self._failure is None:
            try:
                parts.append(self._stream.read1(max(missing, _CHUNK)))
            except ValueError as error:  # raised when the reader reaches this place
                self._failure = error
                break
            missing -= len(parts[-1])
            if not parts[-1]:
                self.at_end = True
                break
        data = b"".join(parts)
        if not data and self._failure is not None:
            raise self._failure
        self._ahead = io.BytesIO(data)
        return data

    def skip(self, size: int, lines: int) -> None:
        """Take bytes that were seen."""
        self._ahead.seek(size, io.SEEK_CUR)
        self.taken += size
        self.lines += lines


@contextmanager
def open_utf8(
    file: CorpusFile, options: ReadingPlan, progress: Progress, *, one_encoding: bool = False
) -> Iterator[io.BufferedReader[Any]]:
    """The unpacked bytes of a file, recoded to UTF-8; with *one_encoding*, also where it begins with much ASCII."""
    with closing(_chunks(file, progress)) as found:
        chunks: Iterator[bytes] = found
        encoding = options.encoding
        if encoding is None:
            encoding, chunks = _with_encoding(found, file, progress)
            if one_encoding and encoding == "utf-8":
                chunks = _after_ascii(chunks, file, options, progress)
        utf8 = chunks if encoding == "utf-8" else _recoded(chunks, file, encoding, options)
        with io.BufferedReader(_Raw(utf8), _CHUNK) as stream:
            yield stream


@contextmanager
def open_bytes(file: CorpusFile, progress: Progress) -> Iterator[io.BufferedReader[Any]]:
    """The unpacked bytes of a file."""
    with closing(_chunks(file, progress)) as chunks, io.BufferedReader(_Raw(chunks), _CHUNK) as stream:
        yield stream


def _with_encoding(chunks: Iterator[bytes], file: CorpusFile, progress: Progress) -> tuple[str, Iterator[bytes]]:
    """The encoding of a stream, by its first bytes, and the same stream."""
    seen = [next(chunks, b"")]
    if b"\0" not in seen[0] and is_utf8(seen[0]):
        return "utf-8", itertools.chain(seen, chunks)
    size = len(seen[0])
    while file.path != "-" and size < SAMPLE and (chunk := next(chunks, b"")):  # more may be long in coming on a pipe
        seen.append(chunk)
        size += len(chunk)
    guess = guess_encoding(b"".join(seen))
    if guess is None and not any(b"\0" in chunk for chunk in seen):
        raise not_text(file.path)
    if guess is not None and guess != "utf-8":
        start = " (by its first megabyte)" if size >= SAMPLE else ""
        progress.note(file.label or file.path, _how_known(seen[0]), guess + start)
    return guess or "utf-8", itertools.chain(seen, chunks)


def _after_ascii(
    chunks: Iterator[bytes], file: CorpusFile, options: ReadingPlan, progress: Progress
) -> Iterator[bytes]:
    """The same stream in UTF-8: the first bytes beyond ASCII tell its encoding."""
    for chunk in chunks:
        if not chunk.isascii():
            rest: Iterator[bytes] = itertools.chain([chunk], chunks)
            guess = guess_encoding(chunk)
            if guess is not None and guess != "utf-8":
                progress.note(file.label or file.path, ENCODING_GUESSED, guess)
                rest = _recoded(rest, file, guess, options)
            yield from rest
            return
        yield chunk


def _how_known(start: bytes) -> str:
    return ENCODING_FOUND if marked_encoding(start) else ENCODING_GUESSED


class OtherFormat(Exception):  # noqa: N818 - it is not an error
    """The first bytes of a plain text file show that it is in a format of its own."""

    def __init__(self, format: Format, data: bytes) -> None:
        super().__init__(format.name)
        self.format, self.data = format, data


def read_whole(file: CorpusFile, options: ReadingPlan, progress: Progress) -> str:
    """The text of a file that is one document; `OtherFormat` if it is in a format of its own."""
    data = _at_once(file, options.document_bytes, progress)
    if is_marked(data):
        _check_format(file, data)
    text = decode_whole(data, file, options, progress)
    if not text or text.isspace():
        raise Skipped(str(fault(file.path, "is empty; there is nothing to read")), "empty")
    return text


def decode_whole(data: bytes, file: CorpusFile, options: ReadingPlan, progress: Progress) -> str:
    """The bytes of a file as text, without a byte order mark."""
    if options.encoding is None:
        return _detected_text(data, file, options, progress)
    try:
        if options.encoding == "utf-8":
            text = data.decode("utf-8", options.errors)
        else:  # the incremental decoder, as for lines: it does not assume the byte order of this machine
            text = codecs.getincrementaldecoder(options.encoding)(options.errors).decode(data, final=True)
    except UnicodeError as error:
        raise undecodable(f"{file.path}, byte offset {getattr(error, 'start', 0)}", error) from error
    if "\0" in text:
        raise Skipped(str(nul_byte(file.path)), "binary")
    return text.removeprefix("\ufeff")


def _detected_text(data: bytes, file: CorpusFile, options: ReadingPlan, progress: Progress) -> str:
    try:
        text = data.decode("utf-8")
        if "\0" not in text:
            return text.removeprefix("\ufeff")
    except UnicodeDecodeError:
        pass
    guess = guess_encoding(data)
    if guess is None:
        raise not_text(file.path)
    if guess != "utf-8":
        progress.note(file.label, _how_known(data), guess)
    decoder = codecs.getincrementaldecoder(guess)
    try:
        text = decoder().decode(data, final=True)
    except UnicodeError:
        errors = "ignore" if options.errors == "ignore" else "replace"
        text = decoder(errors).decode(data, final=True)
        bad = text.count("\N{REPLACEMENT CHARACTER}")
        progress.note(file.label, "characters replaced", f"{bad:,} that are not valid {guess}")
    if "\0" in text:
        raise not_text(file.path)
    return text.removeprefix("\ufeff")


def _check_format(file: CorpusFile, data: bytes) -> None:
    """Raise `OtherFormat` if the file is in a format of its own, and ValueError if it is an archive."""
    from termburst.reading.formats.table import format_of

    found = format_of(file.suffix, data[: 2**13])
    if found is not None:
        raise OtherFormat(found, data)
    _refuse_documents(file, data)


def _unpacked(file: CorpusFile, limit: int, progress: Progress) -> bytes:
    data = bytearray()
    with closing(_chunks(file, progress)) as chunks:
        for chunk in chunks:
            data += chunk
            if len(data) > limit:
                raise oversize(file.path, limit)
    return bytes(data)


def _at_once(file: CorpusFile, limit: int, progress: Progress) -> bytes:
    """The bytes of a plain file, by as few calls as possible: a folder may have a million files."""
    if file.opened is not None or file.packing:
        return _unpacked(file, limit, progress)
    try:
        descriptor = os.open(file.path, _READING)
        try:
            size = file.size or 0
            parts = [os.read(descriptor, min(size, limit, _CHUNK) + 1)]
            held = len(parts[0])
            if size > _CHUNK:
                if looks_binary(parts[0]):
                    raise not_text(file.path)
                parts.append(os.read(descriptor, max(0, min(size, limit) - held) + 1))
                held += len(parts[1])
            while held <= limit and (more := os.read(descriptor, _CHUNK)):
                parts.append(more)
                held += len(more)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error
    if held > limit:
        raise oversize(file.path, limit)
    progress.position = held
    return b"".join(parts) if len(parts) > 1 else parts[0]


def _chunks(file: CorpusFile, progress: Progress) -> Generator[bytes, None, None]:
    """The unpacked bytes of a file, in chunks."""
    damage: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    try:
        with ExitStack() as stack:
            if file.opened is not None:
                from termburst.reading.archives import DAMAGE

                damage = DAMAGE
                raw = stack.enter_context(file.opened())
            else:
                raw = _standard_input() if file.path == "-" else stack.enter_context(Path(file.path).open("rb"))
            stream: Any = raw
            if file.packing == "gzip":
                stream = stack.enter_context(gzip.GzipFile(fileobj=raw))
            elif file.packing == "zstd":
                zstd = zstd_module()
                damage = (*damage, zstd.ZstdError)
                stream = stack.enter_context(zstd.open(raw, "rb"))
            first = True
            while chunk := stream.read1(_CHUNK):  # read1: a pipe may be slow, and Ctrl-C must work
                if first and not file.whole and file.kind != "format":
                    _refuse_documents(file, chunk)
                first = False
                if file.opened is None:
                    progress.position = raw.tell() if file.packing else progress.position + len(chunk)
                yield chunk
    except damage as error:
        packing = f"a complete {file.packing} file" if file.packing else "packed completely"
        problem = f"is not {packing} ({reason(error)}); download or pack it again"
        raise fault(file.path, problem) from error
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error


def _refuse_documents(file: CorpusFile, start: bytes) -> None:
    if start.startswith((b"%PDF-", b"PK\x03\x04")):
        kind = "a PDF" if start.startswith(b"%PDF-") else "a zip archive or an office document"
        raise fault(file.path, f"is {kind}, not text; convert it first, or choose the text files by a glob")


def _standard_input() -> IO[bytes]:
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise fault("-", "there is no standard input to read; name a file or a folder")
    return stream


def zstd_module() -> Any:
    """The module that unpacks zstd: of the standard library from Python 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _recoded(chunks: Iterator[bytes], file: CorpusFile, encoding: str, options: ReadingPlan) -> Iterator[bytes]:
    """The same text in UTF-8, where line ends can be found in the bytes (in UTF-16 they cannot)."""
    decoder = codecs.getincrementaldecoder(encoding)(options.errors)
    line, named = 1, options.encoding is not None
    for chunk in itertools.chain(chunks, [b""]):
        before = decoder.getstate()
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            decoder.setstate(before)
            pending = len(error.object) - len(chunk)  # bytes that the decoder kept from the chunk before
            text = ""
            with suppress(UnicodeError):  # without a byte order mark, even the start cannot be decoded
                text = decoder.decode(chunk[: max(0, error.start - pending)])
            yield text.encode("utf-8", "replace")  # what comes before the fault is read, and may have other faults
            line += text.count("\n")
            raise undecodable(f"{file.path}, line {line}", error, at_start=line == 1, given=named) from error
        except UnicodeError as error:
            raise undecodable(f"{file.path}, line {line}", error, given=named) from error
        line += text.count("\n")
        yield text.encode("utf-8", "replace")


class _Raw(io.RawIOBase):
    """Chunks of bytes as a stream, so that `io.BufferedReader` gives it a `readline` with a limit."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def bytes_of(text: str | list[str]) -> int:
    """The size of a text in UTF-8. Each token counts one byte more, so that empty tokens count, too."""
    if not isinstance(text, str):
        return len(text) + bytes_of("".join(text))
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
