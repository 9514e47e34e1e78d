"""Only training documents are learned from: transformed documents change nothing, and random labels stay random."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import termburst as tb

pytestmark = pytest.mark.filterwarnings("ignore:the scheme 'class-")


@pytest.fixture(scope="module")
def topics():
    """400 documents of 40 tokens over 200 terms, in two classes with different topics."""
    rng = np.random.default_rng(11)
    labels = np.arange(400) % 2
    topic = rng.dirichlet(np.full(200, 0.2), size=2)
    shares = np.array([rng.dirichlet(80 * topic[label] + 1e-3) for label in labels])
    return sp.csr_matrix([rng.multinomial(40, share) for share in shares]), labels


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_transforming_does_not_change_the_fit(topics):
    X, _ = topics
    for scheme in tb.SCHEMES:
        weighting = tb.TermWeighting(scheme).fit(X[:300])
        before = pickle.dumps(weighting)
        together = weighting.transform(X[300:])
        assert pickle.dumps(weighting) == before
        alone = sp.vstack([weighting.transform(X[j]) for j in range(300, 400)])
        np.testing.assert_allclose(together.toarray(), alone.toarray(), rtol=1e-12)
        strange = sp.vstack([X[300:], sp.csr_matrix(np.full((1, 200), 50))])  # among other documents, too
        np.testing.assert_allclose(weighting.transform(strange)[:-1].toarray(), together.toarray(), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["bm25", "s-lambda", "damped-tf-idf", "class-damped"])
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_random_labels_give_chance_accuracy(topics, scheme):
    X, labels = topics
    pipeline = make_pipeline(tb.TermWeighting(scheme), MultinomialNB())
    assert cross_val_score(pipeline, X, labels, cv=5).mean() > 0.9
    shuffled = [np.random.default_rng(seed).permutation(labels) for seed in range(5)]
    scores = [cross_val_score(pipeline, X, wrong, cv=5).mean() for wrong in shuffled]
    # Five times 400 documents: a standard error of 0.011, a little more since folds share documents.
    assert abs(np.mean(scores) - 0.5) < 0.06
