"""Functions that the summaries of a corpus and of a comparison share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import words_of
from termburst.names import Detail
from termburst.plot.corpus import length_histogram, median, ranks_to_draw
from termburst.statistics.matrix import counted_corpus
from termburst.statistics.term_statistics import TermStatistics, as_statistics

Dict = dict[str, Any]
FORMAT = 2  # version of the dict; a change that readers of the JSON must follow raises it
LARGEST_COUNT = 12  # occurrences in a document; this many and more share one bar
SURE = 0.05  # a term with a q-value up to this counts as found
SMALLEST_LOG10_P = -307.0  # smaller p-values have no float of full precision
PLACES = 250  # documents that the panel of a term shows: those with most occurrences
_ZIPF_POINTS = 400
_NAMED = 20_000  # documents named in a page; if there are more, only those that lines are from
_AXES = 4  # columns of the metadata by which documents can be laid out
_LONGEST_ID = 200  # characters of a document's id in the page


def heading(kind: str, title: str) -> Dict:
    """The first entries of a summary: its format, version, kind and title."""
    from importlib.metadata import version

    return {"format": FORMAT, "termburst": version("termburst"), "kind": kind, "title": title}


def plain(value: float) -> float | None:
    """A number that JSON has: None for inf and NaN."""
    return value if math.isfinite(value) else None


def columns_of(table: Any, names: Sequence[str]) -> Dict:
    """Columns as lists; a number that is not finite becomes None."""
    floats = pl.selectors.float()
    finite = table.select(names).with_columns(pl.when(floats.is_finite()).then(floats))
    return {name: finite[name].to_list() for name in names}


def term_names(statistics: TermStatistics) -> NDArray[np.object_]:
    """The terms; if they have no names, the numbers of their columns."""
    if statistics.terms is not None:
        return statistics.terms
    return np.array([str(column) for column in range(statistics.vocabulary_size)], dtype=object)


def documents_of(corpus: Any, detail: Detail = "frequencies") -> Any:
    """The counted corpus of a `Corpus`; the statistics, of this detail, of anything else.

    Examples
    --------
    >>> counted = CountedCorpus.from_texts(["so it goes"])
    >>> documents_of(counted) is counted
    True
    """
    held = counted_corpus(corpus)
    return as_statistics(corpus, detail) if held is None else held


def counting_of(corpus: CountedCorpus | TermStatistics) -> Dict | None:
    """How the terms were counted, if that is known."""
    counting = corpus.counting
    if counting is None:
        return None
    options = counting.to_json() | {"in_words": words_of(counting)}
    if isinstance(counting.stop_words, tuple):
        options["stop_words"] = f"{len(counting.stop_words):,} words of a list"
    return options


def reading_of(corpora: Iterable[Any]) -> list[Dict]:
    """How the texts of corpora were read: for each reading report, its source and its lines.

    The folder of the source is left out, since a page may be sent to others.

    Examples
    --------
    >>> reading_of([CountedCorpus.from_texts(["so it goes"])])
    []
    """
    reports: list[Any] = []
    for corpus in corpora:
        report = getattr(corpus, "reading", None)
        found = report if isinstance(report, tuple) else () if report is None else (report,)
        reports += [one for one in found if not any(one is known for known in reports)]  # groups share a report
    return [{"source": _cut(Path(report.source).name or report.source), "lines": report.lines()} for report in reports]


def axes_of(corpus: Any) -> list[Dict]:
    """Columns of numbers and dates in the metadata, as one number per document: what documents can be laid out by.

    Dates become years with fractions. At most four columns are kept, and none if there are very many documents.

    Examples
    --------
    >>> import termburst as tb
    >>> axes_of(tb.read(["so it goes", "so so"], metadata={"year": [1945, 1951], "who": ["x", "y"]}))
    [{'column': 'year', 'values': [1945.0, 1951.0]}]
    """
    frame = getattr(corpus, "metadata", None)
    if not isinstance(frame, pl.DataFrame) or frame.height > _NAMED:
        return []
    found: list[Dict] = []
    for column in frame.columns[1:]:
        values = frame[column]
        if values.dtype.is_temporal() and values.dtype not in (pl.Time, pl.Duration):
            values = values.dt.year() + (values.dt.ordinal_day() - 1) / 365.25
        elif values.dtype == pl.String:  # a file name or an XML header has its year as text
            values = values.cast(pl.Int64, strict=False)
        elif not values.dtype.is_numeric():
            continue
        values = values.cast(pl.Float64)
        if values.drop_nulls().n_unique() > 1 and values.null_count() <= frame.height // 2:
            found.append({"column": column, "values": [None if v is None else plain(v) for v in values]})
    return found[:_AXES]


def histogram(values: NDArray[np.float64], edges: NDArray[np.float64]) -> list[int]:
    """How many values lie between each two edges; the last edge is included."""
    return [int(count) for count in np.histogram(values, edges)[0]]


def length_summary(statistics: TermStatistics) -> Dict:
    """Lengths of documents: mean, median, extremes, and a histogram with bins of about equal ratio."""
    lengths, documents = statistics.lengths, statistics.length_documents
    edges, counts = length_histogram(statistics)
    return {
        "mean": statistics.mean_length,
        "median": median(lengths, documents),
        "shortest": int(lengths[0]),
        "longest": int(lengths[-1]),
        "empty": int(documents[lengths == 0].sum()),
        "edges": edges.tolist(),
        "documents": counts.astype(np.int64).tolist(),
    }


def zipf_curve(statistics: TermStatistics) -> Dict:
    """Frequency by rank, at ranks that are evenly spaced on a logarithmic axis."""
    n_i = np.sort(statistics.collection_frequency[statistics.collection_frequency > 0])[::-1]
    ranks = ranks_to_draw(n_i.size, _ZIPF_POINTS)
    return {"rank": ranks.tolist(), "n": n_i[ranks - 1].tolist()}


def document_names(corpus: CountedCorpus, panels: Sequence[Dict]) -> Dict:
    """Number → id of the documents in panels; if there are very many, only of those that lines are from."""
    quoted = {line["document"] for panel in panels for line in panel["lines"]}
    placed = quoted.union(*(panel["places"] for panel in panels)) if panels else quoted
    return {str(number): _cut(corpus.ids[number]) for number in sorted(placed if len(placed) <= _NAMED else quoted)}


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_ID else f"{name[: _LONGEST_ID - 1]}…"
