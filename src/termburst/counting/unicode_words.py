"""Words as Unicode sees them: the rule of ``CountingOptions(words="unicode")``, for both tokenizers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from termburst.core.tokenizer import DIGIT, EXTEND, INSIDE, JOINS, JOINS_DIGITS, JOINS_LETTERS

Bytes = NDArray[np.uint8]

APOSTROPHES = "'\u2018\u2019\uff07"
# Unicode Standard Annex #29, Word_Break: MidLetter and MidNumLet, MidNum and MidNumLet. As in ICU, a colon joins no
# letters. A semicolon joins no digits: it separates the entries of lists.
_BETWEEN_LETTERS = ".\u2024\ufe52\uff0e\u00b7\u0387\u055f\u05f4\u2027\ufe13" + APOSTROPHES
_BETWEEN_DIGITS = ".\u2024\ufe52\uff0e,\u060c\u066c\u07f8\u2044\u0589\ufe10\ufe50\uff0c\u202f" + APOSTROPHES
_MORE_LETTERS = "\u055a\u055b\u055c\u055e\u05f3"  # Armenian and Hebrew punctuation inside words, ALetter in Annex #29
_KINDS = {"Cf": JOINS, "Pc": JOINS, "Nd": INSIDE | DIGIT, "Nl": INSIDE} | {
    **dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo"), INSIDE),
    **dict.fromkeys(("Mn", "Mc", "Me"), EXTEND),
}
_NO_JOINERS = "\u200b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u08e2"  # Cf; the first one separates words
_LETTERS = (  # blocks in which every character is a letter, so that the table is made in less time
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0x17000, 0x187F8),
    range(0x20000, 0x2A6E0),
)
_ASSIGNED = 0x323B0  # from here on, only variation selectors have a kind
_SELECTORS = range(0xE0100, 0xE01F0)


@dataclass(frozen=True)
class UnicodeWords:
    r"""Words as runs of letters, digits and combining marks, and what may join two of them (UAX #29 in essence).

    * A token begins with a letter or a digit. Combining marks continue it.
    * ``_``, zero width joiner and non-joiner and other format characters are in a token between two characters of it.
    * Apostrophes, full stops and middle dots are in a token between two letters: *don't*, *l·l*.
    * Full stops, commas and apostrophes are in a token between two digits: *3,141.5*.

    Unlike UAX #29, ``_`` at the ends of a token is left out (``_emphasis_``), and text in scripts without spaces is not
    cut (see `segmenters`).

    Parameters
    ----------
    apostrophes : "keep" or "split"
        Whether an apostrophe joins two letters.
    joiners : str
        More characters that join two letters.

    Examples
    --------
    >>> UnicodeWords().find("I don't know: 3,5 मानव _a_")
    ['I', "don't", 'know', '3,5', 'मानव', 'a']
    >>> UnicodeWords(apostrophes="split").find("l'homme")
    ['l', 'homme']
    """

    apostrophes: str = "keep"
    joiners: str = ""
    shortest = 1
    bounded = False

    @cached_property
    def wide(self) -> Bytes:
        """For every code point the marks that the kernel uses."""
        return self._with_joiners(_every_kind())

    @cached_property
    def kinds(self) -> Bytes:
        """The same for ASCII characters only."""
        return self._with_joiners(_kinds_of(range(128)))

    @cached_property
    def _ascii(self) -> bytes:
        shown = self.kinds.tobytes().translate(_SHOWN)
        return shown[: ord("_")] + b"_" + shown[ord("_") + 1 :] + bytes(128)

    def find(self, text: str) -> list[str]:
        """The tokens of a text in their order, by plain Python."""
        return [text[start:stop] for start, stop in self.spans(text)]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the tokens of a text begin and end."""
        return (found.span() for found in _TOKEN.finditer(self._shown(text)))

    def places(self, text: str, words: Iterable[str], each: int) -> dict[str, list[tuple[int, int]]]:
        """Where the first *each* tokens that are one of some *words* begin and end.

        Only the surroundings of a word are cut into tokens, which is much faster than to find all tokens.

        Examples
        --------
        >>> UnicodeWords().places("so's not so: so so", ["so", "it"], 2)
        {'so': [(9, 11), (13, 15)], 'it': []}
        """
        kinds = self._shown(text)
        return {word: list(islice(_places(text, kinds, word), each)) for word in words}

    def _shown(self, text: str) -> bytes:
        """The kind of each character as a letter, as `_TOKEN` reads them."""
        if text.isascii():
            return text.encode().translate(self._ascii)
        table = self.wide
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        kinds = table[np.minimum(points, table.size - 1)].tobytes().translate(_SHOWN)
        if "_" not in text:
            return kinds
        marked = np.frombuffer(kinds, dtype=np.uint8).copy()
        marked[points == ord("_")] = ord("_")  # unlike the other joiners of any kind, it joins no combining mark
        return marked.tobytes()

    def _with_joiners(self, kinds: Bytes) -> Bytes:
        kinds = kinds.copy()
        split = APOSTROPHES if self.apostrophes == "split" else ""
        between_letters = set(_BETWEEN_LETTERS + self.joiners) - set(split)
        for characters, mark in ((between_letters, JOINS_LETTERS), (_BETWEEN_DIGITS, JOINS_DIGITS)):
            points = [ord(character) for character in characters]
            kinds[[point for point in points if point < kinds.size]] |= mark
        return kinds


@lru_cache(maxsize=64)
def unicode_words(apostrophes: str, joiners: str = "") -> UnicodeWords:
    """The rule, with its tables made once."""
    return UnicodeWords(apostrophes, joiners)


def _kinds_of(points: Iterable[int]) -> Bytes:
    categories = map(unicodedata.category, map(chr, points))
    return np.fromiter((_KINDS.get(category, 0) for category in categories), dtype=np.uint8)


@lru_cache(maxsize=1)
def _every_kind() -> Bytes:
    kinds = np.zeros(_SELECTORS.stop + 1, dtype=np.uint8)  # the last one stands for all code points after it
    kinds[_SELECTORS.start : _SELECTORS.stop] = EXTEND
    start = 0
    for block in (*_LETTERS, range(_ASSIGNED, _ASSIGNED)):
        kinds[start : block.start] = _kinds_of(range(start, block.start))
        kinds[block.start : block.stop] = INSIDE
        start = block.stop
    kinds[[ord(character) for character in _NO_JOINERS]] = 0
    kinds[[ord(character) for character in _MORE_LETTERS]] = INSIDE
    return kinds


# The rule as a regular expression for kinds of characters: Letter, Digit, Extending mark, joiner of Any or _, and
# joiners of letters, of digits, of both. Nothing in it can fail after a long match, so it takes linear time.
_INNER = rb"(?:E|A(?=[LDE])|_(?=[LD]))*"
_TOKEN = re.compile(rb"(?:L+%b(?:[lb](?=L))?|D+%b(?:[db](?=D))?)+" % (_INNER, _INNER))


def _places(text: str, kinds: bytes, word: str) -> Iterator[tuple[int, int]]:
    """Where a word stands as a token. No token contains the kind " ", so the search for tokens can begin after one."""
    scanned, at = 0, text.find(word)
    while at >= 0:
        stop = at + len(word)
        if not (at and kinds[at - 1] in _RUN) and kinds[stop : stop + 1] not in _AFTER:
            scanned = max(kinds.rfind(b" ", scanned, at) + 1, scanned)
            while (token := _TOKEN.search(kinds, scanned)) is not None and token.end() <= at:
                scanned = token.end()
            if token is None:
                return
            if token.span() == (at, stop):
                yield at, stop
            scanned = token.end()
        at = text.find(word, max(at + 1, scanned))


_RUN, _AFTER = frozenset(b"LD"), frozenset((b"L", b"D", b"E"))  # a character of a token that goes on
_SHOWN = bytes(
    (b"E" if kind & EXTEND else b"A" if kind & JOINS else b" ldb"[kind >> 5 & 3 : (kind >> 5 & 3) + 1])[0]
    if not kind & INSIDE
    else (b"D" if kind & DIGIT else b"L")[0]
    for kind in range(256)
)
