"""`termburst reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.output import note, print_table, progress_bar, say
from termburst.paper import NAMES, settled_parts

if TYPE_CHECKING:
    from termburst.paper.results import Row


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]...", help=f"{', '.join(NAMES)}. (default: all)", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path("reproduction"),
) -> None:
    """Make every figure and table of the paper, with the published values beside ours.

    Writes results.json, report.md and the pictures (SVG and PNG). The exit code is 1 if a data set is missing, or if a
    number differs for no known reason.
    """
    parts = settled_parts(what or ["all"])
    with progress_bar() as bar:
        task = bar.add_task("Loading", total=None)
        from termburst.paper import report
        from termburst.paper.reproduction import reproduce as run

        def show(step: str, count: int, total: int) -> None:
            bar.update(task, description=step, completed=count, total=total)

        done = run(parts, out, show)
    _print_rows(report.principal(done.rows))
    say("", report.summary(done.rows))
    for why, items in done.undone.items():
        say(f"not done: {', '.join(items)}: {why}", err=True)
    note(f"{out / 'report.md'}: the report; {out / 'results.json'}: its rows")
    if not done.complete:
        raise typer.Exit(1)


def _print_rows(rows: Sequence[Row]) -> None:
    """Print one line per number, with the beginning of its note; of table cells, only those that differ."""
    import polars as pl

    listed = [row for row in rows if not row.cell or row.agrees is False]
    agrees = {True: "yes", False: "no", None: ""}
    columns: dict[str, list[str]] = {
        "item": [row.item for row in listed],
        "published": [row.published or "" for row in listed],
        "obtained": [row.shown() for row in listed],
        "agrees": [agrees[row.agrees] for row in listed],
        "note": [row.note.partition(":")[0] for row in listed],
    }
    if listed:
        print_table(pl.DataFrame(columns), longest=200)
    cells = sum(row.agrees is True for row in rows) - sum(row.agrees is True for row in listed)
    if cells:
        say(f"and {cells} cells of tables that agree to the printed digit (see results.json)")
