"""A ledger in a Delta table, partitioned by kind of row and batch. Each step is one commit to the table's log.

A commit is tried once, for the version that was read: if another writer has made this version, Delta refuses it.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from termburst.engines.ledgers.storage import (
    COLUMNS,
    SCHEMA,
    Change,
    State,
    Storage,
    arrow_rows,
    arrow_schema,
    imported,
)

NAME = "termburst ledger"
PARTITIONS = ["kind", "batch"]


class DeltaFolder(Storage):
    """A folder with a Delta table."""

    def __init__(self, place: str | PathLike[str]) -> None:
        self._delta = imported("deltalake", "delta")
        self.path = Path(place)
        self.place = str(self.path)

    def state(self) -> State | None:
        """The latest version of the table."""
        import polars as pl

        if not self._delta.DeltaTable.is_deltatable(str(self.path)):
            return None
        table = self._delta.DeltaTable(str(self.path))
        found = table.metadata()
        if found.name != NAME:
            raise ValueError(f"{self.path} is a Delta table, but not a ledger")
        self.check_schema((found.description or "").removeprefix("schema "))
        listed = pl.scan_delta(table).filter(pl.col("kind") == "batch")
        return State(listed.select(batch="term", part="batch", documents="documents").collect(), table)

    def scan(self, state: State) -> Any:
        """The files of that version."""
        import polars as pl

        return pl.scan_delta(state.token).filter(pl.col("kind") == "patterns").select(*COLUMNS)

    def commit(self, state: State | None, change: Change) -> None:
        """Write files, then one version of the log."""
        import pyarrow as pa

        batches = (batch for table in arrow_rows(change) for batch in table.to_batches())
        options: dict[str, Any] = {"mode": "append"}
        if state is None:
            options = {"mode": "error", "partition_by": PARTITIONS, "name": NAME, "description": f"schema {SCHEMA}"}
        elif change.everything:
            options = {"mode": "overwrite"}
        elif change.drop is not None:
            quoted = change.drop.replace("'", "''")
            options = {"mode": "overwrite", "predicate": f"batch = '{quoted}'"}
        try:
            self._delta.write_deltalake(
                str(self.path) if state is None else state.token,
                pa.RecordBatchReader.from_batches(arrow_schema(pa), batches),
                commit_properties=self._delta.CommitProperties(max_commit_retries=0),
                **options,
            )
        except self._delta.exceptions.CommitFailedError as error:
            raise self.conflict(error) from None
        except self._delta.exceptions.DeltaError as error:
            if state is None and self._delta.DeltaTable.is_deltatable(str(self.path)):
                raise self.conflict(error) from None  # another process has created it
            raise

    def clean(self, hours: float) -> int:
        """Remove files that no version of the last *hours* has, and those of killed processes that are older."""
        state = self.state()
        if state is None:
            return 0
        removed = state.token.vacuum(
            retention_hours=int(hours), dry_run=False, enforce_retention_duration=False, full=True
        )
        return len(removed)
