"""The tails of reference distributions: equal to those of `scipy.stats` to the last bit, also at the ends."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from termburst.inference import distributions

X = np.array([-np.inf, -2.5, -1e-300, 0.0, 1e-12, 0.3, 1.0, 3.84, 40.0, 1e5, np.inf, np.nan])
P = np.array([0.0, 1e-300, 1e-12, 0.025, 0.5, 0.975, 1.0, np.nan])


@pytest.mark.parametrize(
    ("name", "freedom"),
    [("norm", ()), ("chi2", (1,)), ("chi2", (7,)), ("f", (1, 9)), ("f", (4, 10_000))],
)
def test_the_same_as_scipy_stats(name, freedom):
    ours, theirs = getattr(distributions, name), getattr(stats, name)
    np.testing.assert_array_equal(ours.sf(X, *freedom), theirs.sf(X, *freedom))
    if name != "chi2":
        np.testing.assert_array_equal(ours.isf(P, *freedom), theirs.isf(P, *freedom))
    assert ours.sf(1.5, *freedom) == theirs.sf(1.5, *freedom)


def test_a_quantile_of_chi2():
    np.testing.assert_array_equal(distributions.chi2.ppf(P, 1), stats.chi2.ppf(P, 1))


@pytest.mark.slow
def test_tables_do_not_import_scipy_stats():
    script = "import sys, termburst.report; print('scipy.stats' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )
