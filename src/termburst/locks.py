"""Locks, so that only one process at a time reads, changes and writes back a file."""

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

_PAUSE = 0.05  # seconds between two attempts; once Polars is loaded, Ctrl-C would not end waiting in the kernel
_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class LockedError(ValueError):
    """Another process is changing the file."""


@contextmanager
def locked(path: str | PathLike[str], *, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of *path*, so that no other process that asks for the lock changes the file.

    If another process holds it, *waiting* is called with a message and this process waits. Without *waiting*,
    `LockedError` is raised at once. It is a lock of the operating system on the file `.NAME.lock` in the same folder,
    and is released when its process is killed.

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
    target = Path(path).resolve()  # two links to one file share one lock
    name = companion(target, ".lock")
    descriptor = _acquired(name, target, waiting)
    try:
        yield
    finally:
        _release(descriptor, name)


def _acquired(name: Path, target: Path, waiting: Callable[[str], None] | None) -> int:
    """A descriptor of the lock file, with the lock held."""
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
                    f"another process is writing {target}; try again when it has finished, or write to another file"
                )
            if not told:
                waiting(f"another process is changing {target}; waiting until it has finished")
                told = True
            time.sleep(_PAUSE)


def _opened(name: Path, target: Path) -> int:
    """Open the lock file, or create it. A symbolic link is never followed, because somebody may have planted it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(name, flags, 0o600)
    except OSError as error:
        link = os.path.islink(name)  # noqa: PTH114 - it never raises
        why = "it is a symbolic link" if link else error.strerror
        raise ValueError(
            f"{target} cannot be changed: its lock {name} cannot be opened ({why}); if no other process is changing "
            f"{target.name}, remove {name.name}"
        ) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise ValueError(f"{target} cannot be changed: its lock {name} is not a regular file; remove it")
    if found.st_size:  # our lock files are always empty
        os.close(descriptor)
        raise ValueError(
            f"{target} cannot be changed: its lock {name} is not empty, so it is not a lock of termburst; move it away"
        )
    return descriptor


def _try(descriptor: int, target: Path) -> bool:
    """Take the lock if nobody has it. A file system without locks only gives a warning: most users do not need one."""
    try:
        return take_at_once(descriptor)
    except OSError as error:
        warnings.warn(
            f"{target} cannot be locked here ({error.strerror}); make sure that only one process changes it at a time",
            stacklevel=2,
        )
    return True


def take_at_once(descriptor: int) -> bool:
    """Lock an open file if nobody has locked it. OSError if the file system has no locks."""
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
        raise
    return True


def _is_still(descriptor: int, name: Path) -> bool:
    """Whether the lock file is still the one that was opened: the process that held it before may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), name.lstat())
    except FileNotFoundError:
        return False


def _release(descriptor: int, name: Path) -> None:
    """Remove the lock file while it is held: a process that waits for it then notices, see `_is_still`."""
    if sys.platform == "win32":  # an open file cannot be removed there
        os.close(descriptor)
        with suppress(OSError):
            name.unlink()
        return
    with suppress(OSError):
        name.unlink()
    os.close(descriptor)
