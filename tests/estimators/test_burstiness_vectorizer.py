"""`BurstinessVectorizer` is CountVectorizer followed by TermWeighting."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import termburst as tb

TEXTS = [
    "Ha ha ha, said the clown",
    "the crowd said nothing",
    "",
    "nothing, said the clown: nothing",
    "the end is near",
]


@pytest.mark.parametrize("scheme", ["bm25", "lambda", "pearson", "class-lift"])
@pytest.mark.filterwarnings("ignore:the scheme 'class-")
def test_it_is_counting_then_weighing(scheme):
    counts = CountVectorizer(ngram_range=(1, 2), stop_words="english")
    weighting = tb.TermWeighting(scheme, norm="l2", sigma2=0.01)
    vectorizer = tb.BurstinessVectorizer(
        scheme=scheme, norm="l2", sigma2=0.01, ngram_range=(1, 2), stop_words="english"
    )
    expected = weighting.fit_transform(counts.fit_transform(TEXTS)).toarray()
    # scikit-learn sorts the cells of a row in `transform`, not in `fit_transform`: the norm may differ in the last bit.
    np.testing.assert_allclose(vectorizer.fit_transform(TEXTS).toarray(), expected, rtol=1e-15)
    np.testing.assert_allclose(clone(vectorizer).fit(TEXTS).transform(TEXTS).toarray(), expected, rtol=1e-15)
    assert vectorizer.get_feature_names_out().tolist() == counts.get_feature_names_out().tolist()
    new = ["ha nothing unheard of", ""]
    np.testing.assert_array_equal(
        vectorizer.transform(new).toarray(), weighting.transform(counts.transform(new)).toarray()
    )
    assert vectorizer.statistics_.terms.tolist() == counts.get_feature_names_out().tolist()


def test_it_takes_every_parameter_of_count_vectorizer_with_its_default():
    theirs = inspect.signature(CountVectorizer).parameters
    ours = inspect.signature(tb.BurstinessVectorizer).parameters
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
    for name, parameter in inspect.signature(tb.TermWeighting).parameters.items():
        assert ours[name].default == parameter.default, name


def test_it_replaces_tfidf_vectorizer_in_a_grid_search():
    texts, labels = TEXTS * 4, [0, 1, 1, 0, 1] * 4
    for vectorizer in (TfidfVectorizer(), tb.BurstinessVectorizer(sigma2=0.01)):
        search = GridSearchCV(
            Pipeline([("words", vectorizer), ("classify", LogisticRegression())]),
            {"words__ngram_range": [(1, 1), (1, 2)], "words__norm": ["l2"]},
            cv=2,
        )
        assert search.fit(texts, labels).best_score_ > 0.5


def test_clone_pickle_and_set_output():
    vectorizer = tb.BurstinessVectorizer(scheme="tf-icf", max_df=0.9, sparse_output=False)
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    fitted = pickle.loads(pickle.dumps(vectorizer.fit(TEXTS)))
    np.testing.assert_array_equal(fitted.transform(TEXTS), vectorizer.transform(TEXTS))
    frame = vectorizer.set_output(transform="pandas").fit_transform(TEXTS)
    assert frame.columns.tolist() == vectorizer.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="sparse"):
        tb.BurstinessVectorizer(sigma2=0.01).set_output(transform="pandas").fit_transform(TEXTS)


def test_bad_use_is_refused_with_a_sentence():
    with pytest.raises(NotFittedError):
        tb.BurstinessVectorizer().transform(TEXTS)
    with pytest.raises(ValueError, match="scheme must be one of"):
        tb.BurstinessVectorizer(scheme="tfidf").fit(TEXTS)
    with pytest.raises(ValueError, match="string object received"):
        tb.BurstinessVectorizer().fit("one text")
    with pytest.raises(ValueError, match="empty vocabulary"):
        tb.BurstinessVectorizer().fit(["", " "])
