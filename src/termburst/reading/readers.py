"""Read a corpus in batches: plain text, tables, other formats, archives, folders, globs and standard input.

Plain text is one document per file, or one per line with `lines`; standard input is always one per line. CSV, TSV,
JSONL and Parquet tables are one document per row. Other formats are in `termburst.reading.formats`. All files except
Parquet may be packed with gzip or zstd, and zip and tar archives are read like folders.

Each file is read in its own encoding. In a folder, a glob or an archive, a file that cannot be read is named in the
report and the others are read; a file that is named directly raises an error of one sentence with the file and the
line. Everything that is skipped, repaired or guessed is in the report. Memory depends on the batch, not on the corpus:
no line, row or file larger than `max_document_bytes` is held, and links never lead out of the corpus folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from termburst.display import did_you_mean
from termburst.limits import LONGEST_ID
from termburst.reading.corpus_files import CorpusFile, find_files
from termburst.reading.documents import Place, Progress, ReadingOptions, Scalar, Text, bytes_of
from termburst.reading.faults import fault, long_id, reason
from termburst.reading.file_metadata import FileMetadata, checked_pattern, named_groups_of
from termburst.reading.file_readers import is_one_document, is_surely_one, note_failure, read_files
from termburst.reading.layers import LAYERS, is_layer
from termburst.reading.lines import DECODING_ERRORS, canonical_encoding
from termburst.reading.report import SKIPPED, UNREADABLE, ReadingReport

__all__ = ["Batch", "Corpus", "Place", "ReadingOptions", "ReadingReport", "TextSource", "open_corpus"]

_BEGINNING = Place()
_UNIMPORTANT = (
    "limit", "archive_bytes", "archive_files", "batch_documents", "batch_bytes", "strict", "inspect", "columns",
    "name_pattern",
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
    _options: ReadingOptions = field(repr=False)
    report: ReadingReport = field(repr=False, compare=False)

    def batches(self, start: Place = _BEGINNING) -> Iterator[Batch]:
        """Yield the documents in order, in batches with a limited number of documents and of bytes of text.

        With *start*, only the documents behind that place. Files that are completely before it are not opened.
        """
        options, report = self._options, self.report
        report.restart(start.documents)
        look = _looks(report, options)
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
                            raise long_id(at, len(document_id), options.id_option)
                        ids.append(document_id)
                        texts.append(text)
                        held += bytes_of(text) + (len(document_id) if options.id is not None else 0)
                        if metadata is not None and about is not None:
                            metadata.append(about.of(file.label, progress.metadata))
                            held += sum(len(value) for value in metadata[-1].values() if isinstance(value, str))
                        if look is not None:
                            look(document_id, text, file.label, count - first + 1, progress)
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

    def with_layer(self, layer: str) -> TextSource:
        """The same files, of which another layer is read."""
        return replace(self, _options=replace(self._options, layer=layer))

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


Corpus = TextSource  # its former name


def _check_sizes(*sizes: int) -> None:
    if min(sizes) < 1:
        raise ValueError(
            "max_document_bytes, max_archive_bytes, max_archive_files, batch_documents and batch_bytes "
            "must each be at least 1"
        )


def open_corpus(
    source: str | os.PathLike[str],
    *,
    text: str | None = None,
    id: str | None = None,
    encoding: str | None = None,
    errors: str = "strict",
    pretokenized: bool = False,
    lines: bool = False,
    delimiter: str | None = None,
    layer: str | None = None,
    xpath: str | None = None,
    name_pattern: str | None = None,
    columns: str | Sequence[str] = (),
    strict: bool = False,
    inspect: bool = False,
    max_document_bytes: int = 64 * 2**20,
    max_archive_bytes: int = 2**33,
    max_archive_files: int = 100_000,
    batch_documents: int = 2000,
    batch_bytes: int = 16 * 2**20,
    id_option: str = "id",
) -> TextSource:
    r"""Find the files of a corpus, and keep how to read them.

    Parameters
    ----------
    source : a folder, a file, an archive, a glob (`**` descends into folders) or "-" for standard input.
    text, id : columns of the tables. Without `text`, the column "text" is read, or the only column of strings, which is
        noted. Without `id`, the id of a row is "<file>:<number>", with the number of the row in CSV and Parquet, and of
        the line in JSONL.
    encoding, errors : how bytes become text. Without `encoding`, it is found out for each file: a byte order mark,
        UTF-8, UTF-16, or a guess that is noted. `errors` is "strict", "replace" or "ignore". Parquet is always UTF-8,
        and office files, PDF, XML, web pages and mail name their own encoding.
    pretokenized : accept lists of strings as the texts of JSONL and Parquet tables.
    lines : make each line of a plain text file one document, not the whole file. Blank lines are left out.
    delimiter : between the fields of CSV and TSV tables. Without it, it is found out among comma, semicolon, tab and
        vertical bar; anything but a comma is noted.
    layer : "form", "lemma", "upos" or "lemma_upos" of annotated corpora. Other files are then skipped.
    xpath : which elements of XML files that are not TEI are documents.
    name_pattern : regular expression that is searched in the name of each file; its named groups become metadata.
    columns : "all", or the names of the metadata to read: columns of tables, "file" and "folder", what a file says
        about itself. Without it and without `name_pattern`, the batches have no metadata.
    strict : make everything that would be skipped, repaired or guessed an error.
    inspect : also look for near-empty documents, duplicates, the longest document and markup, for the report.
    max_document_bytes : a line, row or file larger than this is refused before it is held in memory.
    max_archive_bytes, max_archive_files : the largest unpacked size and number of files of an archive.
    batch_documents, batch_bytes : a batch ends when it reaches one of these two numbers.
    id_option : the command-line option that set `id`, for messages.

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
    _check_sizes(max_document_bytes, max_archive_bytes, max_archive_files, batch_documents, batch_bytes)
    if errors not in DECODING_ERRORS:
        raise ValueError(f"errors must be one of {', '.join(DECODING_ERRORS)}, not {errors!r}")
    if layer is not None and not is_layer(layer):
        raise ValueError(f"layer must be one of {', '.join(LAYERS)}, not {layer!r}")
    options = ReadingOptions(
        text=text,
        id=id,
        encoding=None if encoding is None else canonical_encoding(encoding),
        errors=errors,
        pretokenized=pretokenized,
        lines=lines,
        delimiter=_checked_delimiter(delimiter),
        layer=layer,
        xpath=xpath,
        name_pattern=checked_pattern(name_pattern),
        columns=columns if columns == "all" else (columns,) if isinstance(columns, str) else tuple(columns),
        strict=strict,
        inspect=inspect,
        limit=max_document_bytes,
        archive_bytes=max_archive_bytes,
        archive_files=max_archive_files,
        batch_documents=batch_documents,
        batch_bytes=batch_bytes,
        id_option=id_option,
    )
    name = os.fspath(source)
    report = ReadingReport(name, strict=strict, inspected=inspect)
    files = find_files(name, report.found, lines=lines)
    if (text is not None or id is not None) and all(file.kind == "text" for file in files):
        option, column = ("text", text) if text is not None else (id_option, id)
        raise fault(name, _no_table(option, column, options.name_pattern))
    known = [file.size for file in files if file.size is not None]
    return TextSource(name, sum(known) if known else None, files, options, report)


def _no_table(option: str, column: str | None, pattern: str | None) -> str:
    """The sentence about a column of a table that does not exist; files have other columns, which --by may name."""
    sentence = f"--{option} names a column, but there is no CSV, TSV, JSONL or Parquet table here"
    if option != "by":
        return sentence
    known = ["file", "folder", *named_groups_of(pattern)]
    near = did_you_mean(column, known)
    return f"{sentence}, and of files only {', '.join(known)} are known, not {column!r:.60}{near}"


def _checked_delimiter(delimiter: str | None) -> str | None:
    if delimiter == "\\t":  # as a shell gives it
        return "\t"
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise ValueError(f"the delimiter must be one ASCII character such as ; or \\t; got {delimiter!r}")
    return delimiter


def _looks(report: ReadingReport, options: ReadingOptions) -> Callable[[str, Text, str, int, Progress], None] | None:
    """What looks at each document for the report: its id, text, file, number in the file, and its reader."""
    labels = options.id_option == "by"  # the ids are labels of groups, so that documents need other names
    if not labels and not options.inspect:
        return None

    def look(document_id: str, text: Text, file: str, number: int, progress: Progress) -> None:
        name = document_id
        if labels:
            name = file if progress.how == "one per file" and number == 1 else f"{file}:{number}"
            if not document_id.strip():
                report.add_unlabelled(name, progress.metadata or ())
        if options.inspect:
            report.look_at(name, text, file)

    return look


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
        raise fault(name, f"none of the files could be read; the first fault: {failure or report.reasons(UNREADABLE)}")
    if report.count(SKIPPED):
        raise fault(name, f"there is no text to read: files skipped: {report.reasons(SKIPPED)}")
