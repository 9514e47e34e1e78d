"""20 Newsgroups: published sizes, scikit-learn's order, and clear messages."""

from urllib.error import URLError

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import clean_text, load_20newsgroups, load_published_fits


@pytest.fixture(scope="module")
def newsgroups(data):
    return load_20newsgroups()


def test_newsgroups_training_set(newsgroups):
    assert len(newsgroups) == len(newsgroups.texts) == len(set(newsgroups.ids)) == 11_314
    assert newsgroups.labels is not None
    assert newsgroups.label_names is not None
    assert newsgroups.labels.dtype == np.int64
    assert len(newsgroups.label_names) == 20
    groups = [newsgroups.label_names[label] for label in newsgroups.labels]
    assert [name.split("/")[0] for name in newsgroups.ids] == groups


def test_newsgroups_have_the_vocabulary_of_the_paper(newsgroups, vocabulary_and_mean_length):
    assert vocabulary_and_mean_length(newsgroups, stop_words="english") == (88_701, 165.29)


def test_newsgroups_without_headers_has_the_terms_of_the_published_fits(data):
    bodies = load_20newsgroups(remove=("headers", "footers", "quotes"))
    vectorizer = CountVectorizer().fit(map(clean_text, bodies.texts))
    assert len(vectorizer.vocabulary_) == 72_916
    assert vectorizer.vocabulary_.keys() == set(load_published_fits("20newsgroups").terms)


def test_newsgroups_keeps_the_order_of_scikit_learn(data):
    from sklearn.datasets import fetch_20newsgroups

    bunch = fetch_20newsgroups(data_home=data / "scikit_learn_data", subset="test", download_if_missing=False)
    test = load_20newsgroups("test")
    assert len(test) == 7_532
    assert test.texts == bunch.data
    np.testing.assert_array_equal(test.labels, bunch.target)


def test_newsgroups_all_has_unique_ids(data):
    assert len(set(load_20newsgroups("all").ids)) == 18_846


def test_one_part_can_be_a_plain_string(data):
    assert load_20newsgroups("test", remove="headers").texts == load_20newsgroups("test", remove=["headers"]).texts


def test_newsgroups_that_cannot_be_downloaded(nowhere, one_sentence):
    with pytest.raises(FileNotFoundError, match="TERMBURST_DATA") as error:
        load_20newsgroups()
    assert "fetch_20newsgroups()" in one_sentence(error)
    assert isinstance(error.value.__cause__, URLError)


def test_a_damaged_copy_is_named_and_not_replaced(nowhere, monkeypatch, capsys):
    copy = nowhere / "scikit_learn_data" / "20news-bydate_py3.pkz"
    copy.parent.mkdir()
    copy.write_bytes(b"not a pickle")
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(ValueError, match=r"20news-bydate_py3\.pkz cannot be read"):
        load_20newsgroups()
    assert copy.read_bytes() == b"not a pickle"
    assert capsys.readouterr().out == ""
