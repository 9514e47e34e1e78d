"""Stored files altered by somebody who knows the format: each digest is right, but the content is not."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import termburst as tb
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
    buffer = io.BytesIO()
    header = store.header_of(statistics)
    header["digest"] = store.digest_of(header, store.column_digests([store.frame_of(statistics)]))
    store.frame_of(statistics).write_parquet(buffer, metadata={"termburst": json.dumps(header)})
    return buffer.getvalue()


def altered(content: bytes, alter: Alter) -> bytes:
    """The same file after *alter* has changed its header and its columns (one entry per term), with a new digest."""
    frame = pl.read_parquet(io.BytesIO(content))
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(content))["termburst"])
    columns = frame.to_dict(as_series=False)
    del header["digest"]
    alter(header, columns)
    schema = {name: kind for name, kind in frame.schema.items() if name in columns}
    buffer, changed = io.BytesIO(), _as_frame(columns, schema)
    header.setdefault("digest", _digest(header, changed))
    changed.write_parquet(buffer, metadata={"termburst": json.dumps(header)})
    return buffer.getvalue()


def with_header(content: bytes, header: str) -> bytes:
    """The same columns with another header, valid or not."""
    buffer = io.BytesIO()
    pl.read_parquet(io.BytesIO(content)).write_parquet(buffer, metadata={"termburst": header})
    return buffer.getvalue()


def saved(detail: Any = "patterns", alter: Alter | None = None, name: str = "s.parquet") -> Callable[[Path], None]:
    """A function that writes a file of statistics into a folder, altered or unchanged."""

    def make(folder: Path) -> None:
        content = statistics_bytes(detail)
        (folder / name).write_bytes(content if alter is None else altered(content, alter))

    return make


def resized(path: Path, **arrays: Any) -> None:
    """Replace some arrays of an .npz file; None removes one."""
    with np.load(path) as stored:
        kept = {name: stored[name] for name in stored.files} | arrays
    np.savez(path, **{name: array for name, array in kept.items() if array is not None})


def _as_frame(columns: dict[str, Any], schema: dict[str, Any]) -> pl.DataFrame:
    try:
        return pl.DataFrame(columns, schema=schema, strict=True)
    except (TypeError, pl.exceptions.PolarsError, OverflowError):  # other types than before: let Polars choose
        return pl.DataFrame(columns, strict=False)


def _digest(header: dict[str, Any], frame: pl.DataFrame) -> str:
    """The digest by the function of the store, for numbers that the store would reject; "" if they are not numbers."""
    try:
        return store.digest_of(header, store.column_digests([frame]))
    except (TypeError, ValueError, OverflowError, KeyError):
        return ""
