"""The beta-binomial distribution and Claim 1, against SciPy and mpmath."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from termburst.models import approximate_log_pmf, binomial
from termburst.models import beta_binomial as bb


def test_claim_1_is_the_formula_as_printed():
    mpmath.mp.dps = 40
    for n_ij, n_j, alpha, alpha_not in [(0, 50, 0.1, 49.9), (1, 50, 0.1, 49.9), (7, 80, 0.01, 1e4), (50, 50, 2.0, 3.0)]:
        a, an = mpmath.mpf(alpha), mpmath.mpf(alpha_not)
        pmf = mpmath.factorial(n_j) / mpmath.factorial(n_j - n_ij) * an ** (n_j - n_ij) / (a + an) ** n_j
        pmf *= a / n_ij if n_ij else 1
        assert float(approximate_log_pmf(n_ij, n_j, alpha, alpha_not)) == pytest.approx(
            float(mpmath.log(pmf)), rel=1e-12
        )


def test_claim_1_approaches_the_exact_model_as_its_conditions_are_met():
    n_ij, n_j = np.arange(1, 6), 50
    errors = []
    for alpha, alpha_not in [(1e-1, 1e3), (1e-2, 1e4), (1e-3, 1e5), (1e-4, 1e6)]:
        exact = stats.betabinom.logpmf(n_ij, n_j, alpha, alpha_not)
        errors.append(np.abs(approximate_log_pmf(n_ij, n_j, alpha, alpha_not) - exact).max())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-3


def test_claim_1_outside_its_support_and_its_parameters():
    assert approximate_log_pmf([-1, 51, 1.5], 50, 0.1, 50.0).tolist() == [-np.inf] * 3
    assert approximate_log_pmf(0, [-1, 50.5], 0.1, 50.0).tolist() == [-np.inf] * 2
    for alpha, alpha_not in [(0.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (1.0, np.inf)]:
        with pytest.raises(ValueError, match="finite and above 0"):
            approximate_log_pmf(1, 2, alpha, alpha_not)


SHAPES = [1e-12, 1e-6, 1e-3, 0.1, 1.0, 7.0, 300.0, 1e6, 1e12]
GRID = [(alpha, alpha_not) for alpha in SHAPES for alpha_not in SHAPES]


def exact_log_pmf(n_ij, n_j, alpha, alpha_not):
    a, b, log_gamma = mpmath.mpf(alpha), mpmath.mpf(alpha_not), mpmath.loggamma
    coefficient = log_gamma(n_j + 1) - log_gamma(n_ij + 1) - log_gamma(n_j - n_ij + 1)
    rising = log_gamma(a + n_ij) - log_gamma(a) + log_gamma(b + n_j - n_ij) - log_gamma(b)
    return coefficient + rising - log_gamma(a + b + n_j) + log_gamma(a + b)


@pytest.mark.parametrize("n_j", [0, 1, 5, 60])
def test_the_grid_against_scipy(n_j):
    alpha, alpha_not = np.meshgrid([0.01, 0.5, 1.0, 8.0, 200.0], [0.05, 1.0, 3.0, 90.0, 2000.0])
    model, n_ij = stats.betabinom(n_j, alpha, alpha_not), np.arange(n_j + 1)[:, None, None]
    arguments = (n_ij, n_j, alpha, alpha_not)
    # SciPy adds log-betas of up to 1e4: 1e-11 is what is left of its digits
    np.testing.assert_allclose(bb.log_pmf(*arguments), model.logpmf(n_ij), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(np.exp(bb.log_pmf(*arguments)).sum(axis=0), 1, atol=1e-12)


@pytest.mark.parametrize("n_j", [1, 50, 10**7])
def test_log_pmf_at_the_extremes(n_j):
    # ten remainders of size up to 30 are added, each rounded: 5e-14 absolute, relative above 1
    for n_ij in sorted({0, 1, n_j // 100, n_j // 3, n_j - 1, n_j}):
        value = [float(bb.log_pmf(n_ij, n_j, *shapes)) for shapes in GRID]
        with mpmath.workdps(60):
            exact = [float(exact_log_pmf(n_ij, n_j, *shapes)) for shapes in GRID]
        np.testing.assert_allclose(value, exact, rtol=5e-14, atol=5e-14)


def test_limits():
    n_ij = np.arange(51)
    theta = 0.02
    for alpha_0, tolerance in [(1e6, 1e-2), (1e9, 1e-5), (1e12, 1e-8)]:  # the difference is O(n_j²/(θα_0))
        value = bb.log_pmf(n_ij, 50, theta * alpha_0, (1 - theta) * alpha_0)
        np.testing.assert_allclose(value, binomial.log_pmf(n_ij, 50, theta), atol=10 * tolerance, rtol=0)
        np.testing.assert_allclose(value, stats.binom.logpmf(n_ij, 50, theta), atol=10 * tolerance, rtol=0)
    np.testing.assert_allclose(np.exp(bb.log_pmf([0, 25, 50], 50, 1e-12, 3e-12)), [0.75, 0, 0.25], atol=1e-10)


def test_outside_the_support_and_the_parameters():
    assert bb.log_pmf([-1, 51, 1.5, np.nan], 50, 0.1, 50.0).tolist() == [-np.inf] * 4
    assert bb.log_pmf(0, [-1, 50.5, np.inf], 0.1, 50.0).tolist() == [-np.inf] * 3
    assert bb.log_pmf(0, 0, 1.0, 1.0) == 0
    for function in (bb.log_pmf, bb.approximate_log_pmf):
        for alpha, alpha_not in [(0.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (1.0, np.inf)]:
            with pytest.raises(ValueError, match="finite and above 0"):
                function(1, 2, alpha, alpha_not)
    with pytest.raises(ValueError, match="alpha_not must lie between"):
        bb.log_pmf(1, 2, 1.0, 1e200)


def test_broadcasting():
    n_ij, n_j, alpha, alpha_not = np.zeros((4, 1, 1)), np.full((3, 1), 9), np.array([1.0, 2.0]), 5.0
    for function in (bb.log_pmf, bb.approximate_log_pmf):
        assert function(n_ij, n_j, alpha, alpha_not).shape == (4, 3, 2)
        assert function(0, 9, 1.0, 5.0).shape == ()
        assert function([], 9, 1.0, 5.0).shape == (0,)


def error_of_claim_1(n_ij, n_j, alpha, alpha_not):
    return approximate_log_pmf(n_ij, n_j, alpha, alpha_not) - bb.log_pmf(n_ij, n_j, alpha, alpha_not)


def test_error_of_claim_1():
    """Erratum 7: too large by (1 + n_j/α_0)^n_ij to leading order, between the docstring's two bounds everywhere."""
    for n_j in (20, 50, 500, 10**5):
        n_ij = np.array([0, 1, 2, 3, 7, 20])
        n_not, harmonic = n_j - n_ij, np.array([0, 0, 1, 1.5, 2.45, 3.547739657143682])
        for alpha in (1e-6, 1e-3, 0.1, 1.0):
            for alpha_not in (10.0, 50.0, 1e3, 1e6, 1e9):
                alpha_0 = alpha + alpha_not
                error = error_of_claim_1(n_ij, n_j, alpha, alpha_not)
                upper = n_ij * np.log1p(n_j / alpha_0)
                lower = n_ij * np.log1p(n_not / alpha_0) - alpha * harmonic
                lower -= alpha / alpha_not * (n_not - alpha_0 * np.log1p(n_not / alpha_0))
                slack = 1e-12 * (1 + upper) + 1e-13
                assert (error <= upper + slack).all()
                assert (error >= lower - slack).all()
                if alpha <= 1e-3 and n_j >= 500:  # n_ij ≪ n_j, α ≪ 1: the leading order and what it leaves
                    few = n_ij[1:4]
                    left = few**2 / (alpha_0 + n_j) + 3 * alpha * (1 + n_j / alpha_not)
                    assert (np.abs(error - upper)[1:4] <= left + slack[1:4]).all()
    # the paper's own μ = n_j = α_0: each occurrence doubles the error
    np.testing.assert_allclose(error_of_claim_1([1, 2, 3], 500, 1e-6, 500.0) / np.log(2), [1, 2, 3], rtol=5e-3)
    np.testing.assert_allclose(error_of_claim_1(1, 10**7, 1e-3, 1e12), 1e-5, rtol=1e-3)


def test_claim_1_need_not_sum_to_one():
    assert np.exp(approximate_log_pmf(np.arange(51), 50, 0.1, 49.9)).sum() > 1.01


def test_claim_1_along_a_ray():
    """Erratum 8: α·∇ℓ = b_i − n_i, so that scaling both parameters by t changes ℓ by (b_i − n_i) log t exactly."""
    rng = np.random.default_rng(8)
    n_j = rng.integers(1, 200, 60)
    n_ij = np.minimum(rng.negative_binomial(0.3, 0.2, 60), n_j)
    b_minus_n = np.count_nonzero(n_ij) - n_ij.sum()
    assert b_minus_n < 0

    def likelihood(t, alpha, alpha_not):
        return approximate_log_pmf(n_ij, n_j, t * alpha, t * alpha_not).sum()

    for alpha, alpha_not in [(0.1, 49.9), (1e-4, 3.0), (5.0, 1e5)]:
        base, h = likelihood(1.0, alpha, alpha_not), 1e-5
        for t in (1e-6, 0.3, 2.0, 1e5):
            assert likelihood(t, alpha, alpha_not) - base == pytest.approx(b_minus_n * np.log(t), rel=1e-10)
        slope = (likelihood(1 + h, alpha, alpha_not) - likelihood(1 - h, alpha, alpha_not)) / (2 * h)
        assert slope == pytest.approx(b_minus_n, rel=1e-6)
