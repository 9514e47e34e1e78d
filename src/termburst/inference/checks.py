"""Checks of options: a wrong value of any type raises a ValueError with one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from termburst.display import did_you_mean

LEAST_DRAWS = 99  # draws of a Monte Carlo test; with fewer, no p can be 0.01 or less


def checked_whole(option: str, value: Any, *, least: int = 0) -> int:
    """The value of an option that must be a whole number of *least* or more.

    Examples
    --------
    >>> checked_whole("top", 3, least=1)
    3
    >>> checked_whole("top", 1.5, least=1)
    Traceback (most recent call last):
    ValueError: top must be a whole number of 1 or more; got 1.5
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{option} must be a whole number of {least} or more; got {shown(value)}")
    return int(value)


def checked_number(option: str, value: Any, low: float, high: float, *, low_too: bool = False) -> float:
    """The value of an option that must be above *low* (with *low_too*, at least *low*) and at most *high*.

    Examples
    --------
    >>> checked_number("alpha", 0.5, 0.0, 1.0)
    0.5
    """
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.complexfloating))
    try:
        number = number and (low < float(value) <= high or (low_too and float(value) == low))
    except OverflowError:  # an integer too large for a float
        number = False
    if not number:
        upper = "" if np.isinf(high) else f" and at most {high:g}"
        raise ValueError(
            f"{option} must be a number {'of at least' if low_too else 'above'} {low:g}{upper}; got {shown(value)}"
        )
    return float(value)


def check_name(option: str, value: Any, known: Iterable[str]) -> None:
    """Raise if the value of an option is not one of the names *known*.

    Examples
    --------
    >>> check_name("sort", ["p"], ("p", "term"))
    Traceback (most recent call last):
    ValueError: sort must be one of 'p', 'term'; got ['p']
    """
    known = list(known)
    if not isinstance(value, str) or value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise ValueError(f"{option} must be one of {', '.join(map(repr, known))}; got {shown(value)}{hint}")


def check_confidence(value: Any) -> None:
    """Raise if a confidence level is neither a number between 0 and 1 nor None (no interval).

    Examples
    --------
    >>> check_confidence(95)
    Traceback (most recent call last):
    ValueError: confidence must be between 0 and 1; got 95
    """
    number = isinstance(value, (float, int, np.floating, np.integer))
    if value is not None and not (number and 0 < value < 1):
        raise ValueError(f"confidence must be between 0 and 1; got {shown(value)}")


def shown(value: Any) -> str:
    """A value as a message shows it: on one line, cut to 60 characters.

    Examples
    --------
    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"
