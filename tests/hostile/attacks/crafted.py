"""Stored files altered by somebody who knows the format: each digest is right, but the content is not."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import termburst as tb
from termburst.digests import seal
from termburst.npz import write_arrays
from termburst.statistics import store

TEXTS = [
    "ha ha ha said the clown",
    "the crowd said nothing",
    "ha the end the",
    "so it goes",
    "clown clown it is",
    "so so",
]
Alter = Callable[[dict[str, Any], dict[str, Any]], object]


def statistics_bytes(detail: Any = "patterns") -> bytes:
    """Statistics of a small corpus, as written by `save`."""
    statistics = tb.TermStatistics.from_texts(TEXTS, detail=detail, batch="first")
    return with_header(store.frame_of(statistics), store.metadata_of(statistics)["termburst"])


def altered(content: bytes, alter: Alter) -> bytes:
    """The same file after *alter* has changed its header and its columns (one entry per term), with a new digest."""
    frame = pl.read_parquet(io.BytesIO(content))
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(content))["termburst"])
    columns = frame.to_dict(as_series=False)
    alter(header, columns)
    schema = {name: kind for name, kind in frame.schema.items() if name in columns}
    return with_header(_as_frame(columns, schema), json.dumps(header))


def with_header(frame: pl.DataFrame, header: str) -> bytes:
    """These columns with a header, valid or not; with the right digest if it has one."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "s.parquet"
        frame.write_parquet(file, metadata={"termburst": header})
        with suppress(ValueError):  # without a place for a digest
            seal(file)
        return file.read_bytes()


def saved(detail: Any = "patterns", alter: Alter | None = None, name: str = "s.parquet") -> Callable[[Path], None]:
    """A function that writes a file of statistics into a folder, altered or unchanged."""

    def make(folder: Path) -> None:
        content = statistics_bytes(detail)
        (folder / name).write_bytes(content if alter is None else altered(content, alter))

    return make


def resized(path: Path, kind: str, **arrays: Any) -> None:
    """Replace some arrays of an .npz file; None removes one. The digest is right."""
    with np.load(path) as stored:
        kept = {name: stored[name] for name in stored.files} | arrays
    write_arrays(path, kind, {name: array for name, array in kept.items() if array is not None})


def _as_frame(columns: dict[str, Any], schema: dict[str, Any]) -> pl.DataFrame:
    try:
        return pl.DataFrame(columns, schema=schema, strict=True)
    except (TypeError, pl.exceptions.PolarsError, OverflowError):  # other types than before: let Polars choose
        return pl.DataFrame(columns, strict=False)
