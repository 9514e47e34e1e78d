"""The best documents for queries (search.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Float, In_f64, In_i32, In_i64, Int, Out_f64, Out_i64, Struct, call, pointer, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Postings(Struct):
    _fields_ = [
        ("starts", In_i64),
        ("documents", In_i32),
        ("weights", In_f64),
        ("highest", In_f64),
        ("constants", In_f64),
        ("limit", Float),
        ("terms", Int),
        ("postings", Int),
        ("d", Int),
    ]


class Queries(Struct):
    _fields_ = [("starts", In_i64), ("columns", In_i64), ("words", Int), ("first", Int), ("last", Int)]


class QueryTerm(Struct):
    _fields_ = [("highest", Float), ("term", Int), ("times", Int)]


class SearchRoom(Struct):
    _fields_ = [
        ("sums", Out_f64),
        ("touched", Out_i64),
        ("asked", pointer(QueryTerm, writes=True)),
        ("spare", pointer(QueryTerm, writes=True)),
        ("rest", Out_f64),
        ("d", Int),
        ("words", Int),
    ]


class Best(Struct):
    _fields_ = [("found", Out_i64), ("documents", Out_i64), ("scores", Out_f64), ("k", Int)]


def postings(
    starts: Integers, documents: NDArray[np.int32], weights: Floats, highest: Floats, constants: Floats
) -> Postings:
    """The weights of a model as a struct for the kernel: term t is in documents[starts[t]:starts[t + 1]]."""
    require(weights.shape == documents.shape, "each posting must have a weight")
    require(starts.shape == (highest.size + 1,), "starts must have one entry more than highest")
    return Postings(
        starts=starts,
        documents=documents,
        weights=weights,
        highest=highest,
        constants=constants,
        limit=float(constants.max(initial=-np.inf)),
        terms=highest.size,
        postings=documents.size,
        d=constants.size,
    )


def search_room(d: int, words: int) -> SearchRoom:
    """Scratch space for queries of at most *words* words over d documents, for one thread at a time."""
    asked, spare = np.empty((2, words), dtype=np.dtype(QueryTerm))
    return SearchRoom(
        sums=np.zeros(d),
        touched=np.empty(d, dtype=np.int64),
        asked=asked,
        spare=spare,
        rest=np.empty(words + 1),
        d=d,
        words=words,
    )


def best_documents(
    collection: Postings,
    room: SearchRoom,
    starts: Integers,
    columns: Integers,
    first: int,
    last: int,
    found: Integers,
    best: Integers,
    scores: Floats,
) -> None:
    """The best documents for the queries first … last − 1; query i has the terms columns[starts[i]:starts[i + 1]].

    found[i] receives the number of documents, best[i, :] and scores[i, :] the documents and their scores: highest
    score first, ties in document order. The *room* can be used again, unless an error is raised.
    """
    queries = starts.size - 1
    require(0 <= first <= last <= queries, "first and last must be a range of queries")
    require(found.shape == (queries,), "found must have one entry per query")
    require(
        best.ndim == 2 and best.shape[1] >= 1 and best.shape == scores.shape, "best and scores must have the same shape"
    )
    require(best.shape[0] == queries, "best must have one row per query")
    call(
        "tb_best_documents",
        collection,
        Queries(starts=starts, columns=columns, words=columns.size, first=first, last=last),
        room,
        Best(found=found, documents=best, scores=scores, k=best.shape[1]),
    )
