"""Read files in formats of their own (`termburst.reading.formats`) as part of a corpus."""

from __future__ import annotations

import io
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from termburst.reading.corpus_files import CorpusFile
from termburst.reading.documents import DocumentStream, Progress
from termburst.reading.faults import fault, reason
from termburst.reading.lines import open_bytes, open_utf8
from termburst.reading.options import ReadingPlan

if TYPE_CHECKING:
    from termburst.reading.formats.found import Format

_START = 2**13  # bytes that tell the format


def read_format(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a file in a format that its name or its first bytes tell."""
    from termburst.reading.formats.table import FORMATS, format_of

    try:
        with ExitStack() as stack:
            expected = next(each for each in FORMATS if file.suffix in each.suffixes)
            stream: BinaryIO
            if expected.recoded:
                stream = cast(BinaryIO, stack.enter_context(open_utf8(file, options, progress)))
            elif file.packing or file.opened is not None:
                stream = cast(BinaryIO, stack.enter_context(open_bytes(file, progress)))
            else:
                stream = stack.enter_context(Path(file.path).open("rb"))
            start = cast(io.BufferedReader, stream).peek(_START)[:_START]
            found = format_of(file.suffix, start)
            if found is None:
                raise fault(file.path, "is not in a format that can be read; convert it to text first")
            if found is not expected:
                progress.note(file.label, "format guessed", f"read as {found.name}, by its first bytes")
            yield from found_documents(found, stream, file, options, progress)
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error


def found_documents(
    found: Format, stream: BinaryIO, file: CorpusFile, options: ReadingPlan, progress: Progress
) -> DocumentStream:
    """The documents that a reader finds in a stream, with the ids of the corpus; its notes go to the report."""
    from termburst.reading.formats.found import UnreadableFile

    has_ids = options.id is not None and found.documents == "one per row"
    progress.format, progress.how = found.name, "one per file"
    # A reader turns what is raised inside it into a sentence about damage, so notes are passed on outside of it.
    notes: list[tuple[str, str]] = []
    documents = found.read(stream, options, lambda kind, detail: notes.append((kind, detail)))
    while True:
        try:
            document = next(documents, None)
        except UnreadableFile as error:
            _pass_on(notes, file, progress)
            raise fault(file.path, str(error)) from error
        _pass_on(notes, file, progress)
        if document is None:
            return
        if document.name:
            progress.how = found.documents
        progress.metadata = document.metadata
        name = document.name if has_ids and document.name else f"{file.label}:{document.name}"
        yield name if document.name else file.label, document.text


def _pass_on(notes: list[tuple[str, str]], file: CorpusFile, progress: Progress) -> None:
    for kind, detail in notes:
        progress.note(file.label, kind, detail)
    notes.clear()
