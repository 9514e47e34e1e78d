"""Tables to a terminal, a pipe or a file."""

from __future__ import annotations

import json
import math
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst._display import printable

if TYPE_CHECKING:
    import polars as pl
    from rich.text import Text

_LONGEST = 40  # characters of a term in a terminal table
_NOTHING = "no term occurs that often: lower --min-count"


class Format(StrEnum):
    """How a table is written."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def settled_format(format: Format | None, output: Path | None, *sources: str) -> Format:
    """The format asked for, or that of *output*'s ending; what cannot be written is refused before any work is done.

    No more may *output* be one of the *sources*, which are yet to be read.
    """
    from termburst._files import check_output

    format = format or _format_of(output)
    if output is not None:
        for source in sources:
            check_output(output, source=source)
    elif format is Format.parquet and sys.stdout.isatty():
        raise ValueError("Parquet is not for a terminal: name a file with -o, or pipe it")
    return format


def write_table(frame: pl.DataFrame, format: Format, output: Path | None, title: str = "") -> None:
    """Write a frame to a file, whole or not at all, or to standard output."""
    from termburst._files import atomic_path

    if output is not None:
        with atomic_path(output) as temporary:
            temporary.write_bytes(_encoded(frame, format, title))
        note(f"{output}: {many(frame.height, 'row')}")
    else:
        try:
            if format is Format.table:
                print_table(frame, title)
            else:
                sys.stdout.buffer.write(_encoded(frame, format, title))
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:  # such as a full disk
            raise ValueError(f"the table cannot be written to standard output: {error.strerror or error}") from error
    if frame.is_empty() and format is not Format.table:
        note(_NOTHING)


def note(message: str) -> None:
    """A word to the person at a terminal about what was done; nothing in a script."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(message, file=sys.stderr)  # noqa: T201


def many(count: int, noun: str) -> str:
    """A number of things: "1 document", "1,200 documents"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def print_table(frame: pl.DataFrame, title: str = "", *, file: Any = None) -> None:
    """A table for people; whatever a term holds is shown as text, never obeyed."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=file, width=100_000)  # numbers are never cut: a line too long for the terminal runs over
    if title:
        console.print(title, markup=False, highlight=False)  # not as the table's own, which is wrapped to its width
    if frame.is_empty():
        console.print(_NOTHING)
        return
    table = Table(box=None, pad_edge=False)
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        table.add_column(name, justify="right" if kind.is_numeric() else "left", no_wrap=True)
    for row in frame.iter_rows():
        table.add_row(*map(_cell, row))
    console.print(table)


def _cell(value: Any) -> Text:
    from rich.text import Text

    if value is None:
        return Text("–")
    if isinstance(value, float):
        return Text(f"{value:,.2f}" if 10 <= abs(value) < 1e9 else f"{value:.4g}")
    if isinstance(value, int):
        return Text(f"{value:,}")
    return Text(printable(value, _LONGEST))


def _format_of(output: Path | None) -> Format:
    if output is None:
        return Format.table
    endings = {".csv": Format.csv, ".json": Format.json, ".parquet": Format.parquet, ".txt": Format.table}
    if output.suffix.lower() not in endings:
        raise ValueError(f"{output}: its ending does not say the format; add --format csv, json, parquet or table")
    return endings[output.suffix.lower()]


def _encoded(frame: pl.DataFrame, format: Format, title: str) -> bytes:
    import io

    if format is Format.csv:
        return frame.write_csv().encode()
    if format is Format.json:
        return (json.dumps([_json_row(row) for row in frame.to_dicts()], ensure_ascii=False, indent=1) + "\n").encode()
    if format is Format.table:
        text = io.StringIO()
        print_table(frame, title, file=text)
        return text.getvalue().encode()
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


def _json_row(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
