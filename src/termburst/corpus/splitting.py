"""Documents cut into pieces: after a number of tokens, or where a pattern matches."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from numbers import Integral
from typing import Any

from termburst.counting.options import CountingOptions
from termburst.counting.pattern_clock import start_clock, stop_clock
from termburst.reading.documents import Text

# The text to take the pieces from, and where they begin; the first is 0. It may be another text than the given one:
# if tokens are found in a text of another length, the pieces are taken from that.
Cut = Callable[[Text], tuple[Text, list[int]]]


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
