"""Texts are counted the same way at every door; only CountVectorizer and the estimators count as scikit-learn does."""

import json
import sys
import warnings

import duckdb
import polars as pl
import pytest
from sklearn.feature_extraction import text as sklearn_text

import termburst as tb
from termburst import engines
from termburst.cli import main
from termburst.counting.counted_corpus import CountedCorpus
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


def compared_with_a_list(counting):
    table = tb.keyness(TEXTS, reference={"so": 5}, counting=counting)
    return table.filter(pl.col("n_a") > 0)["term"]


def in_a_ledger(counting, folder):
    ledger = engines.Ledger(folder / "ledger", counting=counting)
    ledger.add(FRAME, batch="monday")
    return engines.term_statistics(ledger.frame()).terms


def indexed(counting):
    index = Index.from_texts(TEXTS[:1], counting=counting)
    index.add(TEXTS[1:])
    return index.terms


PYTHON = {
    "CountingOptions": lambda counting, folder: (counting or tb.CountingOptions()).count(TEXTS)[1],
    "CountedCorpus.from_texts": lambda counting, folder: CountedCorpus.from_texts(TEXTS, counting=counting).terms,
    "from_texts": lambda counting, folder: tb.TermStatistics.from_texts(TEXTS, counting=counting).terms,
    "from_batches": lambda counting, folder: tb.TermStatistics.from_batches([TEXTS], counting=counting).terms,
    "build_statistics": built,
    "keyness": lambda counting, folder: tb.keyness(TEXTS, TEXTS, counting=counting)["term"],
    "keyness with a list": lambda counting, folder: compared_with_a_list(counting),
    "lockwords": lambda counting, folder: tb.lockwords(TEXTS, TEXTS, counting=counting)["term"],
    "keyness_design": lambda counting, folder: tb.keyness_design(
        TEXTS, "who", metadata={"who": WHO}, counting=counting
    )["term"],
    "Index": lambda counting, folder: indexed(counting),
    "Ledger": in_a_ledger,
    "term_statistics": lambda counting, folder: engines.term_statistics(FRAME, counting=counting).terms,
}
ENGINES = {
    "count_terms": engines.count_terms,
    "term_table": engines.term_table,
    "burstiness_test": lambda frame, counting: engines.burstiness_test(frame, draws=99, counting=counting),
    "burst_effects": engines.burst_effects,
    "dispersion": engines.dispersion,
    "fit_beta_binomial": engines.fit_beta_binomial,
    "keyness": lambda frame, counting: engines.keyness(frame, frame, counting=counting),
    "weigh": lambda frame, counting: engines.weigh(frame, "tf-icf", counting=counting),
    "patterns": lambda frame, counting: engines.patterns(frame, "monday", counting=counting),
}


def listed(terms):
    return sorted({str(term) for term in terms if term is not None})


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("source", ["list", "frame", "folder"])
def test_read(rule, source, tmp_path):
    options, _, expected = RULES[rule]
    for k, text in enumerate(TEXTS):
        (tmp_path / f"{k}.txt").write_text(text, encoding="utf-8")
    corpus = tb.read({"list": TEXTS, "frame": FRAME, "folder": tmp_path}[source], **options)
    assert corpus.terms.tolist() == expected
    assert corpus.counting == corpus.statistics.counting == tb.CountingOptions(**options)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("door", PYTHON)
def test_functions_of_texts(rule, door, tmp_path):
    options, _, expected = RULES[rule]
    assert listed(PYTHON[door](tb.CountingOptions(**options) if options else None, tmp_path)) == expected


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("function", ENGINES)
def test_engines(rule, function):
    options, _, expected = RULES[rule]
    for frame in (FRAME, FRAME.lazy()):
        found = ENGINES[function](frame, counting=tb.CountingOptions(**options) if options else None)
        assert listed(found.lazy().collect()["term"]) == expected


def test_a_database():
    connection = duckdb.connect()
    connection.register("posts", FRAME.to_arrow())
    assert listed(engines.term_table(connection.table("posts")).pl()["term"]) == RULES["default"][2]


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
def test_the_command_line(rule, run, tmp_path):
    options, given, expected = RULES[rule]
    texts, other, saved = (tmp_path / name for name in ("texts.csv", "other.csv", "saved.parquet"))
    for path in (texts, other):
        pl.DataFrame({"text": TEXTS, "who": WHO}).write_csv(path)
    for command in (("terms",), ("keyness", "--by", "who"), ("keyness", "--formula", "who"), ("keyness", other)):
        name, *more = command
        out, _ = run(name, texts, *more, *given, "--min-count", 1, "--top", 0, "--quiet", "-f", "json")
        assert listed(row["term"] for row in json.loads(out)) == expected, command
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
    for shown in (tb.read(TEXTS), statistics, engines.term_statistics(FRAME.lazy()), Index.from_texts(TEXTS)):
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
        lambda counting: tb.keyness_design(tb.read(TEXTS, metadata={"who": WHO}), "who", counting=counting),
        lambda counting: engines.term_table(engines.count_terms(FRAME), counting=counting),
    ],
)
def test_counts_take_no_counting_options(call):
    with pytest.raises(ValueError, match=r"counting says how to count texts, but .*; omit it"):
        call(tb.CountingOptions())
