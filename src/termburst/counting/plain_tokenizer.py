"""Texts to counts in plain Python: for tokens that the compiled tokenizer cannot find, and for small corpora."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.languages import lower_case
from termburst.counting.pattern_clock import search_limit, start_clock, stop_clock
from termburst.reading.documents import Text

SMALL = 100_000  # characters; up to here plain Python is done before the compiled tokenizer has set up its tables
EMPTY_MATCH = "The token pattern '{}' can match the empty string. Write + in place of *, as in \\w+."

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlainCounts:
    """The counts of a chunk of documents, cell by cell.

    Attributes
    ----------
    ids : the number of the term, one per cell
    counts : how often the document has the term, one per cell
    sizes : the number of cells, one per document
    """

    ids: Integers
    counts: Integers
    sizes: Integers


class PlainTokenizer:
    """Counts documents, batch after batch, into one vocabulary. It has the methods of the compiled `Tokenizer`.

    Parameters
    ----------
    analyze : function
        Takes a document and returns its terms, each as often as it occurs.
    vocabulary : mapping of terms to columns, or None
        Terms to look for. By default all terms are counted.

    Examples
    --------
    >>> tokenizer = PlainTokenizer(str.split)
    >>> terms, X = tokenizer.matrix(list(tokenizer.count([["so it goes", "so so"]])))
    >>> terms, X.toarray().tolist()
    ({'goes': 0, 'it': 1, 'so': 2}, [[1, 1, 1], [0, 0, 2]])
    """

    def __init__(self, analyze: Callable[[Any], Iterable[Any]], vocabulary: Mapping[Any, int] | None = None) -> None:
        self.analyze, self.vocabulary = analyze, vocabulary
        self.numbers: defaultdict[Any, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__  # a new term gets the next number

    def count(self, chunks: Iterable[Iterable[Any]]) -> Iterator[PlainCounts]:
        """Count chunks of documents, in their order."""
        return map(self._count_chunk, chunks)

    def _count_chunk(self, documents: Iterable[Any]) -> PlainCounts:
        number: Callable[[Any], Any] = self.numbers.__getitem__ if self.vocabulary is None else self.vocabulary.get
        ids: list[int] = []
        counts: list[int] = []
        sizes: list[int] = []
        try:
            for document in documents:
                start_clock()
                found = Counter(map(number, self.analyze(document)))
                found.pop(None, None)  # not in the vocabulary
                ids.extend(found)
                counts.extend(found.values())
                sizes.append(len(found))
        finally:
            stop_clock()
        return PlainCounts(*(np.array(values, dtype=np.int64) for values in (ids, counts, sizes)))

    def matrix(self, counted: list[PlainCounts]) -> tuple[dict[Any, int], Any]:
        """The columns of the terms in alphabetical order, and documents × terms in canonical form.

        With a given vocabulary, no terms are returned, and the columns are those of the vocabulary. Without any term,
        the matrix has no columns.
        """
        import scipy.sparse as sp

        none = np.empty(0, dtype=np.int64)
        ids, data, sizes = (
            np.concatenate([none, *(getattr(piece, name) for piece in counted)]) for name in ("ids", "counts", "sizes")
        )
        indptr = np.zeros(sizes.size + 1, dtype=np.int64)
        np.cumsum(sizes, out=indptr[1:])
        terms: dict[Any, int] = {}
        if self.vocabulary is None:
            terms = {term: column for column, term in enumerate(sorted(self.numbers))}
            columns = np.fromiter(map(terms.__getitem__, self.numbers), dtype=np.int64, count=len(terms))
            ids = columns[ids]
        width = len(terms if self.vocabulary is None else self.vocabulary)
        kind = np.int32 if ids.size < 2**31 else np.int64
        X = sp.csr_array((data, ids.astype(kind), indptr.astype(kind)), shape=(sizes.size, width))
        X.sort_indices()
        X.has_canonical_format = True  # each term of a document is one cell
        return terms, X


def pattern_tokens(
    pattern: str, prepare: Callable[[str], str], seconds: float | None = None
) -> Callable[[Any], list[str]]:
    """A function that finds the tokens of a text: what a regular expression matches in the prepared text.

    *seconds* is the processor time that a search may take; None if it surely ends. No token may be the empty string.
    """
    compiled = re.compile(pattern)

    def find(text: Any) -> list[str]:
        prepared = prepare(text)
        with nullcontext() if seconds is None else search_limit(pattern, seconds):
            found: list[str] = compiled.findall(prepared)
        if "" in found:
            raise ValueError(EMPTY_MATCH.format(pattern))
        return found

    return find


def split_tokens(text: Text) -> list[str]:
    """The tokens of a pretokenized text: a list as it is, a string split at white space."""
    return text.split() if isinstance(text, str) else text


def annotated_tokens(text: Text, language: str | None = None, *, tagged: bool = False) -> list[str]:
    """The tokens of an annotated corpus in lower case. If they are *tagged*, as in The_DET, their tags stay.

    Examples
    --------
    >>> annotated_tokens(["The", "Whale"]), annotated_tokens(["The_DET", "Whale_NOUN"], tagged=True)
    (['the', 'whale'], ['the_DET', 'whale_NOUN'])
    """
    tokens = split_tokens(text)
    if not tagged:
        return [lower_case(token, language) for token in tokens]
    parts = [token.rpartition("_") for token in tokens]
    return [f"{lower_case(word, language)}_{tag}" if join else lower_case(tag, language) for word, join, tag in parts]


@dataclass(frozen=True, slots=True)
class StopLemmas:
    """Stop words as a container of lemmas with their tags.

    Examples
    --------
    >>> "the_DET" in StopLemmas(frozenset(["the"])), "whale_NOUN" in StopLemmas(frozenset(["the"]))
    (True, False)
    """

    words: frozenset[str]

    def __contains__(self, token: object) -> bool:
        """Whether the word before the tag is a stop word."""
        return isinstance(token, str) and (token.rpartition("_")[0] or token) in self.words


@dataclass(frozen=True, slots=True)
class TermsOfText:
    """The terms of a text: its tokens without stop words, and runs of *ngrams* tokens, joined by a space.

    Stop words are removed first, so that n-grams reach over them. If they are *barriers*, no n-gram does.

    Examples
    --------
    >>> TermsOfText(str.split, frozenset(["the"]), (1, 2))("to the end")
    ['to', 'end', 'to end']
    >>> TermsOfText(str.split, frozenset(["the"]), (1, 2), barriers=True)("to the end of days")
    ['to', 'end', 'of', 'days', 'end of', 'of days']
    """

    tokens: Callable[[Any], list[str]]
    stop_words: Container[str]
    ngrams: tuple[int, int]
    barriers: bool = False

    def __call__(self, text: Text) -> list[str]:
        """Each term as often as it occurs."""
        tokens = self.tokens(text)
        shortest, longest = self.ngrams
        if self.barriers and longest > 1 and self.stop_words:
            stretches = groupby(tokens, self.stop_words.__contains__)
            pieces = [list(stretch) for is_stop, stretch in stretches if not is_stop]
            tokens = list(chain.from_iterable(pieces))
        else:
            tokens = [token for token in tokens if token not in self.stop_words] if self.stop_words else tokens
            pieces = [tokens]
        if longest == 1:
            return tokens
        terms = list(tokens) if shortest == 1 else []
        for piece in pieces:
            for size in range(max(shortest, 2), min(longest, len(piece)) + 1):
                terms += map(" ".join, zip(*(islice(piece, k, None) for k in range(size)), strict=False))
        return terms


def characters(text: Text) -> int:
    """The size of a text in memory: its characters; of a list, its tokens and their characters.

    Examples
    --------
    >>> characters("so it goes"), characters(["so", "it", "goes"])
    (10, 11)
    """
    return len(text) if isinstance(text, str) else len(text) + sum(map(len, text))


def measured(documents: Iterable[Any], limit: int) -> tuple[Iterator[Any], bool]:
    """The same documents, and whether they have at most *limit* characters in all.

    Only as many documents are read as are needed to find out. Anything but a string counts as too large.

    Examples
    --------
    >>> documents, small = measured(["so it goes", "so so"], 12)
    >>> list(documents), small
    (['so it goes', 'so so'], False)
    """
    rest = iter(documents)
    head: list[Any] = []
    size = 0
    for document in rest:
        head.append(document)
        size += len(document) if isinstance(document, (str, bytes)) else limit + 1
        if size > limit:
            return chain(_emptied(head), rest), False
    return iter(head), True


def _emptied(head: list[Any]) -> Iterator[Any]:
    """Yield the documents of a list, and remove each from it, so that memory does not keep them."""
    head.reverse()
    while head:
        yield head.pop()
