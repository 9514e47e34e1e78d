"""Read the rows of a CSV or TSV table.

The csv module decides what a table is and what is wrong with it, but it reads one character at a time. So NumPy cuts
the blocks that can be read in one way only. The csv module reads all other blocks, including those with faults.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from termburst.reading.corpus_files import CorpusFile
from termburst.reading.csv_blocks import cut_block
from termburst.reading.documents import (
    DocumentStream,
    Progress,
    as_number,
    metadata_columns,
    require_columns,
    text_column,
)
from termburst.reading.faults import fault, oversize, reason
from termburst.reading.lines import Source, bytes_of, decoded, open_utf8
from termburst.reading.options import ReadingPlan

BLOCK = 2**18  # bytes that are cut at a time; they fit in a processor's cache
LARGEST_BLOCK = 2**23  # for very long rows
_LONGEST_FIELD = 2**31 - 1  # that the csv module allows

_SAMPLE = 2**14  # bytes that tell the delimiter
_DELIMITERS = ",;\t|"
_SPELLED = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
# A quote inside a field does not open one; a quoted field may go on beyond what has been read.
_QUOTED = re.compile(rb'(?<![^,;\t|\r\n])"(?:[^"]|"")*(?:"|\Z)')
_Row = tuple[int, list[str]]  # the line where it begins, its fields


def read_csv(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a table, one per row."""
    progress.how, progress.format = "one per row", "CSV table"
    with open_utf8(file, options, progress) as stream:
        source = Source(stream)
        delimiter = options.delimiter or _sniffed(file, source, progress)
        rows = _rows(file, source, options, progress, delimiter)
        line, header = next(rows, (1, []))
        place = f"{file.path}, line {line}"
        _check_header(place, header)
        strings = partial(_string_columns, source, header, delimiter)
        text = text_column(options, header, strings, partial(progress.note, file.label))
        require_columns(place, options, text, header)
        names = [text, *([] if options.id is None else [options.id])]
        more = metadata_columns(options, text, header)
        wanted = [header.index(name) for name in (*names, *more)]
        number = 0
        for texts, *others in _columns(file, source, rows, options, len(header), wanted, delimiter):
            numbers = range(number + 1, number + len(texts) + 1)
            ids = others.pop(0) if options.id is not None else (f"{file.label}:{k}" for k in numbers)
            if not more:
                yield from zip(ids, texts, strict=True)
            else:
                for name, value, *fields in zip(ids, texts, *others, strict=True):
                    progress.metadata = dict(zip(more, map(as_number, fields), strict=True))
                    yield name, value
            number += len(texts)


def _sniffed(file: CorpusFile, source: Source, progress: Progress) -> str:
    """The delimiter, by the first rows; it is noted unless it is what the name of the file says."""
    usual = "\t" if file.kind == "tsv" else ","
    start, seen = source.peek(1), 0
    while b"\n" not in (unquoted := _without_quoted(start)) and seen < len(start) < _SAMPLE:
        seen = len(start)
        start = source.peek(seen + 1)
    header = unquoted.partition(b"\n")[0]
    there = [each for each in _DELIMITERS if each.encode() in header]
    if not there or there == [usual]:
        return usual
    start = source.peek(_SAMPLE)[:_SAMPLE]
    widths = {each: _width(start, each) for each in there}
    best = max(there, key=lambda each: (widths[each], each == usual))
    if widths[best] < 2 and usual in there:
        best = usual
    if best != usual:
        progress.note(file.label, "delimiter guessed", _SPELLED[best])
    return best


def _without_quoted(start: bytes) -> bytes:
    """The beginning of a table without its quoted fields, which may contain delimiters and line breaks.

    >>> _without_quoted(b'a;"b;\\n""c"" ";d\\n5" pipe;6" pipe'), _without_quoted(b'a;"b\\n,')
    (b'a;;d\\n5" pipe;6" pipe', b'a;')
    """
    return _QUOTED.sub(b"", start[:_SAMPLE].removeprefix(codecs.BOM_UTF8))


def _parsed(start: bytes, delimiter: str) -> Iterator[list[str]]:
    """The rows at the start of a table, of which the last one may be cut off."""
    return csv.reader(start.decode("utf-8", "replace").splitlines(keepends=True), delimiter=delimiter)


def _width(start: bytes, delimiter: str) -> int:
    """How many fields every one of the first rows has; 0 if they differ."""
    try:
        rows = list(itertools.islice(filter(None, _parsed(start, delimiter)), 50))
    except csv.Error:
        return 0
    rows = rows[:-1] if len(rows) > 1 and len(start) >= _SAMPLE else rows  # the last one may be cut off
    return len(rows[0]) if rows and all(len(row) == len(rows[0]) for row in rows) else 0


def _string_columns(source: Source, header: list[str], delimiter: str) -> list[str]:
    """The columns that are not numbers, by the first rows behind the header."""
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(itertools.islice(_parsed(source.peek(2**16), delimiter), 100))
    rows = [row for row in (rows[:-1] if len(rows) > 1 else rows) if len(row) == len(header)]
    return [
        name
        for k, name in enumerate(header)
        if len(header) == 1 or any(isinstance(as_number(row[k]), str) for row in rows)
    ]


def _check_header(place: str, header: list[str]) -> None:
    if not header:
        raise fault(place, "the table is empty; its first line must name the columns")
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise fault(place, f"the header has the column {name!r} {times} times; give each column its own name")


def _columns(
    file: CorpusFile,
    source: Source,
    rows: Iterator[_Row],
    options: ReadingPlan,
    width: int,
    wanted: list[int],
    delimiter: str,
) -> Iterator[list[list[str]]]:
    """The wanted columns, some rows at a time. *rows* are the same rows as the csv module reads them."""
    longest = min(options.document_bytes, _LONGEST_FIELD)
    size = BLOCK
    while block := source.peek(size):
        if source.at_end and not block.endswith(b"\n"):
            block += b"\n"
        cut = cut_block(block, ord(delimiter), width, wanted, longest)
        if not cut.size and len(block) >= size and size < min(LARGEST_BLOCK, longest):
            size *= 2  # no row ends in this block
            continue
        if cut.columns is not None:
            source.skip(cut.size, cut.lines)
            yield cut.columns
        else:
            until = source.taken + max(cut.size, 1)
            while source.taken < until and (found := next(rows, None)):
                fields = _fields(file, *found, width)
                if fields is not None:
                    yield [[fields[k]] for k in wanted]
        size = BLOCK


def _fields(file: CorpusFile, line: int, row: list[str], width: int) -> list[str] | None:
    """The fields of a row; None for an empty line, ValueError for too many or too few fields."""
    # In a table of one column, an empty line is an empty field. In a wider table, it is not a row.
    if not row and width > 1:
        return None
    fields = row or [""]
    if len(fields) != width:
        problem = f"the row has {len(fields)} fields but the header has {width}"
        raise fault(f"{file.path}, line {line}", f"{problem}; quote fields that contain the delimiter")
    return fields


def _rows(file: CorpusFile, source: Source, options: ReadingPlan, progress: Progress, delimiter: str) -> Iterator[_Row]:
    """Rows as the csv module reads them. Between two rows, the caller may skip whole rows of the source."""
    # The csv module has one limit for the whole process. It is only raised, because others may rely on it.
    csv.field_size_limit(max(csv.field_size_limit(), min(options.document_bytes, _LONGEST_FIELD)))
    start, held = 1, 0

    def bounded() -> Iterator[str]:  # with an open quote, a row goes on over any number of lines
        nonlocal held
        for line in decoded(source, file, options, progress):
            held += bytes_of(line)
            if held > options.document_bytes + 2:
                raise oversize(f"{file.path}, line {start}", options.document_bytes, hint="close its quote or, ")
            yield line

    reader = csv.reader(bounded(), delimiter=delimiter, strict=True)
    while True:
        start, held = source.lines + 1, 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"the row from here to line {source.lines} is not valid CSV ({reason(error)})"
            advice = "close every quote, and double a quote inside a quoted field"
            raise fault(f"{file.path}, line {start}", f"{problem}; {advice}") from error
        yield start, row
