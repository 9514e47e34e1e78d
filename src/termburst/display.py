"""How terms and results are shown to people: text that keeps to its place, and HTML for notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

LONGEST = 40  # characters of a term that are shown
ROWS = 10  # of a table in a notebook
# Controls beyond those that JSON escapes itself, halves of surrogate pairs, and what is invisible or turns text around.
_OBEYED = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
JOINERS = "\u200c\u200d"  # they belong to the spelling of Persian and of the languages of India


def printable(term: Any, longest: int | None = LONGEST) -> str:
    """A term on one line, not at any length: line breaks, controls and marks that turn text around are written out.

    With *longest* None it may be of any length.

    Examples
    --------
    >>> print(printable("so\\nso"), printable("\\u202eevil"), printable("ha" * 30, longest=8))
    so\\nso \\u202eevil hahahah…
    """
    text = str(term) if longest is None else str(term)[: longest + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in JOINERS else repr(c)[1:-1] for c in text)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def printable_json(text: str) -> str:
    """JSON in which characters that a terminal obeys, or that hide or turn text around, are escaped: it means the same.

    Examples
    --------
    >>> import json
    >>> print(printable_json(json.dumps("naïve \\x9b31m", ensure_ascii=False)))
    "naïve \\u009b31m"
    """
    return _OBEYED.sub(lambda found: json.dumps(found[0])[1:-1], text)


def number(value: Any) -> str:
    """A number as a table shows it: whole ones in full, others to six figures.

    Examples
    --------
    >>> number(1234567), number(0.000123456789), number(-1234.5678), number(float("inf"))
    ('1,234,567', '0.000123457', '−1,234.57', '∞')
    """
    if isinstance(value, float):  # NumPy's too
        text = f"{value:,.6g}"
        text = f"{value:,.2f}" if 1000 <= abs(value) < 1e15 else text.replace("inf", "∞").replace("nan", "–")
    else:
        text = f"{int(value):,}"
    return text.replace("-", "−")


def more(size: int, what: str) -> str:
    """How many rows are left out, where any are.

    Examples
    --------
    >>> more(12044, "columns"), more(3, "columns")
    ('12,034 more columns', '')
    """
    return f"{size - ROWS:,} more {what}" if size > ROWS else ""


def html_table(
    title: str, facts: Mapping[str, str], header: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> str:
    """A heading, facts on a line, a table and a note, for ``_repr_html_``; strings are escaped here, and only here.

    Colours and fonts are the notebook's own, light or dark.

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
