"""Checks of what labels statistics: level of detail, term names, batch ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.messages import Message, named
from termburst.names import DETAILS, Detail

Terms = NDArray[np.object_]


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


def checked_terms(terms: Sequence[str] | NDArray[Any] | None, size: int) -> Terms | None:
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
