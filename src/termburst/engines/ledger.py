"""Collections that change, kept in the engine itself: a ledger of patterns, to which batches are only ever appended."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from termburst.counting.options import CountingOptions
from termburst.engines.cells import cells_of, together
from termburst.engines.door import WHOLE, opened, refuse_nulls
from termburst.engines.frames import to_polars, totals


def patterns(
    frame: Any, batch: str, *, counting: CountingOptions | None = None, check: bool = True, **columns: str
) -> Any:
    """All that is to be remembered of the documents in a frame, as a frame of the same engine.

    Rows are (term, count, length, documents, batch): so many documents of that length hold the term so many times. A
    row without a term says how many documents of that length there are. Such a frame can be stored, and given to
    `term_statistics`, `term_table` and `fit_beta_binomial` in the place of the documents.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    batch : str
        An id of these documents, by which `add` knows them again.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["so so", "so so"]})
    >>> patterns(frame, "monday").sort("count").rows()
    [(None, 0, 2, 2, 'monday'), ('so', 2, 2, 2, 'monday')]
    """
    if not isinstance(batch, str):
        raise ValueError(f"a batch is named by a string; got {batch!r}")
    cells = cells_of(opened(frame, columns, check=check), counting, "patterns")
    held = together(cells.totals("term", "count", "length")).select("term", "count", "length", "documents")
    lengths = totals(cells.lengths, ["length"])
    nothing = nw.lit(None, dtype=nw.String).alias("term")
    empty = lengths.select(nothing, nw.lit(0, dtype=nw.Int64).alias("count"), "length", "documents")
    return nw.to_native(nw.concat([held, empty]).with_columns(batch=nw.lit(batch)))


def add(ledger: Any, more: Any, *, check: bool = True) -> Any:
    """The ledger with the batches of *more* that it does not hold yet: adding a batch again changes nothing.

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
    left, right = (_ledger(frame, check=check) for frame in (ledger, more))
    _check_one_engine(left, right)
    # Fetched, since there are few: a join would put the ledger's whole history into the query twice, each time.
    known = _batches(left)
    if check:
        _refuse_other_sign(known, _batches(right))
    new = right.filter(~nw.col("batch").is_in(list(known)))
    more_rows = new.select(*left.collect_schema().names())
    try:
        return nw.to_native(nw.concat([left, more_rows]))
    except Exception as error:
        if "different connections" not in str(error):  # DuckDB's word, in a class that need not be installed
            raise
        raise ValueError("these relations are of different DuckDB connections: bring both into one") from None


def withdraw(ledger: Any, gone: Any, *, check: bool = True) -> Any:
    """The ledger without documents that had been added: *gone* is their `patterns`, under a batch id of its own.

    What is withdrawn is appended with the sign reversed, so that withdrawing it again changes nothing.

    Parameters
    ----------
    ledger, gone : frames of one engine, made by `patterns`
    check : bool
        Refuse a ledger in which anything would be below zero, which takes a pass over it.

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
    reversed_ = _ledger(gone, check=check).with_columns(documents=-nw.col("documents"))
    left = add(ledger, nw.to_native(reversed_), check=False)
    if check:
        _refuse_other_sign(_batches(_ledger(ledger, check=False)), _batches(reversed_))
        opened(left, {}, check=True, kinds=("patterns",))
    return left


def _ledger(frame: Any, *, check: bool) -> Any:
    """A frame of patterns with batches; whether its numbers can be is found out when they are used."""
    found = opened(frame, {}, check=False, kinds=("patterns",)).frame
    if "batch" not in found.collect_schema():
        raise ValueError("these patterns have no column 'batch'; engines.patterns(frame, batch) makes one")
    if check:
        refuse_nulls(found, (*WHOLE, "batch"), "make such a frame with engines.patterns")
    return found


def _batches(frame: Any) -> dict[str, int]:
    """Batches, and the sum of all their documents: below zero where these were withdrawn."""
    found = to_polars(totals(frame, ["batch"]))
    return dict(zip(found["batch"].to_list(), found["documents"].to_list(), strict=True))


def _refuse_other_sign(known: dict[str, int], more: dict[str, int]) -> None:
    """A batch added cannot be withdrawn under its own id, nor the reverse: known, it would change nothing."""
    for batch in sorted(known.keys() & more.keys()):
        if (known[batch] < 0) != (more[batch] < 0):
            was, now = ("added", "withdrawn") if more[batch] < 0 else ("withdrawn", "added")
            raise ValueError(
                f"documents were {was} as the batch {batch!r} already; give those to be {now} a batch id of their own"
            )


def _check_one_engine(left: Any, right: Any) -> None:
    kinds = [type(nw.to_native(frame)) for frame in (left, right)]
    if kinds[0] is not kinds[1]:
        names = [f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in kinds]
        raise ValueError(f"one of these frames is a {names[0]}, the other a {names[1]}: both must be of one engine")
