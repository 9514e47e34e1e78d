"""Collections of spaCy documents (.spacy), as `spacy.tokens.DocBin` saves them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.reading.documents import Scalar
from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, load, too_large, whole
from termburst.reading.layers import Annotation
from termburst.reading.options import ReadingPlan


def read_docbin(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """One document per spaCy document, as tokens of one layer; white space is no token."""
    layer = options.layers or "form"
    data = whole(stream, options.file_bytes)
    if not data:
        raise UnreadableFile("is empty")
    tokens = load("spacy.tokens", "spaCy", "spacy")
    vocabulary = load("spacy.vocab", "spaCy", "spacy").Vocab()
    _check_size(data, options.file_bytes)
    annotation = Annotation(layer)
    for number, doc in enumerate(tokens.DocBin().from_bytes(data).get_docs(vocabulary), 1):
        words = [token for token in doc if not token.text.isspace()]
        forms, lemmas, tags = ([getattr(token, name) for token in words] for name in ("text", "lemma_", "pos_"))
        text = annotation.tokens(forms, lemmas, tags)
        if words and number == 1 and max(annotation.no_lemma, annotation.no_tag) == len(words):
            raise UnreadableFile(
                f"has no annotation for the layer {layer!r}: choose another, or run a pipeline that has it"
            )
        yield FoundDocument(str(number), text, _metadata(doc))
    annotation.say(note)


def _check_size(data: bytes, limit: int) -> None:
    """spaCy unpacks without a limit, so this is done once before."""
    unpacker, size, rest = zlib.decompressobj(), 0, data
    try:
        while rest and not unpacker.eof:
            size += len(unpacker.decompress(rest, 2**24))
            rest = unpacker.unconsumed_tail
            if size > limit:
                raise too_large(limit)
    except zlib.error as error:
        raise UnreadableFile("is not a DocBin of spaCy: it cannot be unpacked") from error
    if not unpacker.eof:
        raise UnreadableFile("is incomplete: it ends too early; get it again")


def _metadata(doc: Any) -> dict[str, Scalar]:
    """What the document's user data says in plain values."""
    return {
        key: value
        for key, value in doc.user_data.items()
        if isinstance(key, str) and (value is None or isinstance(value, (str, int, float, bool)))
    }
