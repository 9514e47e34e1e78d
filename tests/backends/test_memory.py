"""A limit of memory for questions of engines: it is held, DuckDB gets its own back, a bad one is one sentence."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import polars as pl
import pytest

import termburst as tb
from termburst import backends
from termburst.backends import memory
from termburst.limits import memory_used

limited = backends.memory_limit
FRAME = pl.DataFrame({"document": ["a", "b"], "text": ["ha ha ha said the clown", "the end"]})


def test_a_bad_limit_is_one_sentence():
    for given in ["much", "600", "-1GB", "", True, None, 1.5]:
        with pytest.raises(ValueError, match=r"^memory must be a number with MB, GB or TB.*; got"), limited(given):
            pass


@pytest.mark.parametrize("given", ["10MB", 1, 0])
def test_too_little_is_one_sentence(given):
    with pytest.raises(ValueError, match=r"^memory of \d+ MB is too small: .*; give at least \d+MB$"), limited(given):
        pass
    assert memory.scale() == 1.0


def test_blocks_are_smaller_inside_and_as_before_afterwards():
    given = memory_used() + memory.FIXED + memory.NEEDED // 2
    with backends.memory_limit(given):
        assert 0.3 < memory.scale() < 0.6
        with backends.memory_limit("100GB"):
            assert memory.scale() == 1.0
        assert 0.3 < memory.scale() < 0.6
    assert memory.scale() == 1.0


@pytest.mark.parametrize("own", ["3 GB", "50 MiB", "300 MB", "1000 TB", "-1"])
def test_duckdb_gets_its_own_limit_back(own):
    """A lower one of the user stays as it is, however many questions are asked."""
    connection = pytest.importorskip("duckdb").connect()
    connection.execute(f"set memory_limit = '{own}'")
    connection.register("given", FRAME.to_arrow())

    def setting():
        return connection.execute("select current_setting('memory_limit')").fetchall()[0][0]

    before = setting()
    with backends.memory_limit("4GB"):
        for _ in range(5):
            assert tb.scan(connection.table("given")).term_table().order("plr desc").fetchall()[0][0] == "ha"
            assert setting() == (before if own in ("50 MiB", "300 MB") else "819.0 MiB")
    assert setting() == before


def closed(connection):
    connection.close()
    raise KeyError


def aborted(connection):
    connection.execute("create table single (id integer primary key)")
    connection.execute("begin; insert into single values (1), (1)")


@pytest.mark.filterwarnings("ignore:DuckDB did not take its own memory_limit back")
@pytest.mark.parametrize(("end", "error"), [(closed, KeyError), (aborted, "duplicate key")])
def test_errors_inside_a_limit_are_those_of_the_user(end, error):
    """Neither a closed connection nor an aborted transaction takes their place."""
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("set memory_limit = '3GB'")
    connection.register("given", FRAME.to_arrow())

    def ask():
        with backends.memory_limit("4GB"):
            tb.scan(connection.table("given")).term_table()
            end(connection)

    if end is closed:
        with pytest.raises(error):
            ask()
    else:
        with pytest.raises(duckdb.ConstraintException, match=error):
            ask()


def test_duckdb_that_cannot_be_set_is_one_sentence():
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("set memory_limit = '3GB'; set lock_configuration = true")
    connection.register("given", FRAME.to_arrow())
    with (
        pytest.raises(ValueError, match=r"^DuckDB does not take a memory_limit of 819 MiB: .*locked"),
        backends.memory_limit("4GB"),
    ):
        tb.scan(connection.table("given")).term_table()


def test_a_limit_needs_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with backends.memory_limit("100GB"):
        assert tb.scan(FRAME.lazy()).term_table().collect().height == 5


MEASURED = """
    import json, sys
    from contextlib import nullcontext
    from pathlib import Path
    import polars as pl
    import termburst as tb
    from termburst import backends

    file, limit = sys.argv[1:]
    with backends.memory_limit(limit) if limit != "none" else nullcontext():
        tb.scan(pl.scan_parquet(file)).fit_beta_binomial().sink_parquet(f"{file}.{limit}")
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(json.dumps(int(fields["VmHWM"].split()[0]) / 1024))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read as Linux has it")
def test_a_limit_is_held_and_the_result_is_the_same(tmp_path, monkeypatch):
    """Without it, the same question takes more; each is asked in a process of its own."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    from scale import write_growing_text

    write_growing_text(tmp_path / "growing.txt", 40 * 10**6)
    lines = pl.scan_csv(tmp_path / "growing.txt", has_header=False, new_columns=["text"], separator="\t")
    lines.with_row_index("document").sink_parquet(tmp_path / "texts.parquet", row_group_size=2_000)
    found = {}
    for limit in ("none", "700MB"):
        command = [sys.executable, "-c", textwrap.dedent(MEASURED), str(tmp_path / "texts.parquet"), limit]
        found[limit] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["700MB"] <= 700
    assert found["700MB"] < found["none"]
    tables = [pl.read_parquet(tmp_path / f"texts.parquet.{limit}").sort("term") for limit in found]
    assert tables[0].height > 1_000_000
    assert tables[0].equals(tables[1])
