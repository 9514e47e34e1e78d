"""`--by 'year >= 1945'`: two groups, the documents that meet a condition and those that do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termburst.cli.conditions import rows_meeting, where_expression

if TYPE_CHECKING:
    import polars as pl

_QUOTED = r"'[^']*'|\"[^\"]*\""
_SIGNS = re.compile(r"[<>=]|\bIN\s*\(|\bLIKE\s*'|\bBETWEEN\b.+\bAND\b|\bIS\s+(?:NOT\s+)?NULL\b", re.IGNORECASE)
_COMPARED = re.compile(rf"\s*(\w+|\"[^\"]+\")\s*(<=|>=|<>|!=|<|>|=)\s*(-?[\w.]+|{_QUOTED})\s*")
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "=": "!=", "!=": "=", "<>": "="}


def is_condition(by: str | None) -> bool:
    """Whether --by has a condition, and not the name of a column.

    Examples
    --------
    >>> [is_condition(by) for by in ("year >= 1945", "party IN ('x', 'y')", "year in office", "party", None)]
    [True, True, False, False, False]
    """
    return by is not None and _SIGNS.search(re.sub(r"'[^']*'", "''", by)) is not None


def both_sides(condition: str) -> tuple[str, str]:
    """The names of the two groups: the condition, and its opposite.

    Examples
    --------
    >>> both_sides("year >= 1945"), both_sides("year > 1900 AND party = 'x'")[1]
    (('year >= 1945', 'year < 1945'), "NOT (year > 1900 AND party = 'x')")
    """
    simple = _COMPARED.fullmatch(condition)
    if simple is None:
        return condition, f"NOT ({condition})"
    column, sign, value = simple.groups()
    return f"{column} {sign} {value}", f"{column} {_OPPOSITE[sign]} {value}"


def side_of_each(frame: pl.DataFrame, condition: str) -> list[str]:
    """The group of each document; an empty name if its columns do not say whether it meets the condition.

    Examples
    --------
    >>> import polars as pl
    >>> side_of_each(pl.DataFrame({"year": [1944, None, 1945]}), "year>=1945")
    ['year < 1945', '', 'year >= 1945']
    """
    meets = where_expression(condition, "--by")
    labels = [""] * frame.height
    for name, expression in zip(both_sides(condition), (meets, ~meets), strict=True):
        for row in rows_meeting(frame, expression):
            labels[row] = name
    return labels
