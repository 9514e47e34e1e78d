"""Counting a stream gives the same as counting all at once, for any batches, threads and interruptions."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from termburst.counting import plain_tokenizer, tokenizer
from termburst.counting.options import DEFAULT_TOKEN_PATTERN, CountingOptions
from termburst.names import DETAILS
from termburst.statistics import streaming
from termburst.statistics.streaming import RunningSum
from termburst.statistics.term_statistics import TermStatistics, partial_statistics

WORDS = st.sampled_from(["so", "it", "goes", "the", "naïve", "Straße", "x", "don't", "1851", "İ", "日本", "ǅ"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=12)
BATCHES = st.lists(DOCUMENTS, min_size=1, max_size=6)
OPTIONS = st.sampled_from(
    [
        CountingOptions(),
        CountingOptions(words="sklearn"),
        CountingOptions(words="sklearn", ngrams=(1, 2)),
        CountingOptions(words="sklearn", ngrams=(2, 3), stop_words=("the", "so"), ngrams_over_stop_words=True),
        CountingOptions(token_pattern=r"[^\W\d_]+", lowercase=False),
        CountingOptions(token_pattern=r"\w+'\w+|\w+"),
        CountingOptions(pretokenized=True),
    ]
)


def at_once(texts, detail, options):
    """By scikit-learn, or for words as Unicode sees them by plain Python."""
    same = {"ngram_range": options.ngrams, "stop_words": list(options.stop_words) if options.stop_words else None}
    if options.pretokenized:
        found = CountVectorizer(tokenizer=str.split, token_pattern=None, lowercase=False, **same)
    elif options.words == "unicode":
        found = CountVectorizer(analyzer=options.plain_tokenizer().analyze)
    else:
        pattern = options.token_pattern or DEFAULT_TOKEN_PATTERN
        found = CountVectorizer(token_pattern=pattern, lowercase=options.lowercase, **same)
    try:
        counts = found.fit_transform(texts)
    except ValueError:  # an empty vocabulary
        return None
    return replace(TermStatistics.from_counts(counts, found.get_feature_names_out(), detail), counting=options)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Make limits small, so that a few words give many chunks and many reductions."""
    monkeypatch.setattr(plain_tokenizer, "SMALL", -1)
    monkeypatch.setattr(tokenizer, "CHUNK", 20)
    monkeypatch.setattr(streaming, "CELLS", 6)
    monkeypatch.setattr(streaming, "CELLS_PER_TERM", 0)


@pytest.mark.slow
@settings(deadline=None)
@given(BATCHES, OPTIONS, st.sampled_from(DETAILS), st.sampled_from([1, 2, 5]), st.randoms())
def test_any_batches_any_order_any_threads(batches, options, detail, threads, random):
    texts = [text for batch in batches for text in batch]
    expected = at_once(texts, detail, options)
    if expected is None:
        with pytest.raises(ValueError, match="no document has a term"):
            TermStatistics.from_batches(batches, detail, counting=options)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer, "cores", lambda: threads)
        assert TermStatistics.from_batches(batches, detail, counting=options) == expected
        random.shuffle(batches)
        assert TermStatistics.from_batches(iter(batches), detail, counting=options) == expected


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_reductions_with_a_vocabulary_that_grows(monkeypatch, threads):
    """Each thread numbers its own documents, and threads exchange nodes that store where they were last seen."""
    monkeypatch.setattr(tokenizer, "cores", lambda: threads)
    texts = [f"w{i % 7} w{i % 11} w{i} again again" * (1 + i % 3) for i in range(600)]
    expected = at_once(texts, "patterns", CountingOptions())
    for _ in range(3):
        assert TermStatistics.from_texts(texts, "patterns") == expected


def test_parts_are_consecutive_and_come_on_request(monkeypatch):
    monkeypatch.setattr(streaming, "CELLS", 10**9)
    texts = [f"word{i} again again" for i in range(100)]
    whole = list(partial_statistics([texts], "moments", CountingOptions()))
    assert [part.documents for part in whole] == [100]
    parts = list(partial_statistics([texts], "moments", CountingOptions(), pause=lambda: True))
    assert len(parts) > 5
    assert sum(part.documents for part in parts) == 100
    total = RunningSum()
    for part in parts:
        total.add(part)
        assert total.documents == total.value().documents
    assert total.value() == whole[0]


def test_only_as_much_is_read_ahead_as_the_threads_need(monkeypatch):
    monkeypatch.setattr(tokenizer, "cores", lambda: 2)
    read = 0

    def batches():
        nonlocal read
        for i in range(1000):
            read += 1
            yield [f"one more text with the number{i}"]

    parts = partial_statistics(batches(), "moments", CountingOptions())
    assert next(parts).documents < 100
    assert read < 100


@pytest.mark.parametrize("options", [CountingOptions(), CountingOptions(pretokenized=True)])
def test_the_error_gives_the_number_of_a_document_that_is_not_a_text(options):
    batches = [["one two"] * 30, ["three", None]]
    with pytest.raises(ValueError, match="Document 31 must be a string"):
        TermStatistics.from_batches(batches, counting=options)
    with pytest.raises(ValueError, match="Document 131 must be a string"):
        list(partial_statistics(batches, "moments", options, first=100))


def test_an_interrupted_sum_contains_a_part_completely_or_not_at_all(monkeypatch):
    part = TermStatistics.from_texts(["so it goes"])
    total = RunningSum()
    for _ in range(3):
        total.add(part)
    with monkeypatch.context() as patch:
        patch.setattr(streaming, "added", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        for interrupted in (lambda: total.add(part), total.value):
            with pytest.raises(KeyboardInterrupt):
                interrupted()
    assert total.documents == 3
    assert total.value() == part + part + part
    assert RunningSum().value() is None
