"""Ledgers in storage: the same steps on every kind, with two writers, with processes that are killed."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import termburst as tb
from termburst import ledgers
from termburst.ledgers import parquet_folder, storage
from termburst.ledgers.storage import MERGED

ROOT = Path(__file__).parents[2]
DAYS = {"mon/d'y": ["so it goes", "ha ha", "ha ha"], "tue sdä": ["it goes on and on"], "wed": ["so so it goes", ""]}
SLOW = pytest.mark.slow  # PyIceberg takes seconds to import
KINDS = ["parquet", *(pytest.param(kind, marks=SLOW) for kind in ("duckdb", "delta", "iceberg"))]
REGISTERS = {"parquet": "ledger.json", "delta": "kind=batch/*/*.parquet", "iceberg": "catalog.db"}
PACKAGES = {"duckdb": "duckdb", "delta": "deltalake", "iceberg": "pyiceberg"}


def batch(texts, name):
    return tb.scan(pl.DataFrame({"document": range(len(texts)), "text": texts})).patterns(name)


@pytest.fixture(scope="module")
def days():
    return {day: batch(texts, day) for day, texts in DAYS.items()}


@pytest.fixture(params=KINDS)
def kind(request):
    if request.param in PACKAGES:
        pytest.importorskip(PACKAGES[request.param])
    return request.param


@pytest.fixture
def place(kind, tmp_path):
    return tmp_path / ("a b.duckdb" if kind == "duckdb" else "a b")


@pytest.fixture
def ledger(place, kind):
    return ledgers.Ledger(place, storage=kind)


@pytest.mark.parametrize("wrong", [None, 5, "", b"x", "s3://bucket/x", Path("file:///x"), "a\0b", ":memory:", ["a"]])
def test_places_that_cannot_be(kind, wrong):
    with pytest.raises(ValueError, match=r"place|folder of this machine|connection"):
        ledgers.Ledger(wrong, storage=kind)


@pytest.mark.parametrize("hours", ["x", None, -1, float("nan"), float("inf"), 1e15, True])
def test_hours_that_cannot_be(ledger, hours):
    with pytest.raises(ValueError, match="hours must be a number"):
        ledger.clean(hours)


def test_a_file_is_no_place(kind, tmp_path, days):
    (tmp_path / "file").write_text("hello")
    for place in (tmp_path / "file", tmp_path / "file" / "inside", tmp_path / ("x" * 300)):
        with pytest.raises(ValueError, match=r"cannot be (read|opened)|is a file"):
            ledgers.Ledger(place, storage=kind).add(days["wed"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "hello"


def test_files_of_others_stay(kind, tmp_path, days):
    mine = tmp_path / "batch=x" / "mine.parquet"
    mine.parent.mkdir()
    mine.write_text("hello")
    ledger = ledgers.Ledger(tmp_path / "a.duckdb" if kind == "duckdb" else tmp_path, storage=kind)
    if kind in ("delta", "iceberg"):
        with pytest.raises(ValueError, match="has 'batch=x' in it"):
            ledger.add(days["wed"])
    else:
        ledger.add(days["wed"])
    ledger.clean(0)
    assert mine.read_text() == "hello"


def test_damage_is_said_in_one_sentence(kind, place, ledger, days):
    ledger.add(days["wed"])
    damaged = place if kind == "duckdb" else next(place.glob(REGISTERS[kind]))
    content = damaged.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"cannot be (read|opened)") as caught:
        ledgers.Ledger(place, storage=kind).batches  # noqa: B018
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("key", ["version", "batches", "files", "retired"])
def test_a_register_without_a_part(tmp_path, days, key):
    ledger = ledgers.Ledger(tmp_path)
    ledger.add(days["wed"])
    manifest = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))
    del manifest[key]
    (tmp_path / "ledger.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ValueError, match=f"has no '{key}'"):
        ledger.add(days["tue sdä"])


def statistics(ledger):
    return replace(tb.scan(ledger.frame()).statistics, batches=(), counting=None)


def counted(texts):
    return replace(tb.TermStatistics.from_texts(texts, detail="patterns"), counting=None)


def texts_of(*days):
    return [text for day in days for text in DAYS[day]]


def test_steps_give_what_counting_the_remaining_texts_gives(ledger, days, place):
    first, second, third = DAYS
    assert [ledger.add(days[day]) for day in (first, second, second)] == [(first,), (second,), ()]
    assert ledger.add(pl.concat([days[first], days[third]])) == (third,)
    assert statistics(ledger) == counted(texts_of(*DAYS))
    again = ledgers.Ledger(place)  # finds out what it is
    assert again.storage == ledger.storage
    assert [again.withdraw(second), again.withdraw(second)] == [(second,), ()]
    one = batch(["ha ha"], "withdrawn 1")
    assert [ledger.withdraw(one), ledger.withdraw(one)] == [("withdrawn 1",), ()]
    left = counted(["so it goes", "ha ha", *DAYS[third]])
    assert statistics(ledger) == left
    expected = [(first, 3, "added"), (second, 0, "withdrawn"), (third, 2, "added"), ("withdrawn 1", -1, "added")]
    assert again.batches.rows() == sorted(expected)
    ledger.compact()
    assert statistics(ledger) == left
    rows = [(name, number, status.replace("added", "merged")) for name, number, status in sorted(expected)]
    assert ledger.batches.rows() == rows
    assert [ledger.add(days[first]), ledger.withdraw(one), ledger.withdraw(second)] == [(), (), ()]
    with pytest.raises(ValueError, match=r"was merged with others by compact\(\); withdraw the patterns"):
        ledger.withdraw(first)
    ledger.withdraw(batch(["ha ha"], "withdrawn 2"))
    assert ledger.add(batch(["new"], "new")) == ("new",)
    assert statistics(ledger) == counted(["so it goes", *DAYS[third], "new"])


def test_what_cannot_be_is_refused_and_changes_nothing(ledger, days):
    first, second, _ = DAYS
    with pytest.raises(ValueError, match=r"there is no ledger at .* yet; add a batch first"):
        ledger.frame()
    assert ledger.batches.height == 0
    assert ledger.clean() == 0
    with pytest.raises(ValueError, match="documents were withdrawn that had not been added"):
        ledger.withdraw(batch(["so"], "w"))
    ledger.add(days[first])
    ledger.withdraw(batch(["ha ha"], "w"))
    before = ledger.batches, statistics(ledger)
    for gone, message in [
        (batch(["never there"], "x"), "documents were withdrawn that had not been added"),
        (first, "documents were withdrawn that had not been added"),  # of which one was withdrawn before
        (second, "has no batch 'tue sdä'"),
        (days[first], "was already added; use another id for the documents to be withdrawn"),
    ]:
        with pytest.raises(ValueError, match=message):
            ledger.withdraw(gone)
    with pytest.raises(ValueError, match="was already withdrawn; use another id for the documents to be added"):
        ledger.add(batch(["so"], "w"))
    assert before[0].equals(ledger.batches)
    assert before[1] == statistics(ledger)


def test_a_withdrawn_batch_does_not_come_back(ledger, days):
    first, second, _ = DAYS
    ledger.add(days[first])
    ledger.add(days[second])
    ledger.withdraw(second)
    for _ in range(2):
        with pytest.warns(UserWarning, match="was withdrawn, so it is not added again; give documents that come back"):
            assert ledger.add(days[second]) == ()
        ledger.compact()
    assert statistics(ledger) == counted(DAYS[first])
    ledger.withdraw(batch(DAYS[first], "all of them"))
    ledger.compact()
    with pytest.raises(ValueError, match="there are no documents"):
        _ = tb.scan(ledger.frame()).statistics
    assert ledger.add(batch(DAYS[second], "again")) == ("again",)


def test_the_slower_of_two_writers_is_told_and_nothing_is_lost(place, kind, days, monkeypatch):
    """Both have read the same state; then one of them commits."""
    first, _, third = DAYS
    for step, message in [
        (lambda ledger: ledger.add(days[first]), r"changing the ledger .* nothing was changed here: try again"),
        (lambda ledger: ledger.add(days[third]), "try again"),
        (lambda ledger: ledger.withdraw(third), "try again"),
        (lambda ledger: ledger.compact(), "try again"),
    ]:
        quick, slow = (ledgers.Ledger(place, storage=kind) for _ in range(2))
        seen = slow._storage.state()
        other = batch(["so it goes"], f"other {0 if seen is None else seen.batches.height}")
        quick.add(other)
        with monkeypatch.context() as patch:
            patch.setattr(slow._storage, "state", lambda seen=seen: seen)
            with pytest.raises(ledgers.LedgerConflictError, match=message):
                step(slow)
        assert quick.add(other) == ()
        step(slow)
    assert statistics(slow) == counted([*DAYS[first], *["so it goes"] * 4])


def test_a_lazy_frame_keeps_its_state(ledger, days, kind):
    if kind == "duckdb":
        pytest.skip("a relation is the table")
    first, second, _ = DAYS
    ledger.add(days[first])
    frame = ledger.frame()
    ledger.add(days[second])
    ledger.withdraw(first)
    ledger.compact()
    assert ledger.clean() == 0  # nothing is older than a day
    assert len(tb.scan(frame)) == len(DAYS[first])
    assert ledger.clean(0) > 0
    assert statistics(ledger) == counted(DAYS[second])


def test_another_schema_is_refused(ledger, days, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(type(ledger._storage).commit.__globals__, "SCHEMA", storage.SCHEMA + 1)
        patch.setattr(ledger._storage, "check_schema", lambda found: None)
        ledger.add(days["wed"])
    with pytest.raises(ValueError, match=rf"has the schema .?{storage.SCHEMA + 1}.?; this version"):
        ledger.frame()


@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "duckdb", "polars-lazy"])
def test_patterns_of_any_engine_can_be_added(tmp_path, days, engine):
    pytest.importorskip("duckdb" if engine == "duckdb" else "pyarrow")
    rows = days["wed"]
    if engine == "duckdb":
        import duckdb

        connection = duckdb.connect()
        frame = connection.from_arrow(rows.to_arrow())
    else:
        frame = {"pandas": rows.to_pandas, "pyarrow": rows.to_arrow, "polars-lazy": rows.lazy}[engine]()
    ledger = ledgers.Ledger(tmp_path / "ledger")
    assert ledger.add(frame) == ("wed",)
    assert statistics(ledger) == counted(DAYS["wed"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "must not be empty"),
        (MERGED, "is reserved"),
        ("a\0b", "contains a NUL character"),
        ("x" * 201, "is too long"),
        ("ä" * 40, "is too long"),
    ],
)
def test_ids_that_no_folder_can_have(tmp_path, name, message):
    with pytest.raises(ValueError, match=message):
        ledgers.Ledger(tmp_path).add(batch(["so"], name))
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments(tmp_path, days):
    with pytest.raises(ValueError, match="storage must be one of 'parquet', 'duckdb', 'delta', 'iceberg'; got 'hudi'"):
        ledgers.Ledger(tmp_path, storage="hudi")
    with pytest.raises(ValueError, match="is the only table of its folder; omit table='x'"):
        ledgers.Ledger(tmp_path, table="x")
    with pytest.raises(ValueError, match="table must be a name; got ''"):
        ledgers.Ledger(tmp_path, table="")
    with pytest.raises(ValueError, match="place must be a path; got 3"):
        ledgers.Ledger(3)
    ledger = ledgers.Ledger(tmp_path)
    with pytest.raises(ValueError, match=r"hours must be a number of at least 0 .*; got -1"):
        ledger.clean(-1)
    with pytest.raises(ValueError, match="have no column 'batch'"):
        ledger.add(days["wed"].drop("batch"))
    with pytest.raises(ValueError, match=r"make them from texts with tb.scan\(frame\).patterns\(batch\)$"):
        ledger.add(pl.DataFrame({"document": ["a"], "text": ["so it goes"]}).rename({"text": "body"}))
    with pytest.raises(ValueError, match=r"or its patterns: ledger\.frame\(\)$"):
        tb.scan(ledger)
    with pytest.raises(ValueError, match="has patterns, but no rows for its documents"):
        ledger.add(days["wed"].filter(pl.col("term").is_not_null()), check=False)
    assert ledger.add(days["wed"].clear()) == ()
    with pytest.raises(ImportError, match=r"needs the package no_such, .* pip install 'termburst\[delta\]'"):
        storage.imported("no_such", "delta")


def test_a_parquet_folder_in_detail(tmp_path, days):
    ledger = ledgers.Ledger(tmp_path)
    for day in days.values():
        ledger.add(day)
    assert len(list(tmp_path.glob("batch=*/*.parquet"))) == len(days)
    # What a killed process leaves: a file that was not yet renamed, and one that ledger.json does not have.
    (tmp_path / "batch=wed" / ".termburst-0-x.part").write_bytes(b"")
    (tmp_path / "batch=wed" / f"{0:032x}.parquet").write_bytes(b"PAR1")
    stranger = tmp_path / "batch=wed" / "stranger.parquet"
    stranger.write_bytes(b"PAR1")
    assert statistics(ledger) == counted(texts_of(*DAYS))
    assert ledger.clean() == 2
    assert ledger.clean() == 0
    assert stranger.exists()
    with (
        parquet_folder.locked(tmp_path / parquet_folder.MANIFEST),
        pytest.raises(ledgers.LedgerConflictError, match="try again"),
    ):
        ledger.add(batch(["so"], "x"))
    manifest = tmp_path / "ledger.json"
    found = json.loads(manifest.read_text(encoding="utf-8"))
    counting = [name for name, one in found["batches"].items() if one["part"] == storage.COUNTING]
    assert len(counting) == 1  # this process counted the texts, so it knows how
    assert (found["schema"], sorted(found["batches"])) == (storage.SCHEMA, sorted([*DAYS, *counting]))
    manifest.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"ledger.json cannot be read"):
        ledger.add(batch(["so"], "x"))
    manifest.write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match=r"is not the register of a ledger"):
        ledger.frame()


def test_a_duckdb_connection_with_other_tables(tmp_path, days):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "warehouse.duckdb") as connection:
        connection.sql("create table ledger (a int)")
        with pytest.raises(ValueError, match="that is not a ledger; name another table"):
            ledgers.Ledger(connection).add(days["wed"])
        ledger = ledgers.Ledger(connection, table='news "so"')
        assert ledger.add(days["wed"]) == ("wed",)
        assert ledger.withdraw(batch([""], "w")) == ("w",)
        assert statistics(ledger) == counted(DAYS["wed"][:1])
        assert ledger.clean() == 0
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(ValueError, match="cannot be opened by DuckDB"):
        ledgers.Ledger(tmp_path / "text.duckdb").frame()


def test_a_delta_table_that_is_no_ledger(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "t", pl.DataFrame({"a": [1]}))
    with pytest.raises(ValueError, match="is a Delta table, but not a ledger"):
        ledgers.Ledger(tmp_path / "t").frame()


@pytest.mark.parametrize("lost", [slice(None), slice(1, None), slice(1), slice(-1, None)], ids=str)
def test_a_delta_log_with_lost_lines(tmp_path, days, lost):
    """Delta itself would read it as a ledger without the batch, or without its rows."""
    pytest.importorskip("deltalake")
    ledger = ledgers.Ledger(tmp_path / "t", storage="delta")
    ledger.add(days["wed"])
    ledger.add(days["tue sdä"])
    entry = tmp_path / "t" / "_delta_log" / f"{1:020}.json"
    lines = entry.read_text(encoding="utf-8").splitlines(keepends=True)
    del lines[lost]
    entry.write_text("".join(lines), encoding="utf-8")
    for read in (lambda: ledger.batches, ledger.frame, lambda: ledger.withdraw("wed")):
        with pytest.raises(ValueError, match=r"is damaged: its log entry 0+1\.json has lost lines"):
            read()


def test_counting_options_are_stored_with_the_first_batch(kind, place):
    """Texts are counted with them, also after compact(); others are refused, and nothing changes."""
    counting = tb.CountingOptions(lowercase=False, stop_words=("it",), token_pattern=r"(?:a|\w)+")
    first = ledgers.Ledger(place, storage=kind, counting=counting)
    texts = pl.DataFrame({"document": [1, 2], "text": ["So it goes", "so so"]})
    assert first.add(texts, batch="one") == ("one",)
    again = ledgers.Ledger(place, storage=kind)
    assert again.counting == counting
    again.compact()
    more = pl.DataFrame({"document": [3], "text": ["It So"]})
    assert again.add(more, batch="two") == ("two",)
    assert again.batches["batch"].to_list() == ["one", "two"]
    found = (
        dict(tb.scan(again.frame()).term_table().select("term", "n").collect().rows())
        if kind != "duckdb"
        else dict(tb.scan(again.frame()).term_table().select("term", "n").fetchall())
    )
    assert found == {"So": 2, "goes": 1, "so": 2, "It": 1}
    other = ledgers.Ledger(place, storage=kind, counting=tb.CountingOptions())
    with pytest.raises(ValueError, match=r"has other counting options: the texts were counted in .*lowercase=False"):
        other.add(more, batch="three")
    assert again.batches.height == 2


def test_a_ledger_is_scanned_and_not_read(kind, place, ledger, days, tmp_path):
    """It has statistics, and no texts; a folder with another ledger.json is no ledger."""
    if kind == "duckdb":
        pytest.skip("a file, which is refused as no text")
    ledger.add(days["wed"])
    with pytest.raises(ValueError, match=r"contains saved statistics, not texts; scan it with tb\.scan"):
        tb.read(place)
    assert tb.scan(place).statistics.documents == 2
    other = tmp_path / "other"
    other.mkdir()
    (other / "ledger.json").write_text('{"text": "so it goes"}', encoding="utf-8")
    assert len(tb.read(other)) == 1


def test_ledgers_without_counting_options(kind, place, days):
    """Nothing is stored if nothing is said, and what is said with a later batch is stored."""
    ledger = ledgers.Ledger(place, storage=kind)
    ledger.add(days["wed"].clone())  # as if from a file: nobody knows how it was counted
    assert ledger.counting is None
    said = ledgers.Ledger(place, storage=kind, counting=tb.CountingOptions())
    assert said.add(pl.DataFrame({"document": [1], "text": ["so"]}), batch="more") == ("more",)
    assert ledger.counting == tb.CountingOptions()
    with pytest.raises(ValueError, match=r"the batch id '\(counting\) x' is reserved"):
        ledger.add(batch(["so"], "(counting) x"))


def test_patterns_that_were_counted_otherwise(ledger, days):
    """Noticed if this process counted them. The options of the first patterns are stored."""
    assert ledger.add(days["wed"]) == ("wed",)
    assert ledger.counting == tb.CountingOptions()
    frame = pl.DataFrame({"document": [1], "text": ["So it"]})
    other = tb.scan(frame, lowercase=False).patterns("other")
    message = "these patterns do not belong to the ledger .*: lowercase=True and False; count the texts with"
    for step in (ledger.add, ledger.withdraw):
        with pytest.raises(ValueError, match=message):
            step(other)
    assert ledger.batches["batch"].to_list() == ["wed"]
    assert ledger.add(tb.scan(frame).patterns("same")) == ("same",)


def test_a_folder_with_files_of_others_is_refused(kind, tmp_path, days):
    if kind == "duckdb":
        pytest.skip("a file")
    (tmp_path / "a.txt").write_text("so it goes")
    with pytest.raises(ValueError, match=r"has 'a.txt' in it; a ledger needs a folder of its own"):
        ledgers.Ledger(tmp_path, storage=kind).add(days["wed"])
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["a.txt"]


def test_a_file_instead_of_a_folder(kind, tmp_path):
    (tmp_path / "a.txt").write_text("so it goes")
    if kind == "duckdb":
        with pytest.raises(ValueError, match="cannot be opened by DuckDB"):
            ledgers.Ledger(tmp_path / "a.txt", storage=kind).frame()
        return
    with pytest.raises(ValueError, match=rf"a.txt is a file, but a ledger of {kind} is a folder; name another place"):
        ledgers.Ledger(tmp_path / "a.txt", storage=kind)


@pytest.mark.parametrize("rows", [{"text": ["so"]}, {"term": ["so"], "count": [1]}], ids=["texts", "counts"])
def test_texts_and_counts_need_a_batch(rows, tmp_path):
    ledger = ledgers.Ledger(tmp_path)
    with pytest.raises(ValueError, match=r"the frame has (texts|counts), which need an id: give batch="):
        ledger.add(pl.DataFrame({"document": [1], **rows}))
    assert ledger.batches.height == 0


def test_a_ledger_of_duckdb_is_no_corpus(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    duckdb.connect(str(tmp_path / "all.duckdb")).close()
    with pytest.raises(ValueError, match=r"is a database of DuckDB, not text; if it has a ledger, save its statistics"):
        tb.read(tmp_path / "all.duckdb")
    (tmp_path / "own.db").write_text("so it goes")
    assert tb.read(tmp_path / "own.db").terms.tolist() == ["goes", "it", "so"]


@pytest.mark.slow
def test_an_iceberg_catalogue_with_other_tables(tmp_path, days):
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog

    catalogue = SqlCatalog("own", uri=f"sqlite:///{tmp_path / 'own.db'}", warehouse=str(tmp_path))
    catalogue.create_namespace("termburst")
    catalogue.create_table("termburst.other", schema=pl.DataFrame({"a": [1]}).to_arrow().schema)
    with pytest.raises(ValueError, match=r"termburst.other is not a ledger"):
        ledgers.Ledger(catalogue, table="other").frame()
    ledger = ledgers.Ledger(catalogue)
    assert (ledger.storage, ledger.add(days["wed"])) == ("iceberg", ("wed",))
    assert statistics(ledger) == counted(DAYS["wed"])
    assert ledger.clean() == 0
    catalogue.engine.dispose()
    with pytest.raises(ValueError, match="its name has '#'; name another folder"):
        ledgers.Ledger(tmp_path / "a#b", storage="iceberg")


@pytest.fixture(scope="module")
def killed():
    """What the benchmark says of all kinds, with a few kills. Its own default is fifty."""
    script = ROOT / "benchmarks" / "kill_ledger.py"
    return subprocess.run(
        [sys.executable, str(script), "--kills", "2", "--batches", "2"], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_killed_jobs_and_two_writers(kind, killed):
    """Real processes."""
    said = [line for line in killed.stdout.splitlines() if line.startswith(kind)]
    assert "2 kills" in said[0], killed.stdout + killed.stderr
    assert "4 of 4 batches, right" in said[1]
    assert killed.returncode == 0
