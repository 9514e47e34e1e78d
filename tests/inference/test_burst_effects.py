"""Burst ratio and reuse: SciPy's distribution, limits by brute force, and coverage where the truth is known."""

import numpy as np
import pytest
from scipy import optimize, special, stats

import termburst as tb
from helpers.profiles import best, bursty_terms, log_likelihood, profile_of_ratio
from helpers.simulated import cells_of_columns
from termburst.inference.burst_effects import (
    burst_effects,
    coordinates,
    fewest_documents,
    hardly_repeats,
    lower_roots,
    reuse_of,
    spread_enough,
)
from termburst.inference.robust_scale import robust_scale
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial

FULL = stats.norm.isf(0.025)


def profile_of_reuse(count, length, reuse, at_length):
    """Along α: for each, the α_0 with that reuse."""

    def odds(alpha, alpha_0):
        return float(reuse_of(np.log([alpha_0]), special.logit(np.array([alpha / alpha_0])), at_length)[0]) - reuse

    def along(log_alpha):
        alpha = np.exp(log_alpha)
        tau = optimize.brentq(lambda t: odds(alpha, np.exp(t)), log_alpha + 1e-6, log_alpha + 25, xtol=1e-12)
        return log_likelihood(count, length, tau, special.logit(np.exp(log_alpha - tau)))

    return best(along, -6.0, 12.0)


@pytest.fixture(scope="module")
def X():  # noqa: N802
    return bursty_terms(3)


def test_burst_ratio_and_reuse_of_the_fit(X):
    cells = term_cells(X)
    fit, found = fit_beta_binomial(cells), burst_effects(cells)
    inside = fit.status == "converged"
    assert inside.sum() > 3
    assert "empty" not in fit.status
    expected = (1 + 1 / fit.alpha) / (1 + 1 / fit.alpha_0)
    np.testing.assert_allclose(found.burst_ratio[inside], expected[inside], rtol=1e-9)
    assert (found.burst_ratio[fit.status == "boundary"] == 1).all()
    for whole in (2, 7, 240):
        reuse = reuse_of(*coordinates(fit), float(whole))
        for i in np.flatnonzero(inside):
            model = stats.betabinom(whole, fit.alpha[i], fit.alpha_not[i])
            assert reuse[i] == pytest.approx(model.sf(1) / model.sf(0), rel=1e-6)  # SciPy subtracts from 1
    chance = stats.binom(30, X[:, 0].sum() / X.sum())
    by_chance = reuse_of(np.array([np.inf]), special.logit(np.array([X[:, 0].sum() / X.sum()])), 30.0)
    assert by_chance[0] == pytest.approx(chance.sf(1) / chance.sf(0), rel=1e-10)


def test_reuse_keeps_its_digits_when_the_precision_is_large():
    """As α_0 grows, reuse goes to that of the binomial, also for a rare term."""
    omega = special.logit(np.array([1e-6]))
    limit = reuse_of(np.array([np.inf]), omega, 75.0)[0]
    assert limit == pytest.approx(74 * 1e-6 / 2, rel=1e-4)
    for tau in (23.0, 30.0, 36.0):  # 1/α_0 is small against the share: reuse is larger by 1/(α_0 π)
        expected = limit * (1 + 1e6 / np.exp(tau))
        assert reuse_of(np.array([tau]), omega, 75.0)[0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
def test_limits_by_brute_force(X):
    cells = term_cells(X)
    fit, found = fit_beta_binomial(cells), burst_effects(cells)
    scale, length = np.sqrt(robust_scale(cells, fit)), X.sum(axis=1)
    filled = length > 0
    checked = 0
    for i in range(5):  # without the rest of the tokens
        count, n_j = X[filled, i], length[filled]
        share = count.sum() / n_j.sum()
        flat = float(special.xlogy(count, share).sum() + special.xlog1py(n_j - count, -share).sum())
        top = flat + fit.loglik[i] - fit.loglik_binomial[i]
        high = np.sqrt(2 * (top - profile_of_ratio(count, n_j, found.ci_high[i])))
        assert high == pytest.approx(FULL * scale[i], rel=1e-3)
        if found.ci_low[i] > 1:
            root = scale[i] * lower_roots(np.array([np.sqrt(2 * (top - flat)) / scale[i]]), 0.95)[0]
            low = np.sqrt(2 * (top - profile_of_ratio(count, n_j, found.ci_low[i])))
            assert low == pytest.approx(root, rel=1e-3)
        else:
            assert np.sqrt(2 * (top - flat)) / scale[i] <= stats.norm.isf(0.05) + 1e-9
        upper = np.sqrt(2 * (top - profile_of_reuse(count, n_j, found.reuse_high[i], cells.mean_length)))
        assert upper == pytest.approx(FULL * scale[i], rel=1e-3)
        checked += 1
    assert checked >= 5


def test_edges():
    """A term that never occurs, one that is every token, one that fills its documents, documents of one token."""
    found = burst_effects(term_cells([[0, 3, 0], [0, 4, 0]]))
    assert np.isnan([found.burst_ratio[0], found.ci_low[0], found.lower_bound[0], found.reuse[0]]).all()
    assert (found.burst_ratio[1], found.ci_low[1], found.lower_bound[1], found.reuse[1]) == (1.0, 1.0, 1.0, 1.0)
    assert 1 < found.ci_high[1] < np.inf
    filling = burst_effects(term_cells([[4, 0], [0, 5], [0, 3], [0, 4], [6, 0], [0, 2]]))
    assert filling.burst_ratio[0] == pytest.approx(3.0)
    assert 1 < filling.ci_low[0] < 3 < filling.ci_high[0] < np.inf
    short = burst_effects(term_cells([[1, 0], [0, 1], [1, 0]]))
    assert (short.burst_ratio == 1).all()
    assert (short.reuse == 0).all()
    assert (short.reuse_high == 0).all()
    bare = burst_effects(term_cells([[3, 1], [0, 4]]), intervals=False)
    assert np.isnan([bare.ci_low, bare.ci_high, bare.lower_bound, bare.reuse_low, bare.reuse_high]).all()
    assert np.isfinite([bare.burst_ratio, bare.reuse, bare.reuse_binomial]).all()


def test_a_term_in_few_documents_does_not_lead():
    X = np.zeros((200, 3), dtype=int)
    X[:, 2] = 50
    X[0, 0] = 40
    X[:30, 1] = 4
    found = burst_effects(term_cells(X))
    assert found.burst_ratio[0] > found.burst_ratio[1] > 1
    assert found.lower_bound[0] == 1.0
    assert found.lower_bound[1] == found.ci_low[1] > 1
    assert fewest_documents(200) == 10


@pytest.mark.parametrize(("documents", "enough"), [(40, 3), (80, 4), (95, 5), (200, 5)])
def test_a_term_that_few_documents_repeat_does_not_lead(documents, enough):
    X = np.zeros((documents, 3), dtype=int)
    X[:, 2] = 50
    X[:12, :2] = 1
    X[: enough - 1, 0] = 30  # one document too few, though in many and often
    X[:enough, 1] = 10
    found = burst_effects(term_cells(X))
    assert found.ci_low[0] > found.ci_low[1] > 1
    assert found.lower_bound.tolist()[:2] == [1.0, found.ci_low[1]]
    cells = term_cells(tb.TermStatistics.from_counts(X, detail="patterns"))  # cells that stand for several documents
    assert spread_enough(cells).tolist() == [False, True, True]


def test_a_term_of_short_documents_that_hardly_repeats_does_not_lead():
    X = np.zeros((300, 3), dtype=int)
    X[:, 2] = 800
    X[:40, 2] = 6  # short documents
    X[:40, 0] = 1
    X[:6, 0] = 2  # repeated in six of forty
    X[100:140, 1] = 9
    found = burst_effects(term_cells(X))
    assert found.ci_low[0] > found.ci_low[1] > 1
    assert found.lower_bound.tolist()[:2] == [1.0, found.ci_low[1]]
    assert hardly_repeats(found.reuse, X.sum(axis=0), (X > 0).sum(axis=0)).tolist() == [True, False, False]


def test_order_of_limits_and_confidence(X):
    cells = term_cells(X)
    wide, narrow = burst_effects(cells, confidence=0.99), burst_effects(cells, confidence=0.8)
    assert (wide.ci_low <= narrow.ci_low).all()
    assert (narrow.ci_low <= narrow.burst_ratio + 1e-12).all()
    assert (narrow.burst_ratio <= narrow.ci_high).all()
    assert (narrow.ci_high < wide.ci_high).all()
    assert (wide.reuse_low[:5] < narrow.reuse_low[:5]).all()
    assert (narrow.reuse_low[:5] < narrow.reuse[:5]).all()
    assert (narrow.reuse[:5] < narrow.reuse_high[:5]).all()  # the last term is nearly every token: reuse is 1
    with pytest.raises(ValueError, match="confidence"):
        burst_effects(cells, confidence=2.0)


def test_the_critical_value_near_the_boundary_has_the_right_coverage():
    """A normal mean μ ≥ 0 is in its interval in 95 %, from the boundary to far away."""
    rng = np.random.default_rng(20261117)
    for mean in (0.0, 0.3, 1.0, 2.0, 3.0, 6.0):
        z = mean + rng.standard_normal(200_000)
        low_root = lower_roots(np.maximum(z, 0.0), 0.95)
        low = np.where(np.isnan(low_root), 0.0, z - np.nan_to_num(low_root))
        upper = np.where(z > 0, z + FULL, z + np.sqrt(z**2 + FULL**2))
        assert 0.945 < np.mean((low <= mean) & (mean <= upper)) < 0.967


@pytest.mark.parametrize(("alpha_0", "share"), [(30.0, 0.01), (400.0, 0.003), (np.inf, 0.004)])
def test_coverage(alpha_0, share):
    """2,000 terms in 120 documents: the interval contains the true burst ratio and reuse in 93.5 to 98 %."""
    rng = np.random.default_rng([7, int(min(alpha_0, 1e6))])
    n_j = rng.integers(40, 400, 120)
    p = (
        np.full((120, 2000), share)
        if np.isinf(alpha_0)
        else rng.beta(alpha_0 * share, alpha_0 * (1 - share), (120, 2000))
    )
    counts = rng.binomial(n_j[:, None], p)
    ratio = 1.0 if np.isinf(alpha_0) else 1 + (1 - share) / share / (1 + alpha_0)
    cells = cells_of_columns(counts, n_j)
    found = burst_effects(cells)
    reuse = reuse_of(np.log([alpha_0]), special.logit(np.array([share])), cells.mean_length)[0]
    assert 0.935 < np.mean((found.ci_low <= ratio) & (ratio <= found.ci_high)) < 0.98
    assert 0.935 < np.mean((found.reuse_low <= reuse) & (reuse <= found.reuse_high)) < 0.98
