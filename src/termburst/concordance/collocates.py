"""The words that stand near a node, more often than their documents explain."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst.concordance.positions import Chunk, Integers, Numbering, Numbers, TokenPositions, chunks_of
from termburst.counting.options import CountingOptions
from termburst.forks import check_fork
from termburst.inference.checks import check_confidence, check_name, checked_whole
from termburst.inference.collocates import attraction, log_dice
from termburst.inference.multiplicity import adjust_log10
from termburst.names import ADJUSTMENTS, SPANS
from termburst.reading.documents import Text

Mask = NDArray[np.bool_]

MOST_WINDOW = 1000  # tokens on each side
COLUMNS = (
    "term", "n", "n_window", "documents", "expected", "log_dice", "log_ratio", "ci_low", "ci_high", "p_value",
    "q_value", "log10_p", "p_upper",
)  # fmt: skip


def collocates(
    source: TokenPositions | Iterable[Text],
    node: str,
    *,
    counting: CountingOptions,
    window: int = 5,
    within: str = "document",
    min_count: int = 1,
    adjust: str = "bh",
    confidence: float = 0.95,
    include_node: bool = False,
) -> pl.DataFrame:
    """Which words stand near *node* more often than by chance? One row per word, the smallest p first.

    Parameters
    ----------
    source : the tokens of the corpus, or its texts, which are then read once
    node : a word as the corpus counts it, a phrase of several, or a pattern such as "free*"
    counting : how the corpus finds words
    window : tokens on each side of the node, stop words included
    within : "document" or "sentence", over whose ends a window does not reach
    min_count : leave out words with fewer tokens in the corpus
    adjust : how q is made from p; see `termburst.inference.multiplicity.adjust`
    confidence : level of the interval of log_ratio
    include_node : whether the node itself has a row; the test keeps it in its places, so it has no p

    Returns
    -------
    polars.DataFrame
        The columns are `COLUMNS`; see `termburst.Corpus.collocates`.

    Examples
    --------
    >>> texts = ["free world and free world", "a free world or a war in the world", "world war of the world"]
    >>> collocates(texts, "free", counting=CountingOptions(), window=1).select("term", "n", "n_window").rows()[0]
    ('world', 6, 3)
    """
    check_fork()
    window = checked_whole("window", window, least=1)
    if window > MOST_WINDOW:
        raise ValueError(f"window must be at most {MOST_WINDOW:,} tokens on each side; got {window:,}")
    check_name("within", within, SPANS)
    check_name("adjust", adjust, ADJUSTMENTS)
    check_confidence(confidence)
    min_count = checked_whole("min_count", min_count)
    parts = _parts(node, counting)
    seen = _Seen(parts, is_sorted=isinstance(source, TokenPositions))
    if isinstance(source, TokenPositions):
        seen.add(source.chunk, source.words, window)
    else:
        numbering = Numbering(counting, sentences=within == "sentence")
        for chunk in chunks_of(source, numbering):
            seen.add(chunk, numbering.words(len(seen.words)), window)
    if not seen.hits:
        raise ValueError(_nowhere(node, seen.words))
    return _frame(seen, counting.stop_word_set(), min_count, adjust, confidence, include_node)


@dataclass(frozen=True, slots=True)
class Part:
    """One token of a node: a word, or a pattern of words."""

    word: str
    pattern: re.Pattern[str] | None = None

    def among(self, words: Sequence[str]) -> list[bool]:
        """Which of some words it is."""
        if self.pattern is None:
            return [word == self.word for word in words]
        matches = self.pattern.fullmatch
        return [matches(word) is not None for word in words]


def _parts(node: Any, counting: CountingOptions) -> list[Part]:
    """The tokens that a node consists of, as the corpus finds them."""
    if not isinstance(node, str) or not node.strip():
        raise ValueError(f"the node must be a word or a phrase; got {node!r:.60}")
    find = Numbering(counting).find
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


class _Seen:
    """What was seen so far: all counts, and the documents with the node."""

    def __init__(self, parts: list[Part], *, is_sorted: bool) -> None:
        self.parts, self.hits, self.sorted = parts, 0, is_sorted
        self.words: list[str] = []
        self.counts = np.zeros(0, dtype=np.int64)
        self.members: list[Mask] = [np.zeros(0, dtype=bool) for _ in parts]
        self.held: list[_Held] = []

    def add(self, chunk: Chunk, new_words: Sequence[str], window: int) -> None:
        """Add documents, and the words that were not known before."""
        self.words.extend(new_words)
        self.members = [
            np.append(known, np.array(part.among(new_words), dtype=bool))
            for known, part in zip(self.members, self.parts, strict=True)
        ]
        counts = np.bincount(chunk.tokens, minlength=len(self.words))
        counts[: self.counts.size] += self.counts
        self.counts = counts
        if not chunk.tokens.size:
            return
        starts = _starts(chunk, self.members)
        if starts.size:
            self.hits += int(starts.size)
            self.held.append(_held(chunk, starts, len(self.parts), window))

    def ranks(self) -> Integers:
        """The place of each word in alphabetical order."""
        if self.sorted:
            return np.arange(len(self.words))
        ranks = np.empty(len(self.words), dtype=np.int64)
        ranks[sorted(range(len(self.words)), key=self.words.__getitem__)] = np.arange(len(self.words))
        return ranks

    def all_held(self) -> _Held:
        """All documents with the node, one after the other."""
        names = ("tokens", "sizes", "is_node", "near", "near_another")
        return _Held(*(np.concatenate([getattr(held, name) for held in self.held]) for name in names))


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
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


def _starts(chunk: Chunk, members: list[Mask]) -> Integers:
    """Where the node begins; it lies in one document."""
    starts = np.flatnonzero(members[0][chunk.tokens])
    size = len(members)
    if size == 1:
        return starts
    starts = starts[starts + size <= chunk.tokens.size]
    for place, member in enumerate(members[1:], 1):
        starts = starts[member[chunk.tokens[starts + place]]]
    end = chunk.ends[np.searchsorted(chunk.ends, starts, side="right")]
    return starts[starts + size <= end]


def _held(chunk: Chunk, starts: Integers, size: int, window: int) -> _Held:
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
    return _Held(
        chunk.tokens[places], sizes, is_node > 0, (reached > 0) & (is_node == 0), (reached > 1) & (is_node > 0)
    )


def _covered(starts: Integers, stops: Integers, size: int) -> Integers:
    """In how many intervals each place lies."""
    steps = np.bincount(starts, minlength=size + 1) - np.bincount(stops, minlength=size + 1)
    return np.cumsum(steps[:size])


def _frame(
    seen: _Seen, stop_words: Container[str], min_count: int, adjust: str, confidence: float, include_node: bool
) -> pl.DataFrame:
    vocabulary = len(seen.words)
    held = seen.all_held()
    document = np.repeat(np.arange(held.sizes.size), held.sizes)
    listed = seen.counts >= max(min_count, 1)
    if stop_words:
        listed &= ~np.fromiter(map(stop_words.__contains__, seen.words), dtype=bool, count=vocabulary)
    own = seen.members[0] if len(seen.parts) == 1 else np.zeros(vocabulary, dtype=bool)
    rows = np.flatnonzero(listed & ~own)

    def cells(mask: Mask, of: NDArray[np.intp]) -> tuple[Integers, Numbers, Numbers]:
        return _cells(held.tokens[mask], document[mask], held.sizes.size, vocabulary, of)

    others, windows = (np.bincount(document[mask], minlength=held.sizes.size) for mask in (~held.is_node, held.near))
    n_window = np.bincount(held.tokens[held.near], minlength=vocabulary)[rows]
    found = attraction(others, windows, cells(~held.is_node, rows), n_window, confidence=confidence)
    log10_p = found.log_p / np.log(10)
    q, possible = np.ones(rows.size), ~np.isnan(found.log_ratio)
    if possible.any():
        q[possible] = 10.0 ** np.minimum(adjust_log10(log10_p[possible], adjust), 0.0)
    effects = {
        "expected": found.expected, "log_ratio": found.log_ratio, "ci_low": found.low, "ci_high": found.high,
        "p_value": np.exp(found.log_p), "q_value": q, "log10_p": log10_p, "p_upper": np.exp(found.log_upper),
    }  # fmt: skip
    table = _counted(seen, rows, n_window, np.diff(cells(held.near, rows)[0]), effects)
    table = table[np.lexsort((seen.ranks()[rows], np.where(possible, -found.log_ratio, np.inf), log10_p))]
    if not include_node or not own.any():
        return table
    rows = np.flatnonzero(listed & own)
    n_window = np.bincount(held.tokens[held.near_another], minlength=vocabulary)[rows]
    nothing = dict.fromkeys(effects, np.full(rows.size, np.nan))
    return pl.concat([_counted(seen, rows, n_window, np.diff(cells(held.near_another, rows)[0]), nothing), table])


def _counted(
    seen: _Seen, rows: NDArray[np.intp], n_window: Integers, documents: Integers, effects: dict[str, Any]
) -> pl.DataFrame:
    n = seen.counts[rows]
    columns = {
        "term": pl.Series([seen.words[row] for row in rows.tolist()], dtype=pl.String),
        "n": n, "n_window": n_window, "documents": documents, "log_dice": log_dice(n_window, seen.hits, n), **effects,
    }  # fmt: skip
    return pl.DataFrame({name: columns[name] for name in COLUMNS}).with_columns(pl.selectors.float().fill_nan(None))


def _nowhere(node: str, words: Sequence[str]) -> str:
    """The sentence about a node that does not occur."""
    near = difflib.get_close_matches(node.lower(), words[:200_000], n=3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "; check its spelling"
    return f"{node!r:.60} does not occur in the corpus{hint}"


def _cells(
    tokens: Numbers, document: Integers, documents: int, vocabulary: int, rows: NDArray[np.intp]
) -> tuple[Integers, Numbers, Numbers]:
    """How often each document has each word of *rows*: where the cells of a word start, their documents and counts."""
    ones = np.ones(tokens.size, dtype=np.int32)
    indptr = np.append(0, np.cumsum(np.bincount(document, minlength=documents)))
    by_word = sp.csr_array((ones, tokens, indptr), shape=(documents, vocabulary)).tocsc()
    # Conversion keeps each occurrence, in the order of the documents: equal ones are neighbours.
    word = np.repeat(np.arange(vocabulary), np.diff(by_word.indptr))
    where = by_word.indices
    new = np.ones(where.size, dtype=bool)
    new[1:] = (where[1:] != where[:-1]) | (word[1:] != word[:-1])
    first = np.flatnonzero(new)
    count = np.diff(np.append(first, where.size)).astype(np.int32)
    kept = np.zeros(vocabulary, dtype=bool)
    kept[rows] = True
    chosen = kept[word[first]]
    per_word = np.bincount(word[first], minlength=vocabulary)[rows]
    starts = np.append(0, np.cumsum(per_word)).astype(np.int64)
    return starts, where[first][chosen].astype(np.int32), count[chosen]
