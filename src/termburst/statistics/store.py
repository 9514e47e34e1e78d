"""Statistics on disk: Parquet files with a version, written atomically, never a pickle."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.counting.stored_options import check_counting, check_entries, check_fields
from termburst.files import atomic_path, first_line, panics_unseen, parquet_damage
from termburst.forks import check_fork
from termburst.limits import require_memory
from termburst.names import DETAILS
from termburst.reading.parquet_footer import STATISTICS, FooterError, read_chunks
from termburst.statistics.contents import MOST_HASHES, Content
from termburst.statistics.labels import checked_detail, checked_terms
from termburst.statistics.merging import SUMS
from termburst.statistics.rows import CountRows
from termburst.statistics.soundness import check_sound

if TYPE_CHECKING:
    import polars as pl

    from termburst.statistics.term_statistics import TermStatistics

FORMAT_VERSION = 3
_MAGIC = b"PAR1"  # the first bytes of every Parquet file
_TERM = 150  # bytes of memory per term beyond its characters: the string object and its place in tables
_HEXADECIMAL = re.compile("[0-9a-f]{32}")  # the digest of a corpus
_TYPES: dict[str, Any] = {
    "detail": str, "named": bool, "lengths": list, "length_documents": list, "batches": list, "min_count": int,
    "contents": list, "texts": list, "counting": dict | None, "digest": str,
}  # fmt: skip
# What a damaged header can raise, for example if it is nested too deeply or has other types.
_DAMAGE = (OSError, KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


def save_statistics(statistics: TermStatistics, path: str | PathLike[str]) -> None:
    """Write statistics to one Parquet file, one row per term, that any Parquet reader can open.

    The columns are term, collection_frequency, document_frequency and, depending on the detail, count_length_sum,
    count_squared_sum, and the lists count, length, documents. The histogram of document lengths, the batch ids, the
    digests of the texts (one per corpus, and 64 bits per text) and the counting options are JSON in the file's metadata
    under "termburst", with the version of the format and a digest of everything stored.

    Raises
    ------
    ValueError
        If the file could not be loaded again: the statistics are inconsistent, or two terms have the same name.
    """
    check_fork()
    checked_detail(statistics.detail)
    check_sound(statistics)
    buffer, frame = io.BytesIO(), frame_of(statistics)
    frame.write_parquet(buffer, metadata=metadata_of(statistics, column_digests([frame])))
    with atomic_path(path) as temporary:
        temporary.write_bytes(buffer.getvalue())


def metadata_of(statistics: TermStatistics, columns: dict[str, str]) -> dict[str, str]:
    """The metadata of the Parquet file: a header, with the digest of everything. *columns* are those of the table.

    ValueError if it could not be loaded again.
    """
    try:
        header = header_of(statistics)
        header["digest"] = digest_of(header, columns)
        encoded = json.dumps(header)
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
    damage: tuple[type[BaseException], ...] = (*parquet_damage(), *_DAMAGE)
    header, frame = _read(path, damage)
    if not isinstance(header, dict):
        raise ValueError(f"{path} is a Parquet file, but not statistics saved by termburst")
    if header.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {header.get('version')}, but this termburst reads version {FORMAT_VERSION}: "
            "upgrade termburst, or build the statistics again"
        )
    try:
        _check_types(header)
        statistics = kind(**_fields(header, frame))
        sound = digest_of(header, column_digests([frame])) == header["digest"]
        if sound:  # a digest can be forged
            check_sound(statistics)
    except damage as error:
        raise ValueError(f"{path} is damaged: {first_line(error)}") from error
    if not sound:
        raise ValueError(f"{path} is damaged: its content differs from what was saved; build the statistics again")
    return statistics


def _read(path: Path, damage: tuple[type[BaseException], ...]) -> tuple[Any, pl.DataFrame]:
    """The header, unchecked, and the table of a file, if they fit into memory; *damage* becomes a ValueError."""
    import polars as pl

    if path.is_dir():
        from termburst.reading.corpus_files import is_ledger, saving_a_ledger

        if is_ledger(path):
            raise ValueError(f"{path} is a ledger, not saved statistics; {saving_a_ledger(str(path))}")
        raise ValueError(
            f"{path} is a folder, not saved statistics; build them with: termburst stats build {path} -o NAME.parquet"
        )
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of statistics")
    require_memory(path.stat().st_size, f"{path}: the file")
    try:
        content = path.read_bytes()  # read once: Polars gets bytes, so that it never takes the name for a glob
    except OSError as error:
        raise ValueError(f"{path} cannot be read as statistics: {first_line(error)}") from error
    if content[:4] != _MAGIC:
        raise ValueError(f"{path} is not saved statistics (no Parquet file); build them with termburst stats build")
    try:
        groups = read_chunks(io.BytesIO(content), str(path))
    except FooterError as error:
        raise ValueError(f"{path} cannot be read as statistics: {error}") from error
    unpacked = sum(chunk.memory + 16 * chunk.values for group in groups for chunk in group)  # in columns, in arrays
    require_memory(unpacked, f"{path}: its table, unpacked,")
    try:
        with panics_unseen:
            header = json.loads(pl.read_parquet_metadata(io.BytesIO(content)).get(STATISTICS, "null"))
            frame = pl.read_parquet(io.BytesIO(content))
        names = int(frame["term"].str.len_bytes().sum()) if "term" in frame.columns else 0
    except damage as error:
        raise ValueError(f"{path} cannot be read as statistics: {first_line(error)}") from error
    # The file may store one term once for many rows; here each row gets its own string.
    require_memory(4 * names + _TERM * frame.height, f"{path}: its table of {frame.height:,} terms")
    return header, frame


def holds_statistics(path: str | PathLike[str]) -> bool:
    """Whether a path is a Parquet file that `save_statistics` wrote, in any version."""
    check_fork()
    import polars as pl

    path = Path(path)
    damage: tuple[type[BaseException], ...] = (*parquet_damage(), OSError, ValueError)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream, panics_unseen:
            return stream.read(4) == _MAGIC and STATISTICS in pl.read_parquet_metadata(stream)
    except damage:  # the error comes when it is read
        return False


def _check_types(header: dict[str, Any]) -> None:
    """Raise an error if a field of a header is missing, or has another type than `header_of` gives it."""
    check_fields(header, _TYPES)
    for entry in header["contents"]:
        _check_content(entry)
    if len(header["texts"]) != len(header["contents"]):
        raise ValueError("the header fields 'contents' and 'texts' must have the same number of entries")
    if header["counting"] is not None:
        check_counting(header["counting"])
    check_entries("batches", header["batches"], str)
    if not 1 <= header["min_count"] < 2**63:
        raise ValueError(f"the header field 'min_count' must be 1 or more; got {header['min_count']!r:.40}")


def _check_content(entry: Any) -> None:
    if isinstance(entry, list) and len(entry) == 3:
        documents, digest, batch = entry
        right = type(documents) is int and documents >= 0 and isinstance(batch, str | None)
        if right and isinstance(digest, str) and _HEXADECIMAL.fullmatch(digest):
            return
    raise ValueError(f"each entry of the header field 'contents' must be [documents, digest, batch]; got {entry!r:.60}")


def header_of(statistics: TermStatistics) -> dict[str, Any]:
    """All that the file says of the whole collection, without the digest."""
    return {
        "version": FORMAT_VERSION,
        "detail": statistics.detail,
        "named": statistics.terms is not None,
        "lengths": statistics.lengths.tolist(),
        "length_documents": statistics.length_documents.tolist(),
        "batches": list(statistics.batches),
        "min_count": statistics.min_count,
        "contents": [[one.documents, one.digest, one.batch] for one in statistics.contents],
        "texts": [base64.b64encode(one.hashes).decode() for one in statistics.contents],
        "counting": None if statistics.counting is None else statistics.counting.to_json(),
    }


def column_digests(parts: Iterable[pl.DataFrame]) -> dict[str, str]:
    """A digest of each column of the table, which may come in parts."""
    import polars as pl

    found: dict[str, Any] = {}

    def add(name: str, content: bytes) -> None:
        found.setdefault(name, hashlib.blake2b(digest_size=16)).update(content)

    def add_numbers(name: str, values: pl.Series) -> None:
        if values.null_count():
            raise ValueError("a number is missing")
        add(name, np.asarray(values, dtype="<i8").tobytes())

    for part in map(pl.DataFrame.to_dict, parts):
        while part:  # nothing is held of it when the next part is made
            name, values = part.popitem()
            if name == "term":
                add(name, "\0".join([*values, ""]).encode())
                continue
            if values.dtype.is_nested():
                sizes = values.list.len()
                add_numbers(f"{name} sizes", sizes)
                values = values.filter(sizes > 0).explode()  # an empty list would become a null
            add_numbers(name, values)
    return {name: digest.hexdigest() for name, digest in found.items()}


def digest_of(header: dict[str, Any], columns: dict[str, str]) -> str:
    """A digest of everything stored: a flipped bit on disk must not be taken for a count."""
    rest = {name: value for name, value in header.items() if name != "digest"}
    return hashlib.blake2b(json.dumps([rest, columns]).encode(), digest_size=16).hexdigest()


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

    def integers(values: Any) -> NDArray[np.int64]:
        found = np.asarray(values)
        if found.size and found.dtype.kind not in "iu":  # nulls and fractions come as floats
            raise ValueError("a number is missing or is not an integer")
        return found.astype(np.int64)

    def column(name: str) -> NDArray[np.int64]:
        return integers(frame[name].to_numpy())

    detail = header["detail"]
    if detail not in DETAILS:
        raise ValueError(f"unknown detail {detail!r}")
    rows = None
    if detail != "frequencies":
        sizes = integers(frame["count"].list.len().to_numpy())
        full = frame if sizes.all() else frame.filter(sizes > 0)  # explode() turns an empty list into null

        def exploded(name: str) -> NDArray[np.int64]:
            return integers(full[name].explode().to_numpy())

        rows = CountRows(
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
            exploded("count"),
            exploded("length") if detail == "patterns" else None,
            exploded("documents"),
        )
    counting = header["counting"]
    return {
        "terms": checked_terms(frame["term"].to_list(), frame.height) if header["named"] else None,
        "lengths": integers(header["lengths"]),
        "length_documents": integers(header["length_documents"]),
        **{name: column(name) for name in (SUMS[:2] if detail == "frequencies" else SUMS)},
        "detail": detail,
        "rows": rows,
        "batches": tuple(header["batches"]),
        "counting": None if counting is None else CountingOptions.from_json(counting),
        "min_count": header["min_count"],
        "contents": _contents(header),
    }


def _contents(header: dict[str, Any]) -> tuple[Content, ...]:
    """The digests of the texts; a corpus of more than `MOST_HASHES` texts has none for single ones."""
    found = []
    for entry, text in zip(header["contents"], header["texts"], strict=True):
        hashes = base64.b64decode(text, validate=True)
        if len(hashes) not in (0, 8 * entry[0]) or len(hashes) > 8 * MOST_HASHES:
            raise ValueError("the header field 'texts' has another number of texts than 'contents'")
        documents, digest, batch = entry
        found.append(Content(documents, digest, batch, hashes))
    return tuple(found)
