"""`termburst stats build | add | merge | subtract | show`: statistics to which documents can be added."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from termburst.cli.options import CorpusName, with_dashes
from termburst.cli.output import json_text, many, note, say, write_out
from termburst.cli.reading import Reading, reads_text
from termburst.names import Detail
from termburst.options import Option

Saved = Annotated[Path, Option("A file that `stats build` wrote.", metavar="STATISTICS")]
Into = Annotated[Path, Option("The Parquet file to write.")]
InPlace = Annotated[Path | None, Option("Write to this file. (default: change the first file)")]
Batch = Annotated[str | None, Option("A name for these documents, so that they are added only once.")]


@reads_text
def build(
    corpus: CorpusName,
    reading: Reading,
    output: Into,
    detail: Annotated[
        Detail, Option("How much is saved of every term: patterns for tests and keyness, or less.")
    ] = "patterns",
    batch: Batch = None,
    min_count: Annotated[
        int, Option("Leave out terms that occur fewer times; then nothing can be added.", least=1)
    ] = 1,
    checkpoint: Annotated[
        float | None,
        Option("How often to save what has been counted; 0 for never. (default: 30)", metavar="SECONDS", least=0),
    ] = None,
    fresh: Annotated[bool, Option("Start again instead of resuming an interrupted build.")] = False,
    memory: Annotated[
        str | None,
        Option("Stay within this memory, such as 1GB: what does not fit is on disk until the end.", metavar="SIZE"),
    ] = None,
) -> None:
    """Count a corpus once and save its statistics. If interrupted, the same command resumes.

    With --where or --split it counts from the beginning again.
    """
    from termburst.corpus import build as building

    building.check_parquet(output, *reading.inputs(corpus))
    with _terminated_cleanly():
        size = building.build(
            reading.corpus(corpus), output, detail=detail, batch=batch, min_count=min_count,
            checkpoint=checkpoint, fresh=fresh, memory=memory, say=_say,
        )  # fmt: skip
    _note(output, *size)


@reads_text
def add(
    saved: Saved,
    corpus: CorpusName,
    reading: Reading,
    batch: Batch = None,
    again: Annotated[bool, Option("Add all documents, even those whose texts are already there.")] = False,
    output: InPlace = None,
) -> None:
    """Add documents, counted with the same options as before. Texts that are already there are left out.

    So a folder to which files were added can be given again. With --batch the whole batch is added, unless there is
    one of that name, or all of its texts are there.
    """
    from termburst.corpus import build as building

    building.check_parquet(output or saved, *reading.inputs(corpus))
    with _terminated_cleanly():
        found = building.add(
            saved, lambda counting: reading.corpus(corpus, counting=counting), asked=reading.asked, batch=batch,
            again=again, output=output, say=_say,
        )  # fmt: skip
    if found is not None:
        documents, terms, added = found
        _note(output or saved, documents, terms, f" ({added:,} added)" if added else "")


def merge(
    saved: Annotated[
        list[Path], typer.Argument(metavar="STATISTICS...", help="Two or more files.", show_default=False)
    ],
    output: Into,
    again: Annotated[bool, Option("Count texts as often as the files contain them, even if several do.")] = False,
) -> None:
    """Combine the statistics of several collections. Files that contain the same texts are refused."""
    from termburst.corpus import build as building

    with _terminated_cleanly():
        _note(output, *building.merge(saved, output, again=again, say=_say))


def subtract(saved: Saved, other: Saved, output: InPlace = None) -> None:
    """Remove the documents of the second file from the first, and the terms that no longer occur.

    Build the second file with --batch if it is a whole batch: its name is then removed, too.
    """
    from termburst.corpus import build as building

    with _terminated_cleanly():
        _note(output or saved, *building.subtract(saved, other, output=output, say=_say))


def show(saved: Saved, json: Annotated[bool, Option("Write JSON.")] = False) -> None:
    """Show what a file of statistics, or the folder of a ledger, contains."""
    from termburst.corpus.saved import contained

    facts, in_words = contained(saved)
    if json:
        write_out(json_text(facts))
        return
    for name, value in (facts | in_words).items():
        say(f"{name.replace('_', ' '):<16} {f'{value:,}' if isinstance(value, int) else value or '–'}")


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


def _note(path: Path, documents: int, terms: int, added: str = "") -> None:
    note(f"{path}: {many(documents, 'document')}{added}, {many(terms, 'term')}")
