"""What a corpus is, in words."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from termburst.corpus.saved import Summed
from termburst.corpus.scanned import Scanned
from termburst.counting.options import words_of
from termburst.display import printable
from termburst.messages import Message, named
from termburst.reading.faults import many

if TYPE_CHECKING:
    from termburst.corpus.base import CorpusBase

_NAMED = 12  # columns of the metadata that are named


def in_words(corpus: CorpusBase) -> str:
    """What a corpus is, on one line. What is scanned is not read for it."""
    if isinstance(corpus._documents, Scanned):
        steps = [step.option for step in corpus._documents.stream.steps]
        then = f", then {', '.join(steps)}" if steps else ""
        last, stream = corpus._documents.last, corpus._documents.stream
        words = words_of(stream.asked.counting if last is None else last.counting)
        return f"Corpus of {stream.name}, scanned{then}; words: {words}"
    if isinstance(corpus._documents, Summed):
        return f"Corpus of {corpus.statistics!r}"
    if (framed := corpus._framed) is not None:
        words = "" if framed.counting is None else f"; words: {words_of(framed.counting)}"
        by = "" if corpus.by is None else f"; grouped by {printable(corpus.by)}"
        return f"Corpus of {framed.kind} in a {framed.engine}, scanned{by}{words}"
    sizes = {"document": len(corpus), "token": corpus.tokens, "term": len(corpus.terms)}
    parts = ["Corpus of " + ", ".join(many(count, noun) for noun, count in sizes.items())]
    known = corpus.metadata.columns[1:]
    if known:
        names = ", ".join(printable(name) for name in known[:_NAMED])
        parts.append(f"metadata: {names}{', …' if len(known) > _NAMED else ''}")
    if corpus.by is not None:
        parts.append(f"grouped by {printable(corpus.by)}")
    if corpus.dropped is not None:
        parts.append(f"{many(corpus.dropped.height, 'near-duplicate')} dropped")
    return "; ".join([*parts, f"words: {words_of(corpus.counting)}"])


class Reports(tuple[Any, ...]):
    """The reading reports of several sources."""

    __slots__ = ()

    def __str__(self) -> str:
        """One report after the other."""
        return "\n".join(map(str, self))


def warn_of_single_documents(problem: str) -> None:
    """Warn that nothing can be said from one document, and say what to do."""
    one, pieces = named("lines", True), named("split", 1000, python="corpus.split(tokens=1000)")
    advice = Message("; ", one, " makes each line a document, ", pieces, " makes pieces of 1,000 tokens")
    warnings.warn(Message(problem, advice), stacklevel=4)
