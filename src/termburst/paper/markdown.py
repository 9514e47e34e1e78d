"""Numbers and tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

_RULES = {"l": "---", "r": "--:", "c": ":-:"}


def table(head: Sequence[str], lines: Iterable[Sequence[Any]], align: str = "") -> str:
    """A Markdown table, its cells written by `digits`.

    *align* has one letter per column: "l", "r" or "c". By default the first column is left-aligned, the others right.

    >>> print(table(["n", "n²"], [["2", 4]]))
    | n | n² |
    |---|--:|
    | 2 | 4 |
    """
    rule = "|".join(_RULES[letter] for letter in align or "l" + "r" * (len(head) - 1))
    return "\n".join([_line(head), f"|{rule}|", *map(_line, lines)])


def digits(value: Any) -> str:
    """A number with four significant digits, and all digits of a whole number; text is not changed.

    >>> digits(20722.9), digits(-1.83784), digits(45678), digits(float("nan"))
    ('20,720', '−1.838', '45,678', '–')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return show(int(value), ",d")
    if not np.isfinite(value):
        return "∞" if np.isinf(value) else "–"
    rounded = significant(value, 4)
    return show(rounded, ",.0f" if abs(rounded) >= 1000 else ".4g")


def show(value: float, spec: str = ".4g") -> str:
    """A number in a format, with a minus sign and a short exponent.

    >>> show(-239.7992, ".3f"), show(0.000015, ".1e"), show(72916, ",d")
    ('−239.799', '1.5e-5', '72,916')
    """
    text = format(value, spec)
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def below(value: float, bound: float) -> str:
    """A small difference as a bound: it consists of rounding errors, whose digits differ between machines.

    >>> below(2.8e-11, 1e-9), below(0.3, 1e-9)
    ('less than 1e-9', '0.3')
    """
    return f"less than {show(bound, 'g')}" if value < bound else show(value)


def percent(true: ArrayLike) -> float:
    """The percentage of true values; NaN for an empty array.

    >>> percent([True, False, False, False])
    25.0
    """
    return 100 * float(np.asarray(true).mean()) if np.size(true) else float("nan")


def significant(value: float, digits: int = 5) -> float:
    """The value rounded to significant digits, without those that rounding errors affect.

    >>> significant(1.4978145237e-05)
    1.4978e-05
    """
    return float(f"{value:.{digits}g}")


def rounded_up(value: float, digits: int = 2) -> float:
    """The value rounded up to this number of significant digits, for a statement with "at most".

    >>> rounded_up(1.046e-4)
    0.00011
    """
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value))


def listed(items: Iterable[str]) -> str:
    """Items joined with commas and "and"."""
    *most, last = items
    return f"{', '.join(most)} and {last}"


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(digits, cells))} |"
