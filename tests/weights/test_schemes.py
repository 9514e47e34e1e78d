"""Each scheme equals its formula, on stored cells only."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import expit
from sklearn.feature_extraction.text import TfidfTransformer

import termburst as tb
from termburst.inference import plr
from termburst.statistics.matrix import canonical_counts
from termburst.weights.schemes import SCHEMES, named_scheme

COUNTS = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0, 0, 1, 2, 9]),
).filter(lambda X: X.sum() > 0)


def dense(scheme, X, **options):
    counts = canonical_counts(X)
    weights = SCHEMES[scheme](counts, tb.TermStatistics.from_counts(X, detail="patterns"), **options)
    return sp.csr_matrix((weights, counts.indices, counts.indptr), shape=X.shape).toarray()


@given(COUNTS)
def test_the_three_tf_idf_forms_equal_the_definitions_of_the_paper(X):
    with np.errstate(divide="ignore"):
        idf = np.where(X.any(axis=0), np.log(X.shape[0] / (X > 0).sum(axis=0)), 0)
        icf = np.where(X.any(axis=0), np.log(X.sum() / X.sum(axis=0)), 0)
    np.testing.assert_allclose(dense("tf-idf", X), X * idf, atol=1e-13)
    np.testing.assert_allclose(dense("btf-idf", X), (X > 0) * idf, atol=1e-13)
    np.testing.assert_allclose(dense("tf-icf", X), X * icf, atol=1e-13)


def test_tf_idf_is_that_of_scikit_learn_without_plus_one(fig3):
    occurs = fig3[:, fig3.any(axis=0)]
    theirs = TfidfTransformer(norm=None, smooth_idf=False).fit_transform(occurs).toarray()
    np.testing.assert_allclose(dense("tf-idf", occurs), theirs - occurs, atol=1e-12)


def test_lambda_and_its_sigmoid_are_the_contributions(fig3):
    shares = tb.plr_contributions(fig3, sigma2=2.0).toarray()
    np.testing.assert_array_equal(dense("lambda", fig3, sigma2=2.0), shares)
    np.testing.assert_array_equal(dense("s-lambda", fig3, sigma2=2.0), np.where(fig3 > 0, expit(shares), 0))


def test_weights_of_rare_terms_from_a_table_equal_those_computed_one_by_one(monkeypatch):
    rng = np.random.default_rng(3)
    X = sp.csr_matrix(rng.poisson(rng.gamma(0.1, 3.0, size=6000), size=(40, 6000)))
    looked_up = tb.plr_contributions(X, sigma2=0.01)
    monkeypatch.setattr(plr, "_RARE", 10**6)
    computed = tb.plr_contributions(X, sigma2=0.01)
    assert X.sum(axis=0).max() > 100
    np.testing.assert_allclose(looked_up.data, computed.data, rtol=1e-14)
    np.testing.assert_allclose(looked_up.absent, computed.absent, rtol=1e-14)


@pytest.mark.filterwarnings("error")
def test_a_few_tokens_with_a_large_vocabulary_give_no_warning():
    X = sp.csr_matrix((np.ones(3, dtype=int), ([0, 0, 1], [1, 2, 3])), shape=(2, 5000))
    few = sp.csr_matrix((np.ones(3, dtype=int), ([0, 0, 1], [0, 1, 2])), shape=(2, 3))
    weigh = tb.TermWeighting("s-lambda", norm=None, sigma2=0.01).fit_transform
    np.testing.assert_array_equal(weigh(X).data, weigh(few).data)


def test_long_arrays_on_several_threads_equal_short_ones_on_one_thread():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.7, size=(2000, 300)))
    assert X.nnz > 4 * 2**15
    statistics = tb.TermStatistics.from_counts(X)
    whole = SCHEMES["s-lambda"](X, statistics, mu=50.0)
    pieces = [SCHEMES["s-lambda"](X[i : i + 100], statistics, mu=50.0) for i in range(0, 2000, 100)]
    np.testing.assert_allclose(whole, np.concatenate(pieces), rtol=1e-13)


def test_counts_beyond_the_table_of_factorials():
    X = np.array([[100_000, 2], [3, 5]])
    with pytest.warns(tb.inference.ClampedTermsWarning):
        large = dense("lambda", X, mu=300.0)
    n, d, n_i, b_i, mu = 100_010, 2, 100_003, 2, 300.0
    total = b_i + n - n_i
    expected = 100_000 * np.log(n / n_i) - np.log(d / b_i) + float(mpmath.loggamma(100_000))
    expected += 99_999 * np.log(total / d) + 100_002 * np.log(n / total) - (1 + 1 / 4) * np.log(mu)
    expected += (n_i - b_i + 1 - (mu**2 - 1.5) * np.log(mu**2)) / 4
    assert large[0, 0] == pytest.approx(expected, rel=1e-12)


def test_a_term_that_never_occurs_has_weight_0():
    for scheme in SCHEMES:
        known = tb.TermStatistics.from_counts([[2, 0, 9], [1, 0, 8]], detail="patterns")
        weights = SCHEMES[scheme](canonical_counts([[1, 7, 3]]), known, mu=20.0)
        assert weights[1] == 0
        assert np.isfinite(weights).all()


def test_the_error_for_an_unknown_scheme_lists_all_names():
    with pytest.raises(ValueError, match=r"'tf-idf'.*'s-lambda'.*; got 'tfidf'; did you mean 'tf-idf'\?"):
        named_scheme("tfidf")
    with pytest.raises(ValueError, match="scheme must be one of"):
        named_scheme([])


# ---- schemes from exact fits, and baselines


@pytest.fixture(scope="module")
def bursty():
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(np.full(30, 0.3), size=60)
    X = np.array([rng.multinomial(size, share) for size, share in zip(rng.integers(5, 80, 60), shares, strict=True)])
    return np.column_stack([X, np.eye(60, 2, dtype=np.int64), np.ones(60, dtype=np.int64)])


def cellwise(X, formula):
    """*formula*(n_ij, n_j, i) in cells where the term occurs, 0 elsewhere."""
    n_j = X.sum(axis=1)
    return np.array([[formula(n, n_j[j], i) if n else 0.0 for i, n in enumerate(row)] for j, row in enumerate(X)])


def test_damped_counts_are_differences_of_digamma(bursty):
    fit = tb.fit_beta_binomial(bursty)
    mu, idf = bursty.sum() / len(bursty), np.log(len(bursty) / (bursty > 0).sum(axis=0))

    def damped(c, length, i):
        a = fit.alpha[i] + 2
        x = c / (0.25 + 0.75 * length / mu)
        return (x if np.isinf(a) else float(a * (mpmath.digamma(x + a) - mpmath.digamma(a)))) * np.sqrt(idf[i])

    np.testing.assert_allclose(dense("damped-tf-idf", bursty), cellwise(bursty, damped), rtol=1e-9, atol=1e-12)


def test_fisher_is_the_one_sided_exact_test(bursty):
    n, n_i = int(bursty.sum()), bursty.sum(axis=0)
    expected = cellwise(bursty, lambda c, length, i: -stats.hypergeom.logsf(c - 1, n, n_i[i], length))
    np.testing.assert_allclose(dense("fisher", bursty), np.maximum(expected, 0), rtol=1e-7, atol=1e-9)
    table = [[9, 31], [n_i[0] - 9, n - 40 - n_i[0] + 9]]
    one = canonical_counts([[9, 31] + [0] * (bursty.shape[1] - 2)])
    p = stats.fisher_exact(table, alternative="greater").pvalue
    s = tb.TermStatistics.from_counts(bursty)
    assert SCHEMES["fisher"](one, s)[0] == pytest.approx(-np.log(p), rel=1e-7)


def test_tf_idf_is_a_limit_of_fisher():
    """One occurrence each in documents of equal length, many tokens: −log P(N ≥ 1) → log(n/(n_i n_j))."""
    X = np.zeros((1000, 3), dtype=np.int64)
    X[:10, 0] = 1
    X[:, 2] = 10 - X[:, 0]
    assert dense("fisher", X)[0, 0] == pytest.approx(np.log(1000 / 10), rel=1e-2)


def test_bm25_and_the_other_baselines(bursty):
    d = len(bursty)
    n_i, b_i, mu = bursty.sum(axis=0), (bursty > 0).sum(axis=0), bursty.sum() / len(bursty)

    def saturated(c, length, i):
        return c * 2.2 / (c + 1.2 * (0.25 + 0.75 * length / mu))

    cases = {
        "counts": lambda c, length, i: c,
        "sublinear-tf-idf": lambda c, length, i: (1 + np.log(c)) * (1 + np.log(d / b_i[i])),
        "bm25": lambda c, length, i: saturated(c, length, i) * np.log(d / b_i[i]),
        "two-stage": lambda c, length, i: np.log(d / b_i[i]) + (c - 1) * np.log(n_i[i] / max(n_i[i] - b_i[i], 0.5)),
    }
    for scheme, formula in cases.items():
        np.testing.assert_allclose(dense(scheme, bursty), cellwise(bursty, formula), rtol=1e-12, atol=1e-12)


def test_residuals_have_the_variance_of_the_fit():
    """For a known beta-binomial, Pearson residuals of all cells, including absent ones, have mean 0 and variance 1."""
    rng = np.random.default_rng(7)
    n_j = rng.integers(20, 200, 4000)
    count = stats.betabinom.rvs(n_j, 2.0, 38.0, random_state=rng)
    X = np.column_stack([count, n_j - count])
    fit = tb.fit_beta_binomial(X)
    stored = dense("pearson", X)[:, 0]
    p, a_0 = fit.mean[0], fit.alpha_0[0]
    absent = -n_j * p / np.sqrt(n_j * p * (1 - p) * (a_0 + n_j) / (a_0 + 1))
    residual = np.where(count > 0, stored, absent)
    assert residual.mean() == pytest.approx(0, abs=0.05)
    assert residual.var() == pytest.approx(1, abs=0.08)
    deviance = dense("deviance", X)[:, 0]
    np.testing.assert_array_equal(np.sign(deviance), np.sign(stored))
    assert np.corrcoef(deviance, stored)[0, 1] > 0.97


def test_fisher_kernel_features_have_mean_square_one(bursty):
    weights = dense("fisher-kernel", bursty)
    np.testing.assert_allclose((weights**2).mean(axis=0), 1.0, rtol=1e-9)


@given(st.sampled_from(list(SCHEMES)), COUNTS)
@settings(max_examples=400)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_weights_are_finite(scheme, X):
    assert np.isfinite(dense(scheme, X, mu=30.0)).all()


def test_log_damped_counts_lie_between_presence_and_counts(bursty):
    fit, d, b_i = tb.fit_beta_binomial(bursty), len(bursty), (bursty > 0).sum(axis=0)

    def formula(c, length, i):
        a = min(fit.alpha[i], 4) + 0.5
        return np.log(1 + c / a) / np.log(1 + 1 / a) * (1 + np.log((1 + d) / (1 + b_i[i]))) ** 1.1

    weights = dense("log-damped-tf-idf", bursty)
    np.testing.assert_allclose(weights, cellwise(bursty, formula), rtol=1e-9)
    once = np.array([np.append(weights[bursty[:, i] == 1, i], np.nan)[0] for i in range(bursty.shape[1])])
    known = np.isfinite(once)
    assert ((weights >= (bursty > 0) * once - 1e-12)[:, known]).all()
    assert ((weights <= bursty * once + 1e-12)[:, known]).all()


def test_in_texts_without_repeats_log_damped_is_presence_times_rarity():
    X = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0]])
    rarity = (1 + np.log(4 / (1 + X.sum(axis=0)))) ** 1.1
    np.testing.assert_allclose(dense("log-damped-tf-idf", X), X * rarity)


def class_factor(X, y):
    """0.3 + s_i of "class-damped", class by class and term by term."""
    present, best = X > 0, np.zeros(X.shape[1])
    for c in np.unique(y):
        own, others = present[y == c].sum(axis=0) + 1, present[y != c].sum(axis=0) + 1
        r = np.log(own / own.sum()) - np.log(others / others.sum())
        best = np.maximum(best, np.abs(r) - np.sqrt(1 / own + 1 / others))
    return 0.3 + best


def left_out_information(X, y):
    """g_i of "class-lift", by leaving out the documents with a term one by one."""
    present, found = X > 0, np.zeros(X.shape[1])
    for i in range(X.shape[1]):
        told = []
        for j in np.flatnonzero(present[:, i]):
            others = np.delete(y[present[:, i]], np.flatnonzero(present[:, i]).tolist().index(j))
            share = np.mean(y == y[j])
            told.append(np.log((np.sum(others == y[j]) + 3 * share) / (others.size + 3) / share))
        found[i] = max(np.mean(told), 0) if told else 0.0
    return found


def test_class_lift_is_its_formula(bursty):
    y = (bursty[:, :3] > 0) @ [1, 2, 4]  # classes of unequal size, of which some terms tell
    d, b_i, mu = len(bursty), (bursty > 0).sum(axis=0), bursty.sum() / len(bursty)

    def formula(c, length, i):
        rarity = (1 + np.log((1 + d) / (1 + b_i[i]))) ** 1.25
        return 2.2 * c / (c + 1.2 * (0.25 + 0.75 * length / mu)) * rarity

    without = cellwise(bursty, formula)
    np.testing.assert_allclose(dense("class-lift", bursty), without, rtol=1e-9)
    weighting = tb.TermWeighting("class-lift", norm=None).fit(bursty, y)
    information = left_out_information(bursty, y)
    np.testing.assert_allclose(weighting.information_, information, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighting.transform(bursty).toarray(), without * np.sqrt(0.3 + information), rtol=1e-9)
    assert np.count_nonzero(information) > 1


def test_a_term_tells_nothing_of_classes_where_labels_are_shuffled():
    """A word of few documents is always in some class; leaving documents out, that is no information."""
    rng = np.random.default_rng(5)
    X = (rng.random((400, 900)) < rng.uniform(0.002, 0.05, 900)).astype(int)
    y = np.arange(400) % 10
    informed = X.copy()
    informed[:, :50] = ((y == 3)[:, None] & (rng.random((400, 50)) < 0.5)).astype(int)
    weighting = tb.TermWeighting("class-lift").fit(informed, y)
    assert weighting.information_[:50].min() > 1.0  # log 10 = 2.3 at most
    assert weighting.information_[50:].mean() < 0.05  # not 0, since it is cut at 0 term by term
    once = informed.sum(axis=0) == 1
    assert once.any()
    assert (weighting.information_[once] == 0).all()
    contrast = weighting.contrast_
    assert contrast[50:].mean() > 0.1  # which takes chance for a contrast


def dispersion(X, y, i):
    """Pearson's dispersion of a term within classes, document by document, from expected counts."""
    found, freedom = 0.0, 0
    for c in np.unique(y):
        own = X[y == c]
        if own[:, i].any():
            expected = own.sum(axis=1) * own[:, i].sum() / own.sum()
            found += sum((n - m) ** 2 / m for n, m in zip(own[:, i], expected, strict=True) if m > 0)
            freedom += len(own) - 1
    return max(found / max(freedom, 1), 1.0)


def test_class_damped_is_its_formula(bursty):
    y = np.arange(len(bursty)) * 3 // len(bursty)
    bursty = bursty.copy()
    bursty[:, 0] = np.where(y == 1, 1 + bursty.sum(axis=1) // 4, 0)  # steady in one class: its repeats are explained
    d, b_i = len(bursty), (bursty > 0).sum(axis=0)
    factor = np.sqrt(np.where(b_i > 0, 1 + np.log((1 + d) / (1 + b_i)), 0))
    np.testing.assert_allclose(dense("class-damped", bursty), np.sqrt(bursty) * factor, rtol=1e-12)
    explained = np.zeros(bursty.shape[1])
    for i in range(bursty.shape[1]):
        all_as_one = np.log(dispersion(bursty, np.zeros(d), i))
        if all_as_one > 1e-9:
            explained[i] = min(max(1 - np.log(dispersion(bursty, y, i)) / all_as_one, 0), 1)
    assert explained[0] > 0.5
    assert np.count_nonzero((explained > 0) & (explained < 0.5)) > 0
    weighting = tb.TermWeighting("class-damped", norm=None).fit(bursty, y)
    np.testing.assert_allclose(weighting.explained_, explained, rtol=1e-9, atol=1e-9)
    power = np.minimum(0.1 + 1.4 * explained, 1)
    expected = np.where(bursty > 0, bursty**power, 0) * factor * np.sqrt(class_factor(bursty, y))
    np.testing.assert_allclose(weighting.transform(bursty).toarray(), expected, rtol=1e-9)


@pytest.mark.parametrize("model", ["linear", "naive-bayes"])
def test_recommended_names_a_scheme(model):
    assert tb.recommended_scheme(model) in SCHEMES
    with pytest.raises(ValueError, match="model must be one of 'linear', 'naive-bayes'; got 'tree'"):
        tb.recommended_scheme("tree")
