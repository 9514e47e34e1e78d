"""Other layers of an annotated corpus than the one that was counted: they are read from the files again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from termburst.corpus.scanned import Scanned, ScannedTexts, StreamedTexts
from termburst.reading.documents import Text


def with_layers(texts: Sequence[Text], searched: Any, shown: Any) -> Sequence[Text]:
    """The same documents as tokens of two layers side by side; ValueError if they do not come from annotated files."""
    stream = texts.scanned.stream if isinstance(texts, StreamedTexts) else getattr(texts, "stream", None)
    if stream is None or any("piece" in step.makes for step in stream.steps):
        raise ValueError(
            "layer and show read an annotated corpus again, so they need files (CoNLL-U, vertical, TEI with <w>) "
            "that tb.read or tb.scan has read, and whole documents; omit them"
        )
    layered = stream.with_layers(searched, shown)
    return replace(texts, stream=layered) if isinstance(texts, ScannedTexts) else StreamedTexts(Scanned(layered))
