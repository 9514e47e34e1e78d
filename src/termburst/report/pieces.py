"""What the reports of a corpus and of a comparison have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.report.documents import Documents
from termburst.statistics.term_statistics import TermStatistics

Dict = dict[str, Any]
FORMAT = 1  # of the dict; it changes when a reader of the JSON would have to
LARGEST_COUNT = 12  # occurrences in a document, from which on they share a bar
SURE = 0.05  # the q-value up to which a term counts as found
SMALLEST_LOG10_P = -307.0  # smaller p-values have no float of full precision
PLACES = 250  # documents of a term that its panel shows, those with most occurrences
_ZIPF_POINTS = 400
_LENGTH_BINS = 40
_NAMED = 20_000  # documents named in a page; beyond that only those that lines are from
_LONGEST_ID = 200  # characters of a document's id in the page


def heading(kind: str, title: str) -> Dict:
    """What kind of report this is, and whose."""
    import termburst

    return {"format": FORMAT, "termburst": termburst.__version__, "kind": kind, "title": title}


def plain(value: float) -> float | None:
    """A number that JSON has: None for inf and NaN."""
    return value if math.isfinite(value) else None


def columns_of(table: Any, names: Sequence[str]) -> Dict:
    """Columns as lists, None where a number is not finite."""
    import polars as pl

    floats = pl.selectors.float()
    finite = table.select(names).with_columns(pl.when(floats.is_finite()).then(floats))
    return {name: finite[name].to_list() for name in names}


def term_names(statistics: TermStatistics) -> NDArray[np.object_]:
    """The terms, or the numbers of their columns where they have no names."""
    if statistics.terms is not None:
        return statistics.terms
    return np.array([str(column) for column in range(statistics.vocabulary_size)], dtype=object)


def counting_of(documents: Documents | None, statistics: TermStatistics) -> Dict | None:
    """How the terms were counted, where that is known."""
    counting = documents.counting if documents is not None and documents.texts is not None else statistics.counting
    if counting is None:
        return None
    options = counting.to_json()
    if isinstance(counting.stop_words, tuple):
        options["stop_words"] = f"{len(counting.stop_words):,} words of a list"
    return options


def histogram(values: NDArray[np.float64], edges: NDArray[np.float64]) -> list[int]:
    """How many values lie between the edges, the last of them included."""
    return [int(count) for count in np.histogram(values, edges)[0]]


def length_summary(statistics: TermStatistics) -> Dict:
    """Documents by length: mean, median, extremes, and a histogram in bins of about equal ratio."""
    lengths, documents = statistics.lengths, statistics.length_documents
    filled = lengths > 0
    held, weight = lengths[filled].astype(np.float64), documents[filled]
    edges = np.unique(np.round(np.geomspace(held.min(), held.max() + 1, _LENGTH_BINS + 1)))
    if edges.size < 2:
        edges = np.array([held.min(), held.min() + 1])
    counts = np.histogram(held, edges, weights=weight)[0]
    return {
        "mean": statistics.mean_length,
        "median": _median(lengths, documents),
        "shortest": int(lengths[0]),
        "longest": int(lengths[-1]),
        "empty": int(documents[~filled].sum()),
        "edges": edges.tolist(),
        "documents": counts.astype(np.int64).tolist(),
    }


def _median(values: NDArray[Any], times: NDArray[Any]) -> float:
    """Of values in their order, each as many *times*; between the middle two where there are two.

    >>> _median(np.array([1, 3, 8]), np.array([2, 1, 1]))
    2.0
    """
    before = np.cumsum(times)
    low, high = (values[np.searchsorted(before, k, side="right")] for k in ((before[-1] - 1) // 2, before[-1] // 2))
    return float(low + high) / 2


def zipf_curve(statistics: TermStatistics) -> Dict:
    """Frequency by rank, at ranks evenly spaced by their ratio."""
    n_i = np.sort(statistics.collection_frequency[statistics.collection_frequency > 0])[::-1]
    ranks = np.unique(np.geomspace(1, n_i.size, _ZIPF_POINTS).round().astype(np.int64))
    return {"rank": ranks.tolist(), "n": n_i[ranks - 1].tolist()}


def document_names(documents: Documents, panels: Sequence[Dict]) -> Dict:
    """Number → id of the documents in panels; only of those that lines are from where there are very many."""
    quoted = {line["document"] for panel in panels for line in panel["lines"]}
    placed = quoted.union(*(panel["places"] for panel in panels)) if panels else quoted
    return {str(number): _cut(documents.ids[number]) for number in sorted(placed if len(placed) <= _NAMED else quoted)}


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_ID else f"{name[: _LONGEST_ID - 1]}…"
