"""The words that stand near a node, more often than their documents explain."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.concordance.positions import (
    Chunk,
    Integers,
    Numbering,
    Numbers,
    TokenPositions,
    alphabetical_order,
    chunks_of,
    stop_words_among,
)
from termburst.core.word_cells import PlacedWords, placed_words, word_cells, word_documents
from termburst.counting.options import CountingOptions
from termburst.display import did_you_mean
from termburst.inference.collocates import Attraction, attraction, cells_of, log_dice
from termburst.inference.multiplicity import adjust_log10
from termburst.reading.documents import Text

Mask = NDArray[np.bool_]


def collocates(
    source: TokenPositions | Iterable[Text], asked: Any, counting: CountingOptions, limit: int | None
) -> pl.DataFrame:
    """The words near a node, the smallest p first.

    Parameters
    ----------
    source : the tokens of the corpus, or its texts, which are then read once
    asked : `termburst.questions.collocates.Collocates`, which has and checks the options
    counting : how the corpus finds words
    limit : at most this number of words besides the node, the first ones; all are tested, but the others have no row,
        which takes less than half the time
    """
    parts = node_parts(asked.node, counting)
    seen = (
        _in_positions(source, parts, counting, asked.window)
        if isinstance(source, TokenPositions)
        else _in_texts(source, parts, counting, asked.window, sentences=asked.within == "sentence")
    )
    if not seen.hits:
        raise ValueError(nowhere(asked.node, seen.words))
    listed = (seen.counts >= max(asked.min_count, 1)) & ~seen.left_out
    table = _tested(seen, listed & ~seen.own, asked, limit)
    if not asked.include_node or not seen.own.any():
        return table
    rows, near_another = np.flatnonzero(listed & seen.own), seen.held.near_another
    n_window = np.bincount(seen.held.tokens[near_another], minlength=listed.size)[rows]
    documents = word_documents(seen.held.placed(near_another, listed.size))[rows]
    own = found_table(seen.terms[rows], (seen.counts[rows], n_window, documents), seen.hits, None)
    return pl.concat([own, table])


@dataclass(frozen=True, slots=True)
class Part:
    """One token of a node: a word, or a pattern of words."""

    word: str
    pattern: re.Pattern[str] | None = None

    def among(self, words: Sequence[str], *, is_sorted: bool = False) -> Mask:
        """Which of some words it is."""
        if self.pattern is None and is_sorted:
            found = np.zeros(len(words), dtype=bool)
            found[bisect_left(words, self.word) : bisect_right(words, self.word)] = True
            return found
        if self.pattern is None:
            return np.array([word == self.word for word in words], dtype=bool)
        matches = self.pattern.fullmatch
        return np.array([matches(word) is not None for word in words], dtype=bool)


def node_parts(node: Any, counting: CountingOptions) -> list[Part]:
    """The tokens that a node consists of, as the corpus finds them."""
    if not isinstance(node, str) or not node.strip():
        raise ValueError(f"the node must be a word or a phrase; got {node!r:.60}")
    find = _finder(counting)
    parts: list[Part] = []
    for word in node.split():
        if set("*?") & set(word) and word.strip("*?"):
            folded = word.lower() if counting.lowercase and not counting.pretokenized else word
            letters = {"*": ".*", "?": "."}
            parts.append(Part(word, re.compile("".join(letters.get(c, re.escape(c)) for c in folded), re.DOTALL)))
        else:
            parts.extend(map(Part, find(word)))
    if not parts:
        raise ValueError(f"the node {node!r:.60} is not a word by the rule of this corpus; choose another")
    return parts


@lru_cache(maxsize=8)
def _finder(counting: CountingOptions) -> Any:
    """The function that finds the words of a text. Making it takes as long as testing a rare node."""
    return replace(counting, stop_words=None, ngrams=(1, 1)).plain_tokenizer().analyze


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Documents with the node.

    Attributes
    ----------
    tokens : the numbers of their words
    sizes : how many tokens each document has
    is_node : which tokens are the node
    near : which other tokens are near it
    near_another : which tokens of the node are near another one
    """

    tokens: Numbers
    sizes: Integers
    is_node: Mask
    near: Mask
    near_another: Mask

    def placed(self, chosen: Mask, vocabulary: int) -> PlacedWords:
        """The chosen tokens, to be counted."""
        return placed_words(self.tokens, chosen, np.cumsum(self.sizes), vocabulary)

    def per_document(self, chosen: Mask) -> Integers:
        """The number of chosen tokens of each document; none is empty."""
        return np.add.reduceat(chosen, np.cumsum(self.sizes) - self.sizes, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """The words of a corpus, in alphabetical order, and the documents with the node.

    Attributes
    ----------
    words, terms : the words, as a list and as a column
    counts : how often each occurs
    left_out : which are stop words
    own : which are the node, if it is one word
    hits : how often the node occurs
    held : the documents with it
    """

    words: list[str]
    terms: pl.Series
    counts: Integers
    left_out: Mask
    own: Mask
    hits: int
    held: Held


def _in_positions(source: TokenPositions, parts: list[Part], counting: CountingOptions, window: int) -> _Seen:
    """What is there to test, from tokens that are held in memory."""
    words, chunk = source.words, source.chunk
    members = [part.among(words, is_sorted=True) for part in parts]
    starts = node_starts(chunk, members, source.places(np.flatnonzero(members[0])))
    own = members[0] if len(parts) == 1 else np.zeros(len(words), dtype=bool)
    held = documents_with(chunk, starts, len(parts), window)
    return _Seen(words, source.terms, source.counts, source.stop_words(counting), own, starts.size, held)


def _in_texts(
    texts: Iterable[Text], parts: list[Part], counting: CountingOptions, window: int, *, sentences: bool
) -> _Seen:
    """The same from texts that are read once, of which only documents with the node are kept."""
    numbering, known = Numbering(counting, sentences=sentences), list[str]()
    counts, members, hits = np.zeros(0, dtype=np.int64), [np.zeros(0, dtype=bool) for _ in parts], 0
    kept = [Held(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64), *np.zeros((3, 0), dtype=bool))]
    for chunk in chunks_of(texts, numbering):
        new = numbering.words(len(known))
        known += new
        members = [np.append(before, part.among(new)) for before, part in zip(members, parts, strict=True)]
        more = np.bincount(chunk.tokens, minlength=len(known))
        more[: counts.size] += counts
        counts, starts = more, node_starts(chunk, members)
        hits += int(starts.size)
        kept.append(documents_with(chunk, starts, len(parts), window))
    order, place = alphabetical_order(known)
    words = [known[k] for k in order]
    names = ("tokens", "sizes", "is_node", "near", "near_another")
    held = Held(*(np.concatenate([getattr(one, name) for one in kept]) for name in names))
    own = members[0][order] if len(parts) == 1 else np.zeros(len(words), dtype=bool)
    terms, left_out = pl.Series("term", words, dtype=pl.String), stop_words_among(words, counting)
    return _Seen(words, terms, counts[order], left_out, own, hits, replace(held, tokens=place[held.tokens]))


def node_starts(chunk: Chunk, members: list[Mask], starts: Integers | None = None) -> Integers:
    """The places where the node begins; it lies in one document. *starts*: the places of its first token, if known."""
    starts = np.flatnonzero(members[0][chunk.tokens]) if starts is None else starts
    size = len(members)
    if size == 1:
        return starts
    starts = starts[starts + size <= chunk.tokens.size]
    for place, member in enumerate(members[1:], 1):
        starts = starts[member[chunk.tokens[starts + place]]]
    end = chunk.ends[np.searchsorted(chunk.ends, starts, side="right")]
    return starts[starts + size <= end]


def documents_with(chunk: Chunk, starts: Integers, size: int, window: int) -> Held:
    """The documents with the node, and the places near it. A place within reach of two nodes counts once."""
    documents = np.unique(np.searchsorted(chunk.ends, starts, side="right"))
    first, last = np.append(0, chunk.ends)[documents], chunk.ends[documents]
    sizes = last - first
    new = np.cumsum(sizes) - sizes  # where each of these documents begins among their tokens
    places = np.arange(int(sizes.sum())) + np.repeat(first - new, sizes)
    shift = np.searchsorted(first, starts, side="right") - 1
    moved = starts - (first - new)[shift]
    stops = chunk.sentences  # a window ends with the document or the sentence
    at = np.searchsorted(stops, starts, side="right")
    low = starts - np.append(0, stops)[at]  # tokens of the same stretch before the node, and after its last token
    high = np.maximum(stops[np.searchsorted(stops, starts + size - 1, side="right")] - (starts + size), 0)
    left, right = np.minimum(low, window), np.minimum(high, window)
    is_node = _covered(moved, moved + size, places.size)
    reached = _covered(moved - left, moved + size + right, places.size)
    return Held(chunk.tokens[places], sizes, is_node > 0, (reached > 0) & (is_node == 0), (reached > 1) & (is_node > 0))


def _covered(starts: Integers, stops: Integers, size: int) -> Integers:
    """In how many intervals each place lies."""
    steps = np.bincount(starts, minlength=size + 1) - np.bincount(stops, minlength=size + 1)
    return np.cumsum(steps[:size])


def _tested(seen: _Seen, listed: Mask, asked: Any, limit: int | None) -> pl.DataFrame:
    """One row per listed word, in order. With a limit, only the first ones get an estimate and a row."""
    held = seen.held
    others, windows = held.per_document(~held.is_node), held.per_document(held.near)
    cells_each = np.where(listed, word_documents(held.placed(~held.is_node, listed.size)), 0)
    if limit is not None and np.count_nonzero(cells_each) > limit:
        listed = cells_each > 0  # a word that is in no document with the node stands after the others
    rows = np.flatnonzero(listed)
    starts, document, count = word_cells(held.placed(~held.is_node, listed.size), cells_each)
    cells = (np.append(starts[rows], starts[-1]), document, count)
    n_window = np.bincount(held.tokens[held.near], minlength=listed.size)[rows]
    found = attraction(others, windows, cells, n_window, confidence=asked.confidence, effects=limit is None)
    q, possible = np.ones(rows.size), ~np.isnan(found.log_ratio)
    if possible.any():
        q[possible] = 10.0 ** np.minimum(adjust_log10(found.log_p[possible] / np.log(10), asked.adjust), 0.0)
    if limit is not None and limit < rows.size:  # words with equal p stand in the order of their log_ratio
        chosen = found.log_p <= (np.partition(found.log_p, limit)[limit] if limit else -np.inf)
        cells, rows, n_window, q, possible = (
            cells_of(cells, chosen), rows[chosen], n_window[chosen], q[chosen], possible[chosen]
        )  # fmt: skip
    if limit is not None:
        found = attraction(others, windows, cells, n_window, confidence=asked.confidence)
    order = np.lexsort((rows, np.where(possible, -found.log_ratio, np.inf), found.log_p / np.log(10)))[:limit]
    documents = word_documents(held.placed(held.near, listed.size))[rows]
    table = found_table(seen.terms[rows], (seen.counts[rows], n_window, documents), seen.hits, found, q)
    return table[order]


def found_table(
    terms: pl.Series, numbers: tuple[Any, Any, Any], hits: int, found: Attraction | None, q: Any = np.nan
) -> pl.DataFrame:
    """One row per word: *numbers* are n, n_window and documents; *hits* is how often the node occurs.

    Without a test *found*, its columns are null.
    """
    n, n_window, documents = numbers
    table = {"term": terms, "n": n, "n_window": n_window, "documents": documents}
    values = np.full((7, n.size), np.nan)
    if found is not None:
        values[:4] = found.expected, found.log_ratio, found.low, found.high
        values[4:] = np.exp(found.log_p), found.log_p / np.log(10), np.exp(found.log_upper)
    expected, log_ratio, low, high, p_value, log10_p, p_upper = values
    columns = {
        **table, "expected": expected, "log_dice": log_dice(n_window, hits, n), "log_ratio": log_ratio, "ci_low": low,
        "ci_high": high, "p_value": p_value, "q_value": np.full(n.size, q), "log10_p": log10_p, "p_upper": p_upper,
    }  # fmt: skip
    return pl.DataFrame(columns, nan_to_null=True)


def nowhere(node: str, words: Sequence[str]) -> str:
    """The sentence about a node that does not occur."""
    hint = did_you_mean(node.lower(), words[:200_000], most=3) or "; check its spelling"
    return f"{node!r:.60} does not occur in the corpus{hint}"
