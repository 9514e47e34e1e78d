"""`ClassTermWeighting` alone: from counts and labels to the words of classes."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb

X = np.array([[3, 0, 5, 0], [2, 1, 4, 0], [0, 4, 5, 0], [0, 0, 7, 2]])
LABELS = ["a", "a", "b", "c"]
CLASSES = np.array([[5, 1, 9, 0], [0, 4, 5, 0], [0, 0, 7, 2]])


@parametrize_with_checks([tb.ClassTermWeighting()])
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def test_the_default_is_fisher_s_exact_test_of_term_and_class():
    n_i, n_j, n = CLASSES.sum(axis=0), CLASSES.sum(axis=1), CLASSES.sum()
    tail = stats.hypergeom.sf(CLASSES - 1, n, n_i, n_j[:, None])
    expected = np.where(CLASSES > 0, -np.log(tail), 0)
    weights = tb.ClassTermWeighting(norm=None).fit(X, LABELS).transform(CLASSES).toarray()
    np.testing.assert_allclose(weights, expected, rtol=1e-10, atol=1e-12)
    unit = tb.ClassTermWeighting().fit(CLASSES).transform(CLASSES).toarray()
    np.testing.assert_allclose(unit, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-10, atol=1e-12)


def test_documents_are_weighed_with_the_statistics_of_classes():
    icf = np.log(CLASSES.sum() / CLASSES.sum(axis=0))
    idf = np.log(3 / (CLASSES > 0).sum(axis=0))  # three classes, not four documents
    for scheme, rarity in (("tf-icf", icf), ("tf-idf", idf)):
        model = tb.ClassTermWeighting(scheme, norm=None).fit(X, LABELS)
        np.testing.assert_allclose(model.transform(X).toarray(), X * rarity)
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.class_counts_.toarray(), CLASSES)


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
@pytest.mark.filterwarnings("ignore:the scheme 'class-")
def test_every_allowed_scheme_is_non_negative_and_does_not_change_x(fig3):
    for scheme in (name for name, scheme in tb.SCHEMES.items() if not scheme.signed):
        given = sp.csr_matrix(fig3.astype(np.float64))
        before = given.copy()
        weights = tb.ClassTermWeighting(scheme).fit(given, np.arange(100) % 7).transform(given)
        assert weights.data.min() >= 0
        assert np.isfinite(weights.data).all()
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(given, part), getattr(before, part))
            assert not np.shares_memory(getattr(weights, part), getattr(given, part))


def test_the_multiplier_scales_before_the_norm():
    m = np.array([2.0, 1.0, 0.5, 1.0])
    plain = tb.ClassTermWeighting("counts", norm=None).fit(CLASSES).transform(CLASSES).toarray()
    scaled = tb.ClassTermWeighting("counts", norm=None).fit(CLASSES, multiplier=m).transform(CLASSES).toarray()
    np.testing.assert_array_equal(scaled, plain * m)
    unit = tb.ClassTermWeighting("counts", norm="l1").fit(CLASSES, multiplier=m).transform(CLASSES).toarray()
    np.testing.assert_allclose(unit, scaled / scaled.sum(axis=1, keepdims=True))


def test_seed_words_are_found_by_the_names_of_columns():
    frame = pd.DataFrame(CLASSES, columns=["purr", "bark", "the", "moo"])
    model = tb.ClassTermWeighting(seed_words=["moo", "unknown"], seed_multiplier=10**30).fit(frame)
    assert model.multiplier_.tolist() == [1, 1, 1, 1e30]
    model = tb.ClassTermWeighting(seed_words=["moo", "unknown"], seed_multiplier=3).fit(frame)
    assert model.multiplier_.tolist() == [1, 1, 1, 3]
    assert model.top_terms(n=1) == {0: ["purr"], 1: ["bark"], 2: ["moo"]}


def test_clone_and_pickle():
    model = tb.ClassTermWeighting("tf-icf", seed_words=["a"], seed_multiplier=3, norm="l1")
    assert clone(model).get_params() == model.get_params()
    fitted = tb.ClassTermWeighting().fit(X, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X).toarray(), fitted.transform(X).toarray())


@pytest.mark.parametrize(
    ("options", "fit", "said"),
    [
        (
            {"scheme": "lambda"},
            {},
            "without negative weights, which 'lambda', 'pearson', 'deviance' have; got 'lambda'",
        ),
        ({"scheme": "pearson"}, {}, "without negative weights"),
        ({"scheme": "deviance"}, {}, "without negative weights"),
        ({"scheme": "none"}, {}, "scheme must be one of"),
        ({"norm": "max"}, {}, "norm must be"),
        ({}, {"y": [1, 2]}, "documents, but . labels"),
        ({}, {"multiplier": [1.0, 2.0]}, r"shape \(2,\), but X has 4 columns"),
        ({}, {"multiplier": [1.0, -2.0, 1, 1]}, "finite and not negative"),
        ({"seed_words": ["moo"]}, {}, "seed_words need column names"),
    ],
)
def test_bad_parameters_get_a_sentence(options, fit, said):
    with pytest.raises(ValueError, match=said):
        tb.ClassTermWeighting(**options).fit(X, **fit)


def test_there_must_be_one_name_per_term():
    with pytest.raises(ValueError, match="4 terms, but 2 names"):
        tb.ClassTermWeighting().fit(X, LABELS).top_terms(["a", "b"])


def test_the_unit_of_documents_is_fishers_test_of_presences():
    rng = np.random.default_rng(5)
    X, y = rng.poisson(0.4, size=(40, 12)), np.repeat([0, 1, 2, 3], 10)
    X[0, 3] = 400  # one document repeats a word
    model = tb.ClassTermWeighting(unit="documents", norm=None).fit(sp.csr_array(X), y)
    there = np.array([(X[y == label] > 0).sum(axis=0) for label in range(4)])
    n, n_i, n_j = there.sum(), there.sum(axis=0), there.sum(axis=1)
    expected = -stats.hypergeom.logsf(there - 1, n, n_i, n_j[:, None])
    weights = model.weighting_.transform(model.class_counts_).toarray()
    assert weights == pytest.approx(np.where(there > 0, expected, 0), abs=1e-9)
    calm = X.copy()
    calm[0, 3] = 1
    again = tb.ClassTermWeighting(unit="documents", norm=None).fit(calm, y)
    assert model.top_terms() == again.top_terms()
    assert (model.transform(X) != again.transform(calm)).nnz == 0
    assert X[0, 3] == 400  # the input is not changed
    assert tb.ClassTermWeighting().fit(X, y).top_terms()[0][0] == "x3"


def test_the_unit_of_documents_needs_labels():
    with pytest.raises(ValueError, match="unit='documents' needs labels y"):
        tb.ClassTermWeighting(unit="documents").fit([[1, 2]])
    with pytest.raises(ValueError, match="unit must be one of 'tokens', 'documents'; got 'pages'"):
        tb.ClassTermWeighting(unit="pages").fit([[1, 2]], [0])
