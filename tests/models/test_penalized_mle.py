"""Claim 2 against brute force and its own formula, for every penalty; and the shape of the likelihood (erratum 8)."""

import numpy as np
import pytest
from scipy.optimize import minimize

from termburst import TermStatistics, penalized_mle
from termburst.models import approximate_log_pmf
from termburst.models.penalties import GammaPenalty, named_penalty

NAMES = ["gamma", "log-normal", "inverse-gamma"]


@pytest.fixture(scope="module")
def fig2():
    """The simulated collection of the paper's Fig. 2."""
    rng = np.random.default_rng(0)
    theta = rng.dirichlet([0.10, 49.90], 40)
    return np.array([rng.multinomial(50, t) for t in theta])


def approximate_log_likelihood(X, column, alpha, alpha_not):
    """ℓ of one term of a collection, document by document."""
    return float(approximate_log_pmf(X[:, column], X.sum(axis=1), alpha, alpha_not).sum())


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


def test_statistics_and_counts_give_the_same(fig3):
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


SMALL = np.array([[7, 1, 20, 0], [0, 1, 24, 3], [0, 1, 22, 0], [3, 1, 23, 1], [0, 1, 9, 2]])


@pytest.mark.slow
@pytest.mark.parametrize("penalty", NAMES)
@pytest.mark.parametrize(("mu", "sigma2"), [(None, 1.0), (40.0, 9.0), (15.0, 0.2)])
def test_every_penalty_gives_its_penalised_maximum(penalty, mu, sigma2):
    fit = penalized_mle(SMALL, mu=mu, sigma2=sigma2, penalty=penalty)
    density = named_penalty(penalty, SMALL.sum() / 5 if mu is None else mu, sigma2)
    assert fit.valid.all()
    for i in range(SMALL.shape[1]):

        def objective(log_alpha, i=i):
            alpha, alpha_not = np.exp(log_alpha)
            value = approximate_log_likelihood(SMALL, i, alpha, alpha_not)
            return -value - float(density.log_density(alpha + alpha_not))

        found = np.log([fit.alpha[i], fit.alpha_not[i]])
        options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
        best = minimize(objective, found + np.array([0.4, -0.2]), method="Nelder-Mead", options=options)
        np.testing.assert_allclose(np.exp(best.x), np.exp(found), rtol=2e-5)
        assert objective(found) <= best.fun + 1e-9


@pytest.mark.parametrize("penalty", NAMES)
def test_the_ratio_is_b_to_n_not_under_every_penalty(fig3, penalty):
    fit = penalized_mle(fig3, sigma2=2.0, penalty=penalty)
    n_i, b_i, n = fig3.sum(axis=0), (fig3 > 0).sum(axis=0), fig3.sum()
    assert fit.valid.all()
    np.testing.assert_allclose(fit.alpha * (n - n_i), fit.alpha_not * b_i, rtol=1e-12)
    np.testing.assert_allclose(fit.alpha + fit.alpha_not, fit.alpha_0, rtol=1e-13)
    np.testing.assert_array_equal(fit.alpha_0, named_penalty(penalty, 74.59, 2.0).precision(n_i - b_i + 1))


@pytest.mark.parametrize("penalty", ["log-normal", "inverse-gamma"])
def test_other_penalties_are_valid_where_gamma_is_not(penalty):
    X = [[30, 1], [30, 1]]
    assert penalized_mle(X, mu=4.0).valid.tolist() == [False, True]
    fit = penalized_mle(X, mu=4.0, penalty=penalty)
    assert fit.valid.dtype == bool
    assert fit.valid.tolist() == [True, True]
    assert (fit.alpha > 0).all()
    assert (fit.alpha_not > 0).all()


def test_a_precision_too_small_for_a_float_is_not_valid():
    X = np.array([[15, 4]] * 1500 + [[0, 4]] * 1500)
    fit = penalized_mle(X, mu=5.0, penalty="log-normal")
    assert fit.valid.tolist() == [False, True]
    assert np.isnan([fit.alpha[0], fit.alpha_not[0], fit.alpha_0[0]]).all()
    assert penalized_mle(X, mu=5.0, penalty="inverse-gamma").valid.all()


@pytest.mark.parametrize("start", [(0.1, 49.9), (2.0, 3.0)])
def test_erratum_8_along_a_ray_the_likelihood_falls_by_the_repeats(fig3, start):
    n_i, b_i = fig3.sum(axis=0), (fig3 > 0).sum(axis=0)
    once, often = np.flatnonzero((n_i == b_i) & (n_i > 0))[:3], np.argsort(b_i - n_i)[:3]
    assert (n_i[often] > b_i[often]).all()
    for i in [*once, *often]:
        at_start = approximate_log_likelihood(fig3, i, *start)
        for t in (1e-6, 0.1, 3.0, 1e4):
            change = approximate_log_likelihood(fig3, i, t * start[0], t * start[1]) - at_start
            assert change == pytest.approx((b_i[i] - n_i[i]) * np.log(t), rel=1e-9, abs=1e-8)
            assert (abs(change) < 1e-8) == (n_i[i] == b_i[i])  # flat iff the term never repeats


def test_fig_2_the_best_point_of_the_paper_s_grid(fig2):
    """49.77 in the paper is a grid point; the maximum itself, Claim 2, is at 49.74."""
    alpha, alpha_not = np.meshgrid(np.geomspace(1e-10, 1, 100), np.geomspace(10, 100, 100), indexing="ij")
    value = approximate_log_pmf(fig2[:, 0, None, None], 50, alpha, alpha_not).sum(axis=0)
    value = value + GammaPenalty(50, 4).log_density(alpha + alpha_not)
    best = np.unravel_index(np.argmax(value), value.shape)
    assert alpha[best] == pytest.approx(0.0977, abs=5e-5)
    assert alpha_not[best] == pytest.approx(49.7702, abs=5e-5)
    fit = penalized_mle(fig2, mu=50, sigma2=4)
    at_claim_2 = approximate_log_likelihood(fig2, 0, fit.alpha[0], fit.alpha_not[0])
    at_claim_2 += float(GammaPenalty(50, 4).log_density(fit.alpha_0[0]))
    assert value[best] < at_claim_2 < value[best] + 0.01
    assert (fit.alpha[0], fit.alpha_not[0]) == (pytest.approx(0.09973, abs=5e-6), pytest.approx(49.7403, abs=5e-5))
