"""λ_i in its three forms, against the definition computed directly, and the paper's published correlation."""

import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import gammaln

import termburst as tb
from termburst.inference.plr import PARTS, ClampedTermsWarning, add_up
from termburst.models.penalties import named_penalty
from termburst.models.special import stirling_remainder
from termburst.names import FORMS

COUNTS = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6),
    elements=st.sampled_from([0, 0, 1, 2, 9]),
).filter(lambda X: X.sum() > 0)


def scipy_penalty(penalty, mu, sigma2):
    """SciPy's density with that mean and variance, and r ↦ the α_0 that maximises (1 − r) log α_0 + log f."""
    eta2 = mu**2 / sigma2
    if penalty == "gamma":
        return stats.gamma(eta2, scale=sigma2 / mu), lambda r: sigma2 / mu * (eta2 - r)
    if penalty == "log-normal":
        v = np.log1p(1 / eta2)
        return stats.lognorm(v**0.5, scale=mu * np.exp(-v / 2)), lambda r: mu * np.exp(-v * (r + 0.5))
    return stats.invgamma(eta2 + 2, scale=mu * (eta2 + 1)), lambda r: mu * (eta2 + 1) / (eta2 + 2 + r)


def unpenalised(X, mu, sigma2, penalty="gamma"):
    """−2(ℓ_0 − ℓ_1) without the penalty, document by document, by SciPy and the Claim 1 formula; and log f(α̂_0)."""
    density, precision = scipy_penalty(penalty, mu, sigma2)
    n_j, n = X.sum(axis=1), X.sum()
    values, penalties = [], []
    for column in X.T:
        n_i, b_i = column.sum(), (column > 0).sum()
        alpha_0 = precision(n_i - b_i + 1)
        alpha, alpha_not = alpha_0 * b_i / (b_i + n - n_i), alpha_0 * (n - n_i) / (b_i + n - n_i)
        null = stats.binom.logpmf(column, n_j, n_i / n).sum()
        rest = n_j - column
        with np.errstate(divide="ignore", invalid="ignore"):
            burst = np.where(column > 0, np.log(alpha) - np.log(column), 0)
        other = gammaln(n_j + 1) - gammaln(rest + 1) + rest * np.log(alpha_not) - n_j * np.log(alpha_0)
        values.append(-2 * (null - (burst + other).sum()))
        penalties.append(density.logpdf(alpha_0))
    return np.array(values), np.array(penalties)


def test_fig_3_correlation_with_total_tf_idf(fig3):
    b_i = (fig3 > 0).sum(axis=0)
    tf_idf = fig3.sum(axis=0) * np.log(100 / np.maximum(b_i, 1))
    occurs = b_i > 0
    assert fig3.sum() / 100 == 74.59
    assert (~occurs).sum() == 39
    printed, corrected = tb.plr_statistic(fig3), tb.plr_statistic(fig3, form="corrected")
    assert np.corrcoef(printed, tf_idf)[0, 1] == pytest.approx(0.926914, abs=5e-7)
    assert np.corrcoef(printed[occurs], tf_idf[occurs])[0, 1] == pytest.approx(0.919526, abs=5e-7)
    assert np.corrcoef(corrected[occurs], tf_idf[occurs])[0, 1] == pytest.approx(0.9208, abs=5e-5)
    np.testing.assert_allclose(printed[~occurs], -0.9188, atol=5e-5)  # the formula at n_i = b_i = 0


@pytest.mark.parametrize("mu", [None, 30.0, 180.0])
@pytest.mark.parametrize("sigma2", [0.5, 1.0, 5.0])
def test_exact_equals_the_definition(fig3, mu, sigma2):
    value, log_f = unpenalised(fig3, mu or 74.59, sigma2)
    np.testing.assert_allclose(tb.plr_statistic(fig3, mu=mu, sigma2=sigma2, form="exact"), value + 2 * log_f, atol=1e-9)


def test_printed_is_unpenalised_plus_log_f_to_the_stirling_error(fig3):
    value, log_f = unpenalised(fig3, 74.59, 1.0)
    printed = tb.plr_statistic(fig3)
    error = np.abs(printed - (value + log_f))
    assert error.max() == pytest.approx(1 / (12 * 74.59**2), rel=1e-2)  # 1.5e-5
    assert np.abs(printed - (value + 2 * log_f)).max() == pytest.approx(3.1, abs=0.05)  # erratum 1


@pytest.mark.parametrize(("mu", "sigma2"), [(None, 1.0), (30.0, 1.0), (180.0, 5.0), (74.59, 0.01)])
def test_corrected_agrees_with_exact_to_the_stirling_error_at_any_mu(fig3, mu, sigma2):
    corrected = tb.plr_statistic(fig3, mu=mu, sigma2=sigma2, form="corrected")
    exact = tb.plr_statistic(fig3, mu=mu, sigma2=sigma2, form="exact")
    eta2 = (mu or 74.59) ** 2 / sigma2
    np.testing.assert_allclose(corrected - exact, 1 / (6 * eta2), rtol=1e-3, atol=1e-9)


def test_corrected_agrees_with_exact_where_the_precision_is_nearly_zero():
    X = np.zeros((10, 2), dtype=int)
    X[:, 0], X[0, 1] = 1, 9  # r_i = 1 and 9; η² = 9.5
    corrected, exact = (tb.plr_statistic(X, mu=9.5**0.5, form=form) for form in ("corrected", "exact"))
    np.testing.assert_allclose(corrected - exact, 2 * stirling_remainder(9.5), rtol=1e-9)
    value, log_f = unpenalised(X, 9.5**0.5, 1.0)
    np.testing.assert_allclose(exact, value + 2 * log_f, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_terms_that_never_repeat(fig3, form):
    """Their λ is −½ log(2πσ²) printed, −log(2πσ²) corrected, up to O(1/η²), at μ = n/d."""
    once = fig3.sum(axis=0) == (fig3 > 0).sum(axis=0)
    assert once.sum() > 60
    for sigma2 in (0.25, 1.0, 4.0):
        value = tb.plr_statistic(fig3, sigma2=sigma2, form=form)[once]
        limit = -np.log(2 * np.pi * sigma2) / (2 if form == "printed" else 1)
        np.testing.assert_allclose(value, limit, atol=2 * sigma2 / 74.59**2)


def direct_parts(X, mu, sigma2, form):
    """Every part by its formula, with 50 digits, for each term of X."""
    mpmath.mp.dps = 50
    log, d, n = mpmath.log, X.shape[0], int(X.sum())
    m, v = mpmath.mpf(mu), mpmath.mpf(sigma2)
    eta2 = m**2 / v
    for column in X.T.tolist():
        n_i, b_i = sum(column), sum(c > 0 for c in column)
        r, total, twice = n_i - b_i + 1, mpmath.mpf(b_i + n - n_i), 1 if form == "printed" else 2
        margin = eta2 - r
        parts = {
            "tf_icf": 2 * n_i * log(mpmath.mpf(n) / n_i) if n_i else 0,
            "btf_idf": -2 * b_i * log(mpmath.mpf(d) / b_i) if b_i else 0,
            "repetition": 2 * sum(mpmath.loggamma(c) for c in column if c),
            "collection": 2 * n * log(n / total),
            "excess": 2 * (n_i - b_i) * log(total / (d * v)),
            "mean_length": -(2 * b_i + twice) * log(m),
            "constant": -twice * log(2 * mpmath.pi) / 2,
        }
        if form == "printed":
            parts["precision"] = (eta2 - 2 * r + 1) * log(max(1, margin)) + r - (eta2 - 1.5) * log(eta2)
        else:
            parts["mu_shift"] = 2 * n_i * log(m * d / n)
            parts["precision"] = (2 * margin * log(margin) if margin > 0 else 0) + 2 * r - (2 * eta2 - 3) * log(eta2)
        if form == "exact":
            stirling = mpmath.loggamma(eta2) - ((eta2 - 0.5) * log(eta2) - eta2 + log(2 * mpmath.pi) / 2)
            parts["stirling"] = -2 * stirling
            parts["precision"] = parts["precision"] if margin > 0 else mpmath.nan
        yield {name: float(value) for name, value in parts.items()}


@given(COUNTS, st.sampled_from(FORMS), st.sampled_from([0.5, 3.0, 74.0, 5000.0]), st.sampled_from([1e-3, 1.0, 7.0]))
def test_every_part_is_its_formula(X, form, mu, sigma2):
    s = tb.TermStatistics.from_counts(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        for i, expected in enumerate(direct_parts(X, mu, sigma2, form)):
            found = tb.explain(s, i, mu=mu, sigma2=sigma2, form=form).parts
            assert set(found) == set(expected)
            for name, value in expected.items():
                assert found[name] == pytest.approx(value, rel=1e-11, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("X", [[[10**8, 3, 0], [10**8, 2, 1]], [[10**9, 1], [0, 1]]])
def test_digits_survive_a_term_that_is_nearly_everything(X):
    X = np.array(X)
    (expected, *_) = direct_parts(X, 1e6, 1e-3, "printed")
    assert tb.plr_statistic(X, mu=1e6, sigma2=1e-3)[0] == pytest.approx(sum(expected.values()), rel=1e-13)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, int])
def test_mu_and_sigma2_may_be_any_kind_of_number(fig3, kind):
    expected = tb.plr_statistic(fig3, mu=200.0, sigma2=3.0)
    np.testing.assert_array_equal(tb.plr_statistic(fig3, mu=kind(200), sigma2=kind(3)), expected)


def test_eta_squared_equal_to_r_is_invalid():
    X = np.array([[9, 1], [0, 1]])
    with pytest.warns(ClampedTermsWarning, match="1 of 2 terms"):
        value = tb.plr_statistic(X, mu=3.0, form="exact")
    assert np.isnan(value).tolist() == [True, False]
    with pytest.warns(ClampedTermsWarning):
        why = tb.explain(tb.TermStatistics.from_counts(X), 0, mu=3.0)
    assert np.isnan(why.alpha_not)


def test_digits_survive_long_documents():
    """At μ = 30,000 the textbook form of Claim 3 loses six digits; compared with a computation of 60 digits."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.poisson(3, 50), np.full(50, 29_997), rng.integers(0, 2, 50)])
    mpmath.mp.dps = 60
    d, n = 50, int(X.sum())
    mu = mpmath.mpf(n) / d
    for i, value in enumerate(tb.plr_statistic(X, mu=float(mu), invalid="clamp", sigma2=1.0)):
        column = [int(c) for c in X[:, i]]
        n_i, b_i = sum(column), sum(c > 0 for c in column)
        r, eta2, total = n_i - b_i + 1, mu**2, b_i + n - n_i
        exact = 2 * (n_i * mpmath.log(mpmath.mpf(n) / n_i) - b_i * mpmath.log(mpmath.mpf(d) / b_i))
        exact += 2 * sum(mpmath.loggamma(c) for c in column if c)
        exact += 2 * n * mpmath.log(mpmath.mpf(n) / total) + 2 * (n_i - b_i) * mpmath.log(mpmath.mpf(total) / d)
        exact += -(2 * b_i + 1) * mpmath.log(mu) + (eta2 - 2 * r + 1) * mpmath.log(eta2 - r) + r
        exact += -(eta2 - 1.5) * mpmath.log(eta2) - mpmath.log(2 * mpmath.pi) / 2
        assert value == pytest.approx(float(exact), rel=1e-11, abs=1e-7)


@given(COUNTS, st.sampled_from(FORMS), st.sampled_from([None, 3.0, 40.0]), st.sampled_from([0.01, 1.0]))
def test_parts_add_up_exactly(X, form, mu, sigma2):
    s = tb.TermStatistics.from_counts(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        plr = tb.plr_statistic(s, mu=mu, sigma2=sigma2, form=form)
        for i in range(X.shape[1]):
            why = tb.explain(s, i, mu=mu, sigma2=sigma2, form=form)
            np.testing.assert_array_equal(why.plr, plr[i])
            np.testing.assert_array_equal(add_up(why.parts), why.plr)
            assert set(why.parts) <= set(PARTS)


def test_explain_by_name_reads_well(fig3):
    s = tb.TermStatistics.from_counts(fig3, [f"t{i}" for i in range(250)])
    top = int(np.argmax(tb.plr_statistic(s)))
    why = tb.explain(s, f"t{top}")
    n_i, b_i = fig3[:, top].sum(), (fig3[:, top] > 0).sum()
    assert (why.term, why.n_i, why.b_i) == (f"t{top}", n_i, b_i)
    assert why.parts["tf_icf"] == pytest.approx(2 * n_i * np.log(7459 / n_i))
    assert why.parts["btf_idf"] == pytest.approx(-2 * b_i * np.log(100 / b_i))
    assert str(why).count("\n") == 1 + 8 + 1
    assert "log max(1, η² − r_i)" in str(why)
    elsewhere = tb.explain(s, top, mu=30.0, sigma2=0.5, form="corrected")
    fit = tb.penalized_mle(s, mu=30.0, sigma2=0.5)
    assert (elsewhere.alpha, elsewhere.alpha_not) == (fit.alpha[top], fit.alpha_not[top])
    assert "η²" not in str(elsewhere)  # the printed formulas would be wrong
    with pytest.raises(ValueError, match="'t999' is not among the 250 terms"):
        tb.explain(s, "t999")


@given(COUNTS, st.sampled_from([None, 3.0, 40.0]), st.sampled_from([0.01, 1.0, 5.0]))
def test_contributions_add_up_to_lambda(X, mu, sigma2):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        shares = tb.plr_contributions(X, mu=mu, sigma2=sigma2)
        plr = tb.plr_statistic(X, mu=mu, sigma2=sigma2)
    total = 2 * (shares.sum(axis=0) + shares.absent) - np.log(2 * np.pi) / 2
    np.testing.assert_allclose(total, plr, rtol=1e-9, atol=1e-8)
    n_j = X.sum(axis=1)
    every = np.where(X > 0, shares.toarray(), shares.absent_slope * n_j[:, None] + shares.absent_intercept)
    np.testing.assert_allclose(2 * every.sum(axis=0) - np.log(2 * np.pi) / 2, plr, rtol=1e-9, atol=1e-8)
    assert shares.nnz == np.count_nonzero(X)


def test_contributions_are_eq_lambda_ij_cell_by_cell(fig3):
    d, n, mu, sigma2 = 100, fig3.sum(), 74.59, 2.0
    shares = tb.plr_contributions(fig3, sigma2=sigma2)
    eta2 = mu**2 / sigma2
    for j, i in [(0, np.flatnonzero(fig3[0])[0]), (7, np.argmax(fig3[7])), (99, np.argmax(fig3[99]))]:
        n_ij, n_j, n_i, b_i = fig3[j, i], fig3[j].sum(), fig3[:, i].sum(), (fig3[:, i] > 0).sum()
        r_i, total = n_i - b_i + 1, b_i + n - n_i
        expected = n_ij * np.log(n / n_i) - np.log(d / b_i) + gammaln(n_ij)
        expected += (n_ij - 1) * np.log(total / (d * sigma2)) + n_j * np.log(n / total) - (1 + 1 / (2 * d)) * np.log(mu)
        rest = (eta2 - 2 * r_i + 1) * np.log(max(1, eta2 - r_i)) - (eta2 - 1.5) * np.log(eta2) + r_i
        assert shares[j, i] == pytest.approx(expected + rest / (2 * d), rel=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_invalid_terms_are_clamped_counted_once_and_refused_on_demand(form):
    X = np.array([[30, 1, 0], [30, 0, 1]])  # η² = 16: r_i = 59 for the first term
    with pytest.warns(ClampedTermsWarning, match="1 of 3 terms") as seen:
        value = tb.plr_statistic(X, mu=4.0, form=form)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert np.isnan(value[0]) == (form == "exact")
    assert np.isfinite(value[1:]).all()
    with pytest.raises(ValueError, match=r"1 of 3 terms.*column 0"):
        tb.plr_statistic(X, mu=4.0, form=form, invalid="raise")
    tb.explain(tb.TermStatistics.from_counts(X), 1, mu=4.0, form=form, invalid="raise")  # about a valid term
    with pytest.warns(ClampedTermsWarning):
        tb.plr_contributions(X, mu=4.0)


def test_the_clamp_is_the_paper_s():
    X = np.array([[30, 1], [30, 1]])
    with pytest.warns(ClampedTermsWarning):
        value = tb.plr_statistic(X, mu=4.0)[0]
    n, d, n_i, b_i, mu = 62, 2, 60, 2, 4.0
    r_i, total = n_i - b_i + 1, b_i + n - n_i
    expected = 2 * (n_i * np.log(n / n_i) - b_i * np.log(d / b_i) + 2 * gammaln(30)) + 2 * n * np.log(n / total)
    expected += 2 * (n_i - b_i) * np.log(total / d) - (2 * b_i + 1) * np.log(mu)
    expected += 0 + r_i - (16 - 1.5) * np.log(16) - np.log(2 * np.pi) / 2
    assert value == pytest.approx(expected, rel=1e-13)


def test_printed_clamps_also_just_above_zero():
    """Erratum 6: max(1, η² − r_i) changes valid terms with η² − r_i < 1."""
    X = np.array([[9, 40], [0, 40], [0, 40]])  # r_i = 9 for the first term
    at = [tb.explain(tb.TermStatistics.from_counts(X), 0, mu=e**0.5).parts["precision"] for e in (9.5, 10.0)]
    for eta2, value in zip((9.5, 10.0), at, strict=True):
        assert value == pytest.approx(9 - (eta2 - 1.5) * np.log(eta2), rel=1e-12)


@pytest.mark.parametrize("function", [tb.plr_statistic, tb.plr_contributions])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sigma2": 0}, "sigma2"), ({"sigma2": -1}, "sigma2"), ({"mu": 0}, "mu"), ({"mu": np.inf}, "mu"),
        ({"invalid": "ignore"}, "invalid"),
    ],
)  # fmt: skip
def test_bad_options(function, options, said):
    with pytest.raises(ValueError, match=said):
        function([[2, 1], [0, 3]], **options)


def test_more_bad_options():
    with pytest.raises(ValueError, match="form must be one of"):
        tb.plr_statistic([[2, 1]], form="true")
    with pytest.raises(ValueError, match="penalty must be one of"):
        tb.plr_statistic([[2, 1]], penalty="none")
    with pytest.raises(ValueError, match="all documents are empty"):
        tb.plr_statistic([[0, 0]])
    with pytest.raises(ValueError, match="moments"):
        tb.plr_statistic(tb.TermStatistics.from_counts([[1]], detail="frequencies"))


def test_statistics_and_counts_give_the_same(fig3):
    for detail in ("moments", "patterns"):
        s = tb.TermStatistics.from_counts(fig3, detail=detail)
        np.testing.assert_array_equal(tb.plr_statistic(s), tb.plr_statistic(fig3))


@given(COUNTS, st.data())
def test_columns_and_rows_may_be_permuted(X, data):
    rows = data.draw(st.permutations(range(X.shape[0])))
    columns = data.draw(st.permutations(range(X.shape[1])))
    moved = X[rows][:, columns]
    np.testing.assert_allclose(
        tb.plr_statistic(moved, sigma2=1e-3), tb.plr_statistic(X, sigma2=1e-3)[columns], rtol=1e-12, atol=1e-9
    )


OTHERS = ["log-normal", "inverse-gamma"]


@pytest.mark.parametrize("penalty", ["gamma", *OTHERS])
@pytest.mark.parametrize(("mu", "sigma2"), [(None, 1.0), (30.0, 0.5), (180.0, 5.0)])
def test_exact_equals_the_definition_under_every_penalty(fig3, penalty, mu, sigma2):
    value, log_f = unpenalised(fig3, mu or 74.59, sigma2, penalty)
    found = tb.plr_statistic(fig3, mu=mu, sigma2=sigma2, form="exact", penalty=penalty)
    np.testing.assert_allclose(found, value + 2 * log_f, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("penalty", OTHERS)
@pytest.mark.parametrize(("mu", "sigma2"), [(None, 1.0), (30.0, 0.5), (180.0, 5.0)])
def test_other_penalties_enter_once_in_printed_and_corrected_is_exact(fig3, penalty, mu, sigma2):
    value, log_f = unpenalised(fig3, mu or 74.59, sigma2, penalty)
    printed, corrected, exact = (
        tb.plr_statistic(fig3, mu=mu, sigma2=sigma2, form=form, penalty=penalty) for form in FORMS
    )
    np.testing.assert_allclose(printed, value + log_f, rtol=1e-10, atol=1e-8)
    np.testing.assert_array_equal(corrected, exact)
    np.testing.assert_allclose(exact - printed, log_f, rtol=1e-8, atol=1e-8)


def test_the_definition_by_the_package_s_own_functions(fig3):
    """ℓ_1 by `approximate_log_pmf` at `penalized_mle`."""
    n_j, n_i = fig3.sum(axis=1), fig3.sum(axis=0)
    for penalty in OTHERS:
        fit = tb.penalized_mle(fig3, penalty=penalty)
        plr = tb.plr_statistic(fig3, form="exact", penalty=penalty)
        for i in np.argsort(-n_i)[:5]:
            null = stats.binom.logpmf(fig3[:, i], n_j, n_i[i] / n_i.sum()).sum()
            full = tb.models.approximate_log_pmf(fig3[:, i], n_j, fit.alpha[i], fit.alpha_not[i]).sum()
            full += float(named_penalty(penalty, 74.59, 1.0).log_density(fit.alpha_0[i]))
            assert plr[i] == pytest.approx(-2 * (null - full), rel=1e-11, abs=1e-8)


@given(COUNTS, st.sampled_from(FORMS), st.sampled_from(OTHERS), st.sampled_from([None, 0.5, 40.0]))
def test_parts_add_up_under_other_penalties_and_no_term_is_invalid(X, form, penalty, mu):
    s = tb.TermStatistics.from_counts(X)  # warnings are errors: no term is clamped
    plr = tb.plr_statistic(s, mu=mu, form=form, penalty=penalty, invalid="raise")
    np.testing.assert_array_equal(plr, tb.plr_statistic(X, mu=mu, form=form, penalty=penalty))
    assert np.isfinite(plr).all()
    fit = tb.penalized_mle(s, mu=mu, penalty=penalty)
    assert fit.valid.all()
    for i in range(X.shape[1]):
        why = tb.explain(s, i, mu=mu, form=form, penalty=penalty, invalid="raise")
        assert why.plr == plr[i] == add_up(why.parts)
        assert list(why.parts) == [name for name in PARTS if name in why.parts]  # in the order of Claim 3
        assert (why.alpha, why.alpha_not) == (fit.alpha[i], fit.alpha_not[i])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", OTHERS)
def test_other_penalties_have_no_invalid_terms_where_gamma_does(form, penalty):
    X = np.array([[30, 1, 0], [30, 0, 1]])
    with pytest.raises(ValueError, match="1 of 3 terms"):
        tb.plr_statistic(X, mu=4.0, form=form, invalid="raise")
    value, log_f = unpenalised(X, 4.0, 1.0, penalty)
    found = tb.plr_statistic(X, mu=4.0, form=form, penalty=penalty, invalid="raise")
    np.testing.assert_allclose(found, value + log_f * (1 if form == "printed" else 2), rtol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_lambda_stays_finite_where_the_log_normal_precision_is_too_small_for_a_float(form):
    X = np.array([[15, 4]] * 1500 + [[0, 4]] * 1500)  # v r_0 = 824
    found = tb.plr_statistic(X, mu=5.0, form=form, penalty="log-normal")[0]
    with mpmath.workdps(50):
        log, n_i, b_i, n, n_not = mpmath.log, 22_500, 1500, 34_500, 12_000
        r, v = n_i - b_i + 1, mpmath.log(mpmath.mpf(26) / 25)
        tau = log(5) - v * (r + mpmath.mpf("0.5"))
        log_f = -tau - (tau - log(5) + v / 2) ** 2 / (2 * v) - log(2 * mpmath.pi * v) / 2
        total = mpmath.mpf(b_i + n_not)
        # n_j! and (n_j − n_ij)! are in both likelihoods; n_ij! is in the binomial one, n_ij in the other
        null = n_i * log(mpmath.mpf(n_i) / n) + n_not * log(mpmath.mpf(n_not) / n) - b_i * mpmath.loggamma(16)
        full = b_i * (log(b_i / total) - log(15)) + n_not * log(n_not / total) + (b_i - n_i) * tau
        expected = float(-2 * (null - full) + (1 if form == "printed" else 2) * log_f)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("penalty", OTHERS)
def test_bad_options_are_refused_under_every_penalty(penalty):
    for options, said in [
        ({"invalid": "ignore"}, "invalid must be"),
        ({"form": "true"}, "form must be"),
        ({"mu": -1}, "mu"),
    ]:
        with pytest.raises(ValueError, match=said):
            tb.plr_statistic([[2, 1], [0, 3]], penalty=penalty, **options)


@pytest.mark.parametrize("penalty", OTHERS)
def test_an_explanation_under_another_penalty_shows_no_gamma_formulas(fig3, penalty):
    why = tb.explain(tb.TermStatistics.from_counts(fig3), 3, penalty=penalty)
    assert "η²" not in str(why)
    assert str(why).count("\n") == 1 + len(why.parts) + 1
    assert "penalty" in why.parts
    assert "constant" not in why.parts


@pytest.mark.parametrize("penalty", OTHERS)
def test_the_term_table_under_another_penalty(fig3, penalty):
    pytest.importorskip("polars")
    s = tb.TermStatistics.from_counts(fig3)
    table = tb.term_table(s, penalty=penalty, parts=True, invalid="raise")
    term = table["term"].to_numpy()
    fit = tb.penalized_mle(s, penalty=penalty)
    np.testing.assert_array_equal(table["plr"].to_numpy(), tb.plr_statistic(s, penalty=penalty)[term])
    np.testing.assert_array_equal(table["alpha"].to_numpy(), fit.alpha[term])
    np.testing.assert_array_equal(table["alpha_not"].to_numpy(), fit.alpha_not[term])
    assert (np.diff(table["plr"].to_numpy()) <= 1e-9).all()  # ties are in the order of terms
    assert {"tf_icf", "penalty", "precision"} <= set(table.columns)
    assert table["alpha"].null_count() == 0
