"""`TermWeighting` gives the accuracies of the paper's Tables 2 and 3; tests/paper has every cell."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import MultinomialNB

import termburst as tb

pytestmark = pytest.mark.slow


def predictions(split, **options):
    weighting = tb.TermWeighting(norm=None, **options).fit(split.train)
    model = MultinomialNB().fit(weighting.transform(split.train), split.train_labels)
    return model.predict(weighting.transform(split.test))


@pytest.fixture(params=["newsgroups", "r8"])
def collection(request):
    return request.param, request.getfixturevalue(request.param)


def test_the_collections_are_the_paper_s(newsgroups, r8):
    assert newsgroups.train.shape == (11_314, 88_701)
    assert newsgroups.test.shape[0] == 7_532
    assert newsgroups.train.sum() / 11_314 == pytest.approx(165.29, abs=0.005)
    assert r8.train.shape == (5_501, 19_688)
    assert r8.test.shape[0] == 2_190
    assert r8.train.sum() / 5_501 == pytest.approx(65.75, abs=0.005)


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")  # at most seven of a thousand terms
@pytest.mark.parametrize(
    ("scheme", "transductive", "accuracies"),
    [
        ("s-lambda", True, {"newsgroups": 0.80297, "r8": 0.94292}),
        ("s-lambda", False, {"newsgroups": 0.8022, "r8": 0.9425}),
        ("tf-idf", True, {"newsgroups": 0.8059, "r8": 0.9361}),
        ("tf-idf", False, {"newsgroups": 0.8059, "r8": 0.9333}),
    ],
)
def test_accuracies(collection, scheme, transductive, accuracies):
    name, split = collection
    found = accuracy_score(split.test_labels, predictions(split, scheme=scheme, transductive=transductive))
    digits = len(str(accuracies[name])) - 2
    assert round(found, digits) == accuracies[name]


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_s_lambda_is_nearly_two_level(newsgroups):
    """The weight is about b_i/(b_i + n_i) if a term occurs once in a document, and about 1 if more often."""
    X = newsgroups.train
    weights = tb.TermWeighting("s-lambda", norm=None).fit_transform(X)
    s = tb.TermStatistics.from_counts(X, detail="frequencies")
    level = s.document_frequency / (s.document_frequency + s.collection_frequency)
    error = np.abs(weights.data - level[weights.indices])[X.data == 1]
    assert np.median(error) < 0.01
    assert np.quantile(error, 0.75) < 0.04
    assert np.quantile(weights.data[X.data >= 2], 0.05) > 0.999
