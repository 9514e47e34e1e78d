"""Spark Connect, as Databricks gives it: a server on this machine, and a session that has no Java of its own.

It runs in its own process, because a process with a classic session cannot have a session of Connect, too.
"""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import polars as pl
import pytest

import termburst as tb
from helpers.processes import PATIENCE

SCRIPT = """
    import json, sys, warnings
    warnings.simplefilter("ignore")  # of settings that a session cannot change
    import polars as pl
    from pyspark.sql import SparkSession
    from termburst import engines

    texts, settings = json.load(sys.stdin)
    spark = SparkSession.builder.remote("local[2]").config(map=settings).getOrCreate()
    rows = [(i, text, "ab"[i % 2]) for i, text in enumerate(texts)]
    frame = spark.createDataFrame(rows, "document bigint, text string, who string")
    assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
    asked = {
        "table": engines.term_table(frame),
        "tested": engines.burstiness_test(frame, draws=99, check=False),
        "keyness": engines.keyness(frame, by="who", check=False),
    }
    for name, found in asked.items():
        pl.from_arrow(found.toArrow()).write_parquet(sys.argv[1] + "/" + name + ".parquet")
    spark.stop()
"""


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(5)
    words = np.array([f"w{i:02}" for i in range(40)])
    return [" ".join(rng.choice(words, size=30, p=rng.dirichlet(np.full(40, 0.2)))) for _ in range(40)]


@pytest.fixture(scope="module")
def answers(pyspark, quick_spark, texts, tmp_path_factory):
    """The answers of a session of Connect, by question."""
    for package in ("grpc", "grpc_status", "zstandard"):
        pytest.importorskip(package, reason="Spark Connect needs pyspark[connect]")
    folder = tmp_path_factory.mktemp("connect")
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    environment["SPARK_LOCAL_DIRS"] = str(folder / "local")
    environment["JAVA_TOOL_OPTIONS"], settings = quick_spark
    given = json.dumps([texts, settings])
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder)], input=given, env=environment, text=True,
        capture_output=True, timeout=PATIENCE, cwd=folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return {path.stem: pl.read_parquet(path) for path in folder.glob("*.parquet")}


def same(found, expected, *names):
    found, expected = found.sort("term"), expected.sort("term")
    assert found["term"].to_list() == expected["term"].to_list()
    for name in names:
        left, right = (table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for table in (found, expected))
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12, err_msg=name)


def test_closed_forms(answers, texts):
    same(answers["table"], tb.term_table(tb.TermStatistics.from_texts(texts)), "n", "b", "plr", "tarone")


def test_the_burstiness_test(answers, texts):
    s = tb.TermStatistics.from_texts(texts, detail="patterns")
    names = ("n", "b", "p_value", "q_value", "ci_low", "effect", "alpha", "dp")
    same(answers["tested"], tb.burstiness_test(s, draws=99), *names)


def test_keyness(answers, texts):
    a, b = (tb.TermStatistics.from_texts(texts[start::2], detail="patterns") for start in (0, 1))
    same(answers["keyness"], tb.keyness(a, b), "n_a", "b_b", "p_value", "q_value", "ci_low", "effect", "log_ratio")
