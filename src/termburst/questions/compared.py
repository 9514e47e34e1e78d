"""Shared by tables that compare two corpora: terms that are aligned, rows in order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions, words_of
from termburst.messages import Message, named
from termburst.models.cells import TermCells, cells_of_counts, term_cells
from termburst.names import Sort
from termburst.questions.frames import counted_texts, named_terms, own_terms
from termburst.statistics.matrix import canonical_counts, counted_corpus
from termburst.statistics.merging import laid_onto
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

MILLION = 1_000_000
NEARLY_ALL = 0.8  # of the groups: from this share of single documents on, a comparison of groups warns


def comparison_order(sort: Sort | None) -> list[pl.Expr]:
    """What the rows of a comparison are sorted by, as `sort=` names it; equal ones by term."""
    import polars as pl

    keys: dict[Sort, list[pl.Expr]] = {
        "p": [pl.col("p_value"), -pl.col("statistic").abs()],
        "lower_bound": [-pl.col("lower_bound"), pl.col("p_value")],
        "log_ratio": [-pl.col("log_ratio"), pl.col("p_value")],
        "term": [],
    }
    return [] if sort is None else [*keys[sort], pl.col("term")]


def sorted_comparison(table: pl.DataFrame, sort: Sort | None) -> pl.DataFrame:
    """The rows of a comparison in the order that `sort=` names."""
    order = comparison_order(sort)
    return table.sort(order, nulls_last=True, maintain_order=True) if order else table


def warn_of_lone_documents(sizes: Any, groups: str = "groups", stacklevel: int = 3) -> None:
    """Warn if (nearly) all of three or more groups have one document; *sizes* has the documents of each.

    The variation between documents of a group, against which differences are judged, is then seen in few of them only.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     warn_of_lone_documents([1, 1, 1, 1, 2], "values of 'name'")
    ...     warn_of_lone_documents([1, 1, 3, 3, 2])
    >>> [str(warning.message)[:52] for warning in caught]
    ["4 of 5 values of 'name' have only one document each,"]
    """
    alone, number = int(np.sum(np.asarray(sizes) == 1)), len(sizes)
    if number < 3 or alone < NEARLY_ALL * number:
        return
    which = f"all {number:,}" if alone == number else f"{alone:,} of {number:,}"
    warnings.warn(
        Message(
            f"{which} {groups} have only one document each, so it can hardly be seen how much words vary between "
            "documents of the same group, and few terms will differ; put groups together (numbers or years with ",
            named("bin", python="corpus.bin"),
            "), or cut the documents with ",
            named("split", 1000, python="corpus.split(tokens=1000)"),
        ),
        stacklevel=stacklevel + 1,
    )


def aligned(
    A: Any, B: Any, terms: Any, terms_b: Any, counting: CountingOptions | None
) -> tuple[TermCells, TermCells, NDArray[np.object_] | None]:
    """The cells of both over the same terms, and the names of the terms, if any."""
    A, B = counted_texts({"A": A, "B": B}, counting)
    _check_same_words(A, B)
    terms, terms_b = (list(names) if isinstance(names, Iterator) else names for names in (terms, terms_b))
    if terms_b is None and _unnamed(B):
        terms_b, terms = terms, terms if _unnamed(A) else None
    first, names_a = _named(A, terms, "A")
    second, names_b = _named(B, terms_b, "B")
    if (names_a is None) != (names_b is None):
        raise ValueError("one corpus has term names and the other does not: give terms= and terms_b=")
    if names_a is None or names_b is None or np.array_equal(names_a, names_b):
        a, b = (term_cells(x) if isinstance(x, TermStatistics) else cells_of_counts(x) for x in (first, second))
        if a.n_i.size != b.n_i.size:
            raise ValueError(
                f"A has {a.n_i.size:,} columns and B has {b.n_i.size:,}: give terms= and terms_b= to align them"
            )
        return a, b, names_a
    union: NDArray[np.object_] = np.array(sorted({*names_a.tolist(), *names_b.tolist()}), dtype=np.object_)
    laid = [
        laid_onto(x if isinstance(x, TermStatistics) else TermStatistics.from_counts(x, names, "patterns"), union)
        for x, names in ((first, names_a), (second, names_b))
    ]
    return term_cells(laid[0]), term_cells(laid[1]), union


def _check_same_words(A: Any, B: Any) -> None:
    """Refuse to compare counts of other words: every difference of the rule would look like a difference."""
    a, b = (one if isinstance(one, TermStatistics) else counted_corpus(one) for one in (A, B))
    rules = [None if one is None else one.counting for one in (a, b)]
    if None not in rules and rules[0] != rules[1]:
        raise ValueError(
            f"A was counted with other options (words: {words_of(rules[0])}) than B (words: {words_of(rules[1])}); "
            "count both with the same options"
        )


def _unnamed(corpus: Any) -> bool:
    return own_terms(corpus) is None


def _named(corpus: Any, terms: Any, which: str) -> tuple[Any, NDArray[np.object_] | None]:
    if not isinstance(corpus, TermStatistics):
        counts = canonical_counts(corpus)
        return counts, named_terms(corpus, terms, counts.shape[1], which)
    if corpus.rows is None or corpus.rows.length is None:
        raise ValueError(
            f"{which} has statistics without the patterns that keyness needs: build them with "
            + named("detail", "patterns")
        )
    names = named_terms(corpus, terms, corpus.vocabulary_size, which)
    return (corpus if corpus.terms is not None else replace(corpus, terms=names)), names
