"""The parts of the null distributions: documents drawn by their length, counts of the draws, tilted weights."""

import numpy as np
import pytest
from scipy import special, stats

from termburst.inference import _null_kernel as kernel
from termburst.inference import null_distribution
from termburst.inference.null_distribution import Lengths, Null, PlrFunction
from termburst.models.cells import TermCells


def cells_on(n_j):
    """One term, once in the first document: the lengths are what matters."""
    lengths, documents = np.unique(n_j, return_counts=True)
    one = np.ones(1, np.int64)
    return TermCells(
        np.array([0, 1]), np.ones(1, np.int32), np.array([n_j[0]], np.int32), np.ones(1), one, one, lengths, documents
    )


@pytest.mark.parametrize("n_j", [[7], [3, 3, 3], [1, 1, 1, 10**9], [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 2, 9]])
def test_aliases_give_each_document_its_share(n_j):
    check_aliases(np.array(n_j))


def test_aliases_of_many_lengths():
    rng = np.random.default_rng(1)
    for size in range(1, 300):
        check_aliases(rng.integers(1, rng.integers(2, 60), size))


def check_aliases(n_j):
    lengths = Lengths.of(cells_on(n_j))
    d = lengths.each.size
    assert ((lengths.accept >= 0) & (lengths.accept <= 1)).all()
    share = (lengths.accept + np.bincount(lengths.other, 1 - lengths.accept, d)) / d
    np.testing.assert_allclose(share, np.sort(n_j[n_j > 0]) / n_j.sum(), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("n_j", [np.arange(1, 60), np.array([1, 1, 2, 2, 3, 30])])
def test_draws_split_as_enumerated(n_j):
    """b and Σ log (n_ij − 1)! of 400,000 draws against the partitions' probabilities; Σ n_ij n_j by its mean."""
    lengths = Lengths.of(cells_on(n_j))
    null = Null(cells_on(n_j), 99, 0, False, PlrFunction(cells_on(n_j), None, 1.0, "printed"))
    sizes, draws = np.array([2, 5, 9]), 400_000
    b, repetition, scatter = np.empty((3, draws), np.int32), np.empty((3, draws)), np.empty((3, draws))
    kernel.simulate(
        np.uint64(5), 0, draws, sizes, lengths.each, lengths.accept, lengths.other, b, repetition, scatter
    )  # fmt: skip
    n, pairs = n_j.sum(), (n_j * (n_j - 1)).sum()
    for at, v in enumerate(sizes.tolist()):
        states = null._partitions(9)[v]
        key = 100 * states.documents + states.repetition
        values, place = np.unique(key.round(6), return_inverse=True)
        expected = draws * np.bincount(place, states.mass)
        found = np.bincount(np.searchsorted(values, 100 * b[at] + repetition[at] - 1e-4), minlength=values.size)
        assert not found[expected == 0].any()
        often = expected > 5
        distance = ((found - expected)[often] ** 2 / expected[often]).sum()
        assert distance <= stats.chi2.isf(1e-4, max(often.sum() - 1, 1)), v
        mean = v + v * (v - 1) * pairs / (n * (n - 1)) - 2 * v**2 / n**2 * (n_j**2).sum()
        assert abs(scatter[at].mean() - mean) < 4.5 * scatter[at].std() / draws**0.5 + 1e-9, v


@pytest.mark.parametrize(("rate", "weights"), [([0.01, 0.3, 4.0], [50.0, 20.0, 3.0]), ([900.0, 1_500.0], [2.0, 1.0])])
@pytest.mark.parametrize("tilt", [0, 5, 10])
def test_tilted_weights_by_logarithms(rate, weights, tilt):
    """The recurrence against weights computed one by one, also where they pass what a float holds."""
    rate, weights, slope = np.array(rate), np.array(weights), -3.0
    s, n_i = null_distribution.CURVE[tilt], float(weights @ rate)
    steps, log_gamma = null_distribution._steps()
    u, mass, b, r = kernel.tilted(s, slope, 0.0, n_i, rate, weights, steps[tilt], log_gamma)
    c = np.arange(int(n_i) + 1)
    own = special.gammaln(np.maximum(c, 1))
    log_w = c * (np.log(rate)[:, None] + u) - special.gammaln(c + 1) + s * np.where(c > 0, slope + 2 * own, 0.0)
    log_z = special.logsumexp(log_w, axis=1)
    p = np.exp(log_w - log_z[:, None])
    assert weights @ (p @ c) == pytest.approx(n_i, rel=1e-4)
    assert mass == pytest.approx(weights @ log_z - u * n_i, rel=1e-10, abs=1e-10)
    assert b == pytest.approx(weights @ p[:, 1:].sum(axis=1), rel=1e-10)
    assert r == pytest.approx(weights @ (p @ own), rel=1e-10)
