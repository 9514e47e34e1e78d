"""From the bytes of a file to its text: unpacked, decoded, and never more at a time than one document may hold."""

import codecs
import gzip
import io
import itertools
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import IO, Any

from termburst.counts._corpus_files import CorpusFile
from termburst.counts._documents import Options, Progress
from termburst.counts._reading_faults import fault, nul_byte, oversize, reason, undecodable

DECODING_ERRORS = ("strict", "replace", "ignore")  # the others leave surrogates behind, which no output can hold

_CHUNK = 2**18  # bytes asked of the disk at a time


def canonical_encoding(encoding: str) -> str:
    """Python's own name of an encoding; ValueError where it is none that makes text."""
    try:
        codecs.getincrementaldecoder(encoding)
        b"a".decode(encoding, "ignore")  # refuses codecs such as hex, which do not make text
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise ValueError(f"the encoding {encoding!r} is unknown; try utf-8, latin-1, cp1252 or utf-16") from error
    return "utf-8" if name == "utf-8-sig" else name  # a byte order mark is dropped in any case


def read_lines(file: CorpusFile, options: Options, progress: Progress) -> Generator[str, None, None]:
    r"""The lines of a file with their endings, split at \n alone."""
    limit = options.limit
    with closing(_chunks(file, progress)) as chunks:
        utf8 = chunks if options.encoding == "utf-8" else _recoded(chunks, file, options)
        with io.BufferedReader(_Raw(utf8), _CHUNK) as stream:
            for number in itertools.count(1):
                line = stream.readline(limit + 2)  # two more for the line's ending
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                if not line:
                    return
                if len(line) > limit and len(line.rstrip(b"\r\n")) > limit:
                    raise oversize(f"{file.path}, line {number}", limit)
                if b"\0" in line:
                    raise nul_byte(f"{file.path}, line {number}")
                try:
                    text = line.decode("utf-8", options.errors)
                except UnicodeDecodeError as error:
                    raise undecodable(f"{file.path}, line {number}", error) from error
                yield text


def read_whole(file: CorpusFile, options: Options, progress: Progress) -> str:
    """The text of a file that is one document."""
    data = bytearray()
    with closing(_chunks(file, progress)) as chunks:
        for chunk in chunks:
            data += chunk
            if len(data) > options.limit:
                raise oversize(file.path, options.limit)
    try:
        # The incremental decoder, as for lines: it does not guess the byte order of this machine.
        text = codecs.getincrementaldecoder(options.encoding)(options.errors).decode(bytes(data), final=True)
    except UnicodeError as error:
        raise undecodable(f"{file.path}, byte offset {getattr(error, 'start', 0)}", error) from error
    if "\0" in text:
        raise nul_byte(file.path)
    return text.removeprefix("\ufeff")


def _chunks(file: CorpusFile, progress: Progress) -> Generator[bytes, None, None]:
    """The unpacked bytes of a file, a little at a time."""
    damage: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    try:
        with ExitStack() as stack:
            raw = _standard_input() if file.path == "-" else stack.enter_context(Path(file.path).open("rb"))
            stream: Any = raw
            if file.packing == "gzip":
                stream = stack.enter_context(gzip.GzipFile(fileobj=raw))
            elif file.packing == "zstd":
                zstd = _zstd()
                damage = (*damage, zstd.ZstdError)
                stream = stack.enter_context(zstd.open(raw, "rb"))
            first = True
            while chunk := stream.read1(_CHUNK):  # what there is: a pipe may be slow, and Ctrl-C come between
                if first and chunk.startswith((b"%PDF-", b"PK\x03\x04")):
                    kind = "a PDF" if chunk.startswith(b"%PDF-") else "a zip archive or an office document"
                    raise fault(file.path, f"is {kind}, not text; convert it first, or read the text files by a glob")
                first = False
                progress.position = raw.tell() if file.packing else progress.position + len(chunk)
                yield chunk
    except damage as error:
        problem = f"is not a whole {file.packing} file ({reason(error)}); fetch or pack it again"
        raise fault(file.path, problem) from error
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error


def _standard_input() -> IO[bytes]:
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise fault("-", "there is no standard input to read; name a file or a folder")
    return stream


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _recoded(chunks: Iterator[bytes], file: CorpusFile, options: Options) -> Iterator[bytes]:
    """The same text in UTF-8, in which a line can be found by its bytes (in UTF-16, say, it cannot)."""
    decoder = codecs.getincrementaldecoder(options.encoding)(options.errors)
    line = 1
    for chunk in itertools.chain(chunks, [b""]):
        before = decoder.getstate()
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            decoder.setstate(before)
            pending = len(error.object) - len(chunk)  # bytes that the decoder had kept from the chunk before
            with suppress(UnicodeError):  # not even the start can be decoded without its byte order mark
                line += decoder.decode(chunk[: max(0, error.start - pending)]).count("\n")
            raise undecodable(f"{file.path}, line {line}", error) from error
        except UnicodeError as error:
            raise undecodable(f"{file.path}, line {line}", error) from error
        line += text.count("\n")
        yield text.encode("utf-8", "replace")


class _Raw(io.RawIOBase):
    """Chunks of bytes as a stream, for the sake of a buffered `readline` with a limit."""

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
