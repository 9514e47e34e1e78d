"""`by="year >= 1945"`: two groups, the documents that meet a condition and those that do not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from termburst.corpus.metadata import as_levels, chosen_rows, chosen_values, column_of, some_have
from termburst.messages import named
from termburst.reading.conditions import CONDITION, both_sides, is_condition, quotes_advice, where_expression

if TYPE_CHECKING:
    from termburst.corpus.base import CorpusBase

_Corpus = TypeVar("_Corpus", bound="CorpusBase")


def rows_meeting(frame: pl.DataFrame, expression: pl.Expr) -> list[int]:
    """The rows that meet a condition. Text that looks like a number is one, but may also be compared as text.

    NaN is no number: as null, it meets no condition.

    >>> import polars as pl
    >>> years = pl.DataFrame({"year": [1944, 1945]})
    >>> rows_meeting(years, where_expression("year > 1944")), rows_meeting(years, where_expression("year = '1945'"))
    ([1], [1])
    """
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))
    try:
        return chosen_rows(frame, expression).tolist()
    except ValueError as error:
        try:
            return chosen_rows(frame.with_columns(pl.selectors.numeric().cast(pl.String)), expression).tolist()
        except ValueError:
            advice = "a condition compares numbers with numbers, and text with text in quotes: year > 1944, party = 'x'"
            raise ValueError(f"{error}; {advice}") from None


def expression_of(frame: pl.DataFrame, condition: str, option: str) -> pl.Expr:
    """A condition as an expression; ValueError if the frame lacks one of its columns.

    Examples
    --------
    >>> expression_of(pl.DataFrame({"year": [1944]}), "year >= 1945", "where").meta.root_names()
    ['year']
    """
    found = where_expression(condition, option)
    for name in found.meta.root_names():
        try:
            column_of(frame, name)
        except ValueError as error:
            raise ValueError(f"{error}{quotes_advice(condition, name)}") from None
    return found


def with_conditions_shown(table: pl.DataFrame) -> pl.DataFrame:
    """The table of a design, with contrasts named by the conditions alone, without the column that has their values.

    Examples
    --------
    >>> with_conditions_shown(pl.DataFrame({"contrast": ["by_condition: year >= 1945 - year < 1945"]})).item()
    'year >= 1945 - year < 1945'
    """
    if "contrast" not in table.columns:
        return table
    return table.with_columns(pl.col("contrast").cast(pl.String).str.strip_prefix(f"{CONDITION}: "))


def part_to_compare(corpus: _Corpus, by: str, groups: Iterable[Any] | None) -> tuple[_Corpus, str]:
    """The documents of some values of a column, in the order of *groups*, or of both sides of a condition; the column.

    Examples
    --------
    >>> import termburst as tb
    >>> corpus = tb.read(["so", "it", "on"], metadata={"year": [1944, 1945, 1946]})
    >>> part_to_compare(corpus, "year >= 1945", None)[1], part_to_compare(corpus, "year", [1946, 1944])[0].ids
    ('by_condition', ['1', '3'])
    """
    if by not in corpus.metadata.columns and is_condition(by):
        if groups is not None:
            two = named("by", by) + " is a condition, which has two groups of its own; omit "
            raise ValueError(two + named("groups"))
        return corpus.with_metadata({CONDITION: sides(corpus.metadata, by)}), CONDITION
    if groups is None:
        return corpus, by
    chosen = chosen_values(corpus.metadata, by, groups)
    part = corpus.where(pl.col(by).is_in(chosen))
    return part.with_metadata({by: as_levels(part.metadata[by], chosen)}), by


def sides(frame: pl.DataFrame, condition: str) -> pl.Series:
    """The group of each document as categories, those that meet the condition first; ValueError if one has none.

    Examples
    --------
    >>> sides(pl.DataFrame({"year": [1944, 1945]}), "year >= 1945").to_list()
    ['year < 1945', 'year >= 1945']
    """
    meets, names = expression_of(frame, condition, "by"), both_sides(condition)
    labels = np.full(frame.height, "", dtype=object)
    for name, expression in zip(names, (meets, ~meets), strict=True):
        labels[rows_meeting(frame, expression)] = name
    by: str = named("by", bare=True)
    if (labels == "").any():
        unknown = frame.filter(pl.Series(labels == ""))["id"].to_list()
        problem = " nothing in a column of " + by + f" {condition!r:.60}; fill it, or remove such documents"
        raise ValueError(some_have(unknown) + problem)
    if len(set(labels)) < 2:
        how_many = "every" if labels[0] == names[0] else "no"
        problem = f"{how_many} document meets {condition!r:.60}, so there is nothing to compare"
        raise ValueError(f"{problem}; choose another " + by)
    return as_levels(pl.Series(labels, dtype=pl.String), names)
