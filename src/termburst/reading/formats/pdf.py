"""PDF files with a text layer, by pypdf."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from termburst.reading.documents import Scalar
from termburst.reading.faults import many
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, held, known, load, oversize
from termburst.reading.formats.line_ends import join_cut_words
from termburst.reading.options import ReadingPlan

_NAME = "a PDF file"
MOST_PAGES = 100_000
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}


def read_pdf(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The text layer of a PDF file, one document per file.

    Pages without text, such as scans, are named. Words that are cut at the end of a line are joined, and ligatures are
    written as letters.
    """
    stream = held(stream, options.file_bytes)
    if not stream.read(1):
        raise UnreadableFile("is empty")
    stream.seek(0)
    if b"%PDF-" not in stream.read(1024):
        raise UnreadableFile(f"is not {_NAME}: it does not begin as one; check how the file was made")
    stream.seek(0)
    pypdf = load("pypdf", "pypdf")
    with _repairs(note):
        document = _opened(pypdf, stream)
        texts = _pages(document, options)
        metadata = _metadata(document)
    empty = [number for number, text in enumerate(texts, 1) if not text.strip()]
    if not texts:
        raise UnreadableFile("has no pages")
    if len(empty) == len(texts):
        raise UnreadableFile(
            f"has no text on its {many(len(texts), 'page')}, so these are pictures; "
            "recognise the text (OCR) first, for example with OCRmyPDF"
        )
    if empty:
        shown = ", ".join(map(str, empty[:10])) + (", …" if len(empty) > 10 else "")
        note("pages without text", f"{len(empty)} of {len(texts)} pages: {shown}")
    text = "\n".join(text.strip("\n") for text in texts)
    if any(chr(ligature) in text for ligature in _LIGATURES):
        text = text.translate(_LIGATURES)
        note("ligatures", "written as letters")
    yield FoundDocument("", join_cut_words(text, note), metadata)


def _opened(pypdf: Any, stream: BinaryIO) -> Any:
    try:
        document = pypdf.PdfReader(stream, strict=False)
        # Many files may be read by all and only not be changed: their password is empty.
        if document.is_encrypted and not document.decrypt(""):
            raise UnreadableFile("is encrypted; remove the password and save it again")
    except pypdf.errors.DependencyError as error:
        raise UnreadableFile("needs the package cryptography: pip install 'termburst[formats]'") from error
    return document


def _pages(document: Any, options: ReadingPlan) -> list[str]:
    if len(document.pages) > MOST_PAGES:
        raise UnreadableFile(f"has {len(document.pages):,} pages, more than the {MOST_PAGES:,} allowed; split it")
    texts, size = [], 0
    for page in document.pages:
        texts.append(str(page.extract_text() or ""))
        size += len(texts[-1])
        if size > options.document_bytes:
            raise oversize(options.document_bytes)
    return texts


def _metadata(document: Any) -> dict[str, Scalar]:
    try:
        about = document.metadata
        if about is None:
            return {}
        created = about.creation_date.isoformat() if about.creation_date else ""
        found = {"title": about.title, "author": about.author, "created": created}
        return known(**{key: str(value or "").strip() for key, value in found.items()})
    except Exception:  # metadata that cannot be read is no reason to lose the text
        return {}


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def _repairs(note: Note) -> Iterator[None]:
    """What pypdf logs about damage, as a note in place of lines on standard error."""
    collector, logger = _Collector(), logging.getLogger("pypdf")
    logger.addHandler(collector)
    try:
        yield
    finally:
        logger.removeHandler(collector)
    if collector.messages:
        first = collector.messages[0].partition("\n")[0][:120]
        note("repaired", f"{many(len(collector.messages), 'damaged place')} in the PDF ({first})")
