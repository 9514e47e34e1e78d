"""Read the rows of a Parquet table in slices. Polars is imported only if there is such a table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst.files import panics_unseen, parquet_damage
from termburst.forks import check_fork
from termburst.limits import require_memory
from termburst.reading.corpus_files import CorpusFile
from termburst.reading.documents import (
    DocumentStream,
    Progress,
    as_id,
    as_scalar,
    as_text,
    metadata_columns,
    require_columns,
    text_column,
)
from termburst.reading.faults import fault, oversize, reason
from termburst.reading.options import ReadingPlan
from termburst.reading.parquet_footer import FooterError, has_statistics, read_chunks

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_FIRST = 64  # rows in the first slice, when their size is not known yet


def read_parquet(file: CorpusFile, options: ReadingPlan, progress: Progress) -> DocumentStream:
    """The documents of a table, one per row."""
    check_fork()
    progress.how, progress.format = "one per row", "Parquet table"
    if file.packing or file.opened is not None:
        where = f"through {file.packing}" if file.packing else "inside an archive"
        raise fault(file.path, f"Parquet files cannot be read {where}; unpack it first")
    number = 0
    column = options.id_column()
    damage: tuple[type[BaseException], ...] = (FooterError, *parquet_damage())
    try:
        for texts, names, metadata, fraction in _parquet_slices(file, options, progress):
            for value, name in zip(texts, names, strict=True):
                number += 1
                text = value if isinstance(value, str) else as_text(value, f"{file.path}, row {number}", options)
                if metadata is not None:
                    progress.metadata = {key: as_scalar(cell) for key, cell in next(metadata).items()}
                if column is None:
                    yield f"{file.label}:{number}", text
                else:
                    yield as_id(name, f"{file.path}, row {number}", column, options), text
            progress.position = int((file.size or 0) * fraction)
    except damage as error:
        problem = f"is not a Parquet file that can be read ({reason(error)}); write it again"
        raise fault(file.path, problem) from error
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error


_Slice = tuple[list[Any], list[Any], Iterator[dict[str, Any]] | None, float]


def _parquet_slices(file: CorpusFile, options: ReadingPlan, progress: Progress) -> Iterator[_Slice]:
    """Texts, ids, metadata and the fraction of rows reached, one batch at a time. A slice of a few batches is read."""
    import polars as pl

    with Path(file.path).open("rb") as stream:
        groups = read_chunks(stream, file.path)  # first, because the footer itself may be too large for Polars
    table = pl.scan_parquet(Path(file.path).absolute(), glob=False, hive_partitioning=False)
    with panics_unseen:
        schema = table.collect_schema()
    if has_statistics(Path(file.path)):
        raise fault(file.path, "contains saved statistics, not texts; leave it out, or give nothing else")
    strings = lambda: [name for name, kind in schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]  # noqa: E731
    column = text_column(options, schema.names(), strings, partial(progress.note, file.label))
    require_columns(file.path, options, column, schema.names())
    more = metadata_columns(options, column, schema.names())
    unpacked = _Unpacked(file, groups, {column, options.id, *more})
    # By position, because a name such as "*" would mean all columns.
    columns = [pl.nth(schema.names().index(column)).alias("text")]
    if options.id is not None:
        columns.append(pl.nth(schema.names().index(options.id)).alias("id"))
    columns += [pl.nth(schema.names().index(name)).alias(f"metadata {name}") for name in more]
    with panics_unseen:
        rows = table.select(pl.len()).collect().item()
    most, start, step = 4 * options.batch_bytes, 0, _FIRST
    while start < rows:
        with panics_unseen:
            part = table.select(columns).slice(start, min(step, unpacked.rows_in(start, most))).collect()
        if not part.height:  # the file has become shorter since its rows were counted
            return
        texts = _sizes(part["text"])
        sizes = sum((_sizes(part[name]) for name in part.columns if name != "text"), texts)
        for first, last in _cuts(sizes, min(options.batch_bytes, options.document_bytes)):
            if texts[first] > options.document_bytes:
                raise oversize(f"{file.path}, row {start + first + 1}", options.document_bytes)
            some = part[first:last]  # converted to Python only now: a value stored once becomes one object per row
            ids = some["id"].to_list() if options.id is not None else [None] * some.height
            metadata = None
            if more:
                selected = some.select(f"metadata {name}" for name in more).rename(lambda name: name[9:])
                metadata = selected.iter_rows(named=True)
            yield some["text"].to_list(), ids, metadata, (start + last) / rows
        start += part.height
        # Each slice unpacks its row group again, so slices should be long: a few batches.
        step = max(1, min(8 * step, most * part.height // max(1, int(sizes.sum()))))


class _Unpacked:
    """The unpacked size of the columns to read, from the file's footer; ValueError if it is too large."""

    def __init__(self, file: CorpusFile, groups: list[list[Any]], columns: set[str | None]) -> None:
        import numpy as np

        sizes = [sum(c.memory for c in group if c.name in columns) for group in groups]
        require_memory(max(sizes, default=0), f"{file.path}: a row group, unpacked,")
        self.rows = np.cumsum([0, *(group[0].rows if group else 0 for group in groups)])
        self.bytes = np.cumsum([0, *sizes], dtype=np.float64)

    def rows_in(self, start: int, most: int) -> int:
        """The number of rows from *start* on that take *most* bytes; at least 1."""
        import numpy as np

        here = np.interp(start, self.rows, self.bytes)
        return max(1, int(np.interp(here + most, self.bytes, self.rows)) - start)


def _sizes(column: pl.Series) -> NDArray[np.int64]:
    """Bytes of every value in UTF-8. Each item of a list counts one byte more, so that empty ones count, too."""
    import numpy as np
    import polars as pl

    kind = column.dtype
    if isinstance(kind, pl.Array):
        return _sizes(column.arr.to_list())
    if isinstance(kind, pl.List):
        lengths = column.list.len().fill_null(0).cast(pl.Int64).to_numpy()
        items = _sizes(column.filter(lengths > 0).explode()) + 1
        ends = np.concatenate([[0], lengths.cumsum()])
        return np.diff(np.concatenate([[0], items.cumsum()])[ends])
    if isinstance(kind, pl.Struct):
        return sum((_sizes(column.struct.field(field.name)) for field in kind.fields), np.zeros(len(column), np.int64))
    if kind == pl.String:
        sizes = column.str.len_bytes()
    elif kind in (pl.Categorical, pl.Enum):
        sizes = column.cat.len_bytes()
    elif kind == pl.Binary:
        sizes = column.bin.size()
    else:
        return np.full(len(column), 8, dtype=np.int64)
    return sizes.fill_null(0).cast(pl.Int64).to_numpy()


def _cuts(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows that have up to *most* bytes, or a single row."""
    ends = sizes.cumsum()
    first = 0
    while first < sizes.size:
        before = ends[first] - sizes[first]
        last = max(first + 1, int(ends.searchsorted(before + most, side="right")))
        yield first, last
        first = last
