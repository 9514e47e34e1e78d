"""All formats by name, and how a file is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from termburst.reading.formats.conllu import read_conllu
from termburst.reading.formats.epub import read_epub
from termburst.reading.formats.found import Format, FormatOptions, FoundDocument, Note, UnreadableFile
from termburst.reading.formats.json_array import read_json
from termburst.reading.formats.mail import is_mailbox, read_eml, read_mbox
from termburst.reading.formats.open_document import read_odt
from termburst.reading.formats.pdf import read_pdf
from termburst.reading.formats.rtf import read_rtf
from termburst.reading.formats.sheets import read_xlsx
from termburst.reading.formats.spacy_docs import read_docbin
from termburst.reading.formats.tei import read_xml
from termburst.reading.formats.vertical import read_vertical
from termburst.reading.formats.web_page import read_html
from termburst.reading.formats.word import read_docx


def _read_old_office(_stream: BinaryIO, _options: FormatOptions, _note: Note) -> Iterator[FoundDocument]:
    raise UnreadableFile(
        "is in an older Office format or encrypted; save it as .docx, .xlsx or .odt without a password"
    )
    yield  # a generator, as the others are


DOCX = Format("a Word document", (".docx", ".docm", ".dotx"), read_docx, "lxml")
ODT = Format("an OpenDocument text", (".odt", ".fodt", ".ott"), read_odt, "lxml")
RTF = Format("an RTF document", (".rtf",), read_rtf, "striprtf")
PDF = Format("a PDF file", (".pdf",), read_pdf, "pypdf")
EPUB = Format("an e-book", (".epub",), read_epub, "lxml")
HTML = Format("a web page", (".html", ".htm", ".xhtml"), read_html, "trafilatura")
XLSX = Format("an Excel sheet", (".xlsx", ".xlsm"), read_xlsx, "openpyxl")
JSON = Format("a JSON file", (".json",), read_json)
MBOX = Format("a mailbox", (".mbox", ".mbx"), read_mbox, "lxml")
EML = Format("an e-mail message", (".eml",), read_eml, "lxml")
XML = Format("an XML file", (".xml", ".tei"), read_xml, "lxml")
CONLLU = Format("a CoNLL-U file", (".conllu", ".conllup", ".conll"), read_conllu)
VERTICAL = Format("vertical text", (".vrt", ".vert"), read_vertical)
DOCBIN = Format("a DocBin of spaCy", (".spacy",), read_docbin, "spacy")
OLD_OFFICE = Format("an older Office file", (".doc", ".xls", ".ppt"), _read_old_office)

FORMATS: tuple[Format, ...] = (
    DOCX, ODT, RTF, PDF, EPUB, HTML, XLSX, JSON, MBOX, EML, XML, CONLLU, VERTICAL, DOCBIN, OLD_OFFICE,
)  # fmt: skip

_BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.text"
_HTML = re.compile(rb"\s*(?:<!--(?:(?!-->).){0,500}-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"\s*<\?xml[\s?]")
_PLAIN = ("", ".txt", ".text", ".asc", ".md")  # whose first bytes may say that they are something else


def format_of(suffix: str, start: bytes) -> Format | None:
    """The format of a file, by the ending of its name and, where that is wrong, by its first bytes.

    Plain text, tables (CSV, Parquet), JSON Lines and archives are none of these formats.

    Parameters
    ----------
    suffix : ending of the file's name, such as ".docx"
    start : the first bytes of the file; some thousands are best

    Examples
    --------
    >>> format_of(".DOCX", b"PK").name, format_of(".txt", b"%PDF-1.7").name, format_of(".txt", b"Call me Ishmael.")
    ('a Word document', 'a PDF file', None)
    """
    suffix = suffix.lower()
    suffix = suffix if not suffix or suffix.startswith(".") else f".{suffix}"
    known = _BY_SUFFIX.get(suffix)
    plain = start.removeprefix(b"\xef\xbb\xbf")
    by_bytes = _by_signature(plain, known)
    if by_bytes is not None:
        return by_bytes
    if known is None and suffix in _PLAIN:
        return _by_markup(plain, suffix)
    if known in (XML, OLD_OFFICE) and _HTML.match(plain):
        return HTML
    if known is OLD_OFFICE and _XML.match(plain):
        return XML
    return known


def _by_signature(start: bytes, known: Format | None) -> Format | None:
    """Formats whose first bytes leave no doubt; these are right where the ending is wrong."""
    if start.startswith(b"%PDF-"):
        return PDF
    if start.startswith(b"{\\rtf"):
        return RTF
    if start.startswith(_OLE):
        return known if known in (DOCX, XLSX) else OLD_OFFICE
    if start.startswith(b"PK\3\4"):
        return _zipped(start)
    return None


def _zipped(start: bytes) -> Format | None:
    """Office files and e-books are zip archives, and their first parts tell."""
    if start[30:38] == b"mimetype":
        kind = start[38:120]
        return EPUB if kind.startswith(b"application/epub+zip") else ODT if kind.startswith(_OPEN_DOCUMENT) else None
    if b"[Content_Types].xml" in start or b"_rels/.rels" in start:
        return DOCX if b"word/" in start else XLSX if b"xl/" in start else None
    return None


def _by_markup(start: bytes, suffix: str) -> Format | None:
    if _HTML.match(start):
        return HTML
    if _XML.match(start):
        rest = start[start.find(b"?>") + 2 :]
        return HTML if _HTML.match(rest) else XML
    return MBOX if not suffix and is_mailbox(start) else None
