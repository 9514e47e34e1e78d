"""A ledger in a DuckDB file: the rows in a table, the register in another, and each step is one transaction.

DuckDB lets one process at a time write to a file. Another one is told so.
"""

from __future__ import annotations

import glob
import time
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst.files import companion
from termburst.ledgers.storage import COLUMNS, SCHEMA, Change, State, Storage, imported, register

if TYPE_CHECKING:
    from collections.abc import Iterator

PART = ".part"  # the end of the name of a file that is being made


class DuckDBFile(Storage):
    """Three tables of a file, or of the database of an open connection: NAME, NAME_batches and NAME_state."""

    def __init__(self, place: Any, table: str = "ledger") -> None:
        self._duckdb = imported("duckdb", "duckdb")
        self._given = place if isinstance(place, self._duckdb.DuckDBPyConnection) else None
        self.path = None if self._given is not None else Path(place)
        self.place = f"{table!r} of this connection" if self.path is None else str(self.path)
        self._rows, self._batches, self._state = (_quoted(f"{table}{end}") for end in ("", "_batches", "_state"))
        self._names = [f"{table}{end}" for end in ("", "_batches", "_state")]

    def state(self) -> State | None:
        """The state that is committed now."""
        if self.path is not None and not self.path.exists():
            return None
        with self._connection() as connection:
            found = self._version(connection)
            if found is None:
                return None
            rows = connection.execute(f"select batch, part, documents from {self._batches}").fetchall()
            return State(register(rows), found)

    def scan(self, state: State) -> Any:
        """The table, as a relation. As long as it is in use, no other process can open the file."""
        connection = self._opened()
        return connection.sql(f"select {', '.join(map(_quoted, COLUMNS))} from {self._rows}")

    def read(self, files: Path, like: Any) -> Any:
        """The rows in the Parquet files of a folder, on the connection of *like*."""
        return like.query("_", f"select {', '.join(map(_quoted, COLUMNS))} from {_parquet(files)}")

    def commit(self, state: State | None, change: Change) -> None:
        """One transaction, which checks the version first. A new file appears with its first batch in it."""
        if self.path is not None and state is None and not self.path.exists():
            self._make(self.path, change)
            return
        with self._connection() as connection:
            self._transaction(connection, state, change)

    def _make(self, path: Path, change: Change) -> None:
        """Write a new file under another name: one that was killed while it was made could not be opened again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = companion(path, f".{uuid.uuid4().hex}{PART}")
        try:
            with self._duckdb.connect(str(temporary)) as connection:
                self._transaction(connection, None, change)
            path.hardlink_to(temporary)  # unlike a rename, this fails if another process has made the file
        except FileExistsError as error:
            raise self.conflict(error) from None
        finally:
            temporary.unlink(missing_ok=True)

    def _transaction(self, connection: Any, state: State | None, change: Change) -> None:
        try:
            connection.begin()
            self._change(connection, state, change)
            connection.commit()
        except BaseException as error:
            self._roll_back(connection)
            if isinstance(error, (self._duckdb.TransactionException, self._duckdb.ConstraintException)):
                raise self.conflict(error) from None
            raise

    def _roll_back(self, connection: Any) -> None:
        with suppress(self._duckdb.TransactionException):  # DuckDB has done it
            connection.rollback()

    def _change(self, connection: Any, state: State | None, change: Change) -> None:
        if self._version(connection) != (state.token if state else None):
            raise self.conflict()
        if state is None:
            kinds = "term varchar, count bigint, length bigint, documents bigint, batch varchar"
            connection.execute(f"create table {self._rows} ({kinds})")
            connection.execute(f"create table {self._batches} (batch varchar, part varchar, documents bigint)")
            connection.execute(f"create table {self._state} (schema integer, version bigint)")
            connection.execute(f"insert into {self._state} values ({SCHEMA}, 1)")
        else:
            connection.execute(f"update {self._state} set version = version + 1")
        for table, column in ((self._rows, "batch"), (self._batches, "part")):
            if change.everything:
                connection.execute(f"delete from {table}")
            elif change.drop is not None:
                connection.execute(f'delete from {table} where {column} collate "binary" = ?', [change.drop])
        if change.rows is not None:
            names = ", ".join(map(_quoted, COLUMNS))
            connection.execute(f"insert into {self._rows} select {names} from {_parquet(change.rows)}")
        connection.executemany(f"insert into {self._batches} values (?, ?, ?)", change.batches.rows())

    def clean(self, hours: float) -> int:
        """Write the log into the file, and remove files of killed processes. DuckDB uses free space again by itself."""
        removed, before = 0, time.time() - 3600 * hours
        if self.path is not None:
            for left in self.path.parent.glob(f".{glob.escape(self.path.name)}.*{PART}"):
                if left.stat().st_mtime <= before:  # otherwise its process may be alive
                    left.unlink()
                    removed += 1
        if self.path is None or self.path.exists():
            with self._connection() as connection:
                connection.execute("checkpoint")
        return removed

    def _version(self, connection: Any) -> int | None:
        listed = (
            "select count(*) from duckdb_tables() where table_name in (?, ?, ?) "
            "and database_name = current_database() and schema_name = current_schema()"
        )
        number = connection.execute(listed, self._names).fetchone()[0]
        if number == 0:
            return None
        if number < len(self._names):
            raise ValueError(
                f"the database {self.place} has a table {self._rows} that is not a ledger; name another table"
            )
        schema, version = connection.execute(f"select schema, version from {self._state}").fetchone()
        self.check_schema(schema)
        return int(version)

    def _opened(self) -> Any:
        if self._given is not None:
            return self._given.cursor()
        try:
            return self._duckdb.connect(str(self.path))
        except self._duckdb.IOException as error:
            if "lock" in str(error).lower():
                raise self.conflict(error) from None
            raise ValueError(f"{self.path} cannot be opened by DuckDB: {str(error).splitlines()[0]}") from error

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        connection = self._opened()
        try:
            yield connection
        finally:
            connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _parquet(folder: Path) -> str:
    pattern = f"{glob.escape(str(folder))}/*.parquet".replace("'", "''")
    return f"read_parquet('{pattern}', hive_partitioning = false)"
