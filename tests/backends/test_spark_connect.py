"""Spark Connect, as Databricks gives it: a server on this machine, and a session that has no Java of its own.

The battery's questions are asked in one session. It runs in its own process (helpers/connect_session.py), because a
process with a classic session cannot have a session of Connect, too.
"""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from battery.documents import Given, documents
from battery.same import differences, plain

import termburst as tb
from helpers import connect_session
from helpers.processes import PATIENCE
from termburst.backends.spark import to_arrow


@pytest.fixture(scope="module")
def answers(pyspark, quick_spark, tmp_path_factory):
    """A function from the name of a question to the answer of a session of Connect, or the message of its error."""
    if int(pyspark.__version__.partition(".")[0]) < 4:
        pytest.skip("PySpark 3.5 does not bring the server of Spark Connect, which would have to be downloaded")
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
    done = subprocess.run(
        [sys.executable, connect_session.__file__, str(folder)], input=json.dumps(settings), env=environment,
        text=True, capture_output=True, timeout=PATIENCE, cwd=folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return lambda question: answer(folder / question)


def answer(path: Path):
    if path.with_suffix(".parquet").exists():
        return pl.read_parquet(path.with_suffix(".parquet"))
    if path.with_suffix(".pickle").exists():
        return pickle.loads(path.with_suffix(".pickle").read_bytes())
    return path.with_suffix(".error").read_text(encoding="utf-8")


@pytest.mark.parametrize("question", connect_session.ASKED)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_same_rows(question, answers):
    expected = plain(connect_session.ASKED[question](Given(documents(), {}, None).read()), ordered=False)
    assert differences(plain(answers(question), ordered=False), expected)[:5] == []


def test_a_ledger(answers):
    left = documents().filter((pl.col("half") != "early") | (pl.col("year") != 1940))["text"].to_list()
    assert answers("ledger") == replace(tb.TermStatistics.from_texts(left, detail="patterns"), counting=None)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("null text", "ValueError: the column 'text' has null in 1 row(s): fill them with ''"),
        ("same id", "ValueError: 32 documents have the id 'h"),
    ],
)
def test_errors_of_one_sentence(question, message, answers):
    assert answers(question).startswith(message)
    assert "\n" not in answers(question)


def test_connect_of_an_old_version():
    """A frame of PySpark 3.5 has neither the new nor, on Connect, the old way to fetch Arrow."""
    with pytest.raises(ValueError, match=r"^Spark Connect needs PySpark 4 or newer; with PySpark 3\.5, use a classic"):
        to_arrow(object())
