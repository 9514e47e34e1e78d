"""A counted corpus: the texts with their ids, counts and groups, held together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True, eq=False)  # eq: two arrays have no single truth value
class Groups:
    """The group of every document: document j belongs to `names[codes[j]]`.

    Attributes
    ----------
    names : tuple of str, sorted unless an order is given
    codes : array of int, one per document
    """

    names: tuple[str, ...]
    codes: NDArray[np.intp]

    @classmethod
    def from_labels(cls, labels: Iterable[str], order: Iterable[str] | None = None) -> Groups:
        """Number the groups in the order of their names, or in the *order* given, which must have all names.

        Examples
        --------
        >>> groups = Groups.from_labels(["tea", "jam", "tea"])
        >>> groups.names, groups.codes.tolist(), groups.sizes.tolist()
        (('jam', 'tea'), [1, 0, 1], [1, 2])
        """
        listed = list(labels)  # not a NumPy array of str, which would drop a NUL at the end
        names = tuple(sorted(set(listed)) if order is None else order)
        code = {name: number for number, name in enumerate(names)}
        return cls(names, np.array([code[label] for label in listed], dtype=np.intp))

    @property
    def labels(self) -> list[str]:
        """The name of each document's group."""
        return [self.names[code] for code in self.codes]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many documents each group has."""
        return np.bincount(self.codes, minlength=len(self.names))

    def rows(self, numbers: NDArray[np.intp]) -> Groups:
        """The groups of some documents, by their numbers; a group may then have no document."""
        return Groups(self.names, self.codes[numbers])


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing matrices has no single truth value
class CountedCorpus:
    """Counted documents with their ids, texts and groups. The class has data only.

    Statistics (`TermStatistics.from_counts`) do not keep single documents. Lists of ids, groups and example lines are
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
    groups : Groups, optional
        The group of each document.
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
    groups: Groups | None = None
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

    @classmethod
    def from_stream(
        cls, documents: Iterable[tuple[str, Text]], *, counting: CountingOptions | None = None
    ) -> CountedCorpus:
        """Count (id, text) pairs as they come, without keeping the texts.

        Examples
        --------
        >>> corpus = CountedCorpus.from_stream([("a", "so it goes"), ("b", "so so")])
        >>> corpus.ids, corpus.texts, corpus.counts.shape
        (['a', 'b'], None, (2, 3))
        """
        counting = checked_counting(counting)
        ids: list[str] = []

        def texts() -> Iterable[Text]:
            for name, text in documents:
                ids.append(name)
                yield text

        counts, terms = counting.count(texts())
        return cls(counts, terms, ids, counting)

    def grouped(self, labels: Iterable[str]) -> CountedCorpus:
        """The same documents in groups; one label per document.

        Examples
        --------
        >>> corpus = CountedCorpus.from_texts(["so it goes", "so so", "on it"]).grouped(["x", "y", "x"])
        >>> corpus.groups.names
        ('x', 'y')
        """
        groups = Groups.from_labels(labels)
        if groups.codes.size != self.documents:
            raise ValueError(f"there are {self.documents:,} documents and {groups.codes.size:,} labels; give one each")
        return replace(self, groups=groups)

    def group(self, name: str) -> CountedCorpus:
        """The documents of one group, over the same terms.

        Examples
        --------
        >>> corpus = CountedCorpus.from_texts(["so it goes", "so so", "on it"]).grouped(["x", "y", "x"])
        >>> corpus.group("x").ids
        ['1', '3']
        """
        if self.groups is None:
            raise ValueError("the documents have no groups; give each a label with grouped()")
        if name not in self.groups.names:
            raise ValueError(f"there is no group {name!r:.60}; there are {', '.join(self.groups.names)[:200]}")
        return self.rows(self.groups.codes == self.groups.names.index(name))

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
            None if self.groups is None else self.groups.rows(numbers),
            self.reading,
        )
