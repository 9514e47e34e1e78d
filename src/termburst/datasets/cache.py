"""The cache of the parsed standard library: one small Parquet file per Python interpreter."""

import hashlib
import io
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

from termburst.files import atomic_path, panics_unseen
from termburst.forks import polars_is_lost

CACHE_VARIABLE = "TERMBURST_CACHE"

_FORMAT = "1"  # increase it when the content of a document changes
_COLUMNS = ["id", "text"]
_MAGIC = b"PAR1"

Documents = tuple[list[str], list[str]]


def cache_folder() -> Path | None:
    """The folder in TERMBURST_CACHE, or by default the platform's cache folder; None if there is no home folder."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    try:
        return _platform_cache() / "termburst"
    except RuntimeError:  # Path.home() raises it if the user has no home folder
        return None


def _platform_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else Path.home() / ".cache"  # the XDG standard says to ignore relative paths


def stdlib_file(root: Path) -> Path | None:
    """The cache file of the running interpreter for the standard library in `root`."""
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256(f"{_FORMAT}\n{root}".encode()).hexdigest()[:12]
    return folder / f"stdlib-{sys.implementation.name}-{platform.python_version()}-{digest}.parquet"


def read(path: Path) -> Documents | None:
    """The ids and texts in a cache file; None if the file is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    # The Parquet reader may panic on a truncated file, and a panic writes to the terminal: so check both ends first.
    if not (content.startswith(_MAGIC) and content.endswith(_MAGIC)) or polars_is_lost():
        return None
    return _decode(content)


def _decode(content: bytes) -> Documents | None:
    import polars as pl

    try:
        with panics_unseen:
            frame = pl.read_parquet(io.BytesIO(content))
    except (Exception, pl.exceptions.PanicException):  # PanicException is not a subclass of Exception
        return None
    sound = frame.columns == _COLUMNS and set(frame.dtypes) == {pl.String} and frame.height > 0
    if not sound or any(frame.null_count().row(0)):
        return None
    return frame["id"].to_list(), frame["text"].to_list()


def write(path: Path, documents: Documents) -> None:
    """Write a cache file completely or not at all. If the folder is not writable, there is no cache and no error."""
    if polars_is_lost():
        return
    import polars as pl

    buffer = io.BytesIO()
    pl.DataFrame(dict(zip(_COLUMNS, documents, strict=True))).write_parquet(buffer)
    with suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_bytes(buffer.getvalue())
