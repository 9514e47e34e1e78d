"""Claim 2 against brute force and its own formula."""

import numpy as np
import pytest
from scipy.optimize import minimize

from termburst import TermStatistics, approximate_log_pmf, penalized_mle
from termburst.models.penalties import GammaPenalty


def test_fig_2_claim_2_gives_the_penalised_maximum():
    rng = np.random.default_rng(0)
    theta = rng.dirichlet([0.10, 49.90], 40)
    X = np.array([rng.multinomial(50, t) for t in theta])
    fit = penalized_mle(X, mu=50, sigma2=4)
    assert fit.alpha[0] == pytest.approx(0.09973, abs=5e-6)
    assert fit.alpha_not[0] == pytest.approx(49.7403, abs=5e-5)

    def objective(log_alpha):
        alpha, alpha_not = np.exp(log_alpha)
        value = approximate_log_pmf(X[:, 0], 50, alpha, alpha_not).sum()
        return -value - float(GammaPenalty(50, 4).log_density(alpha + alpha_not))

    best = minimize(objective, np.log([0.5, 40.0]), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    np.testing.assert_allclose(np.exp(best.x), [fit.alpha[0], fit.alpha_not[0]], rtol=1e-5)


def test_claim_2_on_the_fig_3_collection(fig3):
    fit = penalized_mle(fig3)
    n_i, b_i, n = fig3.sum(axis=0), (fig3 > 0).sum(axis=0), fig3.sum()
    mu = n / 100
    alpha_0 = (b_i - n_i - 1 + mu**2) / mu
    assert fit.valid.all()
    np.testing.assert_allclose(fit.alpha_0, alpha_0, rtol=1e-13)
    np.testing.assert_allclose(fit.alpha, alpha_0 * b_i / (b_i + n - n_i), rtol=1e-13)
    np.testing.assert_allclose(fit.alpha + fit.alpha_not, fit.alpha_0, rtol=1e-13)


def test_terms_without_a_positive_precision_are_marked_and_nan():
    assert penalized_mle([[9, 40]], mu=3.0).valid.tolist() == [False, False]  # η² = r_i = 9 is not enough
    fit = penalized_mle([[30, 1], [30, 1]], mu=4.0, sigma2=1.0)  # η² = 16, r_i = 59 and 1
    assert fit.valid.tolist() == [False, True]
    assert np.isnan([fit.alpha[0], fit.alpha_not[0], fit.alpha_0[0]]).all()
    assert fit.alpha_0[1] == pytest.approx(15 / 4)


def test_statistics_serve_as_well_as_counts(fig3):
    for detail in ("frequencies", "moments", "patterns"):
        from_statistics = penalized_mle(TermStatistics.from_counts(fig3, detail=detail), sigma2=2.0)
        np.testing.assert_array_equal(from_statistics.alpha, penalized_mle(fig3, sigma2=2.0).alpha)


def test_bad_input():
    with pytest.raises(ValueError, match="all documents are empty"):
        penalized_mle([[0, 0]])
    with pytest.raises(ValueError, match="sigma2"):
        penalized_mle([[1, 0]], sigma2=0)
    with pytest.raises(ValueError, match="penalty"):
        penalized_mle([[1, 0]], penalty="cauchy")
