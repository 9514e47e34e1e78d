"""Documents that come in batches, reduced as they come: one growing vocabulary, and partial sums that are added."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.statistics.matrix import canonical_counts
from termburst.statistics.merging import added
from termburst.statistics.term_statistics import Detail, TermStatistics, from_canonical

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.counting.tokenizer import Counted, Tokenizer
    from termburst.reading.documents import Text

CELLS = 4_000_000  # of the count matrix, held before they are reduced to sums
CELLS_A_TERM = 4  # held at least for every term known: adding sums up takes time in proportion to the terms


class RunningSum:
    """The sum of statistics that come one after another, by doubling, as one carries in binary.

    Each part takes part in log₂(parts) additions, not in all of them. Whatever interrupts `add`, a part is either
    contained or not.

    Examples
    --------
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
        """How many documents are contained."""
        return sum(part.documents for _, part in self._stack)

    def add(self, part: TermStatistics) -> None:
        """Add one part more."""
        stack, size = self._stack, 1
        while stack and stack[-1][0] == size:
            size, part = 2 * size, added(stack[-1][1], part)
            stack = stack[:-1]
        self._stack = (*stack, (size, part))  # all at once

    def value(self) -> TermStatistics | None:
        """The sum so far; None of no parts."""
        if not self._stack:
            return None
        *stack, (size, total) = self._stack
        while stack:
            more, part = stack.pop()
            size, total = size + more, added(part, total)
        self._stack = ((size, total),)
        return total


def partial_statistics(
    batches: Iterable[list[Text]],
    detail: Detail,
    options: CountingOptions,
    *,
    first: int = 0,
    pause: Callable[[], bool] = lambda: False,
) -> Iterator[TermStatistics]:
    """Statistics of consecutive documents, which added up are those of all; there may be terms that do not occur.

    Memory follows the vocabulary, `CELLS` and a few chunks of text, not the documents.

    Parameters
    ----------
    batches : lists of texts
    detail, options : what is counted, and how
    first : number of the first document, for messages
    pause : asked now and then; where it says True, what has been read is counted and yielded soon
    """
    numbered = _Numbered(options, first)
    checked: Iterator[list[Any]] = map(numbered.checked, batches)
    head, small = _head(checked)
    checked = itertools.chain(head, checked)
    tokenizer = None if small else options.tokenizer()
    if tokenizer is None:
        for batch in checked:
            X, terms = options.count(batch)
            yield from_canonical(canonical_counts(X), terms, detail, counting=options)
        return
    for names, X in _slabs(tokenizer, itertools.chain.from_iterable(checked), pause):
        yield from_canonical(X, np.array(names, dtype=object), detail, counting=options)


class _Numbered:
    def __init__(self, options: CountingOptions, first: int) -> None:
        self.options, self.documents = options, first

    def checked(self, batch: list[Text]) -> list[Any]:
        """The same batch, if every document is one; ValueError with the number of the first that is not."""
        for k, text in enumerate(batch):
            self.options.check_text(text, self.documents + k)
        self.documents += len(batch)
        return batch


def _head(batches: Iterator[list[Text]]) -> tuple[list[list[Text]], bool]:
    """The first batches, and whether that is all and so little that scikit-learn counts it sooner."""
    from termburst.counting import vectorizer

    head: list[list[Text]] = []
    size = 0
    for batch in batches:
        head.append(batch)
        size += sum(map(len, batch))
        if size > vectorizer.SMALL:
            return head, False
    return head, size <= vectorizer.SMALL


def _slabs(tokenizer: Tokenizer, texts: Iterable[str], pause: Callable[[], bool]) -> Iterator[tuple[list[str], Any]]:
    """(all terms so far, documents × terms), for as many documents at a time as make `CELLS` cells."""
    from termburst.counting.tokenizer import in_chunks

    chunks = in_chunks(texts)
    known = 0
    while True:
        pieces: list[Counted] = []
        cells, enough = 0, max(CELLS, CELLS_A_TERM * known)

        def some() -> Iterator[list[str]]:
            for chunk in chunks:
                yield chunk
                if cells >= enough or pause():  # noqa: B023  used up before the next round
                    return

        # To its end each time, since its threads must rest while their vocabularies are brought together.
        for piece in tokenizer.count(some()):
            pieces.append(piece)
            cells += piece.ids.size
        if not pieces:
            return
        terms, X = tokenizer.matrix(pieces)
        known = len(terms)
        yield list(terms), X
