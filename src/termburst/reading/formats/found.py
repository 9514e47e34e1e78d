"""What the readers of all formats share: what they return, their options, and how they say what is wrong."""

from __future__ import annotations

import importlib
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from termburst.messages import Message, named
from termburst.reading.documents import Scalar, Text
from termburst.reading.faults import NotStrict, megabytes, one_line, oversize_problem, reason
from termburst.reading.options import ReadingPlan

Note = Callable[[str, str], None]  # (kind, detail): what was repaired, guessed, left out or removed

CHUNK = 2**20  # bytes read at a time
_UNSOUND = re.compile("[\0\ud800-\udfff]")
LONGEST_SENTENCE = 500  # names out of a file may be long


class UnreadableFile(ValueError):  # noqa: N818 - it says what is the matter with a file
    """A file cannot be read; the message is one plain sentence without the path, with what to do.

    Examples
    --------
    >>> raise UnreadableFile("is encrypted; remove the password and save it again")
    Traceback (most recent call last):
    termburst.reading.formats.found.UnreadableFile: is encrypted; remove the password and save it again
    """

    def __init__(self, problem: str) -> None:
        shown = problem if len(problem) <= LONGEST_SENTENCE else problem[: LONGEST_SENTENCE - 1] + "…"
        super().__init__(Message(shown).changed(one_line))


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """One document that a file holds.

    Parameters
    ----------
    name : "" where the file is one document; otherwise what tells it apart in the file, such as "3" or an xml:id
    text : a string, or a list of tokens where the format has tokens
    metadata : what the file says about the document
    """

    name: str
    text: Text
    metadata: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Parameters
    ----------
    name : what reports call it, "a Word document"
    suffixes : endings of file names, with their dot, in lower case
    reader : the module and the function that read it; the module is imported with the first file
    documents : what becomes one document, where a file has several
    recoded : whether such files do not name their encoding, so that it is detected as for plain text
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    documents: str = "one per part"
    recoded: bool = False

    def read(self, stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[Any]:
        """The documents of a file, or its rows if it is a table: numbers and dicts.

        Every failure is an `UnreadableFile`, whatever another library may raise.
        """
        module, function = self.reader.split(".")
        read = getattr(importlib.import_module(f"termburst.reading.formats.{module}"), function)
        said: Counter[tuple[str, str]] = Counter()  # each thing is noted once per file

        def tally(kind: str, detail: str) -> None:
            said[kind, detail] += 1

        try:
            for found in read(stream, options, tally):
                yield _checked(found, options, tally) if isinstance(found, FoundDocument) else found
        except (UnreadableFile, NotStrict):
            raise
        except RecursionError as error:
            raise UnreadableFile(f"is nested too deep to be read as {self.name}") from error
        except MemoryError as error:
            raise UnreadableFile(f"needs more memory to be read as {self.name} than there is") from error
        except Exception as error:
            if isinstance(error, OSError) and error.errno:  # the disk's fault, not the file's
                raise
            if self.recoded and isinstance(error, UnicodeDecodeError):
                wrong = f"has the byte 0x{error.object[error.start]:02x}, which is not valid {error.encoding}, though "
                raise UnreadableFile(f"{wrong}others are; name the encoding with " + named("encoding")) from error
            raise UnreadableFile(f"is damaged and cannot be read as {self.name} ({reason(error)[:200]})") from error
        finally:
            for (kind, detail), times in said.items():
                note(kind, f"{detail} ({times:,} times)" if times > 1 else detail)


def load(module: str, package: str) -> Any:
    """Import another package when it is needed; `UnreadableFile` where it is missing.

    Examples
    --------
    >>> load("no.such.module", "no-such-package")
    Traceback (most recent call last):
    termburst.reading.formats.found.UnreadableFile: needs the package no-such-package: pip install 'termburst[formats]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UnreadableFile(f"needs the package {package}: pip install 'termburst[formats]'") from error


def oversize(limit: int, hint: str = "") -> UnreadableFile:
    """One document is larger than the user allows."""
    return UnreadableFile(oversize_problem(limit, hint))


def too_large(limit: int) -> UnreadableFile:
    """A file that must be held as a whole is larger than allowed."""
    return UnreadableFile(f"is larger than {megabytes(limit)} when unpacked; split it into smaller files")


def held(stream: BinaryIO, limit: int) -> BinaryIO:
    """The same bytes in memory, where one can seek; `UnreadableFile` where they are more than *limit*."""
    return io.BytesIO(whole(stream, limit))


def whole(stream: BinaryIO, limit: int) -> bytes:
    """All bytes of a stream; `UnreadableFile` where they are more than *limit*."""
    parts, size = [], 0
    while part := stream.read(CHUNK):
        size += len(part)
        if size > limit:
            raise too_large(limit)
        parts.append(part)
    return b"".join(parts)


def year_in(date: str | None) -> int | None:
    """The year of a date as files write it, if there is only one.

    Examples
    --------
    >>> year_in("1603"), year_in("2 Sept. 1666"), year_in("2001-05-01T10:00Z"), year_in("1601-1603"), year_in("n.d.")
    (1603, 1666, 2001, None, None)
    """
    text = date or ""
    if start := re.match(r"\s*(\d{4})-\d{2}(?:-\d{2})?(?![\d-])", text):
        return int(start[1])
    years = set(re.findall(r"(?<!\d)\d{4}(?!\d)", text))
    return int(years.pop()) if len(years) == 1 else None


def known(**values: Scalar) -> dict[str, Scalar]:
    """The values of metadata that are known: neither None nor empty.

    Examples
    --------
    >>> known(title="Hamlet", author="")
    {'title': 'Hamlet'}
    """
    return {name: value for name, value in values.items() if value}


def dated(metadata: dict[str, Scalar], date: str | None) -> dict[str, Scalar]:
    """The metadata with the columns `date` and, where there is one, `year`.

    Examples
    --------
    >>> dated({"title": "Hamlet"}, "1603")
    {'title': 'Hamlet', 'date': '1603', 'year': 1603}
    """
    date = " ".join((date or "").split())
    if date:
        metadata["date"] = date
        if (year := year_in(date)) is not None:
            metadata["year"] = year
    return metadata


def _checked(found: FoundDocument, options: ReadingPlan, note: Note) -> FoundDocument:
    """A document whose text is valid Unicode without NUL, and not too large."""
    joined = found.text if isinstance(found.text, str) else "\n".join(found.text)  # to look at all tokens at once
    try:
        size, sound = len(joined.encode("utf-8")), "\0" not in joined
    except UnicodeEncodeError:  # half a surrogate pair
        size, sound = len(joined), False
    if size > options.document_bytes:
        raise oversize(options.document_bytes)
    text = found.text
    if not sound:
        text = _mended(text, note) if isinstance(text, str) else [_mended(token, note) for token in text]
    ignored: Note = lambda _kind, _detail: None  # noqa: E731 - what is wrong with a text is said, not with a title
    metadata = {
        _mended(key, ignored): _mended(value, ignored) if isinstance(value, str) else value
        for key, value in found.metadata.items()
    }
    return FoundDocument(_mended(found.name, ignored), text, metadata)


def _mended(text: str, note: Note) -> str:
    if (text.isascii() and "\0" not in text) or not _UNSOUND.search(text):
        return text
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # pairs become one character
    if "\0" in text or "\N{REPLACEMENT CHARACTER}" in text:
        note("characters replaced", "NUL or half a surrogate pair")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
