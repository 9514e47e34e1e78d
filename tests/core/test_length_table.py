"""Length sums and look-ups equal their twin in plain Python, with the same bits in both libraries."""

import mpmath
import numpy as np
import pytest
from twins import length_table as twin

from termburst.core import length_table as core
from termburst.models.length_table import LengthTable
from termburst.statistics.matrix import tally

T = np.log([1e-14, 1e-9, 0.3, 44.0, 5000.0, 1e6, 1e12, 1e18])


def test_the_constants_of_the_table_equal_the_twin():
    names = ("DEGREE", "WIDTH", "LOWEST", "PANELS")
    assert [getattr(core, name) for name in names] == [getattr(twin, name) for name in names]


@pytest.mark.parametrize("size", [0, 1, 4, 5, 7])
def test_sums_equal_the_twin(size, on_both):
    longer = np.array([9.0, 9.0, 7.0, 7.0, 2.0, 2.0, 2.0])[:size]
    edges, run_longer = np.array([size, 900, 70_000]), np.array([2.0, 1.0])
    expected = np.empty((T.size, 2))
    twin.length_sums(T, longer, edges[:-1], edges[1:], run_longer, expected)
    baseline, avx2 = on_both(lambda: np.column_stack(core.length_sums(T, longer, edges, run_longer)))
    np.testing.assert_allclose(baseline, expected, rtol=1e-14)
    np.testing.assert_array_equal(baseline, avx2)


def test_w_minus_log1p_equals_mpmath():
    for w in (1e-9, 0.003, 0.05, 0.0500001, 4.0):
        with mpmath.workdps(40):  # at w = 0.05 the difference is a fortieth of w: cancellation costs 1e-14
            assert twin._log1p_shortfall(w, np.log1p(w)) == pytest.approx(float(w - mpmath.log1p(w)), rel=1e-14)


def test_look_ups_equal_the_twin(on_both):
    lengths = np.append(np.minimum(np.random.default_rng(3).pareto(1.2, 3000) * 40, 12_000), 12_000).astype(np.int64)
    (distinct,), documents = tally([lengths])
    table = LengthTable.of(distinct, documents)
    expected = np.array([twin.look_up(table.coefficients, t) for t in T])
    baseline, avx2 = on_both(lambda: np.column_stack(core.look_up(table.for_kernels(), T)))
    np.testing.assert_allclose(baseline, expected, rtol=1e-14)
    np.testing.assert_array_equal(baseline, avx2)


def test_shapes_that_do_not_match_are_errors():
    with pytest.raises(ValueError, match="one edge more"):
        core.length_sums(T, np.ones(3), np.array([3, 5]), np.ones(2))
    with pytest.raises(ValueError, match="130 panels"):
        core.length_table(np.zeros((3, 11, 2)), 1.0, 1.0, 1)
