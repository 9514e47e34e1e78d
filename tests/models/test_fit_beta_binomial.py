"""Exact beta-binomial fits: against R's VGAM, mpmath, dense grids, SciPy's optimisers, and simulated truth."""

import mpmath
import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, special

import termburst as tb
from termburst import TermStatistics, fit_beta_binomial
from termburst.core import beta_binomial as core
from termburst.datasets import load_published_fits
from termburst.models import beta_binomial, beta_binomial_log_likelihood
from termburst.models.cells import term_cells
from termburst.models.length_table import LengthTable
from termburst.models.penalties import named_penalty
from termburst.statistics.matrix import tally

PENALTIES = ("gamma", "log-normal", "inverse-gamma")
NUMBERS = ("mean", "alpha", "alpha_not", "alpha_0", "loglik", "loglik_binomial")


def cells_of(X, i):
    """The distinct (count, length) of a term in the non-empty documents, and how many documents have each."""
    X = X if sp.issparse(X) else sp.csc_array(np.asarray(X))
    n_j = np.asarray(X.sum(axis=1)).ravel()
    n_ij = X[:, [i]].toarray().ravel()
    (count, length), documents = tally([n_ij[n_j > 0].astype(np.int64), n_j[n_j > 0].astype(np.int64)])
    return count, length, documents


def exact_loglik(cells, alpha, alpha_not):
    """ℓ(α, α_¬) from the log-pmf less its coefficients; parameters broadcast."""
    count, length, documents = cells
    coefficients = special.gammaln(length + 1) - special.gammaln(length - count + 1) - special.gammaln(count + 1)
    alpha, alpha_not = np.asarray(alpha)[..., None], np.asarray(alpha_not)[..., None]
    return ((beta_binomial.log_pmf(count, length, alpha, alpha_not) - coefficients) * documents).sum(axis=-1)


def at(tau, omega):
    return np.exp(tau) * special.expit(omega), np.exp(tau) * special.expit(-omega)


def simulated(seed, alpha, alpha_not, documents=200, longest=300):
    rng = np.random.default_rng(seed)
    n_j = rng.integers(1, longest, documents)
    n_ij = rng.binomial(n_j, rng.beta(alpha, alpha_not, n_j.shape))
    return np.column_stack([n_ij, n_j - n_ij])


def same(first, second, rtol=1e-9, only=None, atol=1e-9):
    for name in only or NUMBERS:
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), rtol=rtol, atol=atol, err_msg=name)
    assert first.status.tolist() == second.status.tolist()


# ---- the Fig. 4 collection: 72,916 terms of 20 Newsgroups


@pytest.fixture(scope="module")
def fig4_fit(fig4):
    return fit_beta_binomial(fig4[0])


@pytest.fixture(scope="module")
def published_loglik(fig4):
    X, terms = fig4
    published = load_published_fits("20newsgroups")
    assert published.terms == terms.tolist()
    return beta_binomial_log_likelihood(X, published.alpha, published.alpha_not)


def test_fig_4_terms_of_the_paper(fig4, fig4_fit):
    terms = fig4[1].tolist()
    assert len(terms) == 72_916
    for term, alpha, alpha_not in (
        ("ambulance", "0.007454", "1126.1"),
        ("baby", "0.020094", "768.64"),
        ("the", "5.2438", "93.823"),
        ("for", "3.1575", "289.00"),
    ):
        i = terms.index(term)
        assert fig4_fit.status[i] == "converged"
        for printed, value in ((alpha, fig4_fit.alpha[i]), (alpha_not, fig4_fit.alpha_not[i])):
            assert f"{value:.{len(printed.partition('.')[2])}f}" == printed
    assert f"{fig4_fit.loglik[terms.index('ambulance')]:.3f}" == "-239.799"


def test_fig_4_terms_that_mislead_a_single_newton_run(fig4, fig4_fit):
    terms = fig4[1].tolist()
    shrink, slack, deported = map(terms.index, ("shrink", "slack", "deported"))
    assert fig4_fit.status[shrink] == "converged"  # though Tarone's score is below 0
    assert fig4_fit.loglik[shrink] - fig4_fit.loglik_binomial[shrink] == pytest.approx(1.13, abs=0.005)
    assert fig4_fit.status[slack] == "boundary"  # though there is a local maximum inside
    assert fig4_fit.loglik[slack] == fig4_fit.loglik_binomial[slack]
    assert fig4_fit.status[deported] == "converged"
    assert fig4_fit.alpha_0[deported] > 1e8


def test_fig_4_vgam_agrees_where_it_converged(fig4, fig4_fit):
    terms, vgam = fig4[1].tolist(), load_published_fits("vgam")
    i = [terms.index(term) for term in vgam.terms]
    converged = np.array([status == "converged" for status in vgam.status])
    assert converged.sum() == 20
    rows = np.array(i)[converged]
    np.testing.assert_allclose(fig4_fit.loglik[rows], vgam.loglik[converged], rtol=1e-6)
    # VGAM stops when the likelihood does, some way short in a flat direction
    np.testing.assert_allclose(fig4_fit.alpha[rows], vgam.alpha[converged], rtol=1e-4)
    np.testing.assert_allclose(fig4_fit.alpha_not[rows], vgam.alpha_not[converged], rtol=2e-4)


def test_fig_4_no_fit_is_below_the_published_one_or_the_binomial(fig4_fit, published_loglik):
    better = fig4_fit.loglik - published_loglik
    assert better.min() > 0
    assert (fig4_fit.loglik >= fig4_fit.loglik_binomial).all()
    shares = [np.mean(better > 0.01), np.mean(better > 1), np.mean(fig4_fit.loglik_binomial > published_loglik)]
    assert [f"{share:.3f}" for share in shares] == ["0.971", "0.636", "0.616"]


def test_fig_4_shares_of_erratum_3(fig4_fit):
    inside = fig4_fit.status == "converged"
    assert set(fig4_fit.status) <= {"converged", "boundary", "degenerate", "empty"}
    small = inside & (fig4_fit.alpha < 0.1)
    assert f"{np.mean(fig4_fit.status == 'boundary'):.3f}" == "0.314"
    assert f"{np.mean(small):.3f}" == "0.657"
    assert f"{small.sum() / inside.sum():.3f}" == "0.958"
    assert f"{np.mean(fig4_fit.alpha_not > 10):.3f}" == "0.995"


def test_fig_4_every_interior_fit_is_stationary_by_its_own_account(fig4_fit):
    inside = fig4_fit.status == "converged"
    assert inside.sum() > 45_000
    assert fig4_fit.score_norm[inside].max() < 1e-8
    assert np.abs(fig4_fit.newton_step[inside]).max() < 1e-6
    errors = np.stack([fig4_fit.standard_error_alpha, fig4_fit.standard_error_alpha_not])
    assert (errors[:, inside] > 0).all()
    assert np.isnan(errors[:, ~inside]).all()


def exact_newton(cells, alpha, alpha_not):
    """The scaled score in (log α, log α_¬) and the Newton step in τ = log α_0, in mpmath from the definition."""
    with mpmath.workdps(40):
        a, b = mpmath.mpf(float(alpha)), mpmath.mpf(float(alpha_not))
        s_a = s_b = h_aa = h_ab = h_bb = mpmath.mpf(0)
        psi = {(k, x): mpmath.polygamma(k, x) for k in (0, 1) for x in (a, b, a + b)}
        for count, length, documents in zip(*(column.tolist() for column in cells), strict=True):
            own, other, whole = (
                [mpmath.polygamma(k, x + n) - psi[k, x] if n else 0 for k in (0, 1)]
                for x, n in ((a, count), (b, length - count), (a + b, length))
            )
            s_a, s_b = s_a + documents * (own[0] - whole[0]), s_b + documents * (other[0] - whole[0])
            h_aa, h_bb = h_aa + documents * (own[1] - whole[1]), h_bb + documents * (other[1] - whole[1])
            h_ab -= documents * whole[1]
        gradient = mpmath.matrix([a * s_a, b * s_b])
        hessian = mpmath.matrix([[a * a * h_aa + a * s_a, a * b * h_ab], [a * b * h_ab, b * b * h_bb + b * s_b]])
        step = mpmath.lu_solve(hessian, -gradient)
        n_i = int(cells[0] @ cells[2])
        return float(mpmath.norm(gradient) / n_i), float((a * step[0] + b * step[1]) / (a + b))


def test_fig_4_interior_fits_are_stationary_in_forty_digits(fig4, fig4_fit):
    X, terms = fig4[0].tocsc(), fig4[1].tolist()
    inside = np.flatnonzero(fig4_fit.status == "converged")
    chosen = np.append(np.random.default_rng(1).choice(inside, 10, replace=False), terms.index("deported"))
    for i in chosen:
        score, step = exact_newton(cells_of(X, i), fig4_fit.alpha[i], fig4_fit.alpha_not[i])
        assert score < 1e-8, terms[i]
        assert abs(step) < 1e-6, terms[i]  # the score alone vanishes as α_0 grows


def test_fig_4_boundary_terms_have_no_better_interior(fig4, fig4_fit):
    X, terms = fig4[0].tocsc(), fig4[1].tolist()
    chosen = np.random.default_rng(2).choice(np.flatnonzero(fig4_fit.status == "boundary"), 10, replace=False)
    for i in chosen:
        cells, centre = cells_of(X, i), float(special.logit(fig4_fit.mean[i]))
        for tau in np.log(np.geomspace(1e-3, 1e9, 25)):
            best = optimize.minimize_scalar(
                lambda omega, tau=tau, cells=cells: -exact_loglik(cells, *at(tau, omega)),
                bounds=(centre - 4, centre + 4), method="bounded", options={"xatol": 1e-4},
            )  # fmt: skip
            assert -best.fun <= fig4_fit.loglik_binomial[i] + 1e-9, terms[i]


def test_fig_4_log_likelihood_at_given_parameters_equals_sums_of_log_gammas(fig4, published_loglik):
    X, published = fig4[0].tocsc(), load_published_fits("20newsgroups")
    frequent = np.argsort(-np.asarray(X.sum(axis=0)).ravel())[:3]  # many repeated counts
    for i in np.append(np.random.default_rng(3).choice(X.shape[1], 25, replace=False), frequent):
        count, length, documents = cells_of(X, i)
        a, b = published.alpha[i], published.alpha_not[i]
        lg = special.gammaln
        own, other = lg(count + a) - lg(a), lg(length - count + b) - lg(b)
        whole = lg(length + a + b) - lg(a + b)
        value = ((own + other - whole) * documents).sum()
        # log Γ(α_0) ≈ 1e4 cancels against log Γ(α_¬) alike in each of 11,003 documents, and 1e-12 of it is rounding
        np.testing.assert_allclose(published_loglik[i], value, rtol=1e-9, atol=1e-6)


# ---- small collections: everything against everything

COUNTS = st.tuples(st.integers(1, 8), st.integers(2, 3)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.sampled_from([0, 0, 1, 2, 7, 30]))
)
TAU, OMEGA = np.meshgrid(np.linspace(-20, 24, 133), np.linspace(-9, 9, 55), indexing="ij")


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(COUNTS)
def test_no_point_of_a_dense_grid_is_above_the_fit(X):
    fit = fit_beta_binomial(X)
    assert "failed" not in fit.status
    # the sum of at most eight log-probabilities of at most a few hundred is exact to 1e-12
    assert (fit.loglik >= fit.loglik_binomial).all()
    for i in np.flatnonzero(fit.status != "empty"):
        assert exact_loglik(cells_of(X, i), *at(TAU, OMEGA)).max() <= fit.loglik[i] + 1e-7


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(COUNTS)
def test_the_numerical_gradient_vanishes_at_an_interior_fit(X):
    fit = fit_beta_binomial(X)
    for i in np.flatnonzero(fit.status == "converged"):
        cells = cells_of(X, i)
        assert exact_loglik(cells, fit.alpha[i], fit.alpha_not[i]) == pytest.approx(fit.loglik[i], abs=1e-10)
        h = 1e-3 * np.array([-2, -1, 1, 2])
        weights = np.array([1, -8, 8, -1]) / 12e-3  # errs by h⁴/30 times a fifth derivative, some n_i: 1e-12 n_i
        on_alpha = exact_loglik(cells, fit.alpha[i] * np.exp(h), fit.alpha_not[i]) @ weights
        on_alpha_not = exact_loglik(cells, fit.alpha[i], fit.alpha_not[i] * np.exp(h)) @ weights
        n_i = X[:, i].sum()
        assert np.hypot(on_alpha, on_alpha_not) < 1e-8 * n_i + 1e-9  # that, and rounding of ℓ ≈ 500 over h
        assert fit.score_norm[i] < 1e-8


@pytest.mark.slow
def test_a_bracket_next_to_the_maximum_does_not_stop_the_climb_beside_it():
    # A scan point 1.6e-4 from the root has a slope of the wrong sign if ω is only near its best: bisection towards it
    # is no convergence.
    X = [[2, 30], [30, 30], [30, 30], [30, 30]]
    fit = fit_beta_binomial(X)
    score, step = exact_newton(cells_of(X, 0), fit.alpha[0], fit.alpha_not[0])
    assert score < 1e-8
    assert abs(step) < 1e-6
    rng = np.random.default_rng(0)
    for _ in range(150):
        fit = fit_beta_binomial(rng.choice([0, 0, 1, 2, 7, 30], size=(rng.integers(3, 30), 20)))
        assert "failed" not in fit.status
        assert fit.score_norm.max() < 1e-8


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(COUNTS, st.integers(2, 5), st.randoms(use_true_random=False))
def test_a_fit_depends_on_the_documents_alone(X, k, random):
    fit = fit_beta_binomial(X)
    # A flat likelihood leaves α_0 known less well than ℓ: the last Newton step, 1e-9, is what two runs may differ by.
    same(fit, fit_beta_binomial(TermStatistics.from_counts(X, detail="patterns")))
    order = list(range(len(X)))
    random.shuffle(order)
    same(fit, fit_beta_binomial(X[order]), rtol=1e-9)
    same(fit, fit_beta_binomial(np.vstack([np.zeros((3, X.shape[1]), dtype=int), X])))
    repeated = fit_beta_binomial(np.tile(X, (k, 1)))
    # another path: each run may stop a step of 1e-9 in log α_0 and in logit p short
    same(fit, repeated, rtol=5e-9, only=("mean", "alpha", "alpha_not", "alpha_0"))
    np.testing.assert_allclose(repeated.loglik, k * fit.loglik, rtol=1e-12, atol=1e-12)
    inside = fit.status == "converged"
    ratio = fit.standard_error_alpha[inside] / repeated.standard_error_alpha[inside]
    np.testing.assert_allclose(ratio, np.sqrt(k), rtol=1e-6)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(COUNTS)
def test_patterns_and_counts_give_the_log_likelihood_alike(X):
    statistics = TermStatistics.from_counts(X, detail="patterns")
    for alpha, alpha_not in ((0.3, 4.0), (1e-5, 1e-3), (2e6, 1e9)):
        value = beta_binomial_log_likelihood(X, alpha, alpha_not)
        np.testing.assert_allclose(beta_binomial_log_likelihood(statistics, alpha, alpha_not), value, rtol=1e-13)
        expected = [exact_loglik(cells_of(X, i), alpha, alpha_not) for i in range(X.shape[1])]
        np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-11)


def test_two_complementary_terms_mirror_each_other():
    fit = fit_beta_binomial(simulated(4, 0.8, 3.0))
    assert fit.alpha[0] == pytest.approx(fit.alpha_not[1], rel=1e-9)
    assert fit.alpha_not[0] == pytest.approx(fit.alpha[1], rel=1e-9)
    assert fit.standard_error_alpha[0] == pytest.approx(fit.standard_error_alpha_not[1], rel=1e-7)
    assert fit.loglik[0] == pytest.approx(fit.loglik[1], rel=1e-13)


# ---- simulations


@pytest.mark.slow
def test_planted_parameters_are_covered_by_their_intervals():
    alpha, alpha_not, collections = 0.4, 30.0, 300
    inside_alpha = inside_alpha_not = 0
    for seed in range(collections):
        fit = fit_beta_binomial(simulated([5, seed], alpha, alpha_not, documents=250, longest=150))
        assert fit.status[0] == "converged"
        error = fit.standard_error_alpha[0] / fit.alpha[0], fit.standard_error_alpha_not[0] / fit.alpha_not[0]
        inside_alpha += abs(np.log(fit.alpha[0] / alpha)) < 1.96 * error[0]
        inside_alpha_not += abs(np.log(fit.alpha_not[0] / alpha_not)) < 1.96 * error[1]
    # 95 % of 300 has a standard deviation of 1.26 %: 3.5 of those either way, and 0.5 % for Wald's own error
    assert 0.90 < inside_alpha / collections < 0.999
    assert 0.90 < inside_alpha_not / collections < 0.999


def test_many_documents_give_the_planted_parameters_back():
    for alpha, alpha_not in ((0.05, 40.0), (2.0, 5.0), (0.01, 0.02)):
        fit = fit_beta_binomial(simulated(6, alpha, alpha_not, documents=60_000))
        assert abs(fit.alpha[0] - alpha) < 4 * fit.standard_error_alpha[0] < 0.2 * alpha
        assert abs(fit.alpha_not[0] - alpha_not) < 4 * fit.standard_error_alpha_not[0] < 0.2 * alpha_not


@pytest.mark.parametrize(("alpha", "alpha_not"), [(0.05, 40.0), (2.0, 5.0), (0.3, 200.0)])
def test_standard_errors_are_those_of_a_numerical_hessian(alpha, alpha_not):
    X = simulated(7, alpha, alpha_not, documents=400)
    fit, cells = fit_beta_binomial(X), cells_of(X, 0)
    assert fit.status[0] == "converged"

    def value(s, t):
        return exact_loglik(cells, fit.alpha[0] * np.exp(s), fit.alpha_not[0] * np.exp(t))

    h = 1e-3  # errs by h²/12 relative, and by rounding 1e-12/h² of some hundreds
    aa = (value(h, 0) - 2 * value(0, 0) + value(-h, 0)) / h**2
    bb = (value(0, h) - 2 * value(0, 0) + value(0, -h)) / h**2
    ab = (value(h, h) - value(h, -h) - value(-h, h) + value(-h, -h)) / (4 * h**2)
    covariance = np.linalg.inv(-np.array([[aa, ab], [ab, bb]]))
    errors = fit.standard_error_alpha[0] / fit.alpha[0], fit.standard_error_alpha_not[0] / fit.alpha_not[0]
    np.testing.assert_allclose(errors, np.sqrt(np.diag(covariance)), rtol=1e-4)


# ---- the kernel

POINTS = [(0.0, -3.0), (2.5, -1.0), (4.0, -6.0), (6.0, 2.0), (-3.0, 0.4), (-12.0, -2.0), (9.0, -12.0), (20.7, -4.0)]
NO_PENALTY = np.zeros(4)


def kernels(X):
    """The first column's cells and the lengths, as kernels take them; n_i, n and Σ_k C_k k."""
    cells = term_cells(X)
    table = LengthTable.of(cells.lengths, cells.length_documents)
    return (cells.for_kernels(), table.for_kernels()), float(cells.n_i[0]), float(table.tokens)


def derivatives(of, tau, omega, penalty=NO_PENALTY):
    found = core.derivatives(*of, np.array([0]), np.array([tau]), np.array([omega]), penalty)
    return np.array(found[0].tolist())[:5]  # the sixth is the size of the sums


def gain(of, tau, omega):
    return core.gains(*of, np.array([0]), np.array([tau]), np.array([omega]))[0]


def exact_derivatives(cells, tau, omega):
    """(∂τ, ∂ω, ∂ττ, ∂τω, ∂ωω) in mpmath: sums of 1/(a + q), carried over to (τ, ω)."""
    with mpmath.workdps(60):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(omega)))
        alpha_0 = mpmath.exp(mpmath.mpf(tau))
        a, b = alpha_0 * p, alpha_0 * (1 - p)
        s_a = s_b = h_aa = h_ab = h_bb = mpmath.mpf(0)
        for count, length, documents in zip(*(column.tolist() for column in cells), strict=True):
            own, other, whole = (
                [mpmath.polygamma(k, x + n) - mpmath.polygamma(k, x) for k in (0, 1)]
                for x, n in ((a, count), (b, length - count), (a + b, length))
            )
            s_a, s_b = s_a + documents * (own[0] - whole[0]), s_b + documents * (other[0] - whole[0])
            h_aa, h_bb = h_aa + documents * (own[1] - whole[1]), h_bb + documents * (other[1] - whole[1])
            h_ab -= documents * whole[1]
        return [float(x) for x in carried_over(a, b, p, s_a, s_b, h_aa, h_ab, h_bb)]


def carried_over(a, b, p, s_a, s_b, h_aa, h_ab, h_bb):
    c = a * b / (a + b)  # ∂α/∂ω = −∂α_¬/∂ω
    g_tau, g_omega = a * s_a + b * s_b, c * (s_a - s_b)
    return (
        g_tau,
        g_omega,
        a * a * h_aa + 2 * a * b * h_ab + b * b * h_bb + g_tau,
        a * c * (h_aa - h_ab) + b * c * (h_ab - h_bb) + g_omega,
        c * c * (h_aa - 2 * h_ab + h_bb) + c * (1 - 2 * p) * (s_a - s_b),
    )


def test_the_kernel_derivatives_equal_exact_sums():
    for tau, omega in POINTS:
        X = simulated(8, 0.3, 5.0, documents=40, longest=120)
        of, n_i, n = kernels(X)
        ours = derivatives(of, tau, omega)
        # The sums behind each number are of the size of n_i and of p n, and none is lost but to their rounding.
        scale = n_i + special.expit(omega) * n
        exact = exact_derivatives(cells_of(X, 0), tau, omega)
        np.testing.assert_allclose(ours, exact, rtol=1e-11, atol=1e-13 * scale)
        if tau > 20:  # α_0 = 1e9: ∂τ and its derivatives fall with 1/α_0, and must keep their own digits
            np.testing.assert_allclose(ours, exact, rtol=1e-7)


def test_the_kernel_gain_is_the_difference_of_log_likelihoods():
    for tau, omega in POINTS:
        X = simulated(8, 0.3, 5.0, documents=40, longest=120)
        of, n_i, n = kernels(X)
        binomial = n_i * np.log(n_i / n) + (n - n_i) * np.log1p(-n_i / n)
        expected = exact_loglik(cells_of(X, 0), *at(tau, omega)) - binomial
        size = abs(expected) + abs(binomial)
        assert gain(of, tau, omega) == pytest.approx(expected, abs=1e-12 * size)


def test_a_mean_far_from_the_observed_share_costs_no_digits():
    for tiny in [1e-4, 1e-8, 1e-12, 1e-16]:
        X = [[600, 400], [30, 500], [0, 300]]
        for alpha, alpha_not in ((tiny, 1.0), (1.0, tiny)):
            expected = exact_loglik(cells_of(X, 0), alpha, alpha_not)
            assert beta_binomial_log_likelihood(X, alpha, alpha_not)[0] == pytest.approx(expected, rel=1e-11)


def test_gain_of_terms_that_are_nothing_or_everything():
    of, _, _ = kernels([[0, 3], [0, 3], [0, 8]])
    for tau, omega in POINTS[:5]:
        alpha, alpha_not = at(tau, omega)
        never = gain(of, tau, omega)
        cells = np.array([0, 0]), np.array([3, 8]), np.array([2, 1])
        assert never == pytest.approx(exact_loglik(cells, alpha, alpha_not), rel=1e-12)
    X = [[3, 0], [3, 0], [8, 0]]
    always = beta_binomial_log_likelihood(X, 0.7, 2.0)
    cells = np.array([3, 8]), np.array([3, 8]), np.array([2, 1])
    np.testing.assert_allclose(always, [exact_loglik(cells, 0.7, 2.0), exact_loglik(cells, 2.0, 0.7)], rtol=1e-12)


SMALL = [[4, 26, 0, 0], [0, 31, 0, 2], [0, 28, 9, 0], [1, 24, 0, 0], [0, 30, 0, 0], [5, 15, 0, 1], [1, 0, 0, 0]]


# ---- edge cases


def test_empty_documents_count_for_nothing():
    X = np.array(SMALL)
    same(fit_beta_binomial(np.vstack([X, np.zeros_like(X)])), fit_beta_binomial(X), rtol=1e-13)


def test_a_document_made_only_of_the_term_is_fitted():
    X = [[6, 0], [0, 40], [1, 30], [0, 25]]
    fit = fit_beta_binomial(X)
    assert fit.status.tolist() == ["converged"] * 2
    assert exact_loglik(cells_of(X, 0), *at(TAU, OMEGA)).max() <= fit.loglik[0] + 1e-9


def test_a_term_in_every_document_of_equal_length():
    X = np.array([[9, 11], [3, 17], [1, 19], [15, 5], [2, 18]])
    fit = fit_beta_binomial(X)
    best = optimize.minimize(
        lambda v: -exact_loglik(cells_of(X, 0), *np.exp(v)),
        [0.0, 1.0],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13},
    )
    np.testing.assert_allclose([fit.alpha[0], fit.alpha_not[0]], np.exp(best.x), rtol=1e-6)
    assert fit.loglik[0] == pytest.approx(-best.fun, abs=1e-11)


@pytest.mark.parametrize("X", [[[3, 7]], [[1, 0], [0, 1], [0, 1]], [[2, 8], [2, 8], [2, 8]]])
def test_a_single_document_single_tokens_and_even_shares_are_binomial(X):
    fit = fit_beta_binomial(X)
    n_i, n = np.sum(X, axis=0), np.sum(X)
    assert fit.status.tolist() == ["boundary"] * 2
    assert np.isinf([fit.alpha, fit.alpha_not, fit.alpha_0]).all()
    np.testing.assert_allclose(fit.mean, n_i / n, rtol=1e-15)
    np.testing.assert_array_equal(fit.loglik, fit.loglik_binomial)
    np.testing.assert_allclose(fit.loglik_binomial, n_i * np.log(n_i / n) + (n - n_i) * np.log1p(-n_i / n), rtol=1e-14)
    assert (fit.score_norm == 0).all()
    assert (fit.newton_step == 0).all()
    assert np.isnan(fit.standard_error_alpha).all()


def test_all_or_nothing_documents_are_degenerate():
    fit = fit_beta_binomial([[6, 0], [0, 9], [0, 4], [3, 0], [0, 5], [0, 0]])
    assert fit.status.tolist() == ["degenerate"] * 2
    assert (fit.alpha == 0).all()
    assert (fit.alpha_not == 0).all()
    np.testing.assert_allclose(fit.mean, [0.4, 0.6], rtol=1e-15)
    limit = 2 * np.log(0.4) + 3 * np.log(0.6)
    np.testing.assert_allclose(fit.loglik, limit, rtol=1e-14)
    # next to the limit the log-likelihood is below it by a multiple of α_0
    near = beta_binomial_log_likelihood([[6, 0], [0, 9], [0, 4], [3, 0], [0, 5]], 0.4e-9, 0.6e-9)
    assert limit - 1e-7 < near[0] < limit


def test_a_term_that_is_every_token_is_binomial_and_sure():
    fit = fit_beta_binomial([[4, 0], [9, 0], [1, 0]])
    assert fit.status[1] == "empty"
    assert fit.status[0] == "boundary"
    assert fit.mean[0] == 1
    assert fit.loglik[0] == 0


def test_a_term_that_never_occurs_has_no_parameters():
    fit = fit_beta_binomial([[0, 3, 1], [0, 1, 4]])
    assert fit.status[0] == "empty"
    assert np.isnan([fit.alpha[0], fit.alpha_not[0], fit.alpha_0[0], fit.standard_error_alpha[0]]).all()
    assert (fit.loglik[0], fit.loglik_binomial[0], fit.mean[0], fit.iterations[0]) == (0, 0, 0, 0)


def test_all_documents_empty_is_all_terms_empty():
    fit = fit_beta_binomial([[0, 0], [0, 0]])
    assert fit.status.tolist() == ["empty"] * 2
    assert fit.loglik.tolist() == [0, 0]


@pytest.mark.slow
def test_a_million_occurrences_in_a_document_of_ten_million():
    X = np.array([[1_000_000, 9_000_000], [0, 5000], [3, 200], [0, 40], [700, 90_000]])
    fit, cells = fit_beta_binomial(X), cells_of(X, 0)
    assert fit.status.tolist() == ["converged"] * 2
    assert np.isfinite([fit.alpha, fit.alpha_not, fit.loglik, fit.standard_error_alpha]).all()
    score, step = exact_newton(cells, fit.alpha[0], fit.alpha_not[0])
    assert score < 1e-8
    assert abs(step) < 1e-6
    # ℓ ≈ −3e6 is a difference of numbers as large
    assert fit.loglik[0] == pytest.approx(exact_loglik(cells, fit.alpha[0], fit.alpha_not[0]), rel=1e-12)
    best = optimize.minimize(
        lambda v: -exact_loglik(cells, *np.exp(v)) - fit.loglik[0],
        [-1.0, 1.0],
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-10},
    )
    np.testing.assert_allclose([fit.alpha[0], fit.alpha_not[0]], np.exp(best.x), rtol=1e-3)


def test_any_form_of_counts_serves():
    for form in ["int8", "uint16", "float64", sp.csr_array, sp.csc_matrix, sp.coo_array, list]:
        X = np.array(SMALL)
        same(
            fit_beta_binomial(X.astype(form) if isinstance(form, str) else form(X)),
            fit_beta_binomial(X),
            rtol=1e-13,
            atol=0,
        )


def test_what_cannot_be_fitted_is_refused_with_a_sentence():
    for detail in ("moments", "frequencies"):
        statistics = TermStatistics.from_counts(SMALL, detail=detail)
        for call in (fit_beta_binomial, lambda s: beta_binomial_log_likelihood(s, 1.0, 2.0)):
            with pytest.raises(ValueError, match="patterns"):
                call(statistics)
    for shape in ((0, 3), (3, 0)):
        with pytest.raises(ValueError, match=f"{shape[0]} × {shape[1]}"):
            fit_beta_binomial(np.zeros(shape))
    with pytest.raises(ValueError, match="all documents are empty"):
        fit_beta_binomial([[0, 0]], penalty="gamma")
    with pytest.raises(ValueError, match="penalty must be one of"):
        fit_beta_binomial(SMALL, penalty="cauchy")
    with pytest.raises(ValueError, match="sigma2"):
        fit_beta_binomial(SMALL, penalty="gamma", sigma2=-1.0)
    for bad in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="finite and above 0"):
            beta_binomial_log_likelihood(SMALL, bad, 1.0)
        with pytest.raises(ValueError, match="finite and above 0"):
            beta_binomial_log_likelihood(SMALL, 1.0, [1.0, bad, 1.0, 1.0])


def test_terms_that_occur_once_are_fitted_as_if_alone():
    rng = np.random.default_rng(11)
    X = rng.multinomial(1, np.full(60, 1 / 60), size=25) + np.pad(rng.integers(0, 40, (25, 1)), ((0, 0), (0, 59)))
    fit = fit_beta_binomial(X)
    once = np.flatnonzero(X.sum(axis=0) == 1)
    assert once.size > 5
    for i in once:
        alone = fit_beta_binomial(np.column_stack([X[:, i], X.sum(axis=1) - X[:, i]]))
        for name in NUMBERS:
            np.testing.assert_allclose(getattr(fit, name)[i], getattr(alone, name)[0], rtol=1e-12, err_msg=name)
        assert fit.status[i] == alone.status[0]


# ---- penalised fits


@pytest.mark.slow
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(("mu", "sigma2"), [(None, 1.0), (75.0, 400.0), (20.0, 5e3)])
def test_a_penalised_fit_is_the_penalised_maximum(fig3, penalty, mu, sigma2):
    fit = fit_beta_binomial(fig3, penalty=penalty, mu=mu, sigma2=sigma2)
    n_i = fig3.sum(axis=0)
    assert set(fit.status[n_i > 0]) == {"converged"}
    assert set(fit.status[n_i == 0]) == {"empty"}
    density = named_penalty(penalty, fig3.sum() / 100 if mu is None else mu, sigma2)
    occurring = np.flatnonzero(n_i)
    for i in np.append(np.random.default_rng(12).choice(occurring, 2, replace=False), np.argmax(n_i)):
        cells = cells_of(fig3, i)

        def objective(v, cells=cells):
            return -float(exact_loglik(cells, *at(*v)) + density.log_density(np.exp(v[0])))

        ours = np.log(fit.alpha_0[i]), special.logit(fit.mean[i])
        # Starts around the fit and away from it, so that a better maximum elsewhere would be found.
        best = min(
            (
                optimize.minimize(
                    objective, [start, ours[1]], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-13}
                )
                for start in (ours[0] + 0.3, np.log(density.mu) - 2)
            ),
            key=lambda result: result.fun,
        )
        assert objective(ours) <= best.fun + 1e-9
        assert fit.alpha_0[i] == pytest.approx(np.exp(best.x[0]), rel=1e-5)
        assert fit.loglik[i] == pytest.approx(exact_loglik(cells, fit.alpha[i], fit.alpha_not[i]), rel=1e-12)


def test_a_strong_penalty_holds_the_precision_at_its_mean(fig3):
    for sigma2 in [1e-2, 1e-4, 1e-6, 1e-8]:
        for penalty in PENALTIES:
            fit = fit_beta_binomial(fig3, penalty=penalty, mu=60.0, sigma2=sigma2)
            occurring = fig3.sum(axis=0) > 0
            assert (fit.status[occurring] == "converged").all()
            # the likelihood pulls log α_0 with some ten against η² = 3600/σ², and the last step is below 1e-9
            np.testing.assert_allclose(fit.alpha_0[occurring], 60.0, rtol=0.01 * sigma2 + 2e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_penalised_fit_from_patterns_or_with_empty_documents_is_the_same(penalty):
    X = np.array(SMALL)
    fit = fit_beta_binomial(X, penalty=penalty, sigma2=50.0)
    same(fit, fit_beta_binomial(TermStatistics.from_counts(X, detail="patterns"), penalty=penalty, sigma2=50.0))
    assert (fit.status == "converged").all()  # the penalty has neither a boundary nor a degenerate term
    mean_length = X.sum() / len(X)
    same(fit, fit_beta_binomial(X, penalty=penalty, mu=mean_length, sigma2=50.0))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_penalised_kernel_derivatives_include_the_penalty(penalty):
    X = simulated(8, 0.3, 5.0, documents=40, longest=120)
    of, _, _ = kernels(X)
    density = named_penalty(penalty, 20.0, 30.0)
    for tau in (0.5, 3.0, 4.5):
        plain = derivatives(of, tau, -2.0)
        penalised = derivatives(of, tau, -2.0, np.array(density.log_coefficients))
        h = 1e-3 * np.arange(-2, 3)
        values = density.log_density(np.exp(tau + h))
        first = values @ np.array([1, -8, 0, 8, -1]) / 12e-3
        second = values @ np.array([-1, 16, -30, 16, -1]) / 12e-6
        np.testing.assert_allclose(penalised - plain, [first, 0, second, 0, 0], rtol=1e-6, atol=1e-7)


def test_a_penalty_that_wants_no_precision_at_all_fails_and_says_so():
    fit = fit_beta_binomial([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], penalty="gamma", mu=1e-14, sigma2=1e-30)
    assert set(fit.status) <= {"failed", "converged"}
    assert np.isnan(fit.alpha[fit.status == "failed"]).all()
    with pytest.raises(ValueError, match="need a penalty"):
        fit_beta_binomial([[4, 1], [0, 3]], sigma2=2.0)


def test_parameters_of_one_s_own_are_checked():
    X = [[4, 1], [0, 3]]
    with pytest.raises(ValueError, match="alpha_not must be finite and above 0"):
        beta_binomial_log_likelihood(X, 1.0, -1.0)
    with pytest.raises(ValueError, match="alpha must be one number, or an array of 2, one per term"):
        beta_binomial_log_likelihood(X, [1.0, 2.0, 3.0], 1.0)
    with pytest.raises(ValueError, match="too long to fit: the limit is 100,000,000"):
        fit_beta_binomial([[10**9, 1]])


@pytest.mark.parametrize(
    ("X", "statuses"),
    [
        ([[71, 81], [4, 0], [1, 0]], ["boundary", "boundary"]),  # a maximum below the binomial, met last in the scan
        ([[0, 10], [2, 0], [0, 3], [67, 649]], ["boundary", "boundary"]),
        ([[3, 0], [105, 0], [351, 0], [2, 0], [0, 133], [1, 0], [2, 0]], ["degenerate", "degenerate"]),
        ([[4, 0], [1, 0], [4, 0], [3, 0], [0, 1], [4, 0]], ["degenerate", "degenerate"]),
        ([[0, 2], [2, 5], [1, 3], [0, 8]], ["boundary", "boundary"]),  # Tarone's score is exactly 0
    ],
)
def test_terms_that_fooled_an_earlier_fit(X, statuses):
    fit = fit_beta_binomial(X)
    assert fit.status.tolist() == statuses
    assert fit.loglik[0] == pytest.approx(fit.loglik[1], rel=1e-12)  # a term and its complement are one model


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    arrays(
        np.int64,
        st.tuples(st.integers(1, 8), st.just(2)),
        elements=st.sampled_from([0, 0, 1, 1, 2, 3, 8, 70, 650]),
    ).filter(lambda X: X.any(axis=0).all())
)
def test_a_term_and_its_complement_agree_and_none_fails(X):
    fit = fit_beta_binomial(X)
    assert "failed" not in fit.status
    assert fit.status[0] == fit.status[1]
    np.testing.assert_allclose(fit.loglik[0], fit.loglik[1], rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_documents_of_millions_of_tokens_and_a_word_that_is_most_of_them():
    rng = np.random.default_rng(3)
    lengths = rng.integers(5 * 10**6, 10**7, 20)
    for _ in range(4):
        count = rng.binomial(lengths, rng.beta(29.7, 0.3, 20))
        fit = fit_beta_binomial(np.column_stack([count, lengths - count]))
        assert fit.status.tolist() == ["converged", "converged"]
        # the two sides differ by no more than what they say rounding may do
        assert abs(np.log(fit.alpha_0[0] / fit.alpha_0[1])) < 3 * np.abs(fit.newton_step).max()


@pytest.mark.filterwarnings("ignore:with so few documents")
def test_time_does_not_grow_with_the_largest_count():
    """10⁸ occurrences in one document: a test, and a fit of patterns without their matrix, took minutes."""
    X = np.array([[99_999_999, 1], [1, 1], [0, 3]])
    tested = tb.burstiness_test(X, ["a", "b"], draws=99, columns="all")
    assert tested["status"].to_list() == ["converged"] * 2
    assert tb.keyness(X, X, terms=["a", "b"])["log_ratio"].to_list() == pytest.approx([0, 0], abs=1e-6)
    count = [10**8, 2, 10**8 - 2, 0]
    patterns = {"term": ["a", "a", "b", None], "count": count, "length": [10**8] * 4, "documents": [1, 1, 1, 2]}
    fit = tb.scan(pl.DataFrame(patterns)).fit_beta_binomial()
    assert fit["status"].to_list() == ["converged"] * 2


def test_log_likelihood_of_large_counts():
    for alpha in [1e-6, 0.3, 40.0, 1e6]:
        X = np.array([[5_000_000, 70_000], [140_000, 2_000_000], [3, 20], [200_000, 0]])
        c, n = X.T.astype(float), X.sum(axis=1).astype(float)
        rising = special.gammaln(c + alpha) - special.gammaln(alpha) + special.gammaln(n - c + 2.0)
        expected = (rising - special.gammaln(n + alpha + 2.0) + special.gammaln(alpha + 2.0)).sum(axis=1)
        np.testing.assert_allclose(tb.models.beta_binomial_log_likelihood(X, alpha, 2.0), expected, rtol=1e-9)
