"""Patterns in frames of every engine, to which batches are added, and from which documents are withdrawn."""

from dataclasses import replace

import polars as pl
import pytest
from battery.documents import documents

import termburst as tb
from helpers.frames import in_engine
from termburst import ledgers


@pytest.mark.slow
def test_a_ledger_grows_and_shrinks_and_ignores_batches_that_it_has(engine):
    texts, ids = (documents()[name].to_list() for name in ("text", "id"))
    s = tb.TermStatistics.from_texts(texts, "patterns")

    def part(keep, batch):
        made = tb.scan(engine({"document": ids[keep], "text": texts[keep]})).patterns(batch)
        return made.cache() if engine.name == "spark" else made

    first, second, third = slice(0, 50), slice(50, 90), slice(90, None)
    if engine.name == "duckdb":  # only relations of one connection can be concatenated
        connection = _connection({"document": ids, "text": texts})

        def part(keep, batch):
            chosen = connection.sql(f"select * from kept where document between '{ids[keep][0]}' and '{ids[keep][-1]}'")
            return tb.scan(chosen).patterns(batch)

    week = ledgers.add(part(first, "monday"), part(second, "tuesday"))
    week = ledgers.add(ledgers.add(week, part(third, "wednesday")), part(third, "wednesday"))  # again: no effect
    assert tb.scan(week).statistics == replace(s, counting=None)
    gone = part(second, "tuesday withdrawn")
    left = ledgers.withdraw(ledgers.withdraw(week, gone), gone)
    expected = tb.TermStatistics.from_texts(texts[first] + texts[third], detail="patterns")
    assert tb.scan(left).statistics == replace(expected, counting=None)
    with pytest.raises(ValueError, match="documents were withdrawn that had not been added"):
        ledgers.withdraw(left, part(slice(70, 71), "again, by another name"))


def _connection(columns):
    import duckdb

    arrow = pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest())
    connection = duckdb.connect()
    connection.register("made", arrow)
    connection.sql("create table kept as select * from made")
    return connection


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f: ledgers.withdraw(tb.scan(f).patterns("a"), tb.scan(f).patterns("a")),
            "the batch id 'a' was already added; use another id for the documents to be withdrawn",
        ),
        (
            lambda f: ledgers.add(tb.scan(f).patterns("a"), tb.scan(in_engine("duckdb", f)).patterns("b")),
            "both frames must be of one engine; got a polars",
        ),
        (
            lambda f: ledgers.add(tb.scan(f).patterns("a"), tb.scan(f).patterns("b").with_columns(batch=3)),
            "the column 'batch' must contain strings; got Int32",
        ),
        (lambda f: tb.scan(f).patterns(5), "batch must be a string; got 5"),
        (lambda f: ledgers.add(f, f), r"the frame has texts; this needs patterns \('term', 'count',"),
        (lambda f: ledgers.add(tb.scan(f).patterns("a").drop("batch"), f), "these patterns have no column 'batch'"),
    ],
)
def test_bad_arguments_raise_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call(pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so it goes"]}))


def patterns(texts: list[str], batch: str) -> pl.DataFrame:
    frame = pl.DataFrame({"document": range(len(texts)), "text": texts})
    found: pl.DataFrame = tb.scan(frame).patterns(batch)
    return found


@pytest.mark.parametrize("asked_before", [False, True])
def test_withdrawn_patterns_alone_are_refused_every_time(asked_before: bool) -> None:
    ledger = ledgers.add(patterns(["c d", "e f"], "monday"), patterns(["a a", "b b", "a b"], "tuesday"))
    corpus = tb.scan(ledgers.withdraw(ledger, patterns(["c d"], "gone")))
    if asked_before:
        assert corpus.statistics.documents == 4
    rest = corpus.where("batch = 'tuesday' OR batch = 'gone'")  # all lengths are there, but not all words
    for _ in range(2):
        with pytest.raises(ValueError, match="had not been added"):
            rest.dispersion()
    with pytest.raises(ValueError, match="had not been added"):
        rest.term_table(effects=False)


@pytest.mark.parametrize("asked", [{"by": "side"}, {"formula": "side"}])
def test_documents_withdrawn_from_another_group_are_refused(asked: dict[str, str]) -> None:
    """The whole collection is sound; group B has documents −1 times."""
    added = [patterns(["c d", "e f"], "monday"), patterns(["a a", "b b", "a b"], "tuesday")]
    gone = patterns(["c d"], "gone").with_columns(-pl.col("documents"))
    sides = zip([*added, gone], "ABB", strict=True)
    ledger = pl.concat([rows.with_columns(side=pl.lit(side)) for rows, side in sides])
    assert tb.scan(ledger).statistics.documents == 4
    with pytest.raises(ValueError, match=r"^group 'B': .*had not been added"):
        tb.scan(ledger.lazy()).keyness(**asked)
