"""Read a corpus from any source as batches of (id, text) of limited size.

A corpus is a folder, a file, a glob or standard input (``-``). Each row of a table (CSV, TSV, JSONL, Parquet) is a
document, wherever the table is. A plain text file that is named directly has one document per line. In a folder or a
glob, it is one document as a whole. All files except Parquet may be packed with gzip or zstd.

Errors in the input give one sentence that names the file and the line. Memory depends on the batch, not on the corpus:
no line, row or file larger than `max_document_bytes` is held, and links never lead out of the corpus folder.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from termburst.reading.corpus_files import CorpusFile, find_files
from termburst.reading.csv_rows import read_csv
from termburst.reading.documents import (
    DocumentStream,
    Options,
    Place,
    Progress,
    Text,
    as_id,
    as_text,
    bytes_of,
    require_columns,
)
from termburst.reading.faults import fault, reason
from termburst.reading.lines import DECODING_ERRORS, canonical_encoding, read_lines, read_whole
from termburst.reading.parquet_rows import read_parquet

__all__ = ["Batch", "Corpus", "Place", "open_corpus"]

READERS_AHEAD = 2  # threads that read the next files of a folder
_BEGINNING = Place()
_DECODER = json.JSONDecoder()
_Opened = tuple[CorpusFile, Progress, Iterable[tuple[str, Text]]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a corpus: `texts[k]` is the document with the id `ids[k]`.

    A text is a list of tokens only if a pretokenized JSON or Parquet list was read. `position` is the number of
    bytes on disk read so far, over all files; in the last batch it equals the `size` of the corpus. `place` is where
    this batch ends.
    """

    ids: list[str]
    texts: list[Text]
    position: int
    place: Place = field(default=_BEGINNING, compare=False)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files that `open_corpus` found; they are opened only while `batches` runs.

    `name` is the source as the user wrote it, and `size` is its number of bytes on disk (None for standard input).
    `batches` may be called again for another pass, but standard input can be read only once.
    """

    name: str
    size: int | None
    _files: tuple[CorpusFile, ...] = field(repr=False)
    _options: Options = field(repr=False)

    def batches(self, start: Place = _BEGINNING) -> Iterator[Batch]:
        """Yield the documents in order, in batches with a limited number of documents and of bytes of text.

        With *start*, only the documents behind that place. Files that are completely before it are not opened.
        """
        ids: list[str] = []
        texts: list[Text] = []
        most, full = self._options.batch_documents, self._options.batch_bytes
        done, before = start.files, start.before
        while before < start.documents and done < len(self._files) and _is_one_document(self._files[done]):
            done, before = done + 1, before + 1
        held, finished, count = 0, sum(file.size or 0 for file in self._files[:done]), before
        with closing(_read_files(self._files[done:], self._options)) as files:
            for file, progress, documents in files:
                for document_id, text in documents:
                    if count < start.documents:
                        count += 1
                        continue
                    # A full batch waits for the next document, so that the last batch always has the end position.
                    if held >= full or len(ids) >= most:
                        # A file may have grown since it was found, but its position must not exceed its size.
                        reached = progress.position if file.size is None else min(progress.position, file.size)
                        yield Batch(ids, texts, finished + reached, Place(count, done, before))
                        ids, texts, held = [], [], 0
                    ids.append(document_id)
                    texts.append(text)
                    held += bytes_of(text)
                    count += 1
                done, before = done + 1, count
                finished += progress.position if file.size is None else file.size
        if ids:
            yield Batch(ids, texts, finished, Place(count, done, before))

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
        # The sizes of batches and the limit for documents do not change what is read.
        how = asdict(replace(self._options, limit=0, batch_documents=0, batch_bytes=0))
        digest.update(json.dumps(how).encode())
        return digest.hexdigest()


def open_corpus(
    source: str | os.PathLike[str],
    *,
    text: str | None = None,
    id: str | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
    pretokenized: bool = False,
    max_document_bytes: int = 64 * 2**20,
    batch_documents: int = 2000,
    batch_bytes: int = 16 * 2**20,
    id_option: str = "id",
) -> Corpus:
    r"""Find the files of a corpus, and keep how to read them.

    Parameters
    ----------
    source : a folder, a file, a glob (`**` descends into folders) or "-" for standard input.
    text, id : columns of the tables. Without `text`, the column "text" is read. Without `id`, the id of a row is
        "<file>:<number>", with the number of the row in CSV and Parquet, and of the line in JSONL.
    encoding, errors : how bytes become text; `errors` is "strict", "replace" or "ignore". Parquet is always UTF-8.
    pretokenized : accept lists of strings as the texts of JSONL and Parquet tables.
    max_document_bytes : a line, row or file larger than this is refused before it is held in memory.
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
    ...     _ = table.write_text("text,poet\nrose is a rose,Stein\nso much depends,Williams\n", encoding="utf-8")
    ...     for batch in open_corpus(table).batches():
    ...         print(batch.ids, batch.texts)
    ['poems.csv:1', 'poems.csv:2'] ['rose is a rose', 'so much depends']
    """
    if min(max_document_bytes, batch_documents, batch_bytes) < 1:
        raise ValueError("max_document_bytes, batch_documents and batch_bytes must each be at least 1")
    if errors not in DECODING_ERRORS:
        raise ValueError(f"errors must be one of {', '.join(DECODING_ERRORS)}, not {errors!r}")
    options = Options(
        text="text" if text is None else text,
        id=id,
        encoding=canonical_encoding(encoding),
        errors=errors,
        pretokenized=pretokenized,
        limit=max_document_bytes,
        batch_documents=batch_documents,
        batch_bytes=batch_bytes,
        id_option=id_option,
    )
    name = os.fspath(source)
    files = find_files(name, _READERS)
    if (text is not None or id is not None) and all(file.kind == "text" for file in files):
        option = "text" if text is not None else id_option
        raise fault(name, f"--{option} names a column, but there is no CSV, TSV, JSONL or Parquet table here")
    sizes = [file.size for file in files if file.size is not None]
    return Corpus(name, sum(sizes) if sizes else None, files, options)


def _read_files(files: Sequence[CorpusFile], options: Options) -> Generator[_Opened, None, None]:
    """Every file with its documents. Threads read ahead small files that are one document each."""
    for together, run in itertools.groupby(files, _is_small):
        some = list(run)
        if together and len(some) > 1:
            with closing(_read_ahead(some, options)) as read:
                yield from read
            continue
        for file in some:
            progress = Progress()
            with closing(_READERS[file.kind](file, options, progress)) as documents:
                yield file, progress, documents


def _read_ahead(files: list[CorpusFile], options: Options) -> Generator[_Opened, None, None]:
    def read(some: list[CorpusFile]) -> list[tuple[Progress, str | ValueError]]:
        found: list[tuple[Progress, str | ValueError]] = []
        for file in some:
            progress = Progress()
            try:
                found.append((progress, read_whole(file, options, progress)))
            except ValueError as error:  # raised when the caller reaches this file
                found.append((progress, error))
                break
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
                for file, (progress, text) in zip(some, future.result(), strict=False):
                    if isinstance(text, ValueError):
                        raise text
                    yield file, progress, ((file.label, text),)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


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
    return _is_one_document(file) and file.packing is None and (file.size or 0) <= 2**22


def _is_one_document(file: CorpusFile) -> bool:
    return file.whole and file.kind == "text"


def _read_text(file: CorpusFile, options: Options, progress: Progress) -> DocumentStream:
    if file.whole:
        yield file.label, read_whole(file, options, progress)
        return
    prefix = f"{file.label}:" if file.label else ""  # standard input has no name
    with closing(read_lines(file, options, progress)) as blocks:
        for number, line in enumerate(itertools.chain.from_iterable(blocks), 1):
            yield f"{prefix}{number}", line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")


def _read_jsonl(file: CorpusFile, options: Options, progress: Progress) -> DocumentStream:
    with closing(read_lines(file, options, progress)) as blocks:
        for number, line in enumerate(itertools.chain.from_iterable(blocks), 1):
            record = _plain_object(line)
            if record is None:
                if line.isspace():
                    continue
                record = _json_object(line, f"{file.path}, line {number}")
            text: Any = record.get(options.text)
            name: Any = f"{file.label}:{number}" if options.id is None else record.get(options.id)
            strings = isinstance(text, str) and isinstance(name, str)
            # Half of a surrogate pair can only come from an escape.
            if strings and ((text.isascii() and name.isascii()) or "\\u" not in line):
                yield name, text
            else:
                yield _json_document(record, file, number, options)


def _plain_object(line: str) -> dict[str, Any] | None:
    """The same as `json.loads`, but faster, for a line that is one object; None for any other line."""
    try:
        record, end = _DECODER.raw_decode(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and line[end:] in ("\n", "", "\r\n") else None


def _json_document(record: dict[str, Any], file: CorpusFile, number: int, options: Options) -> tuple[str, Text]:
    """Id and text of any object; ValueError if it has none."""
    place = f"{file.path}, line {number}"
    if options.text not in record or not (options.id is None or options.id in record):
        require_columns(place, options, list(record))
    text = as_text(record[options.text], place, options)
    name = f"{file.label}:{number}" if options.id is None else as_id(record[options.id], place, options)
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


def _paired(text: str, place: str, options: Options) -> str:
    """The same text if it is valid Unicode. Half of a surrogate pair is treated like a byte that cannot be decoded."""
    try:
        return text.encode("utf-8", options.errors).decode("utf-8")
    except UnicodeEncodeError as error:
        raise fault(place, "an escape \\u stands for half a character; repair it or give --errors replace") from error


_READERS: dict[str, Callable[[CorpusFile, Options, Progress], DocumentStream]] = {
    "text": _read_text,
    "csv": read_csv,
    "tsv": read_csv,
    "jsonl": _read_jsonl,
    "ndjson": _read_jsonl,
    "parquet": read_parquet,
}
