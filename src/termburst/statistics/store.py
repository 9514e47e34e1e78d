"""Statistics on disk: Parquet files with a version, written atomically, never a pickle."""

from __future__ import annotations

import base64
import io
import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.digests import check_digest, check_entries, check_fields, check_format, header_text, reading, seal
from termburst.files import atomic_path, first_line, panics_unseen
from termburst.forks import check_fork
from termburst.limits import require_memory
from termburst.names import DETAILS
from termburst.reading.parquet_footer import STATISTICS, read_chunks
from termburst.statistics.contents import MOST_HASHES, Hashes
from termburst.statistics.labels import checked_detail, checked_terms
from termburst.statistics.merging import SUMS
from termburst.statistics.rows import CountRows
from termburst.statistics.soundness import check_sound

if TYPE_CHECKING:
    import polars as pl

    from termburst.statistics.term_statistics import TermStatistics

_TERM = 150  # bytes of memory per term beyond its characters: the string object and its place in tables
_TYPES: dict[str, Any] = {
    "detail": str, "named": bool, "lengths": list, "length_documents": list, "batches": list, "min_count": int,
    "texts": str, "counting": dict | None,
}  # fmt: skip


def save_statistics(statistics: TermStatistics, path: str | PathLike[str]) -> None:
    """Write statistics to one Parquet file, one row per term, that any Parquet reader can open.

    The columns are term, collection_frequency, document_frequency and, depending on the detail, count_length_sum,
    count_squared_sum, and the lists count, length, documents. The histogram of document lengths, the batch ids, the
    hashes of the texts and the counting options are JSON in the file's metadata
    under "termburst", with the version of the format and the digest of the file.

    Raises
    ------
    ValueError
        If the file could not be loaded again: the statistics are inconsistent, or two terms have the same name.
    """
    check_fork()
    checked_detail(statistics.detail)
    check_sound(statistics)
    buffer = io.BytesIO()
    frame_of(statistics).write_parquet(buffer, metadata=metadata_of(statistics))
    with atomic_path(path) as temporary:
        temporary.write_bytes(buffer.getvalue())
        seal(temporary)


def metadata_of(statistics: TermStatistics) -> dict[str, str]:
    """The metadata of the Parquet file: a header, without its digest. ValueError if it could not be loaded again."""
    try:
        header = {
            "detail": statistics.detail,
            "named": statistics.terms is not None,
            "lengths": statistics.lengths.tolist(),
            "length_documents": statistics.length_documents.tolist(),
            "batches": list(statistics.batches),
            "min_count": statistics.min_count,
            "texts": base64.b64encode(statistics.texts.astype("<u8").tobytes()).decode(),
            "counting": None if statistics.counting is None else statistics.counting.to_json(),
        }
        encoded = header_text("statistics", header)
        _check_types(json.loads(encoded))
    except (TypeError, ValueError) as error:
        raise ValueError(f"these statistics cannot be saved: {first_line(error)}") from error
    return {STATISTICS: encoded}


def load_statistics(path: str | PathLike[str], kind: type[TermStatistics]) -> TermStatistics:
    """Read a file that `save_statistics` wrote, as an object of class *kind*.

    Raises
    ------
    ValueError
        If it is another kind of file, has another version, or is damaged.
    """
    check_fork()
    path = Path(path)
    if path.is_dir():
        from termburst.reading.corpus_files import is_ledger, saving_a_ledger

        if is_ledger(path):
            raise ValueError(f"{path} is a ledger, not saved statistics; {saving_a_ledger(str(path))}")
        raise ValueError(
            f"{path} is a folder, not saved statistics; build them with: termburst stats build {path} -o NAME.parquet"
        )
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of statistics")
    with reading(path, "statistics"):
        header, frame = _read(path)
        check_format(header, "statistics")
        _check_types(header)
        statistics = kind(**_fields(header, frame))
        check_sound(statistics)  # a digest can be forged
    return statistics


def _read(path: Path) -> tuple[Any, pl.DataFrame]:
    """The header and the table of a file, if its digest is right, and they fit into memory."""
    import polars as pl

    require_memory(path.stat().st_size, "the file")
    content = path.read_bytes()  # once: Polars gets bytes, so that it never takes the name for a glob
    check_digest(io.BytesIO(content), "statistics")
    unpacked = sum(chunk.memory + 16 * chunk.values for group in read_chunks(io.BytesIO(content)) for chunk in group)
    require_memory(unpacked, "its table, unpacked,")  # in columns, and then in arrays
    with panics_unseen:
        header = json.loads(pl.read_parquet_metadata(io.BytesIO(content)).get(STATISTICS, "null"))
        frame = pl.read_parquet(io.BytesIO(content))
    names = int(frame["term"].str.len_bytes().sum()) if "term" in frame.columns else 0
    # The file may store one term once for many rows; here each row gets its own string.
    require_memory(4 * names + _TERM * frame.height, f"its table of {frame.height:,} terms")
    return header, frame


def _check_types(header: dict[str, Any]) -> None:
    """Raise an error if a field of a header is missing, or has another type than `metadata_of` gives it."""
    check_fields(header, _TYPES)
    check_entries("batches", header["batches"], str)
    if not 1 <= header["min_count"] < 2**63:
        raise ValueError(f"the header field 'min_count' must be 1 or more; got {header['min_count']!r:.40}")


def frame_of(statistics: TermStatistics) -> pl.DataFrame:
    """The table of the file: one row per term."""
    import polars as pl

    columns: dict[str, Any] = {}
    if statistics.terms is not None:
        try:
            columns["term"] = pl.Series(statistics.terms.tolist(), dtype=pl.String)
            if columns["term"].null_count() or columns["term"].n_unique() < statistics.vocabulary_size:
                checked_terms(statistics.terms, statistics.vocabulary_size)  # raises the right error
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


def _fields(header: dict[str, Any], frame: pl.DataFrame) -> dict[str, Any]:
    """The fields of the statistics in a file, by name."""
    detail = header["detail"]
    if detail not in DETAILS:
        raise ValueError(f"unknown detail {detail!r}")
    rows = None
    if detail != "frequencies":
        sizes = _integers(frame["count"].list.len())
        full = frame if sizes.all() else frame.filter(sizes > 0)  # explode() turns an empty list into null
        lists = ("count", "length", "documents") if detail == "patterns" else ("count", "documents")
        flat = {name: _integers(full[name].explode()) for name in lists}
        rows = CountRows(np.append(0, np.cumsum(sizes)), flat["count"], flat.get("length"), flat["documents"])
    counting = header["counting"]
    return {
        "terms": checked_terms(frame["term"].to_list(), frame.height) if header["named"] else None,
        "lengths": _integers(header["lengths"]),
        "length_documents": _integers(header["length_documents"]),
        **{name: _integers(frame[name]) for name in (SUMS[:2] if detail == "frequencies" else SUMS)},
        "detail": detail,
        "rows": rows,
        "batches": tuple(header["batches"]),
        "counting": None if counting is None else CountingOptions.from_json(counting),
        "min_count": header["min_count"],
        "texts": _texts(header),
    }


def _integers(values: Any) -> NDArray[np.int64]:
    found = np.asarray(values)
    if found.size and found.dtype.kind not in "iu":  # nulls and fractions come as floats
        raise ValueError("a number is missing or is not an integer")
    return found.astype(np.int64)


def _texts(header: dict[str, Any]) -> Hashes:
    """The hashes of the texts, as many as documents or fewer."""
    found = base64.b64decode(header["texts"], validate=True)
    if len(found) % 8 or len(found) > 8 * min(MOST_HASHES, sum(header["length_documents"])):
        raise ValueError("the header field 'texts' has more texts than there are documents, or is cut")
    return np.sort(np.frombuffer(found, dtype="<u8").astype(np.uint64))
