"""XML from strangers: nothing is fetched, no entity is expanded, and what would be lost is said.

A file may declare entities of its own, which can grow without limit or name other files. Such files are refused. Older
corpora use the entities of a DTD that lies elsewhere, such as ``&eacute;``: those that HTML knows are decoded.
"""

from __future__ import annotations

import html.entities
import re
from typing import Any

from termburst.reading.faults import reason
from termburst.reading.formats.found import Note, UnreadableFile, load

_PLACE = re.compile(r" \(<string>, line \d+\)$")  # which lxml adds, though the message has it
DEEPEST = 256  # elements inside elements: what libxml2 allows

_SAFE = {  # of lxml's parsers; not collect_ids=False, with which lxml 6 loads the DTD that a file names
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


def etree() -> Any:
    """The module lxml.etree."""
    return load("lxml.etree", "lxml")


def safe_parser(events: tuple[str, ...] = (), tag: str | list[str] | None = None) -> Any:
    """A parser that fetches nothing; with *events* one that is fed and reports them for the elements called *tag*."""
    xml = etree()

    class NoFile(xml.Resolver):  # type: ignore[misc, name-defined]
        """Gives an empty file in the place of every file that XML asks for."""

        def resolve(self, _url: str, _public_id: str, context: Any) -> Any:
            return self.resolve_string("", context)

    parser = xml.XMLPullParser(events, tag=tag, **_SAFE) if events else xml.XMLParser(**_SAFE)
    parser.resolvers.add(NoFile())
    return parser


def parse(data: bytes, note: Note, part: str = "") -> Any:
    """The root element of XML held as bytes.

    Examples
    --------
    >>> parse(b"<a>caf&eacute; <b>noir</b></a>", print).xpath("string()")
    Traceback (most recent call last):
    termburst.reading.formats.found.UnreadableFile: is not valid XML (Entity 'eacute' not defined, line 1, column 15)
    >>> parse(b"<!DOCTYPE a SYSTEM 'a.dtd'><a>caf&eacute; <b>noir</b></a>", print).xpath("string()")
    entities decoded &eacute; by the table of HTML
    'café noir'
    """
    xml = etree()
    try:
        root = xml.fromstring(data, safe_parser())
    except xml.XMLSyntaxError as error:
        raise invalid(error, part) from error
    refuse_entities(root)
    decode_entities(root, note)
    return root


def invalid(error: Exception, part: str = "") -> UnreadableFile:
    """The sentence for XML that is not well formed."""
    message = reason(error)
    if "depth" in message.lower() and "xml" in message.lower():
        return UnreadableFile(f"has XML with elements nested more than {DEEPEST} deep, which is the limit")
    if "text node too long" in message.lower():
        return UnreadableFile("has XML with more than 10 MB of text between two tags, which is the limit")
    place = f"has a part {part!r} that " if part else ""
    return UnreadableFile(f"{place}is not valid XML ({_PLACE.sub('', message)[:200]})")


def refuse_entities(root: Any) -> None:
    """Raise `UnreadableFile` where the file declares entities of its own."""
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and (names := [entity.name for entity in dtd.iterentities()]):
        raise UnreadableFile(
            f"declares XML entities of its own (&{names[0]:.40};), which are not expanded as they can be harmful; "
            "replace them by their text"
        )


def decode_entities(root: Any, note: Note) -> None:
    """Replace references to entities by their characters; `UnreadableFile` where nobody knows them."""
    references = list(root.iter(etree().Entity))
    for reference in references:
        character = html.entities.html5.get(f"{reference.name};")
        if character is None:
            raise UnreadableFile(
                f"uses the entity &{reference.name:.40};, which is defined in another file; replace it by its text"
            )
        replace_by_text(reference, character)
    if references:
        shown = sorted({f"&{reference.name};" for reference in references})
        more = f" and {len(shown) - 5} others" if len(shown) > 5 else ""
        note("entities decoded", f"{', '.join(shown[:5])}{more} by the table of HTML")


def replace_by_text(node: Any, text: str) -> None:
    """Put *text* in the place of a node; what follows the node stays."""
    parent, before = node.getparent(), node.getprevious()
    text += node.tail or ""
    node.tail = None
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
    parent.remove(node)


def local_name(node: Any) -> str:
    """The name of an element without its namespace.

    Examples
    --------
    >>> local_name(parse(b"<a xmlns='urn:x'/>", print))
    'a'
    """
    return str(node.tag).rpartition("}")[2]


def plain_text(node: Any) -> str:
    """The text of an element on one line.

    Examples
    --------
    >>> plain_text(parse(b"<title>Of <hi>T</hi>ea,\\n and cups</title>", print))
    'Of Tea, and cups'
    """
    return " ".join("".join(node.itertext()).split())
