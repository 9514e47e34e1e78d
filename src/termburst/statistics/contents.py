"""Which texts were counted: one digest per corpus, so that the same texts are not added twice by mistake."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from termburst.reading.documents import Text

_MODULUS = 2**128


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

    @classmethod
    def of(cls, texts: Iterable[Text]) -> Content:
        """The content of these texts."""
        running = RunningContent()
        running.see(texts)
        return running.value()

    def __add__(self, other: Content) -> Content:
        """Both contents together; the batch id is lost."""
        return _content(self.documents + other.documents, int(self.digest, 16) + int(other.digest, 16))

    def __sub__(self, other: Content) -> Content:
        """This content without the texts of the other; the batch id stays."""
        rest = _content(self.documents - other.documents, int(self.digest, 16) - int(other.digest, 16))
        return replace(rest, batch=self.batch)

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

    def __init__(self, start: Content | None = None) -> None:
        start = start or Content()
        self._documents, self._sum = start.documents, int(start.digest, 16)
        self._waiting: deque[int] = deque()  # hashes of texts that are not in the sum yet

    def see(self, texts: Iterable[Text]) -> None:
        """Add texts."""
        self._waiting.extend(map(_hash, texts))

    def value(self, documents: int | None = None) -> Content:
        """The content of all texts, or of the first *documents*; this number must not fall from call to call."""
        count = len(self._waiting) if documents is None else documents - self._documents
        for _ in range(count):
            self._sum += self._waiting.popleft()
        self._documents += count
        return _content(self._documents, self._sum)


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


def without(known: tuple[Content, ...], gone: tuple[Content, ...]) -> tuple[Content, ...]:
    """What is known after documents were subtracted: equal corpora are removed; a part is taken from a single one.

    Examples
    --------
    >>> both = Content.of(["a", "b"])
    >>> without((both,), (Content.of(["a"]),)) == (Content.of(["b"]),)
    True
    """
    left = list(known)
    for content in gone:
        same = next((one for one in left if one.same_texts(content)), None)
        if same is not None:
            left.remove(same)
        elif len(left) == 1 and left[0].documents > content.documents:
            left = [left[0] - content]
    return tuple(left)


def _content(documents: int, total: int) -> Content:
    return Content(documents, f"{total % _MODULUS:032x}")


def _hash(text: Text) -> int:
    """128 bits of SHA-256, the quickest good hash where processors compute it themselves."""
    if isinstance(text, str):
        encoded = text.encode("utf-8", "surrogatepass")
    else:  # 0xFF is in no UTF-8, so that no other text or list of tokens gives the same bytes
        encoded = b"\xff" + b"\xff".join(token.encode("utf-8", "surrogatepass") for token in text)
    return int.from_bytes(hashlib.sha256(encoded, usedforsecurity=False).digest()[:16], "little")
