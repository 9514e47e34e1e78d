"""One process at a time where a file is read, changed and written back."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from termburst.files import companion

_PAUSE = 0.05  # seconds between two tries; waiting in the kernel would not end with Ctrl-C once Polars is loaded
_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class LockedError(ValueError):
    """Another process is changing the file."""


@contextmanager
def locked(path: str | PathLike[str], *, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Keep other processes that ask for the same lock from changing *path* meanwhile.

    Where another process has it, a sentence is given to *waiting* and this one waits; without *waiting* it is a
    `LockedError` at once. The lock is of the operating system, on the file `.NAME.lock` beside *path*, and goes with a
    process that is killed.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with locked(folder / "all.parquet"):
    ...     print([file.name for file in folder.iterdir()])
    ['.all.parquet.lock']
    >>> list(folder.iterdir())
    []
    """
    target = Path(path).resolve()  # two links to one file have one lock
    name = companion(target, ".lock")
    descriptor = _acquired(name, target, waiting)
    try:
        yield
    finally:
        _release(descriptor, name)


def _acquired(name: Path, target: Path, waiting: Callable[[str], None] | None) -> int:
    """A descriptor of the lock file that holds the lock."""
    told = False
    while True:
        descriptor = _opened(name, target)
        try:
            if _try(descriptor, target) and _is_still(descriptor, name):
                return descriptor
            held = _is_still(descriptor, name)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if held:
            if waiting is None:
                raise LockedError(
                    f"another process is writing {target}: start again when it is done, or write to another place"
                )
            if not told:
                waiting(f"another process is changing {target}: waiting until it is done")
                told = True
            time.sleep(_PAUSE)


def _opened(name: Path, target: Path) -> int:
    """The lock file, made if need be; never what a link planted there names."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(name, flags, 0o600)
    except OSError as error:
        link = os.path.islink(name)  # noqa: PTH114 - which never raises
        why = "it is a symbolic link" if link else error.strerror
        raise ValueError(
            f"{target} cannot be changed: its lock {name} cannot be opened ({why}); if no other process is changing "
            f"{target.name}, remove {name.name}"
        ) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise ValueError(f"{target} cannot be changed: {name}, which would be its lock, is not a file; remove it")
    if found.st_size:  # a lock of ours is empty, and removed in the end
        os.close(descriptor)
        raise ValueError(
            f"{target} cannot be changed: {name}, which would be its lock, is not empty, so it is another file; "
            "move it away"
        )
    return descriptor


def _try(descriptor: int, target: Path) -> bool:
    """Take the lock if nobody has it. A file system without locks gets a warning, since most can do with none."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        warnings.warn(
            f"{target} cannot be locked here ({error.strerror}): see to it that only one process changes it at a time",
            stacklevel=2,
        )
    return True


def _is_still(descriptor: int, name: Path) -> bool:
    """Whether the lock file is the one that was opened: who had it before removed it when done."""
    try:
        return os.path.samestat(os.fstat(descriptor), name.lstat())
    except FileNotFoundError:
        return False


def _release(descriptor: int, name: Path) -> None:
    """Remove the lock file while it is held, so that nobody can be waiting for one that has gone unnoticed."""
    if sys.platform == "win32":  # where an open file cannot be removed, not even by others who have it open
        os.close(descriptor)
        with suppress(OSError):
            name.unlink()
        return
    with suppress(OSError):
        name.unlink()
    os.close(descriptor)
