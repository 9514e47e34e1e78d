"""Keyness: methods, sizes under the null against its rivals, power, and what a comparison says."""

import numpy as np
import pytest

from helpers.simulated import beta_binomials, cells_of_columns, lengths_like_r8
from termburst import TermStatistics
from termburst.inference import keyness_tests as rivals
from termburst.inference.keyness import METHODS, OWN, compare, keyness, keyness_groups
from termburst.inference.permutation_test import permutation
from termburst.models.cells import term_cells

BANDS = ((5, 19), (20, 99), (100, 999), (1000, 4000))


def text_like(rng, n_j, band, terms):
    """Terms with frequencies of the given band, and with precisions like those of real texts."""
    target = np.exp(rng.uniform(*np.log(band), terms))
    counts = beta_binomials(rng, n_j, target / n_j.sum(), np.exp(rng.normal(4.1, 1.2, terms)))
    n_i = counts.sum(axis=0)
    return counts[:, (n_i >= band[0]) & (n_i <= band[1])]


def corpora(counts, n_j, in_a):
    return cells_of_columns(counts[in_a], n_j[in_a]), cells_of_columns(counts[~in_a], n_j[~in_a])


# ---- few documents


def test_few_long_documents_expect_few_bursts_however_many_tokens_they_have():
    """One document of 20,000 tokens can have one burst only: χ²_1 is not used, and the test keeps its size."""
    rng = np.random.default_rng(4)
    n_j = np.append(lengths_like_r8(rng, 500), 20_000)
    counts = beta_binomials(rng, n_j, 0.02, np.full(800, 1000.0))
    found = keyness(*corpora(counts, n_j, np.arange(501) == 500), confidence=None)
    assert np.mean(found.p_value <= 0.05) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 800)


@pytest.mark.parametrize(("d_a", "d_b"), [(1, 1), (3, 3), (6, 6), (2, 9), (4, 40)])
def test_exchanging_corpora_of_few_documents(d_a, d_b):
    rng = np.random.default_rng(d_a)
    X = rng.poisson(rng.gamma(0.3, 3.0, (d_a + d_b, 30)))
    a, b = term_cells(X[:d_a] + 1), term_cells(X[d_a:] + 1)
    there, back = keyness(a, b, confidence=None), keyness(b, a, confidence=None)
    np.testing.assert_allclose(there.p_value, back.p_value, rtol=1e-9)
    assert ((there.p_value > 0) & (there.p_value <= 1)).all()


@pytest.mark.parametrize("documents", [5, 6, 9, 14])
def test_a_plain_difference_between_few_documents_is_seen(documents):
    """Ten times as often in every document of A: one in C(2d, d) labellings does as much, 1/252 at the most."""
    rng = np.random.default_rng(documents)
    A = np.column_stack([rng.poisson(20, documents), np.full(documents, 80)])
    B = np.column_stack([rng.poisson(2, documents), np.full(documents, 98)])
    assert A[:, 0].min() > B[:, 0].max()
    assert keyness(term_cells(A), term_cells(B)).p_value[0] < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d_a", "d_b", "level"), [(1, 300, 0.05), (4, 300, 0.05), (4, 4, 0.05), (7, 7, 0.05), (15, 15, 0.05)]
)
def test_sizes_of_small_corpora(d_a, d_b, level):
    rng = np.random.default_rng(d_a + d_b)
    p = []
    for _ in range(8):
        n_j = lengths_like_r8(rng, d_a + d_b)
        counts = beta_binomials(rng, n_j, np.exp(rng.uniform(-7, -3, 150)), np.exp(rng.normal(4.1, 1.2, 150)))
        counts = counts[:, counts.sum(axis=0) > 0]
        p.append(keyness(*corpora(counts, n_j, np.arange(d_a + d_b) < d_a), confidence=None).p_value)
    p = np.concatenate(p)
    assert np.mean(p <= level) < 0.07 + 3 * np.sqrt(level / p.size)


# ---- the comparison


@pytest.fixture(scope="module")
def unequal():
    """Two corpora of terms of every kind, some in one of them alone."""
    rng = np.random.default_rng(5)
    n_j = lengths_like_r8(rng, 300)
    counts = beta_binomials(rng, n_j, np.exp(rng.uniform(-10, -3, 250)), np.exp(rng.uniform(0, 9, 250)))
    counts[:, :20] *= (np.arange(300) < 60)[:, None]
    counts[:, 20:40] *= (np.arange(300) >= 60)[:, None]
    counts[:, 249] = 0
    return corpora(counts, n_j, np.arange(300) < 60)


@pytest.mark.parametrize("method", METHODS)
def test_exchanging_the_corpora_mirrors_everything(unequal, method):
    there, back = keyness(*unequal, method=method), keyness(*unequal[::-1], method=method)
    np.testing.assert_allclose(back.p_value, there.p_value, rtol=1e-6)
    np.testing.assert_allclose(back.log_ratio, -there.log_ratio, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(back.ci_low, -there.ci_high, rtol=1e-5, atol=1e-5)
    assert back.p_method.tolist() == there.p_method.tolist()
    sign = 1 if method == "beta-binomial" else -1
    np.testing.assert_allclose(back.statistic, sign * there.statistic, rtol=1e-6, atol=1e-6)


def test_what_a_comparison_says(unequal):
    a, b = unequal
    found = keyness(a, b)
    absent = (a.n_i + b.n_i) == 0
    assert absent[249]
    for name in ("log_ratio", "ci_low", "ci_high", "statistic", "p_value"):
        np.testing.assert_array_equal(np.isnan(getattr(found, name)), absent, err_msg=name)
    np.testing.assert_array_equal(found.p_method == "", absent)
    np.testing.assert_array_equal(found.log_ratio == np.inf, (a.n_i > 0) & (b.n_i == 0))
    np.testing.assert_array_equal(found.log_ratio == -np.inf, (b.n_i > 0) & (a.n_i == 0))
    alone = a.b_i + b.b_i == 1  # of a term in one document nothing is known
    np.testing.assert_array_equal(np.isinf(found.ci_high), ~absent & ((b.n_i == 0) | alone))
    np.testing.assert_array_equal(np.isinf(found.ci_low), ~absent & ((a.n_i == 0) | alone))
    here = ~absent
    assert ((found.p_value[here] > 0) & (found.p_value[here] <= 1)).all()
    assert (found.statistic[here] >= 0).all()
    assert set(found.p_method[here]) == {OWN}
    assert (found.least_p[here] <= found.p_value[here]).all()
    prior = compare(a, b).prior
    np.testing.assert_array_equal(keyness(a, b, prior=prior, terms=250).p_value, found.p_value)


def test_the_order_of_documents_does_not_matter():
    rng = np.random.default_rng(13)
    A, B = (rng.poisson(rng.gamma(0.3, 2.0, (60, 20))) + np.eye(1, 20, dtype=int) for _ in range(2))
    there, back = keyness(term_cells(A), term_cells(B)), keyness(term_cells(A[::-1]), term_cells(B[::-1]))
    np.testing.assert_allclose(back.p_value, there.p_value, rtol=1e-6)
    np.testing.assert_allclose(back.ci_low, there.ci_low, rtol=1e-6)


def test_terms_with_equal_cells_have_equal_results():
    X = np.array([[1, 1, 0, 30], [0, 0, 2, 31], [0, 0, 0, 25], [1, 1, 0, 40]] * 6)
    found = keyness(term_cells(X[:15]), term_cells(X[15:]))
    assert found.p_value[0] == found.p_value[1]
    assert found.ci_low[0] == found.ci_low[1]


def test_results_do_not_depend_on_the_number_of_cores(unequal, monkeypatch):
    found = keyness(*unequal)
    monkeypatch.setattr("termburst.threads.cores", lambda: 1)
    again = keyness(*unequal)
    for name in ("p_value", "log_ratio", "ci_low", "ci_high", "least_p"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name), err_msg=name)


def test_without_intervals(unequal):
    found, with_them = keyness(*unequal, confidence=None), keyness(*unequal)
    assert np.isnan(found.ci_low).all()
    assert np.isnan(found.ci_high).all()
    np.testing.assert_array_equal(found.p_value, with_them.p_value)


def test_methods_are_the_functions_of_that_name(unequal):
    a, b = unequal
    here = a.n_i + b.n_i > 0
    null = compare(a, b).null
    functions = {
        "g2": rivals.g2, "chi2": rivals.chi2, "fisher": rivals.fisher, "welch": rivals.welch,
        "mann-whitney": rivals.mann_whitney, "permutation": lambda a, b: permutation(a, b, null),
        "stratified-permutation": lambda a, b: permutation(a, b, null, strata=10),
        "text-dispersion": rivals.text_dispersion, "log-odds": rivals.log_odds,
    }  # fmt: skip
    assert {*functions, "beta-binomial"} == set(METHODS)
    for name, function in functions.items():
        found = keyness(a, b, method=name, confidence=None)
        statistic, p_value = function(a, b)
        np.testing.assert_array_equal(found.statistic[here], statistic[here], err_msg=name)
        np.testing.assert_array_equal(found.p_value[here], p_value[here], err_msg=name)
        assert set(found.p_method[here]) == {name}


def test_identical_corpora_have_p_1(unequal):
    a, _ = unequal
    here = a.n_i > 0
    for method in ("beta-binomial", "g2", "permutation"):
        found = keyness(a, a, method=method)
        np.testing.assert_allclose(found.p_value[here], 1, atol=1e-9, err_msg=method)
        np.testing.assert_allclose(found.log_ratio[here], 0, atol=1e-6, err_msg=method)
        assert ((found.ci_low < 0) & (found.ci_high > 0))[here].all()


def test_bad_input_is_refused(unequal):
    a, b = unequal
    with pytest.raises(ValueError, match=r"method must be one of 'beta-binomial', .*; got 'g3'"):
        keyness(a, b, method="g3")
    for confidence in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="confidence must be between 0 and 1; got"):
            keyness(a, b, confidence=confidence)
    nothing = term_cells(np.zeros((3, 250), int))
    with pytest.raises(ValueError, match="the first corpus has no tokens"):
        keyness(nothing, b)
    with pytest.raises(ValueError, match="the second corpus has no tokens"):
        keyness(a, nothing)
    with pytest.raises(ValueError, match="no tokens"):
        keyness_groups([a, nothing, b])


def test_statistics_equal_the_matrix():
    rng = np.random.default_rng(6)
    X = rng.poisson(rng.gamma(0.2, 2.0, (120, 30)))
    X = np.vstack([X, X[20:60], np.zeros((2, 30), int)])
    A, B = X[:70], X[70:]
    matrix = keyness(term_cells(A), term_cells(B))
    patterns = [term_cells(TermStatistics.from_counts(part, detail="patterns")) for part in (A, B)]
    assert max(p.weight.max() for p in patterns) > 1
    for mixed in ((patterns[0], patterns[1]), (patterns[0], term_cells(B)), (term_cells(A), patterns[1])):
        found = keyness(*mixed)
        for name in ("log_ratio", "statistic", "p_value"):
            np.testing.assert_allclose(getattr(found, name), getattr(matrix, name), rtol=1e-6, atol=1e-8, err_msg=name)
        assert found.p_method.tolist() == matrix.p_method.tolist()


# ---- sizes: under the null every significant word is a false alarm


def sizes(rng, n_j, in_a, terms):
    """By band, the share of p ≤ 0.05 of the default test and of its rivals, and how many terms there are."""
    found = []
    for band in BANDS:
        both = corpora(text_like(rng, n_j, band, terms), n_j, in_a)
        p = [keyness(*both, confidence=None).p_value, rivals.g2(*both)[1], rivals.mann_whitney(*both)[1]]
        found.append([*(np.mean(x <= 0.05) for x in p), p[0].size])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_sizes_of_a_random_split(share):
    """4–6 % at 5 % from 20 occurrences on, give or take the simulation; below they are on the safe side."""
    rng = np.random.default_rng(7)
    n_j = lengths_like_r8(rng, 1500)
    size, g2, _, terms = sizes(rng, n_j, rng.permutation(1500) < share * 1500, 2500).T
    error = 3 * np.sqrt(0.05 * 0.95 / terms)
    assert (size[1:] > 0.04 - error[1:]).all()
    assert (size < 0.06 + error).all()
    assert size[0] > 0.01  # discrete: 1.6 % at a tenth
    assert (g2 > 0.1).all()
    assert (g2 > 2.5 * size).all()


@pytest.mark.slow
@pytest.mark.parametrize("longest", [True, False])
def test_sizes_where_one_corpus_has_the_longest_or_shortest_documents(longest):
    """The case that misleads rank tests: there the default is never too sure."""
    rng = np.random.default_rng(8)
    n_j = np.sort(lengths_like_r8(rng, 1500))
    in_a = np.arange(1500) >= 1350 if longest else np.arange(1500) < 150
    size, _, ranks, terms = sizes(rng, n_j, in_a, 2500).T
    error = 3 * np.sqrt(0.05 * 0.95 / terms)
    assert (size < 0.06 + error).all()
    assert (size[2:] > 0.04 - error[2:]).all()
    assert (size > 0.01).all()
    assert (ranks[2:] > 0.5).all()


@pytest.mark.slow
def test_sizes_by_the_number_of_documents_with_the_term():
    """A band's average can hide a number of documents at which the test errs: each from 2 to 16 is looked at, in
    halves.
    """
    rng = np.random.default_rng(9)
    n_j = lengths_like_r8(rng, 600)
    counts = beta_binomials(rng, n_j, np.exp(rng.uniform(np.log(2e-5), np.log(1e-3), 12_000)), 60.0)
    b_i = (counts > 0).sum(axis=0)
    p = keyness(*corpora(counts, n_j, rng.permutation(600) < 300), confidence=None).p_value
    for bursts in range(2, 17):
        mine = p[b_i == bursts]
        assert mine.size > 100
        assert np.mean(mine <= 0.05) < 0.065 + 3.5 * np.sqrt(0.05 * 0.95 / mine.size), bursts
    assert 0.03 < np.mean(p[(b_i >= 4) & (b_i <= 16)] <= 0.05) < 0.06


def test_sizes_on_random_halves_of_r8(r8):
    X = r8.train
    n_i = np.asarray(X.sum(axis=0)).ravel()
    bands = [(n_i >= low) & (n_i <= high) for low, high in ((5, 19), (20, 99), (100, 999))]
    rng = np.random.default_rng(10)
    default, g2 = [], []
    for _ in range(6):
        order = rng.permutation(X.shape[0])
        both = term_cells(X[order[:2750]]), term_cells(X[order[2750:]])
        p = keyness(*both, confidence=None).p_value
        default.append([np.mean(p[band] <= 0.05) for band in bands])
        g2.append([np.mean(rivals.g2(*both)[1][band] <= 0.05) for band in bands])
    size, error = np.mean(default, axis=0), 3 * np.std(default, axis=0) / np.sqrt(6)
    assert (size[1:] > 0.04 - error[1:]).all()
    assert (size[1:] < 0.06 + error[1:]).all()
    assert 0.02 < size[0] < 0.06
    assert (np.mean(g2, axis=0) > 0.14).all()


@pytest.mark.slow
def test_power_and_direction_at_a_planted_ratio():
    """Words used twice as often in A: found, in the right direction, about as often as labels permuted find them."""
    rng = np.random.default_rng(11)
    n_j = lengths_like_r8(rng, 1500)
    in_a = rng.permutation(1500) < 500
    mean = np.exp(rng.uniform(np.log(1e-3), np.log(1e-2), 600))
    counts = np.where(in_a[:, None], beta_binomials(rng, n_j, 2 * mean, 100.0), beta_binomials(rng, n_j, mean, 100.0))
    both = corpora(counts, n_j, in_a)
    found, permuted = keyness(*both), keyness(*both, method="permutation", confidence=None)
    power = np.mean(found.p_value <= 0.05)
    assert power > 0.9
    assert power > np.mean(permuted.p_value <= 0.05) - 0.05
    assert (found.log_ratio[found.p_value <= 0.05] > 0).all()
    assert np.median(found.log_ratio) == pytest.approx(1, abs=0.07)
    assert np.mean((found.ci_low <= 1) & (found.ci_high >= 1)) > 0.92
    rare = corpora(counts[:, :200] * (rng.random((1500, 200)) < 0.02), n_j, in_a)
    assert np.mean(keyness(*rare, confidence=None).p_value <= 0.05) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "alpha_0", "share", "ratio"), [(1e-4, 30.0, 0.1, 1.0), (3e-4, 30.0, 0.1, 3.0), (3e-4, 60.0, 0.5, 2.0)]
)
def test_intervals_of_rare_terms_cover_and_agree_with_p(mean, alpha_0, share, ratio):
    """The planted ratio is inside, and 0 is not if p is below 5 %."""
    rng = np.random.default_rng(12)
    documents, terms = 1000, 1500
    n_j, in_a = lengths_like_r8(rng, documents), rng.permutation(documents) < share * documents
    counts = np.where(in_a[:, None], *(beta_binomials(rng, n_j, np.full(terms, f * mean), alpha_0) for f in (ratio, 1)))
    found = keyness(*corpora(counts, n_j, in_a))
    here = (counts > 0).sum(axis=0) > 1  # p of a term in one document alone is 1
    low, high, p = found.ci_low[here], found.ci_high[here], found.p_value[here]
    assert np.mean((low <= np.log2(ratio)) & (np.log2(ratio) <= high)) > 0.93 - 3 * np.sqrt(0.05 * 0.95 / here.sum())
    np.testing.assert_array_equal((low > 0) | (high < 0), p <= 0.05)
    assert np.isfinite(high[low == -np.inf]).all()  # never open at both ends


# ---- several groups


def three_groups(seed, terms=25, documents=40):
    rng = np.random.default_rng(seed)
    mean, alpha_0 = np.exp(rng.uniform(-7, -2, terms)), np.exp(rng.uniform(0, 6, terms))
    made = []
    for factor in (1.0, 1.0, 2.0):
        n_j = lengths_like_r8(rng, documents)
        made.append(cells_of_columns(beta_binomials(rng, n_j, factor * mean, alpha_0), n_j))
    return made


def test_what_a_comparison_of_groups_says():
    found = keyness_groups(three_groups(1))
    here = ~np.isnan(found.p_value)
    assert here.sum() > 20
    assert ((found.p_value[here] > 0) & (found.p_value[here] <= 1)).all()
    assert (found.least_p[here] <= found.p_value[here]).all()
    assert np.mean(found.highest[here & (found.p_value < 0.05)] == 2) > 0.8


def test_the_order_of_groups_does_not_matter():
    parts = three_groups(2)
    found, turned = keyness_groups(parts), keyness_groups(parts[1:] + parts[:1])
    np.testing.assert_allclose(turned.p_value, found.p_value, rtol=1e-6)
    np.testing.assert_array_equal((turned.highest + 1) % 3, found.highest)


def test_groups_do_not_depend_on_the_number_of_cores(monkeypatch):
    cells = three_groups(3)
    first = keyness_groups(cells).p_value
    monkeypatch.setattr("termburst.threads.cores", lambda: 1)
    np.testing.assert_array_equal(keyness_groups(cells).p_value, first)


def test_identical_groups_have_a_p_near_1():
    """Not exactly 1, as a mid-p of one corpus against twice as many documents is not."""
    group = three_groups(4)[0]
    found, here = keyness_groups([group] * 3), group.n_i > 0
    assert (found.p_value[here] > 0.9).all()
    assert np.isnan(found.p_value[~here]).all()


@pytest.mark.parametrize(("band", "documents"), [((5, 19), 900), ((20, 99), 900), ((200, 999), 600)])
def test_sizes_of_three_groups(band, documents):
    rng = np.random.default_rng(band[0])
    n_j = lengths_like_r8(rng, documents)
    counts = text_like(rng, n_j, band, 1500)
    group = rng.choice(3, documents, p=[0.2, 0.3, 0.5])
    found = keyness_groups([cells_of_columns(counts[group == g], n_j[group == g]) for g in range(3)])
    error = 3.5 * np.sqrt(0.05 * 0.95 / counts.shape[1])
    assert np.mean(found.p_value <= 0.05) < 0.06 + error
    assert np.mean(found.p_value <= 0.05) > 0.03 - error


# ---- limits


def test_intervals_where_p_underflows_are_as_wide_as_its_counts_deserve():
    """With three occurrences in B, the uncertainty is the same for any number of documents with the term in A."""
    widths = []
    for documents in (250, 1500):
        A, B = [[2, 50]] * documents, [[1, 50]] * 3 + [[0, 50]] * (documents - 3)
        found = keyness(*(term_cells(np.array(X)) for X in (A, B)))
        widths.append(found.ci_high[0] - found.ci_low[0])
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


@pytest.mark.parametrize(
    ("A", "B"),
    [
        ([[6, 0]] * 30, [[3, 3], [4, 2]] * 15),  # A is nothing but the term
        ([[6, 0]] * 30, [[0, 3], [0, 2]] * 15),  # and B has none of it
        ([[0, 50, 0]] + [[0, 0, 50]] * 5, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),  # all or nothing in every document
        ([[60, 1]] * 20, [[1, 60]] * 20),
    ],
)
def test_intervals_at_the_limits_hold_the_estimate_and_mirror(A, B):
    cells = [term_cells(np.array(X)) for X in (A, B)]
    there, back = keyness(*cells), keyness(*cells[::-1])
    assert ((there.ci_low <= there.log_ratio) & (there.log_ratio <= there.ci_high)).all()
    alone = cells[0].b_i + cells[1].b_i == 1
    np.testing.assert_array_equal(np.isinf(there.ci_low) & np.isinf(there.ci_high), alone)
    np.testing.assert_allclose(there.ci_low, -back.ci_high, rtol=1e-3, atol=2e-3)
    np.testing.assert_allclose(there.ci_high, -back.ci_low, rtol=1e-3, atol=2e-3)
    np.testing.assert_allclose(there.p_value, back.p_value, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "each"),
    [(60, 4), (120, 2)],
)
def test_sizes_of_many_small_groups(groups, each):
    """Frequent terms, with a precision that a group of few documents can hardly tell.

    The smallest of so many p-values lies far out in a tail, where the test is cautious: it has 1 to 2 %.
    """
    p = []
    for seed in range(3):
        rng = np.random.default_rng([seed, groups])
        n_j, group = lengths_like_r8(rng, groups * each), np.repeat(np.arange(groups), each)
        counts = beta_binomials(rng, n_j, np.exp(rng.uniform(np.log(3e-3), np.log(0.2), 500)), 100.0)
        counts = counts[:, (counts > 0).sum(axis=0) > 60]
        p.extend(keyness_groups([cells_of_columns(counts[group == g], n_j[group == g]) for g in range(groups)]).p_value)
    assert 0.005 < np.mean(np.array(p) <= 0.05) < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / len(p))


def test_the_limit_of_a_word_that_one_corpus_lacks_is_where_that_has_five_per_cent():
    """A mid-p: half the chance that all of nine bursts are in A is 2.5 %, or less since its precision is not known."""
    found = keyness(term_cells([[1, 999]] * 9 + [[0, 1000]] * 191), term_cells([[0, 1000]] * 200))
    ratio = 2 ** found.ci_low[0]
    assert 0.02 < (ratio / (1 + ratio)) ** 9 < 0.051
