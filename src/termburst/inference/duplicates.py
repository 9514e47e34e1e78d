"""Which documents are near-copies of others, and which passages do many documents share?

Two documents are near-copies if the Jaccard index of their shingles (runs of five words), |A ∩ B|/|A ∪ B|, reaches a
threshold. Comparing all pairs would take the square of their number. So candidates come from MinHash: the smallest of
randomly permuted hashes is the same in two sets with a probability equal to their Jaccard index s. Minima are joined to
bands of `rows` each, and two documents with a common band are candidates, with probability 1 − (1 − s^rows)^bands. The
index of each candidate pair is then computed exactly, up to collisions of 64-bit hashes: nothing is called a copy by
MinHash alone, and a pair at the default threshold is missed with probability 0.001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from termburst.core.binding import Hashes
from termburst.core.minhash import ShingleLists, band_keys, distinct_hashes, jaccard
from termburst.limits import require_memory
from termburst.statistics.matrix import Integers
from termburst.threads import cores, in_threads

Floats = NDArray[np.float64]

WIDTH = 5  # words of a shingle, and the fewest words of a document that is compared
THRESHOLD = 0.7  # Jaccard index from which documents are near-copies
LOWEST = 0.5  # lowest threshold: below, bands would miss pairs
PASSAGE = 12  # words of a passage
CROWD = 64  # documents with one key, from which not all pairs are compared
LEADERS = 8  # in a crowd, each document is compared with the first ones only
VERIFIED = 2**14  # documents whose shingles are in memory at a time, or as many as belong together
SHOWN, LOOKED_AT = 10, 20_000  # passages that are shown, of so many in most documents
SAMPLED = 8_000_000  # passages in memory; of a larger corpus every k-th is kept, the same ones in all documents


class Source(Protocol):
    """Where shingles come from: texts or counts."""

    def blocks(self, numbers: Integers | None = None) -> Iterable[Any]:
        """Parts of the documents with these ascending numbers (by default all), in order."""

    def shingles(self, block: Any, width: int) -> ShingleLists:
        """The shingles of one part. Several threads may call it."""


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """Pairs of near-copies, first < second, ordered by the second.

    Attributes
    ----------
    first, second : numbers of the documents, from 0
    jaccard : Jaccard index of each pair; identical documents are paired with the first of them only
    original : for each document its own number, or that of the kept document of which it is a near-copy
    similarity : for each document the Jaccard index with `original`
    compared : number of documents that have enough words to be compared
    """

    first: Integers
    second: Integers
    jaccard: Floats
    original: Integers
    similarity: Floats
    compared: int

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents are left if each near-copy of an earlier kept document is dropped."""
        return self.original == np.arange(self.original.size)


def near_duplicates(source: Source, threshold: float = THRESHOLD) -> NearDuplicates:
    """Find the near-copies among documents.

    Examples
    --------
    >>> from termburst.counting.shingles import TextShingles
    >>> texts = ["so it goes on and on and on", "the crowd said nothing at all", "So it goes on, and on, and on!"]
    >>> near_duplicates(TextShingles(texts)).original.tolist()
    [0, 1, 0]
    """
    prints = fingerprints(source, *banding(threshold))
    return near_duplicates_of(prints, partial(_compared, source, prints.words.size), threshold)


def near_duplicates_of(
    prints: Fingerprints, compared: Callable[[Integers], Floats], threshold: float
) -> NearDuplicates:
    """The near-copies among documents with these fingerprints; *compared* gives the Jaccard index of pairs × 2."""
    held = np.flatnonzero(prints.words >= WIDTH)
    _, first_at, same = np.unique(prints.whole[held], return_index=True, return_inverse=True)
    leader = held[first_at][same]  # for each of these, the first document with the same words
    single = np.unique(leader)
    pairs = candidate_pairs(prints.keys[single], single)
    similar = compared(pairs) if pairs.size else np.zeros(0)
    pairs, similar = pairs[similar >= threshold], similar[similar >= threshold]
    copies = np.stack([leader, held], axis=1)[leader != held]
    pairs, similar = np.concatenate([pairs, copies]), np.concatenate([similar, np.ones(len(copies))])
    order = np.lexsort(pairs.T)
    (first, second), similar = pairs[order].T, similar[order]
    return NearDuplicates(first, second, similar, *_originals(prints.words.size, first, second, similar), held.size)


def banding(threshold: float) -> tuple[int, int]:
    """Numbers of bands and rows; ValueError for a threshold that they do not serve.

    At the threshold itself, a pair is missed with probability (1 − s^rows)^bands: 0.001 at 0.7, 0.012 at 0.5.

    >>> banding(0.7), banding(0.5)
    ((25, 4), (33, 3))
    """
    if not isinstance(threshold, (int, float)) or not LOWEST <= threshold <= 1:
        raise ValueError(f"threshold must lie between {LOWEST} and 1, where 1 is identical; got {threshold!r:.60}")
    return (25, 4) if threshold >= 0.68 else (33, 3)


class Fingerprints(NamedTuple):
    """Band keys (documents × bands), a hash of all words, and the number of words of each document."""

    keys: Hashes
    whole: Hashes
    words: Integers


def fingerprints(source: Source, bands: int, rows: int) -> Fingerprints:
    """The fingerprints of all documents, 8 (bands + 2) bytes each."""

    def of_block(block: Any) -> Fingerprints:
        found = source.shingles(block, WIDTH)
        return Fingerprints(band_keys(found.hashes, found.indptr, bands, rows), found.whole, found.words)

    empty = Fingerprints(np.zeros((0, bands), np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.int64))
    parts = [empty, *_over_blocks(of_block, source.blocks())]
    require_memory(8 * (bands + 2) * sum(part.words.size for part in parts), "the search for near-copies")
    return Fingerprints(*map(np.concatenate, zip(*parts, strict=True)))


def candidate_pairs(keys: Hashes, numbers: Integers) -> Integers:
    """Pairs of documents with a common key in a band, pairs × 2, each once; *numbers* are those of the rows of *keys*.

    Where more than 64 documents have one key, each is compared with the first eight only.

    >>> candidate_pairs(np.array([[7, 1], [7, 2], [8, 2]], dtype=np.uint64), np.array([0, 3, 5])).tolist()
    [[0, 3], [3, 5]]
    """
    size = int(numbers[-1]) + 1 if numbers.size else 1
    found: list[Integers] = [np.zeros(0, np.int64)]
    for band in range(keys.shape[1]):
        order = np.argsort(keys[:, band], kind="stable")
        edges = np.flatnonzero(np.diff(keys[order, band])) + 1
        starts = np.concatenate([[0], edges]) if order.size else edges
        lengths = np.diff(np.append(starts, order.size))
        for length in np.unique(lengths[lengths > 1]).tolist():
            group = numbers[order[starts[lengths == length][:, None] + np.arange(length)]]
            i, j = np.triu_indices(length, 1) if length <= CROWD else _to_leaders(length)
            found.append((group[:, i] * size + group[:, j]).ravel())
    return np.stack(np.divmod(np.unique(np.concatenate(found)), size), axis=1)


def _to_leaders(length: int) -> tuple[Integers, Integers]:
    i, j = np.meshgrid(np.arange(LEADERS), np.arange(length), indexing="ij")
    return i[i < j], j[i < j]


def _compared(source: Source, documents: int, pairs: Integers) -> Floats:
    """The exact Jaccard index of pairs, pairs × 2.

    Those that belong together are compared together, so the shingles of each document are made once.
    """
    cluster = components(pairs, documents)
    sizes = np.bincount(cluster)
    part = (np.cumsum(np.where(sizes > 1, sizes, 0)) // VERIFIED)[cluster[pairs[:, 0]]]
    values = np.empty(len(pairs))
    for number in np.unique(part):
        own = part == number
        numbers, place = np.unique(pairs[own], return_inverse=True)
        values[own] = jaccard_of(source, numbers, place.reshape(-1, 2))
    return values


def components(pairs: Integers, documents: int) -> Integers:
    """For each document, the number of its component; the documents of a pair are in the same one.

    >>> components(np.array([[0, 2], [2, 3]]), 4).tolist()
    [0, 1, 0, 0]
    """
    graph = sp.coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(documents, documents))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def jaccard_of(source: Source, numbers: Integers, place: Integers) -> Floats:
    """The Jaccard index of pairs of the documents with these numbers."""

    def sets(block: Any) -> tuple[Hashes, Integers, Integers]:
        found = source.shingles(block, WIDTH)
        sizes = distinct_hashes(found.hashes, found.indptr)
        return found.hashes, found.indptr[:-1], sizes

    parts = list(_over_blocks(sets, source.blocks(numbers)))
    offsets = np.cumsum([0, *(hashes.size for hashes, _, _ in parts[:-1])])
    starts = np.concatenate([part[1] + offset for part, offset in zip(parts, offsets, strict=True)])
    hashes, sizes = (np.concatenate([part[k] for part in parts]) for k in (0, 2))
    return jaccard(hashes, starts, sizes, place[:, 0].copy(), place[:, 1].copy())


def _originals(documents: int, first: Integers, second: Integers, similar: Floats) -> tuple[Integers, Floats]:
    """For each document the earlier kept document most like it, or itself."""
    original, similarity = np.arange(documents), np.ones(documents)
    for i, j, value in zip(first.tolist(), second.tolist(), similar.tolist(), strict=True):
        if value == 1.0 and original[i] != i:  # the same words as a copy
            if original[j] == j:
                original[j], similarity[j] = original[i], similarity[i]
        elif original[i] == i and (original[j] == j or value > similarity[j]):
            original[j], similarity[j] = i, value
    return original, similarity


@dataclass(frozen=True, slots=True)
class SharedPassages:
    """Runs of twelve words that several documents share.

    Attributes
    ----------
    documents : for each shown passage, the number of documents that have it
    example : a document that has it
    start, stop : the words of that document, from 0
    share : the share of all passages that occur in another document, too
    """

    documents: Integers
    example: Integers
    start: Integers
    stop: Integers
    share: float


Passages = tuple[Hashes, Integers, Integers]  # hash, number of the document, and first word, of each passage


def shared_passages(source: Source, numbers: Integers, tokens: int) -> SharedPassages:
    """The passages that most of the documents with these numbers share; *tokens* is about the number of all words."""
    every = every_passage(tokens)
    parts: list[Passages] = [(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))]
    seen = 0
    for found in _over_blocks(lambda block: source.shingles(block, PASSAGE), source.blocks(numbers)):
        parts.append(sampled_passages(found, every, numbers[seen : seen + found.words.size]))
        seen += found.words.size
    return shared_of(*map(np.concatenate, zip(*parts, strict=True)))


def every_passage(tokens: int) -> int:
    """The step k: every k-th passage of a corpus of that size is looked at, at most `SAMPLED` of them.

    It is a power of two, so that a sample with a larger step is part of one with a smaller step. Who has seen only some
    of the texts can thus take the sample that goes with these, and make it smaller in the end.

    >>> every_passage(SAMPLED), every_passage(3 * SAMPLED)
    (1, 4)
    """
    return 1 << max(-(-tokens // SAMPLED) - 1, 0).bit_length()


def sampled_passages(found: ShingleLists, every: int, numbers: Integers) -> Passages:
    """The passages of some documents that are looked at."""
    document = np.repeat(np.arange(found.words.size), np.diff(found.indptr))
    position = np.arange(found.hashes.size) - found.indptr[:-1][document]
    kept = found.hashes % np.uint64(every) == 0 if every > 1 else slice(None)
    return found.hashes[kept], numbers[document[kept]], position[kept]


def documents_with(hashes: Hashes, document: Integers) -> Integers:
    """For each passage, the number of documents that have it; documents ascend.

    >>> documents_with(np.array([7, 8, 7, 7], dtype=np.uint64), np.array([0, 0, 0, 1])).tolist()
    [2, 1, 2, 2]
    """
    order = np.argsort(hashes, kind="stable")
    new_hash = np.diff(hashes[order], prepend=~hashes[order[:1]]) != 0
    new_document = new_hash | (np.diff(document[order], prepend=-1) != 0)
    group = np.cumsum(new_hash) - 1
    found = np.zeros(hashes.size, dtype=np.int64)
    found[order] = np.bincount(group, new_document)[group] if hashes.size else 0
    return found


def shared_of(hashes: Hashes, document: Integers, position: Integers) -> SharedPassages:
    """The shared ones of passages that are in the order of their documents and positions."""
    sharing = documents_with(hashes, document)
    share = float((sharing > 1).mean()) if hashes.size else 0.0
    most, example, start, stop = _longest_runs(hashes, document, position, sharing)
    return SharedPassages(most, example, start, stop, share)


def _longest_runs(hashes: Hashes, document: Integers, position: Integers, sharing: Integers) -> Integers:
    """Passages in most documents, each extended to the neighbouring ones that at least half as many documents have."""
    rows: list[tuple[int, int, int, int]] = []
    shown: set[int] = set()
    candidates = np.argsort(-sharing, kind="stable")[:LOOKED_AT]
    for at in candidates[sharing[candidates] > 2].tolist():
        if len(rows) == SHOWN:
            break
        if int(hashes[at]) in shown:
            continue
        first = last = at
        while first and _goes_on(document, position, first - 1) and 2 * sharing[first - 1] >= sharing[at]:
            first -= 1
        while last + 1 < hashes.size and _goes_on(document, position, last) and 2 * sharing[last + 1] >= sharing[at]:
            last += 1
        run = hashes[first : last + 1].tolist()
        if shown.isdisjoint(run):
            rows.append((int(sharing[at]), int(document[at]), int(position[first]), int(position[last]) + PASSAGE))
        shown.update(run)
    return np.array(rows, dtype=np.int64).reshape(-1, 4).T


def _goes_on(document: Integers, position: Integers, at: int) -> bool:
    """Whether the next passage begins at the next word of the same document."""
    return bool(document[at + 1] == document[at] and position[at + 1] == position[at] + 1)


def _over_blocks(function: Callable[[Any], Any], blocks: Iterable[Any]) -> Iterator[Any]:
    """The results of *function* for all blocks, in order; as many at a time as there are cores."""
    waiting = iter(blocks)
    while some := list(islice(waiting, max(cores(), 1))):
        yield from in_threads(function, some)
