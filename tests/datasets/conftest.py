"""A machine without data, and helpers of several tests."""

import sys
from urllib.error import URLError

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import clean_text


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No data folder, an empty scikit-learn folder, no NLTK and no network."""

    def no_network(*args, **kwargs):
        raise URLError("no network in tests")

    monkeypatch.delenv("TERMBURST_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit_learn_data"))
    monkeypatch.setattr("sklearn.datasets._base.urlretrieve", no_network)
    monkeypatch.setattr("sklearn.datasets._base.time.sleep", lambda seconds: None)
    monkeypatch.setitem(sys.modules, "nltk", None)
    return tmp_path


@pytest.fixture(scope="session")
def vocabulary_and_mean_length():
    """A function that returns the size of the vocabulary of a collection and its mean document length."""

    def measure(collection, **options):
        counts = CountVectorizer(**options).fit_transform(map(clean_text, collection.texts))
        return counts.shape[1], round(counts.sum() / counts.shape[0], 2)

    return measure


@pytest.fixture(scope="session")
def one_sentence():
    """A function that checks that an error has one sentence, and returns it."""

    def message(error):
        text = str(error.value)
        assert not text.endswith(".")
        assert ". " not in text
        assert "\n" not in text
        return text

    return message
