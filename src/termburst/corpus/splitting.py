"""Documents cut into pieces: after a number of tokens, or where a pattern matches."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from termburst.corpus.stored_texts import LazyTexts, Numbers
from termburst.counting.counted_corpus import texts_at
from termburst.counting.options import CountingOptions
from termburst.counting.pattern_clock import start_clock, stop_clock
from termburst.counting.segmenters import SEGMENTED
from termburst.reading.documents import Text

# The text to take the pieces from, and where they begin; the first is 0. It may be another text than the given one:
# if tokens are found in a text of another length, the pieces are taken from that.
Cut = Callable[[Text], tuple[Text, list[int]]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pieces(LazyTexts):
    """Parts of texts, taken from them when needed.

    Attributes
    ----------
    texts : the texts that were cut
    prepare : what is done to a text before it is cut, if anything; the first result of the `Cut`
    parent : for each piece, the number of its text; ascending
    start, stop : for each piece, its characters (or tokens, if the text is a list)
    """

    texts: Sequence[Text]
    prepare: Callable[[Text], Text] | None
    parent: Numbers
    start: Numbers
    stop: Numbers

    @classmethod
    def cut(cls, texts: Sequence[Text], begin: Cut, prepare: Callable[[Text], Text] | None = None) -> Pieces:
        """Cut every text where *begin* says.

        Examples
        --------
        >>> pieces = Pieces.cut(["so it goes", "on"], lambda text: (text, [0, 6] if len(text) > 6 else [0]))
        >>> list(pieces), pieces.parent.tolist()
        (['so it ', 'goes', 'on'], [0, 0, 1])
        """
        parent: list[int] = []
        bounds: list[tuple[int, int]] = []
        for number, text in enumerate(texts):
            whole, starts = begin(text)
            parent.extend([number] * len(starts))
            bounds.extend(zip(starts, [*starts[1:], len(whole)], strict=True))
        start, stop = np.array(bounds, dtype=np.intp).reshape(-1, 2).T
        return cls(texts, prepare, np.array(parent, dtype=np.intp), start, stop)

    def __len__(self) -> int:
        """How many pieces."""
        return self.parent.size

    @property
    def is_slow(self) -> bool:
        """Whether the texts that were cut are slow to make."""
        return isinstance(self.texts, LazyTexts) and self.texts.is_slow

    def at(self, numbers: Iterable[int]) -> Iterator[Text]:
        """The pieces with these numbers, which must ascend; every text is read once."""
        wanted = np.fromiter(numbers, dtype=np.intp)
        parents = np.unique(self.parent[wanted])
        bounds = np.searchsorted(self.parent[wanted], parents, side="left").tolist()
        for text, first, last in zip(
            texts_at(self.texts, parents.tolist()), bounds, [*bounds, wanted.size][1:], strict=True
        ):
            prepared = text if self.prepare is None else self.prepare(text)
            for number in wanted[first:last]:
                yield prepared[self.start[number] : self.stop[number]]

    def rows(self, numbers: Numbers) -> Pieces:
        """The same pieces, but only those with these numbers, which must ascend."""
        return Pieces(self.texts, self.prepare, self.parent[numbers], self.start[numbers], self.stop[numbers])


def begins(tokens: Any, pattern: str | None, counting: CountingOptions) -> Cut:
    """Where pieces begin, by a number of *tokens* or by a *pattern*; ValueError if none or both are given."""
    if (tokens is None) == (pattern is None):
        raise ValueError("give tokens= or pattern=, and not both; for example split(tokens=1000)")
    if pattern is not None:
        return by_pattern(pattern)
    if not isinstance(tokens, Integral) or isinstance(tokens, bool) or tokens <= 0:
        raise ValueError(f"tokens must be a whole number above 0; got {tokens!r:.60}")
    return by_tokens(int(tokens), counting)


def by_tokens(size: int, counting: CountingOptions) -> Cut:
    """Pieces of *size* tokens each; the last one of a text may be shorter. Stop words count, and n-grams do not.

    Examples
    --------
    >>> by_tokens(2, CountingOptions())("So it goes. So it is.")
    ('So it goes. So it is.', [0, 6, 15])
    """
    size = min(size, sys.maxsize)  # islice takes no larger number

    def begin(text: Text) -> tuple[Text, list[int]]:
        if not isinstance(text, str):
            return text, list(range(0, len(text), size)) or [0]
        start_clock()
        try:
            shown, starts = counting.every_token(text, size)
        finally:
            stop_clock()
        return text if len(shown) == len(text) else shown, [0, *starts]

    return begin


@dataclass(frozen=True, slots=True)
class AsCounted:
    """A function of a text: the text in which tokens are placed, if it has another length than the text itself.

    Examples
    --------
    >>> AsCounted(CountingOptions(words="unicode"))("Cafe\u0301")
    'Café'
    """

    counting: CountingOptions

    def __call__(self, text: Text) -> Text:
        """The text, or the one that `CountingOptions.placed_tokens` shows."""
        if not isinstance(text, str):
            return text
        if text.isascii() and self.counting.language not in SEGMENTED:
            return text
        shown, _ = self.counting.placed_tokens(text)
        return text if len(shown) == len(text) else shown


def by_pattern(pattern: str) -> Cut:
    r"""Pieces that begin where *pattern* matches; ``^`` is the beginning of a line. Text before is one more piece.

    Examples
    --------
    >>> by_pattern(r"^CHAPTER")("CHAPTER 1\nso\nCHAPTER 2\nit")[1]
    [0, 13]
    """
    try:
        compiled = re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(f"the pattern {pattern!r:.60} is not a regular expression: {error}") from error
    if compiled.fullmatch(""):
        raise ValueError(f"the pattern {pattern!r:.60} can match the empty string, so it would cut everywhere")

    def begin(text: Text) -> tuple[Text, list[int]]:
        if not isinstance(text, str):
            raise ValueError("a pattern cuts texts, but these documents are lists of tokens; use split(tokens=...)")
        start_clock()
        try:
            starts = [match.start() for match in compiled.finditer(text)]
        finally:
            stop_clock()
        if not starts:
            return text, [0]
        # White space before the first match is not a piece; it stays with the first one.
        return text, [0, *starts[1:]] if not text[: starts[0]].strip() else [0, *starts]

    return begin
