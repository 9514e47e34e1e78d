"""`BurstClassifier` against its parts, planted truth, shuffled labels and bad input."""

import pickle

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb
from termburst.models.margins import ClassLogRatios, fit_margins, fit_mix, log_means


@parametrize_with_checks([tb.BurstClassifier()])
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def planted(documents, seed=0, classes=3, precision=30.0):
    """Texts of classes with different bursty words, and their labels."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i:03d}" for i in range(150)])
    means = np.random.default_rng(99).dirichlet(np.full(150, 0.5), size=classes)
    y = rng.integers(classes, size=documents)
    texts = [" ".join(rng.choice(words, size=12, p=rng.dirichlet(precision * means[c] + 1e-9))) for c in y]
    return texts, np.array(["a", "b", "c"])[y]


def test_planted_classes_are_found_and_shuffled_labels_are_not():
    texts, y = planted(400)
    assert cross_val_score(tb.BurstClassifier(), texts, y, cv=3).mean() > 0.85
    shuffled = np.random.default_rng(1).permutation(y)
    chance = cross_val_score(tb.BurstClassifier(), texts, shuffled, cv=3).mean()
    assert chance == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / 400))


def test_probabilities_are_calibrated():
    texts, y = planted(1200, precision=8.0)
    model = tb.BurstClassifier().fit(texts[:600], y[:600])
    proba = model.predict_proba(texts[600:])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    right = model.predict(texts[600:]) == y[600:]
    assert 0.5 < right.mean() < 0.97
    assert proba.max(axis=1).mean() == pytest.approx(right.mean(), abs=3 * np.sqrt(0.25 / 600))


def test_shuffled_labels_give_no_confidence():
    texts, y = planted(600)
    shuffled = np.random.default_rng(1).permutation(y)
    model = tb.BurstClassifier().fit(texts[:300], shuffled[:300])
    assert model.predict_proba(texts[300:]).max(axis=1).mean() < 0.6


def test_texts_and_counts_give_the_same_if_there_are_only_words():
    texts, y = planted(150)
    words = tb.CountVectorizer()
    X = words.fit_transform(texts)
    of_texts = tb.BurstClassifier(vectorizer=tb.CountVectorizer()).fit(texts, y)
    of_counts = tb.BurstClassifier().fit(X, y)
    np.testing.assert_allclose(of_texts.coef_, of_counts.coef_)
    np.testing.assert_allclose(of_texts.predict_proba(texts), of_counts.predict_proba(sp.csc_array(X)))


def test_pairs_of_words_are_used_and_single_ones_left_out():
    texts = ["not good", "good", "not bad", "bad"] * 10 + ["only once"]
    y = ["-", "+", "+", "-"] * 10 + ["+"]
    model = tb.BurstClassifier().fit(texts, y)
    names = model.vectorizer_.get_feature_names_out()[model.kept_].tolist()
    assert {"not good", "not bad"} < set(names)
    assert "only once" not in names
    assert model.predict(["not good", "not bad"]).tolist() == ["-", "+"]


def test_two_classes_have_opposite_scores():
    texts, y = planted(200, classes=2)
    model = tb.BurstClassifier().fit(texts, y)
    np.testing.assert_allclose(model.coef_[0], -model.coef_[1], atol=1e-12)
    np.testing.assert_allclose(model.predict_proba([""]).sum(), 1)


def test_clone_pickle_and_repeat():
    texts, y = planted(120)
    model = tb.BurstClassifier(costs=(2.0,))
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model.fit(texts, y)))
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    np.testing.assert_array_equal(clone(model).fit(texts, y).coef_, model.coef_)
    assert model.cost_ == 2.0


def test_rare_classes_empty_texts_and_unknown_words():
    texts, y = planted(60)
    model = tb.BurstClassifier().fit([*texts, "", "z z z"], [*y, "d", "e"])
    assert np.isfinite(model.predict_proba(["", "unheard", *texts[:3]])).all()
    few = tb.BurstClassifier().fit(["one", "two"], [0, 1])
    assert few.predict(["one", "two"]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"costs": ()}, "costs must be a list of numbers"),
        ({"costs": 1.0}, "costs must be a list of numbers"),
        ({"costs": [1.0, -1]}, "costs must be a number above 0"),
        ({"folds": 1}, "folds must be a whole number of 2 or more"),
        ({"ngram_weight": 0}, "ngram_weight must be a number above 0"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"random_state": 2**63}, "random_state must be a whole number from 0 to 9"),
        ({"vectorizer": "x"}, "vectorizer must be None or a vectorizer"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.BurstClassifier(**options).fit(["a b", "c d"], [0, 1])


def test_bad_use_is_refused_with_a_sentence():
    texts, y = planted(30)
    with pytest.raises(ValueError, match="a list of texts, or counts; got a single text"):
        tb.BurstClassifier().fit("one text", y)
    with pytest.raises(ValueError, match="30 documents, but 29 labels"):
        tb.BurstClassifier().fit(texts, y[1:])
    with pytest.raises(ValueError, match="at least two classes; got one class, 'a'"):
        tb.BurstClassifier().fit(texts, ["a"] * 30)
    with pytest.raises(ValueError, match="was fitted on texts; got counts"):
        tb.BurstClassifier().fit(texts, y).predict([[1, 2]])
    with pytest.raises(ValueError, match="was fitted on counts; got texts"):
        tb.BurstClassifier().fit([[1, 2], [2, 0]], [0, 1]).predict(texts)
    with pytest.raises(ValueError, match="give every document a label"):
        tb.BurstClassifier().fit(texts[:2], ["a", None])
    for missing in (None, np.nan):
        with pytest.raises(ValueError, match="document 1 must be a string; got"):
            tb.BurstClassifier().fit(["a b", missing, "c"], [0, 1, 0])
    assert not hasattr(tb.BurstClassifier(), "partial_fit")


def test_costs_may_be_an_iterator():
    assert tb.BurstClassifier(costs=iter([2.0])).fit(["so it", "goes on"], [0, 1]).cost_ == 2.0


# ---- the arithmetic


def test_equal_ratios_give_linear_svc():
    rng = np.random.default_rng(0)
    X = sp.random_array((80, 30), density=0.3, rng=rng, format="csr")
    label = rng.integers(3, size=80)
    ours = fit_margins(X, label, np.full((3, 30), 0.4), 0.8, tolerance=1e-7)
    theirs = LinearSVC(C=0.8, tol=1e-9, max_iter=100_000).fit(X, label)
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.scores(X), theirs.decision_function(X), atol=1e-4)
    assert not fit_margins(X, label, np.full((3, 30), 0.4), 1e6, tolerance=1e-12).converged


def test_a_term_without_a_difference_is_hardly_used():
    X, label = sp.csr_array(np.array([[1.0, 1.0], [0.0, 0.0]] * 5)), np.array([0, 1] * 5)
    found = fit_margins(X, label, np.array([[2.0, 0.0], [-2.0, 0.0]]), 1.0)
    assert abs(found.coefficients[0, 0]) > 100 * abs(found.coefficients[0, 1])


def test_log_ratios_and_means_by_hand():
    evidence = np.array([[4, 0, 1], [1, 2, 0], [0, 0, 7]])
    own, rest = evidence[0] + 1, evidence[1] + evidence[2] + 1
    np.testing.assert_allclose(ClassLogRatios(evidence)[0], np.log(own / own.sum()) - np.log(rest / rest.sum()))
    means = (evidence + 0.1) / (evidence + 0.1).sum(axis=1, keepdims=True)
    difference = log_means(evidence, 0.1, 0.0) - np.log(means)
    np.testing.assert_allclose(difference, np.tile(difference[0], (3, 1)))


def test_the_mix_finds_the_factors_that_made_the_labels():
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 20_000, 3))
    joint = 2.0 * first + 0.5 * second
    label = (joint + rng.gumbel(size=joint.shape)).argmax(axis=1)
    factors, likelihood = fit_mix([first, second, rng.normal(size=(20_000, 3))], label)
    np.testing.assert_allclose(factors, [2.0, 0.5, 0.0], atol=0.06)
    assert likelihood < 0


def test_the_mix_is_scipy_s_optimum_also_where_a_factor_is_0():
    rng = np.random.default_rng(8)
    label = rng.integers(3, size=300)
    scores = [rng.normal(size=(300, 3)) for _ in range(2)]
    scores[0][np.arange(300), label] += 1.5
    scores[1][np.arange(300), label] -= 0.5  # misleads, so that its factor is 0
    sizes = [s.std() for s in scores]

    def loss(f):
        joint = sum(k * s / size for k, s, size in zip(f, scores, sizes, strict=True))
        own = joint[np.arange(300), label] - np.logaddexp.reduce(joint, axis=1)
        return -own.mean() + ((f - 1) ** 2).sum() / 300

    expected = minimize(loss, np.ones(2), bounds=[(0, None)] * 2, method="L-BFGS-B", options={"ftol": 1e-14})
    factors, likelihood = fit_mix(scores, label)
    assert factors[1] == 0
    np.testing.assert_allclose(factors * sizes, expected.x, atol=1e-4)
    assert likelihood == pytest.approx(-expected.fun, abs=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_contributions_add_up_to_the_log_odds(classes):
    texts, y = planted(200, classes=classes)
    model = tb.BurstClassifier().fit(texts, y)
    scores = model.predict_log_proba(texts[:1])[0]
    first, second = np.argsort(-scores)[:2]
    found = model.explain(texts[0])
    expected = scores[first] - scores[second] - (model.intercept_[first] - model.intercept_[second])
    assert found["contribution"].sum() == pytest.approx(expected)
    back = model.explain(texts[0], model.classes_[second], model.classes_[first])
    np.testing.assert_allclose(back["contribution"], -found["contribution"])
    words = found.filter(~found["term"].str.contains(" "))
    assert words["count"].to_list() == [texts[0].split().count(word) for word in words["term"]]
    other = model.explain(texts[0], against=model.classes_[first])  # the most probable of the others
    np.testing.assert_allclose(other["contribution"], -found["contribution"])
    for options in ({"label": "z"}, {"label": "a", "against": "a"}, {"label": ["a"]}, {"against": np.array(["a"])}):
        with pytest.raises(ValueError, match="label and against must be two of"):
            model.explain(texts[0], **options)
    with pytest.raises(ValueError, match="explain takes one document; got 2"):
        model.explain(texts[:2])
    with pytest.raises(ValueError, match=r"give one column: df\['text'\]"):
        model.predict(pl.DataFrame({"text": texts}))
