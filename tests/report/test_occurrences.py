"""Places and lines of terms, compared with the counts."""

import numpy as np
import pytest

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus
from termburst.report.occurrences import term_lines, term_panels, term_places

TEXTS = ["Ha ha, said the clown. HA!", "", "the crowd said nothing\nat   all", "nothing: the end, the end, the end"]


def test_places_are_the_counts():
    documents = CountedCorpus.from_texts(TEXTS)
    for term, (places, occurrences) in zip(documents.terms, term_places(documents, documents.terms, 10), strict=True):
        column = documents.counts[:, list(documents.terms).index(term)].toarray().ravel()
        assert places == np.flatnonzero(column).tolist()
        assert occurrences == column[column > 0].tolist()


def test_documents_with_the_highest_counts_stay_in_corpus_order():
    documents = CountedCorpus.from_texts(
        ["a1 " * n for n in (2, 5, 1, 5, 3)], counting=tb.CountingOptions(ngrams=(1, 1))
    )
    assert term_places(documents, ["a1", "missing"], 3) == [([1, 3, 4], [5, 5, 3]), ([], [])]


def test_lines_show_each_occurrence_as_written():
    documents = CountedCorpus.from_texts(TEXTS)
    found = term_lines(documents, [("ha", [0]), ("nothing", [2, 3])], 5)
    assert [line["term"] for line in found[0]] == ["Ha", "ha", "HA"]
    assert found[0][2] == {"document": 0, "before": "Ha ha, said the clown. ", "term": "HA", "after": "!"}
    assert found[1][0]["after"] == " at all"  # white space is one space
    assert [line["document"] for line in found[1]] == [2, 3]


def test_lines_find_terms_as_they_were_counted():
    for counting, term, shown in [
        (tb.CountingOptions(ngrams=(1, 2)), "the clown", "the clown"),
        (
            tb.CountingOptions(ngrams=(2, 2), stop_words="english", ngrams_over_stop_words=True),
            "said clown",
            "said the clown",
        ),
        (tb.CountingOptions(ngrams=(3, 3)), "ha ha said", "Ha ha, said"),
        (tb.CountingOptions(lowercase=False), "HA", "HA"),
        (tb.CountingOptions(token_pattern=r"(c\w+)n\b"), "clow", "clow"),
        (tb.CountingOptions(stop_words=("said", "the", "ha")), "clown", "clown"),
        (tb.CountingOptions(pretokenized=True), "ha,", "ha,"),
    ]:
        documents = CountedCorpus.from_texts(TEXTS, counting=counting)
        assert term in documents.terms
        (line,) = term_lines(documents, [(term, [0])], 1)[0]
        assert line["term"] == shown
        whole = line["before"] + line["term"] + line["after"]
        assert whole == TEXTS[0]


def test_every_term_of_real_text_is_found_in_its_documents():
    corpus = tb.datasets.load_stdlib()
    for counting in (tb.CountingOptions(stop_words="english"), tb.CountingOptions(ngrams=(1, 3))):
        documents = CountedCorpus.from_texts(corpus.texts[:60], corpus.ids[:60], counting=counting)
        panels = term_panels(documents, documents.terms[::7], 250, 5)
        for term, panel in zip(documents.terms[::7], panels, strict=True):
            assert panel["lines"], term
            assert len(panel["lines"]) == min(5, sum(min(n, 2) for n in sorted(panel["occurrences"])[::-1][:5]))


def test_letters_that_are_longer_in_lower_case():
    documents = CountedCorpus.from_texts(["İİİİ İstanbul calling"])
    (line,) = term_lines(documents, [("calling", [0])], 1)[0]
    assert line["term"] == "calling"


def test_long_lines_are_cut_between_words_and_long_terms_are_cut():
    text = "word " * 40 + "x" * 500 + " word" * 40
    documents = CountedCorpus.from_texts([text])
    (line,) = term_lines(documents, [("x" * 500, [0])], 1)[0]
    assert line["before"].startswith("…word")
    assert line["after"].endswith("word …")
    assert line["term"] == "x" * 120 + "…"
    assert max(len(line["before"]), len(line["after"])) <= 72


def test_lists_of_tokens_and_ids():
    documents = CountedCorpus.from_texts(
        [["so", "it"], ["it", "is"]], ["a", 7], counting=tb.CountingOptions(pretokenized=True)
    )
    assert documents.ids == ["a", "7"]
    assert term_lines(documents, [("it", [0, 1])], 1)[0][1] == {
        "document": 1,
        "before": "",
        "term": "it",
        "after": " is",
    }
    spaced = CountedCorpus.from_texts([["New York", "York"]], counting=tb.CountingOptions(pretokenized=True))
    found = [term_lines(spaced, [(term, [0])], 2)[0] for term in ("New York", "York")]
    assert [[(line["before"], line["term"]) for line in lines] for lines in found] == [
        [("", "New York")],
        [("New York ", "York")],
    ]
    with pytest.raises(ValueError, match="2 texts and 1 ids"):
        CountedCorpus.from_texts(["a", "b"], ["a"])
