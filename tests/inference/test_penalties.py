"""λ under other penalties: the closed forms against the definition, found with SciPy."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

import termburst as tb
from termburst.models.penalties import PENALTIES, named_penalty
from termburst.models.special import stirling_remainder

X = np.array([[4, 1, 20, 0], [0, 1, 24, 2], [3, 1, 22, 0], [0, 0, 23, 1], [1, 2, 30, 0]])


def density(penalty, mu, sigma2):
    """The same density by SciPy."""
    if penalty == "gamma":
        return stats.gamma(mu**2 / sigma2, scale=sigma2 / mu)
    if penalty == "log-normal":
        v = np.log1p(sigma2 / mu**2)
        return stats.lognorm(np.sqrt(v), scale=mu * np.exp(-v / 2))
    a = mu**2 / sigma2 + 2
    return stats.invgamma(a, scale=mu * (a - 1))


def q_of_docs(penalty, mu, sigma2, r):
    """Q(r) = −2(r − 1) log α̂_0 + 2 log f(α̂_0) as the table in docs/statistic.md has it; NaN where it is not valid."""
    r, eta2 = np.asarray(r, dtype=np.float64), mu / sigma2 * mu
    if penalty == "log-normal":
        v = np.log1p(1 / eta2)
        return -2 * r * np.log(mu) + v * r * (r + 1) - np.log(2 * np.pi * v)
    if penalty == "gamma":
        bend = 2 * (eta2 - r) * np.log1p(-np.where(eta2 > r, r, np.nan) / eta2) + 2 * r
        return -2 * r * np.log(mu) + bend + np.log(eta2 / (2 * np.pi)) - 2 * stirling_remainder(eta2)
    a = eta2 + 2
    bend = 2 * (a + r) * np.log1p(r / a) - 2 * r
    return -2 * r * np.log(mu * (a - 1) / a) + bend + np.log(a / (2 * np.pi)) - 2 * stirling_remainder(a)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(("mu", "sigma2"), [(5.0, 1.0), (24.0, 4.0), (24.0, 30.0), (75.0, 1.0)])
def test_the_closed_form_is_the_maximum(penalty, mu, sigma2):
    f = density(penalty, mu, sigma2)
    assert f.mean() == pytest.approx(mu, rel=1e-9)
    assert f.var() == pytest.approx(sigma2, rel=1e-7)
    for r in (1.0, 2.0, 7.0, 15.0):
        found = float(q_of_docs(penalty, mu, sigma2, r))
        if penalty == "gamma" and mu**2 / sigma2 <= r:
            assert np.isnan(found)
            continue
        log_alpha_0, log_f = named_penalty(penalty, mu, sigma2).log_at_precision(r)
        assert found == pytest.approx(float(-2 * (r - 1) * log_alpha_0 + 2 * log_f), abs=1e-9)
        start = float(log_alpha_0)
        best = minimize_scalar(
            lambda t, r=r: (r - 1) * t - f.logpdf(np.exp(t)), bracket=(start - 0.3, start + 0.2), tol=1e-12
        )
        assert found == pytest.approx(-2 * best.fun, abs=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_lambda_is_that_of_the_definition(penalty):
    """−2(ℓ_0 − ℓ_1) with Claim 1's pmf document by document, and SciPy's densities."""
    mu, sigma2 = float(X.sum() / len(X)), 6.0
    n_j, n = X.sum(axis=1), X.sum()
    lambdas = tb.plr_statistic(X, mu=mu, sigma2=sigma2, form="exact", penalty=penalty)
    fit = tb.penalized_mle(X, mu=mu, sigma2=sigma2, penalty=penalty)
    f = density(penalty, mu, sigma2)
    for i in (0, 1, 3):
        l_0 = stats.binom.logpmf(X[:, i], n_j, X[:, i].sum() / n).sum()
        l_1 = tb.models.approximate_log_pmf(X[:, i], n_j, fit.alpha[i], fit.alpha_not[i]).sum() + f.logpdf(
            fit.alpha_0[i]
        )
        assert lambdas[i] == pytest.approx(-2 * (l_0 - l_1), abs=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_all_penalties_have_the_same_limit_and_differ_in_proportion_to_repeats(penalty):
    mu, r = 75.0, 6.0
    small = float(q_of_docs(penalty, mu, 1e-3, r))
    assert small == pytest.approx(-2 * (r - 1) * np.log(mu) - np.log(2 * np.pi * 1e-3), abs=1e-3)
    assert np.isfinite(float(q_of_docs(penalty, mu, 1e-3, 1e8))) or penalty == "gamma"
    eta2, k = 1e6, list(PENALTIES).index(penalty)
    r = np.array([1.0, 51.0])
    linear = np.diff(q_of_docs(penalty, 1000.0, 1.0, r) + 2 * r * np.log(1000.0) - r**2 / eta2)[0] * eta2 / 50
    assert linear == pytest.approx(k, abs=0.01)
