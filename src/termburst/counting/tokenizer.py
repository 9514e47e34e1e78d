"""Texts to counts by compiled code on all cores, for token patterns that a table of characters can express."""

from __future__ import annotations

import queue
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Bytes, Integers, record
from termburst.core.matrix_rows import Piece, piece, write_rows
from termburst.core.tokenizer import (
    DONE,
    MORE_NODES,
    MORE_POOL,
    MOST_CELLS,
    Rules,
    cells,
    count,
    room_size,
    rules,
    text_room,
    texts,
)
from termburst.core.vocabulary import (
    BATCH,
    MOST_NODES,
    MOST_POOL,
    Nodes,
    absorb,
    alphabetical,
    learn,
    rehash,
    vocabulary,
    written,
)
from termburst.counting.character_class import CharacterClass
from termburst.counting.plain_tokenizer import characters
from termburst.counting.unicode_words import UnicodeWords
from termburst.limits import require_memory
from termburst.reading.documents import Text
from termburst.threads import cores, in_threads

T = TypeVar("T", str, list[str], Text)

CHUNK = 2**20  # characters that a thread counts at a time
MOST_DOCUMENTS = 2**14  # in a chunk
BLOCK = 2**12  # names that become strings at a time, so that they are still in the cache when they are hashed


@dataclass(frozen=True)
class Counted:
    """The counts of a chunk of documents. A term is a node of the worker that counted the chunk."""

    worker: Worker
    ids: NDArray[np.int32]
    counts: NDArray[np.int32]
    indptr: Integers

    @property
    def longest(self) -> int:
        """The number of cells in the longest row."""
        return int(np.diff(self.indptr).max(initial=0))

    def row_sizes(self, columns: NDArray[np.int32] | None) -> Integers:
        """The number of cells with a column, for every row; without *columns*, all cells have one."""
        if columns is None:
            return np.diff(self.indptr)
        kept = np.append(0, np.cumsum(columns[self.ids] >= 0))
        return np.diff(kept[self.indptr])


class Tokenizer:
    """Counts texts, batch after batch, into one vocabulary, of which each thread keeps a part.

    Parameters
    ----------
    pattern : CharacterClass or UnicodeWords
        Which characters a token has.
    lowercase : bool
        Whether the kernel converts the capitals of ASCII to lower case.
    prepare : function of a text, or None
        Applied to every text first. It may leave ASCII as it is, so that the kernel converts it.
    ngrams : (int, int)
        Smallest and largest number of tokens in a term.
    stop_words : collection of str
        Tokens to leave out.
    barriers : bool
        Whether no n-gram reaches over a stop word. Otherwise stop words are removed first.
    vocabulary : mapping of terms to columns, or None
        Terms to look for. By default all terms are counted.
    """

    def __init__(
        self,
        pattern: CharacterClass | UnicodeWords,
        *,
        lowercase: bool = True,
        prepare: Callable[[str], str] | None = None,
        ngrams: tuple[int, int] = (1, 1),
        stop_words: Iterable[str] = (),
        barriers: bool = False,
        vocabulary: Mapping[str, int] | None = None,
    ) -> None:
        self.pattern, self.lowercase, self.prepare, self.barriers = pattern, lowercase, prepare, barriers
        self.ngrams = (min(ngrams[0], MOST_CELLS), min(ngrams[1], MOST_CELLS))  # no document has more tokens
        self.vocabulary = vocabulary
        first = Worker(self)
        self.left_out = first.learn(sorted(word for word in set(stop_words) if " " not in word)).max(initial=-1) + 1
        if vocabulary is not None:
            nodes, columns = first.learn(list(vocabulary)), np.fromiter(vocabulary.values(), dtype=np.int64)
            self.columns = np.full(first.nodes, -1, dtype=np.int32)  # of every node; −1 for those that are no term
            self.columns[nodes[nodes >= 0]] = columns[nodes >= 0]
        self.workers = [first] + [Worker(self, first) for _ in range(cores() - 1)]

    def count(self, chunks: Iterable[list[str]]) -> Iterator[Counted]:
        """Count chunks of texts and yield the counts in the same order. A few chunks are counted at a time."""
        free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self.workers:
            free.put(worker)

        def task(texts: list[str]) -> Counted:
            data, ends = self.encoded(texts)
            worker = free.get()
            try:
                return worker.count(data, ends)
            finally:
                free.put(worker)

        yield from _in_order(task, chunks, len(self.workers))

    def encoded(self, texts: Sequence[str]) -> tuple[Bytes, Integers]:
        """The prepared texts in UTF-8, and where each one ends."""
        return joined(texts if self.prepare is None else list(map(self.prepare, texts)))

    def rules(self, is_ascii: bool) -> Rules:
        """What to count, as a struct for the kernel. The table of all characters is made if it is needed."""
        wide = np.empty(0, dtype=np.uint8) if is_ascii else self.pattern.wide
        return rules(
            self.pattern.kinds,
            wide,
            lowercase=self.lowercase,
            bounded=self.pattern.bounded,
            shortest=self.pattern.shortest,
            ngrams=self.ngrams,
            left_out=self.left_out,
            barriers=self.barriers,
            growing=self.vocabulary is None,
        )

    def matrix(self, counted: list[Counted]) -> tuple[dict[str, int], Any]:
        """The columns of the terms in alphabetical order, and documents × terms in canonical form.

        With a given vocabulary, no terms are returned, and the columns are those of the vocabulary. Without any term,
        the matrix has no columns. The list *counted* is emptied, so that its memory is free for the matrix.
        """
        import scipy.sparse as sp

        terms: dict[str, int] = {}
        tasks: list[Callable[[], None]] = []
        if self.vocabulary is None:
            whole, nodes, columns = self._brought_together()
            width = int(nodes.size)
            tasks.append(lambda: whole.number(nodes, terms))
        else:
            width, columns = len(self.vocabulary), dict.fromkeys(self.workers, self.columns)
        sizes = [found.row_sizes(None if self.vocabulary is None else columns[found.worker]) for found in counted]
        indptr = np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes]))
        indices = np.empty(indptr[-1], dtype=np.int32 if indptr[-1] < 2**31 else np.int64)
        data = np.empty(indptr[-1], dtype=np.int64)
        firsts = np.cumsum([0, *(rows.size for rows in sizes)])
        pieces = [
            partial(
                piece, found.ids, found.counts, found.indptr, indptr[first : first + rows.size], columns[found.worker]
            )
            for found, first, rows in zip(counted, firsts, sizes, strict=False)
        ]
        longest = max((found.longest for found in counted), default=0)
        counted.clear()
        share = -(-len(pieces) // (2 * len(self.workers))) or 1  # large: Python makes the terms at the same time

        def write(group: list[partial[Piece]]) -> None:
            write_rows([make() for make in group], width, longest, indices, data)
            group.clear()

        groups = [pieces[k : k + share] for k in range(0, len(pieces), share)]
        pieces.clear()
        tasks += [partial(write, group) for group in groups]
        in_threads(lambda task: task(), tasks)
        X = sp.csr_array((data, indices, indptr.astype(indices.dtype)), shape=(indptr.size - 1, width))
        X.has_canonical_format = True
        return terms, X

    def _brought_together(self) -> tuple[Worker, Nodes, dict[Worker, NDArray[np.int32]]]:
        """A worker with all nodes, the nodes of terms in alphabetical order, and the columns of each worker's nodes."""
        whole = max(self.workers, key=lambda worker: worker.nodes)
        taken = {worker: whole.absorb(worker) for worker in self.workers if worker is not whole}
        taken[whole] = np.arange(whole.nodes, dtype=np.int32)
        nodes = whole.sorted(whole.seen())
        column = np.full(whole.nodes, -1, dtype=np.int32)
        column[nodes] = np.arange(nodes.size, dtype=np.int32)
        return whole, nodes, {worker: column[taken[worker]] for worker in self.workers}


class Worker:
    """The vocabulary that one thread has seen, and the arrays in which it counts."""

    def __init__(self, tokenizer: Tokenizer, like: Worker | None = None) -> None:
        self.tokenizer = weakref.proxy(tokenizer)  # no reference cycle: tables are freed with the tokenizer
        self.documents = 0  # counted so far; each node keeps the number of the last one that has it
        if like is None:
            self.slots, self.pool = np.zeros(2**19, dtype=np.uint64), np.empty(2**13, dtype=np.uint64)
            self.rows = np.empty(2**18, dtype=record("Node"))  # memory is taken only when it is written to
            self.known = vocabulary(self.slots, self.rows, self.pool)
        else:
            size, used = like.nodes, like.known.used
            self.slots, self.pool = like.slots.copy(), _grown(like.pool[:used], like.pool.size)
            self.rows = _grown(like.rows[:size], like.rows.size)
            self.known = vocabulary(self.slots, self.rows, self.pool, size, used)
        self.ids, self.counts = np.empty((2, 0), dtype=np.int32)
        self.room = text_room(0, runs=tokenizer.ngrams[1] > 1)

    @property
    def nodes(self) -> int:
        return int(self.known.size)

    def count(self, data: Bytes, ends: Integers) -> Counted:
        """Count the documents that end at *ends* in *data*."""
        owner = self.tokenizer
        self._renumber(ends.size)
        documents, rules = texts(data, ends, self.documents), owner.rules(is_ascii=int(data.max(initial=0)) < 128)
        longest = int(np.diff(ends, prepend=0).max(initial=0))
        if longest > max(CHUNK, self.room.length):
            most = room_size(longest, runs=owner.ngrams[1] > 1) + data.size
            require_memory(most, f"counting a document of {longest:,} bytes")
        room = self.room if longest <= self.room.length else text_room(longest, runs=owner.ngrams[1] > 1)
        if longest <= CHUNK:  # kept for the next chunk
            self.room = room
        if self.ids.size < data.size // 8:
            self.ids, self.counts = np.empty((2, data.size // 8), dtype=np.int32)
        indptr = np.zeros(ends.size + 1, dtype=np.int64)
        found = cells(self.ids, self.counts, indptr)
        while (lacking := count(documents, rules, self.known, found, room)) != DONE:
            if not self.has_grown(lacking, longest):
                if found.room == MOST_CELLS:
                    raise ValueError(f"a document has more than {MOST_CELLS:,} n-grams; use shorter ones, or split it")
                size = min(2 * self.ids.size + 1024, MOST_CELLS)
                if size > CHUNK:
                    require_memory(8 * size, f"counting the n-grams of a document of up to {longest:,} bytes")
                self.ids, self.counts = _grown(self.ids, size), _grown(self.counts, size)
                found = cells(self.ids, self.counts, indptr, found.size, found.documents)
        self.documents += ends.size
        return Counted(self, self.ids[: found.size].copy(), self.counts[: found.size].copy(), indptr)

    def _renumber(self, more: int) -> None:
        """Keep document numbers within 32 bits: before they run out, every seen node moves to the first document."""
        if self.documents + more >= 2**32 - 1:
            np.minimum(self.rows["seen"][: self.nodes], 1, out=self.rows["seen"][: self.nodes])
            self.documents = 1

    def make_room(self, nodes: int, size: int) -> None:
        """Make room for this many more nodes, and this many more bytes of names."""
        nodes, words = nodes + self.nodes + BATCH, self.known.used + size // 8 + 1
        if nodes > MOST_NODES or words > MOST_POOL:
            raise ValueError(
                f"more than {MOST_NODES:,} terms cannot be counted at once; use fewer documents or n-grams"
            )
        if words > self.pool.size:
            self.pool = _grown(self.pool, max(2 * self.pool.size, words))
        if nodes > self.rows.size:
            self.rows = _grown(self.rows, nodes)
        old = self.known
        if nodes > self.slots.size // 2:
            self.slots = np.zeros(1 << (2 * nodes - 1).bit_length(), dtype=np.uint64)
        self.known = vocabulary(self.slots, self.rows, self.pool, old.size, old.used)
        if old.slot_room < self.slots.size:
            rehash(old, self.known)

    def has_grown(self, lacking: int, longest: int) -> bool:
        """Make room for what the kernel is *lacking*, if that is nodes or names, of documents of *longest* bytes."""
        if lacking == MORE_NODES:
            self.make_room(max(min(2 * self.nodes, MOST_NODES - self.nodes - BATCH), BATCH), 0)
        elif lacking == MORE_POOL:
            self.make_room(0, longest)
        return lacking in (MORE_NODES, MORE_POOL)

    def learn(self, terms: Sequence[str]) -> Nodes:
        """The nodes of terms, new ones where needed; −1 for a string that cannot be a term."""
        data, ends = joined(terms)
        self.make_room(2 * int(np.count_nonzero(data == ord(" "))) + len(terms), int(data.size))
        return learn(self.known, data, ends, self.tokenizer.ngrams[1])

    def absorb(self, other: Worker) -> Nodes:
        """Add the nodes of another worker, and return their numbers here."""
        self.documents = max(self.documents, other.documents)  # so that no number that a node carries is used again
        self.make_room(other.nodes, 8 * other.known.used)
        return absorb(self.known, other.known)

    def seen(self) -> Nodes:
        """The nodes that were counted in a document."""
        return np.flatnonzero(self.rows["seen"][: self.nodes]).astype(np.int32)

    def sorted(self, nodes: Nodes) -> Nodes:
        """The nodes in alphabetical order of their names."""
        return nodes[alphabetical(*written(self.known, nodes))]

    def number(self, nodes: Nodes, terms: dict[str, int]) -> None:
        """Number the names of nodes, in their order; one block at a time, so that other threads can run in between."""
        for start in range(0, nodes.size, BLOCK):
            lines, _ = written(self.known, nodes[start : start + BLOCK])
            names = lines[:-1].tobytes().decode("utf-8", "surrogatepass").split("\n")
            terms.update(zip(names, range(start, start + len(names)), strict=True))


def joined(texts: Sequence[str]) -> tuple[Bytes, Integers]:
    """The texts in UTF-8, and where each one ends. A lone surrogate is treated like any other character.

    Examples
    --------
    >>> data, ends = joined(["so", "été"])
    >>> bytes(data), ends.tolist()
    (b'so\\xc3\\xa9t\\xc3\\xa9', [2, 7])
    """
    # One character for each byte, because such texts are joined and encoded by plain copying.
    parts = [text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1") for text in texts]
    ends = np.cumsum(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))
    return np.frombuffer("".join(parts).encode("latin-1"), dtype=np.uint8), ends


def _grown(array: Any, size: int) -> Any:
    new = np.empty(size, dtype=array.dtype)
    new[: array.size] = array
    return new


def in_chunks(texts: Iterable[T], most: int | None = None) -> Iterator[list[T]]:
    """Lists of texts, or of lists of tokens, with about *most* characters each, by default `CHUNK`."""
    chunk: list[T] = []
    size, enough = 0, CHUNK if most is None else most
    for text in texts:
        chunk.append(text)
        size += len(text) if type(text) is str else characters(text)
        if size >= enough or len(chunk) == MOST_DOCUMENTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _in_order(task: Callable[[Any], Any], items: Iterable[Any], threads: int) -> Iterator[Any]:
    """The results of *task* in the order of *items*. Only as many items are fetched ahead as keep all threads busy."""
    if threads == 1:
        yield from map(task, items)
        return
    waiting: deque[tuple[Future[Any], int]] = deque()
    held = 0  # characters that wait; limited, because every thread may get a very long document
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                size = sum(map(len, item))
                waiting.append((pool.submit(task, item), size))
                held += size
                while len(waiting) > 2 * threads or (held > 4 * threads * CHUNK and len(waiting) > 1):
                    future, size = waiting.popleft()
                    held -= size
                    yield future.result()
            while waiting:
                yield waiting.popleft()[0].result()
        finally:
            for future, _ in waiting:
                future.cancel()
