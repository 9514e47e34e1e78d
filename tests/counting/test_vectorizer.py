"""Our CountVectorizer against scikit-learn's: equal vocabularies and equal matrices for any text."""

import pickle
import re
import threading
import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Reference

from termburst.counting import tokenizer, vectorizer
from termburst.counting.character_class import character_class
from termburst.counting.tokenizer import Tokenizer
from termburst.counting.vectorizer import CountVectorizer

AWKWARD = [
    "", " ", "\0", "\n", "a", "I", "ab", "İstanbul ISTANBUL ıstanbul", "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ.Α", "straße STRASSE ẞ",
    "e\u0301te\u0301 été ÉTÉ", "z\u200dw\u200cj", "a\u00adb soft", "नमस्ते दुनिया", "日本語 テスト", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐐀𐐁",
    "x²y ½ Ⅷ ⅷ", "foo_bar __init__ _", "it's don't o'clock", "a1b2 123 3.14 1e5", "ﬁne ﬀ ǅ ǆ", "\ud800lone\udfff ok",
    "tab\tsep\x0bvt\x85nel\u2028ls",
    "é" * 50 + "x", "word" * 5000, "ÅÅngström K K", "🙂🙃 emoji👍🏽text",
]  # fmt: skip
PATTERNS = [r"(?u)\b\w\w+\b", r"\w+", r"\b\w+\b", r"[^\W\d_]{2,}", r"(?u)\b[a-z]+\b", r"[a-z]{3,}", r"[A-Za-z0-9_]+",
            r"\b\w{4,}\b", r"[^\s]+", r"[\w']+", r"[é-ü]+", r"\S+"]  # fmt: skip


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    """Use compiled code for small texts, too."""
    monkeypatch.setattr(vectorizer, "SMALL", -1)
    monkeypatch.setattr(tokenizer, "CHUNK", 400)  # several chunks, several threads


def outcome(make, texts, later):
    """The results of fit_transform and transform, or the error."""
    try:
        X = make.fit_transform(texts)
        Y = make.transform(later)
    except ValueError as error:
        return str(error)
    for matrix in (X, Y):
        matrix.sort_indices()
    return make.vocabulary_, X, Y


def same(parameters, texts, later=()):
    mine, theirs = (outcome(cls(**parameters), texts, [*texts, *later]) for cls in (CountVectorizer, Reference))
    if isinstance(theirs, str):
        assert mine == theirs
        return
    assert mine[0] == theirs[0]
    assert set(map(type, mine[0].values())) == set(map(type, theirs[0].values()))
    for ours, other in zip(mine[1:], theirs[1:], strict=True):
        assert type(ours) is type(other)
        assert ours.shape == other.shape
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(other, name), err_msg=name)
            assert getattr(ours, name).dtype == getattr(other, name).dtype, name
    assert mine[1].has_canonical_format


# ---- fixed cases


def test_awkward_texts():
    for pattern in PATTERNS:
        for lowercase in [True, False]:
            same({"token_pattern": pattern, "lowercase": lowercase}, AWKWARD, ["unseen İ", "naïve"])


@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
def test_parameters():
    for parameters in [
        {"ngram_range": (1, 2)},
        {"ngram_range": (2, 4)},
        {"ngram_range": (3, 3)},
        {"stop_words": "english"},
        {"stop_words": ["ok", "été", "not there"], "ngram_range": (1, 3)},
        {"strip_accents": "unicode"},
        {"strip_accents": "ascii"},
        {"strip_accents": "unicode", "lowercase": False},
        {"min_df": 2},
        {"max_df": 0.5},
        {"max_features": 5},
        {"binary": True},
        {"dtype": np.float32},
        {"vocabulary": ["ab", "été", "absent", "it don"]},
        {"vocabulary": {"x": 1, "ok": 0}},
        {"vocabulary": ["ab", "foo-bar", "a  b", " ", "it don"], "ngram_range": (1, 2)},
        {"vocabulary": ["the", "ok"], "stop_words": "english"},
        {"min_df": 30},
        {"ngram_range": (2, 2), "min_df": 2},
    ]:
        same(parameters, AWKWARD * 2, ["unseen words ok ok", ""])


def test_parameters_that_compiled_code_does_not_support():
    for parameters in [
        {"analyzer": "char"},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
        {"tokenizer": str.split, "token_pattern": None},
        {"preprocessor": str.upper},
        {"token_pattern": r"(\w)\w+"},
        {"token_pattern": r"\w+-?\w+"},
        {"analyzer": str.split},
    ]:
        same(parameters, AWKWARD)


def test_small_corpora_are_counted_in_plain_python(monkeypatch):
    for parameters in [
        {},
        {"ngram_range": (2, 3)},
        {"stop_words": ["ok", "été"], "lowercase": False},
        {"strip_accents": "unicode"},
        {"min_df": 2},
        {"max_features": 5},
        {"binary": True, "dtype": np.float32},
        {"vocabulary": ["ab", "été", "absent"]},
        {"vocabulary": {"x": 1, "ok": 0}, "analyzer": "char"},
    ]:
        monkeypatch.setattr(vectorizer, "SMALL", 10**9)
        monkeypatch.setattr(Tokenizer, "count", None)
        same(parameters, AWKWARD * 2, ["unseen words ok ok", ""])


@pytest.mark.parametrize("analyzer", [lambda text: dict.fromkeys(text, 7), lambda text: [(c, 1) for c in text], iter])
def test_an_analyzer_may_return_any_iterable(analyzer):
    same({"analyzer": analyzer}, AWKWARD)


def test_bytes_files_and_names(tmp_path):
    texts = [text for text in AWKWARD if "\ud800" not in text]
    same({"encoding": "utf-8"}, [text.encode() for text in texts])
    same({"encoding": "latin-1"}, ["café naïve".encode("latin-1")] * 3)
    paths = []
    for number, text in enumerate(texts):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_bytes(text.encode())
    same({"input": "filename"}, [str(path) for path in paths])
    assert CountVectorizer().fit_transform(iter(texts)).shape[0] == len(texts)


def test_a_document_that_is_not_a_text_is_named(monkeypatch):
    for bad in [np.nan, 3, None, ["a", "b"]]:
        for made in [list, tuple if bad is not None else pl.Series, iter]:  # a series has one type
            for small in (vectorizer.SMALL, -1):  # in plain Python, and compiled
                monkeypatch.setattr(vectorizer, "SMALL", small)
                said = re.escape(f"Document 1 must be a string; got {bad!r}.")
                for parameters in ({}, {"analyzer": "char"}):
                    with pytest.raises(ValueError, match=said):
                        CountVectorizer(**parameters).fit_transform(made(["some text", bad, "so"]))
                counter = CountVectorizer().fit(["some text"])
                with pytest.raises(ValueError, match=said):
                    counter.transform(made(["some text", bad]))


def test_code_of_users_may_take_anything():
    counter = CountVectorizer(preprocessor=lambda text: text or "", lowercase=False)
    assert counter.fit_transform(["some text", None]).toarray().tolist() == [[1, 1], [0, 0]]
    lists = CountVectorizer(tokenizer=list, lowercase=False, token_pattern=None)
    assert lists.fit_transform([["a", "b"], ["b"]]).toarray().tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("bad", [b"\xff\xfe"])
def test_bytes_that_cannot_be_decoded_raise_the_same_error_as_scikit_learn(bad):
    errors = []
    for cls in (CountVectorizer, Reference):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            cls().fit_transform(["some text", bad])
        errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1]
    with pytest.raises(ValueError, match="string object received"):
        CountVectorizer().fit("one text")


def test_texts_without_terms():
    for texts in ([], [""], ["a b"], ["the and"]):
        same({"stop_words": "english"}, texts)


@pytest.mark.slow
def test_a_million_letters_and_many_documents():
    same({}, ["x" * 1_000_000, "é" * 300_000 + " " + "x" * 1_000_000, "y " * 1000] + ["tiny doc"] * 40_000)


def test_terms_with_equal_beginnings_are_sorted():
    """Equal in the first 8 or 16 bytes, or one the beginning of the other."""
    rng = np.random.default_rng(0)
    words = ["a" * size for size in range(2, 40)]
    words += ["abcdefgh" + "".join(rng.choice(list("abé"), rng.integers(0, 12))) for _ in range(500)]
    same({"ngram_range": (1, 2)}, [" ".join(rng.permutation(words)) for _ in range(3)])


@pytest.mark.slow
def test_real_text(docstrings):
    same({}, docstrings)
    same({"ngram_range": (1, 2), "stop_words": "english", "min_df": 3}, docstrings[:300])


@pytest.fixture(scope="module")
def docstrings():
    from termburst.datasets import load_stdlib

    return list(load_stdlib().texts)


# ---- the table of characters


def test_every_code_point_has_the_class_that_re_gives_it():
    for pattern in PATTERNS:
        found = character_class(pattern)
        if found is None:
            assert pattern in (r"\S+",)
            return
        word, inside = re.compile(r"\w"), re.compile(found.members)
        rng = np.random.default_rng(1)
        points = np.concatenate([np.arange(0x3000), rng.integers(0, 0x110000, 20_000)])
        for point in points:
            character = chr(point)
            expected = bool(word.match(character)) + 2 * bool(inside.match(character))
            assert found.wide[point] == expected, (hex(point), unicodedata.name(character, "?"))
            if point < 128:
                assert found.kinds[point] == expected


def test_which_patterns_a_table_of_characters_can_express():
    simple = {pattern for pattern in PATTERNS if character_class(pattern)}
    assert simple >= {r"(?u)\b\w\w+\b", r"\w+", r"[^\W\d_]{2,}", r"(?u)\b[a-z]+\b", r"[A-Za-z0-9_]+", r"[\w']+"}
    for pattern in (
        r"\b\w+",
        r"\w+\b",
        r"\w*",
        r"\w",
        r"(\w+)",
        r"[^a]+",
        r"\b[\w-]+\b",
        r"(?i)[a-z]+",
        r"\w{2,3}",
        "[a",
        r"\w{0,}",
    ):
        assert character_class(pattern) is None, pattern


# ---- fuzzing

texts_of_all_planes = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet="abAB _-1éÉİıΣσςß\u0301\u200d\ud800𝔘K", max_size=60),
        st.lists(st.sampled_from(["the", "cat", "CAT", "Été", "ΣΑΣ", "x", "co-op", "don't"]), max_size=20).map(
            " ".join
        ),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts_of_all_planes,
    st.sampled_from([*PATTERNS[:8], PATTERNS[9]]),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.booleans(),
    st.sampled_from([None, "unicode", "ascii"]),
    st.sampled_from([None, ["the", "été", "x"]]),
)
@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
def test_any_text_is_counted_as_scikit_learn_counts_it(texts, pattern, ngrams, lowercase, accents, stop_words):
    parameters = {"token_pattern": pattern, "ngram_range": ngrams, "lowercase": lowercase, "strip_accents": accents,
                  "stop_words": stop_words}  # fmt: skip
    same(parameters, texts, ["the cat sat", "Été ΣΑΣ"])


# ---- as an estimator


def test_clone_pickle_and_names():
    fitted = CountVectorizer(ngram_range=(1, 2)).fit(AWKWARD)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.get_feature_names_out(), fitted.get_feature_names_out())
    assert (copy.transform(AWKWARD) != fitted.transform(AWKWARD)).nnz == 0
    assert clone(fitted).get_params() == fitted.get_params() == Reference(ngram_range=(1, 2)).get_params()
    assert fitted.inverse_transform(fitted.transform(["foo_bar __init__"]))[0].tolist() == [
        "__init__", "foo_bar", "foo_bar __init__",
    ]  # fmt: skip


@pytest.mark.parametrize("make", [pl.DataFrame, lambda columns: np.array(columns["text"])[:, None]])
def test_a_table_instead_of_a_column_is_refused(make):
    table = make({"text": ["so it goes", "it goes"]})
    with pytest.raises(ValueError, match=r"give one column of it, such as df\['text'\]"):
        CountVectorizer().fit(table)


def test_threads_and_chunks_do_not_change_the_result(monkeypatch):
    texts = AWKWARD * 5
    results = []
    for cores, chunk in ((1, 10**6), (1, 50), (3, 50), (2, 400)):
        monkeypatch.setattr(tokenizer, "cores", lambda cores=cores: cores)
        monkeypatch.setattr(tokenizer, "CHUNK", chunk)
        made = CountVectorizer(ngram_range=(1, 2))
        results.append((made.fit_transform(texts), made.vocabulary_))
    for X, vocabulary in results[1:]:
        assert vocabulary == results[0][1]
        assert (results[0][0] != X).nnz == 0


@pytest.mark.parametrize("where", ["text", "thread"])
def test_an_error_reaches_the_caller_and_threads_end(where, monkeypatch):
    before = threading.active_count()
    counted = tokenizer.Worker.count

    def texts():
        yield from ["some words here"] * 200
        if where == "text":
            raise RuntimeError("the disk is gone")

    def count(worker, data, ends):
        if where == "thread" and worker.documents:
            raise RuntimeError("the disk is gone")
        return counted(worker, data, ends)

    monkeypatch.setattr(tokenizer, "CHUNK", 100)
    monkeypatch.setattr(tokenizer.Worker, "count", count)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        CountVectorizer().fit_transform(texts())
    assert threading.active_count() <= before + 1


class OwnTokenizer:
    def build_tokenizer(self):
        return lambda text: text.split("o")


class OwnPreprocessor:
    def build_preprocessor(self):
        return lambda text: text.replace("so", "thus")


class OwnDecoding:
    def decode(self, doc):
        return doc[::-1]


class OwnRuns:
    def _word_ngrams(self, tokens, stop_words=None):
        return ["/".join(tokens)]


@pytest.mark.parametrize("own", [OwnTokenizer, OwnPreprocessor, OwnDecoding, OwnRuns])
def test_methods_that_a_subclass_overrides_are_used(own):
    ours, theirs = type("Ours", (own, CountVectorizer), {})(), type("Theirs", (own, Reference), {})()
    texts = ["so it goes", "so so"]
    X, Y = ours.fit_transform(texts), theirs.fit_transform(texts)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert (X != Y).nnz == 0


@pytest.mark.parametrize("name", ["build_tokenizer", "build_analyzer"])
def test_methods_set_on_an_instance_are_used(name):
    texts, results = ["so it goes", "so so"], []
    for cls in (CountVectorizer, Reference):
        made = cls()
        setattr(made, name, lambda: lambda text: text.split("o"))
        results.append((made.fit_transform(texts).toarray().tolist(), made.vocabulary_))
    assert results[0] == results[1]


@pytest.mark.filterwarnings("ignore:Your stop_words")
def test_odd_parameters_mean_the_same_as_in_scikit_learn():
    for parameters in [
        {"ngram_range": (0, 2)},
        {"ngram_range": (0, 1)},
        {"ngram_range": (-1, 1)},
        {"ngram_range": (1.0, 1.0)},
        {"stop_words": ["it", float("nan"), None, 3, b"so"]},
        {"vocabulary": {"so": 0, None: 1}, "lowercase": False},
        {"vocabulary": {"so": 0, 3: 1, ("it",): 2}},
    ]:
        texts, results = ["so it goes, so it goes", "it is so"], []
        for cls in (CountVectorizer, Reference):
            try:
                made = cls(**parameters)
                results.append((made.fit_transform(texts).toarray().tolist(), made.vocabulary_))
            except (TypeError, ValueError) as error:
                results.append((type(error), str(error)))
        assert results[0] == results[1]


def test_files_are_counted_by_compiled_code_even_if_their_names_are_short(tmp_path, monkeypatch):
    monkeypatch.setattr(vectorizer, "SMALL", 200_000)
    path = tmp_path / "x.txt"
    path.write_text("so it goes", encoding="utf-8")
    counted = []
    count = Tokenizer.count
    monkeypatch.setattr(Tokenizer, "count", lambda self, chunks: counted.append(1) or count(self, chunks))
    assert sorted(CountVectorizer(input="filename").fit([path]).vocabulary_) == ["goes", "it", "so"]
    assert counted


def test_long_terms_with_equal_beginnings_are_sorted():
    rng = np.random.default_rng(1)
    words = ["x" * int(rng.integers(1, 200)) + "".join(rng.choice(list("xyé"), 3)) for _ in range(300)]
    made = CountVectorizer(token_pattern=r"\w+").fit([" ".join(words), "ab"])
    assert list(made.vocabulary_) == sorted({*words, "ab"})


def test_terms_with_nul_bytes_are_sorted():
    texts = ["a\0b a\0 a b\0\0\0\0\0\0\0\0\0c b\0\0 b\0 b ab"]
    tokens = Tokenizer(character_class(r"[^\s]+"))
    terms, _ = tokens.matrix(list(tokens.count([texts])))
    assert list(terms) == sorted(texts[0].split())


def test_counting_goes_on_from_batch_to_batch():
    """One tokenizer, many calls: terms keep their numbers."""
    counting = Tokenizer(character_class(r"\w+"))
    pieces = []
    for batch in (["so it goes"], ["it is so", "so so"], ["new words"]):
        pieces += counting.count([batch])
    terms, X = counting.matrix(pieces)
    assert list(terms) == sorted({"so", "it", "goes", "is", "new", "words"})
    assert X.toarray().sum(axis=1).tolist() == [3, 3, 2, 2]
    np.testing.assert_array_equal(X.toarray(), Reference(token_pattern=r"\w+").fit_transform(
        ["so it goes", "it is so", "so so", "new words"]).toarray())  # fmt: skip
