"""A ledger in a Delta table, partitioned by kind of row and batch. Each step is one commit to the table's log.

A commit is tried once, for the version that was read: if another writer has made this version, Delta refuses it.
"""

from __future__ import annotations

import json
import math
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import unquote

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
        if not self._delta.DeltaTable.is_deltatable(str(self.path)):
            return None
        table = self._delta.DeltaTable(str(self.path))
        found = table.metadata()
        if found.name != NAME:
            raise ValueError(f"{self.path} is a Delta table, but not a ledger")
        self.check_schema((found.description or "").removeprefix("schema "))
        self._check_log(int(table.version()))
        listed = self._read(table, "batch").select(batch="term", part="batch", documents="documents")
        return State(listed.collect(), table)

    def _check_log(self, version: int) -> None:
        """Raise ValueError if an entry of the log has lost lines: Delta would hide its batch without an error."""
        log = self.path / "_delta_log"
        for number in range(_checkpoint(log) + 1, version + 1):
            entry = log / f"{number:020}.json"
            if not _is_whole(entry.read_text(encoding="utf-8")):
                raise ValueError(
                    f"the ledger {self.place:.200} is damaged: its log entry {entry.name} has lost lines; restore this "
                    "file from a copy"
                )

    def scan(self, state: State) -> Any:
        """The files of that version."""
        return self._read(state.token, "patterns")

    def _read(self, table: Any, kind: str) -> Any:
        """The rows of a kind. `polars.scan_delta` does not find files in a folder whose name has a space."""
        import polars as pl

        files = pl.DataFrame(table.get_add_actions(flatten=True)).filter(pl.col("partition.kind") == kind)
        rows = [no_rows()]
        for (batch,), group in files.group_by("partition.batch"):
            paths = [self.path / unquote(path) for path in group["path"]]
            found = pl.scan_parquet(paths, glob=False, hive_partitioning=False)
            rows.append(found.with_columns(batch=pl.lit(batch, pl.String)).select(*COLUMNS))
        return pl.concat(rows)

    def commit(self, state: State | None, change: Change) -> None:
        """Write files, then one version of the log."""
        import pyarrow as pa

        if state is None:
            refuse_others(self.path, "_delta_log", "kind=")
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
            retention_hours=math.ceil(hours), dry_run=False, enforce_retention_duration=False, full=True
        )
        return len(removed)


def _checkpoint(log: Path) -> int:
    """The version up to which the log is in a file of its own, so that earlier entries are not read; -1 if none is."""
    try:
        return int(json.loads((log / "_last_checkpoint").read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return -1


def _is_whole(entry: str) -> bool:
    """Whether an entry of the log has as many added and removed files as it says, and says so.

    >>> _is_whole('{"commitInfo": {"operationMetrics": {"num_added_files": 0}}}')
    True
    >>> _is_whole('{"commitInfo": {"operationMetrics": {"num_added_files": 1}}}')
    False
    """
    lines = [json.loads(line) for line in entry.splitlines() if line.strip()]
    said = [line["commitInfo"].get("operationMetrics") or {} for line in lines if "commitInfo" in line]
    names = {"num_added_files": "add", "num_removed_files": "remove"}
    return bool(said) and all(
        sum(kind in line for line in lines) == int(metrics.get(name, sum(kind in line for line in lines)))
        for metrics in said
        for name, kind in names.items()
    )
