"""Read the lines of a JSONL table: one object per line, one document per object."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from termburst.reading.corpus_files import CorpusFile
from termburst.reading.documents import DocumentStream, Progress, row_documents
from termburst.reading.faults import fault, reason
from termburst.reading.lines import read_lines
from termburst.reading.options import ReadingPlan

_DECODER = json.JSONDecoder()


def read_jsonl(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a table, one per line."""
    progress.how, progress.format = "one per row", "JSON Lines"

    def place(number: int) -> str:
        return f"{file.path}, line {number}"

    with closing(read_lines(file, options, progress)) as blocks:
        rows = _records(itertools.chain.from_iterable(blocks), place)
        note = partial(progress.note, file.label)
        for name, text, progress.metadata in row_documents(rows, place, options, note, file.label):
            yield name, text


def _records(lines: Iterable[str], place: Callable[[int], str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects with the numbers of their lines."""
    for number, line in enumerate(lines, 1):
        record = _plain_object(line)
        if record is None:
            if line.isspace():
                continue
            record = _json_object(line, place(number))
        yield number, record


def _plain_object(line: str) -> dict[str, Any] | None:
    """The same as `json.loads`, but faster, for a line that is one object; None for any other line."""
    try:
        record, end = _DECODER.raw_decode(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and line[end:] in ("\n", "", "\r\n") else None


def _json_object(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON ({error.msg} at column {error.colno}); write one object per line"
        raise fault(place, problem) from error
    except (ValueError, RecursionError) as error:  # a number with thousands of digits, or brackets nested too deeply
        raise fault(place, f"is JSON that cannot be read ({reason(error)})") from error
    if not isinstance(record, dict):
        raise fault(place, 'is JSON but not an object; write each document as {"text": …}')
    return record
