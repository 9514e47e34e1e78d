"""The best documents for queries (search.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, Integers, Struct, call, record, require, struct

Postings = NewType("Postings", Struct)
SearchRoom = NewType("SearchRoom", Struct)


def postings(
    starts: Integers, documents: NDArray[np.int32], weights: Floats, highest: Floats, constants: Floats
) -> Postings:
    """The weights of a model as a struct for the kernel: term t is in documents[starts[t]:starts[t + 1]]."""
    require(weights.shape == documents.shape, "each posting must have a weight")
    require(starts.shape == (highest.size + 1,), "starts must have one entry more than highest")
    return struct(Postings, locals(), limit=float(constants.max(initial=-np.inf)))


def search_room(d: int, words: int) -> SearchRoom:
    """Scratch space for queries of at most *words* words over d documents, for one thread at a time."""
    asked, spare = np.empty((2, words), dtype=record("QueryTerm"))
    sums, touched, rest = np.zeros(d), np.empty(d, dtype=np.int64), np.empty(words + 1)
    return struct(SearchRoom, locals())


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
    asked = struct("Queries", starts=starts, columns=columns, first=first, last=last)
    result = struct("BestDocuments", found=found, documents=best, scores=scores, k=best.shape[1])
    call("tb_best_documents", collection, asked, room, result)
