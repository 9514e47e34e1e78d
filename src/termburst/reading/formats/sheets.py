"""Excel sheets (.xlsx), by openpyxl: one document per row of the first sheet."""

from __future__ import annotations

import datetime
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

from termburst.reading.documents import Scalar, as_scalar
from termburst.reading.formats.found import Note, UnreadableFile, load
from termburst.reading.formats.zip_package import ZipPackage
from termburst.reading.options import ReadingPlan

_NAME = "an Excel sheet"
MOST_ROWS = 2**20  # as in Excel
_FAR_CELL = re.compile(
    rb"""\sr\s*=\s*["'](?:\$?[A-Za-z]{4}|[A-Za-z$]{0,4}\d{8})"""
)  # openpyxl would fill the room before it
_Row = tuple[Any, ...]


def read_xlsx(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of the first sheet that is shown, with their numbers; the first row names the columns."""
    package = ZipPackage(stream, options.file_bytes, _NAME)
    for name, data in package.unpack_all():  # openpyxl unpacks by itself, without limits
        if name.startswith("xl/worksheets/") and _FAR_CELL.search(data):
            raise UnreadableFile(f"has cells beyond the {MOST_ROWS:,} rows and 16,384 columns of a sheet")
    openpyxl = load("openpyxl", "openpyxl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about drawings and formats, which we do not read
        book = openpyxl.load_workbook(package.stream, read_only=True, data_only=True, keep_links=False)
    try:
        yield from _records(_sheet(book, note), options.text or "text", note)
    finally:
        book.close()


def _sheet(book: Any, note: Note) -> Any:
    sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"] or book.worksheets
    if not sheets:
        raise UnreadableFile("has no sheet with cells")
    if len(book.worksheets) > 1:
        others = [sheet.title for sheet in book.worksheets if sheet is not sheets[0]]
        shown = ", ".join(map(repr, others[:5])) + (", …" if len(others) > 5 else "")
        note("sheets left out", f"{shown}; only the first sheet, {sheets[0].title!r}, is read")
    return sheets[0]


def _records(sheet: Any, column: str, note: Note) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = _rows(sheet)
    header = [_text(cell).strip() for cell in next(rows, ())]
    names = list(filter(None, header))
    if not names:
        raise UnreadableFile("the first sheet is empty; its first row must name the columns")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise UnreadableFile(f"the header has the column {name!r} {times} times; give each column its own name")
    empty = 0
    for number, row in enumerate(rows, 1):
        cells = dict.fromkeys(names) | {key: _scalar(cell) for key, cell in zip(header, row, strict=False) if key}
        if all(cell is None for cell in cells.values()):
            empty += 1
            continue
        if column in cells:
            cells[column] = _text(cells[column])
        yield number, cells
    if empty:
        note("empty rows", f"{empty} rows without any cell were skipped")


def _rows(sheet: Any) -> Iterator[_Row]:
    """All rows of a sheet, those that the file leaves out as empty ones."""
    sheet.reset_dimensions()  # the size that the file declares may be wrong
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = sheet.iter_rows(values_only=True)
    for number in range(1, MOST_ROWS + 2):
        with warnings.catch_warnings():  # about dates that are none
            warnings.simplefilter("ignore")
            row = next(rows, None)
        if row is None:
            return
        if number > MOST_ROWS:
            raise UnreadableFile(f"has cells beyond the {MOST_ROWS:,} rows of a sheet")
        yield row


def _scalar(cell: Any) -> Scalar:
    if isinstance(cell, float) and cell.is_integer():  # a sheet has only one type of numbers
        return int(cell)
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time(0):
        return cell.date().isoformat()
    return as_scalar(cell)


def _text(cell: Any) -> str:
    value = _scalar(cell)
    return "" if value is None else str(value)
