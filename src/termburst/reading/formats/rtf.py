"""Rich Text Format (.rtf), by striprtf."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, known, load, whole
from termburst.reading.options import ReadingPlan

_NAME = "an RTF document"
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{3,5})")
_LINK = re.compile(r"\\\*\s*\\fldinst", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
_FONT = re.compile(r"(?=\\f\d)", re.IGNORECASE)
_MOST_OPEN_FONTS = 10  # without a semicolon, which ends each font
_INFO = re.compile(r"\{\\(title|author)\b ?((?:[^{}\\]|\\[^{}]|\\[{}])*)\}")


def read_rtf(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The text of an RTF file, one document per file."""
    data = whole(stream, options.file_bytes)
    if not data.strip():
        raise UnreadableFile("is empty")
    if not data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf"):
        raise UnreadableFile(f"is not {_NAME}: it does not begin as one; check how the file was made")
    if not data.rstrip(b"\0 \r\n\t").endswith(b"}"):
        note("incomplete", "the file ends before its last group is closed; text may be missing")
    encoding = _code_page(data)
    try:  # RTF is ASCII, but some programs write bytes of their code page
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\\footnote" in text:
        note("left out", "footnotes")
    if "\\header" in text or "\\footer" in text:
        note("left out", "headers and footers of the pages")
    about = {key: _plain(f"{{\\rtf1 {raw}}}", encoding) for key, raw in _INFO.findall(text[:100_000])}
    plain = _plain(text, encoding)
    if "\N{REPLACEMENT CHARACTER}" in plain:
        note("characters replaced", f"bytes that are not valid {encoding}")
    yield FoundDocument("", plain, known(**about))


def _code_page(data: bytes) -> str:
    found = _CODE_PAGE.search(data[:4096])
    encoding = f"cp{found[1].decode()}" if found else "mac_roman" if data[:200].find(b"\\mac") > 0 else "cp1252"
    encoding = {"cp65001": "utf-8", "cp10000": "mac_roman"}.get(encoding, encoding)
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def _plain(text: str, encoding: str) -> str:
    result: str = load("striprtf.striprtf", "striprtf").rtf_to_text(_tamed(text), encoding, errors="replace")
    return result.strip("\n")


def _tamed(text: str) -> str:
    """The same text for striprtf, whose patterns for links and fonts take for ever on some files.

    It would also add the address of each link to the text.
    """
    text = _LINK.sub(r"\\*\\link", text)
    start = text.find("\\fonttbl")
    if start < 0:
        return text
    depth, end = 1, len(text)
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            end = brace.end()
            break
    fonts = _FONT.sub("\n", text[start:end])  # a pattern of striprtf ends with the line
    if fonts.count("\\fcharset", fonts.rfind(";") + 1) > _MOST_OPEN_FONTS:
        raise UnreadableFile("has a list of fonts that does not end, so it is damaged; save it again")
    return text[:start] + fonts + text[end:]
