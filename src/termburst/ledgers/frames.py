"""Collections that change, in frames of patterns. Batches are appended, nothing is overwritten."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from termburst.backends.collection import Collection
from termburst.backends.frame_input import PATTERNS, WHOLE, check_one_engine, opened, refuse_nulls
from termburst.backends.frames import COUNTED, concatenated, returned, to_polars, totals
from termburst.counting.options import CountingOptions


def counted_with(frame: Any) -> CountingOptions | None:
    """How the texts of patterns were counted; None if it is not the very frame that `Corpus.patterns` returned here."""
    return COUNTED.get(frame)


def add(ledger: Any, more: Any, *, check: bool = True) -> Any:
    """The ledger with the batches of *more* that it does not have yet. Adding a batch again changes nothing.

    Parameters
    ----------
    ledger, more : frames of one engine, made by `Corpus.patterns`, `add` or `withdraw`
    check : bool
        Look for nulls first.

    Examples
    --------
    >>> import termburst as tb
    >>> monday = tb.read(["so it goes"]).patterns("monday")
    >>> tuesday = tb.read(["so so"]).patterns("tuesday")
    >>> tb.scan(add(add(monday, tuesday), tuesday)).tokens
    5
    """
    (left, like), (right, other) = (open_ledger(frame, check=check) for frame in (ledger, more))
    check_one_engine(left if like is None else like, right if other is None else other)
    # Fetched, since there are few: a join would put the ledger's whole history into the query twice with every call.
    known = _batches(left)
    if check:
        _refuse_other_sign(known, _batches(right))
    new = right.filter(~nw.col("batch").is_in(list(known)))
    more_rows = new.select(*left.collect_schema().names())
    return returned(concatenated([left, more_rows]), like)


def withdraw(ledger: Any, gone: Any, *, check: bool = True) -> Any:
    """The ledger without documents that were added before: *gone* is their patterns, with a batch id of its own.

    Their rows are appended with negative numbers of documents, so that withdrawing them again changes nothing.

    Parameters
    ----------
    ledger, gone : frames of one engine, made by `Corpus.patterns`
    check : bool
        Whether to raise ValueError if a number in the result would be below zero; this takes a pass over it.

    Examples
    --------
    >>> import termburst as tb
    >>> corpus = tb.read(["so it goes", "so so"])
    >>> gone = corpus.where([True, False]).patterns("withdrawn on tuesday")
    >>> tb.scan(withdraw(corpus.patterns("monday"), gone)).terms.tolist()
    ['so']
    """
    found, like = open_ledger(gone, check=check)
    reversed_ = found.with_columns(documents=-nw.col("documents"))
    left = add(ledger, returned(reversed_, like), check=False)
    if check:
        _refuse_other_sign(_batches(open_ledger(ledger, check=False)[0]), _batches(reversed_))
        Collection(left, {}, None).opened(("patterns",))
    return left


def open_ledger(frame: Any, *, check: bool) -> tuple[Any, Any]:
    """A lazy frame of patterns with batches, and the one that was given if it is in memory.

    Its numbers are checked when they are used.
    """
    source = opened(frame, {}, check=False, kinds=("patterns",))
    found = source.frame
    if "batch" not in found.collect_schema():
        raise ValueError(f"these patterns have no column 'batch'; make them with {PATTERNS}")
    if check:
        refuse_nulls(found, (*WHOLE, "batch"), f"make the frame with {PATTERNS}")
    return found, source.like


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
