"""`build_statistics`: the statistics of texts, of a corpus or of a frame, in memory or in a file."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, overload

from termburst.corpus.corpus import Corpus
from termburst.corpus.frames import is_frame
from termburst.corpus.read_arguments import ReadArguments
from termburst.counting.options import CountingOptions, checked_counting
from termburst.files import check_output
from termburst.forks import check_fork
from termburst.locks import locked
from termburst.names import Detail
from termburst.reading.documents import Text
from termburst.reading.options import ReadingOptions
from termburst.statistics.building import Building
from termburst.statistics.labels import checked_detail
from termburst.statistics.merging import check_min_count
from termburst.statistics.streaming import in_batches
from termburst.statistics.term_statistics import TermStatistics


@overload
def build_statistics(
    source: Any, path: None = None, detail: Detail = ..., *, memory: None = None,
    counting: CountingOptions | None = ..., batch: str | None = ..., min_count: int = ...,
) -> TermStatistics: ...  # fmt: skip
@overload
def build_statistics(
    source: Iterable[Text] | Iterable[list[Text]], path: str | PathLike[str], detail: Detail = ..., *,
    memory: str | int, counting: CountingOptions | None = ..., batch: str | None = ..., min_count: int = ...,
) -> tuple[int, int]: ...  # fmt: skip
def build_statistics(
    source: Any,
    path: str | PathLike[str] | None = None,
    detail: Detail = "moments",
    *,
    memory: str | int | None = None,
    counting: CountingOptions | None = None,
    batch: str | None = None,
    min_count: int = 1,
) -> TermStatistics | tuple[int, int]:
    """Count texts: their statistics in memory, or with *path* in a file, within a limit of memory.

    Nothing is held that the detail does not need: `Corpus.statistics` has detail="patterns".

    Parameters
    ----------
    source : texts, a `Corpus`, or a frame of an engine with the columns that `scan` takes
        Only of texts a file can be written here: it has what ``TermStatistics.from_texts(texts, …).save(path)`` writes,
        and digests of the texts. What does not fit into memory is written to a scratch folder beside the file, sorted
        by term, and merged at the end, one range of terms after another. Memory also has: the histogram of document
        lengths, 64 bits per text of up to a million texts, and the document that is counted.
    path : the Parquet file to write
    detail, batch : see `TermStatistics.from_counts`
    memory : for example "1GB" or "500MB", or bytes; with *path* only
        Peak memory of the whole process. It is an estimate: see docs/engines.md.
    counting : how texts are counted; a corpus has options of its own
    min_count : leave out terms that occur fewer times

    Returns
    -------
    TermStatistics, or (int, int)
        With *path*, the numbers of documents and of terms in the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> file = Path(tempfile.mkdtemp()) / "all.parquet"
    >>> build_statistics(["so it goes", "so so"], file, memory="4GB")
    (2, 3)
    >>> frame = pl.LazyFrame({"id": [1, 2], "text": ["so it goes", "so so"]})
    >>> build_statistics(frame) == TermStatistics.load(file)
    True
    """
    check_fork()
    corpus = source if isinstance(source, Corpus) else None
    if corpus is not None and counting is not None:
        raise ValueError("the corpus says how texts are counted; omit counting=")
    framed = None if corpus is None else corpus._framed
    if is_frame(source):
        from termburst.corpus.framed import Framed

        framed = Framed.of(source, ReadArguments(ReadingOptions(), checked_counting(counting)))
    if path is not None:
        if framed is not None or memory is None:
            raise ValueError("path= needs texts and memory=, such as '1GB'; of anything else, save what this returns")
        return _build_file(source, Path(path), detail, memory, counting, batch, min_count)
    if memory is not None:
        raise ValueError("memory= goes with path=, the file to write; without it, the statistics are in memory")
    if framed is not None:
        found = framed.collection.build_statistics(detail, batch)
    elif corpus is not None and corpus._documents.texts is None:  # it was made from counts
        found = TermStatistics.from_counts(corpus, detail=detail, batch=batch)
    else:
        found = TermStatistics.from_texts(source, detail, counting=counting, batch=batch)
    return found.prune(min_count) if min_count > 1 else found


def _build_file(
    texts: Any, path: Path, detail: Detail, memory: str | int, counting: Any, batch: str | None, min_count: int
) -> tuple[int, int]:
    """The statistics of texts in a file, within a limit of memory."""
    check_output(path)
    check_min_count(min_count)
    options = checked_counting(counting)
    batches = in_batches(texts, lists_are_texts=options.pretokenized)
    with locked(path), Building(path, checked_detail(detail), options, memory) as built:
        built.count(batches)
        return built.save(batch=batch, min_count=min_count)
