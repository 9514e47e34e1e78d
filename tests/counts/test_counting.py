"""Counting options mean what scikit-learn's CountVectorizer means by them."""

import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from termburst.counts.counting import CountingOptions

TEXTS = ["The Cat sat. The cat!", "A dog's day: 7 cats, the end", "", "naïve Straße İstanbul"]


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ({}, {}),
        ({"ngrams": (1, 3)}, {"ngram_range": (1, 3)}),
        ({"stop_words": "english"}, {"stop_words": "english"}),
        ({"stop_words": ("the", "end")}, {"stop_words": ["the", "end"]}),
        ({"token_pattern": r"[^\W\d_]+"}, {"token_pattern": r"[^\W\d_]+"}),
        ({"lowercase": False}, {"lowercase": False}),
        ({"pretokenized": True}, {"lowercase": False, "token_pattern": r"\S+"}),
    ],
)
def test_same_counts_as_scikit_learn(options, same):
    vectorizer = CountVectorizer(**same)
    expected = vectorizer.fit_transform(TEXTS)
    counts, terms = CountingOptions(**options).count(iter(TEXTS))
    assert terms.tolist() == vectorizer.get_feature_names_out().tolist()
    np.testing.assert_array_equal(counts.toarray(), expected.toarray())


def test_lists_of_tokens_are_taken_as_they_are():
    counts, terms = CountingOptions(pretokenized=True, ngrams=(2, 2)).count([["New York", "is"], "is not"])
    assert terms.tolist() == ["New York is", "is not"]
    assert counts.sum() == 2


def test_documents_without_a_term_are_still_documents():
    counts, terms = CountingOptions().count(["", "!"])
    assert counts.shape == (2, 0)
    assert terms.size == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ngrams": (0, 1)}, "n-grams"),
        ({"ngrams": (3, 2)}, "n-grams"),
        ({"stop_words": "klingon"}, "klingon"),
        ({"token_pattern": "(["}, "not a regular expression"),
        ({"token_pattern": "(a)(b)"}, "2 groups"),
        ({"token_pattern": "x*"}, "matches nothing at all"),
        ({"token_pattern": ""}, "matches nothing at all"),
        ({"token_pattern": "a{99999999999}"}, "not a regular expression"),
        ({"token_pattern": None}, "not a regular expression"),
    ],
)
def test_bad_options_are_refused_before_any_text_is_read(options, said):
    with pytest.raises(ValueError, match=said):
        CountingOptions(**options)


def test_options_survive_json():
    options = CountingOptions(ngrams=(1, 2), stop_words=("a", "b"), lowercase=False)
    assert CountingOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
