"""The permutation test against brute force, SciPy's exact test and counting."""

from functools import partial
from math import comb

import numpy as np
import pytest
from scipy import stats

from helpers.simulated import two_corpora
from termburst.inference import permutation_test as kt
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial

corpora = partial(two_corpora, terms=40, burst=30.0, rarest=1e-6)


def permuted(A, B, fit=None, **options):
    fit = fit_beta_binomial(np.vstack([A, B])) if fit is None else fit
    return kt.permutation(term_cells(A), term_cells(B), fit, **options)


def test_permutation_of_one_document_counts_the_others():
    A, B = corpora(8, 1, 60, terms=6, burst=200.0)
    X = np.vstack([A, B])
    fit = fit_beta_binomial(X)
    scores = score(X, fit)
    scores = np.where(X == 0, np.where(X == 0, scores, 0).sum(axis=0) / np.maximum((X == 0).sum(axis=0), 1), scores)
    b_i = (X > 0).sum(axis=0)
    assert (b_i > 11).any()
    for i in np.flatnonzero(b_i > 11):
        rank = stats.rankdata(scores[:, i].round(12))[0] - 0.5
        assert permuted(A, B, fit)[1][i] == pytest.approx(2 * min(rank, 61 - rank) / 61, abs=0.01)
        assert permuted(B, A, fit)[1][i] == pytest.approx(2 * min(rank, 61 - rank) / 61, abs=0.01)


def score(X, fit):
    n_j = X.sum(axis=1, keepdims=True)
    return (X - n_j * fit.mean) / (1 + (n_j - 1) / (1 + fit.alpha_0))


def by_brute_force(A, B, fit, strata, labellings, seed=0):
    """(T − E T)/sd T by the formulas of sampling, and the mid-p of random relabellings within strata of length."""
    X = np.vstack([A, B])
    X = X[X.sum(axis=1) > 0]
    labels = np.arange(len(X)) < (A.sum(axis=1) > 0).sum()
    n_j = X.sum(axis=1)
    middle = (stats.rankdata(n_j) - 0.5) / len(X)  # equal lengths share their middle rank
    stratum = (strata * middle).astype(int)
    smaller = np.array([min(labels[stratum == s].mean(), 1 - labels[stratum == s].mean()) for s in stratum])
    few = ((X > 0) & (smaller > 0)[:, None]).sum(axis=0) <= 11
    few |= smaller @ (X > 0) <= 2 + 1e-9
    scores = score(X, fit)
    for s in np.unique(stratum):  # the documents without a rare term count with their mean
        here = stratum == s
        without = here[:, None] & (X == 0) & few
        mean = np.where(without, scores, 0).sum(axis=0) / np.maximum(without.sum(axis=0), 1)
        scores = np.where(without, mean, scores)
    expected = variance = 0.0
    for s in np.unique(stratum):
        part, share = scores[stratum == s], labels[stratum == s].mean()
        expected = expected + share * part.sum(axis=0)
        if len(part) > 1:
            variance = variance + len(part) * share * (1 - share) * part.var(axis=0, ddof=1)
    rng = np.random.default_rng(seed)
    drawn = np.empty((labellings, len(X)))
    for s in np.unique(stratum):
        here = np.flatnonzero(stratum == s)
        drawn[:, here] = rng.permuted(np.tile(labels[here], (labellings, 1)), axis=1)
    T, observed = drawn @ scores, labels @ scores
    near = 1e-9 * np.sqrt(variance)
    below, equal = (observed - T > near).mean(axis=0), (np.abs(T - observed) <= near).mean(axis=0)
    tail = below + equal / 2
    return (observed - expected) / np.sqrt(variance), 2 * np.minimum(tail, 1 - tail), few


@pytest.mark.slow
@pytest.mark.parametrize("strata", [1, 3])
@pytest.mark.parametrize(
    ("d_a", "d_b", "burst", "gaps"),
    [(30, 40, 20.0, 0.01), (70, 50, 1e6, 0.02), (9, 90, 100.0, 0.01), (12, 300, 100.0, 0.01)],
)
def test_permutation_equals_random_relabellings(d_a, d_b, burst, gaps, strata):
    A, B = corpora(12, d_a, d_b, terms=120, burst=burst, empty=3)
    occurs = (A.sum(axis=0) + B.sum(axis=0)) > 0
    A, B = A[:, occurs], B[:, occurs]
    fit = fit_beta_binomial(np.vstack([A, B]))
    z, p, few = by_brute_force(A, B, fit, strata, 20_000)
    statistic, p_value = permuted(A, B, fit, strata=strata)
    assert few.sum() > 20
    assert (~few).sum() > 10
    np.testing.assert_allclose(statistic, z, rtol=1e-6, atol=1e-8)  # no length class is wider than one length here
    error = np.sqrt(p * (2 - p) / 20_000) + 1e-4  # of a doubled tail, by simulation
    off = np.abs(p_value - p)[few] - 4.5 * error[few]
    assert np.quantile(off, 0.98) < 0.002
    assert off.max() < 0.03  # a lattice takes sums for equal that differ by less than a cell
    rough = np.abs(p_value - p)[~few] - 4.5 * error[~few]
    assert rough.max() < gaps  # T has gaps where a few documents outweigh the others, and the saddlepoint none
    assert np.median(np.abs(p_value - p)[~few]) < 0.015
    assert abs((p_value - p)[~few].mean()) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("d_a", "d_b", "terms"), [(3, 30, 60), (2, 80, 60), (7, 7, 30), (8, 7, 30)])
def test_permutation_equals_scipy_s_exact_test(d_a, d_b, terms):
    """All relabellings by SciPy, whose p counts P(T = t) in full: both its tails together exceed 1 by that."""
    A, B = corpora(15, d_a, d_b, terms=terms, burst=100.0)
    occurs = (A.sum(axis=0) + B.sum(axis=0)) > 0
    A, B = A[:, occurs], B[:, occurs]
    X, fit = np.vstack([A, B]), fit_beta_binomial(np.vstack([A, B]))
    scores = score(X, fit)
    b_i = (X > 0).sum(axis=0)
    few = (b_i <= 11) | (b_i * min(d_a, d_b) / (d_a + d_b) <= 2 + 1e-9)
    absent = (X == 0) & few
    scores = np.where(absent, np.where(absent, scores, 0).sum(axis=0) / np.maximum(absent.sum(axis=0), 1), scores)
    tails = [
        stats.permutation_test(
            (scores[:d_a], scores[d_a:]), lambda x, y, axis: x.sum(axis=axis), n_resamples=np.inf, vectorized=True,
            alternative=side,
        ).pvalue
        for side in ("less", "greater")
    ]  # fmt: skip
    equal = tails[0] + tails[1] - 1
    exact = 2 * (np.minimum(*tails) - equal / 2)
    _, p = permuted(A, B, fit)
    assert (b_i > 11).any()
    np.testing.assert_allclose(p[b_i <= 11], exact[b_i <= 11], atol=1e-9)
    np.testing.assert_allclose(p, exact, atol=0.01)


def test_far_tails_of_a_small_corpus_are_finite_and_ordered():
    """Five texts against 2,000: the more of the five have a term of 40 documents, the smaller p, as counting has it."""
    rng = np.random.default_rng(3)
    n_j = np.exp(rng.normal(5, 0.7, 2005)).astype(int)
    X = np.zeros((2005, 7), dtype=int)
    for k in range(6):  # k of the first five, 40 in all
        X[:k, k] = X[100 : 140 - k, k] = 1
    X[:, 6] = n_j
    _, p = permuted(X[:5], X[5:])
    log_p = np.log(p[1:6])
    at_least = [stats.hypergeom.logsf(k - 1, 2005, 40, 5) for k in range(1, 6)]
    assert p[0] > 0.85
    assert (np.diff(log_p) < -2).all()
    np.testing.assert_allclose(log_p, at_least, atol=1.5)  # twice a mid-p, and scores differ by length


def test_strata_that_are_pure_or_split_by_length_decide_nothing():
    """Corpus a has the longer half: what documents of one length in both allow is all that may be found."""
    rng = np.random.default_rng(4)
    n_j = np.sort(np.exp(rng.normal(4.5, 0.8, 1500)).astype(int) + 5)
    pi = np.concatenate([np.geomspace(2e-4, 2e-2, 150), [0]])
    pi[-1] = 1 - pi.sum()
    X = np.array([rng.multinomial(n, rng.dirichlet(300 * pi)) for n in n_j])
    fit = fit_beta_binomial(X)
    for border in (740, 750, 760):
        _, p = kt.permutation(term_cells(X[border:]), term_cells(X[:border]), fit, strata=10)
        assert (p <= 0.05).mean() < 0.05
    first = np.searchsorted(n_j, n_j[750])  # no length is in both: nothing can be permuted
    statistic, p = kt.permutation(term_cells(X[first:]), term_cells(X[:first]), fit, strata=10)
    assert (p == 1).all()
    assert (statistic == 0).all()


def test_classes_of_length_lose_next_to_nothing(monkeypatch):
    A, B = corpora(13, 300, 300, terms=60, burst=100.0)
    coarse = permuted(A, B)
    monkeypatch.setattr(kt, "CLASSES", 10_000)
    fine = permuted(A, B)
    assert np.unique(np.vstack([A, B]).sum(axis=1)).size > 96
    np.testing.assert_allclose(coarse[0], fine[0], rtol=2e-3, atol=1e-9)
    np.testing.assert_allclose(coarse[1], fine[1], rtol=2e-2)


def test_permutation_of_boundary_degenerate_and_lone_terms():
    whole = np.array([[4, 0], [0, 5], [3, 0], [0, 6], [0, 2], [7, 0]])  # every document all of one term
    fit = fit_beta_binomial(whole)
    assert fit.status[0] == "degenerate"
    z, p = permuted(whole[[0, 2, 5]], whole[[1, 3, 4]], fit)
    np.testing.assert_allclose(p, 1 / 20)  # half of 2 in C(6, 3) = 20
    assert z[0] > 0 > z[1]
    every = [[3], [4], [5]]  # a term that is every token: all scores are 0
    assert [float(v[0]) for v in permuted(every[:1], every[1:])] == [0.0, 1.0]
    once = np.pad(np.eye(6, dtype=int), ((0, 0), (0, 1)), constant_values=9)
    _, p = permuted(once[:3], once[3:])
    np.testing.assert_allclose(p[:6], 0.5)


def test_tails_down_to_the_smallest_floats():
    # 1,000 documents of ten tokens, the term once in each of a's and never in b's: one way in C(1000, 500)
    A, B = np.tile([1, 9], (500, 1)), np.tile([0, 10], (500, 1))
    _, p = permuted(A, B)
    np.testing.assert_allclose(np.log(p), -np.log(float(comb(1000, 500))), rtol=1e-9)
    # the same with counts that all differ, so that none of it is enumerated
    counts = np.arange(1, 501)
    A, B = np.column_stack([counts, 1000 - counts]), np.tile([0, 1000], (500, 1))
    _, p = permuted(A, B)
    np.testing.assert_allclose(np.log(p), -np.log(float(comb(1000, 500))), rtol=1e-9)
