"""Check that statistics are consistent: once, for those from a file or from other code.

Kernels use counts and lengths as array indices and loop bounds. Impossible values must not reach them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from termburst.core.rows import length_histogram, row_fault, stored_rows
from termburst.statistics.labels import MARK, check_integers, mark_sound
from termburst.statistics.matrix import Integers

if TYPE_CHECKING:
    from termburst.statistics.term_statistics import TermStatistics


def check_sound(statistics: TermStatistics) -> None:
    """Raise ValueError for inconsistent statistics, with the first wrong term. Checked statistics are marked as such.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from termburst.statistics.term_statistics import TermStatistics
    >>> s = TermStatistics.from_counts([[2, 1], [0, 3]], terms=["ha", "no"])
    >>> check_sound(s)
    >>> check_sound(replace(s, collection_frequency=np.array([2, 5])))
    Traceback (most recent call last):
    ValueError: these statistics are inconsistent: the terms have 7 tokens in total, but the collection has 6
    """
    if MARK in vars(statistics):
        return
    s = statistics
    _check_terms(s)
    if s.detail != "frequencies":
        _check_rows(s)
    mark_sound(statistics)


def _check_terms(s: TermStatistics) -> None:
    """Check names and frequencies: one of each per term, and no more tokens or documents than the collection has."""
    n_i, b_i = s.collection_frequency, s.document_frequency
    check_integers("collection_frequency", n_i)
    check_integers("document_frequency", b_i)
    sizes = {n_i.size, b_i.size} | ({len(s.terms)} if s.terms is not None else set())
    if len(sizes) > 1:
        raise ValueError("these statistics are inconsistent: the numbers of terms and of frequencies differ")
    documents, tokens = s.documents, s.tokens
    wrong = (b_i < 0) | (n_i < b_i) | ((b_i == 0) & (n_i > 0)) | (b_i > documents) | (n_i > tokens)
    if wrong.any():
        i = int(np.argmax(wrong))
        numbers = (
            f"{int(n_i[i])} occurrences in {int(b_i[i])} documents, of {tokens:,} tokens in {documents:,} documents"
        )
        _refuse(s, i, numbers)
    total = n_i.sum(dtype=np.float64)  # integers might overflow
    if total > 1.5 * tokens or n_i.sum() > tokens:
        raise ValueError(
            f"these statistics are inconsistent: the terms have {total:.0f} tokens in total, "
            f"but the collection has {tokens}"
        )


def _check_rows(s: TermStatistics) -> None:
    """Check the histogram of every term's counts, or its patterns, and that they add up to the sums."""
    rows, sums = s.rows, (s.count_length_sum, s.count_squared_sum)
    if rows is None or sums[0] is None or sums[1] is None or (rows.length is None) != (s.detail == "moments"):
        raise ValueError(f'these statistics lack data that detail="{s.detail}" must have')
    length_sum, squared_sum = sums[0], sums[1]
    for name, values in (("count_length_sum", length_sum), ("count_squared_sum", squared_sum)):
        check_integers(name, values)
    for name in ("indptr", "count", "length", "documents"):
        if (values := getattr(rows, name)) is not None:
            check_integers(f"rows.{name}", values)
    sizes = {rows.count.size, rows.documents.size} | ({rows.length.size} if rows.length is not None else set())
    terms = {s.vocabulary_size, rows.indptr.size - 1, length_sum.size, squared_sum.size}
    if len(sizes) > 1 or len(terms) > 1 or rows.indptr[0] != 0 or rows.indptr[-1] != rows.count.size:
        raise ValueError("these statistics are inconsistent: their arrays have different lengths")
    fault, term, _ = row_fault(
        stored_rows(
            _plain(rows.indptr),
            _plain(rows.count),
            None if rows.length is None else _plain(rows.length),
            _plain(rows.documents),
        ),
        length_histogram(_plain(s.lengths), _plain(s.length_documents)),
        n_i=_plain(s.collection_frequency),
        b_i=_plain(s.document_frequency),
        length_sum=_plain(length_sum),
        squared_sum=_plain(squared_sum),
    )
    if fault != "sound":
        _refuse(s, term, f"its rows are impossible ({fault})")
    longest = int(s.lengths[-1]) if s.lengths.size else 0
    if s.detail == "moments":
        # A document is at least as long as any count in it, and at most as long as the longest. No overflow here.
        wrong = (length_sum < squared_sum) | (length_sum > s.collection_frequency * longest)
        if wrong.any():
            _refuse(s, int(np.argmax(wrong)), "its rows are impossible (wrong sum)")


def _plain(values: Integers) -> Integers:
    return np.ascontiguousarray(values, dtype=np.int64)


def _refuse(s: TermStatistics, term: int, problem: str) -> NoReturn:
    name = f"column {term}" if s.terms is None else f"the term {str(s.terms[term])[:60]!r}"
    raise ValueError(f"these statistics are inconsistent: {name}: {problem}")
