"""Statistics on disk: Parquet, versioned, written atomically, never a pickle."""

from __future__ import annotations

import hashlib
import io
import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst._files import atomic_path, first_line, parquet_damage
from termburst.counts.counting import CountingOptions
from termburst.counts.merging import SUMS
from termburst.counts.rows import CountRows
from termburst.counts.statistics import DETAILS, TermStatistics, checked_terms

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = 1
_HEADER = "termburst"  # key of the Parquet file's metadata


def save_statistics(
    statistics: TermStatistics, path: str | PathLike[str], *, unfinished: dict[str, Any] | None = None
) -> None:
    """Write statistics to one Parquet file, a row a term, that any Parquet reader can open.

    The columns are term, collection_frequency, document_frequency and, as the detail goes, count_length_sum,
    count_squared_sum, and lists count, length, documents. The histogram of document lengths, the batch ids and the
    counting options are JSON in the file's metadata under "termburst", with the version of the format and a digest of
    all that is stored. Statistics of a build that is not done yet say so by what is known of it, *unfinished*.
    """
    buffer, frame = io.BytesIO(), _frame(statistics)
    header = _header(statistics, unfinished)
    header["digest"] = _digest(statistics, header)
    frame.write_parquet(buffer, metadata={_HEADER: json.dumps(header)})
    with atomic_path(path) as temporary:
        temporary.write_bytes(buffer.getvalue())


def load_statistics(path: str | PathLike[str]) -> TermStatistics:
    """Read what `save_statistics` wrote.

    Raises
    ------
    ValueError
        If the file is not such a file, is of another version, is damaged, or is of a build that was not finished.
    """
    statistics, unfinished = _loaded(path)
    if unfinished is not None:
        raise ValueError(
            f"{path} holds the first {statistics.documents:,} documents of a build that was interrupted: "
            "start the same `stats build` again, and it goes on from there"
        )
    return statistics


def load_unfinished(path: str | PathLike[str]) -> tuple[TermStatistics, dict[str, Any]]:
    """Read what `save_statistics` wrote of a build that is not done yet: (the statistics, what is known of it)."""
    statistics, unfinished = _loaded(path)
    if unfinished is None:
        raise ValueError(f"{path} is of no unfinished build")
    return statistics, unfinished


def _loaded(path: str | PathLike[str]) -> tuple[TermStatistics, dict[str, Any] | None]:
    import polars as pl

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of statistics")
    damage: tuple[type[BaseException], ...] = (*parquet_damage(), OSError, KeyError, TypeError, ValueError)
    try:
        content = path.read_bytes()  # once, so that the name means one file and nothing to a glob
        header = json.loads(pl.read_parquet_metadata(io.BytesIO(content)).get(_HEADER, "null"))
        frame = pl.read_parquet(io.BytesIO(content))
    except damage as error:
        raise ValueError(f"{path} cannot be read as statistics: {first_line(error)}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path} is a Parquet file, but not statistics saved by termburst")
    if header.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {header.get('version')}, and this termburst reads version {FORMAT_VERSION}: "
            "upgrade termburst, or build the statistics again"
        )
    try:
        statistics, unfinished = _statistics(header, frame), header.get("unfinished")
        sound = _digest(statistics, _header(statistics, unfinished)) == header["digest"]
    except damage as error:
        raise ValueError(f"{path} is damaged: {first_line(error)}") from error
    if not sound:
        raise ValueError(f"{path} is damaged: it does not hold what was saved; build the statistics again")
    return statistics, unfinished


def holds_statistics(path: str | PathLike[str]) -> bool:
    """Whether a path is a Parquet file that `save_statistics` wrote, of whatever version."""
    import polars as pl

    path = Path(path)
    damage: tuple[type[BaseException], ...] = (*parquet_damage(), OSError, ValueError)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(4) == b"PAR1" and _HEADER in pl.read_parquet_metadata(stream)
    except damage:  # reading it will say what is wrong
        return False


def _header(statistics: TermStatistics, unfinished: dict[str, Any] | None) -> dict[str, Any]:
    header = {
        "version": FORMAT_VERSION,
        "detail": statistics.detail,
        "named": statistics.terms is not None,
        "lengths": statistics.lengths.tolist(),
        "length_documents": statistics.length_documents.tolist(),
        "batches": list(statistics.batches),
        "counting": None if statistics.counting is None else statistics.counting.to_json(),
    }
    if statistics.min_count > 1:  # said only where it is so, and files written before it could be are still sound
        header["min_count"] = statistics.min_count
    if unfinished is not None:
        header["unfinished"] = unfinished
    return header


def _digest(statistics: TermStatistics, header: dict[str, Any]) -> str:
    """Of everything that is stored: a flipped bit on disk must not pass for a count."""
    digest = hashlib.blake2b(json.dumps(header).encode(), digest_size=16)
    if statistics.terms is not None:
        digest.update("\0".join(statistics.terms).encode())
    rows = statistics.rows
    arrays = [getattr(statistics, name) for name in SUMS]
    if rows is not None:
        arrays += [rows.indptr, rows.count, rows.length, rows.documents]
    for array in arrays:
        digest.update(b"-" if array is None else np.asarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()


def _frame(statistics: TermStatistics) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, Any] = {}
    if statistics.terms is not None:
        try:
            columns["term"] = pl.Series(statistics.terms.tolist(), dtype=pl.String)
        except UnicodeEncodeError as error:
            raise ValueError(f"a term is not valid Unicode text (a lone surrogate): {error.object!r}") from error
    for name in SUMS:
        if (values := getattr(statistics, name)) is not None:
            columns[name] = pl.Series(values)
    rows = statistics.rows
    if rows is not None:
        flat = pl.DataFrame({"i": rows.term, "count": rows.count, "documents": rows.documents})
        if rows.length is not None:
            flat = flat.with_columns(length=pl.Series(rows.length))
        lists = flat.group_by("i", maintain_order=True).all()
        every = pl.DataFrame({"i": np.arange(statistics.vocabulary_size)})
        joined = every.join(lists, on="i", how="left", maintain_order="left").drop("i")
        columns.update(
            {name: joined[name].fill_null(pl.Series([[]], dtype=pl.List(pl.Int64))) for name in joined.columns}
        )
    return pl.DataFrame(columns)


def _statistics(header: dict[str, Any], frame: pl.DataFrame) -> TermStatistics:
    def integers(values: Any) -> NDArray[np.int64]:
        found = np.asarray(values)
        if found.size and found.dtype.kind not in "iu":  # nulls and fractions come as floats
            raise ValueError("a number is missing or not whole")
        return found.astype(np.int64)

    def column(name: str) -> NDArray[np.int64]:
        return integers(frame[name].to_numpy())

    def exploded(name: str) -> NDArray[np.int64]:
        return integers(frame[name].filter(frame[name].list.len() > 0).explode().to_numpy())

    detail = header["detail"]
    if detail not in DETAILS:
        raise ValueError(f"unknown detail {detail!r}")
    rows = None
    if detail != "frequencies":
        sizes = frame["count"].list.len().to_numpy()
        rows = CountRows(
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
            exploded("count"),
            exploded("length") if detail == "patterns" else None,
            exploded("documents"),
        )
    counting = header["counting"]
    return TermStatistics(
        terms=checked_terms(frame["term"].to_list(), frame.height) if header["named"] else None,
        lengths=integers(header["lengths"]),
        length_documents=integers(header["length_documents"]),
        **{name: column(name) for name in (SUMS[:2] if detail == "frequencies" else SUMS)},
        detail=detail,
        rows=rows,
        batches=tuple(header["batches"]),
        counting=None if counting is None else CountingOptions.from_json(counting),
        min_count=int(header.get("min_count", 1)),
    )
