"""Elkan's approximation against its formula written out, the exact distribution and the fit of a whole vocabulary."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import digamma, gammaln
from scipy.stats import dirichlet_multinomial

import termburst as tb
from termburst.models.edcm import edcm_log_likelihood, edcm_precision


def test_the_log_likelihood_written_out():
    X, beta = np.array([[3, 0, 1], [0, 2, 0]]), np.array([[0.02, 0.03, 0.05], [0.4, 0.1, 0.2]])
    s = beta.sum(axis=1)
    ours = edcm_log_likelihood(sp.csr_array(X.astype(float)), beta / s[:, None], s)
    for j, x in enumerate(X):
        n = x.sum()
        for c in range(2):
            there = x > 0
            expected = gammaln(n + 1) + gammaln(s[c]) - gammaln(s[c] + n) + np.log(beta[c][there] / x[there]).sum()
            assert ours[j, c] == pytest.approx(expected, rel=1e-12)


def test_it_approaches_the_dirichlet_multinomial_as_alpha_falls():
    X, mean = np.array([[3, 0, 1], [0, 2, 5]]), np.array([0.2, 0.3, 0.5])
    exact = dirichlet_multinomial.logpmf(X, 1e-4 * mean, X.sum(axis=1))
    np.testing.assert_allclose(
        edcm_log_likelihood(sp.csr_array(X), mean[None], np.array([1e-4]))[:, 0], exact, atol=1e-3
    )


def test_the_precision_solves_its_equation_and_is_that_of_the_fit():
    rng = np.random.default_rng(0)
    n_j = rng.integers(30, 80, size=400).astype(float)
    alpha = 20.0 * rng.dirichlet(np.full(90, 0.2)) + 1e-9
    X = tb.models.PolyaUrn(alpha, 1.0).sample(n_j.astype(int), rng).toarray()
    s = edcm_precision(n_j, np.ones(n_j.size), float((X > 0).sum()))
    assert s * (digamma(s + n_j) - digamma(s)).sum() == pytest.approx((X > 0).sum(), rel=1e-9)
    assert s == pytest.approx(tb.fit_dirichlet_multinomial(X, method="edcm").precision, rel=1e-8)
