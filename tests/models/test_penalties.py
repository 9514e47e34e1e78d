"""The gamma penalty against SciPy, mpmath and finite differences."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from termburst.models.penalties import GammaPenalty, named_penalty, stirling_remainder

GRID = [(75.0, 1.0), (165.29, 4.0), (3.0, 8.0), (0.5, 2.0), (50.0, 4.0)]


@pytest.mark.parametrize(("mu", "sigma2"), GRID)
def test_log_density_equals_scipy(mu, sigma2):
    alpha_0 = mu * np.array([0.2, 0.9, 1.0, 1.05, 3.0])
    expected = stats.gamma.logpdf(alpha_0, mu**2 / sigma2, scale=sigma2 / mu)
    np.testing.assert_allclose(GammaPenalty(mu, sigma2).log_density(alpha_0), expected, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("mu", [1e2, 1e5, 1e8])
def test_log_density_keeps_its_digits_where_the_textbook_form_cancels(mu):
    # log-gamma of η² = μ² = 1e16 alone is 3.6e17: double precision would leave no digit of the sum
    mpmath.mp.dps = 60
    for alpha_0 in (mu - 2, mu + 0.5):
        a, m = mpmath.mpf(alpha_0), mpmath.mpf(mu)
        exact = m**2 * mpmath.log(m) - mpmath.loggamma(m**2) + (m**2 - 1) * mpmath.log(a) - m * a
        assert float(GammaPenalty(mu, 1.0).log_density(alpha_0)) == pytest.approx(float(exact), rel=1e-7)


@pytest.mark.parametrize(("mu", "sigma2"), GRID)
def test_derivative_equals_finite_differences(mu, sigma2):
    penalty, alpha_0, h = GammaPenalty(mu, sigma2), 0.9 * mu, 1e-5 * mu
    difference = (penalty.log_density(alpha_0 + h) - penalty.log_density(alpha_0 - h)) / (2 * h)
    assert float(penalty.derivative(alpha_0)) == pytest.approx(float(difference), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("mu", "sigma2"), [(75.0, 1.0), (3.0, 8.0)])
def test_it_is_a_density_with_that_mean_and_variance(mu, sigma2):
    density = GammaPenalty(mu, sigma2).log_density
    upper = mu + 40 * sigma2**0.5
    moments = [quad(lambda a, k=k: a**k * np.exp(density(a)), 0, upper, points=[mu], limit=300)[0] for k in range(3)]
    assert moments[0] == pytest.approx(1, abs=1e-7)
    assert moments[1] == pytest.approx(mu, rel=1e-6)
    assert moments[2] - moments[1] ** 2 == pytest.approx(sigma2, rel=1e-4)


def test_outside_the_support():
    assert GammaPenalty(5.0, 1.0).log_density([0.0, -1.0]).tolist() == [-np.inf, -np.inf]
    assert np.isnan(GammaPenalty(5.0, 1.0).derivative([0.0, -1.0])).all()


@pytest.mark.parametrize(("mu", "sigma2", "said"), [
    (0, 1, "mu"), (-1, 1, "mu"), (np.nan, 1, "mu"), (np.inf, 1, "mu"), (None, 1, "mu"), ("ten", 1, "mu"),
    (1, 0, "sigma2"), (1, -1, "sigma2"), (1, np.nan, "sigma2"), ([1, 2], 1, "mu"), (np.array([1.0]), 1, "mu"),
])  # fmt: skip
def test_bad_hyperparameters_are_refused(mu, sigma2, said):
    with pytest.raises(ValueError, match=f"{said} must be a finite number above 0"):
        GammaPenalty(mu, sigma2)


@pytest.mark.parametrize(
    ("mu", "sigma2", "said"),
    [
        (1e160, 1, "mu = 1e"),
        (1e-170, 1, "mu = 1e"),
        (1, 1e308, "sigma2 = 1e"),
        (1, 5e-324, "sigma2 = "),
        (1e90, 1, "η² "),
    ],
)
def test_extremes_that_overflow_are_refused(mu, sigma2, said):
    with pytest.raises(ValueError, match=rf"{said}.*beyond what can be computed with"):
        GammaPenalty(mu, sigma2)


@pytest.mark.parametrize(("mu", "sigma2"), [(75.0, 1.0), (1.0, 2.0), (1.0, 1.0)])
def test_log_density_far_below_the_mean(mu, sigma2):
    mpmath.mp.dps = 60
    for alpha_0 in (1e-8, 1e-16, 1e-300):
        a, m, v = mpmath.mpf(alpha_0), mpmath.mpf(mu), mpmath.mpf(sigma2)
        eta2 = m**2 / v
        exact = eta2 * mpmath.log(m / v) - mpmath.loggamma(eta2) + (eta2 - 1) * mpmath.log(a) - m / v * a
        assert float(GammaPenalty(mu, sigma2).log_density(alpha_0)) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, int])
def test_any_kind_of_number_will_do(kind):
    assert GammaPenalty(kind(200), kind(1)).eta2 == 40_000.0


def test_an_unknown_penalty_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"'gamma'.*'cauchy'"):
        named_penalty("cauchy", 1.0, 1.0)
    with pytest.raises(ValueError, match="penalty is one of"):
        named_penalty([], 1.0, 1.0)


@pytest.mark.parametrize("x", [0.05, 0.7, 3.0, 11.99, 12.0, 12.01, 40.0, 1e3, 1e9])
def test_stirling_remainder(x):
    mpmath.mp.dps = 50
    v = mpmath.mpf(x)
    exact = mpmath.loggamma(v) - ((v - 0.5) * mpmath.log(v) - v + mpmath.log(2 * mpmath.pi) / 2)
    assert stirling_remainder(x) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)
