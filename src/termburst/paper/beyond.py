"""What the sections beyond the paper share: both collections, rows and tables of numbers, ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, spearmanr

from termburst.counts.statistics import TermStatistics
from termburst.paper.collections import Collections, Fitted
from termburst.paper.results import Row, judged

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = dict[str, float | int | None]  # what it is → value; None where there is nothing to compute it from

DECIMALS = 6  # of a statistic that is ranked: the ties of λ are exact in theory and 1e-13 apart in floats


def both(collections: Collections) -> Iterable[tuple[str, str, Fitted]]:
    """Their name, the name of their files, and the fits."""
    yield "20 Newsgroups", "20newsgroups", collections.fig4
    yield "R8", "r8", collections.fig5


def numbered_rows(what: str, numbers: Numbers, *, cell: bool = False) -> list[Row]:
    """A row a number, without those that there was nothing to compute from."""
    rows = [judged(f"{what}: {item}", None, value) for item, value in numbers.items() if value is not None]
    return [Row(row.item, None, row.obtained, None, cell=True) for row in rows] if cell else rows


def repeats_in(statistics: TermStatistics) -> Mask:
    """Which terms occur twice in some document."""
    return np.asarray(statistics.collection_frequency > statistics.document_frequency)


def top(x: Floats, number: int) -> list[int]:
    """The columns of the largest values."""
    return np.argsort(-x, kind="stable")[:number].tolist()


def place(x: Floats, column: int) -> int:
    """The rank of a column, 1 for the largest value."""
    return int((x > x[column]).sum()) + 1


def percent(inside: Mask) -> float | None:
    return 100 * float(np.mean(inside)) if inside.size else None


def median(x: NDArray[Any]) -> float | None:
    return float(np.median(x)) if x.size else None


def spearman(x: Floats, y: Floats) -> float | None:
    return float(spearmanr(x, y)[0]) if _can_rank(x, y) else None


def kendall(x: Floats, y: Floats) -> float | None:
    return float(kendalltau(x, y)[0]) if _can_rank(x, y) else None


def _can_rank(x: Floats, y: Floats) -> bool:
    return x.size > 1 and bool(np.ptp(x) > 0) and bool(np.ptp(y) > 0)


def spoken(numbers: Numbers) -> Callable[[str], str]:
    """A number by its name, for a sentence."""
    return lambda item: digits(numbers[item])


def digits(value: Any) -> str:
    """A number for people: four significant digits, all of them before the point; text as it is."""
    if value is None or isinstance(value, str):
        return value or "–"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    if np.isinf(value):
        return "∞"
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.4g}"


def listed(items: Iterable[str]) -> str:
    """Items joined as in a sentence."""
    *most, last = items
    return f"{', '.join(most)} and {last}"


def markdown_table(header: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """A Markdown table, numbers to the right."""
    rule = ["---" if isinstance(cell, str) else "--:" for cell in lines[0]]
    return "\n".join(f"| {' | '.join(map(digits, line))} |" for line in [header, rule, *lines])
