"""Everything that is printed, and tables for a terminal, a pipe or a file.

No other file of `cli` prints. The functions here escape control characters in names, labels and terms, so that a
terminal shows them as text and never obeys them.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from termburst.display import printable, printable_json

if TYPE_CHECKING:
    import polars as pl

    from termburst.cli.options import Csv, Table

# Text that a spreadsheet would run, and a number with a sign, which is not a formula; the page's table.js has the same.
Title = str | Sequence[str]  # one or more lines above a table

_FORMULA, _NUMBER = r"^'*[=+\-@\t\r\n＝＋－＠]", r"\A[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)\z"
_EXCEL_ROWS = 1_048_576  # of a sheet, the header included
_LONGEST = 40  # characters of a term in a terminal table
SURE = 0.05  # q up to this counts as found
NOTHING = "no term occurs that often; lower --min-count"


Format = Literal["table", "csv", "json", "parquet"]  # how a table is written


def settled_format(table: Table, *sources: str) -> Format:
    """The format asked for, or that of the output's ending. What cannot be written is refused before any work is done.

    The output must not be one of the *sources*.
    """
    from termburst.files import check_output

    format = table.format or _format_of(table.output)
    check_csv_options(format, table)
    if table.output is not None:
        check_output(table.output, *sources)
    elif format == "parquet" and sys.stdout.isatty():
        raise ValueError("Parquet cannot be shown on a terminal; write it to a file with -o, or to a pipe")
    return format


def check_csv_options(format: str, csv: Csv) -> None:
    """Refuse options that are for CSV if the format is another."""
    for option, given in (("--csv-as-is", csv.csv_as_is), ("--excel", csv.excel)):
        if given and format != "csv":
            raise ValueError(f"{option} is for CSV, but the format is {format}; ask for csv, or omit {option}")


def write_table(frame: pl.DataFrame, table: Table, title: Title = "", *, nothing: str = NOTHING) -> None:
    """Write a frame to standard output, or to a file, completely or not at all; in CSV, formulas get an apostrophe.

    With `csv_as_is` they do not. With `excel`, CSV begins with a byte order mark: without it, Excel reads UTF-8 as the
    encoding of the computer's language. *nothing* is said of a frame without rows.
    """
    format, output, escaped = table.format, table.output, 0
    if format == "csv" and not table.csv_as_is:
        frame, escaped = without_formulas(frame)
    if output is not None:
        write_out(_encoded(frame, table, title), output)
        note(f"{output}: {many(frame.height, 'row')}")
    else:
        if format == "table":
            print_table(frame, title, nothing=nothing)
        else:
            content = _encoded(frame, table, title)
            if format == "csv" and sys.stdout.isatty():  # JSON escapes what a terminal obeys; CSV cannot
                content = "\n".join(printable(line, None) for line in content.decode().split("\n")).encode()
            write_out(content)
        sys.stdout.flush()
    if escaped:
        which = f"{many(escaped, 'cell')} that a spreadsheet would run as a formula"
        say(f"{output or 'CSV'}: added an apostrophe before {which}; --csv-as-is leaves them unchanged", err=True)
    if table.excel and frame.height >= _EXCEL_ROWS:
        say(f"{output or 'CSV'}: Excel shows only the first {_EXCEL_ROWS - 1:,} of {frame.height:,} rows", err=True)
    if frame.is_empty() and nothing and format != "table":
        note(nothing)


def without_formulas(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The frame with an apostrophe before each text that a spreadsheet would run, and how many there are.

    Text that already has apostrophes before a formula, or before a number with a sign, gets one more, so that removing
    one always gives the text back. A number with a sign alone is not a formula.

    Examples
    --------
    >>> import polars as pl
    >>> frame, escaped = without_formulas(pl.DataFrame({"term": ["=1+1", "'=1", "-1"], "n": [-1, -2, -3]}))
    >>> frame["term"].to_list(), frame["n"].to_list(), escaped
    (["'=1+1", "''=1", '-1'], [-1, -2, -3], 2)
    """
    import polars as pl

    escaped = 0
    for name in frame.select(pl.col(pl.String)).columns:
        runs = frame[name].str.contains(_FORMULA)
        if not runs.any():
            continue
        runs &= ~frame[name].str.contains(_NUMBER)
        if found := int(runs.sum()):
            text = pl.when(runs).then(pl.lit("'") + pl.col(name)).otherwise(pl.col(name))
            frame, escaped = frame.with_columns(text.alias(name)), escaped + found
    return frame, escaped


def write_out(content: bytes, output: Path | None = None) -> None:
    """Write bytes to standard output, for another program to read; or to a file, completely or not at all."""
    from termburst.files import atomic_path

    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    with atomic_path(output) as temporary:
        temporary.write_bytes(content)


def say(*lines: str, err: bool = False) -> None:
    """Print lines; control characters in a name, a label or a term, also line breaks, are shown as escapes.

    If standard error cannot be written, on a full disk or because its reader has gone, the command continues.

    Examples
    --------
    >>> say("two files:", "a\\nb.txt")
    two files:
    a\\nb.txt
    """
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    try:
        print(*(printable(line, None) for line in lines), sep="\n", file=stream, flush=True)
    except OSError:
        if not err:
            raise
        to_nowhere(stream)


def settle(stream: Any) -> None:
    """Flush a stream, so that Python has nothing left to write at exit, where a failure would print a traceback."""
    try:
        stream.flush()
    except OSError:
        to_nowhere(stream)


def to_nowhere(stream: Any) -> None:
    """Discard without an error what a stream has not yet written, and what is written to it from now on."""
    with suppress(OSError):  # a stream that is not a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def note(message: str) -> None:
    """Print a message on a terminal about what was done; in a script, print nothing."""
    if errors_are_on_terminal():
        say(message, err=True)


def errors_are_on_terminal() -> bool:
    """Whether people see standard error at once."""
    return sys.stderr is not None and sys.stderr.isatty()


def json_text(value: Any, **options: Any) -> bytes:
    """Readable JSON and a line break, without characters that a terminal would obey."""
    text = printable_json(json.dumps(value, ensure_ascii=False, **options))
    return f"{text}\n".encode()


def many(count: int, noun: str) -> str:
    """A number and a noun: "1 document", "1,200 documents"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def of_words(found: int, all_: int, verb: str) -> str:
    """How many of some words do something.

    >>> of_words(3, 1200, "come in bursts")
    '3 of 1,200 words come in bursts'
    """
    return f"{found:,} of {many(all_, 'word')} {verb}"


def print_table(
    frame: pl.DataFrame, title: Title = "", *, file: Any = None, nothing: str = NOTHING, longest: int = _LONGEST
) -> None:
    """Print a table for people, below one or more lines; control characters in terms are shown as escapes."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, width=100_000)  # numbers are never cut: a line that is too long wraps
    for line in [title] if isinstance(title, str) else title:
        if line:  # not as the title of the table, which rich wraps to the table's width
            console.print(Text(printable(line, None)))
    if frame.is_empty():
        console.print(nothing)
        return
    # Not with rich's own table, which takes one minute for 60,000 rows.
    columns = [_column(name, frame[name], longest) for name in frame.columns]
    console.print("  ".join(column[0] for column in columns), style="bold", markup=False, emoji=False, highlight=False)
    for row in zip(*(column[1:] for column in columns), strict=True):
        console.file.write("  ".join(row) + "\n")


@contextmanager
def progress_bar(*, when: bool = True) -> Iterator[Any]:
    """A progress bar on standard error, if that is a terminal; otherwise nothing."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    console = Console(stderr=True)
    described = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
    columns = (described, BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not (when and console.is_terminal)) as bar:
        yield bar


def _column(name: str, values: pl.Series, longest: int) -> list[str]:
    """The name and the values of a column as text, padded to one width; numbers are aligned to the right."""
    texts = [printable(name, _LONGEST), *(_cell(value, longest) for value in values.to_list())]
    widths = list(map(cells, texts))
    widest, right = max(widths), values.dtype.is_numeric()
    spaces = [" " * (widest - width) for width in widths]
    pairs = zip(texts, spaces, strict=True)
    return [space + cell if right else cell + space for cell, space in pairs]


def cells(text: str) -> int:
    """How many cells of a terminal a text takes: East Asian wide characters take two, combining marks none.

    Examples
    --------
    >>> cells("so"), cells("東京"), cells("e\u0301")
    (2, 4, 1)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _cell(value: Any, longest: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.2f}" if 10 <= abs(value) < 1e9 else f"{value + 0.0:.4g}"  # + 0.0: not −0
    if isinstance(value, int):
        return f"{value:,}"
    return printable(value, longest)


def _format_of(output: Path | None) -> Format:
    if output is None:
        return "table"
    endings: dict[str, Format] = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "table"}
    refuse_workbook(output)
    if output.suffix.lower() not in endings:
        raise ValueError(f"{output}: the format is not clear from its ending; add --format csv, json, parquet or table")
    return endings[output.suffix.lower()]


def refuse_workbook(output: Path) -> None:
    """Raise ValueError for the name of an Excel file, which is not written: CSV is what Excel opens."""
    if output.suffix.lower() in (".xlsx", ".xls", ".ods"):
        csv_name = output.with_suffix(".csv").name
        raise ValueError(f"{output}: workbooks are not written; write CSV that Excel opens: -o {csv_name} --excel")


def _encoded(frame: pl.DataFrame, table: Table, title: Title) -> bytes:
    import io

    if table.format == "csv":
        return frame.write_csv().encode("utf-8-sig" if table.excel else "utf-8")
    if table.format == "json":
        return json_text([_json_row(row) for row in frame.to_dicts()], indent=1, default=str)
    if table.format == "table":
        text = io.StringIO()
        print_table(frame, title, file=text)
        return text.getvalue().encode()
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


def _json_row(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
