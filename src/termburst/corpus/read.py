"""`read`: whatever people have, as a `Corpus`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from termburst.corpus import frames, metadata
from termburst.corpus.corpus import Corpus
from termburst.corpus.documents import Documents
from termburst.corpus.read_arguments import ReadArguments, Tokenizer
from termburst.corpus.scan import is_data_set, is_saved, scanned, scanned_files
from termburst.corpus.scanned import Scanned
from termburst.corpus.steps import tokenize
from termburst.corpus.stream import HeldSource, Stream
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import words_of
from termburst.datasets import TextCollection
from termburst.forks import check_fork
from termburst.messages import named
from termburst.names import Apostrophes, DecodingErrors, Layer, WordRule
from termburst.reading.documents import Text, same_ids
from termburst.reading.report import ReadingReport
from termburst.statistics.labels import checked_terms
from termburst.statistics.matrix import canonical_counts

KINDS = (
    "a path, a glob or the name of a data set, a list of pathlib.Path, a list of strings (texts), a list of lists of "
    "strings (tokens), a frame, or a matrix of counts"
)


def read(
    source: Any,
    *,
    text: str | None = None,
    id: str | Sequence[Any] | None = None,
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
    terms: Sequence[str] | None = None,
) -> Corpus:
    """Read texts or counts from files, frames or lists, as a corpus.

    Parameters
    ----------
    source : what to read

        * one string or `pathlib.Path`: a folder, a file, a glob, or a data set of `termburst.datasets.BUILT_IN`
        * a list of `pathlib.Path`: several files or folders
        * a list of strings: texts; a list of lists of strings: token lists, which are counted as they are
        * a frame of Polars, pandas, PyArrow, DuckDB or PySpark: texts in the column *text*, other columns are metadata;
          or counts, one column per term
        * a matrix of counts, documents × terms; the names of its columns are *terms*
        * a corpus, which is returned as it is
    text, id, lines, delimiter, layer, xpath, name_pattern, strict, encoding, errors, max_document_mb, max_archive_mb, \
max_archive_files : how documents are read
        See `ReadingOptions` and :doc:`corpus`. For lists and matrices, *id* is a list of ids.
    ngrams, stop_words, language, words, apostrophes, token_pattern, pattern_seconds, ngrams_over_stop_words, \
lowercase, pretokenized : how words are found and counted
        See `CountingOptions` and :doc:`corpus`.
    metadata : what is known of each document, in addition to what the source says
        Columns such as ``{"year": years}``, a frame or a list of dicts. Rows are matched by a column "id" if there is
        one, or by their order.
    tokenizer : function from a text to its tokens, for other ways to find words, such as a spaCy pipeline
    terms : the names of the columns of a matrix of counts

    Returns
    -------
    Corpus
        Texts in files are not held in memory. They are counted now, and read again when they are needed.

    Examples
    --------
    >>> import termburst as tb
    >>> tb.read(["ha ha ha, said the clown", "the crowd said nothing"], metadata={"year": [1948, 1951]})
    Corpus of 2 documents, 10 tokens, 6 terms; metadata: year; words: as Unicode sees them, in lower case
    """
    check_fork()
    asked = ReadArguments.of(locals())
    corpus = _opened(source, asked)
    if corpus is source and (metadata is not None or not asked.is_plain):
        raise ValueError("the source is a corpus already, so no option can be used; omit the options")
    if corpus is not source:
        _warn_of_same_ids(corpus.ids)
        corpus = _reported(corpus)
    return corpus if metadata is None else corpus.with_metadata(metadata)


def _reported(corpus: Corpus) -> Corpus:
    """The corpus with a reading report, also if nothing was read from files; counts have none."""
    if corpus.reading is not None or corpus.counting is None:
        return corpus
    report = ReadingReport(corpus.name)
    report.documents, report.words = len(corpus), words_of(corpus.counting)
    return replace(corpus, _reports=(report,))


def _opened(source: Any, asked: ReadArguments) -> Corpus:
    """Find out what the source is."""
    if isinstance(source, Corpus):
        return source
    if isinstance(source, TextCollection) or (isinstance(source, str) and is_data_set(source)):
        return scanned(source, asked).in_memory()
    if isinstance(source, (str, os.PathLike)):
        return _from_files([source], asked)
    from scipy.sparse import issparse

    if issparse(source) or (isinstance(source, np.ndarray) and source.dtype.kind in "biuf"):
        return _from_matrix(source, asked)
    frame = frames.as_polars(source)
    if frame is not None:
        return _from_frame(source, frame, asked)
    if isinstance(source, (bytes, Mapping, set, frozenset)) or not isinstance(source, Iterable):
        advice = "; for a dict of texts: tb.read(list(d.values()), id=list(d))" if isinstance(source, Mapping) else ""
        raise ValueError(f"source must be {KINDS}; got {type(source).__name__}{advice}")
    return _from_list(list(source), asked)


def _from_files(sources: Sequence[str | os.PathLike[str]], asked: ReadArguments) -> Corpus:
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


def _from_list(items: list[Any], asked: ReadArguments) -> Corpus:
    """Texts, token lists, paths, or rows of counts."""
    if not items:
        raise ValueError("the source is an empty list; there is nothing to read")
    if (missing := next((number for number, item in enumerate(items) if item is None), None)) is not None:
        raise ValueError(f"Document {missing} must be a string; got None. Leave it out, or give an empty text.")
    kinds: tuple[tuple[Callable[[Any], bool], Callable[[list[Any], ReadArguments], Corpus]], ...] = (
        (lambda item: isinstance(item, str), _from_texts),
        (_is_tokens, _from_tokens),
        (lambda item: isinstance(item, os.PathLike), _from_files),
        (_is_row, _from_matrix),
    )
    for kind, take in kinds:
        if kind(items[0]):
            odd = next((number for number, item in enumerate(items) if not kind(item)), None)
            if odd is not None:
                raise ValueError(
                    f"all items of the source must be of one kind, but number 0 is {items[0]!r:.40} and number {odd} "
                    f"is {items[odd]!r:.40}"
                )
            return take(items, asked)
    raise ValueError(f"source must be {KINDS}; got a list of {type(items[0]).__name__}")


def _is_tokens(item: Any) -> bool:
    if isinstance(item, np.ndarray):
        return item.ndim == 1 and item.dtype.kind in "UO" and all(isinstance(token, str) for token in item)
    return isinstance(item, (list, tuple)) and all(isinstance(token, str) for token in item)


def _is_row(item: Any) -> bool:
    return isinstance(item, (list, tuple, np.ndarray)) and len(item) > 0 and isinstance(item[0], Real)


def _from_texts(texts: list[str], asked: ReadArguments) -> Corpus:
    asked.refuse("a list of texts")
    _warn_of_names(texts)
    held: Sequence[Text] = [str(text) for text in texts]
    asked.warn_of_script(held)
    ids = asked.given_ids(len(texts))
    return Corpus(_documents(ids, held, asked), metadata.of_documents(ids), name="texts")


def _documents(ids: list[str], texts: Sequence[Text], asked: ReadArguments) -> Documents:
    """The documents. They are counted now if a function of the user finds their tokens, which are not kept."""
    if asked.tokenizer is None:
        return Documents(ids, asked.counting, texts)
    return Scanned(Stream((HeldSource("the source", ids, texts),), asked, (tokenize(asked.tokenizer),))).held.documents


def _warn_of_names(texts: list[str]) -> None:
    """Warn if all texts are names of files: whoever gives them probably wants what is in the files."""
    if all(len(text) < 4096 and text.isprintable() and _is_file(text) for text in texts):
        warnings.warn(
            f"a list of strings is read as texts, but all {len(texts):,} strings are names of files, such as "
            f"{texts[0]!r:.80}; to read the files: tb.read([pathlib.Path(name) for name in names])",
            stacklevel=5,
        )


def _warn_of_same_ids(ids: Sequence[str]) -> None:
    """Warn if an id is that of several documents: lines, weights and metadata name documents by their ids."""
    if problem := same_ids(ids):
        warnings.warn(f"{problem}; ids of documents should be unique, choose others with " + named("id"), stacklevel=3)


def _is_file(name: str) -> bool:
    try:
        return bool(name.strip()) and Path(name).is_file()
    except (OSError, ValueError):  # too long, or not a name
        return False


def _from_tokens(items: list[Any], asked: ReadArguments) -> Corpus:
    asked.refuse("a list of token lists")
    if asked.tokenizer is not None:
        raise ValueError("the source has tokens already; omit " + named("tokenizer"))
    counting = replace(asked.counting, pretokenized=True)
    tokens: list[Text] = [list(map(str, item)) for item in items]
    for number, one in enumerate(tokens):
        counting.check_text(one, number)
    ids = asked.given_ids(len(tokens))
    return Corpus(Documents(ids, counting, tokens), metadata.of_documents(ids), name="token lists")


def _from_matrix(matrix: Any, asked: ReadArguments) -> Corpus:
    asked.refuse("a matrix of counts", keep=("terms",))
    asked.refuse_words()
    counts = canonical_counts(matrix)
    names = checked_terms(asked.terms, counts.shape[1])
    if names is None:
        names = np.array([str(column) for column in range(counts.shape[1])], dtype=object)
    ids = asked.given_ids(counts.shape[0])
    return _counts_corpus(counts, names, ids, metadata.of_documents(ids))


def _counts_corpus(counts: Any, terms: Any, ids: list[str], frame: pl.DataFrame) -> Corpus:
    import scipy.sparse as sp

    counts = sp.csr_array(counts, copy=True)  # a copy: its arrays are made read-only
    given = CountedCorpus(counts, terms.copy(), ids, None)
    return Corpus(Documents(ids, None, None, given), frame, name="counts")


def _from_frame(source: Any, frame: pl.DataFrame, asked: ReadArguments) -> Corpus:
    """Texts in one column, or counts in all."""
    column = frames.text_column(frame, asked.reading.text)
    asked.refuse("a frame", keep=("text",))
    name = frames.id_column(frame, asked.reading.id if asked.ids is None else asked.ids)
    if name is None:
        ids = frames.row_names(source, frame.height) or asked.given_ids(frame.height)
    else:
        ids = metadata.as_series(name, frame[name]).cast(pl.String).to_list()
        if None in ids:
            raise ValueError(f"the column {name!r:.60} has null; every document needs an id")
    if not frame.height:
        raise ValueError("the frame has no rows; there is nothing to read")
    if column is None:
        asked.refuse_words()
        counts, terms = frames.frame_counts(frame.drop(name) if name else frame)
        counts = canonical_counts(counts)
        return _counts_corpus(counts, checked_terms(terms, counts.shape[1]), ids, metadata.of_documents(ids))
    rest = {other: frame[other] for other in frame.columns if other not in (column, name)}
    made = metadata.with_ids(ids, rest)
    texts: Sequence[Text] = frames.column_texts(frame[column])
    if frame[column].dtype == pl.List(pl.String):
        asked = replace(asked, counting=replace(asked.counting, pretokenized=True))
    asked.warn_of_script(texts)
    return Corpus(_documents(ids, texts, asked), made, name="frame")
