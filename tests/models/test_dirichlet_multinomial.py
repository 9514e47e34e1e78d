"""The Dirichlet-multinomial: log-pmf against SciPy and mpmath, fits against searches."""

import itertools

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from scipy import optimize, special, stats

from termburst.models import dirichlet_multinomial_profile as profile
from termburst.models.dirichlet_multinomial import (
    dirichlet_multinomial_log_pmf,
    fit_dirichlet_multinomial,
)
from termburst.models.polya_urn import PolyaUrn
from termburst.statistics.term_statistics import TermStatistics


def compositions(n, m):
    return np.array([c for c in itertools.product(range(n + 1), repeat=m) if sum(c) == n])


def exact_log_pmf(counts, alpha):
    with mpmath.workdps(60):
        alpha = [mpmath.mpf(float(a)) for a in alpha]
        n, alpha_0 = int(sum(counts)), mpmath.fsum(alpha)
        value = mpmath.loggamma(n + 1) + mpmath.loggamma(alpha_0) - mpmath.loggamma(n + alpha_0)
        for k, a in zip(counts, alpha, strict=True):
            if k:
                value += mpmath.loggamma(int(k) + a) - mpmath.loggamma(a) - mpmath.loggamma(int(k) + 1)
        return float(value)


def kernel_loglik(X, alpha):
    X = np.asarray(X)
    n_j, alpha_0 = X.sum(axis=1), np.sum(alpha)
    terms = special.gammaln(X + alpha) - special.gammaln(alpha)
    return terms.sum() + (special.gammaln(alpha_0) - special.gammaln(n_j + alpha_0)).sum()


def simulated(seed, m, d, precision, longest=60):
    rng = np.random.default_rng(seed)
    alpha = precision * rng.dirichlet(np.full(m, 2.0))
    return PolyaUrn(alpha, 1.0).sample(rng.integers(0, longest, d), rng).toarray()


def test_log_pmf_equals_scipy():
    for n in [1, 2, 7, 30]:
        for alpha in [(0.3, 1.0, 2.5), (1e-3, 1e-2, 1e-1), (40.0, 5.0, 300.0), (1e-6, 1e4, 1.0)]:
            X = compositions(n, 3)
            expected = stats.dirichlet_multinomial.logpmf(X, alpha, n)
            for form in (X, sp.csr_array(X), sp.csc_matrix(X), X.astype(float)):
                np.testing.assert_allclose(dirichlet_multinomial_log_pmf(form, alpha), expected, rtol=1e-10, atol=1e-10)


def test_log_pmf_keeps_its_digits_at_any_scale():
    for scale in [1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12]:
        rng = np.random.default_rng(7)
        for alpha in (np.array([1.0, 1.0, 1.0, 1.0]), np.array([1e-3, 0.5, 1.0, 20.0])):
            for n in (1, 5, 300, 10**5, 10**7):
                shares = rng.dirichlet(np.maximum(alpha, 0.05))
                X = np.stack([rng.multinomial(n, shares), rng.multinomial(n, alpha / alpha.sum()), [n, 0, 0, 0]])
                ours = dirichlet_multinomial_log_pmf(X, scale * alpha)
                expected = [exact_log_pmf(x, scale * alpha) for x in X]
                # the counts times the rounding of their expected shares is what double precision leaves
                np.testing.assert_allclose(ours, expected, rtol=2e-14, atol=1e-13 + 4e-16 * n)


def test_probabilities_sum_to_one():
    for n in [0, 1, 4, 9]:
        for alpha in [(0.1, 0.7, 3.0), (1e-12, 1e-9, 1e-3), (1e12, 1e10, 1e3), (0.5, 0.0, 2.0)]:
            assert np.exp(dirichlet_multinomial_log_pmf(compositions(n, 3), alpha)).sum() == pytest.approx(1, abs=1e-12)


def test_limits_of_the_log_pmf():
    X, share = compositions(12, 3), np.array([0.2, 0.5, 0.3])
    multinomial = stats.multinomial.logpmf(X, 12, share)
    np.testing.assert_allclose(dirichlet_multinomial_log_pmf(X, share * 1e15), multinomial, atol=1e-11)
    two = np.array([[k, 20 - k] for k in range(21)])
    np.testing.assert_allclose(
        dirichlet_multinomial_log_pmf(two, [0.4, 3.0]), stats.betabinom.logpmf(two[:, 0], 20, 0.4, 3.0), atol=1e-11
    )


def test_outside_the_support():
    X = np.array([[1, 2, 0], [0, 0, 0], [0, 0, 1]])
    for form in (X, sp.csr_matrix(X)):
        found = dirichlet_multinomial_log_pmf(form, [0.3, 0.4, 0.0])
        assert np.isfinite(found).tolist() == [True, True, False]
        assert found[1:].tolist() == [0, -np.inf]
    assert np.isfinite(dirichlet_multinomial_log_pmf([[1, 1], [0, 2]], [1e-300, 1e-300])).all()


@pytest.mark.filterwarnings("ignore:overflow")
def test_bad_alpha():
    numbers = [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0], [1e308, 1e308]
    for alpha in [*numbers, [], [[1.0, 1.0]], 1.0, ["a", "b"]]:
        with pytest.raises(ValueError, match="alpha"):
            dirichlet_multinomial_log_pmf([[1, 1]], alpha)


def test_bad_counts_lengths_and_options():
    with pytest.raises(ValueError, match="2 terms, but the count matrix has 3"):
        dirichlet_multinomial_log_pmf([[1, 1, 1]], [1.0, 1.0])
    for bad in (np.nan, -1.0, 0.5, np.inf):
        with pytest.raises(ValueError, match="count"):
            dirichlet_multinomial_log_pmf([[bad, 1.0]], [1.0, 1.0])
    for X in (["a text"], [1, 2], [[1, 2], [3]]):
        with pytest.raises(ValueError, match="matrix"):
            dirichlet_multinomial_log_pmf(X, [1.0, 1.0])
    with pytest.raises(ValueError, match="method"):
        fit_dirichlet_multinomial([[1, 1]], method="minka")
    for X in ([[-1, 1]], [[0.5, 1]], np.zeros((0, 2)), np.zeros((2, 0))):
        with pytest.raises(ValueError, match="count"):
            fit_dirichlet_multinomial(X)
    statistics = TermStatistics.from_counts([[1, 3], [0, 4]])
    with pytest.raises(ValueError, match="pruned"):
        fit_dirichlet_multinomial(statistics.prune(2))
    with pytest.raises(ValueError, match="moments"):
        fit_dirichlet_multinomial(statistics.coarsen("frequencies"))


def test_sums_over_the_histograms_equal_plain_loops():
    rng = np.random.default_rng(5)
    X = rng.negative_binomial(0.4, 0.004, (25, 6))
    X[:, 0] = rng.integers(0, 3, 25)
    rows = TermStatistics.from_counts(X).count_histogram
    steps = profile.CountSteps.from_histogram(rows.indptr, rows.count, rows.documents)
    for alpha in (np.geomspace(1e-8, 1e8, 6), np.geomspace(1e10, 1e-2, 6)):
        q = [[np.arange(n) for n in X[:, i]] for i in range(6)]
        first, second = steps.derivatives(alpha)
        for i, a in enumerate(alpha):
            flat = np.concatenate(q[i])
            assert first[i] == pytest.approx((1 / (a + flat)).sum(), rel=1e-13)
            assert second[i] == pytest.approx((1 / (a + flat) ** 2).sum(), rel=1e-13)
            assert steps.log_rise(alpha)[i] == pytest.approx(np.log1p(flat / a).sum(), rel=1e-12)


def test_gradient_equals_finite_differences():
    X = simulated(3, 4, 40, 5.0, 200)
    X = X[X.sum(axis=1) > 0]
    alpha = np.array([0.3, 1.1, 0.9, 4.0])
    n_j = TermStatistics.from_counts(X)
    rows = n_j.count_histogram
    terms = profile.CountSteps.from_histogram(rows.indptr, rows.count, rows.documents)
    lengths = profile.CountSteps.from_histogram(np.array([0, n_j.lengths.size]), n_j.lengths, n_j.length_documents)
    gradient = terms.derivatives(alpha)[0] - lengths.derivatives(alpha.sum(keepdims=True))[0]
    for i, h in enumerate(1e-5 * alpha):
        up, down = alpha.copy(), alpha.copy()
        up[i], down[i] = up[i] + h, down[i] - h
        assert gradient[i] == pytest.approx((kernel_loglik(X, up) - kernel_loglik(X, down)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize(("seed", "precision", "share"), [(0, 2.0, 0.3), (1, 0.2, 0.5), (2, 30.0, 0.05), (3, 8.0, 0.9)])
def test_two_terms_are_the_beta_binomial(seed, precision, share):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 80, 150)
    X = rng.binomial(lengths, rng.beta(precision * share, precision * (1 - share), 150))[:, None]
    X = np.hstack([X, lengths[:, None] - X])

    def score(log_alpha):
        a, b = np.exp(log_alpha)
        by_length = (special.digamma(lengths + a + b) - special.digamma(a + b)).sum()
        return [
            a * ((special.digamma(X[:, 0] + a) - special.digamma(a)).sum() - by_length),
            b * ((special.digamma(X[:, 1] + b) - special.digamma(b)).sum() - by_length),
        ]

    rough = optimize.minimize(
        lambda x: -stats.betabinom.logpmf(X[:, 0], lengths, *np.exp(x)).sum(), [0.0, 0.0], method="Nelder-Mead"
    )
    direct = optimize.root(score, rough.x, tol=1e-13)
    fit = fit_dirichlet_multinomial(X)
    assert fit.status == "converged"
    np.testing.assert_allclose(fit.alpha, np.exp(direct.x), rtol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_a_fit_is_the_maximum_and_matches_a_direct_search(seed):
    X = simulated(seed, 5, 60, [0.5, 5.0, 50.0, 500.0][seed], 80)
    fit = fit_dirichlet_multinomial(X)
    assert fit.status == "converged"
    assert fit.gradient_norm < 1e-9
    assert fit.loglik == pytest.approx(kernel_loglik(X, fit.alpha), rel=1e-12)
    best = optimize.minimize(
        lambda log_alpha: -kernel_loglik(X, np.exp(log_alpha)), np.log(fit.alpha) + 0.3, method="BFGS"
    )
    assert -best.fun <= fit.loglik + 1e-9 * abs(fit.loglik)
    assert (np.abs(np.exp(best.x) - fit.alpha) < 0.05 * fit.standard_errors).all()  # BFGS stops early on a flat ridge
    assert fit.mean.sum() == pytest.approx(1)
    edcm = fit_dirichlet_multinomial(X, method="edcm")
    assert edcm.loglik <= fit.loglik
    again = fit_dirichlet_multinomial(TermStatistics.from_counts(sp.csc_array(X), detail="patterns"))
    np.testing.assert_array_equal(again.alpha, fit.alpha)


def test_standard_errors_invert_the_hessian():
    X = simulated(9, 4, 120, 6.0)
    fit = fit_dirichlet_multinomial(X)
    n_j, alpha_0 = X.sum(axis=1), fit.precision
    diagonal = (special.polygamma(1, fit.alpha) - special.polygamma(1, X + fit.alpha)).sum(axis=0)
    shared = (special.polygamma(1, alpha_0) - special.polygamma(1, n_j + alpha_0)).sum()
    inverse = np.linalg.inv(np.diag(diagonal) - shared)
    np.testing.assert_allclose(fit.standard_errors, np.sqrt(np.diag(inverse)), rtol=1e-9)


def test_edcm_maximises_its_own_likelihood():
    X = simulated(4, 6, 50, 1.0)
    fit, n_j = fit_dirichlet_multinomial(X, method="edcm"), X.sum(axis=1)
    assert fit.status == "converged"
    by_length = (special.digamma(fit.precision + n_j) - special.digamma(fit.precision)).sum()
    np.testing.assert_allclose(fit.alpha, (X > 0).sum(axis=0) / by_length, rtol=1e-10)


def test_edcm_approaches_the_maximum_as_alpha_falls_and_the_vocabulary_grows():
    ratios = []
    for m in (4, 40, 400):
        X = PolyaUrn(np.full(m, 0.01 / m), 1.0).sample(np.full(3000, 40), 11)
        ratios.append(fit_dirichlet_multinomial(X, method="edcm").precision / fit_dirichlet_multinomial(X).precision)
    np.testing.assert_allclose(ratios, [1 - 1 / 4, 1 - 1 / 40, 1 - 1 / 400], atol=0.02)  # 1 − Σ (α_i/α_0)²


@pytest.mark.slow
def test_coverage_of_the_intervals():
    rng = np.random.default_rng(20)
    alpha = np.array([0.2, 0.5, 1.0, 2.0, 4.0])
    replications, covered = 200, 0
    for _ in range(replications):
        lengths = rng.integers(20, 100, 200)
        fit = fit_dirichlet_multinomial(PolyaUrn(alpha, 1.0).sample(lengths, rng))
        factor = np.exp(1.959964 * fit.standard_errors / fit.alpha)
        low, high = fit.alpha / factor, fit.alpha * factor
        covered += ((low <= alpha) & (alpha <= high)).sum()
    # the five intervals of a fit depend on each other: at worst the error is that of 200 trials, 1.54 points
    assert abs(covered / (5 * replications) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / replications)


@pytest.mark.parametrize(
    ("X", "status"),
    [
        ([[3, 1, 2]], "boundary"),  # one document
        ([[3], [5], [0]], "boundary"),  # one term
        ([[3, 0], [5, 0]], "boundary"),  # one term that occurs
        ([[1, 0], [0, 1], [1, 0]], "boundary"),  # one token a document
        ([[1, 1, 0], [0, 1, 1], [1, 0, 1]], "boundary"),  # no term twice
        ([[2, 2, 1]] * 6, "boundary"),  # all identical
        ([[4, 0, 0], [0, 2, 0], [3, 0, 0]], "concentrated"),  # no document with two terms
        ([[0, 0], [0, 0]], "empty"),
    ],
)
@pytest.mark.parametrize("method", ["newton", "edcm"])
def test_collections_without_an_interior_maximum(X, status, method):
    fit = fit_dirichlet_multinomial(X, method=method)
    if method == "edcm" and fit.status == "converged":  # the approximation may have a maximum where the model has none
        assert status == "boundary"
        return
    X = np.asarray(X)
    assert fit.status == status
    assert np.isnan(fit.standard_errors).all()
    assert str(fit.precision) == {"boundary": "inf", "concentrated": "0.0", "empty": "nan"}[status]
    if status == "boundary":
        np.testing.assert_allclose(fit.mean, X.sum(axis=0) / X.sum())
        near = kernel_loglik(X[:, fit.mean > 0], 1e7 * fit.mean[fit.mean > 0])
        assert fit.loglik == pytest.approx(near, abs=1e-4)
    if status == "concentrated":
        assert fit.loglik == pytest.approx(kernel_loglik(X[:, :2], 1e-9 * fit.mean[:2]), abs=1e-6)


def test_no_likelihood_above_the_boundary():
    for seed in range(20):
        X = np.random.default_rng(seed).multinomial(40, [0.2, 0.3, 0.5], 20)
        fit = fit_dirichlet_multinomial(X)
        share = X.sum(axis=0) / X.sum()
        assert fit.status in ("boundary", "converged")
        assert max(kernel_loglik(X, z * share) for z in np.geomspace(1e-2, 1e6, 60)) <= fit.loglik + 1e-6


def test_empty_documents_absent_terms_and_equal_lengths_change_nothing():
    X = simulated(2, 4, 50, 3.0)
    X = X[X.sum(axis=1) > 0]
    fit = fit_dirichlet_multinomial(X)
    padded = np.zeros((X.shape[0] + 7, 6), dtype=int)
    padded[7:, [0, 2, 3, 5]] = X
    other = fit_dirichlet_multinomial(padded)
    np.testing.assert_array_equal(other.alpha[[0, 2, 3, 5]], fit.alpha)
    assert other.alpha[[1, 4]].tolist() == [0.0, 0.0]
    assert np.isnan(other.standard_errors[[1, 4]]).all()
    found = fit_dirichlet_multinomial(PolyaUrn([0.4, 2.0, 1.0], 1.0).sample(np.full(300, 30), 5))
    assert found.status == "converged"
    assert (np.abs(found.alpha - [0.4, 2.0, 1.0]) < 4 * found.standard_errors).all()


def test_a_term_in_every_document_and_very_long_documents():
    rng = np.random.default_rng(8)
    alpha = np.array([300.0, 0.01, 2.0])
    X = np.array([rng.multinomial(10**6, p) for p in rng.dirichlet(alpha, 400)])
    fit = fit_dirichlet_multinomial(X)
    assert fit.status == "converged"
    assert (np.abs(fit.alpha - alpha) < 4 * fit.standard_errors).all()


def test_the_whole_vocabulary_of_20_newsgroups(newsgroups):
    fit = fit_dirichlet_multinomial(newsgroups.train)
    assert fit.alpha.size == 88_701
    assert fit.status == "converged"
    assert fit.gradient_norm < 1e-9
    assert fit.loglik > fit_dirichlet_multinomial(newsgroups.train, method="edcm").loglik
