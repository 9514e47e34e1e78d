"""Other layers of an annotated corpus than the one that was counted: they are read from the files again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from termburst.corpus.stored_texts import StoredTexts
from termburst.reading.documents import Text
from termburst.reading.layers import both_layers


def with_layers(texts: Sequence[Text], searched: str, shown: str) -> Sequence[Text]:
    """The same documents as tokens of two layers side by side; ValueError if they do not come from annotated files."""
    layer = both_layers(searched, shown)
    if not isinstance(texts, StoredTexts):
        raise ValueError(
            "layer= and show= read an annotated corpus again, so they need files (CoNLL-U, vertical, TEI with <w>) "
            "that tb.read has read, and whole documents; omit them"
        )
    return replace(texts, parts=tuple(replace(part, source=part.source.with_layer(layer)) for part in texts.parts))
