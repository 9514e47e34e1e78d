"""E-books (.epub): the chapters in the order of reading, joined into one document."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, BinaryIO
from urllib.parse import unquote

from termburst.reading.documents import Scalar
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, dated, known, oversize
from termburst.reading.formats.safe_xml import local_name, parse, plain_text
from termburst.reading.formats.text_lines import decode_all
from termburst.reading.formats.web_page import declared_encoding, html_tree, visible_text
from termburst.reading.formats.zip_package import ZipPackage
from termburst.reading.options import ReadingPlan

_NAME = "an e-book"
_CONTAINER = "META-INF/container.xml"


def read_epub(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The text of an e-book in the order of its spine, one document per file."""
    package = ZipPackage(stream, options.file_bytes, _NAME)
    container = parse(package.require(_CONTAINER), note, _CONTAINER)
    contents = next((str(node.get("full-path") or "") for node in container.iter("{*}rootfile")), "")
    book = parse(package.require(contents), note, contents)
    chapters, size = [], 0
    for name in _spine(book, posixpath.dirname(contents), package, note):
        chapters.append(_chapter(package, name, note))
        size += len(chapters[-1])
        if size > options.document_bytes:
            raise oversize(options.document_bytes)
    text = "\n".join(filter(None, chapters))
    if not text:
        locked = "META-INF/encryption.xml" in package.names
        raise UnreadableFile("is protected against copying" if locked else "has no text in its chapters")
    yield FoundDocument("", text, _metadata(book))


def _spine(book: Any, folder: str, package: ZipPackage, note: Note) -> list[str]:
    """The parts in the order of reading, without the table of contents."""
    locked = _encrypted(package, note)
    items = {str(node.get("id")): node for node in book.iter("{*}item")}
    parts, linear = [], 0
    for reference in book.iter("{*}itemref"):
        item = items.get(str(reference.get("idref")))
        if item is None:
            note("left out", f"chapter {reference.get('idref')!r:.60}, which the e-book lists but does not hold")
            continue
        if "nav" in str(item.get("properties") or "").split():
            continue
        linear += reference.get("linear") == "no"
        name = posixpath.normpath(posixpath.join(folder, unquote(str(item.get("href") or "")))).lstrip("/")
        if name in locked:
            raise UnreadableFile("is protected against copying (DRM), so its text cannot be read")
        parts.append(name)
    if linear:
        note(
            "parts beside the text",
            f"{linear} parts that stand beside the main text, such as notes, are kept in their place",
        )
    return parts


def _encrypted(package: ZipPackage, note: Note) -> set[str]:
    data = package.read("META-INF/encryption.xml")  # fonts may stand there, too, and do no harm
    root = parse(data, note, "META-INF/encryption.xml") if data else None
    return {unquote(str(node.get("URI"))) for node in root.iter("{*}CipherReference")} if root is not None else set()


def _chapter(package: ZipPackage, name: str, note: Note) -> str:
    data = package.read(name)
    if data is None:
        note("left out", f"chapter {name!r:.80}, which the e-book lists but does not hold")
        return ""
    root = html_tree(decode_all(data, note, declared_encoding(data))) if data.strip() else None
    return visible_text(root) if root is not None else ""


def _metadata(book: Any) -> dict[str, Scalar]:
    found: dict[str, list[str]] = {}
    about = next(book.iter("{*}metadata"), None)
    for node in about.iter("{*}title", "{*}creator", "{*}date", "{*}language") if about is not None else ():
        if value := plain_text(node):
            found.setdefault(local_name(node), []).append(value)
    title, language, date = (found.get(name, [""])[0] for name in ("title", "language", "date"))
    return dated(known(title=title, author="; ".join(found.get("creator", [])), language=language), date)
