"""Files written whole or not at all."""

from __future__ import annotations

import glob
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

_SUFFIX = ".part"


@contextmanager
def atomic_path(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary path beside *path* to write to; renamed to it if the block ends well, removed if it does not.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "out.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("whole or not at all")
    >>> target.read_text()
    'whole or not at all'
    """
    check_output(path)
    target = Path(path).resolve()  # through a link, to the file that it names
    try:
        descriptor, name = tempfile.mkstemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent)
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror}") from error
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())  # mkstemp makes it private; a result is as readable as any other file
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())  # else a crash after the rename could leave an empty file under the final name
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(path: str | PathLike[str]) -> None:
    """Remove what `atomic_path` may have left behind in a process that was killed while it wrote to *path*."""
    target = Path(path).resolve()
    for left in target.parent.glob(f"{_prefix(target)}*{_SUFFIX}"):
        with suppress(OSError):
            left.unlink()


def check_output(path: str | PathLike[str], *, source: str | PathLike[str] | None = None) -> None:
    """Refuse a place that cannot be written to, or that holds the *source*: for a command to call before its work.

    The source may be a file, a folder or a glob.

    Examples
    --------
    >>> check_output("no-such-folder/out.csv")
    Traceback (most recent call last):
    ValueError: no-such-folder/out.csv cannot be written: there is no folder no-such-folder
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{target} is a folder; name a file to write to")
    if target.exists() and not target.is_file():  # a rename would put a file in the place of a device
        raise ValueError(f"{target} is not a regular file; name another to write to")
    if not target.parent.is_dir():
        raise ValueError(f"{target} cannot be written: there is no folder {target.parent}")
    try:
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror}") from error
    if source is not None and target.exists() and _is_read(target, os.fspath(source)):
        raise ValueError(f"{target} is what is being read; name another file to write to")


def _is_read(target: Path, source: str) -> bool:
    """Whether a file is the *source*, lies in that folder, or is named by that glob; those with a dot are not read."""
    if Path(source).is_dir():
        folder, real = Path(source).resolve(), target.resolve()
        return real.is_relative_to(folder) and not any(p.startswith(".") for p in real.relative_to(folder).parts)
    named = [source] if os.path.lexists(source) else glob.iglob(source, recursive=True)  # noqa: PTH207 - as written
    return any(Path(name).exists() and target.samefile(name) for name in named)


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error) or type(error).__name__).splitlines()[0]


def parquet_damage() -> tuple[type[BaseException], ...]:
    """What Polars raises at a damaged Parquet file; a panic is no `Exception`."""
    import polars as pl

    return pl.exceptions.PolarsError, getattr(pl.exceptions, "PanicException", pl.exceptions.PolarsError)


def _prefix(target: Path) -> str:
    return f".termburst-{hashlib.blake2b(os.fsencode(target.name), digest_size=6).hexdigest()}-"


def _sync_folder(folder: Path) -> None:
    """Have the rename on disk before what is done next, such as removing a checkpoint."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):  # a file system that cannot
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
