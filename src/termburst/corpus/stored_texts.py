"""Texts that are not held in memory: they lie on disk, or are made from other texts, each time they are needed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from termburst.counting.counted_corpus import texts_at
from termburst.reading.documents import Place, Text

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


@dataclass(slots=True)
class StoredPart:
    """One source on disk: `batches(start)` reads its documents again, from the place *start* on.

    Attributes
    ----------
    source : has `name` and `batches`, such as the result of `termburst.reading.readers.open_corpus`
    ids : ids of its documents
    places : where batches ended when it was first read, so that files before them need not be opened
    """

    source: Any
    ids: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def first_read(self) -> Iterator[Any]:
        """The batches of the source, whose ids and places are kept."""
        with closing(self.source.batches()) as batches:
            for batch in batches:
                self.ids.extend(batch.ids)
                self.places.append(batch.place)
                yield batch

    def at(self, wanted: Sequence[int]) -> Iterator[Text]:
        """The texts with these ascending numbers; ValueError if the files have changed since they were first read."""
        done = 0
        while done < len(wanted):
            number = wanted[done]
            place = self._before(number)
            with closing(self.source.batches(Place(number, place.files, place.before))) as batches:
                for batch in batches:
                    while done < len(wanted) and wanted[done] < number + len(batch.ids):
                        self._check(wanted[done], batch.ids[wanted[done] - number])
                        yield batch.texts[wanted[done] - number]
                        done += 1
                    number += len(batch.ids)
                    # Go on with this pass, unless whole files can be left out.
                    if done == len(wanted) or self._before(wanted[done]).files > batch.place.files + 1:
                        break
                else:
                    if done < len(wanted):
                        self._check(wanted[done], None)

    def _before(self, number: int) -> Place:
        """The last known place at or before a document."""
        known = bisect_right(self.places, number, key=lambda place: place.documents)
        return self.places[known - 1] if known else Place()

    def _check(self, number: int, found: str | None) -> None:
        if self.ids[number] != found:
            was = f"document {number + 1:,} was {self.ids[number]!r:.60}"
            raise ValueError(f"{self.source.name} has changed since it was read: {was}; read it again with tb.read")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoredTexts(LazyTexts):
    """The texts of one or more sources on disk, or some of them.

    Attributes
    ----------
    parts : the sources, in order
    numbers : which of all their documents these are; ascending
    """

    parts: tuple[StoredPart, ...]
    numbers: Numbers

    def __len__(self) -> int:
        """How many texts."""
        return self.numbers.size

    def at(self, numbers: Iterable[int]) -> Iterator[Text]:
        """The texts with these numbers, which must ascend; every file is read at most once."""
        wanted = self.numbers[np.fromiter(numbers, dtype=np.intp)]
        first = 0
        for part in self.parts:
            last = first + len(part.ids)
            yield from part.at((wanted[(wanted >= first) & (wanted < last)] - first).tolist())
            first = last

    def rows(self, numbers: Numbers) -> StoredTexts:
        """The same texts, but only those with these numbers, which must ascend."""
        return StoredTexts(self.parts, self.numbers[numbers])


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
