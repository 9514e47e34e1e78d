"""`TermStatistics`, the counts that a collection keeps: integers only, so that + and − are exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions, checked_counting, words_of
from termburst.display import did_you_mean, html_table
from termburst.names import DETAILS, Detail
from termburst.statistics.contents import Hashes, known_hashes
from termburst.statistics.labels import (
    Terms,
    check_lengths,
    checked_batch,
    checked_detail,
    checked_terms,
    lacking,
    mark_sound,
)
from termburst.statistics.matrix import Integers, canonical_counts, counted_corpus, tally, totals
from termburst.statistics.merging import added, pruned, subtracted
from termburst.statistics.rows import CountRows
from termburst.statistics.soundness import check_sound
from termburst.statistics.store import load_statistics, save_statistics
from termburst.statistics.streaming import RunningSum, counted_parts, in_batches

if TYPE_CHECKING:
    from termburst.reading.documents import Text


@dataclass(frozen=True, eq=False, repr=False)
class TermStatistics:
    """The sufficient statistics of a collection of documents, mergeable and subtractable.

    Make them with `from_counts`, `from_texts`, `load`, ``+`` and ``−``, not by hand. There are three levels of detail:

    ============= =================================================================================================
    "frequencies" d, n, the histogram of document lengths; n_i and b_i per term: enough for TF–IDF, TF–ICF, λ_ij
    "moments"     also Σ_j n_ij n_j, Σ_j n_ij² and the histogram of counts per term: for λ_i and Tarone's test
    "patterns"    also (count, length, documents) per term: for exact fits, exact tests and keyness
    ============= =================================================================================================

    Empty documents count in d (and therefore in λ_i), as in the paper.

    Attributes
    ----------
    terms : array of str, or None
        None if the columns have no names; such statistics are addressed and merged by column.
    lengths, length_documents : arrays of int
        The distinct document lengths n_j in ascending order, and how many documents have each.
    collection_frequency, document_frequency : arrays of int, one value per term
        n_i and b_i.
    count_length_sum, count_squared_sum : arrays of int, one value per term, or None
        Σ_j n_ij n_j and Σ_j n_ij².
    rows : CountRows or None
        The histogram of counts ("moments") or the patterns ("patterns").
    batches : tuple of str
        Ids of the batches already contained; adding one twice is an error.
    counting : CountingOptions or None
        How the texts were counted, if known.
    min_count : int
        Terms that occur fewer times were dropped (``stats build --min-count``), so nothing can be added exactly any
        more. Lengths still count all tokens.
    texts : array of int
        A hash of each text that ``stats build`` or ``stats add`` counted, so that the same texts are not added twice by
        mistake. Fewer than documents, or none, where they are not known. They are not compared by ``==``.

    Examples
    --------
    >>> import numpy as np
    >>> s = TermStatistics.from_counts(np.array([[2, 1], [0, 3]]), terms=["ha", "no"])
    >>> s.documents, s.tokens, s.mean_length
    (2, 6, 3.0)
    >>> s.collection_frequency, s.document_frequency
    (array([2, 4]), array([1, 2]))
    >>> (s + s).collection_frequency
    array([4, 8])
    """

    terms: Terms | None
    lengths: Integers
    length_documents: Integers
    collection_frequency: Integers
    document_frequency: Integers
    detail: Detail = "frequencies"
    count_length_sum: Integers | None = None
    count_squared_sum: Integers | None = None
    rows: CountRows | None = None
    batches: tuple[str, ...] = ()
    counting: CountingOptions | None = None
    min_count: int = 1
    texts: Hashes = field(default_factory=partial(known_hashes, ()), compare=False)

    def __post_init__(self) -> None:
        """Check that document lengths are possible and that their sums fit 64-bit integers."""
        check_lengths(self.lengths, self.length_documents)

    @classmethod
    def from_counts(
        cls,
        X: Any,
        terms: Sequence[str] | NDArray[Any] | None = None,
        detail: Detail = "moments",
        *,
        batch: str | None = None,
    ) -> TermStatistics:
        """Reduce a count matrix X, documents × terms.

        Parameters
        ----------
        X : sparse or dense matrix of non-negative whole numbers, or a `Corpus`, which knows its terms
        terms : sequence of str, optional
            The names of the columns, for example ``vectorizer.get_feature_names_out()``.
        detail : "moments", "patterns" or "frequencies"
        batch : str, optional
            An id of these documents, kept so that they cannot be added twice.
        """
        held = counted_corpus(X)
        terms = held.terms if terms is None and held is not None else terms
        counts = canonical_counts(X)
        if counts.shape[0] == 0:
            raise ValueError("the count matrix has no documents (0 rows)")
        if counts.shape[1] == 0:
            raise ValueError("the count matrix has no terms (0 columns)")
        names = checked_terms(terms, counts.shape[1])
        counting = None if held is None else held.counting
        return from_canonical(counts, names, detail, batches=checked_batch(batch), counting=counting)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[Text] | Iterable[list[Text]],
        detail: Detail = "moments",
        *,
        counting: CountingOptions | None = None,
        batch: str | None = None,
    ) -> TermStatistics:
        """Count texts batch by batch: memory grows with the vocabulary and the batch, not with the corpus.

        Parameters
        ----------
        texts : iterable of texts, or of lists of texts; or a `Corpus`, by default counted as it says
            The result does not depend on how texts are grouped in lists. With ``CountingOptions(pretokenized=True)``
            a list of strings is one text, given as its tokens. Without it, lists that look like tokens are refused.
        detail, batch : see `from_counts`
        counting : CountingOptions, optional
            How to find the tokens.

        Examples
        --------
        >>> s = TermStatistics.from_texts(["so it goes", "so so"])
        >>> dict(zip(s.terms, s.collection_frequency.tolist()))
        {'goes': 1, 'it': 1, 'so': 3}
        """
        held = counted_corpus(texts)
        if held is not None:
            counting, texts = counting or held.counting, held.texts or ()
        if isinstance(texts, (str, bytes, Mapping)) or hasattr(texts, "columns"):
            raise ValueError(f"texts must be a list of texts, or an iterable of such lists; got {type(texts).__name__}")
        lists_are_texts = bool(getattr(counting, "pretokenized", False))
        batches = in_batches(texts, lists_are_texts=lists_are_texts)
        return cls.from_batches(batches, detail, counting=counting, batch=batch)

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[list[Text]],
        detail: Detail = "moments",
        *,
        counting: CountingOptions | None = None,
        batch: str | None = None,
    ) -> TermStatistics:
        """Like `from_texts`, but *batches* are always lists of texts."""
        options = checked_counting(counting)
        total = RunningSum()
        for part in partial_statistics(batches, checked_detail(detail), options):
            total.add(part)
        return mark_sound(counted(total.value(), batch))

    @property
    def documents(self) -> int:
        """d, the number of documents, including empty ones."""
        return int(self.length_documents.sum())

    @property
    def tokens(self) -> int:
        """n, the number of tokens."""
        return int(self.lengths @ self.length_documents)

    @property
    def mean_length(self) -> float:
        """n/d, the mean document length, including empty documents."""
        return self.tokens / max(self.documents, 1)

    @property
    def vocabulary_size(self) -> int:
        """m, the number of terms, including those that never occur."""
        return self.collection_frequency.size

    @property
    def count_histogram(self) -> CountRows:
        """For each term the histogram of its counts: how many documents contain it how often."""
        if self.rows is None:
            raise ValueError(lacking(self.detail, "moments"))
        return self.rows.without_lengths()

    @cached_property
    def log_factorial_sum(self) -> NDArray[np.float64]:
        """Σ_j log (n_ij − 1)! over the documents that contain term i, from the histogram of its counts."""
        from scipy.special import gammaln

        histogram = self.count_histogram
        weights = histogram.documents * gammaln(histogram.count)
        return np.bincount(histogram.term, weights=weights, minlength=self.vocabulary_size).astype(np.float64)

    def index(self, term: str | int) -> int:
        """The column of a term, given by name or by column number.

        Raises
        ------
        ValueError
            If there is no such term; the message suggests similar ones.
        """
        if isinstance(term, (int, np.integer)):
            if not 0 <= term < self.vocabulary_size:
                raise ValueError(f"there is no column {term}; the columns are 0 to {self.vocabulary_size - 1}")
            return int(term)
        if self.terms is None:
            raise ValueError(f"these statistics have no term names; give a column number instead of {term!r}")
        if not isinstance(term, str):
            raise ValueError(f"a term must be given by its name or its column number; got {term!r}")
        found = np.flatnonzero(self.terms == term)
        if not found.size:
            if self.counting is not None and (left_out := self.counting.stop_word_in(term)) is not None:
                raise ValueError(f"{left_out!r} is a stop word, so it was left out; count without stop words to see it")
            raise ValueError(
                f"{term!r} is not among the {self.vocabulary_size:,} terms{did_you_mean(term, self.terms, most=3)}"
            )
        return int(found[0])

    def coarsen(self, detail: Detail) -> TermStatistics:
        """The same collection with less detail.

        Examples
        --------
        >>> s = TermStatistics.from_counts([[2, 1], [0, 3]], detail="patterns")
        >>> s.coarsen("moments") == TermStatistics.from_counts([[2, 1], [0, 3]], detail="moments")
        True
        """
        if DETAILS.index(checked_detail(detail)) > DETAILS.index(self.detail):
            raise ValueError(lacking(self.detail, detail))
        if detail == self.detail:
            return self
        if detail == "moments":
            return replace(self, detail=detail, rows=self.count_histogram)
        return replace(self, detail=detail, rows=None, count_length_sum=None, count_squared_sum=None)

    def prune(self, min_count: int = 1) -> TermStatistics:
        """The statistics without terms that occur fewer than *min_count* times. Documents, tokens and lengths stay.

        Examples
        --------
        >>> s = TermStatistics.from_counts([[2, 1, 0], [0, 3, 0]], terms=["ha", "no", "never"])
        >>> s.prune(3).terms.tolist()
        ['no']
        """
        return pruned(self, min_count)

    def save(self, path: str | PathLike[str]) -> None:
        """Write one Parquet file, atomically: see `termburst.statistics.store.save_statistics`."""
        save_statistics(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> TermStatistics:
        """Read a file that `save` wrote."""
        return load_statistics(path, cls)

    def __add__(self, other: TermStatistics) -> TermStatistics:
        """Both collections together, over the union of their terms.

        If the vocabularies differ, the union is in alphabetical order.
        """
        if not isinstance(other, TermStatistics):
            return NotImplemented
        return added(self, other)

    def __sub__(self, other: TermStatistics) -> TermStatistics:
        """This collection without the documents of the other. All terms stay, even those that no longer occur.

        Raises
        ------
        ValueError
            If the other contains anything that this one does not: no count may fall below zero.
        """
        if not isinstance(other, TermStatistics):
            return NotImplemented
        return subtracted(self, other)

    def __eq__(self, other: object) -> bool:
        """Whether all numbers, terms, batches and options are the same, in the same order."""
        return _same(self, other) if isinstance(other, TermStatistics) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Size, detail and, if it is known, how words were found, on one line."""
        words = "" if self.counting is None else f"; words: {words_of(self.counting)}"
        return (
            f"TermStatistics({self.documents:,} documents, {self.tokens:,} tokens, "
            f"{self.vocabulary_size:,} terms, detail={self.detail!r}{words})"
        )

    def _repr_html_(self) -> str:
        """The same, and the most frequent terms."""
        import polars as pl

        most = np.argsort(-self.collection_frequency, kind="stable")[:10]
        names = {"column": most} if self.terms is None else {"term": [str(self.terms[column]) for column in most]}
        counts = {"n": self.collection_frequency[most], "b": self.document_frequency[most]}
        return html_table(repr(self), pl.DataFrame({**names, **counts}))


def as_statistics(X_or_statistics: Any, detail: Detail) -> TermStatistics:
    """Statistics of at least this detail, from a count matrix or from statistics. Every function starts with this.

    Examples
    --------
    >>> as_statistics([[2, 1], [0, 3]], "moments")
    TermStatistics(2 documents, 6 tokens, 2 terms, detail='moments')
    """
    if not isinstance(X_or_statistics, TermStatistics):
        return TermStatistics.from_counts(X_or_statistics, detail=detail)
    if DETAILS.index(X_or_statistics.detail) < DETAILS.index(detail):
        raise ValueError(lacking(X_or_statistics.detail, detail))
    check_sound(X_or_statistics)
    return X_or_statistics


def from_canonical(
    counts: Any,
    terms: Terms | None,
    detail: Detail,
    *,
    batches: tuple[str, ...] = (),
    counting: CountingOptions | None = None,
) -> TermStatistics:
    """`TermStatistics.from_counts` without its checks: *counts* must be canonical, *terms* checked."""
    sums = totals(counts, length_sums=checked_detail(detail) != "frequencies")
    (lengths,), number = tally([sums.n_j])
    made = TermStatistics(terms, lengths, number, sums.n_i, sums.b_i, detail, batches=batches, counting=counting)
    if detail == "frequencies":
        return mark_sound(made)
    n_j_of_cell = np.repeat(sums.n_j, np.diff(counts.indptr)) if detail == "patterns" else None
    rows = CountRows.tallied(counts.shape[1], term=counts.indices, count=counts.data, length=n_j_of_cell)
    squares = rows.sum_by_term(rows.count**2 * rows.documents)
    return mark_sound(replace(made, count_length_sum=sums.length_sum, count_squared_sum=squares, rows=rows))


def partial_statistics(
    batches: Iterable[list[Text]], detail: Detail, options: CountingOptions, **how: Any
) -> Iterator[TermStatistics]:
    """Statistics of consecutive parts of the documents: their sum describes all. Some terms may not occur in a part.

    The other parameters are those of `termburst.statistics.streaming.counted_parts`.
    """
    for terms, X in counted_parts(batches, options, **how):
        yield from_canonical(X, terms, detail, counting=options)
        del terms, X  # before the next part is counted


class NothingToCountError(ValueError):
    """A corpus has no documents or no terms."""


def counted(total: TermStatistics | None, batch: str | None = None, min_count: int = 1) -> TermStatistics:
    """The finished statistics: with a batch id, without rare terms. NothingToCountError if nothing was counted."""
    if total is None or not total.documents:
        raise NothingToCountError("there are no documents to count")
    if not total.tokens:
        raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
    all_kept = min_count == 1 == total.min_count and bool((total.collection_frequency > 0).all())
    kept = total if all_kept else pruned(total, min_count)
    if not kept.vocabulary_size:
        raise NothingToCountError(f"no term occurs {min_count:,} times or more")
    return replace(kept, batches=checked_batch(batch))


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    if is_dataclass(left) and type(left) is type(right) and not isinstance(left, type):
        return all(_same(getattr(left, f.name), getattr(right, f.name)) for f in fields(left) if f.compare)
    return type(left) is type(right) and bool(left == right)
