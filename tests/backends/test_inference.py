"""What is learned from terms of other groups, orders of many rows, and what cannot be asked of a frame."""

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from battery.documents import Given, documents
from battery.same import differences, plain

import termburst as tb
from helpers.frames import in_engine, local
from termburst.backends import stream
from termburst.backends.run import finished
from termburst.backends.stream import spooled
from termburst.inference import robust_scale
from termburst.inference.multiplicity import adjust
from termburst.questions.plans import Finish, shown
from termburst.report.summarize import summarize

FRAME = pl.DataFrame(
    {
        "document": range(4),
        "text": ["ha ha so", "so it goes", "so", "?"],
        "share": [0.5] * 4,
        "gap": ["a", None, "b", "b"],
        "same": ["a"] * 4,
        "empty": ["some", "some", "some", "none"],
        "three": ["a", "b", "c", "a"],
    }
)


def test_a_word_that_one_document_repeats_leads_neither_here_nor_in_memory():
    texts = [f"so it goes {'odd ' * (30 if k == 0 else k < 12)}{'ha ' * 3 * (k < 9)}and on" for k in range(40)]
    scanned = tb.scan(pl.LazyFrame({"document": range(len(texts)), "text": texts}))
    corpus = tb.read(texts)
    memory = tb.burstiness_test(corpus.statistics, draws=99)
    assert memory.sort("ci_low", descending=True)["term"][0] == "odd"
    firsts = [
        memory,
        scanned.burstiness(draws=99).collect().sort("lower_bound", descending=True),
        scanned.term_table().collect().sort("lower_bound", descending=True),
        corpus.term_table(),
        corpus.burstiness(draws=99),
    ]
    assert [table["term"][0] for table in firsts] == ["ha"] * 5
    assert summarize(corpus, pairs=0)["terms"]["term"][0] == "ha"


@pytest.mark.slow
def test_terms_learn_from_terms_of_other_groups(monkeypatch):
    """A term in 50 documents or more has the mean κ of all such terms, which are in several groups."""
    monkeypatch.setattr(stream, "ROWS_OF_TERMS", 300)
    monkeypatch.setattr(robust_scale, "TERMS", 3)
    given = Given(documents(300), {}, None)
    s, corpus = given.read().statistics, tb.scan(given.frame.lazy())
    expected = tb.burstiness_test(s, draws=99)
    assert differences(plain(corpus.burstiness(draws=99), ordered=False), plain(expected, ordered=False)) == []
    monkeypatch.setattr(robust_scale, "TERMS", 10**9)
    alone = tb.burstiness_test(s, draws=99)
    assert (alone.sort("term")["ci_low"] != expected.sort("term")["ci_low"]).any()


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_rows_in_several_files_end_as_rows_in_memory(engine, monkeypatch):
    """Ties, tests without a p-value, and rows that only the end of the plan can choose."""
    monkeypatch.setattr(stream, "ROWS_PER_FILE", 1_000)
    monkeypatch.setattr(stream, "BYTES_PER_FILE", 10_000)
    rng = np.random.default_rng(3)
    p = np.concatenate([rng.random(900), rng.beta(0.1, 5, 900), np.full(300, 1.0), rng.integers(1, 60, 900) / 60])
    p[[5, 900]] = np.nan
    table = pl.DataFrame({"number": np.arange(p.size), "p_value": p, "q_value": np.full(p.size, np.nan)})
    table = table.with_columns(pl.selectors.float().fill_nan(None))
    chosen = []

    def finish(rows):
        (p_value,) = rows.take("p_value")
        chosen.append(np.sort(rows.take("number", at_most=0.01)[0]).astype(int).tolist())
        return Finish(adjust(p_value), shown, ("number", "q_value"))

    frame = nw.from_native(in_engine(engine, table))
    results = spooled(table.iter_slices(100), table.schema, frame)
    found = local(nw.to_native(finished(results, dict(table.schema), finish, frame))).sort("number")
    assert found.columns == ["number", "q_value"]
    np.testing.assert_array_equal(found["q_value"].fill_null(np.nan).to_numpy(), adjust(p))
    assert chosen == [np.flatnonzero(p <= 0.01).tolist()]


def test_what_cannot_be_compared_is_one_sentence():
    for ask, message in [
        (lambda c: c.keyness(tb.scan(in_engine("duckdb", FRAME))), "both frames must be of one engine; got a polars"),
        (lambda c: c.keyness(by="no"), "no column 'no'"),
        (lambda c: c.keyness(by="share"), "the column 'share' must contain strings or integers; got Float64"),
        (lambda c: c.keyness(by="gap"), r"the column 'gap' has null in 1 row\(s\): give every document a group"),
        (lambda c: c.keyness(by="same"), "there is only one group, 'a': a comparison needs at least two"),
        (lambda c: c.keyness(by="empty"), "the group 'none' has no tokens: there is nothing to compare with"),
        (lambda c: c.keyness(c.where("text = '?'")), "the second corpus has no tokens"),
        (lambda c: c.keyness(tb.scan(FRAME.head(0))), "the second corpus has no tokens"),
        (lambda c: c.keyness(by="three", contrasts=False, confidence=0.9), "confidence=0.9 needs contrasts=True"),
    ]:
        with pytest.raises(ValueError, match=message) as caught:
            ask(tb.scan(FRAME))
        assert "\n" not in str(caught.value)


def test_a_document_in_two_groups():
    rows = {"document": [1, 1, 2], "term": ["a", "b", "a"], "count": [1, 2, 3], "who": ["x", "y", "y"]}
    with pytest.raises(ValueError, match="the document 1 is in 2 groups; every document must be in one"):
        tb.scan(pl.LazyFrame(rows)).keyness(by="who")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_frequent_terms_and_terms_of_every_phase(engine, monkeypatch):
    """The draws of a term depend on the most frequent term of all, which is in another group."""
    monkeypatch.setattr(stream, "ROWS_OF_TERMS", 1)
    rng = np.random.default_rng(7)
    mean = np.array([600.0, 300.0, 90.0, 20.0, 4.0, 3.0, 0.8, 0.5, 0.1, 0.05, 1500.0])
    X = rng.poisson(rng.gamma(2.0, mean / 2, (60, mean.size)))
    terms = [f"t{k}" for k in range(mean.size)]
    assert (X.sum(axis=0) > 20_000).sum() == 2
    document, term = np.nonzero(X)
    rows = pl.DataFrame({"document": document, "term": np.array(terms)[term], "count": X[document, term]})
    expected = tb.burstiness_test(tb.TermStatistics.from_counts(X, terms, detail="patterns"), draws=499, columns="all")
    found = tb.scan(in_engine(engine, rows)).burstiness(draws=499, columns="all")
    assert differences(plain(found, ordered=False), plain(expected, ordered=False)) == []


def test_patterns_without_terms():
    """All terms may have been left out of stored patterns: there is nothing to test, and nothing fails."""
    schema = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64}
    corpus = tb.scan(pl.LazyFrame([(None, 0, 5, 9)], schema=schema, orient="row"))
    for found in (corpus.burstiness(), corpus.term_table(), corpus.dispersion()):
        assert found.collect().height == 0
    for options in ({}, {"compare": "burstiness"}):
        assert corpus.keyness(corpus, **options).collect().height == 0
