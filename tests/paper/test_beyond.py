"""The error of Claim 1 and the two rankings, checked with SciPy, by brute force, by hand, and on the data."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, special, stats

from termburst import TermStatistics, fit_beta_binomial, penalized_mle, plr_statistic
from termburst.inference.plr import ClampedTermsWarning
from termburst.models import beta_binomial, beta_binomial_log_likelihood
from termburst.models.penalties import GammaPenalty
from termburst.paper import claim1, rankings
from termburst.paper.collections import Fitted
from termburst.paper.markdown import digits

EVERY = 1e-9  # tolerance of log-likelihoods: both sides are sums of some thousand numbers of size 1 to 100


def fitted(counts, terms=None):
    """A collection in the form that `Collections` returns."""
    counts = np.asarray(counts)
    terms = np.array([f"t{i}" for i in range(counts.shape[1])] if terms is None else terms, dtype=object)
    statistics = TermStatistics.from_counts(counts, terms, "patterns")
    return Fitted(counts, terms, statistics, fit_beta_binomial(statistics), published=None, missing="")


def simulated(seed, documents=300, terms=60, shape=0.05, longest=200, empty=5):
    """Dirichlet-multinomial documents of different lengths, some of them empty."""
    rng = np.random.default_rng(seed)
    lengths = np.r_[np.zeros(empty, dtype=int), rng.integers(1, longest, documents - empty)]
    shares = rng.dirichlet(rng.gamma(shape, 20.0, terms) + 1e-3, documents)
    return np.array([rng.multinomial(n, theta) for n, theta in zip(lengths, shares, strict=True)])


def never_repeating(seed, terms=40, documents=400):
    """Terms that occur at most once per document: half in documents of any length, half in long ones; and the rest.

    Lengths vary so much that a random document is less than half as long as the document of a random token.
    """
    rng = np.random.default_rng(seed)
    lengths = np.ceil(rng.lognormal(5.0, 1.2, documents)).astype(int) + terms
    chance = rng.uniform(0.01, 0.3, terms) * np.where(np.arange(terms) % 2, lengths[:, None] / lengths.max(), 1.0)
    once = rng.random((documents, terms)) < chance
    once[0] |= ~once.any(axis=0)
    return np.column_stack([once, lengths - once.sum(axis=1)])


@pytest.fixture(scope="module", params=["fig3", "simulated"])
def small(request, collections):
    return fitted(collections.fig3.counts if request.param == "fig3" else simulated(0))


def error_by_document(counts, column, alpha, alpha_not):
    """Claim 1's log-pmf minus SciPy's, summed over documents; both have the same coefficients."""
    n_j, n_ij = np.asarray(counts.sum(axis=1)).ravel(), np.asarray(counts[:, [column]].sum(axis=1)).ravel()
    n_j, n_ij = n_j[n_j > 0], n_ij[n_j > 0]
    approximate = beta_binomial.approximate_log_pmf(n_ij, n_j, alpha, alpha_not)
    return float((approximate - stats.betabinom.logpmf(n_ij, n_j, alpha, alpha_not)).sum())


# ---- the error of Claim 1


def test_the_error_is_the_sum_over_documents(small):
    found = claim1.claim1_error(small.statistics, small.fit)
    assert found.column.tolist() == np.flatnonzero(small.fit.status == "converged").tolist()
    assert found.column.size > 20
    for column, error in zip(found.column, found.error, strict=True):
        alpha, alpha_not = small.fit.alpha[column], small.fit.alpha_not[column]
        if alpha_not < 1e6:  # for larger values SciPy's log-gammas cancel
            expected = error_by_document(small.counts, column, alpha, alpha_not)
            assert error == pytest.approx(expected, rel=1e-7, abs=1e-6), column


def test_evidence_is_half_the_likelihood_ratio_by_scipy(small):
    found = claim1.claim1_error(small.statistics, small.fit)
    n_j = small.counts.sum(axis=1)
    for k in np.flatnonzero(small.fit.alpha_not[found.column] < 1e6):
        column = found.column[k]
        n_ij = small.counts[:, column]
        bursty = stats.betabinom.logpmf(n_ij, n_j, small.fit.alpha[column], small.fit.alpha_not[column])
        plain = stats.binom.logpmf(n_ij, n_j, n_ij.sum() / n_j.sum())
        assert found.evidence[k] == pytest.approx((bursty - plain)[n_j > 0].sum(), rel=1e-6, abs=1e-6)
        assert found.repeats[k] == (n_ij > 1).any()


@given(arrays(np.int64, (8, 4), elements=st.integers(0, 4)), st.floats(1e-3, 10), st.floats(1e-2, 1e4))
@settings(deadline=None)
def test_the_closed_form_at_any_parameters(counts, alpha, alpha_not):
    statistics = TermStatistics.from_counts(counts)
    n_j = counts.sum(axis=1)
    expected = beta_binomial.approximate_log_pmf(counts, n_j[:, None], alpha, alpha_not)
    coefficients = np.log(special.binom(n_j[:, None], counts))
    obtained = claim1.approximate_log_likelihood(statistics, np.full(4, alpha), np.full(4, alpha_not))
    np.testing.assert_allclose(obtained, (expected - coefficients).sum(axis=0), rtol=1e-12, atol=EVERY)


def test_a_term_that_never_repeats_loses_all_evidence_or_more():
    case = fitted(never_repeating(1))
    found = claim1.claim1_error(case.statistics, case.fit)
    silent = ~found.repeats
    assert silent.sum() > 15
    assert (found.error[silent] <= -found.evidence[silent] + EVERY).all()


@pytest.mark.parametrize("exponent", [1, 2, 3, 4])
def test_the_error_goes_to_zero_with_large_precision_and_small_alpha(exponent):
    counts = simulated(2)
    statistics = TermStatistics.from_counts(counts, detail="patterns")
    n_i, longest = statistics.collection_frequency, statistics.lengths[-1]
    alpha, alpha_not = np.full(n_i.size, 10.0**-exponent), np.full(n_i.size, longest * 10.0**exponent)
    exact = beta_binomial_log_likelihood(statistics, alpha, alpha_not)
    error = claim1.approximate_log_likelihood(statistics, alpha, alpha_not) - exact
    # Upwards: the bound of erratum 7. Downwards: α H for every repetition, and α n_j²/(2 α_0 α_¬) for every document.
    lower = -alpha * n_i - counts.shape[0] * alpha * longest**2 / (2 * alpha_not**2)
    assert (error <= n_i * np.log1p(longest / alpha_not) + 1e-7).all()
    assert (error >= lower - 1e-7).all()
    assert (np.abs(error) <= (n_i + 1) * 10.0 ** (1 - exponent)).all()


def test_the_prediction_by_hand():
    case = fitted([[2, 8], [0, 12], [1, 4], [0, 0]])
    mean, alpha_0 = np.array([0.1, 0.9]), np.array([7.0, 7.0])
    expected = 2 * np.log1p(10 / 7) + np.log1p(5 / 7) - (27 * 0.1 - 2)
    assert claim1.predicted_error(case.statistics, mean, alpha_0)[0] == pytest.approx(expected, rel=1e-14)


def test_the_prediction_holds_for_rare_bursty_terms():
    """Its derivation uses only α̂_i ≪ 1 ≪ α̂_0; erratum 7 matters if α̂_0 is below the lengths."""
    rng = np.random.default_rng(3)
    n_j = rng.integers(100, 400, 2000)
    n_ij = rng.binomial(n_j[:, None], rng.beta(np.full(40, 0.01), np.geomspace(20, 2000, 40), (2000, 40)))
    n_ij = n_ij[:, n_ij.sum(axis=0) > 1]
    for column in n_ij.T:
        case = fitted(np.column_stack([column, n_j - column]))
        if case.fit.status[0] == "converged" and case.fit.alpha[0] < 0.1:
            found = claim1.claim1_error(case.statistics, case.fit)
            assert found.predicted[0] == pytest.approx(found.error[0], abs=0.03 * column.sum())


def test_predictions_need_lengths():
    statistics = TermStatistics.from_counts([[2, 8], [0, 12]])
    with pytest.raises(ValueError, match="patterns"):
        claim1.predicted_error(statistics, np.ones(2), np.ones(2))


@pytest.mark.filterwarnings("ignore::termburst.inference.plr.ClampedTermsWarning")
def test_the_plr_is_the_sum_of_likelihood_ratio_error_loss_and_penalty(small):
    statistics, fit = small.statistics, small.fit
    point, theirs = claim1.at_claim2(statistics, fit), penalized_mle(statistics)
    occurs = statistics.collection_frequency > 0
    np.testing.assert_array_equal(point.valid, theirs.valid & occurs)
    log_f = GammaPenalty(statistics.mean_length, 1.0).log_density(theirs.alpha_0[point.valid])
    lr = 2 * (fit.loglik - fit.loglik_binomial)
    whole = (lr + 2 * point.error - 2 * point.loss)[point.valid] + 2 * log_f
    np.testing.assert_allclose(whole, plr_statistic(statistics, form="exact")[point.valid], rtol=1e-9, atol=1e-6)
    assert (point.loss[point.valid] >= -EVERY).all()
    assert (log_f < 0).all()
    excess = plr_statistic(statistics, form="exact") > lr
    assert (point.error[point.valid & excess] > 0).all()
    for column in np.flatnonzero(point.valid)[::10]:
        expected = error_by_document(small.counts, column, theirs.alpha[column], theirs.alpha_not[column])
        assert point.error[column] == pytest.approx(expected, rel=1e-8, abs=1e-7)


def test_each_regime_is_part_of_the_one_before(small):
    fit = small.fit
    inside = fit.status == "converged"
    masks = list(claim1.regimes(small.statistics, fit.alpha[inside], fit.alpha_not[inside]).values())
    for wider, narrower in itertools.pairwise(masks[:5]):
        assert not (narrower & ~wider).any()
    assert (masks[-1] == ~(fit.alpha[inside] < 0.1)).all()


# ---- the rankings


@given(arrays(np.float64, (2, 12), elements=st.integers(0, 5).map(float)))
def test_the_parts_of_the_disagreement_add_up_to_one_minus_spearman(pair):
    if np.ptp(pair, axis=1).min() > 0:
        parts = rankings.disagreement(*pair)
        assert (parts >= 0).all()
        assert 1 - parts.sum() == pytest.approx(stats.spearmanr(*pair)[0], abs=1e-12)


def test_tops_in_common_by_hand():
    x, y = np.array([9.0, 8, 7, 6, 5]), np.array([1.0, 8, 9, 2, 7])
    assert [rankings.overlap(x, y, k) for k in (1, 2, 3, 5, 9)] == [0, 1, 2, 5, 5]


def test_terms_that_never_repeat_have_the_same_lambda_at_any_frequency():
    case = fitted(never_repeating(4))
    ranked = rankings.scores(case.statistics, case.fit)
    distinct = {name: np.unique(values[:-1]).size for name, values in ranked.items()}
    assert distinct[rankings.PRINTED] == distinct[rankings.CORRECTED] == 1
    assert distinct[rankings.EXACT] > 10


def test_scores_do_not_warn_about_clamped_terms():
    case = fitted([[3, 1]] * 40)
    with pytest.warns(ClampedTermsWarning):
        expected = plr_statistic(case.statistics, form="corrected")
    ranked = rankings.scores(case.statistics, case.fit)
    np.testing.assert_allclose(ranked[rankings.CORRECTED], expected, atol=1e-6)
    assert rankings.REASONS[rankings.reasons(case.statistics, case.fit, ranked[rankings.EXACT])[0]].startswith(
        "clamped"
    )


def test_every_term_has_one_reason_and_it_is_true(small):
    statistics, fit = small.statistics, small.fit
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    lr = rankings.scores(statistics, fit)[rankings.EXACT]
    mean = n_i.sum() / statistics.documents
    for column, why in enumerate(rankings.reasons(statistics, fit, lr)):
        if n_i[column] - b_i[column] + 1 >= mean**2:
            expected = 0
        elif n_i[column] == b_i[column]:
            expected = 1 if lr[column] == 0 else 2
        elif lr[column] < 2.71:
            expected = 3
        elif fit.alpha[column] >= 0.1:
            expected = 4
        else:
            expected = 5 if fit.alpha_not[column] <= mean else 6
        assert why == expected, column


def test_terms_in_short_documents_are_over_dispersed():
    """The sign of the derivative of the log-likelihood at the binomial, for terms that never repeat."""
    case = fitted(never_repeating(5))
    theta = case.statistics.collection_frequency / case.statistics.tokens
    short = rankings.in_short_documents(case.statistics)
    gain = beta_binomial_log_likelihood(case.statistics, theta * 1e7, (1 - theta) * 1e7) - case.fit.loglik_binomial
    clear = np.flatnonzero(np.abs(gain[:-1]) > 1e-7)
    assert clear.size > 30
    assert 10 < short[clear].sum() < clear.size - 10
    np.testing.assert_array_equal(short[clear], gain[clear] > 0)


def test_largest_disagreements_by_hand():
    case = fitted([[1, 5, 2, 2, 9], [0, 1, 0, 0, 4]], terms=["e", "d", "c", "b", "a"])
    # ranks by λ 1, 2, 3.5, 3.5, 5; by LR 5, 3, 1.5, 1.5, 4
    ranked = {rankings.CORRECTED: np.array([0.0, 1, 2, 2, 3]), rankings.EXACT: np.array([9.0, 2, 1, 1, 5])}
    everything = np.ones(5, dtype=bool)
    assert rankings.largest_disagreements(case, ranked, everything, 2) == [0, 1, 3, 2]  # "b" before "c"
    # without the first: ranks 1, 2.5, 2.5, 4 and 3, 1.5, 1.5, 4
    assert rankings.largest_disagreements(case, ranked, np.arange(5) > 0, 1) == [1, 3]


# ---- the sections


@pytest.fixture(scope="module")
def made(collections):
    both = SimpleNamespace(fig4=fitted(collections.fig3.counts), fig5=fitted(simulated(6, terms=150)))
    return both, claim1.claim1(both), rankings.rankings(both)


def test_sections_without_data(made):
    for section, name in zip(made[1:], ("claim1", "rankings"), strict=True):
        assert section.name == name
        assert list(section.pictures) == [f"{name}-20newsgroups", f"{name}-r8"]
        assert len({row.item for row in section.rows}) == len(section.rows)
        for row in section.rows:
            assert row.published is None
            assert row.agrees is None
            assert "|" not in row.item
            assert np.isfinite(row.obtained), row
        for word in ("nan", "None", "inf "):
            assert word not in section.text


def test_a_second_run_gives_the_same_result(made):
    both, *sections = made
    for section, again in zip(sections, (claim1.claim1(both), rankings.rankings(both)), strict=True):
        assert again.text == section.text
        assert again.rows == section.rows


def test_all_lines_of_a_table_have_the_same_number_of_cells(made):
    for section in made[1:]:
        blocks = [block for block in section.text.split("\n\n") if block.startswith("|")]
        assert blocks
        for block in blocks:
            assert len({line.count("|") for line in block.splitlines()}) == 1


def test_agreement_rows_are_spearman_and_kendall(made):
    case = made[0].fig5
    rows = {row.item: row.obtained for row in made[2].rows}
    n_i = case.counts.sum(axis=0)
    repeats = n_i > (case.counts > 0).sum(axis=0)
    lr = np.round(2 * (case.fit.loglik - case.fit.loglik_binomial), 6)
    for form in ("printed", "corrected"):
        plr = np.round(plr_statistic(case.counts, form=form), 6)
        for scope, inside in (("all", n_i >= 0), ("repeating", repeats), ("n_i = 10–99", (n_i > 9) & (n_i < 100))):
            expected = stats.spearmanr(plr[inside], lr[inside])[0], stats.kendalltau(plr[inside], lr[inside])[0]
            found = tuple(rows[f"Rankings, R8, {scope}: {letter}(λ {form}, LR)"] for letter in "ρτ")
            assert found == pytest.approx(expected, abs=1e-12)
    shares = [value for item, value in rows.items() if item.startswith("Rankings, R8, reason") and "% of 1 − ρ" in item]
    assert sum(shares) == pytest.approx(200)  # over all terms, and over those that repeat


def test_digits_of_numbers_in_text():
    given_and_shown = {20722.9: "20,720", 2.25154: "2.252", 0.0: "0", 123: "123", 45678: "45,678", 1e-5: "1e-5"}
    assert {given: digits(given) for given in given_and_shown} == given_and_shown
    assert [digits(x) for x in (np.nan, "α", "", np.inf, -1.8378)] == ["–", "α", "", "∞", "−1.838"]


# ---- the data


@pytest.fixture(scope="module")
def on_data(data, collections):
    sections = claim1.claim1(collections), rankings.rankings(collections)
    return {row.item: row.obtained for section in sections for row in section.rows}, sections


@pytest.mark.parametrize("name", ["fig4", "fig5"])
def test_errors_on_the_data_document_by_document(data, collections, name):
    case = getattr(collections, name)
    found, rng = claim1.claim1_error(case.statistics, case.fit), np.random.default_rng(0)
    point, theirs = claim1.at_claim2(case.statistics, case.fit), penalized_mle(case.statistics)
    by_term = case.counts.tocsc()
    sample = np.r_[rng.choice(np.flatnonzero(case.fit.alpha_not[found.column] < 1e5), 12), np.argmax(found.error)]
    for k in sample:
        column = found.column[k]
        alpha, alpha_not = case.fit.alpha[column], case.fit.alpha_not[column]
        expected = error_by_document(by_term, column, alpha, alpha_not)
        assert found.error[k] == pytest.approx(expected, rel=1e-8, abs=1e-5), case.terms[column]
        if point.valid[column]:
            expected = error_by_document(by_term, column, theirs.alpha[column], theirs.alpha_not[column])
            assert point.error[column] == pytest.approx(expected, rel=1e-8, abs=1e-5), case.terms[column]


@pytest.mark.parametrize(("name", "term", "lr"), [("fig4", "cheers", 60.67), ("fig5", "said", 2.2515)])
def test_the_examples_by_another_optimiser(data, collections, name, term, lr):
    case = getattr(collections, name)
    column = case.statistics.index(term)
    n_j = np.asarray(case.counts.sum(axis=1)).ravel()
    n_ij = case.counts[:, [column]].toarray().ravel()[n_j > 0]
    n_j = n_j[n_j > 0]

    def negative(x):
        return -stats.betabinom.logpmf(n_ij, n_j, *np.exp(x)).sum()

    start = np.log([case.fit.alpha[column] * 1.2, case.fit.alpha_not[column] / 1.2])
    best = optimize.minimize(negative, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    plain = stats.binom.logpmf(n_ij, n_j, n_ij.sum() / n_j.sum()).sum()
    assert 2 * (-best.fun - plain) == pytest.approx(lr, abs=0.005)
    assert rankings.scores(case.statistics, case.fit)[rankings.EXACT][column] == pytest.approx(lr, abs=0.005)


def test_key_figures(on_data):
    for item, newsgroups, r8 in [
        ("Claim 1, {}: interior fits", 49988, 12023),
        ("Claim 1, {}: error within ±1, % of terms", 51.05, 41.06),
        ("Claim 1, {}: error beyond the evidence, % of terms that never repeat", 100, 100),
        ("Claim 1, {}: error beyond the evidence, % of terms that repeat", 3.133, 2.418),
        ("Claim 1, {}: error per occurrence as predicted, R²", 0.99993, 0.9984),
        ("Claim 1, {}: error per occurrence at Claim 2, median", 1.114, 0.6857),
        ("Claim 1, {}: bursts beat the binomial at Claim 2 by Claim 1, % of terms that repeat", 100, 100),
        ("Claim 1, {}: bursts beat the binomial at Claim 2 exactly, % of terms that repeat", 80.24, 80.65),
        ("Claim 1, {}, α̂_i < 0.1, α̂_¬i > 10 × longest document: that repeat", 0, 0),
        ("Claim 1, {}, α̂_i < 0.1, α̂_¬i > 10 × longest document: error within ±0.1, %", 100, 100),
        ("Rankings, {}: never repeating, % of terms", 67.82, 63.10),
        ("Rankings, {}: LR > 0 just where documents are short, % of terms that never repeat", 99.96, 99.80),
        ("Rankings, {}: rank by λ above rank by LR, Spearman with document length", 0.7886, 0.7665),
        ("Rankings, {}: clamped terms", 5, 3),
        ("Rankings, {}, all: ρ(λ corrected, LR)", 0.8389, 0.8868),
        ("Rankings, {}, all: τ(λ corrected, LR)", 0.7414, 0.7993),
        ("Rankings, {}, repeating: ρ(λ printed, LR)", 0.9292, 0.9005),
        ("Rankings, {}, n_i ≥ 1,000: ρ(λ corrected, LR)", 0.8638, 0.3448),
        ("Rankings, {}: top 100 in common, λ corrected and LR", 57, 61),
        ("Rankings, {}: top 100 in common, α̂_i < 0.1", 83, 80),
        ("Rankings, {}: top 100 by λ only, α̂_i ≥ 0.1", 43, 39),
    ]:
        assert on_data[0][item.format("20 Newsgroups")] == pytest.approx(newsgroups, rel=2e-4)
        assert on_data[0][item.format("R8")] == pytest.approx(r8, rel=2e-4)


def test_where_claim_1_is_accurate_no_term_is_bursty(on_data):
    """The conclusion in plain words, from the two rows of the table that it cites."""
    rows, (section, _) = on_data
    off = []
    for name in ("20 Newsgroups", "R8"):
        near, far = f"Claim 1, {name}, {claim1.LONGEST}", f"Claim 1, {name}, α̂_i < 0.1, α̂_¬i > 10 × longest document"
        assert rows[f"{far}: error within ±0.1, %"] == 100
        assert rows[f"{far}: that repeat"] == 0
        assert rows[f"{far}: largest LR"] < 0.001
        assert rows[f"{near}: that repeat"] > 300
        assert rows[f"{near}: largest LR"] > rankings.EVIDENCE
        off.append(rows[f"{near}: absolute error over ½ LR, median of those that repeat"])
    assert off == pytest.approx([0.5064, 0.4426], abs=5e-5)
    words = section.text.partition("**In plain words.**")[2]
    assert "α_¬i ten times beyond the longest document, Claim 1 is accurate" in words
    assert "0.5064 of it for the 367 of 20 Newsgroups and 0.4426 of it for the 700 of R8" in words


def test_the_picture_ranks_by_the_corrected_form(made):
    for figure in made[2].pictures.values():
        left = figure.axes[0]
        assert (left.get_xlabel(), left.get_ylabel()) == ("rank by λ corrected", "rank by LR")


def test_the_text_names_terms_and_their_ranks(on_data):
    rankings = on_data[1][1]
    for words in (
        "“cheers”, with 110 occurrences",
        "“said” is number 8 by λ (20,720) and number 7,263 by LR (2.252)",
        "“the” (1)",
    ):
        assert words in rankings.text
    assert rankings.text.count(", λ corrected.** ") == 2
