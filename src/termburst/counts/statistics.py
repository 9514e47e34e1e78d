"""What a collection remembers: integers only, so that adding and taking away are exact."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from termburst.counts.matrix import canonical_counts, document_lengths
from termburst.counts.rows import CountRows
from termburst.counts.tally import Integers, tally

if TYPE_CHECKING:
    from termburst.counts.counting import CountingOptions, Text

Detail = Literal["frequencies", "moments", "patterns"]
DETAILS: tuple[Detail, ...] = ("frequencies", "moments", "patterns")
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

    def __post_init__(self) -> None:
        """Refuse a collection whose sums would not fit 64-bit integers."""
        if (
            self.lengths.size
            and float(self.lengths[-1]) * float(self.lengths @ self.length_documents.astype(float)) >= 2**63
        ):
            raise ValueError("the collection is too large: Σ n_ij n_j does not fit a 64-bit integer")

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
        return from_canonical(counts, names, detail, batches=() if batch is None else (batch,))

    @classmethod
    def from_texts(
        cls,
        batches: Iterable[Text] | Iterable[Iterable[Text]],
        detail: Detail = "moments",
        *,
        counting: CountingOptions | None = None,
        batch: str | None = None,
    ) -> TermStatistics:
        """Count texts, a batch at a time: memory follows the vocabulary and the batch, not the corpus.

        Parameters
        ----------
        batches : iterable of texts, or of lists of texts
            Plain texts are grouped into batches of 2,000. The result does not depend on how texts are batched.
        detail, batch : see `from_counts`
        counting : CountingOptions, optional
            How to find the tokens; by default as scikit-learn's CountVectorizer does.

        Examples
        --------
        >>> s = TermStatistics.from_texts(["so it goes", "so so"])
        >>> dict(zip(s.terms, s.collection_frequency.tolist()))
        {'goes': 1, 'it': 1, 'so': 3}
        """
        from termburst.counts.counting import CountingOptions

        options = counting or CountingOptions()
        counted = map(options.count, _in_batches(batches))
        total = _sum_evenly(
            from_canonical(canonical_counts(X), terms, detail, counting=options) for X, terms in counted
        )
        if total is None:
            raise ValueError("there are no documents to count")
        if not total.vocabulary_size:
            raise ValueError("no document has a term; perhaps all are empty or hold only stop words")
        return replace(total, batches=() if batch is None else (batch,))

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
        return self.tokens / self.documents

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
        if self.terms is None:
            raise ValueError(f"these statistics have no term names; give the column's number instead of {term!r}")
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
        if DETAILS.index(_checked_detail(detail)) > DETAILS.index(self.detail):
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
        keep = self.collection_frequency >= min_count
        terms = None if self.terms is None else self.terms[keep]
        return self._moved(np.where(keep, np.cumsum(keep) - 1, -1), int(keep.sum()), terms)

    def save(self, path: str | PathLike[str]) -> None:
        """Write to one Parquet file, atomically: see `termburst.counts.store.save_statistics`."""
        from termburst.counts.store import save_statistics

        save_statistics(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> TermStatistics:
        """Read what `save` wrote."""
        from termburst.counts.store import load_statistics

        return load_statistics(path)

    def __add__(self, other: TermStatistics) -> TermStatistics:
        """Both collections together, over the union of their terms.

        Where the vocabularies differ, the union is in alphabetical order.
        """
        if not isinstance(other, TermStatistics):
            return NotImplemented
        both = sorted(set(self.batches) & set(other.batches))
        if both:
            raise ValueError(f"batch {both[0]!r} is in both statistics and would be counted twice")
        terms = self.terms
        if self.terms is not None and other.terms is not None and not _same(self.terms, other.terms):
            terms = np.array(sorted({*self.terms, *other.terms}), dtype=object)
        return self._onto(terms)._combined(other._onto(terms), 1, {*self.batches, *other.batches})

    def __sub__(self, other: TermStatistics) -> TermStatistics:
        """This collection without the documents of the other. The terms stay, also those that no longer occur.

        Raises
        ------
        ValueError
            If the other holds anything that this one does not: no cell may fall below zero.
        """
        if not isinstance(other, TermStatistics):
            return NotImplemented
        absent = sorted(set(other.batches) - set(self.batches))
        if absent:
            raise ValueError(f"batch {absent[0]!r} cannot be taken out: it is not contained")
        return self._combined(other._onto(self.terms), -1, set(self.batches) - set(other.batches))

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

    def _onto(self, terms: Terms | None) -> TermStatistics:
        """The same statistics laid out on another vocabulary, which must hold every term that occurs here."""
        if terms is self.terms or _same(terms, self.terms):
            return self
        if terms is None or self.terms is None:
            raise ValueError("statistics with and without term names cannot be combined: name the terms of both")
        position = {term: i for i, term in enumerate(terms)}
        target = np.array([position.get(term, -1) for term in self.terms], dtype=np.intp)
        lost = np.flatnonzero((target < 0) & (self.collection_frequency > 0))
        if lost.size:
            raise ValueError(f"the term {self.terms[lost[0]]!r} cannot be taken out: it is not contained")
        return self._moved(target, terms.size, terms)

    def _moved(self, target: NDArray[np.intp], size: int, terms: Terms | None) -> TermStatistics:
        """Column i becomes column target[i] of *size*; −1 drops it."""
        kept = target >= 0
        moved: dict[str, Any] = {}
        for name in ("collection_frequency", "document_frequency", "count_length_sum", "count_squared_sum"):
            if (values := getattr(self, name)) is not None:
                moved[name] = np.zeros(size, dtype=np.int64)
                moved[name][target[kept]] = values[kept]
        return replace(self, terms=terms, rows=self.rows and self.rows.moved(target, size), **moved)

    def _combined(self, other: TermStatistics, sign: int, batches: set[str]) -> TermStatistics:
        """Self + sign · other over one vocabulary; refused where anything would fall below zero."""
        _check_compatible(self, other)
        (lengths,), length_documents = tally(
            [np.concatenate([self.lengths, other.lengths])],
            np.concatenate([self.length_documents, sign * other.length_documents]),
        )
        if (length_documents < 0).any():
            length = lengths[length_documents < 0][0]
            raise ValueError(f"the documents to take out are not all contained: too many of length {length}")
        sums: dict[str, Any] = {}
        for name in ("collection_frequency", "document_frequency", "count_length_sum", "count_squared_sum"):
            if (mine := getattr(self, name)) is not None:
                sums[name] = mine + sign * getattr(other, name)
                self._refuse(sums[name] < 0)
        self._refuse(sums["collection_frequency"] < sums["document_frequency"])
        rows = None
        if self.rows is not None and other.rows is not None:
            rows = self.rows.plus(other.rows, sign)
            self._refuse(rows.sum_by_term((rows.documents < 0).astype(np.int64)) > 0)
        kept = length_documents > 0
        return replace(
            self,
            lengths=lengths[kept],
            length_documents=length_documents[kept],
            rows=rows,
            batches=tuple(sorted(batches)),
            counting=self.counting or other.counting,
            **sums,
        )

    def _refuse(self, below_zero: NDArray[np.bool_]) -> None:
        if below_zero.any():
            column = int(np.flatnonzero(below_zero)[0])
            term = f"column {column}" if self.terms is None else f"the term {self.terms[column]!r}"
            raise ValueError(f"the documents to take out are not all contained: {term} would fall below zero")


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
    d, m = counts.shape
    n_j = document_lengths(counts)
    (lengths,), length_documents = tally([n_j])
    transposed = counts.T
    frequency = transposed @ np.ones(d, dtype=np.int64)
    found_in = np.bincount(counts.indices, minlength=m).astype(np.int64, copy=False)
    if _checked_detail(detail) == "frequencies":
        return TermStatistics(terms, lengths, length_documents, frequency, found_in, batches=batches, counting=counting)
    n_j_of_cell = np.repeat(n_j, np.diff(counts.indptr)) if detail == "patterns" else None
    rows = CountRows.tallied(m, term=counts.indices, count=counts.data, length=n_j_of_cell)
    return TermStatistics(
        terms,
        lengths,
        length_documents,
        frequency,
        found_in,
        detail,
        count_length_sum=transposed @ n_j,
        count_squared_sum=rows.sum_by_term(rows.count**2 * rows.documents),
        rows=rows,
        batches=batches,
        counting=counting,
    )


def _checked_detail(detail: str) -> Detail:
    if detail not in DETAILS:
        raise ValueError(f"detail is one of {', '.join(map(repr, DETAILS))}; got {detail!r}")
    return detail


def checked_terms(terms: Sequence[str] | NDArray[Any] | None, size: int) -> Terms | None:
    """Names for *size* columns, each a string of its own, or a sentence about the first that is not."""
    if terms is None:
        return None
    names = np.empty(len(terms), dtype=object)
    for i, term in enumerate(terms):
        if not isinstance(term, str):
            raise ValueError(f"terms are strings; number {i} is {term!r}")
        names[i] = str(term)  # numpy.str_ too
    if names.size != size:
        raise ValueError(f"there are {names.size:,} terms for {size:,} columns; give one name a column")
    if len(set(names)) != size:
        twice = Counter(names).most_common(1)[0][0]
        raise ValueError(f"the term {twice!r} names two columns; terms are merged by name, so each needs its own")
    return names


def _check_compatible(left: TermStatistics, right: TermStatistics) -> None:
    if left.vocabulary_size != right.vocabulary_size:
        raise ValueError(
            f"statistics without term names are combined by column, but they have {left.vocabulary_size:,} and "
            f"{right.vocabulary_size:,} columns: name the terms of both"
        )
    if left.detail != right.detail:
        raise ValueError(
            f'statistics of unequal detail cannot be combined: "{left.detail}" and "{right.detail}"; '
            "`.coarsen(detail)` brings both to the lower one"
        )
    if left.counting is not None and right.counting is not None and left.counting != right.counting:
        raise ValueError(f"the texts were counted in different ways: {left.counting} and {right.counting}")


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    if is_dataclass(left) and type(left) is type(right) and not isinstance(left, type):
        return all(_same(getattr(left, field.name), getattr(right, field.name)) for field in fields(left))
    return type(left) is type(right) and bool(left == right)


def _in_batches(batches: Iterable[Text] | Iterable[Iterable[Text]]) -> Iterator[Iterable[Text]]:
    """Lists of texts as they come; plain texts in lists of `BATCH_DOCUMENTS`."""
    if isinstance(batches, str):
        raise ValueError("texts come as a list of texts, or an iterable of such lists; this is a single text")
    items: Iterator[Any] = iter(batches)
    for first in items:
        if isinstance(first, str):
            rest = chain([first], items)
            while group := list(islice(rest, BATCH_DOCUMENTS)):
                yield group
        else:
            yield first


def _sum_evenly(parts: Iterable[TermStatistics]) -> TermStatistics | None:
    """Sum by doubling, as one carries in binary: each part takes part in log₂(parts) merges, not in all of them."""
    stack: list[tuple[int, TermStatistics]] = []
    for part in parts:
        size, total = 1, part
        while stack and stack[-1][0] == size:
            size, total = 2 * size, stack.pop()[1] + total
        stack.append((size, total))
    if not stack:
        return None
    total = stack.pop()[1]
    while stack:
        total = stack.pop()[1] + total
    return total
