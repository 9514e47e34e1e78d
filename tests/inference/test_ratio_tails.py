"""The tail of a likelihood ratio whose precision is estimated is that of a normal sample, and intervals invert it."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from termburst.inference.ratio_tails import critical_fall, inverse_tail, tail_of


@pytest.mark.parametrize("size", [3, 8, 40])
def test_p_is_that_of_student_for_a_normal_sample(size):
    sample = np.random.default_rng(size).normal(0.7, 1, size)
    ratio = size * np.log((sample**2).mean() / sample.var())
    found = tail_of(np.array([ratio]), np.array([size - 1.0]), np.array([False]))
    assert found[0] == pytest.approx(ttest_1samp(sample, 0).pvalue)


def test_the_inverse_and_what_the_precision_costs():
    freedom, both = np.array([2.0, 10.0, 1e9] * 2), np.repeat([False, True], 3)
    for p in (0.5, 0.05, 1e-6):
        critical = inverse_tail(p, freedom, both)
        np.testing.assert_allclose(tail_of(critical, freedom, both), p, rtol=1e-6)
        assert (np.diff(critical.reshape(2, 3)) < 0).all()


def test_an_interval_agrees_with_p_given_the_bursts():
    ratio = np.array([0.0, 0.2, 3.0, 3.0, 5.0, 5.0, 20.0])
    p_value = np.array([1.0, 0.7, 0.04, 0.2, 0.06, 0.01, 0.3])
    freedom, no, yes = np.full(7, 50.0), np.zeros(7, bool), np.ones(7, bool)
    critical = critical_fall(ratio, freedom, no, p_value, yes, 0.95)
    np.testing.assert_array_equal(critical > ratio, p_value > 0.05)
    plain = critical_fall(ratio, freedom, no, p_value, no, 0.95)
    np.testing.assert_allclose(plain, inverse_tail(0.05, freedom, no))


@pytest.mark.slow
def test_tables_do_not_import_scipy_stats():
    script = "import sys, termburst.report; print('scipy.stats' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )
