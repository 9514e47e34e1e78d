"""A ledger in a folder of Parquet files: one file per batch, and `ledger.json`, which says which files count.

A step writes new files first and then replaces `ledger.json`, by a rename. So a process that is killed leaves the old
or the new state, and perhaps files that nobody reads; `clean` removes them. One process at a time writes, by a lock of
the operating system, which ends with its process.
"""

from __future__ import annotations

import json
import time
import uuid
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from termburst.files import atomic_path
from termburst.ledgers.storage import (
    COLUMNS,
    COUNTING,
    MERGED,
    SCHEMA,
    Change,
    State,
    Storage,
    no_rows,
    refuse_others,
    register,
    scanned,
)
from termburst.locks import LockedError, locked

MANIFEST = "ledger.json"
FORMAT = "termburst ledger"


class ParquetFolder(Storage):
    """A folder that has the ledger and nothing else."""

    def __init__(self, place: str | PathLike[str]) -> None:
        self.folder = Path(place)
        self.place = str(self.folder)

    def state(self) -> State | None:
        """The state that `ledger.json` has now."""
        manifest = self._manifest()
        if manifest is None:
            return None
        rows = [(batch, found["part"], found["documents"]) for batch, found in manifest["batches"].items()]
        return State(register(rows), manifest)

    def scan(self, state: State) -> Any:
        """The files of that state. They stay until `clean`, also if the ledger has changed since."""
        import polars as pl

        files = [self.folder / name for name in state.token["files"]]
        return pl.scan_parquet(files, glob=False, hive_partitioning=False) if files else no_rows()

    def commit(self, state: State | None, change: Change) -> None:
        """Write files, then replace `ledger.json`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with locked(self.folder / MANIFEST):
                self._commit(state, change)
        except LockedError as error:
            raise self.conflict(error) from None

    def _commit(self, state: State | None, change: Change) -> None:
        now = self._manifest()
        if now is None:
            refuse_others(self.folder, "batch=")
        if (now and now["version"]) != (state and state.token["version"]):
            raise self.conflict()
        old = now or {"version": 0, "batches": {}, "files": {}, "retired": {}}
        gone = {name for name, part in old["files"].items() if change.everything or part == change.drop}
        files = {name: part for name, part in old["files"].items() if name not in gone} | self._written(change)
        batches = {} if change.everything else dict(old["batches"])
        for batch, part, documents in change.batches.rows():
            batches[batch] = {"part": part, "documents": documents}
        self._replace(
            version=old["version"] + 1,
            batches=batches,
            files=files,
            retired=old["retired"] | dict.fromkeys(gone, time.time()),
        )

    def _replace(self, **manifest: Any) -> None:
        with atomic_path(self.folder / MANIFEST) as temporary:
            text = json.dumps({"format": FORMAT, "schema": SCHEMA, **manifest}, ensure_ascii=False, indent=1)
            temporary.write_text(text, encoding="utf-8")

    def _written(self, change: Change) -> dict[str, str]:
        """Write the rows of every part to a file of its own; returns the files, each with its part."""
        import polars as pl

        if change.rows is None:
            return {}
        rows, files = scanned(change.rows), {}
        parts = [MERGED] if change.everything else change.batches["part"].unique(maintain_order=True).to_list()
        for part in parts:
            if part == COUNTING:
                continue
            folder = self.folder / f"batch={quote(part, safe='')}"
            folder.mkdir(exist_ok=True)
            file = folder / f"{uuid.uuid4().hex}.parquet"
            with atomic_path(file) as temporary:
                rows.filter(pl.col("batch") == part).select(*COLUMNS).sink_parquet(temporary)
            files[file.relative_to(self.folder).as_posix()] = part
        return files

    def _manifest(self) -> dict[str, Any] | None:
        path = self.folder / MANIFEST
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"{path} is not the register of a ledger")
        self.check_schema(found.get("schema"))
        if missing := {"version", "batches", "files", "retired"} - found.keys():
            raise ValueError(f"{path} is damaged: it has no {min(missing)!r}")
        return found

    def clean(self, hours: float) -> int:
        """Remove files of killed processes, and files that have not counted for that many hours."""
        if not self.folder.is_dir():
            return 0
        try:
            with locked(self.folder / MANIFEST):
                return self._cleaned(time.time() - 3600 * hours)
        except LockedError as error:
            raise self.conflict(error) from None

    def _cleaned(self, before: float) -> int:
        manifest = self._manifest()
        if manifest is None:
            return 0
        retired = {name: when for name, when in manifest["retired"].items() if when > before}
        keep = {*manifest["files"], *retired}
        ours = f"batch=*/{'[0-9a-f]' * 32}.parquet"  # files of others have other names, and are not removed
        gone = [
            file
            for file in [*self.folder.glob(ours), *self.folder.glob("batch=*/.termburst-*.part")]
            if file.relative_to(self.folder).as_posix() not in keep
        ]
        gone += self.folder.glob(".termburst-*.part")
        for file in gone:
            file.unlink()
        for folder in self.folder.glob("batch=*"):
            with suppress(OSError):  # not empty
                folder.rmdir()
        self._replace(**{**{k: manifest[k] for k in ("version", "batches", "files")}, "retired": retired})
        return len(gone)
