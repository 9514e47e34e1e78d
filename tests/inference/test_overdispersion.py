"""The burstiness test: against placements enumerated one by one, NumPy's hypergeometric draws and a million draws
by hand.
"""

import itertools
import warnings
from functools import cache
from math import comb, lgamma, log

import numpy as np
import pytest
from scipy import special, stats

from helpers.simulated import cells_of_columns, lengths_like_r8
from termburst import TermStatistics, plr_statistic, threads
from termburst.inference import null_exact
from termburst.inference.overdispersion import burstiness
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import fit_beta_binomial

FORMS = ("printed", "corrected")
STATISTICS = ("plr", "lr", "score")


def cells_of(terms, n_j):
    """Terms given by their documents' counts, {document: count} each, on documents of lengths *n_j*."""
    n_j = np.asarray(n_j)
    count = [list(term.values()) for term in terms]
    lengths, documents = np.unique(n_j, return_counts=True)
    return TermCells(
        np.cumsum([0, *map(len, count)]),
        np.concatenate(count).astype(np.int32),
        np.concatenate([n_j[list(term)] for term in terms]).astype(np.int32),
        np.ones(1),
        np.array([sum(c) for c in count], dtype=np.int64),
        np.array([len(c) for c in count], dtype=np.int64),
        lengths.astype(np.int64),
        documents.astype(np.int64),
    )


def definition_of_tarone(counts, n_j):
    """z of one column, document by document."""
    n, n_i = sum(n_j), sum(counts)
    p = n_i / n
    total = sum((c - m * p) ** 2 for c, m in zip(counts, n_j, strict=True)) / (p * (1 - p))
    return (total - n) / (2 * sum(m * (m - 1) for m in n_j)) ** 0.5


def lambda_of(columns, n_j, form="printed"):
    """λ of columns of one n_i by Claim 3 with μ = n/d and σ² = 1 and no clamp, as printed or corrected, written out."""
    n, d, n_i = int(n_j.sum()), n_j.size, int(columns[:, 0].sum())
    b = (columns > 0).sum(axis=0)
    log_factorial = np.array([0.0, 0.0, *np.cumsum(np.log(np.arange(1, columns.max() + 1)))])
    mu, r = n / d, n_i - b + 1
    eta2, penalties = mu**2, FORMS.index(form) + 1
    assert (eta2 - r > 1).all()
    value = -2 * n_i * log(n_i / n) + 2 * b * np.log(b / d) + 2 * log_factorial[columns].sum(axis=0)
    value += 2 * (n_i - b) * np.log((b + n - n_i) / d) - 2 * n * np.log1p(-(n_i - b) / n)
    value -= (2 * b + penalties) * log(mu) + penalties * log(2 * np.pi) / 2
    if form == "printed":
        return value + (eta2 - 2 * r + 1) * np.log(eta2 - r) + r - (eta2 - 1.5) * log(eta2)
    return value + 2 * (eta2 - r) * np.log(eta2 - r) + 2 * r - (2 * eta2 - 3) * log(eta2)


def score_of(columns, n_j):
    n, p = n_j.sum(), columns[:, 0].sum() / n_j.sum()
    total = ((columns - p * n_j[:, None]) ** 2).sum(axis=0) / (p * (1 - p))
    return (total - n) / np.sqrt(2 * (n_j * (n_j - 1)).sum())


def ratios(columns, n_j):
    fit = fit_beta_binomial(cells_of_columns(columns, n_j))
    return np.maximum(2 * (fit.loglik - fit.loglik_binomial), 0.0)


def test_the_formulas_above_are_the_package_s():
    n_j = lengths_like_r8(np.random.default_rng(4), 60)
    columns = np.random.default_rng(4).multivariate_hypergeometric(n_j, 50, 30).T
    for form in FORMS:
        for i in range(30):
            X = np.column_stack([columns[:, i], n_j - columns[:, i]])
            assert lambda_of(columns, n_j, form)[i] == pytest.approx(plr_statistic(X, form=form)[0], rel=1e-9)
    expected = [definition_of_tarone(column.tolist(), n_j.tolist()) for column in columns.T]
    np.testing.assert_allclose(score_of(columns, n_j), expected, rtol=1e-12)


# ---- every placement, one by one

SMALL = (5, 1, 3, 2, 4)
SHORT = (1, 1, 1, 2, 2, 3, 1, 2)  # where a term is often all of a document


@cache
def placements(lengths, size):
    """All ways of putting *size* tokens on the positions, as columns of counts."""
    document = np.repeat(np.arange(len(lengths)), lengths)
    chosen = itertools.combinations(range(document.size), size)
    columns = np.array([np.bincount(document[list(where)], minlength=len(lengths)) for where in chosen]).T
    assert columns.shape[1] == comb(document.size, size)
    return columns


@cache
def distinct_placements(lengths, size):
    return np.unique(placements(lengths, size), axis=1)


@cache
def enumerated(lengths, size, name, form="printed"):
    """For each distinct placement, the share of all placements that reach its statistic, and of those that equal it."""
    columns, own, n_j = placements(lengths, size), distinct_placements(lengths, size), np.array(lengths)
    if name == "plr":
        of_all, observed = lambda_of(columns, n_j, form), lambda_of(own, n_j, form)
    else:
        statistic = {"lr": ratios, "score": score_of}[name]
        of_all, observed = statistic(columns, n_j), statistic(own, n_j)
    near = 1e-7 * (1 + np.abs(observed[:, None]))
    above = of_all[None] - observed[:, None]
    return (above >= -near).mean(axis=1), (np.abs(above) <= near).mean(axis=1)


def expected_p(mid_p, *which):
    reached, tied = enumerated(*which)
    return reached - tied / 2 if mid_p else reached


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_lambda_by_all_placements(size, form, mid_p):
    own = distinct_placements(SMALL, size)
    found = burstiness(cells_of_columns(own, SMALL), form=form, mid_p=mid_p, draws=99)
    np.testing.assert_allclose(found.plr.value, lambda_of(own, np.array(SMALL), form), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(10**found.plr.log10_p, expected_p(mid_p, SMALL, size, "plr", form), rtol=1e-9)
    assert set(found.plr.p_method) == {"exact"}
    if size > 2:
        assert np.unique(found.plr.log10_p.round(6)).size > 2


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize("lengths", [SMALL, (1, 1, 4, 20, 2, 7)])
def test_hapaxes_by_all_placements(lengths, mid_p):
    own = distinct_placements(lengths, 1)
    found = burstiness(cells_of_columns(own, lengths), mid_p=mid_p, draws=99)
    for name in STATISTICS:
        p = getattr(found, name)
        np.testing.assert_allclose(10**p.log10_p, expected_p(mid_p, lengths, 1, name), rtol=1e-9)
        assert set(p.p_method) == {"exact"}, name
    np.testing.assert_allclose(10**found.plr.log10_p, 0.5 if mid_p else 1.0, rtol=1e-12)
    assert np.unique(found.score.log10_p.round(6)).size == len(set(lengths))  # it falls with the document's length


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize(("lengths", "size"), [(SMALL, 2), (SMALL, 3), (SMALL, 5), (SHORT, 2), (SHORT, 4)])
def test_likelihood_ratio_and_score_by_all_placements(lengths, size, mid_p):
    """These are drawn: within the error of 9,999 and 49,995 draws, tails apart."""
    own = distinct_placements(lengths, size)
    found = burstiness(cells_of_columns(own, lengths), mid_p=mid_p)
    for name, draws in (("lr", 9_999), ("score", 49_995)):
        p, exact = 10 ** getattr(found, name).log10_p, expected_p(mid_p, lengths, size, name)
        reached, tied = enumerated(lengths, size, name)
        drawn = getattr(found, name).p_method == "monte-carlo"
        assert drawn.mean() > 0.5
        variance = reached - 0.75 * tied - exact**2 if mid_p else exact * (1 - exact)
        error = 4.5 * np.sqrt(np.maximum(variance, 0) / draws) + 2 / draws
        assert (np.abs(p - exact)[drawn] <= error[drawn]).all(), name


def test_terms_that_occur_twice():
    """P(both in one document) = Σ n_j (n_j − 1)/(n (n − 1)), whichever it is."""
    rng = np.random.default_rng(1)
    n_j = lengths_like_r8(rng, 300)
    terms = [{3: 2}, {7: 1, 8: 1}, {200: 2}]
    found = burstiness(cells_of(terms, n_j))
    n = int(n_j.sum())
    together = sum(int(m) * (int(m) - 1) for m in n_j) / (n * (n - 1))
    np.testing.assert_allclose(10**found.plr.log10_p, [together, 1.0, together], rtol=1e-10)
    assert found.plr.p_method.tolist() == ["exact"] * 3
    halved = burstiness(cells_of(terms, n_j), mid_p=True)
    np.testing.assert_allclose(10**halved.plr.log10_p, [together / 2, (1 + together) / 2, together / 2], rtol=1e-10)


def test_enumeration_up_to_sixteen_occurrences_against_draws(monkeypatch):
    """The same terms, with the enumeration switched off."""
    rng = np.random.default_rng(2)
    n_j = lengths_like_r8(rng, 80)
    counts = rng.multivariate_hypergeometric(n_j, 12, 150).T
    exact = burstiness(cells_of_columns(counts, n_j))
    assert set(exact.plr.p_method) == {"exact"}
    monkeypatch.setattr(null_exact, "WORK", 0)
    drawn = burstiness(cells_of_columns(counts, n_j))
    assert "monte-carlo" in drawn.plr.p_method
    near = drawn.plr.p_method == "monte-carlo"
    p, q = 10 ** exact.plr.log10_p[near], 10 ** drawn.plr.log10_p[near]
    assert (np.abs(p - q) < 4.5 * np.sqrt(p * (1 - p) / 49_995) + 1e-4).all()


# ---- draws


@pytest.fixture(scope="module")
def sixty():
    return lengths_like_r8(np.random.default_rng(3), 60)


@pytest.mark.slow
@pytest.mark.parametrize("size", [30, 100, 1000])
def test_p_equals_that_of_numpy_s_hypergeometric_draws(sixty, size):
    """λ and score over 20,000 draws of NumPy, LR over 3,000; ours are 1,499 at the least. Some terms are a little
    bursty.
    """
    rng = np.random.default_rng(size)
    null = rng.multivariate_hypergeometric(sixty, size, 20_000).T
    bursty = np.array([rng.multinomial(size, rng.dirichlet(3 * size * sixty / sixty.sum())) for _ in range(40)]).T
    own = np.minimum(np.hstack([null[:, :40], bursty]), sixty[:, None])
    own[np.argmax(sixty)] += size - own.sum(axis=0)
    assert (own.sum(axis=0) == size).all()
    found = burstiness(cells_of_columns(own, sixty))
    reference = {
        "plr": lambda_of(null, sixty),
        "score": score_of(null, sixty),
        "lr": ratios(null[:, :3000], sixty),
    }
    for name in STATISTICS:
        result, sample = getattr(found, name), np.sort(reference[name])
        near = 1e-9 * (1 + np.abs(result.value))
        expected = 1 - np.searchsorted(sample, result.value - near) / sample.size
        drawn = result.p_method == "monte-carlo"
        assert drawn.sum() > 40, name
        p = 10**result.log10_p
        error = 4.5 * np.sqrt(expected * (1 - expected) * (1 / sample.size + 1 / 1_499)) + 3 / sample.size
        assert (np.abs(p - expected)[drawn] < error[drawn]).all(), name
        assert p[drawn].min() < 0.2, name
        beyond = ~drawn & (expected * sample.size > 20)  # by the tail, but known from NumPy's draws
        assert (np.abs(p - expected)[beyond] < error[beyond] + 0.3 * expected[beyond]).all(), name


def tarone(counts):
    return burstiness(counts, draws=99, only="plr").score.value


def test_tarone_by_its_definition(sixty):
    rng = np.random.default_rng(5)
    columns = np.column_stack([rng.multivariate_hypergeometric(sixty, size) for size in (1, 2, 7, 80, 900, 2000)])
    expected = [definition_of_tarone(column.tolist(), sixty.tolist()) for column in columns.T]
    np.testing.assert_allclose(tarone(cells_of_columns(columns, sixty)), expected, rtol=1e-10)
    whole = np.column_stack([columns, sixty - columns.sum(axis=1).clip(max=sixty)])[sixty >= columns.sum(axis=1)]
    with_empty = np.vstack([whole, np.zeros((4, whole.shape[1]), int)])
    np.testing.assert_allclose(tarone(with_empty), tarone(whole), rtol=1e-12, equal_nan=True)
    assert np.isnan(tarone([[1, 0, 3], [2, 0, 1]])[1])  # a term that never occurs


@pytest.mark.slow
def test_sizes_hold_under_the_null():
    """Terms at random positions: p-values at most α in α of the cases, or fewer where the statistic has few values."""
    rng = np.random.default_rng(6)
    n_j = lengths_like_r8(rng, 250)
    terms = 1500
    for size in (3, 10, 40, 300):
        found = burstiness(cells_of_columns(rng.multivariate_hypergeometric(n_j, size, terms).T, n_j), draws=2_999)
        for name in STATISTICS:
            p = 10 ** getattr(found, name).log10_p
            for level in (0.05, 0.01):
                above = level + 4 * np.sqrt(level * (1 - level) / terms)
                assert np.mean(p <= level * (1 + 1e-9)) < above, (size, name, level)
            if size >= 40:
                assert np.mean(p <= 0.05) > 0.025, (size, name)


@pytest.mark.slow
def test_the_likelihood_ratio_beyond_its_atom_at_zero():
    """A long document among short ones: LR is 0 in 98.7 % of draws, more than where the tail begins by default."""
    n_j = np.append(np.full(300, 10), 100_000)
    columns = np.random.default_rng(16).multivariate_hypergeometric(n_j, 400, 8_000, method="marginals").T
    found = burstiness(cells_of_columns(columns, n_j)).lr
    p, draws = 10**found.log10_p, int(0.3 * 9_999)
    expected = 1 - np.searchsorted(np.sort(found.value), found.value - 1e-9) / 8_000
    above = found.value > 1e-9
    assert 0.008 < above.mean() < 0.02
    np.testing.assert_allclose(p[~above], 1.0, rtol=1e-12)
    error = 4.5 * np.sqrt(expected * (1 / 8_000 + 1 / draws)) + 2 / draws
    assert (np.abs(p - expected) < error + 0.2 * expected)[above].all()


def test_bursts_are_found():
    """Beta-binomial terms with a planted precision: the smaller it is, the smaller the p-values."""
    rng = np.random.default_rng(7)
    n_j = lengths_like_r8(rng, 250)
    medians = []
    for alpha_0 in (1e9, 300.0, 30.0):
        shares = rng.beta(alpha_0 * 0.004, alpha_0 * 0.996, (250, 100))
        found = burstiness(cells_of_columns(rng.binomial(n_j[:, None], shares), n_j), draws=999)
        medians.append([np.median(getattr(found, name).log10_p) for name in STATISTICS])
    medians = np.array(medians)
    assert (medians[0] > -0.8).all()
    assert (medians[1] < medians[0] - 0.5).all()
    assert (medians[2] < -8).all()


# ---- tails


def one_document_of(most, size, n_j):
    """A term that has *most* tokens in the longest document, and the others in documents of their own."""
    order = np.argsort(-n_j, kind="stable")
    return {int(order[0]): most, **{int(j): 1 for j in order[1 : 1 + size - most]}}


@pytest.fixture(scope="module")
def spread_out():
    rng = np.random.default_rng(8)
    n_j = lengths_like_r8(rng, 400)
    n_j[0] = 6_000
    return n_j


@pytest.mark.parametrize(("size", "form"), [(17, "printed"), (60, "corrected"), (300, "printed")])
def test_p_falls_with_the_statistic(spread_out, size, form):
    """Among terms of equal n_i, whether enumerated, drawn or in the tail; in one document, it is beyond all draws."""
    rng = np.random.default_rng(size)
    terms = [one_document_of(most, size, spread_out) for most in sorted({*range(1, min(size, 60)), size // 2, size})]
    terms += [{int(j): int(c) for j, c in enumerate(column) if c}
              for column in rng.multivariate_hypergeometric(spread_out, size, 40)]  # fmt: skip
    found = burstiness(cells_of(terms, spread_out), form=form, draws=999)
    for name in STATISTICS:
        result = getattr(found, name)
        order = np.argsort(result.value)
        values, log10_p = result.value[order], result.log10_p[order]
        assert np.isfinite(log10_p).all(), name
        assert (log10_p <= 0).all(), name
        assert (np.diff(log10_p) <= 1e-12)[np.diff(values) > 1e-7 * np.abs(values[1:])].all(), name
        assert "tail" in result.p_method, name
        assert log10_p[-1] < -4, name


def test_absurd_terms_have_finite_logarithms(spread_out):
    """Such as one with 5,000 tokens in one document, or sixty thousand "ax"."""
    n_j = np.append(spread_out, 70_000)
    terms = [{0: 5_000}, {400: 60_000}, {0: 5_999, 1: 1}, {400: 60_000, **dict.fromkeys(range(200), 1)}, {400: 17}]
    found = burstiness(cells_of(terms, n_j), draws=999)
    for name in STATISTICS:
        log10_p = getattr(found, name).log10_p
        assert np.isfinite(log10_p).all(), name
        assert (log10_p <= 0).all(), name
    assert (found.plr.log10_p[[0, 2]] < -300).all()
    np.testing.assert_allclose(found.plr.log10_p[[1, 3]], -3)  # more than half of the text: by draws alone
    assert found.plr.p_method[[1, 3]].tolist() == ["monte-carlo"] * 2
    assert (found.lr.log10_p[[0, 2]] < -300).all()


@pytest.mark.parametrize("rate", [300, 3_000, 8_000])
def test_few_long_documents(rate):
    """Twelve books: a word that one of them has half as often again is bursty, however frequent it is."""
    rng = np.random.default_rng(rate)
    X = rng.poisson(np.outer(np.ones(12), [rate, 40, 60_000]))
    X[0, 0] += rate // 2
    found = burstiness(cells_of([dict(enumerate(X[:, 0].tolist())), dict(enumerate(X[:, 1].tolist()))], X.sum(axis=1)),
                       draws=999)  # fmt: skip
    for name in STATISTICS:
        log10_p = getattr(found, name).log10_p
        assert log10_p[0] < -rate / 60, name
        assert log10_p[1] > -4, name


def test_p_has_no_step_at_the_first_tail(sixty):
    """Terms of 200 tokens whose λ rises in small steps through the upper end of the draws."""
    rng = np.random.default_rng(15)
    longest, terms = int(np.argmax(sixty)), []
    for _ in range(20):
        counts = rng.multivariate_hypergeometric(sixty, 200)
        for donor in rng.permutation(60)[:40]:  # a token at a time to the longest document
            if donor != longest and counts[donor] > 1:
                counts[donor] -= 1
                counts[longest] += 1
                terms.append({int(j): int(c) for j, c in enumerate(counts) if c})
    found = burstiness(cells_of(terms, sixty)).plr
    values, first = np.unique(found.value.round(9), return_index=True)
    log_p, how = found.log10_p[first] * log(10), found.p_method[first]
    assert set(how) == {"monte-carlo", "tail"}
    join = int(np.flatnonzero(how == "tail")[0])
    assert set(how[join:]) == {"tail"}
    assert values[join] - values[join - 1] < 0.5
    assert 0 <= log_p[join - 1] - log_p[join] < 0.3


def by_a_million_draws(n_j, size, draws, seed):
    """b and Σ log (n_ij − 1)! of tokens at distinct random positions, by NumPy: draws with a repeated position
    are redone.
    """
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(n_j.size, dtype=np.int16), n_j)
    logs = np.log(np.maximum(np.arange(size + 1), 1)).astype(np.float32)
    found_b, found_r, left = [], [], draws
    while left > 0:
        positions = np.sort(
            rng.integers(0, document.size, (min(left + left // 10 + 100, 100_000), size), dtype=np.int32)
        )
        positions = positions[(np.diff(positions) > 0).all(axis=1)][:left]
        left -= len(positions)
        documents = document[positions].T.copy()
        b, r = np.ones(len(positions), dtype=np.int16), np.zeros(len(positions), dtype=np.float32)
        run = np.zeros(len(positions), dtype=np.int16)
        for k in range(1, size):
            same = documents[k] == documents[k - 1]
            run = np.where(same, run + 1, 0)
            b += ~same
            r += logs[run]
        found_b.append(b)
        found_r.append(r)
    return np.concatenate(found_b), np.concatenate(found_r).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "draws"), [(30, 1_000_000), (60, 150_000)])
def test_the_tail_of_lambda_is_that_of_a_million_draws(size, draws):
    """Within a factor of three from p = 1e-4 down to ten of the draws: the saddlepoint has its shape right."""
    rng = np.random.default_rng(10)
    n_j = lengths_like_r8(rng, 200)
    patterns = [[big, *[3] * threes, *[2] * twos] for big in range(1, 10) for threes in range(4) for twos in range(10)]
    patterns = [[*p, *[1] * (size - sum(p))] for p in patterns if sum(p) <= size]
    result = burstiness(cells_of([dict(enumerate(p)) for p in patterns], np.sort(n_j)[::-1]))
    b, r = by_a_million_draws(n_j, size, draws, seed=size)
    # λ = g(b) + 2 Σ log (n_ij − 1)!, and g is known from the terms themselves
    g = {len(p): value - 2 * sum(lgamma(c) for c in p) for p, value in zip(patterns, result.plr.value, strict=True)}
    known = np.isin(b, list(g))
    assert known.all()
    base = np.full(size + 1, np.nan)
    base[list(g)] = list(g.values())
    sample = np.sort(base[b] + 2 * r)
    p = 1 - np.searchsorted(sample, result.plr.value - 1e-4) / draws  # those of 32 bits are equal to 1e-5
    ratio = 10**result.plr.log10_p / np.maximum(p, 1e-300)
    far = (result.plr.p_method == "tail") & (p * draws >= 9)
    assert far.sum() >= 10
    assert p[far].min() < 20 / draws
    assert ratio[far].min() > 1 / 3
    assert ratio[far].max() < 3
    close = (result.plr.p_method == "monte-carlo") & (p > 1e-2)
    np.testing.assert_allclose(ratio[close], 1, atol=0.1)


# ---- seeds, options, input


@pytest.fixture(scope="module")
def small_corpus():
    """Terms of every kind on 80 documents, one of them empty; column 3 never occurs."""
    rng = np.random.default_rng(11)
    X = rng.poisson(rng.gamma(0.3, [0.1, 0.5, 2.0, 0.0, 6.0, 20.0, 0.3, 90.0], (80, 8)))
    X[5] = 0
    X = np.vstack([X, X[:20]])
    assert (X.sum(axis=0) > 0).tolist() == [True, True, True, False, True, True, True, True]
    return X


def all_p(found):
    return np.stack([getattr(found, name).log10_p for name in STATISTICS])


@pytest.mark.slow
def test_seeds_reproduce_and_threads_do_not_matter(small_corpus, monkeypatch):
    first = all_p(burstiness(small_corpus, seed=3, draws=999))
    np.testing.assert_array_equal(all_p(burstiness(small_corpus, seed=3, draws=999)), first)
    other = all_p(burstiness(small_corpus, seed=4, draws=999))
    assert (other != first).any()
    near = first > -3
    assert near.sum() >= 6
    np.testing.assert_allclose(other[near], first[near], atol=0.3)
    for cores in (1, 7):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        np.testing.assert_array_equal(all_p(burstiness(small_corpus, seed=3, draws=999)), first)


def test_statistics_equal_the_matrix(small_corpus):
    matrix = burstiness(small_corpus, draws=499)
    patterns = burstiness(TermStatistics.from_counts(small_corpus, detail="patterns"), draws=499)
    np.testing.assert_allclose(all_p(patterns), all_p(matrix), rtol=1e-9)
    for name in STATISTICS:
        np.testing.assert_allclose(getattr(patterns, name).value, getattr(matrix, name).value, rtol=1e-8, atol=1e-9)
        assert getattr(patterns, name).p_method.tolist() == getattr(matrix, name).p_method.tolist()


def test_values_are_those_of_the_functions(small_corpus):
    for form in FORMS:
        found = burstiness(small_corpus, form=form, mu=60.0, sigma2=0.5, draws=99)
        occurs = small_corpus.sum(axis=0) > 0
        np.testing.assert_allclose(
            found.plr.value[occurs], plr_statistic(small_corpus, form=form, mu=60.0, sigma2=0.5)[occurs], rtol=1e-10
        )
        fit = fit_beta_binomial(small_corpus)
        np.testing.assert_allclose(found.lr.value[occurs], 2 * (fit.loglik - fit.loglik_binomial)[occurs], atol=1e-10)
        for name in STATISTICS:
            result = getattr(found, name)
            assert np.isnan(result.value[3])
            assert np.isnan(result.log10_p[3])
            assert result.p_method[3] == ""


def test_empty_documents_say_nothing_to_score_and_ratio(small_corpus):
    """(λ counts them in d, and so moves; its p does not, as the null moves with it.)"""
    more = np.vstack([small_corpus, np.zeros((30, 8), int)])
    few, many = burstiness(small_corpus, draws=999, mu=50.0), burstiness(more, draws=999, mu=50.0)
    for name in ("lr", "score"):
        np.testing.assert_allclose(getattr(many, name).log10_p, getattr(few, name).log10_p, rtol=1e-9, err_msg=name)
    assert not np.allclose(many.plr.value, few.plr.value, equal_nan=True)


def test_half_of_a_tie_is_never_more(small_corpus):
    plain, mid = burstiness(small_corpus, draws=499), burstiness(small_corpus, draws=499, mid_p=True)
    occurs = small_corpus.sum(axis=0) > 0
    for name in STATISTICS:
        p, q = getattr(plain, name).log10_p[occurs], getattr(mid, name).log10_p[occurs]
        assert (q <= p + 1e-12).all(), name
    once = burstiness([[1, 9], [0, 12]], mid_p=True)
    assert 10 ** once.plr.log10_p[0] == pytest.approx(0.5)


@pytest.mark.slow
def test_forms_differ_in_value_and_hardly_in_p(small_corpus):
    """The corrected form adds a term that depends on n_i alone at μ = n/d, but for the clamp: the order is nearly
    the same.
    """
    first, second = (burstiness(small_corpus, form=form, sigma2=0.05, draws=4_999) for form in FORMS)
    occurs = small_corpus.sum(axis=0) > 0
    assert (np.abs(first.plr.value - second.plr.value)[occurs] > 0.1).all()
    np.testing.assert_allclose(first.plr.log10_p[occurs], second.plr.log10_p[occurs], rtol=0.05, atol=0.15)


def test_a_term_that_is_every_token_and_documents_of_one_token():
    for X in ([[3], [4], [5]], [[1, 0], [0, 1], [1, 0], [0, 1]], [[30, 5, 1]]):
        found = burstiness(np.array(X), draws=199)
        for name in STATISTICS:
            np.testing.assert_array_equal(getattr(found, name).log10_p, 0, err_msg=name)


@pytest.mark.parametrize("mid_p", [False, True])
def test_documents_of_one_token_each_in_silence(mid_p):
    """Nothing can repeat and the score cannot vary: p is 1, or half of it up to the draws' own 1/(B + 1)."""
    terms = [dict.fromkeys(range(size), 1) for size in (1, 2, 30, 70, 400, 499)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = burstiness(cells_of(terms, np.ones(500, int)), draws=999, mid_p=mid_p)
    np.testing.assert_array_equal(found.score.value, 0)
    for name in STATISTICS:
        p = 10 ** getattr(found, name).log10_p
        np.testing.assert_allclose(p, 0.5 if mid_p else 1.0, atol=0.01 if mid_p else 1e-12, err_msg=name)


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize("X", [[[51097], [38362], [30863]], [[5000], [6000]], [[0, 0, 0], [10**6, 3 * 10**6, 5]]])
def test_what_cannot_vary_is_not_drawn(X, mid_p):
    """A term that is every token, and all terms of one document."""
    found = burstiness(X, mid_p=mid_p)
    assert found.score.value.tolist() == [0.0] * len(X[0])
    for name in STATISTICS:
        assert 10 ** getattr(found, name).log10_p == pytest.approx(0.5 if mid_p else 1.0), name
        assert set(getattr(found, name).p_method) == {"exact"}


def test_an_undefined_lambda_has_no_p():
    """form="exact" has no value where η² ≤ r_i: neither has its p, rare term or frequent one."""
    n_j = np.full(40, 30)
    terms = [{0: 6, 1: 1}, dict.fromkeys(range(7), 1), {0: 20, 1: 10}, dict.fromkeys(range(30), 1)]
    found = burstiness(cells_of(terms, n_j), form="exact", mu=2.2, draws=499)
    assert np.isnan(found.plr.value).tolist() == [True, False, True, False]
    assert np.isnan(found.plr.log10_p).tolist() == [True, False, True, False]
    assert np.isfinite(found.lr.log10_p).all()


NEARLY_ALL = [[[990, 10], [985, 15], [1990, 10], [500, 3], [96, 4]] * 4, [[49999, 0], [0, 1], [50000, 0]],
              [[30, 2], [0, 3], [25, 0], [40, 1]]]  # fmt: skip


@pytest.mark.parametrize("X", NEARLY_ALL)
def test_a_term_and_all_other_tokens_are_over_dispersed_alike(X):
    """LR and score of counts c and n_j − c are the same, and so is their p."""
    found = burstiness(X, draws=999)
    for name in ("lr", "score"):
        result = getattr(found, name)
        assert result.value[0] == pytest.approx(result.value[1], rel=1e-9)
        assert result.log10_p[0] == pytest.approx(result.log10_p[1], abs=1e-9)
        assert result.p_method[0] == result.p_method[1]


@pytest.mark.slow
@pytest.mark.parametrize(("X", "p"), [([[100_000, 1], [100_000, 0], [100, 0]], 1.0), (NEARLY_ALL[0], 1e-4)])
def test_lambda_of_a_term_that_is_nearly_all_tokens(X, p):
    found = burstiness(X)
    assert 10 ** found.plr.log10_p[0] == pytest.approx(p)
    assert found.plr.p_method[0] == "monte-carlo"


@pytest.mark.slow
@pytest.mark.parametrize("others", [1, 2, 3, 9])
def test_lambda_of_a_term_that_is_more_than_half_by_all_splits(others):
    """Against all ways to put the other tokens into five documents, each with its hypergeometric probability."""
    n_j = np.array([1, 4, 4, 7, 12])
    splits = np.array([c for c in itertools.product(*(range(m + 1) for m in n_j)) if sum(c) == others])
    mass = special.binom(n_j, splits).prod(axis=1) / special.binom(28, others)
    assert mass.sum() == pytest.approx(1)
    held = n_j - splits
    cells = cells_of([{j: c for j, c in enumerate(row) if c} for row in held.tolist()], n_j)
    found = burstiness(cells, draws=20_000)
    value, p = found.plr.value, 10**found.plr.log10_p
    exact = np.array([mass[value >= v - 1e-9].sum() for v in value])
    error = 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1 / 20_000
    assert (np.abs(p - exact) <= error).all()


def test_more_tokens_than_numpy_can_draw_from(monkeypatch):
    """Then λ has the moments of the other tokens: hardly different."""
    n_j = np.random.default_rng(3).integers(90, 500, 60)
    rest = np.random.default_rng(4).binomial(n_j, 0.03)
    X = np.column_stack([n_j - rest, rest])
    drawn = burstiness(X, draws=999).plr
    monkeypatch.setattr("termburst.inference.null_distribution.COUNTABLE", 1)
    found = burstiness(X, draws=999).plr
    assert (drawn.p_method[0], found.p_method[0]) == ("monte-carlo", "tail")
    assert found.log10_p[0] == pytest.approx(drawn.log10_p[0], abs=0.1)


@pytest.mark.parametrize("draws", [np.nan, np.inf, -1, 0, 98, 99.5, "3", None, True, [999]])
def test_draws_that_are_no_number(draws):
    with pytest.raises(ValueError, match="draws must be a whole number of 99 or more; got "):
        burstiness([[1, 9], [0, 12]], draws=draws)


def test_bad_arguments():
    X = [[1, 9], [0, 12]]
    with pytest.raises(ValueError, match=r"seed must be a whole number of 0 or more; got 1\.5"):
        burstiness(X, seed=1.5)
    with pytest.raises(ValueError, match="draws must be a whole number of 99 or more; got 98"):
        burstiness(X, draws=98)
    with pytest.raises(ValueError, match="all documents are empty"):
        burstiness(np.zeros((2, 2), int))
    with pytest.raises(ValueError, match="form must be one of"):
        burstiness(X, form="proper")
    with pytest.raises(ValueError, match="sigma2"):
        burstiness(X, sigma2=-1.0)
    with pytest.raises(ValueError, match="patterns"):
        burstiness(TermStatistics.from_counts(X))


def test_tarone_s_normal_tail_is_not_used(sixty):
    """N(0, 1) would reject far too often: the p-values come from the conditional null."""
    rng = np.random.default_rng(14)
    columns = rng.multivariate_hypergeometric(sixty, 30, 400).T
    score = burstiness(cells_of_columns(columns, sixty), draws=999).score
    normal = stats.norm.sf(score.value)
    assert np.mean(normal <= 0.001) > 0.005
    assert np.mean(10**score.log10_p <= 0.001) <= 0.005


@pytest.mark.parametrize("only", ["plr", "lr", "score"])
def test_one_test_alone_has_the_same_p_values(only):
    counts = np.random.default_rng(3).negative_binomial(0.3, 0.2, size=(40, 12))
    every, one = burstiness(counts, draws=199), burstiness(counts, draws=199, only=only)
    for name in ("plr", "lr", "score"):
        np.testing.assert_array_equal(getattr(one, name).value, getattr(every, name).value)
        expected = getattr(every, name).log10_p if name == only else np.full(12, np.nan)
        np.testing.assert_array_equal(getattr(one, name).log10_p, expected)
    assert getattr(one, only).p_method.tolist() == getattr(every, only).p_method.tolist()
