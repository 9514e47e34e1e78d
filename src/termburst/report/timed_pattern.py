"""Regular expressions with a limit of time, for the server: Python's `re` can search for years, and cannot be stopped.

`re` also keeps Python's lock while it searches, so one such expression would stop the whole server. The package regex
has the same syntax, gives the lock up, and takes a limit. Its ``\\w`` also matches marks on letters.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from typing import Any

from termburst.concordance.queries import AskedQuery

SECONDS = 10.0  # for all documents together
MOST_REPEATS = 10_000  # of all {n} of a pattern, multiplied: to compile it has no limit of time


class TimedPattern:
    """A compiled pattern that stops after some seconds; it has the parts of `re.Pattern` that a search uses."""

    def __init__(self, compiled: Any, pattern: str, seconds: float) -> None:
        self.compiled, self.pattern, self.seconds = compiled, pattern, seconds
        self.end = time.monotonic() + seconds

    def finditer(self, text: str) -> Iterator[Any]:
        """The matches in a text. Raises ValueError when the time is over."""
        try:
            yield from self.compiled.finditer(text, concurrent=True, timeout=max(self.end - time.monotonic(), 1e-3))
        except TimeoutError:
            raise ValueError(
                f"the regular expression {self.pattern!r:.60} took longer than {self.seconds:g} s; simplify it, or "
                "use the command `termburst kwic`, where you set the limit"
            ) from None


def _braces(query: str) -> list[str]:
    """What stands in braces."""
    return re.findall(r"\{([^{}]*)\}", query)


def timed(query: str, seconds: float = SECONDS) -> AskedQuery:
    r"""A regular expression as a query that takes at most some seconds, from now on.

    Examples
    --------
    >>> [found.span() for found in timed(r"s\w+").pattern.finditer("so it sings")]
    [(0, 2), (6, 11)]
    """
    try:
        import regex
    except ImportError as error:
        raise ImportError(
            "regular expressions here need the package regex; pip install 'termburst[explore]'"
        ) from error
    if math.prod(max(int(number), 1) for number in re.findall(r"\d{1,9}", " ".join(_braces(query)))) > MOST_REPEATS:
        raise ValueError(f"{query!r:.60} repeats more than {MOST_REPEATS:,} times; use * or +")
    try:
        compiled = regex.compile(query, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{query!r:.60} is not a regular expression: {error}") from error
    if compiled.fullmatch("", timeout=1.0):
        raise ValueError(f"{query!r:.60} can match the empty string, so it would match everywhere")
    return AskedQuery(TimedPattern(compiled, query, seconds), None)  # type: ignore[arg-type]
