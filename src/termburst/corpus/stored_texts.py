"""Texts that are not held in memory: they lie on disk, or are made from other texts, each time they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from termburst.counting.counted_corpus import texts_at
from termburst.reading.documents import Text

Numbers = NDArray[np.intp]


class LazyTexts(Sequence[Text]):
    """Texts that are made when they are asked for; a subclass has `__len__`, `at` and `rows`.

    `at(numbers)` yields some texts by their ascending numbers, in one pass.
    """

    @property
    def is_slow(self) -> bool:
        """Whether making the texts takes time: they are on disk, or a function of the user makes them."""
        return True

    def at(self, numbers: Iterable[int]) -> Iterator[Text]:
        """The texts with these numbers, which must ascend."""
        raise NotImplementedError

    def rows(self, numbers: Numbers) -> Sequence[Text]:
        """The same texts, but only those with these numbers, which must ascend."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Text]:
        """All texts, in one pass."""
        return self.at(range(len(self)))

    @overload
    def __getitem__(self, number: int) -> Text: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Text]: ...

    def __getitem__(self, number: int | slice) -> Text | Sequence[Text]:
        """One text, or a list of those in a slice."""
        if isinstance(number, slice):
            asked = range(len(self))[number]
            found = list(self.at(sorted(asked)))
            return found if asked.step > 0 else found[::-1]
        return next(self.at([range(len(self))[number]]))

    def __repr__(self) -> str:
        """How many there are; the texts themselves may be long."""
        return f"<{len(self):,} texts, read when needed>"


def rows_of(texts: Sequence[Text], numbers: Numbers) -> Sequence[Text]:
    """Some of the texts, by their ascending numbers; texts on disk stay there.

    Examples
    --------
    >>> rows_of(["so", "it", "goes"], np.array([0, 2]))
    ['so', 'goes']
    """
    return texts.rows(numbers) if isinstance(texts, LazyTexts) else [texts[k] for k in numbers.tolist()]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenizedTexts(LazyTexts):
    """Texts as lists of tokens, by a function of the user.

    Examples
    --------
    >>> list(TokenizedTexts(["So it goes"], str.split))
    [['So', 'it', 'goes']]
    """

    texts: Sequence[Text]
    tokenizer: Callable[[Any], Iterable[Any]]

    def __len__(self) -> int:
        """How many texts."""
        return len(self.texts)

    def at(self, numbers: Iterable[int]) -> Iterator[Text]:
        """The token lists of the texts with these numbers, which must ascend."""
        return (tokens_of(text, self.tokenizer) for text in texts_at(self.texts, list(numbers)))

    def rows(self, numbers: Numbers) -> TokenizedTexts:
        """The same texts, but only those with these numbers, which must ascend."""
        return TokenizedTexts(rows_of(self.texts, numbers), self.tokenizer)


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
