"""Measures of other authors: against SciPy, their formulas, and resampling of whole documents."""

import numpy as np
import pytest
from scipy import stats

from termburst.inference.keyness_measures import PRIOR, bootstrap, log_odds, text_dispersion
from termburst.models.cells import term_cells
from termburst.statistics.term_statistics import TermStatistics


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(41)
    share = rng.gamma(0.5, 2.0, (70, 30)) * np.exp(rng.uniform(-3, 0, 30))
    counts = np.hstack([rng.poisson(share), np.full((70, 1), 60)])
    counts[:30, 0], counts[30:, 0] = 0, 2
    counts[::9, :29] += 1
    counts[:30, 0] = 0
    counts[:, 29] = 0
    return counts[:30], counts[30:]


def test_text_dispersion_is_the_likelihood_ratio_of_documents(matrices):
    a, b = matrices
    statistic, p_value = text_dispersion(term_cells(a), term_cells(b))
    for i in range(29):
        with_term = np.array([(a[:, i] > 0).sum(), (b[:, i] > 0).sum()])
        table = np.array([with_term, [30, 40] - with_term])
        expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert abs(statistic[i]) == pytest.approx(expected.statistic)
        assert p_value[i] == pytest.approx(expected.pvalue)
        assert statistic[i] * (with_term[0] / 30 - with_term[1] / 40) >= 0
    assert (statistic[29], p_value[29]) == (0, 1)
    assert (statistic[30], p_value[30]) == (0, 1)  # in all documents


def test_log_odds_is_the_formula_of_monroe_et_al(matrices):
    a, b = (counts.sum(axis=0) for counts in matrices)
    z, p_value = log_odds(*map(term_cells, matrices))
    n_a, n_b = a.sum(), b.sum()
    for i in range(29):
        alpha = PRIOR * (a[i] + b[i]) / (n_a + n_b)
        odds = [(n + alpha) / (total + PRIOR - n - alpha) for n, total in ((a[i], n_a), (b[i], n_b))]
        expected = np.log(odds[0] / odds[1]) / np.sqrt(1 / (a[i] + alpha) + 1 / (b[i] + alpha))
        assert z[i] == pytest.approx(expected)
        assert p_value[i] == pytest.approx(2 * stats.norm.sf(abs(expected)))
    assert (z[29], p_value[29]) == (0, 1)


@pytest.mark.slow
def test_bootstrap_equals_resampling_of_documents(matrices):
    rng = np.random.default_rng(42)
    _, p_value = bootstrap(*map(term_cells, matrices), resamples=1_999)
    wins = np.zeros(31)
    for _ in range(1_999):
        x, y = (m[rng.integers(0, len(m), len(m))] for m in matrices)
        x, y = (m.sum(axis=0) / m.sum() for m in (x, y))
        wins += (x > y) + 0.5 * (x == y)
    q = wins / 1_999
    expected = np.minimum((1 + 2 * 1_999 * np.minimum(q, 1 - q)) / 2_000, 1)
    held = np.sum([m.sum(axis=0) for m in matrices], axis=0) > 0
    np.testing.assert_allclose(p_value[held][:-1], expected[held][:-1], atol=0.08)
    assert p_value[0] == 1 / 2_000
    assert p_value[29] == 1


def test_patterns_have_the_same_bootstrap_as_documents(matrices):
    a, b = (term_cells(TermStatistics.from_counts(m, detail="patterns")) for m in matrices)
    statistic, p_value = bootstrap(a, b, resamples=499)
    other, p_other = bootstrap(*map(term_cells, matrices), resamples=499)
    np.testing.assert_allclose(p_value, p_other, atol=0.15)
    assert statistic[0] == other[0] == -np.inf
