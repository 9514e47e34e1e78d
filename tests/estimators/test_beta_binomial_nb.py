"""`BetaBinomialNB` against SciPy's beta-binomial, planted truth and shuffled labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import betabinom
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb
from termburst.estimators import beta_binomial_nb
from termburst.models import beta_binomial_classes

WHOLE = "this check uses fractions, but counts of a beta-binomial must be whole numbers"
EXCEPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": WHOLE,  # the same with whole numbers is tested below
    "check_sample_weight_equivalence_on_sparse_data": WHOLE,
    "check_classifiers_one_label_sample_weights": WHOLE,
}


@parametrize_with_checks([tb.BetaBinomialNB()], expected_failed_checks=lambda estimator: EXCEPTIONS)
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def planted(documents, seed=0):
    rng = np.random.default_rng(seed)
    means = rng.dirichlet(np.full(40, 0.7), size=2)
    y = rng.integers(2, size=documents)
    lengths = rng.integers(5, 80, size=documents)
    X = np.zeros((documents, 40), dtype=np.int64)
    for c in range(2):
        X[y == c] = tb.models.PolyaUrn(10 * means[c] + 1e-9, 1.0).sample(lengths[y == c], rng).toarray()
    return X, y


def brute_force(model, X):
    n_j = X.sum(axis=1)[:, None]
    pairs = zip(model.alpha_, model.alpha_not_, strict=True)
    joint = np.column_stack([betabinom.logpmf(X, n_j, a, b).sum(axis=1) for a, b in pairs]) + model.class_log_prior_
    return joint - np.logaddexp.reduce(joint, axis=1)[:, None]


def test_probabilities_are_those_of_scipy_s_distribution():
    X, y = planted(20)
    model = tb.BetaBinomialNB().fit(X, y)
    np.testing.assert_allclose(model.predict_log_proba(sp.csc_matrix(X)), brute_force(model, X), atol=1e-7)


def test_lengths_between_the_nodes_are_interpolated_well():
    X, y = planted(400)
    assert np.unique(X.sum(axis=1)).size > beta_binomial_classes.NODES
    model = tb.BetaBinomialNB(multinomial=0).fit(X, y)
    np.testing.assert_allclose(model.predict_log_proba(X), brute_force(model, X), atol=2e-3)


def test_planted_classes_are_found_and_shuffled_labels_give_chance_accuracy():
    X, y = planted(2000)
    train, test = slice(0, 1000), slice(1000, 2000)
    assert tb.BetaBinomialNB().fit(X[train], y[train]).score(X[test], y[test]) > 0.9
    shuffled = np.random.default_rng(1).permutation(y)
    by_chance = tb.BetaBinomialNB(fit_prior=False).fit(X[train], shuffled[train]).score(X[test], shuffled[test])
    assert by_chance == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / 1000))


def test_empty_documents_and_unseen_terms():
    model = tb.BetaBinomialNB().fit([[2, 0, 0, 1], [0, 3, 0, 0], [0, 0, 0, 0]], ["a", "b", "b"])
    np.testing.assert_allclose(model.predict_proba([[0, 0, 0, 0]]), [[1 / 3, 2 / 3]])
    assert np.isfinite(model.predict_log_proba([[0, 0, 9, 0]])).all()


def test_bad_use_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="background must be a number above 0"):
        tb.BetaBinomialNB(background=0).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match="strength must be a number above 0 and at most"):
        tb.BetaBinomialNB(strength=np.inf).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match="row 0, column 1"):
        tb.BetaBinomialNB().fit([[1, 0.5], [0, 1]], [0, 1])


def test_the_background_is_chosen_on_held_out_documents():
    X, y = planted(200)
    model = tb.BetaBinomialNB().fit(X, y)
    assert model.background_ in (0.1, 0.3, 0.5, 0.8)
    np.testing.assert_array_equal(tb.BetaBinomialNB(background=model.background_).fit(X, y).alpha_, model.alpha_)
    assert tb.BetaBinomialNB().fit(X[:99], y[:99]).background_ == 0.1
    with pytest.raises(ValueError, match="background must be a number above 0"):
        tb.BetaBinomialNB(background="best").fit(X, y)


def test_with_multinomial_1_it_is_multinomial_nb_and_between_both_are_mixed():
    X, y = planted(300)
    plain = tb.BetaBinomialNB(multinomial=1).fit(X, y)
    alphas = [MultinomialNB(alpha=alpha).fit(X, y) for alpha in beta_binomial_nb.ALPHAS]
    errors = [np.abs(model.predict_log_proba(X) - plain.predict_log_proba(X)).max() for model in alphas]
    assert min(errors) < 1e-9
    parts = [tb.BetaBinomialNB(multinomial=t).fit(X, y).predict_joint_log_proba(X) for t in (0, 0.25, 1)]
    np.testing.assert_allclose(parts[1], 0.75 * parts[0] + 0.25 * parts[2], rtol=1e-10)
    chosen = tb.BetaBinomialNB().fit(X, y)
    assert chosen.multinomial_ in beta_binomial_nb.SHARES
    given = tb.BetaBinomialNB(multinomial=chosen.multinomial_).fit(X, y)
    np.testing.assert_array_equal(given.predict_log_proba(X), chosen.predict_log_proba(X))
    with pytest.raises(ValueError, match="multinomial must be a number from 0 to 1"):
        tb.BetaBinomialNB(multinomial=2).fit(X, y)


def test_whole_sample_weights_repeat_the_documents():
    X, y = planted(40)
    times = np.random.default_rng(2).integers(0, 3, size=40)
    weighted = tb.BetaBinomialNB().fit(X, y, sample_weight=times)
    repeated = tb.BetaBinomialNB().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.alpha_, repeated.alpha_)
    np.testing.assert_allclose(weighted.class_log_prior_, repeated.class_log_prior_)
    with pytest.raises(ValueError, match="must be whole numbers"):
        tb.BetaBinomialNB().fit(X, y, sample_weight=np.full(40, 0.5))
