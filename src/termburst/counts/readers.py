"""Read a corpus, wherever it lies, as bounded batches of (id, text).

A corpus is a folder, a file, a glob or standard input (``-``). The rows of a table (CSV, TSV, JSONL, Parquet) are
documents wherever the table is found. A plain text file is one document a line when it is named directly, and one
document as a whole in a folder or a glob. All but Parquet may be packed with gzip or zstd.

Whatever is wrong with the input is said in one sentence that names the file and the line. Memory follows the batch:
no line, row or file beyond `max_document_bytes` is ever held, and links never lead out of the corpus folder.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from termburst.counts._corpus_files import CorpusFile, find_files
from termburst.counts._documents import (
    Documents,
    Options,
    Place,
    Progress,
    Text,
    as_id,
    as_text,
    bytes_of,
    require_columns,
)
from termburst.counts._lines import DECODING_ERRORS, canonical_encoding, read_lines, read_whole
from termburst.counts._parquet import read_parquet
from termburst.counts._reading_faults import fault, oversize, reason

__all__ = ["Batch", "Corpus", "Place", "open_corpus"]

READERS_AHEAD = 2  # threads that read the next files of a folder
_BEGINNING = Place()
_Opened = tuple[CorpusFile, Progress, Documents]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a corpus: `texts[k]` is the document called `ids[k]`.

    A text is a list of tokens only where a pretokenised JSON or Parquet list was read. `position` is the position
    reached in the corpus' bytes on disk, over all its files; with the last batch it equals the corpus' `size`.
    `place` is where this batch ends.
    """

    ids: list[str]
    texts: list[Text]
    position: int
    place: Place = field(default=_BEGINNING, compare=False)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files that `open_corpus` found; they are opened only while `batches` runs.

    `name` is the source as the user wrote it, `size` the total of bytes on disk (None for standard input).
    `batches` may be called again for another pass, except on standard input, which can be read only once.
    """

    name: str
    size: int | None
    _files: tuple[CorpusFile, ...] = field(repr=False)
    _options: Options = field(repr=False)

    def batches(self, start: Place = _BEGINNING) -> Iterator[Batch]:
        """Yield the documents in order, in batches bounded by number and by bytes of text.

        With *start* only those behind that place; files that lie wholly before it are not opened.
        """
        ids: list[str] = []
        texts: list[Text] = []
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
                    # A full batch waits for the next document, so that the last batch always carries the end position.
                    if len(ids) >= self._options.batch_documents or held >= self._options.batch_bytes:
                        # A file may have grown since it was found, and its position must not pass its size.
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
        """A digest of the files' names, sizes and times, and of how they are read; None for standard input."""
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
        # What a batch holds, or a document may, is of no consequence for what was read.
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
    r"""Find the files of a corpus and say how to read them.

    Parameters
    ----------
    source : a folder, a file, a glob (`**` descends into folders) or "-" for standard input.
    text, id : columns of the tables. Without `text` the column "text" is read. Without `id` a row is called
        "<file>:<number>", with the row's number in CSV and Parquet and the line's in JSONL.
    encoding, errors : how bytes become text; `errors` is "strict", "replace" or "ignore". Parquet is always UTF-8.
    pretokenized : accept lists of strings as the texts of JSONL and Parquet tables.
    max_document_bytes : a line, row or file larger than this is refused before it is held in memory.
    batch_documents, batch_bytes : a batch ends at whichever comes first.
    id_option : what messages call the option of the command line that named `id`.

    Raises
    ------
    FileNotFoundError
        If `source` does not exist.
    ValueError
        For all else that is wrong, here or while reading, in one sentence.

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
    """Every file with its documents; small ones that are a document each are read ahead by threads."""
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
    def read(some: list[CorpusFile]) -> list[tuple[Progress, list[tuple[str, Text]] | ValueError]]:
        found: list[tuple[Progress, list[tuple[str, Text]] | ValueError]] = []
        for file in some:
            progress = Progress()
            try:
                found.append((progress, list(_read_text(file, options, progress))))
            except ValueError as error:  # for the one who comes to this file
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
                for file, (progress, documents) in zip(some, future.result(), strict=False):
                    if isinstance(documents, ValueError):
                        raise documents
                    yield file, progress, (document for document in documents)
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


def _read_text(file: CorpusFile, options: Options, progress: Progress) -> Documents:
    if file.whole:
        yield file.label, read_whole(file, options, progress)
        return
    prefix = f"{file.label}:" if file.label else ""  # standard input has no name to put before the line number
    with closing(read_lines(file, options, progress)) as lines:
        for number, line in enumerate(lines, 1):
            yield f"{prefix}{number}", line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")


def _read_jsonl(file: CorpusFile, options: Options, progress: Progress) -> Documents:
    with closing(read_lines(file, options, progress)) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            place = f"{file.path}, line {number}"
            record = _json_object(line, place)
            if options.text not in record or not (options.id is None or options.id in record):
                require_columns(place, options, list(record))
            text = as_text(record[options.text], place, options)
            name = f"{file.label}:{number}" if options.id is None else as_id(record[options.id], place, options)
            if "\\u" in line:  # only an escape can bring in half of a surrogate pair
                name = _paired(name, place, options)
                whole = partial(_paired, place=place, options=options)
                text = whole(text) if isinstance(text, str) else list(map(whole, text))
            yield name, text


def _json_object(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON ({error.msg} at column {error.colno}); put one object a line"
        raise fault(place, problem) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets nested too deep
        raise fault(place, f"is JSON that cannot be read ({reason(error)})") from error
    if not isinstance(record, dict):
        raise fault(place, 'is JSON but not an object; write each document as {"text": …}')
    return record


def _paired(text: str, place: str, options: Options) -> str:
    """The same text if it is Unicode; half of a surrogate pair is treated as an undecodable byte is."""
    try:
        return text.encode("utf-8", options.errors).decode("utf-8")
    except UnicodeEncodeError as error:
        raise fault(place, "an escape \\u stands for half a character; mend it or give --errors replace") from error


def _read_csv(file: CorpusFile, options: Options, progress: Progress) -> Documents:
    with closing(read_lines(file, options, progress)) as lines:
        rows = _csv_rows(file, lines, options.limit)
        line, header = next(rows, (1, []))
        place = f"{file.path}, line {line}"
        if not header:
            raise fault(place, "the table is empty; its first line must name the columns")
        name, times = Counter(header).most_common(1)[0]
        if times > 1:
            raise fault(place, f"the header has the column {name!r} {times} times; give each column its own name")
        require_columns(place, options, header)
        text_at = header.index(options.text)
        id_at = None if options.id is None else header.index(options.id)
        number = 0
        for line, row in rows:
            # In a table of one column an empty line is an empty field; in a wider one it is no row at all.
            fields = row or [""]
            if not row and len(header) > 1:
                continue
            if len(fields) != len(header):
                problem = f"the row has {len(fields)} fields but the header has {len(header)}"
                raise fault(f"{file.path}, line {line}", f"{problem}; quote a field that holds the delimiter")
            number += 1
            yield f"{file.label}:{number}" if id_at is None else fields[id_at], fields[text_at]


def _csv_rows(file: CorpusFile, lines: Iterator[str], limit: int) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line that each begins on."""
    # The csv module's own limit is one for the whole process: it may be raised, never lowered under other users of it.
    csv.field_size_limit(max(csv.field_size_limit(), min(limit, 2**31 - 1)))
    start, held = 1, 0

    def bounded() -> Iterator[str]:  # an open quote makes one row of any number of lines
        nonlocal held
        for line in lines:
            held += bytes_of(line)
            if held > limit + 2:
                raise oversize(f"{file.path}, line {start}", limit, hint="close its quote or, ")
            yield line

    reader = csv.reader(bounded(), delimiter="\t" if file.kind == "tsv" else ",", strict=True)
    while True:
        start, held = reader.line_num + 1, 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"the row that begins here and runs to line {reader.line_num} is not valid CSV ({reason(error)})"
            advice = "close every quote, and double a quote inside a quoted field"
            raise fault(f"{file.path}, line {start}", f"{problem}; {advice}") from error
        yield start, row


_READERS: dict[str, Callable[[CorpusFile, Options, Progress], Documents]] = {
    "text": _read_text,
    "csv": _read_csv,
    "tsv": _read_csv,
    "jsonl": _read_jsonl,
    "ndjson": _read_jsonl,
    "parquet": read_parquet,
}
