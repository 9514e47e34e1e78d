"""Run the examples of the paper and write their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from termburst import plot
from termburst.files import atomic_path, check_output
from termburst.paper import report, settled_parts
from termburst.paper.claim1 import claim1
from termburst.paper.collections import UNAVAILABLE, Collections
from termburst.paper.errata import ERRATA, Erratum
from termburst.paper.errata import as_markdown as errata_page
from termburst.paper.figures.fig1 import fig1
from termburst.paper.figures.fig2 import fig2
from termburst.paper.figures.fig3 import fig3
from termburst.paper.figures.fig4 import fig4
from termburst.paper.figures.fig5 import fig5
from termburst.paper.figures.figa1 import figa1
from termburst.paper.figures.figa2 import figa2
from termburst.paper.penalties import penalties
from termburst.paper.rankings import rankings
from termburst.paper.results import Row, Section
from termburst.paper.reuters import reuters
from termburst.paper.table2 import table2
from termburst.paper.table3 import table3

EXAMPLES: dict[str, Callable[[Collections], Section]] = {
    "fig1": fig1,
    "fig2": fig2,
    "fig3": fig3,
    "reuters": reuters,
    "fig4": fig4,
    "table2": table2,
    "fig5": fig5,
    "table3": table3,
    "figa1": figa1,
    "figa2": figa2,
    "claim1": claim1,
    "rankings": rankings,
    "penalties": penalties,
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
                for picture in section.pictures:
                    plot.save(picture.figure, out, picture.stem)
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
    """Create the folder; check before the work that the files can be written and that Matplotlib is installed."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {out} cannot be created: {error.strerror}") from error
    for name in _FILES:
        check_output(out / name)
    plot.require()


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
