"""Find the files of a corpus in a folder or by a glob. Links that lead out of the corpus folder are refused.

In a folder or a glob, files that are hardly meant are skipped and noted: README and LICENSE, empty files and, in
folders, hidden names. A file that is named directly is always read.
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from termburst.reading.faults import fault, reason

Note = Callable[[str, str, str], None]  # (file, kind, detail)

_PACKINGS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_PLAIN = frozenset(["", ".txt", ".text", ".asc", ".md", ".log", ".tex"])
_TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|txz|tbz2?|tzst|tar\.(?:gz|xz|bz2|zst|zstd))$")
_ARCHIVE_ENDS = frozenset(
    [".zip", ".tar", ".tgz", ".txz", ".tbz", ".tbz2", ".tzst", ".gz", ".xz", ".bz2", ".zst", ".zstd"]
)
# Endings of files that hold no text; in a folder they are skipped, even if a few bytes of them look like text.
# fmt: off
_BINARY = frozenset([
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".heic", ".ico", ".psd", ".mp3", ".m4a",
    ".wav", ".ogg", ".flac", ".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".exe", ".dll", ".dylib",
    ".class", ".pyc", ".ttf", ".otf", ".woff", ".woff2", ".7z", ".rar", ".dmg", ".iso", ".npy", ".npz", ".pkl",
    ".pickle", ".sqlite",
])
# fmt: on
_ABOUT = re.compile(r"(?:readme|licen[cs]e)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read, and how to read it according to its name."""

    path: str  # for messages; where it lies, unless it is part of an archive
    label: str  # for ids and reports
    size: int | None  # in bytes on disk; None for standard input and for parts of archives
    whole: bool  # a plain text file that is one document
    kind: str  # "text", "csv", "tsv", "jsonl", "parquet", "archive" or "format" (a format of its own)
    packing: str | None
    suffix: str = ""
    named: bool = False  # directly by the user: a fault in it is an error
    opened: Callable[[], IO[bytes]] | None = field(default=None, compare=False)  # a part of an archive


def find_files(name: str, note: Note, *, lines: bool = False) -> tuple[CorpusFile, ...]:
    """The files of a folder, file, glob or "-", in order. What is skipped is noted."""
    if name == "-":
        return (CorpusFile("-", "", None, False, "text", None, named=True),)
    if any(c in name for c in "*?[") and not os.path.lexists(name):
        return _find_glob(name, note, lines=lines)
    try:
        status = os.stat(name)  # noqa: PTH116 - Path("") would mean the current folder
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        link = "is a link that points to nothing" if os.path.lexists(name) else "does not exist"
        raise FileNotFoundError(f"{name!r} {link}; give a folder, a file, a glob or - for standard input") from error
    except OSError as error:
        raise fault(name, f"cannot be read ({reason(error)})") from error
    if not stat.S_ISDIR(status.st_mode):
        if _is_duckdb(Path(name)):
            raise fault(name, "is a database of DuckDB, not text; give a table of it to tb.scan")
        return (_describe(name, Path(name).name, status, lines=lines, named=True),)
    if is_ledger(Path(name)):
        raise fault(
            name,
            "is a ledger, not a folder of texts; terms, keyness, explain, report and stats show read it; "
            f"for other commands {saving_a_ledger(name)}",
        )
    files = [_describe(path, label, status, lines=lines) for label, path, status in _walk(name, ["**"], note)]
    if not files:
        raise fault(name, "the folder has no files to read (names that begin with a dot are skipped)")
    return _meant(name, files, note)


def saving_a_ledger(name: str) -> str:
    """What to type, so that every command can read what a ledger has."""
    return f"save its statistics in Python and give that file: tb.scan({name!r}).statistics.save('all.parquet')"


def _is_duckdb(path: Path) -> bool:
    """Whether a file has the ending and the beginning of a database of DuckDB."""
    if path.suffix not in (".duckdb", ".db"):
        return False
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def is_ledger(folder: Path) -> bool:
    """Whether a folder has a `termburst.ledgers.Ledger`, even if one of its files is damaged or missing."""
    if not os.path.isdir(folder):  # noqa: PTH112 - it also says no to a name that is too long
        return False
    with suppress(OSError), (folder / "ledger.json").open("rb") as file:
        if b'"format": "termburst ledger"' in file.read(200):
            return True
    return any(folder.glob(f"batch-{'[0-9a-f]' * 32}.parquet"))


def describe_name(path: str, label: str, size: int | None, *, lines: bool, named: bool = False) -> CorpusFile:
    """How to read a file, by the ending of its name."""
    lower = label.lower()
    # A name that is not valid Unicode cannot be printed or saved, so it must not become an id.
    if not label.isascii():
        label = label.encode("utf-8", "replace").decode("utf-8")
    stem, suffix = os.path.splitext(lower)  # noqa: PTH122 - a label is not a path on this machine
    if suffix in _ARCHIVE_ENDS and _ARCHIVE.search(lower):
        return CorpusFile(path, label, size, False, "archive", None, suffix, named)
    packing = _PACKINGS.get(suffix)
    if packing:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    kind = _kind(suffix)
    return CorpusFile(path, label, size, kind == "text" and not lines, kind, packing, suffix, named)


def is_about(label: str) -> bool:
    """Whether a file is about the corpus, not part of it.

    Examples
    --------
    >>> is_about("texts/README.md"), is_about("LICENSE"), is_about("licensed.txt")
    (True, True, False)
    """
    name = label[label.rfind("/") + 1 :]
    return name[:1] in "RrLl" and _ABOUT.match(name) is not None


def not_meant(file: CorpusFile, size: int | None) -> str | None:
    """Why a file of *size* bytes is hardly meant as part of a corpus; None if it may be."""
    if is_about(file.label):
        return "README or licence"
    if file.suffix in _BINARY and file.packing is None:
        return "binary"
    return "empty" if size == 0 else None


def folders_of(labels: list[str]) -> list[str | None]:
    """The folder of every file, below the folders that all have in common; None for files that are in none.

    Examples
    --------
    >>> folders_of(["corpus/1999/a.txt", "corpus/1999/b.txt", "corpus/2001/x/c.txt", "corpus/d.txt"])
    ['1999', '1999', '2001', None]
    >>> folders_of(["corpus/a.txt", "corpus/b.txt"])
    [None, None]
    """
    parts = [label.split("/")[:-1] for label in labels]
    first, last = min(parts, default=[]), max(parts, default=[])
    common = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))))
    return [folder[common] if len(folder) > common else None for folder in parts]


def _kind(suffix: str) -> str:
    if suffix in _PLAIN:
        return "text"
    if suffix in _TABLES:
        return _TABLES[suffix]
    from termburst.reading.formats.table import FORMATS  # only now: most corpora have none of these

    return "format" if any(suffix in each.suffixes for each in FORMATS) else "text"


def _find_glob(name: str, note: Note, *, lines: bool) -> tuple[CorpusFile, ...]:
    parts = name.replace(os.sep, "/").split("/")
    magic = next(k for k, part in enumerate(parts) if any(c in part for c in "*?["))
    base = "".join(part + "/" for part in parts[:magic])
    pattern = [part for part in parts[magic:] if part]
    found = _walk(str(Path(base)), pattern, note) if Path(base).is_dir() else []
    files = [_describe(path, base + label, status, lines=lines) for label, path, status in found]
    if not files:
        raise fault(name, "no file matches this pattern (quote it in the shell, and use ** for subfolders)")
    return _meant(name, files, note)


def _meant(name: str, files: list[CorpusFile], note: Note) -> tuple[CorpusFile, ...]:
    """The files that are part of the corpus; the others are noted."""
    kept = []
    for file in files:
        if why := not_meant(file, file.size):
            note(file.label, "skipped", why)
        else:
            kept.append(file)
    if not kept:
        raise fault(
            name, "there are no files to read: all are empty, binary, README or LICENSE; name a file to read it anyway"
        )
    return tuple(kept)


def _describe(path: str, label: str, status: os.stat_result, *, lines: bool = False, named: bool = False) -> CorpusFile:
    if not stat.S_ISREG(status.st_mode):
        raise fault(path, "is neither a regular file nor a folder; pipe it into standard input and read -")
    return describe_name(path, label, status.st_size, lines=lines, named=named)


def _walk(root: str, pattern: list[str], note: Note) -> list[tuple[str, str, os.stat_result]]:
    """(relative name, path, status) of all files below `root` that match, sorted. Other folders are not entered."""
    top = os.path.realpath(root)
    found: list[tuple[str, str, os.stat_result]] = []
    hidden: list[str] = []
    pending: list[tuple[str, str, tuple[str, ...]]] = [(root, "", (top,))]
    while pending:
        folder, prefix, above = pending.pop()
        try:
            with os.scandir(folder) as scan:
                everything = list(scan)
            entries = [entry for entry in everything if not entry.name.startswith(".")]
            if len(entries) < len(everything):
                hidden += (prefix + entry.name for entry in everything if entry.name.startswith("."))
            for entry in entries:
                relative = prefix + entry.name
                is_folder = _is_folder(entry)
                if pattern != ["**"] and not _matches(relative.split("/"), pattern, partly=is_folder):
                    continue
                real = _resolve(entry, top) if is_folder or entry.is_symlink() else ""
                if not is_folder:
                    found.append((relative, entry.path, entry.stat()))
                elif real in above or Path(above[-1]).is_relative_to(real):
                    raise fault(entry.path, "the link goes round in a circle; remove it")
                else:
                    pending.append((entry.path, relative + "/", (*above, real)))
        except OSError as error:
            raise fault(error.filename or folder, f"cannot be read ({reason(error)})") from error
    if pattern == ["**"]:  # a glob does not match hidden names, as in a shell
        for name in sorted(hidden):
            note(name.encode("utf-8", "replace").decode("utf-8"), "skipped", "hidden")
    return sorted(found, key=lambda item: item[0])


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, which `_resolve` reports
        return False


def _resolve(entry: os.DirEntry[str], top: str) -> str:
    """The real path of a link or folder, which must lie inside the corpus folder."""
    try:
        real = os.path.realpath(entry.path, strict=True)
    except OSError as error:
        problem = "points to nothing" if isinstance(error, FileNotFoundError) else "goes round in a circle"
        raise fault(entry.path, f"the link {problem}; remove it or repair it") from error
    if not Path(real).is_relative_to(top):
        raise fault(entry.path, "the link leads out of the corpus folder; remove it or replace it by a copy")
    return real


def _matches(parts: list[str], pattern: list[str], *, partly: bool) -> bool:
    """Whether a relative path matches; with `partly`, whether a file in that folder could match."""
    if not parts:
        return bool(pattern) if partly else all(part == "**" for part in pattern)
    if pattern and pattern[0] == "**":
        return partly or any(_matches(parts[k:], pattern[1:], partly=False) for k in range(len(parts) + 1))
    return bool(pattern) and fnmatch.fnmatch(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:], partly=partly)
