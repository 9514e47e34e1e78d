"""Run the examples of the paper and write their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from termburst import plot
from termburst.files import atomic_path, check_output
from termburst.paper import figures, markdown, report, settled_parts, tables
from termburst.paper.claim1 import claim1
from termburst.paper.collections import UNAVAILABLE, Collections
from termburst.paper.errata import ERRATA
from termburst.paper.errata import as_markdown as errata_page
from termburst.paper.rankings import rankings
from termburst.paper.results import Erratum, Row, Section

EXAMPLES: dict[str, Callable[[Collections], Section]] = {
    example.__name__: example
    for example in (
        *(figures.fig1, figures.fig2, figures.fig3, figures.reuters, figures.fig4, tables.table2, figures.fig5),
        *(tables.table3, figures.figa1, figures.figa2, claim1, rankings),
    )
}

_FILES = ("results.json", "errata.md", "report.md")

Progress = Callable[[str, int, int], None]  # name of the step, number of steps done, number of all steps


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The results, and the parts whose data is missing."""

    sections: list[Section] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)  # part → what is wrong with its data and what to do

    @property
    def rows(self) -> list[Row]:
        """All rows, including those of parts that could not be done."""
        rows = [row for section in self.sections for row in section.rows]
        rows += [row for erratum in self.errata for row in erratum.rows]
        return rows + [Row(part, None, None, None, f"not done: {how}") for part, how in self.missing.items()]

    @property
    def undone(self) -> dict[str, list[str]]:
        """The reason why something could not be done, and what to do → the parts and single numbers concerned."""
        undone: dict[str, list[str]] = {}
        for row in self.rows:
            if row.obtained is None:
                undone.setdefault(row.note.removeprefix("not done: "), []).append(row.item)
        return undone

    @property
    def complete(self) -> bool:
        """Whether every number could be computed, and agrees or is explained."""
        return not self.undone and not any(row.unexplained for row in self.rows)


def reproduce(names: Iterable[str], out: Path, progress: Progress = lambda *_: None) -> Reproduction:
    """Make the figures and tables in *names*, and write them into the folder *out*.

    Every picture is written as SVG and PNG, the rows as results.json, the errata as errata.md, the report as report.md.
    A second run writes the same bytes. A part whose data set is missing is noted as not done; the others are done.
    """
    parts = settled_parts(names)
    _prepare(out)
    steps = [part for part in parts if part != "errata"]
    steps += [f"erratum {number}" for number in ERRATA] if "errata" in parts else []
    done, collections = Reproduction(), Collections()
    for count, step in enumerate(steps):
        progress(step, count, len(steps))
        try:
            if step in EXAMPLES:
                section = EXAMPLES[step](collections)
                for stem, figure in section.pictures.items():
                    plot.save(figure, out, stem)
                done.sections.append(section)
            else:
                done.errata.append(ERRATA[int(step.removeprefix("erratum "))](collections))
        except UNAVAILABLE as error:
            done.missing[step] = str(error)
    progress("report", len(steps), len(steps))
    rows = [row.as_json() for row in done.rows]
    _write(out / "results.json", json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    if done.errata:
        _write(out / "errata.md", errata_page(done.errata))
    _write(out / "report.md", report.as_markdown(done.sections, done.errata, done.undone, done.rows))
    return done


def _prepare(out: Path) -> None:
    """Create the folder; check before the work that the files can be written and that nothing is missing."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {out} cannot be created: {error.strerror}") from error
    for name in _FILES:
        check_output(out / name)
    plot.require()
    markdown.templates()


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
