"""Collocates in stages: what each batch of texts says in rows that add up, then the test of some words at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from termburst.concordance.collocates import Held, Part, documents_with, found_table, node_parts, node_starts
from termburst.concordance.positions import Numbering
from termburst.counting.options import CountingOptions
from termburst.inference.collocates import attraction
from termburst.inference.multiplicity import adjust_log10
from termburst.questions.collocates import Collocates
from termburst.questions.plans import Finish, Order, Rows, shown

CELL = ("others", "near", "count", "in_window")  # of a word in a document with the node; see `around_node`
SUMS = ("n", "documents")  # are added up where all else is equal


@dataclass(frozen=True)
class CollocatesPlan:
    """The stages of `Collocates`; ValueError for a node that is not a word."""

    asked: Collocates
    counting: CountingOptions

    def __post_init__(self) -> None:
        """Check the node."""
        node_parts(self.asked.node, self.counting)

    def stage(self) -> Any:
        """A function of a batch of texts: see `around_node`."""
        asked = self.asked
        options: dict[str, Any] = {"node": asked.node, "window": asked.window, "within": asked.within}
        return partial(around_node, counting=self.counting, **options)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The columns of these rows."""
        return {"term": pl.String, **dict.fromkeys((*CELL, *SUMS), pl.Int64)}

    def tested(self, hits: int | None) -> Any:
        """A function of all rows of some words: see `attracted`. The node occurs *hits* times."""
        asked = self.asked
        if not hits:
            raise ValueError(f"{asked.node!r:.60} does not occur in the corpus; check its spelling")
        options: dict[str, Any] = {name: getattr(asked, name) for name in ("node", "min_count", "confidence")}
        return partial(attracted, counting=self.counting, hits=int(hits), **options)

    def finish(self, rows: Rows) -> Finish:
        """The end of the test: words that are nowhere else in their documents have no test, and q = 1."""
        log_ratio, log10_p = rows.take("log_ratio", "log10_p")
        q_value = 10 ** adjust_log10(np.where(np.isnan(log_ratio), np.nan, log10_p), self.asked.adjust)
        return Finish(np.nan_to_num(q_value, nan=1.0), shown)

    def order(self) -> Order:
        """What the rows are sorted by."""
        sort, own = self.asked.sort, [pl.col("log10_p"), -pl.col("log_ratio"), pl.col("term")]
        if sort is None:
            return []
        return own if sort == "p" else [pl.col(sort)] if sort == "term" else [-pl.col(sort), *own]


def around_node(batch: pl.DataFrame, *, node: str, counting: CountingOptions, window: int, within: str) -> pl.DataFrame:
    """What the test needs of some texts, in rows that add up.

    For every word, a row with n, its tokens. For every word of a document with the node, a row with others and near
    (tokens of the document that are not the node, and those of them near it), count and in_window (the same of the
    word). And a row without a word, whose n is the number of times that the node is there.
    """
    numbering = Numbering(counting, sentences=within == "sentence")
    chunk = numbering.chunk(batch["text"].to_list())
    words = pl.Series("term", numbering.words(), dtype=pl.String)
    members = [np.array(part.among(words.to_list()), dtype=bool) for part in node_parts(node, counting)]
    number = np.bincount(chunk.tokens, minlength=words.len())
    starts = node_starts(chunk, members) if chunk.tokens.size else np.zeros(0, dtype=np.int64)
    none = {name: pl.lit(0, dtype=pl.Int64) for name in (*CELL, "documents")}
    order = ["term", *CELL, "n", "documents"]
    rows = [
        pl.DataFrame([words, pl.Series("n", number)]).with_columns(**none).select(order),
        pl.DataFrame({"term": pl.Series([None], dtype=pl.String), "n": [starts.size]})
        .with_columns(**none)
        .select(order),
    ]
    if starts.size:
        held = _cells(documents_with(chunk, starts, len(members), window))
        rows.append(held.with_columns(words.gather(held["word"]).alias("term"), n=0, documents=1).select(order))
    return pl.concat([row.cast(dict.fromkeys(order[1:], pl.Int64)) for row in rows])


def _cells(held: Held) -> pl.DataFrame:
    """One row per word of a document with the node: word, others, near, count, in_window."""
    document = np.repeat(np.arange(held.sizes.size), held.sizes)
    others, near = (np.bincount(document[mask], minlength=held.sizes.size) for mask in (~held.is_node, held.near))
    free = ~held.is_node
    tokens = pl.DataFrame({"document": document[free], "word": held.tokens[free], "in_window": held.near[free]})
    cells = tokens.group_by("document", "word").agg(pl.len().alias("count"), pl.col("in_window").sum())
    place = cells["document"].to_numpy()
    return cells.with_columns(others=pl.Series(others[place]), near=pl.Series(near[place]))


def attracted(
    rows: pl.DataFrame, *, node: str, counting: CountingOptions, hits: int, min_count: int, confidence: float
) -> pl.DataFrame:
    """The test of some words, of which all rows of `around_node` are given."""
    parts = node_parts(node, counting)
    totals = rows.group_by("term").agg(pl.col("n").sum()).sort("term").filter(pl.col("n") >= max(min_count, 1))
    listed = [word not in counting.stop_word_set() and not _is_node(word, parts) for word in totals["term"]]
    totals = totals.filter(pl.Series(listed, dtype=pl.Boolean))
    held = rows.filter(pl.col("documents") > 0).join(totals.select("term"), on="term", how="semi")
    held = held.sort("term", *CELL)
    places = totals["term"].search_sorted(held["term"]).to_numpy().astype(np.int64)
    times = held["documents"].to_numpy()
    word = np.repeat(places, times)
    kinds = held.select("others", "near").unique(maintain_order=True).with_row_index("kind")
    kind = held.select("others", "near").join(kinds, on=["others", "near"], how="left", maintain_order="left")["kind"]
    cells = (
        np.searchsorted(word, np.arange(totals.height + 1)),
        np.repeat(kind.to_numpy(), times).astype(np.int32),
        np.repeat(held["count"].to_numpy(), times).astype(np.int32),
    )
    in_window = held["in_window"].to_numpy()
    n_window, documents = (
        np.bincount(places, values, totals.height).astype(np.int64)
        for values in (in_window * times, times * (in_window > 0))
    )
    others, near = (kinds[name].to_numpy().astype(np.int64) for name in ("others", "near"))
    found = attraction(others, near, cells, n_window, confidence=confidence)
    return found_table(totals["term"], (totals["n"].to_numpy(), n_window, documents), hits, found)


def _is_node(word: str, parts: list[Part]) -> bool:
    return len(parts) == 1 and bool(parts[0].among([word])[0])
