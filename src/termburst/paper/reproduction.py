"""Run the examples of the paper and write their results."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from termburst import plot
from termburst.files import atomic_path, check_output
from termburst.paper import figures, report, settled_parts, tables
from termburst.paper.collections import UNAVAILABLE, Collections
from termburst.paper.errata import ERRATA, erratum
from termburst.paper.results import Row, Section

Example = Callable[[Collections], Section]
_EXAMPLES: tuple[Example, ...] = (
    *(figures.fig1, figures.fig2, figures.fig3, figures.reuters, figures.fig4, tables.table2, figures.fig5),
    *(tables.table3, figures.figa1, figures.figa2),
)
STEPS: dict[str, Example] = {
    **{example.__name__: example for example in _EXAMPLES},
    **{f"erratum {number}": functools.partial(erratum, number) for number in ERRATA},
}

_FILES = ("results.json", "errata.md", "report.md")

Progress = Callable[[str, int, int], None]  # name of the step, number of steps done, number of all steps


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The results, and the parts whose data is missing."""

    sections: list[Section] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)  # part → what is wrong with its data and what to do

    @property
    def rows(self) -> list[Row]:
        """All rows, including those of parts that could not be done."""
        rows = [row for section in self.sections for row in section.rows]
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
    errata = [name for name in STEPS if name.startswith("erratum")]
    steps = [step for part in parts for step in (errata if part == "errata" else [part])]
    done, collections = Reproduction(), Collections()
    for count, step in enumerate(steps):
        progress(step, count, len(steps))
        try:
            section = STEPS[step](collections)
        except UNAVAILABLE as error:
            done.missing[step] = str(error)
            continue
        for stem, figure in section.pictures.items():
            plot.save(figure, out, stem)
        done.sections.append(section)
    progress("report", len(steps), len(steps))
    rows = [row.as_json() for row in done.rows]
    _write(out / "results.json", json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    if "errata" in parts:
        _write(out / "errata.md", report.errata_page(done.sections))
    _write(out / "report.md", report.as_markdown(done.sections, done.undone, done.rows))
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


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
