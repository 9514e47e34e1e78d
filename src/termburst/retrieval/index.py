"""An index of documents: made from texts or counts, extended, and searched with any of the ranking models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from inspect import signature
from itertools import accumulate, chain, count, islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions, checked_counting, words_of
from termburst.digests import check_entries, check_fields, reading
from termburst.inference.checks import check_name, checked_whole, shown
from termburst.npz import MATRIX, matrix_arrays, matrix_of, read_arrays, write_arrays
from termburst.reading.documents import Text
from termburst.retrieval.collection import Collection
from termburst.retrieval.models import MODELS, PostingWeights
from termburst.retrieval.search import Hits, Ranker, search
from termburst.statistics.labels import checked_terms

Query = str | Sequence[str]  # a sequence is a list of terms
KEPT_RANKERS = 8  # prepared models per index: enough to compare them all; each stores one weight per posting


class Index:
    """A searchable collection of documents.

    Attributes
    ----------
    collection : Collection
        Postings, lengths, document and collection frequencies.
    terms : array of str
    ids : list of str
    counting : CountingOptions
        How documents, and queries given as text, are split into terms.

    Examples
    --------
    >>> index = Index.from_texts(["a wing in a slipstream", "heat transfer", "wing heating"], ids=["w", "h", "wh"])
    >>> [hit.id for hit in index.search("heating of a wing", k=2)]
    ['wh', 'w']
    >>> index.add(["the slipstream of a propeller"], ids=["p"])
    >>> len(index), [hit.id for hit in index.search("slipstream propeller", model="bm25")]
    (4, ['p', 'w'])
    """

    def __init__(self, collection: Collection, terms: NDArray[Any], ids: list[str], counting: CountingOptions) -> None:
        """Store the parts as they are. Users call `from_texts` or `from_counts`, which check them."""
        self.counting = counting
        self._hold(collection, terms, ids)

    def _hold(self, collection: Collection, terms: NDArray[Any], ids: list[str]) -> None:
        self.collection, self.terms, self.ids = collection, terms, ids
        self._columns = {term: column for column, term in enumerate(terms)}
        self._rankers: dict[Any, Ranker] = {}

    @classmethod
    def from_texts(
        cls, texts: Iterable[Any], ids: Iterable[str] | None = None, *, counting: CountingOptions | None = None
    ) -> Index:
        """Count *texts* and index them. Without *ids* the documents are called "0", "1", … in their order.

        Examples
        --------
        >>> Index.from_texts(["a wing in the wind"], counting=CountingOptions(stop_words="english")).terms.tolist()
        ['wind', 'wing']
        """
        counting = checked_counting(counting)
        X, terms = _counted(texts, counting)
        return cls(Collection.from_counts(X), terms, _checked_ids(ids, X.shape[0], 0, ()), counting)

    @classmethod
    def from_counts(
        cls, X: Any, terms: Iterable[str], ids: Iterable[str] | None = None, *, counting: CountingOptions | None = None
    ) -> Index:
        """Index a count matrix, documents × terms. *counting* defines how a query given as text is split into terms.

        Examples
        --------
        >>> index = Index.from_counts([[2, 0], [1, 1]], terms=["heat", "wing"])
        >>> index.search(["wing"])[0].id
        '1'
        """
        collection = Collection.from_counts(X)
        names: Any = checked_terms([] if terms is None else terms, collection.counts.shape[1])
        ids = _checked_ids(ids, collection.lengths.size, 0, ())
        return cls(collection, names, ids, checked_counting(counting))

    def add(self, texts: Iterable[Any], ids: Iterable[str] | None = None) -> None:
        """Count more texts with the same options and add them after the existing documents.

        The result is the same as an index of all texts. Only the new texts are counted; the postings that are there are
        copied, not sorted again. The next search prepares its model again. Without *ids* the documents get numbers that
        no other document has, from the number of documents on.
        """
        X, terms = _counted(texts, self.counting)
        added = _checked_ids(ids, X.shape[0], len(self.ids), self.ids)
        union = sorted(self._columns.keys() | set(terms))
        columns = {term: column for column, term in enumerate(union)}
        own, new = (np.array([columns[term] for term in names], dtype=np.int64) for names in (self.terms, terms))
        both = self.collection.joined(Collection.from_counts(X), own, new, len(union))
        self._hold(both, np.array(union, dtype=object), self.ids + added)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove documents by their ids. The result is the same as an index of the other texts.

        Terms that no document has any more are removed, too. An unknown id raises a ValueError, and nothing is removed.

        Examples
        --------
        >>> index = Index.from_texts(["so it goes", "so so", "it is"], ids=["a", "b", "c"])
        >>> index.remove(["b"])
        >>> index.ids, index.search("so").ids
        (['a', 'c'], ['a'])
        """
        kept = ~self._mask(ids)
        collection, held = self.collection.only(kept)
        self._hold(collection, self.terms[held], [name for name, stays in zip(self.ids, kept, strict=True) if stays])

    def _mask(self, ids: Any) -> NDArray[np.bool_]:
        """Which documents have these ids."""
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            raise ValueError(f"ids must be a list of ids of this index; got {shown(ids)}")
        places = {name: place for place, name in enumerate(self.ids)}
        mask = np.zeros(len(self), dtype=bool)
        for name in ids:
            if not isinstance(name, str):
                raise ValueError(f"ids are strings, such as {str(name)!r:.60}; got {shown(name)}")
            if name not in places:
                raise ValueError(f"no document has the id {shown(name)}")
            mask[places[name]] = True
        return mask

    def _allowed(self, where: Any) -> NDArray[np.bool_] | None:
        """Which documents `where` allows; None if it allows all."""
        if where is None:
            return None
        if isinstance(where, Mapping) or (isinstance(where, np.ndarray) and where.ndim == 0):
            raise ValueError("where must be ids of documents, or one True or False per document in their order")
        if isinstance(where, (str, Set)) or not isinstance(where, Iterable):
            return self._mask(where)
        items = where if isinstance(where, np.ndarray) and where.ndim == 1 else list(where)
        marks = _marks(items)
        if marks is None:
            return self._mask(items)
        if marks.shape != (len(self),):
            raise ValueError(f"where must have one True or False per document; the index has {len(self)} documents")
        return marks

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index to one .npz file. Models are not saved, because preparing them is fast.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "index.npz"
        >>> Index.from_texts(["so it goes", "so so"]).save(path)
        >>> Index.load(path).search("goes").ids
        ['0']
        """
        names = {"terms": self.terms.tolist(), "ids": self.ids, "counting": self.counting.to_json()}
        stored = np.frombuffer(json.dumps(names).encode("ascii"), dtype=np.uint8)
        write_arrays(path, "index", matrix_arrays(self.collection.counts) | {"names": stored})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Index:
        """Read an index written by `save`. Nothing in the file is executed."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"the index {path} does not exist")
        with reading(path, "index"):
            stored = read_arrays(path, "index", MATRIX | {"names": "u"})
            names = json.loads(stored["names"].tobytes())
            check_fields(names, {"terms": list, "ids": list, "counting": dict})
            check_entries("terms", names["terms"], str)
            check_entries("ids", names["ids"], str)
            counts = matrix_of(stored, sp.csc_array)
            counts.check_format(full_check=True)  # otherwise SciPy could write outside its arrays
            counting = CountingOptions.from_json(names["counting"])
            return cls.from_counts(counts, names["terms"], names["ids"], counting=counting)

    def __repr__(self) -> str:
        """The size of the index, and how words are found."""
        return f"Index({len(self):,} documents, {self.terms.size:,} terms; words: {words_of(self.counting)})"

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.ids)

    def search(
        self, query: Query, k: int | None = 10, *, model: str = "spud", where: Any = None, **parameters: Any
    ) -> Hits:
        """The k documents with the highest scores among those with a term of the query; ties keep document order.

        Parameters
        ----------
        query : str, or sequence of terms
            A string is split into terms like the documents. Terms that occur in no document are ignored.
        k : int, or None for all documents with a term of the query
        model : one of `MODELS`
            "spud", "gspud", "lm-dirichlet", "lm-jm" or "bm25".
        where : list of ids, or array of True and False with one value per document, optional
            The documents to search. A missing value (null) counts as False. The scores are those of a search of all:
            the collection stays the same.
        **parameters
            Parameters of the model: omega, mu, smoothing, or k1 and b.

        Examples
        --------
        >>> index = Index.from_texts(["so it goes", "so so", "it is"], ids=["a", "b", "c"])
        >>> index.search("so", where=["a", "c"]).ids
        ['a']
        """
        return self.batch_search([query], k, model=model, where=where, **parameters)[0]

    def batch_search(
        self, queries: Iterable[Query], k: int | None = 10, *, model: str = "spud", where: Any = None, **parameters: Any
    ) -> list[Hits]:
        """Search for many queries: the same results as `search`, on all cores. `where` is the same for all queries.

        Examples
        --------
        >>> index = Index.from_texts(["so it goes", "it is so so", "go"])
        >>> [len(hits) for hits in index.batch_search(["so", "it goes", "nowhere"])]
        [2, 2, 0]
        """
        if k is not None:
            k = checked_whole("k", k, least=1)
        ranker = self.ranker(model, **parameters)
        starts, columns = self._query_columns(queries)
        most = len(self) if k is None else min(k, len(self))
        return search(ranker, starts, columns, most, self.ids, allowed=self._allowed(where))

    def ranker(self, model: str = "spud", **parameters: Any) -> Ranker:
        """The weights of a model for this index, kept until documents are added."""
        check_name("model", model, MODELS)
        names = [name for name, one in signature(MODELS[model]).parameters.items() if one.kind is one.KEYWORD_ONLY]
        if unknown := [name for name in parameters if name not in names]:
            raise ValueError(f"the model {model!r} has no parameter {unknown[0]!r}; it has {' and '.join(names)}")
        key = (model, tuple(sorted(parameters.items())))
        try:
            if key not in self._rankers:
                empty = PostingWeights(np.empty(0), np.zeros(len(self)))
                weights = MODELS[model](self.collection, **parameters) if self.collection.tokens else empty
                while len(self._rankers) >= KEPT_RANKERS:
                    del self._rankers[next(iter(self._rankers))]
                self._rankers[key] = Ranker.of(self.collection, weights)
        except TypeError as error:  # a list as the value of a parameter
            raise ValueError(f"the model {model!r} does not take {shown(parameters)}: {error}") from error
        return self._rankers[key]

    def _query_columns(self, queries: Iterable[Query]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(starts, columns): the columns of the terms of query i are columns[starts[i]:starts[i + 1]]."""
        if isinstance(queries, str):
            raise ValueError("queries must be a list of queries, not one string")
        if not isinstance(queries, Iterable):
            raise ValueError(f"queries must be a list of queries; got {shown(queries)}")
        asked = list(queries)
        found: list[list[int]] = [[] for _ in asked]
        numbers, texts = list[int](), list[Text]()
        for number, query in enumerate(asked):
            if isinstance(query, str):
                numbers.append(number)
                texts.append(query)
            elif isinstance(query, (list, tuple, np.ndarray)) and all(isinstance(term, str) for term in query):
                found[number] = [self._columns[term] for term in query if term in self._columns]
            else:
                raise ValueError(f"query {number} must be a string or a list of terms; got {shown(query)}")
        if texts:
            X, terms = self.counting.count(texts)
            here = np.array([self._columns.get(term, -1) for term in terms], dtype=np.int64)
            for row, number in enumerate(numbers):
                cells = slice(X.indptr[row], X.indptr[row + 1])
                column = np.repeat(here[X.indices[cells]], X.data[cells])
                found[number] = column[column >= 0].tolist()
        starts = np.array(list(accumulate(map(len, found), initial=0)), dtype=np.int64)
        return starts, np.array(list(chain.from_iterable(found)), dtype=np.int64)


def _marks(where: Any) -> NDArray[np.bool_] | None:
    """One True or False per document, False for a missing value; None if *where* has ids."""
    if isinstance(where, np.ndarray) and where.dtype == bool:
        return where
    if any(isinstance(item, (list, tuple, Set, np.ndarray)) for item in where):
        raise ValueError(
            "where must be one list of ids, or one True or False per document, for all queries; "
            "call search for each query if they differ"
        )
    known = [item for item in where if not _missing(item)]
    if not len(where) or not all(isinstance(item, (bool, np.bool_)) for item in known):
        return None
    return np.array([not _missing(item) and bool(item) for item in where])


def _missing(item: Any) -> bool:
    """Whether a value of a column is null: None, NaN or pandas' NA."""
    return item is None or type(item).__name__ == "NAType" or (isinstance(item, float) and bool(np.isnan(item)))


def _counted(texts: Iterable[Any], counting: CountingOptions) -> tuple[Any, NDArray[Any]]:
    if isinstance(texts, str):
        raise ValueError("texts must be a list of strings, not one string")
    if isinstance(texts, Mapping) or not isinstance(texts, Iterable):
        raise ValueError(f"texts must be a list of strings; give the keys of a dictionary as ids; got {shown(texts)}")
    if getattr(texts, "columns", None) is not None:  # iterating over a frame gives column names
        raise ValueError("texts must be one column of the frame, not the whole frame; select the column")
    return counting.count(texts)


def _checked_ids(ids: Iterable[str] | None, expected: int, before: int, known: Iterable[str]) -> list[str]:
    if isinstance(ids, str):
        raise ValueError("ids must be a list of strings, not one string")
    if ids is not None and not isinstance(ids, Iterable):
        raise ValueError(f"ids must be a list of strings; got {shown(ids)}")
    seen = set(known)
    free = (name for name in map(str, count(before)) if name not in seen)  # documents may have been removed
    names = list(islice(free, expected) if ids is None else ids)
    if len(names) != expected:
        raise ValueError(f"ids must have one id per document; got {len(names)} ids for {expected} documents")
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"the id of a document must be a string; got {shown(name)}")
        if name in seen:
            raise ValueError(f"ids must be unique; two documents have the id {name!r}")
        seen.add(name)
    return names
