"""Making, extending and searching an index; results equal sorting the scores of all documents."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import termburst as tb
from termburst.retrieval import MODELS, Index
from termburst.retrieval.search import Ranker, search, top

WORDS = [f"w{i:02}" for i in range(40)]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.full(40, 0.1), size=60)
    found = [" ".join(rng.choice(WORDS, size=rng.integers(1, 50), p=p)) for p in weights]
    found[7] = found[20] = ""
    found[31] = found[30]  # a tie in every model
    return found


@pytest.fixture(scope="module")
def index(texts):
    return Index.from_texts(texts)


def brute_force(index, query, model):
    """All documents with a term of the query, sorted by (−score, position)."""
    weights, counts = MODELS[model](index.collection), index.collection.counts
    W = sp.csc_array((weights.postings, counts.indices, counts.indptr), shape=counts.shape).toarray()
    columns = [index.terms.tolist().index(word) for word in query if word in index.terms]
    scores = W[:, columns].sum(axis=1) + len(columns) * weights.documents
    found = [d for d in range(len(index)) if (counts.toarray()[d, columns] > 0).any()]
    return sorted((-scores[d], d) for d in found)


@pytest.mark.parametrize("model", MODELS)
def test_search_equals_sorting_all_documents(model, index):
    for k in (1, 5, None):
        rng = np.random.default_rng(5)
        queries = [rng.choice(WORDS, size=rng.integers(1, 7)).tolist() for _ in range(25)]
        for query, hits in zip(queries, index.batch_search(queries, k, model=model), strict=True):
            expected = brute_force(index, query, model)[:k]
            np.testing.assert_allclose(hits.scores, [-score for score, _ in expected], rtol=1e-9, atol=1e-12)
            if k is None:  # sums in another order may break near-ties differently, but no document is left out
                assert sorted(hits.documents.tolist()) == sorted(d for _, d in expected)
            assert hits.ids == [str(d) for d in hits.documents]


@pytest.mark.parametrize("model", MODELS)
def test_equal_documents_keep_their_order(model, index, texts):
    hits = index.search(texts[30], None, model=model)
    places = hits.documents.tolist()
    assert places.index(31) == places.index(30) + 1


def test_texts_and_terms_are_the_same_query(index):
    assert index.search("w03 W07 w03").scores.tolist() == index.search(["w03", "w03", "w07"]).scores.tolist()


def test_single_searches_equal_the_batch(index):
    queries = ["w01 w02", "", "w30", "w05 w06 w07 unheard"]
    for query, hits in zip(queries, index.batch_search(queries, 7), strict=True):
        alone = index.search(query, 7)
        assert alone.ids == hits.ids
        assert alone.scores.tolist() == hits.scores.tolist()


@pytest.mark.parametrize("cuts", [[0], [1, 2, 59], [30], [60]])
def test_adding_equals_indexing_all_at_once(cuts, texts, index):
    pieces = np.split(np.array(texts, dtype=object), cuts)
    grown = Index.from_texts(pieces[0].tolist())
    for piece in pieces[1:]:
        grown.search("w01")  # a model prepared now must not be used after adding
        grown.add(piece.tolist())
    assert grown.terms.tolist() == index.terms.tolist()
    assert grown.ids == index.ids
    for name in ("lengths", "distinct", "document_frequency", "collection_frequency"):
        assert getattr(grown.collection, name).tolist() == getattr(index.collection, name).tolist()
    assert (grown.collection.counts != index.collection.counts).nnz == 0
    for model in MODELS:
        ours, theirs = grown.search("w01 w02 w03", model=model), index.search("w01 w02 w03", model=model)
        assert ours.ids == theirs.ids
        assert ours.scores.tolist() == theirs.scores.tolist()


def test_counts_and_texts_make_the_same_index(texts, index):
    X, terms = tb.CountingOptions().count(texts)
    for form in (X, X.tocsc(), X.toarray(), X.astype(float), sp.coo_array(X)):
        other = Index.from_counts(form, terms)
        assert other.search("w11 w12", 20).ids == index.search("w11 w12", 20).ids


def test_counts_are_not_changed():
    X = sp.csr_array(np.array([[1, 0], [2, 3]]))
    before = X.copy()
    Index.from_counts(X, ["a", "b"]).search(["a"])
    assert (before != X).nnz == 0


def test_counting_options_apply_to_queries_and_added_texts():
    options = tb.CountingOptions(ngrams=(1, 2), stop_words=("the",), lowercase=False)
    index = Index.from_texts(["the Big cat"], counting=options)
    index.add(["the big Cat"])
    assert index.terms.tolist() == ["Big", "Big cat", "Cat", "big", "big Cat", "cat"]
    assert index.search("Big cat")[0].id == "0"
    assert len(index.search("the")) == 0


@pytest.mark.parametrize("query", ["", "unheard", "?!", [], ["unheard"]])
def test_a_query_without_known_words_finds_nothing(query, index):
    hits = index.search(query)
    assert len(hits) == 0
    assert list(hits) == hits.ids == []


def test_k_beyond_the_collection(index):
    assert index.search("w01", 10**9).ids == index.search("w01", None).ids


def test_unknown_words_do_not_change_scores(index):
    assert index.search("w01 w02 unheard").scores.tolist() == index.search("w01 w02").scores.tolist()


@pytest.mark.parametrize("texts", [[], ["", ""], ["?"]])
def test_an_index_without_a_word(texts):
    for model in MODELS:
        index = Index.from_texts(texts)
        assert len(index) == len(texts)
        assert index.batch_search(["so", ""], model=model)[0].ids == []
        index.add(["so it goes"])
        assert index.search("so", model=model).ids == [str(len(texts))]


def test_hits_are_a_sequence(index):
    hits = index.search("w01 w02", 4)
    assert hits[0] == (hits.ids[0], hits.scores[0])
    assert hits[1:3] == list(hits)[1:3]
    assert hits[-1].score <= hits[0].score


def test_parameters_matter_and_are_not_mixed_up(index):
    default = index.search("w01 w02", 5, model="lm-dirichlet").scores
    other = index.search("w01 w02", 5, model="lm-dirichlet", mu=10).scores
    assert not np.allclose(default, other)
    for mu in range(20, 30):
        index.search("w01", model="lm-dirichlet", mu=mu)
    assert index.search("w01 w02", 5, model="lm-dirichlet").scores.tolist() == default.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: Index.from_texts("so it goes"), "texts must be a list of strings, not one string"),
        (lambda index: Index.from_texts(["so", None]), r"Document 1 must be a string; got None\."),
        (lambda index: Index.from_texts(["so"], ids=["a", "b"]), ".* one id per document; got 2 ids for 1 documents"),
        (
            lambda index: Index.from_texts(["a"] * 2, ids=["x", "x"]),
            "ids must be unique; two documents have the id 'x'",
        ),
        (lambda index: Index.from_texts(["a", "b"], ids=[1, 2]), "the id of a document must be a string; got 1"),
        (lambda index: Index.from_texts(["a"], ids="x"), "ids must be a list of strings, not one string"),
        (lambda index: Index.from_counts([[1, 2]], ["a"]), "there are 1 terms for 2 columns; give one name per column"),
        (lambda index: Index.from_counts([[1, 2]], ["a", "a"]), "the term 'a' names two columns; .*"),
        (lambda index: Index.from_counts([[1, 2]], [1, 2]), "terms must be strings; number 0 is 1"),
        (lambda index: index.add(["more"], ids=["3"]), "ids must be unique; two documents have the id '3'"),
        (lambda index: index.search("so", 0), "k must be a whole number of 1 or more; got 0"),
        (lambda index: index.search("so", 2.5), "k must be a whole number of 1 or more; got 2.5"),
        (lambda index: index.search(5), "query 0 must be a string or a list of terms; got 5"),
        (lambda index: index.batch_search("so"), "queries must be a list of queries, not one string"),
        (
            lambda index: index.search("so", model="bm24"),
            r"model must be one of 'spud', .*; got 'bm24'; did you mean 'bm25'\?",
        ),
        (lambda index: index.search("so", model="bm25", mu=1), "the model 'bm25' has no parameter 'mu'; .*"),
        (lambda index: index.search("so", model="bm25", k_1=2), ".* has no parameter 'k_1'; it has k1 and b"),
        (lambda index: index.search("so", where=[1, 2]), "ids are strings, such as '1'; got 1"),
        (lambda index: index.remove([12]), "ids are strings, such as '12'; got 12"),
        (lambda index: index.search("so", where={"1": False}), "where must be ids of documents, or one True or .*"),
        (lambda index: index.search("so", where=np.array(True)), "where must be ids of documents, or one True .*"),
        (lambda index: index.batch_search(["so"] * 2, where=[["1"], ["2", "3"]]), "where must be one list of ids, .*"),
        (lambda index: index.batch_search(["so"] * 2, where=np.ones((2, 60), bool)), "where must be one list of ids.*"),
        (lambda index: index.search("so", omega=[1]), r"the model 'spud' does not take {'omega': \[1\]}: .*"),
        (lambda index: index.search("so", omega=2), "omega must be between 0 and 1; got 2"),
    ],
)
def test_bad_input_gives_one_sentence(call, message, index):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call(index)


def test_a_failed_addition_does_not_change_the_index(texts):
    index = Index.from_texts(texts)
    with pytest.raises(ValueError, match="must be a string"):
        index.add(["w01", 5])
    assert len(index) == len(texts) == index.collection.lengths.size


@pytest.fixture(scope="module")
def large():
    """Rare and frequent words in 3,000 documents, for which most postings need not be read; with many ties."""
    rng = np.random.default_rng(4)
    X = sp.random_array(
        (3000, 400), density=0.02, format="lil", rng=rng, data_sampler=lambda size: 1.0 + np.arange(size) % 3
    )
    X[:, :12] = rng.poisson(1.0, size=(3000, 12)) * (rng.random((3000, 12)) < np.linspace(0.2, 1, 12))
    return Index.from_counts(X.tocsr().astype(int), [f"w{i:03}" for i in range(400)])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("which", ["index", "large"])
def test_few_hits_equal_plain_sums_to_the_last_bit(which, model, request, monkeypatch):
    for k in (1, 3, 100):
        index, rng = request.getfixturevalue(which), np.random.default_rng(8)
        words = [*index.terms[:40], "unheard"]
        queries = [rng.choice(words, size=rng.integers(0, 9)).tolist() for _ in range(200)]
        few = index.batch_search(queries, k, model=model)
        with monkeypatch.context() as patch:
            patch.setattr("termburst.retrieval.search.FEW_HITS", 0)
            sums = index.batch_search(queries, k, model=model)
        for ours, plain in zip(few, sums, strict=True):
            assert ours.documents.tolist() == plain.documents.tolist()
            assert ours.scores.tolist() == plain.scores.tolist()
            assert ours.ids == plain.ids


def test_no_queries_find_nothing(index, monkeypatch):
    assert index.batch_search([]) == []
    monkeypatch.setattr("termburst.retrieval.search.FEW_HITS", 0)
    assert index.batch_search([]) == []


def test_top_is_a_stable_sort():
    rng = np.random.default_rng(0)
    for size in (0, 1, 2, 50):
        scores = rng.integers(0, 5, size=size).astype(float)
        for k in (1, 3, 50, 60):
            assert top(scores, k).tolist() == np.argsort(-scores, kind="stable")[:k].tolist()


def test_an_index_shows_its_size():
    said = "Index(2 documents, 3 terms; words: as Unicode sees them, in lower case)"
    assert repr(Index.from_texts(["so it goes", "so so"])) == said


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Index.from_texts({"w": "a wing"}), "texts must be a list of strings; give the keys of a dictionary"),
        (lambda: Index.from_texts(pl.DataFrame({"text": ["a wing"]})), "select the column"),
        (lambda: Index.from_texts(None), "texts must be a list of strings"),
        (lambda: Index.from_texts(["a wing"], 3), "ids must be a list of strings; got 3"),
        (lambda: Index.from_texts(["a wing"], counting="english"), "counting must be CountingOptions"),
        (lambda: Index.from_counts([[1, 2]], "ab"), "terms must be a list or an array of strings"),
        (lambda: Index.from_counts([[1, 2]], {"a", "b"}), "terms must be a list or an array of strings"),
        (lambda: Index.from_counts([[1, 2]], None), "there are 0 terms for 2 columns; give one name per column"),
        (lambda: Index.from_texts(["a wing"]).batch_search(3), "queries must be a list of queries; got 3"),
        (lambda: Index.from_texts(["a wing"]).search("wing", omega=1e-320), "omega must be between .* got 1e-320"),
        (
            lambda: Index.from_texts(["a wing"]).search("wing", model="lm-dirichlet", mu=1e308),
            "mu must be a number above 1e-100 and at most 1e[+]100",
        ),
    ],
)
def test_wrong_types_of_texts_ids_and_terms_are_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_few_hits_equal_plain_sums_if_constants_cancel_them():
    rng = np.random.default_rng(0)
    for _ in range(20):
        terms, d = 5, 40
        values = rng.choice([0.1, 0.2, 0.3, 0.7, 1.1], terms)  # equal for all documents, in another order
        weights = np.array([rng.permutation(values) for _ in range(d)]).T
        others = np.where(
            np.eye(terms), rng.uniform(2, 3, terms), 1e-3
        )  # never found, but they determine the order of terms
        weights = np.hstack([weights, others])
        n = d + terms
        constants = np.repeat([-values.sum() / terms, -1e3], [d, terms])
        starts, documents = n * np.arange(terms + 1), np.tile(np.arange(n, dtype=np.int32), terms)
        ranker = Ranker(starts, documents, weights.ravel(), weights.max(axis=1), constants)
        query = rng.permutation(terms)
        hits = search(ranker, np.array([0, terms]), query, 3, [str(i) for i in range(n)])[0]
        found, scores = ranker.scores(query.tolist())
        best = top(scores, 3)
        assert hits.documents.tolist() == found[best].tolist()
        assert hits.scores.tolist() == scores[best].tolist()


def test_a_large_index_accepts_no_queries(large):
    assert large.batch_search([]) == []
    assert len(large) > 1000


@pytest.mark.parametrize("gone", [[], [0], [7, 20], [3, 59, 30], list(range(60))])
def test_removing_equals_indexing_the_others(gone, texts):
    index = Index.from_texts(texts)
    index.search("w01")  # a model prepared now must not be used after removing
    index.remove([str(d) for d in gone])
    left = [d for d in range(60) if d not in gone]
    expected = Index.from_texts([texts[d] for d in left], ids=[str(d) for d in left])
    assert index.ids == expected.ids
    assert index.terms.tolist() == expected.terms.tolist()
    ours, theirs = index.collection, expected.collection
    np.testing.assert_array_equal(ours.counts.toarray(), theirs.counts.toarray())
    for name in ("lengths", "distinct", "document_frequency", "collection_frequency"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for model in MODELS:
        assert index.search("w01 w02 w30", model=model).ids == expected.search("w01 w02 w30", model=model).ids


def test_removing_and_adding_again_gives_the_same_index(texts, index):
    changed = Index.from_texts(texts)
    changed.remove(["58", "59"])
    changed.add(texts[58:], ids=["58", "59"])
    np.testing.assert_array_equal(changed.collection.counts.toarray(), index.collection.counts.toarray())
    assert changed.terms.tolist() == index.terms.tolist()


@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("model", MODELS)
def test_where_keeps_the_scores_of_the_documents_it_allows(k, model, index):
    allowed = np.arange(60) % 3 == 0
    every = index.search("w01 w05 w30", None, model=model)
    expected = [hit for hit, d in zip(every, every.documents, strict=True) if allowed[d]][:k]
    for where in (allowed, allowed.tolist(), [str(d) for d in range(0, 60, 3)], {str(d) for d in range(0, 60, 3)}):
        assert list(index.search("w01 w05 w30", k, model=model, where=where)) == expected
    assert len(index.search("w01", where=[])) == 0


def test_bad_ids_to_remove_or_search_are_refused(texts):
    index = Index.from_texts(texts)
    for ids, sentence in (
        ("3", "ids must be a list"),
        (3, "ids must be a list"),
        (["x"], "no document has the id 'x'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            index.remove(ids)
    assert len(index) == 60
    with pytest.raises(ValueError, match="no document has the id 'x'"):
        index.search("w01", where=["3", "x"])
    with pytest.raises(ValueError, match="one True or False per document; the index has 60 documents"):
        index.search("w01", where=[True, False])


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1950, None, 1970, 1980]) >= 1960,
        pd.Series([1950, None, 1970, 1980], dtype="Int64") >= 1960,
        pd.Series([False, np.nan, True, True], dtype=object),
        [False, None, True, True],
    ],
    ids=["polars", "pandas", "pandas objects", "list"],
)
def test_a_missing_value_of_where_counts_as_false(column):
    index = Index.from_texts(["so"] * 4)
    assert index.search("so", where=column).ids == ["2", "3"]


def test_where_without_any_value_allows_no_document():
    index = Index.from_texts(["so"] * 2)
    assert index.search("so", where=pl.Series([None, None], dtype=pl.Boolean) == True).ids == []  # noqa: E712
    assert index.search("so", where=[]).ids == []
    assert index.search("so", where=iter(["1"])).ids == ["1"]
    assert index.search("so", where=pl.Series(["1"])).ids == ["1"]


def test_added_documents_without_ids_get_free_ones():
    index = Index.from_texts(["a b", "c d", "so on"])
    index.remove(["0"])
    index.add(["e f", "g h"])
    assert index.ids == ["1", "2", "3", "4"]


def test_hits_are_shown_in_one_line():
    index = Index.from_texts(["so so"] * 300)
    assert repr(index.search("so", k=1)) == f"Hits(1 document, '0': {index.search('so')[0].score:.4g})"
    assert repr(index.search("so", k=None)).startswith("Hits(300 documents, '0': ")
    assert repr(index.search("so", k=None)).endswith(", …)")
    assert len(repr(index.search("so", k=None))) < 120
    assert repr(index.search("nowhere")) == "Hits(0 documents)"
