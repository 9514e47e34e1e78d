"""The groups that `termburst keyness --by` compares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.option_values import parsed_list
from termburst.cli.output import many
from termburst.cli.reading import Reading
from termburst.display import printable
from termburst.reading.conditions import both_sides, is_condition, quotes_advice, where_expression

if TYPE_CHECKING:
    from termburst.counting.counted_corpus import CountedCorpus, Groups
    from termburst.reading.report import ReadingReport

MOST_GROUPS = 50  # values of the column that --by names

By = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Column of A whose values are the groups to compare; or folder, or file; or a condition: 'year >= 1945'.",
    ),
]
GroupsOption = Annotated[
    list[str] | None,
    typer.Option("--groups", help="With --by: compare only these values, such as ham,spam; the first is A."),
]
Bin = Annotated[
    float | None,
    typer.Option("--bin", help="With --by: put numbers or years together by intervals of this width, such as 10."),
]


def named_groups(by: str | None, groups: list[str] | None) -> tuple[str, list[str]] | None:
    """The column and the values that --groups names, as they are written; None if all values are compared.

    Examples
    --------
    >>> named_groups("place", ['"Washington, D.C.", Paris'])
    ('place', ['Washington, D.C.', 'Paris'])
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
    return by, names


def _quotes_advice(by: str, error: str) -> str:
    """What to write instead of a condition with text in double quotes, if the error is about a column of that name."""
    names = where_expression(by, "by").meta.root_names() if is_condition(by) else []
    return next((quotes_advice(by, name) for name in names if f"column {name!r}" in error), "")


def grouped(
    corpus: str, by: str, only: list[str] | None, every: float | None, reading: Reading
) -> tuple[CountedCorpus, Groups]:
    """The corpus, and the groups that the column *by* names: between 2 and `MOST_GROUPS`, and no empty name.

    With *every*, a group is an interval of numbers or years. With *only*, other documents are left out, and the groups
    are in the order of these names. If *by* is a condition, those that meet it come first.
    """
    from termburst.cli.saved import is_saved
    from termburst.counting.counted_corpus import Groups

    if is_saved(corpus):
        raise ValueError(f"{corpus} is saved statistics, which have no documents to group; give the corpus itself")
    if reading.files.id is not None:
        raise ValueError("--by takes the place of --id; omit --id")
    named = named_groups(by, only)
    if is_condition(by) and every is not None:
        raise ValueError(f"--by {by!r:.60} is a condition, which has two groups of its own; omit --bin")
    try:
        counted = replace(reading, by=by).counted_corpus(corpus)
    except ValueError as error:
        if not (advice := _quotes_advice(by, str(error))):
            raise
        raise ValueError(f"{error}{advice}") from error
    if named is not None:
        return _chosen(counted, corpus, named, every)
    if empty := sum(not label.strip() for label in counted.ids):
        raise _unlabelled(corpus, by, empty, counted.reading)
    if is_condition(by):
        if len(set(counted.ids)) < 2:
            each = f"every document meets {counted.ids[0]!r:.60}"
            raise ValueError(f"{corpus}: {each}, so there is nothing to compare; choose another --by")
        groups = Groups.from_labels(counted.ids, both_sides(by))
        return replace(counted, groups=groups), groups
    groups = Groups.from_labels(counted.ids if every is None else _binned(counted.ids, by, every))
    names = groups.names
    if len(names) < 2:
        raise ValueError(f"{corpus}: the column {by!r} has only one value, {names[0]!r:.60}; choose another with --by")
    if len(names) > MOST_GROUPS:
        raise ValueError(
            f"{corpus}: the column {by!r} has {len(names):,} values, but at most {MOST_GROUPS} can be compared; "
            "put numbers or years together with --bin, such as --bin 10, or choose another column with --by"
        )
    return replace(counted, groups=groups), groups


def _chosen(
    counted: CountedCorpus, corpus: str, named: tuple[str, list[str]], every: float | None
) -> tuple[CountedCorpus, Groups]:
    """The documents of some groups, and these groups in the order in which they are named."""
    import numpy as np

    from termburst.corpus.metadata import no_value
    from termburst.counting.counted_corpus import Groups

    by, names = named
    labelled = counted.rows([bool(label.strip()) for label in counted.ids])
    labels = np.array(labelled.ids if every is None else _binned(labelled.ids, by, every), dtype=np.object_)
    lower = {label.partition("–")[0]: label for label in labels.tolist()} if every is not None else {}
    names = [lower.get(name, name.replace("-", "–") if every is not None else name) for name in names]
    for name in names:
        if name not in labels:
            raise ValueError(f"{corpus}: {no_value(by, name, labels.tolist())}")
    chosen = np.isin(labels.astype(str), names)
    kept = labelled.rows(chosen)
    used = np.diff(kept.counts.tocsc().indptr) > 0  # as if the other documents had not been read
    kept = replace(kept, counts=kept.counts[:, used], terms=kept.terms[used])
    groups = Groups.from_labels(labels[chosen], names)
    return replace(kept, groups=groups), groups


def _binned(labels: list[str], by: str, every: float) -> list[str]:
    """The interval of each label, such as 1940–1949; a date counts by its year.

    If numbers or the width are not whole, it is the lower end of the interval.
    """
    import polars as pl

    from termburst.corpus.metadata import as_numbers, binned

    if not 0 < every < float("inf"):
        raise ValueError(f"--bin must be a number above 0; got {every:g}")
    values = as_numbers(pl.Series(by, labels))
    if values.dtype == pl.String:
        values = values.str.to_date("%Y-%m-%d", strict=False)
        if values.null_count():
            odd = labels[values.is_null().to_list().index(True)]
            raise ValueError(f"--bin is for numbers and dates, but the column {by!r} contains {odd!r:.60}")
    found = binned(pl.DataFrame({by: values}), by, int(every) if every.is_integer() else every)[f"{by}_bin"]
    if every.is_integer() and every > 1 and not values.dtype.is_float():
        return [f"{value}–{value + int(every) - 1}" for value in found.to_list()]
    return [str(int(value)) if float(value).is_integer() else str(value) for value in found.to_list()]


def _unlabelled(corpus: str, by: str, count: int, report: ReadingReport | None) -> ValueError:
    """Some documents are in no group: which, and what their metadata are."""
    names = [] if report is None else report.unlabelled
    such = f" ({', '.join(printable(name) for name in names)}{', …' if count > len(names) else ''})" if names else ""
    have = f"{many(count, 'document')}{such} {'has' if count == 1 else 'have'}"
    if is_condition(by):
        return ValueError(
            f"{corpus}: {have} nothing in a column of --by {by!r:.60}, so that it is not known whether "
            f"{'it meets' if count == 1 else 'they meet'} it; fill the column, or remove such documents"
        )
    if by == "folder":
        return ValueError(f"{corpus}: {have} no folder; move {'it' if count == 1 else 'them'} into one, or away")
    known = sorted(report.known_labels) if report is not None else []
    there = f"; known are {', '.join(map(repr, known))[:200]}" if known and by not in known else ""
    return ValueError(f"{corpus}: {have} nothing in the column {by!r}; fill it, or remove such documents{there}")
