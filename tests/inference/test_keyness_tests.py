"""The tests of two corpora against SciPy on dense data, their formulas, and random halves of R8."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse, stats

import termburst as tb
from helpers.simulated import two_corpora
from termburst.inference import keyness_tests as kt
from termburst.inference.permutation_test import permutation
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial

BY_TOTALS = {"g2": kt.g2, "chi2": kt.chi2, "fisher": kt.fisher}
BY_DOCUMENTS = {"welch": kt.welch, "mann_whitney": kt.mann_whitney}

corpora = partial(two_corpora, terms=40, burst=30.0, rarest=1e-6)


def relative(X):
    X = X[X.sum(axis=1) > 0]
    return X / X.sum(axis=1, keepdims=True)


def tables(A, B):
    n_a, n_b = A.sum(), B.sum()
    for x, y in zip(A.sum(axis=0), B.sum(axis=0), strict=True):
        yield np.array([[x, n_a - x], [y, n_b - y]])


@pytest.mark.parametrize("seed", range(3))
def test_by_totals_equals_scipy(seed):
    A, B = corpora(seed, 20, 35, empty=3)
    a, b = term_cells(A), term_cells(B)
    results = {name: test(a, b) for name, test in BY_TOTALS.items()}
    for i, table in enumerate(tables(A, B)):
        sign = np.sign(table[0, 0] / A.sum() - table[1, 0] / B.sum())
        if table[:, 0].sum() == 0:
            assert all((statistic[i], p[i]) == (0.0, 1.0) for statistic, p in results.values())
            continue
        for name, options in (("g2", {"lambda_": "log-likelihood"}), ("chi2", {})):
            expected = stats.chi2_contingency(table, correction=False, **options)
            assert results[name][0][i] == pytest.approx(sign * expected.statistic, rel=1e-10, abs=1e-12)
            assert results[name][1][i] == pytest.approx(expected.pvalue, rel=1e-10)
        odds, p = stats.fisher_exact(table)
        with np.errstate(divide="ignore"):
            assert results["fisher"][0][i] == pytest.approx(np.log(odds))
        assert results["fisher"][1][i] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("d_a", "d_b", "empty"), [(20, 35, 4), (2, 30, 0), (7, 2, 0)])
def test_by_documents_equals_scipy(d_a, d_b, empty):
    A, B = corpora(11, d_a, d_b, empty=empty)
    x, y = relative(A), relative(B)
    varies = (np.ptp(x, axis=0) > 0) | (np.ptp(y, axis=0) > 0)
    t, p = kt.welch(term_cells(A), term_cells(B))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's, of nearly identical values
        expected = stats.ttest_ind(x, y, equal_var=False)
        ranks = stats.mannwhitneyu(x, y, method="asymptotic", alternative="two-sided")
    np.testing.assert_allclose(t[varies], expected.statistic[varies], rtol=1e-9)
    np.testing.assert_allclose(p[varies], expected.pvalue[varies], rtol=1e-9)
    z, p = kt.mann_whitney(term_cells(A), term_cells(B))
    np.testing.assert_allclose(p[varies], ranks.pvalue[varies], rtol=1e-9)
    assert (np.sign(z) * np.sign(ranks.statistic - len(x) * len(y) / 2) >= 0).all()
    assert (p[~varies] == 1).all()


def test_welch_at_its_limits():
    two = [[1, 9], [1, 9]]
    assert [float(v[0]) for v in kt.welch(term_cells(two), term_cells([[2, 18], [10, 90]]))] == [0.0, 1.0]
    assert [float(v[0]) for v in kt.welch(term_cells(two), term_cells([[2, 8], [20, 80]]))] == [-np.inf, 0.0]
    thirds = term_cells(np.tile([1, 2], (1000, 1)))  # a mean of thirds that rounds must not pass for a variance
    assert [float(v[0]) for v in kt.welch(thirds, term_cells(np.tile([5, 10], (777, 1))))] == [0.0, 1.0]
    for lonely in ([[5, 5]], [[5, 5], [0, 0]]):
        assert [float(v[0]) for v in kt.welch(term_cells(lonely), term_cells(two))] == [0.0, 1.0]


def everything(A, B, fit):
    a, b = term_cells(A), term_cells(B)
    results = {name: test(a, b) for name, test in {**BY_TOTALS, **BY_DOCUMENTS}.items()}
    for strata in (1, 4):
        results[f"permutation {strata}"] = permutation(a, b, fit, strata=strata)
    return results


def test_statistics_with_patterns_and_sparse_matrices_give_the_same():
    A, B = corpora(4, 60, 80, empty=9)
    A, B = np.vstack([A, A[:30]]), np.vstack([B, B[:30]])  # patterns that stand for several documents
    fit = fit_beta_binomial(np.vstack([A, B]))
    matrix = everything(A, B, fit)
    patterns = (tb.TermStatistics.from_counts(X, detail="patterns") for X in (A, B))
    assert max(term_cells(tb.TermStatistics.from_counts(A, detail="patterns")).weight) > 1
    for other in (everything(*patterns, fit), everything(sparse.csr_array(A), sparse.csc_array(B), fit)):
        for name, result in matrix.items():
            np.testing.assert_allclose(other[name], result, rtol=1e-9, atol=1e-12, err_msg=name)


def test_exchanging_the_corpora_changes_the_sign_alone():
    A, B = corpora(5, 30, 50)
    fit = fit_beta_binomial(np.vstack([A, B]))
    there, back = everything(A, B, fit), everything(B, A, fit)
    for name, (statistic, p) in there.items():
        np.testing.assert_allclose(back[name][0], -statistic, rtol=1e-9, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(back[name][1], p, rtol=1e-7, err_msg=name)
        assert ((p > 0) & (p <= 1)).all()


def test_identical_corpora_have_p_1():
    A, _ = corpora(6, 40, 1)
    for name, (statistic, p) in everything(A, A, fit_beta_binomial(np.vstack([A, A]))).items():
        np.testing.assert_allclose(statistic, 0, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(p, 1, atol=1e-9, err_msg=name)


def test_a_term_of_one_corpus_only():
    A, B = (np.pad(X, ((0, 0), (0, 1))) for X in corpora(7, 40, 40, burst=1e6))
    A[:, -1] = 2
    for name, (statistic, p) in everything(A, B, fit_beta_binomial(np.vstack([A, B]))).items():
        assert statistic[-1] > 0, name
        assert p[-1] < 1e-6, name


@pytest.mark.parametrize(("A", "B"), [([[3, 1]], [[0, 5]]), ([[3, 1]], [[0, 5], [1, 4]]), ([[0, 0]], [[1, 2], [3, 4]])])
def test_one_document_or_none_a_side(A, B):
    for statistic, p in everything(np.array(A), np.array(B), fit_beta_binomial(np.vstack([A, B]))).values():
        assert not np.isnan(statistic).any()
        assert ((p > 0) & (p <= 1)).all()
    if not np.sum(A):
        assert all((p == 1).all() for _, p in everything(np.array(A), np.array(B), fit_beta_binomial(B)).values())


def test_corpora_with_other_terms_are_refused():
    A, B = corpora(9, 5, 5)
    for test in (*BY_TOTALS.values(), *BY_DOCUMENTS.values()):
        with pytest.raises(ValueError, match="same terms: one has 40, the other 39"):
            test(term_cells(A), term_cells(B[:, 1:]))


def test_sizes_on_random_halves_of_r8(r8):
    """Every significant word is a false alarm there: G² raises many, permutation what it should."""
    X = r8.train
    fit, n_i = fit_beta_binomial(X), np.asarray(X.sum(axis=0)).ravel()
    bands = [(n_i >= low) & (n_i <= high) for low, high in ((5, 19), (20, 99), (100, 999), (1000, np.inf))]
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(12):  # of thousands of words each: a size of 0.065 or 0.035 in place of 0.05 is seen
        order = rng.permutation(X.shape[0])
        half = X.shape[0] // 2
        a, b = term_cells(X[order[:half]]), term_cells(X[order[half:]])
        tests = (kt.g2(a, b), permutation(a, b, fit), permutation(a, b, fit, strata=10))
        sizes.append([[np.mean(p[band] < 0.05) for band in bands] for _, p in tests])
    g2, free, stratified = np.mean(sizes, axis=0)
    assert (g2 > 0.15).all()
    for size in (free, stratified):
        assert ((size[:3] > 0.035) & (size[:3] < 0.065)).all()
        assert size[3] < 0.1  # few words, and they move together from split to split


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
    statistic, p_value = kt.text_dispersion(term_cells(a), term_cells(b))
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
    z, p_value = kt.log_odds(*map(term_cells, matrices))
    n_a, n_b = a.sum(), b.sum()
    for i in range(29):
        alpha = kt.PRIOR * (a[i] + b[i]) / (n_a + n_b)
        odds = [(n + alpha) / (total + kt.PRIOR - n - alpha) for n, total in ((a[i], n_a), (b[i], n_b))]
        expected = np.log(odds[0] / odds[1]) / np.sqrt(1 / (a[i] + alpha) + 1 / (b[i] + alpha))
        assert z[i] == pytest.approx(expected)
        assert p_value[i] == pytest.approx(2 * stats.norm.sf(abs(expected)))
    assert (z[29], p_value[29]) == (0, 1)
