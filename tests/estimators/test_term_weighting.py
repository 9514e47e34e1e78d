"""`TermWeighting` as a scikit-learn transformer."""

import pickle
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb
from termburst.statistics.matrix import canonical_counts

COUNTS = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
    elements=st.sampled_from([0, 0, 1, 2, 9]),
).filter(lambda X: X.sum() > 0)
pytestmark = pytest.mark.filterwarnings("ignore:the scheme 'class-")


@parametrize_with_checks(
    [tb.TermWeighting()]
)  # no check is expected to fail; scikit-learn skips array API input unless SCIPY_ARRAY_API is set
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def test_weights_are_those_of_the_scheme_and_the_input_does_not_change(fig3):
    for scheme in tb.SCHEMES:
        X = sp.csr_matrix(fig3)
        before = X.copy()
        weights = tb.TermWeighting(scheme, norm=None, sigma2=2.0).fit_transform(X)
        expected = tb.SCHEMES[scheme](X, tb.TermStatistics.from_counts(X, detail="patterns"), sigma2=2.0)
        np.testing.assert_array_equal(weights.data, expected)
        assert not np.shares_memory(weights.indices, X.indices)
        assert (before != X).nnz == 0


@pytest.mark.slow
@given(COUNTS, st.sampled_from(["csr", "csc", "coo"]), st.sampled_from(["int8", "int32", "float64"]), st.booleans())
def test_the_form_of_the_input_does_not_matter(X, form, dtype, array):
    make = sp.coo_array if array else sp.coo_matrix
    estimator = tb.TermWeighting(sigma2=1e-4)
    given_ = estimator.fit_transform(make(X.astype(dtype)).asformat(form))
    np.testing.assert_array_equal(given_.toarray(), estimator.fit_transform(X).toarray())
    assert isinstance(given_, sp.csr_array if array else sp.csr_matrix)


@given(COUNTS, st.integers(1, 5))
def test_partial_fit_in_pieces_is_fit_at_once(X, cut):
    whole = tb.TermWeighting("s-lambda", sigma2=1e-4).fit(X)
    pieces = tb.TermWeighting("s-lambda", sigma2=1e-4)
    for piece in np.array_split(X, min(cut, X.shape[0])):
        pieces.partial_fit(piece)
    assert pieces.statistics_ == whole.statistics_
    assert pieces.mu_ == whole.mu_
    np.testing.assert_array_equal(pieces.transform(X).toarray(), whole.transform(X).toarray())


def test_fit_starts_anew_and_partial_fit_adds(fig3):
    estimator = tb.TermWeighting().fit(fig3[:50])
    assert estimator.fit(fig3[50:]).statistics_.documents == 50
    assert estimator.partial_fit(fig3[:50]).statistics_.documents == 100


def test_the_default_is_best_for_most(fig3):
    expected = tb.TermWeighting("bm25", norm="l2").fit_transform(fig3)
    np.testing.assert_array_equal(tb.TermWeighting().fit_transform(fig3).toarray(), expected.toarray())


def test_only_what_the_scheme_needs_is_computed(fig3):
    assert tb.TermWeighting("s-lambda").fit(fig3).statistics_.detail == "frequencies"


def test_mu_is_learned_or_given(fig3):
    assert tb.TermWeighting().fit(fig3).mu_ == 74.59
    given_ = tb.TermWeighting("s-lambda", norm=None, mu=30.0).fit(fig3)
    assert given_.mu_ == 30.0
    expected = tb.SCHEMES["s-lambda"](canonical_counts(fig3), tb.TermStatistics.from_counts(fig3), mu=30.0)
    np.testing.assert_array_equal(given_.transform(fig3).data, expected)


def test_transductive_recomputes_all_but_mu(fig3):
    train, test = fig3[:60], fig3[60:]
    weights = tb.TermWeighting("s-lambda", norm=None, transductive=True).fit(train).transform(test)
    expected = tb.SCHEMES["s-lambda"](canonical_counts(test), tb.TermStatistics.from_counts(test), mu=train.sum() / 60)
    np.testing.assert_array_equal(weights.data, expected)
    inductive = tb.TermWeighting("s-lambda", norm=None).fit(train).transform(test)
    assert np.abs(inductive - weights).max() > 0.01


def test_empty_documents_and_unseen_terms():
    for scheme, transductive in product(tb.SCHEMES, (True, False)):
        estimator = tb.TermWeighting(scheme, sigma2=1e-4, transductive=transductive)
        estimator.fit([[2, 0, 9], [1, 0, 8], [0, 0, 0]])
        assert estimator.statistics_.documents == 3
        weights = estimator.transform([[0, 0, 0], [0, 4, 2]]).toarray()
        assert np.isfinite(weights).all()
        assert not weights[0].any()
        if not transductive:
            assert weights[1, 1] == 0
        assert not estimator.transform([[0, 0, 0]]).toarray().any()


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_norm(fig3, norm):
    weights = tb.TermWeighting("tf-icf", norm=norm).fit_transform(fig3).toarray()
    np.testing.assert_allclose(np.linalg.norm(weights, 1 if norm == "l1" else 2, axis=1), 1)


def test_names_and_set_output(fig3):
    frame = pd.DataFrame(fig3, columns=[f"t{i}" for i in range(250)])
    estimator = tb.TermWeighting(sparse_output=False).set_output(transform="pandas")
    weights = estimator.fit_transform(frame)
    assert weights.columns.tolist() == frame.columns.tolist() == estimator.get_feature_names_out().tolist()
    assert estimator.statistics_.terms.tolist() == frame.columns.tolist()
    polars = clone(estimator).set_output(transform="polars").fit_transform(frame)
    assert polars.columns == frame.columns.tolist()
    for container in ("pandas", "polars"):
        sparse = tb.TermWeighting().set_output(transform=container)
        with pytest.raises(ValueError, match="sparse"):
            sparse.fit_transform(frame)


def test_clone_pickle_and_pipeline(fig3):
    estimator = tb.TermWeighting("lambda", mu=40.0, sigma2=2.0, norm="l2", transductive=True, invalid="raise")
    assert clone(estimator).get_params() == estimator.get_params()
    fitted = tb.TermWeighting().fit(fig3)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.statistics_ == fitted.statistics_
    np.testing.assert_array_equal(again.transform(fig3).data, fitted.transform(fig3).data)
    labels = np.arange(100) % 2
    assert make_pipeline(tb.TermWeighting(), MultinomialNB()).fit(fig3, labels).score(fig3, labels) > 0.5


def test_the_clamp_is_reported_once():
    X = np.array([[30, 1], [30, 1]])
    with pytest.warns(tb.inference.ClampedTermsWarning, match="1 of 2 terms") as seen:
        tb.TermWeighting("s-lambda", mu=4.0).fit_transform(X)
    assert len(seen) == 1
    with pytest.raises(ValueError, match="1 of 2 terms"):
        tb.TermWeighting("s-lambda", mu=4.0, invalid="raise").fit_transform(X)


@pytest.mark.parametrize(
    ("options", "X", "said"),
    [
        ({"scheme": "tfidf"}, [[1, 2]], "'s-lambda'.*; got 'tfidf'"),
        ({"sigma2": 0}, [[1, 2]], "sigma2 must be"),
        ({"mu": -1}, [[1, 2]], "mu must be"),
        ({"norm": "max"}, [[1, 2]], "norm must be"),
        ({"invalid": "skip"}, [[1, 2]], "invalid must be"),
        ({}, [[0, 0]], "all documents are empty"),
        ({}, [[1, -2]], "column 1 of the count matrix is -2"),
        ({}, [[0.5, 1]], "Weights .* cannot be weighted again"),
        ({}, [[np.nan, 1]], "nan"),
        ({}, np.zeros((0, 3)), "0 sample"),
        ({}, np.zeros((3, 0)), "0 feature"),
    ],
)
@pytest.mark.parametrize("method", ["fit_transform", "fit"])
def test_bad_input_is_refused_with_a_sentence(options, X, said, method):
    with pytest.raises(ValueError, match=said):
        getattr(tb.TermWeighting(**options), method)(X)


def test_other_columns_than_in_fitting_are_refused(fig3):
    with pytest.raises(ValueError, match="250 features"):
        tb.TermWeighting().fit(fig3).transform(fig3[:, :10])


@pytest.mark.parametrize("scheme", ["class-damped", "class-lift"])
def test_labels_in_pieces_are_labels_at_once(fig3, scheme):
    y = np.array(["war", "peace", "law"])[np.arange(len(fig3)) % 3]
    whole = tb.TermWeighting(scheme).fit(fig3, y)
    pieces = tb.TermWeighting(scheme).partial_fit(fig3[:1], y[:1])
    assert pieces.contrast_ is None  # one class
    pieces.partial_fit(fig3[1:50], y[1:50]).partial_fit(fig3[50:], y[50:])
    # The order in which classes come does not matter.
    np.testing.assert_allclose(pieces.contrast_, whole.contrast_, rtol=1e-12)
    np.testing.assert_allclose(pieces.transform(fig3).data, whole.transform(fig3).data, rtol=1e-12)
    with pytest.raises(ValueError, match="give labels y either in every call of partial_fit or in none"):
        pieces.partial_fit(fig3)


def test_a_scheme_of_classes_without_labels_says_what_to_do(fig3):
    said = "'class-lift' has no labels .* take the scheme 'bm25', or give labels y"
    with pytest.warns(UserWarning, match=said):
        pieces = tb.TermWeighting("class-lift").partial_fit(fig3[:50])
    with pytest.warns(UserWarning, match=said) as told:
        tb.BurstinessVectorizer(scheme="class-lift").fit(["the ship sank", "the bank fell"])
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pieces.partial_fit(fig3[50:])  # not again for each piece
        tb.TermWeighting("class-lift").fit(fig3, np.arange(len(fig3)) % 2)
        tb.TermWeighting("bm25").fit(fig3)


@pytest.mark.parametrize("scheme", ["class-lift", "class-damped"])
def test_one_class_only_is_said(fig3, scheme):
    y = np.full(len(fig3), "war")
    said = f"all documents have the label 'war', so that the scheme '{scheme}' has no classes to compare .* is 1"
    for method in ("fit", "fit_transform"):
        with pytest.warns(UserWarning, match=said) as told:
            getattr(tb.TermWeighting(scheme), method)(fig3, y)
        assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tb.TermWeighting(scheme).partial_fit(fig3, y)  # documents of other classes may come
        tb.TermWeighting("bm25").fit(fig3, y)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_a_document_without_label_is_refused_in_a_sentence(fig3, missing):
    y = np.array(["war", "peace"] * (len(fig3) // 2), dtype=object)
    y[3] = missing
    numbers = np.where(np.arange(len(fig3)) == 3, np.nan, np.arange(len(fig3)) % 2)
    for labels in (y, numbers):
        with pytest.raises(ValueError, match=r"contains NaN, None .*: give every document a label"):
            tb.TermWeighting("class-lift").fit(fig3, labels)


def test_only_schemes_that_use_labels_see_them(fig3):
    y = np.linspace(0, 1, len(fig3))
    assert (tb.TermWeighting("bm25").fit_transform(fig3, y) != tb.TermWeighting("bm25").fit_transform(fig3)).nnz == 0
    with pytest.raises(ValueError, match="'class-lift' compares classes, but y has continuous values; take another"):
        tb.TermWeighting("class-lift").fit(fig3, y)
    with pytest.raises(ValueError, match="there are 100 documents, but 99 labels"):
        tb.TermWeighting("class-lift").fit(fig3, np.arange(99) % 2)


def test_labels_reach_the_weights_through_texts_and_pipelines():
    texts, y = (
        ["the ship sank", "the ship sails", "the bank fell", "the bank rose"] * 5,
        ["sea", "sea", "money", "money"] * 5,
    )
    vectorizer = tb.BurstinessVectorizer(scheme=tb.recommended_scheme("linear"), norm="l2")
    weights = vectorizer.fit_transform(texts, y).toarray()
    the, ship = (vectorizer.vocabulary_[word] for word in ("the", "ship"))
    assert vectorizer.weighting_.contrast_[the] == 0
    assert vectorizer.weighting_.contrast_[ship] > 1
    assert weights[0, ship] > 3 * weights[0, the]
