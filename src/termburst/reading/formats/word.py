"""Word documents (.docx): paragraphs, tables and notes in their order, tracked changes as accepted."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile
from termburst.reading.formats.safe_xml import local_name, parse
from termburst.reading.formats.zip_package import ZipPackage, office_properties
from termburst.reading.options import ReadingPlan

_NAME = "a Word document"
# What a document has twice or does not show: moved text at its old place, drawings for old programs, ruby.
_HIDDEN = ("moveFrom", "Fallback", "rt", "del")
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}


def read_docx(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The text of a Word document, one document per file.

    Footnotes and endnotes stand at the end of the text. Headers, footers and comments are left out. Deletions that are
    tracked are left out, insertions are kept.
    """
    package = ZipPackage(stream, options.file_bytes, _NAME)
    main = _main_part(package, note)
    folder = posixpath.dirname(main)
    text = _text(parse(package.require(main), note, main), note)
    notes = 0
    for kind in ("footnotes", "endnotes"):
        data = package.read(f"{folder}/{kind}.xml")
        for each in _notes(parse(data, note, kind)) if data else ():
            if found := _text(each, note).strip():
                notes += 1
                text += f"\n{found}"
    if notes:
        note("notes moved", f"{notes} footnotes or endnotes stand at the end of the text")
    _say_what_is_left_out(package, folder, note)
    about = package.read("docProps/core.xml")
    properties = office_properties(parse(about, note, "docProps/core.xml")) if about else {}
    yield FoundDocument("", text.strip("\n"), properties)


def _main_part(package: ZipPackage, note: Note) -> str:
    relations = package.read("_rels/.rels")
    for relation in parse(relations, note, "_rels/.rels") if relations else ():
        if str(relation.get("Type", "")).endswith("/officeDocument"):
            name = str(relation.get("Target", "")).lstrip("/")
            if name.startswith(("xl/", "ppt/")):
                raise UnreadableFile("is an Excel or PowerPoint file, not a Word document; give it its right ending")
            return name
    return "word/document.xml"


def _text(root: Any, note: Note) -> str:
    space = str(root.tag).rpartition("}")[0].removeprefix("{")  # that of ISO "strict" files is another one
    hidden = [node for node in root.iter(*(f"{{*}}{name}" for name in _HIDDEN)) if node.getparent() is not None]
    changes = [node for node in hidden if local_name(node) in ("moveFrom", "del") and len(node)]
    for node in hidden:
        node.getparent().remove(node)
    if changes:
        note("tracked changes", f"{len(changes)} deletions left out, insertions kept")
    pieces: list[str] = []
    for node in root.iter(f"{{{space}}}*"):
        name = node.tag[len(space) + 2 :]
        if name == "t":
            pieces.append(node.text or "")
        elif name == "p":
            pieces.append("\n")
        elif name in _CHARACTERS and local_name(node.getparent()) == "r":  # "tab" is a tab stop elsewhere
            pieces.append(_CHARACTERS[name])
    return "".join(pieces)


def _notes(root: Any) -> Iterator[Any]:
    """The notes of a part, without the lines that separate them from the text."""
    for node in root:
        kinds = [value for key, value in node.attrib.items() if key.rpartition("}")[2] == "type"]
        if not kinds or kinds[0] == "normal":
            yield node


def _say_what_is_left_out(package: ZipPackage, folder: str, note: Note) -> None:
    names = [posixpath.basename(name) for name in package.names if posixpath.dirname(name) == folder]
    if any(name.startswith(("header", "footer")) for name in names):
        note("left out", "headers and footers of the pages")
    if "comments.xml" in names:
        note("left out", "comments")
