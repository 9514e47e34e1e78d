"""The class-conditional Dirichlet-multinomial against mpmath and the package's own log-pmf."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp

import termburst as tb
from termburst.models import dirichlet_multinomial_classes
from termburst.models.dirichlet_multinomial_classes import class_log_likelihood, log_rise


@pytest.mark.parametrize("alpha", [1e-9, 0.3, 7.0, 1e4, 1e12])
@pytest.mark.parametrize("n", [0.4, 2, 3, 500, 10**6])
def test_log_rise_has_its_digits(alpha, n):
    with mpmath.workdps(60):
        a = mpmath.mpf(alpha)
        exact = mpmath.loggamma(a + n) - mpmath.loggamma(a) - n * mpmath.log(a)
    assert float(log_rise(alpha, n)) == pytest.approx(float(exact), rel=1e-9, abs=1e-15)


def test_blocks_of_classes_add_up(monkeypatch):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.7, size=(30, 12)))
    mean, precision = rng.dirichlet(np.ones(12), size=5), np.array([0.5, 3, 40, 1e5, np.inf])
    whole = class_log_likelihood(X, mean, precision)
    monkeypatch.setattr(dirichlet_multinomial_classes, "TABLE_CELLS", 1)
    np.testing.assert_allclose(class_log_likelihood(X, mean, precision), whole, rtol=1e-12)
    differences = tb.models.dirichlet_multinomial_log_pmf(X, 3 * mean[1]) - tb.models.dirichlet_multinomial_log_pmf(
        X, 40 * mean[2]
    )
    np.testing.assert_allclose(whole[:, 1] - whole[:, 2], differences, atol=1e-9)
