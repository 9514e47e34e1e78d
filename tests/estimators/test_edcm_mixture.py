"""`EDCMMixture` against SciPy's distribution, planted clusters and the properties of EM."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import dirichlet_multinomial
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb


@parametrize_with_checks([tb.EDCMMixture()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def planted(documents=400, components=3, terms=90, precision=20.0, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.integers(components, size=documents)
    means = rng.dirichlet(np.full(terms, 0.2), size=components)
    lengths = rng.integers(30, 80, size=documents)
    X = np.zeros((documents, terms), dtype=np.int64)
    for c in range(components):
        drawn = tb.models.PolyaUrn(precision * means[c] + 1e-9, 1.0).sample(lengths[label == c], rng)
        X[label == c] = drawn.toarray()
    return X, label


@pytest.mark.slow
@pytest.mark.parametrize("precision", [20.0, 20000.0, np.inf, "component"])
def test_planted_clusters_are_found(precision):
    X, label = planted()
    model = tb.EDCMMixture(3, precision=precision, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(label, model.labels_) > 0.9
    np.testing.assert_allclose(np.sort(model.weights_), np.sort(np.bincount(label) / label.size), atol=0.03)
    assert model.converged_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_em_never_lowers_the_bound():
    X, _ = planted(150)
    bounds = [
        tb.EDCMMixture(
            3,
            precision="component",
            length_damping=0,
            background=0,
            alpha=1e-9,
            temperatures=(1,),
            max_iter=m,
            random_state=1,
        )
        .fit(X)
        .lower_bound_
        for m in range(1, 9)
    ]
    assert (np.diff(bounds) > -1e-6).all()


def test_with_a_number_as_precision_the_likelihood_is_exact():
    X, _ = planted(80)
    model = tb.EDCMMixture(3, precision=7.0, length_damping=0, random_state=0).fit(X)
    by_component = [dirichlet_multinomial.logpmf(X, 7.0 * m, X.sum(axis=1)) for m in model.mean_]
    expected = np.log(model.weights_ @ np.exp(by_component))
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-10)
    assert model.lower_bound_ == pytest.approx(expected.mean())
    np.testing.assert_array_equal(model.precision_, 7.0)


def test_damping_changes_only_documents_above_the_median_length():
    X, _ = planted(100)
    model = tb.EDCMMixture(2, length_damping=1, random_state=0).fit(X)
    n_j = X.sum(axis=1)
    assert model.length_ == np.median(n_j)
    score = [
        dirichlet_multinomial.logpmf(X, 20000.0 * m, n_j) / np.maximum(1, n_j / model.length_) for m in model.mean_
    ]
    odds = np.exp(score[1] - score[0]) * model.weights_[1] / model.weights_[0]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], odds / (1 + odds), rtol=1e-6)


def test_the_probabilities_of_empty_documents_are_the_weights():
    X = np.vstack([planted(40)[0], np.zeros((2, 90), dtype=int)])
    model = tb.EDCMMixture(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.predict_proba(X)[-2:], [model.weights_] * 2)


def test_seeds_predictions_and_scores_agree():
    X, _ = planted(200)
    model, again = (tb.EDCMMixture(3, random_state=4).fit(X) for _ in range(2))
    np.testing.assert_array_equal(model.labels_, again.labels_)
    np.testing.assert_array_equal(model.predict(sp.csc_matrix(X)), model.labels_)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), model.labels_)
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())


def test_it_warns_if_it_has_not_converged():
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        tb.EDCMMixture(3, max_iter=1, random_state=0).fit(planted(60)[0])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_components": 0}, "n_components must be a whole number"),
        ({"n_components": 9}, "2 documents are too few for n_components=9"),
        ({"precision": "own"}, "precision must be a number above 1e-100"),
        ({"precision": 0}, "precision must be a number above 1e-100"),
        ({"length_damping": 2}, "length_damping must be a number from 0 to 1"),
        ({"temperatures": (1, 5)}, "temperatures must decrease"),
        ({"background": -1}, "background must be a number"),
        ({"alpha": np.inf}, "alpha must be a number above 0 and at most"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.EDCMMixture(**{"n_components": 2, **options}).fit([[1, 0], [0, 1]])
