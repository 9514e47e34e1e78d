"""What an erratum of the paper is, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from termburst.paper.results import Row, judged


@dataclass(frozen=True, slots=True)
class Erratum:
    """A statement of the paper that does not hold, with the numbers that show it.

    Attributes
    ----------
    number : as it is cited elsewhere.
    title : one plain sentence.
    paper : Markdown; what the paper says, and where.
    proof : Markdown; what is true, with numbers computed on the spot.
    rows : the key numbers, for the table of results.
    """

    number: int
    title: str
    paper: str
    proof: str
    rows: list[Row]

    def as_markdown(self) -> str:
        """A section of docs/errata.md."""
        return (
            f"## {self.number}. {self.title}\n\n**The paper.** {self.paper}\n\n**What is true, and how to see it.** "
            f"{self.proof}\n"
        )


def row(number: int, what: str, obtained: float | str, printed: str | None = None, note: str = "") -> Row:
    """A key number; where the paper prints another, this erratum is why.

    >>> row(12, "best accuracy on R8", 0.9452055, "0.94521").note
    ''
    >>> row(12, "accuracy on R8 at (120, 1)", 0.94475, "0.94521").note
    'erratum 12'
    """
    item = f"Erratum {number}: {what}"
    found = judged(item, printed, obtained, note)
    return judged(item, printed, obtained, note, number) if found.agrees is False else found


def show(value: float, spec: str = ".4g") -> str:
    """A number as people write it.

    >>> show(-239.7992, ".3f"), show(0.000015, ".1e"), show(72916, ",d")
    ('−239.799', '1.5e-5', '72,916')
    """
    text = format(value, spec)
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def below(value: float, bound: float) -> str:
    """That a difference made of rounding alone is small; its digits differ from machine to machine.

    >>> below(2.8e-11, 1e-9), below(0.3, 1e-9)
    ('less than 1e-9', '0.3')
    """
    return f"less than {show(bound, 'g')}" if value < bound else show(value)


def percent(true: ArrayLike) -> float:
    """The share of true values, in per cent.

    >>> percent([True, False, False])
    33.3333
    """
    return round(100 * float(np.mean(np.asarray(true))), 4)


def significant(value: float, digits: int = 5) -> float:
    """The value without the digits that rounding errors reach.

    >>> significant(1.4978145237e-05)
    1.4978e-05
    """
    return float(f"{value:.{digits}g}")


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table, its first column aligned to the left and the others to the right.

    >>> print(table(["n", "n²"], [["2", "4"]]))
    | n | n² |
    |---|--:|
    | 2 | 4 |
    """
    rule = "|---" + "|--:" * (len(head) - 1) + "|"
    return "\n".join([_line(head), rule, *map(_line, lines)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
