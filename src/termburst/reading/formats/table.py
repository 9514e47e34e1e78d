"""All formats by name, and how a file is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from termburst.reading.formats.found import Format, FoundDocument, Note, UnreadableFile
from termburst.reading.options import ReadingPlan


def read_old_office(_stream: BinaryIO, _options: ReadingPlan, _note: Note) -> Iterator[FoundDocument]:
    """Refuse what only old programs read."""
    raise UnreadableFile(
        "is in an older Office format or encrypted; save it as .docx, .xlsx or .odt without a password"
    )


DOCX = Format("a Word document", (".docx", ".docm", ".dotx"), "word.read_docx")
ODT = Format("an OpenDocument text", (".odt", ".ott"), "open_document.read_odt")
RTF = Format("an RTF document", (".rtf",), "rtf.read_rtf")
PDF = Format("a PDF file", (".pdf",), "pdf.read_pdf")
EPUB = Format("an e-book", (".epub",), "epub.read_epub")
HTML = Format("a web page", (".html", ".htm", ".xhtml"), "web_page.read_html")
XLSX = Format("an Excel sheet", (".xlsx", ".xlsm"), "sheets.read_xlsx", "one per row")
JSON = Format("a JSON file", (".json",), "json_array.read_json", "one per row", recoded=True)
MBOX = Format("a mailbox", (".mbox", ".mbx"), "mail.read_mbox", "one per message")
EML = Format("an e-mail message", (".eml",), "mail.read_eml")
XML = Format("an XML file", (".xml", ".tei", ".fodt"), "tei.read_xml")
CONLLU = Format("a CoNLL-U file", (".conllu", ".conllup", ".conll"), "conllu.read_conllu", recoded=True)
VERTICAL = Format("vertical text", (".vrt", ".vert"), "vertical.read_vertical", recoded=True)
OLD_OFFICE = Format("an older Office file", (".doc", ".xls", ".ppt"), "table.read_old_office")

FORMATS: tuple[Format, ...] = (
    DOCX, ODT, RTF, PDF, EPUB, HTML, XLSX, JSON, MBOX, EML, XML, CONLLU, VERTICAL, OLD_OFFICE,
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
    if not suffix and start.startswith(b"From "):
        from termburst.reading.formats.mail import is_mailbox

        return MBOX if is_mailbox(start) else None
    return None
