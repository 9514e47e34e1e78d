"""A counted corpus: the texts with their ids and counts, held together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.counting.options import CountingOptions, checked_counting
from termburst.reading.documents import Text
from termburst.reading.report import ReadingReport


def texts_at(texts: Sequence[Text], numbers: Sequence[int]) -> Iterator[Text]:
    """Some texts, by their ascending numbers. Texts on disk are read in one pass, by the method `at` of the sequence.

    Examples
    --------
    >>> list(texts_at(["so", "it", "goes"], [0, 2]))
    ['so', 'goes']
    """
    at = getattr(texts, "at", None)
    return (texts[k] for k in numbers) if at is None else at(numbers)


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing matrices has no single truth value
class CountedCorpus:
    """Counted documents with their ids and texts. The class has data only.

    Statistics (`TermStatistics.from_counts`) do not keep single documents. Lists of ids and example lines are
    therefore taken from a counted corpus. Nothing in it is changed in place.

    Attributes
    ----------
    counts : documents × terms, sparse (CSR)
    terms : array of str, the names of the columns
    ids : list of str, one per document
    counting : CountingOptions, or None if it is not known
        How the texts were counted, so that a term can be found in them again.
    texts : sequence of str (or of lists of tokens), optional
        None if the texts were not kept. Texts are read one at a time, so a sequence may load each when it is needed.
    reading : ReadingReport, optional
        What was skipped, repaired or guessed when the texts were read from files.

    Examples
    --------
    >>> corpus = CountedCorpus.from_texts(["so it goes", "so so", "on it"], ["a", "b", "c"])
    >>> corpus.terms.tolist(), corpus.counts.toarray()[1].tolist()
    (['goes', 'it', 'on', 'so'], [0, 0, 0, 2])
    """

    counts: Any
    terms: NDArray[np.object_]
    ids: list[str]
    counting: CountingOptions | None
    texts: Sequence[Text] | None = None
    reading: ReadingReport | None = None

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.ids)

    def __counted_corpus__(self) -> CountedCorpus:
        """Itself: functions that take counts ask for it, and read `counts` and `terms`."""
        return self

    @classmethod
    def from_texts(
        cls, texts: Iterable[Text], ids: Iterable[Any] | None = None, *, counting: CountingOptions | None = None
    ) -> CountedCorpus:
        """Count *texts* and keep them; a document without an id is named by its number, from 1.

        Examples
        --------
        >>> CountedCorpus.from_texts(["so it goes", "so so"]).ids
        ['1', '2']
        """
        counting, kept = checked_counting(counting), list(texts)
        counts, terms = counting.count(kept)
        names = [str(number + 1) for number in range(len(kept))] if ids is None else [str(one) for one in ids]
        if len(names) != len(kept):
            raise ValueError(f"there are {len(kept):,} texts and {len(names):,} ids; give one id per text")
        return cls(counts, terms, names, counting, kept)

    def rows(self, chosen: ArrayLike) -> CountedCorpus:
        """Some documents, over the same terms, by a mask or by their numbers (from 0).

        Examples
        --------
        >>> corpus = CountedCorpus.from_texts(["so it goes", "so so", "on it"], ["a", "b", "c"])
        >>> corpus.rows([0, 2]).ids, corpus.rows([False, True, False]).texts
        (['a', 'c'], ['so so'])
        """
        mask_or_numbers = np.asarray(chosen)
        if not mask_or_numbers.size:  # an empty list would be an array of floats
            mask_or_numbers = mask_or_numbers.astype(np.intp)
        numbers = np.arange(self.documents)[mask_or_numbers]
        return CountedCorpus(
            self.counts[numbers],
            self.terms,
            [self.ids[k] for k in numbers],
            self.counting,
            None if self.texts is None else [self.texts[k] for k in numbers],
            self.reading,
        )
