"""Fits equal their twin in plain Python, and have the same bits in both libraries."""

import numpy as np
import pytest
from twins import beta_binomial as twin

from helpers.simulated import uneven_terms
from termburst.core import beta_binomial as core
from termburst.core.binding import record
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import SPACING
from termburst.models.length_table import LengthTable
from termburst.models.penalties import named_penalty
from termburst.statistics.term_statistics import TermStatistics

NONE = np.zeros(4)


def twins_fits(cells, table, terms, penalty, spacing):
    out = np.zeros((cells.n_i.size, twin.COLUMNS))
    twin.fit_terms(
        terms, cells.n_i, cells.indptr, cells.count, cells.length, cells.weight, table.tokens, table.longest,
        table.pairs, table.coefficients, penalty, spacing, out,
    )  # fmt: skip
    return out


def fits(cells, table, terms, penalty, spacing):
    raw = np.zeros(cells.n_i.size, record("FitResult"))
    core.fit_terms(cells.for_kernels(), table.for_kernels(), terms, penalty, spacing, raw)
    return raw.view(np.float64).reshape(raw.size, -1)


def ready(X):
    cells = term_cells(X)
    return cells, LengthTable.of(cells.lengths, cells.length_documents), np.flatnonzero(cells.n_i)


@pytest.mark.parametrize("detail", ["matrix", "patterns"])
@pytest.mark.parametrize("penalty", [None, "gamma", "log-normal", "inverse-gamma"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_fits_equal_the_twin(seed, penalty, detail, on_both):
    X = uneven_terms(seed)
    cells, table, terms = ready(X if detail == "matrix" else TermStatistics.from_counts(X, detail="patterns"))
    coefficients = NONE if penalty is None else np.array(named_penalty(penalty, 15.0, 30.0).log_coefficients)
    expected = twins_fits(cells, table, terms, coefficients, SPACING)
    baseline, avx2 = on_both(lambda: fits(cells, table, terms, coefficients, SPACING))
    np.testing.assert_array_equal(baseline, avx2)
    exact = [twin.EVALUATIONS, twin.STATUS]
    np.testing.assert_array_equal(baseline[:, exact], expected[:, exact])
    near = [twin.TAU, twin.OMEGA, twin.GAIN, twin.OBJECTIVE, twin.H_TT, twin.H_TO, twin.H_OO]
    # for large α_0 the likelihood is flat, and digits beyond the tenth are rounding
    np.testing.assert_allclose(baseline[:, near], expected[:, near], rtol=1e-9, atol=1e-9)
    assert set(expected[terms, twin.STATUS]) >= {twin.CONVERGED}


def test_a_fit_does_not_depend_on_the_terms_that_are_fitted_beside_it(on_both):
    # Terms with few occurrences are fitted four at a time, between frequent ones that are fitted alone.
    rng = np.random.default_rng(3)
    X = rng.negative_binomial(0.3, 0.3 / (0.3 + rng.choice([0.01, 0.2, 3.0], 30)), (150, 30))
    cells, table, terms = ready(X)
    together, avx2 = on_both(lambda: fits(cells, table, terms, NONE, SPACING))
    np.testing.assert_array_equal(together, avx2)
    for i in terms:
        np.testing.assert_array_equal(fits(cells, table, np.array([i]), NONE, SPACING)[i], together[i])
    assert cells.b_i[terms].min() < 4
    assert cells.n_i[terms].max() > 300


@pytest.mark.parametrize("seed", range(4))
def test_slopes_and_gains_equal_the_twin(seed, on_both):
    cells, table, terms = ready(uneven_terms(seed))
    rng = np.random.default_rng(seed)
    tau, omega = rng.uniform(-20, 30, terms.size), rng.uniform(-12, 6, terms.size)
    penalty = np.array(named_penalty("gamma", 15.0, 30.0).log_coefficients)
    of, lengths = cells.for_kernels(), table.for_kernels()
    found, again = on_both(lambda: core.derivatives(of, lengths, terms, tau, omega, penalty).view(np.float64))
    np.testing.assert_array_equal(found, again)
    gains, again = on_both(lambda: core.gains(of, lengths, terms, tau, omega))
    np.testing.assert_array_equal(gains, again)
    for k, i in enumerate(terms):
        here = slice(cells.indptr[i], cells.indptr[i + 1])
        weight, seen = np.ones(here.stop - here.start), np.zeros(table.longest)
        more, after, times, _ = twin._gather(
            0, weight.size, cells.count[here].astype(int), cells.length[here].astype(int), weight, seen
        )
        common = more, after, times, float(cells.n_i[i]), float(table.tokens), table.coefficients
        expected = np.array(twin.derivatives(tau[k], omega[k], *common, penalty))
        np.testing.assert_allclose(found.reshape(-1, 6)[k], expected, rtol=1e-11, atol=1e-12 * abs(expected[5]))
        assert gains[k] == pytest.approx(twin.gain(tau[k], omega[k], *common), rel=1e-11, abs=1e-11)


LARGE = np.array([[150_000, 7_000], [140_000, 140_000], [3, 20], [131_072, 5_000], [0, 135_000], [131_073, 0]])


@pytest.mark.slow
@pytest.mark.parametrize("tau", [-15.0, -1.0, 4.0, 13.0, 30.0])
def test_sums_over_large_counts_equal_the_twin(tau, on_both):
    """From 131,073 occurrences in one document on, most of the sum has a closed form; the twin adds one by one."""
    cells, table, terms = ready(LARGE)
    of, lengths, taus, omega = cells.for_kernels(), table.for_kernels(), np.full(2, tau), np.array([0.7, -0.8])
    found, again = on_both(lambda: core.derivatives(of, lengths, terms, taus, omega, NONE).view(np.float64))
    np.testing.assert_array_equal(found, again)
    gains = core.gains(of, lengths, terms, taus, omega)
    for k, i in enumerate(terms):
        here = slice(cells.indptr[i], cells.indptr[i + 1])
        weight, seen = np.ones(here.stop - here.start), np.zeros(table.longest)
        more, after, times, _ = twin._gather(
            0, weight.size, cells.count[here].astype(int), cells.length[here].astype(int), weight, seen
        )
        common = more, after, times, float(cells.n_i[i]), float(table.tokens), table.coefficients
        expected = np.array(twin.derivatives(tau, omega[k], *common, NONE))
        np.testing.assert_allclose(found.reshape(-1, 6)[k], expected, rtol=1e-11, atol=1e-12 * abs(expected[5]))
        summed = table.tokens * (1 + abs(min(tau, 0.0)))  # the size of the sums that cancel in a gain
        assert gains[k] == pytest.approx(twin.gain(tau, omega[k], *common), rel=1e-11, abs=1e-11 * summed)


@pytest.mark.parametrize("count", [10_000_000, 99_999_998, 99_999_999])
def test_a_document_of_a_hundred_million_tokens_needs_little_time_and_memory(count):
    cells, table, terms = ready(np.array([[count, 1], [1, 1], [0, 3]]))
    assert core.room(cells.for_kernels()).size < 10**6
    found = fits(cells, table, terms, NONE, SPACING)
    assert (found[:, twin.STATUS] == twin.CONVERGED).all()
    # The two terms are all tokens, so they have the same fit. Sums of 10⁸ cancel in it, and eight digits are lost.
    np.testing.assert_allclose(found[0, twin.TAU], found[1, twin.TAU], rtol=1e-5)
    np.testing.assert_allclose(found[0, twin.OMEGA], -found[1, twin.OMEGA], rtol=1e-5)
    expected = twins_fits(cells, table, np.array([1]), NONE, SPACING)
    assert expected[1, twin.STATUS] == twin.CONVERGED


def test_terms_out_of_range_and_wrong_shapes_are_errors():
    cells, table, terms = ready(uneven_terms(0))
    of, lengths = cells.for_kernels(), table.for_kernels()
    raw = np.zeros(cells.n_i.size, record("FitResult"))
    for bad in (-1, cells.n_i.size, 2**62):
        with pytest.raises(ValueError, match="an index is out of range"):
            core.fit_terms(of, lengths, np.array([bad]), NONE, SPACING, raw)
    with pytest.raises(ValueError, match="four coefficients"):
        core.fit_terms(of, lengths, terms, np.zeros(3), SPACING, raw)
    with pytest.raises(ValueError, match="one result per term"):
        core.fit_terms(of, lengths, terms, NONE, SPACING, raw[1:].copy())
    with pytest.raises(ValueError, match="one entry per term"):
        core.gains(of, lengths, terms, np.zeros(1), np.zeros(1))


def test_lengths_beyond_the_table_do_not_crash():
    """Cells of documents longer than any in the length histogram: the result is wrong, but memory is safe."""
    cells = TermCells(
        np.array([0, 2]), np.array([3, 9], np.int32), np.array([900, 4000], np.int32), np.ones(1), np.array([12]),
        np.array([2]), np.array([10, 20]), np.array([5, 5]),
    )  # fmt: skip
    table = LengthTable.of(cells.lengths, cells.length_documents)
    fits(cells, table, np.array([0]), NONE, SPACING)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0, 0.0])
def test_invalid_weights_do_not_hang(bad):
    cells = TermCells(
        np.array([0, 2]), np.array([3, 2], np.int32), np.array([9, 8], np.int32), np.array([1.0, bad]), np.array([12]),
        np.array([2]), np.array([8, 9]), np.array([5, 5]),
    )  # fmt: skip
    table = LengthTable.of(cells.lengths, cells.length_documents)
    fits(cells, table, np.array([0]), NONE, SPACING)
