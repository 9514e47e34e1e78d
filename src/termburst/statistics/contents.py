"""Which texts were counted: 64 bits of a hash per text, so that no text is added twice by mistake."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from termburst.reading.documents import Text

# Two of a million texts have the same 64 bits by chance once in 37 million times.
MOST_HASHES = 1_000_000  # texts of a collection that are known; of a larger one none is
Hashes = NDArray[np.uint64]  # in ascending order


def known_hashes(numbers: Iterable[int]) -> Hashes:
    """Hashes in order; none if they are too many to be kept.

    Examples
    --------
    >>> hashes = [known_hashes(map(hash_of, texts)) for texts in (["so it goes", "on"], ["on", "so it goes"])]
    >>> np.array_equal(*hashes)
    True
    """
    found = np.sort(np.array(array("Q", numbers), dtype=np.uint64))
    return found if found.size <= MOST_HASHES else found[:0]


def hash_of(text: Text) -> int:
    """64 bits of SHA-256, the quickest good hash where processors compute it themselves."""
    if isinstance(text, str):
        encoded = text.encode("utf-8", "surrogatepass")
    else:  # 0xFF is in no UTF-8, so that no other text or list of tokens gives the same bytes
        encoded = b"\xff" + b"\xff".join(token.encode("utf-8", "surrogatepass") for token in text)
    return int.from_bytes(hashlib.sha256(encoded, usedforsecurity=False).digest()[:8], "little")


class NewTexts:
    """Texts that are read to be added, without those that are known already.

    A text that is known n times is left out n times. So a folder that has grown can be added again: the sum is as if
    the whole folder had been counted at once.

    Parameters
    ----------
    known : hashes of what has been counted before
    again : take all texts, known or not
    whole : the texts are one batch, so that known ones are taken, too

    Attributes
    ----------
    read, repeated : number of texts, and of those that are known
    added : hashes of the texts that are to be added

    Examples
    --------
    >>> texts = NewTexts(known_hashes(map(hash_of, ["so it goes", "on"])))
    >>> texts.only(["on", "and on", "on"]), texts.repeated
    (['and on', 'on'], 1)
    """

    def __init__(self, known: Hashes, *, again: bool = False, whole: bool = False) -> None:
        self._left = Counter[int](() if again else known.tolist())
        self._whole = whole
        self.added = array("Q")
        self.read = self.repeated = 0

    def only(self, texts: Iterable[Text]) -> list[Text]:
        """Those of the *texts* that are to be added."""
        new: list[Text] = []
        for text in texts:
            number = hash_of(text)
            is_known = self._left[number] > 0
            self._left[number] -= is_known
            self.repeated += is_known
            self.read += 1
            if self._whole or not is_known:
                self.added.append(number)
                new.append(text)
        return new


def shared(first: Hashes, second: Hashes) -> int:
    """How many texts two collections have in common, as far as their texts are known.

    Examples
    --------
    >>> shared(np.array([1, 2, 2]), np.array([2, 2, 3]))
    2
    """
    return int((_occurrence(second) <= _times(second, first)).sum())


def together(first: Hashes, second: Hashes) -> Hashes:
    """The known texts of two collections.

    Examples
    --------
    >>> together(np.array([1]), np.array([2])).tolist()
    [1, 2]
    """
    return known_hashes(np.concatenate([first, second]).tolist())


def without(known: Hashes, gone: Hashes) -> Hashes:
    """The known texts that are left when others are subtracted.

    Examples
    --------
    >>> without(np.array([1, 1, 2]), np.array([1])).tolist()
    [1, 2]
    """
    return known[_occurrence(known) > _times(known, gone)]


def _occurrence(ordered: Hashes) -> NDArray[np.int64]:
    """1 for the first of equal numbers, 2 for the second, …"""
    return np.arange(1, ordered.size + 1) - np.searchsorted(ordered, ordered, side="left")


def _times(numbers: Hashes, ordered: Hashes) -> NDArray[np.int64]:
    """How often each of the *numbers* is in an *ordered* array."""
    return np.searchsorted(ordered, numbers, side="right") - np.searchsorted(ordered, numbers, side="left")
