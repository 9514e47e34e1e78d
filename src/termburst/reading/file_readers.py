"""Read the files of a corpus one after another, each by the reader of its kind; small text files are read ahead."""

from __future__ import annotations

import io
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from termburst.reading.corpus_files import CorpusFile, Note
from termburst.reading.csv_rows import read_csv
from termburst.reading.documents import DocumentStream, Progress, Text, row_documents
from termburst.reading.faults import Skipped, fault, many, not_annotated, reason, without_start
from termburst.reading.json_rows import read_jsonl
from termburst.reading.lines import OtherFormat, is_marked, open_bytes, open_utf8, read_lines, read_whole
from termburst.reading.options import ReadingPlan
from termburst.reading.parquet_rows import read_parquet
from termburst.reading.report import BLANK_LINES, SKIPPED, UNREADABLE, ReadingReport

if TYPE_CHECKING:
    from termburst.reading.formats.found import Format

_START = 2**13  # bytes that tell the format
READERS_AHEAD = 2  # threads that read the next files of a folder
_Opened = tuple[CorpusFile, Progress, Iterable[tuple[str, Text]]]


def note_failure(note: Note, file: CorpusFile, error: ValueError, documents: int) -> None:
    """Note that a file was skipped or could not be read, or only its first *documents*."""
    problem = without_start(str(error), file.path)
    if isinstance(error, Skipped):
        note(file.label, SKIPPED, error.why)
    elif documents:
        note(file.label, "incomplete", f"only the first {documents:,} documents were read: " + problem)
    else:
        note(file.label, UNREADABLE, problem)


def read_files(
    files: Sequence[CorpusFile], options: ReadingPlan, report: ReadingReport
) -> Generator[_Opened, None, None]:
    """Every file with its documents. Threads read ahead small files that are one document each."""
    for together, run in itertools.groupby(files, _is_small):
        some = list(run)
        if together and len(some) > 1:
            with closing(_read_ahead(some, options, report)) as read:
                yield from read
            continue
        for file in some:
            progress = Progress(say=report.note)
            with closing(_documents(file, options, progress)) as documents:
                yield file, progress, documents


def _read_ahead(files: list[CorpusFile], options: ReadingPlan, report: ReadingReport) -> Generator[_Opened, None, None]:
    def read(some: list[CorpusFile]) -> list[tuple[Progress, str | Exception]]:
        found: list[tuple[Progress, str | Exception]] = []
        for file in some:
            progress = Progress(how="one per file", format="plain text")
            try:
                found.append((progress, read_whole(file, options, progress)))
            except (ValueError, OtherFormat) as error:  # dealt with when the caller reaches this file
                found.append((progress, error))
        return found

    waiting: deque[tuple[list[CorpusFile], Future[Any]]] = deque()
    with ThreadPoolExecutor(READERS_AHEAD) as pool:
        try:
            groups = _in_groups(files)
            while True:
                for group in itertools.islice(groups, 2 * READERS_AHEAD - len(waiting)):
                    waiting.append((group, pool.submit(read, group)))
                if not waiting:
                    return
                some, future = waiting.popleft()
                for file, (progress, text) in zip(some, future.result(), strict=True):
                    for note in progress.notes:
                        report.note(*note)
                    if isinstance(text, str) and options.layers is None:
                        yield file, progress, ((file.label, text),)
                        continue
                    progress.say = report.note
                    found = _of_layer(_documents_in(text, file, options, progress), file, options)
                    with closing(found) as documents:
                        yield file, progress, documents
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _documents(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a file, by the reader of its kind."""
    documents = _READERS[file.kind](file, options, progress)
    return documents if file.kind == "archive" else _of_layer(documents, file, options)


def _of_layer(documents: DocumentStream, file: CorpusFile, options: ReadingPlan) -> DocumentStream:
    """The same documents. If a layer is asked for, a file without annotation is not read."""
    if options.layers is None:
        return documents
    return _annotated(documents, file, options.layers)


def _annotated(documents: DocumentStream, file: CorpusFile, layer: str) -> DocumentStream:
    with closing(documents):
        for name, text in documents:
            if isinstance(text, str):
                raise not_annotated(file.path, layer)
            yield name, text


def _documents_in(found: str | Exception, file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The document of a plain text file, or those of one that is not plain text after all; other faults are raised."""
    if isinstance(found, str):
        yield file.label, found
        return
    if not isinstance(found, OtherFormat):
        raise found
    progress.note(file.label, "format guessed", f"read as {found.format.name}, by its first bytes")
    with io.BytesIO(found.data) as stream:
        yield from _found_documents(found.format, stream, file, options, progress)


def _in_groups(files: list[CorpusFile]) -> Iterator[list[CorpusFile]]:
    group: list[CorpusFile] = []
    size = 0
    for file in files:
        group.append(file)
        size += file.size or 0
        if len(group) == 64 or size >= 2**20:
            yield group
            group, size = [], 0
    if group:
        yield group


def _is_small(file: CorpusFile) -> bool:
    return is_one_document(file) and file.packing is None and (file.size or 0) <= 2**22


def is_one_document(file: CorpusFile) -> bool:
    return file.whole and file.kind == "text"


def is_surely_one(file: CorpusFile) -> bool:
    """Whether a file is plain text by its first bytes: some formats have several documents in one file."""
    if not is_one_document(file) or file.packing:
        return False
    try:
        with Path(file.path).open("rb") as stream:
            return not is_marked(stream.read(200))
    except OSError:
        return False


def _read_text(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    progress.format, progress.how = "plain text", "one per file" if file.whole else "one per line"
    if file.whole:
        found: str | Exception
        try:
            found = read_whole(file, options, progress)
        except OtherFormat as other:
            found = other
        yield from _documents_in(found, file, options, progress)
        return
    prefix = f"{file.label}:" if file.label else ""  # standard input has no name
    with closing(read_lines(file, options, progress)) as blocks:
        blank = 0
        for number, line in enumerate(itertools.chain.from_iterable(blocks), 1):
            if line.isspace():
                blank += 1
            else:
                yield f"{prefix}{number}", line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")
    if blank:
        progress.note(file.label or "standard input", BLANK_LINES, many(blank, "blank line"))


def _read_format(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a file in a format that its name or its first bytes tell."""
    from termburst.reading.formats.table import FORMATS, format_of

    try:
        expected = next(each for each in FORMATS if file.suffix in each.suffixes)
        recoded = partial(open_utf8, file, options, progress, one_encoding=True)
        with recoded() if expected.recoded else open_bytes(file, progress) as opened:
            start, stream = opened.peek(_START)[:_START], cast(BinaryIO, opened)
            found = format_of(file.suffix, start)
            if found is None:
                raise fault(file.path, "is not in a format that can be read; convert it to text first")
            if found is not expected:
                progress.note(file.label, "format guessed", f"read as {found.name}, by its first bytes")
            yield from _found_documents(found, stream, file, options, progress)
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error


def _found_documents(
    found: Format, stream: BinaryIO, file: CorpusFile, options: ReadingPlan, progress: Progress
) -> DocumentStream:
    """The documents that a reader finds in a stream, with the ids of the corpus; its notes go to the report."""
    from termburst.reading.formats.found import UnreadableFile

    progress.format, progress.how = found.name.removeprefix("a ").removeprefix("an "), "one per file"
    note = partial(progress.note, file.label)
    documents = found.read(stream, options, note)
    try:
        if found.documents == "one per row":
            progress.how = found.documents

            def place(number: int) -> str:
                return f"{file.path}, document {number or 1}"

            for name, text, progress.metadata in row_documents(documents, place, options, note, file.label):
                yield name, text
            return
        for document in documents:
            if document.name:
                progress.how = found.documents
            progress.metadata = document.metadata
            yield f"{file.label}:{document.name}" if document.name else file.label, document.text
    except UnreadableFile as error:
        raise fault(file.path, str(error)) from error


def _read_archive(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of all files in an archive. A fault in one of them is noted, and the others are read."""
    from termburst.reading.archives import ArchiveLimit, archive_files

    failure: str | None = None
    parts: list[tuple[int, str, str]] = []
    total = 0
    try:
        with closing(archive_files(file, options, progress)) as entries:  # type: ignore[type-var]
            for entry in entries:
                inner, count = Progress(say=progress.note), 0
                try:
                    with closing(_documents(entry, options, inner)) as documents:
                        for document_id, text in documents:
                            count += 1
                            progress.metadata = {**(inner.metadata or {}), "": entry.label}
                            yield document_id, text
                except ArchiveLimit:
                    raise
                except ValueError as error:
                    if options.strict:
                        raise
                    failure = failure or str(error)
                    note_failure(progress.note, entry, error, count)
                if count:
                    parts.append((count, inner.format, inner.how))
                total += count
    finally:
        progress.parts = tuple(parts)
    if not total:
        if failure:
            raise fault(file.path, "nothing in it could be read; the first fault: " + failure)
        raise fault(file.path, "there is no text in it (skipped files are in the report)")


_READERS: dict[str, Callable[[CorpusFile, ReadingPlan, Progress], DocumentStream]] = {
    "text": _read_text,
    "csv": read_csv,
    "tsv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "format": _read_format,
    "archive": _read_archive,
}
