"""The tokens of a corpus in their order, as numbers: which word stands where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.tokenizer import DONE, number, numbered, text_room, texts
from termburst.core.vocabulary import written
from termburst.counting.options import CountingOptions
from termburst.counting.pattern_clock import start_clock, stop_clock
from termburst.counting.tokenizer import Worker, in_chunks
from termburst.limits import require_memory
from termburst.reading.documents import Text
from termburst.threads import Aside

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.int32]
Integers = NDArray[np.int64]

SENTENCE_ENDS = frozenset(".!?…。！？｡।؟")  # tokens that end a sentence in lists of tokens
_SENTENCE_END = re.compile(r"[.!?…।؟]+[\"'”’»)\]]*\s+|[。！？｡]+[」』”’）]*\s*|\n\s*\n\s*")


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some documents, each with its tokens in their order.

    Attributes
    ----------
    tokens : the number of the word of each token
    ends : where each document ends in `tokens`
    sentences : where each sentence ends in `tokens`; the same as `ends` if sentences were not asked for
    """

    tokens: Numbers
    ends: Integers
    sentences: Integers


class Numbering:
    """Numbers the words of texts as they come; memory depends on the vocabulary, not on the texts.

    Stop words have numbers, too: they stand in the text.

    Examples
    --------
    >>> numbering = Numbering(CountingOptions(stop_words=["it"]))
    >>> chunk = numbering.chunk(["so it goes", "so so"])
    >>> chunk.tokens.tolist(), chunk.ends.tolist(), numbering.words()
    ([0, 1, 2, 0, 0], [3, 5], ['so', 'it', 'goes'])
    """

    def __init__(self, counting: CountingOptions, *, sentences: bool = False) -> None:
        self.sentences = sentences
        self.tokenizer = replace(counting, stop_words=None, ngrams=(2, 2)).tokenizer()
        self.find: Any = replace(counting, stop_words=None, ngrams=(1, 1)).plain_tokenizer().analyze
        self.known: dict[str, int] = {}

    def chunk(self, documents: Sequence[Text]) -> Chunk:
        """The documents as numbers."""
        if not self.sentences:
            tokens, ends = self._numbered(documents)
            return Chunk(tokens, ends, ends)
        pieces = [sentences_of(document) for document in documents]
        tokens, ends = self._numbered(list(chain.from_iterable(pieces)))
        last = np.cumsum(np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces)))
        return Chunk(tokens, np.append(0, ends)[last], ends)

    def words(self, first: int = 0) -> list[str]:
        """The words with the numbers from *first* on."""
        if self.tokenizer is None:
            return list(self.known)[first:]
        worker = self.tokenizer.workers[0]
        if first >= worker.nodes:
            return []
        lines, _ = written(worker.known, np.arange(first, worker.nodes, dtype=np.int32))
        return lines[:-1].tobytes().decode("utf-8", "surrogatepass").split("\n")

    def _numbered(self, documents: Sequence[Any]) -> tuple[Numbers, Integers]:
        if self.tokenizer is not None:
            data, ends = self.tokenizer.encoded(documents)
            with Aside() as aside:
                return aside.submit(_number, self.tokenizer.workers[0], data, ends).get()
        found: list[int] = []
        stops: list[int] = []
        known = self.known
        try:
            for document in documents:
                start_clock()
                found.extend([known.setdefault(token, len(known)) for token in self.find(document)])
                stops.append(len(found))
        finally:
            stop_clock()
        return np.array(found, dtype=np.int32), np.array(stops, dtype=np.int64)


def _number(worker: Worker, data: Any, ends: Integers) -> tuple[Numbers, Integers]:
    """The nodes of all tokens, and where each document ends among them."""
    rules = worker.tokenizer.rules(is_ascii=int(data.max(initial=0)) < 128)
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    room, documents = text_room(longest, runs=True), texts(data, ends, 0)
    nodes, stops = np.empty(data.size // 4 + 64, dtype=np.int32), np.empty(ends.size, dtype=np.int64)
    found = numbered(nodes, stops)
    while (lacking := number(documents, rules, worker.known, found, room)) != DONE:
        if not worker.has_grown(lacking, longest):
            larger = np.empty(2 * nodes.size, dtype=np.int32)
            larger[: found.size] = nodes[: found.size]
            nodes = larger
            found = numbered(nodes, stops, found.size, found.documents)
    return nodes[: found.size].copy(), stops


@dataclass(frozen=True, eq=False)
class TokenPositions:
    """All tokens of a corpus, made once and kept: eight bytes per token, and the words in alphabetical order.

    Examples
    --------
    >>> positions = TokenPositions.of(["so it goes", "so so"], CountingOptions())
    >>> positions.chunk.tokens.tolist(), positions.words
    ([2, 1, 0, 2, 2], ['goes', 'it', 'so'])
    """

    chunk: Chunk
    words: list[str]

    @cached_property
    def counts(self) -> Integers:
        """How often each word occurs."""
        return np.bincount(self.chunk.tokens, minlength=len(self.words))

    @cached_property
    def terms(self) -> pl.Series:
        """The words as a column."""
        import polars as pl

        return pl.Series("term", self.words, dtype=pl.String)

    @cached_property
    def _known(self) -> dict[CountingOptions, NDArray[np.bool_]]:
        return {}

    def stop_words(self, counting: CountingOptions) -> NDArray[np.bool_]:
        """Which words are stop words."""
        if counting not in self._known:
            self._known[counting] = stop_words_among(self.words, counting)
        return self._known[counting]

    @cached_property
    def _by_word(self) -> tuple[Integers, Numbers]:
        """Where the places of each word start, and the places of all words."""
        import scipy.sparse as sp

        tokens = self.chunk.tokens
        order = np.arange(tokens.size, dtype=np.int32 if tokens.size < 2**31 else np.int64)
        sorted_ = sp.csr_array((order, tokens, [0, tokens.size]), shape=(1, len(self.words))).tocsc()
        return sorted_.indptr, sorted_.data

    def places(self, words: Integers) -> Integers:
        """Where some words stand, in ascending order.

        Examples
        --------
        >>> TokenPositions.of(["so it goes", "so so"], CountingOptions()).places(np.array([2])).tolist()
        [0, 3, 4]
        """
        starts, places = self._by_word
        found = [places[starts[word] : starts[word + 1]] for word in words.tolist()]
        return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *found]))

    @classmethod
    def of(cls, documents: Iterable[Text], counting: CountingOptions, *, sentences: bool = False) -> TokenPositions:
        """Read all documents once."""
        numbering = Numbering(counting, sentences=sentences)
        made = list(chunks_of(documents, numbering))
        require_memory(16 * sum(chunk.tokens.size for chunk in made), "the positions of all tokens")
        before = np.cumsum([0, *(chunk.tokens.size for chunk in made)])
        tokens = np.concatenate([np.empty(0, dtype=np.int32), *(chunk.tokens for chunk in made)])
        bounds = [
            np.concatenate([np.empty(0, dtype=np.int64), *(part + at for part, at in zip(parts, before, strict=False))])
            for parts in ([chunk.ends for chunk in made], [chunk.sentences for chunk in made])
        ]
        words = numbering.words()
        order, place = alphabetical_order(words)
        return cls(Chunk(place[tokens], *bounds), [words[k] for k in order])


def alphabetical_order(words: Sequence[str]) -> tuple[list[int], Numbers]:
    """The numbers of some words in alphabetical order, and the place of each word in it.

    Examples
    --------
    >>> order, place = alphabetical_order(["so", "it", "goes"])
    >>> order, place.tolist()
    ([2, 1, 0], [2, 1, 0])
    """
    order = sorted(range(len(words)), key=words.__getitem__)
    place = np.empty(len(words), dtype=np.int32)
    place[order] = np.arange(len(words), dtype=np.int32)
    return order, place


def chunks_of(documents: Iterable[Text], numbering: Numbering) -> Iterator[Chunk]:
    """The documents as numbers, about a million characters at a time."""
    for some in in_chunks(documents):
        yield numbering.chunk(some)


def stop_words_among(words: Sequence[str], counting: CountingOptions) -> NDArray[np.bool_]:
    """Which of some words are stop words.

    Examples
    --------
    >>> stop_words_among(["it", "so"], CountingOptions(stop_words=["it"])).tolist()
    [True, False]
    """
    stop_words = counting.stop_word_set()
    if not stop_words:
        return np.zeros(len(words), dtype=bool)
    return np.fromiter(map(stop_words.__contains__, words), dtype=bool, count=len(words))


def sentences_of(document: Text) -> list[Any]:
    """The sentences of a document, by a simple rule; an empty document is one empty sentence.

    A sentence ends at ``. ! ? …`` before white space, unless a small letter follows, and at an empty line. So an
    abbreviation such as "Mr." before a name ends one, too. In a list of tokens, it ends at a token ``.``, ``!`` or
    ``?``.

    Examples
    --------
    >>> sentences_of("So it goes. And e.g. so on! “Yes.” No")
    ['So it goes. ', 'And e.g. so on! ', '“Yes.” ', 'No']
    >>> sentences_of(["so", ".", "it"])
    [['so', '.'], ['it']]
    """
    if isinstance(document, str):
        ends = [found.end() for found in _SENTENCE_END.finditer(document)]
        ends = [end for end in ends if not document[end : end + 1].islower()]
    else:
        ends = [place + 1 for place, token in enumerate(document) if token in SENTENCE_ENDS]
    bounds = [0, *ends] if ends and ends[-1] == len(document) else [0, *ends, len(document)]
    return [document[start:stop] for start, stop in pairwise(bounds)] or [document]
