"""The surest pairs of words that the page shows, and the sentences where there are none."""

import numpy as np
import pytest

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus
from termburst.report import occurrences, render, summarize
from termburst.report.occurrences import surest_pairs

WORDS = ["sea", "sun", "ship", "sand", "wind", "so"]


@pytest.fixture(scope="module")
def texts():
    """Where "socrates" stands, "plato" follows in most documents; everything else is at random."""
    rng = np.random.default_rng(11)
    made = []
    for k in range(90):
        words = list(rng.choice(WORDS, 15))
        if k % 3 == 0:
            words[4:4], words[12:12] = ["socrates"], ["plato"]
        made.append(" ".join(words))
    return made


def test_a_planted_pair_is_found_as_triggers_finds_it(texts):
    found = surest_pairs(CountedCorpus.from_texts(texts), 3)
    expected = tb.read(texts).triggers(top=1).row(0, named=True)
    first = found["pairs"][0]
    assert (first["source"], first["target"]) == (expected["source"], expected["target"]) == ("socrates", "plato")
    assert (first["documents"], first["ci_low"]) == (30, pytest.approx(expected["ci_low"]))
    assert (found["looked_at"], found["why"]) == (90, None)


def test_a_large_corpus_is_represented_by_evenly_spaced_documents(texts, monkeypatch):
    corpus = CountedCorpus.from_texts(texts)
    monkeypatch.setattr(occurrences, "MOST_TOKENS", int(corpus.counts.sum()) // 2)
    found = surest_pairs(corpus, 3)
    assert found["looked_at"] == 45
    assert (found["pairs"][0]["source"], found["pairs"][0]["target"]) == ("socrates", "plato")


def test_where_pairs_are_not_looked_for_a_sentence_says_why(texts):
    counted = CountedCorpus.from_texts(texts)
    cases = {
        "made from counts": tb.TermStatistics.from_counts(counted.counts, counted.terms, "patterns"),
        "with 19 documents no pair could be sure": CountedCorpus.from_texts(texts[:19]),
        "n-grams": CountedCorpus.from_texts(texts, counting=tb.CountingOptions(ngrams=(1, 2))),
        "no document has two tokens": CountedCorpus.from_texts(["so"] * 30),
    }
    for sentence, corpus in cases.items():
        found = surest_pairs(corpus, 3)
        assert found["pairs"] == []
        assert found["why"].startswith("They were not looked for: ")
        assert sentence in found["why"]


def test_nothing_is_sure_in_random_texts():
    rng = np.random.default_rng(12)
    found = surest_pairs(CountedCorpus.from_texts([" ".join(rng.choice(WORDS, 15)) for _ in range(40)]), 3)
    assert (found["pairs"], found["why"]) == ([], "No word surely brings on another (q ≤ 0.05).")


def test_pairs_that_only_come_together_are_not_said_to_bring_on():
    """The words of every text in any order: "socrates" and "plato" still come in the same texts."""
    rng = np.random.default_rng(13)
    texts = []
    for k in range(90):
        words = [*rng.choice(WORDS, 15), *(["socrates", "plato"] if k % 3 == 0 else ["so", "so"])]
        texts.append(" ".join(rng.permutation(words)))
    pair = tb.read(texts).triggers(top=1).row(0, named=True)
    assert {pair["source"], pair["target"]} == {"socrates", "plato"}
    assert pair["q_together"] < 1e-5
    assert surest_pairs(CountedCorpus.from_texts(texts), 3)["pairs"] == []


def test_pages_may_do_without(texts):
    corpus = CountedCorpus.from_texts(texts)
    assert summarize(corpus, pairs=0, panels=1)["brought_on"] is None
    assert 'id="pairs"' not in render(summarize(corpus, pairs=0, panels=1))
    assert 'id="pairs"' in render(summarize(corpus, panels=1))
    with pytest.raises(ValueError, match="pairs"):
        summarize(corpus, pairs=-1)
