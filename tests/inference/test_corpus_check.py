"""Random halves: false alarms where nothing differs, and where documents of a cluster depend on each other."""

import numpy as np
import pytest
import scipy.sparse as sp

from termburst.inference.corpus_check import BANDS, effective_documents, false_alarms


def test_effective_documents():
    assert effective_documents(np.full(7, 50)) == pytest.approx(7)
    assert effective_documents(np.array([1000, *[10] * 500])) == pytest.approx(1.102, abs=0.001)
    assert effective_documents(np.zeros(3, np.int64)) == 0


@pytest.fixture(scope="module")
def clustered():
    """Bursty words on 40 clusters of 6 documents; each word is mostly used by some clusters."""
    rng = np.random.default_rng(2)
    share = rng.gamma(0.7, 1 / 0.7, (40, 1, 300)) * np.exp(rng.uniform(-6, -2.5, 300))
    counts = rng.poisson(np.minimum(share * 60, 30) * np.ones((1, 6, 1))).reshape(240, 300)
    rest = np.full((240, 1), 100)
    return sp.csr_array(np.hstack([counts, rest])), np.repeat(np.arange(40), 6)


@pytest.mark.slow
def test_halves_of_clusters_show_what_halves_of_documents_cannot(clustered):
    counts, cluster = clustered
    by_document, by_cluster = false_alarms(counts, halves=12), false_alarms(counts, cluster=cluster, halves=12)
    band = by_document["words"] >= 60
    assert band.sum() >= 2
    assert (by_document["keyness"][band] < 0.08).all()  # nothing is to be seen here
    assert np.isnan(by_document["summed"]).all()
    assert (by_cluster["keyness"][band] > 0.15).all()
    assert (by_cluster["summed"][band] < 0.09).all()
    assert (by_cluster["g2"][band] > by_cluster["summed"][band]).all()


def test_bands_and_seeds(clustered):
    counts, _ = clustered
    found, again, other = (false_alarms(counts, halves=2, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(found["keyness"], again["keyness"])
    assert not np.array_equal(found["g2"], other["g2"])
    assert found["least"].tolist() == [low for low, _ in BANDS]
    n_i = np.asarray(counts.sum(axis=0)).ravel()
    assert found["words"].tolist() == [int(((n_i >= low) & (n_i <= high)).sum()) for low, high in BANDS]


def test_too_few_documents_or_clusters(clustered):
    counts, cluster = clustered
    assert false_alarms(counts[:9]) is None
    assert false_alarms(counts, cluster=cluster // 5) is None
    assert false_alarms(sp.csr_array((12, 3), dtype=np.int64)) is None
