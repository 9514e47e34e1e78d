"""Each scheme is its formula, on the stored cells and nowhere else."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit
from sklearn.feature_extraction.text import TfidfTransformer

import termburst as tb
from termburst.counts.matrix import canonical_counts
from termburst.weighting import SCHEMES, named_scheme

COUNTS = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0, 0, 1, 2, 9]),
).filter(lambda X: X.sum() > 0)


def dense(scheme, X, **options):
    counts = canonical_counts(X)
    weights = SCHEMES[scheme](counts, tb.TermStatistics.from_counts(X), **options)
    return sp.csr_matrix((weights, counts.indices, counts.indptr), shape=X.shape).toarray()


@given(COUNTS)
def test_the_three_tf_idf_forms_are_as_the_paper_defines_them(X):
    with np.errstate(divide="ignore"):
        idf = np.where(X.any(axis=0), np.log(X.shape[0] / (X > 0).sum(axis=0)), 0)
        icf = np.where(X.any(axis=0), np.log(X.sum() / X.sum(axis=0)), 0)
    np.testing.assert_allclose(dense("tf-idf", X), X * idf, atol=1e-13)
    np.testing.assert_allclose(dense("btf-idf", X), (X > 0) * idf, atol=1e-13)
    np.testing.assert_allclose(dense("tf-icf", X), X * icf, atol=1e-13)


def test_tf_idf_is_scikit_learn_s_without_its_plus_one(fig3):
    occurs = fig3[:, fig3.any(axis=0)]
    theirs = TfidfTransformer(norm=None, smooth_idf=False).fit_transform(occurs).toarray()
    np.testing.assert_allclose(dense("tf-idf", occurs), theirs - occurs, atol=1e-12)


def test_lambda_and_its_sigmoid_are_the_contributions(fig3):
    shares = tb.plr_contributions(fig3, sigma2=2.0).toarray()
    np.testing.assert_array_equal(dense("lambda", fig3, sigma2=2.0), shares)
    np.testing.assert_array_equal(dense("s-lambda", fig3, sigma2=2.0), np.where(fig3 > 0, expit(shares), 0))


def test_long_arrays_on_several_threads_equal_short_ones_on_one():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.7, size=(2000, 300)))
    assert X.nnz > 4 * 2**15
    statistics = tb.TermStatistics.from_counts(X)
    whole = SCHEMES["s-lambda"](X, statistics, mu=50.0)
    pieces = [SCHEMES["s-lambda"](X[i : i + 100], statistics, mu=50.0) for i in range(0, 2000, 100)]
    np.testing.assert_allclose(whole, np.concatenate(pieces), rtol=1e-13)


def test_counts_beyond_the_table_of_factorials():
    X = np.array([[100_000, 2], [3, 5]])
    with pytest.warns(tb.ClampedTermsWarning):
        large = dense("lambda", X, mu=300.0)
    n, d, n_i, b_i, mu = 100_010, 2, 100_003, 2, 300.0
    total = b_i + n - n_i
    expected = 100_000 * np.log(n / n_i) - np.log(d / b_i) + float(mpmath.loggamma(100_000))
    expected += 99_999 * np.log(total / d) + 100_002 * np.log(n / total) - (1 + 1 / 4) * np.log(mu)
    expected += (n_i - b_i + 1 - (mu**2 - 1.5) * np.log(mu**2)) / 4
    assert large[0, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_term_never_seen_weighs_nothing(scheme):
    known = tb.TermStatistics.from_counts([[2, 0, 9], [1, 0, 8]])
    weights = SCHEMES[scheme](canonical_counts([[1, 7, 3]]), known, mu=20.0)
    assert weights[1] == 0
    assert np.isfinite(weights).all()


def test_an_unknown_scheme_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"'tf-idf'.*'s-lambda'; got 'tfidf'"):
        named_scheme("tfidf")
    with pytest.raises(ValueError, match="scheme is one of"):
        named_scheme([])
