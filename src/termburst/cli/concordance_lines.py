"""Lines of a concordance as people read them: the match in the middle, under those of the other lines."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from termburst.cli.options import Table
from termburst.cli.output import cells, many, note, write_out
from termburst.display import printable

if TYPE_CHECKING:
    import polars as pl

WIDTH = 60  # characters on each side, if the output is not a terminal
_ID = 24  # cells of the id of a document
_MATCH = 24  # cells of a match for which a terminal has space
_PLAIN = r"^[ -~]*$"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
_ISOLATE, _END = "\u2068", "\u2069"  # what is between them has its own direction, and does not move what is beside


def fitting_width(table: Table) -> int:
    """The characters on each side that fit on the terminal, or `WIDTH` if there is none."""
    if not table.is_on_terminal:
        return WIDTH
    return max((shutil.get_terminal_size().columns - _ID - _MATCH - 3) // 2, 10)


def write_lines(frames: Iterable[pl.DataFrame], table: Table, width: int) -> int:
    """Write lines to standard output as they come, or to a file when all are there; returns how many there are."""
    rows = 0

    def parts() -> Iterator[str]:
        nonlocal rows
        id_width = 0
        for lines in frames:
            rows += lines.height
            if lines.height:
                id_width = min(max(id_width, int(lines["id"].str.len_chars().max() or 1)), _ID)  # type: ignore[arg-type]
                yield aligned(lines, width, id_width)

    if table.output is None:
        for text in parts():
            write_out(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    else:
        write_out("".join(parts()).encode(), table.output)
        note(f"{table.output}: {many(rows, 'row')}")
    return rows


def aligned(lines: pl.DataFrame, width: int, id_width: int) -> str:
    """The lines as text: id, other columns, then the match in the middle."""
    import polars as pl

    others = [name for name in lines.columns if name not in ("id", "left", "match", "right", "position")]
    plain = pl.all_horizontal(pl.col("id", "left", "match", "right").str.contains(_PLAIN))
    plain = plain & pl.lit(not others)
    long = pl.col("id").str.len_chars() > id_width  # the end of a path says more than its beginning
    name = pl.when(long).then(pl.lit("…") + pl.col("id").str.tail(id_width - 1)).otherwise(pl.col("id"))
    padded = name.str.pad_end(id_width), pl.col("left").str.pad_start(width)
    text = pl.concat_str(*padded, "match", "right", separator=" ").str.strip_chars_end()
    made = lines.select(pl.when(plain).then(text).alias("text"))["text"]  # ASCII needs no look at each character
    shown = made.to_list()
    if made.null_count():
        rest = lines.select("id", *others, "left", "match", "right").filter(made.is_null())
        for place, row in zip(made.is_null().arg_true().to_list(), rest.iter_rows(), strict=True):
            shown[place] = _one(row, width, id_width)
    return "\n".join(shown) + "\n"


def _one(row: tuple[Any, ...], width: int, id_width: int) -> str:
    name, *others, left, match, right = (
        "–" if value is None else value if isinstance(value, str) else f"{value}" for value in row
    )
    name = printable(name, None)
    name = name if cells(name) <= id_width else "…" + fitted(name, id_width - 1, at_end=True)
    about = [fitted(name, id_width), *(printable(value) for value in others)]
    parts = [printable(left, None), printable(match, None), fitted(printable(right, None), width).rstrip()]
    parts[0] = fitted(parts[0], width, at_end=True)
    if _RIGHT_TO_LEFT.search(f"{left}{match}{right}"):
        space = len(parts[0]) - len(parts[0].lstrip())
        parts = [f"{_ISOLATE}{part}{_END}" for part in (parts[0].lstrip(), *parts[1:])]
        parts[0] = " " * space + parts[0]
    return " ".join([*about, *parts]).rstrip()


def fitted(text: str, width: int, *, at_end: bool = False) -> str:
    """A text cut and padded to a number of cells; with *at_end*, its end is kept and stands at the right.

    Examples
    --------
    >>> fitted("so", 4), fitted("so it goes", 6, at_end=True), fitted("東京", 6, at_end=True), fitted("東京都", 5)
    ('so  ', 't goes', '  東京', '東京 ')
    """
    from rich.cells import set_cell_size

    return set_cell_size(text[::-1], width)[::-1] if at_end else set_cell_size(text, width)
