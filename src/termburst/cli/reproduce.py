"""`termburst reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.output import note
from termburst.cli.reading import progress_bar
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
    """Make every figure and table of the paper, beside the published values.

    Writes results.json, report.md and the pictures (SVG and PNG). Exit code 1 if a part could not be done for want of
    its data set, or a number differs without a known reason.
    """
    parts = settled_parts(what or ["all"])
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out} is a file; --out names a folder to write to")
    with progress_bar() as bar:
        task = bar.add_task("Loading", total=None)
        from termburst.paper import report
        from termburst.paper.reproduction import reproduce as run

        def show(step: str, count: int, total: int) -> None:
            bar.update(task, description=step, completed=count, total=total)

        done = run(parts, out, show)
    rows = done.rows
    _print_rows(report.principal(rows))
    typer.echo(f"\n{report.summary(rows)}")
    for part, how in done.missing.items():
        typer.echo(f"{part} was not done: {how}", err=True)
    note(f"{out / 'report.md'}: to read; {out / 'results.json'}: the rows")
    if not done.complete:
        raise typer.Exit(1)


def _print_rows(rows: Sequence[Row]) -> None:
    """A line a number; of a table's many cells only those that differ, and a count of the others that agree."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console.width = 200
    table = Table(box=None, pad_edge=False)
    for name in ("item", "published", "obtained"):
        table.add_column(name, justify="left" if name == "item" else "right", overflow="fold")
    table.add_column("agrees")
    table.add_column("note", overflow="fold")
    agreeing = [row for row in rows if row.cell and row.agrees is not False]
    for row in rows:
        if row not in agreeing:
            agrees = {True: "yes", False: "no", None: ""}[row.agrees]
            table.add_row(*map(Text, (row.item, row.published or "", row.shown(), agrees, row.note)))
    console.print(table)
    cells = sum(row.agrees is True for row in agreeing)
    if cells:
        typer.echo(f"and {cells} cells of Tables 2 and 3 that agree to the printed digit (see results.json)")
