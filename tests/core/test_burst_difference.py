"""The difference of two burst ratios and its limits agree with the twin in plain Python."""

import math

import numpy as np
import pytest
from test_effects import Problem
from twins import burst_difference as twin

from termburst.core import burst_difference as core
from termburst.models.cells import GroupedCells, term_cells

ROOT = 1.96


class Two:
    """Two groups of documents with the same terms."""

    def __init__(self, seed):
        self.groups = Problem(seed), Problem(seed + 100)
        self.cells = GroupedCells([term_cells(one.X) for one in self.groups]).cells
        self.tables = self.groups[0].table, self.groups[1].table
        self.fits = np.ascontiguousarray(np.column_stack([column for one in self.groups for column in one.fits]))

    def differences(self, fits=None, root=ROOT, terms=(0, 1, 2)):
        out, roots = np.full((5, 3), np.nan), np.full(5, root)
        fits = self.fits if fits is None else fits
        core.burst_differences(self.cells, self.tables, np.array(terms), fits, roots, out)
        return out

    def fall(self, i, delta):
        """2(ℓ̂ − ℓ) at a difference, by the twin."""
        top = sum(one.fits[2][i] for one in self.groups)
        return 2 * (top - twin.gain_at_difference(*(one.term(i) for one in self.groups), delta))


@pytest.mark.slow
def test_differences_and_limits_equal_the_twin(on_both):
    two = Two(0)
    baseline, avx2 = on_both(two.differences)
    np.testing.assert_array_equal(baseline, avx2)
    assert np.isnan(baseline[3:]).all()  # not asked for
    for i in (0, 1, 2):
        assert baseline[i, 0] == pytest.approx(two.fall(i, 0.0), rel=1e-4, abs=1e-5)
    assert baseline[1, 1] < baseline[1, 2]
    for limit in baseline[1, 1:].tolist():
        assert math.sqrt(two.fall(1, limit)) == pytest.approx(ROOT, rel=1e-3)


def test_without_a_root_there_are_no_limits():
    out = Two(0).differences(root=0.0)
    assert np.isfinite(out[:3, 0]).all()
    assert np.isnan(out[:, 1:]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, -1e300])
def test_invalid_fits_do_not_hang(bad):
    two = Two(1)
    two.differences(fits=np.full((5, 6), bad))
    two.differences(root=bad)


def test_wrong_shapes_groups_and_indices_are_errors():
    two = Two(0)
    with pytest.raises(ValueError, match="an index is out of range"):
        two.differences(terms=(5,))
    with pytest.raises(ValueError, match="a row of fits must have"):
        two.differences(fits=np.zeros((5, 5)))
    two.cells = two.groups[0].cells
    with pytest.raises(ValueError, match="two groups"):
        two.differences()
