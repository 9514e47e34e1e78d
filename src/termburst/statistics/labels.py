"""Checks of what all statistics have: level of detail, term names, batch ids, document lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.messages import Message, named
from termburst.names import DETAILS, Detail
from termburst.statistics.matrix import Integers

if TYPE_CHECKING:
    from termburst.statistics.term_statistics import TermStatistics

Terms = NDArray[np.object_]
MOST_DOCUMENTS = 2**48  # more than any corpus has, and few enough for sums and floats to be exact
MARK = "_sound"  # in the __dict__ of statistics that have been checked


def checked_batch(batch: str | None) -> tuple[str, ...]:
    """The batch ids of statistics with this one id, or with none."""
    if batch is not None and not isinstance(batch, str):
        raise ValueError(f"batch must be a string; got {batch!r}")
    return () if batch is None else (batch,)


def checked_detail(detail: str) -> Detail:
    """The same level of detail, if it is one."""
    if detail not in DETAILS:
        raise ValueError(f"detail must be one of {', '.join(map(repr, DETAILS))}; got {detail!r}")
    return detail


def lacking(detail: Detail, needed: Detail) -> str:
    """The sentence for statistics that lack the detail that a question needs, and how to build them with it.

    Examples
    --------
    >>> lacking("moments", "patterns")
    'these statistics have detail="moments", but this question needs detail="patterns"; count the texts again so'
    """
    has, needs = named("detail", detail), named("detail", needed)
    return Message("these statistics have ", has, ", but this question needs ", needs, "; count the texts again so")


def checked_terms(terms: Iterable[str] | NDArray[Any] | None, size: int) -> Terms | None:
    """Names for *size* columns: distinct strings. ValueError names the first that is not valid."""
    if terms is None:
        return None
    if isinstance(terms, (str, Set)) or not isinstance(terms, Iterable):
        raise ValueError("terms must be a list or an array of strings, in the order of the columns")
    terms = list(terms)
    names = np.empty(len(terms), dtype=object)
    if not _are_text(terms):
        for i, term in enumerate(terms):
            if not isinstance(term, str):
                raise ValueError(f"terms must be strings; number {i} is {term!r}")
            if not _are_text([term]):  # no file or table could hold it
                raise ValueError(f"the term {term!r} contains a lone surrogate, which is not a character: fix its text")
    names[:] = list(map(str, terms))  # numpy.str_ too
    if names.size != size:
        raise ValueError(f"there are {names.size:,} terms for {size:,} columns; give one name per column")
    if len(set(names)) != size:
        twice = Counter(names).most_common(1)[0][0]
        raise ValueError(f"the term {twice!r} names two columns; terms are merged by name, so names must be unique")
    return names


def _are_text(terms: list[Any]) -> bool:
    """Whether all are strings without lone surrogates."""
    try:
        "".join(terms).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True


def check_lengths(lengths: Any, length_documents: Any) -> None:
    """Raise ValueError if a histogram of document lengths is impossible, or its sums do not fit 64-bit integers.

    Examples
    --------
    >>> check_lengths(np.array([3, 1]), np.array([1, 1]))
    Traceback (most recent call last):
    ValueError: document lengths must be distinct, ascending and 0 or more; got 3 before 1
    """
    for name, values in (("lengths", lengths), ("length_documents", length_documents)):
        check_integers(name, values)
    if lengths.size != length_documents.size:
        raise ValueError(f"there are {lengths.size:,} lengths but {length_documents.size:,} numbers of documents")
    if not lengths.size:
        return
    rule = "document lengths must be distinct, ascending and 0 or more"
    if lengths[0] < 0:
        raise ValueError(f"{rule}; got {int(lengths[0])}")
    if not (rising := lengths[1:] > lengths[:-1]).all():
        k = int(np.argmin(rising))
        raise ValueError(f"{rule}; got {int(lengths[k])} before {int(lengths[k + 1])}")
    if length_documents.min() < 1:
        k = int(np.argmin(length_documents))
        number = f"the number of documents with {int(lengths[k])} tokens is {int(length_documents[k])}"
        raise ValueError(f"{number}; it must be 1 or more")
    if length_documents.sum(dtype=np.float64) > MOST_DOCUMENTS:
        raise ValueError(f"there are too many documents; statistics may have up to {MOST_DOCUMENTS:,}")
    check_fits(lengths, length_documents)


def check_fits(lengths: Integers, length_documents: Integers) -> None:
    """Raise ValueError if Σ n_ij n_j might not fit a 64-bit integer: an overflow would give wrong sums silently."""
    tokens = float(lengths.astype(float) @ length_documents)
    if lengths.size and float(lengths[-1]) * tokens >= 2**63:
        raise ValueError("the collection is too large: Σ n_ij n_j does not fit a 64-bit integer")


def check_integers(name: str, values: Any) -> None:
    """Raise ValueError unless *values* are an array of integers."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or not np.can_cast(values.dtype, np.int64):
        kind = f"{values.ndim}-dimensional {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
        raise ValueError(f"{name} must be a one-dimensional array of 64-bit integers; got {kind}")


def mark_sound(statistics: TermStatistics) -> TermStatistics:
    """The same statistics, marked as checked: for those made from counts here."""
    vars(statistics)[MARK] = True
    return statistics
