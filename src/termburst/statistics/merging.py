"""Add and subtract collections: exact, over the union of their terms."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.messages import named
from termburst.statistics.contents import together, without
from termburst.statistics.labels import check_fits
from termburst.statistics.matrix import tally

if TYPE_CHECKING:
    from termburst.statistics.labels import Terms
    from termburst.statistics.term_statistics import TermStatistics

SUMS = ("collection_frequency", "document_frequency", "count_length_sum", "count_squared_sum")  # one number per term


def added(left: TermStatistics, right: TermStatistics) -> TermStatistics:
    """Both collections together; if the vocabularies differ, over their union in alphabetical order."""
    both = sorted(set(left.batches) & set(right.batches))
    if both:
        raise ValueError(f"batch {both[0]!r} is in both statistics and would be counted twice")
    if left.terms is None or right.terms is None or np.array_equal(left.terms, right.terms):
        terms = left.terms
    elif _ascending(right.terms) and (_positions(left.terms, right.terms) >= 0).all():
        terms = right.terms
    elif _ascending(left.terms) and (_positions(right.terms, left.terms) >= 0).all():
        terms = left.terms
    else:
        terms = np.array(sorted({*left.terms, *right.terms}), dtype=object)
    return _combined(laid_onto(left, terms), laid_onto(right, terms), 1, {*left.batches, *right.batches})


def _ascending(terms: Terms) -> bool:
    return bool((terms[:-1] < terms[1:]).all())


def _positions(mine: Terms, terms: Terms) -> NDArray[np.intp]:
    """The position in *terms* of each term in *mine*; −1 if it is not there."""
    if not (_ascending(mine) and _ascending(terms) and 8 * mine.size > terms.size):
        position = {term: i for i, term in enumerate(terms)}
        return np.array([position.get(term, -1) for term in mine], dtype=np.intp)
    found, others, i = [], terms.tolist(), 0  # walk both sorted lists: no dictionary of millions of terms
    for term in mine.tolist():
        while i < len(others) and others[i] < term:
            i += 1
        found.append(i if i < len(others) and others[i] == term else -1)
    return np.array(found, dtype=np.intp)


def subtracted(left: TermStatistics, right: TermStatistics) -> TermStatistics:
    """The first collection without the documents of the second, on the vocabulary of the first.

    Batches that the second names go; all do if it has as many documents.
    """
    absent = sorted(set(right.batches) - set(left.batches))
    if absent:
        raise ValueError(f"batch {absent[0]!r} cannot be subtracted: it is not contained")
    batches = set[str]() if left.documents == right.documents else {*left.batches} - {*right.batches}
    rest = _combined(left, laid_onto(right, left.terms), -1, batches)
    # texts that are subtracted, but not known, would seem to be there still
    return rest if right.texts.size == right.documents else replace(rest, texts=right.texts[:0])


def pruned(statistics: TermStatistics, min_count: int) -> TermStatistics:
    """Without terms that occur fewer than *min_count* times. Keeps *min_count*: nothing can be added exactly later."""
    check_min_count(min_count)
    keep = statistics.collection_frequency >= min_count
    terms = None if statistics.terms is None else statistics.terms[keep]
    kept = _moved(statistics, np.where(keep, np.cumsum(keep) - 1, -1), int(keep.sum()), terms)
    return replace(kept, min_count=max(statistics.min_count, int(min_count)))


def check_min_count(min_count: Any) -> None:
    """ValueError for what is no number of occurrences."""
    if not isinstance(min_count, Integral) or isinstance(min_count, bool) or min_count < 0:
        raise ValueError(f"min_count must be an integer of 0 or more; got {min_count!r:.60}")


def laid_onto(statistics: TermStatistics, terms: Terms | None) -> TermStatistics:
    """The same statistics with the columns of another vocabulary, which must contain every term that occurs."""
    mine = statistics.terms
    if terms is mine or (terms is not None and mine is not None and np.array_equal(terms, mine)):
        return statistics
    if terms is None or mine is None:
        raise ValueError("statistics with and without term names cannot be combined: name the terms of both")
    target = _positions(mine, terms)
    lost = np.flatnonzero((target < 0) & (statistics.collection_frequency > 0))
    if lost.size:
        raise ValueError(f"the term {mine[lost[0]]!r} cannot be subtracted: it is not contained")
    return _moved(statistics, target, terms.size, terms)


def _moved(statistics: TermStatistics, target: NDArray[np.intp], size: int, terms: Terms | None) -> TermStatistics:
    """Column i becomes column target[i] of *size*; −1 drops it."""
    kept = target >= 0
    moved: dict[str, Any] = {}
    for name in SUMS:
        if (values := getattr(statistics, name)) is not None:
            moved[name] = np.zeros(size, dtype=np.int64)
            moved[name][target[kept]] = values[kept]
    rows = None if statistics.rows is None else statistics.rows.moved(target, size)
    return replace(statistics, terms=terms, rows=rows, **moved)


def _combined(left: TermStatistics, right: TermStatistics, sign: int, batches: set[str]) -> TermStatistics:
    """left + sign · right over one vocabulary; ValueError if anything would fall below zero."""
    _check_compatible(left, right)
    (lengths,), length_documents = tally(
        [np.concatenate([left.lengths, right.lengths])],
        np.concatenate([left.length_documents, sign * right.length_documents]),
    )
    if (length_documents < 0).any():
        length = lengths[length_documents < 0][0]
        raise ValueError(f"the documents to subtract are not all contained: too many of length {length}")
    kept = length_documents > 0
    check_fits(lengths, length_documents)
    sums: dict[str, Any] = {}
    for name in SUMS:
        if (mine := getattr(left, name)) is not None:
            sums[name] = mine + sign * getattr(right, name)
            _refuse(left, sums[name] < 0)
    n_i, b_i = sums["collection_frequency"], sums["document_frequency"]
    _refuse(left, (n_i < b_i) | ((n_i > 0) & (b_i == 0)) | (b_i > length_documents.sum()))
    rows = None
    if left.rows is not None and right.rows is not None:
        rows = left.rows.plus(right.rows, sign)
        _refuse(left, rows.sum_by_term((rows.documents < 0).astype(np.int64)) > 0)
    return replace(
        left,
        lengths=lengths[kept],
        length_documents=length_documents[kept],
        rows=rows,
        batches=tuple(sorted(batches)),
        counting=left.counting or right.counting,
        texts=(together if sign > 0 else without)(left.texts, right.texts),
        **sums,
    )


def _refuse(statistics: TermStatistics, below_zero: NDArray[np.bool_]) -> None:
    if below_zero.any():
        column = int(np.flatnonzero(below_zero)[0])
        term = f"column {column}" if statistics.terms is None else f"the term {statistics.terms[column]!r}"
        raise ValueError(f"the documents to subtract are not all contained: {term} would fall below zero")


def _check_compatible(left: TermStatistics, right: TermStatistics) -> None:
    if (least := max(left.min_count, right.min_count)) > 1:
        raise ValueError(
            f"statistics from which terms that occur fewer than {least:,} times were dropped cannot be combined "
            "exactly: build them without " + named("min_count")
        )
    if left.vocabulary_size != right.vocabulary_size:
        raise ValueError(
            f"statistics without term names are combined by column, but these have {left.vocabulary_size:,} and "
            f"{right.vocabulary_size:,} columns: name the terms of both"
        )
    if left.detail != right.detail:
        raise ValueError(
            f'statistics of different detail cannot be combined: "{left.detail}" and "{right.detail}"; '
            "use `.coarsen(detail)` to bring both to the lower one"
        )
    if left.counting is not None and right.counting is not None:
        left.counting.check_equal(right.counting)
