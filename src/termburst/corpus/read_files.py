"""Files as a `Corpus`: read and counted in one pass, and read again when their texts are needed."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from termburst.corpus import metadata
from termburst.corpus.corpus import Corpus
from termburst.corpus.documents import Documents
from termburst.corpus.read_options import NO_FILES, SAMPLE, ReadOptions
from termburst.corpus.stored_texts import StoredPart, StoredTexts, TokenizedTexts, tokens_of
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.guess_language import guess_language
from termburst.counting.languages import guessed_language
from termburst.counting.options import CountingOptions
from termburst.counting.words_of import words_of
from termburst.reading.documents import Text, same_ids
from termburst.reading.faults import mixed_kinds
from termburst.reading.readers import open_corpus
from termburst.statistics.store import holds_statistics

_ALWAYS: dict[str, Any] = {"columns": "all", "inspect": True}  # for the metadata and for the report


def corpus_of_files(sources: Sequence[str | os.PathLike[str]], asked: ReadOptions) -> Corpus:
    """Files, read and counted in one pass. Their texts are not kept."""
    if asked.id is not None and not isinstance(asked.id, str):
        raise ValueError("for files, id= is the name of a column; give other ids as a column of metadata=")
    if asked.terms is not None:
        raise ValueError("terms= is for a matrix of counts; omit it")
    parts = [StoredPart(_open(source, asked)) for source in sources]
    records: list[Mapping[str, Any]] = []
    sample, batches = _peeked(parts, records, asked)
    first = sample[0]
    counting, tokenizer = asked.counting, asked.tokenizer
    if isinstance(first, list):  # of an annotated corpus, or a table with token lists
        if tokenizer is not None:
            raise ValueError(f"{parts[0].source.name} has tokens already; omit tokenizer=")
        if not counting.pretokenized:
            counting = replace(counting, pretokenized=True, layer=asked.files["layer"] or "form")
    documents = _of_one_kind(batches, type(first), parts)
    counts, terms = counting.count(
        documents if tokenizer is None else (tokens_of(document, tokenizer) for document in documents)
    )
    ids = list(chain.from_iterable(part.ids for part in parts))
    if asked.id is None and same_ids(ids):  # such as a/x.txt and b/x.txt, both called x.txt
        ids = [f"{_folder(s)}{name}" for s, part in zip(sources, parts, strict=True) for name in part.ids]
    texts: Any = StoredTexts(tuple(parts), np.arange(len(ids)))
    texts = texts if tokenizer is None else TokenizedTexts(texts, tokenizer)
    given = CountedCorpus(counts, terms, ids, counting, texts)
    frame = metadata.of_documents(ids, records)
    reports = [copy.copy(part.source.report) for part in parts]  # a copy, because reading again begins it anew
    for report in reports:
        report.language, report.words = _guessed(counting, sample), words_of(counting)
    name = Path(os.fspath(sources[0])).name if len(sources) == 1 else f"{len(sources):,} files"
    return Corpus(Documents(ids, counting, texts, given), frame, name=name, _reports=tuple(reports))


def _folder(source: str | os.PathLike[str]) -> str:
    """The folder that tells the ids of one source from those of others, as the user wrote it.

    Examples
    --------
    >>> _folder("a/x.txt"), _folder("x.txt")
    ('a/', '')
    """
    path = Path(source)
    folder = (path if path.is_dir() else path.parent).as_posix()
    return "" if folder == "." else f"{folder.rstrip('/')}/"


def _open(source: str | os.PathLike[str], asked: ReadOptions) -> Any:
    """The files of one source, opened for reading; FileNotFoundError if there are none."""
    name = os.fspath(source)
    if name == "-":
        raise ValueError("standard input can be read only once; read its lines first: tb.read(list(sys.stdin))")
    if holds_statistics(name):
        raise ValueError(f"{name} contains saved statistics, not texts; load it with tb.TermStatistics.load")
    options = {key: value for key, value in asked.files.items() if value != NO_FILES[key]} | _ALWAYS
    try:
        return open_corpus(name, id=asked.id, pretokenized=asked.counting.pretokenized, **options)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"There is no file or folder {name!r:.80}; texts come as a list of strings, as in tb.read([text])"
        ) from error


def _peeked(
    parts: list[StoredPart], records: list[Mapping[str, Any]], asked: ReadOptions
) -> tuple[list[Text], Iterator[list[Text]]]:
    """The first texts, and the texts of all batches; *records* gets the metadata of every document."""

    def read_all() -> Iterator[list[Text]]:
        for part in parts:
            for batch in part.first_read():
                records.extend(batch.metadata)
                yield batch.texts

    batches = read_all()
    for texts in batches:
        if texts:
            asked.warn_of_script(texts)
            return texts[:SAMPLE], chain([texts], batches)
    raise ValueError(f"{parts[0].source.name}: there are no documents to read")


def _of_one_kind(batches: Iterator[list[Text]], kind: type, parts: list[StoredPart]) -> Iterator[Text]:
    """The documents one by one. Texts and token lists cannot be mixed, because they are counted in different ways."""
    number = 0
    for texts in batches:
        for text in texts:
            if not isinstance(text, kind):
                names = list(chain.from_iterable(part.ids for part in parts))
                found = (names[number], names[0]) if kind is str else (names[0], names[number])
                raise mixed_kinds(parts[0].source.name, *found)
            number += 1
            yield text


def _guessed(counting: CountingOptions, sample: list[Text]) -> str | None:
    """The language that is guessed if none was given, for the report."""
    if counting.language is not None:
        return None
    with suppress(ImportError):  # of the lists of stop words
        guessed = guess_language(sample)
        if guessed is not None:
            advice = 'stop_words="{}"' if counting.stop_words is None else None
            return guessed_language(guessed[0], 'language="{}"', advice)
    return None
