"""Tests of contrasts: they equal keyness for two groups, are adjusted, and keep their level."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import betaln, expit, xlogy
from twins import regression as twin

from termburst.inference.contrast_rows import contrast_rows, spanning_rows
from termburst.inference.designs import Contrast, DesignComparison
from termburst.inference.leaning import Leaning
from termburst.models import binomial
from termburst.models.beta_binomial_regression import design_cells, design_cells_of
from termburst.models.cells import term_cells


def drawn(rng, mean, lengths, alpha_0=20.0):
    return rng.binomial(lengths[:, None], rng.beta(alpha_0 * mean, alpha_0 * (1 - mean)))


def comparison(X, matrix):
    rows, cell = np.unique(matrix, axis=0, return_inverse=True)
    return DesignComparison(design_cells([term_cells(X[cell == g]) for g in range(len(rows))]), rows)


def with_one_precision(of, rows):
    """Raw fits with and without the first column of *rows*, on which the precision does not lean."""
    full, without, *_ = of.regression.fit_both(rows, of._start(rows), of.rivals)
    return full, without


def with_rest(counts, lengths):
    return np.column_stack([counts, np.maximum(lengths - counts.sum(axis=1), 0)])


def test_two_groups_with_one_precision_have_the_likelihood_of_separate_means():
    rng = np.random.default_rng(1)
    lengths = rng.integers(50, 300, 80)
    side = np.arange(80) < 40
    mean = np.where(side[:, None], [0.01, 0.02, 0.05], [0.02, 0.02, 0.04])
    X = with_rest(drawn(rng, mean, lengths), lengths)
    of = comparison(X, np.column_stack([np.ones(80), side]).astype(float))
    rows, _ = spanning_rows(of.rows, np.array([0.0, 1]), of.data.tokens)
    full, without = with_one_precision(of, rows)
    for i in range(3):
        best = [
            twin.maximum(design, X[:, i], lengths, 0.5) for design in (np.column_stack([side, ~side]), np.ones((80, 1)))
        ]
        assert full[i, 3] - without[i, 3] == pytest.approx(best[0] - best[1], abs=1e-6)
    found = of.test(Contrast("a - b", np.array([0.0, 1]), np.array([0, 1])))
    np.testing.assert_allclose(found.unadjusted, found.log_ratio, atol=1e-4)
    assert (found.ci_low < found.log_ratio).all()
    assert (found.log_ratio < found.ci_high).all()


def test_a_confounder_is_removed():
    rng = np.random.default_rng(2)
    documents = 400
    other = rng.integers(0, 2, documents)
    x = rng.random(documents) < np.where(other, 0.9, 0.1)
    lengths = rng.integers(100, 300, documents)
    mean = np.where(other, 0.04, 0.01)[:, None]  # x has no effect
    X = with_rest(drawn(rng, mean, lengths), lengths)
    design = np.column_stack([np.ones(documents), other, x]).astype(float)
    found = comparison(X, design).test(Contrast("x", np.array([0.0, 0, 1]), np.array([0, 2])))
    assert found.unadjusted[0] > 1.0
    assert abs(found.log_ratio[0]) < 0.6
    assert found.ci_low[0] < 0 < found.ci_high[0]
    assert found.p_value[0] > 0.05


def test_a_term_on_one_side_only_is_separated():
    X = np.array([[3, 50]] * 10 + [[0, 50]] * 12)
    design = np.column_stack([np.ones(22), np.arange(22) < 10]).astype(float)
    found = comparison(X, design).test(Contrast("a", np.array([0.0, 1]), np.array([0, 1])))
    assert found.status[0] == "separated"
    assert found.log_ratio[0] == found.ci_high[0] == found.unadjusted[0] == np.inf
    assert 0 < found.ci_low[0] < 10


def test_the_limit_of_a_separated_term_is_where_a_side_without_it_has_five_per_cent():
    X = np.array([[1, 999]] * 9 + [[0, 1000]] * 391)
    x = np.arange(400) < 200
    design = np.column_stack([np.ones(400), x]).astype(float)
    found = comparison(X, design).test(Contrast("a", np.array([0.0, 1]), np.array([0, 1])))
    ratio = 2 ** found.ci_low[0]
    assert (ratio / (1 + ratio)) ** 9 == pytest.approx(0.05, rel=0.01)


def test_designs_that_cannot_be_fitted():
    data = design_cells([term_cells([[1, 2]]), term_cells([[2, 3]])])
    with pytest.raises(ValueError, match="only 2 documents"):
        DesignComparison(data, np.eye(2))
    data = design_cells([term_cells([[1, 2]] * 4), term_cells([[2, 3]] * 4)])
    with pytest.raises(ValueError, match="intercept"):
        DesignComparison(data, np.array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="one row per design cell"):
        DesignComparison(data, np.eye(3))
    with pytest.raises(ValueError, match="the same"):
        contrast_rows(np.eye(2), np.zeros(2), np.ones(2))


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e4])
def test_the_unit_of_a_number_changes_the_slope_and_nothing_else(unit):
    rng = np.random.default_rng(6)
    x, lengths = np.round(rng.random(60) * 50), rng.integers(100, 200, 60)
    mean = np.column_stack([np.full(60, 0.02), 0.01 * np.exp(0.05 * x), np.full(60, 0.004)])
    X = with_rest(drawn(rng, np.minimum(mean, 0.3), lengths), lengths)
    X[:, 2] = 2 * (x == x.max())  # the likelihood grows with the slope for ever
    one, other = (
        comparison(X, np.column_stack([np.ones(60), x * scale])).test(Contrast("x", np.eye(2)[1], np.array([0, 1])))
        for scale in (1.0, unit)
    )
    for name in ("log_ratio", "unadjusted", "ci_low", "ci_high"):
        np.testing.assert_allclose(getattr(other, name) * unit, getattr(one, name), rtol=1e-3, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(other.p_value, one.p_value, rtol=1e-6)
    assert other.status.tolist() == one.status.tolist()
    assert np.isfinite(one.log_ratio[:2]).all()
    assert one.log_ratio[2] == one.ci_high[2] == np.inf
    assert one.status[2] == "separated"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["half", "number"])
def test_a_random_covariate_is_found_in_five_per_cent(kind):
    rng = np.random.default_rng(4)
    documents, rates = 400, []
    for _ in range(4):
        lengths = np.round(np.exp(rng.normal(4.5, 0.8, documents))).astype(int) + 5
        other = rng.integers(0, 3, documents)
        mean = np.exp(rng.uniform(-7.5, -4, 300)) * np.where(other[:, None] == 1, 2.0, 1.0)
        X = with_rest(drawn(rng, mean, lengths, 30.0), lengths)
        x = rng.random(documents) < 0.5 if kind == "half" else np.round(rng.normal(size=documents), 1)
        design = np.column_stack([np.ones(documents), other == 1, other == 2, x]).astype(float)
        found = comparison(X, design).test(Contrast("x", np.eye(4)[3], np.array([0, 3])), None)
        several = (X[:, :-1] > 0).sum(axis=0) >= 6
        rates.append((found.p_value[:-1][several] < 0.05).mean())
    assert 0.03 < np.mean(rates) < 0.07


def test_the_model_without_a_covariate_may_be_bursty_where_the_one_with_it_is_not():
    """Counts are Poisson given the covariate: the binomial is the supremum only of the model that has it."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 6, 60)
    X = np.column_stack([*(rng.poisson(np.exp(0.4 * x)) for _ in range(12)), rng.poisson(300, 60)])
    of = comparison(X, np.column_stack([np.ones(60), x]).astype(float))
    separate = sum(binomial.log_likelihood(X[x == g].sum(axis=0), X[x == g].sum()) for g in range(6))
    assert ((of.regression.status(of.raw, of.null) == "boundary") & (of.null.status == "converged")).any()
    rows, _ = spanning_rows(of.rows, np.array([0.0, 1]), of.data.tokens)
    full, without = with_one_precision(of, rows)
    expected = separate + of.raw[:, 3] - of.null.loglik  # the model without x has one mean
    np.testing.assert_allclose(full[:, 3] - without[:, 3], expected, atol=1e-4)


def test_limits_of_words_in_one_or_two_documents_are_on_the_profile():
    """At a limit the binomial and a bursty fit may both be maxima over the precision; the higher one counts."""
    rng = np.random.default_rng(11)
    documents, terms = 600, 60
    group, third = rng.integers(0, 4, documents), rng.integers(0, 3, documents)
    lengths = np.round(np.exp(rng.normal(5.0, 1.2, documents))).astype(int) + 5
    counts = np.zeros((documents, terms), dtype=int)
    for k in range(terms):
        counts[rng.choice(documents, 1 + k % 2, replace=False), k] = 1
    design = np.column_stack([np.ones(documents), *(group == g for g in (1, 2, 3)), third == 1, third == 2])
    of = comparison(with_rest(counts, lengths), design.astype(float))
    rows, _ = spanning_rows(of.rows, np.eye(6)[4], of.data.tokens)
    full, without = with_one_precision(of, rows)
    limits = of.regression.limits(rows, full, without, np.full(len(full), 3.84))
    checked = 0
    for side in (0, 1):
        finite = np.flatnonzero(np.isfinite(limits[:, side]))
        best = np.full(len(full), -np.inf)
        for base in (full, without):
            start = np.nan_to_num(base[:, :7])
            start[finite, 0] = limits[finite, side]
            best = np.fmax(best, of.regression.fit(rows, start, held=True)[:, 7])
        np.testing.assert_allclose(2 * (full[finite, 7] - best[finite]), 3.84, atol=1e-3)
        checked += finite.size
    assert checked >= 20


def test_limits_of_a_frequent_word_do_not_rest_on_the_tie():
    """Only the number of tokens per document differs: with κ = ½ the interval of a large ratio misses it."""
    rng = np.random.default_rng(12)
    documents, ratio = 1200, 4.0
    x, lengths = np.arange(documents) % 2, rng.integers(50, 150, documents)
    alpha_0 = np.where(x, 30 / ratio, 30.0)[:, None] * np.ones(40)
    mean = np.where(x, ratio, 1.0)[:, None] * 0.01 / (1 + 0.01 * (np.where(x, ratio, 1.0)[:, None] - 1))
    counts = rng.binomial(lengths[:, None], rng.beta(alpha_0 * mean, alpha_0 * (1 - mean)))
    covered, design = {"fitted": 0, "tied": 0}, np.column_stack([np.ones(documents), x]).astype(float)
    for k in range(0, 40, 10):
        of = comparison(with_rest(counts[:, k : k + 10], lengths), design)
        found = of.test(Contrast("x", np.array([0.0, 1]), np.array([0, 1])))
        covered["fitted"] += int(((found.ci_low < np.log2(ratio)) & (np.log2(ratio) < found.ci_high))[:10].sum())
        rows, unit = spanning_rows(of.rows, np.array([0.0, 1]), of.data.tokens)
        low, high = of.regression.limits(rows, *with_one_precision(of, rows), np.full(11, 3.85))[:10].T / unit
        covered["tied"] += int(((low < np.log2(ratio)) & (np.log2(ratio) < high)).sum())
    assert covered["fitted"] >= 36
    assert covered["tied"] < 30


def test_the_unadjusted_ratio_is_that_of_a_design_without_the_other_covariates():
    """Also for a frequent word whose tie is fitted: both ratios are of the same kind of model."""
    rng = np.random.default_rng(13)
    documents = 300
    x, other, lengths = np.arange(documents) % 2, rng.integers(0, 3, documents), rng.integers(100, 300, documents)
    X = with_rest(drawn(rng, np.where(x, 0.08, 0.01)[:, None] * np.ones(3), lengths), lengths)
    one, c = np.ones(documents), np.array([0.0, 1, 0, 0])
    of = comparison(X, np.column_stack([one, x, other == 1, other == 2]).astype(float))
    found = of.test(Contrast("x", c, np.array([0, 1])), None)
    alone = comparison(X, np.column_stack([one, x]).astype(float))
    expected = alone.test(Contrast("x", c[:2], np.array([0, 1])), None).log_ratio
    rows, unit = spanning_rows(alone.rows, c[:2], alone.data.tokens)
    np.testing.assert_allclose(found.unadjusted[:3], expected[:3], atol=1e-5)
    assert (
        np.abs(with_one_precision(alone, rows)[0][:3, 0] / unit - expected[:3]) > 1e-3
    ).any()  # κ = ½ says something else


def test_what_is_known_of_other_maxima_changes_nothing_but_the_time():
    rng = np.random.default_rng(14)
    documents, terms = 400, 120
    group, lengths = rng.integers(0, 4, documents), np.round(np.exp(rng.normal(5.0, 1.2, documents))).astype(int) + 9
    counts = np.zeros((documents, terms), dtype=int)
    for k in range(terms):
        counts[rng.choice(documents, 2 + k % 12, replace=False), k] = rng.integers(1, 9, 2 + k % 12)
    of = comparison(with_rest(counts, lengths), np.column_stack([group == g for g in range(4)]).astype(float))
    rows, _ = spanning_rows(of.rows, np.array([1.0, -1, 0, 0]), of.data.tokens)
    full, without, tangents, _ = of.regression.fit_both(rows, of._start(rows), of.rivals)
    full[:, 6] = of.raw[:, 6]
    assert (of.rivals < without[:, 5]).mean() > 0.2
    searched = of.regression.fit_both(rows, np.nan_to_num(full[:, :5]))[1]
    np.testing.assert_allclose(without[:, 5], searched[:, 5], atol=1e-7)
    critical = np.full(len(full), 3.84)
    known = of.regression.limits(rows, full, without, critical, None, of.rivals, tangents)
    np.testing.assert_allclose(known, of.regression.limits(rows, full, without, critical), atol=1e-6)


def test_a_word_that_neither_side_has_cannot_be_significant():
    rng = np.random.default_rng(15)
    documents = 90
    group, lengths = np.arange(documents) % 3, rng.integers(50, 90, documents)
    counts = rng.poisson(1.5, (documents, 2)) * (group == 2)[:, None]
    of = comparison(with_rest(counts, lengths), np.column_stack([group == g for g in range(3)]).astype(float))
    found = of.test(Contrast("0 - 1", np.array([1.0, -1, 0]), np.array([0, 1, 2])))
    assert found.status[:2].tolist() == ["undetermined"] * 2
    assert found.p_value[:2].tolist() == found.least_p[:2].tolist() == [1.0, 1.0]


def test_a_contrast_that_changes_nothing_is_not_significant():
    """The trend already says that the first century has none of these words, so the contrast of it says nothing."""
    year = np.arange(1789, 2022, 4)
    century, late = year // 100, np.flatnonzero(year >= 1930)
    rng = np.random.default_rng(11)
    X = np.zeros((year.size, 40), dtype=np.int64)
    for term in range(39):
        X[rng.choice(late, 8, replace=False), term] = rng.integers(1, 4, 8)
    X[:, -1] = 2300
    design = np.column_stack([np.ones(year.size), *(century == k for k in (18, 19, 20)), (year - 1900) / 100])
    found = comparison(X, design).test(Contrast("17 - 20", np.array([0.0, 0, 0, -1, 0]), np.arange(4)))
    flat = found.statistic < 0.1
    assert flat[:-1].sum() > 5
    assert found.p_value[flat].min() > 0.5


def extreme_number(seed, value):
    """Documents with the numbers 0, 0.2, … and one that is far from all others; counts of six terms and the rest."""
    rng = np.random.default_rng(seed)
    x, lengths = np.append(np.arange(49) * 0.2, value), rng.integers(100, 200, 50)
    slopes = np.array([0.25, 0.25, -0.25, -0.25, 0.0, 0.05])
    logits = np.array([-4.5, -5, -4, -5, -4.5, -4]) + np.outer(np.minimum(x, 10), slopes)
    counts = drawn(rng, 1 / (1 + np.exp(-logits)), lengths)
    counts[-1, [0, 2, 3, 5]] = 0  # the term is not in the extreme document
    return x, with_rest(counts, lengths)


def profile_by_scipy(x, counts, lengths, slope):
    """The highest likelihood of one slope over intercept and precision, with κ = ½."""
    share = counts.sum() / lengths.sum()

    def negative(free):
        omega = np.maximum(free[0] + slope * x, -300.0)  # further down, nothing changes
        v = -np.logaddexp(0, omega) - np.logaddexp(0, -omega)
        alpha_0 = np.exp(np.clip(free[1] - 0.5 * (v - np.log(share) - np.log1p(-share)), -27, 36))
        alpha, rest = alpha_0 * expit(omega), alpha_0 * expit(-omega)
        return -float((betaln(counts + alpha, lengths - counts + rest) - betaln(alpha, rest)).sum())

    middle = np.log(share) - slope * np.median(x)
    found = [
        minimize(negative, (start, tau), method="Nelder-Mead", options={"fatol": 1e-9, "xatol": 1e-7, "maxiter": 4000})
        for start in (np.log(share), middle)
        for tau in (1.0, 5.0)
    ]
    return -min(one.fun for one in found)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "value"), [(0, 100.0), (0, 2000.0), (1, 2000.0)])
def test_one_extreme_number(seed, value):
    """Limits are on SciPy's profile, although one document is far from all others."""
    x, X = extreme_number(seed, value)
    of = comparison(X, np.column_stack([np.ones(50), x]))
    found = of.test(Contrast("x", np.eye(2)[1], np.array([0, 1])))
    assert set(found.status.tolist()) == {"converged"}
    rows, unit = spanning_rows(of.rows, np.eye(2)[1], of.data.tokens, number=True)
    full, without = with_one_precision(of, rows)
    limits = of.regression.limits(rows, full, without, np.full(len(full), 3.84)) * np.log(2) / unit
    for i in range(6):
        lengths = X.sum(axis=1)
        top = profile_by_scipy(x, X[:, i], lengths, full[i, 0] * np.log(2) / unit)
        assert 2 * (top - profile_by_scipy(x, X[:, i], lengths, 0.0)) == pytest.approx(
            2 * (full[i, 3] - without[i, 3]), abs=1e-3
        )
        for limit in limits[i]:
            fallen = 2 * (top - profile_by_scipy(x, X[:, i], lengths, limit))
            assert np.isfinite(limit)
            assert fallen == pytest.approx(3.84, rel=2e-3)


def test_a_number_far_from_all_others_does_not_change_p():
    """The term is in neither of these documents: only the other 39 say something."""
    counts = np.array([0, 3, 2, 0, 0, 1, 0, 0, 0, 0, 3, 3, 2, 1, 0, 0, 0, 0, 0, 0] * 2)
    X = np.column_stack([counts, 200 - counts])
    p = []
    for far in (30.0, 300.0, 1000.0):
        x = np.append(far, np.arange(1, 40) % 10)
        p.append(comparison(X, np.column_stack([np.ones(40), x])).test(Contrast("x", np.eye(2)[1], np.array([0, 1]))))
    assert p[0].p_value[0] < 1e-5
    for found in p[1:]:
        np.testing.assert_allclose(found.p_value[0], p[0].p_value[0], rtol=1e-3)
        np.testing.assert_allclose([found.ci_low[0], found.ci_high[0]], [p[0].ci_low[0], p[0].ci_high[0]], rtol=1e-3)


def test_an_extreme_number_beside_another_covariate():
    counts = np.array([0, 3, 11, 0, 5, 2, 0, 12, 2, 0, 0, 1, 2, 1])
    lengths = np.array([13, 39, 45, 42, 45, 50, 58, 27, 46, 58, 26, 58, 16, 57])
    group = np.array([letter == "a" for letter in "baabbaababbbba"])
    x = np.array([0.0, 3.6, 4.4, 8.1, 1.1, 1.5, 3.0, 4.1, 7.1, 3.9, 7.2, 2.3, 3.6, 7.7])
    found = []
    for far in (100.0, 2000.0):
        x[0] = far
        of = comparison(np.column_stack([counts, lengths - counts]), np.column_stack([np.ones(14), x, group]))
        found.append(of.test(Contrast("x", np.eye(3)[1], np.array([0, 1]))))
    assert found[1].status[0] == "converged"
    for name in ("log_ratio", "unadjusted", "ci_low", "statistic"):
        np.testing.assert_allclose(getattr(found[1], name)[0], getattr(found[0], name)[0], rtol=1e-3)


def test_a_term_of_the_extreme_document_alone_is_separated_with_and_without_adjusting():
    counts, x = np.zeros(30, dtype=int), np.arange(30) % 10.0
    counts[0], x[0] = 3, 1000.0
    of = comparison(np.column_stack([counts, 100 - counts]), np.column_stack([np.ones(30), x, np.arange(30) % 2]))
    found = of.test(Contrast("x", np.eye(3)[1], np.array([0, 1])))
    assert found.log_ratio[0] == found.unadjusted[0] == np.inf


def test_no_statistic_of_a_rare_word_is_above_its_deviance():
    """2Δℓ is at most that of a free share per document against one share, however free a spline may be."""
    rng = np.random.default_rng(21)
    documents, terms = 59, 400
    lengths, year, group = rng.integers(100, 4000, documents), np.arange(documents) * 4.0, rng.integers(0, 3, documents)
    counts = np.zeros((documents, terms), dtype=int)
    for k in range(terms):
        counts[rng.choice(documents, 2 + k % 4, replace=False), k] = rng.integers(1, 4, 2 + k % 4)
    knots = np.r_[[0.0] * 4, 116.0, [232.0] * 4]
    spline = BSpline.design_matrix(year, knots, 3).toarray()[:, 1:]
    design = np.column_stack([np.ones(documents), group == 1, group == 2, spline])
    X = with_rest(counts, lengths)
    found = comparison(X, design).test(Contrast("group", np.eye(7)[1], np.array([0, 1]), ("group", 1, 0)), None)
    total = X.sum(axis=1)[:, None]
    share = counts.sum(axis=0) / total.sum()
    free = xlogy(counts, counts / total) + xlogy(total - counts, 1 - counts / total)
    one = xlogy(counts, share) + xlogy(total - counts, 1 - share)
    deviance = 2 * (free - one).sum(axis=0)
    known = np.isfinite(found.statistic[:terms])
    assert known.sum() > 300
    assert (found.statistic[:terms][known] <= deviance[known] + 1e-6).all()


def bursty(rng, mean, alpha_0, words=300, length=1000):
    """Counts of words whose documents have these precisions, and the rest."""
    lengths = np.full(alpha_0.size, length)
    alpha_0 = alpha_0[:, None] * np.ones(words)
    return with_rest(rng.binomial(length, rng.beta(alpha_0 * mean, alpha_0 * (1 - mean))), lengths * (1 + words // 100))


def rates(found):
    """How often p is at most 5 % among words, in all and with a ratio above 0."""
    small = found.p_value[:-1] <= 0.05
    return small.mean(), (small & (found.log_ratio[:-1] > 0)).mean()


@pytest.mark.parametrize("beside", [False, True])
def test_a_difference_in_burstiness_is_not_one_in_frequency(beside):
    """Before the precision depended on the contrast, 43 % of these words had p ≤ 5 %, all against the burstier side."""
    rng = np.random.default_rng(31)
    side, z = np.arange(500) < 250, rng.random(500) < 0.5
    X = bursty(rng, 0.002, np.where(side, 150.0, 400.0))
    design = np.column_stack([np.ones(500), side, *([z] if beside else [])]).astype(float)
    found = comparison(X, design).test(Contrast("side", np.eye(design.shape[1])[1], np.array([0, 1])))
    size, higher = rates(found)
    assert size < 0.08
    assert 0.25 < higher / size < 0.75


def test_a_precision_that_depends_on_a_number_is_no_slope():
    rng = np.random.default_rng(32)
    x = rng.integers(0, 8, 400).astype(float)
    X = bursty(rng, 0.002, 60 * np.exp(0.35 * x))
    size, _ = rates(
        comparison(X, np.column_stack([np.ones(400), x])).test(Contrast("x", np.eye(2)[1], np.array([0, 1])))
    )
    assert size < 0.08


def test_the_burstiness_of_a_third_value_does_not_matter():
    """Two values are compared; the third one has most of the documents, and hardly any burstiness."""
    rng = np.random.default_rng(33)
    group = np.repeat([0, 1, 2], [80, 80, 600])
    X = bursty(rng, 0.002, np.array([60.0, 200.0, 5000.0])[group])
    design = np.column_stack([group == g for g in range(3)]).astype(float)
    leans = np.array([[0.5, 0.5], [-0.5, 0.5], [0.0, -0.5]])  # design cells are in the order of their rows
    cells = np.unique(design, axis=0).argmax(axis=1)
    contrast = Contrast("0 - 1", np.array([1.0, -1, 0]), np.arange(3), ("group", 0, 1), leans[cells])
    size, _ = rates(comparison(X, design).test(contrast))
    assert size < 0.09


def test_a_rare_word_of_a_burstier_side_is_not_rarer_there():
    """Its p is that given the bursts, under precisions that differ as those of all words do."""
    rng = np.random.default_rng(34)
    side = np.arange(330) < 30
    counts = np.column_stack([bursty(rng, mean, np.where(side, 50.0, 400.0), 150)[:, :-1] for mean in (0.0002, 0.004)])
    lengths = np.full(330, 3000)
    found = comparison(with_rest(counts, lengths), np.column_stack([np.ones(330), side]).astype(float)).test(
        Contrast("side", np.eye(2)[1], np.array([0, 1]))
    )
    assert (found.p_method[:150] == "conditional").mean() > 0.7
    assert (found.p_value[:150] <= 0.05).mean() < 0.08
    assert (found.least_p[:-1] <= found.p_value[:-1]).all()


def test_interval_and_p_agree_in_all_rows_without_being_set():
    rng = np.random.default_rng(35)
    side = np.arange(200) < 60
    ratios = np.where(side[:, None], np.exp(rng.normal(0, 0.5, 300)), 1.0)
    mean = np.exp(rng.uniform(-9.5, -5, 300)) * ratios
    X = with_rest(drawn(rng, mean, np.full(200, 400), 80.0), np.full(200, 1200))
    found = comparison(X, np.column_stack([np.ones(200), side]).astype(float)).test(
        Contrast("side", np.eye(2)[1], np.array([0, 1]))
    )
    known = np.isfinite(found.p_value)
    inside = (found.ci_low <= 0) & (found.ci_high >= 0)
    np.testing.assert_array_equal(inside[known], (found.p_value > 0.05)[known])
    assert not (found.ci_low[known] == 0).any()
    assert not (found.ci_high[known] == 0).any()
    assert {"chi2", "conditional"} <= set(found.p_method)


def test_what_all_words_say_of_the_precision_adds_over_slices():
    rng = np.random.default_rng(36)
    side = np.arange(160) < 80
    X = bursty(rng, 0.004, np.where(side, 60.0, 300.0), 200)
    rows, contrast = np.array([[1.0, 0.0], [1.0, 1.0]]), Contrast("side", np.eye(2)[1], np.array([0, 1]))
    parts = [term_cells(X[~side]), term_cells(X[side])]
    lengths = [(part.lengths, part.length_documents) for part in parts]

    def some(first, last):
        own = [term_cells(np.ascontiguousarray(X[held][:, first:last])) for held in (~side, side)]
        total = X.sum(axis=1)
        made = []
        for part, held, (of, number) in zip(own, (~side, side), lengths, strict=True):
            by_term = [total[held][X[held][:, i] > 0] for i in range(first, last)]
            length = np.concatenate(by_term).astype(np.int32)
            made.append(replace(part, length=length, lengths=of, length_documents=number))
        return DesignComparison(design_cells(made), rows)

    whole = DesignComparison(design_cells(parts), rows)
    one, other = some(0, 90), some(90, X.shape[1])
    sums = one.leaning_sums(contrast) + other.leaning_sums(contrast)
    np.testing.assert_allclose(sums, whole.leaning_sums(contrast), rtol=1e-6)
    leaning = Leaning.of(sums)
    assert leaning.shift[0] == pytest.approx(-np.log(5), abs=0.3)
    found, expected = one.test(contrast, leaning=leaning), whole.test(contrast)
    for name in ("p_value", "log_ratio", "ci_low", "ci_high", "least_p"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name)[:90], rtol=1e-6, err_msg=name)


def test_documents_with_a_design_cell_each_are_the_cells_of_their_parts():
    rng = np.random.default_rng(8)
    X, cell = csr_array(rng.poisson(0.4, (40, 7))), rng.integers(0, 3, 40)
    cell[:3], X = [0, 1, 2], csr_array(X.toarray() * (np.arange(40) != 5)[:, None])  # and an empty document
    parts, whole = design_cells([term_cells(X[cell == g]) for g in range(3)]), design_cells_of(X, cell)
    for name in ("indptr", "count", "length", "weight", "n_i", "b_i", "lengths"):
        np.testing.assert_array_equal(getattr(parts.cells, name), getattr(whole.cells, name))
    np.testing.assert_array_equal(parts.group, whole.group)
    np.testing.assert_array_equal(parts.documents, whole.documents)
    for mine, others in zip(parts.lengths, whole.lengths, strict=True):
        np.testing.assert_array_equal(mine, others)


def test_significance_is_that_of_the_whole_test():
    rng = np.random.default_rng(9)
    rows = np.array([[1.0, 0], [1, 1]])
    cell = np.arange(60) % 2
    compared = DesignComparison(design_cells_of(csr_array(rng.poisson(0.5, (60, 12))), cell), rows)
    contrast = Contrast("x", np.array([0.0, 1.0]), np.array([0, 1]))
    whole, found = compared.test(contrast), compared.significance(contrast)
    for name in ("statistic", "p_value", "least_p", "p_method"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
