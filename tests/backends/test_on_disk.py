"""Real files: a DuckDB database, Parquet files that Polars scans, and what remains on disk and in memory."""

import json
import subprocess
import sys
import textwrap
from dataclasses import replace

import polars as pl
import pytest

import termburst as tb
from termburst import ledgers

TEXTS = ["ha ha ha said the clown", "the crowd said nothing", "nothing said the clown", "the end", ""]


@pytest.fixture
def frame():
    return pl.DataFrame({"document": [f"d{i}" for i in range(len(TEXTS))], "text": TEXTS})


@pytest.mark.slow
def test_a_database_in_a_file(tmp_path, frame):
    import duckdb

    frame.write_parquet(tmp_path / "texts.parquet")
    with duckdb.connect(tmp_path / "corpus.duckdb") as connection:
        connection.sql(f"create table texts as select * from read_parquet('{tmp_path / 'texts.parquet'}')")
        tb.scan(connection.table("texts")).term_table().create("terms")
        tb.scan(connection.table("texts")).patterns("monday").create("ledger")
        some = connection.sql("select * from texts where document <> 'd3'")
        tb.scan(some).weights("damped-tf-idf").create("weights")
    with duckdb.connect(tmp_path / "corpus.duckdb", read_only=True) as connection:
        rows = connection.sql("select term, n from terms order by plr desc limit 1").fetchall()
        assert rows == [("ha", 3)]
        expected = replace(tb.TermStatistics.from_texts(TEXTS, "patterns"), counting=None)
        assert tb.scan(connection.table("ledger")).statistics == expected
        assert connection.sql("select count(*) from weights").fetchall() == [(12,)]


@pytest.mark.slow
def test_terms_differ_by_their_bytes_under_any_collation(frame):
    duckdb = pytest.importorskip("duckdb")
    expected = [("Ab", 1, 1), ("ab", 2, 1)]
    with duckdb.connect() as connection:
        connection.sql("create table counts (document varchar collate nocase, term varchar collate nocase, count int)")
        connection.sql("insert into counts values ('d', 'Ab', 1), ('D', 'ab', 2)")
        assert sorted(tb.scan(connection.table("counts")).term_table().project("term, n, b").fetchall()) == expected
        connection.sql("set default_collation = 'nocase'")
        texts = connection.sql("select 'd' as document, 'Ab' as text union all select 'D', 'ab ab'")
        corpus = tb.scan(texts, lowercase=False)
        for table in (corpus.term_table(), corpus.fit_beta_binomial()):
            assert sorted(table.project("term, n, b").fetchall()) == expected
        ledger = ledgers.add(*(corpus.patterns(batch) for batch in ("x", "X")))
        assert tb.scan(ledger).statistics.collection_frequency.tolist() == [2, 4]
        for scheme in ("counts", "damped-tf-idf"):
            weights = corpus.weights(scheme, norm="l1").fetchall()
            assert [abs(weight) for *_, weight in weights] == [1.0, 1.0]


def test_relations_of_two_connections(frame):
    duckdb = pytest.importorskip("duckdb")
    made = []
    for _ in range(2):
        connection = duckdb.connect()
        connection.register("texts", frame.to_arrow())
        made.append(tb.scan(connection.table("texts")).patterns("a"))
    with pytest.raises(ValueError, match="belong to different DuckDB connections; use one connection"):
        ledgers.add(*made)


@pytest.mark.parametrize("name", ["a[1]*'", "term=7", "x=1"])
def test_a_temporary_folder_with_a_strange_name(tmp_path, frame, monkeypatch, name):
    """DuckDB would take a folder such as term=7 for a column of the files in it."""
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / name))
    expected = tb.TermStatistics.from_texts(TEXTS, "patterns")
    connection = duckdb.connect()
    connection.register("texts", frame.to_arrow())
    lazy, stored = tb.scan(frame.lazy()), tb.scan(connection.table("texts"))
    assert lazy.statistics == stored.statistics == expected
    table = stored.term_table()
    assert table.columns == lazy.term_table().collect_schema().names()
    assert len(table.fetchall()) == len(expected.terms)


def test_scanned_files_stay_lazy(tmp_path, frame):
    for i in range(len(TEXTS)):
        frame[i : i + 1].write_parquet(tmp_path / f"{i}.parquet")
    scanned = pl.scan_parquet(tmp_path / "*.parquet")
    table = tb.scan(scanned).term_table()
    assert isinstance(table, pl.LazyFrame)
    expected = tb.TermStatistics.from_texts(TEXTS, "patterns")
    assert table.sort("term").collect(engine="streaming")["n"].to_list() == expected.collection_frequency.tolist()
    assert tb.scan(scanned).statistics == expected


def run(script, tmp_path):
    environment = {"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_no_engine_is_imported_before_it_is_used(tmp_path):
    loaded = run(
        """
        import json, sys
        import polars as pl
        import termburst as tb
        names = ("duckdb", "pyspark", "pandas", "pyarrow")
        before = [name for name in names if name in sys.modules]
        tb.scan(pl.LazyFrame({"document": [1], "text": ["ha ha so"]})).term_table().collect()
        print(json.dumps([before, [name for name in names[:2] if name in sys.modules]]))
        """,
        tmp_path,
    )
    assert loaded == [[], []]  # pandas is not checked: scikit-learn, which counts short texts, imports it


@pytest.mark.slow
def test_temporary_files_are_deleted_when_the_process_ends(tmp_path):
    held = run(
        """
        import json, os, tempfile
        import polars as pl
        import termburst as tb
        table = tb.scan(pl.LazyFrame({"document": [1], "text": ["ha ha so"]})).term_table()
        print(json.dumps([os.listdir(tempfile.gettempdir()), table.collect().height]))
        """,
        tmp_path,
    )
    assert held[1] == 2
    assert all(name.startswith("termburst-") for name in held[0])
    assert held[0]
    assert list(tmp_path.iterdir()) == []
