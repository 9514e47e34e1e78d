"""A table of comparisons with peers: its rows, fair timing, and writing it into a Markdown file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
HEADER = ("what", "peer", "the peer's", "termburst's", "compared")


@dataclass(frozen=True)
class Row:
    """What is measured, the peer, its number, that of termburst, and the comparison."""

    what: str
    peer: str
    theirs: str
    ours: str
    verdict: str


def timed(what: str, peer: str, theirs: float, ours: float, note: str = "") -> Row:
    """A row of seconds; the verdict says which is faster."""
    won = theirs >= ours
    verdict = f"{factor(theirs / ours)} times as fast" if won else f"takes {factor(ours / theirs)} times as long"
    return Row(what, peer, f"{digits(theirs)} s", f"{digits(ours)} s", verdict + note)


def digits(value: float) -> str:
    """Two significant digits, three from 100 on, with separators of thousands."""
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def factor(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 1.095 else digits(ratio)


def fastest(rivals: Iterable[Callable[[], Any]], rounds: int) -> list[float]:
    """The smallest time of each rival in seconds. Rivals take turns in each round; a first round warms up."""
    rivals = list(rivals)
    least = [float("inf")] * len(rivals)
    for turn in range(rounds + 1):
        for k, function in enumerate(rivals):
            start = time.perf_counter()
            function()
            if turn:
                least[k] = min(least[k], time.perf_counter() - start)
    return least


def markdown(rows: Iterable[Row]) -> str:
    lines = [(row.what, row.peer, row.theirs, row.ours, row.verdict) for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [HEADER, ("---",) * len(HEADER), *lines])


def around(path: Path) -> tuple[str, str]:
    """The text of a file up to the first marker and from the second marker on, including the markers."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end or BEGIN in rest or END in before + after:
        raise ValueError(f"{path} must have {BEGIN} and then {END}, once each")
    return before + begin, end + after


def write_between(path: Path, text: str) -> None:
    """Replace the text between the two markers of a file by *text*; the rest stays the same."""
    before, after = around(path)
    path.write_text(f"{before}\n{text}\n{after}", encoding="utf-8")
