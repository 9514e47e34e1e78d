"""Find the files of a corpus in a folder or by a glob. Links that lead out of the corpus folder are refused."""

import fnmatch
import os
import stat
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from termburst.reading.faults import fault, reason

_PACKINGS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read, and how to read it according to its name."""

    path: str
    label: str  # for ids; messages name `path`
    size: int | None  # in bytes on disk; None for standard input
    whole: bool  # a plain text file that is one document
    kind: str
    packing: str | None


def find_files(name: str, kinds: Container[str]) -> tuple[CorpusFile, ...]:
    """The files of a folder, file, glob or "-", in order. A suffix that is not in `kinds` means plain text."""
    if name == "-":
        return (CorpusFile("-", "", None, False, "text", None),)
    if any(c in name for c in "*?[") and not os.path.lexists(name):
        return _find_glob(name, kinds)
    try:
        status = os.stat(name)  # noqa: PTH116 - Path("") would mean the current folder
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        link = "is a link that points to nothing" if os.path.lexists(name) else "does not exist"
        raise FileNotFoundError(f"{name!r} {link}; give a folder, a file, a glob or - for standard input") from error
    except OSError as error:
        raise fault(name, f"cannot be read ({reason(error)})") from error
    if not stat.S_ISDIR(status.st_mode):
        return (_describe(name, Path(name).name, status, kinds, whole=False),)
    files = tuple(_describe(path, label, status, kinds, whole=True) for label, path, status in _walk(name, ["**"]))
    if not files:
        raise fault(name, "the folder has no files to read (names that begin with a dot are skipped)")
    return files


def _find_glob(name: str, kinds: Container[str]) -> tuple[CorpusFile, ...]:
    parts = name.replace(os.sep, "/").split("/")
    magic = next(k for k, part in enumerate(parts) if any(c in part for c in "*?["))
    base = "".join(part + "/" for part in parts[:magic])
    pattern = [part for part in parts[magic:] if part]
    found = _walk(str(Path(base)), pattern) if Path(base).is_dir() else []
    files = tuple(_describe(path, base + label, status, kinds, whole=True) for label, path, status in found)
    if not files:
        raise fault(name, "no file matches this pattern (quote it in the shell, and use ** for subfolders)")
    return files


def _describe(path: str, label: str, status: os.stat_result, kinds: Container[str], *, whole: bool) -> CorpusFile:
    if not stat.S_ISREG(status.st_mode):
        raise fault(path, "is neither a regular file nor a folder; pipe it into standard input and read -")
    stem, suffix = os.path.splitext(label.lower())  # noqa: PTH122 - a label is not a path on this machine
    packing = _PACKINGS.get(suffix)
    if packing:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    kind = suffix[1:] if suffix[1:] in kinds else "text"
    if kind == "parquet" and packing:
        raise fault(path, "Parquet files cannot be read through gzip or zstd; unpack it first")
    # A name that is not valid Unicode cannot be printed or saved, so it must not become an id.
    label = label.encode("utf-8", "replace").decode("utf-8")
    return CorpusFile(path, label, status.st_size, whole, kind, packing)


def _walk(root: str, pattern: list[str]) -> list[tuple[str, str, os.stat_result]]:
    """(relative name, path, status) of all files below `root` that match, sorted. Other folders are not entered."""
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
