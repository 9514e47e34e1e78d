"""In a forked process Polars would wait forever for the threads of its parent, so an error is soon raised."""

import os
import subprocess
import sys

import polars as pl
import pytest

from helpers.processes import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

SCRIPT = """
import os, signal, sys, tempfile
import polars as pl
import termburst as tb
from termburst.reading.options import ReadingOptions
from termburst.reading.readers import open_corpus

before, *inside = sys.argv[1:]
X, names = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], ["ha", "no", "so"]
path = os.path.join(tempfile.mkdtemp(), "s.parquet")
texts = pl.DataFrame(dict(document=["a"], text=["so it goes"]))
exec(before)
for line in inside:
    child = os.fork()
    if not child:
        signal.alarm(300)
        try:
            print(eval(line), flush=True)
        except RuntimeError as error:
            print(error, flush=True)
        os._exit(0)
    if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        sys.exit(f"{line} ended with {code}")
"""
USE = "s = tb.TermStatistics.from_counts(X, names); tb.term_table(s); s.save(path)"


def forked(before, *inside):
    """The output of each expression *inside*, evaluated in a fork of a process that has run *before*."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, before, *inside]
    ran = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode().splitlines()


def test_the_error_in_a_fork_recommends_spawn():
    inside = (
        "tb.term_table(s)",
        "tb.burstiness_test(X, names)",
        "tb.keyness(X, X, terms=names)",
        "tb.keyness(X, by=['a', 'b', 'a', 'b'], terms=names)",
        "tb.coburst(X, terms=names)",
        "s.save(path)",
        "tb.TermStatistics.load(path)",
        "list(open_corpus(path, ReadingOptions(text='term')).batches())",
        "tb.scan(texts).statistics",
    )
    said = forked(USE, *inside)
    assert len(said) == len(inside)
    for sentence in said:
        assert sentence.endswith("start processes with multiprocessing.get_context('spawn')")


def test_threads_that_only_read_files_are_found(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"text": ["so it goes"]}).write_parquet(path)
    before, inside = f"pl.scan_parquet({str(path)!r}).collect_schema()", f"list(open_corpus({str(path)!r}).batches())"
    (said,) = forked(before, inside)
    assert "cannot be used in a process forked from one that has used it" in said


def test_functions_without_polars_work_in_a_fork():
    assert forked(USE, "tb.plr_statistic(s).size", "tb.CountVectorizer().fit_transform(['so so']).sum()") == ["3", "2"]


def test_a_fork_of_a_process_that_has_only_imported_polars_works():
    assert forked("", "tb.term_table(tb.TermStatistics.from_counts(X, names))['term'][0]") == ["ha"]


LATE = """
import multiprocessing, os, signal, subprocess, sys
import polars as pl

def answer():
    import numpy as np
    import termburst as tb
    try:
        return tb.term_table(tb.TermStatistics.from_counts(np.array([[1, 2], [0, 3]])))["n"].sum()
    except RuntimeError as error:
        return error

def use():
    pl.DataFrame({"a": list(range(1000))}).lazy().group_by("a").len().collect()

def fork(then=lambda: print(answer(), flush=True)):
    child = os.fork()
    if not child:
        signal.alarm(300)
        then()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

if __name__ == "__main__":
    exec(sys.argv[1])
"""
SPAWN = "with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.apply(answer))"
OTHER = "subprocess.run([sys.executable, __file__, 'use(); print(answer())'], check=True)"
FORKED = "cannot be used in a process forked from one that has used it"


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("use(); fork()", FORKED),
        ("use(); fork(lambda: fork())", FORKED),
        ("pl.scan_parquet(sys.argv[2]).collect_schema(); fork()", FORKED),
        ("fork()", "6"),
        ("print(answer())", "6"),
        ("use(); print(answer())", "6"),
        ("answer(); fork()", FORKED),
        (f"use()\n{SPAWN}", "6"),
        (f"use(); {OTHER}", "6"),
        (f"use(); fork(lambda: {OTHER})", "6"),
        ("fork(lambda: (use(), print(answer(), flush=True)))", "6"),
    ],
)
def test_termburst_imported_after_the_fork(run, said, tmp_path):
    """Then it did not see the fork, so it has to find out. Processes that were not forked give no false alarm."""
    script, table = tmp_path / "late.py", tmp_path / "t.parquet"
    script.write_text(LATE, encoding="utf-8")
    pl.DataFrame({"text": ["so it goes"]}).write_parquet(table)
    command = [sys.executable, "-W", "ignore", str(script), run, str(table)]
    ran = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert said in ran.stdout.decode()


def test_a_process_that_was_not_forked_is_not_refused():
    program = "import polars; from termburst import forks; print(forks.check_fork())"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=True)
    assert ran.stdout.decode().strip() == "None"
