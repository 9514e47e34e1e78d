"""Vertical text (.vrt, .vert) of CWB, CQPweb and Sketch Engine: one token per line, tags on lines of their own.

The columns are word, part of speech and lemma, as CWB has them. Where a comment names them (``<!-- #vrt
positional-attributes: word lemma pos -->``), that holds. Where the second column looks like lemmas and the third does
not, they are taken the other way round, and a note says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from termburst.reading.formats.conllu import number_or_text
from termburst.reading.formats.found import FoundDocument, Note, Scalar, UnreadableFile, oversize
from termburst.reading.formats.text_lines import text_blocks
from termburst.reading.layers import layers_in, word_layers
from termburst.reading.options import ReadingPlan

_DOCUMENTS = ("text", "doc", "document", "file")
_TAG = re.compile(r"""<(/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*/?>\s*$""")
_ATTRIBUTE = re.compile(r"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NAMED = re.compile(r"<!--\s*#?vrt positional-attributes:\s*(.*?)\s*-->", re.IGNORECASE)
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
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
    for block in text_blocks(stream, options.document_bytes, note):
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
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if name[0] != "#":
        return _CHARACTERS[name]
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


class _Parser:
    def __init__(self, layer: str, limit: int, note: Note) -> None:
        self._layer, self._limit, self._note = layer, limit, note
        self._columns: tuple[int, int, int] | None = None  # of word, part of speech and lemma
        self._element = ""  # which element is a document
        self._line = self._number = self._size = self._checked = self._missing = self._outside = 0
        self._open = False
        self._name = ""
        self._tokens: list[str] = []
        self._metadata: dict[str, Scalar] = {}

    def feed(self, block: str) -> Iterator[FoundDocument]:
        """Read some lines; the documents that end in them."""
        lines = block.split("\n")
        if lines[-1] == "":
            lines.pop()
        if self._columns is None:
            self._look_at(lines)
        start = 0
        while start < len(lines):
            start = self._tokens_from(lines, start)
            if start < len(lines):
                found = self._tag(lines[start])
                if found is not None:
                    yield found
                start += 1
        self._line += len(lines)
        self._size += sum(map(len, self._tokens[self._checked :]))
        self._checked = len(self._tokens)
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
            raise UnreadableFile(
                f"has {width} column{'' if width == 1 else 's'}, none for the layer {self._layer!r}; choose another"
            )

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

    def _tokens_from(self, lines: list[str], start: int) -> int:
        """Take the tokens up to the next tag; the number of its line."""
        layer, take, missing = self._layer, self._tokens.append, self._missing
        lemmas, tags = "lemma" in layer, "upos" in layer
        _, at_pos, at_lemma = self._columns or (0, 1, 2)
        inside = self._open or not self._element
        number = start
        try:
            for number in range(start, len(lines)):
                line = lines[number]
                if line[:1] == "<" and _is_tag(line):
                    break
                if not line or line.isspace():
                    continue
                if not inside:
                    self._outside += 1
                    continue
                if layer == "form":
                    token = line.partition("\t")[0]
                    take(decode_entities(token) if "&" in token else token)
                    continue
                if "&" in line:
                    line = decode_entities(line)
                fields = line.split("\t")
                lemma = fields[at_lemma] if lemmas else ""
                pos = fields[at_pos] if tags else ""
                if lemmas and not lemma:
                    lemma = fields[0]
                    missing += 1
                if tags and not pos:
                    pos = "X"
                    missing += 1
                if ">" in layer:
                    take(word_layers(layer, fields[0], [(lemma, pos)]))
                    continue
                take(lemma if layer == "lemma" else pos if layer == "upos" else f"{lemma}_{pos}")
            else:
                number = len(lines)
        except IndexError:
            columns = len(lines[number].split("\t"))
            raise UnreadableFile(
                f"line {self._line + number + 1} has {columns} columns, too few for the layer {layer!r}; "
                "check how the file was made"
            ) from None
        self._missing = missing
        return number

    def _tag(self, line: str) -> FoundDocument | None:
        found = _TAG.match(line)
        if found is None or found[2] != self._element:
            return None
        ended = self._document() if self._open else None
        self._open = not found[1]
        if self._open:
            attributes = {key: decode_entities(a or b) for key, a, b in _ATTRIBUTE.findall(found[3])}
            self._name = attributes.get("id", "")
            self._metadata = {key: number_or_text(value) for key, value in attributes.items() if key != "id"}
        return ended

    def _document(self) -> FoundDocument:
        self._number += 1
        found = FoundDocument(self._name or str(self._number), self._tokens, self._metadata)
        self._tokens, self._metadata, self._name = [], {}, ""
        self._size = self._checked = 0
        return found

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
        if self._missing:
            self._note("annotation missing", f"{self._missing:,} values of the layer {self._layer!r}")


def _is_tag(line: str) -> bool:
    return line[:1] == "<" and (_TAG.match(line) is not None or line.startswith(("<!--", "<?", "<!DOCTYPE")))


def _named_columns(names: list[str]) -> tuple[int, int, int]:
    """Where word, part of speech and lemma are; −1 for a column that is not there."""
    plain = [name.strip("/").lower() for name in names]
    pos = next((plain.index(name) for name in _TAGS if name in plain), -1)
    return 0, pos, plain.index("lemma") if "lemma" in plain else -1
