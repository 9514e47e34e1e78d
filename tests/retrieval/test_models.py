"""Weights of postings equal the formulas, computed densely for one document and one term at a time."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import digamma

from helpers.reference import reference_values
from reference import retrieval_peers as peers
from termburst.retrieval import MODELS, Index
from termburst.retrieval.collection import Collection
from termburst.retrieval.models import background_mass, generalised_spud, replacement_weights, spud


@pytest.fixture(scope="module", name="X")
def bursty_counts():
    """Thirty documents with twelve bursty terms; the last term never occurs, two documents are empty."""
    rng = np.random.default_rng(1)
    counts = rng.negative_binomial(0.3, 0.2, size=(30, 12))
    counts[:, 11] = 0
    counts[[4, 29]] = 0
    return counts


def mass_by_fixed_point(X, steps=3000):
    """The iteration of the first author's code, s ← Σdf/(Σ_j ψ(s + |d_j|) − ψ(s)), with the same start."""
    lengths = X.sum(axis=1)
    s = 250.0
    for _ in range(steps):
        s = (X > 0).sum() / (digamma(s + lengths) - digamma(s)).sum()
    return s


def log_likelihood_ratio(model, X, d, query, omega=0.8, mu=2000.0, lam=0.7):
    """log p(q | d)/p(q | collection) of a language model, as in the papers."""
    length, distinct = X[d].sum(), (X[d] > 0).sum()
    df, cf = (X > 0).sum(axis=0), X.sum(axis=0)
    mc = mass_by_fixed_point(X)
    total = 0.0
    for t in query:
        if model == "lm-dirichlet":
            p, background = (X[d, t] + mu * cf[t] / cf.sum()) / (length + mu), cf[t] / cf.sum()
        elif model == "lm-jm":
            p, background = (1 - lam) * X[d, t] / length + lam * cf[t] / cf.sum(), cf[t] / cf.sum()
        else:
            share = X[d, t] / length
            if model == "gspud":
                r = replacement_weights(Collection.from_counts(X), mc)
                share = r[t] * X[d, t] / (r * X[d]).sum()
            background = df[t] / df.sum()
            own, behind = (1 - omega) * distinct, omega * mc
            p = (own * share + behind * background) / (own + behind)
        total += math.log(p / background)
    return total


def dense_scores(model, X, query):
    collection = Collection.from_counts(X)
    weights = MODELS[model](collection)
    W = sp.csc_array((weights.postings, collection.counts.indices, collection.counts.indptr), shape=X.shape).toarray()
    return sum(W[:, t] for t in query) + len(query) * weights.documents


@pytest.mark.slow
@pytest.mark.parametrize("model", ["spud", "gspud", "lm-dirichlet", "lm-jm"])
def test_language_models_equal_the_likelihood_ratio_to_the_collection(model, X):
    query = [0, 3, 3, 7]
    scores = dense_scores(model, X, query)
    for d in np.flatnonzero(X.sum(axis=1)):
        assert scores[d] == pytest.approx(log_likelihood_ratio(model, X, d, query), rel=1e-9)


def test_bm25_equals_bm25s():
    """bm25s computes in single precision; documents without a word of the query are no hits."""
    texts, queries = peers.documents()
    index = Index.from_texts(" ".join(text) for text in texts)
    for query, expected in zip(queries, reference_values("retrieval_peers")["bm25"]["scores"], strict=True):
        hits = index.search(query, None, model="bm25")
        found = np.zeros(len(texts))
        found[[int(name) for name in hits.ids]] = hits.scores
        np.testing.assert_allclose(found, expected, atol=3e-6)
        assert found.any()


def test_bm25_equals_its_formula(X):
    scores = dense_scores("bm25", X, [2, 5])
    mean = X.sum() / len(X)
    for d, counts in enumerate(X):
        expected = 0.0
        for t in (2, 5):
            holders = sum(1 for other in X if other[t])
            idf = math.log(1 + (len(X) - holders + 0.5) / (holders + 0.5))
            expected += idf * counts[t] / (counts[t] + 1.2 * (0.25 + 0.75 * counts.sum() / mean))
        assert scores[d] == pytest.approx(expected, rel=1e-12)


def test_background_mass_equals_the_limit_of_the_authors_iteration(X):
    assert background_mass(Collection.from_counts(X)) == pytest.approx(mass_by_fixed_point(X), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([[1, 1, 1], [1, 1, 0]], 3 + 1),  # no repetition
        ([[3, 0], [0, 2]], 1 / (1 + 1 / 2 + 1)),  # no document with two terms
        ([[1, 0], [0, 1]], 1.0),  # nothing to learn from
    ],
)
def test_background_mass_stays_finite(counts, expected):
    assert background_mass(Collection.from_counts(counts)) == pytest.approx(expected)


@pytest.mark.parametrize("rare", [[[1] * 8, [1] * 7 + [2]], [[5, 1], [0, 5]]])
def test_the_bound_of_the_mass_also_holds_nearby(rare):
    lengths = np.sum(rare, axis=1)
    mass = background_mass(Collection.from_counts(rare))
    harmonic = sum(1 / k for length in lengths for k in range(1, length))
    assert 1 / harmonic < mass < (lengths * (lengths - 1)).sum() / 2


@pytest.mark.parametrize("model", MODELS)
def test_weights_are_above_zero_and_finite(model, X):
    for counts in (X, [[1, 1, 1], [1, 1, 0]], [[3, 0], [0, 2]], [[1, 0], [0, 1]], [[4]], [[7, 0], [0, 0]]):
        weights = MODELS[model](Collection.from_counts(counts))
        assert (weights.postings > 0).all()
        assert np.isfinite(weights.postings).all()
        assert np.isfinite(weights.documents).all()


def test_equal_replacements_give_spud(X, monkeypatch):
    collection = Collection.from_counts(X)
    monkeypatch.setattr("termburst.retrieval.models.replacement_weights", lambda c, m: np.full(12, 3.0))
    np.testing.assert_allclose(generalised_spud(collection).postings, spud(collection).postings, rtol=1e-12)


def test_a_text_repeated_within_itself_scores_the_same_by_spud():
    """The verbosity hypothesis of the paper: repeating a whole text adds nothing. LM-Dirichlet disagrees."""
    once, twice = [2, 1, 0, 1], [4, 2, 0, 2]
    counts = [once, twice, [0, 3, 1, 1], [1, 0, 2, 5]]
    scores = dense_scores("spud", np.array(counts), [0, 3])
    assert scores[0] == pytest.approx(scores[1])
    scores = dense_scores("lm-dirichlet", np.array(counts), [0, 3])
    assert scores[0] != pytest.approx(scores[1])


def test_bursty_terms_add_more_balls():
    rng = np.random.default_rng(0)
    even = rng.poisson(3, size=200)
    bursts = np.where(rng.random(200) < 0.1, 30, 0)
    X = np.column_stack([even, bursts, 100 - even - bursts])
    r = replacement_weights(Collection.from_counts(X), 50.0)
    assert r[1] > 10 * r[0] >= 10


@pytest.mark.parametrize(
    ("model", "parameters", "message"),
    [
        ("spud", {"omega": 1}, "omega must be between 0 and 1; got 1"),
        ("gspud", {"omega": 0.0}, "omega must be between 0 and 1; got 0.0"),
        ("lm-dirichlet", {"mu": 0}, "mu must be a number above 1e-100 and at most 1e[+]100; got 0"),
        ("lm-dirichlet", {"mu": float("nan")}, "mu must be a number above 1e-100 and at most 1e[+]100; got nan"),
        ("lm-jm", {"smoothing": "much"}, "smoothing must be between 0 and 1; got 'much'"),
        ("bm25", {"b": 2}, "b must be a number of at least 0 and at most 1; got 2"),
        ("bm25", {"k1": True}, "k1 must be a number above 1e-100 and at most 1e[+]100; got True"),
    ],
)
def test_bad_parameters_give_one_sentence(model, parameters, message, X):
    with pytest.raises(ValueError, match=f"^{message}$"):
        MODELS[model](Collection.from_counts(X), **parameters)
