"""What a collection remembers: integers only, so that adding and taking away are exact."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.display import ROWS, html_table, more, number
from termburst.statistics import detail as details
from termburst.statistics.matrix import canonical_counts, totals
from termburst.statistics.merging import added, pruned, subtracted
from termburst.statistics.rows import CountRows
from termburst.statistics.soundness import check_lengths, check_sound, mark_sound
from termburst.statistics.tally import Integers, tally

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.reading.documents import Text

Detail = details.Detail
DETAILS = details.DETAILS
Terms = NDArray[np.object_]
BATCH_DOCUMENTS = 2000


@dataclass(frozen=True, eq=False, repr=False)
class TermStatistics:
    """The sufficient statistics of a collection of documents, mergeable and subtractable.

    Made by `from_counts`, `from_texts`, `load`, ``+`` and ``−``, not by hand. Three levels of detail:

    ============= =================================================================================================
    "frequencies" d, n, the histogram of document lengths, and a term n_i and b_i: enough for TF–IDF, TF–ICF, λ_ij
    "moments"     also Σ_j n_ij n_j, Σ_j n_ij² and the histogram of its counts: enough for λ_i and Tarone's test
    "patterns"    also (count, length, documents) a term: enough for exact fits, exact tests and keyness
    ============= =================================================================================================

    Empty documents count in d (and so in λ_i), as in the paper.

    Attributes
    ----------
    terms : array of str, or None
        None where the columns were not named; such statistics are addressed, and merged, by column.
    lengths, length_documents : arrays of int
        The distinct document lengths n_j in ascending order, and how many documents have each.
    collection_frequency, document_frequency : arrays of int, one a term
        n_i and b_i.
    count_length_sum, count_squared_sum : arrays of int, one a term, or None
        Σ_j n_ij n_j and Σ_j n_ij².
    rows : CountRows or None
        The histogram of counts ("moments") or the patterns ("patterns").
    batches : tuple of str
        Ids of the batches already contained; adding one twice is refused.
    counting : CountingOptions or None
        How the texts were counted, where that is known.
    min_count : int
        Terms that occur fewer times were left out for good (``stats build --min-count``), so that nothing can be added
        exactly any more. Lengths count all tokens nevertheless.

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

    def __post_init__(self) -> None:
        """Refuse document lengths that cannot be, or whose sums would not fit 64-bit integers."""
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
        X : sparse or dense matrix of non-negative whole numbers
        terms : sequence of str, optional
            The columns' names, for example ``vectorizer.get_feature_names_out()``.
        detail : "moments", "patterns" or "frequencies"
        batch : str, optional
            An id for these documents, remembered so that they cannot be added twice.
        """
        counts = canonical_counts(X)
        if counts.shape[0] == 0:
            raise ValueError("there are no documents: the count matrix has 0 rows")
        if counts.shape[1] == 0:
            raise ValueError("there are no terms: the count matrix has 0 columns")
        names = checked_terms(terms, counts.shape[1])
        return from_canonical(counts, names, detail, batches=checked_batch(batch))

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[Text] | Iterable[list[Text]],
        detail: Detail = "moments",
        *,
        counting: CountingOptions | None = None,
        batch: str | None = None,
    ) -> TermStatistics:
        """Count texts, a batch at a time: memory follows the vocabulary and the batch, not the corpus.

        Parameters
        ----------
        texts : iterable of texts, or of lists of texts
            The result does not depend on how texts come in lists. With ``CountingOptions(pretokenized=True)`` a list of
            strings is one text, its tokens.
        detail, batch : see `from_counts`
        counting : CountingOptions, optional
            How to find the tokens; by default as scikit-learn's CountVectorizer does.

        Examples
        --------
        >>> s = TermStatistics.from_texts(["so it goes", "so so"])
        >>> dict(zip(s.terms, s.collection_frequency.tolist()))
        {'goes': 1, 'it': 1, 'so': 3}
        """
        if isinstance(texts, (str, bytes, Mapping)) or hasattr(texts, "columns"):
            raise ValueError(
                f"texts come as a list of texts, or an iterable of such lists, not as {type(texts).__name__}"
            )
        lists_are_texts = bool(getattr(counting, "pretokenized", False))
        batches = _in_batches(texts, lists_are_texts=lists_are_texts)
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
        """As `from_texts`, for texts that come in lists of your own making, whatever is in them."""
        from termburst.counting.options import checked_counting
        from termburst.statistics.streaming import RunningSum, partial_statistics

        options = checked_counting(counting)
        total = RunningSum()
        for part in partial_statistics(batches, checked_detail(detail), options):
            total.add(part)
        return counted(total.value(), batch)

    @property
    def documents(self) -> int:
        """d, the number of documents, empty ones included."""
        return int(self.length_documents.sum())

    @property
    def tokens(self) -> int:
        """n, the number of tokens."""
        return int(self.lengths @ self.length_documents)

    @property
    def mean_length(self) -> float:
        """n/d, the mean document length, empty documents included."""
        return self.tokens / max(self.documents, 1)

    @property
    def vocabulary_size(self) -> int:
        """m, the number of terms, those that never occur included."""
        return self.collection_frequency.size

    @property
    def count_histogram(self) -> CountRows:
        """How many documents hold each term how many times: a histogram a term."""
        if self.rows is None:
            raise ValueError(f'this needs statistics with detail="moments" or more; these hold only "{self.detail}"')
        return self.rows.without_lengths()

    @cached_property
    def log_factorial_sum(self) -> NDArray[np.float64]:
        """Σ_j log (n_ij − 1)! over the documents that hold term i, derived from the histogram of its counts."""
        from scipy.special import gammaln

        histogram = self.count_histogram
        weights = histogram.documents * gammaln(histogram.count)
        return np.bincount(histogram.term, weights=weights, minlength=self.vocabulary_size).astype(np.float64)

    def index(self, term: str | int) -> int:
        """The column of a term given by its name, or by its number.

        Raises
        ------
        ValueError
            For a term that is not there, with the nearest that are.
        """
        if isinstance(term, (int, np.integer)):
            if not 0 <= term < self.vocabulary_size:
                raise ValueError(f"there is no column {term}; the columns are 0 to {self.vocabulary_size - 1}")
            return int(term)
        if self.terms is None or not isinstance(term, str):
            what = (
                "have no term names; give the column's number"
                if self.terms is None
                else "are asked for one term's name"
            )
            raise ValueError(f"these statistics {what} instead of {term!r}")
        found = np.flatnonzero(self.terms == term)
        if not found.size:
            near = difflib.get_close_matches(term, self.terms.tolist(), n=3)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ValueError(f"{term!r} is not among the {self.vocabulary_size:,} terms{hint}")
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
            raise ValueError(f'statistics with detail="{self.detail}" cannot give "{detail}"; count the texts again')
        if detail == self.detail:
            return self
        if detail == "moments":
            return replace(self, detail=detail, rows=self.count_histogram)
        return replace(self, detail=detail, rows=None, count_length_sum=None, count_squared_sum=None)

    def prune(self, min_count: int = 1) -> TermStatistics:
        """Without the terms that occur fewer than *min_count* times. Documents, tokens and lengths stay as they are.

        Examples
        --------
        >>> s = TermStatistics.from_counts([[2, 1, 0], [0, 3, 0]], terms=["ha", "no", "never"])
        >>> s.prune(3).terms.tolist()
        ['no']
        """
        return pruned(self, min_count)

    def save(self, path: str | PathLike[str]) -> None:
        """Write to one Parquet file, atomically: see `termburst.statistics.store.save_statistics`."""
        from termburst.statistics.store import save_statistics

        save_statistics(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> TermStatistics:
        """Read what `save` wrote."""
        from termburst.statistics.store import load_statistics

        return load_statistics(path)

    def __add__(self, other: TermStatistics) -> TermStatistics:
        """Both collections together, over the union of their terms.

        Where the vocabularies differ, the union is in alphabetical order.
        """
        if not isinstance(other, TermStatistics):
            return NotImplemented
        return added(self, other)

    def __sub__(self, other: TermStatistics) -> TermStatistics:
        """This collection without the documents of the other. The terms stay, also those that no longer occur.

        Raises
        ------
        ValueError
            If the other holds anything that this one does not: no cell may fall below zero.
        """
        if not isinstance(other, TermStatistics):
            return NotImplemented
        return subtracted(self, other)

    def __eq__(self, other: object) -> bool:
        """Whether every number, term, batch and option is the same, in the same order."""
        return _same(self, other) if isinstance(other, TermStatistics) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Size and detail on one line."""
        return (
            f"TermStatistics({self.documents:,} documents, {self.tokens:,} tokens, "
            f"{self.vocabulary_size:,} terms, detail={self.detail!r})"
        )

    def _repr_html_(self) -> str:
        """Size and detail, and the most frequent terms."""
        facts = {"documents": number(self.documents), "tokens": number(self.tokens)}
        facts |= {"mean length": f"{self.mean_length:,.1f}", "terms": number(self.vocabulary_size)}
        facts["detail"] = self.detail
        most = np.argsort(-self.collection_frequency, kind="stable")[:ROWS].tolist()
        names = most if self.terms is None else [str(self.terms[column]) for column in most]
        rows = zip(names, self.collection_frequency[most], self.document_frequency[most], strict=True)
        header = ["column" if self.terms is None else "term", "n_i (occurrences)", "b_i (documents)"]
        return html_table("TermStatistics", facts, header, rows, more(self.vocabulary_size, "terms, less frequent"))


def as_statistics(X_or_statistics: Any, detail: Detail) -> TermStatistics:
    """Statistics of at least this detail, from a count matrix or from statistics: the door of every function.

    Examples
    --------
    >>> as_statistics([[2, 1], [0, 3]], "moments")
    TermStatistics(2 documents, 6 tokens, 2 terms, detail='moments')
    """
    if not isinstance(X_or_statistics, TermStatistics):
        return TermStatistics.from_counts(X_or_statistics, detail=detail)
    if DETAILS.index(X_or_statistics.detail) < DETAILS.index(detail):
        raise ValueError(f'this needs statistics with detail="{detail}"; these hold only "{X_or_statistics.detail}"')
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
    """`TermStatistics.from_counts` behind the door: *counts* is canonical already, *terms* checked."""
    sums = totals(counts, length_sums=checked_detail(detail) != "frequencies")
    (lengths,), length_documents = tally([sums.n_j])
    if detail == "frequencies":
        return mark_sound(
            TermStatistics(terms, lengths, length_documents, sums.n_i, sums.b_i, batches=batches, counting=counting)
        )
    n_j_of_cell = np.repeat(sums.n_j, np.diff(counts.indptr)) if detail == "patterns" else None
    rows = CountRows.tallied(counts.shape[1], term=counts.indices, count=counts.data, length=n_j_of_cell)
    made = TermStatistics(
        terms,
        lengths,
        length_documents,
        sums.n_i,
        sums.b_i,
        detail,
        count_length_sum=sums.length_sum,
        count_squared_sum=rows.sum_by_term(rows.count**2 * rows.documents),
        rows=rows,
        batches=batches,
        counting=counting,
    )
    return mark_sound(made)


class NothingToCountError(ValueError):
    """A corpus without documents, or without a single term."""


def counted(total: TermStatistics | None, batch: str | None = None, min_count: int = 1) -> TermStatistics:
    """The statistics of all that was counted, given a batch id, without rare terms; refused where there is nothing."""
    if total is None or not total.documents:
        raise NothingToCountError("there are no documents to count")
    if not total.tokens:
        raise NothingToCountError("no document has a term; perhaps all are empty or hold only stop words")
    kept = pruned(total, min_count)
    if not kept.vocabulary_size:
        raise NothingToCountError(f"no term occurs {min_count:,} times")
    return replace(kept, batches=checked_batch(batch))


def checked_batch(batch: str | None) -> tuple[str, ...]:
    if batch is not None and not isinstance(batch, str):
        raise ValueError(f"a batch is named by a string; got {batch!r}")
    return () if batch is None else (batch,)


def checked_detail(detail: str) -> Detail:
    if detail not in DETAILS:
        raise ValueError(f"detail is one of {', '.join(map(repr, DETAILS))}; got {detail!r}")
    return detail


def checked_terms(terms: Sequence[str] | NDArray[Any] | None, size: int) -> Terms | None:
    """Names for *size* columns, each a string of its own, or a sentence about the first that is not."""
    if terms is None:
        return None
    if isinstance(terms, (str, Set)) or not isinstance(terms, Iterable):
        raise ValueError("terms come in the order of the columns: a list or an array of strings")
    terms = list(terms)
    names = np.empty(len(terms), dtype=object)
    if not _are_text(terms):
        for i, term in enumerate(terms):
            if not isinstance(term, str):
                raise ValueError(f"terms are strings; number {i} is {term!r}")
            if not _are_text([term]):  # no file or table could hold it
                raise ValueError(f"the term {term!r} holds a lone surrogate, which is no character: mend its text")
    names[:] = list(map(str, terms))  # numpy.str_ too
    if names.size != size:
        raise ValueError(f"there are {names.size:,} terms for {size:,} columns; give one name a column")
    if len(set(names)) != size:
        twice = Counter(names).most_common(1)[0][0]
        raise ValueError(f"the term {twice!r} names two columns; terms are merged by name, so each needs its own")
    return names


def _are_text(terms: list[Any]) -> bool:
    """Whether all are strings, without a lone surrogate in any."""
    try:
        "".join(terms).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    if is_dataclass(left) and type(left) is type(right) and not isinstance(left, type):
        return all(_same(getattr(left, field.name), getattr(right, field.name)) for field in fields(left))
    return type(left) is type(right) and bool(left == right)


def _in_batches(texts: Iterable[Any], *, lists_are_texts: bool) -> Iterator[list[Any]]:
    """Single texts in lists of `BATCH_DOCUMENTS`; lists of texts as they come."""
    single: list[Any] = []
    for item in texts:
        if isinstance(item, str) or (lists_are_texts and all(isinstance(token, str) for token in item)):
            single.append(item)
            if len(single) == BATCH_DOCUMENTS:
                yield single
                single = []
        elif isinstance(item, Iterable) and not isinstance(item, bytes):
            yield list(item)
        else:
            raise ValueError(f"a text is a string; this is {item!r:.60}")
    if single:
        yield single
