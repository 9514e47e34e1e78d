"""The reproduction as a report in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from termburst.paper import errata as errata_page
from termburst.paper.markdown import rendered, table
from termburst.paper.results import Erratum, Row, Section


def as_markdown(
    sections: Sequence[Section], errata: Sequence[Erratum], undone: Mapping[str, Sequence[str]], rows: Sequence[Row]
) -> str:
    """The whole report."""
    blocks = [rendered("report", "head"), _summary(rows), *map(_section, sections)]
    if errata:
        blocks.append(errata_page.as_markdown(list(errata)).replace("\n#", "\n##").replace("# ", "## ", 1))
    if undone:
        lines = [f"* **{', '.join(items)}**: {why}" for why, items in undone.items()]
        blocks.append("## Not done\n\n" + "\n".join(lines) + "\n")
    return "\n".join(blocks)


def principal(rows: Sequence[Row]) -> list[Row]:
    """The rows to show and count: those with numbers of the paper, if there are any, without those of the errata."""
    own = [row for row in rows if not row.item.startswith("Erratum")] or list(rows)
    return [row for row in own if row.published is not None or row.obtained is None] or own


def summary(rows: Sequence[Row]) -> str:
    """One sentence: how many published numbers were obtained."""
    rows = principal(rows)
    compared = [row for row in rows if row.agrees is not None]
    agreeing = sum(bool(row.agrees) for row in compared)
    unexplained = sum(row.unexplained for row in compared)
    undone = sum(row.obtained is None for row in rows)
    if not compared and not undone:
        return "No published number to compare with."
    plural = "" if len(compared) == 1 else "s"
    sentence = (
        f"{len(compared)} comparison{plural} with published numbers: {agreeing} agree to the printed digit, "
        f"{len(compared) - agreeing - unexplained} differ for a reason that an erratum gives"
    )
    sentence += f", {unexplained} differ without one" if unexplained else ""
    return sentence + (f"; {undone} could not be computed." if undone else ".")


def _summary(rows: Sequence[Row]) -> str:
    differing = [row for row in principal(rows) if row.agrees is False]
    if not differing:
        return summary(rows) + "\n"
    return f"{summary(rows)} These differ:\n\n{_table(differing)}\n"


def _section(section: Section) -> str:
    listed = [row for row in section.rows if not row.cell]
    if not any(row.published is not None for row in listed):  # the numbers are in the text
        return section.text
    return f"{section.text}\n{_table(listed)}\n"


def _table(rows: Sequence[Row]) -> str:
    head = ["item", "published", "obtained", "agrees", "note"]
    agrees = {True: "yes", False: "**no**", None: ""}
    lines = [[row.item, row.published or "", row.shown(), agrees[row.agrees], row.note] for row in rows]
    return table(head, lines, align="lrrcl")
