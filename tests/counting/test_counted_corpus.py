"""A counted corpus: rows keep ids, texts and counts together."""

import numpy as np
import pytest

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus

TEXTS = ["so it goes", "so so", "", "on it", "it goes on"]


@pytest.fixture
def corpus():
    return CountedCorpus.from_texts(TEXTS, "abcde")


def test_counts_are_those_of_the_vectorizer(corpus):
    vectorizer = tb.CountVectorizer()
    np.testing.assert_array_equal(corpus.counts.toarray(), vectorizer.fit_transform(TEXTS).toarray())
    assert corpus.terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert corpus.documents == 5


def test_rows_keep_everything_together(corpus):
    for chosen in [[3, 0], [True, False, True, False, False], np.array([1]), [], [False] * 5]:
        some = corpus.rows(chosen)
        numbers = np.flatnonzero(chosen) if len(chosen) == 5 else np.array(chosen, dtype=int)
        assert some.ids == [corpus.ids[k] for k in numbers]
        assert some.texts == [TEXTS[k] for k in numbers]
        np.testing.assert_array_equal(some.counts.toarray(), corpus.counts.toarray()[numbers])
        assert some.counting is corpus.counting
        assert some.terms is corpus.terms


def test_no_documents_at_all():
    nothing = CountedCorpus.from_texts([])
    assert (nothing.documents, nothing.counts.shape, nothing.ids) == (0, (0, 0), [])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: CountedCorpus.from_texts(["a", "b"], ["a"]), "2 texts and 1 ids"),
        (lambda c: CountedCorpus.from_texts(["a"], counting={"ngrams": 2}), "CountingOptions"),
    ],
)
def test_mistakes(corpus, call, said):
    with pytest.raises(ValueError, match=said):
        call(corpus)
