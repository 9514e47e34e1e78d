"""A condition of what is known of a document, in SQL: ``year >= 1945 AND party = 'x'``."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from termburst.messages import named

if TYPE_CHECKING:
    import polars as pl

CONDITION = "by_condition"  # the column that says whether a document meets the condition by which it is compared

# Polars' names of steps that look at several rows.
TOGETHER = frozenset(
    ("Agg", "Over", "Window", "Len", "Quantile", "Correlation", "Explode", "Rank", "Shift", "Selector")
)
_QUOTED = r"'[^']*'|\"[^\"]*\""
_SIGNS = re.compile(r"[<>=]|\bIN\s*\(|\bLIKE\s*'|\bBETWEEN\b.+\bAND\b|\bIS\s+(?:NOT\s+)?NULL\b", re.IGNORECASE)
_COMPARED = re.compile(rf"\s*(\w+|\"[^\"]+\")\s*(<=|>=|<>|!=|<|>|=)\s*(-?[\w.]+|{_QUOTED})\s*")
_VALUE = r"(?i:[=<>]\s*|\bIN\s*\([^)]*?|\bLIKE\s+)"  # what stands before a value
_WORDS = r"(?:\s+(?!(?i:AND|OR|NOT|IS|IN|LIKE|BETWEEN)\b)\w+)*"  # more words of the same value
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "=": "!=", "!=": "=", "<>": "="}


def where_expression(condition: str, name: str = "where") -> pl.Expr:
    """A condition in SQL as an expression of columns; ValueError, which names the option *name*, for anything else.

    Examples
    --------
    >>> where_expression("year >= 1945 AND party = 'x'").meta.root_names()
    ['year', 'party']
    """
    import polars as pl

    option = named(name, bare=True)
    example = "write a condition such as \"year >= 1945 AND party = 'x'\""
    if not condition.strip():
        raise ValueError(option + f" is empty; {example}")
    outside = re.sub(_QUOTED, "", condition)
    if re.search(r"\bselect\b", outside, re.IGNORECASE):
        raise ValueError(option + f" takes no SELECT; {example}")
    try:
        found = pl.sql_expr(condition)
    except (pl.exceptions.PolarsError, ValueError) as error:
        problem = f" {condition!r:.60} cannot be understood; {example}, with text in single quotes"
        raise ValueError(option + problem) from error
    if not found.meta.undo_aliases().meta.eq(found):  # SQL takes a last word for a name of the result
        word, before = found.meta.output_name(), re.search(r"([^\W\d]\w*)\s+\w+\s*$", condition)
        advice = quotes_advice(condition, before[1]) if before else ""
        problem = f" {condition!r:.60} ends in the word {word!r:.60}, which says nothing"
        raise ValueError(option + f"{problem}{advice or '; ' + example}")
    if looks_at_others(found):
        raise ValueError(
            option + f" {condition!r:.60} looks at several documents together (as MAX, COUNT and OVER do), but each is "
            f"judged alone; {example}"
        )
    return found


def quotes_advice(condition: str, name: str) -> str:
    """What to write instead, if a column that does not exist is text in double quotes, or in none.

    Examples
    --------
    >>> print(quotes_advice('party = "x"', "x"))
    ; "x" is the name of a column, since text needs single quotes: party = 'x'
    >>> print(quotes_advice("party = x AND year > 1944", "x"))
    ; if x is text, it needs single quotes: party = 'x' AND year > 1944
    >>> print(quotes_advice("party = New Deal", "New"))
    ; if New Deal is text, it needs single quotes: party = 'New Deal'
    """
    if f'"{name}"' in condition:
        better = condition.replace(f'"{name}"', f"'{name}'")
        return f'; "{name}" is the name of a column, since text needs single quotes: {better:.100}'
    bare = re.search(rf"{_VALUE}\b({re.escape(name)}\b{_WORDS})", condition)
    if bare is None:
        return ""
    better = f"{condition[: bare.start(1)]}'{bare[1]}'{condition[bare.end(1) :]}"
    return f"; if {bare[1]} is text, it needs single quotes: {better:.100}"


def looks_at_others(expression: pl.Expr) -> bool:
    """Whether the value of a row depends on other rows: documents come in batches, and each would have its own maximum.

    Polars can say so only of the outermost step of an expression, so we look at the names of all its steps.

    Examples
    --------
    >>> import polars as pl
    >>> [looks_at_others(pl.sql_expr(text)) for text in ("year = MAX(year)", "party = 'Agg'")]
    [True, False]
    """
    import json

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Polars says that the format may change
        text = expression.meta.serialize(format="json")
    try:
        left = [json.loads(text)]
    except RecursionError:
        raise ValueError("a condition has too many parts; shorten it, such as by year IN (1945, 1946)") from None
    names: set[str] = set()
    while left:
        step = left.pop()
        if isinstance(step, dict):
            names.update(step)
            left += [value for key, value in step.items() if key not in ("String", "Column")]  # what users wrote
        elif isinstance(step, list):
            left += step
        elif isinstance(step, str):
            names.add(step)
    return not TOGETHER.isdisjoint(names)


def is_condition(by: str | None) -> bool:
    """Whether a text is a condition, and not the name of a column.

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
