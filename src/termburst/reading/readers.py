"""Read a corpus in batches: plain text, tables, other formats, archives, folders, globs and standard input.

Plain text is one document per file, or one per line with `lines`; standard input is always one per line. CSV, TSV,
JSONL and Parquet tables are one document per row. Other formats are in `termburst.reading.formats`. All files except
Parquet may be packed with gzip or zstd, and zip and tar archives are read like folders.

Each file is read in its own encoding. In a folder, a glob or an archive, a file that cannot be read is named in the
report and the others are read; a file that is named directly raises an error of one sentence with the file and the
line. Everything that is skipped, repaired or guessed is in the report. Memory depends on the batch, not on the corpus:
no line, row or file larger than `max_document_mb` is held, and links never lead out of the corpus folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from termburst.limits import LONGEST_ID
from termburst.messages import named
from termburst.names import Layer
from termburst.reading.corpus_files import CorpusFile, find_files
from termburst.reading.documents import Place, Progress, Scalar, Text
from termburst.reading.faults import fault, long_id, reason
from termburst.reading.file_metadata import FileMetadata
from termburst.reading.file_readers import is_one_document, is_surely_one, note_failure, read_files
from termburst.reading.lines import bytes_of
from termburst.reading.options import ReadingOptions, ReadingPlan
from termburst.reading.report import SKIPPED, UNREADABLE, ReadingReport

__all__ = ["Batch", "Place", "ReadingOptions", "ReadingReport", "TextSource", "open_corpus"]

_BEGINNING = Place()
_DEFAULT = ReadingOptions()
_UNIMPORTANT = (
    "max_document_mb", "max_archive_mb", "max_archive_files", "file_bytes", "batch_documents", "batch_bytes", "strict",
    "inspect", "columns", "name_pattern",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a corpus: `texts[k]` is the document with the id `ids[k]` and the metadata `metadata[k]`.

    A text is a list of tokens where a pretokenized list or an annotated corpus was read. `metadata` is None unless
    metadata were asked for. `position` is the number of bytes on disk read so far, over all files; in the last batch it
    equals the `size` of the corpus. `place` is where this batch ends. A batch may be empty if files were skipped.
    """

    ids: list[str]
    texts: list[Text]
    position: int
    place: Place = field(default=_BEGINNING, compare=False)
    metadata: list[dict[str, Scalar]] | None = None


@dataclass(frozen=True, slots=True)
class TextSource:
    """The files that `open_corpus` found; they are opened only while `batches` runs.

    `name` is the source as the user wrote it, and `size` is its number of bytes on disk (None for standard input).
    `batches` may be called again for another pass, but standard input can be read only once. `report` says what was
    read, skipped, repaired and guessed; it is complete when the last batch has been read.
    """

    name: str
    size: int | None
    _files: tuple[CorpusFile, ...] = field(repr=False)
    _options: ReadingPlan = field(repr=False)
    report: ReadingReport = field(repr=False, compare=False)

    def batches(self, start: Place = _BEGINNING) -> Iterator[Batch]:
        """Yield the documents in order, in batches with a limited number of documents and of bytes of text.

        With *start*, only the documents behind that place. Files that are completely before it are not opened.
        """
        options, report = self._options, self.report
        report.restart(start.documents)
        about = FileMetadata([file.label for file in self._files], options, report) if options.has_metadata else None
        ids: list[str] = []
        texts: list[Text] = []
        metadata: list[dict[str, Scalar]] | None = None if about is None else []
        most, full = options.batch_documents, options.batch_bytes
        done, before = start.files, start.before
        while before < start.documents and done < len(self._files) and is_surely_one(self._files[done]):
            done, before = done + 1, before + 1
        held, finished, count = 0, sum(file.size or 0 for file in self._files[:done]), before
        gap, failure = False, ""
        with closing(read_files(self._files[done:], options, report)) as files:
            for file, progress, documents in files:
                first = count
                try:
                    for document_id, text in documents:
                        if count < start.documents:
                            count += 1
                            continue
                        # A full batch waits for the next document, so that the last batch always has the end position.
                        # A batch also ends where a file was skipped: inside it, each text file is one document.
                        if held >= full or len(ids) >= most or gap:
                            # A file may have grown since it was found, but its position must not exceed its size.
                            reached = progress.position if file.size is None else min(progress.position, file.size)
                            yield Batch(ids, texts, finished + reached, Place(count, done, before), metadata)
                            ids, texts, held, gap = [], [], 0, False
                            metadata = None if about is None else []
                        if len(document_id) > LONGEST_ID:
                            at = f"{file.path}, document {count - first + 1}"
                            raise long_id(at, len(document_id), "id")
                        ids.append(document_id)
                        texts.append(text)
                        held += bytes_of(text) + (len(document_id) if options.id is not None else 0)
                        if metadata is not None and about is not None:
                            metadata.append(about.of(file.label, progress.metadata))
                            held += sum(len(value) for value in metadata[-1].values() if isinstance(value, str))
                        if options.inspect:
                            report.look_at(document_id, text, file.label)
                        count += 1
                except ValueError as error:
                    if file.named or options.strict:
                        raise ValueError(str(error)) from (error.__cause__ or error)
                    failure = failure or str(error)
                    note_failure(report.note, file, error, count - first)
                gap = gap or (count == first and is_one_document(file))
                _add_file(report, progress, count - max(first, start.documents))
                done, before = done + 1, count
                finished += progress.position if file.size is None else file.size
        _require_documents(self.name, report, failure, count)
        if ids:
            yield Batch(ids, texts, finished, Place(count, done, before), metadata)

    @property
    def labels(self) -> list[str]:
        """The names of the files, inside the folder."""
        return [file.label for file in self._files]

    def with_columns(self, columns: str | tuple[str, ...]) -> TextSource:
        """The same files with other metadata: "all", or the names of columns."""
        return replace(self, _options=replace(self._options, columns=columns))

    def with_layers(self, searched: Layer, shown: Layer) -> TextSource:
        """The same files, of which two layers are read, side by side."""
        return replace(self, _options=replace(self._options, layer=searched, show=shown))

    def fingerprint(self) -> str | None:
        """A digest of the names, sizes and times of the files, and of how they are read; None for standard input."""
        digest = hashlib.blake2b(digest_size=16)
        try:
            for file in self._files:
                if file.size is None:
                    return None
                path = Path(file.path)
                status = path.stat()
                line = [str(path.absolute()), file.label, status.st_size, status.st_mtime_ns, file.whole, file.kind]
                digest.update(json.dumps(line).encode())
        except OSError as error:
            raise fault(error.filename, f"cannot be read ({reason(error)})") from error
        # Sizes of batches, limits, metadata and what is reported do not change which texts are read.
        how = asdict(self._options)
        for unimportant in _UNIMPORTANT:
            del how[unimportant]
        digest.update(json.dumps(how).encode())
        return digest.hexdigest()


def open_corpus(
    source: str | os.PathLike[str],
    options: ReadingOptions = _DEFAULT,
    *,
    pretokenized: bool = False,
    columns: str | Sequence[str] = (),
    inspect: bool = False,
    batch_documents: int = 2000,
    batch_bytes: int = 16 * 2**20,
) -> TextSource:
    r"""Find the files of a corpus, and keep how to read them.

    Parameters
    ----------
    source : a folder, a file, an archive, a glob (`**` descends into folders) or "-" for standard input.
    options : how the documents are found and read
    pretokenized : accept lists of strings as the texts of JSONL and Parquet tables.
    columns : "all", or the names of the metadata to read: columns of tables, "file" and "folder", what a file says
        about itself. Without it and without `name_pattern`, the batches have no metadata.
    inspect : also look for near-empty documents, duplicates, the longest document and markup, for the report.
    batch_documents, batch_bytes : a batch ends when it reaches one of these two numbers.

    Raises
    ------
    FileNotFoundError
        If `source` does not exist.
    ValueError
        For any other fault, here or while reading.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder, "poems.csv")
    ...     _ = table.write_text("text;poet\nrose is a rose;Stein\nso much depends;Williams\n", encoding="utf-8")
    ...     corpus = open_corpus(table, columns=["poet"])
    ...     for batch in corpus.batches():
    ...         print(batch.ids, batch.texts, batch.metadata)
    ['poems.csv:1', 'poems.csv:2'] ['rose is a rose', 'so much depends'] [{'poet': 'Stein'}, {'poet': 'Williams'}]
    >>> corpus.report.repaired
    [('poems.csv', 'delimiter guessed: semicolon')]
    """
    plan = ReadingPlan(
        **vars(options),
        pretokenized=pretokenized,
        columns=columns if columns == "all" else (columns,) if isinstance(columns, str) else tuple(columns),
        inspect=inspect,
        batch_documents=batch_documents,
        batch_bytes=batch_bytes,
    )
    name = os.fspath(source)
    report = ReadingReport(name, strict=plan.strict, inspected=inspect)
    files = find_files(name, report.found, lines=plan.lines)
    if (plan.text is not None or plan.id is not None) and all(file.kind == "text" for file in files):
        sentence = " names a column, but there is no CSV, TSV, JSONL or Parquet table here"
        raise fault(name, named("text" if plan.text is not None else "id") + sentence)
    known = [file.size for file in files if file.size is not None]
    return TextSource(name, sum(known) if known else None, files, plan, report)


def _add_file(report: ReadingReport, progress: Progress, documents: int) -> None:
    for part in progress.parts or [(documents, progress.format, progress.how)]:
        if part[0] > 0:
            report.add_file(*part)


def _require_documents(name: str, report: ReadingReport, failure: str, documents: int) -> None:
    """Raise ValueError if there is no document because every file was skipped or could not be read."""
    if documents:
        return
    unread = report.count(UNREADABLE)
    if failure and unread + report.count("incomplete") <= 1 and not report.count(SKIPPED):
        raise ValueError(failure)
    if unread:
        first = failure or report.reasons(UNREADABLE)
        raise fault(name, "none of the files could be read; the first fault: " + first)
    if report.count(SKIPPED):
        raise fault(name, "there is no text to read: files skipped: " + report.reasons(SKIPPED))
