"""An erratum of the paper, and its rows."""

from __future__ import annotations

from dataclasses import dataclass

from termburst.paper.results import Row, judged


@dataclass(frozen=True, slots=True)
class Erratum:
    """A statement of the paper that does not hold, with the numbers that show it.

    Attributes
    ----------
    number : the number by which it is cited.
    title : one sentence.
    paper : Markdown; what the paper says, and where.
    proof : Markdown; what is true, with numbers that were just computed.
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
            f"## {self.number}. {self.title}\n\n**The paper.** {self.paper}\n\n**What is true, and the evidence.** "
            f"{self.proof}\n"
        )


def row(number: int, what: str, obtained: float | str, printed: str | None = None, note: str = "") -> Row:
    """A row for a key number; if the paper prints another number, its note cites this erratum.

    >>> row(12, "best accuracy on R8", 0.9452055, "0.94521").note
    ''
    >>> row(12, "accuracy on R8 at (120, 1)", 0.94475, "0.94521").note
    'erratum 12'
    """
    item = f"Erratum {number}: {what}"
    found = judged(item, printed, obtained, note)
    return judged(item, printed, obtained, note, number) if found.agrees is False else found
