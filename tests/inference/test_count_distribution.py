"""Expected numbers of documents, against SciPy's pmfs summed document by document."""

import numpy as np
import pytest
from scipy import stats

import termburst as tb
from termburst.inference.count_distribution import count_distribution


def _by_scipy(X, column, fit, largest):
    lengths, counts = X.sum(axis=1), X[:, column]
    k = np.arange(largest)
    theta = counts.sum() / lengths.sum()
    plain = np.array([stats.binom.pmf(k, n, theta) for n in lengths]).sum(axis=0)
    bursty = plain
    if fit.status[column] == "converged":
        a, b = fit.alpha[column], fit.alpha_not[column]
        bursty = np.array([stats.betabinom.pmf(k, n, a, b) if n else k == 0 for n in lengths]).sum(axis=0)
    return [np.append(found, len(X) - found.sum()) for found in (plain, bursty)]


@pytest.mark.parametrize("as_statistics", [False, True])
def test_expected_counts_are_sums_of_scipys_pmfs(as_statistics):
    rng = np.random.default_rng(3)
    share = rng.dirichlet([0.05, 0.3, 2.0, 40.0], 60)
    X = np.array([rng.multinomial(n, p) for n, p in zip(rng.integers(0, 90, 60), share, strict=True)])
    X[:5] = 0  # empty documents have no term
    source = tb.TermStatistics.from_counts(X, detail="patterns") if as_statistics else X
    fit = tb.fit_beta_binomial(X)
    found = count_distribution(source, [2, 0, 1], largest=7)
    for row, column in enumerate([2, 0, 1]):
        np.testing.assert_array_equal(found.observed[row], np.bincount(np.minimum(X[:, column], 7), minlength=8))
        plain, bursty = _by_scipy(X, column, fit, 7)
        np.testing.assert_allclose(found.binomial[row], plain, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.beta_binomial[row], bursty, rtol=1e-8, atol=1e-9)


def test_no_document_holds_more_than_its_length():
    found = count_distribution([[1, 2], [0, 3], [2, 1], [0, 3]], [0], largest=5)
    assert found.binomial[0, 5] == found.beta_binomial[0, 5] == 0


def test_at_the_boundary_both_models_are_one():
    X = np.array([[1, 9], [1, 9], [1, 9], [1, 9]])
    assert tb.fit_beta_binomial(X).status[0] == "boundary"
    found = count_distribution(X, [0], largest=4)
    np.testing.assert_array_equal(found.binomial, found.beta_binomial)
    assert found.binomial.sum() == pytest.approx(4)


def test_all_or_nothing():
    X = np.array([[3, 0], [0, 4], [2, 0], [0, 5]])
    assert tb.fit_beta_binomial(X).status[0] == "degenerate"
    found = count_distribution(X, [0], largest=5)
    np.testing.assert_allclose(found.beta_binomial, [[2.0, 0, 0.5, 0.5, 0.5, 0.5]])
    every_token = count_distribution(np.array([[3], [4]]), [0], largest=5)
    np.testing.assert_allclose(every_token.binomial, [[0, 0, 0, 1, 1, 0]], atol=1e-12)
