"""Documents in batches, counted as they arrive: one growing vocabulary, and partial sums that are added up."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.counting import plain_tokenizer
from termburst.counting.plain_tokenizer import measured
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.merging import added
from termburst.threads import cores

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.counting.tokenizer import Counted, Tokenizer, Worker
    from termburst.reading.documents import Text
    from termburst.statistics.labels import Terms
    from termburst.statistics.term_statistics import TermStatistics

BATCH_DOCUMENTS = 2000  # single texts that make one batch
CELLS = 4_000_000  # cells of the count matrix in memory before they are reduced to sums
CELL_BYTES = 150  # assumed memory of a cell while a part is counted; benchmarks/scale.py checks the sum
CHUNK_BYTES = 64  # of the room, for each character of a chunk and core
NODE_BYTES = 450  # assumed memory of a term, with its string and its place in the tables of each thread
CELLS_PER_TERM = 4  # at least this many cells per known term: the time to add sums is proportional to the terms


class RunningSum:
    """The sum of statistics that arrive one after another, added in pairs like carries in a binary counter.

    Each part takes part in log₂(parts) additions, not in all of them. If `add` is interrupted, the part is either
    contained or not, never half.

    Examples
    --------
    >>> from termburst.statistics.term_statistics import TermStatistics
    >>> total = RunningSum()
    >>> for text in ("so it goes", "so so", "on"):
    ...     total.add(TermStatistics.from_texts([text]))
    >>> total.documents, total.value().tokens
    (3, 6)
    """

    def __init__(self) -> None:
        self._stack: tuple[tuple[int, TermStatistics], ...] = ()

    @property
    def documents(self) -> int:
        """The number of documents so far."""
        return sum(part.documents for _, part in self._stack)

    def add(self, part: TermStatistics) -> None:
        """Add one more part."""
        stack, size = self._stack, 1
        while stack and stack[-1][0] == size:
            size, part = 2 * size, added(stack[-1][1], part)
            stack = stack[:-1]
        self._stack = (*stack, (size, part))  # all at once

    def value(self) -> TermStatistics | None:
        """The sum so far; None if there are no parts."""
        if not self._stack:
            return None
        *stack, (size, total) = self._stack
        while stack:
            more, part = stack.pop()
            size, total = size + more, added(part, total)
        self._stack = ((size, total),)
        return total


def in_batches(texts: Iterable[Any], *, lists_are_texts: bool) -> Iterator[list[Any]]:
    """Group single texts in lists of `BATCH_DOCUMENTS`; pass lists of texts on unchanged."""
    single: list[Any] = []
    for item in texts:
        if isinstance(item, str) or (lists_are_texts and all(isinstance(token, str) for token in item)):
            single.append(item)
            if len(single) == BATCH_DOCUMENTS:
                yield single
                single = []
        elif isinstance(item, Iterable) and not isinstance(item, bytes):
            batch = list(item)
            if not lists_are_texts and _look_like_tokens(batch):
                raise ValueError(
                    f"a list of words, {batch[:3]!r:.60}, can be one text given as its tokens, or several texts of one "
                    "word; for tokens give counting=CountingOptions(pretokenized=True), for texts use from_batches"
                )
            yield batch
        else:
            raise ValueError(f"a text must be a string; got {item!r:.60}")
    if single:
        yield single


def _look_like_tokens(batch: list[Any]) -> bool:
    """Whether these are two or more strings, none of which is empty or has white space."""
    return len(batch) > 1 and all(isinstance(text, str) and text.split(None, 1) == [text] for text in batch)


def counted_parts(
    batches: Iterable[list[Text]],
    options: CountingOptions,
    *,
    first: int = 0,
    pause: Callable[[], bool] = lambda: False,
    room: int | None = None,
) -> Iterator[tuple[Terms, Any]]:
    """Count consecutive parts of the documents: (terms, canonical counts). Some terms may not occur in a part.

    Memory grows with the vocabulary, `CELLS` and a few chunks of text, not with the documents.

    Parameters
    ----------
    batches : lists of texts
    options : how to count
    first : number of the first document, for messages
    pause : called now and then; if it returns True, the documents read so far are counted and yielded soon
    room : bytes that a part may take while it is counted. Then each part has its own vocabulary, so that memory does
        not grow with the vocabulary of all parts. A batch that compiled code cannot count is always one part.
    """
    checked, small = measured(_checked(batches, options, first), plain_tokenizer.SMALL, _characters)
    if small or options.tokenizer() is None:
        for batch in checked:
            X, terms = options.count(batch)
            yield terms, canonical_counts(X)
        return
    for names, X in _slabs(options, itertools.chain.from_iterable(checked), pause, room):
        yield np.array(names, dtype=object), X
        del names, X  # before the next part is counted


def _checked(batches: Iterable[list[Text]], options: CountingOptions, first: int) -> Iterator[list[Any]]:
    """The same batches, if every document is valid. ValueError gives the number of the first that is not."""
    for batch in batches:
        yield list(options.checked_texts(batch, first))
        first += len(batch)


def _characters(batch: list[Text]) -> int:
    return sum(map(plain_tokenizer.characters, batch))


def _slabs(
    options: CountingOptions, texts: Iterable[str], pause: Callable[[], bool], room: int | None
) -> Iterator[tuple[list[str], Any]]:
    """(terms, documents × terms), for parts with about `CELLS` cells each, and all terms so far.

    With *room*, for parts that take about so many bytes each, with a vocabulary of their own.
    """
    from termburst.counting.tokenizer import CHUNK, in_chunks

    # with room, several small chunks for each core wait to be counted
    chunks = in_chunks(texts, None if room is None else min(CHUNK, room // (CHUNK_BYTES * cores())))
    tokenizer, known = options.tokenizer(), 0
    while tokenizer is not None:

        def full(cells: int, workers: list[Worker] = tokenizer.workers, known: int = known) -> bool:
            if room is None:
                return cells >= max(CELLS, CELLS_PER_TERM * known) or pause()
            return CELL_BYTES * cells + NODE_BYTES * sum(worker.nodes for worker in workers) >= room or pause()

        pieces = _pieces(tokenizer, chunks, full)
        if not pieces:
            return
        terms, X = tokenizer.matrix(pieces)
        names, known = list(terms), len(terms)
        if room is not None:
            del terms, full, tokenizer  # and their tables with them
        yield names, X
        del names, X  # before the next part is counted
        tokenizer = tokenizer if room is None else options.tokenizer()


def _pieces(tokenizer: Tokenizer, chunks: Iterator[list[str]], full: Callable[[int], bool]) -> list[Counted]:
    """The counts of the next chunks, until *full* is true of the number of their cells."""
    pieces: list[Counted] = []
    cells = 0

    def some() -> Iterator[list[str]]:
        for chunk in chunks:
            yield chunk
            if full(cells):
                return

    # Consume it completely each time: its threads must be idle while their vocabularies are merged.
    for piece in tokenizer.count(some()):
        pieces.append(piece)
        cells += piece.ids.size
    return pieces
