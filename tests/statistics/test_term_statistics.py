"""Addition and subtraction are exact: any split of a collection, merged again, gives the same collection."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termburst.counting.options import CountingOptions
from termburst.names import DETAILS
from termburst.statistics.merging import laid_onto
from termburst.statistics.term_statistics import TermStatistics, as_statistics

COUNTS = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.sampled_from([0, 0, 0, 1, 1, 2, 3, 11])
)
detail_levels = pytest.mark.parametrize("detail", DETAILS)


def names(size: int) -> list[str]:
    return [f"t{i:02d}" for i in range(size)]


def of(X, detail="patterns", terms=None):
    return TermStatistics.from_counts(X, names(X.shape[1]) if terms is None else terms, detail)


@given(COUNTS)
def test_every_quantity_equals_its_definition(X):
    s = of(X)
    n_j = X.sum(axis=1)
    assert (s.documents, s.tokens, s.vocabulary_size) == (X.shape[0], X.sum(), X.shape[1])
    assert s.mean_length == n_j.mean()
    np.testing.assert_array_equal(s.collection_frequency, X.sum(axis=0))
    np.testing.assert_array_equal(s.document_frequency, (X > 0).sum(axis=0))
    np.testing.assert_array_equal(s.count_length_sum, (X * n_j[:, None]).sum(axis=0))
    np.testing.assert_array_equal(s.count_squared_sum, (X**2).sum(axis=0))
    np.testing.assert_array_equal(np.repeat(s.lengths, s.length_documents), np.sort(n_j))
    rows = s.rows
    patterns = {}
    for j, i in np.argwhere(X):
        key = (int(i), int(X[j, i]), int(n_j[j]))
        patterns[key] = patterns.get(key, 0) + 1
    found = zip(rows.term.tolist(), rows.count.tolist(), rows.length.tolist(), strict=True)
    assert dict(zip(found, rows.documents.tolist(), strict=True)) == patterns
    factorials = [[sum(np.log(np.arange(1, n))) for n in column if n] for column in X.T.tolist()]
    np.testing.assert_allclose(s.log_factorial_sum, [sum(f) for f in factorials], rtol=1e-13, atol=1e-13)


@given(COUNTS, st.data())
@detail_levels
def test_any_split_merged_equals_the_whole_exactly(detail, X, data):
    part = data.draw(hnp.arrays(np.int64, X.shape[0], elements=st.integers(0, 2)))
    pieces = []
    for k in data.draw(st.permutations(range(3))):
        piece = X[part == k]
        if piece.shape[0]:
            seen = piece.any(axis=0) | ~X.any(axis=0)  # each part knows only its own words
            if seen.any():
                pieces.append(of(piece[:, seen], detail, np.array(names(X.shape[1]))[seen]))
            else:
                pieces.append(of(piece, detail))
    total = pieces[0]
    for piece in pieces[1:]:
        total = total + piece
    whole = of(X, detail)
    if total.vocabulary_size < whole.vocabulary_size:  # a word that is in the vocabulary of no part
        whole = whole.prune()
        total = total.prune()
    assert total == whole


@given(COUNTS, COUNTS)
@detail_levels
def test_what_was_added_can_be_subtracted_again(detail, A, B):
    a, b = of(A, detail), of(B, detail)
    rest = (a + b) - b
    assert rest.prune() == a.prune()
    assert rest.documents == a.documents
    np.testing.assert_array_equal(rest.lengths, a.lengths)


@pytest.mark.slow
@given(COUNTS, COUNTS)
def test_addition_commutes_with_itself_and_with_coarsening(A, B):
    a, b = of(A), of(B)
    assert a + b == b + a
    for detail in DETAILS:
        assert (a + b).coarsen(detail) == of(A, detail) + of(B, detail)


@given(COUNTS, st.data())
@detail_levels
def test_the_order_of_documents_and_columns_does_not_matter(detail, X, data):
    rows = data.draw(st.permutations(range(X.shape[0])))
    columns = list(data.draw(st.permutations(range(X.shape[1]))))
    assert of(X[rows], detail) == of(X, detail)
    moved = of(X[:, columns], detail, np.array(names(X.shape[1]))[columns])
    np.testing.assert_array_equal(moved.collection_frequency, X.sum(axis=0)[columns])
    # In the column order of the whole, both are equal: only the order had changed.
    assert laid_onto(moved, of(X).terms) == of(X, detail)


@given(COUNTS, st.sampled_from(["csr", "csc", "coo"]), st.sampled_from(["int8", "int64", "float64"]))
def test_the_sparse_format_does_not_matter(X, form, dtype):
    assert of(sp.coo_array(X.astype(dtype)).asformat(form)) == of(X)


@detail_levels
def test_unnamed_statistics_merge_by_column(detail):
    X = np.array([[2, 1], [0, 3]])
    s = TermStatistics.from_counts(X, detail=detail)
    assert TermStatistics.from_counts(X[:1], detail=detail) + TermStatistics.from_counts(X[1:], detail=detail) == s
    assert s.terms is None


def test_subtraction_refuses_to_fall_below_zero():
    X = np.array([[2, 1, 0], [0, 3, 0]])
    whole = of(X)
    with pytest.raises(ValueError, match=r"too many of length 5"):
        whole - of(np.array([[0, 5, 0]]))
    with pytest.raises(ValueError, match=r"the term 't02' would fall below zero"):
        whole - of(np.array([[2, 0, 1]]))
    with pytest.raises(ValueError, match=r"the term 'new' cannot be subtracted"):
        whole - of(np.array([[2, 1]]), terms=["t00", "new"])
    # The same totals in another arrangement: only the patterns differ.
    left, right = of(np.array([[2, 1], [0, 3]])), of(np.array([[1, 2], [0, 3]]))
    with pytest.raises(ValueError, match=r"would fall below zero"):
        left - right
    with pytest.raises(ValueError, match=r"would fall below zero"):
        left.coarsen("moments") - right.coarsen("moments")


def test_subtraction_of_frequencies_refuses_what_it_can_detect():
    left = of(np.array([[2, 0], [0, 2]]), "frequencies")
    with pytest.raises(ValueError, match="would fall below zero"):
        left - of(np.array([[1, 1]]), "frequencies")  # both words would occur in no document
    nothing = left - left
    assert (nothing.documents, nothing.tokens, nothing.mean_length) == (0, 0, 0.0)


def test_sums_that_do_not_fit_are_refused():
    half = TermStatistics.from_counts([[2**31 - 10]])
    with pytest.raises(ValueError, match="too large"):
        half + half + half


def test_batches_are_kept_and_not_added_twice():
    X = np.array([[2, 1], [0, 3]])
    monday = TermStatistics.from_counts(X, names(2), batch="monday")
    tuesday = TermStatistics.from_counts(X, names(2), batch="tuesday")
    both = tuesday + monday
    assert both.batches == ("monday", "tuesday")
    with pytest.raises(ValueError, match="'monday' is in both"):
        both + monday
    assert (both - monday).batches == ("tuesday",)
    with pytest.raises(ValueError, match="'monday' cannot be subtracted"):
        tuesday - monday
    with pytest.raises(ValueError, match="batch must be a string; got 3"):
        TermStatistics.from_counts(X, batch=3)


def test_statistics_that_do_not_fit_together_are_refused():
    X = np.array([[2, 1], [0, 3]])
    with pytest.raises(ValueError, match=r'different detail.*"patterns" and "moments"'):
        of(X) + of(X, "moments")
    with pytest.raises(ValueError, match="with and without term names"):
        of(X) + TermStatistics.from_counts(X, detail="patterns")
    with pytest.raises(ValueError, match="2 and 1 columns"):
        TermStatistics.from_counts(X) + TermStatistics.from_counts(X[:, :1])
    with pytest.raises(ValueError, match="counted in different ways"):
        TermStatistics.from_texts(["ha ha"]) + TermStatistics.from_texts(
            ["ha ha"], counting=CountingOptions(lowercase=False)
        )
    with pytest.raises(TypeError):
        of(X) + 1


@pytest.mark.parametrize(
    ("X", "terms", "detail", "said"),
    [
        (np.zeros((0, 3)), None, "moments", "no documents"),
        (np.zeros((3, 0)), None, "moments", "no terms"),
        (np.ones((2, 2)), ["a"], "moments", "1 terms for 2 columns"),
        (np.ones((2, 2)), ["a", "a"], "moments", "'a' names two columns"),
        (np.ones((2, 2)), ["a", 1], "moments", "number 1 is 1"),
        (np.ones((2, 2)), None, "everything", "'everything'"),
        (np.full((1, 1), 2**40), None, "moments", "too large"),
        (np.ones((2, 2)), "ab", "moments", "a list or an array of strings"),
        (np.ones((2, 2)), {"a", "b"}, "moments", "a list or an array of strings"),
        (np.ones((2, 2)), 2, "moments", "a list or an array of strings"),
    ],
)
def test_bad_input_gives_a_message_of_one_line(X, terms, detail, said):
    with pytest.raises(ValueError, match=said) as caught:
        TermStatistics.from_counts(X, terms, detail)
    assert "\n" not in str(caught.value)


def test_a_function_that_needs_more_detail_says_so():
    s = of(np.array([[2, 1], [0, 3]]), "frequencies")
    with pytest.raises(ValueError, match=r'detail="moments"'):
        as_statistics(s, "moments")
    with pytest.raises(ValueError, match="but this question needs"):
        _ = s.count_histogram
    with pytest.raises(ValueError, match='needs detail="patterns"; count the texts again'):
        s.coarsen("patterns")


def test_index_by_name_and_by_number():
    s = of(np.array([[2, 1], [0, 3]]), terms=["burst", "bursts"])
    assert s.index("bursts") == 1
    assert s.index(0) == 0
    with pytest.raises(ValueError, match=r"'bursty' is not among the 2 terms; did you mean 'burst' or 'bursts'\?"):
        s.index("bursty")
    with pytest.raises(ValueError, match="no column 2"):
        s.index(2)
    for no_name in (["burst"], None, 1.0):
        with pytest.raises(ValueError, match="by its name or its column number; got"):
            s.index(no_name)
    with pytest.raises(ValueError, match="no term names"):
        TermStatistics.from_counts([[1]]).index("burst")


def test_equality_compares_everything():
    X = np.array([[2, 1], [0, 3]])
    s = of(X)
    assert s == of(X)
    assert s != of(X, "moments")
    assert s != of(X, terms=["a", "b"])
    assert s != TermStatistics.from_counts(X, names(2), "patterns", batch="x")
    assert s != of(X.T)
    assert s != 1
    assert pickle.loads(pickle.dumps(s)) == s
    assert repr(s) == "TermStatistics(2 documents, 6 tokens, 2 terms, detail='patterns')"


TEXTS = ["So it goes.", "so so", "", "It goes on and on", "and so it goes", "", "ha ha ha ha"]


@detail_levels
def test_texts_in_batches_of_any_size_give_the_same(detail):
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer()
    whole = TermStatistics.from_counts(
        vectorizer.fit_transform(TEXTS), vectorizer.get_feature_names_out(), detail, batch="all"
    )
    for size in (1, 2, 3, 100):
        batches = [TEXTS[i : i + size] for i in range(0, len(TEXTS), size)]
        counted = TermStatistics.from_texts(iter(batches), detail, batch="all")
        assert counted.counting == CountingOptions()
        assert counted == TermStatistics.from_texts(TEXTS, detail, batch="all")
        assert replace(counted, counting=None) == whole


def test_many_plain_texts_are_grouped_into_batches(monkeypatch):
    monkeypatch.setattr("termburst.statistics.streaming.BATCH_DOCUMENTS", 2)
    assert TermStatistics.from_texts(t for t in TEXTS) == TermStatistics.from_texts([TEXTS])


def test_lists_of_tokens_are_texts_if_the_options_say_so():
    tokens = CountingOptions(pretokenized=True)
    s = TermStatistics.from_texts([["so", "it"], ["so"], "so long"], counting=tokens)
    assert (s.documents, s.terms.tolist()) == (3, ["it", "long", "so"])
    assert s == TermStatistics.from_texts([[["so", "it"], ["so"], "so long"]], counting=tokens)
    assert s == TermStatistics.from_batches([[["so", "it"]], [["so"], "so long"]], counting=tokens)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "no documents"),
        ([[]], "no documents"),
        (["", " "], "no document has a term"),
        ("one text", "got str"),
        ({"a": "one text"}, "got dict"),
        (pd.DataFrame({"text": ["one"]}), "got DataFrame"),
        (["one", None], "got None"),
        ([["one", None]], "Document 1 must be a string; got None"),
        ([["one", float("nan")]], "Document 1 must be a string; got nan"),
        ([[["one", "text"]]], "Document 0 must be a string; got"),
        ([b"one"], "got b'one'"),
        ([3], "got 3"),
    ],
)
def test_texts_without_terms_are_refused(texts, said):
    with pytest.raises(ValueError, match=said):
        TermStatistics.from_texts(texts)


def test_a_lone_surrogate_is_not_a_term():
    with pytest.raises(ValueError, match=r"the term 'a\\ud800' contains a lone surrogate"):
        TermStatistics.from_counts([[1, 2]], terms=["naïve", "a\ud800"])


def test_min_count_must_be_an_integer():
    for wrong in (1.5, "2", None, True, -1, np.float64(2)):
        with pytest.raises(ValueError, match="min_count must be an integer of 0 or more; got"):
            TermStatistics.from_counts([[2, 1], [0, 3]]).prune(wrong)


def test_statistics_pruned_with_a_numpy_integer_can_be_saved_and_loaded(tmp_path):
    pruned = TermStatistics.from_counts([[2, 1], [0, 3]]).prune(np.int64(3))
    pruned.save(tmp_path / "s.parquet")
    assert TermStatistics.load(tmp_path / "s.parquet") == pruned
