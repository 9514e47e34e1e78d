"""Keyness: its reference by enumeration, exact convolution and SciPy's beta-binomial; sizes under the null, and
power.
"""

import itertools
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import optimize, special, stats
from termburst.core.bursts import burst, length_classes, mid_p
from termburst.inference.group_permutation import permuted_p
from termburst.models.fit_groups import KAPPA

from helpers.simulated import cells_of_columns, lengths_like_r8
from termburst import TermStatistics
from termburst.inference import keyness as module
from termburst.inference import keyness_measures as measures
from termburst.inference import keyness_tests as rivals
from termburst.inference.keyness import METHODS, OWN_PRECISION, compare, keyness, keyness_groups
from termburst.models.cells import term_cells

NEAR = 0.05  # standard deviations within which two sums count as equal; as in core/burst_sums.c
BANDS = ((5, 19), (20, 99), (100, 999), (1000, 4000))


def burst_score(c, alpha, bound, kappa):
    """The kernel's score, with documents of one length n such that n/(α_0 + n) is *bound*."""
    n = 1e7
    alpha_0 = n * (1 - bound) / bound if bound else np.inf
    return burst(length_classes(np.array([n]), np.ones((1, 2))), int(c), alpha, alpha_0, 1e-9, kappa)[1]


def beta_binomials(rng, n_j, mean, alpha_0):
    """Documents × terms: independent terms, each with its own mean and precision."""
    mean, alpha_0 = np.broadcast_arrays(mean, alpha_0)
    return rng.binomial(n_j[:, None], rng.beta(alpha_0 * mean, alpha_0 * (1 - mean), (n_j.size, mean.size)))


def text_like(rng, n_j, band, terms):
    """Terms with frequencies of the given band, and with precisions like those of real texts."""
    target = np.exp(rng.uniform(*np.log(band), terms))
    counts = beta_binomials(rng, n_j, target / n_j.sum(), np.exp(rng.normal(4.1, 1.2, terms)))
    n_i = counts.sum(axis=0)
    return counts[:, (n_i >= band[0]) & (n_i <= band[1])]


def corpora(counts, n_j, in_a):
    return cells_of_columns(counts[in_a], n_j[in_a]), cells_of_columns(counts[~in_a], n_j[~in_a])


# ---- the reference that is conditional on the bursts


def p_by_tails(values, chances, t, bursts):
    """Blaker's p of outcome t, from all outcomes: what has a smaller tail, and half of what has about the same.

    Sums within NEAR standard deviations are equal, and so are tails within 10 %. With few bursts p is at least the
    ordinary p over 1.3 (up to three bursts) to 2 (from twelve on).
    """
    values, chances = np.asarray(values, dtype=float), np.asarray(chances, dtype=float)
    near = NEAR * np.sqrt(chances @ (values - chances @ values) ** 2)

    def lower_tail(x, sign):
        return chances[sign * (values - x) < -near].sum() + chances[np.abs(values - x) <= near].sum() / 2

    side = min((1, -1), key=lambda sign: lower_tail(t, sign))
    tail = lower_tail(t, side)
    tails = np.array([lower_tail(x, -side) for x in values])
    own, further = side * (values - t) <= near, side * (values - t) < -near
    smaller = chances[further | (~own & (tails <= 0.9 * tail))].sum()
    reached = chances[own | (tails <= 1.1 * tail)].sum()
    return min(max((smaller + reached) / 2, reached / np.interp(bursts, [3, 12], [1.3, 2.0])), 1.0)


def p_by_listing(scores, shares, in_first):
    """The same over all 2^b assignments of independent bursts."""
    ways = np.array(list(itertools.product((0.0, 1.0), repeat=len(scores))))
    chances = np.prod(np.where(ways > 0, shares, 1 - shares), axis=1)
    return p_by_tails(ways @ scores, chances, float(scores @ in_first), len(scores))


def burst_scores(rng, bursts, alpha):
    sizes = np.minimum(rng.geometric(0.6, bursts), 5)
    return np.array([sum(alpha / (alpha + q) for q in range(c)) for c in sizes]), sizes


@pytest.mark.parametrize("bursts", [1, 2, 3, 6, 9, 11])
def test_mid_p_by_listing_all_assignments(bursts):
    rng = np.random.default_rng(bursts)
    for alpha in (0.01, 0.4, 30.0):
        scores, sizes = burst_scores(rng, bursts, alpha)
        shares = rng.uniform(0.05, 0.95, 6)[sizes]
        for _ in range(2):
            in_first = rng.random(bursts) < shares
            p, least = mid_p(scores, shares, in_first)
            assert p == pytest.approx(p_by_listing(scores, shares, in_first), abs=1e-12)
            ends = [p_by_listing(scores, shares, np.full(bursts, end)) for end in (False, True)]
            assert least == pytest.approx(min(*ends, p), abs=1e-12)
            assert 0 < least <= p <= 1


def exact_distribution(scores, shares):
    """T's distribution in rational numbers: {value: probability}."""
    found = {Fraction(0): Fraction(1)}
    for score, share in zip(scores, shares, strict=True):
        grown = {}
        for value, chance in found.items():
            for more, of_that in ((Fraction(0), 1 - share), (score, share)):
                grown[value + more] = grown.get(value + more, Fraction(0)) + chance * of_that
        found = grown
    return found


def exact_p(scores, shares, in_first):
    """The same in rational numbers, for scores and shares that are."""
    found = exact_distribution(scores, shares)
    observed = sum(s for s, i in zip(scores, in_first, strict=True) if i)
    return p_by_tails(list(found), [float(chance) for chance in found.values()], float(observed), len(scores))


@pytest.mark.parametrize("bursts", [12, 19, 23, 60, 400])
def test_mid_p_where_all_bursts_are_in_one_corpus(bursts):
    """p is half the probability of the farthest outcome, plus half of that of outcomes within NEAR of it: never 0."""
    rng = np.random.default_rng(bursts)
    for alpha in (0.05, 0.6, 2.5, 40.0):
        scores, sizes = burst_scores(rng, bursts, alpha)
        shares = rng.uniform(0.2, 0.3, 6)[sizes]
        p, least = mid_p(scores, shares, np.ones(bursts, dtype=bool))
        assert float(np.prod(shares)) / 2 * 0.999 <= p < 10 * bursts * float(np.prod(shares))
        assert least == p
        flipped, _ = mid_p(scores, 1 - shares, np.zeros(bursts, dtype=bool))
        assert flipped == pytest.approx(p, rel=1e-9, abs=0)


def test_mid_p_where_every_score_is_rounded_up():
    """22 scores of 32.56 steps each are 33 on the lattice, together ten steps more than their sum."""
    scores, shares = np.array([1.0, *[1.0175] * 22]), np.full(23, 0.25)
    p, _ = mid_p(scores, shares, np.ones(23, dtype=bool))
    assert p == pytest.approx(0.25**23 / 2, rel=1e-9, abs=0)


@pytest.mark.parametrize("bursts", [12, 13, 14, 15])
def test_mid_p_by_exact_convolution(bursts):
    """Beyond eleven bursts scores are on a lattice: the error is tiny, and 0 if all scores are equal."""
    rng = np.random.default_rng(bursts)
    errors = []
    for denominator in (1, 7, 10):
        for _ in range(6):
            scores = [Fraction(int(k), denominator) for k in rng.integers(denominator, 2 * denominator + 1, bursts)]
            shares = [Fraction(int(k), 20) for k in rng.integers(2, 15, bursts)]
            in_first = rng.random(bursts) < np.array(shares, dtype=float)
            p, _ = mid_p(np.array(scores, dtype=float), np.array(shares, dtype=float), in_first)
            errors.append(abs(p - exact_p(scores, shares, in_first)))
        alike = [Fraction(denominator)] * bursts
        p, _ = mid_p(np.array(alike, dtype=float), np.array(shares, dtype=float), in_first)
        assert p == pytest.approx(exact_p(alike, shares, in_first), abs=1e-12)
    assert np.median(errors) < 1e-3
    assert max(errors) < 0.03  # a value that the lattice moves from one side of "equal" to the other


@pytest.mark.slow
@pytest.mark.parametrize(("bursts", "share"), [(40, 0.1), (150, 0.05), (600, 0.01), (1500, 0.004), (4000, 0.0015)])
def test_mid_p_of_many_bursts_of_which_few_are_expected_in_a(bursts, share):
    """A small text against a large corpus: the sum of two binomials times their scores, convolved without rounding."""
    rng = np.random.default_rng(bursts)
    twice = bursts // 4
    shares = np.repeat([share, 1.5 * share], [bursts - twice, twice])
    errors = []
    for second in (1.0, 1.3, 1.9):
        scores = np.repeat([1.0, second], [bursts - twice, twice])
        single, double = np.arange(60), np.arange(60)
        mass = np.outer(stats.binom.pmf(single, bursts - twice, share), stats.binom.pmf(double, twice, 1.5 * share))
        values = single[:, None] + second * double
        for many in (0.3, 1.0, 2.5):
            in_first = rng.random(bursts) < many * shares
            expected = p_by_tails(values.ravel(), mass.ravel(), float(scores @ in_first), bursts)
            errors.append(abs(mid_p(scores, shares, in_first)[0] - expected))
    assert np.median(errors) < 0.01
    assert max(errors) < 0.05


def shares_by_scipy(c, n_j, in_a, alpha, alpha_0):
    """P(burst of size c falls into A), document by document."""
    if np.isinf(alpha_0):
        weight = stats.binom.pmf(c, n_j, alpha)  # *alpha* is the mean then
    else:
        weight = stats.betabinom.pmf(c, n_j, alpha, alpha_0 - alpha)
    return weight[in_a].sum() / weight.sum()


@pytest.mark.parametrize("alpha_0", [2.0, 50.0, 3_000.0, 1e6, 1e9, np.inf])
def test_shares_of_a_burst_by_scipy_s_beta_binomial(alpha_0):
    """Documents are in classes of similar length: the error is below 1e-3 on lengths like those of R8, longer in A."""
    rng = np.random.default_rng(1)
    n_j = lengths_like_r8(rng, 3000)
    assert np.unique(n_j).size > 200
    in_a = rng.random(3000) < special.expit((np.log(n_j) - 4.5) * 2)
    empty = np.zeros((3000, 1), int)
    lengths, documents = module._length_classes(corpora(empty, n_j, in_a))
    assert documents.sum(axis=0).tolist() == [in_a.sum(), (~in_a).sum()]
    np.testing.assert_allclose(lengths @ documents.sum(axis=1), n_j.sum())
    assert lengths.size < 160
    classes = length_classes(lengths, documents)
    for c in (1, 2, 3, 7, 12, 20):
        for mean in (1e-5, 1e-3, 0.05):
            alpha = mean if np.isinf(alpha_0) else alpha_0 * mean
            code_alpha = np.inf if np.isinf(alpha_0) else alpha
            out, _ = burst(classes, c, code_alpha, alpha_0, mean, 0.5)
            assert out.sum() == pytest.approx(1, abs=1e-12)
            assert out[0] == pytest.approx(shares_by_scipy(c, n_j, in_a, alpha, alpha_0), abs=1e-3)


def test_shares_are_those_of_real_lengths(r8):
    n_j = np.asarray(r8.train.sum(axis=1)).ravel()
    n_j = n_j[n_j > 0]
    in_a = np.argsort(np.argsort(-n_j, kind="stable")) < n_j.size // 10
    empty = np.zeros((n_j.size, 1), int)
    lengths, documents = module._length_classes(corpora(empty, n_j, in_a))
    classes = length_classes(lengths, documents)
    for c, alpha, alpha_0 in itertools.product((1, 2, 5, 20), (1e-3, 0.1), (20.0, 500.0)):
        out, _ = burst(classes, c, alpha, alpha_0, alpha / alpha_0, 0.5)
        assert out[0] == pytest.approx(shares_by_scipy(c, n_j, in_a, alpha, alpha_0), abs=1e-3)


def test_a_burst_that_is_nearly_all_of_its_document():
    """Longer than the mean of its class of lengths, it still has a share, and p is conditional as for its
    neighbours.
    """
    X = np.array([[118, 1], *[[0, 100 + i % 12] for i in range(60)], [0, 115], [0, 116]])
    parts = [term_cells(X[k::3]) for k in range(3)]
    found = keyness(term_cells(X[::2]), term_cells(X[1::2]))
    assert found.reference[0] == "conditional"
    assert 0.2 < found.p_value[0] <= 1
    assert keyness_groups(parts).p_value[0] > 0.2


@pytest.mark.parametrize("kappa", [0.0, 0.5, 1.0])
def test_the_burst_s_score_is_the_derivative_of_its_log_probability(kappa):
    """In log π with α_0 ∝ π^−κ, against that of a document without the term; π is so small that its square is not."""
    mean, n, step = 1e-7, 60, 1e-4
    for c, alpha_0 in itertools.product((1, 2, 5, 30), (0.5, 30.0, 4e3, 1e8)):

        def gained(log_change, c=c, alpha_0=alpha_0):
            precision = alpha_0 * np.exp(-kappa * log_change)
            a = precision * mean * np.exp(log_change)
            rest = special.gammaln(n - c + precision - a) - special.gammaln(n + precision - a)
            return special.gammaln(c + a) - special.gammaln(a) + rest

        expected = (gained(step) - gained(-step)) / (2 * step)
        bound = np.mean([x / (alpha_0 + x) for x in range(n - c, n)])  # of which n/(α_0 + n) is the limit
        assert burst_score(c, alpha_0 * mean, bound, kappa) == pytest.approx(expected, rel=2e-2, abs=1e-6)
        assert burst_score(c, np.inf, 0.0, kappa) == c


def test_the_shares_come_with_how_much_of_the_precision_length_takes_up():
    rng = np.random.default_rng(5)
    n_j = rng.integers(3, 60, 200).astype(float)
    lengths, documents = np.unique(n_j, return_counts=True)
    for alpha_0, mean, c in ((5.0, 0.02, 2), (80.0, 0.01, 1)):
        chance = stats.betabinom.pmf(c, n_j, alpha_0 * mean, alpha_0 * (1 - mean))
        classes = length_classes(lengths, np.column_stack([documents, documents]).astype(float))
        score = burst(classes, c, alpha_0 * mean, alpha_0, mean, 1.0)[1]  # at κ = 1 it is c (1 − that)
        assert 1 - score / c == pytest.approx(chance @ (n_j / (alpha_0 + n_j)) / chance.sum(), rel=1e-10)


def mean_bound(c, n_j, alpha, alpha_0):
    """E[n_j/(α_0 + n_j) | c] by SciPy."""
    chance = stats.betabinom.pmf(c, n_j, alpha, alpha_0 - alpha)
    return chance @ (n_j / (alpha_0 + n_j)) / chance.sum()


def expected_bursts(found, i, in_corpora):
    """The number of term i's bursts that either corpus can expect, by SciPy."""
    inside = found.null.status[i] == "converged"
    n_j = np.concatenate([np.repeat(c.lengths, c.length_documents) for c in in_corpora])
    in_a = np.arange(n_j.size) < in_corpora[0].length_documents.sum()
    alpha_0 = found.null.alpha_0[i] if inside else np.inf
    alpha = found.null.alpha[i] if inside else found.null.mean[i]
    bursts = np.concatenate([c.count[c.indptr[i] : c.indptr[i + 1]] for c in in_corpora])
    shares = np.array([shares_by_scipy(c, n_j, in_a, alpha, alpha_0) for c in bursts])
    in_first = np.arange(bursts.size) < in_corpora[0].b_i[i]
    bound = [mean_bound(c, n_j, alpha, alpha_0) if inside else 0.0 for c in bursts]
    scores = np.array(
        [burst_score(c, alpha if inside else np.inf, e, KAPPA) for c, e in zip(bursts, bound, strict=True)]
    )
    return min(shares.sum(), (1 - shares).sum()), scores, shares, in_first


@pytest.mark.slow
def test_which_reference_and_its_p_from_first_principles():
    """Conditional where either corpus expects fewer than six bursts; and then p is the mid-p of SciPy's shares."""
    rng = np.random.default_rng(3)
    n_j = lengths_like_r8(rng, 400)
    in_a = rng.random(400) < 0.3
    counts = beta_binomials(rng, n_j, np.exp(rng.uniform(-9, -5.5, 60)), np.exp(rng.uniform(1, 8, 60)))
    counts = counts[:, counts.sum(axis=0) > 0]
    both = corpora(counts, n_j, in_a)
    found, p = compare(*both), keyness(*both, confidence=None)
    for i in range(counts.shape[1]):
        fewest, scores, shares, in_first = expected_bursts(found, i, both)
        if abs(fewest - 6) > 0.05:
            assert (p.reference[i] == "conditional") == (fewest < 6)
        if p.reference[i] == "chi2":
            assert p.p_value[i] == pytest.approx(stats.f.sf(p.statistic[i], 1, 398), rel=1e-9)
        elif 1 < len(scores) <= 11 and p.statistic[i] > 1e-6:
            assert p.p_value[i] == pytest.approx(p_by_listing(scores, shares, in_first), abs=0.02)
    assert (p.reference == "conditional").sum() > 10
    assert (p.reference == "chi2").sum() > 10


def test_few_long_documents_expect_few_bursts_however_many_tokens_they_have():
    """One document of 20,000 tokens can have one burst only: χ²_1 is not used, and the test keeps its size."""
    rng = np.random.default_rng(4)
    n_j = np.append(lengths_like_r8(rng, 500), 20_000)
    counts = beta_binomials(rng, n_j, 0.02, np.full(800, 1000.0))
    found = keyness(*corpora(counts, n_j, np.arange(501) == 500), confidence=None)
    assert "chi2" not in found.reference
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
    np.testing.assert_allclose(back.ci_low, -there.ci_high, rtol=2e-3, atol=2e-3)
    assert back.reference.tolist() == there.reference.tolist()
    sign = 1 if method == "beta-binomial" else -1
    np.testing.assert_allclose(back.statistic, sign * there.statistic, rtol=1e-6, atol=1e-6)


def test_what_a_comparison_says(unequal):
    a, b = unequal
    found = keyness(a, b)
    absent = (a.n_i + b.n_i) == 0
    assert absent[249]
    for name in ("log_ratio", "ci_low", "ci_high", "statistic", "p_value"):
        np.testing.assert_array_equal(np.isnan(getattr(found, name)), absent, err_msg=name)
    np.testing.assert_array_equal(found.reference == "", absent)
    np.testing.assert_array_equal(found.log_ratio == np.inf, (a.n_i > 0) & (b.n_i == 0))
    np.testing.assert_array_equal(found.log_ratio == -np.inf, (b.n_i > 0) & (a.n_i == 0))
    np.testing.assert_array_equal(np.isinf(found.ci_high), ~absent & (b.n_i == 0))
    np.testing.assert_array_equal(np.isinf(found.ci_low), ~absent & (a.n_i == 0))
    here = ~absent
    assert ((found.p_value[here] > 0) & (found.p_value[here] <= 1)).all()
    assert (found.statistic[here] >= 0).all()
    fits = compare(a, b)
    both = here & (a.n_i > 0) & (b.n_i > 0)
    np.testing.assert_allclose(found.log_ratio[both], np.log2(fits.mean[both, 0] / fits.mean[both, 1]), rtol=1e-12)
    assert fits.apart.own.any()
    np.testing.assert_array_equal(fits.apart.own, np.minimum(a.b_i, b.b_i) >= OWN_PRECISION)
    np.testing.assert_allclose(found.statistic[here], 2 * (fits.alternative.loglik - fits.null.loglik)[here], atol=1e-6)


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
        "mann-whitney": rivals.mann_whitney, "permutation": lambda a, b: rivals.permutation(a, b, null),
        "stratified-permutation": lambda a, b: rivals.permutation(a, b, null, strata=10),
        "text-dispersion": measures.text_dispersion, "bootstrap": measures.bootstrap, "log-odds": measures.log_odds,
    }  # fmt: skip
    assert {*functions, "beta-binomial"} == set(METHODS)
    for name, function in functions.items():
        found = keyness(a, b, method=name, confidence=None)
        statistic, p_value = function(a, b)
        np.testing.assert_array_equal(found.statistic[here], statistic[here], err_msg=name)
        np.testing.assert_array_equal(found.p_value[here], p_value[here], err_msg=name)
        assert set(found.reference[here]) == {name}


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
        with pytest.raises(ValueError, match="confidence must lie between 0 and 1; got"):
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
        assert found.reference.tolist() == matrix.reference.tolist()


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
    assert size[0] > 0.02
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
    assert (size > 0.015).all()
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
    assert np.median(found.log_ratio) == pytest.approx(1, abs=0.07)  # drawn with one α_0, where κ = ½ is half-way
    assert np.mean((found.ci_low <= 1) & (found.ci_high >= 1)) > 0.92
    rare = corpora(counts[:, :200] * (rng.random((1500, 200)) < 0.02), n_j, in_a)
    assert np.mean(keyness(*rare, confidence=None).p_value <= 0.05) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "alpha_0", "share", "ratio"), [(1e-4, 30.0, 0.1, 1.0), (3e-4, 30.0, 0.1, 3.0), (3e-4, 60.0, 0.5, 2.0)]
)
def test_intervals_of_rare_terms_cover_and_agree_with_p(mean, alpha_0, share, ratio):
    """The planted ratio is inside, and 0 is not strictly inside if p is below 5 %.

    Terms with 5 documents or more in each corpus have intervals with a precision per corpus, and other terms whose p is
    by χ² have wider ones, which p does not: where they disagree about 0, the nearer end is 0.
    """
    rng = np.random.default_rng(12)
    documents, terms = 1000, 1500
    n_j, in_a = lengths_like_r8(rng, documents), rng.permutation(documents) < share * documents
    counts = np.where(in_a[:, None], *(beta_binomials(rng, n_j, np.full(terms, f * mean), alpha_0) for f in (ratio, 1)))
    found = keyness(*corpora(counts, n_j, in_a))
    here = counts.sum(axis=0) > 0
    assert np.mean(found.reference[here] == "conditional") > 0.05
    low, high, p = found.ci_low[here], found.ci_high[here], found.p_value[here]
    assert np.mean((low <= np.log2(ratio)) & (np.log2(ratio) <= high)) > 0.93 - 3 * np.sqrt(0.05 * 0.95 / here.sum())
    assert not ((low < 0) & (high > 0) & (p < 0.05)).any()
    assert not (((low > 0) | (high < 0)) & (p >= 0.05)).any()
    tied = np.minimum(*(cells.b_i for cells in corpora(counts, n_j, in_a)))[here] < OWN_PRECISION
    tied &= found.reference[here] == "conditional"
    assert np.mean((((low > 0) | (high < 0)) == (p < 0.05))[tied]) > 0.99
    assert np.isfinite(high[low == -np.inf]).all()  # never open at both ends


# ---- several groups


def three_groups(seed, terms=25, documents=40):
    rng = np.random.default_rng(seed)
    mean, alpha_0 = np.exp(rng.uniform(-7, -2, terms)), np.exp(rng.uniform(0, 6, terms))
    made = []
    for factor in (1.0, 1.0, 2.0):
        n_j = lengths_like_r8(rng, documents)
        made.append((beta_binomials(rng, n_j, factor * mean, alpha_0), n_j))
    return made


def best_loglik(groups):
    """The greatest log-likelihood of a mean a group and α_0g ∝ (π_g (1 − π_g))^−κ, by SciPy; or the binomials'."""

    def negative(x):
        total = 0.0
        for (c, n), omega in zip(mixed, x[1:], strict=True):
            shares = special.expit([omega, -omega])
            a, b = np.exp(min(x[0], 16)) * (shares.prod() / middle) ** -KAPPA * shares
            total += (special.betaln(c + a, n - c + b) - special.betaln(a, b)).sum()
        return -total

    mixed = [(c, n) for c, n in groups if 0 < c.sum() < n.sum()]
    totals = [(c.sum(), n.sum()) for c, n in groups]
    together = sum(c for c, _ in totals) / sum(n for _, n in totals)
    middle = together * (1 - together)
    at_infinity = sum(special.xlogy(c, c / n) + special.xlogy(n - c, 1 - c / n) for c, n in totals)
    start = [special.logit(c.sum() / n.sum()) for c, n in mixed]
    runs = [optimize.minimize(negative, [tau, *start], method="Nelder-Mead", options={"fatol": 1e-9, "maxiter": 4000})
            for tau in (0.0, 3.0, 6.0)]  # fmt: skip
    return max(at_infinity, *(-run.fun for run in runs))


@pytest.mark.slow
def test_one_likelihood_ratio_over_all_groups():
    made = three_groups(1, terms=10)
    found = keyness_groups([cells_of_columns(*g) for g in made])
    for i in range(10):
        parts = [(c[:, i], n_j) for c, n_j in made]
        if sum(c.sum() for c, _ in parts) == 0:
            assert np.isnan(found.statistic[i])
            continue
        together = [tuple(np.concatenate(x) for x in zip(*parts, strict=True))]
        expected = 2 * (best_loglik(parts) - best_loglik(together))
        assert found.statistic[i] == pytest.approx(expected, abs=1e-4)
        if found.reference[i] == "chi2":
            documents = sum(len(n_j) for _, n_j in made)
            expected = stats.f.sf(found.statistic[i] / 2, 2, documents - 3)
            assert found.p_value[i] == pytest.approx(expected, rel=1e-9)
    assert "chi2" in found.reference


def test_two_groups_are_a_comparison():
    made = three_groups(2)[1:]
    cells = [cells_of_columns(*g) for g in made]
    groups, pair = keyness_groups(cells), keyness(*cells)
    np.testing.assert_allclose(groups.statistic, pair.statistic, atol=1e-7)
    np.testing.assert_allclose(groups.mean, compare(*cells).alternative.mean, rtol=1e-9)
    both = (groups.reference == "chi2") & (pair.reference == "chi2")
    assert both.sum() > 5
    np.testing.assert_allclose(groups.p_value[both], pair.p_value[both], rtol=1e-9)


def test_drawn_p_by_listing_all_assignments():
    """Q = Σ_g (S_g − E S_g)²/E S_g over the 3^b ways that a term's bursts can fall, in documents of one length."""
    n_j = np.full(30, 40)
    group = np.repeat([0, 1, 2], [5, 10, 15])
    counts = np.zeros((30, 4), int)
    counts[[0, 1, 2, 7], 0] = [1, 2, 1, 1]
    counts[[0, 6, 20], 1] = [3, 1, 1]
    counts[[0, 1, 3, 4, 2], 2] = [1, 1, 1, 2, 1]
    counts[[16, 17, 25], 3] = 1
    cells = [cells_of_columns(counts[group == g], n_j[group == g]) for g in range(3)]
    found = keyness_groups(cells, draws=20_000, seed=1)
    shares = np.array([5, 10, 15]) / 30  # equal lengths: whatever the size of the burst
    fit = module.fit_beta_binomial(module.joined(cells))
    for i in range(4):
        bursts = np.flatnonzero(counts[:, i])
        alpha = fit.alpha[i] if fit.status[i] == "converged" else np.inf
        bound = 40 / (fit.alpha_0[i] + 40) if alpha < np.inf else 0.0
        scores = np.array([burst_score(c, alpha, bound, KAPPA) for c in counts[bursts, i]])
        expected = scores.sum() * shares

        def q(where, scores=scores, expected=expected):
            return ((np.bincount(where, scores, 3) - expected) ** 2 / expected).sum()

        def chance(where):  # each document has at most one burst
            left = np.array([5, 10, 15])
            return np.prod([(left[g] - where[:k].count(g)) / (30 - k) for k, g in enumerate(where)])

        ways = list(itertools.product(range(3), repeat=bursts.size))
        seen = q(group[bursts])  # a tie counts as half
        reached = sum(chance(w) * np.heaviside(round(q(w) - seen, 9), 0.5) for w in ways)
        assert found.reference[i] == "monte-carlo"
        assert found.p_value[i] == pytest.approx(reached, abs=4.5 * np.sqrt(reached * (1 - reached) / 20_000) + 1e-4)


def test_seeds_of_the_groups(monkeypatch):
    cells = [cells_of_columns(*g) for g in three_groups(3)]
    run = partial(keyness_groups, cells, draws=199)
    first = run(seed=1).p_value
    np.testing.assert_array_equal(run(seed=1).p_value, first)
    assert (run(seed=2).p_value != first).any()
    monkeypatch.setattr("termburst.threads.cores", lambda: 1)
    np.testing.assert_array_equal(run(seed=1).p_value, first)


def test_identical_groups_have_p_1():
    group = cells_of_columns(*three_groups(4)[0])
    found = keyness_groups([group] * 3)
    here = group.n_i > 0
    np.testing.assert_array_equal(found.p_value[here], 1.0)
    assert np.isnan(found.p_value[~here]).all()


@pytest.mark.parametrize(("band", "documents"), [((5, 19), 900), ((20, 99), 900), ((200, 999), 600)])
def test_sizes_of_three_groups(band, documents):
    rng = np.random.default_rng(band[0])
    n_j = lengths_like_r8(rng, documents)
    counts = text_like(rng, n_j, band, 1500)
    group = rng.choice(3, documents, p=[0.2, 0.3, 0.5])
    found = keyness_groups([cells_of_columns(counts[group == g], n_j[group == g]) for g in range(3)], draws=499)
    error = 3.5 * np.sqrt(0.05 * 0.95 / counts.shape[1])
    assert np.mean(found.p_value <= 0.05) < 0.06 + error
    assert np.mean(found.p_value <= 0.05) > 0.03 - error


def test_terms_in_most_documents_are_no_bursts_in_groups_either():
    A, B = [[20, 180]] * 4 + [[21, 179]], [[60, 140]] * 4 + [[61, 139]]
    pair = [term_cells(np.array(X)) for X in (A, B)]
    several, two = keyness_groups(pair), keyness(*pair, confidence=None)
    np.testing.assert_allclose(several.p_value, two.p_value, rtol=1e-9)
    assert (several.p_value < 1e-3).all()
    assert (several.reference == "chi2").all()


def test_groups_of_rare_terms_have_the_mid_p_of_two_corpora():
    rng = np.random.default_rng(21)
    n_j = lengths_like_r8(rng, 300)
    counts = beta_binomials(rng, n_j, np.full(40, 3e-4), 50.0)
    both = corpora(counts[:, counts.sum(axis=0) > 1], n_j, np.arange(300) < 60)
    several, two = keyness_groups(both, draws=9_999), keyness(*both, confidence=None)
    rare = several.reference == "monte-carlo"
    assert rare.sum() > 20
    # Q weighs the two corpora by what they expect, |T − E T| does not: about the same, not quite
    assert np.median(np.abs(several.p_value - two.p_value)[rare]) < 0.02


def test_intervals_where_p_underflows_are_as_wide_as_its_counts_deserve():
    """With three occurrences in B, the uncertainty is the same for any number of documents with the term in A."""
    widths = []
    for documents in (250, 1500):
        A, B = [[2, 50]] * documents, [[1, 50]] * 3 + [[0, 50]] * (documents - 3)
        found = keyness(*(term_cells(np.array(X)) for X in (A, B)))
        widths.append(found.ci_high[0] - found.ci_low[0])
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


@pytest.mark.parametrize("sizes", [(6, 6), (4, 100), (100, 400), (30, 300)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_and_p_agree_on_zero(sizes, confidence):
    rng = np.random.default_rng(sizes[1])
    n_j = lengths_like_r8(rng, sum(sizes))
    counts = beta_binomials(rng, n_j, np.exp(rng.uniform(-8, -3, 300)), np.exp(rng.uniform(0, 6, 300)))
    in_a = np.arange(sum(sizes)) < sizes[0]
    found = keyness(*corpora(counts[:, counts.sum(axis=0) > 0], n_j, in_a), confidence=confidence)
    inside = (found.ci_low < 0) & (found.ci_high > 0)
    assert not (inside & (found.p_value < 1 - confidence)).any()
    assert not (((found.ci_low > 0) | (found.ci_high < 0)) & (found.p_value >= 1 - confidence)).any()
    assert (found.ci_low <= found.ci_high).all()


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
    assert (np.isfinite(there.ci_low) | np.isfinite(there.ci_high)).all()
    np.testing.assert_allclose(there.ci_low, -back.ci_high, rtol=1e-3, atol=2e-3)
    np.testing.assert_allclose(there.ci_high, -back.ci_low, rtol=1e-3, atol=2e-3)
    np.testing.assert_allclose(there.p_value, back.p_value, rtol=1e-6)


@pytest.mark.parametrize("share", [0.02, 0.08, 0.1, 0.3, 0.45, 0.5])
def test_size_of_few_bursts_at_any_share(share):
    """P(p ≤ 5 %) over all outcomes of 2 to 25 equal bursts: at most 6.5 % up to four, and below 5 % on average."""
    sizes = []
    for bursts in range(2, 26):
        p = [mid_p(np.ones(bursts), np.full(bursts, share), np.arange(bursts) < x)[0] for x in range(bursts + 1)]
        sizes.append(stats.binom.pmf(np.arange(bursts + 1), bursts, share)[np.array(p) <= 0.05].sum())
    assert max(sizes[:3]) <= 0.065
    assert max(sizes) < 0.085
    assert 0.03 < np.mean(sizes) < 0.05


def test_a_word_missing_from_the_smaller_corpus_is_found_as_surely_as_one_only_there():
    """Outcomes are ordered by their tails: none of 45 bursts in a tenth of the documents has p < 2 %, not 6 %."""
    p, _ = mid_p(np.ones(45), np.full(45, 0.1), np.zeros(45, dtype=bool))
    none = stats.binom.pmf(0, 45, 0.1)
    assert none / 2 < p < 1.7 * none
    assert p < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "each"), [(60, 4), (80, 3), (120, 2)])
def test_sizes_of_many_small_groups(groups, each):
    """Frequent terms, where χ² called 22 to 78 % different at 5 %."""
    rng = np.random.default_rng(groups)
    n_j, group = lengths_like_r8(rng, groups * each), np.repeat(np.arange(groups), each)
    counts = beta_binomials(rng, n_j, np.exp(rng.uniform(np.log(3e-3), np.log(0.2), 500)), 100.0)
    counts = counts[:, (counts > 0).sum(axis=0) > 60]
    cells = [cells_of_columns(counts[group == g], n_j[group == g]) for g in range(groups)]
    found = keyness_groups(cells, draws=199)
    assert set(found.reference) == {"permutation"}
    size = np.mean(found.p_value <= 0.05)
    assert 0.02 < size < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / counts.shape[1])
    chi2 = stats.f.sf(found.statistic / (groups - 1), groups - 1, groups * (each - 1))
    assert np.mean(chi2 <= 0.05) > 0.12
    other = keyness_groups(cells, draws=199, seed=1)
    assert np.abs(other.p_value - found.p_value).max() < 0.2


def test_permuted_documents_of_groups_by_listing_all_orders():
    """Six documents in three groups: Q over all 720 orders."""
    n_j, group = np.array([10, 30, 20, 40, 30, 25]), np.array([0, 0, 1, 1, 2, 2])
    counts = np.array([[3, 0], [8, 2], [1, 5], [2, 0], [0, 9], [1, 1]])
    cells = [cells_of_columns(counts[group == g], n_j[group == g]) for g in range(3)]
    fit = module.fit_beta_binomial(module.joined(cells))
    found = permuted_p(cells, fit, np.arange(2), 4_999, 0)
    for i in range(2):
        design = 1 + (n_j - 1) / (1 + fit.alpha_0[i])
        s, v = (counts[:, i] - n_j * fit.mean[i]) / design, n_j / design

        def q(order, s=s, v=v):
            of = group[list(order)]
            return (np.bincount(of, s, 3) ** 2 / np.bincount(of, v, 3)).sum()

        every = np.array([q(order) for order in itertools.permutations(range(6))])
        exact = np.mean(np.heaviside(np.round(every - q(range(6)), 9), 0.5))
        assert found[i] == pytest.approx(exact, abs=4.5 * np.sqrt(exact * (1 - exact) / 5_000) + 1e-3)


def test_intervals_of_higher_confidence_contain_those_of_lower():
    rng, first = np.random.default_rng(0), np.arange(59) < 20
    lengths, terms = rng.integers(500, 4000, 59), 300
    mean = 10 ** rng.uniform(-4, -2.7, terms) * np.where(first[:, None], 1.0, 10 ** rng.uniform(-0.7, 0.7, terms))
    precision = 10 ** rng.uniform(2, 4, terms)
    counts = rng.binomial(lengths[:, None], rng.beta(precision * mean, precision * (1 - mean)))
    X = np.column_stack([counts, np.maximum(lengths - counts.sum(axis=1), 0)])
    found = compare(term_cells(X[first]), term_cells(X[~first]))
    low, high = np.moveaxis(
        [found.groups.ratio_limits(found.raw, critical, found.apart) for critical in np.linspace(2, 9, 30)], 2, 0
    )
    assert (low[1:] <= low[:-1] + 1e-4).all()
    assert (high[1:] >= high[:-1] - 1e-4).all()


def test_the_limit_of_a_word_that_one_corpus_lacks_is_where_that_has_five_per_cent():
    found = keyness(term_cells([[1, 999]] * 9 + [[0, 1000]] * 191), term_cells([[0, 1000]] * 200))
    ratio = 2 ** found.ci_low[0]
    assert (ratio / (1 + ratio)) ** 9 == pytest.approx(0.05, rel=0.01)
