"""Stored files altered by somebody who knows the format: each digest is right, but the content is not."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl

import termburst as tb
from termburst.statistics import store
from termburst.statistics.merging import SUMS

TEXTS = [
    "ha ha ha said the clown",
    "the crowd said nothing",
    "ha the end the",
    "so it goes",
    "clown clown it is",
    "so so",
]
LISTS = ("count", "length", "documents")
Alter = Callable[[dict[str, Any], dict[str, Any]], object]


def statistics_bytes(detail: Any = "patterns") -> bytes:
    """Statistics of a small corpus, as written by `save`."""
    statistics = tb.TermStatistics.from_texts(TEXTS, detail=detail, batch="first")
    buffer = io.BytesIO()
    header = store.header_of(statistics, None)
    header["digest"] = store._digest(statistics, header)
    store.frame_of(statistics).write_parquet(buffer, metadata={"termburst": json.dumps(header)})
    return buffer.getvalue()


def altered(content: bytes, alter: Alter) -> bytes:
    """The same file after *alter* has changed its header and its columns (one entry per term), with a new digest."""
    frame = pl.read_parquet(io.BytesIO(content))
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(content))["termburst"])
    columns = frame.to_dict(as_series=False)
    del header["digest"]
    alter(header, columns)
    header.setdefault("digest", _digest(header, columns))
    schema = {name: kind for name, kind in frame.schema.items() if name in columns}
    buffer = io.BytesIO()
    _as_frame(columns, schema).write_parquet(buffer, metadata={"termburst": json.dumps(header)})
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


def _digest(header: dict[str, Any], columns: dict[str, Any]) -> str:
    """The digest by the function of the store, for numbers that the store would reject; "" if they are not numbers."""

    def flat(name: str) -> Any:
        return [value for values in columns[name] for value in values] if name in columns else None

    try:
        rows = None
        if "count" in columns:
            indptr = np.concatenate([[0], np.cumsum([len(values) for values in columns["count"]])])
            rows = SimpleNamespace(indptr=indptr, **{name: flat(name) for name in LISTS})
        sums = {name: columns.get(name) for name in SUMS}
        return store._digest(SimpleNamespace(terms=columns.get("term"), rows=rows, **sums), header)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, KeyError):
        return ""
