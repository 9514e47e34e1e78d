"""Differential burstiness: likelihoods by brute force, size under the null, and planted differences."""

import numpy as np
import pytest
from scipy import optimize, special, stats

import termburst as tb
from helpers.profiles import bursty_terms, log_likelihood, profile_of_ratio
from helpers.simulated import cells_of_columns
from termburst.inference.differential_burstiness import differential_burstiness
from termburst.inference.robust_scale import robust_scale
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial


def drawn(rng, documents, alpha_0, share, terms):
    """The cells of independent terms with the same parameters."""
    n_j = rng.integers(100, 600, documents)
    p = rng.beta(alpha_0 * share, alpha_0 * (1 - share), (documents, terms))
    return cells_of_columns(rng.binomial(n_j[:, None], p), n_j)


@pytest.mark.slow
def test_the_statistic_and_the_limits_by_brute_force():
    A, B = bursty_terms(5, 30), bursty_terms(6, 25)
    a, b = term_cells(A), term_cells(B)
    fits = [fit_beta_binomial(one) for one in (a, b)]
    kappa = (robust_scale(a, fits[0]) + robust_scale(b, fits[1])) / 2
    found = differential_burstiness(a, b)
    sides = [(counts[filled], counts.sum(axis=1)[filled]) for counts in (A, B) for filled in [counts.sum(axis=1) > 0]]
    checked = 0
    for i in range(A.shape[1]):
        if any(fit.status[i] != "converged" for fit in fits):
            continue
        top = sum(
            log_likelihood(c[:, i], n, np.log(f.alpha_0[i]), np.log(f.alpha[i] / f.alpha_not[i]))
            for (c, n), f in zip(sides, fits, strict=True)
        )

        def fall(delta, i=i, top=top):
            def apart(log_log_ratio):
                one = np.exp(log_log_ratio) + max(-delta, 0.0)
                ratios = np.exp(one + delta), np.exp(one)
                total = sum(profile_of_ratio(c[:, i], n, r) for (c, n), r in zip(sides, ratios, strict=True))
                return -total

            return 2 * (top + optimize.minimize_scalar(apart, bounds=(-5, 2.5), method="bounded").fun)

        assert fall(0.0) / kappa[i] == pytest.approx(found.statistic[i], rel=1e-3, abs=1e-4)
        for limit in (found.ci_low[i], found.ci_high[i]):
            assert fall(limit * np.log(2)) / kappa[i] == pytest.approx(stats.chi2.isf(0.05, 1), rel=5e-3)
        checked += 1
        if checked == 2:
            return
    pytest.fail("too few terms to check")


def rare_terms(seed):
    """Counts of two corpora of 25 and 30 documents: 30 terms, most of them rare and bursty, and all other tokens."""
    rng = np.random.default_rng(seed)
    sides = []
    for documents in (25, 30):
        shape, mean = rng.choice([0.02, 0.05, 0.15, 0.5], 30), rng.choice([0.1, 0.3, 1.0], 30)
        counts = rng.poisson(rng.gamma(shape, mean / shape, (documents, 30)))
        sides.append(np.column_stack([counts, rng.integers(20, 300, documents)]))
    return sides


def fall_anywhere(sides, top, delta):
    """2(ℓ̂ − ℓ) at δ = log R_a/R_b, with the best of all common ratios: from a grid, then near each of its maxima."""

    def together(log_ratio):
        logs = log_ratio + delta, log_ratio
        return sum(profile_of_ratio(c, n, np.exp(max(x, 1e-6))) for (c, n), x in zip(sides, logs, strict=True))

    grid = max(-delta, 0.0) + np.append(0.0, np.geomspace(1e-3, 9.0, 40))
    values = np.array([together(x) for x in grid])
    best = values.max()
    for k in np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] > values[2:])):
        found = optimize.minimize_scalar(lambda x: -together(x), bounds=(grid[k], grid[k + 2]), method="bounded")
        best = max(best, -found.fun)
    return 2 * (top - best)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "term"), [(12, 11), (12, 21), (21, 29), (3, 8), (5, 4), (0, 8), (5, 27), (20, 12)]
)  # fmt: skip
def test_likelihoods_with_two_maxima(seed, term):
    """The likelihood has two maxima in the common ratio (the first two terms), the interval ends where R = 1, or for a
    given ratio there are two maxima in the mean (the last three)."""
    A, B = rare_terms(seed)
    a, b = term_cells(A), term_cells(B)
    fits = [fit_beta_binomial(one) for one in (a, b)]
    kappa = np.mean([robust_scale(one, fit)[term] for one, fit in zip((a, b), fits, strict=True)])
    sides, top = [(counts[:, term], counts.sum(axis=1)) for counts in (A, B)], sum(fit.loglik[term] for fit in fits)
    found = differential_burstiness(a, b)
    assert found.statistic[term] == pytest.approx(fall_anywhere(sides, top, 0.0) / kappa, rel=1e-3)
    for limit in (found.ci_low[term], found.ci_high[term]):
        fall = fall_anywhere(sides, top, limit * np.log(2))
        assert fall / kappa == pytest.approx(stats.chi2.isf(0.05, 1), rel=1e-3)


def one_burst(seed, sides_with_it):
    """Counts and lengths of 25 and 30 documents. On some sides one document has nearly all occurrences of the word."""
    rng = np.random.default_rng(seed)
    sides = []
    for side, documents in enumerate((25, 30)):
        lengths = rng.integers(20, 300, documents)
        counts = np.minimum(rng.poisson(rng.choice([0.02, 0.1, 0.3, 1.0]), documents), lengths)
        if side < sides_with_it:
            j = rng.integers(documents)
            lengths[j] = rng.integers(20, 300)
            counts[j] = max(1, int(lengths[j] * rng.choice([0.2, 0.5, 0.8, 0.95, 1.0])))
        sides.append((counts, lengths))
    return sides


def profile_on_grid(counts, lengths, log_ratios):
    """The likelihood at each burst ratio: the highest of a dense grid of precisions, without any search."""
    tau, level = np.linspace(-12.0, 22.0, 681), np.log(np.expm1(log_ratios))[:, None]
    omega = -level - np.logaddexp(0.0, tau)
    alpha, rest = np.exp(tau) * special.expit(omega), np.exp(tau) * special.expit(-omega)
    total = np.zeros(omega.shape)
    for (k, n), times in zip(*np.unique(np.column_stack([counts, lengths]), axis=0, return_counts=True), strict=True):
        total += times * (special.betaln(k + alpha, n - k + rest) - special.betaln(alpha, rest))
    return total.max(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "sides_with_it"), [(25, 1), (66, 1), (85, 1), (101, 1), (66, 2), (102, 2), (149, 2)])
def test_one_document_with_nearly_all_occurrences(seed, sides_with_it):
    """For a common ratio the likelihood has a second maximum, where the mean is near 1/R."""
    sides = one_burst(seed, sides_with_it)
    cells = [term_cells(np.column_stack([counts, lengths - counts])) for counts, lengths in sides]
    fits = [fit_beta_binomial(one) for one in cells]
    kappa = np.mean([robust_scale(one, fit)[0] for one, fit in zip(cells, fits, strict=True)])
    log_ratios = np.append(np.geomspace(1e-3, 1.0, 40), np.linspace(1.01, 6.0, 250))
    best = sum(profile_on_grid(counts, lengths, log_ratios) for counts, lengths in sides).max()
    found = differential_burstiness(*cells).statistic[0] * kappa
    grid = 2 * (sum(fit.loglik[0] for fit in fits) - best)
    assert found == pytest.approx(grid, abs=0.02)  # the next point of the grid is that much lower


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 8, 26])
def test_one_occurrence_in_each_of_two_documents_and_of_five(seed):
    """A document of one token, which is the word: the likelihood rises again between fits that are far apart."""
    rng = np.random.default_rng(seed)
    sides = []
    for have in ([1, int(rng.integers(5, 60))], list(rng.integers(10, 200, 5))):
        lengths = np.concatenate([have, np.exp(rng.normal(4.6, 1.0, 600)).astype(int) + 1])
        sides.append((np.where(np.arange(lengths.size) < len(have), 1, 0), lengths))
    cells = [term_cells(np.column_stack([counts, lengths - counts])) for counts, lengths in sides]
    fits = [fit_beta_binomial(one) for one in cells]
    best = sum(profile_on_grid(counts, lengths, np.linspace(0.02, 10.0, 500)) for counts, lengths in sides).max()
    found = differential_burstiness(*cells)
    assert found.statistic[0] == pytest.approx(2 * (sum(fit.loglik[0] for fit in fits) - best), abs=0.02)


@pytest.mark.parametrize(
    "X",
    [
        [[5, 95]] * 20,  # both fits are at R = 1
        [[5, 95], [6, 94]] * 10,
        [[5, 95], [0, 60], [9, 71]] * 7,
        [[50_000, 950_000]] * 20,  # the standard error of log R is 1e-8
        bursty_terms(5, 30).tolist(),
    ],
)
def test_identical_corpora_do_not_differ(X):
    table = tb.keyness(X, X, terms=[f"t{i}" for i in range(len(X[0]))], compare="burstiness", min_count=1)
    np.testing.assert_array_equal(table["p_value"].to_numpy(), 1.0)
    np.testing.assert_array_equal(table["statistic"].to_numpy(), 0.0)
    np.testing.assert_array_equal(table["log_ratio"].to_numpy(), 0.0)
    low, high = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    assert ((low < 0) & (high > 0) & np.isfinite(high - low)).all()
    np.testing.assert_allclose(low, -high, rtol=0.01)


def test_two_corpora_without_bursts_have_the_same_ratio():
    """Even if each word is a fixed share of all documents, but not the same share in both corpora."""
    table = tb.keyness([[5, 95]] * 20, [[6, 94]] * 25, terms=["x", "rest"], compare="burstiness")
    assert table["p_value"].to_list() == [1.0, 1.0]


def repeated_words(rng, terms):
    """The cells of 400 documents: each word is in about 9; three in ten of them repeat it some 2 times more."""
    n_j = np.exp(rng.normal(5.0, 0.8, 400)).astype(int) + 60
    repeats = rng.poisson(2.0, (400, terms)) * (rng.random((400, terms)) < 0.3)
    return cells_of_columns((rng.random((400, terms)) < 9 / 400) * (1 + repeats), n_j)


def test_size_if_few_documents_have_the_term():
    """Bursts are rarer and larger than a beta-binomial has them: the scale must not be too small at b = 5 to 19."""
    rng = np.random.default_rng(3805)
    a, b = repeated_words(rng, 3000), repeated_words(rng, 3000)
    found, fewer = differential_burstiness(a, b), np.minimum(a.b_i, b.b_i)
    chosen = (fewer >= 5) & (fewer < 20)
    rejected = found.p_value[chosen] <= 0.05
    assert chosen.sum() > 2500
    assert 0.035 < rejected.mean() < 0.06  # 8 % with a scale that few documents make too small
    np.testing.assert_array_equal(rejected, ((found.ci_low > 0) | (found.ci_high < 0))[chosen])
    assert ((found.ci_low <= found.log_ratio) & (found.log_ratio <= found.ci_high))[chosen].all()


def test_size_and_power():
    """600 terms with the same burst ratio 10 and different means; then with burst ratios 10 and 40."""
    rng = np.random.default_rng(2117)
    ratio = 10.0

    def alpha_0(share, r):
        return (1 - share) / share / (r - 1) - 1

    A = drawn(rng, 150, alpha_0(0.002, ratio), 0.002, 600)
    B = drawn(rng, 200, alpha_0(0.004, ratio), 0.004, 600)
    found = differential_burstiness(A, B)
    p = found.p_value
    assert 0.025 < (p < 0.05).mean() < 0.07
    inside = (found.ci_low <= 0) & (found.ci_high >= 0)
    assert 0.93 < inside.mean() < 0.98
    C = drawn(rng, 200, alpha_0(0.004, 40.0), 0.004, 600)
    other = differential_burstiness(C, A)
    assert (other.p_value < 0.05).mean() > 0.9
    assert np.median(other.log_ratio) == pytest.approx(2.0, abs=0.25)


def test_a_term_that_one_corpus_lacks_has_nothing_to_compare():
    found = differential_burstiness(term_cells([[3, 0, 9]] * 4), term_cells([[0, 2, 8], [1, 0, 7]]))
    assert np.isnan(found.log_ratio[1])
    assert found.p_value[1] == 1.0
    assert np.isnan(found.ci_low[1])
    same = differential_burstiness(term_cells([[3, 5], [0, 8]]), term_cells([[3, 5], [0, 8]]))
    np.testing.assert_array_equal(same.log_ratio, 0)
    np.testing.assert_array_equal(same.p_value, 1)


def test_the_table():
    A, B = [[6, 1, 24], [0, 0, 30], [0, 0, 30]] * 10, [[2, 0, 28]] * 30
    table = tb.keyness(A, B, terms=["ha", "no", "so"], compare="burstiness")
    assert table.columns == [
        "term", "n_a", "n_b", "b_a", "b_b", "burst_ratio_a", "burst_ratio_b", "log_ratio", "ci_low", "ci_high",
        "lower_bound", "statistic", "p_value", "q_value", "p_method",
    ]  # fmt: skip
    first = table.row(0, named=True)
    assert first["term"] == "ha"
    assert first["lower_bound"] == first["ci_low"] > 0.5
    last = table.row(2, named=True)
    assert (last["term"], last["p_value"], last["q_value"], last["p_method"]) == ("no", None, None, "")
    groups = tb.keyness(
        A + B,
        by=["a"] * 30 + ["b"] * 30,
        terms=["ha", "no", "so"],
        compare="burstiness",
        contrasts=True,
        sort="lower_bound",
    )
    assert groups.row(0, named=True)["group"] == "a"
    assert groups.row(0, named=True)["lower_bound"] == pytest.approx(first["lower_bound"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compare": "length"}, "compare must be one of 'frequency', 'burstiness'; got 'length'"),
        (
            {"compare": "burstiness", "method": "g2"},
            'compare="burstiness" has one method, \'beta-binomial\'; omit method="g2"',
        ),
        ({"compare": "burstiness", "confidence": 3}, "confidence"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        tb.keyness([[1, 2]], [[2, 1]], **options)


def test_groups_need_contrasts():
    with pytest.raises(ValueError, match='compare="burstiness" needs contrasts=True'):
        tb.keyness([[1, 2], [2, 1], [1, 1]], by=["a", "b", "c"], compare="burstiness", contrasts=False)
