"""Statistics and weights on disk: versioned, written atomically, never a pickle."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counts.counting import CountingOptions
from termburst.counts.rows import CountRows
from termburst.counts.statistics import DETAILS, TermStatistics, checked_terms

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = 1
_HEADER = "termburst"  # key of the Parquet file's metadata
_FREQUENCIES = ("collection_frequency", "document_frequency")
_SUMS = ("count_length_sum", "count_squared_sum")
_MAX_STRINGS = 2**30  # bytes of fixed-width strings in a weights file


@contextmanager
def atomic_path(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary path beside *path* to write to; renamed to it if the block ends well, removed if it does not.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "out.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("whole or not at all")
    >>> target.read_text()
    'whole or not at all'
    """
    target = Path(path)
    check_output(target)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise ValueError(f"{target} cannot be written: {error.strerror}") from error
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())  # mkstemp makes it private; a result is as readable as any other file
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())  # else a crash after the rename could leave an empty file under the final name
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def check_output(path: str | PathLike[str]) -> None:
    """Refuse a place that cannot be written to: for a command to call before its work, not after.

    Examples
    --------
    >>> check_output("no-such-folder/out.csv")
    Traceback (most recent call last):
    ValueError: no-such-folder/out.csv cannot be written: there is no folder no-such-folder
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{target} is a folder; name a file to write to")
    if target.exists() and not target.is_file():  # a rename would put a file in the place of a device
        raise ValueError(f"{target} is not a regular file; name another to write to")
    if not target.parent.is_dir():
        raise ValueError(f"{target} cannot be written: there is no folder {target.parent}")


def save_statistics(statistics: TermStatistics, path: str | PathLike[str]) -> None:
    """Write statistics to one Parquet file, a row a term, that any Parquet reader can open.

    The columns are term, collection_frequency, document_frequency and, as the detail goes, count_length_sum,
    count_squared_sum, and lists count, length, documents. The histogram of document lengths, the batch ids and the
    counting options are JSON in the file's metadata under "termburst", with the version of the format.
    """
    frame = _frame(statistics)
    header = {
        "version": FORMAT_VERSION,
        "detail": statistics.detail,
        "named": statistics.terms is not None,
        "lengths": statistics.lengths.tolist(),
        "length_documents": statistics.length_documents.tolist(),
        "batches": list(statistics.batches),
        "counting": None if statistics.counting is None else statistics.counting.to_json(),
    }
    with atomic_path(path) as temporary:
        frame.write_parquet(temporary, metadata={_HEADER: json.dumps(header)})


def load_statistics(path: str | PathLike[str]) -> TermStatistics:
    """Read what `save_statistics` wrote.

    Raises
    ------
    ValueError
        If the file is not such a file, is of another version, is damaged or contradicts itself.
    """
    import polars as pl

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of statistics")
    try:
        header = json.loads(pl.read_parquet_metadata(path).get(_HEADER, "null"))
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as statistics: {_first_line(error)}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path} is a Parquet file, but not statistics saved by termburst")
    if header.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {header.get('version')}, and this termburst reads version {FORMAT_VERSION}: "
            "upgrade termburst, or build the statistics again"
        )
    try:
        statistics = _statistics(header, frame)
        _check_consistent(statistics)
    except (pl.exceptions.PolarsError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {_first_line(error)}") from error
    return statistics


def holds_statistics(path: str | PathLike[str]) -> bool:
    """Whether a path is a Parquet file that `save_statistics` wrote, of whatever version."""
    import polars as pl

    path = Path(path)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            if stream.read(4) != b"PAR1":
                return False
        return _HEADER in pl.read_parquet_metadata(path)
    except (pl.exceptions.PolarsError, OSError, ValueError):  # reading it will say what is wrong
        return False


@dataclass(frozen=True, slots=True)
class Weights:
    """A weighted matrix, documents × terms, with the names of both."""

    matrix: Any
    terms: NDArray[Any]
    documents: NDArray[Any]


def save_weights(weights: Weights, path: str | PathLike[str]) -> None:
    """Write a weighted matrix to an .npz file: SciPy's `load_npz` reads it, "terms" and "documents" stand beside."""
    matrix = weights.matrix.tocsr()
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(
            stream,
            data=matrix.data,
            indices=matrix.indices,
            indptr=matrix.indptr,
            shape=np.array(matrix.shape),
            format=np.array(b"csr"),
            terms=_fixed_width(weights.terms, "term"),
            documents=_fixed_width(weights.documents, "document id"),
        )


def load_weights(path: str | PathLike[str]) -> Weights:
    """Read what `save_weights` and `termburst weigh` wrote; nothing in the file is executed."""
    import scipy.sparse as sp

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of weights")
    try:
        with np.load(path, allow_pickle=False) as stored:
            return Weights(sp.load_npz(path), stored["terms"], stored["documents"])
    except Exception as error:  # zipfile, zlib, NumPy and SciPy each raise their own
        raise ValueError(f"{path} cannot be read as weights: {_first_line(error)}") from error


def _frame(statistics: TermStatistics) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, Any] = {}
    if statistics.terms is not None:
        try:
            columns["term"] = pl.Series(statistics.terms.tolist(), dtype=pl.String)
        except UnicodeEncodeError as error:
            raise ValueError(f"a term is not valid Unicode text (a lone surrogate): {error.object!r}") from error
    for name in (*_FREQUENCIES, *_SUMS):
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
        return np.asarray(values, dtype=np.int64)

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
        **{name: column(name) for name in _FREQUENCIES},
        **{name: column(name) for name in _SUMS if detail != "frequencies"},
        detail=detail,
        rows=rows,
        batches=tuple(header["batches"]),
        counting=None if counting is None else CountingOptions.from_json(counting),
    )


def _check_consistent(statistics: TermStatistics) -> None:
    """Numbers that a file holds twice must agree; a file edited by hand, or cut, is caught here."""
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    if (b_i < 0).any() or (n_i < b_i).any() or (statistics.length_documents <= 0).any():
        raise ValueError("frequencies are negative or contradict each other")
    if n_i.sum() > statistics.tokens or (n_i.size and b_i.max() > statistics.documents):
        raise ValueError("terms and document lengths contradict each other")
    rows = statistics.rows
    if rows is not None:
        sums: list[tuple[Any, Any]] = [(rows.documents, b_i), (rows.documents * rows.count, n_i)]
        sums.append((rows.documents * rows.count**2, statistics.count_squared_sum))
        if rows.length is not None:
            sums.append((rows.documents * rows.count * rows.length, statistics.count_length_sum))
        if not all(np.array_equal(rows.sum_by_term(values), total) for values, total in sums):
            raise ValueError("the histogram of counts and the sums contradict each other")


def _fixed_width(names: NDArray[Any], what: str) -> NDArray[np.str_]:
    longest = max(map(len, names), default=0)
    if 4 * longest * len(names) > _MAX_STRINGS:
        raise ValueError(
            f"the longest {what} has {longest:,} characters, too long for a weights file of {len(names):,} of them; "
            r"a token pattern such as '\b\w{2,50}\b' keeps such runs out"
        )
    return np.asarray(names, dtype=np.str_)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
