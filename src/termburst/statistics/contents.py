"""Which texts were counted: one digest per corpus and one per text, so that no text is added twice by mistake."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from termburst.reading.documents import Text

MOST_HASHES = 1_000_000  # texts of a corpus that are known one by one; of a larger one only the sum is known
_MODULUS = 2**128
_SHORT = 2**64  # a single text is known by 64 bits of its hash


@dataclass(frozen=True, slots=True)
class Content:
    """The texts of one corpus, as a number: the sum of a 128-bit hash of every text. Their order has no meaning.

    Attributes
    ----------
    documents : int
        How many texts there are.
    digest : str
        The sum modulo 2¹²⁸, as 32 hexadecimal digits.
    batch : str, optional
        The id of the batch that they were counted as.
    hashes : bytes
        The last 64 bits of each hash, sorted, as little-endian integers. Empty if they are not known: files of older
        versions, and corpora of more than a million texts. Two of a million texts have the same 64 bits by chance once
        in 37 million times.

    Examples
    --------
    >>> Content.of(["so it goes", "on"]) == Content.of(["on", "so it goes"])
    True
    >>> Content.of(["so it goes"]) + Content.of(["on"]) == Content.of(["so it goes", "on"])
    True
    """

    documents: int = 0
    digest: str = "0" * 32
    batch: str | None = None
    hashes: bytes = field(default=b"", compare=False, repr=False)

    @classmethod
    def of(cls, texts: Iterable[Text]) -> Content:
        """The content of these texts."""
        running = RunningContent()
        running.see(texts)
        return running.value()

    def __add__(self, other: Content) -> Content:
        """Both contents together; the batch id is lost."""
        hashes = np.concatenate([self.numbers(), other.numbers()])
        documents = self.documents + other.documents
        return _content(documents, int(self.digest, 16) + int(other.digest, 16), hashes)

    def __sub__(self, other: Content) -> Content:
        """This content without the texts of the other; the batch id stays."""
        mine = self.numbers()
        hashes = mine[_occurrence(mine) > _times(mine, other.numbers())]  # without those that would fall below zero
        documents = self.documents - other.documents
        rest = _content(documents, int(self.digest, 16) - int(other.digest, 16), hashes)
        return replace(rest, batch=self.batch)

    @property
    def knows_each(self) -> bool:
        """Whether each text is known, not only their sum."""
        return len(self.hashes) == 8 * self.documents

    def numbers(self) -> NDArray[np.uint64]:
        """The hashes as an array."""
        return np.frombuffer(self.hashes, dtype="<u8")

    def same_texts(self, other: Content) -> bool:
        """Whether both have the same texts, under any batch id."""
        return (self.documents, self.digest) == (other.documents, other.digest)


class RunningContent:
    """The content of texts that are read one after another, for all of them or for the first ones.

    Examples
    --------
    >>> running = RunningContent()
    >>> running.see(["so it goes", "on"])
    >>> running.value(1) == Content.of(["so it goes"]), running.value() == Content.of(["so it goes", "on"])
    (True, True)
    """

    def __init__(self) -> None:
        self._documents, self._sum = 0, 0
        self._each = array("Q")
        self._waiting: deque[int] = deque()  # hashes of texts that are not in the sum yet

    def see(self, texts: Iterable[Text]) -> None:
        """Add texts."""
        self._waiting.extend(map(hash_of, texts))

    def see_hash(self, number: int) -> None:
        """Add one text by its hash."""
        self._waiting.append(number)

    def value(self, documents: int | None = None) -> Content:
        """The content of all texts, or of the first *documents*; this number must not fall from call to call."""
        count = len(self._waiting) if documents is None else documents - self._documents
        for _ in range(count):
            number = self._waiting.popleft()
            self._sum += number
            if len(self._each) <= MOST_HASHES:  # one more than is kept, so that it is seen
                self._each.append(number % _SHORT)
        self._documents += count
        return _content(self._documents, self._sum, np.array(self._each, dtype="<u8"))

    def rest(self) -> RunningContent:
        """Only the texts after those of the last value."""
        found = RunningContent()
        found._waiting = self._waiting
        return found


class NewTexts:
    """Texts that are read to be added, without those that are known already.

    A text that is known n times is left out n times. So a folder that has grown can be added again: the sum is as if
    the whole folder had been counted at once.

    Parameters
    ----------
    known : what has been counted before
    again : take all texts, known or not
    whole : the texts are one batch, so that known ones are taken, too; unless all of them are known (`held`)

    Attributes
    ----------
    repeated : number of texts that are known

    Examples
    --------
    >>> texts = NewTexts([Content.of(["so it goes", "on"])])
    >>> texts.only(["on", "and on", "on"]), texts.repeated
    (['and on', 'on'], 1)
    """

    def __init__(self, known: Iterable[Content], *, again: bool = False, whole: bool = False) -> None:
        self._known = tuple(known)
        self._again, self._whole = again, whole
        self._left = Counter[int]()
        for content in () if again else self._known:
            self._left.update(content.numbers().tolist())
        self._all, self._added = RunningContent(), RunningContent()
        self.repeated = 0

    def only(self, texts: Iterable[Text]) -> list[Text]:
        """Those of the *texts* that are to be added."""
        new: list[Text] = []
        for text in texts:
            number = hash_of(text)
            self._all.see_hash(number)
            is_known = self._left[number % _SHORT] > 0
            if is_known:
                self._left[number % _SHORT] -= 1
                self.repeated += 1
            if self._whole or not is_known:
                self._added.see_hash(number)
                new.append(text)
        return new

    def added(self) -> Content:
        """The content of the texts that were not left out."""
        return self._added.value()

    def held(self) -> Content | None:
        """The known corpus that has all texts that were read; None if a text is new, or if all are to be added."""
        everything = self._all.value()
        if self._again or not everything.documents:
            return None
        whole = held(self._known, everything)
        return everything if whole is None and self.repeated == everything.documents else whole


def held(known: Iterable[Content], new: Content) -> Content | None:
    """The corpus among the *known* ones that has the same texts as *new*, or all of them together; None if none has.

    Examples
    --------
    >>> known = [Content.of(["a"]), Content.of(["b"])]
    >>> held(known, Content.of(["b"])) == known[1], held(known, Content.of(["b", "a"])) == known[0] + known[1]
    (True, True)
    >>> held(known, Content.of(["c"])) is None
    True
    """
    total = Content()
    for content in known:
        if content.same_texts(new):
            return content
        total += content
    return total if total.same_texts(new) else None


def shared(first: tuple[Content, ...], second: tuple[Content, ...]) -> int:
    """How many texts two collections have in common, as far as their texts are known.

    Examples
    --------
    >>> shared((Content.of(["a", "b"]),), (Content.of(["b", "c"]), Content.of(["a", "d"])))
    2
    """
    known, new = (np.concatenate([np.empty(0, "<u8"), *(one.numbers() for one in each)]) for each in (first, second))
    texts, counts = np.unique(known, return_counts=True)
    others, other_counts = np.unique(new, return_counts=True)
    _, here, there = np.intersect1d(texts, others, assume_unique=True, return_indices=True)
    single = int(np.minimum(counts[here], other_counts[there]).sum())
    whole = sum(one.documents for one in second if not one.knows_each and held(first, one) is not None)
    return single + whole


def together(first: tuple[Content, ...], second: tuple[Content, ...]) -> tuple[Content, ...]:
    """The contents of two collections. If they have too many texts, the first corpora are known as a whole only.

    Examples
    --------
    >>> together((Content.of(["a"]),), (Content.of(["b"]),)) == (Content.of(["a"]), Content.of(["b"]))
    True
    """
    kept, room = [], 8 * MOST_HASHES
    for content in reversed(first + second):
        room -= len(content.hashes)
        kept.append(content if room >= 0 else replace(content, hashes=b""))
    return tuple(reversed(kept))


def without(known: tuple[Content, ...], gone: tuple[Content, ...]) -> tuple[Content, ...]:
    """What is known after documents were subtracted: corpora without a text left are removed, a part is taken out.

    A part of one corpus leaves the rest of it under its batch id; corpora that lose texts together become one.

    Examples
    --------
    >>> both = Content.of(["a", "b"])
    >>> without((both,), (Content.of(["a"]),)) == (Content.of(["b"]),)
    True
    """
    left = list(known)
    for content in gone:
        rest = content
        for one in emptied(tuple(left), (content,)):
            left.remove(one)
            rest -= one
        if not rest.documents:
            continue
        holding = [one for one in left if _within(rest, one)]
        if holding or (len(left) == 1 and left[0].documents > rest.documents):
            larger = (holding or left)[0]
            left[left.index(larger)] = larger - rest
        elif rest.knows_each and left and all(one.knows_each for one in left):  # its texts are in several corpora
            left = [sum(left, Content()) - rest]
    return tuple(left)


def emptied(known: tuple[Content, ...], gone: tuple[Content, ...]) -> tuple[Content, ...]:
    """Those of the *known* corpora of which no text is left when the texts of *gone* are subtracted.

    Examples
    --------
    >>> monday, tuesday = Content.of(["a", "b"]), Content.of(["c", "d"])
    >>> emptied((monday, tuesday), (Content.of(["a", "b", "c"]),)) == (monday,)
    True
    """
    found, left = set[int](), Content()
    for content in gone:
        same = [
            (one.batch != content.batch, place)  # the same batch first: equal texts may have been counted twice
            for place, one in enumerate(known)
            if place not in found and one.same_texts(content)
        ]
        if same:
            found.add(min(same)[1])
        else:
            left += content
    for place, one in enumerate(known):
        if place not in found and one.documents and _within(one, left):
            found.add(place)
            left -= one
    return tuple(known[place] for place in sorted(found))


def _within(part: Content, whole: Content) -> bool:
    """Whether each text of *part* is in *whole*, at least as often; False if the texts are not known one by one."""
    if not (part.knows_each and whole.knows_each):
        return False
    texts = part.numbers()
    return bool((_occurrence(texts) <= _times(texts, whole.numbers())).all())


def _occurrence(ordered: NDArray[np.uint64]) -> NDArray[np.int64]:
    """1 for the first of equal numbers, 2 for the second, …"""
    return np.arange(1, ordered.size + 1) - np.searchsorted(ordered, ordered, side="left")


def _times(numbers: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How often each of the *numbers* is in an *ordered* array."""
    return np.searchsorted(ordered, numbers, side="right") - np.searchsorted(ordered, numbers, side="left")


def _content(documents: int, total: int, hashes: NDArray[np.uint64]) -> Content:
    """A content; hashes that are too many, or too few for the documents, are not kept."""
    known = hashes.size == documents <= MOST_HASHES
    each = np.sort(hashes).astype("<u8").tobytes() if known else b""
    return Content(documents, f"{total % _MODULUS:032x}", hashes=each)


def hash_of(text: Text) -> int:
    """128 bits of SHA-256, the quickest good hash where processors compute it themselves."""
    if isinstance(text, str):
        encoded = text.encode("utf-8", "surrogatepass")
    else:  # 0xFF is in no UTF-8, so that no other text or list of tokens gives the same bytes
        encoded = b"\xff" + b"\xff".join(token.encode("utf-8", "surrogatepass") for token in text)
    return int.from_bytes(hashlib.sha256(encoded, usedforsecurity=False).digest()[:16], "little")
