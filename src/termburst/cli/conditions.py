"""`--where`: only the documents whose columns meet a condition; and which columns there are."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from termburst.cli.output import many
from termburst.display import did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from termburst.reading.readers import Batch

# Polars' names of steps that look at several rows.
TOGETHER = frozenset(
    ("Agg", "Over", "Window", "Len", "Quantile", "Correlation", "Explode", "Rank", "Shift", "Selector")
)


def where_expression(condition: str, option: str = "--where") -> pl.Expr:
    """A condition in SQL as an expression of columns; ValueError, which names the *option*, for anything else.

    Examples
    --------
    >>> where_expression("year >= 1945 AND party = 'x'").meta.root_names()
    ['year', 'party']
    """
    import polars as pl

    example = "write a condition such as \"year >= 1945 AND party = 'x'\""
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", condition)
    if re.search(r"\bselect\b", outside, re.IGNORECASE):
        raise ValueError(f"{option} takes no SELECT; {example}")
    try:
        found = pl.sql_expr(condition)
    except (pl.exceptions.PolarsError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{option} {condition!r:.60} cannot be understood ({reason}); {example}") from error
    if looks_at_others(found):
        raise ValueError(
            f"{option} {condition!r:.60} looks at several documents together (as MAX, COUNT and OVER do), but each is "
            f"judged alone; {example}"
        )
    return found


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
        raise ValueError("--where has too many conditions; shorten it, such as by year IN (1945, 1946)") from None
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


def columns_of(condition: str | None) -> tuple[str, ...]:
    """The columns that a condition needs, without the id, which every document has.

    >>> columns_of("year >= 1945 AND id != 'x'"), columns_of(None)
    (('year',), ())
    """
    if condition is None:
        return ()
    return tuple(name for name in dict.fromkeys(where_expression(condition).meta.root_names()) if name != "id")


def with_columns_of(condition: str | None, how: dict[str, Any]) -> dict[str, Any]:
    """Options of `open_corpus` that also ask for the columns of a condition.

    >>> with_columns_of("year >= 1945", {"columns": ("party",)})
    {'columns': ('party', 'year')}
    """
    asked = how.get("columns", ())
    more = columns_of(condition)
    if not more or asked == "all":
        return how
    return how | {"columns": tuple(dict.fromkeys((*asked, *more)))}


def meeting(corpus: str, batches: Iterator[Batch], condition: str) -> Iterator[Batch]:
    """The documents that meet a condition. ValueError if a column is missing everywhere, or no document meets it."""
    expression, names = where_expression(condition), columns_of(condition)
    known, seen, kept = Known(names), 0, 0
    for batch in known.seen(batches):
        rows = rows_meeting(about(batch, names), expression)
        seen, kept = seen + len(batch.ids), kept + len(rows)
        metadata = None if batch.metadata is None else [batch.metadata[row] for row in rows]
        yield replace(
            batch, ids=[batch.ids[row] for row in rows], texts=[batch.texts[row] for row in rows], metadata=metadata
        )
    known.check()
    if seen and not kept:
        raise ValueError(f"{corpus}: none of {many(seen, 'document')} meets --where {condition!r:.100}")


def rows_meeting(frame: pl.DataFrame, expression: pl.Expr) -> list[int]:
    """The rows that meet a condition. Text that looks like a number is one, but may also be compared as text.

    >>> import polars as pl
    >>> years = pl.DataFrame({"year": [1944, 1945]})
    >>> rows_meeting(years, where_expression("year > 1944")), rows_meeting(years, where_expression("year = '1945'"))
    ([1], [1])
    """
    import polars as pl

    from termburst.corpus.metadata import chosen_rows

    try:
        return chosen_rows(frame, expression).tolist()
    except ValueError as error:
        try:
            return chosen_rows(frame.with_columns(pl.selectors.numeric().cast(pl.String)), expression).tolist()
        except ValueError:
            advice = "a condition compares numbers with numbers, and text with text in quotes: year > 1944, party = 'x'"
            raise ValueError(f"{error}; {advice}") from None


class Known:
    """Which of the columns that are asked for exist: a misspelt one must not give lines without values.

    If all documents of the first batch have the same columns, as in a table, a missing one is an error at once;
    otherwise, such as for files with different headers, when all batches have been read.
    """

    def __init__(self, names: tuple[str, ...], hint: str = "") -> None:
        self.missing = set(names)
        self.hint = hint
        self.columns: set[str] = set()

    def seen(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches, looked at as they come."""
        first = True
        for batch in batches:
            kinds = {tuple(row) for row in batch.metadata or ({},)} if self.missing else set()
            self.columns |= {name for kind in kinds for name in kind}
            self.missing -= self.columns
            if first and len(kinds) == 1:
                self.check()
            first = False
            yield batch

    def check(self) -> None:
        """Raise ValueError for columns that no document has."""
        if self.missing:
            there = f"; columns here: {', '.join(sorted(self.columns))}" if self.columns else ""
            inside = " (of files in folders inside the one that you give)" if "folder" in self.missing else ""
            hint = f"a column of the table, file, folder{inside}, or a group of --name-pattern{self.hint}"
            names = ", ".join(repr(name) for name in sorted(self.missing))
            near = did_you_mean(min(self.missing), self.columns)
            raise ValueError(f"no document has the column {names:.200} ({hint}){there:.200}{near}")


def about(batch: Batch, names: tuple[str, ...]) -> pl.DataFrame:
    """The ids and columns of a batch; a column that no document of it has is null."""
    import polars as pl

    if not names:  # a corpus and its metadata take long to import
        return pl.DataFrame({"id": pl.Series(batch.ids, dtype=pl.String)})
    from termburst.corpus.metadata import of_documents

    frame = of_documents(batch.ids, batch.metadata)
    missing = [name for name in names if name not in frame.columns]
    return frame.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing)
