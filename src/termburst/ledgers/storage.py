"""What a storage of ledgers does: read a state, and change it in one step if nobody has changed it since.

A ledger has rows of patterns and a register of its batches. In the register, a batch has the number of its documents:
below zero if they were withdrawn from other batches, 0 if the whole batch was withdrawn. Its *part* says where its rows
are: under its own id, or in the part `MERGED`, with those of other batches. One row may be no batch: it says how the
texts were counted. So it is written in the same step as the first batch, in every storage. It is missing where nobody
has said so, as with patterns from a file.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from termburst.counting.options import CountingOptions
from termburst.counting.stored_options import check_counting

if TYPE_CHECKING:
    import polars as pl

SCHEMA = 2  # of the columns and the register; a ledger with another number is refused
MERGED = "(merged)"  # the batch of rows that `Ledger.compact` has merged
COUNTING = "(counting)"  # the part of the one row of the register that has counting options, and begins with this
# Modules of errors that storage may raise; "_internal" is Delta's, and "pyo3_runtime" has the panics of Rust.
LIBRARIES = frozenset(
    ("polars", "narwhals", "duckdb", "_duckdb", "deltalake", "_internal", "pyiceberg", "sqlalchemy", "sqlite3")
) | {"pyarrow", "pyo3_runtime"}
COLUMNS = ("term", "count", "length", "documents", "batch")
ROWS = 2_000_000  # rows that are written at a time
_LONGEST_ID = 200  # bytes of a quoted id, which is the name of a folder in most storages


class LedgerConflictError(ValueError):
    """Another writer was quicker, and nothing was changed: try again.

    Examples
    --------
    >>> from termburst.ledgers import LedgerConflictError
    >>> issubclass(LedgerConflictError, ValueError)
    True
    """


@dataclass(frozen=True, slots=True)
class State:
    """What a ledger has at a moment: the register (batch, part, documents), and what its storage needs to go on."""

    batches: pl.DataFrame
    token: Any


@dataclass(frozen=True, slots=True)
class Change:
    """One step: write rows from Parquet files and rows of the register; drop first the part *drop*, or everything."""

    rows: Path | None
    batches: pl.DataFrame
    drop: str | None = None
    everything: bool = False


class Storage(ABC):
    """A place for one ledger. Each method opens and closes what it needs."""

    place: str  # for messages

    @abstractmethod
    def state(self) -> State | None:
        """The ledger as it is now; None if there is none yet."""

    @abstractmethod
    def scan(self, state: State) -> Any:
        """The rows of that state, as a lazy frame of Polars or a relation of DuckDB, with the columns `COLUMNS`."""

    @abstractmethod
    def commit(self, state: State | None, change: Change) -> None:
        """Make all of the change, or raise `LedgerConflictError` if the ledger is no longer in that state."""

    @abstractmethod
    def clean(self, hours: float) -> int:
        """Remove files that no state of the last *hours* needs; returns their number."""

    def read(self, files: Path, like: Any) -> Any:
        """The rows in the Parquet files of a folder, as a frame that can be joined with *like*, which `scan` gave."""
        return scanned(files)

    def conflict(self, error: BaseException | None = None) -> LedgerConflictError:
        """The error for a writer that lost."""
        conflict = LedgerConflictError(
            f"another process was changing the ledger {self.place} at the same time; nothing was changed here: "
            "try again"
        )
        conflict.__cause__ = error
        return conflict

    def check_schema(self, found: object) -> None:
        """Raise ValueError if a ledger was written with another schema than ours."""
        if str(found) != str(SCHEMA):
            raise ValueError(
                f"the ledger {self.place} has the schema {found!r}; this version of termburst reads the schema {SCHEMA}"
            )


def register(rows: list[tuple[str, str, int]]) -> pl.DataFrame:
    """Rows of the register, from (batch, part, documents)."""
    import polars as pl

    return pl.DataFrame(rows, schema={"batch": pl.String, "part": pl.String, "documents": pl.Int64}, orient="row")


def counting_row(counting: CountingOptions) -> tuple[str, str, int]:
    """The row of the register that says how texts were counted."""
    return f"{COUNTING} {json.dumps(counting.to_json(), ensure_ascii=False)}", COUNTING, 0


def stored_counting(state: State | None) -> CountingOptions | None:
    """How the texts of a ledger were counted; None if it does not say so."""
    rows = [] if state is None else state.batches.rows()
    for found in [name.removeprefix(COUNTING) for name, part, _ in rows if part == COUNTING]:
        try:
            options = json.loads(found)
            check_counting(options)
            return CountingOptions.from_json(options)
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"the counting options of the ledger are damaged: {error}") from None
    return None


def scanned(folder: Path) -> pl.LazyFrame:
    """The rows in the Parquet files of a folder, whose name may have any characters."""
    import polars as pl

    return pl.scan_parquet(sorted(folder.glob("*.parquet")), glob=False)


def no_rows() -> pl.LazyFrame:
    """A lazy frame with the columns of a ledger and no rows."""
    import polars as pl

    return pl.LazyFrame(schema={name: pl.String if name in ("term", "batch") else pl.Int64 for name in COLUMNS})


def check_id(batch: str) -> None:
    """Raise ValueError for an id that cannot be the name of a part in every storage.

    Examples
    --------
    >>> check_id("")
    Traceback (most recent call last):
    ValueError: a batch id must not be empty
    """
    if not batch:
        raise ValueError("a batch id must not be empty")
    if batch == MERGED or batch.startswith(COUNTING):
        raise ValueError(f"the batch id {batch!r:.60} is reserved; use another one")
    if "\0" in batch:
        raise ValueError(f"the batch id {batch!r} contains a NUL character; use another one")
    if len(quote(batch, safe="")) > _LONGEST_ID:
        raise ValueError(
            f"the batch id {batch[:40]!r}… is too long for a folder's name: at most {_LONGEST_ID} letters, and "
            "fewer if they are not ASCII"
        )


def check_place(place: Any) -> None:
    """Raise ValueError for what is neither a path nor an object of DuckDB or Iceberg.

    Examples
    --------
    >>> check_place("s3://bucket/ledger")
    Traceback (most recent call last):
    ValueError: a ledger must be in a folder of this machine; got 's3://bucket/ledger'
    """
    if any(kind.__module__.partition(".")[0] in ("duckdb", "_duckdb", "pyiceberg") for kind in type(place).__mro__):
        return
    if not isinstance(place, (str, PathLike)) or isinstance(os.fspath(place), bytes) or not str(place):
        raise ValueError(f"place must be a path; got {place!r:.60}")
    name = str(place)
    if re.match(r"[A-Za-z][\w+.-]+:/", name):  # pathlib makes one slash of two
        raise ValueError(f"a ledger must be in a folder of this machine; got {name!r:.60}")
    if name == ":memory:":
        raise ValueError("a ledger in ':memory:' would be gone at once; give an open connection of DuckDB")
    if "\0" in name:
        raise ValueError(f"place {name!r:.60} contains a NUL character; use another name")


def refuse_others(folder: Path, *own: str) -> None:
    """Raise ValueError if a folder has files of others, before a ledger is made there; *own* are beginnings of names.

    `clean` might remove them, and whoever reads the folder would read the ledger.
    """
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if others := [name for name in found if not name.startswith((*own, "."))]:
        raise ValueError(f"{folder} has {others[0]!r:.60} in it; a ledger needs a folder of its own")


@contextmanager
def understood(place: str) -> Iterator[None]:
    """Turn errors of the file system and of libraries for storage into a ValueError of one sentence."""
    try:
        yield
    except BaseException as error:  # a panic of Rust is no Exception
        library = type(error).__module__.partition(".")[0]
        if isinstance(error, ImportError) or not (isinstance(error, OSError) or library in LIBRARIES):
            raise
        reason = " ".join(re.sub(r"\x1b\[\d*m|[\0-\x1f↳]", " ", str(error)).split())
        raise ValueError(f"the ledger {place:.200} cannot be read or written ({reason or library:.200})") from error


def imported(module: str, extra: str) -> Any:
    """The module of a storage, or an ImportError that says how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"this ledger needs the package {error.name}, which is not installed: pip install 'termburst[{extra}]'"
        ) from error


def arrow_rows(change: Change) -> Any:
    """An iterator over Arrow tables with the rows of a change, for a table that has rows and register in one.

    Rows of patterns have the kind "patterns". In a row of the register, whose kind is "batch", the column *term* has
    the id, and the column *batch* the part.
    """
    import polars as pl
    import pyarrow as pa

    order = ("kind", *COLUMNS)
    listed = change.batches.select(
        pl.lit("batch").alias("kind"), term="batch", count=pl.lit(0, pl.Int64), length=pl.lit(0, pl.Int64),
        documents="documents", batch="part",
    ).select(*order)  # fmt: skip
    frames = [listed]
    if change.rows is not None:
        rows = scanned(change.rows).with_columns(kind=pl.lit("patterns")).select(*order)
        found = rows.collect_batches(chunk_size=ROWS, engine="streaming")
        frames = (frame for part in ([listed], found) for frame in part)  # type: ignore[assignment]
    for frame in frames:
        yield frame.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(arrow_schema(pa))


def arrow_schema(pa: Any) -> Any:
    """The columns of a table that has rows and register in one."""
    text, whole = pa.string(), pa.int64()
    kinds = {"kind": text, "term": text, "count": whole, "length": whole, "documents": whole, "batch": text}
    return pa.schema(list(kinds.items()))
