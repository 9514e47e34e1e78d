"""`scan`: a corpus whose texts stay where they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from termburst.corpus.corpus import Corpus
from termburst.corpus.frames import is_frame
from termburst.corpus.read_arguments import ReadArguments, Tokenizer
from termburst.corpus.saved import Summed, like_saved
from termburst.corpus.scanned import Scanned
from termburst.corpus.stream import Stream
from termburst.datasets import BUILT_IN, TextCollection
from termburst.forks import check_fork
from termburst.messages import named
from termburst.names import Apostrophes, DecodingErrors, Layer, WordRule
from termburst.reading.corpus_files import is_ledger
from termburst.reading.parquet_footer import has_statistics
from termburst.statistics.term_statistics import TermStatistics


def scan(
    source: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    lines: bool = False,
    delimiter: str | None = None,
    layer: Layer | None = None,
    xpath: str | None = None,
    name_pattern: str | None = None,
    strict: bool = False,
    encoding: str | None = None,
    errors: DecodingErrors = "strict",
    max_document_mb: float = 64,
    max_archive_mb: float = 8192,
    max_archive_files: int = 100_000,
    ngrams: int | tuple[int, int] = (1, 1),
    stop_words: bool | str | Iterable[str] | None = None,
    language: str | None = None,
    words: WordRule | None = None,
    apostrophes: Apostrophes | None = None,
    token_pattern: str | None = None,
    pattern_seconds: float = 60,
    ngrams_over_stop_words: bool = False,
    lowercase: bool = True,
    pretokenized: bool = False,
    metadata: Any = None,
    tokenizer: Tokenizer | None = None,
) -> Corpus:
    """A corpus whose texts stay where they are: they are read, batch by batch, each time a question needs them.

    Questions, options and numbers are those of `termburst.read`. Memory follows the vocabulary and the batch if a
    question is about sums, such as `Corpus.burstiness`, or `Corpus.keyness` with another corpus. Questions that need
    the counts of each document, such as `Corpus.keyness` with by= and `Corpus.weights`, hold these, but no texts.

    Parameters
    ----------
    source : a path, a glob, an archive, a list of paths, "-" for the lines of standard input, or a data set
        Or saved statistics: a file that `TermStatistics.save` wrote, the folder of a ledger, or a `TermStatistics`.
        They have neither texts nor single documents, and a question that needs these says so.
        Or a frame of Polars, DuckDB, PySpark, pandas or PyArrow with texts (document, text), counts (document, term,
        count) or patterns (term, count, length, documents). Its engine answers, and answers with frames of its own.
        Rows are in the order of memory, but on Spark in none, because sorting is a shuffle; see :doc:`engines`.
    text, id, lines, delimiter, layer, xpath, name_pattern, strict, encoding, errors, max_document_mb, max_archive_mb, \
max_archive_files : how documents are read
        See `ReadingOptions` and :doc:`corpus`. For a frame, text and id name its columns.
    ngrams, stop_words, language, words, apostrophes, token_pattern, pattern_seconds, ngrams_over_stop_words, \
lowercase, pretokenized : how words are found and counted
        See `CountingOptions` and :doc:`corpus`.
    metadata : what is known of each document, in addition to what the source says; see `Corpus.with_metadata`
    tokenizer : function from a text to its tokens, for other ways to find words, such as a spaCy pipeline

    Returns
    -------
    Corpus
        Nothing is read yet. `where`, `split`, `bin` and `drop_duplicates` are steps that documents go through when
        they are read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import termburst as tb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for year in (1944, 1945, 1946):
    ...         _ = Path(folder, f"{year}.txt").write_text("so it goes on")
    ...     corpus = tb.scan(folder, name_pattern="(?P<year>[0-9]+)").where("year >= 1945")
    ...     corpus.statistics.documents
    2
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"id": [1, 2, 3], "text": ["ha ha so", "so it goes", "so so"], "year": [1944, 1945, 1946]})
    >>> tb.scan(frame).where("year >= 1945").dispersion("dp").collect()["term"].to_list()
    ['goes', 'it', 'so']
    """
    check_fork()
    asked = ReadArguments.of(locals())
    if asked.ids is not None:
        problem = "what is scanned has ids of its own, or in a column that " + named("id") + " names; give others as "
        raise ValueError(problem + "a column of " + named("metadata"))
    corpus = scanned(source, asked)
    return corpus if metadata is None else corpus.with_metadata(metadata)


def scanned(source: Any, asked: ReadArguments, **more: Any) -> Corpus:
    """Find out what the source is; *more* is for `Stream.of`."""
    if isinstance(source, TermStatistics):
        return Corpus(Summed("the source", source), None, name="statistics")
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if is_saved(name):
            return Corpus(Summed(name, like_saved(name, asked)), None, name=Path(name).name)
        if not is_data_set(name):
            return scanned_files([source], asked, **more)
        source = BUILT_IN[name]()
    if isinstance(source, TextCollection):
        return _data_set(source, asked, **more)
    if isinstance(source, Sequence) and source and all(isinstance(path, os.PathLike) for path in source):
        return scanned_files(list(source), asked, **more)
    if is_frame(source):
        from termburst.corpus.framed import Framed

        return Corpus(Framed.of(source, asked), None, name="frame")
    kind = type(source).__name__
    if kind == "Ledger":
        raise ValueError("give the place of the ledger, or its patterns: ledger.frame()")
    raise ValueError(
        f"{kind} cannot be scanned: give a path, a glob, a list of pathlib.Path, a data set, saved "
        "statistics or a frame; texts and counts in memory are read with tb.read"
    )


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


def is_data_set(name: str) -> bool:
    """Whether it is the name of a built-in data set, and of no file.

    >>> is_data_set("stdlib"), is_data_set("corpus/")
    (True, False)
    """
    return name in BUILT_IN and not os.path.lexists(name)


def is_saved(source: str | os.PathLike[str]) -> bool:
    """Whether a path has statistics instead of texts.

    >>> is_saved(".")
    False
    """
    path = Path(source)
    return is_ledger(path) if path.is_dir() else has_statistics(path)


def _data_set(collection: TextCollection, asked: ReadArguments, **more: Any) -> Corpus:
    """A data set; options of files are refused."""
    if asked.reading.text is not None:
        raise ValueError(f"{collection.name} is a built-in data set, whose text has no column; omit " + named("text"))
    if asked.reading.layer is not None:
        problem = f"{collection.name} is a built-in data set of texts without annotation; omit "
        raise ValueError(problem + named("layer"))
    return scanned_files([collection], asked, **more)
