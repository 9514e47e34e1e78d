"""Locks, so that only one process at a time reads, changes and writes back a file."""

from __future__ import annotations

import errno
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from termburst.files import companion

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)  # of a file system


class LockedError(ValueError):
    """Another process is changing the file."""


@contextmanager
def locked(path: str | PathLike[str], *, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of *path*, so that no other process that asks for the lock changes the file.

    If another process holds it, *waiting* is called with a message and this process waits. Without *waiting*,
    `LockedError` is raised at once. It is a lock of the operating system on the file `.NAME.lock` in the same folder,
    and is released when its process is killed. A symbolic link in the place of that file is never followed, because
    somebody may have planted it.

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
    from filelock import FileLock, Timeout

    target = Path(path).resolve()  # two links to one file share one lock
    name = companion(target, ".lock")
    # Not a lock by existence where the file system has none: it would outlive a process that is killed.
    lock = FileLock(name, mode=0o600, thread_local=False, fallback_to_soft=False, preserve_lock_file=True)
    try:
        try:
            lock.acquire(blocking=False)
        except Timeout:
            if waiting is None:
                raise LockedError(
                    f"another process is writing {target}; try again when it has finished, or write to another file"
                ) from None
            waiting(f"another process is changing {target}; waiting until it has finished")
            lock.acquire()
    except OSError as error:
        _explain(error, name, target)
    try:
        yield
    finally:
        # While it is held: a process that waits for it then sees that it is gone, and makes a new one.
        if sys.platform != "win32":
            _remove(name)
        lock.release()
        if sys.platform == "win32":  # an open file cannot be removed there
            _remove(name)


def _explain(error: OSError, name: Path, target: Path) -> None:
    """Raise ValueError if the lock file cannot be opened; only warn if the file system has no locks."""
    if error.errno in _NO_LOCKS:  # most users do not need one
        warnings.warn(
            f"{target} cannot be locked here ({error.strerror}); make sure that only one process changes it at a time",
            stacklevel=4,
        )
        return
    why = "it is a symbolic link" if os.path.islink(name) else error.strerror  # noqa: PTH114 - it never raises
    raise ValueError(
        f"{target} cannot be changed: its lock {name} cannot be opened ({why}); if no other process is changing "
        f"{target.name}, remove {name.name}"
    ) from error


def _remove(name: Path) -> None:
    """Remove a lock file. Ours are empty; another file with that name is kept."""
    with suppress(OSError):
        found = name.lstat()
        if stat.S_ISREG(found.st_mode) and not found.st_size:
            name.unlink()
