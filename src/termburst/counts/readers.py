"""Read a corpus, wherever it lies, as bounded batches of (id, text).

A corpus is a folder, a file, a glob or standard input (``-``). The rows of a table (CSV, TSV, JSONL, Parquet) are
documents wherever the table is found. A plain text file is one document a line when it is named directly, and one
document as a whole in a folder or a glob. All but Parquet may be packed with gzip or zstd.

Whatever is wrong with the input is said in one sentence that names the file and the line. Memory follows the batch:
no line, row or file beyond `max_document_bytes` is ever held, and links never lead out of the corpus folder.
"""

from __future__ import annotations

import codecs
import csv
import fnmatch
import gzip
import io
import itertools
import json
import os
import stat
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Batch", "Corpus", "open_corpus"]

Text = str | list[str]
Documents = Generator[tuple[str, Text], None, None]

_CHUNK = 2**18  # bytes asked of the disk at a time
_PACKINGS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_DECODING_ERRORS = ("strict", "replace", "ignore")  # the others leave surrogates behind, which no output can hold


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a corpus: `texts[k]` is the document called `ids[k]`.

    A text is a list of tokens only where a pretokenised JSON or Parquet list was read. `bytes_read` is the position
    reached in the corpus' bytes on disk, over all its files; with the last batch it equals the corpus' `size`.
    """

    ids: list[str]
    texts: list[Text]
    bytes_read: int


@dataclass(frozen=True, slots=True)
class _Options:
    text: str
    id: str | None
    encoding: str
    errors: str
    pretokenized: bool
    limit: int
    batch_documents: int
    batch_bytes: int


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    label: str  # what ids are made of; `path` is what messages name
    size: int | None
    whole: bool  # a plain text file that is one document
    kind: str
    packing: str | None


@dataclass(slots=True)
class _Progress:
    position: int = 0  # in the bytes on disk of the file being read


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files that `open_corpus` found; they are opened only while `batches` runs.

    `name` is the source as the user wrote it, `size` the total of bytes on disk (None for standard input).
    `batches` may be called again for another pass, except on standard input, which can be read only once.
    """

    name: str
    size: int | None
    _files: tuple[_File, ...] = field(repr=False)
    _options: _Options = field(repr=False)

    def batches(self) -> Iterator[Batch]:
        """Yield the documents in order, in batches bounded by number and by bytes of text."""
        ids: list[str] = []
        texts: list[Text] = []
        held = finished = 0
        for file in self._files:
            progress = _Progress()
            with closing(_READERS[file.kind](file, self._options, progress)) as documents:
                for document_id, text in documents:
                    # A full batch waits for the next document, so that the last batch always carries the end position.
                    if len(ids) >= self._options.batch_documents or held >= self._options.batch_bytes:
                        # A file may have grown since it was found, and its position must not pass its size.
                        reached = progress.position if file.size is None else min(progress.position, file.size)
                        yield Batch(ids, texts, finished + reached)
                        ids, texts, held = [], [], 0
                    ids.append(document_id)
                    texts.append(text)
                    held += _bytes_of(text)
            finished += progress.position if file.size is None else file.size
        if ids:
            yield Batch(ids, texts, finished)


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

    Raises
    ------
    FileNotFoundError
        If `source` does not exist.
    ValueError
        For all else that is wrong, here or while reading, in one sentence.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder, "poems.csv")
    ...     _ = table.write_text("text,poet\nrose is a rose,Stein\nso much depends,Williams\n", encoding="utf-8")
    ...     for batch in open_corpus(table).batches():
    ...         print(batch.ids, batch.texts)
    ['poems.csv:1', 'poems.csv:2'] ['rose is a rose', 'so much depends']
    """
    if min(max_document_bytes, batch_documents, batch_bytes) < 1:
        raise ValueError("max_document_bytes, batch_documents and batch_bytes must each be at least 1.")
    if errors not in _DECODING_ERRORS:
        raise ValueError(f"errors must be one of {', '.join(_DECODING_ERRORS)}, not {errors!r}.")
    options = _Options(
        text="text" if text is None else text,
        id=id,
        encoding=_canonical_encoding(encoding),
        errors=errors,
        pretokenized=pretokenized,
        limit=max_document_bytes,
        batch_documents=batch_documents,
        batch_bytes=batch_bytes,
    )
    name = os.fspath(source)
    files = _find(name)
    if (text is not None or id is not None) and all(file.kind == "text" for file in files):
        option = "text" if text is not None else "id"
        raise _fault(name, f"--{option} names a column, but there is no CSV, TSV, JSONL or Parquet table here")
    sizes = [file.size for file in files if file.size is not None]
    return Corpus(name, sum(sizes) if sizes else None, files, options)


def _canonical_encoding(encoding: str) -> str:
    try:
        codecs.getincrementaldecoder(encoding)
        b"a".decode(encoding, "ignore")  # refuses codecs such as hex, which do not make text
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise ValueError(f"The encoding {encoding!r} is unknown; try utf-8, latin-1, cp1252 or utf-16.") from error
    return "utf-8" if name == "utf-8-sig" else name  # a byte order mark is dropped in any case


# --- Messages ---------------------------------------------------------------------------------------------------------


def _fault(place: str, problem: str) -> ValueError:
    """One line, whatever bytes a file's name or another library's message may hold."""
    return ValueError("".join(c if c.isprintable() else "?" for c in f"{place}: {problem}."))


def _reason(error: BaseException) -> str:
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return message.partition("\n")[0].rstrip(". ") or type(error).__name__


def _oversize(place: str, limit: int, hint: str = "") -> ValueError:
    amount = f"{limit / 2**20:g} MB" if limit >= 2**20 else f"{limit} bytes"
    return _fault(place, f"one document holds more than {amount}; {hint}if that is meant, raise --max-document-mb")


def _undecodable(place: str, error: UnicodeDecodeError) -> ValueError:
    byte = f"0x{error.object[error.start]:02x}"
    advice = "name the right encoding, such as --encoding latin-1, or give --errors replace"
    return _fault(place, f"the byte {byte} is not valid {error.encoding}; {advice}")


def _nul(place: str) -> ValueError:
    return _fault(place, "there is a NUL byte, so this is a binary file or is in UTF-16 (give --encoding utf-16)")


def _require_columns(place: str, options: _Options, there: Sequence[str]) -> None:
    for option, name in (("text", options.text), ("id", options.id)):
        if name is not None and name not in there:
            shown = ", ".join(map(repr, there)) or "none at all"
            problem = f"there is no column {name!r}, only {shown if len(shown) <= 300 else shown[:299] + '…'}"
            raise _fault(place, f"{problem}; choose one with --{option}")


# --- Finding the files ------------------------------------------------------------------------------------------------


def _find(name: str) -> tuple[_File, ...]:
    if name == "-":
        return (_File("-", "", None, False, "text", None),)
    if any(c in name for c in "*?[") and not os.path.lexists(name):
        return _find_glob(name)
    try:
        status = os.stat(name)  # noqa: PTH116 - the name as written, so that "" is not taken for the current folder
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        link = "is a link that points to nothing" if os.path.lexists(name) else "does not exist"
        raise FileNotFoundError(f"{name!r} {link}; give a folder, a file, a glob or - for standard input.") from error
    except OSError as error:
        raise _fault(name, f"cannot be read ({_reason(error)})") from error
    if not stat.S_ISDIR(status.st_mode):
        return (_describe(name, Path(name).name, status, whole=False),)
    files = tuple(_describe(path, label, status, whole=True) for label, path, status in _walk(name, ["**"]))
    if not files:
        raise _fault(name, "the folder holds no files to read (names that begin with a dot are skipped)")
    return files


def _find_glob(name: str) -> tuple[_File, ...]:
    parts = name.replace(os.sep, "/").split("/")
    magic = next(k for k, part in enumerate(parts) if any(c in part for c in "*?["))
    base = "".join(part + "/" for part in parts[:magic])
    pattern = [part for part in parts[magic:] if part]
    found = _walk(str(Path(base)), pattern) if Path(base).is_dir() else []
    files = tuple(_describe(path, base + label, status, whole=True) for label, path, status in found)
    if not files:
        raise _fault(name, "no file matches this pattern (quote it for the shell, and use ** to look into subfolders)")
    return files


def _describe(path: str, label: str, status: os.stat_result, *, whole: bool) -> _File:
    if not stat.S_ISREG(status.st_mode):
        raise _fault(path, "is neither a regular file nor a folder; pipe it into standard input and read -")
    stem, suffix = os.path.splitext(label.lower())  # noqa: PTH122 - a label is not a path on this machine
    packing = _PACKINGS.get(suffix)
    if packing:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    kind = suffix[1:] if suffix[1:] in _READERS else "text"
    if kind == "parquet" and packing:
        raise _fault(path, "a Parquet file is packed inside and cannot be read through gzip or zstd; unpack it first")
    # A name that is not valid Unicode must not reach ids that are to be printed or saved.
    label = label.encode("utf-8", "replace").decode("utf-8")
    return _File(path, label, status.st_size, whole, kind, packing)


def _walk(root: str, pattern: list[str]) -> list[tuple[str, str, os.stat_result]]:
    """All (relative name, path, status) below `root` that match, sorted; only folders that can match are entered."""
    top = os.path.realpath(root)
    found: list[tuple[str, str, os.stat_result]] = []
    pending: list[tuple[str, str, tuple[str, ...]]] = [(root, "", (top,))]
    while pending:
        folder, prefix, above = pending.pop()
        try:
            with os.scandir(folder) as scan:
                entries = [entry for entry in scan if not entry.name.startswith(".")]
            for entry in entries:
                relative = prefix + entry.name
                is_folder = _is_folder(entry)
                if not _matches(relative.split("/"), pattern, partly=is_folder):
                    continue
                real = _resolve(entry, top) if is_folder or entry.is_symlink() else ""
                if not is_folder:
                    found.append((relative, entry.path, entry.stat()))
                elif real in above or Path(above[-1]).is_relative_to(real):
                    raise _fault(entry.path, "the link goes round in a circle; remove it")
                else:
                    pending.append((entry.path, relative + "/", (*above, real)))
        except OSError as error:
            raise _fault(error.filename or folder, f"cannot be read ({_reason(error)})") from error
    return sorted(found, key=lambda item: item[0])


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself; `_resolve` says so
        return False


def _resolve(entry: os.DirEntry[str], top: str) -> str:
    """The real path of a link or folder, which must lie inside the corpus folder."""
    try:
        real = os.path.realpath(entry.path, strict=True)
    except OSError as error:
        problem = "points to nothing" if isinstance(error, FileNotFoundError) else "goes round in a circle"
        raise _fault(entry.path, f"the link {problem}; remove it or mend it") from error
    if not Path(real).is_relative_to(top):
        raise _fault(entry.path, "the link leads out of the corpus folder; replace it by a copy or remove it")
    return real


def _matches(parts: list[str], pattern: list[str], *, partly: bool) -> bool:
    """Whether a relative path matches, or with `partly` whether something inside that folder could."""
    if not parts:
        return bool(pattern) if partly else all(part == "**" for part in pattern)
    if pattern and pattern[0] == "**":
        return partly or any(_matches(parts[k:], pattern[1:], partly=False) for k in range(len(parts) + 1))
    return bool(pattern) and fnmatch.fnmatch(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:], partly=partly)


# --- Bytes and lines --------------------------------------------------------------------------------------------------


def _chunks(file: _File, progress: _Progress) -> Generator[bytes, None, None]:
    """The unpacked bytes of a file, a little at a time."""
    damage: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    try:
        with ExitStack() as stack:
            raw = _standard_input() if file.path == "-" else stack.enter_context(Path(file.path).open("rb"))
            stream: IO[bytes] | gzip.GzipFile = raw
            if file.packing == "gzip":
                stream = stack.enter_context(gzip.GzipFile(fileobj=raw))
            elif file.packing == "zstd":
                zstd = _zstd()
                damage = (*damage, zstd.ZstdError)
                stream = stack.enter_context(zstd.open(raw, "rb"))
            while chunk := stream.read(_CHUNK):
                progress.position = raw.tell() if file.packing else progress.position + len(chunk)
                yield chunk
    except damage as error:
        problem = f"is not a whole {file.packing} file ({_reason(error)}); fetch or pack it again"
        raise _fault(file.path, problem) from error
    except OSError as error:
        raise _fault(file.path, f"cannot be read ({_reason(error)})") from error


def _standard_input() -> IO[bytes]:
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise _fault("-", "there is no standard input to read; name a file or a folder")
    return stream


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _recoded(chunks: Iterator[bytes], file: _File, options: _Options) -> Iterator[bytes]:
    """The same text in UTF-8, in which a line can be found by its bytes (in UTF-16, say, it cannot)."""
    decoder = codecs.getincrementaldecoder(options.encoding)(options.errors)
    line = 1
    for chunk in itertools.chain(chunks, [b""]):
        before = decoder.getstate()
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            decoder.setstate(before)
            pending = len(error.object) - len(chunk)  # bytes that the decoder had kept from the chunk before
            line += decoder.decode(chunk[: max(0, error.start - pending)]).count("\n")
            raise _undecodable(f"{file.path}, line {line}", error) from error
        line += text.count("\n")
        yield text.encode("utf-8", "replace")


class _Raw(io.RawIOBase):
    """Chunks of bytes as a stream, for the sake of a buffered `readline` with a limit."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _lines(file: _File, options: _Options, progress: _Progress) -> Generator[str, None, None]:
    r"""The lines of a file with their endings, split at \n alone."""
    limit = options.limit
    with closing(_chunks(file, progress)) as chunks:
        utf8 = chunks if options.encoding == "utf-8" else _recoded(chunks, file, options)
        with io.BufferedReader(_Raw(utf8), _CHUNK) as stream:
            for number in itertools.count(1):
                line = stream.readline(limit + 2)  # two more for the line's ending
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                if not line:
                    return
                if len(line) > limit and len(line.rstrip(b"\r\n")) > limit:
                    raise _oversize(f"{file.path}, line {number}", limit)
                if b"\0" in line:
                    raise _nul(f"{file.path}, line {number}")
                try:
                    text = line.decode("utf-8", options.errors)
                except UnicodeDecodeError as error:
                    raise _undecodable(f"{file.path}, line {number}", error) from error
                yield text


# --- Documents --------------------------------------------------------------------------------------------------------


def _read_text(file: _File, options: _Options, progress: _Progress) -> Documents:
    if file.whole:
        yield file.label, _whole_text(file, options, progress)
        return
    prefix = f"{file.label}:" if file.label else ""  # standard input has no name to put before the line number
    with closing(_lines(file, options, progress)) as lines:
        for number, line in enumerate(lines, 1):
            yield f"{prefix}{number}", line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")


def _whole_text(file: _File, options: _Options, progress: _Progress) -> str:
    data = bytearray()
    with closing(_chunks(file, progress)) as chunks:
        for chunk in chunks:
            data += chunk
            if len(data) > options.limit:
                raise _oversize(file.path, options.limit)
    try:
        text = data.decode(options.encoding, options.errors)
    except UnicodeDecodeError as error:
        raise _undecodable(f"{file.path}, byte offset {error.start}", error) from error
    if "\0" in text:
        raise _nul(file.path)
    return text.removeprefix("\ufeff")


def _read_jsonl(file: _File, options: _Options, progress: _Progress) -> Documents:
    with closing(_lines(file, options, progress)) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            place = f"{file.path}, line {number}"
            record = _json_object(line, place)
            if options.text not in record or not (options.id is None or options.id in record):
                _require_columns(place, options, list(record))
            text = _as_text(record[options.text], place, options)
            name = f"{file.label}:{number}" if options.id is None else _as_id(record[options.id], place, options)
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
        raise _fault(place, problem) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets nested too deep
        raise _fault(place, f"is JSON that cannot be read ({_reason(error)})") from error
    if not isinstance(record, dict):
        raise _fault(place, 'is JSON but not an object; write each document as {"text": …}')
    return record


def _paired(text: str, place: str, options: _Options) -> str:
    """The same text if it is Unicode; half of a surrogate pair is treated as an undecodable byte is."""
    try:
        return text.encode("utf-8", options.errors).decode("utf-8")
    except UnicodeEncodeError as error:
        raise _fault(place, "an escape \\u stands for half a character; mend it or give --errors replace") from error


def _as_text(value: Any, place: str, options: _Options) -> Text:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    column = f"the column {options.text!r}"
    if not isinstance(value, list):
        raise _fault(place, f"{column} holds no text but {type(value).__name__}; choose another with --text")
    if not options.pretokenized:
        raise _fault(place, f"{column} holds a list; if its items are tokens, give --pretokenized")
    if not all(isinstance(token, str) for token in value):
        raise _fault(place, f"{column} holds a list with items that are not strings; make every token a string")
    return value


def _as_id(value: Any, place: str, options: _Options) -> str:
    if value is None or isinstance(value, (list, dict, bytes)):
        kind = "null" if value is None else type(value).__name__
        raise _fault(place, f"the column {options.id!r} holds {kind}, which is no name; choose another with --id")
    return str(value)


def _read_csv(file: _File, options: _Options, progress: _Progress) -> Documents:
    with closing(_lines(file, options, progress)) as lines:
        rows = _csv_rows(file, lines, options.limit)
        line, header = next(rows, (1, []))
        place = f"{file.path}, line {line}"
        if not header:
            raise _fault(place, "the table is empty; its first line must name the columns")
        name, times = Counter(header).most_common(1)[0]
        if times > 1:
            raise _fault(place, f"the header has the column {name!r} {times} times; give each column its own name")
        _require_columns(place, options, header)
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
                raise _fault(f"{file.path}, line {line}", f"{problem}; quote a field that holds the delimiter")
            number += 1
            yield f"{file.label}:{number}" if id_at is None else fields[id_at], fields[text_at]


def _csv_rows(file: _File, lines: Iterator[str], limit: int) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line that each begins on."""
    # The csv module's own limit is one for the whole process: it may be raised, never lowered under other users of it.
    csv.field_size_limit(max(csv.field_size_limit(), min(limit, 2**31 - 1)))
    start, held = 1, 0

    def bounded() -> Iterator[str]:  # an open quote makes one row of any number of lines
        nonlocal held
        for line in lines:
            held += _bytes_of(line)
            if held > limit + 2:
                raise _oversize(f"{file.path}, line {start}", limit, hint="close its quote or, ")
            yield line

    reader = csv.reader(bounded(), delimiter="\t" if file.kind == "tsv" else ",", strict=True)
    while True:
        start, held = reader.line_num + 1, 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"the row that begins here and runs to line {reader.line_num} is not valid CSV ({_reason(error)})"
            advice = "close every quote, and double a quote inside a quoted field"
            raise _fault(f"{file.path}, line {start}", f"{problem}; {advice}") from error
        yield start, row


def _read_parquet(file: _File, options: _Options, progress: _Progress) -> Documents:
    import polars as pl

    damage = (pl.exceptions.PolarsError, getattr(pl.exceptions, "PanicException", pl.exceptions.PolarsError))
    number = 0
    try:
        Path(file.path).open("rb").close()  # says why a file cannot be opened better than the Parquet reader does
        for texts, names, fraction in _parquet_slices(file, options):
            for number, (value, name) in enumerate(zip(texts, names, strict=True), number + 1):  # noqa: B020 - counts on
                place = f"{file.path}, row {number}"
                text = _as_text(value, place, options)
                if _bytes_of(text) > options.limit:
                    raise _oversize(place, options.limit)
                yield f"{file.label}:{number}" if options.id is None else _as_id(name, place, options), text
            progress.position = int((file.size or 0) * fraction)
    except damage as error:
        problem = f"is not a Parquet file that can be read ({_reason(error)}); write it again"
        raise _fault(file.path, problem) from error
    except OSError as error:
        raise _fault(file.path, f"cannot be read ({_reason(error)})") from error


def _parquet_slices(file: _File, options: _Options) -> Iterator[tuple[list[Any], list[Any], float]]:
    """Texts, ids and the fraction of rows reached, slice by slice of about one batch."""
    import polars as pl

    table = pl.scan_parquet(Path(file.path).absolute(), glob=False, hive_partitioning=False)
    schema = table.collect_schema()
    _require_columns(file.path, options, schema.names())
    # By position, since a name such as "*" would stand for all columns.
    columns = [pl.nth(schema.names().index(options.text)).cast(_parquet_type(file, options, schema)).alias("text")]
    if options.id is not None:
        columns.append(pl.nth(schema.names().index(options.id)).alias("id"))
    rows = table.select(pl.len()).collect().item()
    start, step = 0, 64
    while start < rows:
        part = table.select(columns).slice(start, step).collect()
        start += part.height
        texts = part["text"].to_list()
        yield texts, part["id"].to_list() if options.id is not None else [None] * len(texts), start / rows
        # Each slice unpacks its row group anew, so slices should be as long as a batch allows.
        held = max(1, sum(_bytes_of(text) for text in texts if text is not None))
        step = max(1, min(8 * step, options.batch_bytes * len(texts) // held))


def _parquet_type(file: _File, options: _Options, schema: pl.Schema) -> pl.DataType:
    import polars as pl

    kind = schema[options.text]
    strings = (pl.String, pl.Categorical, pl.Enum, pl.Null)
    if kind in strings:
        return pl.String()
    if not isinstance(kind, pl.List):
        raise _fault(file.path, f"the column {options.text!r} holds no text but {kind}; choose another with --text")
    if not options.pretokenized:
        raise _fault(file.path, f"the column {options.text!r} holds {kind}; if these are tokens, give --pretokenized")
    if kind.inner not in strings:
        raise _fault(file.path, f"the column {options.text!r} holds {kind}; make every token a string")
    return pl.List(pl.String())


def _bytes_of(text: Text) -> int:
    if isinstance(text, list):
        return sum(_bytes_of(token) for token in text if token)  # a Parquet list may yet hold nulls here
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


_READERS: dict[str, Callable[[_File, _Options, _Progress], Documents]] = {
    "text": _read_text,
    "csv": _read_csv,
    "tsv": _read_csv,
    "jsonl": _read_jsonl,
    "ndjson": _read_jsonl,
    "parquet": _read_parquet,
}
