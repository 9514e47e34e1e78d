"""The groups that `termburst keyness --by` compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termburst.cli.options import parsed_list
from termburst.cli.reading import Reading
from termburst.reading.conditions import both_sides, is_condition

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus

MOST_GROUPS = 50  # values of the column that --by names


def named_groups(by: str | None, groups: list[str] | None) -> list[str] | None:
    """The values that --groups names, as they are written; None if all values are compared.

    Examples
    --------
    >>> named_groups("place", ['"Washington, D.C.", Paris'])
    ['Washington, D.C.', 'Paris']
    """
    if not groups:
        return None
    if by is None:
        raise ValueError("--groups needs --by COLUMN: the column that has these values")
    if is_condition(by):
        raise ValueError(f"--by {by!r:.60} is a condition, which has two groups of its own; omit --groups")
    names = parsed_list(groups)
    if len(names) < 2:
        raise ValueError(
            f"--groups must be two values of {by!r:.60} or more, such as a,b; got {','.join(groups)!r:.60}. "
            "Without --groups, each value is compared with the rest"
        )
    return names


@dataclass(frozen=True)
class Grouped:
    """A corpus whose groups are compared.

    Attributes
    ----------
    corpus : in which the documents are
    by : the column or the condition
    groups : the values that are asked for, or None
    sizes : the number of documents of each group, by its value
    every : the width of intervals, if groups are intervals
    """

    corpus: Corpus
    by: str
    groups: list[Any] | None
    sizes: dict[Any, int]
    every: float | None

    def name(self, value: Any) -> str:
        """The name of a group: its value, or its interval, such as 1940–1949.

        If numbers or the width are not whole, an interval is called by its lower end.
        """
        if self.every is None:
            return str(value)
        if self.every.is_integer() and self.every > 1 and isinstance(value, int):
            return f"{value}–{value + int(self.every) - 1}"
        return str(int(value)) if float(value).is_integer() else str(value)

    @property
    def names(self) -> list[str]:
        """The names of the groups, in order."""
        return [self.name(value) for value in self.sizes]

    def part(self, value: Any) -> Corpus:
        """The documents of a group."""
        from termburst.corpus.condition_groups import side_of_each

        if is_condition(self.by):
            return self.corpus.where([side == value for side in side_of_each(self.corpus.metadata, self.by)])
        return self.corpus.where((self.corpus.metadata[self.by] == value).fill_null(False))


def grouped(
    name: str, by: str, only: list[str] | None, every: float | None, reading: Reading, *, page: bool
) -> Grouped:
    """The corpus, and the groups that --by names: between 2 and `MOST_GROUPS`.

    With *every*, a group is an interval of numbers or years. With *only*, other documents are left out, and the groups
    are in the order of these names. If *by* is a condition, those that meet it come first.
    """
    from termburst.corpus.condition_groups import sides
    from termburst.corpus.metadata import chosen_values, labels_of
    from termburst.corpus.scan import is_saved

    if is_saved(name):
        raise ValueError(f"{name} is saved statistics, which have no documents to group; give the corpus itself")
    asked = named_groups(by, only)
    if is_condition(by):
        if every is not None:
            raise ValueError(f"--by {by!r:.60} is a condition, which has two groups of its own; omit --bin")
        corpus = _read(reading.corpus(name).group(by), page=page)
        found = sides(corpus.metadata, by)
        return Grouped(corpus, by, None, {side: int((found == side).sum()) for side in both_sides(by)}, None)
    corpus = reading.corpus(name)
    if every is None:
        corpus = corpus.group(by)
    else:
        corpus, by = corpus.bin(by, int(every) if every.is_integer() else every), f"{by}_bin"
    corpus = _read(corpus, page=page)
    if asked is not None:
        lower = [one.replace("–", "-").partition("-")[0] if every is not None else one for one in asked]
        groups = chosen_values(corpus.metadata, by, lower)
        return Grouped(corpus, by, groups, {one: int((corpus.metadata[by] == one).sum()) for one in groups}, every)
    labels = labels_of(corpus.metadata, by)
    sizes = dict(labels.value_counts().sort(by).rows())
    if len(sizes) > MOST_GROUPS:
        raise ValueError(
            f"{name}: the column {by!r} has {len(sizes):,} values, but at most {MOST_GROUPS} can be compared; "
            "put numbers or years together with --bin, such as --bin 10, or choose another column with --by"
        )
    return Grouped(corpus, by, None, sizes, every)


def _read(corpus: Corpus, *, page: bool) -> Corpus:
    """The corpus after a pass; a page needs the texts, too."""
    return corpus.in_memory() if page else corpus.counted()
