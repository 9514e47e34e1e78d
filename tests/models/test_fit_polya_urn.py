"""The urn's fit: its likelihood never falls, and its maximum is that of other ways to find it."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from termburst.models.fit_polya_urn import fit_urn, group_prior, no_prior
from termburst.models.polya_urn import PolyaUrn
from termburst.models.urn_sequences import Sequences, UrnMatrix

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))
from twins import urn as twin


def as_sequences(documents, terms, half_life=None):
    tokens = np.concatenate(documents).astype(np.int32)
    return Sequences(tokens, np.cumsum([one.size for one in documents]).astype(np.int64), terms, half_life)


def drawn(seed, terms=4, documents=30, length=12, pairs=True):
    rng = np.random.default_rng(seed)
    M = np.diag(rng.gamma(1.0, 0.3, terms))
    if pairs:
        M[0, 1] = 1.0
    return PolyaUrn(rng.dirichlet(np.ones(terms)), M).sample_tokens(rng.poisson(length, documents) + 1, rng)


def start(matrix):
    terms = matrix.indptr.size - 1
    return np.full(terms, 1 / terms), np.full(matrix.sources.size, 0.1)


def random_matrix(rng, terms):
    extra = rng.integers(0, terms, (2, 3))
    everyone = np.arange(terms)
    return UrnMatrix.of_pairs(np.append(everyone, extra[0]), np.append(everyone, extra[1]), terms)


@pytest.mark.slow
def test_the_penalised_likelihood_never_falls_in_random_fits():
    rng = np.random.default_rng(20)
    worst = np.inf
    for seed in range(120):
        terms = int(rng.integers(2, 7))
        documents = drawn(seed, terms, int(rng.integers(2, 30)), float(rng.uniform(1, 20)), pairs=bool(seed % 2))
        sequences = as_sequences(documents, terms, None if seed % 3 else float(rng.uniform(1, 20)))
        matrix = random_matrix(rng, terms) if seed % 2 else UrnMatrix.diagonal(terms)
        alpha, values = start(matrix)
        prior = group_prior(matrix, alpha, float(rng.uniform(0.1, 3))) if seed % 4 < 2 else None
        with np.errstate(divide="ignore"):
            fit = fit_urn(sequences, matrix, (alpha, values), prior, max_iterations=60)
        scale = max(abs(fit.history[-1]), 1.0)
        worst = min(worst, np.diff(fit.history).min(initial=0.0) / scale)
    assert worst > -1e-12


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_maximum_is_that_of_the_closed_updates(seed):
    documents = drawn(seed, documents=15, length=7)
    matrix = UrnMatrix.of_pairs([0, 1, 2, 3, 0], [0, 1, 2, 3, 1], 4)
    fit = fit_urn(as_sequences(documents, 4), matrix, start(matrix), tolerance=1e-13)
    M = np.zeros((4, 4))
    M[matrix.sources, matrix.targets] = 0.1
    _, M, history = twin.em_fit(documents, np.full(4, 0.25), M, 60)
    assert min(np.diff(history)) > -1e-9
    assert history[-1] <= fit.log_likelihood + 1e-9
    assert fit.log_likelihood == pytest.approx(history[-1], abs=0.5)  # the closed updates are still on their way
    # at the maximum a closed update changes nothing
    dense = np.zeros((4, 4))
    dense[matrix.sources, matrix.targets] = fit.values
    again, updated, value = twin.em_step(documents, fit.alpha, dense)
    np.testing.assert_allclose(again / again.sum(), fit.alpha, atol=1e-5)
    np.testing.assert_allclose(updated / again.sum(), dense, atol=1e-4)
    assert value == pytest.approx(fit.log_likelihood, rel=1e-12)


@pytest.mark.slow
def test_the_maximum_is_that_of_scipy():
    documents = drawn(5, terms=3, documents=25, length=8, pairs=False)
    sequences, matrix = as_sequences(documents, 3), UrnMatrix.diagonal(3)
    fit = fit_urn(sequences, matrix, start(matrix), tolerance=1e-13)

    def loss(x):
        alpha = np.exp(np.append(x[:2], 0.0))
        urn = PolyaUrn(alpha, np.exp(x[2:]) * alpha.sum())
        return -sum(urn.sequence_log_likelihood(one) for one in documents)

    best = minimize(loss, np.zeros(5) - 1, method="BFGS", options={"gtol": 1e-6})
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-5)
    np.testing.assert_allclose(fit.values, np.exp(best.x[2:]), rtol=2e-3)


def test_the_prior_pulls_together_and_fills_what_is_not_known():
    documents = [
        np.array(one) for one in ([0, 0, 0, 0, 1], [1, 1, 1, 1, 2], [2, 2, 1, 0, 2], [1, 1], [0, 0, 2], [3])
    ] * 3
    sequences, matrix = as_sequences(documents, 4), UrnMatrix.diagonal(4)
    free = fit_urn(sequences, matrix, start(matrix))
    shrunken = fit_urn(sequences, matrix, start(matrix), group_prior(matrix, np.full(4, 0.25), 5.0))
    assert np.std(shrunken.values[:3]) < np.std(free.values[:3])
    assert free.values[3] == 0  # 3 is always alone, so nothing is known of what it brings on
    # with exposure 0 an entry has the prior's value, c/(f b): the weighted mean of all
    assert shrunken.values[3] == pytest.approx(shrunken.values.mean(), rel=1e-4)


def test_the_penalty_does_not_depend_on_the_scale():
    matrix = UrnMatrix.of_pairs([0, 1, 0], [0, 1, 1], 2)
    prior = group_prior(matrix, np.array([0.7, 0.3]), 2.0)
    alpha, values = np.array([0.6, 0.4]), np.array([0.2, 0.1, 0.5])
    assert prior.log_density(3 * alpha, 3 * values) == pytest.approx(prior.log_density(alpha, values), rel=1e-12)
    assert no_prior(3, 2).log_density(alpha, values) == 0


def test_words_that_never_repeat_bring_on_nothing():
    documents = [np.random.default_rng(seed).permutation(8)[:5] for seed in range(30)]
    sequences, matrix = as_sequences(documents, 8), UrnMatrix.diagonal(8)
    fit = fit_urn(sequences, matrix, start(matrix))
    assert fit.status == "boundary"
    assert not fit.values.any()
    np.testing.assert_allclose(fit.alpha, sequences.counts / sequences.tokens.size, rtol=1e-9)


def test_a_word_alone_in_its_documents_grows_without_bound():
    documents = [np.array([0] * 9)] * 5 + [np.array([1, 2, 1, 2, 2, 1])] * 5
    matrix = UrnMatrix.diagonal(3)
    fit = fit_urn(as_sequences(documents, 3), matrix, start(matrix))
    assert fit.status == "unbounded"
    assert fit.values[0] > 100 * fit.values[1:].max()
    assert np.isfinite(fit.log_likelihood)
    shrunken = fit_urn(as_sequences(documents, 3), matrix, start(matrix), group_prior(matrix, np.full(3, 1 / 3), 1.0))
    assert shrunken.status == "converged"


def test_the_fit_says_if_it_was_stopped():
    matrix = UrnMatrix.diagonal(4)
    fit = fit_urn(as_sequences(drawn(1), 4), matrix, start(matrix), tolerance=1e-16, max_iterations=2)
    assert fit.status == "max_iterations"


def test_words_that_only_bring_on_each_other_grow_without_bound():
    documents = [np.array([0, 1, 0, 1, 1, 0])] * 8 + [np.array([2, 3, 4, 2]), np.array([3, 2, 4])] * 6
    matrix = UrnMatrix.of_pairs([0, 1, 2, 3, 4, 0, 1], [0, 1, 2, 3, 4, 1, 0], 5)
    assert not as_sequences(documents, 5).alone().any()
    assert fit_urn(as_sequences(documents, 5), matrix, start(matrix)).status == "unbounded"


def test_a_prior_does_not_hide_that_nothing_is_brought_on():
    """Words repeat less than by chance: the penalty is the same at any scale of M, which falls towards 0 forever."""
    documents = [np.random.default_rng(seed).permutation([0, 0, 1, 1, 2, 2]) for seed in range(40)]
    sequences, matrix = as_sequences(documents, 3), UrnMatrix.diagonal(3)
    fit = fit_urn(sequences, matrix, start(matrix), group_prior(matrix, np.full(3, 1 / 3), 1.0))
    assert fit.status == "boundary"
    assert not fit.values.any()
    assert fit.log_likelihood == pytest.approx(240 * np.log(1 / 3))
