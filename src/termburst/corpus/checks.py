"""`Corpus.check` and `Corpus.drop_duplicates`: does inference hold on this corpus?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.corpus.metadata import column_of
from termburst.counting.shingles import CountShingles, TextShingles, plain_words
from termburst.inference.checks import checked_whole
from termburst.inference.corpus_check import effective_documents, false_alarms
from termburst.inference.duplicates import THRESHOLD, Source, near_duplicates, shared_passages
from termburst.questions.corpus_check import CorpusCheck, alarms_frame, cluster_codes, dropped_frame

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus


def check(corpus: Corpus, *, cluster: str | None, threshold: float, halves: int, seed: int) -> CorpusCheck:
    """Check a corpus; `Corpus.check` explains the options."""
    halves, seed = checked_whole("halves", halves, least=2), checked_whole("seed", seed)
    counted = corpus.__counted_corpus__()
    clusters = None if cluster is None else cluster_codes(column_of(corpus.metadata, cluster), cluster)
    source = source_of(corpus)
    found = near_duplicates(source, threshold)
    n_j = np.asarray(counted.counts.sum(axis=1)).ravel().astype(np.int64)
    repeated, passages = _passages(corpus, source, np.flatnonzero(found.kept), int(n_j.sum()))
    alarms = false_alarms(counted.counts, cluster=clusters, halves=halves, seed=seed)
    return CorpusCheck(
        len(corpus),
        int(n_j.sum()),
        effective_documents(n_j),
        threshold,
        found.compared,
        dropped_frame(corpus.ids, found),
        repeated,
        passages,
        _largest_shares(corpus.metadata, n_j),
        cluster,
        alarms_frame(alarms),
        halves if alarms is not None else 0,
    )


def source_of(corpus: Corpus) -> Source:
    """The texts, or the counts if there are no texts."""
    texts = corpus._documents.texts
    return TextShingles(texts) if texts is not None else CountShingles(corpus.counts)


def _passages(corpus: Corpus, source: Source, kept: NDArray[np.intp], tokens: int) -> tuple[float, pl.DataFrame]:
    """The share of the text that is in another document, too, and the passages in most documents."""
    schema = {"documents": pl.Int64, "example": pl.String, "passage": pl.String}
    if not isinstance(source, TextShingles):
        return float("nan"), pl.DataFrame(schema=schema)
    found = shared_passages(source, kept, tokens)
    examples = np.unique(found.example)
    texts = (text for block in source.blocks(examples) for text in block)
    words = dict(zip(examples.tolist(), map(plain_words, texts), strict=True))
    places = zip(found.example.tolist(), found.start.tolist(), found.stop.tolist(), strict=True)
    passages = [" ".join(words[example][start:stop]) for example, start, stop in places]
    ids = [corpus.ids[k] for k in found.example.tolist()]
    return found.share, pl.DataFrame({"documents": found.documents, "example": ids, "passage": passages}, schema=schema)


def _largest_shares(frame: pl.DataFrame, n_j: NDArray[np.int64]) -> pl.DataFrame:
    """The value with most tokens of each column of text that groups documents."""
    schema = {"column": pl.String, "value": pl.String, "documents": pl.Float64, "tokens": pl.Float64}
    rows = []
    for name in frame.columns[1:]:
        column = frame[name]
        if column.dtype not in (pl.String, pl.Boolean, pl.Categorical) or not 1 < column.n_unique() < frame.height:
            continue
        by_value = (
            pl.DataFrame({"value": column.cast(pl.String), "tokens": n_j})
            .drop_nulls()
            .group_by("value")
            .agg(pl.len().alias("documents"), pl.col("tokens").sum())
            .sort("tokens", "value", descending=[True, False])
        )
        value, documents, tokens = by_value.row(0)
        rows.append((name, value, documents / frame.height, tokens / max(int(n_j.sum()), 1)))
    return pl.DataFrame(rows, schema=schema, orient="row").sort("tokens", descending=True, maintain_order=True)


def without_duplicates(corpus: Corpus, threshold: float = THRESHOLD) -> tuple[NDArray[np.intp], pl.DataFrame]:
    """The numbers of the documents to keep, and the frame of those to drop."""
    found = near_duplicates(source_of(corpus), threshold)
    return np.flatnonzero(found.kept), dropped_frame(corpus.ids, found)
