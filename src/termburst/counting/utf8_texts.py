"""Texts that are UTF-8 already, as columns of Arrow are: counted without a string of Python for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.core.binding import Bytes, Integers
from termburst.core.vocabulary import written

if TYPE_CHECKING:
    from termburst.counting.tokenizer import Counted, Tokenizer, Worker


def count_utf8(tokenizer: Tokenizer, data: Bytes, ends: Integers) -> Iterator[Counted]:
    """Count the texts that end at *ends* in *data*, as `Tokenizer.count` does."""
    return tokenizer.count(_in_chunks(data, ends), encode=lambda chunk: prepared(tokenizer, *chunk))


def prepared(tokenizer: Tokenizer, data: Bytes, ends: Integers) -> tuple[Bytes, Integers]:
    """The texts in lower case and changed, where the kernel cannot do it: mostly those that are not ASCII.

    Examples
    --------
    >>> from termburst import CountingOptions
    >>> data, ends = prepared(CountingOptions().tokenizer(), *utf8(["So", "ÉTÉ", "it"]))
    >>> bytes(data).decode(), ends.tolist()
    ('Soétéit', [2, 7, 9])
    """
    starts = np.append(0, ends)[:-1]
    if tokenizer.takes_ascii:
        if not data.size or data.max() < 128:
            return data, ends
        filled = np.flatnonzero(starts < ends)
        wide = filled[np.maximum.reduceat(data, starts[filled]) >= 128]
    else:
        wide = np.arange(ends.size)
    spans = list(zip(starts[wide].tolist(), ends[wide].tolist(), strict=True))
    new, new_ends = tokenizer.encoded([data[start:end].tobytes().decode() for start, end in spans])
    sizes = np.diff(ends, prepend=0)
    sizes[wide] = np.diff(new_ends, prepend=0)
    pieces, last, at = [], 0, 0
    for (start, end), stop in zip(spans, new_ends.tolist(), strict=True):
        pieces += [data[last:start], new[at:stop]]
        last, at = end, stop
    return np.concatenate([*pieces, data[last:]]), np.cumsum(sizes)


def utf8(texts: Any) -> tuple[Bytes, Integers]:
    """The bytes of a Polars series of strings (or a list of them) without nulls, and where each text ends.

    Examples
    --------
    >>> data, ends = utf8(["so", "été"])
    >>> bytes(data), ends.tolist()
    (b'so\\xc3\\xa9t\\xc3\\xa9', [2, 7])
    """
    import polars as pl

    column = pl.Series(texts, dtype=pl.String).rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    _, offsets, data = column.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64, count=len(column) + 1, offset=8 * column.offset)
    whole = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return whole[bounds[0] : bounds[-1]], bounds[1:] - bounds[0]


def names(worker: Worker, nodes: Any) -> Any:
    """The names of nodes of a worker as a Polars series."""
    import polars as pl
    import pyarrow as pa

    lines, ends = written(worker.known, nodes)
    offsets = np.append(0, ends - np.arange(ends.size))
    data = np.delete(lines, ends)  # each name is followed by one byte
    column = pa.LargeStringArray.from_buffers(ends.size, pa.py_buffer(offsets), pa.py_buffer(data))
    return pl.Series("term", column, dtype=pl.String)


def _in_chunks(data: Bytes, ends: Integers) -> Iterator[tuple[Bytes, Integers]]:
    """The texts in pieces of about `CHUNK` bytes each."""
    from termburst.counting.tokenizer import CHUNK, MOST_DOCUMENTS

    first = 0
    while first < ends.size:
        start = int(ends[first - 1]) if first else 0
        after = int(np.searchsorted(ends, start + CHUNK)) + 1
        after = min(after, first + MOST_DOCUMENTS, ends.size)
        yield data[start : ends[after - 1]], ends[first:after] - start
        first = after
