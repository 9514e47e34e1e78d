"""The digest in every stored file: a damaged byte is noticed before anything is unpacked.

Each file has a header of JSON, in a place that its format leaves for it: the metadata of a Parquet file, the comment of
an .npz archive, or a file of its own. The header begins with "format" and "version", and ends with "digest". This is
the SHA-256 of the whole file, in which the 64 characters of the digest itself are zeros.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from termburst.files import first_line, parquet_damage

VERSION = 3  # of all formats
_ZEROS = "0" * 64
_MARK = re.compile(rb'"digest": "([0-9a-f]{64})"\}')
_TAIL = 2**16  # after the digest there are a few bytes, such as the end of a Parquet file
_BLOCK = 2**20
_NAMED = {"index": "an index", "ledger": "a ledger"}
_AGAIN = {  # what is stored, and how to get it again
    "statistics": "build them again, with termburst stats build",
    "run": "count again",
    "weights": "save them again",
    "index": "build and save it again",
    "cache": "remove it",
    "ledger": "restore it from a copy, or build the ledger again in another folder",
}
_IN_WORDS: dict[Any, str] = {
    str: "a string", bool: "true or false", list: "a list", int: "a whole number", dict: "an object",
    dict | None: "an object or null", str | None: "a string or null",
}  # fmt: skip


def header_text(kind: str, fields: Mapping[str, Any]) -> str:
    """The header of a file of some *kind*, such as "weights", before `seal`.

    Examples
    --------
    >>> header_text("weights", {})[:45]
    '{"format": "termburst weights", "version": 3,'
    """
    return json.dumps({"format": f"termburst {kind}", "version": VERSION, **fields, "digest": _ZEROS})


def seal(path: Path) -> None:
    """Put the digest of a file into its header."""
    with path.open("rb+") as stream:
        found = _found(stream)
        if found is None:
            raise ValueError(f"{path} has no header with a digest")
        digest = _digest(stream, found[0])
        stream.seek(found[0])
        stream.write(digest.encode())


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn every error about the content of a stored file into a ValueError of one sentence that names it.

    Examples
    --------
    >>> import io
    >>> with reading(Path("w.npz"), "weights"):
    ...     check_digest(io.BytesIO(b"so it goes"), "weights")
    Traceback (most recent call last):
    ValueError: w.npz cannot be read as weights: it is another file, of another version, or damaged; save them again
    """
    try:
        yield
    except BaseException as error:  # a panic of Polars is no Exception
        if not isinstance(error, (Exception, *parquet_damage())):
            raise
        raise ValueError(f"{path} cannot be read as {_NAMED.get(kind, kind)}: {first_line(error)}") from error


def check_digest(stream: IO[bytes], kind: str) -> None:
    """Raise ValueError if the content of a file is not what was stored; the stream is then at its beginning."""
    found = _found(stream)
    if found is None:
        raise ValueError(f"it is another file, of another version, or damaged; {_AGAIN[kind]}")
    at, digest = found
    if _digest(stream, at) != digest:
        raise ValueError(f"it is damaged, since its content differs from what was saved; {_AGAIN[kind]}")
    stream.seek(0)


def check_format(header: Any, kind: str) -> None:
    """Raise ValueError if a header is of another kind of file, or of another version.

    Examples
    --------
    >>> check_format({"format": "termburst weights", "version": 2}, "weights")
    Traceback (most recent call last):
    ValueError: it has format version 2, but this termburst reads version 3; save them again
    """
    if not isinstance(header, dict) or header.get("format") != f"termburst {kind}":
        raise ValueError("it is another kind of file")
    if header.get("version") != VERSION:
        found = f"{header.get('version')!r:.40}"
        raise ValueError(f"it has format version {found}, but this termburst reads version {VERSION}; {_AGAIN[kind]}")


def check_fields(fields: dict[str, Any], types: dict[str, Any]) -> None:
    """Raise an error if one of the *fields* is missing, or has another type than *types* says."""
    for name, kind in types.items():
        if name not in fields:
            raise ValueError(f"the header field {name!r} is missing")
        value = fields[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(f"the header field {name!r} must be {_IN_WORDS[kind]}; got {value!r:.40}")


def check_entries(name: str, entries: list[Any], kind: type) -> None:
    """Raise TypeError if one of the *entries* of a list is not of this type."""
    for entry in entries:
        if type(entry) is not kind:  # True is an int
            raise TypeError(f"each entry of the header field {name!r} must be {_IN_WORDS[kind]}; got {entry!r:.40}")


def _found(stream: IO[bytes]) -> tuple[int, str] | None:
    """Where the last digest of a file is, and what it says."""
    start = max(stream.seek(0, os.SEEK_END) - _TAIL, 0)
    stream.seek(start)
    marks = list(_MARK.finditer(stream.read()))
    return (start + marks[-1].start(1), marks[-1][1].decode()) if marks else None


def _digest(stream: IO[bytes], at: int) -> str:
    """The digest of a file with zeros at a place, a part of it in memory at a time."""
    digest = hashlib.sha256()
    stream.seek(0)
    left = at
    while left and (block := stream.read(min(left, _BLOCK))):
        digest.update(block)
        left -= len(block)
    digest.update(_ZEROS.encode())
    stream.seek(len(_ZEROS), os.SEEK_CUR)
    digest.update(stream.read())
    return digest.hexdigest()
