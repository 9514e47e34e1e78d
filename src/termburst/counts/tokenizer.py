"""Texts to counts on all cores: what `CountVectorizer` does for the patterns that a table of characters can express."""

from __future__ import annotations

import queue
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst._threads import cores, in_threads
from termburst.counts.character_class import CharacterClass

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]

CHUNK = 2**20  # characters that a thread takes at a time
MOST_DOCUMENTS = 2**14  # in a chunk
LONG = 64  # bytes that two names have in common before they are compared as a whole
DIGIT = 10  # bits of a column by which the cells of a row are sorted at a time


@dataclass(frozen=True)
class Counted:
    """The counts of a chunk of documents, by the nodes of the worker that counted it."""

    worker: Worker
    ids: NDArray[np.int32]
    counts: NDArray[np.int32]
    indptr: Integers

    @property
    def longest(self) -> int:
        """How many cells the longest row has."""
        return int(np.diff(self.indptr).max(initial=0))

    def row_sizes(self, columns: NDArray[np.int32] | None) -> Integers:
        """How many cells of every row have a column; None says that all do."""
        if columns is None:
            return np.diff(self.indptr)
        kept = np.append(0, np.cumsum(columns[self.ids] >= 0))
        return np.diff(kept[self.indptr])


class Tokenizer:
    """Counts texts, batch after batch, into one vocabulary; each thread keeps a part of it.

    Parameters
    ----------
    pattern : CharacterClass
    lowercase : bool
    change : function of a text, or None
        What is done to texts beyond ASCII after their case is folded: accents stripped, say.
    ngrams : (int, int)
    stop_words : collection of str
    vocabulary : mapping of terms to columns, or None
        Terms to look for; by default all that there are.
    """

    def __init__(
        self,
        pattern: CharacterClass,
        *,
        lowercase: bool = True,
        change: Callable[[str], str] | None = None,
        ngrams: tuple[int, int] = (1, 1),
        stop_words: Iterable[str] = (),
        vocabulary: Mapping[str, int] | None = None,
    ) -> None:
        self.pattern, self.lowercase, self.change, self.ngrams = pattern, lowercase, change, ngrams
        self.folds = lowercase and change is None  # or what is stripped of an accent could be an upper-case letter
        self.vocabulary = vocabulary
        first = Worker(self)
        self.left_out = first.learn(sorted(word for word in set(stop_words) if " " not in word)).max(initial=-1) + 1
        if vocabulary is not None:
            self.columns = _columns(first, vocabulary)
        self.workers = [first] + [Worker(self, first) for _ in range(cores() - 1)]

    def count(self, chunks: Iterable[Sequence[str]]) -> Iterator[Counted]:
        """Count chunks of texts, in their order; a few are in work at a time."""
        free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self.workers:
            free.put(worker)

        def task(texts: Sequence[str]) -> Counted:
            data, ends = self.encoded(texts)
            worker = free.get()
            try:
                return worker.count(data, ends)
            finally:
                free.put(worker)

        yield from _in_order(task, chunks, len(self.workers))

    def encoded(self, texts: Sequence[str]) -> tuple[Bytes, Integers]:
        """The texts in UTF-8, folded (but for ASCII if the kernel does it) and changed, and where each ends."""
        parts = [text.encode() if self.folds and text.isascii() else self._changed(text) for text in texts]
        return _readable(parts), np.cumsum(list(map(len, parts)), dtype=np.int64)

    def _changed(self, text: str) -> bytes:
        if self.lowercase:
            text = text.lower()
        if self.change is not None and not text.isascii():
            text = self.change(text)
        return text.encode("utf-8", "surrogatepass")  # a lone surrogate is a character like any other

    def matrix(self, counted: list[Counted]) -> tuple[list[str], Any]:
        """The terms that were found, in alphabetical order, and documents × terms in canonical form.

        With a given vocabulary no terms are returned, and columns are its own. The list is emptied: memory for the
        matrix is taken while that of the pieces goes.
        """
        from termburst.counts import _tokenizer_kernel as kernel

        terms: list[str] = []
        tasks: list[Callable[[], None]] = []
        if self.vocabulary is None:
            whole, nodes, columns = self._brought_together()
            width = int(nodes.size)
            tasks.append(lambda: terms.extend(whole.names(nodes)))
        else:
            width, columns = len(self.vocabulary), dict.fromkeys(self.workers, self.columns)
        starts = np.cumsum([0] + [piece.indptr.size - 1 for piece in counted])
        sizes = [piece.row_sizes(None if self.vocabulary is None else columns[piece.worker]) for piece in counted]
        indptr = np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes]))
        indices = np.empty(indptr[-1], dtype=np.int32 if indptr[-1] < 2**31 else np.int64)
        data = np.empty(indptr[-1], dtype=np.int64)
        passes = -(-max(width.bit_length(), 1) // DIGIT)
        bits = -(-width.bit_length() // passes)

        pieces = dict(enumerate(counted))
        counted.clear()

        def write(k: int) -> None:
            piece = pieces.pop(k)
            keys, spare = np.empty((2, piece.longest + 1), dtype=np.int64)
            kernel.write_rows(
                piece.ids, piece.counts, piece.indptr, columns[piece.worker], indptr[starts[k] : starts[k + 1]], bits,
                passes, keys, spare, np.empty(1 << bits, dtype=np.int64), indices, data,
            )  # fmt: skip

        tasks += [partial(write, k) for k in range(len(pieces))]
        in_threads(lambda task: task(), tasks)
        X = sp.csr_array((data, indices, indptr.astype(indices.dtype)), shape=(indptr.size - 1, width))
        X.has_canonical_format = True
        return terms, X

    def _brought_together(self) -> tuple[Worker, Integers, dict[Worker, NDArray[np.int32]]]:
        """A worker that has all nodes, those of terms in alphabetical order, and every worker's columns by node."""
        whole = max(self.workers, key=lambda worker: worker.nodes)
        taken = {worker: whole.absorb(worker) for worker in self.workers if worker is not whole}
        taken[whole] = np.arange(whole.nodes)
        nodes = whole.sorted(whole.seen())
        column = np.full(whole.nodes, -1, dtype=np.int32)
        column[nodes] = np.arange(nodes.size, dtype=np.int32)
        return whole, nodes, {worker: column[taken[worker]] for worker in self.workers}


class Worker:
    """The vocabulary that one thread has seen; `_tokenizer_kernel` says how it is kept."""

    def __init__(self, tokenizer: Tokenizer, like: Worker | None = None) -> None:
        from termburst.counts import _tokenizer_kernel as kernel

        self.tokenizer, self.kernel = weakref.proxy(tokenizer), kernel  # no circle: tables go when the tokenizer does
        self.documents = 0  # counted; every SEEN of the table is less, lest a document be taken for an earlier one
        self.state = np.zeros(4, dtype=np.int64)
        if like is None:
            self.slots = np.full(2**18, -1, dtype=np.int32)
            self.table = np.empty(2**17 * kernel.COLUMNS, dtype=np.int64)  # memory is taken as it is written to
            self.pool = np.zeros(2**20, dtype=np.uint8)
        else:
            self.state[:] = like.state
            self.slots = like.slots.copy()
            self.table = _grown(like.table[: like.nodes * kernel.COLUMNS], like.table.size)
            self.pool = _grown(like.pool[: like.used], like.pool.size)

    @property
    def nodes(self) -> int:
        return int(self.state[self.kernel.NODES])

    @property
    def used(self) -> int:
        return int(self.state[self.kernel.USED])

    def count(self, data: Bytes, ends: Integers) -> Counted:
        """Count documents that end at *ends* in *data*."""
        kernel, owner = self.kernel, self.tokenizer
        ascii_only = not data.size or int(data.max()) < 128
        wide = owner.pattern.kinds[:1] if ascii_only else owner.pattern.wide
        self.state[kernel.DOCUMENT] = self.state[kernel.CELLS] = 0
        room = max(data.size // 8, 1024) + owner.ngrams[1]
        ids, counts = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        indptr = np.zeros(ends.size + 1, dtype=np.int64)
        runs = np.empty(owner.ngrams[1] + 1, dtype=np.int64)
        longest = int(np.diff(ends, prepend=0).max(initial=0))
        starts, stops = np.empty((2, longest + 2), dtype=np.int64)
        while True:
            lacking = kernel.count(
                data, _words(data), ends, self.documents, self.state, owner.folds, owner.pattern.kinds, wide,
                owner.pattern.bounded, owner.pattern.shortest, *owner.ngrams, owner.left_out, owner.vocabulary is None,
                self.slots, self.table, self.pool, ids, counts, indptr, runs, starts, stops,
            )  # fmt: skip
            if lacking == kernel.DONE:
                break
            if lacking == kernel.MORE_NODES:
                self.make_room(2 * self.nodes, 0)
            elif lacking == kernel.MORE_POOL:
                self.make_room(0, int(data.size))
            else:
                room = 2 * max(ids.size, (owner.ngrams[1] - owner.ngrams[0] + 1) * longest)
                ids, counts = _grown(ids, room), _grown(counts, room)
        self.documents += ends.size
        cells = int(self.state[kernel.CELLS])
        return Counted(self, ids[:cells].copy(), counts[:cells].copy(), indptr)

    def make_room(self, nodes: int, size: int) -> None:
        """For so many nodes more, and so many bytes of names."""
        if self.used + size + 8 > self.pool.size:
            self.pool = _grown(self.pool, max(2 * self.pool.size, self.used + size + 8))
        nodes += self.nodes + self.tokenizer.ngrams[1] + 1
        if nodes * self.kernel.COLUMNS > self.table.size:
            self.table = _grown(self.table, nodes * self.kernel.COLUMNS)
        if nodes > self.slots.size // 2:
            self.slots = np.full(1 << (2 * nodes - 1).bit_length(), -1, dtype=np.int32)
            self.kernel.rehash(self.nodes, self.table, self.slots)

    def learn(self, terms: Sequence[str]) -> Integers:
        """The nodes of terms, made where there are none; −1 for what is no term."""
        parts = [term.encode("utf-8", "surrogatepass") for term in terms]
        data = _readable(parts)
        self.make_room(sum(part.count(b" ") for part in parts) * 2 + len(parts), int(data.size))
        nodes = np.empty(len(parts), dtype=np.int64)
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        self.kernel.learn(
            data, _words(data), ends, self.state, self.tokenizer.ngrams[1], self.slots, self.table, self.pool, nodes
        )
        return nodes

    def absorb(self, other: Worker) -> Integers:
        """Take over the nodes of another; what they are here."""
        self.documents = max(self.documents, other.documents)  # lest a number last seen there be given out here again
        self.make_room(other.nodes, other.used)
        taken = np.empty(other.nodes, dtype=np.int64)
        self.kernel.absorb(
            other.nodes, other.table, other.pool, self.state, self.slots, self.table, self.pool, taken
        )  # fmt: skip
        return taken

    def seen(self) -> Integers:
        """The nodes that were counted in a document."""
        return np.flatnonzero(self.table.reshape(-1, self.kernel.COLUMNS)[: self.nodes, self.kernel.SEEN] >= 0)

    def sorted(self, nodes: Integers) -> Integers:
        """The nodes in alphabetical order of their names."""
        sizes = self._name_sizes(nodes)
        if self.tokenizer.ngrams[1] == 1:  # the pool has the names
            names = self.pool[: self.used]
            starts = self.table.reshape(-1, self.kernel.COLUMNS)[nodes, self.kernel.FIRST]
        else:
            starts = np.cumsum(sizes) - sizes
            names = self._written(nodes, starts + sizes)
        return nodes[_alphabetical(names, starts, starts + sizes, self.kernel)]

    def names(self, nodes: Integers) -> list[str]:
        if not nodes.size:
            return []
        lines = self._written(nodes, np.cumsum(self._name_sizes(nodes) + 1) - 1, between=ord("\n"))
        return lines.tobytes().decode("utf-8", "surrogatepass").split("\n")

    def _name_sizes(self, nodes: Integers) -> Integers:
        sizes = np.empty(nodes.size, dtype=np.int64)
        self.kernel.name_sizes(nodes, self.table, sizes)
        return sizes

    def _written(self, nodes: Integers, ends: Integers, between: int = 0) -> Bytes:
        out = np.full(int(ends[-1]) if ends.size else 0, between, dtype=np.uint8)
        self.kernel.write_names(nodes, self.table, self.pool, ends, out)
        return out


def _alphabetical(names: Bytes, starts: Integers, ends: Integers, kernel: Any) -> Integers:
    """The order of names by their bytes, which in UTF-8 is that of their characters: eight at a time, while any tie.

    The end of a name is like a zero byte. Where there are such, names that tie all along stay in order of length.
    """
    zeros = not names.all()
    order = np.argsort(ends - starts, kind="stable") if zeros else np.arange(starts.size)
    group = np.zeros(starts.size, dtype=np.int64)  # names in one group are equal so far
    tied = np.arange(starts.size)  # places in the order that are not settled
    skip = 0
    while tied.size:
        which = order[tied]
        if skip == LONG:  # few, if any, and then often alike for long
            rest = [names[starts[k] + skip : ends[k]].tobytes() for k in which.tolist()]
            order[tied] = which[sorted(range(tied.size), key=lambda k: (group[tied[k]], rest[k]))]
            break
        key = np.empty(which.size, dtype=np.uint64)
        kernel.eight_bytes(names, starts, ends, which, skip, key)
        by = np.argsort(key) if skip == 0 and not zeros else np.lexsort((key, group[tied]))  # which is stable
        order[tied], key = which[by], key[by]
        new = np.ones(tied.size, dtype=bool)
        new[1:] = (key[1:] != key[:-1]) | (group[tied[1:]] != group[tied[:-1]])
        group[tied] = tied[np.flatnonzero(new)][np.cumsum(new) - 1]
        alone = new & np.append(new[1:], True)
        done = alone | (ends[order[tied]] - starts[order[tied]] <= skip)  # names differ, so only zeros can tie to here
        tied, skip = tied[~done], skip + 8
    return order


def _columns(worker: Worker, vocabulary: Mapping[str, int]) -> NDArray[np.int32]:
    """The column of every node; −1 for those that are no term of the vocabulary."""
    nodes = worker.learn(list(vocabulary))
    columns = np.full(worker.nodes, -1, dtype=np.int32)
    columns[nodes[nodes >= 0]] = np.fromiter(vocabulary.values(), dtype=np.int64, count=len(vocabulary))[nodes >= 0]
    return columns


def _readable(parts: list[bytes]) -> Bytes:
    """All in one, with the eight bytes behind that the kernel may read.

    A ninth, since the `_words` of eight would be one number, which is contiguous: another type to compile for.
    """
    return np.frombuffer(bytearray().join([*parts, bytes(9)]), dtype=np.uint8)  # a bytearray can be written to


def _words(data: Bytes) -> NDArray[np.uint64]:
    """The eight bytes from each place on, as a number: a view that overlaps itself."""
    return np.ndarray((data.size - 7,), dtype="<u8", buffer=data, strides=(1,))


def _grown(array: Any, size: int) -> Any:
    new = np.empty(size, dtype=array.dtype)
    new[: array.size] = array
    return new


def in_chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Lists of texts with about `CHUNK` characters each."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text)
        if size >= CHUNK or len(chunk) == MOST_DOCUMENTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _in_order(task: Callable[[Any], Any], items: Iterable[Any], threads: int) -> Iterator[Any]:
    """The results of *task* in the order of *items*, of which no more are fetched ahead than keep all threads busy."""
    if threads == 1:
        yield from map(task, items)
        return
    waiting: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(task, item))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
