"""Counting options: one default, and with words="sklearn" the counts of scikit-learn's CountVectorizer."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from termburst.counting import plain_tokenizer
from termburst.counting.options import DEFAULT_TOKEN_PATTERN, CountingOptions, checked_counting
from termburst.statistics.term_statistics import TermStatistics

TEXTS = ["The Cat sat. The cat!", "A dog's day: 7 cats, the end", "", "naïve Straße İstanbul"]


@pytest.fixture(params=["plain", "compiled"])
def either_tokenizer(request, monkeypatch):
    """Count small texts by plain Python, and by compiled code where the pattern allows it."""
    if request.param == "compiled":
        monkeypatch.setattr(plain_tokenizer, "SMALL", -1)


@pytest.mark.usefixtures("either_tokenizer")
def test_same_counts_as_scikit_learn():
    for options, same in [
        ({}, {}),
        ({"ngrams": (1, 3)}, {"ngram_range": (1, 3)}),
        ({"ngrams": 2}, {"ngram_range": (2, 2)}),
        ({"stop_words": "english"}, {"stop_words": "english"}),
        ({"stop_words": ("the", "end")}, {"stop_words": ["the", "end"]}),
        (
            {"stop_words": ("the", "end"), "ngrams": (2, 3), "lowercase": False, "ngrams_over_stop_words": True},
            {"stop_words": ["the", "end"], "ngram_range": (2, 3), "lowercase": False},
        ),
        ({"token_pattern": r"[^\W\d_]+"}, {"token_pattern": r"[^\W\d_]+"}),
        ({"token_pattern": r"\w+'\w|\w+"}, {"token_pattern": r"\w+'\w|\w+"}),
        ({"token_pattern": r"(\w)\w+"}, {"token_pattern": r"(\w)\w+"}),
        ({"lowercase": False}, {"lowercase": False}),
        ({"pretokenized": True}, {"lowercase": False, "token_pattern": r"\S+"}),
        (
            {"pretokenized": True, "ngrams": (1, 2), "stop_words": ("The",), "ngrams_over_stop_words": True},
            {"lowercase": False, "token_pattern": r"\S+", "ngram_range": (1, 2), "stop_words": ["The"]},
        ),
    ]:
        vectorizer = CountVectorizer(**same)
        expected = vectorizer.fit_transform(TEXTS)
        counts, terms = CountingOptions(words="sklearn", **options).count(iter(TEXTS))
        assert terms.tolist() == vectorizer.get_feature_names_out().tolist()
        np.testing.assert_array_equal(counts.toarray(), expected.toarray())
        assert isinstance(counts, sp.csr_array)
        assert counts.has_canonical_format
        assert (counts.dtype, counts.indices.dtype) == (np.int64, np.int32)


def test_a_token_pattern_means_the_rule_of_scikit_learn():
    assert CountingOptions().words == "unicode"
    assert CountingOptions(token_pattern=r"\w+") == CountingOptions(token_pattern=r"\w+", words="sklearn")
    assert CountingOptions(token_pattern=DEFAULT_TOKEN_PATTERN) == CountingOptions(words="sklearn")


def test_lists_of_tokens_are_not_changed():
    counts, terms = CountingOptions(pretokenized=True, ngrams=(2, 2)).count([["New York", "is"], "is not"])
    assert terms.tolist() == ["New York is", "is not"]
    assert counts.sum() == 2


@pytest.mark.usefixtures("either_tokenizer")
def test_texts_without_a_term_give_a_matrix_without_columns():
    for options in [{}, {"token_pattern": r"\w+-\w+"}, {"pretokenized": True, "stop_words": ("!",)}]:
        for texts in [[], [""], ["", "!"]]:
            counts, terms = CountingOptions(**options).count(texts)
            assert isinstance(counts, sp.csr_array)
            assert (counts.shape, counts.dtype) == ((len(texts), 0), np.int64)
            assert (terms.size, terms.dtype) == (0, object)


def test_the_compiled_tokenizer_keeps_its_vocabulary_from_batch_to_batch():
    options = CountingOptions(ngrams=(1, 2), stop_words=("the",))
    tokenizer = options.tokenizer()
    terms, X = tokenizer.matrix(
        [piece for batch in (TEXTS[:2], TEXTS[2:], TEXTS) for piece in tokenizer.count([batch])]
    )
    same_terms, Y = options.plain_tokenizer().matrix([*TEXTS, *TEXTS])
    assert list(terms.items()) == list(same_terms.items())
    np.testing.assert_array_equal(X.toarray(), Y.toarray())


def test_a_compiled_tokenizer_is_made_where_the_pattern_allows_it():
    assert CountingOptions(token_pattern=r"[a-z]+").tokenizer() is not None
    assert CountingOptions(token_pattern=r"\w+-\w+").tokenizer() is None
    assert CountingOptions(pretokenized=True).tokenizer() is None


@pytest.mark.slow
def test_counting_does_not_import_scikit_learn():
    code = """
import sys
from termburst.counting.options import CountingOptions
from termburst.counting import tokenizer
for options in ({}, {"ngrams": (1, 2), "stop_words": ["so"]}, {"token_pattern": r"\\w+-\\w+"}, {"pretokenized": True}):
    for texts in (["so it goes"], ["so it goes"] * 20_000):
        CountingOptions(**options).count(texts)
print("sklearn" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == "False"


def test_bad_options_are_refused_before_any_text_is_read():
    for options, message in [
        ({"ngrams": (0, 1)}, "ngrams must be a whole number of 1 or more, or two whole numbers of 1 or more; got"),
        ({"ngrams": (3, 2)}, "ngrams must be two whole numbers, smallest first"),
        ({"ngrams": (1, 2, 3)}, "ngrams must be a whole number of 1 or more, or two whole numbers of 1 or more; got"),
        ({"ngrams": (1.5, 2)}, "ngrams must be a whole number of 1 or more, or two whole numbers of 1 or more; got"),
        ({"ngrams": None}, "ngrams must be a whole number of 1 or more, or two whole numbers of 1 or more; got"),
        ({"stop_words": "klingon"}, "klingon"),
        ({"token_pattern": "(["}, "not a regular expression"),
        ({"token_pattern": "(a)(b)"}, "2 groups"),
        ({"token_pattern": "x*"}, r"can match the empty string\. Write \+"),
        ({"token_pattern": ""}, r"can match the empty string\. Write \+"),
        ({"token_pattern": "a{99999999999}"}, "not a regular expression"),
        ({"words": "unicod"}, "words must be one of 'unicode', 'sklearn'; got 'unicod'; did you mean 'unicode'?"),
        ({"words": 7}, "words must be one of 'unicode', 'sklearn'; got 7"),
        ({"language": "klingon"}, "The language 'klingon' is not known"),
        ({"words": "unicode", "apostrophes": "drop"}, "apostrophes must be one of 'keep', 'split'"),
        ({"words": "sklearn", "apostrophes": "keep"}, 'apostrophes is an option of words="unicode"; give that'),
        ({"words": "unicode", "token_pattern": r"\w+"}, 'token_pattern is an option of words="sklearn"; give that'),
        ({"ngrams_over_stop_words": 1}, "ngrams_over_stop_words must be True or False; got 1"),
        ({"lowercase": None}, "lowercase must be True or False; got None"),
        ({"pretokenized": "no"}, "pretokenized must be True or False; got 'no'"),
    ]:
        with pytest.raises(ValueError, match=message):
            CountingOptions(**options)


def test_options_survive_json():
    options = CountingOptions(ngrams=(np.int64(1), 2), stop_words=("a", "b"), lowercase=False)
    assert CountingOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


def test_all_options_survive_json_and_saved_statistics(tmp_path):
    for given in [
        {},
        {"words": "sklearn"},
        {"token_pattern": r"\w+-\w+"},
        {"language": "de", "stop_words": True},
        {"language": "de", "words": "sklearn"},
        {"language": "fr", "apostrophes": "keep"},
        {"ngrams_over_stop_words": True},
    ]:
        options = CountingOptions(ngrams=(1, 2), **given)
        assert CountingOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
        TermStatistics.from_texts(["die Katze-und-das Haus"], counting=options).save(tmp_path / "s.parquet")
        assert TermStatistics.load(tmp_path / "s.parquet").counting == options


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda stored: stored.pop("words"), "the header field 'words' is missing"),
        (lambda stored: stored.update(token_pattern=7), "token_pattern must be a string; got 7"),
        (
            lambda stored: stored.update(ngrams=[1, True]),
            "ngrams must be a whole number of 1 or more, or two whole numbers of 1 or more",
        ),
    ],
)
def test_stored_options_are_complete(change, message):
    stored = json.loads(json.dumps(CountingOptions().to_json()))
    change(stored)
    with pytest.raises(ValueError, match=message):
        CountingOptions.from_json(stored)


def test_a_language_decides_about_apostrophes():
    assert CountingOptions(language="deu") == CountingOptions(language="german", words="unicode")
    assert CountingOptions(language="en").apostrophes == "keep"
    assert CountingOptions(language="fr").apostrophes == "split"


@pytest.mark.usefixtures("either_tokenizer")
def test_n_grams_over_stop_words_are_a_choice():
    for ngrams in [(1, 2), (2, 2), (2, 3)]:
        text, stop_words = "to be or not to be that is the question here now then", ("or", "is", "the", "that")
        unigrams = ["be", "here", "not", "now", "question", "then", "to"]
        between = ["be that", "here now", "not to", "now then", "question here", "to be"]
        over = {"be not", "be question"}
        for words in ("sklearn", "unicode"):
            for reach in ({"ngrams_over_stop_words": True}, {}):
                options = CountingOptions(words=words, ngrams=ngrams, stop_words=stop_words, **reach)
                found = options.count([text])[1].tolist()
                assert (over <= set(found)) == bool(reach)
                if ngrams == (1, 2) and not reach:
                    assert found == sorted([*unigrams, *(set(between) - {"be that"})])


@pytest.mark.usefixtures("either_tokenizer")
def test_pretokenized_texts_have_barriers_too():
    options = CountingOptions(pretokenized=True, ngrams=2, stop_words=["of"])
    assert options.count([["end", "of", "days", "gone"]])[1].tolist() == ["days gone"]


def test_tokens_have_their_places_in_the_text():
    for given, text, expected in [
        ({}, "The Cat sat", [("the", 0, 3), ("cat", 4, 7), ("sat", 8, 11)]),
        ({"token_pattern": r"(\w)\w+"}, "ab cd", [("a", 0, 1), ("c", 3, 4)]),
        ({"pretokenized": True}, "so it's", [("so", 0, 2), ("it's", 3, 7)]),
        ({"pretokenized": True}, ["New York", "is"], [("New York", 0, 8), ("is", 9, 11)]),
        ({"words": "sklearn"}, "I don’t", [("don", 2, 5)]),
        ({}, "I don’t", [("i", 0, 1), ("don't", 2, 7)]),
        ({"language": "hi"}, "मानव है", [("मानव", 0, 4), ("है", 5, 7)]),
        ({}, "İx so", [("i̇x", 0, 3), ("so", 4, 6)]),
    ]:
        options = CountingOptions(**given)
        shown, placed = options.placed_tokens(text)
        tokens = list(placed)
        assert tokens == expected
        assert all(shown[start:stop].lower() == token.lower() for token, start, stop in tokens)
        assert {token for token, _, _ in tokens} == set(options.count([text])[1].tolist())


def test_the_set_of_stop_words():
    assert CountingOptions().stop_word_set() == frozenset()
    assert CountingOptions(stop_words=["The"]).stop_word_set() == {"The"}
    assert "the" in CountingOptions(stop_words="english").stop_word_set()
    assert "und" in CountingOptions(stop_words="de").stop_word_set()


def test_equal_stop_words_in_any_container_make_equal_options(tmp_path):
    for kind in [list, tuple, set, frozenset, lambda words: iter(words[::-1])]:
        options = CountingOptions(stop_words=kind(["the", "a", "the"]), ngrams=[1, 2])
        assert options == CountingOptions(stop_words=("a", "the"), ngrams=(1, 2))
        statistics = TermStatistics.from_texts(["the end of a day", "a day"], counting=options)
        statistics.save(tmp_path / "s.parquet")
        back = TermStatistics.load(tmp_path / "s.parquet")
        assert back == statistics
        assert (back + statistics).documents == 4


def test_stop_words_must_be_strings():
    for wrong in ([1], 3, [None]):
        with pytest.raises(ValueError, match="stop_words must be True or False, or a string, or a list of strings"):
            CountingOptions(stop_words=wrong)


@pytest.mark.usefixtures("either_tokenizer")
def test_stop_words_that_become_other_tokens_give_a_warning():
    for options in (CountingOptions(words="sklearn", stop_words=("don't", "it")), CountingOptions(stop_words=("The",))):
        with pytest.warns(UserWarning, match="Some stop words become other tokens: '(don|the)'. Add these"):
            options.count(TEXTS)


def test_a_pattern_that_matches_the_empty_string_in_a_text_is_refused():
    for pattern in [r"\b", "(?=h)", "h(x*)a", "so|(?=h)"]:
        options = CountingOptions(token_pattern=pattern, stop_words=("ha",))
        with pytest.raises(ValueError, match=r"can match the empty string\. Write"):
            options.count(["ha so"])
        with pytest.raises(ValueError, match=r"can match the empty string\. Write"):
            TermStatistics.from_texts(["ha so"] * 30_000, counting=options)


def test_pretokenized_documents_are_strings_or_lists_of_strings():
    for texts, message in [
        (["so", 7], "Document 1 must be a string or a list of tokens; got 7."),
        (["so", ("it", "goes")], "Document 1 must be a string or a list of tokens"),
        ([["ha", ""]], "The empty string is among the tokens of document 0."),
        ([["ha"], ["so", 7]], "Every token of document 1 must be a string; got 7."),
        ([["ha"], [["so"]]], "Every token of document 1 must be a string"),
    ]:
        with pytest.raises(ValueError, match=message):
            CountingOptions(pretokenized=True).count(texts)


def test_other_documents_are_strings():
    for wrong in (7, None, ["so", "it"]):
        with pytest.raises(ValueError, match="Document 1 must be a string; got"):
            CountingOptions().count(["so", wrong])


def test_counting_options_are_checked():
    assert checked_counting(None) == CountingOptions()
    with pytest.raises(ValueError, match=r"counting must be CountingOptions\(\.\.\.\); got 'english'"):
        checked_counting("english")
