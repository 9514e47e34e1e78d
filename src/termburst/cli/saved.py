"""Saved statistics as input of a command: a file that `stats build` wrote, or the folder of a ledger."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from termburst.statistics.term_statistics import TermStatistics


def is_saved(corpus: str | PathLike[str]) -> bool:
    """Whether a path has statistics instead of texts.

    >>> is_saved(".")
    False
    """
    from termburst.reading.corpus_files import is_ledger
    from termburst.statistics.store import holds_statistics

    return holds_statistics(corpus) or is_ledger(Path(corpus))


def load_saved(corpus: str | PathLike[str]) -> TermStatistics:
    """The statistics of a file or of a ledger, whose patterns then are in memory."""
    from termburst.reading.corpus_files import is_ledger
    from termburst.statistics.term_statistics import TermStatistics

    if not is_ledger(Path(corpus)):
        return TermStatistics.load(corpus)
    from termburst.engines import Ledger, term_statistics

    ledger = Ledger(corpus)
    batches = ledger.batches
    found = term_statistics(ledger.frame(), detail="patterns")
    names = batches["batch"].filter(batches["status"] != "withdrawn").to_list()
    return replace(found, counting=ledger.counting, batches=tuple(names))
