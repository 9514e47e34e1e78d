"""Counting options mean what scikit-learn's CountVectorizer means by them."""

import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from termburst.counting.options import CountingOptions
from termburst.statistics.term_statistics import TermStatistics

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
        ({"token_pattern": "x*"}, "can match the empty string; write \\+"),
        ({"token_pattern": ""}, "can match the empty string; write \\+"),
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


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, lambda words: iter(words[::-1])])
def test_stop_words_are_the_same_in_whatever_they_come(tmp_path, kind):
    options = CountingOptions(stop_words=kind(["the", "a", "the"]), ngrams=[1, 2])
    assert options == CountingOptions(stop_words=("a", "the"), ngrams=(1, 2))
    statistics = TermStatistics.from_texts(["the end of a day", "a day"], counting=options)
    statistics.save(tmp_path / "s.parquet")
    back = TermStatistics.load(tmp_path / "s.parquet")
    assert back == statistics
    assert (back + statistics).documents == 4


def test_stop_words_are_words():
    for wrong in ([1], 3, [None]):
        with pytest.raises(ValueError, match='stop words are "english" or a list of words'):
            CountingOptions(stop_words=wrong)


def test_files_with_stop_words_in_another_order_are_still_read(tmp_path):
    statistics = TermStatistics.from_texts(["the end of a day"], counting=CountingOptions(stop_words=("a", "the")))
    object.__setattr__(statistics.counting, "stop_words", ("the", "a"))  # as it was once written
    statistics.save(tmp_path / "s.parquet")
    assert TermStatistics.load(tmp_path / "s.parquet").counting.stop_words == ("a", "the")


@pytest.mark.parametrize("pattern", [r"\b", "(?=h)", "h(x*)a", "so|(?=h)"])
def test_a_pattern_that_matches_the_empty_string_somewhere_is_refused(pattern):
    with pytest.raises(ValueError, match="can match the empty string; write"):
        CountingOptions(token_pattern=pattern).count(["ha so"])
    with pytest.raises(ValueError, match="can match the empty string; write"):
        TermStatistics.from_texts(["ha so"] * 30_000, counting=CountingOptions(token_pattern=pattern))


def test_an_empty_token_is_refused():
    with pytest.raises(ValueError, match="the empty string is among the tokens"):
        CountingOptions(pretokenized=True).count([["ha", ""]])


def test_a_pattern_of_one_s_own_counts_as_scikit_learn_does():
    texts = ["well-known words, re-used", "so-so and so on"]
    counts, terms = CountingOptions(token_pattern=r"\w+-\w+", ngrams=(1, 2)).count(texts)
    theirs = CountVectorizer(token_pattern=r"\w+-\w+", ngram_range=(1, 2))
    np.testing.assert_array_equal(counts.toarray(), theirs.fit_transform(texts).toarray())
    assert terms.tolist() == theirs.get_feature_names_out().tolist()
