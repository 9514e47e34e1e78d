"""Read the lines of a JSONL table: one object per line, one document per object."""

from __future__ import annotations

import itertools
import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

from termburst.messages import named
from termburst.reading.corpus_files import CorpusFile
from termburst.reading.documents import (
    FILE_COLUMNS,
    DocumentStream,
    IdColumn,
    Progress,
    Text,
    as_id,
    as_scalar,
    as_text,
    metadata_columns,
    require_columns,
    text_column,
)
from termburst.reading.faults import fault, reason
from termburst.reading.lines import read_lines
from termburst.reading.options import ReadingPlan

_DECODER = json.JSONDecoder()


def read_jsonl(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a table, one per line."""
    progress.how, progress.format = "one per row", "JSON Lines"
    column = options.text
    with_metadata = bool(options.columns)
    ids = options.id_column()
    with closing(read_lines(file, options, progress)) as blocks:
        for number, line in enumerate(itertools.chain.from_iterable(blocks), 1):
            record = _plain_object(line)
            if record is None:
                if line.isspace():
                    continue
                record = _json_object(line, f"{file.path}, line {number}")
            if column is None:  # the first object decides
                strings = [key for key, value in record.items() if isinstance(value, str)]
                column = text_column(file.label, options, list(record), strings.copy, progress)
                options = replace(options, text=column)
            if with_metadata:
                _check_columns(record, f"{file.path}, line {number}", options)
                progress.metadata = {
                    key: as_scalar(record[key]) for key in metadata_columns(options, column, [*record])
                }
            text: Any = record.get(column)
            name: Any = f"{file.label}:{number}" if options.id is None else record.get(options.id)
            strings_only = isinstance(text, str) and isinstance(name, str)
            # Half of a surrogate pair can only come from an escape.
            if strings_only and ((text.isascii() and name.isascii()) or "\\u" not in line):
                yield name, text
            else:
                yield _json_document(record, file, number, options, ids)


def _check_columns(record: dict[str, Any], place: str, options: ReadingPlan) -> None:
    asked = () if options.columns == "all" else options.columns
    if any(name not in record and name not in FILE_COLUMNS for name in asked):
        require_columns(place, options, options.text or "text", list(record))


def _plain_object(line: str) -> dict[str, Any] | None:
    """The same as `json.loads`, but faster, for a line that is one object; None for any other line."""
    try:
        record, end = _DECODER.raw_decode(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and line[end:] in ("\n", "", "\r\n") else None


def _json_document(
    record: dict[str, Any], file: CorpusFile, number: int, options: ReadingPlan, ids: IdColumn | None
) -> tuple[str, Text]:
    """Id and text of any object; ValueError if it has none."""
    place, column = f"{file.path}, line {number}", options.text or "text"
    if column not in record or not (options.id is None or options.id in record):
        require_columns(place, options, column, list(record))
    text = as_text(record[column], place, options)
    name = f"{file.label}:{number}" if ids is None else as_id(record[ids.column], place, ids)
    whole = partial(_paired, place=place, options=options)
    return whole(name), whole(text) if isinstance(text, str) else list(map(whole, text))


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


def _paired(text: str, place: str, options: ReadingPlan) -> str:
    """The same text if it is valid Unicode. Half of a surrogate pair is treated like a byte that cannot be decoded."""
    try:
        return text.encode("utf-8", options.errors).decode("utf-8")
    except UnicodeEncodeError as error:
        problem = "an escape \\u stands for half a character; repair it or give " + named("errors", "replace")
        raise fault(place, problem) from error
