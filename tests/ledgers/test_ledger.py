"""Ledgers in a folder: steps, two writers, processes that are killed."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import polars as pl
import pytest

import termburst as tb
from termburst import ledgers
from termburst.digests import seal
from termburst.ledgers import MANIFEST, MERGED
from termburst.locks import locked

DAYS = {"mon/d'y": ["so it goes", "ha ha", "ha ha"], "tue sdä": ["it goes on and on"], "wed": ["so so it goes", ""]}


def batch(texts, name):
    return tb.scan(pl.DataFrame({"document": range(len(texts)), "text": texts})).patterns(name)


@pytest.fixture(scope="module")
def days():
    return {day: batch(texts, day) for day, texts in DAYS.items()}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "a b" / "c=d"


@pytest.fixture
def ledger(place):
    return ledgers.Ledger(place)


@pytest.mark.parametrize("wrong", [None, 5, "", b"x", "s3://bucket/x", "a\0b", ["a"]])
def test_places_that_cannot_be(wrong):
    with pytest.raises(ValueError, match=r"place|folder of this machine"):
        ledgers.Ledger(wrong)


@pytest.mark.parametrize("hours", ["x", -1, float("nan"), 1e15])
def test_hours_that_cannot_be(ledger, hours):
    with pytest.raises(ValueError, match="hours must be a number"):
        ledger.clean(hours)


def test_a_file_is_no_place(tmp_path, days):
    (tmp_path / "file").write_text("hello")
    for place in (tmp_path / "file", tmp_path / "file" / "inside", tmp_path / ("x" * 300)):
        with pytest.raises(ValueError, match=r"cannot be read|is a file"):
            ledgers.Ledger(place).add(days["wed"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "hello"


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
    again = ledgers.Ledger(place)
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


def test_the_slower_of_two_writers_is_told_and_nothing_is_lost(place, days, monkeypatch):
    """Both have read the same state; then one of them commits."""
    first, _, third = DAYS
    for step in (
        lambda ledger: ledger.add(days[first]),
        lambda ledger: ledger.add(days[third]),
        lambda ledger: ledger.withdraw(third),
        lambda ledger: ledger.compact(),
    ):
        quick, slow = ledgers.Ledger(place), ledgers.Ledger(place)
        other = batch(["so it goes"], f"other {quick.batches.height}")

        def late(*given, add=quick.add, other=other, commit=slow._commit, **more):
            add(other)
            commit(*given, **more)

        with monkeypatch.context() as patch:
            patch.setattr(slow, "_commit", late)
            with pytest.raises(ledgers.LedgerConflictError, match=r"changing the ledger .* nothing was changed here"):
                step(slow)
        assert quick.add(other) == ()
        step(slow)
    assert statistics(slow) == counted([*DAYS[first], *["so it goes"] * 4])
    with locked(place / MANIFEST), pytest.raises(ledgers.LedgerConflictError, match="try again"):
        slow.add(batch(["so"], "x"))


def test_a_lazy_frame_keeps_its_state(ledger, days):
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


@pytest.mark.parametrize("name", ["", MERGED])
def test_ids_that_are_reserved(tmp_path, name):
    with pytest.raises(ValueError, match="is reserved"):
        ledgers.Ledger(tmp_path).add(batch(["so"], "x").with_columns(batch=pl.lit(name)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "../../ä", "(counting)"])
def test_any_other_id_is_possible(tmp_path, name):
    ledger = ledgers.Ledger(tmp_path)
    ledger.add(batch(["so it"], name))
    assert (ledger.batches["batch"].to_list(), tb.scan(tmp_path).tokens) == ([name], 2)


def test_wrong_arguments(tmp_path, days):
    ledger = ledgers.Ledger(tmp_path)
    with pytest.raises(ValueError, match="have no column 'batch'"):
        ledger.add(days["wed"].drop("batch"))
    with pytest.raises(ValueError, match=r"make them from texts with tb.scan\(frame\).patterns\(batch\)$"):
        ledger.add(pl.DataFrame({"document": ["a"], "text": ["so it goes"]}).rename({"text": "body"}))
    with pytest.raises(ValueError, match=r"or its patterns: ledger\.frame\(\)$"):
        tb.scan(ledger)
    with pytest.raises(ValueError, match="has patterns, but no rows for its documents"):
        ledger.add(days["wed"].filter(pl.col("term").is_not_null()), check=False)
    assert ledger.add(days["wed"].clear()) == ()


def test_files_of_killed_processes_and_of_others(tmp_path, days):
    ledger = ledgers.Ledger(tmp_path)
    for day in days.values():
        ledger.add(day)
    assert len(list(tmp_path.glob("batch-*.parquet"))) == len(days)
    # What a killed process leaves: a file that was not yet renamed, and one that ledger.json does not have.
    (tmp_path / ".termburst-0-x.part").write_bytes(b"")
    (tmp_path / f"batch-{0:032x}.parquet").write_bytes(b"PAR1")
    stranger = tmp_path / "batch-stranger.parquet"
    stranger.write_bytes(b"PAR1")
    assert statistics(ledger) == counted(texts_of(*DAYS))
    assert ledger.clean() == 2
    assert ledger.clean() == 0
    assert stranger.exists()


def forged(ledger, change):
    """Change `ledger.json`, and make its digest right."""
    manifest = ledger.folder / MANIFEST
    found = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(change(found) or found), encoding="utf-8")
    seal(manifest)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: {"digest": found["digest"]}, "it is another kind of file"),
        (lambda found: found.update(version=2), "has format version 2, but this termburst reads .*; restore it from"),
        (lambda found: {key: value for key, value in found.items() if key != "retired"}, "it has no 'retired'"),
        (lambda found: found.update(files={"../x.parquet": {}}), "names files outside of its folder"),
        (lambda found: found.update(counting={}), "is missing"),
    ],
)
def test_forged_registers(tmp_path, days, change, message):
    ledger = ledgers.Ledger(tmp_path)
    ledger.add(days["wed"])
    forged(ledger, change)
    for ask in (ledger.frame, lambda: ledger.add(days["tue sdä"]), lambda: tb.scan(tmp_path)):
        with pytest.raises(ValueError, match=rf"ledger\.json cannot be read as a ledger: .*{message}"):
            ask()


def test_a_damaged_batch_can_be_withdrawn_and_replaced(tmp_path, days):
    """Reading needs all files; adding, and withdrawing the damaged batch, do not need that one."""
    first, second, _ = DAYS
    ledger = ledgers.Ledger(tmp_path)
    ledger.add(days[first])
    (damaged,) = tmp_path.glob("batch-*")
    ledger.add(days[second])
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    again = ledgers.Ledger(tmp_path)
    message = rf"{damaged.name} of the ledger is damaged: .*, or withdraw the batch \"mon/d'y\" and add its documents"
    for ask in (again.frame, again.compact, lambda: again.withdraw(batch(["ha ha"], "w")), lambda: tb.scan(tmp_path)):
        with pytest.raises(ValueError, match=message):
            ask()
    assert again.withdraw(first) == (first,)
    assert again.add(batch(DAYS[first], "monday again")) == ("monday again",)
    assert statistics(again) == counted(texts_of(first, second))
    damaged.unlink()
    assert statistics(ledgers.Ledger(tmp_path)) == counted(texts_of(first, second))
    again.compact()
    next(tmp_path.glob("batch-*")).unlink()


def test_a_lost_register_is_not_begun_anew(ledger, place, days):
    ledger.add(days["wed"])
    (place / MANIFEST).unlink()
    for ask in (ledger.frame, lambda: ledger.add(days["tue sdä"]), lambda: tb.scan(place), lambda: tb.read(place)):
        with pytest.raises(ValueError, match=r"ledger\.json is missing; restore|contains saved statistics, not"):
            ask()


def test_counting_options_are_stored_with_the_first_batch(place):
    """Texts are counted with them, also after compact(); others are refused, and nothing changes."""
    counting = tb.CountingOptions(lowercase=False, stop_words=("it",), token_pattern=r"(?:a|\w)+")
    first = ledgers.Ledger(place, counting=counting)
    texts = pl.DataFrame({"document": [1, 2], "text": ["So it goes", "so so"]})
    assert first.add(texts, batch="one") == ("one",)
    again = ledgers.Ledger(place)
    assert again.counting == counting
    again.compact()
    more = pl.DataFrame({"document": [3], "text": ["It So"]})
    assert again.add(more, batch="two") == ("two",)
    assert again.batches["batch"].to_list() == ["one", "two"]
    found = dict(tb.scan(again.frame()).term_table().select("term", "n").collect().rows())
    assert found == {"So": 2, "goes": 1, "so": 2, "It": 1}
    other = ledgers.Ledger(place, counting=tb.CountingOptions())
    with pytest.raises(ValueError, match=r"has other counting options: the texts were counted in .*lowercase=False"):
        other.add(more, batch="three")
    assert again.batches.height == 2


def test_a_ledger_is_scanned_and_not_read(place, ledger, days, tmp_path):
    """It has statistics, and no texts; a folder with another ledger.json is no ledger."""
    ledger.add(days["wed"])
    with pytest.raises(ValueError, match=r"contains saved statistics, not texts; scan it with tb\.scan"):
        tb.read(place)
    assert tb.scan(place).statistics.documents == 2
    other = tmp_path / "other"
    other.mkdir()
    (other / "ledger.json").write_text('{"text": "so it goes"}', encoding="utf-8")
    assert len(tb.read(other)) == 1


def test_ledgers_without_counting_options(place, days):
    """Nothing is stored if nothing is said, and what is said with a later batch is stored."""
    ledger = ledgers.Ledger(place)
    ledger.add(days["wed"].clone())  # as if from a file: nobody knows how it was counted
    assert ledger.counting is None
    said = ledgers.Ledger(place, counting=tb.CountingOptions())
    assert said.add(pl.DataFrame({"document": [1], "text": ["so"]}), batch="more") == ("more",)
    assert ledger.counting == tb.CountingOptions()


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


@pytest.mark.parametrize("name", ["a.txt", "batch=x/mine.parquet"])
def test_a_folder_with_files_of_others_is_refused(tmp_path, days, name):
    mine = tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("so it goes")
    with pytest.raises(ValueError, match=r"has '(a.txt|batch=x)' in it; a ledger needs a folder of its own"):
        ledgers.Ledger(tmp_path).add(days["wed"])
    assert ledgers.Ledger(tmp_path).clean(0) == 0
    assert [path for path in tmp_path.rglob("*.*") if not path.name.startswith(".")] == [mine]


@pytest.mark.parametrize("rows", [{"text": ["so"]}, {"term": ["so"], "count": [1]}], ids=["texts", "counts"])
def test_texts_and_counts_need_a_batch(rows, tmp_path):
    ledger = ledgers.Ledger(tmp_path)
    with pytest.raises(ValueError, match=r"the frame has (texts|counts), which need an id: give batch="):
        ledger.add(pl.DataFrame({"document": [1], **rows}))
    assert ledger.batches.height == 0


def test_a_delta_table_is_read_and_written_whole(tmp_path):
    """By Polars: the patterns of a corpus are a frame, and a frame is scanned."""
    pytest.importorskip("deltalake")
    patterns = tb.read(["so it goes", "so so"]).patterns("monday")
    patterns.write_delta(str(tmp_path / "delta"))
    ledgers.add(patterns, batch(["it goes"], "tuesday")).filter(pl.col("batch") == "tuesday").write_delta(
        str(tmp_path / "delta"), mode="append"
    )
    found = tb.scan(pl.scan_delta(str(tmp_path / "delta"))).statistics
    assert replace(found, counting=None) == counted(["so it goes", "so so", "it goes"])
    ledger = ledgers.Ledger(tmp_path / "ledger")
    assert ledger.add(pl.read_delta(str(tmp_path / "delta"))) == ("monday", "tuesday")
    assert statistics(ledger) == counted(["so it goes", "so so", "it goes"])


def test_a_database_of_duckdb_is_no_corpus(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    duckdb.connect(str(tmp_path / "all.duckdb")).close()
    with pytest.raises(ValueError, match=r"is a database of DuckDB, not text; give a table of it to tb\.scan"):
        tb.read(tmp_path / "all.duckdb")
    (tmp_path / "own.db").write_text("so it goes")
    assert tb.read(tmp_path / "own.db").terms.tolist() == ["goes", "it", "so"]


JOB = """
    import os, signal, sys
    import polars as pl
    from termburst import files, ledgers
    place, patterns, kill_at = sys.argv[1], sys.argv[2], int(sys.argv[3])
    calls = 0
    def counted(function):
        def call(*given, **named):
            global calls
            calls += 1
            if calls == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*given, **named)
        return call
    for name in ("fsync", "replace", "chmod", "unlink", "open"):
        setattr(os, name, counted(getattr(os, name)))
    for name in ("replace", "unlink", "open", "chmod"):
        setattr(ledgers.Path, name, counted(getattr(ledgers.Path, name)))
    ledger = ledgers.Ledger(place)
    for batch in ("a", "b", "c"):
        ledger.add(pl.read_parquet(f"{patterns}/{batch}.parquet"))
    ledger.withdraw("b")
    ledger.withdraw(pl.read_parquet(f"{patterns}/w.parquet"))
    ledger.compact()
    ledger.clean(0)
    print(calls)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
def test_kill_9_at_any_moment(tmp_path):
    """Killed before one of its calls to the operating system, a job is run again, and the ledger is right."""
    texts = {"a": ["so it goes", "ha ha"], "b": ["never"], "c": ["it goes on"], "w": ["ha ha"]}
    for name, kept in texts.items():
        batch(kept, name).write_parquet(tmp_path / f"{name}.parquet")

    def run(place, kill_at):
        command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(JOB), str(place), str(tmp_path), str(kill_at)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    calls = int(run(tmp_path / "whole", 0).stdout)
    assert calls > 40
    for k, kill_at in enumerate(range(3, calls + 1, calls // 12)):
        done = run(tmp_path / f"{k}", kill_at)
        assert done.returncode == -signal.SIGKILL, done.stderr
        if ledgers.Ledger(tmp_path / f"{k}").batches.height:
            tb.scan(tmp_path / f"{k}")  # what is there is whole
        done = run(tmp_path / f"{k}", 0)
        assert done.returncode == 0, done.stderr
        assert statistics(ledgers.Ledger(tmp_path / f"{k}")) == counted(["so it goes", "it goes on"])


WRITER = """
    import sys, time
    import polars as pl
    from termburst import ledgers
    ledger = ledgers.Ledger(sys.argv[1])
    for name in sys.argv[3:]:
        while True:
            try:
                ledger.add(pl.read_parquet(f"{sys.argv[2]}/{name}.parquet"))
                break
            except ledgers.LedgerConflictError:
                time.sleep(0.01)
"""


@pytest.mark.slow
def test_two_processes_write_at_once(tmp_path):
    """Each has batches of its own, and some that the other has, too; in the end every batch is there once."""
    texts = {f"{k}": [f"w{k} so", "so"] for k in range(12)}
    for name, kept in texts.items():
        batch(kept, name).write_parquet(tmp_path / f"{name}.parquet")
    halves = [[f"{k}" for k in range(0, 8)], [f"{k}" for k in range(11, 3, -1)]]
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path / "ledger"), str(tmp_path)]
    writers = [subprocess.Popen([*command, *half]) for half in halves]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert statistics(ledgers.Ledger(tmp_path / "ledger")) == counted(
        [text for kept in texts.values() for text in kept]
    )
