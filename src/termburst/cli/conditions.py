"""`--where`: only the documents whose columns meet a condition; and which columns there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from termburst.cli.output import many
from termburst.display import did_you_mean
from termburst.reading.conditions import quotes_advice, where_expression

if TYPE_CHECKING:
    import polars as pl

    from termburst.reading.readers import Batch


def columns_of(condition: str | None, option: str = "where") -> tuple[str, ...]:
    """The columns that a condition, the value of an *option*, needs; without the id, which every document has.

    >>> columns_of("year >= 1945 AND id != 'x'"), columns_of(None)
    (('year',), ())
    """
    if condition is None:
        return ()
    return tuple(name for name in dict.fromkeys(where_expression(condition, option).meta.root_names()) if name != "id")


def meeting(corpus: str, batches: Iterator[Batch], condition: str) -> Iterator[Batch]:
    """The documents that meet a condition. ValueError if a column is missing everywhere, or no document meets it."""
    from termburst.corpus.condition_groups import rows_meeting

    expression, names = where_expression(condition), columns_of(condition)
    known, seen, kept = Known(names, condition=condition), 0, 0
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


class Known:
    """Which of the columns that are asked for exist: a misspelt one must not give lines without values.

    If all documents of the first batch have the same columns, as in a table, a missing one is an error at once;
    otherwise, such as for files with different headers, when all batches have been read.
    """

    def __init__(self, names: tuple[str, ...], hint: str = "", condition: str = "") -> None:
        self.missing = set(names)
        self.hint = hint
        self.condition = condition
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
            near = did_you_mean(min(self.missing), self.columns) or quotes_advice(self.condition, min(self.missing))
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
