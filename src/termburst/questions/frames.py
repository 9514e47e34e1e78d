"""Shared by the tables: frames with one row per term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions, checked_counting
from termburst.statistics.labels import checked_terms
from termburst.statistics.matrix import counted_corpus
from termburst.statistics.term_statistics import TermStatistics


def term_frame(names: Any, columns: dict[str, Any], counted: NDArray[np.bool_] | None = None) -> pl.DataFrame:
    """One row per term, with its name or its column number; only terms that are *counted*; null instead of NaN.

    Examples
    --------
    >>> term_frame(None, {"n": np.array([3, 0, 5])}, np.array([True, False, True])).rows()
    [(0, 3), (2, 5)]
    """
    size = len(next(iter(columns.values())))
    kept = None if counted is None or counted.all() else np.flatnonzero(counted)

    def column(name: str, values: Any) -> pl.Series:
        """One after the other: tables can be large, and intermediate frames would be copies of them."""
        made = pl.Series(name, values, nan_to_null=isinstance(values, np.ndarray))
        made = made.fill_nan(None) if isinstance(values, pl.Series) and made.dtype.is_float() else made
        return made if kept is None else made.gather(kept)

    columns = {"term": np.arange(size) if names is None else list(names), **columns}
    return pl.DataFrame([column(name, values) for name, values in columns.items()])


def own_terms(corpus: Any) -> NDArray[np.object_] | None:
    """The term names that statistics or a corpus have; None for a matrix.

    Examples
    --------
    >>> own_terms(TermStatistics.from_counts([[1, 2]], ["so", "it"])).tolist(), own_terms([[1, 2]])
    (['so', 'it'], None)
    """
    held = corpus if isinstance(corpus, TermStatistics) else counted_corpus(corpus)
    return None if held is None else held.terms


def counted_texts(corpora: Mapping[str, Any], counting: CountingOptions | None) -> list[Any]:
    """Lists of texts counted; anything else unchanged. ValueError if *counting* is given and nothing is counted.

    The keys are the names of the arguments, for messages.

    Examples
    --------
    >>> counted_texts({"A": ["so it goes", "so so"]}, None)[0].terms.tolist()
    ['goes', 'it', 'so']
    """
    found = [_counted_texts(corpus, name, counting) for name, corpus in corpora.items()]
    if counting is not None and all(new is old for new, old in zip(found, corpora.values(), strict=True)):
        raise ValueError(f"counting says how to count texts, but {' and '.join(corpora)} has none; omit it")
    return found


def _counted_texts(corpus: Any, name: str, counting: CountingOptions | None) -> Any:
    if isinstance(corpus, str):
        raise ValueError(f"{name} must be a list of texts, counts or a corpus; got one string, {corpus!r:.60}")
    if not isinstance(corpus, (list, tuple)) or not corpus:
        return corpus
    tokens = all(isinstance(text, list) and all(isinstance(token, str) for token in text) for text in corpus)
    if not tokens and not isinstance(corpus[0], str):
        return corpus
    counting = checked_counting(counting)
    return CountedCorpus.from_texts(corpus, counting=replace(counting, pretokenized=True) if tokens else counting)


def named_terms(corpus: Any, terms: Any, size: int, which: str = "") -> NDArray[np.object_] | None:
    """The names of the terms; *terms* must not differ from the names that statistics or a corpus already have.

    Examples
    --------
    >>> named_terms(TermStatistics.from_counts([[1, 2]], ["so", "it"]), ["it", "so"], 2)
    Traceback (most recent call last):
    ValueError: the statistics already have other term names; omit `terms`
    """
    names = None if terms is None else checked_terms(terms, size)
    own = own_terms(corpus)
    if names is not None and own is not None and not np.array_equal(names, own):
        kind = "statistics" if isinstance(corpus, TermStatistics) else "counts"
        of = f" of {which}" if which else ""
        raise ValueError(f"the {kind}{of} already have other term names; omit `terms`")
    return names if own is None else own


def count_frame(ids: Sequence[str], terms: Any, counts: Any) -> pl.DataFrame:
    """Counts as rows of document, term, count; a document without terms has one row, with the term "" and 0.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> count_frame(["a", "b"], ["so"], sp.csr_array([[2], [0]])).rows()
    [('a', 'so', 2), ('b', '', 0)]
    """
    sizes = np.diff(counts.indptr)
    rows = np.repeat(np.arange(sizes.size), np.maximum(sizes, 1))  # one for each cell, and one if there is none
    term, count = np.full(rows.size, len(terms)), np.zeros(rows.size, np.int64)
    filled = sizes[rows] > 0
    term[filled], count[filled] = counts.indices, counts.data
    names = pl.Series("term", [*terms, ""], dtype=pl.String)
    return pl.DataFrame({"document": pl.Series(list(ids), dtype=pl.String)[rows], "term": names[term], "count": count})


def pattern_frame(statistics: TermStatistics, batch: str | None) -> pl.DataFrame:
    """Patterns as rows of term, count, length, documents(, batch), then without a term the documents of each length.

    Examples
    --------
    >>> pattern_frame(TermStatistics.from_counts([[2, 1]], ["so", "it"], "patterns"), None).rows()
    [('so', 2, 3, 1), ('it', 1, 3, 1), (None, 0, 3, 1)]
    """
    rows = statistics.rows
    assert rows is not None  # detail="patterns"
    held = {"count": rows.count, "length": rows.length, "documents": rows.documents}
    lengths = {"count": 0, "length": statistics.lengths, "documents": statistics.length_documents}
    schema = dict.fromkeys(held, pl.Int64)
    names = pl.Series("term", list(statistics.terms), dtype=pl.String)  # type: ignore[arg-type]
    nothing = pl.lit(None, dtype=pl.String).alias("term")
    found = pl.concat([
        pl.DataFrame(held, schema).insert_column(0, names[rows.term]),
        pl.DataFrame(lengths, schema).select(nothing, *schema),
    ])  # fmt: skip
    return found if batch is None else found.with_columns(batch=pl.lit(batch))
