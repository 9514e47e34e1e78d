"""The documents of a corpus: texts with their ids, counted when counts are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.concordance.positions import TokenPositions
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.reading.documents import Text
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.term_statistics import TermStatistics, from_canonical


class InOrder:
    """What questions about the order of words need, from texts and the options of counting; each is made once."""

    texts: Any
    counting: Any
    in_engine = False

    @cached_property
    def positions(self) -> TokenPositions:
        """Which word stands where, made once."""
        return self._placed(sentences=False)

    @cached_property
    def positions_in_sentences(self) -> TokenPositions:
        """The same with the ends of sentences."""
        return self._placed(sentences=True)

    def _placed(self, *, sentences: bool) -> TokenPositions:
        texts = iter(() if self.texts is None else self.texts)  # the length of what is scanned may not be known
        first = list(islice(texts, 1))  # then it is known how the texts of what is scanned are counted
        return TokenPositions.of(chain(first, texts), self.counting or CountingOptions(), sentences=sentences)

    def __token_positions__(self) -> tuple[TokenPositions, Container[str]]:
        """Which word stands where, and which words are left out."""
        return self.positions, (self.counting or CountingOptions()).stop_word_set()


@dataclass(frozen=True, eq=False)
class Documents(InOrder):
    """Texts with ids, or counts with ids. Several corpora may share one such object, and with it the counts.

    Attributes
    ----------
    ids : one per document
    counting : how to count; None if there are only counts, and how they were made is not known
    texts : in memory or on disk; None if there are only counts
    given : the counts, where they are known from the start
    """

    ids: list[str]
    counting: CountingOptions | None
    texts: Sequence[Text] | None
    given: CountedCorpus | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Make a list of texts a tuple, so that nobody can change it."""
        if isinstance(self.texts, list):
            object.__setattr__(self, "texts", tuple(self.texts))

    @cached_property
    def counted(self) -> CountedCorpus:
        """The counts, made once. Nobody can change them: their arrays are read-only."""
        found = self.given
        if found is None:
            counting, texts = self.counting or CountingOptions(), self.texts or ()
            counts, terms = counting.count(texts)
            found = CountedCorpus(counts, terms, self.ids, counting, texts)
        for array in (found.counts.data, found.counts.indices, found.counts.indptr, found.terms):
            array.flags.writeable = False
        return found

    @cached_property
    def statistics(self) -> TermStatistics:
        """The statistics with detail="patterns", made once."""
        return from_canonical(canonical_counts(self.counted), self.counted.terms, "patterns", counting=self.counting)

    @property
    def is_counted(self) -> bool:
        """Whether the counts are known already."""
        return self.given is not None or "counted" in vars(self)

    @property
    def size(self) -> int:
        """The number of documents."""
        return len(self.ids)

    def rows(self, numbers: Numbers) -> Documents:
        """Some of the documents. If they are counted, so are these: over the terms that occur in them."""
        ids = [self.ids[k] for k in numbers.tolist()]
        texts = None if self.texts is None else rows_of(self.texts, numbers)
        if not self.is_counted:
            return Documents(ids, self.counting, texts)
        counts = self.counted.counts[numbers]
        held = np.bincount(counts.indices, minlength=counts.shape[1]) > 0
        terms = self.counted.terms[held]
        given = replace(self.counted, counts=with_columns(counts, held), terms=terms, ids=ids, texts=texts)
        return Documents(ids, self.counting, texts, given)


def with_columns(counts: Any, held: Any) -> Any:
    """A CSR array with only some columns; all others must be empty. This renumbers cells and is faster than slicing.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> with_columns(sp.csr_array([[2, 0, 1]]), np.array([True, False, True])).toarray().tolist()
    [[2, 1]]
    """
    place = (np.cumsum(held) - 1).astype(counts.indices.dtype)
    return type(counts)((counts.data, place[counts.indices], counts.indptr), shape=(counts.shape[0], int(held.sum())))


Numbers = NDArray[np.intp]


def rows_of(texts: Sequence[Text], numbers: Numbers) -> Sequence[Text]:
    """Some of the texts, by their ascending numbers; texts on disk stay there.

    Examples
    --------
    >>> rows_of(["so", "it", "goes"], np.array([0, 2]))
    ['so', 'goes']
    """
    rows = getattr(texts, "rows", None)
    return [texts[k] for k in numbers.tolist()] if rows is None else rows(numbers)


def tokens_of(text: Text, tokenizer: Callable[[Any], Iterable[Any]]) -> list[str]:
    """The tokens that a function of the user finds in a text; ValueError if it does not return strings.

    Tokens with an attribute `text`, such as those of spaCy, are strings by that. White space and empty strings are no
    tokens.
    """
    made = tokenizer(text)
    if isinstance(made, str) or not isinstance(made, Iterable):
        raise ValueError(f"tokenizer must return a list of strings for each text; got {made!r:.60}")
    found: list[Any] = [token if isinstance(token, str) else getattr(token, "text", token) for token in made]
    for token in found:
        if not isinstance(token, str):
            raise ValueError(f"tokenizer must return strings; got {token!r:.60}")
    return [str(token) for token in found if token.strip()]
