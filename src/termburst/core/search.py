"""The best documents of queries (search.c)."""

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
    """A model's weights by term, as the kernel takes them: documents[starts[t]:starts[t + 1]] hold term t."""
    require(weights.shape == documents.shape, "every posting has a weight")
    require(starts.shape == (highest.size + 1,), "every term has a highest weight and a place where its postings start")
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
    """Scratch space for queries of at most so many words, over d documents; it belongs to one thread at a time."""
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
    """The best documents of the queries first … last − 1; query i has the terms columns[starts[i]:starts[i + 1]].

    To found[i] goes how many there are, to best[i, :] and scores[i, :] which, the highest score first; of equal ones
    the first document. The *room* may be used again, unless this raises.
    """
    queries = starts.size - 1
    require(0 <= first <= last <= queries, "the queries lie between the first and the last that there are")
    require(found.shape == (queries,), "every query has a number of documents found")
    require(best.ndim == 2 and best.shape[1] >= 1 and best.shape == scores.shape, "a document has a score")
    require(best.shape[0] == queries, "every query has a row of documents")
    call(
        "tb_best_documents",
        collection,
        Queries(starts=starts, columns=columns, words=columns.size, first=first, last=last),
        room,
        Best(found=found, documents=best, scores=scores, k=best.shape[1]),
    )
