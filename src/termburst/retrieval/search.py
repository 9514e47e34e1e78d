"""Search: the sums of the weights of a query's terms, then the k documents with the highest scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from termburst.core.search import Postings, SearchRoom, best_documents, postings, search_room
from termburst.retrieval.collection import Collection
from termburst.retrieval.models import PostingWeights
from termburst.threads import cores, in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

QUERIES_PER_THREAD = 32  # fewer are not worth a thread
WORDS = 256  # minimum size of the scratch space, in query words
POSTINGS_PER_PART = 2**21  # some hundredths of a second; a part cannot be interrupted once it has started
SHOWN_HITS = 5  # in the repr
FEW_HITS = 100  # up to this k the best documents are kept by insertion


class Hit(NamedTuple):
    """A found document: its id and its score."""

    id: str
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Hits(Sequence[Hit]):
    """The found documents, best first.

    Attributes
    ----------
    ids : list of str
    scores : array
    documents : array of int
        Position of each document in the index.
    """

    ids: list[str]
    scores: Floats
    documents: Integers

    def __repr__(self) -> str:
        """The number of found documents, and the best of them with their scores."""
        best = [f"{hit.id!r:.60}: {hit.score:.4g}" for hit in self[:SHOWN_HITS]]
        documents = f"{len(self):,} document{'' if len(self) == 1 else 's'}"
        return f"Hits({', '.join([documents, *best, *(['…'] if len(self) > SHOWN_HITS else [])])})"

    def __len__(self) -> int:
        """The number of found documents."""
        return len(self.ids)

    def __iter__(self) -> Iterator[Hit]:
        """The hits, best first."""
        return map(Hit, self.ids, self.scores.tolist())

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        """The hit at a position; 0 is the best."""
        if isinstance(place, slice):
            return list(map(Hit, self.ids[place], self.scores[place].tolist()))
        return Hit(self.ids[place], float(self.scores[place]))


@dataclass(frozen=True, eq=False)
class Ranker:
    """The weights of a model by term: term t is in documents[starts[t]:starts[t + 1]], with weights in the same places.

    `highest` is the highest weight of each term, `constants` is v_d.
    """

    starts: Integers
    documents: NDArray[np.int32]
    weights: Floats
    highest: Floats
    constants: Floats

    @classmethod
    def of(cls, collection: Collection, weights: PostingWeights) -> Ranker:
        """Join the weights of a model with the postings of the collection."""
        counts = collection.counts
        documents = counts.indices.astype(np.int32)  # int32 halves the memory traffic; no index has 2³¹ documents
        starts = counts.indptr.astype(np.int64)
        highest = np.zeros(starts.size - 1)
        held = np.flatnonzero(np.diff(starts))  # reduceat would give an empty term the first weight of the next
        if held.size:
            highest[held] = np.maximum.reduceat(weights.postings, starts[held])
        return cls(starts, documents, weights.postings, highest, weights.documents)

    @cached_property
    def postings(self) -> Postings:
        """The same data as a struct for the kernel."""
        return postings(self.starts, self.documents, self.weights, self.highest, self.constants)

    @cached_property
    def rooms(self) -> list[SearchRoom]:
        """Unused scratch space, kept because making it takes longer than a search."""
        return []

    def __getstate__(self) -> dict[str, Any]:
        """The state without cached structs, which hold memory addresses of this process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def scores(self, columns: Sequence[int]) -> tuple[Integers, Floats]:
        """The documents with any of the terms, in document order, and their scores."""
        sums = np.zeros(self.constants.size)
        for column in columns:
            postings = slice(self.starts[column], self.starts[column + 1])
            sums[self.documents[postings]] += self.weights[postings]  # a document occurs once in the postings of a term
        found = np.flatnonzero(sums)  # all weights are above 0
        return found, sums[found] + len(columns) * self.constants[found]


def top(scores: Floats, k: int) -> Integers:
    """The positions of the k highest scores, highest first; ties in the order of positions.

    Examples
    --------
    >>> top(np.array([1.0, 3.0, 1.0, 2.0]), 3)
    array([1, 3, 0])
    """
    if k < scores.size:
        least = np.partition(scores, scores.size - k)[scores.size - k]
        above = np.flatnonzero(scores > least)
        equal = np.flatnonzero(scores == least)[: k - above.size]
        chosen = np.sort(np.concatenate([above, equal]))
    else:
        chosen = np.arange(scores.size)
    return chosen[np.argsort(-scores[chosen], kind="stable")]


def search(
    ranker: Ranker,
    starts: Integers,
    columns: Integers,
    k: int,
    ids: list[str],
    *,
    allowed: NDArray[np.bool_] | None = None,
) -> list[Hits]:
    """The k best documents of each query. The terms of query i are columns[starts[i]:starts[i + 1]].

    With *allowed*, one value per document, only documents with True are found.
    """
    if 1 <= k <= FEW_HITS and allowed is None:
        return _few(ranker, starts, columns, k, ids)
    hits = []
    for query in range(starts.size - 1):
        found, scores = ranker.scores(columns[starts[query] : starts[query + 1]].tolist())
        if allowed is not None:
            found, scores = found[allowed[found]], scores[allowed[found]]
        best = top(scores, k)
        hits.append(_hits(found[best], scores[best], ids))
    return hits


def _few(ranker: Ranker, starts: Integers, columns: Integers, k: int, ids: list[str]) -> list[Hits]:
    """The same result to the last bit, without reading all postings, on all cores."""
    queries = starts.size - 1
    found = np.zeros(queries, dtype=np.int64)
    best, scores = np.zeros((queries, k), dtype=np.int64), np.zeros((queries, k))

    def fill(part: tuple[int, int]) -> None:
        room = _room(ranker, int(starts[part[1]] - starts[part[0]]))
        best_documents(ranker.postings, room, starts, columns, *part, found, best, scores)
        ranker.rooms.append(room)

    if queries < 2 * QUERIES_PER_THREAD and columns.size * ranker.constants.size <= 32 * POSTINGS_PER_PART:
        fill((0, queries))
    else:
        before = _postings_before(ranker, starts, columns)
        even = np.linspace(0, queries, cores() + 1).astype(int)
        long = np.searchsorted(before, np.arange(POSTINGS_PER_PART, before[-1], POSTINGS_PER_PART))
        in_threads(fill, list(pairwise(np.unique(np.concatenate([even, long])).tolist())))
    return [_hits(best[query, :number], scores[query, :number], ids) for query, number in enumerate(found.tolist())]


def _postings_before(ranker: Ranker, starts: Integers, columns: Integers) -> Integers:
    """Cumulative number of postings before each query, and in total: an estimate of the computing time."""
    sizes = ranker.starts[columns + 1] - ranker.starts[columns]
    return np.concatenate([[0], np.cumsum(sizes)])[starts]


def _room(ranker: Ranker, words: int) -> SearchRoom:
    """Scratch space for queries of *words* words. The caller returns it to `rooms` when all of it is zero again."""
    try:
        room = ranker.rooms.pop()
    except IndexError:
        room = search_room(ranker.constants.size, max(words, WORDS))
    return room if room.words >= words else search_room(ranker.constants.size, words)


def _hits(documents: Integers, scores: Floats, ids: list[str]) -> Hits:
    return Hits([ids[document] for document in documents.tolist()], scores, documents)
