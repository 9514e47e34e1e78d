"""Texts where the engine holds them: every place where a query matches, and the words that stand near a node."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.concordance.collocates import (
    COLUMNS,
    Held,
    Part,
    checked_window,
    documents_with,
    node_parts,
    node_starts,
)
from termburst.concordance.kwic import Wanted, empty_lines, line_frames
from termburst.concordance.positions import Numbering
from termburst.concordance.queries import parsed
from termburst.counting.options import CountingOptions, checked_counting
from termburst.engines.batches import TEXTS, map_batches, map_terms
from termburst.engines.cells import document_type
from termburst.engines.dealing import map_and_add
from termburst.engines.door import opened
from termburst.engines.frames import back_from_polars, in_polars, to_polars
from termburst.engines.running import PLACE, finished
from termburst.inference.collocates import attraction, log_dice
from termburst.inference.multiplicity import adjust_log10
from termburst.questions.plans import Finish, Rows, shown

if TYPE_CHECKING:
    import polars as pl

CELL = ("others", "near", "count", "in_window")  # of a word in a document with the node; see `around_node`


def kwic(
    frame: Any,
    query: str,
    *,
    width: int = 60,
    regex: bool = False,
    ignore_case: bool = True,
    check: bool = True,
    **columns: str,
) -> Any:
    """Every place where a query matches, with the text around it: a frame of the same engine, in no order of rows.

    Parameters
    ----------
    frame : texts (document, text) of any engine
    query, width, regex, ignore_case : see `termburst.Corpus.kwic`
    check, **columns : see `term_statistics`

    Returns
    -------
    frame
        document, left, match, right, position (the number of characters of the document before the match). Join it with
        your own frame for other columns, and sort or limit it with the engine.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["So it goes.", "And so on."]})
    >>> kwic(frame, "so", width=7).rows()
    [('a', '', 'So', ' it goe', 0), ('b', 'And ', 'so', ' on.', 4)]
    """
    import polars as pl

    Wanted.checked(["id"], width=width, sort=None, columns=(), limit=None)
    parsed(query, regex=regex, ignore_case=ignore_case)
    source = opened(frame, columns, check=check, kinds=("texts",))
    line = dict.fromkeys(("left", "match", "right"), pl.String)
    schema = {"document": document_type(source.frame), **line, "position": pl.Int64}
    function = partial(lines, query=query, regex=regex, ignore_case=ignore_case, width=width)
    return nw.to_native(map_batches(source.frame, function, schema, rows=TEXTS))


def lines(batch: pl.DataFrame, *, query: str, regex: bool, ignore_case: bool, width: int) -> pl.DataFrame:
    """The lines of some texts."""
    import polars as pl

    asked = parsed(query, regex=regex, ignore_case=ignore_case)
    found = pl.concat([empty_lines(), *line_frames(batch["text"].to_list(), asked, width=width)])
    return found.with_columns(batch["document"].gather(found["document"]).alias("document"))


def collocates(
    frame: Any,
    node: str,
    *,
    window: int = 5,
    within: str = "document",
    min_count: int = 1,
    adjust: str = "bh",
    confidence: float = 0.95,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """Which words stand near a node more often than their documents explain? A frame of the same engine.

    The columns and numbers are those of `termburst.Corpus.collocates`; the rows are in no order. Texts are read once.
    Of every word, the test needs how often it is in each document with the node, and how often near it: words are dealt
    out to workers as the terms of other questions are.

    Parameters
    ----------
    frame : texts (document, text) of any engine
    node, window, within, min_count, adjust, confidence : see `termburst.Corpus.collocates`
    counting, check, **columns : see `term_statistics`

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["free world and free world", "a free world or a war in the world", "world war of the world"]
    >>> found = collocates(pl.DataFrame({"document": [1, 2, 3], "text": texts}), "free", window=1)
    >>> found.sort("p_value").select("term", "n", "n_window").rows()[0]
    ('world', 6, 3)
    """
    import polars as pl

    window, min_count = checked_window(window, within, min_count, adjust, confidence)
    options = checked_counting(counting)
    node_parts(node, options)
    source = opened(frame, columns, check=check, kinds=("texts",))
    texts, like = in_polars(source.frame)
    function = partial(around_node, node=node, counting=options, window=window, within=within)
    schema: dict[str, Any] = {"term": pl.String, **dict.fromkeys((*CELL, "n", "documents"), pl.Int64)}
    rows = map_and_add(texts, partial(map, function), schema, ("n", "documents"), rows=TEXTS)
    hits = to_polars(rows.others.select(nw.col("n").sum()))["n"][0]
    if not hits:
        raise ValueError(f"{node!r:.60} does not occur in the corpus; check its spelling")
    tested = partial(attracted, node=node, counting=options, hits=int(hits), min_count=min_count, confidence=confidence)
    cells = rows.terms if rows.merged else tuple(map(_merged, rows.terms))
    found: Any = tested(pl.DataFrame(schema=schema)).schema
    results = map_terms(cells, tested, found, place=PLACE)
    return back_from_polars(finished(results, dict(found), partial(_adjusted, adjust=adjust), cells[0]), like)


def _adjusted(rows: Rows, *, adjust: str) -> Finish:
    """The end of the test: words that are nowhere else in their documents have no test, and q = 1."""
    log_ratio, log10_p = rows.take("log_ratio", "log10_p")
    q_value = 10 ** adjust_log10(np.where(np.isnan(log_ratio), np.nan, log10_p), adjust)
    return Finish(np.nan_to_num(q_value, nan=1.0), shown)


def _merged(part: Any) -> Any:
    sums = part.group_by("term", *CELL).agg(nw.col("n").sum(), nw.col("documents").sum())
    return sums.with_columns(nw.col("n").cast(nw.Int64), nw.col("documents").cast(nw.Int64))


def around_node(batch: pl.DataFrame, *, node: str, counting: CountingOptions, window: int, within: str) -> pl.DataFrame:
    """What the test needs of some texts, in rows that add up.

    For every word, a row with n, its tokens. For every word of a document with the node, a row with others and near
    (tokens of the document that are not the node, and those of them near it), count and in_window (the same of the
    word). And a row without a word, whose n is the number of times that the node is there.
    """
    import polars as pl

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
    import polars as pl

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
    import polars as pl

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
    log10_p, n = found.log_p / np.log(10), totals["n"].to_numpy()
    values: dict[str, Any] = {
        "term": totals["term"], "n": n, "n_window": n_window, "documents": documents, "expected": found.expected,
        "log_dice": log_dice(n_window, hits, n), "log_ratio": found.log_ratio, "ci_low": found.low,
        "ci_high": found.high, "p_value": np.exp(found.log_p), "q_value": np.full(n.size, np.nan), "log10_p": log10_p,
        "p_upper": np.exp(found.log_upper),
    }  # fmt: skip
    table = pl.DataFrame({name: values[name] for name in COLUMNS})
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _is_node(word: str, parts: list[Part]) -> bool:
    return len(parts) == 1 and bool(parts[0].among([word])[0])
