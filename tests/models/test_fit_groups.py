"""Fits with a mean a group and precisions tied by one: against SciPy's optimisers, grids, mpmath; limits by brute force
and coverage.
"""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from helpers.simulated import cells_of_columns, lengths_like_r8
from termburst import TermStatistics
from termburst.models import binomial
from termburst.models.cells import TermCells, joined, term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.fit_groups import KAPPA, GroupedCells

CHI2_95 = stats.chi2.ppf(0.95, 1)
FLAT = 16.0  # log α_0 from which on a beta-binomial of short documents is the binomial, to what betaln can tell


def fitted(groups, kappa=0.0):
    """The fit of all together, that of every group with a mean of its own, and the likelihood ratio."""
    cells = [term_cells(X) for X in groups]
    null = fit_beta_binomial(joined(cells))
    grouped = GroupedCells(cells, kappa)
    fit, raw = grouped.fit(null)
    return null, fit, grouped, raw


def limits(groups, confidence=0.95):
    null, fit, grouped, raw = fitted(groups)
    return (
        grouped.ratio_limits(raw, stats.chi2.ppf(confidence, 1)),
        fit,
        np.maximum(2 * (fit.loglik - null.loglik), 0.0),
    )


def columns(seed, groups, *, documents=30, terms=12, precision=(-1.0, 7.0), empty=0):
    """Terms with their complement a column each: beta-binomial of one precision, whose mean differs between groups."""
    rng = np.random.default_rng(seed)
    made = []
    log_alpha_0 = rng.uniform(*precision, terms)
    for _ in range(groups):
        n_j = np.maximum(np.exp(rng.normal(3.0, 1.0, documents)).astype(int), 1)
        n_j[:empty] = 0
        mean = np.exp(rng.uniform(-5.0, -0.7, terms))
        made.append((rng.binomial(n_j[:, None], rng.beta(*split(np.exp(log_alpha_0), mean), (documents, terms))), n_j))
    return made


def split(alpha_0, mean):
    return alpha_0 * mean, alpha_0 * (1 - mean)


# ---- oracles that share nothing with the code


def tallied(count, length):
    """Distinct (count, length) with how many documents have them, empty documents left out."""
    rows, times = np.unique(np.column_stack([count, length])[length > 0], axis=0, return_counts=True)
    return rows[:, 0].astype(float), rows[:, 1].astype(float), times.astype(float)


def loglik(group, tau, mean):
    """ℓ of one group by log-beta functions, binomial coefficients left out; *tau* and *mean* broadcast."""
    count, length, times = group
    alpha, alpha_not = (np.asarray(x)[..., None] for x in split(np.exp(tau), mean))
    return (times * (special.betaln(count + alpha, length - count + alpha_not) - special.betaln(alpha, alpha_not))).sum(
        -1
    )


def precision(groups, tau, mean, kappa):
    """log α_0 of a group with that mean: τ − κ (log π(1 − π) − the same of all groups together)."""
    if not kappa:
        return tau
    share = sum(c @ t for c, _, t in groups) / sum(n @ t for _, n, t in groups)
    return np.minimum(tau, FLAT) - kappa * np.log(mean * (1 - mean) / (share * (1 - share)))


def binomials(groups):
    """The log-likelihood of a binomial for every group."""
    shares = [(c @ t, n @ t) for c, n, t in groups]
    return sum(special.xlogy(n_i, n_i / n) + special.xlogy(n - n_i, (n - n_i) / n) for n_i, n in shares)


def by_scipy(groups, kappa=0.0):
    """The greatest log-likelihood by Nelder and Mead's method and then BFGS on (log α_0, logit π_g); α_0 and the
    π_g.
    """
    mixed = [g for g in groups if 0 < g[0] @ g[2] < g[1] @ g[2]]  # all or nothing: likelihood 1 whatever α_0 is
    start = [special.logit(c @ t / (n @ t)) for c, n, t in mixed]

    def negative(x):
        means = special.expit(x[1:])
        tau = [precision(groups, min(x[0], FLAT), mean, kappa) for mean in means]
        return -sum(map(loglik, mixed, tau, means))

    best = None
    for tau in (-1.0, 3.0, 7.0):
        found = optimize.minimize(
            negative, [tau, *start], method="Nelder-Mead", options={"fatol": 1e-9, "maxiter": 4000}
        )
        polished = optimize.minimize(negative, found.x, method="BFGS", options={"gtol": 1e-7})
        for result in (found, polished):
            if best is None or result.fun < best.fun:
                best = result
    if -best.fun <= binomials(groups) + 1e-6:
        return binomials(groups), np.inf, [c @ t / (n @ t) for c, n, t in groups]
    means = iter(special.expit(best.x[1:]))
    filled = [next(means) if 0 < c @ t < n @ t else float(c.sum() > 0) for c, n, t in groups]
    return -best.fun, np.exp(best.x[0]), filled


def at_ratio(a, b, log_ratio, kappa=0.0):
    """The greatest log-likelihood at π_a/π_b = e^log_ratio, over α_0 and the level, from several starts."""
    highest = min(0.0, -log_ratio)  # of log π_b, lest a mean exceed 1

    def negative(x):
        log_b = highest - np.exp(x[1])
        means = np.exp([log_b + log_ratio, log_b])
        value = sum(
            loglik(g, precision((a, b), min(x[0], FLAT), m, kappa), m) for g, m in zip((a, b), means, strict=True)
        )
        return -value if np.isfinite(value) and x[0] > -20 else 1e10

    level = (a[0] @ a[2] + b[0] @ b[2]) / (a[1] @ a[2] * np.exp(log_ratio) + b[1] @ b[2])
    start = np.log(highest - min(np.log(level), highest - 1e-2))
    options = {"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2000}
    runs = [
        optimize.minimize(negative, [tau, start], method="Nelder-Mead", options=options) for tau in (0, 3, 6, 10, FLAT)
    ]
    return -min(run.fun for run in runs)


# ---- the fit


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "kappa"), [(2, 0.0), (3, 0.0), (2, 0.5), (3, 0.5), (2, 1.0)])
def test_the_fit_equals_scipy_s(groups, kappa):
    made = columns(groups, groups, empty=2)
    cells = [cells_of_columns(*g) for g in made]
    fit, _ = GroupedCells(cells, kappa).fit(fit_beta_binomial(joined(cells)))
    interior = 0
    for i in range(fit.alpha_0.size):
        value, alpha_0, means = by_scipy([tallied(c[:, i], n_j) for c, n_j in made], kappa)
        assert fit.loglik[i] == pytest.approx(value, abs=2e-6 * (1 + abs(value)))
        np.testing.assert_allclose(fit.mean[i], means, rtol=2e-3)
        if alpha_0 < 1e4:
            interior += 1
            assert fit.alpha_0[i] == pytest.approx(alpha_0, rel=1e-2)
    assert interior >= 8


@pytest.mark.parametrize(("groups", "kappa"), [(2, KAPPA), (3, KAPPA), (2, 0.0)])
def test_real_terms_equal_scipy_s(r8, groups, kappa):
    """R8's largest classes as groups; 'acq' against 'earn' holds words that all but one of the classes lack."""
    X, labels = r8.train.tocsc(), np.asarray(r8.train_labels)
    names, sizes = np.unique(labels, return_counts=True)
    of = [np.flatnonzero(labels == name) for name in names[np.argsort(-sizes)][:groups]]
    n_i = np.asarray(X[np.concatenate(of)].sum(axis=0)).ravel()
    bands = ((2, 4), (5, 19), (20, 99), (100, 999), (1000, 10**6))
    rng = np.random.default_rng(groups)
    chosen = np.array([rng.choice(np.flatnonzero((n_i >= a) & (n_i <= b))) for a, b in bands])
    cells = [term_cells(X[rows]) for rows in of]
    null = fit_beta_binomial(joined(cells))
    fit, _ = GroupedCells(cells, kappa).fit(null)
    n_j = np.asarray(X.sum(axis=1)).ravel()
    for i in chosen:
        column = X[:, [i]].toarray().ravel()
        value, _, means = by_scipy([tallied(column[rows], n_j[rows]) for rows in of], kappa)
        assert fit.loglik[i] == pytest.approx(value, abs=2e-6 * (1 + abs(value)))
        np.testing.assert_allclose(fit.mean[i], means, rtol=5e-3, atol=1e-12)
    assert (fit.loglik >= null.loglik - 1e-7).all()


@st.composite
def small_terms(draw):
    """Two or three groups of documents, each (n_ij, n_j)."""

    def document(n_j):
        return st.tuples(st.integers(0, n_j), st.just(n_j))

    documents = st.lists(st.sampled_from([1, 2, 3, 5, 12, 60]).flatmap(document), min_size=1, max_size=6)
    groups = [np.array(draw(documents)) for _ in range(draw(st.integers(2, 3)))]
    return [np.column_stack([g[:, 0], g[:, 1] - g[:, 0]]) for g in groups]


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(small_terms(), st.sampled_from([0.0, 0.5, 1.0]))
def test_no_point_of_a_grid_is_better_nor_is_the_null_model(groups, kappa):
    null, fit, _, _ = fitted(groups, kappa)
    parts = [tallied(X[:, 0], X.sum(axis=1)) for X in groups]
    tau, omega = np.linspace(-9, 15, 37), np.linspace(-9, 9, 61)
    profile = np.zeros(tau.size)
    mixed = 0 < sum(X[:, 0].sum() for X in groups) < sum(X.sum() for X in groups)
    for X, part in zip(groups, parts, strict=True):  # given τ they are independent: the best of each, the best of all
        mean = special.expit(omega)
        values = loglik(part, precision(parts, tau[:, None], mean, kappa) if mixed else tau[:, None], mean)
        profile += 0.0 if X[:, 0].sum() in (0, X.sum()) else values.max(axis=1)
    mine = fit.loglik[null.status != "empty"]
    assert (mine >= profile.max() - 1e-6).all()
    assert (mine >= null.loglik[null.status != "empty"] - 1e-9 * (1 + np.abs(mine))).all()
    assert np.ptp(mine) < 1e-7 * (1 + abs(mine[0]))  # a term and its complement have one likelihood
    np.testing.assert_allclose(fit.mean.sum(axis=1)[:1] + fit.mean.sum(axis=1)[1:], len(groups), rtol=1e-5)


@pytest.mark.parametrize(
    ("A", "B"),
    [  # counts and lengths; the profile over α_0 has two maxima, of which the higher is
        (([14, 3, 0, 2, 0], [3000, 200, 3, 30, 200]), ([0, 0, 3], [3, 30, 8])),  # that of the smaller α_0
        (([1, 3, 1, 552, 0], [3, 30, 2, 3000, 30]), ([30, 0, 0, 0, 0], [200, 2, 8, 8, 3])),
        (([0, 77], [200, 3000]), ([0, 0, 1], [30, 30, 30])),
        (([1, 0, 0, 0], [3000, 3, 3, 8]), ([1, 0], [30, 3000])),
        (([0, 1, 0, 0, 0], [200, 200, 8, 8, 3000]), ([0, 2], [2, 2])),  # that of the greater
        (([2, 0, 0], [2, 30, 2]), ([0, 366, 250, 0], [3, 3000, 3000, 3])),
        (([4, 3, 1], [200, 200, 2]), ([3, 1171, 0, 1260, 1160], [30, 3000, 2, 3000, 3000])),
        (([3, 1, 2], [200, 3, 8]), ([0, 0, 0, 0, 6, 2], [3, 3000, 2, 8, 3000, 3000])),
        (([0, 0, 0, 43], [2, 30, 3, 3000]), ([0, 0, 1, 3, 146, 100, 0], [3, 3, 2, 3, 3000, 3000, 8])),
        (([2, 607, 3, 0, 0, 742, 38], [2, 3000, 3, 3, 2, 3000, 200]), ([495, 1, 3, 1, 0], [3000, 30, 3, 3, 2])),
        (([0, 0, 2, 0, 0, 0, 0], [8, 30, 200, 3, 3, 200, 2]), ([614, 1, 57, 5], [3000, 8, 200, 30])),
        (([0, 1], [30, 3000]), ([0, 40, 1, 1], [30, 3000, 2, 3])),  # the binomial's, at infinity
        (([2, 1], [3, 30]), ([1, 0], [200, 30])),
        (([0, 0, 0, 0, 1], [8, 200, 200, 30, 3]), ([112, 22, 1630, 3, 13], [200, 30, 3000, 8, 30])),
    ],
)
def test_of_two_maxima_the_higher_is_found(A, B):
    groups = [tallied(*map(np.array, X)) for X in (A, B)]
    tau, omega = np.linspace(-8, FLAT, 121), np.linspace(-14, 6, 161)
    profile = sum(loglik(g, tau[:, None], special.expit(omega)).max(axis=1) for g in groups)
    peaks = np.flatnonzero((profile[1:-1] > profile[:-2]) & (profile[1:-1] > profile[2:]))
    assert peaks.size + (binomials(groups) > profile[tau < 12][-1]) >= 2  # the last is that at infinity
    for order in (slice(None), slice(None, None, -1)):
        _, fit, _, _ = fitted([np.column_stack([c, np.array(n) - c]) for c, n in (A, B)][order])
        assert (fit.loglik >= max(profile.max(), binomials(groups)) - 1e-6).all()


def test_the_value_by_mpmath_and_no_neighbour_above_it():
    """Documents of up to a million tokens, where log-gammas in double precision give nothing."""
    groups = [
        np.array([[3, 999_997], [0, 250_000], [41, 400_000]]),
        np.array([[7, 90_000], [1, 700_000], [0, 5], [260, 640_000]]),
    ]
    _, fit, _, _ = fitted(groups)
    assert 0 < fit.alpha_0[0] < np.inf

    def value(alpha_0, means):
        total = mpmath.mpf(0)
        for X, mean in zip(groups, means, strict=True):
            a, b = alpha_0 * mean, alpha_0 * (1 - mean)
            for c, rest in X.tolist():
                total += mpmath.log(mpmath.beta(c + a, rest + b)) - mpmath.log(mpmath.beta(a, b))
        return total

    with mpmath.workdps(40):
        best = mpmath.mpf(float(fit.alpha_0[0])), [mpmath.mpf(float(m)) for m in fit.mean[0]]
        top = value(*best)
        assert float(top) == pytest.approx(fit.loglik[0], rel=1e-10)
        for factor in (1.001, 0.999):
            assert value(best[0] * factor, best[1]) < top
            assert value(best[0], [best[1][0] * factor, best[1][1]]) < top
            assert value(best[0], [best[1][0], best[1][1] * factor]) < top


def test_a_large_corpus_is_many_small_ones():
    """Every document a hundred thousand times: the same estimates, and so many times the likelihood."""
    made = columns(5, 2, terms=6)
    small, large = [], []
    for counts, n_j in made:
        cells = cells_of_columns(counts, n_j)
        small.append(cells)
        large.append(
            TermCells(
                cells.indptr,
                cells.count,
                cells.length,
                np.full(cells.count.size, 1e5),
                10**5 * cells.n_i,
                10**5 * cells.b_i,
                cells.lengths,
                10**5 * cells.length_documents,
            )
        )
    first, second = (GroupedCells(g, kappa=0.0).fit(fit_beta_binomial(joined(g)))[0] for g in (small, large))
    np.testing.assert_allclose(second.loglik, 1e5 * first.loglik, rtol=1e-10)
    np.testing.assert_allclose(second.mean, first.mean, rtol=1e-6)
    np.testing.assert_allclose(second.alpha_0, first.alpha_0, rtol=1e-6)
    assert np.isfinite(first.alpha_0).sum() >= 4


def test_planted_parameters_are_recovered():
    rng = np.random.default_rng(11)
    means, alpha_0 = (0.004, 0.012, 0.03), 40.0
    cells = []
    for mean in means:
        n_j = np.maximum(np.exp(rng.normal(4, 0.7, 2000)).astype(int), 1)
        cells.append(cells_of_columns(rng.binomial(n_j[:, None], rng.beta(*split(alpha_0, mean), (2000, 40))), n_j))
    fit, _ = GroupedCells(cells, kappa=0.0).fit(fit_beta_binomial(joined(cells)))
    np.testing.assert_allclose(fit.mean.mean(axis=0), means, rtol=0.03)
    assert np.median(fit.alpha_0) == pytest.approx(alpha_0, rel=0.05)


def test_identical_groups_have_likelihood_ratio_0():
    counts, n_j = columns(6, 1, terms=15)[0]
    counts = counts[:, counts.sum(axis=0) > 0]
    for copies in (2, 3):
        cells = [cells_of_columns(counts, n_j)] * copies
        null = fit_beta_binomial(joined(cells))
        fit, _ = GroupedCells(cells, kappa=0.0).fit(null)
        np.testing.assert_allclose(fit.loglik, null.loglik, rtol=0, atol=1e-8)
        np.testing.assert_allclose(fit.mean, np.tile(null.mean, (copies, 1)).T, rtol=1e-6)
        np.testing.assert_allclose(fit.alpha_0, null.alpha_0, rtol=1e-5)
        assert (null.status == "converged").sum() >= 8


def test_the_order_of_the_groups_is_of_no_consequence():
    made = columns(7, 3, terms=20)
    cells = [cells_of_columns(*g) for g in made]
    fits = {}
    for order in ((0, 1, 2), (2, 0, 1), (1, 0, 2)):
        part = [cells[k] for k in order]
        fits[order], _ = GroupedCells(part, kappa=0.0).fit(fit_beta_binomial(joined(part)))
        np.testing.assert_allclose(fits[order].mean, fits[0, 1, 2].mean[:, order], rtol=1e-6)
        np.testing.assert_allclose(fits[order].alpha_0, fits[0, 1, 2].alpha_0, rtol=1e-5)
        np.testing.assert_allclose(fits[order].loglik, fits[0, 1, 2].loglik, rtol=1e-11)


def test_statistics_give_what_the_matrix_gives():
    rng = np.random.default_rng(12)
    X = rng.poisson(rng.gamma(0.4, 2.0, (80, 10)))
    X = np.vstack([X, X[:30], np.zeros((3, 10), int)])
    groups = (X[:50], X[50:])
    matrix = fitted(groups)
    patterns = fitted([TermStatistics.from_counts(g, detail="patterns") for g in groups])
    assert patterns[2].cells.size < matrix[2].cells.size
    for name in ("mean", "alpha_0", "loglik"):
        np.testing.assert_allclose(getattr(patterns[1], name), getattr(matrix[1], name), rtol=1e-9, err_msg=name)
    np.testing.assert_allclose(
        patterns[2].ratio_limits(patterns[3], 2.7), matrix[2].ratio_limits(matrix[3], 2.7), rtol=1e-4, atol=1e-6
    )


# ---- at the limits of the model


def test_boundary_terms_are_binomials_of_every_group():
    """One occurrence a document at most, in documents of one length: α_0 → ∞ is the supremum."""
    A = np.tile([1, 9], (6, 1))
    B = np.vstack([np.tile([1, 9], (2, 1)), np.tile([0, 10], (7, 1))])
    null, fit, _, _ = fitted([A, B])
    assert null.status.tolist() == ["boundary"] * 2
    assert np.isinf(fit.alpha_0).all()
    np.testing.assert_allclose(fit.mean, [[0.1, 2 / 90], [0.9, 88 / 90]])
    expected = binomial.log_likelihood([6, 54], 60) + binomial.log_likelihood([2, 88], 90)
    np.testing.assert_allclose(fit.loglik, expected, rtol=1e-13)


def test_a_boundary_null_with_bursty_groups_and_the_other_way_round():
    """One mean hides over-dispersion in neither group, two means explain away what one cannot."""
    A, B = np.tile([6, 14], (8, 1)), np.tile([1, 19], (8, 1))
    null, fit, _, _ = fitted([A, B])
    assert null.status[0] == "converged"
    assert np.isinf(fit.alpha_0[0])
    np.testing.assert_allclose(fit.mean[0], [0.3, 0.05])


def test_a_group_without_the_term_says_nothing_of_its_precision():
    A = np.array([[4, 6], [0, 12], [1, 30], [7, 9], [0, 5]])
    for B in (np.array([[0, 8], [0, 900]]), np.array([[0, 3]])):
        _, fit, _, _ = fitted([A, B])
        alone = fit_beta_binomial(A)
        assert fit.mean[0, 1] == 0
        assert fit.mean[1, 1] == 1  # the complement is all there is
        np.testing.assert_allclose(fit.loglik, alone.loglik, rtol=1e-12)
        np.testing.assert_allclose(fit.alpha_0, alone.alpha_0, rtol=1e-6)
        np.testing.assert_allclose(fit.mean[:, 0], alone.mean, rtol=1e-7)


def test_degenerate_terms_are_all_or_nothing_in_every_group():
    A = np.array([[4, 0], [0, 5], [3, 0], [7, 0]])
    B = np.array([[0, 6], [0, 2], [9, 0]])
    null, fit, _, _ = fitted([A, B])
    assert null.status.tolist() == ["degenerate"] * 2
    assert fit.alpha_0.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(fit.mean, [[3 / 4, 1 / 3], [1 / 4, 2 / 3]])
    np.testing.assert_allclose(fit.loglik, binomial.log_likelihood(3, 4) + binomial.log_likelihood(1, 3), rtol=1e-13)
    assert (fit.loglik > null.loglik).all()


def test_terms_that_never_occur_or_are_every_token():
    null, fit, grouped, raw = fitted([np.array([[3, 0, 0], [2, 0, 0]]), np.array([[4, 0, 0]])])
    assert null.status.tolist() == ["boundary", "empty", "empty"]
    np.testing.assert_array_equal(fit.mean, [[1, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(fit.loglik, 0)
    assert np.isinf(fit.alpha_0).all()
    np.testing.assert_array_equal(grouped.ratio_limits(raw, CHI2_95)[1:], [[-np.inf, np.inf]] * 2)


# ---- limits of the ratio of two means


def fall(groups, i, log_ratio, top, kappa=0.0):
    parts = [tallied(counts[:, i], n_j) for counts, n_j in groups]
    return 2 * (top - at_ratio(*parts, log_ratio, kappa))


@pytest.mark.slow
@pytest.mark.parametrize(("confidence", "kappa"), [(0.5, 0.0), (0.95, 0.0), (0.99, 0.0), (0.95, 0.5), (0.95, 1.0)])
def test_limits_are_where_the_profile_likelihood_has_fallen(confidence, kappa):
    """The likelihood maximised over precision and level at each limit is short of the best by χ²_1's quantile
    halved.
    """
    made = columns(21, 2, documents=25, terms=10)
    cells = [cells_of_columns(*g) for g in made]
    grouped = GroupedCells(cells, kappa)
    fit, raw = grouped.fit(fit_beta_binomial(joined(cells)))
    critical = stats.chi2.ppf(confidence, 1)
    found = grouped.ratio_limits(raw, critical)
    checked = 0
    for i in range(len(found)):
        for limit in found[i][np.isfinite(found[i])]:
            assert fall(made, i, limit, fit.loglik[i], kappa) == pytest.approx(critical, rel=5e-3)
            checked += 1
    assert checked >= 14


def test_limits_by_root_finding():
    """The same from the outside: the two roots of the fall, found by bisection from the estimate outwards."""
    A = np.array([[2, 58], [0, 40], [0, 90], [1, 33], [5, 60], [0, 20], [0, 71]])
    B = np.array([[0, 45], [1, 88], [0, 30], [0, 52], [0, 66], [2, 75], [0, 18], [0, 39], [0, 55]])
    found, fit, _ = limits([A, B])
    groups = [tallied(X[:, 0], X.sum(axis=1)) for X in (A, B)]
    critical, estimate = CHI2_95, np.log(fit.mean[0, 0] / fit.mean[0, 1])

    def excess(log_ratio):
        return 2 * (fit.loglik[0] - at_ratio(*groups, log_ratio)) - critical

    assert excess(estimate) < -critical + 1e-4
    assert found[0, 0] == pytest.approx(optimize.brentq(excess, estimate - 8, estimate, xtol=1e-4), abs=2e-3)
    assert found[0, 1] == pytest.approx(optimize.brentq(excess, estimate, estimate + 8, xtol=1e-4), abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.95, 0.999])
@pytest.mark.parametrize(
    ("A", "B"),
    [
        ([(1, 60)] + [(0, 60)] * 9, [(1, 60)] * 9 + [(0, 60)] * 81),  # once a document: the boundary
        ([(2, 15)] + [(0, 15)] * 30, [(1, 70)] * 60 + [(0, 70)] * 200),  # one burst against many single ones
        ([(3, 50)] + [(0, 50)] * 20, [(0, 50)] * 200),  # in one corpus alone
        ([(0, 50)] * 40, [(4, 80), (1, 20)] + [(0, 60)] * 30),  # and in the other
        ([(9, 30), (0, 20), (14, 25)], [(1, 40), (0, 30), (0, 35), (2, 20)]),  # hardly any documents
        ([(40, 60), (55, 70), (20, 30)], [(50, 90), (30, 80)]),  # a term that is most of the tokens
    ],
)
def test_limits_of_awkward_terms(A, B, confidence):
    groups = [(np.array([[c] for c, _ in X]), np.array([n for _, n in X])) for X in (A, B)]
    cells = [cells_of_columns(*g) for g in groups]
    grouped = GroupedCells(cells)
    fit, raw = grouped.fit(fit_beta_binomial(joined(cells)))
    low, high = grouped.ratio_limits(raw, stats.chi2.ppf(confidence, 1))[0]
    n_i = [g[0].sum() for g in groups]
    assert np.isfinite(low) == (n_i[0] > 0)
    assert np.isfinite(high) == (n_i[1] > 0)
    critical = stats.chi2.ppf(confidence, 1)
    for limit in (low, high):
        if np.isfinite(limit):
            assert fall(groups, 0, limit, fit.loglik[0], KAPPA) == pytest.approx(critical, rel=1e-2)
    with np.errstate(divide="ignore"):
        assert low <= np.log(fit.mean[0, 0]) - np.log(fit.mean[0, 1]) <= high


def test_limits_where_a_group_is_all_the_term_hold_the_estimate():
    found, fit, _ = limits([np.array([[5, 0], [3, 0]]), np.array([[2, 8], [1, 8], [4, 3], [0, 9]])])
    assert fit.mean[0, 0] == 1
    assert found[0, 0] <= -np.log(fit.mean[0, 1]) <= found[0, 1]
    assert found[1, 0] == -np.inf  # of the complement, which the first group lacks


def test_limits_of_a_degenerate_term_are_those_of_its_documents():
    """As α_0 → 0 a document is one draw: the limits are those of two binomials of documents."""
    A, B = np.array([[4, 0], [3, 0], [5, 0], [0, 2]] * 5), np.array([[4, 0], [0, 3], [0, 5], [0, 2]] * 5)
    found, fit, ratio = limits([A, B])
    critical = CHI2_95

    def excess(log_ratio):
        def negative(log_b):
            p = np.exp([log_b + log_ratio, log_b])
            return -(special.xlogy([15, 5], p) + special.xlogy([5, 15], 1 - p)).sum()

        best = optimize.minimize_scalar(negative, bounds=(-8, min(0, -log_ratio) - 1e-9), method="bounded")
        return 2 * (best.fun + fit.loglik[0]) - critical

    estimate = np.log(3.0)
    assert ratio[0] > critical
    assert found[0, 0] == pytest.approx(optimize.brentq(excess, 0.0, estimate), abs=5e-3)
    assert found[0, 1] == pytest.approx(optimize.brentq(excess, estimate, 6.0), abs=5e-3)


@pytest.fixture(scope="module")
def many_terms():
    """Terms of all sizes in two corpora of unequal size, planted twice as often in the first."""
    rng = np.random.default_rng(31)
    cells = []
    mean, alpha_0 = np.exp(rng.uniform(-9, -5, 1500)), np.exp(rng.uniform(1, 8, 1500))
    for documents, ratio in ((150, 2.0), (700, 1.0)):
        n_j = lengths_like_r8(rng, documents)
        cells.append(
            cells_of_columns(
                rng.binomial(n_j[:, None], rng.beta(*split(alpha_0, ratio * mean), (documents, 1500))), n_j
            )
        )
    null = fit_beta_binomial(joined(cells))
    grouped = GroupedCells(cells)
    fit, raw = grouped.fit(null)
    return grouped, raw, fit, null, (cells[0].n_i + cells[1].n_i) > 0


@pytest.mark.parametrize("confidence", [0.3, 0.8, 0.95, 0.99, 0.999])
def test_zero_lies_outside_exactly_where_the_likelihood_ratio_is_significant(many_terms, confidence):
    grouped, raw, fit, null, occurs = many_terms
    low, high = grouped.ratio_limits(raw, stats.chi2.ppf(confidence, 1))[occurs].T
    ratio = 2 * (fit.loglik - null.loglik)[occurs]
    critical = stats.chi2.ppf(confidence, 1)
    clear = np.abs(ratio - critical) > 2e-3 * critical
    outside = (low > 0) | (high < 0)
    assert 100 < outside.sum() < 1400
    np.testing.assert_array_equal(outside[clear], ratio[clear] > critical)


def test_limits_hold_the_estimate_and_widen_with_the_confidence(many_terms):
    grouped, raw, fit, _, occurs = many_terms
    with np.errstate(divide="ignore"):
        estimate = np.log(fit.mean[occurs, 0]) - np.log(fit.mean[occurs, 1])
    last_low, last_high = estimate, estimate
    for confidence in (0.1, 0.5, 0.9, 0.95, 0.99, 0.999):
        low, high = grouped.ratio_limits(raw, stats.chi2.ppf(confidence, 1))[occurs].T
        assert not np.isnan(low).any()
        assert not np.isnan(high).any()
        lacking = grouped.n_i[occurs] == 0
        np.testing.assert_array_equal(np.isinf(low), lacking[:, 0])
        np.testing.assert_array_equal(np.isinf(high), lacking[:, 1])
        assert ((low < last_low) | lacking[:, 0]).all()
        assert ((high > last_high) | lacking[:, 1]).all()
        last_low, last_high = low, high


def test_limits_mirror_when_the_groups_are_exchanged(many_terms):
    grouped, raw, _, null, occurs = many_terms
    there = grouped.ratio_limits(raw, CHI2_95)
    swapped = GroupedCells(grouped.groups[::-1])
    back = swapped.ratio_limits(swapped.fit(null)[1], CHI2_95)
    np.testing.assert_allclose(there[occurs], -back[occurs][:, ::-1], rtol=2e-3, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "alpha_0", "share", "ratio"),
    [(0.001, 30.0, 0.5, 1.0), (0.002, 100.0, 0.1, 1.5), (0.001, 300.0, 0.1, 0.7), (0.02, 100.0, 0.1, 2.0)],
)
def test_limits_cover_the_planted_ratio(mean, alpha_0, share, ratio):
    """2,000 beta-binomial terms on unequal lengths: 93–97 %, give or take three standard errors of the simulation."""
    rng = np.random.default_rng(int(1e6 * mean + alpha_0))
    documents, terms = 1000, 2000
    cells = []
    for size, factor in ((int(share * documents), ratio), (documents - int(share * documents), 1.0)):
        n_j = lengths_like_r8(rng, size)
        tied = split(alpha_0 * factor**-KAPPA, factor * mean)
        cells.append(cells_of_columns(rng.binomial(n_j[:, None], rng.beta(*tied, (size, terms))), n_j))
    grouped = GroupedCells(cells)
    _, raw = grouped.fit(fit_beta_binomial(joined(cells)))
    for confidence, tolerance in ((0.95, 0.02), (0.8, 0.03)):
        low, high = grouped.ratio_limits(raw, stats.chi2.ppf(confidence, 1)).T
        covered = np.mean((low <= np.log(ratio)) & (np.log(ratio) <= high))
        error = 3 * np.sqrt(confidence * (1 - confidence) / terms)
        assert abs(covered - confidence) < tolerance + error


# ---- each with a precision of its own


@pytest.mark.slow
def test_groups_fitted_apart_by_scipy():
    """2(ℓ_1 − ℓ_0) is two fits of one group each, against the best with one mean and two precisions; so are limits."""
    made = columns(31, 2, documents=40, terms=20)
    cells = [cells_of_columns(*g) for g in made]
    grouped = GroupedCells(cells)
    raw = grouped.fit(fit_beta_binomial(joined(cells)))[1]
    apart = grouped.fit_apart(8)
    ratio = grouped.apart_ratio(apart)
    np.testing.assert_array_equal(apart.own, np.min([g.b_i for g in cells], axis=0) >= 8)
    found = grouped.ratio_limits(raw, CHI2_95, apart=apart)
    assert apart.own.sum() >= 4

    def best(parts, log_ratio):
        def negative(x):
            log_b = min(0.0, -log_ratio) - np.exp(x[2])
            means = np.exp([log_b + log_ratio, log_b])
            return -sum(loglik(g, min(t, FLAT), m) for g, t, m in zip(parts, x[:2], means, strict=True))

        level = np.log(-np.log(sum(c @ t for c, _, t in parts) / sum(n @ t for _, n, t in parts)))
        options = {"fatol": 1e-9, "xatol": 1e-6, "maxiter": 4000}
        starts = [(3, 3), (6, 2), (2, 6), (8, 8)]
        return -min(optimize.minimize(negative, [*s, level], method="Nelder-Mead", options=options).fun for s in starts)

    for i in np.flatnonzero(apart.own):
        parts = [tallied(counts[:, i], n_j) for counts, n_j in made]
        alone = [by_scipy([part]) for part in parts]
        np.testing.assert_allclose(apart.mean[i], [means[0] for _, _, means in alone], rtol=2e-3)
        top = sum(value for value, _, _ in alone)
        assert ratio[i] == pytest.approx(2 * (top - best(parts, 0.0)), abs=2e-4 * (1 + ratio[i]))
        for limit in found[i]:
            assert 2 * (top - best(parts, limit)) == pytest.approx(CHI2_95, rel=5e-3)
