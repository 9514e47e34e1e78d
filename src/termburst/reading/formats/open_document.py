"""OpenDocument texts (.odt), as LibreOffice writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile
from termburst.reading.formats.marked_text import BLOCK, LINE, lines_of, set_apart, text_below
from termburst.reading.formats.safe_xml import local_name, parse, replace_by_text
from termburst.reading.formats.zip_package import ZipPackage, office_properties
from termburst.reading.options import ReadingPlan

_NAME = "an OpenDocument text"
_SPACES = 10_000  # the most that one element may stand for
_LEFT_OUT = ("tracked-changes", "annotation", "annotation-end", "ruby-text", "note-citation", "forms", "sequence-decls")


def read_odt(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The text of an OpenDocument file, one document per file; notes stand at the end."""
    package = ZipPackage(stream, options.file_bytes, _NAME)
    if b"encryption-data" in (package.read("META-INF/manifest.xml") or b""):
        raise UnreadableFile("is encrypted; remove the password and save it again")
    root = parse(package.require("content.xml"), note, "content.xml")
    meta = package.read("meta.xml")
    body = next(root.iter("{*}body"), None)
    if body is None or not len(body):
        raise UnreadableFile(f"is not {_NAME}: it has no body")
    if local_name(body[0]) != "text":
        raise UnreadableFile(f"is an OpenDocument {local_name(body[0])}, not a text; save it in another format")
    properties = next(parse(meta, note, "meta.xml").iter("{*}meta"), ()) if meta else ()
    yield FoundDocument("", _text(body[0], note), office_properties(properties))


def _text(body: Any, note: Note) -> str:
    space = {"t": body[0].nsmap.get("text", "")} if len(body) else {"t": ""}
    notes: list[Any] = []
    for node in list(body.iter(*(f"{{*}}{name}" for name in _LEFT_OUT))):
        if node.getparent() is not None:
            if local_name(node) in ("annotation", "tracked-changes"):
                note("left out", "comments" if local_name(node) == "annotation" else "deletions that are tracked")
            replace_by_text(node, "")
    for node in list(body.iter(f"{{{space['t']}}}note")):
        notes.append(node)
        replace_by_text(node, "")
    for root in (body, *notes):
        _spell_out(root)
    if notes:
        note("notes moved", f"{len(notes)} footnotes or endnotes stand at the end of the text")
    text = BLOCK.join(text_below(root) for root in (body, *notes))
    return lines_of(text)


def _spell_out(root: Any) -> None:
    """Put characters in the place of elements that stand for them."""
    for node in root.iter("{*}s", "{*}tab"):
        count = node.get(f"{{{node.nsmap.get('text', '')}}}c", "1")
        node.text = " " * (min(int(count), _SPACES) if count.isascii() and count.isdigit() else 1)
    for node in root.iter("{*}line-break"):
        node.text = LINE
    set_apart(root.iter("{*}p", "{*}h"))
