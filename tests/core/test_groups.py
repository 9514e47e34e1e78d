"""Fits of groups equal their twins in plain Python, with the same bits in both libraries."""

import numpy as np
import pytest
from twins import groups as twin
from twins.arrays import Plain

from helpers.simulated import halves
from termburst.core import groups as core
from termburst.models.cells import joined
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.fit_groups import GroupedCells


def null_of(groups):
    null = fit_beta_binomial(joined(groups))
    with np.errstate(divide="ignore", invalid="ignore"):
        tau, omega = np.log(null.alpha_0), np.log(null.mean) - np.log1p(-null.mean)
    return np.where(null.status == "converged", tau, np.inf), omega


@pytest.mark.parametrize("kappa", [0.0, 0.5])
@pytest.mark.parametrize(("seed", "parts"), [(0, 2), (1, 2), (2, 3)])
def test_fits_equal_the_twin(seed, parts, kappa, on_both):
    groups = halves(seed, parts)
    plain, grouped = Plain(groups), GroupedCells(groups, kappa)
    tau, omega = null_of(groups)
    gain, terms = np.full(tau.size, 0.01), np.flatnonzero(plain.n_i.sum(axis=1))
    expected = np.full((tau.size, 2 + parts), np.nan)
    with np.errstate(invalid="ignore"):  # inf − inf, if the null model is the binomial
        twin.fit_all(terms, plain.n_i, plain.longest, kappa, *plain.cells, tau, gain, omega, expected)

    def fitted():
        out = np.full((tau.size, 2 + parts), np.nan)
        core.fit_groups(grouped.cells, grouped.lengths, kappa, terms, tau, gain, omega, out)
        return out

    baseline, avx2 = on_both(fitted)
    np.testing.assert_array_equal(baseline, avx2)
    lacking = np.column_stack([np.zeros((tau.size, 2), dtype=bool), plain.n_i == 0])  # these logits are arbitrary
    np.testing.assert_allclose(np.where(lacking, 0, baseline), np.where(lacking, 0, expected), rtol=1e-7, atol=1e-9)


def test_terms_out_of_range_are_errors():
    groups = halves(0)
    grouped = GroupedCells(groups)
    size = grouped.n_i.shape[0]
    ones = np.ones(size)
    with pytest.raises(ValueError, match="an index is out of range"):
        core.fit_groups(
            grouped.cells, grouped.lengths, 0.5, np.array([size]), ones, ones, ones, np.empty((size, 4))
        )  # fmt: skip


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_invalid_fits_do_not_hang(bad):
    grouped = GroupedCells(halves(1))
    size = grouped.n_i.shape[0]
    strange = np.full(size, bad)
    out = np.empty((size, 4))
    core.fit_groups(grouped.cells, grouped.lengths, 0.5, grouped.terms, strange, strange, strange, out)
