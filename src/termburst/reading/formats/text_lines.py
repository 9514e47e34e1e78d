"""Blocks of whole lines from a stream, as text: UTF-8, or what a byte order mark says, or a guess that is said."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from termburst.messages import named
from termburst.reading.encodings import Guess, canonical_encoding, guess_encoding, marked_encoding
from termburst.reading.faults import megabytes
from termburst.reading.formats.found import CHUNK, Note, UnreadableFile

# What programs write that say Latin-1, as browsers take it; and nothing, where they say no more than ASCII.
_AS_WRITTEN: dict[str, str | None] = {"iso8859-1": "cp1252", "ascii": None}


def decode_all(data: bytes, note: Note, declared: str | None = None) -> str:
    r"""All bytes as text: by their byte order mark, as *declared*, as UTF-8, or in an encoding that is guessed.

    Text that is valid UTF-8, and not only ASCII, is hardly ever in an encoding of one byte per character, whatever is
    declared.

    Examples
    --------
    >>> decode_all("naïve".encode(), print), decode_all("naïve".encode("latin-1"), print)
    encoding guessed cp1252
    ('naïve', 'naïve')
    >>> decode_all("naïve".encode(), print, "cp1252")
    encoding repaired the file says cp1252 but is in UTF-8
    'naïve'
    """
    encoding = marked_encoding(data)
    said = encoding or declared
    if encoding is None and declared is not None:
        try:
            name = canonical_encoding(declared)
            encoding = _AS_WRITTEN.get(name, name)
        except ValueError:
            note("encoding guessed", f"the file names the unknown encoding {declared:.40}")
    utf_8 = _strictly(data, "utf-8")
    if encoding is None:
        text = data.decode(_guessed(data, note), "replace") if utf_8 is None else utf_8
        return text.removeprefix("\ufeff")
    strict = _strictly(data, encoding)
    wrong = strict is None or (_has_one_byte(encoding) and not data.isascii())
    if utf_8 is not None and strict != utf_8 and wrong:
        note("encoding repaired", f"the file says {said:.40} but is in UTF-8")
        text = utf_8
    elif strict is None:
        note("encoding repaired", f"the file says {said:.40} but has bytes that are not valid in it")
        text = data.decode(encoding, "replace")
    else:
        text = strict
    return text.removeprefix("\ufeff")


def _guessed(data: bytes, note: Note) -> str:
    guess = guess_encoding(data) or Guess("cp1252")
    if guess.encoding != "utf-8" and not guess.marked:
        note("encoding guessed", guess.encoding)
    return guess.encoding


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _has_one_byte(encoding: str) -> bool:
    """Whether each byte is one character."""
    return len(bytes(range(128, 256)).decode(encoding, "replace")) == 128


def text_blocks(stream: BinaryIO, limit: int, note: Note) -> Iterator[str]:
    r"""Blocks that end with a line; all line endings are \\n.

    Examples
    --------
    >>> import io
    >>> list(text_blocks(io.BytesIO(b"one\r\ntwo"), 100, print))
    ['one\n', 'two']
    """
    rest, lines = "", 0
    for decoded in decoded_blocks(stream, note):
        text = (rest + decoded if rest else decoded).replace("\r\n", "\n")
        cut = text.rfind("\n") + 1
        if not cut and len(text) > limit:
            raise UnreadableFile(
                f"line {lines + 1} holds more than {megabytes(limit)}; if that is meant, raise "
                + named("max_document_mb")
            )
        block, rest = text[:cut], text[cut:]
        if "\0" in block:
            raise UnreadableFile("holds NUL bytes, so it is not text; check how the file was made")
        if block:
            yield block
            lines += block.count("\n")
    if rest:
        if "\0" in rest:
            raise UnreadableFile("holds NUL bytes, so it is not text; check how the file was made")
        yield rest


def decoded_blocks(stream: BinaryIO, note: Note) -> Iterator[str]:
    """The text of a stream in blocks that may end anywhere."""
    chunk = stream.read(CHUNK)
    encoding = marked_encoding(chunk) or "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)()
    start, ascii_only = True, True
    while True:
        pending = decoder.getstate()[0]
        try:
            text = decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            if encoding != "utf-8" or not ascii_only:
                byte = f"0x{error.object[error.start]:02x}"
                raise UnreadableFile(
                    f"the byte {byte} is not valid {encoding}, while others are; convert the file to UTF-8"
                ) from error
            encoding = _guessed(pending + chunk, note)
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            text = decoder.decode(pending + chunk)
        ascii_only = ascii_only and text.isascii()
        if text:
            yield text.removeprefix("\ufeff") if start else text
            start = False
        if not chunk:
            return
        chunk = stream.read(CHUNK)
