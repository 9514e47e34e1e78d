"""CoNLL-U, the format of Universal Dependencies: one token per line, ten columns.

A line whose id is a range (``3-4  du``) is a word of the text that stands for several syntactic words (``de``, ``le``).
The layer "form" has the word of the text, *du*; the others have the syntactic words, which alone have lemmas and tags.
Empty nodes (``8.1``) stand for words that are not in the text; no layer has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from termburst.reading.documents import Scalar, as_number
from termburst.reading.faults import many
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, oversize
from termburst.reading.formats.text_lines import text_blocks
from termburst.reading.layers import Annotation, layers_in
from termburst.reading.options import ReadingPlan

_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_RANGE = re.compile(r"(\d{1,9})-(\d{1,9})")
_EMPTY_NODE = re.compile(r"\d+\.\d+")
_NEWDOC = re.compile(r"\n#[ \t]*newdoc(?:[ \t].*)?(?=\n|\Z)")
_OF_SENTENCE = ("sent_id", "text", "newpar", "text_", "s_type")


def read_conllu(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The documents of a CoNLL-U file, which ``# newdoc`` separates; without it the file is one document.

    Comments such as ``# meta::year = 1999`` at the start of a document are its metadata, and so are comments with "="
    between ``# newdoc`` and the first sentence.
    """
    parser = _Parser(options.layers or "form", options.document_bytes)
    for sentences in text_blocks(stream, options.document_bytes, end="\n\n"):
        block, start = f"\n{sentences}", 1
        for newdoc in _NEWDOC.finditer(block):
            parser.take(block[start : newdoc.start() + 1])
            yield from parser.begin(newdoc[0][1:])
            start = newdoc.end()
        parser.take(block[start:])
    yield parser.last()
    if not parser.marked:
        note("one document", "there is no line '# newdoc', so the whole file is one document")
    parser.annotation.say(note)


class _Parser:
    """The document that is being read."""

    def __init__(self, layer: str, limit: int) -> None:
        self._layer, self._limit, self.annotation = layer, limit, Annotation(layer)
        self._use(_COLUMNS)
        self._line = 1
        self._number = 0  # of documents that ended
        self.marked = False  # there was a "# newdoc"
        self._start("")

    def _start(self, name: str) -> None:
        self._name, self._size = name, 0
        self._tokens: list[str] = []
        self._metadata: dict[str, Scalar] = {}
        self._in_sentence = False  # its comments are no metadata of the document

    def _use(self, columns: tuple[str, ...]) -> None:
        for layer in layers_in(self._layer):
            for needed in {"form": ("FORM",), "lemma": ("LEMMA",), "upos": ("UPOS",)}.get(layer, ("LEMMA", "UPOS")):
                if needed not in columns:
                    raise UnreadableFile(f"has no column {needed}, which the layer {layer!r} needs; choose another")
        if columns[:1] != ("ID",) or "FORM" not in columns:
            raise UnreadableFile("must have ID as the first column and a column FORM in its line global.columns")
        self._width, self._form = len(columns), columns.index("FORM")
        self._lemma, self._upos = (columns.index(name) if name in columns else 0 for name in ("LEMMA", "UPOS"))

    def take(self, text: str) -> None:
        """Take the tokens of whole sentences.

        The layer "form" has the words of the text: a range, and not the syntactic words that it stands for. The other
        layers have the syntactic words. Two layers side by side have the words of the text, each with the annotation of
        all syntactic words that it stands for.
        """
        lines = text.split("\n")
        if not self._tokens:
            for line in lines:
                if line[:1] == "#":
                    self._comment(line)
                elif line:
                    break
        rows = [line.split("\t") for line in lines if line and line[0] != "#"]
        words = [row for row in rows if len(row) == self._width and row[0].isdecimal()]
        others = [row for row in rows if not row[0].isdecimal()] if len(words) < len(rows) else []
        if len(words) + len(others) < len(rows) or not all(map(self._is_known, others)):
            self._refuse(lines)
        ranges = any("-" in row[0] for row in others)
        with_outer = ranges and (self._layer == "form" or ">" in self._layer)
        tokens = self._tokens_of(words, self._outer(rows) if with_outer else None)
        self._tokens += tokens
        self._size += sum(map(len, tokens))
        self._line += len(lines) - 1
        if self._size > self._limit:
            raise oversize(self._limit, "separate documents by lines '# newdoc', or ")

    def _is_known(self, row: list[str]) -> bool:
        """Whether a line that is no word may stand there: a range, an empty node or white space."""
        if len(row) != self._width:
            return not any(field.strip() for field in row)
        return bool(_RANGE.fullmatch(row[0]) or _EMPTY_NODE.fullmatch(row[0]))

    def _tokens_of(self, words: list[list[str]], outer: list[tuple[str, int]] | None) -> list[str]:
        lemmas = [row[self._lemma] for row in words] if "lemma" in self._layer else []
        tags = [row[self._upos] for row in words] if "upos" in self._layer else []
        forms = [row[self._form] for row in words] if "form" in self._layer or "_" in lemmas else []
        if "_" in lemmas:
            lemmas = ["" if lemma == "_" != form else lemma for lemma, form in zip(lemmas, forms, strict=True)]
        if "_" in tags:
            tags = ["" if tag == "_" else tag for tag in tags]
        return self.annotation.tokens(forms, lemmas, tags, outer)

    def _outer(self, rows: list[list[str]]) -> list[tuple[str, int]]:
        """The words of the text, and how many syntactic words each stands for."""
        found: list[tuple[str, int]] = []
        last = covered = 0  # the last word, and the last one that a range stands for
        for row in rows:
            if row[0].isdecimal():
                number = int(row[0])
                covered = 0 if number <= last else covered  # another sentence
                last = number
                if number <= covered:
                    found[-1] = (found[-1][0], found[-1][1] + 1)
                else:
                    found.append((row[self._form], 1))
            elif match := _RANGE.fullmatch(row[0]):
                last, covered = int(match[1]) - 1, int(match[2])
                found.append((row[self._form], 0))
        return found

    def _refuse(self, lines: list[str]) -> NoReturn:
        """Raise `UnreadableFile` for the first line that is wrong."""
        for number, line in enumerate(lines, self._line):
            row = line.split("\t")
            if line[:1] == "#" or (row[0].isdecimal() and len(row) == self._width) or self._is_known(row):
                continue
            if len(row) != self._width:
                raise UnreadableFile(
                    f"line {number} has {many(len(row), 'column')} where CoNLL-U has {self._width}, "
                    "separated by tabs; check how the file was made"
                )
            raise UnreadableFile(f"line {number} has the id {row[0]!r:.40}, which must be a number or a range")
        raise AssertionError

    def begin(self, comment: str) -> Iterator[FoundDocument]:
        """Begin a new document; the one before it, if there was one."""
        is_first = not (self.marked or self._tokens)
        self.marked = True
        if not is_first:
            yield self._document()
        key, _, value = comment[1:].partition("=")
        self._start(value.strip() if key.split() == ["newdoc", "id"] else "")

    def _comment(self, comment: str) -> None:
        key, equals, value = (part.strip() for part in comment[1:].partition("="))
        if not equals:
            return
        if key == "global.columns":
            self._use(tuple(value.upper().split()))
        elif key.startswith("meta::"):
            self._metadata[key.removeprefix("meta::")] = as_number(value)
        elif key.startswith(_OF_SENTENCE):
            self._in_sentence = True
        elif self.marked and not self._in_sentence:
            self._metadata[key.removeprefix("newdoc_")] = as_number(value)

    def _document(self) -> FoundDocument:
        missing = max(self.annotation.no_lemma, self.annotation.no_tag)
        if self._tokens and missing >= len(self._tokens) and not self._number:
            shown = " or ".join(repr(layer) for layer in layers_in(self._layer) if layer != "form")
            raise UnreadableFile(f"has nothing in the column of the layer {shown}; choose another layer")
        self._number += 1
        return FoundDocument(self._name or (str(self._number) if self.marked else ""), self._tokens, self._metadata)

    def last(self) -> FoundDocument:
        """The document that ends with the file."""
        if not self._tokens and not self.marked:
            raise UnreadableFile("is empty: it has no tokens")
        return self._document()
