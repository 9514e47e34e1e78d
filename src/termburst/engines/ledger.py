"""Collections that change, kept in the engine: a ledger of patterns. Batches are appended, nothing is overwritten."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from termburst.counting.options import CountingOptions, checked_counting
from termburst.engines.cells import cells_of
from termburst.engines.door import WHOLE, check_one_engine, opened, refuse_nulls
from termburst.engines.frames import concatenated, to_polars, totals
from termburst.engines.remembered import Remembered

_counting = Remembered[CountingOptions]()  # how the texts of patterns were counted


def patterns(
    frame: Any, batch: str, *, counting: CountingOptions | None = None, check: bool = True, **columns: str
) -> Any:
    """The patterns of the documents in a frame, as a frame of the same engine: all that fits and tests need of them.

    A row (term, count, length, documents, batch) gives the number of *documents* of *length* tokens that have the term
    *count* times. A row without a term says how many documents of that length there are. Such a frame can be stored.
    `term_statistics`, `term_table` and `fit_beta_binomial` take it in place of the documents.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    batch : str
        An id of these documents, by which `add` recognises them.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["so so", "so so"]})
    >>> patterns(frame, "monday").sort("count").rows()
    [(None, 0, 2, 2, 'monday'), ('so', 2, 2, 2, 'monday')]
    """
    if not isinstance(batch, str):
        raise ValueError(f"batch must be a string; got {batch!r}")
    source = opened(frame, columns, check=check)
    cells = cells_of(source, counting, "patterns")
    held = cells.total("term", "count", "length").select("term", "count", "length", "documents")
    lengths = totals(cells.lengths, ["length"])
    nothing = nw.lit(None, dtype=nw.String).alias("term")
    empty = lengths.select(nothing, nw.lit(0, dtype=nw.Int64).alias("count"), "length", "documents")
    found = nw.to_native(nw.concat([held, empty]).with_columns(batch=nw.lit(batch)))
    if source.kind == "texts":
        _counting.put(found, checked_counting(counting))
    return found


def counted_with(frame: Any) -> CountingOptions | None:
    """How the texts of `patterns` were counted; None if the frame is not the very one that `patterns` returned here."""
    return _counting.get(frame)


def add(ledger: Any, more: Any, *, check: bool = True) -> Any:
    """The ledger with the batches of *more* that it does not have yet. Adding a batch again changes nothing.

    Parameters
    ----------
    ledger, more : frames of one engine, made by `patterns`, `add` or `withdraw`
    check : bool
        Look for nulls first.

    Examples
    --------
    >>> import polars as pl
    >>> monday = patterns(pl.DataFrame({"document": ["a"], "text": ["so it goes"]}), "monday")
    >>> tuesday = patterns(pl.DataFrame({"document": ["b"], "text": ["so so"]}), "tuesday")
    >>> week = add(add(monday, tuesday), tuesday)
    >>> from termburst.engines import term_statistics
    >>> term_statistics(week).tokens
    5
    """
    left, right = (open_ledger(frame, check=check) for frame in (ledger, more))
    check_one_engine(left, right)
    # Fetched, since there are few: a join would put the ledger's whole history into the query twice with every call.
    known = _batches(left)
    if check:
        _refuse_other_sign(known, _batches(right))
    new = right.filter(~nw.col("batch").is_in(list(known)))
    more_rows = new.select(*left.collect_schema().names())
    return nw.to_native(concatenated([left, more_rows]))


def withdraw(ledger: Any, gone: Any, *, check: bool = True) -> Any:
    """The ledger without documents that were added before: *gone* is their `patterns`, with a batch id of its own.

    Their rows are appended with negative numbers of documents, so that withdrawing them again changes nothing.

    Parameters
    ----------
    ledger, gone : frames of one engine, made by `patterns`
    check : bool
        Whether to raise ValueError if a number in the result would be below zero; this takes a pass over it.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["so it goes", "so so"]})
    >>> all_of_them = patterns(frame, "monday")
    >>> left = withdraw(all_of_them, patterns(frame.head(1), "withdrawn on tuesday"))
    >>> from termburst.engines import term_statistics
    >>> term_statistics(left).terms.tolist()
    ['so']
    """
    reversed_ = open_ledger(gone, check=check).with_columns(documents=-nw.col("documents"))
    left = add(ledger, nw.to_native(reversed_), check=False)
    if check:
        _refuse_other_sign(_batches(open_ledger(ledger, check=False)), _batches(reversed_))
        opened(left, {}, check=True, kinds=("patterns",))
    return left


def open_ledger(frame: Any, *, check: bool) -> Any:
    """A frame of patterns with batches; its numbers are checked when they are used."""
    found = opened(frame, {}, check=False, kinds=("patterns",)).frame
    if "batch" not in found.collect_schema():
        raise ValueError("these patterns have no column 'batch'; make them with engines.patterns(frame, batch)")
    if check:
        refuse_nulls(found, (*WHOLE, "batch"), "make the frame with engines.patterns")
    return found


def _batches(frame: Any) -> dict[str, int]:
    """Every batch with the sum of its column *documents*, which is below zero if they were withdrawn."""
    found = to_polars(totals(frame, ["batch"]))
    return dict(zip(found["batch"].to_list(), found["documents"].to_list(), strict=True))


def _refuse_other_sign(known: dict[str, int], more: dict[str, int]) -> None:
    """Raise ValueError if a batch id is used both to add and to withdraw: the second call would change nothing."""
    for batch in sorted(known.keys() & more.keys()):
        if (known[batch] < 0) != (more[batch] < 0):
            was, now = ("added", "withdrawn") if more[batch] < 0 else ("withdrawn", "added")
            raise ValueError(f"the batch id {batch!r} was already {was}; use another id for the documents to be {now}")
