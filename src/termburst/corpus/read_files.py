"""Files as a `Corpus`: read and counted in one pass, and read again when their texts are needed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from termburst.corpus.corpus import Corpus
from termburst.corpus.read_arguments import ReadArguments
from termburst.corpus.saved import counting_like, is_saved, load_saved, refuse_columns
from termburst.corpus.scanned import Scanned, Summed
from termburst.corpus.stream import Stream
from termburst.messages import named


def corpus_of_files(sources: Sequence[str | os.PathLike[str]], asked: ReadArguments) -> Corpus:
    """Files, read and counted in one pass. Their texts are not kept."""
    for source in (os.fspath(one) for one in sources):
        if source == "-":
            raise ValueError("standard input can be read only once; read its lines first: tb.read(list(sys.stdin))")
        if is_saved(source):
            raise ValueError(f"{source} contains saved statistics, not texts; scan it with tb.scan")
    try:
        return scanned_files(sources, asked).counted()
    except FileNotFoundError as error:
        name = next((os.fspath(one) for one in sources if not os.path.lexists(one)), os.fspath(sources[0]))
        advice = "texts come as a list of strings, as in tb.read([text])"
        raise FileNotFoundError(f"There is no file or folder {name!r:.80}; {advice}") from error


def scanned_files(sources: Sequence[Any], asked: ReadArguments, **more: Any) -> Corpus:
    """Files, or a data set, that are read when a question is asked; *more* is for `Stream.of`."""
    if asked.ids is not None:
        problem = "for files, " + named("id") + " is the name of a column; give other ids as a column of "
        raise ValueError(problem + named("metadata"))
    if asked.terms is not None:
        raise ValueError(named("terms") + " is for a matrix of counts; omit it")
    stream = Stream.of(sources, asked, **more)
    name = Path(stream.name).name or stream.name
    return Corpus(Scanned(stream), None, name=name)


def saved_corpus(source: str | os.PathLike[str], asked: ReadArguments) -> Corpus:
    """Saved statistics, or those of a ledger."""
    name = os.fspath(source)
    refuse_columns(name, asked)
    known = load_saved(source)
    counting_like(known, name, asked)
    return Corpus(Summed(name, known), None, name=Path(name).name)
