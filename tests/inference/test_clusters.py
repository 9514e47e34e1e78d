"""Random signs of clusters, against all signs."""

from itertools import product

import numpy as np
import pytest

import termburst as tb
from termburst.inference.clusters import random_signs


def by_all_signs(score):
    sums = np.array([np.dot(signs, score) for signs in product((1, -1), repeat=len(score))])
    own = abs(score.sum())
    return np.mean(np.abs(sums) > own + 1e-9) + np.mean(np.abs(np.abs(sums) - own) <= 1e-9) / 2


@pytest.mark.parametrize("seed", range(6))
def test_p_is_nearly_that_of_all_signs(seed):
    score = np.random.default_rng(seed).normal(0.3, 1, 12)
    assert random_signs(score[None])[0] == pytest.approx(by_all_signs(score), abs=0.012, rel=0.2)


def test_all_of_one_sign_and_none():
    found = random_signs(np.array([[1.0, 2, 3, 4, 5], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]))
    assert found.tolist() == [2**-5, 1.0, 0.5]


def counts_in_clusters(rng, cluster, words, slope, x, spread=0.4):
    """Counts of words whose share differs between clusters, and by e^(±slope x) in two thirds of them; and the rest."""
    lengths = np.maximum(rng.lognormal(6, 0.5, cluster.size), 50).astype(int)
    mean = np.exp(rng.uniform(np.log(3e-4), np.log(5e-3), words))
    own = spread * rng.normal(size=(cluster.max() + 1, words))[cluster]
    pi = np.minimum(mean * np.exp(own + slope * x[:, None] * rng.choice([-1, 0, 1], words)), 0.3)
    counts = rng.binomial(lengths[:, None], rng.beta(60 * pi, 60 * (1 - pi)))
    return np.column_stack([counts, np.maximum(lengths - counts.sum(axis=1), 1)])


def test_interval_and_p_agree_without_being_set():
    """The end next to 0 was set to 0 in a tenth of the rows."""
    rng, cluster = np.random.default_rng(1), np.repeat(np.arange(12), 8)
    year = rng.normal(size=cluster.size)
    about = {"year": year.tolist(), "who": cluster.astype(str).tolist()}
    found = tb.keyness(
        counts_in_clusters(rng, cluster, 200, 0.8, year), formula="year", metadata=about, cluster="who",
        terms=[f"{k:03}" for k in range(201)],
    )  # fmt: skip
    assert set(found["p_method"]) == {"random signs of clusters"}
    low, high, p, ratio = (found[name].to_numpy() for name in ("ci_low", "ci_high", "p_value", "log_ratio"))
    np.testing.assert_array_equal((low > 0) | (high < 0), p < 0.05)
    assert 0.1 < np.mean(p < 0.05) < 0.6
    assert ((low != 0) & (high != 0)).all()
    assert ((low <= ratio) & (ratio <= high)).all()


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [6, 8])
def test_size_with_few_clusters_each_on_one_side(clusters):
    """Of words in 20 to 999 tokens 3 to 4 % had p ≤ 0.05."""
    rng, cluster, small = np.random.default_rng(clusters), np.repeat(np.arange(clusters), 10), []
    for _ in range(12):
        X = counts_in_clusters(rng, cluster, 150, 0.0, cluster * 0.0, spread=0.5)
        side = rng.permutation(np.arange(clusters) % 2)[cluster]
        table = tb.keyness(
            X, formula="side",
            metadata={"side": np.where(side, "a", "b").tolist(), "who": cluster.astype(str).tolist()},
            cluster="who", terms=[f"{k:03}" for k in range(151)], confidence=None,
        )  # fmt: skip
        small.append((table.filter(table["n"].is_between(20, 999))["p_value"] <= 0.05).mean())
    assert 0.04 < np.mean(small) < 0.075
