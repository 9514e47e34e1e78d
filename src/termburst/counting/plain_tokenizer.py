"""Texts to counts in plain Python: for tokens that the compiled tokenizer cannot find, and for small corpora."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain, groupby, islice
from typing import Any

import numpy as np

from termburst.counting.languages import lower_case
from termburst.counting.pattern_clock import search_limit, start_clock, stop_clock
from termburst.reading.documents import Text

SMALL = 100_000  # characters; up to here plain Python is done before the compiled tokenizer has set up its tables
EMPTY_MATCH = "The token pattern '{}' can match the empty string. Write + in place of *, as in \\w+."


class PlainTokenizer:
    """Counts documents by a function that finds their terms.

    Parameters
    ----------
    analyze : function
        Takes a document and returns its terms, each as often as it occurs.
    vocabulary : mapping of terms to columns, or None
        Terms to look for. By default all terms are counted.

    Examples
    --------
    >>> tokenizer = PlainTokenizer(str.split)
    >>> terms, X = tokenizer.matrix(["so it goes", "so so"])
    >>> terms, X.toarray().tolist()
    ({'goes': 0, 'it': 1, 'so': 2}, [[1, 1, 1], [0, 0, 2]])
    """

    def __init__(self, analyze: Callable[[Any], Iterable[Any]], vocabulary: Mapping[Any, int] | None = None) -> None:
        self.analyze, self.vocabulary = analyze, vocabulary

    def matrix(self, documents: Iterable[Any]) -> tuple[dict[Any, int], Any]:
        """The columns of the terms in alphabetical order, and documents × terms in canonical form.

        With a given vocabulary, no terms are returned, and the columns are those of the vocabulary. Without any term,
        the matrix has no columns.
        """
        import scipy.sparse as sp

        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = numbers.__len__  # a new term gets the next number
        number: Callable[[Any], Any] = numbers.__getitem__ if self.vocabulary is None else self.vocabulary.get
        cells, counts, sizes = array("q"), array("q"), array("q")
        try:
            for document in documents:
                start_clock()
                found = Counter(map(number, self.analyze(document)))
                found.pop(None, None)  # not in the vocabulary
                cells.extend(found)
                counts.extend(found.values())
                sizes.append(len(found))
        finally:
            stop_clock()
        ids, data = np.array(cells, dtype=np.int64), np.array(counts, dtype=np.int64)
        indptr = np.append(0, np.cumsum(np.array(sizes, dtype=np.int64)))
        terms: dict[Any, int] = {}
        if self.vocabulary is None:
            terms = {term: column for column, term in enumerate(sorted(numbers))}
            columns = np.fromiter(map(terms.__getitem__, numbers), dtype=np.int64, count=len(terms))
            ids = columns[ids]
        width = len(terms if self.vocabulary is None else self.vocabulary)
        kind = np.int32 if ids.size < 2**31 else np.int64
        X = sp.csr_array((data, ids.astype(kind), indptr.astype(kind)), shape=(len(sizes), width))
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


class StopLemmas(frozenset[str]):
    """Stop words as a container of lemmas with their tags.

    Examples
    --------
    >>> "the_DET" in StopLemmas(frozenset(["the"])), "whale_NOUN" in StopLemmas(frozenset(["the"]))
    (True, False)
    """

    __slots__ = ()

    def __contains__(self, token: object) -> bool:
        """Whether the word before the tag is a stop word."""
        return isinstance(token, str) and super().__contains__(token.rpartition("_")[0] or token)


def terms_of(
    text: Text,
    find: Callable[[Any], list[str]],
    stop_words: frozenset[str],
    ngrams: tuple[int, int],
    *,
    barriers: bool = False,
) -> list[str]:
    """The terms of a text: its tokens without stop words, and runs of *ngrams* tokens, joined by a space.

    Stop words are removed first, so that n-grams reach over them. If they are *barriers*, no n-gram does.

    Examples
    --------
    >>> terms_of("to the end", str.split, frozenset(["the"]), (1, 2))
    ['to', 'end', 'to end']
    >>> terms_of("to the end of days", str.split, frozenset(["the"]), (1, 2), barriers=True)
    ['to', 'end', 'of', 'days', 'end of', 'of days']
    """
    tokens = find(text)
    shortest, longest = ngrams
    if barriers and longest > 1 and stop_words:
        pieces = [list(stretch) for is_stop, stretch in groupby(tokens, stop_words.__contains__) if not is_stop]
        tokens = list(chain.from_iterable(pieces))
    else:
        tokens = [token for token in tokens if token not in stop_words] if stop_words else tokens
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


def plain_size(document: Any) -> float:
    """The characters of a string; anything else is too large to be counted here."""
    return len(document) if isinstance(document, (str, bytes)) else math.inf


def measured(
    documents: Iterable[Any], limit: int, size_of: Callable[[Any], float] = plain_size
) -> tuple[Iterator[Any], bool]:
    """The same documents, and whether they have at most *limit* characters in all, by the size of each.

    Only as many documents are read as are needed to find out.

    Examples
    --------
    >>> documents, small = measured(["so it goes", "so so"], 12)
    >>> list(documents), small
    (['so it goes', 'so so'], False)
    """
    rest = iter(documents)
    head: list[Any] = []
    size: float = 0
    for document in rest:
        head.append(document)
        size += size_of(document)
        if size > limit:
            return chain(_emptied(head), rest), False
    return iter(head), size <= limit


def _emptied(head: list[Any]) -> Iterator[Any]:
    """Yield the documents of a list, and remove each from it, so that memory does not keep them."""
    head.reverse()
    while head:
        yield head.pop()
