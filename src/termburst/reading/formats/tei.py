"""TEI, the Text Encoding Initiative's XML: the body is the text, the header becomes metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.reading.documents import Scalar, Text
from termburst.reading.formats.found import FoundDocument, Note, dated
from termburst.reading.formats.line_ends import join_cut_words
from termburst.reading.formats.marked_text import LINE, lines_of, set_apart, text_below
from termburst.reading.formats.safe_xml import local_name, plain_text, replace_by_text
from termburst.reading.formats.tei_words import words_of
from termburst.reading.formats.xml_by_path import (
    attributes_of,
    matches_in,
    name_of,
    no_match,
    read_by_path,
    strip_namespaces,
)
from termburst.reading.formats.xml_events import XmlSource
from termburst.reading.layers import Annotation
from termburst.reading.options import ReadingPlan

_DOCUMENTS = ("TEI", "TEI.2", "bncDoc")  # TEI P5, TEI P4, the British National Corpus
_BODIES = ("body", "wtext", "stext")
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_JOIN = "\ue000"  # a line that ends within a word

# Text that an edition gives in addition to what was written: running heads, deletions, descriptions of pictures.
_LEFT_OUT = ("fw", "del", "surplus", "figDesc", "desc")
# Of two readings the second one is left out: what was corrected, regularised, expanded, and other witnesses.
_OTHER = {"sic": "corr", "orig": "reg", "abbr": "expan", "rdg": "lem"}
# fmt: off
_BLOCKS = (
    "p", "ab", "l", "lg", "s", "u", "div", "div0", "div1", "div2", "div3", "div4", "div5", "div6", "div7", "head",
    "sp", "speaker", "stage", "note", "item", "label", "list", "row", "cell", "table", "opener", "closer", "salute",
    "signed", "dateline", "byline", "trailer", "argument", "epigraph", "castItem", "castList", "titlePart",
    "docTitle", "docImprint", "bibl", "listBibl", "figure", "quote", "cit", "floatingText", "titlePage", "front",
    "back", "body", "group", "text", "postscript",
)
# fmt: on
_BREAKS = ("lb", "pb", "cb", "gb", "milestone")


def read_xml(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The documents of a TEI file, or of any other XML file by an XPath.

    TEI: each ``<TEI>`` is one document; its text is what stands in ``<body>``. A body with ``<w>`` is read as tokens of
    the layer that is asked for. The encoding is what the XML declares.
    """
    source = XmlSource(stream, options.file_bytes, note)
    kind = local_name(source.root)
    if kind.lower() == "html":
        yield from _web_page(source, note)
        return
    # A path that begins at the root needs the whole file, not one text at a time.
    from_root = options.xpath is not None and re.match("/(?!/)", options.xpath) is not None
    if (kind in (*_DOCUMENTS, "teiCorpus") and not from_root) or (options.xpath is None and kind == "bnc"):
        yield from _tei(source, options, note)
    else:
        yield from read_by_path(source, options, note)


def _tei(source: XmlSource, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    annotation = Annotation(options.layers or "form")
    several = local_name(source.root) not in _DOCUMENTS
    number = documents = 0
    names = [f"{{*}}{name}" for name in _DOCUMENTS]
    for node in source.outermost(names):
        # A TEI may hold others, in the place of a teiCorpus.
        texts = [each for each in node.iter(*names) if each is not node] if source.nested else [node]
        for each in texts:
            number += 1
            name = _name(each, number) if several or source.nested else ""
            for found in _documents(each, name, options, annotation, note):
                yield found
                documents += 1
    if options.xpath is not None and not documents:
        raise no_match(options.xpath)
    annotation.say(note)


def _documents(
    node: Any, name: str, options: ReadingPlan, annotation: Annotation, note: Note
) -> Iterator[FoundDocument]:
    metadata = _header(node, note)
    bodies = _bodies(node, note)
    for body in bodies:
        _prune(body, note)
    if options.xpath is not None:
        inside = f".{options.xpath}" if options.xpath.startswith("//") else options.xpath  # of one text of many
        matches = matches_in(node, inside, note)
        for number, match in enumerate((each for each in matches if not _is_in_header(each)), 1):
            part: Text = match
            if not isinstance(match, str):
                words = words_of([match], annotation, note)
                part = text_of_body(match, note) if words is None else words
            label = f"{name}:{name_of(match, number)}" if name else name_of(match, number)
            yield FoundDocument(label, part, {**metadata, **attributes_of(match)})
        return
    words = words_of(bodies, annotation, note)
    if words is not None:
        yield FoundDocument(name, words, metadata)
        return
    if options.layers not in (None, "form"):
        note("no annotation", "there are no <w> elements, so the text is read without the layer")
    yield FoundDocument(name, "\n".join(text_of_body(body, note) for body in bodies), metadata)


def _is_in_header(match: Any) -> bool:
    return not isinstance(match, str) and any(local_name(above) == "teiHeader" for above in match.iterancestors())


def _name(node: Any, number: int) -> str:
    """The id of a text in a corpus of many."""
    if node.get(_ID):
        return str(node.get(_ID))
    names = map(plain_text, _described(node, "fileDesc/publicationStmt/idno"))
    return next(names, "") or str(number)


def _bodies(node: Any, note: Note) -> list[Any]:
    """The bodies of a text, of which there are several where it is a group of texts."""
    bodies: list[Any] = []
    pending = [child for child in node if local_name(child) in ("text", *_BODIES)]
    while pending:
        each = pending.pop(0)
        name = local_name(each)
        if name in _BODIES:
            bodies.append(each)
        elif name in ("text", "group"):
            pending[:0] = list(each)
        elif name in ("front", "back") and any(text.strip() for text in each.itertext()):
            note("left out", f"<{name}>, which is beside the body of the text")
    return bodies


def _prune(body: Any, note: Note) -> None:
    """Remove what is no running text, and of two readings the second one."""
    for node in list(body.iter(*(f"{{*}}{name}" for name in (*_LEFT_OUT, *_OTHER)))):
        parent, name = node.getparent(), local_name(node)
        if parent is None:
            continue
        wanted = _OTHER.get(name)
        if wanted is None or any(local_name(child) == wanted for child in parent):
            note("markup removed", f"<{name}> with its text")
            replace_by_text(node, "")


def text_of_body(body: Any, note: Note) -> str:
    r"""The running text of a TEI element; the tree is changed.

    Examples
    --------
    >>> from termburst.reading.formats.safe_xml import parse
    >>> tei = b"<body><head>Of <hi>T</hi>ea</head><p>A cup<lb/>of tea, un-<lb break='no'/>til\n noon</p></body>"
    >>> text_of_body(parse(tei, print), print)
    words joined that were cut at the end of a line
    'Of Tea\nA cup\nof tea, until noon'
    """
    for node in body.iter(*(f"{{*}}{name}" for name in _BREAKS)):
        inside = node.get("break") == "no"
        node.tail = (_JOIN if inside else LINE) + (node.tail or "")
    space = str(body.tag).rpartition("}")[0]
    prefix = f"{space}}}" if space else ""
    set_apart(body.iter(*(prefix + name for name in _BLOCKS)))
    text = text_below(body)
    if _JOIN in text:
        parts = text.split(_JOIN)
        text = "".join([part.strip().rstrip("-\u2010\xac\xad") for part in parts[:-1]] + [parts[-1].lstrip()])
        note("words joined", "that were cut at the end of a line")
    text = lines_of(text)
    if "-\n" in text or "\xad" in text or "\u2010\n" in text:
        text = join_cut_words(text, note)
    return text


def _header(node: Any, note: Note) -> dict[str, Scalar]:
    """Title, author, date and language out of the header of a text."""
    metadata: dict[str, Scalar] = {}
    titles = _described(node, "fileDesc/titleStmt//title")
    main = [title for title in titles if title.get("type") == "main"]
    if title := "".join(map(plain_text, (main or titles)[:1])):
        metadata["title"] = title
    for path in ("fileDesc/titleStmt//author", "fileDesc/sourceDesc//author"):
        authors = filter(None, map(plain_text, _described(node, path)))
        if "author" not in metadata and (named := "; ".join(dict.fromkeys(authors))):
            metadata["author"] = named
    languages = [each.get("ident") for each in _described(node, "profileDesc/langUsage//language")]
    if language := node.get(_LANGUAGE) or next(iter(languages), None):
        metadata["language"] = str(language)
    return dated(metadata, _date(node, note))


def _date(node: Any, note: Note) -> str | None:
    """When the text was written or printed; of the digital edition only where nothing else is said."""
    for place in ("profileDesc/creation", "fileDesc/sourceDesc", "fileDesc/publicationStmt"):
        for date in _described(node, f"{place}//date"):
            value = date.get("when") or date.get("when-iso") or plain_text(date)
            if not value and (date.get("from") or date.get("notBefore")):
                value = f"{date.get('from') or date.get('notBefore')}/{date.get('to') or date.get('notAfter') or ''}"
            if value:
                if place == "fileDesc/publicationStmt":
                    note("date guessed", "from the publication of the file, as the header has no other")
                return str(value)
    return None


def _described(node: Any, path: str) -> list[Any]:
    """The elements at a path below the header, in any namespace."""
    found: list[Any] = node.findall(re.sub(r"\w+", r"{*}\g<0>", f"teiHeader/{path}"))
    return found


def _web_page(source: XmlSource, note: Note) -> Iterator[FoundDocument]:
    from termburst.reading.formats.web_page import visible_text

    root = strip_namespaces(source.tree())
    title = next(map(plain_text, root.iter("title")), "")
    note("markup removed", "tags, scripts and styles")
    yield FoundDocument("", visible_text(root), {"title": title} if title else {})
