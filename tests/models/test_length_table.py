"""The table of length sums against the sums themselves: in long double, and in mpmath where there are millions."""

import mpmath
import numpy as np
import pytest

from termburst.core.length_table import LOWEST, WIDTH, look_up
from termburst.models.length_table import DIRECT, LengthTable
from termburst.statistics.matrix import tally

Z = [1e-12, 3e-7, 1e-3, 0.4, 1.0, 17.3, 999.5, 4096.0, 1e5, 2.2e7, 1e10, 1e13, 1e16]


def at(table, z):
    """K(z) and −dK/d log z, for one z > 0."""
    value, slope = look_up(table.for_kernels(), np.log([z]))
    return value[0], slope[0]


def table_of(lengths):
    (distinct,), documents = tally([np.asarray(lengths, dtype=np.int64)])
    return LengthTable.of(distinct, documents)


def direct_sums(lengths, z):
    """K and −dK/d log z, by the definition: C_k from a plain count, 64-bit mantissas."""
    lengths = np.asarray(lengths, dtype=np.int64)
    k = np.arange(1, lengths.max(), dtype=np.int64)
    longer = (lengths.size - np.searchsorted(np.sort(lengths), k, side="right")).astype(np.longdouble)
    z, k = np.longdouble(z), k.astype(np.longdouble)
    share = k / (z + k)
    return float((longer * share).sum()), float((longer * share * (z / (z + k))).sum())


def exact_sums(lengths, z):
    """The same by digammas, so that ten million terms cost two: Σ_{k<m} k/(z+k) = m − z[ψ(z+m) − ψ(z)]."""
    with mpmath.workdps(60):
        z, value, slope = mpmath.mpf(z), mpmath.mpf(0), mpmath.mpf(0)
        for m in lengths:
            step = mpmath.digamma(z + m) - mpmath.digamma(z)
            bend = mpmath.polygamma(1, z + m) - mpmath.polygamma(1, z)
            value += m - z * step
            slope += z * (step + z * bend)
        return float(value), float(slope)


def heavy_tailed(documents, longest, seed=3):
    lengths = np.random.default_rng(seed).pareto(1.2, documents) * 40
    return np.append(np.minimum(lengths, longest).astype(np.int64), longest)


SETS = {
    "two tokens": [2],
    "few": [1, 3, 3, 10, 250],
    "around the change of method": [DIRECT - 1, DIRECT, DIRECT + 1, DIRECT + 2, 2 * DIRECT],
    "one just past it": [DIRECT + 1],
    "thousands": heavy_tailed(3000, 12_000),
    "up to 200,000": heavy_tailed(11_000, 200_000),
    "all long": np.arange(150_000, 200_001, 500),
}


@pytest.mark.parametrize("name", SETS)
def test_the_table_holds_the_sums_it_stands_for(name):
    table = table_of(SETS[name])
    # Both sums have positive terms only, so that they lose no digits: 1e-13 is the interpolation's 1e-15 and the
    # rounding of coefficients up to three times as large, with a margin.
    for z in Z:
        np.testing.assert_allclose(at(table, z), direct_sums(SETS[name], z), rtol=1e-13, atol=1e-300, err_msg=str(z))


@pytest.mark.parametrize("lengths", [[10_000_000], [7, 4096, 9_999_999, 10_000_000], [3] * 40 + [12_345_678] * 3])
def test_documents_of_ten_million_tokens(lengths):
    table = table_of(lengths)
    for z in Z:
        np.testing.assert_allclose(at(table, z), exact_sums(lengths, z), rtol=1e-13, err_msg=str(z))


def test_the_two_references_agree():
    for z in Z:
        np.testing.assert_allclose(direct_sums(SETS["few"], z), exact_sums(SETS["few"], z), rtol=1e-14)


def test_between_the_nodes_as_on_them():
    lengths = SETS["thousands"]
    table = table_of(lengths)
    edges = np.exp(LOWEST + WIDTH * np.arange(1, 110, 9))
    for z in np.concatenate([edges * (1 - 1e-12), edges * (1 + 1e-12), np.geomspace(1e-11, 1e15, 60)]):
        np.testing.assert_allclose(at(table, z), direct_sums(lengths, z), rtol=1e-13, err_msg=str(z))


@pytest.mark.parametrize("z", [1e-20, 1e-15, 1e17, 1e20])
def test_beyond_the_panels_the_limits_serve(z):
    lengths = SETS["few"]
    # z/k or k/z, at most 250/1e16, is what the limits leave out
    np.testing.assert_allclose(at(table_of(lengths), z), exact_sums(lengths, z), rtol=1e-11)


def test_empty_documents_are_ignored():
    with_empty, without = table_of([0, 0, 0, 5, 2, 5]), table_of([5, 2, 5])
    np.testing.assert_array_equal(with_empty.coefficients, without.coefficients)
    assert (with_empty.tokens, with_empty.longest) == (12, 5)
    assert with_empty.pairs == without.pairs == 10 + 1 + 10


def test_documents_of_one_token_only_have_no_pairs():
    for lengths in ([1, 1, 1], [0, 1]):
        table = table_of(lengths)
        assert table.pairs == 0
        assert at(table, 2.5) == (0.0, 0.0)
    nothing = table_of([0, 0])
    assert (nothing.tokens, nothing.longest, nothing.pairs) == (0, 0, 0.0)
    assert at(nothing, 1.0) == (0.0, 0.0)


def test_pairs_is_the_limit_of_z_times_k():
    table = table_of(SETS["up to 200,000"])
    lengths = SETS["up to 200,000"].astype(np.float64)
    assert table.pairs == pytest.approx((lengths * (lengths - 1) / 2).sum(), rel=1e-14)
    # next to the limit there is Σ C_k k²/z, at most longest/z = 2e-11 of it
    assert 1e16 * at(table, 1e16)[0] == pytest.approx(table.pairs, rel=3e-11)


def test_pairs_of_one_very_long_document():
    assert table_of([3_000_000_000]).pairs == pytest.approx(4.4999999985e18, rel=1e-15)
