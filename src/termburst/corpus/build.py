"""Statistics of a corpus in a file: built once with checkpoints or within a limit of memory, and added to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from termburst.corpus.corpus import Corpus
from termburst.corpus.read_arguments import ReadArguments
from termburst.corpus.saved import check_same_words, counting_like
from termburst.corpus.steps import DROP
from termburst.counting.options import CountingOptions
from termburst.files import check_output
from termburst.limits import parsed_memory
from termburst.locks import locked
from termburst.messages import Message, named
from termburst.names import Detail
from termburst.reading.faults import many
from termburst.statistics.building import Building
from termburst.statistics.contents import NewTexts, known_hashes, shared
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

Say = Callable[[str], None]
Size = tuple[int, int]  # the numbers of documents and terms


def check_parquet(path: Path, *sources: str | Path) -> None:
    """ValueError if statistics cannot be written to a file, or if it is one of the *sources*, which are only read."""
    if path.suffix.lower() != ".parquet":
        raise ValueError(f"{path}: the name of a statistics file must end in .parquet")
    check_output(path, *sources)


def build(
    corpus: Corpus,
    path: Path,
    *,
    detail: Detail = "patterns",
    batch: str | None = None,
    min_count: int = 1,
    checkpoint: float | None = None,
    fresh: bool = False,
    memory: str | None = None,
    say: Say = lambda sentence: None,
) -> Size:
    """Count a corpus that is scanned, and write its statistics; returns the numbers of documents and terms.

    If it is interrupted, the same call resumes, unless the corpus has steps.

    Parameters
    ----------
    path : the Parquet file to write
    detail, batch : see `TermStatistics.from_texts`
    min_count : leave out terms that occur fewer times
    checkpoint : seconds between two savings of what has been counted; by default 30, and 0 for never
    fresh : start again instead of resuming
    memory : stay within this memory, such as "1GB"; what does not fit is on disk until the end
    say : called with each message, one sentence at a time

    Examples
    --------
    >>> import tempfile
    >>> import termburst as tb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_text("so it goes")
    ...     build(tb.scan(folder), Path(folder, "s.parquet"))
    (1, 3)
    """
    stream = _stream(corpus)
    _check_resuming(corpus, memory, checkpoint)
    counting, every = stream.asked.counting, 30 if checkpoint is None else checkpoint
    tell = getattr(stream.watch, "tell", lambda doing: None)
    with locked(path), Building(path, detail, counting, memory, every, fresh, say, tell) as built:
        # A build that is continued counts documents: neither their pieces, nor those that a condition leaves out.
        with stream.reading(begin=None if stream.steps else built.begin) as (found, batches):
            built.counting = found.counting
            built.count(batches)
        try:
            return built.save(batch=batch, min_count=min_count)
        except NothingToCountError as error:
            raise ValueError(f"{stream.name}: {error}") from error


def add(
    path: Path,
    corpus: Callable[[CountingOptions], Corpus],
    *,
    asked: ReadArguments | None = None,
    batch: str | None = None,
    again: bool = False,
    output: Path | None = None,
    say: Say = lambda sentence: None,
) -> tuple[int, int, int] | None:
    """Add a corpus to statistics in a file; returns the numbers of documents, terms and documents that were added.

    None if there is a batch of that name already. The file is locked from before it is read until it is written.

    Parameters
    ----------
    path : the file
    corpus : function from the options that the file was counted with to the corpus, counted in the same way
    asked : how the corpus is asked to be counted; ValueError if the file was counted in another way
    batch : a name for these documents, so that they are added only once
    again : add all documents, even those whose texts the statistics already contain
    output : write to this file instead
    say : called with each message, one sentence at a time
    """
    with locked(output or path, waiting=say):
        known = TermStatistics.load(path)
        if known.min_count > 1:
            rare = f"{path} has no terms that occur fewer than {known.min_count:,} times, so nothing can be added; "
            raise ValueError(Message(rare, "build it again without ", named("min_count")))
        if batch is not None and batch in known.batches:
            say(f"{path} already contains batch {batch!r}; nothing was added")
            if output is None:
                return None
            known.save(output)
            return known.documents, known.vocabulary_size, 0
        counting = counting_like(known, path, ReadArguments() if asked is None else asked)
        texts = NewTexts(known.texts, again=again, whole=batch is not None)
        stream = _stream(corpus(counting))
        new = _new_statistics(known, path, stream, batch, texts)
        if texts.repeated:
            some = f"{path} already contains {many(texts.repeated, 'document')} of {stream.name}"
            if batch is None:
                say(some + "; only the others are added (" + named("again", True) + " adds all)")
            else:
                say(f"{some}; they are counted again, as part of batch {batch!r}")
        unknown = _unknown(known)
        if unknown > 0 and not again:
            sentence = f"{path} does not know the texts of {many(unknown, 'document')}"
            say(f"{sentence}, so it cannot be said whether {stream.name} has some of them again")
        whole = known + new
        whole.save(output or path)
    return whole.documents, whole.vocabulary_size, new.documents


def merge(paths: Sequence[Path], output: Path, *, again: bool = False, say: Say = lambda sentence: None) -> Size:
    """Combine statistics in files; ValueError if several contain the same texts, unless they are counted *again*.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, f"{name}.parquet") for name in "ab"]
    ...     for path, text in zip(paths, ("so it goes", "so on"), strict=True):
    ...         TermStatistics.from_texts([text]).save(path)
    ...     merge(paths, paths[0]), subtract(paths[0], paths[1])
    ((2, 4), (1, 3))
    """
    if len(paths) < 2:
        raise ValueError("merge needs at least two files of statistics")
    check_parquet(output)
    with locked(output, waiting=say):  # which may be one of them: merging in place
        first, *rest = map(TermStatistics.load, paths)
        for name, other in zip(paths[1:], rest, strict=True):
            check_same_words(paths[0], first.counting, name, other.counting)
            both = 0 if again else shared(first.texts, other.texts)
            first += other
            if both:
                raise ValueError(
                    f"{name} contains {many(both, 'text')} that the files before it also contain, so nothing was "
                    "merged. Give " + named("again", True) + " to count them a second time, or add the corpus itself"
                )
        unknown = _unknown(first)
        if unknown > 0 and not again:
            sentence = f"the texts of {many(unknown, 'document')} are not known"
            say(f"{sentence}, so it cannot be said whether the files contain some of them twice")
        first.save(output)
    return first.documents, first.vocabulary_size


def subtract(path: Path, other: Path, *, output: Path | None = None, say: Say = lambda sentence: None) -> Size:
    """Remove the documents of the second file from the first, and the terms that no longer occur."""
    check_parquet(output or path, *([] if output is None else [other]))
    with locked(output or path, waiting=say):
        whole, gone = TermStatistics.load(path), TermStatistics.load(other)
        check_same_words(path, whole.counting, other, gone.counting)
        rest = (whole - gone).prune()
        if not rest.documents:
            raise ValueError(f"{other} has all documents of {path}, so nothing would be left")
        if rest.batches and not gone.batches:
            say(
                f"the batches on record stay: {_listed(rest.batches)}. If {other} has all documents of one of them, it "
                "could not be added again: then build it with " + named("batch", "NAME") + " before subtracting it"
            )
        rest.save(output or path)
    return rest.documents, rest.vocabulary_size


def _unknown(statistics: TermStatistics) -> int:
    """The number of documents whose texts are not known."""
    return statistics.documents - statistics.texts.size


def _listed(names: Sequence[str]) -> str:
    first = ", ".join(map(repr, names[:5]))
    return first if len(names) <= 5 else f"{first}, … ({len(names):,} in all)"


def _new_statistics(
    known: TermStatistics, path: Path, stream: Any, batch: str | None, texts: NewTexts
) -> TermStatistics:
    """The statistics of those texts of a corpus that are not known; ValueError if all are."""
    try:
        with stream.reading() as (found, batches):
            some = (texts.only(one.texts) for one in batches)
            new = TermStatistics.from_batches(some, known.detail, counting=found.counting, batch=batch)
    except NothingToCountError:
        _check_new(path, stream.name, texts)
        raise
    _check_new(path, stream.name, texts)
    return replace(new, texts=known_hashes(texts.added))


def _check_new(path: Path, corpus: str, texts: NewTexts) -> None:
    """ValueError if all texts that were read are known."""
    if texts.read and texts.repeated == texts.read:
        there = f"{path} already contains the texts of {corpus}: {many(texts.read, 'document')}"
        raise ValueError(there + "; nothing was added. Give " + named("again", True) + " to count them a second time")


def _stream(corpus: Corpus) -> Any:
    if corpus._scanned is None:
        raise ValueError(f"{corpus.name} is not scanned; give the texts themselves, with tb.scan")
    return corpus._scanned.stream


def _check_resuming(corpus: Corpus, memory: str | None, checkpoint: float | None) -> None:
    """ValueError, before anything is read, if *memory* is no size, or if checkpoints are asked for that cannot be."""
    if memory is not None:
        parsed_memory(memory)
    steps = _stream(corpus).steps
    if any(step.option == DROP for step in steps):
        drop, limit = named("drop_duplicates", True, python="drop_duplicates()"), "so memory has no limit"
        problem = " needs all texts at once, " + (limit if memory is not None else "so it cannot resume")
        raise ValueError(drop + problem + "; omit one of the two")
    if checkpoint and steps:
        option, omit = named(steps[0].option, python=f"{steps[0].option}()"), named("checkpoint", bare=True)
        raise ValueError(
            "a build with " + option + " saves nothing before its end; omit " + omit + ", or omit " + option
        )
