"""The binomial distribution and what its digits rest on, against SciPy and mpmath."""

from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import xlog1py, xlogy

from termburst.models import binomial, special


@pytest.mark.parametrize("n_j", [0, 1, 7, 50, 400])
def test_log_pmf_is_scipys_and_sums_to_one(n_j):
    n_ij, theta = np.arange(n_j + 1)[:, None], np.array([0.0, 1e-9, 0.01, 0.3, 0.5, 0.999, 1.0])
    value = binomial.log_pmf(n_ij, n_j, theta)
    # SciPy's own log-pmf is a sum of logarithms of size n_j log n_j: good to 1e-12 here
    np.testing.assert_allclose(value, stats.binom.logpmf(n_ij, n_j, theta), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(np.exp(value).sum(axis=0), 1, atol=1e-13)


@pytest.mark.parametrize("n_j", [1, 50, 10**7])
def test_log_pmf_at_the_extremes(n_j):
    thetas = (1e-300, 1e-12, 1e-5, 1 / 3, 0.5, 0.7, 0.999999)
    for n_ij, theta in product({0, 1, n_j // 3, n_j // 2, n_j - 1, n_j}, thetas):
        with mpmath.workdps(50):
            p = mpmath.mpf(theta)
            coefficient = mpmath.loggamma(n_j + 1) - mpmath.loggamma(n_ij + 1) - mpmath.loggamma(n_j - n_ij + 1)
            exact = float(coefficient + n_ij * mpmath.log(p) + (n_j - n_ij) * mpmath.log(1 - p))
        assert float(binomial.log_pmf(n_ij, n_j, theta)) == pytest.approx(exact, rel=1e-13, abs=1e-13)


def test_outside_the_support_and_the_parameters():
    assert binomial.log_pmf([-1, 51, 1.5, np.nan], 50, 0.1).tolist() == [-np.inf] * 4
    assert binomial.log_pmf(0, [-1, 50.5, np.inf], 0.1).tolist() == [-np.inf] * 3
    assert binomial.log_pmf([0, 1, 2], 2, [[0.0], [1.0]]).tolist() == [[0, -np.inf, -np.inf], [-np.inf, -np.inf, 0]]
    for theta in (-0.1, 1.1, np.nan, np.inf):
        with pytest.raises(ValueError, match="between 0 and 1"):
            binomial.log_pmf(1, 2, theta)


def test_log_likelihood_is_the_maximum():
    n_i, n = np.array([0, 1, 3, 10, 999_999, 10**6]), 10**6
    thetas = np.concatenate([n_i / n, [1e-7, 0.5]])[:, None]
    every = xlogy(n_i, thetas) + xlog1py(n - n_i, -thetas)
    np.testing.assert_allclose(binomial.log_likelihood(n_i, n), every.max(axis=0), rtol=1e-9)
    assert binomial.log_likelihood([0, 5, 0], [5, 5, 0]).tolist() == [0, 0, 0]
    assert binomial.log_likelihood([[0], [1]], [4, 5, 6]).shape == (2, 3)


def test_log_likelihood_keeps_the_digits_of_both_ends():
    n = 10**15
    with mpmath.workdps(50):
        exact = float(mpmath.log(mpmath.mpf(1) / n) + (n - 1) * mpmath.log(1 - mpmath.mpf(1) / n))
    assert float(binomial.log_likelihood(1, n)) == pytest.approx(exact, rel=1e-15)
    assert float(binomial.log_likelihood(n - 1, n)) == pytest.approx(exact, rel=1e-15)


def test_log_likelihood_refuses_impossible_counts():
    for n_i, n in [(-1, 5), (6, 5), (np.nan, 5), (1, np.nan), (1, np.inf)]:
        with pytest.raises(ValueError, match="between 0 and n"):
            binomial.log_likelihood(n_i, n)


def test_deviance_near_and_far():
    for x, e in [
        (0.0, 2.5),
        (1.0, 1e-30),
        (1e-30, 1.0),
        (5.0, 5.0),
        (1e8, 1e8 + 1),
        (3.0, 3.6),
        (3.0, 3.7),
        (0.0, 0.0),
    ]:
        with mpmath.workdps(50):
            exact = float((mpmath.mpf(x) * mpmath.log(mpmath.mpf(x) / e) if x else 0) + mpmath.mpf(e) - x)
        got = special.deviance(np.array(x), np.array(e), np.array(e - x))
        assert float(got) == pytest.approx(exact, rel=2e-14, abs=0)
    assert special.deviance(np.array(1.0), np.array(0.0), np.array(-1.0)) == np.inf


def test_stirling_remainders():
    for x in (0.0, 1e-12, 0.3, 1.0, 11.99, 12.0, 12.01, 50.0, 1e6, 1e14):
        with mpmath.workdps(50):
            big = mpmath.mpf(x)
            exact = float(mpmath.loggamma(big + 1) - (big * mpmath.log(big) if x else 0) + big)
            assert float(special.factorial_remainder(x)) == pytest.approx(exact, rel=1e-14, abs=2e-15)
            if x < 12:
                continue
            wanted = (
                mpmath.loggamma(big) - (big - 0.5) * mpmath.log(big) + big - mpmath.log(2 * mpmath.pi) / 2,
                mpmath.log(big) - 1 / (2 * big) - mpmath.psi(0, big),
                mpmath.psi(1, big) - 1 / big - 1 / (2 * big**2),
            )
            for order, exact_series in enumerate(wanted):
                found = float(special.bernoulli_series(np.array(x), order))
                assert found == pytest.approx(float(exact_series), rel=1e-12)
