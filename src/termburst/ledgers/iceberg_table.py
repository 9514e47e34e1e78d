"""A ledger in an Iceberg table, partitioned by kind of row and batch. Each step is one transaction of its catalogue.

A folder has the table and a catalogue of its own in an SQLite file; or give a catalogue of PyIceberg. A transaction is
tried once, for the snapshot that was read: if another writer has made another one, the catalogue refuses it.
"""

from __future__ import annotations

import time
import weakref
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from termburst.ledgers.storage import (
    COLUMNS,
    SCHEMA,
    Change,
    State,
    Storage,
    arrow_rows,
    arrow_schema,
    imported,
    no_rows,
    refuse_others,
    register,
)

CATALOGUE = "catalog.db"
PROPERTY = "termburst.ledger"
NAMESPACE = "termburst"


class IcebergTable(Storage):
    """A table `termburst.NAME`, in the catalogue of a folder or in one that is given."""

    def __init__(self, place: Any, table: str = "ledger") -> None:
        self._exceptions = imported("pyiceberg.exceptions", "iceberg")
        given = isinstance(place, imported("pyiceberg.catalog", "iceberg").Catalog)
        self._catalogue: Any = place if given else None
        self.folder = None if given else Path(place).resolve()
        if self.folder is not None and (wrong := set("#?%") & set(str(self.folder))):
            raise ValueError(
                f"an Iceberg table cannot be in {self.folder}: its name has {min(wrong)!r}; name another folder"
            )
        self.name = f"{NAMESPACE}.{table}"
        self.place = self.name if given else str(place)

    def state(self) -> State | None:
        """The current snapshot of the table."""
        import polars as pl

        if self.folder is not None and not (self.folder / CATALOGUE).exists():
            return None
        try:
            table = self._opened().load_table(self.name)
        except (self._exceptions.NoSuchTableError, self._exceptions.NoSuchNamespaceError):
            return None
        except self._busy() as error:
            raise self.conflict(error) from None
        if PROPERTY not in table.properties:
            raise ValueError(f"the Iceberg table {self.name} is not a ledger")
        self.check_schema(table.properties[PROPERTY])
        files = self._files(table, "batch")
        if not files:
            return State(register([]), table)
        listed = pl.scan_parquet(files, glob=False, hive_partitioning=False)
        return State(listed.select(batch="term", part="batch", documents="documents").collect(), table)

    def scan(self, state: State) -> Any:
        """The files of that snapshot."""
        import polars as pl

        files = self._files(state.token, "patterns")
        if not files:
            return no_rows()
        return pl.scan_parquet(files, glob=False, hive_partitioning=False).select(*COLUMNS)

    def _files(self, table: Any, kind: str) -> list[str]:
        """The data files with rows of that kind, in the current snapshot."""
        equal = imported("pyiceberg.expressions", "iceberg").EqualTo
        tasks = list(table.scan(row_filter=equal("kind", kind)).plan_files())
        if any(task.delete_files for task in tasks):
            raise ValueError(f"the Iceberg table {self.name} has deleted rows in delete files; rewrite its data files")
        return [_local(task.file.file_path) for task in tasks]

    def commit(self, state: State | None, change: Change) -> None:
        """Write files, then one version of the table's metadata, which the catalogue takes or refuses."""
        try:
            with self._created() if state is None else state.token.transaction() as transaction:
                self._dropped(transaction, change)
                for rows in arrow_rows(change):
                    transaction.append(rows)
        except (self._exceptions.CommitFailedException, self._exceptions.TableAlreadyExistsError) as error:
            raise self.conflict(error) from None
        except self._busy() as error:
            raise self.conflict(error) from None

    def _dropped(self, transaction: Any, change: Change) -> None:
        expressions = imported("pyiceberg.expressions", "iceberg")
        if change.everything:
            transaction.delete(expressions.AlwaysTrue())
        elif change.drop is not None:
            transaction.delete(expressions.EqualTo("batch", change.drop))

    def _created(self) -> Any:
        """A transaction that makes the table."""
        import pyarrow as pa
        from pyiceberg.partitioning import PartitionField, PartitionSpec
        from pyiceberg.schema import Schema
        from pyiceberg.transforms import IdentityTransform
        from pyiceberg.types import LongType, NestedField, StringType

        if self.folder is not None:
            refuse_others(self.folder, CATALOGUE, NAMESPACE)
        names = arrow_schema(pa)
        fields = [
            NestedField(i, field.name, StringType() if field.type == pa.string() else LongType(), required=False)
            for i, field in enumerate(names, start=1)
        ]
        identity = [
            PartitionField(names.get_field_index(name) + 1, 1000 + i, IdentityTransform(), name)
            for i, name in enumerate(("kind", "batch"))
        ]
        catalogue = self._opened()
        catalogue.create_namespace_if_not_exists(NAMESPACE)
        return catalogue.create_table_transaction(
            self.name,
            schema=Schema(*fields),
            partition_spec=PartitionSpec(*identity),
            # Appending again to what another writer has made in the meantime could count a batch twice.
            properties={PROPERTY: str(SCHEMA), "commit.retry.num-retries": "0"},
        )

    def clean(self, hours: float) -> int:
        """Forget snapshots that are older, and remove data files of the folder that no snapshot has."""
        state = self.state()
        if state is None:
            return 0
        table = state.token
        table.maintenance.expire_snapshots().older_than(datetime.now(UTC) - timedelta(hours=hours)).commit()
        table.refresh()
        if self.folder is None:  # files of others may lie in the same place
            return 0
        kept = {_local(path) for path in table.inspect.all_files()["file_path"].to_pylist()}
        before, removed = time.time() - 3600 * hours, 0
        for file in Path(_local(table.location())).glob("data/**/*.parquet"):
            if str(file) not in kept and file.stat().st_mtime <= before:
                file.unlink()
                removed += 1
        return removed

    def _opened(self) -> Any:
        if self._catalogue is None:
            assert self.folder is not None
            self.folder.mkdir(parents=True, exist_ok=True)
            sql = imported("pyiceberg.catalog.sql", "iceberg")
            try:
                self._catalogue = sql.SqlCatalog(
                    NAMESPACE, uri=f"sqlite:///{self.folder / CATALOGUE}", warehouse=str(self.folder)
                )
            except self._busy() as error:
                raise self.conflict(error) from None
            weakref.finalize(self, self._catalogue.engine.dispose)
        return self._catalogue

    def _busy(self) -> tuple[type[BaseException], ...]:
        """Errors of SQLite if two processes write to the catalogue, or make it, in the same moment."""
        if self.folder is None:
            return ()
        errors = imported("sqlalchemy.exc", "iceberg")
        return errors.OperationalError, errors.IntegrityError


def _local(address: str) -> str:
    """The path of a file: address, in which nothing is quoted; other addresses unchanged."""
    return address.removeprefix("file://")
