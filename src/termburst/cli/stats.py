"""`termburst stats build | add | merge | subtract | show`: statistics to which documents can be added."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.option_values import with_dashes
from termburst.cli.output import json_text, many, note, say, write_out
from termburst.cli.reading import Reading, reads_text
from termburst.cli.text_options import CORPUS_HELP
from termburst.names import Detail

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus
    from termburst.statistics.term_statistics import TermStatistics

stats = typer.Typer(help="Build, combine and show saved statistics of a corpus.", no_args_is_help=True)

Saved = Annotated[
    Path, typer.Argument(metavar="STATISTICS", help="A file that `stats build` wrote.", show_default=False)
]
Into = Annotated[Path, typer.Option("--output", "-o", help="The Parquet file to write.", show_default=False)]
InPlace = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file. (default: change the first file)")
]
Batch = Annotated[
    str | None, typer.Option("--batch", help="A name for these documents, so that they are added only once.")
]


@stats.command()
@reads_text
def build(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP, show_default=False)],
    reading: Reading,
    output: Into,
    detail: Annotated[
        Detail,
        typer.Option("--detail", help="How much is saved of every term: patterns for tests and keyness, or less."),
    ] = "patterns",
    batch: Batch = None,
    min_count: Annotated[
        int,
        typer.Option("--min-count", min=1, help="Leave out terms that occur fewer times; then nothing can be added."),
    ] = 1,
    checkpoint: Annotated[
        float | None,
        typer.Option(
            "--checkpoint",
            min=0,
            metavar="SECONDS",
            help="How often to save what has been counted; 0 for never. (default: 30)",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again instead of resuming an interrupted build.")
    ] = False,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Stay within this memory, such as 1GB or 500MB: what does not fit is kept on disk until the end. "
            "Such a build cannot be resumed.",
        ),
    ] = None,
) -> None:
    """Count a corpus once and save its statistics. If interrupted, the same command resumes.

    With --where, --split or --memory it counts from the beginning again.
    """
    from termburst.corpus import build as building
    from termburst.files import check_output

    for source in reading.inputs(corpus):
        check_output(_parquet(output), source=source)
    with _terminated_cleanly():
        documents, terms = building.build(
            reading.corpus(corpus, columns=()), output, detail=detail, batch=batch, min_count=min_count,
            checkpoint=checkpoint, fresh=fresh, memory=memory, say=_say,
        )  # fmt: skip
    note(f"{output}: {many(documents, 'document')}, {many(terms, 'term')}")


@stats.command()
@reads_text
def add(
    saved: Saved,
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP, show_default=False)],
    reading: Reading,
    batch: Batch = None,
    again: Annotated[
        bool, typer.Option("--again", help="Add all documents, even those whose texts the statistics already contain.")
    ] = False,
    output: InPlace = None,
) -> None:
    """Add documents, counted with the same options as before. Texts that are already there are left out.

    So a folder to which files were added can be given again. With --batch the whole batch is added, unless there is
    one of that name, or all of its texts are there.
    """
    from termburst.corpus import build as building
    from termburst.corpus.read_arguments import ReadArguments
    from termburst.corpus.saved import counting_like
    from termburst.statistics.term_statistics import TermStatistics

    def same_words(known: TermStatistics) -> Corpus:
        asked = ReadArguments(reading.files, reading.counting)
        return reading.corpus(corpus, columns=(), counting=counting_like(known, saved, asked))

    with _changing(output or saved, *reading.inputs(corpus)):
        found = building.add(saved, same_words, batch=batch, again=again, output=output, say=_say)
        if found is not None:
            whole, added = found
            _note(whole, output or saved, f" ({added:,} added)")
        elif output is not None:
            _note(TermStatistics.load(output), output)


@stats.command()
def merge(
    saved: Annotated[
        list[Path], typer.Argument(metavar="STATISTICS...", help="Two or more files.", show_default=False)
    ],
    output: Into,
    again: Annotated[
        bool, typer.Option("--again", help="Count texts as often as the files contain them, even if several do.")
    ] = False,
) -> None:
    """Combine the statistics of several collections. Files that contain the same texts are refused."""
    from termburst.corpus.saved import check_same_words
    from termburst.statistics.contents import shared
    from termburst.statistics.term_statistics import TermStatistics

    if len(saved) < 2:
        raise ValueError("merge needs at least two files of statistics")
    with _changing(output):  # which may be one of them: merging in place
        first, *rest = map(TermStatistics.load, saved)
        for name, other in zip(saved[1:], rest, strict=True):
            check_same_words(saved[0], first.counting, name, other.counting)
            both = 0 if again else shared(first.contents, other.contents)
            first += other
            if both:
                raise ValueError(
                    f"{name} contains {many(both, 'text')} that the files before it also contain, so nothing was "
                    "merged. Give --again to count them a second time, or add the corpus itself with stats add"
                )
        unknown = first.documents - sum(one.documents for one in first.contents if one.knows_each)
        if unknown > 0 and not again:
            sentence = f"the texts of {many(unknown, 'document')} are not known"
            say(f"{sentence}, so it cannot be said whether the files contain some of them twice", err=True)
        _save(first, output)


@stats.command()
def subtract(saved: Saved, other: Saved, output: InPlace = None) -> None:
    """Remove the documents of the second file from the first, and the terms that no longer occur.

    Build the second file with --batch if it is a whole batch: its name is then removed, too.
    """
    from termburst.corpus.saved import check_same_words
    from termburst.statistics.term_statistics import TermStatistics

    with _changing(output or saved, *([] if output is None else [other])):
        whole, gone = TermStatistics.load(saved), TermStatistics.load(other)
        check_same_words(saved, whole.counting, other, gone.counting)
        rest = (whole - gone).prune()
        if not rest.documents:
            raise ValueError(f"{other} has all documents of {saved}, so nothing would be left")
        _say_batches(whole, gone, rest, other)
        _save(rest, output or saved)


def _say_batches(whole: TermStatistics, gone: TermStatistics, rest: TermStatistics, other: Path) -> None:
    """Say which batches were removed though the second file does not name them, and which cannot be known to be."""
    removed = set(whole.batches) - set(rest.batches) - set(gone.batches)
    if removed:
        _say(f"no text of batch {_listed(removed)} is left, so that it can be added again")
    known = sum(one.documents for one in gone.contents if one.knows_each) == gone.documents
    traced = {one.batch for one in whole.contents if one.knows_each} if known else set()
    unsure = set() if gone.batches else set(rest.batches) - traced
    if unsure:
        _say(
            f"the batches on record stay: {_listed(unsure)}. It is not known whether {other} has all documents of one "
            "of them, which could then not be added again; if so, build it with --batch NAME before subtracting it"
        )


def _listed(names: set[str]) -> str:
    first = ", ".join(map(repr, sorted(names)[:5]))
    return first if len(names) <= 5 else f"{first}, … ({len(names):,} in all)"


@stats.command()
def show(saved: Saved, as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False) -> None:
    """Show what a file of statistics, or the folder of a ledger, contains."""
    from termburst.corpus.saved import load_saved
    from termburst.counting.words_of import words_of

    s = load_saved(saved)
    facts: dict[str, Any] = {
        "documents": s.documents,
        "tokens": s.tokens,
        "terms": s.vocabulary_size,
        "mean_length": s.mean_length,
        "longest": int(s.lengths.max(initial=0)),
        "empty_documents": int(s.length_documents[s.lengths == 0].sum()),
        "detail": s.detail,
        "min_count": s.min_count,
        "batches": list(s.batches),
        "contents": [{"documents": one.documents, "digest": one.digest, "batch": one.batch} for one in s.contents],
        "counting": None if s.counting is None else s.counting.to_json(),
    }
    if as_json:
        write_out(json_text(facts))
        return
    facts["mean_length"] = f"{s.mean_length:,.1f}"
    facts["batches"] = ", ".join(map(repr, s.batches))
    facts["contents"] = ", ".join(many(one.documents, "document") for one in s.contents)
    facts["counting"] = None if s.counting is None else words_of(s.counting)
    for name, value in facts.items():
        say(f"{name.replace('_', ' '):<16} {f'{value:,}' if isinstance(value, int) else value or '–'}")


@contextmanager
def _changing(path: Path, *sources: str | Path) -> Iterator[None]:
    """Lock a file from before it is read until after it is written; wait for other processes that change it.

    It must not be one of the *sources*, which are only read.
    """
    from termburst.files import check_output
    from termburst.locks import locked

    for source in (None, *sources):
        check_output(_parquet(path), source=source)
    with _terminated_cleanly(), locked(path, waiting=_say):
        yield


@contextmanager
def _terminated_cleanly() -> Iterator[None]:
    """Turn SIGTERM into an exception, as Ctrl-C is, so that open files are closed; the exit code is 143."""

    def stop(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():  # signals can be caught only there
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(sentence: str) -> None:
    say(with_dashes(sentence), err=True)


def _parquet(path: Path) -> Path:
    if path.suffix.lower() != ".parquet":
        raise ValueError(f"{path}: the name of a statistics file must end in .parquet")
    return path


def _save(statistics: TermStatistics, path: Path) -> None:
    statistics.save(path)
    _note(statistics, path)


def _note(statistics: TermStatistics, path: Path, added: str = "") -> None:
    note(f"{path}: {many(statistics.documents, 'document')}{added}, {many(statistics.vocabulary_size, 'term')}")
