"""Atomic writing of files: a file is written completely or not at all."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

_SUFFIX = ".part"
_LONGEST_NAME = 255  # bytes of a file's name, in almost every file system
_STANDARD_ERROR = 2  # as the operating system numbers it


@contextmanager
def atomic_path(path: str | PathLike[str], *, follow: bool = True) -> Iterator[Path]:
    """A temporary path in the folder of *path*. It is renamed to *path* if the block succeeds, and removed if it fails.

    The new file keeps the mode of the file that it replaces, and its owner if that is permitted. If *path* is a
    symbolic link, the file behind the link is replaced; with ``follow=False`` the link itself is replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "out.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("all or nothing")
    >>> target.read_text()
    'all or nothing'
    """
    check_output(path)
    target = Path(path).resolve() if follow else Path(path).parent.resolve() / Path(path).name
    try:
        descriptor, name = tempfile.mkstemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent)
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror}") from error
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            _take_after(target, temporary)  # only now: until all is written, the file is private, as mkstemp made it
            os.fsync(written.fileno())  # without it, a crash after the rename could leave an empty file
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(path: str | PathLike[str]) -> None:
    """Remove the temporary files of processes that were killed inside `atomic_path` of *path*."""
    target = Path(path).resolve()
    for left in target.parent.glob(f"{_prefix(target)}*{_SUFFIX}"):
        with suppress(OSError):
            left.unlink()


def companion(path: Path, suffix: str) -> Path:
    """A hidden file in the folder of *path*, such as its lock. The name is a hash if the full name would be too long.

    Examples
    --------
    >>> companion(Path("all.parquet"), ".lock").name, companion(Path("a" * 255), ".lock").name
    ('.all.parquet.lock', '.termburst-1a22f008a484.lock')
    """
    name = f".{path.name}{suffix}"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f"{_prefix(path).removesuffix('-')}{suffix}"
    return path.with_name(name)


def check_output(path: str | PathLike[str], *sources: str | PathLike[str]) -> None:
    """Raise ValueError if *path* cannot be written to, or is part of a source (a file, a folder or a glob).

    Commands call it before they start to compute.

    Examples
    --------
    >>> check_output("no-such-folder/out.csv")
    Traceback (most recent call last):
    ValueError: no-such-folder/out.csv cannot be written: the folder no-such-folder does not exist
    """
    target = Path(path)
    try:
        target.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ValueError(f"{target} cannot be written: it is a symbolic link to itself") from error
    if target.is_dir():
        raise ValueError(f"{target} is a folder; name a file to write to")
    if target.exists() and not target.is_file():  # a rename would replace a device by a file
        raise ValueError(f"{target} is not a regular file; name another file to write to")
    if not target.parent.is_dir():
        raise ValueError(f"{target} cannot be written: the folder {target.parent} does not exist")
    try:
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror}") from error
    if target.exists() and any(_is_read(target, os.fspath(source)) for source in sources):
        raise ValueError(f"{target} is part of the input; name another file to write to")


def _is_read(target: Path, source: str) -> bool:
    """Whether a file is the *source*, is in that folder, or matches that glob. Hidden files in folders are not read."""
    if Path(source).is_dir():
        folder, real = Path(source).resolve(), target.resolve()
        return real.is_relative_to(folder) and not any(p.startswith(".") for p in real.relative_to(folder).parts)
    named = [source] if os.path.lexists(source) else glob.iglob(source, recursive=True)  # noqa: PTH207 - as written
    return any(Path(name).exists() and target.samefile(name) for name in named)


def first_line(error: BaseException) -> str:
    """The first line of an error's message; a fixed text for a panic of Polars, whose message is about Rust code."""
    if type(error).__name__ == "PanicException":
        return "it is damaged"
    return (str(error) or type(error).__name__).splitlines()[0]


def parquet_damage() -> tuple[type[BaseException], ...]:
    """The errors that Polars raises for a damaged Parquet file. A panic is not a subclass of `Exception`."""
    import polars as pl

    return pl.exceptions.PolarsError, getattr(pl.exceptions, "PanicException", pl.exceptions.PolarsError)


class _PanicsUnseen:
    """A context manager that hides what native code writes to standard error. It can be nested, in any thread.

    Rust prints a panic there before Polars turns it into an exception. Nothing is hidden until a command has called
    `begin`, because in a library this would also hide the output of other code.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted = False
        self._inside = 0
        self._kept = -1

    def begin(self) -> None:
        """Switch it on, in a process that owns standard error. Python writes to a copy, which stays visible."""
        try:
            if sys.stderr.fileno() == _STANDARD_ERROR:
                again = os.dup(_STANDARD_ERROR)
                encoding, errors = sys.stderr.encoding, sys.stderr.errors
                sys.stderr = open(again, "w", buffering=1, encoding=encoding, errors=errors)  # noqa: PTH123, SIM115
            self._wanted = True
        except (AttributeError, OSError, ValueError):  # closed or not a file: descriptor 2 may be anything
            self._wanted = False

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._wanted and self._inside == 1:
                self._kept = os.dup(_STANDARD_ERROR)
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, _STANDARD_ERROR)
                os.close(nowhere)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._kept >= 0:
                os.dup2(self._kept, _STANDARD_ERROR)
                os.close(self._kept)
                self._kept = -1


panics_unseen = _PanicsUnseen()


def _prefix(target: Path) -> str:
    return f".termburst-{hashlib.blake2b(os.fsencode(target.name), digest_size=6).hexdigest()}-"


def _sync_folder(folder: Path) -> None:
    """Make sure that the rename is on disk before the next step, such as removing a checkpoint."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):  # a file system that cannot sync a folder
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _take_after(target: Path, temporary: Path) -> None:
    """Give a new file the mode and the owner of the file that it replaces, or the defaults if it replaces none."""
    try:
        old = target.lstat()
    except FileNotFoundError:
        old = None
    if old is None or not stat.S_ISREG(old.st_mode):
        temporary.chmod(0o666 & ~_umask())
        return
    mode = stat.S_IMODE(old.st_mode) & 0o777
    if hasattr(os, "chown") and not _give(temporary, old.st_uid, old.st_gid):
        mode &= 0o707 | (mode & 0o007) << 3  # the group is another one, which gets the rights of everybody
    temporary.chmod(mode)


def _give(path: Path, owner: int, group: int) -> bool:
    """Change owner and group, or only the group, as far as permitted. Returns whether the group is as requested."""
    for wanted in (owner, -1):
        with suppress(OSError):
            os.chown(path, wanted, group)
            break
    return path.stat().st_gid == group


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
