"""How a command reads and counts a corpus, with the options that were given."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from termburst.cli.options import takes_options, with_dashes
from termburst.cli.output import errors_are_on_terminal, many, progress_bar, say
from termburst.corpus.read_arguments import ReadArguments
from termburst.display import printable
from termburst.options import Option

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus
    from termburst.corpus.stream import Pass
    from termburst.reading.report import ReadingReport

NAMED_COPIES = 10  # near-copies that are named when they are dropped
REPORT_LINES = 12  # of the reading report, on a terminal
_PANEL = "Reading text"


@dataclass(frozen=True)
class Steps:
    """What is done with documents after they are read, in this order: methods of `Corpus`, in Python."""

    where: Annotated[
        str | None, Option('Only documents whose columns meet a condition, such as "year >= 1945".', panel=_PANEL)
    ] = None
    drop_duplicates: Annotated[
        bool, Option("Leave out near-copies of earlier documents; all texts are held in memory.", panel=_PANEL)
    ] = False
    split: Annotated[
        int | str | None,
        Option("Cut documents into pieces: a number of tokens, or a pattern such as '^CHAPTER'.", panel=_PANEL),
    ] = None

    def of(self, corpus: Corpus) -> Corpus:
        """The corpus after them."""
        if self.where is not None:
            corpus = corpus.where(self.where)
        if self.drop_duplicates:
            corpus = corpus.drop_duplicates()
        if isinstance(self.split, int):
            return corpus.split(tokens=self.split)
        return corpus if self.split is None else corpus.split(pattern=self.split)


@dataclass(frozen=True)
class Reading:
    """How to read and count a corpus, as given on the command line.

    Attributes
    ----------
    asked, steps : options of reading and of counting, and what is done with the documents
    notes : whether to print all of the reading report, or nothing of it
    given : the values of all options as they were written
    """

    asked: ReadArguments = field(default_factory=ReadArguments)
    steps: Steps = field(default_factory=Steps)
    notes: Annotated[
        bool | None,
        Option("Print the whole reading report, or none of it. (default: its first lines)", panel=_PANEL),
    ] = None
    given: Mapping[str, Any] = field(default_factory=dict)

    def inputs(self, *corpora: str) -> list[str]:
        """Everything that a command reads, and so must not write: the corpora and the file of stop words."""
        words = self.given.get("stop_words")
        return [*corpora, *([words] if words not in (None, "english") and Path(words).is_file() else [])]

    def corpus(
        self, name: str, *, columns: tuple[str, ...] | Literal["all"] = (), counting: Any = None, bar: bool = True
    ) -> Corpus:
        """The corpus *name*, which is read when a question is asked: with the steps and all other options.

        Parameters
        ----------
        columns : the metadata that the question needs
        counting : how words are counted, if other than the options say
        bar : whether a bar shows how much has been read
        """
        from termburst.corpus.scan import scanned

        watch = Watching(self.notes, bar=bar)
        asked = self.asked if counting is None else self.asked.counted_like(counting)
        return self.steps.of(scanned(name, asked, columns=columns, inspect=self.notes is not False, watch=watch))


class Watching:
    """A bar while a corpus is read, and then the reading report, once."""

    def __init__(self, notes: bool | None, *, bar: bool = True) -> None:
        self.notes, self.bar, self.told = notes, bar, False
        self.tell: Callable[[str], None] = lambda doing: None  # changes the first word beside the bar

    @contextmanager
    def reading(self, name: str, size: int | None) -> Iterator[Callable[[int], None]]:
        """A bar for one pass."""
        if hasattr(signal, "siginterrupt"):  # Polars lets a read continue after Ctrl-C and wait for more input
            signal.siginterrupt(signal.SIGINT, True)
        with progress_bar(when=self.bar) as progress:
            name = printable(name, None)
            task = progress.add_task(f"Reading {name}", total=size)
            self.tell = lambda doing: progress.update(task, description=f"{doing} {name}")
            yield lambda position: progress.update(task, completed=position)

    def finished(self, reading: Pass) -> None:
        """Say which near-copies were left out, and what was skipped, repaired or guessed."""
        if self.told:
            return
        self.told = True
        if reading.dropped is not None:
            _say_dropped(reading.name, reading.dropped)
        for report in reading.reports:
            if self.notes is not False and (self.notes or report.has_oddities or report.pieces is not None):
                reading.with_language()
                _print_report(report, whole=bool(self.notes))


def _say_dropped(name: str, dropped: pl.DataFrame) -> None:
    rows = dropped.select("id", "duplicate_of").rows()
    named = ", ".join(f"{printable(one)} (of {printable(of)})" for one, of in rows[:NAMED_COPIES])
    more = f", and {len(rows) - NAMED_COPIES:,} more" if len(rows) > NAMED_COPIES else ""
    say(f"{name}: {many(len(rows), 'near-duplicate')} dropped{': ' if rows else ''}{named}{more}", err=True)


def _print_report(report: ReadingReport, *, whole: bool) -> None:
    """Print a report on standard error; of a long one, a terminal gets the first lines unless *whole*."""
    printed = with_dashes(report).splitlines()
    if not whole and len(printed) > REPORT_LINES and errors_are_on_terminal():
        left = len(printed) - REPORT_LINES
        printed = [*printed[:REPORT_LINES], f"and {many(left, 'more line')}; --verbose shows all"]
    say(*printed, err=True)


def reads_text(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Reading`, which it receives in its argument *reading*; patterns have a limit."""

    @functools.wraps(command)
    def limited(**given: Any) -> None:
        with given["reading"].asked.pattern_limit():
            command(**given)

    return takes_options(limited)


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """A moving bar with the text *what*, on a terminal, for work whose progress is not known.

    It gives a function that changes the text.
    """
    with progress_bar() as bar:
        task = bar.add_task(what, total=None)
        yield lambda what: bar.update(task, description=what)


def collection_size(corpus: Corpus) -> str:
    """The size of a corpus, in a line."""
    s = corpus.statistics
    size = (many(s.documents, "document"), many(s.tokens, "token"), many(s.vocabulary_size, "term"))
    return f"{', '.join(size)}, mean length {s.mean_length:,.1f}"
