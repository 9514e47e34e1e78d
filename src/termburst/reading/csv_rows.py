"""Read the rows of a CSV or TSV table.

The csv module decides what a table is and what is wrong with it, but it reads one character at a time. So NumPy cuts
the blocks that can be read in one way only. The csv module reads all other blocks, including those with faults.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator

from termburst.reading.corpus_files import CorpusFile
from termburst.reading.csv_blocks import cut_block
from termburst.reading.documents import DocumentStream, Options, Progress, bytes_of, require_columns
from termburst.reading.faults import fault, oversize, reason
from termburst.reading.lines import Source, decoded, open_source

BLOCK = 2**18  # bytes that are cut at a time; they fit in a processor's cache
LARGEST_BLOCK = 2**23  # for very long rows
_LONGEST_FIELD = 2**31 - 1  # that the csv module allows

_Row = tuple[int, list[str]]  # the line where it begins, its fields


def read_csv(file: CorpusFile, options: Options, progress: Progress) -> DocumentStream:
    """The documents of a table, one per row."""
    with open_source(file, options, progress) as source:
        rows = _rows(file, source, options)
        line, header = next(rows, (1, []))
        _check_header(f"{file.path}, line {line}", options, header)
        wanted = [header.index(name) for name in (options.text, options.id) if name is not None]
        number = 0
        for texts, *ids in _columns(file, source, rows, options, len(header), wanted):
            numbers = range(number + 1, number + len(texts) + 1)
            yield from zip(ids[0] if ids else (f"{file.label}:{k}" for k in numbers), texts, strict=True)
            number += len(texts)


def _check_header(place: str, options: Options, header: list[str]) -> None:
    if not header:
        raise fault(place, "the table is empty; its first line must name the columns")
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise fault(place, f"the header has the column {name!r} {times} times; give each column its own name")
    require_columns(place, options, header)


def _columns(
    file: CorpusFile, source: Source, rows: Iterator[_Row], options: Options, width: int, wanted: list[int]
) -> Iterator[list[list[str]]]:
    """The wanted columns, some rows at a time. *rows* are the same rows as the csv module reads them."""
    delimiter, longest = ord(_delimiter(file)), min(options.limit, _LONGEST_FIELD)
    size = BLOCK
    while block := source.peek(size):
        if source.at_end and not block.endswith(b"\n"):
            block += b"\n"
        cut = cut_block(block, delimiter, width, wanted, longest)
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


def _rows(file: CorpusFile, source: Source, options: Options) -> Iterator[_Row]:
    """Rows as the csv module reads them. Between two rows, the caller may skip whole rows of the source."""
    # The csv module has one limit for the whole process. It is only raised, because others may rely on it.
    csv.field_size_limit(max(csv.field_size_limit(), min(options.limit, _LONGEST_FIELD)))
    start, held = 1, 0

    def bounded() -> Iterator[str]:  # with an open quote, a row goes on over any number of lines
        nonlocal held
        for line in decoded(source.readline, source.numbers(), file, options):
            held += bytes_of(line)
            if held > options.limit + 2:
                raise oversize(f"{file.path}, line {start}", options.limit, hint="close its quote or, ")
            yield line

    reader = csv.reader(bounded(), delimiter=_delimiter(file), strict=True)
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


def _delimiter(file: CorpusFile) -> str:
    return "\t" if file.kind == "tsv" else ","
