"""Texts are counted the same way at every door; only CountVectorizer and the estimators count as scikit-learn does."""

import sys
import warnings

import polars as pl
import pytest
from sklearn.feature_extraction import text as sklearn_text

import termburst as tb
from termburst.cli import main
from termburst.counting.counted_corpus import CountedCorpus
from termburst.ledgers import Ledger
from termburst.retrieval import Index

SENTENCE = "I don't know what a cat's doing"
TEXTS = [SENTENCE] * 12
WHO = ["x", "y"] * 6
FRAME = pl.DataFrame({"document": range(12), "text": TEXTS})
RULES = {  # options, the same on the command line, and the terms
    "default": ({}, [], ["a", "cat's", "doing", "don't", "i", "know", "what"]),
    "scikit-learn": ({"words": "sklearn"}, ["--words", "sklearn"], ["cat", "doing", "don", "know", "what"]),
    "pattern": (
        {"token_pattern": "[a-z]+"},
        ["--token-pattern", "[a-z]+"],
        ["a", "cat", "doing", "don", "i", "know", "s", "t", "what"],
    ),
    "English": (
        {"language": "en", "stop_words": "en", "ngrams": (1, 2)},
        ["--language", "en", "--stop-words", "en", "--ngrams", "1,2"],
        ["cat's", "cat's doing", "doing", "know"],
    ),
}


def built(counting, folder):
    tb.build_statistics(TEXTS, folder / "built.parquet", counting=counting, memory="4GB")
    return tb.TermStatistics.load(folder / "built.parquet").terms


def in_a_ledger(counting, folder):
    ledger = Ledger(folder / "ledger", counting=counting)
    ledger.add(FRAME, batch="monday")
    return tb.scan(ledger.frame()).terms


def indexed(counting):
    index = Index.from_texts(TEXTS[:1], counting=counting)
    index.add(TEXTS[1:])
    return index.terms


PYTHON = {
    "CountedCorpus.from_texts": lambda counting, folder: CountedCorpus.from_texts(TEXTS, counting=counting).terms,
    "from_batches": lambda counting, folder: tb.TermStatistics.from_batches([TEXTS], counting=counting).terms,
    "build_statistics": built,
    "Index": lambda counting, folder: indexed(counting),
    "Ledger": in_a_ledger,
}


def listed(terms):
    return sorted({str(term) for term in terms if term is not None})


@pytest.mark.parametrize("rule", RULES)
def test_read(rule):
    options, _, expected = RULES[rule]
    corpus = tb.read(TEXTS, **options)
    assert corpus.terms.tolist() == expected
    assert corpus.counting == corpus.statistics.counting == tb.CountingOptions(**options)


@pytest.mark.parametrize("door", PYTHON)
def test_functions_of_texts(door, tmp_path):
    for rule, (options, _, expected) in RULES.items():
        place = tmp_path / rule
        place.mkdir()
        assert listed(PYTHON[door](tb.CountingOptions(**options) if options else None, place)) == expected, rule


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["termburst", *map(str, arguments)])
            patch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it
            with pytest.raises(SystemExit) as stop:
                main()
        out, err = capsys.readouterr()
        assert not stop.value.code, err
        return out, err

    return call


@pytest.mark.parametrize("rule", RULES)
def test_saved_statistics_of_the_command_line(rule, run, tmp_path):
    options, given, expected = RULES[rule]
    texts, saved = tmp_path / "texts.csv", tmp_path / "saved.parquet"
    pl.DataFrame({"text": TEXTS}).write_csv(texts)
    for memory in ([], ["--memory", "4GB"]):
        run("stats", "build", texts, "-o", saved, *given, *memory, "--quiet")
        run("stats", "add", saved, texts, "--again", "--quiet")
        assert tb.TermStatistics.load(saved).terms.tolist() == expected
        assert tb.TermStatistics.load(saved).counting == tb.CountingOptions(**options)


def test_scikit_learn_s_estimators_count_as_scikit_learn_does():
    expected = sklearn_text.CountVectorizer().fit(TEXTS).get_feature_names_out().tolist()
    assert expected == RULES["scikit-learn"][2]
    classifier = tb.BurstClassifier(vectorizer=tb.CountVectorizer()).fit(TEXTS, WHO)
    for vectorizer in (tb.CountVectorizer().fit(TEXTS), tb.BurstinessVectorizer().fit(TEXTS), classifier.vectorizer_):
        assert vectorizer.get_feature_names_out().tolist() == expected


def test_what_is_shown_says_how_words_were_found(run, tmp_path):
    said = "words: as Unicode sees them, in lower case"
    statistics = tb.TermStatistics.from_texts(TEXTS)
    for shown in (tb.read(TEXTS), statistics, tb.scan(FRAME.lazy()).statistics, Index.from_texts(TEXTS)):
        assert said in repr(shown)
    assert "as Unicode sees them" in statistics._repr_html_()
    assert "words" not in repr(tb.TermStatistics.from_counts([[1]]))  # it is not known
    (tmp_path / "a.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    corpora = [tb.read(source) for source in (TEXTS, [TEXTS], FRAME, tmp_path)]
    assert [str(corpus.reading).splitlines()[-1] for corpus in corpora[::2]] == [said] * 2
    assert "words: the given tokens" in str(corpora[1].reading)
    assert said in str(corpora[3].reading)
    assert tb.read([[1, 2]]).reading is None
    assert said in run("terms", tmp_path, "--lines", "--verbose")[1]
    sklearn = run("terms", tmp_path, "--lines", "--verbose", "--words", "sklearn")[1]
    assert "words: two or more letters or digits, in lower case" in sklearn


def test_counts_of_other_words_are_not_compared():
    """Every difference of the rule would look like a difference of the texts."""
    other = tb.CountingOptions(words="sklearn")
    saved = tb.TermStatistics.from_texts(TEXTS, "patterns", counting=other)
    for compare in (
        lambda: tb.keyness(TEXTS, saved),
        lambda: tb.keyness(saved, tb.read(TEXTS)),
        lambda: tb.read(TEXTS).keyness(saved),
    ):
        with pytest.raises(ValueError, match=r"counted with other options \(words: .*\) than B .*; count both"):
            compare()
    assert listed(tb.keyness(TEXTS, saved, counting=saved.counting)["term"]) == RULES["scikit-learn"][2]


@pytest.mark.parametrize(
    "call",
    [
        lambda counting: tb.keyness([[1, 2]] * 3, [[1, 2]] * 3, counting=counting),
        lambda counting: tb.keyness(tb.read(TEXTS), reference={"so": 5}, counting=counting),
        lambda counting: tb.keyness(tb.read(TEXTS, metadata={"who": WHO}), formula="who", counting=counting),
    ],
)
def test_counts_take_no_counting_options(call):
    with pytest.raises(ValueError, match=r"counting says how to count texts, but .*; omit it"):
        call(tb.CountingOptions())
