"""Read the rows of a Parquet table slice by slice; Polars is imported only when there is such a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst._files import parquet_damage
from termburst.counts._corpus_files import CorpusFile
from termburst.counts._documents import Documents, Options, Progress, Text, as_id, as_text, bytes_of, require_columns
from termburst.counts._reading_faults import fault, oversize, reason

if TYPE_CHECKING:
    import polars as pl


def read_parquet(file: CorpusFile, options: Options, progress: Progress) -> Documents:
    """The documents of a table, one a row."""
    number = 0
    try:
        Path(file.path).open("rb").close()  # says why a file cannot be opened better than the Parquet reader does
        for texts, names, fraction in _parquet_slices(file, options):
            for value, name in zip(texts, names, strict=True):
                number += 1
                text = value
                if not isinstance(value, str) or 4 * len(value) > options.limit:  # in UTF-8, four bytes at the most
                    text = _checked(value, f"{file.path}, row {number}", options)
                if options.id is None:
                    yield f"{file.label}:{number}", text
                else:
                    yield as_id(name, f"{file.path}, row {number}", options), text
            progress.position = int((file.size or 0) * fraction)
    except parquet_damage() as error:
        problem = f"is not a Parquet file that can be read ({reason(error)}); write it again"
        raise fault(file.path, problem) from error
    except OSError as error:
        raise fault(file.path, f"cannot be read ({reason(error)})") from error


def _checked(value: Any, place: str, options: Options) -> Text:
    text = as_text(value, place, options)
    if bytes_of(text) > options.limit:
        raise oversize(place, options.limit)
    return text


def _parquet_slices(file: CorpusFile, options: Options) -> Iterator[tuple[list[Any], list[Any], float]]:
    """Texts, ids and the fraction of rows reached, slice by slice of a few batches."""
    import polars as pl

    table = pl.scan_parquet(Path(file.path).absolute(), glob=False, hive_partitioning=False)
    schema = table.collect_schema()
    require_columns(file.path, options, schema.names())
    # By position, since a name such as "*" would stand for all columns.
    columns = [pl.nth(schema.names().index(options.text)).cast(_parquet_type(file, options, schema)).alias("text")]
    if options.id is not None:
        columns.append(pl.nth(schema.names().index(options.id)).alias("id"))
    rows = table.select(pl.len()).collect().item()
    start, step = 0, 64
    while start < rows:
        part = table.select(columns).slice(start, step).collect()
        start += part.height
        texts = part["text"].to_list()
        if not texts:  # the file has been cut since its rows were counted
            return
        yield texts, part["id"].to_list() if options.id is not None else [None] * len(texts), start / rows
        # Each slice unpacks its row group anew, so slices should be long: a few batches.
        held = max(1, sum(bytes_of(text) for text in texts if text is not None))
        step = max(1, min(8 * step, 4 * options.batch_bytes * len(texts) // held))


def _parquet_type(file: CorpusFile, options: Options, schema: pl.Schema) -> pl.DataType:
    import polars as pl

    kind = schema[options.text]
    strings = (pl.String, pl.Categorical, pl.Enum, pl.Null)
    if kind in strings:
        return pl.String()
    if not isinstance(kind, pl.List):
        raise fault(file.path, f"the column {options.text!r} holds no text but {kind}; choose another with --text")
    if not options.pretokenized:
        raise fault(file.path, f"the column {options.text!r} holds {kind}; if these are tokens, give --pretokenized")
    if kind.inner not in strings:
        raise fault(file.path, f"the column {options.text!r} holds {kind}; make every token a string")
    return pl.List(pl.String())
