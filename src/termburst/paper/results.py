"""The result of an example of the paper: its numbers beside the published ones, its pictures and its texts."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

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
    cell : whether it is one of the many cells of a table; the command line counts these instead of listing them.
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
            "obtained": significant(self.obtained, 8) if isinstance(self.obtained, float) else self.obtained,
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
    """One example of the paper, or one erratum; its text is in texts.toml, under its name."""

    name: str
    rows: list[Row] = field(default_factory=list)
    pictures: dict[str, Figure] = field(default_factory=dict)  # by the stem of their file names


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


@functools.cache
def published() -> dict[str, Any]:
    """The printed numbers, by section and key."""
    return _read("published.toml")


@functools.cache
def texts() -> dict[str, str]:
    """The texts of the report and of the errata, in Markdown, by the names of their sections."""
    return _read("texts.toml")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("termburst.paper").joinpath(name).read_text(encoding="utf-8"))


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


def percent(true: Any) -> float:
    """The percentage of true values.

    >>> percent([True, False, False, False])
    25.0
    """
    return 100 * float(np.mean(true))


def significant(value: float, digits: int = 5) -> float:
    """The value rounded to significant digits: further digits differ between machines.

    >>> significant(1.4978145237e-05)
    1.4978e-05
    """
    return float(f"{value:.{digits}g}")


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
