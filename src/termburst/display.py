"""How terms and results are shown to people: text made safe to print, HTML for notebooks, and sizes of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any

LONGEST = 40  # characters of a term that are shown
# Defaults of the page: terms with a panel, example lines per term, terms listed, pairs of words. They are here and not
# in `termburst.report` because the command line shows them in its help, and that package takes long to import.
PANELS, LINES, MOST_TERMS, PAIRS = 2_000, 20, 100_000, 10
FREQUENT = 30_000  # per million tokens: from here on, a ratio of odds is not the ratio of shares
# Control characters that JSON does not escape, halves of surrogate pairs, and characters that are invisible or change
# the direction of text.
_OBEYED = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
JOINERS = "\u200c\u200d"  # part of the spelling of Persian and of the languages of India


def printable(term: Any, longest: int | None = LONGEST) -> str:
    """A term on one line: line breaks, control characters and direction marks are written as escapes.

    It is cut to *longest* characters; with None it is not cut.

    Examples
    --------
    >>> print(printable("so\\nso"), printable("\\u202eevil"), printable("ha" * 30, longest=8))
    so\\nso \\u202eevil hahahah…
    """
    text = str(term) if longest is None else str(term)[: longest + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in JOINERS else repr(c)[1:-1] for c in text)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def did_you_mean(name: Any, known: Iterable[Any], most: int = 1) -> str:
    """The end of a sentence about a name that does not exist: the nearest that do, at most *most*, if any is near.

    Examples
    --------
    >>> did_you_mean("presdient", ["year", "president"]), did_you_mean("x", ["year"])
    ("; did you mean 'president'?", '')
    """
    import difflib

    near = difflib.get_close_matches(str(name), [str(one) for one in known], n=most)
    return f"; did you mean {' or '.join(f'{one!r:.60}' for one in near)}?" if near else ""


def listed(names: Iterable[Any]) -> str:
    """Names in one line, cut if it is long.

    Examples
    --------
    >>> listed(["year", "party"])
    "'year', 'party'"
    """
    known = ", ".join(map(repr, names))
    return known if len(known) <= 300 else known[:299] + "…"


def no_column(name: Any, known: Iterable[str], use: str = "", whose: str = "the metadata") -> str:
    """The sentence about a column that does not exist.

    Examples
    --------
    >>> no_column("praty", ["year", "party"])
    "the metadata has no column 'praty'; it has 'year', 'party'; did you mean 'party'?"
    """
    names = list(known)
    return f"{whose} has no column {name!r:.60}{use}; it has {listed(names) or 'no columns'}{did_you_mean(name, names)}"


def printable_json(text: str) -> str:
    """JSON with the same meaning, in which characters that a terminal obeys, or that hide or reorder text, are escaped.

    Examples
    --------
    >>> import json
    >>> print(printable_json(json.dumps("naïve \\x9b31m", ensure_ascii=False)))
    "naïve \\u009b31m"
    """
    return _OBEYED.sub(lambda found: json.dumps(found[0])[1:-1], text)


def html_table(heading: str, frame: Any = None) -> str:
    """A sentence, and a frame of Polars if there is one, for ``_repr_html_``; both are escaped.

    Examples
    --------
    >>> import polars as pl
    >>> html_table("Two < three", pl.DataFrame({"term": ["<b>"]})).startswith("<div><p>Two &lt; three</p>")
    True
    """
    return f"<div><p>{escape(heading)}</p>{'' if frame is None else frame._repr_html_()}</div>"
