"""Web pages (.html): the main text, and what was removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.reading.documents import Scalar
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, dated, known, whole
from termburst.reading.formats.main_text import keep_main_text, letters
from termburst.reading.formats.marked_text import LINE, lines_of, set_apart, text_below
from termburst.reading.formats.safe_xml import etree, plain_text, replace_by_text
from termburst.reading.formats.text_lines import decode_all
from termburst.reading.options import ReadingPlan

# fmt: off
_INVISIBLE = (
    "script", "style", "template", "noscript", "head", "svg", "math", "object", "iframe", "select", "textarea", "rt",
    "rp",
)
_BLOCKS = (
    "address", "article", "aside", "blockquote", "body", "button", "caption", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "ul",
)
# fmt: on
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""")
_DEPTH = re.compile("excessive depth", re.IGNORECASE)


def read_html(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The main text of a web page, one document per file.

    Menus, footers and their like are left out (`keep_main_text`). The note "markup removed" names them and says how
    much of the text they were.
    """
    data = whole(stream, options.file_bytes)
    if not data.strip():
        raise UnreadableFile("is empty")
    source = decode_all(data, note, declared_encoding(data))
    if "\0" in source:
        raise UnreadableFile("holds NUL bytes, so it is not text; check how the file was made")
    root = html_tree(source)
    if root is None:
        raise UnreadableFile("has no text that a browser would show")
    metadata = _metadata(root)
    _remove_invisible(root)
    before = letters(root)
    main, removed = keep_main_text(root)
    after, text = letters(main), visible_text(main)
    if not text:
        raise UnreadableFile("has no text that a browser would show")
    if removed:
        shown = ", ".join(removed[:8]) + (", …" if len(removed) > 8 else "")
        share = f"{(before - after) / before:.0%}" if before > after else "0%"
        note("markup removed", f"tags, scripts and styles, and {share} of the text: {shown}")
    else:
        note("markup removed", "tags, scripts and styles")
    yield FoundDocument("", text, metadata)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the page itself names.

    Examples
    --------
    >>> declared_encoding(b'<html><meta charset="ISO-8859-1">')
    'iso-8859-1'
    """
    found = _XML_ENCODING.search(data[:400]) or _CHARSET.search(data[:4096])
    if found is None:
        return None
    name = found[1].decode("ascii", "replace").lower()
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name  # a name that can be read is not in these


def html_tree(source: str) -> Any:
    """The elements of a page as browsers mend them; None where there are none."""
    xml = etree()
    parser = xml.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = xml.fromstring(source.encode("utf-8", "replace"), parser)
    except xml.XMLSyntaxError:
        return None
    if any(_DEPTH.search(entry.message) for entry in parser.error_log):
        raise UnreadableFile("has elements nested more than 256 deep, which is the limit")
    return root


def visible_text(root: Any) -> str:
    """All text that a browser would show, blocks on lines of their own; the tree is changed.

    Examples
    --------
    >>> visible_text(html_tree("<p>Tea<i>pot</i>s<p>and<br>cups<a><sup>1</sup></a><script>x()</script>"))
    'Teapots\\nand\\ncups 1'
    """
    _remove_invisible(root)
    for node in root.iter("br"):
        node.text = LINE
    for node in root.iter("pre"):  # where the lines of the file are those of the text
        for each in node.iter("*"):
            each.text = (each.text or "").replace("\n", LINE)
            if each is not node:
                each.tail = (each.tail or "").replace("\n", LINE)
    for node in root.iter("sup"):
        if next(node.iter("a"), None) is not None or any(above.tag == "a" for above in node.iterancestors()):
            node.text = " " + (node.text or "")  # the number of a note is not part of the word
    set_apart(root.iter(*_BLOCKS))
    return lines_of(text_below(root))


def _remove_invisible(root: Any) -> None:
    for node in list(root.iter(*_INVISIBLE)):
        if node.getparent() is not None:
            replace_by_text(node, "")


def _metadata(root: Any) -> dict[str, Scalar]:
    """What the head of the page says; the page is not searched for it."""
    named: dict[str, str] = {}
    for node in root.iter("meta"):
        key = str(node.get("name") or node.get("property") or "").lower()
        named.setdefault(key, " ".join(str(node.get("content") or "").split()))
    title = next(map(plain_text, root.iter("title")), "")
    metadata = known(
        title=title or named.get("og:title"),
        author=named.get("author") or named.get("dc.creator"),
        language=next((str(node.get("lang")) for node in root.iter("html") if node.get("lang")), ""),
    )
    return dated(metadata, named.get("article:published_time") or named.get("date") or named.get("dc.date"))
