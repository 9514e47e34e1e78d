"""`DirichletMultinomialNB` against SciPy, scikit-learn's `MultinomialNB`, planted truth and shuffled labels."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import dirichlet_multinomial
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb


@parametrize_with_checks([tb.DirichletMultinomialNB()])
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def planted(documents, precision=60.0, classes=3, terms=40, seed=0):
    """Documents of classes with different means, and their labels."""
    rng = np.random.default_rng(seed)
    means = rng.dirichlet(np.full(terms, 0.7), size=classes)
    label = rng.integers(classes, size=documents)
    lengths = rng.integers(5, 60, size=documents)
    X = sp.lil_array((documents, terms), dtype=np.int64)
    for c in range(classes):
        X[label == c] = tb.models.PolyaUrn(precision * means[c] + 1e-9, 1.0).sample(lengths[label == c], rng)
    return X.tocsr(), label, means


@pytest.mark.parametrize("precision", [3.0, 60.0])
@pytest.mark.parametrize("evidence", ["documents", "tokens"])
def test_probabilities_are_those_of_scipy_s_distribution(precision, evidence):
    X, y, _ = planted(90)
    model = tb.DirichletMultinomialNB(precision=precision, evidence=evidence).fit(X, y)
    n_j = X.sum(axis=1)
    ours = model.predict_joint_log_proba(X) - model.class_log_prior_
    theirs = np.column_stack([dirichlet_multinomial.logpmf(X.toarray(), a, n_j) for a in model.alpha_])
    difference = ours - theirs  # the multinomial coefficient, the same for all classes
    np.testing.assert_allclose(difference, difference[:, :1] + np.zeros(3), atol=1e-8)
    joint = theirs + np.log(np.bincount(y) / y.size)
    np.testing.assert_allclose(
        model.predict_proba(X), np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None]), atol=1e-9
    )


def test_with_infinite_precision_it_is_scikit_learn_s_multinomial_nb():
    X, y, _ = planted(60)
    ours = tb.DirichletMultinomialNB(alpha=0.3, background=0, precision=np.inf, evidence="tokens").fit(X, y)
    theirs = MultinomialNB(alpha=0.3).fit(X, y)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(ours.feature_count_, theirs.feature_count_)


@pytest.mark.slow
def test_planted_means_are_found():
    X, y, means = planted(6000, precision=60.0)
    model = tb.DirichletMultinomialNB(evidence="tokens", background=0).fit(X, y)
    np.testing.assert_allclose(model.mean_, means, atol=0.01)


@pytest.mark.slow
def test_bursty_documents_are_classified_better_than_by_a_multinomial():
    X, y, _ = planted(2000, precision=4.0, terms=60, seed=3)
    train, test = slice(0, 1000), slice(1000, 2000)
    ours = tb.DirichletMultinomialNB(precision=4).fit(X[train], y[train]).score(X[test], y[test])
    assert ours > MultinomialNB().fit(X[train], y[train]).score(X[test], y[test]) + 0.02


def test_shuffled_labels_give_chance_accuracy():
    X, y, _ = planted(3000)
    shuffled = np.random.default_rng(1).permutation(y)
    train, test = slice(0, 1500), slice(1500, 3000)
    assert tb.DirichletMultinomialNB().fit(X[train], y[train]).score(X[test], y[test]) > 0.8
    by_chance = tb.DirichletMultinomialNB(fit_prior=False).fit(X[train], shuffled[train]).score(X[test], shuffled[test])
    assert by_chance == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / 1500))


def test_partial_fit_in_pieces_is_fit_at_once():
    X, y, _ = planted(90)
    whole, pieces = tb.DirichletMultinomialNB().fit(X, y), tb.DirichletMultinomialNB()
    for piece in np.array_split(np.arange(90), 4):
        pieces.partial_fit(X[piece], y[piece], classes=[0, 1, 2])
    np.testing.assert_allclose(pieces.alpha_, whole.alpha_, rtol=1e-12)
    np.testing.assert_allclose(pieces.class_log_prior_, whole.class_log_prior_)


def test_whole_sample_weights_repeat_the_documents():
    X, y, _ = planted(40)
    times = np.random.default_rng(2).integers(0, 3, size=40)
    weighted = tb.DirichletMultinomialNB(precision=50).fit(X, y, sample_weight=times)
    repeated = tb.DirichletMultinomialNB(precision=50).fit(X[np.repeat(np.arange(40), times)], np.repeat(y, times))
    np.testing.assert_allclose(weighted.alpha_, repeated.alpha_, rtol=1e-5)


@pytest.mark.parametrize("precision", [50, 10**30])
def test_a_precision_may_be_a_whole_number_of_any_size(precision):
    X, y, _ = planted(40)
    whole, number = (tb.DirichletMultinomialNB(precision=of(precision)).fit(X, y) for of in (int, float))
    assert whole.precision_.dtype == np.float64
    np.testing.assert_array_equal(whole.predict_joint_log_proba(X), number.predict_joint_log_proba(X))


@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix, sp.coo_array, sp.csr_matrix])
def test_the_form_of_the_input_does_not_matter(make):
    X, y, _ = planted(40)
    expected = tb.DirichletMultinomialNB().fit(X, y).predict_joint_log_proba(X)
    given = make(X.toarray().astype(np.float64))
    np.testing.assert_allclose(tb.DirichletMultinomialNB().fit(given, y).predict_joint_log_proba(given), expected)


def test_empty_documents_unseen_terms_and_priors():
    X, y = [[2, 0, 0, 1], [0, 3, 0, 0], [0, 0, 0, 0]], ["a", "b", "b"]
    model = tb.DirichletMultinomialNB().fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0, 0, 0, 0]]), [[1 / 3, 2 / 3]])
    assert np.isfinite(model.predict_joint_log_proba([[0, 0, 9, 0]])).all()
    given = tb.DirichletMultinomialNB(class_prior=[0.9, 0.1]).fit(X, y)
    np.testing.assert_allclose(given.predict_proba([[0, 0, 0, 0]]), [[0.9, 0.1]])


def test_clone_pickle_and_grid_search():
    X, y, _ = planted(60)
    model = tb.DirichletMultinomialNB(background=0.1)
    assert clone(model).get_params() == model.get_params()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model.fit(X, y))).predict(X), model.predict(X))
    assert GridSearchCV(model, {"precision": [10, np.inf]}, cv=2).fit(X, y).best_score_ > 0.6


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alpha": 0}, "alpha must be a number above 0"),
        ({"alpha": np.inf}, "alpha must be a number above 0 and at most"),
        ({"background": 1.5}, "background must be a number from 0 to 1"),
        ({"precision": -1}, "precision must be a number above 1e-100"),
        ({"precision": "best"}, "precision must be a number"),
        ({"evidence": "words"}, "evidence must be one of 'documents', 'tokens', 'held-out'"),
        ({"class_prior": [0.5, 0.6]}, "class_prior must be 2 probabilities"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.DirichletMultinomialNB(**options).fit([[1, 0], [0, 1]], [0, 1])


def test_bad_use_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="Negative values"):
        tb.DirichletMultinomialNB().fit([[1, -1], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match="first call"):
        tb.DirichletMultinomialNB().partial_fit([[1, 0], [0, 1]], [0, 1])
    model = tb.DirichletMultinomialNB().partial_fit([[1, 0], [0, 1]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="not among the classes"):
        model.partial_fit([[1, 0]], [2])
    with pytest.raises(ValueError, match="differ from the classes of the first call"):
        model.partial_fit([[1, 0]], [1], classes=[1, 2])


def test_it_is_not_below_multinomial_nb_on_the_paper_s_collections(newsgroups, r8):
    for split in (newsgroups, r8):
        ours = tb.DirichletMultinomialNB().fit(split.train, split.train_labels).score(split.test, split.test_labels)
        theirs = MultinomialNB().fit(split.train, split.train_labels).score(split.test, split.test_labels)
        assert ours >= theirs
        assert ours > theirs or split is r8


def test_smoothing_is_chosen_on_held_out_documents():
    X, y, _ = planted(400, precision=2.0, terms=300)
    model = tb.DirichletMultinomialNB().fit(X, y)
    assert model.smoothing_[0] in (0.02, 0.1, 0.3, 1.0)
    assert (model.background_, model.precision_[0]) == (0.05, 20000.0)  # the documents are bursty
    given = tb.DirichletMultinomialNB(alpha=model.smoothing_[0], evidence=model.smoothing_[1]).fit(X, y)
    np.testing.assert_array_equal(given.mean_, model.mean_)
    assert tb.DirichletMultinomialNB().fit(X[:99], y[:99]).smoothing_ == (0.1, "documents")
    assert tb.DirichletMultinomialNB(alpha=0.7).fit(X, y).smoothing_[0] == 0.7
    fixed = tb.DirichletMultinomialNB(background=0.2, evidence="tokens").fit(X, y)
    assert (fixed.background_, fixed.smoothing_[1]) == (0.2, "tokens")
    with pytest.raises(ValueError, match="alpha must be a number"):
        tb.DirichletMultinomialNB(alpha="auto").fit(X, y)


def test_among_its_settings_is_tuned_multinomial_nb():
    """If a multinomial is chosen, the model is `MultinomialNB` with that alpha."""
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=300)
    X = np.array([rng.multinomial(60, p) for p in rng.dirichlet(np.full(400, 0.2), size=2)[y]])
    model = tb.DirichletMultinomialNB(background=0.0, precision=np.inf, evidence="tokens").fit(X, y)
    theirs = MultinomialNB(alpha=model.smoothing_[0]).fit(X, y)
    np.testing.assert_allclose(model.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)
    settings = tb.DirichletMultinomialNB()._settings()
    assert {s.alpha for s in settings if s.precision == np.inf and s.background == 0} == {1.0, 0.3, 0.1, 0.03, 0.01}
    assert {s.evidence for s in settings if s.precision == np.inf} == {"tokens"}
    assert len(settings) == len(set(settings)) == 13
