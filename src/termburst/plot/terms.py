"""The terms of a figure: found by name, picked by rank, written in fonts that have their letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.display import printable
from termburst.inference.checks import checked_whole
from termburst.statistics.labels import checked_terms
from termburst.statistics.matrix import canonical_counts, counted_corpus
from termburst.statistics.term_statistics import TermStatistics, from_canonical

# Fonts of common operating systems. Matplotlib's own font has no Chinese, Japanese, Korean, Thai or Indian letters.
_FAMILIES = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "PingFang SC", "Hiragino Sans", "Microsoft YaHei",
    "Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "WenQuanYi Zen Hei", "Noto Sans Thai", "Noto Sans Devanagari",
    "Nirmala UI", "Noto Naskh Arabic", "Noto Sans Hebrew", "Noto Sans Tamil", "Noto Sans Bengali", "Arial Unicode MS",
)  # fmt: skip


def written(term: Any) -> str:
    """The text of a term in a figure."""
    return printable(term, 30)


def heading(statistics: TermStatistics, column: int) -> str:
    """A title that says how often a term occurs.

    The name is not the first word: if it were Arabic or Hebrew, the whole line would run from right to left.

    Examples
    --------
    >>> heading(TermStatistics.from_counts([[4, 1], [0, 3], [1, 0]], ["ha", "no"]), 0)
    '5 occurrences of “ha” in 2 of 3 documents'
    """
    n_i, b_i = int(statistics.collection_frequency[column]), int(statistics.document_frequency[column])
    name = f"column {column}" if statistics.terms is None else f"“{written(statistics.terms[column])}”"
    return f"{n_i:,} occurrence{'s' * (n_i != 1)} of {name} in {b_i:,} of {statistics.documents:,} documents"


def families() -> list[str]:
    """Matplotlib's font, followed by installed fonts with letters that it lacks."""
    import matplotlib as mpl

    return [*mpl.rcParams["font.family"], *_installed()]


@cache
def _installed() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    there = {font.name for font in fontManager.ttflist}
    return tuple(name for name in _FAMILIES if name in there)


def named_counts(X: Any, terms: Sequence[str] | NDArray[Any] | None) -> tuple[Any, TermStatistics]:
    """A count matrix in canonical form, and its statistics with the names of the columns.

    A `Corpus` knows the names of its terms.

    Examples
    --------
    >>> counts, statistics = named_counts([[2, 1], [0, 3]], ["ha", "no"])
    >>> counts.nnz, statistics.index("no")
    (3, 1)
    """
    if isinstance(X, TermStatistics):
        raise ValueError("this figure needs the count matrix, documents × terms: statistics have no single documents")
    counts = canonical_counts(X)
    held = counted_corpus(X)
    if held is not None and terms is None:
        terms = held.terms
    if 0 in counts.shape:
        raise ValueError(f"there is nothing to draw: the count matrix is {counts.shape[0]} × {counts.shape[1]}")
    return counts, from_canonical(counts, checked_terms(terms, counts.shape[1]), "frequencies")


def corpus_and_names(X_or_statistics: Any, terms: Sequence[str] | NDArray[Any] | None) -> tuple[Any, TermStatistics]:
    """As `named_counts`; if statistics are given in place of a matrix, both results are these statistics.

    Examples
    --------
    >>> s = TermStatistics.from_counts([[2, 1], [0, 3]])
    >>> corpus_and_names(s, ["ha", "no"])[1].index("no")
    1
    """
    if not isinstance(X_or_statistics, TermStatistics):
        return named_counts(X_or_statistics, terms)
    statistics = X_or_statistics
    if terms is not None:
        if statistics.terms is not None:
            raise ValueError("the statistics already have term names: omit terms=")
        statistics = replace(statistics, terms=checked_terms(terms, statistics.vocabulary_size))
    return statistics, statistics


def picked(label: int | Sequence[str], terms: Sequence[Any] | NDArray[Any] | None, best_first: ArrayLike) -> list[int]:
    """The positions of the terms to name: the first *label* of an order, or the terms listed in *label*.

    Examples
    --------
    >>> picked(2, ["so", "it", "goes"], [2, 0, 1]), picked(["it"], ["so", "it", "goes"], [2, 0, 1])
    ([2, 0], [1])
    """
    order = np.asarray(best_first, dtype=np.intp)
    if isinstance(label, (list, tuple, np.ndarray)):
        where = {} if terms is None else {str(term): place for place, term in enumerate(terms)}
        for name in label:
            if str(name) not in where:
                raise ValueError(f"{name!r} cannot be labelled: it is not among the terms")
        places = [where[str(name)] for name in label]
        hidden = sorted(set(places) - set(order.tolist()))
        if hidden and terms is not None:
            raise ValueError(f"{str(terms[hidden[0]])!r} cannot be labelled: it has no point in this figure")
        return places
    return order[: checked_whole("label", label)].tolist()
