"""The result of an example of the paper: numbers with the published ones, pictures and a text."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Row:
    """A number of the paper as printed, and the number obtained here.

    Attributes
    ----------
    item : what the number is, beginning with its place in the paper.
    published : as printed; None for a number that is not in the paper.
    obtained : the number computed here; text if it is not a single number; None if it could not be computed.
    agrees : whether *obtained* rounds to *published*; None if there is nothing to compare.
    note : how it was obtained, or why it differs; the note of an explained difference begins with "erratum".
    cell : whether it is one of the many cells of a table; a summary counts these instead of listing them.
    """

    item: str
    published: str | None
    obtained: float | int | str | None
    agrees: bool | None
    note: str = ""
    cell: bool = False

    @property
    def unexplained(self) -> bool:
        """Whether there is a difference that no erratum explains."""
        return self.agrees is False and not self.note.startswith("erratum")

    def as_json(self) -> dict[str, Any]:
        """The row for results.json; a printed number becomes a number."""
        return {
            "item": self.item,
            "published": _number(self.published),
            "obtained": _rounded(self.obtained),
            "agrees": self.agrees,
            "note": self.note,
        }

    def shown(self) -> str:
        """*obtained* as text, with two digits more than published."""
        if self.obtained is None or isinstance(self.obtained, str):
            return self.obtained or "–"
        if isinstance(self.obtained, int):
            return f"{self.obtained:,}"
        if self.published is None:
            return f"{self.obtained:.6g}"
        return f"{self.obtained:,.{_decimals(self.published) + 2}f}"


@dataclass(frozen=True, slots=True)
class Section:
    """One example of the paper, reproduced."""

    name: str
    text: str  # Markdown, with its heading and pictures
    rows: list[Row] = field(default_factory=list)
    pictures: dict[str, Figure] = field(default_factory=dict)  # by the stem of their file names


@dataclass(frozen=True, slots=True)
class Erratum:
    """A statement of the paper that does not hold, with the numbers that show it.

    Attributes
    ----------
    number : the number by which it is cited.
    text : Markdown; what the paper says, and what is true, with numbers that were just computed.
    rows : the key numbers, for the table of results.
    """

    number: int
    text: str
    rows: list[Row]


def compare(
    section: str, key: str, obtained: float | str, *, erratum: int | None = None, note: str = "", label: str = ""
) -> Row:
    """A row for the number under *section* and *key* in `published.toml`; see `judged`."""
    return judged(f"{PLACES[section]}: {key}{label}", published()[section][key], obtained, note, erratum)


def judged(item: str, printed: str | None, obtained: float | str, note: str = "", erratum: int | None = None) -> Row:
    """A row; it agrees if the obtained number rounds to the printed digits.

    *erratum* is the number of the entry of docs/errata.md that explains a difference; it is cited only if there is one.

    >>> judged("Fig. 3: r", "0.9269", 0.926914).agrees
    True
    >>> judged("Fig. 4: α_i < 0.1, %", "99.04", 65.7, "the binomial is the maximum", erratum=3).note
    'erratum 3: the binomial is the maximum'
    """
    agrees = None if printed is None else _agrees(printed, obtained)
    if erratum is not None and agrees is False:
        note = f"erratum {erratum}: {note}" if note else f"erratum {erratum}"
    return Row(item, printed, obtained, agrees, note)


def erratum_row(number: int, what: str, obtained: float | str, printed: str | None = None, note: str = "") -> Row:
    """A row for a key number of an erratum; if the paper prints another number, its note cites this erratum.

    >>> erratum_row(12, "best accuracy on R8", 0.9452055, "0.94521").note
    ''
    >>> erratum_row(12, "accuracy on R8 at (120, 1)", 0.94475, "0.94521").note
    'erratum 12'
    """
    return judged(f"Erratum {number}: {what}", printed, obtained, note, number)


@functools.cache
def published() -> dict[str, Any]:
    """The printed numbers, by section and key."""
    return tomllib.loads(resources.files("termburst.paper").joinpath("published.toml").read_text(encoding="utf-8"))


PLACES = {
    "fig2": "Fig. 2",
    "fig3": "Fig. 3",
    "newsgroups": "20 Newsgroups",
    "fig4": "Fig. 4",
    "table2": "Table 2",
    "r8": "R8",
    "fig5": "Fig. 5",
    "table3": "Table 3",
    "reuters": "§5.2",
    "figa1": "Fig. A1",
    "figa2": "Fig. A2",
}


def _agrees(printed: str, obtained: float | str) -> bool:
    if isinstance(obtained, str):
        return obtained == printed
    return f"{obtained:.{_decimals(printed)}f}" == printed.replace(",", "")


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])


def _number(printed: str | None) -> Any:
    try:
        return None if printed is None else float(printed.replace(",", ""))
    except ValueError:
        return printed


def _rounded(value: Any) -> Any:
    """Eight significant digits: further digits differ between machines."""
    return float(f"{value:.8g}") if isinstance(value, float) else value
