"""`TermStatistics` of a frame: the engine adds up, this process stores the result."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions, checked_counting
from termburst.engines.batches import TEXTS, stream
from termburst.engines.cells import Cells, cells_of, length_statistics
from termburst.engines.door import Opened, opened
from termburst.engines.frames import to_polars
from termburst.engines.moments import moments
from termburst.names import Detail
from termburst.statistics.labels import checked_batch, checked_detail
from termburst.statistics.rows import CountRows
from termburst.statistics.term_statistics import TermStatistics


def term_statistics(
    frame: Any,
    *,
    detail: Detail = "moments",
    counting: CountingOptions | None = None,
    batch: str | None = None,
    check: bool = True,
    **columns: str,
) -> TermStatistics:
    """`TermStatistics` of a frame of any engine: the same integers as those of `TermStatistics.from_texts`.

    Parameters
    ----------
    frame : of Polars (eager or lazy), pandas, PyArrow, DuckDB or PySpark
        Texts (document, text), counts (document, term, count), or patterns (`engines.patterns`). Ids are strings or
        integers. In a frame of counts, a row with the count 0 stands for a document without terms.
    detail, batch : see `TermStatistics.from_counts`
    counting : CountingOptions, optional
        How texts are counted.
    check : bool
        Look for null, negative and duplicate entries, which takes a pass over the frame (of texts, only over the ids,
        and on Spark over both columns). With False, a frame that has them gives wrong numbers, or fails later;
        null texts are found all the same where texts are read in this process.
    **columns : str
        The names of the frame's columns, if they differ: ``document="id", text="body"``.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"id": [1, 1, 2], "term": ["ha", "so", "so"], "count": [3, 1, 2]})
    >>> s = term_statistics(frame, document="id")
    >>> s.terms.tolist(), s.collection_frequency.tolist(), s.documents
    (['ha', 'so'], [3, 3], 2)
    """
    checked_batch(batch)
    detail = checked_detail(detail)
    return statistics_of(opened(frame, columns, check=check), counting, detail, batch)


def statistics_of(
    source: Opened, counting: CountingOptions | None, detail: Detail, batch: str | None = None
) -> TermStatistics:
    """`TermStatistics` of an opened frame."""
    names = checked_batch(batch)
    if source.kind == "texts" and isinstance(source.frame, nw.DataFrame):  # in memory already: the quickest way
        texts = (rows["text"].to_list() for rows in stream(source.frame.select("text"), TEXTS))
        return TermStatistics.from_batches(texts, detail, counting=counting, batch=batch)
    cells = cells_of(source, counting, "patterns" if detail == "patterns" else "counts")
    collection = length_statistics(cells)
    return _statistics(
        cells,
        collection,
        detail,
        batches=names,
        counting=checked_counting(counting) if source.kind == "texts" else None,
    )


def _statistics(cells: Cells, collection: TermStatistics, detail: Detail, **known: Any) -> TermStatistics:
    by_term = to_polars(moments(cells)).sort("term")
    terms = by_term["term"].to_numpy(writable=True).astype(object)
    known |= {
        "terms": terms,
        "lengths": collection.lengths,
        "length_documents": collection.length_documents,
        "collection_frequency": by_term["n"].to_numpy(),
        "document_frequency": by_term["b"].to_numpy(),
        "detail": detail,
    }
    if detail == "frequencies":
        return TermStatistics(**known)
    keys = ["term", "count"] if detail == "moments" else ["term", "count", "length"]
    rows = to_polars(cells.total(*keys))
    return TermStatistics(
        **known,
        count_length_sum=by_term["count_length_sum"].to_numpy(),
        count_squared_sum=by_term["count_squared_sum"].to_numpy(),
        rows=CountRows.tallied(
            terms.size,
            term=by_term["term"].search_sorted(rows["term"]).to_numpy().astype(np.int64),
            count=rows["count"].to_numpy(),
            length=rows["length"].to_numpy() if detail == "patterns" else None,
            documents=rows["documents"].to_numpy(),
        ),
    )
