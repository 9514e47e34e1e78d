"""A counted corpus: rows and groups keep ids, texts, counts and labels together."""

import numpy as np
import pytest

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus, Groups

TEXTS = ["so it goes", "so so", "", "on it", "it goes on"]
LABELS = ["x", "y", "x", "z", "x\0"]


@pytest.fixture
def corpus():
    return CountedCorpus.from_texts(TEXTS, "abcde").grouped(LABELS)


def test_counts_are_those_of_the_vectorizer(corpus):
    vectorizer = tb.CountVectorizer()
    np.testing.assert_array_equal(corpus.counts.toarray(), vectorizer.fit_transform(TEXTS).toarray())
    assert corpus.terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert corpus.documents == 5


def test_a_stream_is_counted_the_same_way_without_its_texts(corpus):
    counting = tb.CountingOptions(ngrams=(1, 2))
    kept = CountedCorpus.from_texts(TEXTS, "abcde", counting=counting)
    streamed = CountedCorpus.from_stream(iter(zip("abcde", TEXTS, strict=True)), counting=counting)
    assert (streamed.ids, streamed.terms.tolist()) == (kept.ids, kept.terms.tolist())
    np.testing.assert_array_equal(streamed.counts.toarray(), kept.counts.toarray())
    assert (streamed.texts, streamed.counting) == (None, counting)


@pytest.mark.parametrize("chosen", [[3, 0], [True, False, True, False, False], np.array([1]), [], [False] * 5])
def test_rows_keep_everything_together(corpus, chosen):
    some = corpus.rows(chosen)
    numbers = np.flatnonzero(chosen) if len(chosen) == 5 else np.array(chosen, dtype=int)
    assert some.ids == [corpus.ids[k] for k in numbers]
    assert some.texts == [TEXTS[k] for k in numbers]
    assert some.groups.labels == [LABELS[k] for k in numbers]
    np.testing.assert_array_equal(some.counts.toarray(), corpus.counts.toarray()[numbers])
    assert some.counting is corpus.counting
    assert some.terms is corpus.terms


def test_groups_are_numbered_in_the_order_of_their_names(corpus):
    groups = corpus.groups
    assert groups.names == ("x", "x\0", "y", "z")  # a NUL at the end makes another name
    assert groups.codes.tolist() == [0, 2, 0, 3, 1]
    assert groups.sizes.tolist() == [2, 1, 1, 1]
    assert groups.labels == LABELS
    assert [corpus.group(name).ids for name in groups.names] == [["a", "c"], ["e"], ["b"], ["d"]]
    assert corpus.group("y").groups.sizes.tolist() == [0, 0, 1, 0]


def test_no_documents_at_all():
    nothing = CountedCorpus.from_texts([])
    assert (nothing.documents, nothing.counts.shape, nothing.ids) == (0, (0, 0), [])
    assert Groups.from_labels([]).sizes.tolist() == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: CountedCorpus.from_texts(["a", "b"], ["a"]), "2 texts and 1 ids"),
        (lambda c: c.grouped(["x"]), "5 documents and 1 labels"),
        (lambda c: c.group("w"), "there is no group 'w'; there are x, "),
        (lambda c: CountedCorpus.from_texts(["a"]).group("w"), "have no groups"),
        (lambda c: CountedCorpus.from_texts(["a"], counting={"ngrams": 2}), "CountingOptions"),
    ],
)
def test_mistakes(corpus, call, said):
    with pytest.raises(ValueError, match=said):
        call(corpus)
