"""The beta-binomial distribution and Claim 1, against SciPy and mpmath."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from termburst import approximate_log_pmf


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
