"""The Pólya urn against SciPy's special cases, brute force over orders, exact moments and its own simulations."""

import itertools
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from termburst.models import polya_urn
from termburst.models.polya_urn import PolyaUrn

ALPHA = np.array([0.4, 1.0, 2.5])
UNEQUAL = np.array([3.0, 0.5, 0.0])
FULL = np.array([[1.0, 2.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.7, 0.5]])
# All rows add to 1, so that the urn's total is certain and the counts' moments follow exactly (`exact_moments`).
PAIR_ALPHA = np.array([0.1, 0.1, 10.0])
PAIR = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])


def count_vectors(n, m):
    return np.array([v for v in itertools.product(range(n + 1), repeat=m) if sum(v) == n])


def by_brute_force(urn, n):
    """The probability of each count vector as the plain sum over sequences, by the definition of the process."""
    M, m = urn.replacement.toarray(), urn.alpha.size
    total = dict.fromkeys(map(tuple, count_vectors(n, m).tolist()), 0.0)
    for sequence in itertools.product(range(m), repeat=n):
        mass, probability = urn.alpha.copy(), 1.0
        for term in sequence:
            probability *= mass[term] / mass.sum()
            mass += M[term]
        assert np.exp(urn.sequence_log_likelihood(sequence)) == pytest.approx(probability, rel=1e-12, abs=1e-300)
        total[tuple(np.bincount(sequence, minlength=m).tolist())] += probability
    return total


def exact_moments(alpha, M, n):
    """Mean and covariance of the counts of n draws, M's rows all having the sum ρ: p_t = (α + Mᵀc_t) / (α_0 + ρt)."""
    rho = M.sum(axis=1)
    assert np.ptp(rho) == 0
    mean, second = np.zeros(alpha.size), np.zeros((alpha.size, alpha.size))
    for t in range(n):
        total = alpha.sum() + rho[0] * t
        p, cross = (alpha + M.T @ mean) / total, (np.outer(mean, alpha) + second @ M) / total
        mean, second = mean + p, second + cross + cross.T + np.diag(p)
    return mean, second - np.outer(mean, mean)


def chi_square_p(urn, n, probabilities, documents, seed):
    counts = urn.sample(np.full(documents, n), seed).toarray()
    vectors, expected = np.array(list(probabilities)), documents * np.array(list(probabilities.values()))
    observed = np.array([(counts == v).all(axis=1).sum() for v in vectors])
    assert observed.sum() == documents
    assert not observed[expected == 0].any()
    rare = expected < 5
    observed, expected = (np.append(x[~rare], x[rare].sum()) for x in (observed, expected))
    keep = expected > 0
    return stats.chisquare(observed[keep], expected[keep] * documents / expected[keep].sum()).pvalue


# --- likelihoods


def test_the_sums_over_all_orders_are_those_of_scipy():
    """M = 0 is the multinomial, and δI the Dirichlet-multinomial, at any scale of all masses."""
    for n, delta, scale in itertools.product((1, 4), (0.0, 0.5, 7.0), (1.0, 1e9)):
        found = by_brute_force(PolyaUrn(scale * ALPHA, scale * delta), n)
        X = list(found)
        multinomial = stats.multinomial.pmf(X, n, ALPHA / ALPHA.sum())
        expected = stats.dirichlet_multinomial.pmf(X, ALPHA / delta, n) if delta else multinomial
        np.testing.assert_allclose(list(found.values()), expected, rtol=1e-9)
    assert PolyaUrn(ALPHA, FULL).sequence_log_likelihood([]) == 0


def test_sequences_add_to_one_for_any_replacement():
    for urn in (PolyaUrn(ALPHA, FULL), PolyaUrn([0.0, 1.0, 2.0], FULL)):
        assert sum(by_brute_force(urn, 5).values()) == pytest.approx(1, rel=1e-12)


def test_a_term_without_initial_mass_needs_another_to_bring_it_on():
    alpha = [0.0, 1.0, 1.0]
    brought = PolyaUrn(alpha, [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert brought.sequence_log_likelihood([0]) == -np.inf
    assert brought.sequence_log_likelihood([2, 0]) == -np.inf
    assert brought.sequence_log_likelihood([1, 0]) == pytest.approx(np.log(0.5 * 0.5))
    counts = brought.sample(np.full(500, 6), 3).toarray()
    assert (counts[:, 0] > 0).any()
    assert not ((counts[:, 0] > 0) & (counts[:, 1] == 0)).any()
    assert not PolyaUrn(alpha, 1.0).sample(np.full(500, 6), 3).toarray()[:, 0].any()


def test_extreme_masses_stay_finite():
    for replacement in [0.0, 1.0, 1e-12, UNEQUAL, FULL]:
        for scale in [(1e-12, 1e-12, 1e-12), (1e12, 1e12, 1e12), (1e-12, 1.0, 1e12)]:
            urn = PolyaUrn(scale, replacement)
            assert np.isfinite(urn.sequence_log_likelihood([1, 0, 0, 2, 1]))
            assert urn.sample([30, 4], 0).sum(axis=1).tolist() == [[30], [4]]


# --- sampling


@pytest.mark.slow
@pytest.mark.parametrize("replacement", [0.0, 1.0, UNEQUAL, FULL])
def test_simulated_counts_have_the_exact_distribution(replacement):
    urn = PolyaUrn(ALPHA, replacement)
    truth = by_brute_force(urn, 5)
    assert chi_square_p(urn, 5, truth, documents=40_000, seed=11) > 1e-4
    # the test can tell: the same sample does not fit masses a tenth away
    wrong = by_brute_force(PolyaUrn(ALPHA * [1.1, 1.0, 1.0], replacement), 5)
    assert chi_square_p(urn, 5, wrong, documents=40_000, seed=11) < 1e-4


def test_moments_of_the_dirichlet_multinomial():
    for delta in [0.0, 0.5, 2.0]:
        n, documents, p = 25, 20_000, ALPHA / ALPHA.sum()
        counts = PolyaUrn(ALPHA, delta).sample(np.full(documents, n), 7).toarray()
        inflation = (n * delta + ALPHA.sum()) / (delta + ALPHA.sum())  # (n + α_0/δ) / (1 + α_0/δ)
        variance = n * p * (1 - p) * inflation
        error = np.abs(counts.mean(axis=0) - n * p) / np.sqrt(variance / documents)
        assert (error < 5).all()
        squares = (counts - n * p) ** 2
        assert (np.abs(squares.mean(axis=0) - variance) < 5 * squares.std(axis=0) / np.sqrt(documents)).all()


@pytest.mark.slow
def test_words_that_feed_each_other_burst_together():
    n, documents = 50, 20_000
    correlation, lift = {}, {}
    for name, M in (("identity", np.eye(3)), ("pair", PAIR)):
        counts = PolyaUrn(PAIR_ALPHA, M).sample(np.full(documents, n), 2).toarray()
        mean, covariance = exact_moments(PAIR_ALPHA, M, n)
        planted = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
        batches = [np.corrcoef(part[:, 0], part[:, 1])[0, 1] for part in np.array_split(counts, 20)]
        correlation[name] = np.corrcoef(counts[:, 0], counts[:, 1])[0, 1]
        assert abs(correlation[name] - planted) < 5 * np.std(batches, ddof=1) / np.sqrt(20)
        standard_error = np.sqrt(np.diag(covariance) / documents)
        assert (np.abs(counts.mean(axis=0) - mean) < 5 * standard_error).all()
        has = counts[:, :2] > 0
        lift[name] = has[has[:, 0], 1].mean() / has[~has[:, 0], 1].mean()
    assert np.allclose(exact_moments(PAIR_ALPHA, np.eye(3), n)[0], exact_moments(PAIR_ALPHA, PAIR, n)[0])
    # planted −0.010 and 0.681, measured −0.016 and 0.672; one word makes the other 1.0 and 6.4 times as likely
    assert correlation["pair"] - correlation["identity"] == pytest.approx(0.691, abs=0.05)
    assert lift["pair"] > 5
    assert 0.7 < lift["identity"] < 1.3


def test_one_way_feeding_is_one_way():
    M = np.eye(3)
    M[0, 1] = 3.0
    urn = PolyaUrn(PAIR_ALPHA, M)
    assert urn.sequence_log_likelihood([2, 0, 1]) > urn.sequence_log_likelihood([2, 1, 0]) + 2


def test_the_same_seed_gives_the_same_counts():
    urn, lengths = PolyaUrn(ALPHA, FULL), [5, 0, 17, 3, 17]
    first = urn.sample(lengths, 42)
    for seed in (42, np.random.default_rng(42), np.random.SeedSequence(42)):
        assert (urn.sample(lengths, seed) != first).nnz == 0
    rng = np.random.default_rng(42)
    urn.sample(lengths, rng)
    assert (urn.sample(lengths, rng) != first).nnz > 0
    assert (urn.sample(lengths, 43) != first).nnz > 0


def test_a_sample_is_canonical_csr_of_the_given_lengths():
    for replacement in (0.0, 1.0, FULL):
        X = PolyaUrn(ALPHA, replacement).sample([4, 0, 100, 1], 0)
        assert isinstance(X, sp.csr_matrix)
        assert X.dtype == np.int64
        assert X.has_canonical_format
        assert X.data.all()
        assert X.sum(axis=1).ravel().tolist() == [[4, 0, 100, 1]]
        assert PolyaUrn(ALPHA, replacement).sample([], 0).shape == (0, 3)
        assert PolyaUrn(ALPHA, replacement).sample([0, 0], 0).nnz == 0


@pytest.mark.slow
def test_blocks_of_documents_do_not_change_the_distribution(monkeypatch):
    monkeypatch.setattr(polya_urn, "_BLOCK_TOKENS", 70)
    urn = PolyaUrn(ALPHA, FULL)
    lengths = np.tile([3, 100, 0, 12], 50)
    assert np.asarray(urn.sample(lengths, 1).sum(axis=1)).ravel().tolist() == lengths.tolist()
    assert chi_square_p(urn, 4, by_brute_force(urn, 4), documents=5_000, seed=1) > 1e-4


def test_a_large_vocabulary_with_a_few_words_that_feed_each_other():
    m, rng = 20_000, np.random.default_rng(0)
    pairs = rng.choice(m, size=(30, 2), replace=False)
    M = sp.identity(m, format="csr") + sp.csr_matrix((np.full(30, 2.0), pairs.T), shape=(m, m))
    urn = PolyaUrn(rng.gamma(0.2, size=m) + 1e-9, M)
    X = urn.sample(np.full(200, 150), 1)
    assert X.shape == (200, m)
    assert (X.sum(axis=1) == 150).all()
    assert np.isfinite(urn.sequence_log_likelihood(np.repeat(X[0].indices, X[0].data)))


# --- what is refused


def test_an_urn_is_its_own_and_cannot_be_changed():
    alpha, M = ALPHA.copy(), sp.csr_matrix(FULL)
    urn = PolyaUrn(alpha, M)
    alpha[0], M[0, 0] = 99.0, 99.0
    assert urn.alpha[0] == ALPHA[0]
    assert urn.replacement[0, 0] == FULL[0, 0]
    with pytest.raises(FrozenInstanceError):
        urn.alpha = alpha
    with pytest.raises(ValueError, match="read-only"):
        urn.alpha[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        urn.replacement.data[0] = 1
    again = pickle.loads(pickle.dumps(urn))
    assert (again.sample([9], 0) != urn.sample([9], 0)).nnz == 0


def test_impossible_urns():
    for alpha, replacement, message in [
        ([], 1.0, "alpha must be a vector"),
        (1.0, 1.0, "alpha must be a vector"),
        ([[1.0, 2.0]], 1.0, r"alpha must be a vector.*\(1, 2\)"),
        (sp.csr_matrix([[1.0, 2.0]]), 1.0, r"alpha must be a vector.*\(1, 2\)"),
        ([1.0, np.nan], 1.0, "alpha.*got nan"),
        ([1.0, np.inf], 1.0, "alpha.*got inf"),
        ([-1.0, 1.0], 1.0, "alpha.*got -1"),
        ([1.0, 1e-200], 1.0, "alpha.*got 1e-200"),
        ([0.0, 0.0], 1.0, "alpha must be above 0 for at least one term"),
        (["a", "b"], 1.0, "alpha must contain real numbers"),
        ([1j, 1.0], 1.0, "alpha must contain real numbers"),
        ([[1.0], [1.0, 2.0]], 1.0, "alpha must be a rectangular array"),
        ([1.0, 1.0], np.nan, "replacement.*got nan"),
        ([1.0, 1.0], -1.0, "replacement.*got -1"),
        ([1.0, 1.0], [1.0, -2.0], "replacement.*got -2"),
        ([1.0, 1.0], [[1.0, 0.0], [np.inf, 1.0]], "replacement.*got inf"),
        ([1.0, 1.0], sp.csc_matrix([[1.0, -3.0], [0.0, 1.0]]), "replacement.*got -3"),
        ([1.0, 1.0], [[1.0, 0.0], [1e200, 1.0]], r"replacement.*got 1e\+200"),
        ([1.0, 1.0], [1.0, 1.0, 1.0], r"replacement.*\(2,\) or \(2, 2\); got shape \(3,\)"),
        ([1.0, 1.0], np.ones((2, 3)), r"got shape \(2, 3\)"),
        ([1.0, 1.0], sp.identity(3), r"got shape \(3, 3\)"),
        ([1.0, 1.0], "identity", "replacement must contain real numbers"),
        ([1.0, 1.0], None, "replacement must contain real numbers"),
        ([1.0, 1.0], sp.csr_matrix([[1j, 0], [0, 1]]), "replacement must contain real numbers"),
        ([1.0, 1.0], [[1.0], [1.0, 2.0]], "replacement must be a rectangular array"),
    ]:
        with pytest.raises(ValueError, match=message):
            PolyaUrn(alpha, replacement)


def test_impossible_lengths_and_tokens():
    for values, message in [
        ([1, -2], "entry 1 is -2"),
        ([1.5], "entry 0 is 1.5"),
        ([np.nan], "entry 0 is nan"),
        ([np.inf], "entry 0 is inf"),
        (["a"], "must contain real numbers"),
        (3, "must be a vector"),
        ([[1, 2]], "must be a vector"),
    ]:
        urn = PolyaUrn(ALPHA, FULL)
        with pytest.raises(ValueError, match=f"lengths.*{message}"):
            urn.sample(values, 0)
        with pytest.raises(ValueError, match=f"tokens.*{message}"):
            urn.sequence_log_likelihood(values)


def test_tokens_beyond_the_terms():
    with pytest.raises(ValueError, match="tokens must be below 3, the number of terms; entry 2 is 3"):
        PolyaUrn(ALPHA, UNEQUAL).sequence_log_likelihood([0, 1, 3])
