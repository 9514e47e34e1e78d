"""A ledger of patterns in storage: batches are added and withdrawn there, each in one step that happens or does not."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from termburst.backends.collection import Collection
from termburst.backends.frame_input import PATTERNS, opened
from termburst.backends.frames import concatenated, is_spark, to_polars, totals
from termburst.backends.stream import ROWS_PER_FILE, stream
from termburst.counting.options import CountingOptions, checked_counting
from termburst.inference.checks import check_name, checked_number
from termburst.ledgers.delta_table import DeltaFolder
from termburst.ledgers.duckdb_file import DuckDBFile
from termburst.ledgers.frames import counted_with, open_ledger
from termburst.ledgers.iceberg_table import IcebergTable
from termburst.ledgers.parquet_folder import ParquetFolder
from termburst.ledgers.storage import (
    COLUMNS,
    COUNTING,
    MERGED,
    Change,
    State,
    Storage,
    check_id,
    check_place,
    counting_row,
    no_rows,
    register,
    scanned,
    stored_counting,
    understood,
)

if TYPE_CHECKING:
    import polars as pl

STORAGES: dict[str, Callable[..., Storage]] = {
    "parquet": ParquetFolder,  # a folder
    "duckdb": DuckDBFile,  # a file, or an open connection
    "delta": DeltaFolder,  # a folder
    "iceberg": IcebergTable,  # a folder, or a catalogue
}
WITH_NAMES = ("duckdb", "iceberg")  # storages that can have several tables
MOST_HOURS = 1e6  # a century; Delta and Iceberg cannot count many more


class Ledger:
    """The patterns of a collection that changes, in storage, by batches.

    Every change is one step: it happens as a whole or not at all, also if the process is killed. If another process
    changes the ledger at the same time, one of them succeeds; the other gets a `LedgerConflictError` and has changed
    nothing. A step that was made is not made again: adding a batch twice, or withdrawing it twice, changes nothing. So
    a job that failed or was killed can simply be run again.

    Parameters
    ----------
    place : path
        A folder, or a file for DuckDB. It is made by the first `add`. DuckDB's may also be an open connection, and
        Iceberg's a catalogue of PyIceberg.
    storage : {"parquet", "duckdb", "delta", "iceberg"}, optional
        By default "duckdb" if the name ends in .duckdb or .db, or what the folder contains, or else "parquet".
    table : str
        The name of the table, in DuckDB and Iceberg.
    counting : CountingOptions, optional
        How the texts of all batches are counted. The ledger stores it with the next batch. If it has stored other
        options, adding is refused. By default what it has stored; see `counting`.

    Examples
    --------
    >>> import tempfile
    >>> import termburst as tb
    >>> from termburst.ledgers import Ledger
    >>> ledger = Ledger(tempfile.mkdtemp())
    >>> days = {"monday": ["so it goes", "ha ha"], "tuesday": ["it goes on"]}
    >>> for day, texts in days.items():
    ...     print(ledger.add(tb.read(texts), batch=day))
    ('monday',)
    ('tuesday',)
    >>> ledger.add(tb.read(texts).patterns("tuesday"))
    ()
    >>> tb.scan(ledger.frame()).tokens
    8
    >>> ledger.withdraw("monday")
    ('monday',)
    >>> tb.scan(ledger.frame()).tokens
    3
    """

    def __init__(
        self,
        place: Any,
        *,
        storage: str | None = None,
        table: str = "ledger",
        counting: CountingOptions | None = None,
    ) -> None:
        check_place(place)
        self.storage = storage or _guessed(place)
        check_name("storage", self.storage, STORAGES)
        if not table or not isinstance(table, str):
            raise ValueError(f"table must be a name; got {table!r}")
        if self.storage not in WITH_NAMES and table != "ledger":
            raise ValueError(f"a ledger of {self.storage} is the only table of its folder; omit table={table!r}")
        if "\0" in table:
            raise ValueError(f"the name of the table, {table!r}, contains a NUL character; use another one")
        is_file = isinstance(place, str | os.PathLike) and os.path.isfile(place)  # noqa: PTH113 - False if too long
        if is_file and self.storage != "duckdb":
            raise ValueError(f"{place} is a file, but a ledger of {self.storage} is a folder; name another place")
        options = {"table": table} if self.storage in WITH_NAMES else {}
        self._storage = STORAGES[self.storage](place, **options)
        self._counting = None if counting is None else checked_counting(counting)

    def __repr__(self) -> str:
        return f"Ledger({self._storage.place!r}, storage={self.storage!r})"

    @property
    def batches(self) -> pl.DataFrame:
        """One row per batch: its id, its number of documents, and its status.

        The number is below zero if the documents were withdrawn from other batches. The status is "added", "merged" (by
        `compact`), or "withdrawn", with 0 documents.
        """
        import polars as pl

        state = self._state()
        found = (register([]) if state is None else state.batches).filter(pl.col("part") != COUNTING)
        withdrawn, merged = pl.col("documents") == 0, pl.col("part") == MERGED
        status = (
            pl.when(withdrawn).then(pl.lit("withdrawn")).when(merged).then(pl.lit("merged")).otherwise(pl.lit("added"))
        )
        return found.select("batch", "documents", status.alias("status")).sort("batch")

    @property
    def counting(self) -> CountingOptions | None:
        """How the texts are counted: as the ledger has stored it, or as it was given; None if neither is known."""
        return self._agreed(self._state())

    def _agreed(self, state: State | None) -> CountingOptions | None:
        """The options stored and given, which must be equal."""
        stored = stored_counting(state)
        if stored is not None and self._counting is not None:
            try:
                stored.check_equal(self._counting)
            except ValueError as error:
                raise ValueError(f"the ledger {self._storage.place} has other counting options: {error}") from None
        return self._counting if stored is None else stored

    def _as_counted(self, found: Any, counting: CountingOptions | None) -> CountingOptions | None:
        """How patterns were counted, if this process knows it, and otherwise *counting*; ValueError if they differ."""
        own = counted_with(found)
        if own is not None and counting is not None:
            try:
                counting.check_equal(own)
            except ValueError as error:
                raise ValueError(
                    f"these patterns do not belong to the ledger {self._storage.place}: {error}; "
                    "count the texts with the options of ledger.counting"
                ) from None
        return counting if own is None else own

    def frame(self) -> Any:
        """The patterns, which `termburst.scan` takes in place of documents.

        It is a lazy frame of Polars, or a relation of DuckDB. A lazy frame keeps the state that the ledger has now.
        """
        state = self._now()
        with understood(self._storage.place):
            return self._storage.scan(state)

    def add(self, more: Any, *, batch: str | None = None, check: bool = True) -> tuple[str, ...]:
        """Add the batches that the ledger does not have yet. Returns their ids.

        A batch that was withdrawn by its id is not added again, with a warning.

        Parameters
        ----------
        more : a frame of any engine, made by `Corpus.patterns`; with *batch* a corpus, or a frame of document and text
        batch : str, optional
            The id of these documents. Texts are counted with the options of the ledger, and these are stored.
        check : bool
            Check the patterns first, which takes a pass over them.
        """
        counting = self.counting  # refused first: counting takes long
        if batch is not None:
            more, counting = self._patterns(more, batch, counting, check=check)
        elif hasattr(more, "__counted_corpus__"):
            raise ValueError("documents need an id as a batch: give batch=, such as add(corpus, batch='monday')")
        elif (kind := _kind(more)) != "patterns":
            raise ValueError(f"the frame has {kind}, which need an id: give batch=, such as add(frame, batch='monday')")
        else:
            counting = self._as_counted(more, counting)
        found, _ = open_ledger(more, check=check)
        if check:
            Collection(more, {}, None).opened(("patterns",))
        return self._append(found, sign=1, counting=counting)

    def withdraw(self, gone: Any, *, check: bool = True) -> tuple[str, ...]:
        """Withdraw a batch, or some documents of any batches. Returns the ids of the batches that this step changed.

        Parameters
        ----------
        gone : str or frame
            The id of a batch whose documents are to go: its rows are deleted. Or the patterns of documents that were
            added, with an id of their own: their rows are appended with negative numbers.
        check : bool
            Whether to raise ValueError if a number in the result would be below zero; this takes a pass over it.
        """
        if isinstance(gone, str):
            return self._drop(gone, check=check)
        self._as_counted(gone, self.counting)
        found, _ = open_ledger(gone, check=check)
        return self._append(found.with_columns(documents=-nw.col("documents")), sign=-1, check=check)

    def _patterns(
        self, more: Any, batch: str, counting: CountingOptions | None, *, check: bool
    ) -> tuple[Any, CountingOptions | None]:
        """The patterns of a corpus or of a frame of texts, and how texts are counted."""
        if hasattr(more, "patterns"):
            found = more.patterns(batch)
            return found, self._as_counted(found, counting)
        options = counting or CountingOptions()
        return nw.to_native(Collection(more, {}, options, checked=not check).pattern_rows(batch)), options

    def compact(self) -> None:
        """Merge the rows of all batches into one part: equal patterns become one row, and withdrawn ones vanish.

        The ids stay known. A merged batch can no longer be withdrawn by its id, only by the patterns of its documents.
        """
        state = self._now()
        frame = nw.from_native(self._storage.scan(state))
        merged = totals(frame, ["term", "count", "length"]).filter(nw.col("documents") != 0)
        merged = merged.with_columns(batch=nw.lit(MERGED)).select(*COLUMNS)
        rows = state.batches.rows()
        batches = register([(name, part if part == COUNTING else MERGED, number) for name, part, number in rows])
        with understood(self._storage.place), _spooled(merged) as files:
            self._storage.commit(state, Change(files, batches, everything=True))

    def clean(self, hours: float = 24) -> int:
        """Remove files that no longer count since that many hours, and files of killed processes. Returns their number.

        Choose more hours than any step takes: in Delta and Iceberg tables, files of a step that is still being made are
        not known to others. Frames that are still in use need the files of their state, too.
        """
        hours = checked_number("hours", hours, 0.0, MOST_HOURS, low_too=True)
        with understood(self._storage.place):
            return self._storage.clean(hours)

    def _append(
        self, more: Any, *, sign: int, check: bool = False, counting: CountingOptions | None = None
    ) -> tuple[str, ...]:
        """Write the batches that are new, in one step."""
        with _spooled(more) as files:
            numbers = _documents(files)
            for batch in numbers:
                check_id(batch)
            state = self._state()
            known = {} if state is None else {batch: documents for batch, _, documents in state.batches.rows()}
            for batch in sorted(numbers.keys() & known.keys()):
                _check_use(batch, known[batch], sign)
            new = [batch for batch in sorted(numbers) if batch not in known]
            if not new:
                return ()
            if len(new) < len(numbers):
                _keep(files, new)
            if check:
                self._check_rest(state, files=files)
            listed = [(batch, batch, numbers[batch]) for batch in new]
            if counting is not None and stored_counting(state) is None:
                listed.append(counting_row(counting))
            change = Change(files, register(listed))
            with understood(self._storage.place):
                self._storage.commit(state, change)
            return tuple(new)

    def _drop(self, batch: str, *, check: bool) -> tuple[str, ...]:
        state = self._now()
        found = {name: (part, documents) for name, part, documents in state.batches.rows() if part != COUNTING}
        if batch not in found:
            raise ValueError(f"the ledger {self._storage.place} has no batch {batch!r}; see `batches`")
        part, documents = found[batch]
        if not documents:
            return ()
        if part == MERGED:
            raise ValueError(
                f"the batch {batch!r} was merged with others by compact(); withdraw the patterns of its documents"
            )
        if check:
            self._check_rest(state, without=batch)
        with understood(self._storage.place):
            self._storage.commit(state, Change(None, register([(batch, batch, 0)]), drop=batch))
        return (batch,)

    def _check_rest(self, state: State | None, *, files: Path | None = None, without: str | None = None) -> None:
        """Raise ValueError if no collection has the patterns that would remain."""
        frames = []
        if state is not None:
            scanned = nw.from_native(self._storage.scan(state))
            frames.append(scanned if without is None else scanned.filter(nw.col("batch") != without))
        if files is not None:
            like = nw.to_native(frames[0]) if frames else None
            found = Storage.read(self._storage, files, like) if like is None else self._storage.read(files, like)
            frames.append(nw.from_native(found))
        with understood(self._storage.place):
            Collection(nw.to_native(concatenated(frames)), {}, None).opened(("patterns",))

    def _state(self) -> State | None:
        with understood(self._storage.place):
            return self._storage.state()

    def _now(self) -> State:
        state = self._state()
        if state is None:
            raise ValueError(f"there is no ledger at {self._storage.place} yet; add a batch first")
        return state


def _kind(frame: Any) -> str:
    """What a frame has; "patterns" if that is not known, so that `open_ledger` says what is wrong."""
    try:
        return opened(frame, {}, check=False).kind
    except ValueError:
        return "patterns"


def _guessed(place: Any) -> str:
    """The storage that a place has, or is to have."""
    if type(place).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        return "duckdb"
    if type(place).__module__.startswith("pyiceberg."):
        return "iceberg"
    path = Path(place)
    if path.suffix in (".duckdb", ".db"):
        return "duckdb"
    if (path / "_delta_log").is_dir():
        return "delta"
    return "iceberg" if (path / "catalog.db").exists() else "parquet"


@contextmanager
def _spooled(frame: Any) -> Iterator[Path]:
    """The rows of a frame in Parquet files of a temporary folder, a part of them in memory at a time.

    On Spark they all come to this process.
    """
    with tempfile.TemporaryDirectory(prefix="termburst-") as name:
        folder, rows = Path(name), frame.select(*COLUMNS)
        batches = to_polars(rows).iter_slices(ROWS_PER_FILE) if is_spark(frame) else stream(rows, ROWS_PER_FILE)
        empty = no_rows().collect()
        empty.write_parquet(folder / "empty.parquet")
        for k, batch in enumerate(batches):
            batch.cast(dict(empty.schema)).write_parquet(folder / f"{k:06}.parquet")
        yield folder


def _documents(files: Path) -> dict[str, int]:
    """The number of documents of every batch in the files."""
    import polars as pl

    numbers = scanned(files).group_by("batch").agg(pl.col("documents").filter(pl.col("term").is_null()).sum())
    found = dict(numbers.collect(engine="streaming").rows())
    for batch, number in sorted(found.items()):
        if not number:
            raise ValueError(f"the batch {batch!r} has patterns, but no rows for its documents; use {PATTERNS}")
    return found


def _keep(files: Path, batches: list[str]) -> None:
    """Leave only the rows of these batches in the files."""
    import polars as pl

    for file in files.glob("*.parquet"):
        pl.read_parquet(file).filter(pl.col("batch").is_in(batches)).write_parquet(file)


def _check_use(batch: str, documents: int, sign: int) -> None:
    """Raise ValueError if an id that the ledger knows was used for something else; warn if the batch was withdrawn.

    It is no error, so that a job that adds and then withdraws a batch can be run again.
    """
    if not documents:
        warnings.warn(
            f"the batch {batch!r} was withdrawn, so it is not added again; give documents that come back another id",
            stacklevel=4,
        )
    elif (documents < 0) != (sign < 0):
        was, now = ("added", "withdrawn") if sign < 0 else ("withdrawn", "added")
        raise ValueError(f"the batch id {batch!r} was already {was}; use another id for the documents to be {now}")
