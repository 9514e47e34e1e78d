"""Temporary folders of this process: deleted when it ends, and by a later process if it was killed."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

PREFIX = "termburst-scratch-"
LOCK = ".lock"


def scratch_folder() -> Path:
    """A new empty folder below the one folder that this process has in the temporary folder of the system.

    Beside that folder is a lock file, which the process holds as long as it lives. So the next process that needs
    scratch space knows which folders belong to nobody any more, and deletes them.

    Examples
    --------
    >>> scratch_folder().parent == scratch_folder().parent
    True
    """
    return Path(tempfile.mkdtemp(dir=_own_folder(tempfile.gettempdir(), os.getpid())))


@lru_cache
def _own_folder(place: str, process: int) -> Path:
    from filelock import lock_descriptor

    remove_abandoned(Path(place))
    while True:
        descriptor, name = tempfile.mkstemp(LOCK, PREFIX, place)
        with suppress(OSError):  # without locks on this file system, nobody else deletes the folder
            # Another process may have taken it for abandoned.
            if not lock_descriptor(descriptor, blocking=False) or not Path(name).exists():
                os.close(descriptor)
                continue
        break
    folder = Path(name.removesuffix(LOCK))
    folder.mkdir(mode=0o700)
    atexit.register(_remove, folder, process)
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() != process:  # a fork of it
        return
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.with_name(folder.name + LOCK).unlink()


def remove_abandoned(place: Path) -> list[Path]:
    """Delete the folders whose process is gone; returns them. Those of other users stay, and what cannot be locked."""
    from filelock import lock_descriptor

    gone = []
    for lock in sorted(place.glob(f"{PREFIX}*{LOCK}")):
        folder = lock.with_name(lock.name.removesuffix(LOCK))
        if not all(_is_own(path) for path in (lock, folder) if os.path.lexists(path)):
            continue
        with suppress(OSError):
            descriptor = os.open(lock, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if lock_descriptor(descriptor, blocking=False):
                    shutil.rmtree(folder, ignore_errors=True)
                    lock.unlink()
                    gone.append(folder)
            finally:
                os.close(descriptor)
    return gone


def _is_own(path: Path) -> bool:
    """Whether it is a file or folder of this user, and no link."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())
