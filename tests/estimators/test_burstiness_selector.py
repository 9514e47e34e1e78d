"""`BurstinessSelector` keeps the terms that rank highest in the tables, and finds planted bursts."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import termburst as tb


@parametrize_with_checks([tb.BurstinessSelector()])
def test_scikit_learn_s_common_checks(estimator, check):
    check(estimator)


def planted(seed=0):
    """Sixty terms of equal frequency; the first ten are bursty."""
    rng = np.random.default_rng(seed)
    burst = rng.negative_binomial(0.3, 0.3 / 1.3, size=(300, 10))
    return np.column_stack([burst, rng.poisson(1.0, size=(300, 50))])


@pytest.mark.parametrize("by", ["plr", "lr", "p"])
@pytest.mark.parametrize("k", [10, 10 / 60])
def test_the_planted_terms_are_kept(by, k):
    X = planted()
    selector = tb.BurstinessSelector(k, by=by).fit(X)
    np.testing.assert_array_equal(selector.get_support(indices=True), np.arange(10))
    np.testing.assert_array_equal(selector.transform(X), X[:, :10])
    np.testing.assert_array_equal(selector.transform(sp.csc_matrix(X)).toarray(), X[:, :10])


@pytest.mark.slow
def test_scores_are_those_of_the_functions(fig3):
    occurs = fig3.sum(axis=0) > 0
    plr = tb.BurstinessSelector().fit(fig3).scores_
    np.testing.assert_array_equal(plr[occurs], tb.plr_statistic(fig3)[occurs])
    table = tb.burstiness_test(fig3, terms=[str(i) for i in range(fig3.shape[1])], columns="all")
    rows = table.sort(table["term"].cast(int))
    ratio = tb.BurstinessSelector(by="lr").fit(fig3).scores_
    np.testing.assert_allclose(
        ratio[occurs], rows["lr"].to_numpy()[occurs[rows["term"].cast(int).to_numpy()]], atol=1e-9
    )
    assert np.isnan(plr[~occurs]).all()


@pytest.mark.slow
def test_with_fdr_few_terms_are_kept_by_chance():
    kept = tb.BurstinessSelector("all", by="p", fdr=0.05).fit(planted()).get_support()
    assert kept[:10].all()
    assert kept[10:].sum() <= 3
    none = tb.BurstinessSelector("all", by="p", fdr=0.01).fit(np.random.default_rng(1).poisson(1.0, (200, 40)))
    assert none.get_support().sum() <= 1


def test_terms_that_never_occur_come_last():
    X = [[0, 3, 1], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_array_equal(tb.BurstinessSelector(2).fit(X).get_support(), [False, True, True])


def test_in_a_pipeline():
    X, y = planted(), np.arange(300) % 2
    model = make_pipeline(tb.BurstinessSelector(5), MultinomialNB()).fit(X, y)
    assert model[-1].n_features_in_ == 5
    assert tb.BurstinessSelector(2).fit(X).get_feature_names_out().size == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"k": 0}, "k must be a whole number"),
        ({"k": 1.5}, "k must be a whole number"),
        ({"k": True}, "k must be a whole number"),
        ({"by": "chi2"}, "by must be one of 'plr', 'lr', 'p'"),
        ({"fdr": 0.1}, "fdr needs by='p'"),
        ({"fdr": 2, "by": "p"}, "fdr must be a number above 0"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.BurstinessSelector(**options).fit([[1, 2], [3, 4]])
