r"""Queries of a concordance: words, phrases, wildcards and regular expressions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from termburst.core import concordance as core
from termburst.reading.documents import Text

LONGEST_QUERY = 1000  # characters
_CASED = 0x1F000  # no character from here on has upper and lower case

Parts = list[tuple[int, tuple[str, ...]]]


@dataclass(frozen=True)
class AskedQuery:
    """A query that can be searched.

    Attributes
    ----------
    pattern : the query as a regular expression, which says what matches
    parts : the same for the compiled search; None if only `re` can find it
    """

    pattern: re.Pattern[str]
    parts: Parts | None

    @cached_property
    def compiled(self) -> core.Query | None:
        """The query as a struct for the compiled search."""
        return None if self.parts is None else core.query(self.parts)


def parsed(query: Any, *, regex: bool = False, ignore_case: bool = True) -> AskedQuery:
    r"""A query as a regular expression, and as parts for the compiled search.

    * A word matches as ``(?<!\w)word(?!\w)`` does: it has no letter, digit or ``_`` directly before or after it.
    * Words with white space between them are a phrase; in the text there may be any white space, also a line break.
    * ``*`` is any number of letters, digits and ``_``, and alone one whole word; ``?`` is exactly one. ``\*`` and
      ``\?`` are the characters themselves.
    * With *regex*, the query is a regular expression of Python.

    Case is ignored as ``re.IGNORECASE`` does: *STRASSE* is not *Straße*, but *Σ*, *σ* and *ς* are one letter.

    Examples
    --------
    >>> parsed("free world").pattern.pattern
    '(?<!\\w)free\\s+world(?!\\w)'
    >>> parsed("free*").pattern.findall("Free freedom, unfree")
    ['Free', 'freedom']
    """
    if not isinstance(query, str) or not query.strip():
        raise ValueError(f"the query must be a word, a phrase or a pattern; got {query!r:.60}")
    if len(query) > LONGEST_QUERY:
        raise ValueError(f"a query has at most {LONGEST_QUERY:,} characters; this one has {len(query):,}")
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    if regex:
        return AskedQuery(_checked_pattern(query, flags), None)
    words = [list(_characters(word)) for word in query.split()]
    written = r"\s+".join("".join(_WRITTEN.get(kind) or re.escape(c) for kind, c in word) for word in words)
    return AskedQuery(re.compile(rf"(?<!\w){written}(?!\w)", flags), _parts(words, ignore_case))


def suggested(query: str, texts: Iterable[Text]) -> list[str]:
    """Three words of some texts that are like the first word of a query that is not there; none for wildcards.

    Examples
    --------
    >>> suggested("fredom", ["Freedom and justice"]), suggested("free*", ["Freedom"])
    (['freedom'], [])
    """
    if set("*?") & set(query):
        return []
    words: set[str] = set()
    for text in texts:
        words.update(re.findall(r"\w+", (text if isinstance(text, str) else " ".join(text)).lower()))
    missing = next((word for word in re.findall(r"\w+", query.lower()) if word not in words), None)
    return [] if missing is None else difflib.get_close_matches(missing, sorted(words)[:200_000])


def _checked_pattern(query: str, flags: re.RegexFlag) -> re.Pattern[str]:
    try:
        pattern = re.compile(query, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"the query {query!r:.60} is not a regular expression: {error}") from error
    if pattern.fullmatch(""):
        raise ValueError(f"the query {query!r:.60} can match the empty string, so it would match everywhere")
    return pattern


_WRITTEN = {core.ANY: r"\w", core.REST: r"\w*"}


def _characters(word: str) -> Iterator[tuple[int, str]]:
    """The characters of a word with their kind. ``**`` is ``*``, and a word of only ``*`` has at least one letter."""
    if not word.strip("*"):
        yield from ((core.ANY, ""), (core.REST, ""))
        return
    for escaped, stars, one, letter in re.findall(r"\\([*?\\])|(\*+)|(\?)|(.)", word, re.DOTALL):
        if stars:
            yield core.REST, ""
        elif one:
            yield core.ANY, ""
        else:
            yield core.LETTER, escaped or letter


def _parts(words: list[list[tuple[int, str]]], ignore_case: bool) -> Parts | None:
    """The query for the compiled search; None if it cannot find it.

    It tries nothing twice, so ``*`` must be at the end of a word, and it looks for a letter first.

    Half of a surrogate pair has no form in UTF-8, so it is left to `re`, too.
    """
    if words[0][0][0] != core.LETTER:
        return None
    parts: Parts = []
    for number, word in enumerate(words):
        if any(kind == core.REST for kind, _ in word[:-1]):
            return None
        if number:
            parts.append((core.SPACE, ()))
        for kind, letter in word:
            letters = (letter,) if letter and not ignore_case else same_letters(letter) if letter else ()
            if any("\ud800" <= one <= "\udfff" for one in letters):
                return None
            parts.append((kind, letters))
    return parts


@lru_cache(maxsize=1024)
def same_letters(letter: str) -> tuple[str, ...]:
    """The characters that are the same letter if case is ignored, as `re` decides.

    Examples
    --------
    >>> same_letters("t"), same_letters("s"), same_letters("-")
    (('T', 't'), ('S', 's', 'ſ'), ('-',))
    """
    if letter.lower() == letter.upper() or ord(letter) >= _CASED:
        return (letter,)
    return tuple(re.findall(re.escape(letter), _characters_with_case(), re.IGNORECASE))


@lru_cache(maxsize=1)
def _characters_with_case() -> str:
    return "".join(map(chr, (*range(0xD800), *range(0xE000, _CASED))))
