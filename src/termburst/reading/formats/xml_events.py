"""Elements of a large XML file as they end: memory follows the element, not the file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from termburst.limits import require_memory
from termburst.reading.formats.found import Note, UnreadableFile, too_large
from termburst.reading.formats.safe_xml import decode_entities, etree, invalid, refuse_entities, safe_parser

_CHUNK = 2**16  # bytes given to the parser at a time
_TREE = 12  # bytes of memory for each byte of XML, measured on corpora with one element per word
_FIRST = 2**20  # bytes within which the first element must begin


class XmlSource:
    """An XML file whose first element is known before the rest is read.

    Examples
    --------
    >>> import io
    >>> source = XmlSource(io.BytesIO(b"<corpus><text n='1'>a</text><text n='2'>b</text></corpus>"), 2**20, print)
    >>> source.root.tag
    'corpus'
    >>> [text.get("n") for text in source.outermost(["{*}text"])]
    ['1', '2']
    """

    def __init__(self, stream: BinaryIO, limit: int, note: Note) -> None:
        self._stream, self._limit, self._note = stream, limit, note
        self._read: list[bytes] = []
        self.nested = False  # the element that was given last holds others of its kind
        self.root = self._first_element()
        self._has_dtd = self.root.getroottree().docinfo.internalDTD is not None

    def _first_element(self) -> Any:
        parser = safe_parser(("start",))
        for chunk in self._chunks(self._read):
            try:
                parser.feed(chunk)
                events = list(parser.read_events())
            except etree().XMLSyntaxError as error:
                events = list(_events_before(parser))
                if not events:
                    raise invalid(error) from error
            if events:
                refuse_entities(events[0][1])
                return events[0][1]
            if sum(map(len, self._read)) > _FIRST:
                raise UnreadableFile("is not XML that can be read: no element begins within the first megabyte")
        raise UnreadableFile("is not XML: it has no elements" if any(map(bytes.strip, self._read)) else "is empty")

    def _chunks(self, keep: list[bytes] | None = None) -> Iterator[bytes]:
        while chunk := self._stream.read(_CHUNK):
            if keep is not None:
                keep.append(chunk)
            yield chunk

    def tree(self) -> Any:
        """The root of the whole file."""
        return next(self.outermost([str(self.root.tag)]))

    def outermost(self, tags: list[str]) -> Iterator[Any]:
        """The elements called *tags* that are in no other of them; each is emptied after use."""
        parser = safe_parser(("start", "end"), tags)
        depth, size, ask = 0, 0, 2**24
        syntax_error = etree().XMLSyntaxError
        chunks = chain(self._read, self._chunks())
        self._read = []
        ended = False
        while not ended:
            chunk = next(chunks, b"")
            ended = not chunk
            try:
                if chunk:
                    parser.feed(chunk)
                else:
                    parser.close()
            except syntax_error as error:
                raise invalid(error) from error
            size += len(chunk)
            if size > self._limit:
                raise too_large(self._limit)
            if size > ask:
                _require_memory(size)
                ask *= 2
            for event, node in parser.read_events():
                depth += 1 if event == "start" else -1
                self.nested = self.nested or depth > 1
                if depth == 0:
                    if self._has_dtd:  # otherwise an entity that is not defined is an error already
                        decode_entities(node, self._note)
                    yield node
                    _forget(node)
                    self.nested = False
                    size, ask = 0, 2**24


def _events_before(parser: Any) -> Iterator[Any]:
    """What a parser has found before a fault."""
    try:
        yield from parser.read_events()
    except Exception:  # the fault again
        return


def _require_memory(size: int) -> None:
    try:
        require_memory(_TREE * size, "one document of this XML file")
    except ValueError as error:
        raise UnreadableFile(str(error)) from error


def _forget(node: Any) -> None:
    """Free an element and all that stands before it."""
    node.clear()
    parent = node.getparent()
    while parent is not None and node.getprevious() is not None:
        del parent[0]
