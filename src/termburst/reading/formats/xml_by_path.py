"""XML of any kind: an XPath says which elements are documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from termburst.messages import named
from termburst.reading.documents import Scalar
from termburst.reading.faults import reason
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile
from termburst.reading.formats.marked_text import BLOCK, lines_of, text_below
from termburst.reading.formats.safe_xml import etree, local_name
from termburst.reading.formats.xml_events import XmlSource
from termburst.reading.options import ReadingPlan

TEI = "http://www.tei-c.org/ns/1.0"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_ANYWHERE = re.compile(r"//([A-Za-z_][\w.-]*)$")  # a path that needs no more of the file than one element at a time


def read_by_path(source: XmlSource, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """Each match of the XPath is one document; its attributes are metadata."""
    path = options.xpath
    if path is None:
        first, listed = _elements(source)
        advice = "say which elements are documents, such as " + named("xpath", f"//{first}") + f"; it has {listed}"
        raise UnreadableFile(f"is XML of the kind <{local_name(source.root)}>, which is not TEI; " + advice)
    simple = _ANYWHERE.match(path)
    matches = source.outermost([f"{{*}}{simple[1]}"]) if simple else iter(matches_in(source.tree(), path, note))
    number = 0
    for number, match in enumerate(matches, 1):
        text = match if isinstance(match, str) else text_of(match)
        yield FoundDocument(name_of(match, number), text, attributes_of(match))
    if not number:
        raise no_match(path)


def no_match(path: str) -> UnreadableFile:
    """The sentence for a path that finds nothing."""
    return UnreadableFile("has no match for " + named("xpath", path) + "; check the names of the elements")


def name_of(match: Any, number: int) -> str:
    """The id of an element, or its number."""
    return str(number) if isinstance(match, str) else str(match.get(f"{_XML}id") or match.get("id") or number)


def attributes_of(match: Any) -> dict[str, Scalar]:
    """The attributes of an element; none where an attribute or a text was matched."""
    return {} if isinstance(match, str) else {key.rpartition("}")[2]: value for key, value in match.attrib.items()}


def matches_in(root: Any, path: str, note: Note) -> list[Any]:
    """All matches of an XPath; a match inside another one is left out, as its words would be counted twice."""
    xml = etree()
    spaces = {str(prefix): uri for prefix, uri in root.nsmap.items() if prefix} | {"tei": TEI}
    try:
        find = xml.XPath(path, namespaces=spaces, smart_strings=False)
        found = find(root.getroottree() if path.startswith("/") and root.getparent() is None else root)
        if found == [] and any(str(node.tag).startswith("{") for node in (root, *root[:1])):
            without = strip_namespaces(root)
            found = find(without)
            if found:
                note(
                    "namespaces ignored",
                    "the names in " + named("xpath") + " have no prefix, the elements of the file have a namespace",
                )
    except xml.XPathError as error:
        raise UnreadableFile(named("xpath", path) + f" cannot be used ({reason(error)})") from error
    if isinstance(found, (str, float, bool)):
        return [str(found)]
    nodes = [node for node in found if isinstance(node, str) or isinstance(getattr(node, "tag", None), str)]
    inside = {id(node) for node in nodes}
    kept = [
        node
        for node in nodes
        if isinstance(node, str) or not any(id(above) in inside for above in node.iterancestors())
    ]
    if len(kept) < len(nodes):
        note("matches inside matches", f"{len(nodes) - len(kept)} left out: their text is part of another match")
    return kept


def strip_namespaces(root: Any) -> Any:
    """The same tree with names that have no namespace."""
    for node in root.iter("{*}*"):
        node.tag = local_name(node)
    return root


def text_of(node: Any) -> str:
    """The text of an element whose markup nobody has explained; the tree is changed.

    An element that has text beside its children is running text, and its children stand within words or between them.
    The children of an element without text of its own are set apart.

    Examples
    --------
    >>> from termburst.reading.formats.safe_xml import parse
    >>> text_of(parse(b"<sp><who>Ham.</who><l>To <i>b</i>e, or</l><l>not</l></sp>", print))
    'Ham.\\nTo be, or\\nnot'
    """
    for parent in node.iter():
        if len(parent) and not (parent.text or "").strip() and not any((child.tail or "").strip() for child in parent):
            for child in parent:
                child.text = BLOCK + (child.text or "")
                child.tail = BLOCK
    return lines_of(text_below(node))


def _elements(source: XmlSource) -> tuple[str, str]:
    """The first element of a file, and the most frequent ones, as help."""
    names = Counter(local_name(node) for node in source.tree().iter() if isinstance(node.tag, str))
    names.pop(local_name(source.root), None)
    shown = [f"{name} ({count:,})" for name, count in names.most_common(8)]
    first = next(iter(names), local_name(source.root))
    return first, ", ".join(shown) if shown else "no other elements"
