"""How terms and results are shown to people: text made safe to print, HTML for notebooks, and sizes of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

LONGEST = 40  # characters of a term that are shown
ROWS = 10  # rows of a table in a notebook
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


def number(value: Any) -> str:
    """A number as a table shows it: integers in full, others to six digits.

    Examples
    --------
    >>> number(1234567), number(0.000123456789), number(-1234.5678), number(float("inf"))
    ('1,234,567', '0.000123457', '−1,234.57', '∞')
    """
    if isinstance(value, float):  # also NumPy's float64
        text = f"{value:,.6g}"
        text = f"{value:,.2f}" if 1000 <= abs(value) < 1e15 else text.replace("inf", "∞").replace("nan", "–")
    else:
        text = f"{int(value):,}"
    return text.replace("-", "−")


def more(size: int, what: str) -> str:
    """How many rows are left out; empty if none are.

    Examples
    --------
    >>> more(12044, "columns"), more(3, "columns")
    ('12,034 more columns', '')
    """
    return f"{size - ROWS:,} more {what}" if size > ROWS else ""


def html_table(
    title: str, facts: Mapping[str, str], header: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> str:
    """A heading, one line of facts, a table and a note, for ``_repr_html_``. Strings are escaped here, and only here.

    Colours and fonts are those of the notebook, light or dark.

    Examples
    --------
    >>> print(html_table("Two < three", {"terms": "2"}, ["term", "n"], [["<b>", 3]]))
    <div><p><strong>Two &lt; three</strong><br>terms: 2</p><table><thead><tr><th scope="col"
    style="text-align:left">term</th><th scope="col" style="text-align:right">n</th></tr></thead><tbody><tr><td
    style="text-align:left"><bdi>&lt;b&gt;</bdi></td><td style="text-align:right">3</td></tr></tbody></table></div>
    """
    body = [list(row) for row in rows]
    words = [any(isinstance(row[k], str) for row in body) for k in range(len(header))]
    sides = [f'style="text-align:{"left" if text else "right"}"' for text in words]
    head = "".join(f'<th scope="col" {side}>{escape(name)}</th>' for name, side in zip(header, sides, strict=True))
    lines = "".join(
        f"<tr>{''.join(f'<td {side}>{_cell(value)}</td>' for value, side in zip(row, sides, strict=True))}</tr>"
        for row in body
    )
    about = " · ".join(f"{escape(name)}: {escape(value)}" for name, value in facts.items())
    end = f"<p><small>{escape(note)}</small></p>" if note else ""
    return (
        f"<div><p><strong>{escape(title)}</strong><br>{about}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{end}</div>"
    )


def _cell(value: Any) -> str:
    # <bdi> keeps a term written from right to left from reordering the numbers beside it.
    return f"<bdi>{escape(printable(value, 80))}</bdi>" if isinstance(value, str) else escape(number(value))
