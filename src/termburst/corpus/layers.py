"""Other layers of an annotated corpus than the one that was counted: they are read from the files again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from termburst.corpus.stored_texts import StoredTexts
from termburst.inference.checks import check_name
from termburst.names import LAYERS
from termburst.reading.documents import Text


def with_layers(texts: Sequence[Text], searched: str, shown: str) -> Sequence[Text]:
    """The same documents as tokens of two layers side by side; ValueError if they do not come from annotated files."""
    check_name("layer", searched, LAYERS)
    check_name("show", shown, LAYERS)
    if not isinstance(texts, StoredTexts):
        raise ValueError(
            "layer and show read an annotated corpus again, so they need files (CoNLL-U, vertical, TEI with <w>) "
            "that tb.read has read, and whole documents; omit them"
        )
    return replace(
        texts, parts=tuple(replace(part, source=part.source.with_layers(searched, shown)) for part in texts.parts)
    )
