"""The numbers of each erratum; the page of all errata; the independent formulas."""

import json
import warnings

import numpy as np
import pytest
from scipy.special import expit, gammaln

import termburst as tb
from termburst.models import beta_binomial
from termburst.paper import errata
from termburst.paper.collections import Collections
from termburst.paper.errata import ERRATA
from termburst.paper.report import errata_page

WITHOUT_DATA = (1, 6, 7, 8)


class NoData(Collections):
    """Collections on a machine without any data set."""

    def _missing(self):
        raise FileNotFoundError("no data here")

    fig4 = fig5 = newsgroups = r8 = reuters = property(_missing)


@pytest.fixture(scope="module")
def erratum(collections):
    """The erratum with a number; each is computed once."""
    made = {}

    def make(number):
        if number not in made:
            made[number] = errata.erratum(number, collections)
        return made[number]

    return make


def obtained(erratum, what):
    """The number in the only row whose item contains *what*."""
    found = [row for row in erratum.rows if what in row.item]
    assert len(found) == 1, [row.item for row in found]
    return found[0].obtained


def test_the_penalty_enters_once(erratum):
    found = erratum(1)
    assert obtained(found, "`printed` from the unpenalised ratio") == pytest.approx(1.498e-5, rel=1e-3)
    assert obtained(found, "`printed` from the definition") == pytest.approx(3.1193, abs=5e-5)
    assert obtained(found, "`corrected` from the definition") == pytest.approx(2.996e-5, rel=1e-3)
    assert f"{obtained(found, 'occur, `printed`'):.4f}" == "0.9195"
    assert f"{obtained(found, 'occur, `corrected`'):.4f}" == "0.9208"


def test_mu_is_assumed_then_varied(data, erratum, collections):
    found = erratum(2)
    assert obtained(found, "at μ = 30, Claim 3") == pytest.approx(437.19, abs=0.005)
    assert obtained(found, "after adding 2 n_i log(μd/n)") == pytest.approx(9.26e-5, rel=1e-2)
    for name, printed, mended in (("20 Newsgroups", "0.80868", "0.80417"), ("R8", "0.94521", "0.94384")):
        assert f"{obtained(found, f'{name}, best accuracy of the grid as printed'):.5f}" == printed
        assert f"{obtained(found, f'{name}, best accuracy of the grid with the μ term'):.5f}" == mended
    for name in ("newsgroups", "r8"):
        plain, with_term = (collections.sensitivity(name, mu_term=mu_term) for mu_term in (False, True))
        assert with_term.max() < plain.max()
        assert with_term.min() > plain.min()


def test_published_fits_are_not_maxima(data, erratum):
    found = erratum(3)
    for what, published in (
        ("20 Newsgroups, exact fit better by more than 0,", 100.0),
        ("20 Newsgroups, exact fit better by more than 0.01", 97.1),
        ("20 Newsgroups, exact fit better by more than 1,", 63.6),
        ("20 Newsgroups, binomial better", 61.6),
        ("20 Newsgroups, terms at the boundary", 31.4),
        ("20 Newsgroups, exact fits with α_i < 0.1, % of all", 65.7),
        ("20 Newsgroups, exact fits with α_i < 0.1, % of interior", 95.8),
        ("20 Newsgroups, exact fits with α_¬i > 10, % of all", 99.5),
        ("R8, exact fit better by more than 0,", 100.0),
        ("R8, exact fit better by more than 0.01", 83.7),
        ("R8, exact fit better by more than 1,", 32.1),
        ("R8, binomial better", 54.6),
    ):
        assert obtained(found, what) == pytest.approx(published, abs=0.0501), what
    assert obtained(found, "“ambulance” at the published values") == pytest.approx(-245.850, abs=5e-4)
    assert obtained(found, "“ambulance”, exact fit") == pytest.approx(-239.799, abs=5e-4)
    assert obtained(found, "on which VGAM failed") == 12
    assert obtained(found, "VGAM's log-likelihoods") < 1e-9
    assert obtained(found, "VGAM's parameters") == 1.1e-4  # 1.046e-4, rounded up


def test_student_has_another_term_s_values_and_program_is_cut_off(data, erratum):
    found = erratum(3)
    assert obtained(found, "α_¬i of “program”") == pytest.approx(170.9275, abs=5e-5)
    assert obtained(found, "α_¬i of “student”") == pytest.approx(23.14, abs=0.005)
    assert obtained(found, "α_¬i of “studebaker”") == pytest.approx(63.37, abs=0.005)
    assert obtained(found, "occurrences of “student”") == 1
    agrees = {row.item: row.agrees for row in found.rows if "published file" in row.item}
    assert all(agrees[item] is ("studebaker" in item) for item in agrees)
    assert len(agrees) == 5


def test_the_tables_are_transductive(data, erratum):
    found = erratum(4)
    for what, published in (
        ("20 Newsgroups, accuracy of S(λ), transductive", "0.8030"),
        ("20 Newsgroups, accuracy of S(λ), inductive", "0.8022"),
        ("20 Newsgroups, accuracy of TF–IDF, transductive", "0.8059"),
        ("R8, accuracy of S(λ), transductive", "0.9429"),
        ("R8, accuracy of S(λ), inductive", "0.9425"),
        ("R8, accuracy of TF–IDF, transductive", "0.9361"),
        ("R8, accuracy of TF–IDF, inductive", "0.9333"),
    ):
        assert f"{obtained(found, what):.4f}" == published
    assert obtained(found, "cells of Table 2 obtained, of 134, transductive") == 134
    assert obtained(found, "cells of Table 3 obtained, of 62, transductive") == 62
    assert obtained(found, "cells of Table 2 obtained, of 134, inductive") < 100
    assert obtained(found, "cells of Table 3 obtained, of 62, inductive") < 50


def test_the_printed_condition_always_holds(data, erratum):
    found = erratum(5)
    assert obtained(found, "20 Newsgroups, μ = 165.29, σ² = 1: terms for which the printed condition holds") == 88_701
    assert obtained(found, "20 Newsgroups, μ = 165.29, σ² = 1: terms with α̂_0 ≤ 0") == 1
    assert obtained(found, "20 Newsgroups, μ = 30, σ² = 5: terms with α̂_0 ≤ 0") == 592
    assert obtained(found, "R8, μ = 65.75, σ² = 1: terms with α̂_0 ≤ 0") == 4
    assert obtained(found, "R8, μ = 30, σ² = 5: terms with α̂_0 ≤ 0") == 72


def test_claim_3_diverges_and_the_definition_does_not(erratum):
    found = erratum(6)
    assert obtained(found, "Claim 3 at η² − r_i = 1,") == pytest.approx(1007.18, abs=0.005)
    assert obtained(found, "Claim 3 at η² − r_i = 1e-6") == pytest.approx(3152.64, abs=0.005)
    assert obtained(found, "with max(1, η² − r_i)") == pytest.approx(1011.24, abs=0.005)
    corrected, definition = obtained(found, "corrected"), obtained(found, "by its definition")
    assert corrected == pytest.approx(381.81, abs=0.005)
    assert corrected - definition == pytest.approx(1 / (6 * 156), abs=1.5e-3)


def test_the_clamp_makes_a_kink_but_no_jump(collections):
    """As erratum 6 says, the printed form is continuous at η² − r_i = 1 and at η² = r_i."""
    counts, mu = collections.fig3.counts, 74.59
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
        for margin in (1.0, 0.0):
            low, high = (
                tb.plr_statistic(counts, mu=mu, sigma2=mu**2 / (156 + margin + step))[10] for step in (-1e-9, 1e-9)
            )
            assert low == pytest.approx(high, abs=1e-5)


def test_claim_1_is_off_by_powers_of_two(erratum):
    found = erratum(7)
    assert obtained(found, "at n_ij = 1, n_j = α_0 = 165") == pytest.approx(2, rel=0.01)
    assert obtained(found, "at n_ij = 3, n_j = α_0 = 75") == pytest.approx(7.670, abs=5e-4)
    assert obtained(found, "at n_ij = 3, n_j = α_0 = 165") == pytest.approx(7.841, abs=5e-4)
    assert obtained(found, "sum of Claim 1's pmf") == pytest.approx(1.1971, abs=5e-5)
    assert obtained(found, "without the complement") == pytest.approx(1, abs=2e-5)


def test_the_ridge_runs_along_the_ratio(erratum):
    found = erratum(8)
    assert obtained(found, "along the ray through") == pytest.approx(np.log(10), abs=5e-5)  # n_i − b_i = 1
    assert obtained(found, "along α_0 = 50") == pytest.approx(78.9, abs=0.05)
    assert obtained(found, "α·∇ℓ") == -1
    assert obtained(found, "rise of ℓ") == pytest.approx(np.log(50e9), abs=1e-3)


def test_few_terms_are_invalid(data, erratum):
    found = erratum(9)
    assert obtained(found, "20 Newsgroups") == pytest.approx(0.7, abs=0.05)
    assert obtained(found, "R8") == pytest.approx(0.4, abs=0.05)


def test_most_counts_are_one_and_absent_cells_have_weight_one_half(data, erratum):
    found = erratum(10)
    assert obtained(found, "at n_ij = 2") == 0
    assert obtained(found, "counts that are 1, %") == pytest.approx(76.3, abs=0.05)
    for what in ("20 Newsgroups, median", "R8, median"):
        assert obtained(found, what) == pytest.approx(0.5, abs=1e-5)


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_absent_cells_are_those_of_plr_contributions(data, collections):
    X = collections.r8.train[:600]
    X = X[:, np.asarray(X.sum(axis=0)).ravel() > 0]
    parts = tb.plr_contributions(X)
    n_j = np.asarray(X.sum(axis=1)).ravel()
    every = expit(np.outer(n_j, parts.absent_slope) + parts.absent_intercept)
    absent = np.sort(every[X.toarray() == 0])
    shares = [0.01, 0.5, 0.99]
    expected = np.quantile(absent, shares, method="inverted_cdf")
    np.testing.assert_allclose([errata.absent_weight(X, share) for share in shares], expected, atol=1e-9)


def test_sizes_are_those_of_one_split(data, erratum):
    found = erratum(11)
    assert obtained(found, "20 Newsgroups, terms of all") == 114_728
    assert obtained(found, "R8, terms of all") == 23_279
    agreeing = {row.item for row in found.rows if row.agrees}
    assert agreeing == {
        "Erratum 11: 20 Newsgroups, terms of the training documents",
        "Erratum 11: R8, terms of the training documents",
        "Erratum 11: R8, share of the class earn, test documents, %",
        "Erratum 11: R8, share of grain, ship and interest together, test documents, %",
    }
    assert obtained(found, "training posts of Fig. 4") == 72_916


def test_the_best_cells_of_the_grids(data, erratum):
    found = erratum(12)
    assert obtained(found, "Fig. A1, best cells") == "(60, 1)"
    assert f"{obtained(found, 'Fig. A1, accuracy at (60, 2)'):.5f}" == "0.80855"
    assert obtained(found, "Fig. A2, best cells") == "(120, 0.5), (180, 1), (180, 2)"
    assert f"{obtained(found, 'Fig. A2, accuracy at (120, 1)'):.5f}" == "0.94475"


def test_the_page_has_all_errata(data, erratum):
    page = errata_page([erratum(number) for number in ERRATA])
    assert page.startswith("# Errata of the paper\n")
    assert "`termburst reproduce errata`" in page
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert [line.split(".")[0] for line in headings[1:]] == [f"## {number}" for number in range(1, 13)]
    for line in page.splitlines():
        assert ">>>" not in line  # the docs are doctested
        assert "nan" not in line.replace("NaN", "").split()
        assert line == line.rstrip()
        if line.startswith("|"):
            assert line.endswith("|")
    assert page.endswith("\n")
    assert not page.endswith("\n\n")


def test_rows_are_explained_unique_and_valid_json(data, erratum):
    made = [erratum(number) for number in ERRATA]
    rows = [row for one in made for row in one.rows]
    assert all(row.item.startswith(f"{one.name.capitalize()}: ") for one in made for row in one.rows)
    assert len({row.item for row in rows}) == len(rows)
    assert not [row.item for row in rows if row.unexplained]
    assert json.loads(json.dumps([row.as_json() for row in rows]))


@pytest.mark.parametrize("number", ERRATA)
def test_without_data_an_erratum_works_or_says_what_is_missing(number):
    if number in WITHOUT_DATA:
        assert errata.erratum(number, NoData()).name == f"erratum {number}"
    else:
        with pytest.raises(FileNotFoundError, match="no data here"):
            errata.erratum(number, NoData())


def test_the_independent_claim_1_equals_the_model_s():
    rng = np.random.default_rng(5)
    n_j = rng.integers(1, 200, 50)
    n_ij, alpha, alpha_not = rng.binomial(n_j, 0.1), rng.gamma(0.1, 1, 50) + 1e-6, rng.gamma(50, 2, 50)
    witness = errata.claim_1(n_ij, n_j, alpha, alpha_not)
    np.testing.assert_allclose(witness, beta_binomial.approximate_log_pmf(n_ij, n_j, alpha, alpha_not), atol=1e-10)


def claim_3(n_ij, d, n, mu, sigma2):
    """Eq. lambda-tfidf for one term, without max(1, ·): it needs η² > r_i."""
    n_i, b_i = int(n_ij.sum()), int(np.count_nonzero(n_ij))
    r_i, eta2, rest = n_i - b_i + 1, mu**2 / sigma2, b_i + n - n_i
    tf_icf, btf_idf = n_i * np.log(n / n_i), b_i * np.log(d / b_i)
    value = 2 * (tf_icf - btf_idf + gammaln(n_ij[n_ij > 0]).sum())
    value += 2 * n * np.log(n / rest) + 2 * (n_i - b_i) * np.log(rest / (d * sigma2)) - (2 * b_i + 1) * np.log(mu)
    value += (eta2 - 2 * r_i + 1) * np.log(eta2 - r_i) + r_i - (eta2 - 1.5) * np.log(eta2) - np.log(2 * np.pi) / 2
    return float(value)


def test_the_independent_claim_3_equals_the_printed_form(collections):
    counts = collections.fig3.counts
    printed = tb.plr_statistic(counts)
    for i in np.flatnonzero(counts.sum(axis=0))[::20]:
        assert claim_3(counts[:, i], 100, 7459, 74.59, 1.0) == pytest.approx(printed[i], abs=1e-8)
