"""Spark with real executors: one is killed while it tests, one lacks a package; and the paper's collection."""

import os
import runpy
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import termburst as tb
from helpers.held_work import held_rows
from helpers.processes import PATIENCE
from helpers.same_tables import assert_same
from termburst.backends import run


def frame_of_counts(spark, X, terms, folder):
    """Counts as a frame, with a row of 0 for each empty document."""
    cells = X.tocoo()
    empty = np.flatnonzero(np.diff(X.indptr) == 0)
    rows = {
        "document": np.concatenate([cells.row, empty]).astype(np.int64),
        "term": [*terms[cells.col], *[""] * empty.size],
        "count": np.concatenate([cells.data, 0 * empty]),
    }
    pl.DataFrame(rows).write_parquet(folder / "counts.parquet")
    return spark.read.parquet(str(folder / "counts.parquet"))


def assert_equal_fits(found, s):
    found, expected = found.sort("term"), tb.fit_beta_binomial(s)
    assert found["term"].to_list() == s.terms.tolist()
    assert found["status"].to_list() == expected.status.tolist()
    for name in ("mean", "alpha", "alpha_not", "loglik"):
        np.testing.assert_allclose(found[name].to_numpy(), getattr(expected, name), rtol=1e-12)


def parent_of(process):
    """The parent of a process, 0 if it is no more."""
    try:
        return int(Path(f"/proc/{process}/status").read_text().split("PPid:")[1].split()[0])
    except OSError:
        return 0


def executor_of(worker):
    """The executor above a Python worker: Java, started by the driver's Java."""
    process = worker
    while process > 1:
        process = parent_of(process)
        if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes():
            return process
    raise AssertionError(f"the worker {worker} has no executor")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="executors are found in /proc")
def test_an_executor_killed_during_keyness(spark, local, monkeypatch, tmp_path):
    """It is killed while its worker tests terms: their worker has said so, and goes on only after that."""
    monkeypatch.setattr(run, "rows_of", partial(held_rows, folder=str(tmp_path)))
    texts = ["ha ha so it goes" if i % 3 else "so it goes on and on" for i in range(24)]
    rows = [(i, text, "ab"[i % 2]) for i, text in enumerate(texts)]
    frame = spark.createDataFrame(rows, "document bigint, text string, who string")
    result = []
    thread = threading.Thread(target=lambda: result.append(local(tb.scan(frame).keyness(by="who"))))
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not (begun := list(tmp_path.glob("*.begun"))):
        assert thread.is_alive(), "it was over before it could be disturbed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(executor_of(int(begun[0].read_text())), signal.SIGKILL)
    assert thread.is_alive()
    (tmp_path / "go").touch()
    thread.join(timeout=PATIENCE)
    a, b = (tb.TermStatistics.from_texts(texts[start::2], detail="patterns") for start in (0, 1))
    assert_same(result[0], tb.keyness(a, b))


@pytest.mark.filterwarnings("ignore:.* of .* terms repeat too often")
def test_a_frame_that_is_scanned_answers_as_memory(spark, local):
    texts = ["ha ha so it goes" if i % 3 else "So it goes on and on" for i in range(24)]
    columns = {"key": range(24), "body": texts, "the year": [1940 + i for i in range(24)], "who": ["a'b", "c\\d"] * 12}
    rows = list(zip(*columns.values(), strict=True))
    options = {"text": "body", "id": "key", "stop_words": ["on"], "ngrams": (1, 2)}
    scanned = tb.scan(spark.createDataFrame(rows, "key int, body string, `the year` int, who string"), **options)
    read = tb.read(pl.DataFrame(columns), **options)
    for corpus in (scanned, read):
        assert corpus.where("who = 'c\\d' AND \"the year\" > 1950").statistics.documents == 7
    found = scanned.keyness(by='"the year" < 1953')
    assert type(found).__module__.startswith("pyspark")
    assert_same(local(found), read.keyness(by='"the year" < 1953'))
    lines = local(scanned.kwic("so", columns="the year")).with_columns(pl.col("id", "the year").cast(pl.String))
    assert_same(lines, read.kwic("so", columns="the year").with_columns(pl.col("the year").cast(pl.String)), "id")
    with pytest.raises(ValueError, match=r"split\(\) needs the documents, but the frame stays where it is"):
        scanned.split(tokens=3)


def test_the_fit_of_fig_4_is_that_in_memory(spark, data, collections, local, tmp_path):
    """Of a quarter of its documents, which have 30,000 terms."""
    counts, terms = collections.fig4.counts[::4], collections.fig4.terms
    used = np.asarray(counts.sum(axis=0)).ravel() > 0
    frame = frame_of_counts(spark, counts[:, used], terms[used], tmp_path)
    statistics = tb.TermStatistics.from_counts(counts[:, used], terms[used], detail="patterns")
    assert_equal_fits(local(tb.scan(frame).fit_beta_binomial()), statistics)


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_the_example_runs(spark, capsys):  # it uses this session, which is open
    left = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "spark.py"))
    assert left["statistics"].documents == len(left["corpus"].ids)  # one was added, one withdrawn
    assert "terms are bursty" in capsys.readouterr().out


def test_the_error_names_a_package_that_a_worker_lacks(spark, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(
        textwrap.dedent("""
        import sys

        class Blocked:
            def find_spec(self, name, path=None, target=None):
                if name == "termburst":
                    raise ModuleNotFoundError("No module named 'termburst'", name="termburst")

        sys.meta_path.insert(0, Blocked())
        """)
    )
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{blocked}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    script = """
        from pyspark.sql import SparkSession
        import termburst as tb
        spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        frame = spark.createDataFrame([("a", "ha ha so"), ("b", "so")], "document string, text string")
        try:
            tb.scan(frame).term_table().collect()
        except Exception as error:
            print(error)
        spark.stop()
    """
    environment = {**os.environ, "PYSPARK_PYTHON": str(python), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True,
        timeout=PATIENCE, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert "has no package 'termburst': install termburst with its spark extra" in done.stdout, (
        done.stdout + done.stderr
    )
