"""Numbers and tables in Markdown, and the texts in `templates/`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import jinja2

_RULES = {"l": "---", "r": "--:", "c": ":-:"}


def rendered(template: str, block: str, **values: Any) -> str:
    """A block of a file in `templates/`, with these values; each of its paragraphs on one line.

    >>> print(rendered("report", "reuters", documents=3, share=97.868, bound=7, ones=60.0)[:48])
    ## §5.2: small counts
    <BLANKLINE>
    Of the nonzero counts of
    """
    found = templates().get_template(f"{template}.md")
    text = "".join(found.blocks[block](found.new_context(values))).strip()
    return re.sub(r"(?<!\n)\n *(?![\n|#]|\* )", " ", text) + "\n"


@functools.cache
def templates() -> jinja2.Environment:
    """The templates, which write numbers with the functions below."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("the report needs Jinja2: pip install 'termburst[plots]'") from error
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("termburst.paper"), undefined=jinja2.StrictUndefined, autoescape=False,  # Markdown
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.globals["picture"] = picture
    found.filters |= {"show": show, "digits": digits, "below": below, "cells": cells, "pair": pair, "listed": listed}
    return found


def picture(stem: str, caller: Callable[[], str]) -> str:
    """A picture of the report with its caption, which is the text within the call."""
    caption = " ".join(caller().split())
    return f"![{caption}]({stem}.png)\n\n*{caption}* ([vector]({stem}.svg))"


def cells(values: Iterable[float], spec: str, unit: str = "", between: str = " | ") -> str:
    """Numbers in the cells of a line.

    >>> cells([0.5, -1], ".1f", " %")
    '0.5 % | −1.0 %'
    """
    return between.join(show(value, spec) + unit for value in values)


def pair(values: Iterable[float], spec: str) -> str:
    """Numbers in brackets.

    >>> pair((0.5, 128.3), "#.5g")
    '(0.50000, 128.30)'
    """
    return f"({cells(values, spec, between=', ')})"


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
