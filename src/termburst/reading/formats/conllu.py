"""CoNLL-U, the format of Universal Dependencies: one token per line, ten columns.

A line whose id is a range (``3-4  du``) is a word of the text that stands for several syntactic words (``de``, ``le``).
The layer "form" has the word of the text, *du*; the others have the syntactic words, which alone have lemmas and tags.
Empty nodes (``8.1``) stand for words that are not in the text; no layer has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from termburst.reading.documents import Scalar
from termburst.reading.faults import many
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, oversize
from termburst.reading.formats.text_lines import text_blocks
from termburst.reading.layers import Annotation, layers_in, word_layers
from termburst.reading.options import ReadingPlan

_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_RANGE = re.compile(r"\d+-(\d{1,9})")
_EMPTY_NODE = re.compile(r"\d+\.\d+")
_OF_SENTENCE = ("sent_id", "text", "newpar", "text_", "s_type")


def read_conllu(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The documents of a CoNLL-U file, which ``# newdoc`` separates; without it the file is one document.

    Comments such as ``# meta::year = 1999`` at the start of a document are its metadata, and so are comments with "="
    between ``# newdoc`` and the first sentence.
    """
    parser = _Parser(options.layers or "form", options.document_bytes)
    for block in text_blocks(stream, options.document_bytes):
        yield from parser.feed(block)
    yield parser.last()
    parser.say(note)


class _Parser:
    """Where the parser is: in which document, sentence and word."""

    def __init__(self, layer: str, limit: int) -> None:
        self._layer, self._limit, self._annotation = layer, limit, Annotation(layer)
        self._use(_COLUMNS)
        self._line = 0
        self._number = 1  # of the document
        self._marked = False  # there was a "# newdoc"
        self._in_sentence = False  # its comments are no metadata of the document
        self._name = ""
        self._tokens: list[str] = []
        self._metadata: dict[str, Scalar] = {}
        self._size = 0
        self._covered = 0  # the last word that a range stands for
        self._checked = 0  # tokens whose size is counted
        self._range = ""  # its form, and the words that it stands for
        self._words: list[tuple[str, str]] = []

    def _use(self, columns: tuple[str, ...]) -> None:
        for layer in layers_in(self._layer):
            for needed in {"form": ("FORM",), "lemma": ("LEMMA",), "upos": ("UPOS",)}.get(layer, ("LEMMA", "UPOS")):
                if needed not in columns:
                    raise UnreadableFile(f"has no column {needed}, which the layer {layer!r} needs; choose another")
        if "ID" not in columns or "FORM" not in columns:
            raise UnreadableFile("has no columns ID and FORM in its line global.columns")
        self._width = len(columns)
        self._id, self._form = columns.index("ID"), columns.index("FORM")
        self._lemma = columns.index("LEMMA") if "LEMMA" in columns else self._form
        self._upos = columns.index("UPOS") if "UPOS" in columns else self._form

    def feed(self, block: str) -> Iterator[FoundDocument]:
        """Read some lines; the documents that end in them."""
        size = self._size
        lines = block.split("\n")
        if lines[-1] == "":
            lines.pop()
        start = 0
        while start < len(lines):
            end = self._tokens_from(lines, start)
            if end < len(lines):  # a comment
                comment = lines[end]
                if comment[1:].split(None, 1)[:1] == ["newdoc"]:
                    if self._marked or self._tokens:
                        yield self._document(str(self._number))
                        self._number += 1
                        size = 0
                    self._begin(comment)
                else:
                    self._comment(comment)
                end += 1
            start = end
        self._line += len(lines)
        self._size = size + sum(map(len, self._tokens[self._checked :]))
        self._checked = len(self._tokens)
        if self._size > self._limit:
            raise oversize(self._limit, "separate documents by lines '# newdoc', or ")

    def _tokens_from(self, lines: list[str], start: int) -> int:
        """Take the tokens up to the next comment; the number of its line.

        The layer "form" has the words of the text: a range, and not the syntactic words that it stands for. The other
        layers have the syntactic words. Two layers side by side have the words of the text, each with the annotation of
        all syntactic words that it stands for.
        """
        layer, width, at_id, at_form = self._layer, self._width, self._id, self._form
        annotation = self._annotation
        forms, both, with_lemma, with_upos = layer == "form", ">" in layer, "lemma" in layer, "upos" in layer
        tokens, take, covered = self._tokens, self._tokens.append, self._covered
        for number in range(start, len(lines)):
            line = lines[number]
            if line[:1] == "#":
                break
            fields = line.split("\t")
            if len(fields) != width:
                covered = 0 if not line.strip() else self._wrong_line(line, number)  # the sentence ends
                continue
            place = fields[at_id]
            if not place.isdecimal():
                if not _EMPTY_NODE.fullmatch(place):
                    covered = self._begin_range(_RANGE.fullmatch(place) or self._wrong_line(line, number), fields)
                continue
            inside = covered and int(place) <= covered
            if forms:
                if not inside:
                    take(fields[at_form])
                continue
            lemma, upos = fields[self._lemma], fields[self._upos]
            if with_lemma and lemma == "_" != fields[at_form]:
                lemma, annotation.no_lemma = fields[at_form], annotation.no_lemma + 1
            if with_upos and upos == "_":
                upos, annotation.no_tag = "X", annotation.no_tag + 1
            if inside:
                self._words.append((lemma, upos))
                tokens[-1] = word_layers(layer, self._range, self._words)
                continue
            one = f"{lemma}_{upos}" if with_lemma and with_upos else lemma if with_lemma else upos
            take(word_layers(layer, fields[at_form], [(lemma, upos)]) if both else one)
        else:
            number = len(lines)
        self._covered = covered
        return number

    def _begin_range(self, found: re.Match[str], fields: list[str]) -> int:
        """Take a word of the text that stands for several; the last of these, or 0 if they are tokens themselves."""
        if self._layer != "form" and ">" not in self._layer:
            return 0
        self._range, self._words = fields[self._form], []
        self._tokens.append(word_layers(self._layer, self._range, []))
        return int(found[1])

    def _wrong_line(self, line: str, number: int) -> NoReturn:
        number, columns = self._line + number + 1, len(line.split("\t"))
        if columns != self._width:
            raise UnreadableFile(
                f"line {number} has {many(columns, 'column')} where CoNLL-U has {self._width}, "
                "separated by tabs; check how the file was made"
            )
        raise UnreadableFile(
            f"line {number} has the id {line.split(maxsplit=1)[0]!r:.40}, which must be a number or a range"
        )

    def _begin(self, comment: str) -> None:
        key, _, value = comment[1:].partition("=")
        self._marked = True
        self._in_sentence = False
        self._name = value.strip() if key.split() == ["newdoc", "id"] else ""

    def _comment(self, comment: str) -> None:
        key, equals, value = (part.strip() for part in comment[1:].partition("="))
        if not equals or self._tokens:
            return
        if key == "global.columns":
            self._use(tuple(value.upper().split()))
        elif key.startswith("meta::"):
            self._metadata[key.removeprefix("meta::")] = number_or_text(value)
        elif key.startswith(_OF_SENTENCE):
            self._in_sentence = True
        elif self._marked and not self._in_sentence:
            self._metadata[key.removeprefix("newdoc_")] = number_or_text(value)

    def _document(self, number: str) -> FoundDocument:
        missing = max(self._annotation.no_lemma, self._annotation.no_tag)
        if self._tokens and missing == len(self._tokens) and self._number == 1:
            shown = " or ".join(repr(layer) for layer in layers_in(self._layer) if layer != "form")
            raise UnreadableFile(f"has nothing in the column of the layer {shown}; choose another layer")
        found = FoundDocument(self._name or number, self._tokens, self._metadata)
        self._name, self._tokens, self._metadata = "", [], {}
        self._size = self._checked = 0
        return found

    def last(self) -> FoundDocument:
        """The document that ends with the file."""
        if not self._tokens and not self._marked:
            raise UnreadableFile("is empty: it has no tokens")
        return self._document(str(self._number) if self._marked else "")

    def say(self, note: Note) -> None:
        """Note what was guessed."""
        if not self._marked:
            note("one document", "there is no line '# newdoc', so the whole file is one document")
        self._annotation.say(note)


def number_or_text(value: str) -> Scalar:
    """A value of metadata; whole numbers as such, so that years can be compared.

    Examples
    --------
    >>> number_or_text("1999"), number_or_text("007"), number_or_text("news")
    (1999, '007', 'news')
    """
    plain = value.removeprefix("-")
    is_number = plain.isascii() and plain.isdigit() and len(plain) < 16 and (plain == "0" or plain[0] != "0")
    return int(value) if is_number else value
