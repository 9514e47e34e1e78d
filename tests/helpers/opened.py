"""Corpora opened with the options of reading as arguments."""

from typing import Any

from termburst.options import options_of
from termburst.reading import readers
from termburst.reading.options import ReadingOptions

NAMES = set(options_of(ReadingOptions))


def open_corpus(source: Any, **given: Any) -> readers.TextSource:
    """`termburst.reading.readers.open_corpus`, with each option of `ReadingOptions` as an argument of its own."""
    options = ReadingOptions(**{name: value for name, value in given.items() if name in NAMES})
    return readers.open_corpus(source, options, **{name: given[name] for name in given.keys() - NAMES})
