"""Ratios of two groups and their limits equal their twins in plain Python, with the same bits in both libraries."""

import numpy as np
import pytest
from twins import ratios as twin
from twins.arrays import Plain

from helpers.simulated import halves
from termburst.core import ratios as core
from termburst.models.cells import joined
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.fit_groups import GroupedCells


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_ratios_and_limits_equal_the_twin(seed, on_both):
    groups = halves(seed)
    plain, grouped = Plain(groups), GroupedCells(groups)
    own = (np.arange(plain.n_i.shape[0]) % 2).astype(np.uint8)
    _, raw = grouped.fit(fit_beta_binomial(joined(groups)))
    fits, terms = np.ascontiguousarray(raw[:, [0, 0, 1, 2, 3]]), np.flatnonzero(plain.n_i.sum(axis=1))
    fits[:, 2] = np.nan_to_num(fits[:, 2])
    critical = np.full(own.size, 3.84)
    ratio, limits = np.full(own.size, np.nan), np.full((own.size, 2), np.nan)
    mixed = terms[(plain.n_i[terms] > 0).all(axis=1)]
    twin.ratios(mixed, plain.n_i, plain.longest, own, *plain.cells, fits, ratio)
    twin.intervals(terms, plain.n_i, plain.longest, 0.5, own, *plain.cells, fits, critical, limits)

    def found():
        out = np.full((own.size, 2), np.nan)
        core.ratio_limits(grouped.cells, grouped.lengths, 0.5, terms, own, fits, critical, out)
        ratio = np.full(own.size, np.nan)
        core.ratios(grouped.cells, grouped.lengths, mixed, own, fits, ratio)
        return np.column_stack([ratio, out])

    baseline, avx2 = on_both(found)
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline[:, 0], ratio, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(baseline[:, 1:], limits, rtol=1e-6, atol=1e-7)


def test_wrong_groups_and_shapes_are_errors():
    grouped, three = GroupedCells(halves(0)), GroupedCells(halves(0, 3))
    size = grouped.n_i.shape[0]
    ones, own, fits = np.ones(size), np.zeros(size, np.uint8), np.zeros((size, 5))
    with pytest.raises(ValueError, match="an index is out of range"):
        core.ratios(three.cells, three.lengths, np.array([0]), own, fits, ones)
    with pytest.raises(ValueError, match="one row of fits per term"):
        core.ratios(grouped.cells, grouped.lengths, np.array([0]), own, fits[:, :4].copy(), ones)
    with pytest.raises(ValueError, match="one length table per group"):
        core.ratios(grouped.cells, three.lengths, np.array([0]), own, fits, ones)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_invalid_fits_do_not_hang(bad):
    grouped = GroupedCells(halves(1))
    size = grouped.n_i.shape[0]
    limits, fits, own = np.empty((size, 2)), np.full((size, 5), bad), np.zeros(size, np.uint8)
    core.ratio_limits(grouped.cells, grouped.lengths, 0.5, grouped.terms, own, fits, np.full(size, bad), limits)
