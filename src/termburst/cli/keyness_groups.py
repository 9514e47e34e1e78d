"""The groups that `termburst keyness --by` compares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termburst.cli.reading import Reading
from termburst.reading.conditions import is_condition

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus

MOST_GROUPS = 50  # values of the column that --by names


@dataclass(frozen=True)
class Grouped:
    """A corpus whose groups are compared: the column that has their names, and their sizes by name, in order."""

    corpus: Corpus
    by: str
    sizes: dict[str, int]

    def part(self, name: str) -> Corpus:
        """The documents of a group."""
        return self.corpus.where([str(value) == name for value in self.corpus.metadata[self.by]])


def grouped(
    name: str, by: str, only: Iterable[str] | None, every: float | None, reading: Reading, *, page: bool
) -> Grouped:
    """The corpus, and the groups that --by names: between 2 and `MOST_GROUPS`.

    With *every*, a group is an interval of numbers or years. With *only*, other documents are left out, and the groups
    are in the order of these names. If *by* is a condition, those that meet it come first.
    """
    import polars as pl

    from termburst.corpus.condition_groups import part_to_compare
    from termburst.corpus.metadata import as_levels, labels_of
    from termburst.corpus.scan import is_saved

    if is_saved(name):
        raise ValueError(f"{name} is saved statistics, which have no documents to group; give the corpus itself")
    corpus = reading.corpus(name)
    if every is None:
        corpus = corpus.group(by)
    elif is_condition(by):
        raise ValueError(f"--by {by!r:.60} is a condition, which has two groups of its own; omit --bin")
    else:
        corpus, by = corpus.bin(by, int(every) if every.is_integer() else every), f"{by}_bin"
        only = None if only is None else [one.replace("–", "-").partition("-")[0] for one in only]
    corpus = corpus.in_memory() if page else corpus.counted()
    corpus, by = part_to_compare(corpus, by, only)
    labels = labels_of(corpus.metadata, by)
    sizes = {str(value): size for value, size in labels.value_counts().sort(by).rows()}
    if only is None and len(sizes) > MOST_GROUPS:
        raise ValueError(
            f"{name}: the column {by!r} has {len(sizes):,} values, but at most {MOST_GROUPS} can be compared; "
            "put numbers or years together with --bin, such as --bin 10, or choose another column with --by"
        )
    if every is not None:
        names = {value: interval(value, every) for value in sizes}
        of_each = pl.Series([names[str(value)] for value in labels])
        corpus = corpus.with_metadata({by: as_levels(of_each, list(names.values()))})
        sizes = {names[value]: size for value, size in sizes.items()}
    return Grouped(corpus, by, sizes)


def interval(lower: str, every: float) -> str:
    """The name of an interval; if numbers or the width are not whole, it is called by its lower end.

    >>> interval("1940", 10.0), interval("1940", 1.0), interval("2.0", 0.5)
    ('1940–1949', '1940', '2')
    """
    if every.is_integer() and every > 1 and "." not in lower:
        return f"{lower}–{int(lower) + int(every) - 1}"
    return str(int(float(lower))) if float(lower).is_integer() else lower
