"""The test of an entry of M: against brute force, and under the null."""

import numpy as np
import pytest
from scipy.optimize import minimize

from termburst.inference.triggers import TriggerIntervals
from termburst.models.fit_polya_urn import fit_urn
from termburst.models.polya_urn import PolyaUrn
from termburst.models.urn_sequences import Sequences, UrnMatrix


def fitted(seed, terms=12, documents=60, length=40, pair=0.4):
    rng = np.random.default_rng(seed)
    M = np.diag(rng.gamma(2.0, 0.02, terms))
    M[0, 1] = pair
    alpha = rng.dirichlet(np.full(terms, 5.0))
    drawn = PolyaUrn(alpha, M).sample_tokens(rng.poisson(length, documents) + 1, rng)
    tokens = np.concatenate(drawn).astype(np.int32)
    sequences = Sequences(tokens, np.cumsum([one.size for one in drawn]).astype(np.int64), terms)
    everyone = np.arange(terms)
    matrix = UrnMatrix.of_pairs(np.append(everyone, [0, 2]), np.append(everyone, [1, 3]), terms)
    fit = fit_urn(sequences, matrix, (np.full(terms, 1 / terms), np.full(matrix.sources.size, 0.05)), tolerance=1e-12)
    return sequences, matrix, fit, TriggerIntervals(sequences, fit)


def test_the_profile_is_the_maximum_of_the_column():
    _, matrix, _, test = fitted(1)
    entry = int(np.flatnonzero((matrix.sources == 0) & (matrix.targets == 1))[0])
    own = int(np.flatnonzero((matrix.sources == 1) & (matrix.targets == 1))[0])
    rows = test.rows
    x, w = [], []
    for r in range(rows.row_of[1], rows.row_of[2]):
        row = np.zeros(2)
        cells = slice(rows.starts[r], rows.starts[r + 1])
        row[rows.local[cells] - 1] = rows.amounts[cells]
        x.append(row)
        w.append(rows.weight[r])
    x, w = np.array(x), np.array(w)
    order = [entry, own] if entry < own else [own, entry]
    exposure = test.exposure[order]
    place = order.index(entry)

    def value(alpha, values):
        return float(w @ np.log(alpha + x @ values) - alpha * test.inverse - values @ exposure)

    for held in (0.0, 0.3, 5.0):

        def loss(p, held=held):
            alpha, other = np.exp(p)
            values = np.empty(2)
            values[place], values[1 - place] = held * alpha, other
            return -value(alpha, values)

        best = minimize(loss, np.log([0.1, 0.05]), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10})
        found = test.profile(np.array([entry]), np.array([held]))[0][0]
        assert found == pytest.approx(-best.fun, abs=1e-6)
    fitted_ratio = test.values[[entry]] / test.alpha[1]
    assert test.profile(np.array([entry]), fitted_ratio)[0][0] == pytest.approx(test.best[1], abs=1e-7)


def test_intervals_end_where_the_likelihood_ratio_is_critical():
    _, matrix, _, test = fitted(2)
    entries = np.flatnonzero(matrix.targets == 1)
    low, high = test.intervals(entries, 0.95)
    for end in (low[low > 0], high):
        chosen = entries[low > 0] if end.size < high.size else entries
        np.testing.assert_allclose(test.likelihood_ratio(chosen, end), 3.841458820694124, atol=1e-4)


@pytest.mark.parametrize(
    ("terms", "length", "documents", "pair"),
    [(60, 40, 150, 0.03), (12, 4, 150, 0.3), (5, 80, 60, 0.3), (12, 10, 150, 1.0), (40, 10, 60, 3.0)],
)
def test_the_statistic_is_that_of_two_whole_fits(terms, length, documents, pair):
    """Also where the target is much of the text after its source, so that the lines lie far below −log Z."""
    sequences, matrix, fit, test = fitted(3, terms, documents, length, pair)
    entry = int(np.flatnonzero((matrix.sources == 0) & (matrix.targets == 1))[0])
    kept = np.arange(matrix.sources.size) != entry
    without = UrnMatrix.of_pairs(matrix.sources[kept], matrix.targets[kept], sequences.terms)
    start = (np.full(sequences.terms, 1 / sequences.terms), np.full(without.sources.size, 0.05))
    null = fit_urn(sequences, without, start, tolerance=1e-12)
    whole = 2 * (fit.log_likelihood - null.log_likelihood)
    assert whole > 10
    assert test.likelihood_ratio(np.array([entry]), np.zeros(1))[0] == pytest.approx(whole, rel=0.1)
    line = 2 * (test.best[1] - test.profile(np.array([entry]), np.zeros(1))[0][0])
    assert line > whole - 1e-6  # the bound is on this side


@pytest.mark.slow
def test_the_interval_is_that_of_whole_fits():
    """At its ends two whole fits, with M/α held there, differ by the critical value."""
    sequences, matrix, fit, test = fitted(4, 6, 80, 8, 0.5)
    entry = int(np.flatnonzero((matrix.sources == 0) & (matrix.targets == 1))[0])
    low, high = test.intervals(np.array([entry]))
    own, other = np.flatnonzero(matrix.own), int(np.flatnonzero((matrix.sources == 2) & (matrix.targets == 3))[0])

    def whole(ratio):
        def loss(x):
            alpha, values = np.exp(np.append(x[:5], 0.0)), np.empty(8)
            values[own], values[other], values[entry] = np.exp(x[5:11]), np.exp(x[11]), ratio * alpha[1]
            mass, total = sequences.masses(alpha / alpha.sum(), matrix, values / alpha.sum())
            return -np.log(mass / total).sum()

        begin = np.log(np.concatenate([fit.alpha[:5] / fit.alpha[5], np.maximum(fit.values[own], 1e-3), [1e-3]]))
        return -minimize(loss, begin, method="L-BFGS-B", bounds=[(-12, 6)] * 12).fun

    for end in (low[0], high[0]):
        exact = 2 * (fit.log_likelihood - whole(end))
        line = 2 * (test.best[1] - test.profile(np.array([entry]), np.array([end]))[0][0])
        assert exact == pytest.approx(3.841, rel=0.15)  # eight tokens per document: other columns matter a little, too
        assert abs(line - exact) > 2 * abs(3.841 - exact)


def test_pairs_that_are_no_entries_have_no_place():
    _, matrix, _, test = fitted(5)
    entries = test.entries_between(np.array([0, 1, 2, 11]), np.array([1, 0, 3, 11]))
    assert (entries >= 0).tolist() == [True, False, True, True]
    assert matrix.sources[entries[[0, 2, 3]]].tolist() == [0, 2, 11]
    assert test.excess(entries[:1])[0] == pytest.approx(test.values[entries[0]] / test.alpha[1])


@pytest.mark.slow
def test_the_size_under_the_null():
    ratios = []
    for seed in range(40):
        rng = np.random.default_rng([7, seed])
        terms = 60
        alpha = rng.dirichlet(np.full(terms, 1.0))
        drawn = PolyaUrn(alpha, np.diag(rng.gamma(2.0, 0.005, terms))).sample_tokens(np.full(200, 60), rng)
        tokens = np.concatenate(drawn).astype(np.int32)
        sequences = Sequences(tokens, np.arange(1, 201) * 60, terms)
        target = np.arange(terms)
        source = (target + rng.integers(1, terms, terms)) % terms
        matrix = UrnMatrix.of_pairs(np.append(target, source), np.append(target, target), terms)
        start = (np.full(terms, 1 / terms), np.full(matrix.sources.size, 0.01))
        intervals, others = TriggerIntervals(sequences, fit_urn(sequences, matrix, start)), np.flatnonzero(~matrix.own)
        ratios.append(intervals.likelihood_ratio(others, np.zeros(others.size)))
    ratios = np.concatenate(ratios)
    for level, critical in ((0.05, 2.705543), (0.01, 5.411894)):  # of ½χ²_0 + ½χ²_1
        error = np.sqrt(level * (1 - level) / ratios.size)
        assert (ratios >= critical).mean() < level + 3.5 * error
        assert (ratios >= critical).mean() > 0.4 * level  # it is no empty test
