"""The reproduction as a report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from termburst.paper.results import Row, Section, texts


def as_markdown(sections: Sequence[Section], undone: Mapping[str, Sequence[str]], rows: Sequence[Row]) -> str:
    """The whole report."""
    examples = [section for section in sections if not section.name.startswith("erratum")]
    blocks = [texts()["head"], _summary(rows), *map(_section, examples)]
    if len(examples) < len(sections):
        blocks.append(errata_page(sections).replace("\n#", "\n##").replace("# ", "## ", 1))
    if undone:
        lines = [f"* **{', '.join(items)}**: {why}" for why, items in undone.items()]
        blocks.append("## Not done\n\n" + "\n".join(lines) + "\n")
    return "\n".join(blocks)


def errata_page(sections: Iterable[Section]) -> str:
    """All errata with their numbers; docs/errata.md has them in short."""
    errata = [_section(section) for section in sections if section.name.startswith("erratum")]
    return "\n".join([texts()["errata"], *errata])


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
    return summary(rows) + (f" These differ:\n\n{_rows(differing)}" if differing else "\n")


def _section(section: Section) -> str:
    rows = _rows(section.rows, f"{section.name.capitalize()}: ") if section.rows else ""
    return "\n".join(part for part in (texts()[section.name], rows) if part)


def _rows(rows: Sequence[Row], place: str = "") -> str:
    agrees = {True: "yes", False: "**no**", None: ""}
    lines = ["| item | published | obtained | agrees | note |", "|---|--:|--:|---|---|"]
    for row in rows:
        item = row.item.removeprefix(place)
        lines.append(f"| {item} | {row.published or ''} | {row.shown()} | {agrees[row.agrees]} | {row.note} |")
    return "\n".join(lines) + "\n"
