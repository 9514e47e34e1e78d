"""Blocks of whole lines from a stream of UTF-8; and bytes as text, as they say or by a guess that is noted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from termburst.messages import named
from termburst.reading.encodings import canonical_encoding, guess_encoding, marked_encoding
from termburst.reading.faults import megabytes
from termburst.reading.formats.found import Note, UnreadableFile

_BLOCK = 2**13  # characters of text that are split at a time; they fit into a processor's cache
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
    guess = guess_encoding(data) or "cp1252"
    if guess != "utf-8" and not marked_encoding(data):
        note("encoding guessed", guess)
    return guess


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _has_one_byte(encoding: str) -> bool:
    """Whether each byte is one character."""
    return len(bytes(range(128, 256)).decode(encoding, "replace")) == 128


def text_blocks(stream: BinaryIO, limit: int, end: str = "\n") -> Iterator[str]:
    r"""Blocks that end with *end*, out of UTF-8; all line endings are \\n.

    Examples
    --------
    >>> import io
    >>> list(text_blocks(io.BytesIO(b"one\r\ntwo"), 100))
    ['one\n', 'two']
    """
    rest, lines = "", 0
    decoded = io.TextIOWrapper(stream, "utf-8-sig")
    while text := decoded.read(max(_BLOCK, len(rest))):  # to search a long rest again for each block would be slow
        if "\0" in text:
            raise UnreadableFile("holds NUL bytes, so it is not text; check how the file was made")
        text = rest + text if rest else text
        cut = text.rfind(end) + len(end) if end in text else 0
        if not cut and len(text) > limit:
            problem = f"line {lines + 1} holds more than {megabytes(limit)}; if that is meant, raise "
            raise UnreadableFile(problem + named("max_document_mb"))
        rest = text[cut:]
        if cut:
            yield text[:cut]
            lines += text.count("\n", 0, cut)
    if rest:
        yield rest
