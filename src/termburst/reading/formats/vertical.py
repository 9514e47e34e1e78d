"""Vertical text (.vrt, .vert) of CWB, CQPweb and Sketch Engine: one token per line, tags on lines of their own.

The columns are word, part of speech and lemma, as CWB has them. Where a comment names them (``<!-- #vrt
positional-attributes: word lemma pos -->``), that holds. Where the second column looks like lemmas and the third does
not, they are taken the other way round, and a note says so.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from termburst.reading.documents import Scalar, as_number
from termburst.reading.faults import many
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, oversize
from termburst.reading.formats.text_lines import text_blocks
from termburst.reading.layers import Annotation, layers_in
from termburst.reading.options import ReadingPlan

_DOCUMENTS = ("text", "doc", "document", "file")
_TAG = re.compile(r"""<(/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*/?>\s*$""")
_ATTRIBUTE = re.compile(r"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NAMED = re.compile(r"<!--\s*#?vrt positional-attributes:\s*(.*?)\s*-->", re.IGNORECASE)
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_TAGS = ("upos", "pos", "tag", "msd")
_SAMPLE = 2000  # tokens that are looked at to find out what the columns are
_ENOUGH = 2**16  # characters to read at a time


def read_vertical(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The documents of a vertical file: each ``<text …>`` is one, and its attributes are the metadata.

    In the place of ``<text>`` there may be ``<doc>``, ``<document>`` or ``<file>``: the one that comes first counts.
    Where there is none of them, the whole file is one document.
    """
    parser = _Parser(options.layers or "form", options.document_bytes, note)
    first = ""  # enough to find out what the columns are
    for block in text_blocks(stream, options.document_bytes):
        first += block
        if len(first) < _ENOUGH:
            continue
        yield from parser.feed(first)
        first = ""
    if first:
        yield from parser.feed(first)
    yield from parser.last()


def decode_entities(text: str) -> str:
    """Characters for the entities of XML; all else stays.

    Examples
    --------
    >>> decode_entities("R&amp;D &#233; &eacute; AT&T")
    'R&D é &eacute; AT&T'
    """
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


class _Parser:
    def __init__(self, layer: str, limit: int, note: Note) -> None:
        self._layer, self._limit, self._note, self._annotation = layer, limit, note, Annotation(layer)
        self._columns: tuple[int, int, int] | None = None  # of word, part of speech and lemma
        self._element = ""  # which element is a document
        self._line = 1
        self._number = self._outside = 0
        self._open = False
        self._start({})

    def _start(self, attributes: dict[str, str]) -> None:
        self._name, self._size = attributes.get("id", ""), 0
        self._tokens: list[str] = []
        self._metadata: dict[str, Scalar] = {k: as_number(value) for k, value in attributes.items() if k != "id"}

    def feed(self, block: str) -> Iterator[FoundDocument]:
        """Read some lines; the documents that end in them."""
        lines = block.removesuffix("\n").split("\n")
        if self._columns is None:
            self._look_at(lines)
        start, has_entities = 0, "&" in block
        for tag in (k for k, line in enumerate(lines) if line[:1] == "<" and _is_tag(line)):
            self._take(lines[start:tag], start, has_entities)
            yield from self._tag(lines[tag])
            start = tag + 1
        self._take(lines[start:], start, has_entities)
        self._line += len(lines)
        if self._size > self._limit:
            raise oversize(self._limit, "separate documents by <text>, or ")

    def _look_at(self, lines: list[str]) -> None:
        """Find out which element is a document and what the columns are."""
        tags = (_TAG.match(line) for line in lines if line[:1] == "<")
        if not self._element:
            self._element = next((tag[2] for tag in tags if tag and tag[2] in _DOCUMENTS), "")
        named = next((match for line in lines[:50] if (match := _NAMED.match(line[:10_000]))), None)
        rows = [line.split("\t") for line in lines if line.strip() and not _is_tag(line)][:_SAMPLE]
        if not rows:
            return
        width = Counter(map(len, rows)).most_common(1)[0][0]
        self._columns = _named_columns(named[1].split()) if named else self._guessed_columns(rows)
        _, pos, lemma = self._columns
        columns = {"form": (0,), "lemma": (lemma,), "upos": (pos,), "lemma_upos": (lemma, pos)}
        needed = [column for layer in layers_in(self._layer) for column in columns[layer]]
        if not 0 <= min(needed) <= max(needed) < width:
            raise UnreadableFile(f"has {many(width, 'column')}, none for the layer {self._layer!r}; choose another")

    def _guessed_columns(self, rows: list[list[str]]) -> tuple[int, int, int]:
        full = [row for row in rows if len(row) > 2 and row[0].isalpha()]
        if not full:
            return 0, 1, 2

        def like_words(column: int) -> int:
            return sum(row[0].lower() == row[column].lower() for row in full)

        if like_words(1) > like_words(2):
            if self._layer != "form":
                self._note("columns guessed", "word, lemma, part of speech")
            return 0, 2, 1
        if self._layer != "form":
            self._note("columns guessed", "word, part of speech, lemma")
        return 0, 1, 2

    def _take(self, lines: list[str], first: int, has_entities: bool) -> None:
        """Take the tokens of lines that are no tags; the number of the *first* one is for messages."""
        rows = [line.split("\t") for line in lines if line and not line.isspace()]
        if self._element and not self._open:
            self._outside += len(rows)
            return
        _, pos, lemma = self._columns or (0, 1, 2)
        try:
            lemmas = [row[lemma] for row in rows] if "lemma" in self._layer else []
            tags = [row[pos] for row in rows] if "upos" in self._layer else []
        except IndexError:
            needed = max(lemma if "lemma" in self._layer else 0, pos if "upos" in self._layer else 0)
            number = next(k for k, line in enumerate(lines) if line.strip() and line.count("\t") < needed)
            columns = many(lines[number].count("\t") + 1, "column")
            raise UnreadableFile(
                f"line {self._line + first + number} has {columns}, too few for the layer {self._layer!r}; "
                "check how the file was made"
            ) from None
        tokens = self._annotation.tokens([row[0] for row in rows], lemmas, tags)
        self._tokens += map(decode_entities, tokens) if has_entities else tokens
        self._size += sum(map(len, tokens))

    def _tag(self, line: str) -> Iterator[FoundDocument]:
        found = _TAG.match(line)
        if found is not None and found[2] == self._element:
            if self._open:
                yield self._document()
            self._open = not found[1]
            self._start({key: decode_entities(a or b) for key, a, b in _ATTRIBUTE.findall(found[3])})

    def _document(self) -> FoundDocument:
        self._number += 1
        return FoundDocument(self._name or str(self._number), self._tokens, self._metadata)

    def last(self) -> Iterator[FoundDocument]:
        """The document that ends with the file, and notes about all."""
        if self._columns is None and not self._number and not self._open:
            raise UnreadableFile("is empty: it has no tokens")
        if not self._element:
            self._note("one document", "there is no <text>, so the whole file is one document")
            yield FoundDocument("", self._tokens, {})
        elif self._open:
            self._note("incomplete", f"the last <{self._element}> does not end; text may be missing")
            yield self._document()
        if self._outside:
            self._note("left out", f"{self._outside:,} tokens outside of <{self._element}>")
        self._annotation.say(self._note)


def _is_tag(line: str) -> bool:
    return line[:1] == "<" and (_TAG.match(line) is not None or line.startswith(("<!--", "<?", "<!DOCTYPE")))


def _named_columns(names: list[str]) -> tuple[int, int, int]:
    """Where word, part of speech and lemma are; −1 for a column that is not there."""
    plain = [name.strip("/").lower() for name in names]
    pos = next((plain.index(name) for name in _TAGS if name in plain), -1)
    return 0, pos, plain.index("lemma") if "lemma" in plain else -1
