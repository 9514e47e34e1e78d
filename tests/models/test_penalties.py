"""The penalties against SciPy, mpmath, numerical integration, finite differences and optimisation."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from termburst.models.penalties import (
    PENALTIES,
    InverseGammaPenalty,
    LogNormalPenalty,
    named_penalty,
)
from termburst.models.special import stirling_remainder

GRID = [(75.0, 1.0), (165.29, 4.0), (3.0, 8.0), (0.5, 2.0), (50.0, 4.0)]
NAMES = ["gamma", "log-normal", "inverse-gamma"]


def scipy_density(name, mu, sigma2):
    """SciPy's distribution with that mean and variance."""
    if name == "gamma":
        return stats.gamma(mu**2 / sigma2, scale=sigma2 / mu)
    if name == "log-normal":
        v = np.log(1 + sigma2 / mu**2)
        return stats.lognorm(v**0.5, scale=mu * np.exp(-v / 2))
    return stats.invgamma(mu**2 / sigma2 + 2, scale=mu * (mu**2 / sigma2 + 1))


def exact_log_density(name, mu, sigma2, alpha_0):
    """The textbook formula with 80 digits, rounded at the end."""
    with mpmath.workdps(80):
        log, a, m, s = mpmath.log, mpmath.mpf(alpha_0), mpmath.mpf(mu), mpmath.mpf(sigma2)
        eta2 = m**2 / s
        if name == "gamma":
            value = eta2 * log(m / s) - mpmath.loggamma(eta2) + (eta2 - 1) * log(a) - m / s * a
        elif name == "log-normal":
            v = log(1 + 1 / eta2)
            value = -log(a) - (log(a) - log(m) + v / 2) ** 2 / (2 * v) - log(2 * mpmath.pi * v) / 2
        else:
            shape, scale = eta2 + 2, m * (eta2 + 1)
            value = shape * log(scale) - mpmath.loggamma(shape) - (shape + 1) * log(a) - scale / a
        return float(value)


def test_these_are_all_the_penalties():
    assert list(PENALTIES) == NAMES


def test_an_unknown_penalty_is_refused_with_a_list_of_names():
    with pytest.raises(ValueError, match=r"'gamma'.*'cauchy'"):
        named_penalty("cauchy", 1.0, 1.0)
    with pytest.raises(ValueError, match="penalty must be one of"):
        named_penalty([], 1.0, 1.0)


def test_stirling_remainder():
    for x in (0.05, 0.7, 3.0, 11.99, 12.0, 12.01, 40.0, 1e3, 1e9):
        with mpmath.workdps(50):
            v = mpmath.mpf(x)
            exact = mpmath.loggamma(v) - ((v - 0.5) * mpmath.log(v) - v + mpmath.log(2 * mpmath.pi) / 2)
        assert stirling_remainder(x) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_the_log_density_equals_scipy(name):
    for mu, sigma2 in GRID:
        alpha_0 = mu * np.array([0.2, 0.5, 0.9, 1.0, 1.05, 3.0, 40.0])
        found = named_penalty(name, mu, sigma2).log_density(alpha_0)
        np.testing.assert_allclose(found, scipy_density(name, mu, sigma2).logpdf(alpha_0), rtol=1e-11, atol=1e-8)
        assert found.dtype == np.float64
        assert found.shape == alpha_0.shape


@pytest.mark.parametrize("name", NAMES)
def test_digits_survive_a_large_eta_squared_and_values_far_from_the_mean(name):
    for mu, sigma2 in [(1e2, 1.0), (1e5, 1.0), (1e8, 1.0), (75.0, 1e-12), (1e-3, 1e-18)]:
        for alpha_0 in mu + np.array([-2.0, 0.0, 0.5, 30.0]) * sigma2**0.5:
            found = float(named_penalty(name, mu, sigma2).log_density(alpha_0))
            assert found == pytest.approx(exact_log_density(name, mu, sigma2, alpha_0), rel=1e-7, abs=1e-6)
    for mu, sigma2 in [(75.0, 1.0), (1.0, 2.0), (1.0, 1.0), (3.0, 800.0)]:
        for alpha_0 in (1e-300, 1e-16, 1e-8, 0.499999, 1e8, 1e200):
            found = float(named_penalty(name, mu, sigma2).log_density(alpha_0))
            assert found == pytest.approx(exact_log_density(name, mu, sigma2, alpha_0), rel=1e-11)


def test_inverse_gamma_vanishes_at_zero_without_nan_or_warning():
    penalty = InverseGammaPenalty(75.0, 1.0)
    assert float(penalty.log_density(1e-300)) < -1e305
    # β/α_0 is beyond the largest float
    assert penalty.log_density([1e-305, 5e-324, 75.0]).tolist()[:2] == [-np.inf, -np.inf]


@pytest.mark.parametrize("name", NAMES)
def test_every_penalty_has_that_mean_and_variance(name):
    for mu, sigma2 in [(75.0, 1.0), (3.0, 8.0), (0.5, 0.02)]:
        _check_moments(name, mu, sigma2)


def _check_moments(name, mu, sigma2):
    """Integrated over τ = log α_0, where heavy tails are easy."""
    penalty, centre, width = named_penalty(name, mu, sigma2), np.log(mu), np.log1p(sigma2 / mu**2) ** 0.5
    limits = (centre - 40 * width, centre + 40 * width)

    def moment(weight):
        def integrand(tau):
            return weight(np.exp(tau)) * np.exp(float(penalty.log_density(np.exp(tau))) + tau)

        points = [centre - 5 * width, centre, centre + 5 * width]
        return quad(integrand, *limits, points=points, limit=500, epsabs=1e-12)[0]

    assert moment(lambda a: 1.0) == pytest.approx(1, abs=1e-8)
    assert moment(lambda a: a / mu) == pytest.approx(1, abs=1e-7)
    assert moment(lambda a: (a - mu) ** 2 / sigma2) == pytest.approx(1, abs=1e-4)


def derivative(penalty, alpha_0):
    """d log f / d α_0."""
    coefficients = np.array(penalty.log_coefficients)
    return np.einsum("k,k...", coefficients, [np.ones_like(alpha_0), np.log(alpha_0), alpha_0, 1 / alpha_0]) / alpha_0


@pytest.mark.parametrize("name", NAMES)
def test_both_derivatives_equal_finite_differences(name):
    for mu, sigma2 in GRID:
        penalty, alpha_0, h = named_penalty(name, mu, sigma2), mu * np.array([0.3, 0.9, 1.1, 2.5]), 1e-5
        in_alpha_0 = (penalty.log_density(alpha_0 + h * mu) - penalty.log_density(alpha_0 - h * mu)) / (2 * h * mu)
        np.testing.assert_allclose(derivative(penalty, alpha_0), in_alpha_0, rtol=1e-6, atol=1e-7)
        in_tau = (penalty.log_density(alpha_0 * np.exp(h)) - penalty.log_density(alpha_0 * np.exp(-h))) / (2 * h)
        coefficients = penalty.log_coefficients
        assert [type(c) for c in coefficients] == [float] * 4
        found = np.dot(coefficients, [np.ones(4), np.log(alpha_0), alpha_0, 1 / alpha_0])
        np.testing.assert_allclose(found, in_tau, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_every_penalty_outside_its_support(name):
    penalty = named_penalty(name, 5.0, 1.0)
    assert penalty.log_density([0.0, -1.0, -np.inf]).tolist() == [-np.inf] * 3


@pytest.mark.parametrize("name", NAMES)
def test_precision_is_the_maximiser(name):
    for mu, sigma2 in GRID:
        for r in (1, 2, 7, 60):
            _check_precision(name, named_penalty(name, mu, sigma2), r)


def _check_precision(name, penalty, r):
    found = float(penalty.precision(r))
    if name == "gamma" and penalty.eta2 <= r:
        assert np.isnan(found)  # the objective grows without bound as α_0 → 0
        grid = np.geomspace(1e-12, 1e3 * penalty.mu, 500)
        assert (np.diff((1 - r) * np.log(grid) + penalty.log_density(grid)) < 0).all()
        return

    def objective(tau):
        return -((1 - r) * tau + penalty.log_density(np.exp(tau)))

    span = (np.log(found) - 2.0, np.log(found) + 1.5)  # not symmetric: the midpoint should not be the answer
    best = minimize_scalar(objective, bounds=span, method="bounded", options={"xatol": 1e-9})
    assert found == pytest.approx(np.exp(best.x), rel=1e-5)
    wide = np.linspace(np.log(found) - 8, np.log(found) + 6, 801)
    assert objective(wide).min() >= best.fun - 1e-9 * abs(best.fun)


@pytest.mark.parametrize("name", NAMES)
def test_precision_zeroes_the_derivative_and_takes_arrays(name):
    penalty, r = named_penalty(name, 30.0, 4.0), np.array([[0, 1, 2], [5, 50, 200]])
    alpha_0 = penalty.precision(r)
    assert alpha_0.shape == r.shape
    np.testing.assert_allclose((1 - r) / alpha_0 + derivative(penalty, alpha_0), 0, atol=1e-10)
    log_alpha_0, log_f = penalty.log_at_precision(r)
    np.testing.assert_allclose(log_alpha_0, np.log(alpha_0), rtol=1e-13)
    np.testing.assert_allclose(log_f, penalty.log_density(alpha_0), rtol=1e-11)


def test_a_log_normal_precision_too_small_for_a_float_keeps_its_logarithms():
    penalty, r = LogNormalPenalty(5.0, 1.0), 30_000  # v r = 1,177: a stop word of short texts
    assert np.isnan(penalty.precision(r))
    log_alpha_0, log_f = penalty.log_at_precision(r)
    with mpmath.workdps(60):
        v = mpmath.log(mpmath.mpf(26) / 25)
        tau = mpmath.log(5) - v * (r + mpmath.mpf("0.5"))
        exact = -tau - (tau - mpmath.log(5) + v / 2) ** 2 / (2 * v) - mpmath.log(2 * mpmath.pi * v) / 2
    assert float(log_alpha_0) == pytest.approx(float(tau), rel=1e-13)
    assert float(log_f) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_every_penalty_refuses_bad_hyperparameters(name):
    for bad in (0, -1, np.nan, np.inf, None, "ten", b"1", [1, 2], np.array([1.0]), 1j, object()):
        with pytest.raises(ValueError, match="mu must be a finite number above 0"):
            named_penalty(name, bad, 1.0)
        with pytest.raises(ValueError, match="sigma2 must be a finite number above 0"):
            named_penalty(name, 1.0, bad)


@pytest.mark.parametrize("name", NAMES)
def test_every_penalty_refuses_extremes(name):
    extremes = [(1e160, 1, "mu"), (1e-170, 1, "mu"), (1, 1e308, "sigma2"), (1, 5e-324, "sigma2"), (1e90, 1, "η² ")]
    for mu, sigma2, said in [*extremes, (1e-60, 1, "η² ")]:
        with pytest.raises(ValueError, match=rf"{said}.* must be between 1e-100 and 1e100"):
            named_penalty(name, mu, sigma2)


@pytest.mark.parametrize("name", NAMES)
def test_every_penalty_takes_any_kind_of_number(name):
    for kind in (np.uint8, np.int16, np.float16, np.float32, np.array, int, bool):
        mu, sigma2 = (1, 1) if kind is bool else (200, 3)
        penalty = named_penalty(name, kind(mu), kind(sigma2))
        assert penalty == named_penalty(name, float(mu), float(sigma2))
        assert (type(penalty.mu), type(penalty.sigma2), type(penalty.eta2)) == (float, float, float)


@pytest.mark.parametrize("name", NAMES)
def test_a_penalty_is_a_plain_value(name):
    penalty = named_penalty(name, np.float32(75), 2)
    assert repr(penalty) == f"{PENALTIES[name].__name__}(mu=75.0, sigma2=2.0)"
    with pytest.raises(FrozenInstanceError):
        penalty.mu = 3.0
    with pytest.raises(FrozenInstanceError):
        del penalty.sigma2
    assert not hasattr(penalty, "__dict__")
    assert len({penalty, named_penalty(name, 75.0, 2.0)}) == 1
    assert penalty != named_penalty(name, 75.0, 2.5)
    assert penalty != (75.0, 2.0)
    assert pickle.loads(pickle.dumps(penalty)) == penalty
    assert copy.deepcopy(penalty) == penalty


def test_penalties_of_the_same_numbers_differ():
    assert len({named_penalty(name, 75.0, 1.0) for name in NAMES}) == 3
    values = [float(named_penalty(name, 75.0, 1.0).log_density(75.0)) for name in NAMES]
    assert values == pytest.approx([-0.918953, -0.918916, -0.918864], abs=5e-7)
