"""Lines of a concordance as they are written: aligned for people, or as CSV, JSON or Parquet."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

from termburst.cli.options import Table
from termburst.cli.output import Format, cells, columns_shown, many, note, say_escaped, without_formulas, write_out
from termburst.display import printable, printable_json

if TYPE_CHECKING:
    import polars as pl

WIDTH = 60  # characters on each side, if the output is not a terminal
_ID = 24  # cells of the id of a document
_MATCH = 24  # cells of a match for which a terminal has space
_PLAIN = r"^[ -~]*$"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
_ISOLATE, _END = "\u2068", "\u2069"  # what is between them has its own direction, and does not move what is beside


class LineWriter:
    """Writes frames of lines, one after the other, to standard output or to a file; a file appears only when complete.

    Parameters
    ----------
    width : characters on each side; by default what fits on the terminal
    """

    def __init__(self, table: Table, width: int | None) -> None:
        self.table, self.format, self.output = table, table.format, table.output
        self.on_terminal = self.output is None and sys.stdout.isatty()
        if width is None:
            fits = (columns_shown(2 * WIDTH + _ID + _MATCH + 3) - _ID - _MATCH - 3) // 2
            width = max(fits, 10) if self.on_terminal and table.is_shown else WIDTH
        self.width, self.rows, self.escaped = width, 0, 0
        self.id_width = 0
        self.stream: BinaryIO | None = None
        self.stack = ExitStack()

    def __enter__(self) -> LineWriter:
        from termburst.files import atomic_path

        if self.output is not None and self.format is not Format.parquet:
            temporary = self.stack.enter_context(atomic_path(self.output))
            self.stream = self.stack.enter_context(temporary.open("wb"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.format is Format.json:
            self._send("\n]\n" if self.rows else "[]\n")
        self.stack.__exit__(kind, error, trace)
        if kind is None and self.output is not None and self.format is not Format.parquet:
            note(f"{self.output}: {many(self.rows, 'row')}")
        if kind is None and self.escaped:
            say_escaped(self.output, self.escaped)

    def write(self, lines: pl.DataFrame) -> None:
        """Write some more lines."""
        first = self.rows == 0
        if self.format is Format.parquet:
            self.table.write(lines)
        elif self.format is Format.csv:
            self._write_csv(lines, header=first)
        elif self.format is Format.json:
            self._write_json(lines, first=first)
        elif lines.height:
            self._send(self._aligned(lines))
        self.rows += lines.height

    def _write_csv(self, lines: pl.DataFrame, *, header: bool) -> None:
        if not self.table.csv_as_is:
            lines, escaped = without_formulas(lines)
            self.escaped += escaped
        text = lines.write_csv(include_header=header)
        if self.on_terminal:  # which would obey control characters
            text = "\n".join(printable(line, None) for line in text.split("\n"))
        self._send("\ufeff" + text if header and self.table.excel else text)

    def _write_json(self, lines: pl.DataFrame, *, first: bool) -> None:
        rows = [printable_json(json.dumps(row, ensure_ascii=False, default=str)) for row in lines.to_dicts()]
        if rows:
            self._send(("[\n " if first else ",\n ") + ",\n ".join(rows))

    def _aligned(self, lines: pl.DataFrame) -> str:
        """The lines as text: id, other columns, then the match in the middle."""
        import polars as pl

        longest = lines["id"].str.len_chars().max()
        self.id_width = min(max(self.id_width, int(longest or 1)), _ID)  # type: ignore[arg-type]  # a number
        others = [name for name in lines.columns if name not in ("id", "left", "match", "right", "position")]
        plain = pl.all_horizontal(pl.col("id", "left", "match", "right").str.contains(_PLAIN))
        plain = plain & pl.lit(not others)
        long = pl.col("id").str.len_chars() > self.id_width  # the end of a path says more than its beginning
        name = pl.when(long).then(pl.lit("…") + pl.col("id").str.tail(self.id_width - 1)).otherwise(pl.col("id"))
        padded = name.str.pad_end(self.id_width), pl.col("left").str.pad_start(self.width)
        text = pl.concat_str(*padded, "match", "right", separator=" ").str.strip_chars_end()
        made = lines.select(pl.when(plain).then(text).alias("text"))["text"]  # ASCII needs no look at each character
        shown = made.to_list()
        if made.null_count():
            rest = lines.select("id", *others, "left", "match", "right").filter(made.is_null())
            for place, row in zip(made.is_null().arg_true().to_list(), rest.iter_rows(), strict=True):
                shown[place] = self._one(row)
        return "\n".join(shown) + "\n"

    def _one(self, row: tuple[Any, ...]) -> str:
        name, *others, left, match, right = (
            "–" if value is None else value if isinstance(value, str) else f"{value}" for value in row
        )
        name = printable(name, None)
        name = name if cells(name) <= self.id_width else "…" + cut(name, self.id_width - 1, at_end=True)
        about = [fitted(name, self.id_width), *(printable(value) for value in others)]
        isolated = _RIGHT_TO_LEFT.search(f"{left}{match}{right}") is not None
        parts = [printable(left, None), printable(match, None), printable(right, None)]
        parts[0] = fitted(parts[0], self.width, at_end=True, isolated=isolated)
        parts[2] = cut(parts[2], self.width)
        if isolated:
            parts[1:] = [f"{_ISOLATE}{part}{_END}" for part in parts[1:]]
        return " ".join([*about, *parts]).rstrip()

    def _send(self, text: str) -> None:
        if self.stream is not None:
            self.stream.write(text.encode("utf-8", "backslashreplace"))
        elif self.output is None:
            write_out(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))


def cut(text: str, width: int, *, at_end: bool = False) -> str:
    """As much of a text as fits into a number of cells: its beginning, or with *at_end* its end.

    Examples
    --------
    >>> cut("so it goes", 5), cut("so it goes", 4, at_end=True), cut("東京都", 5), cut("東京都", 5, at_end=True)
    ('so it', 'goes', '東京', '京都')
    """
    if cells(text) <= width:
        return text
    used, kept = 0, 0
    for kept, character in enumerate(reversed(text) if at_end else text):  # noqa: B007
        used += cells(character)
        if used > width:
            break
    part = text[len(text) - kept :] if at_end else text[:kept]
    if at_end:  # a mark without its letter would move to the letter before
        part = part.lstrip("".join(c for c in part[:8] if unicodedata.combining(c)))
    return part


def fitted(text: str, width: int, *, at_end: bool = False, isolated: bool = False) -> str:
    """A text cut and padded to a number of cells; with *at_end*, its end is kept and stands at the right.

    Examples
    --------
    >>> fitted("so", 4), fitted("so it goes", 6, at_end=True), fitted("東京", 6, at_end=True)
    ('so  ', 't goes', '  東京')
    """
    shown = cut(text, width, at_end=at_end)
    space = " " * (width - cells(shown))
    shown = f"{_ISOLATE}{shown}{_END}" if isolated else shown
    return space + shown if at_end else shown + space
