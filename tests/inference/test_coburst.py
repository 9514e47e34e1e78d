"""Co-bursts: exact tails against fractions and permutations, size under independence, power on planted pairs."""

import itertools
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termburst import TermStatistics, fit_beta_binomial
from termburst.inference import coburst as coburst_module
from termburst.inference.coburst import EVENTS, Null, burst_documents, coburst, length_strata
from termburst.inference.multiplicity import adjust
from termburst.models.polya_urn import PolyaUrn

STRATA = st.lists(
    st.integers(1, 9).flatmap(lambda N: st.tuples(st.just(N), st.integers(0, N), st.integers(0, N))),
    min_size=1,
    max_size=4,
)


def null_of(strata):
    """The null distribution of two terms from (N_g, m_1g, m_2g) of each stratum."""
    size, first, second = np.array(strata, dtype=float).T
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(size.max() + 1), 1)))
    return Null(size, np.stack([first, second]), log_factorial)


def distribution(strata):
    """P(T = t) in fractions: a convolution of hypergeometric distributions."""
    total = {0: Fraction(1)}
    for N, a, b in strata:
        here = {
            x: Fraction(comb(a, x) * comb(N - a, b - x), comb(N, b)) for x in range(max(0, a + b - N), min(a, b) + 1)
        }
        total = {
            t: sum((p * here[t - x] for x, p in total.items() if t - x in here), Fraction(0))
            for t in {x + y for x in total for y in here}
        }
    return total


# ---- the null distribution


@given(strata=STRATA)
def test_tails_equal_fractions(strata):
    null, truth = null_of(strata), distribution(strata)
    for t in range(-1, max(truth) + 2):
        tail, point = (float(np.exp(value)) for value in null.log_tail(0, 1, t))
        assert tail == pytest.approx(float(sum(p for x, p in truth.items() if x >= t)), rel=1e-11, abs=1e-300)
        assert point == pytest.approx(float(truth.get(t, 0)), rel=1e-11, abs=1e-300)
    mean = sum(x * p for x, p in truth.items())
    assert null.mean(0, 1) == pytest.approx(float(mean))
    assert null.variance(0, 1) == pytest.approx(float(sum((x - mean) ** 2 * p for x, p in truth.items())), abs=1e-12)


@pytest.mark.parametrize("strata", [[(2000, 400, 380)], [(400, 150, 140), (1200, 280, 270), (40, 30, 8)]])
def test_tails_far_beyond_floats_equal_fractions(strata):
    null, truth = null_of(strata), distribution(strata)
    most = max(truth)
    for t in (most // 4, most // 2, most - 20, most - 1, most):
        exact = sum(p for x, p in truth.items() if x >= t)
        expected = log(exact.numerator) - log(exact.denominator)
        assert null.log_tail(0, 1, t)[0] == pytest.approx(expected, rel=1e-11)
    assert null.log_tail(0, 1, most)[0] < -760  # p below 1e-330, which is 0 in floating point


def test_one_stratum_is_fisher_s_exact_test():
    table = np.array([[6, 3], [5, 40]])
    null = null_of([(54, 9, 11)])
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    assert np.exp(null.log_tail(0, 1, 6)[0]) == pytest.approx(expected, rel=1e-12)


def test_p_is_that_of_all_permutations_within_strata():
    """Six documents in two strata of three: all 36 ways to permute the second term's bursts."""
    first, second, strata = np.array([1, 0, 1, 0, 1, 1]), np.array([1, 1, 0, 0, 1, 1]), np.repeat([0, 1], 3)
    counts = [
        first @ np.concatenate([second[list(a)], second[list(b)]])
        for a in itertools.permutations(range(3))
        for b in itertools.permutations(range(3, 6))
    ]
    null = Null.of(sp.csc_matrix(np.column_stack([first, second])), strata)
    for t in range(5):
        assert np.exp(null.log_tail(0, 1, t)[0]) == pytest.approx(np.mean(np.array(counts) >= t))


@pytest.mark.slow
def test_p_agrees_with_sampled_permutations():
    """(1 + #{T* ≥ T})/(B + 1) of pairs of 20 simulated terms, B = 4,000."""
    rng = np.random.default_rng(0)
    n_j = lengths(rng, 600)
    bursts = simulated_bursts(n_j, 20, rng)
    strata = length_strata(n_j, 10)
    null, dense, draws = Null.of(bursts, strata), bursts.toarray(), 4000
    reached = np.zeros((20, 20))
    observed = dense.T @ dense
    for _ in range(draws):
        permuted = dense[np.lexsort((rng.random(n_j.size), strata))]
        reached += dense[np.argsort(strata, kind="stable")].T @ permuted >= observed
    i, k = np.triu_indices(20, 1)
    sampled = (1 + reached[i, k]) / (draws + 1)
    exact = np.exp([null.log_tail(a, b, int(observed[a, b]))[0] for a, b in zip(i, k, strict=True)])
    assert (np.abs(sampled - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws).all()


# ---- what a burst is


def test_a_burst_is_what_the_beta_binomial_explains_better():
    rng = np.random.default_rng(1)
    X = PolyaUrn([0.1, 0.5, 4.0, 20.0], 1.0).sample(rng.integers(1, 200, 300), rng)
    fit, n_j = fit_beta_binomial(X), np.asarray(X.sum(axis=1)).ravel()
    found = burst_documents(X, np.arange(4), fit).toarray()
    for i in range(4):
        n_i = X[:, [i]].toarray().ravel()
        better = stats.betabinom.logpmf(n_i, n_j, fit.alpha[i], fit.alpha_not[i]) > 1e-9 + stats.binom.logpmf(
            n_i, n_j, fit.mean[i]
        )
        np.testing.assert_array_equal(found[:, i], better & (n_i > n_j * fit.mean[i]))
    assert found.sum() > 100


@pytest.mark.slow
def test_once_is_never_a_burst():
    mean, alpha_0, n = np.meshgrid(np.logspace(-7, -0.01, 80), np.logspace(-4, 6, 60), np.arange(1, 400))
    above = n * mean < 1
    mean, alpha_0, n = mean[above], alpha_0[above], n[above]
    gain = stats.betabinom.logpmf(1, n, mean * alpha_0, (1 - mean) * alpha_0) - stats.binom.logpmf(1, n, mean)
    assert gain.max() < 1e-6  # SciPy's rounding at α_0 = 1e6


def test_strata_have_equal_tokens_and_keep_equal_lengths_together():
    n_j = lengths(np.random.default_rng(2), 5000)
    strata = length_strata(n_j, 20)
    tokens = np.bincount(strata, weights=n_j)
    assert strata.max() == 19
    np.testing.assert_allclose(tokens, n_j.sum() / 20, rtol=0.25)
    order = np.argsort(n_j)
    assert (np.diff(strata[order]) >= 0).all()
    assert len(set(zip(n_j.tolist(), strata.tolist(), strict=True))) == len(set(n_j.tolist()))


# ---- size and power


def lengths(rng, documents, spread=0.9):
    """Unequal as those of R8 (spread 0.9) or of 20 Newsgroups (1.2): log-normal, of mean about 90."""
    return 1 + rng.lognormal(np.log(60), spread, documents).astype(np.int64)


def simulated_bursts(n_j, terms, rng, preference=0.0, event="burst"):
    """The events of independent beta-binomial terms, whose shares grow with the length to the power *preference*."""
    columns = []
    for _ in range(terms):
        mean, alpha_0 = 10 ** rng.uniform(-3.5, -2.3), 10 ** rng.uniform(0.5, 2.5)
        share = rng.beta(mean * alpha_0, (1 - mean) * alpha_0, n_j.size)
        n_i = rng.binomial(n_j, np.minimum(share * (n_j / n_j.mean()) ** preference, 0.5))
        pair = sp.csr_matrix(np.column_stack([n_i, n_j - n_i]))
        columns.append(EVENTS[event](pair, np.array([0]), fit_beta_binomial(pair)))
    return sp.hstack(columns).tocsc()


def p_values(bursts, strata, rng):
    """The exact p of all pairs, and the randomised one, which is uniform if all is well."""
    null, together = Null.of(bursts, strata), (bursts.T @ bursts).toarray()
    pairs = itertools.combinations(range(bursts.shape[1]), 2)
    tail, point = np.exp([null.log_tail(i, k, int(together[i, k])) for i, k in pairs]).T
    return tail, tail - rng.random(tail.size) * point


@pytest.mark.slow
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(("spread", "preference"), [(0.9, 0.0), (0.9, 1.0), (1.2, 0.0), (1.2, 0.5)])
def test_size_of_independent_terms(event, spread, preference):
    """1,035 pairs; margins of four binomial standard deviations. Length alone makes no pair."""
    rng = np.random.default_rng(3)
    n_j = lengths(rng, 4000, spread)
    exact, randomised = p_values(simulated_bursts(n_j, 46, rng, preference, event), length_strata(n_j, 20), rng)
    for level in (0.05, 0.01):
        margin = 4 * np.sqrt(level * (1 - level) / exact.size)
        assert (exact <= level).mean() <= level + margin
        assert (randomised <= level).mean() == pytest.approx(level, abs=margin)


def test_without_strata_length_alone_would_make_pairs():
    rng = np.random.default_rng(4)
    n_j = lengths(rng, 4000)
    exact, _ = p_values(simulated_bursts(n_j, 30, rng, preference=1.0), np.zeros(n_j.size, dtype=np.int64), rng)
    assert (exact <= 0.05).mean() > 0.2


def urn_with_pairs(pairs, together, seed, documents=1500, mean=1e-3):
    """Terms 0 and 1, 2 and 3 …: a token of one adds the mass *together* to the other, 1 − together to itself."""
    m = 2 * pairs + 1
    alpha = np.full(m, 100 * mean)
    alpha[-1] = 100 - alpha[:-1].sum()
    partner = np.append(np.arange(2 * pairs) ^ 1, m - 1)
    M = (1 - together) * sp.eye_array(m) + together * sp.csr_array((np.ones(m), (np.arange(m), partner)), shape=(m, m))
    rng = np.random.default_rng(seed)
    return PolyaUrn(alpha, M).sample(lengths(rng, documents), rng)


@pytest.mark.slow
@pytest.mark.parametrize(("event", "least"), [("burst", 0.7), ("occurrence", 0.95)])
def test_power_on_planted_pairs(event, least):
    X = urn_with_pairs(20, 0.4, seed=5)
    planted = [(2 * q, 2 * q + 1) for q in range(20)]
    apart = [(2 * q, 2 * k + 1) for q in range(20) for k in range(20) if q != k]
    assert (coburst(X, planted, event=event).p_value <= 0.01).mean() >= least
    assert (coburst(X, apart, event=event).p_value <= 0.01).mean() <= 0.025


def test_planted_pairs_come_out_on_top():
    X = urn_with_pairs(20, 0.5, seed=6, documents=3000)
    found = coburst(X, top=10)
    assert found.tested == 41 * 40 // 2
    assert all(b == a ^ 1 for a, b in zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert (found.q_value < 0.01).all()


# ---- the function


def test_top_pairs_are_the_smallest_of_all_pairs():
    X = urn_with_pairs(15, 0.3, seed=7)
    every = coburst(X, itertools.combinations(range(31), 2))
    top = coburst(X, top=25, min_documents=0, min_count=0)
    assert top.tested == every.tested == 31 * 30 // 2
    np.testing.assert_allclose(top.log10_p, np.sort(every.log10_p)[:25], rtol=1e-10)
    assert (np.diff(top.p_value) >= 0).all()
    np.testing.assert_allclose(every.q_value, adjust(every.p_value), rtol=1e-9)
    np.testing.assert_allclose(top.p_value, 10.0**top.log10_p)


def test_pairs_keep_their_order_and_the_order_of_documents_does_not_matter():
    X = urn_with_pairs(5, 0.4, seed=8, documents=400)
    terms = list("abcdefghijk")
    pairs = [("c", "d"), ("a", "k"), ("d", "c"), (0, 1)]
    found = coburst(X, pairs, terms=terms)
    assert [terms[k] for k in found.first] == ["c", "a", "d", "a"]
    assert [terms[k] for k in found.second] == ["d", "k", "c", "b"]
    assert found.log10_p[0] == pytest.approx(found.log10_p[2])
    shuffled = X[np.random.default_rng(0).permutation(X.shape[0])]
    for other in (shuffled, X.tocsc(), X.toarray(), sp.csr_array(X)):
        again = coburst(other, pairs, terms=terms)
        for field in fields(found):
            np.testing.assert_allclose(getattr(again, field.name), getattr(found, field.name), rtol=1e-8, atol=1e-12)
    with pytest.raises(FrozenInstanceError):
        found.tested = 3


def test_counts_and_moments_are_those_of_the_documents(monkeypatch):
    monkeypatch.setattr(coburst_module, "STRATA", 1)
    X = urn_with_pairs(5, 0.4, seed=9, documents=400)
    found = coburst(X, [(0, 1), (2, 5)], event="occurrence")
    dense = X.toarray() > 0
    for row, (i, k) in enumerate([(0, 1), (2, 5)]):
        a, b, N = dense[:, i].sum(), dense[:, k].sum(), 400
        assert found.shared[row] == (dense[:, i] & dense[:, k]).sum()
        assert (found.first_documents[row], found.second_documents[row]) == (a, b)
        law = stats.hypergeom(N, a, b)
        assert found.expected[row] == pytest.approx(law.mean())
        assert found.p_value[row] == pytest.approx(law.sf(found.shared[row] - 1), rel=1e-10)


def test_terms_that_never_burst_make_no_pairs():
    X = np.tile([1, 2, 7], (30, 1))  # as even as can be: the binomial is the best fit
    assert coburst(X).tested == 0
    assert coburst(X).p_value.shape == (0,)
    found = coburst(X, [(0, 1)])
    assert (found.shared[0], found.expected[0], found.p_value[0]) == (0, 0, 1)
    assert coburst(X, []).tested == 0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([(0, 9)],), {}, "a term of a pair must be a column from 0 to 2; got 9"),
        (([("a", "x")],), {"terms": ["a", "b", "c"]}, "or one of the terms; got 'x'"),
        ((["ab"],), {}, "a pair must be two terms; got 'ab'"),
        (([(1, 1)],), {}, "a pair must be two different terms"),
        (([1, 2],), {}, "a pair must be two terms; got 1"),
        ((3,), {}, "pairs must be a list of pairs of terms; got 3"),
        (("ab",), {}, "pairs must be a list of pairs of terms; got 'ab'"),
        (([([1], 2)],), {}, r"a term of a pair must be a column from 0 to 2; got \[1\]"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        coburst([[1, 2, 0], [3, 0, 1]], *arguments, **options)


def test_statistics_have_no_documents():
    with pytest.raises(ValueError, match="statistics do not keep which document contains what"):
        coburst(TermStatistics.from_counts([[1, 2]], detail="patterns"))


# ---- real text


def test_20_newsgroups(fig4):
    X, terms = fig4[0], np.asarray(fig4[1], dtype=object)
    found = coburst(X, top=60)
    pairs = {frozenset(pair) for pair in zip(terms[found.first], terms[found.second], strict=True)}
    for pair in ("god jesus", "israel israeli", "armenian turkish", "los angeles", "key keys", "space nasa"):
        assert frozenset(pair.split()) in pairs
    assert found.tested == 2000 * 1999 // 2
    assert found.q_value.max() < 1e-15


@pytest.mark.parametrize("event", ["burst", "occurrence"])
def test_empty_documents_change_nothing(event):
    """No term could have been in them."""
    rng = np.random.default_rng(8)
    X = rng.poisson(rng.gamma(0.3, 2.0, (200, 12)))
    pairs = [(i, k) for i in range(12) for k in range(i)]
    found = coburst(X, pairs, event=event)
    padded = coburst(np.vstack([X, np.zeros((300, 12), int)]), pairs, event=event)
    np.testing.assert_allclose(padded.p_value, found.p_value, rtol=1e-12)
    np.testing.assert_allclose(padded.expected, found.expected, rtol=1e-12)


def test_documents_without_tokens_are_refused():
    with pytest.raises(ValueError, match="all documents are empty: there is nothing to test"):
        coburst(np.zeros((3, 2), dtype=int))
