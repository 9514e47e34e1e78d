"""The best documents equal those of plain sums, in both libraries; bad indices are errors."""

import ctypes
import pickle
from itertools import pairwise

import numpy as np
import pytest

from termburst.core import search
from termburst.retrieval.search import Ranker, top
from termburst.retrieval.search import search as search_for


def collection(seed, d=60, terms=12, whole=False):
    """Postings of random terms, some in no document and some in all; integer weights give many ties."""
    rng = np.random.default_rng(seed)
    held = rng.random((terms, d)) < rng.choice([0.0, 0.05, 0.3, 1.0], size=(terms, 1))
    starts = np.concatenate([[0], held.sum(axis=1).cumsum()]).astype(np.int64)
    documents = np.nonzero(held)[1].astype(np.int32)
    weights = rng.integers(1, 4, documents.size).astype(float) if whole else rng.gamma(1.0, size=documents.size)
    highest = np.array([weights[a:b].max(initial=0.0) for a, b in pairwise(starts)])
    return Ranker(starts, documents, weights, highest, -rng.integers(0, 3, d) / 2.0)


def queries_of(rng, terms, number=30, most=6):
    sizes = rng.integers(0, most + 1, number)
    return np.concatenate([[0], sizes.cumsum()]), rng.integers(0, terms, sizes.sum())


def found_by(ranker, starts, columns, k):
    queries = starts.size - 1
    found, best, scores = np.zeros(queries, np.int64), np.zeros((queries, k), np.int64), np.zeros((queries, k))
    room = search.search_room(ranker.constants.size, columns.size)
    for part in ((0, queries // 2), (queries // 2, queries)):
        search.best_documents(ranker.postings, room, starts, columns, *part, found, best, scores)
    return [(best[i, :n].tolist(), scores[i, :n].tolist()) for i, n in enumerate(found)]


@pytest.mark.usefixtures("library")
def test_the_best_equal_plain_sums_to_the_last_bit():
    for most in [6, 300]:
        for k in [1, 3, 59, 60]:
            for whole in [False, True]:
                for seed in range(8):
                    ranker = collection(seed, whole=whole, terms=2 * most)
                    starts, columns = queries_of(np.random.default_rng(seed), ranker.highest.size, most=most)
                    for query, ours in enumerate(found_by(ranker, starts, columns, k)):
                        documents, scores = ranker.scores(columns[starts[query] : starts[query + 1]].tolist())
                        best = top(scores, k)
                        assert ours == (documents[best].tolist(), scores[best].tolist())


def damaged(**changes):
    ranker = collection(1)
    arrays = {name: getattr(ranker, name) for name in ("starts", "documents", "weights", "highest", "constants")}
    return Ranker(**(arrays | changes))


def test_an_unknown_document_is_an_error():
    for bad in [-1, 60, 2**31 - 1, -(2**31)]:
        ranker = collection(1)
        with pytest.raises(ValueError, match="out of range"):
            found_by(damaged(documents=np.full_like(ranker.documents, bad)), np.array([0, 12]), np.arange(12), 3)


def test_postings_and_queries_out_of_range_are_errors():
    for bad in [-1, 2**62, -(2**62), 10**6]:
        ranker, rng = collection(1), np.random.default_rng(2)
        starts, columns = queries_of(rng, 12)
        for place in range(ranker.starts.size):
            moved = ranker.starts.copy()
            moved[place] = bad
            with pytest.raises(ValueError, match="out of range"):
                found_by(damaged(starts=moved), np.array([0, 12]), np.arange(12), 3)
        with pytest.raises(ValueError, match="out of range"):
            found_by(ranker, starts, np.full_like(columns, bad), 3)
        for place in range(starts.size):
            moved = starts.copy()
            moved[place] = bad
            with pytest.raises(ValueError, match="out of range"):
                found_by(ranker, moved, columns, 3)


def test_invalid_weights_are_harmless():
    for what in ["weights", "highest", "constants"]:
        for weight in [0.0, -1.0, np.nan, np.inf, -np.inf]:
            rng = np.random.default_rng(3)
            for share in (0.1, 1.0):
                values = getattr(collection(1), what).copy()
                values[rng.random(values.size) < share] = weight
                try:
                    found = found_by(damaged(**{what: values}), *queries_of(rng, 12), 3)
                except RuntimeError:  # documents whose sums stay 0 are added again until the room is full
                    continue
                assert all(0 <= document < 60 for documents, _ in found for document in documents)


def test_shapes_that_do_not_match_are_errors():
    ranker = collection(1)
    found, best, scores = np.zeros(1, np.int64), np.zeros((1, 3), np.int64), np.zeros((1, 3))
    start, column, room = np.array([0, 1]), np.array([0]), search.search_room(60, 1)
    for bad in (
        lambda: damaged(weights=ranker.weights[:-1]).postings,
        lambda: damaged(highest=ranker.highest[:-1]).postings,
        lambda: search.best_documents(ranker.postings, room, start, column, 0, 2, found, best, scores),
        lambda: search.best_documents(ranker.postings, room, start, column, -1, 1, found, best, scores),
        lambda: search.best_documents(ranker.postings, room, start, column, 0, 1, found[:0], best, scores),
        lambda: search.best_documents(ranker.postings, room, start, column, 0, 1, found, best[:, :2], scores),
        lambda: search.best_documents(ranker.postings, room, start, column, 0, 1, found, best[:, :0], scores[:, :0]),
        lambda: search.best_documents(
            ranker.postings, room, np.array([0, 0, 1]), column, 0, 1, np.zeros(2, int), best, scores
        ),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            bad()
    for d, words in ((59, 1), (60, 0)):
        small = search.search_room(d, words)
        with pytest.raises(RuntimeError, match="too small"):
            search.best_documents(ranker.postings, small, start, column, 0, 1, found, best, scores)


def test_room_is_reused_and_not_pickled():
    ranker = collection(4)
    ids = [str(i) for i in range(60)]
    first = of_one(ranker, np.arange(12), 5, ids)
    assert len(ranker.rooms) == 1
    assert not ctypes_array(ranker.rooms[0]).any()
    assert of_one(ranker, np.arange(12), 5, ids) == first
    assert len(ranker.rooms) == 1
    long = np.tile(np.arange(12), 100)  # more words than there is room for
    documents, scores = ranker.scores(long.tolist())
    assert of_one(ranker, long, 5, ids) == [str(i) for i in documents[top(scores, 5)]]
    copy = pickle.loads(pickle.dumps(ranker))
    assert of_one(copy, np.arange(12), 5, ids) == first
    with pytest.raises(ValueError, match="out of range"):
        of_one(copy, np.array([0, 99]), 5, ids)
    assert of_one(copy, np.arange(12), 5, ids) == first


def of_one(ranker, query, k, ids):
    return search_for(ranker, np.array([0, query.size]), query, k, ids)[0].ids


def ctypes_array(room):
    return np.ctypeslib.as_array(ctypes.cast(room.sums, ctypes.POINTER(ctypes.c_double)), (room.d,))
