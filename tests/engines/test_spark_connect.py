"""Spark Connect, as Databricks gives it: a server on this machine, and a session that has no Java of its own.

Every question is asked, in one session. It runs in its own process (helpers/connect_session.py), because a process with
a classic session cannot have a session of Connect, too.
"""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from helpers import connect_session as asked
from helpers.processes import PATIENCE
from helpers.same_tables import assert_same
from termburst.engines.spark import to_arrow
from termburst.inference.burst_effects import burst_effects
from termburst.models.cells import term_cells
from termburst.questions.burst_columns import burst_columns
from termburst.questions.burstiness_plan import FIT
from termburst.questions.collocates import Collocates
from termburst.questions.kwic import Kwic


@pytest.fixture(scope="module")
def columns():
    """Forty documents: one is empty, and two are near-copies. The documents of a speaker agree in *who* and *year*."""
    rng = np.random.default_rng(5)
    words = np.array([f"w{i:02}" for i in range(40)])
    texts = [" ".join(rng.choice(words, size=30, p=rng.dirichlet(np.full(40, 0.2)))) for _ in range(40)]
    texts[30], texts[11] = texts[7] + " and more", ""
    at = range(40)
    who, speaker = ["ab"[i % 2] for i in at], [f"{i % 4}{i // 4 % 5}" for i in at]
    return {
        "document": list(at),
        "text": texts,
        "who": who,
        "year": [2000 + i // 2 % 2 for i in at],
        "speaker": speaker,
    }


@pytest.fixture(scope="module")
def texts(columns):
    return columns["text"]


@pytest.fixture(scope="module")
def s(texts):
    return tb.TermStatistics.from_texts(texts, detail="patterns")


@pytest.fixture(scope="module")
def design(columns):
    """A function with the answer of `keyness_design`."""
    X, terms = tb.CountingOptions().count(columns["text"])
    metadata = pl.DataFrame(columns).drop("text")
    return lambda **options: tb.keyness_design(X, metadata=metadata, terms=terms, **options)


@pytest.fixture(scope="module")
def answers(pyspark, quick_spark, columns, tmp_path_factory):
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
        [sys.executable, asked.__file__, str(folder)], input=json.dumps([columns, settings]), env=environment,
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


def test_closed_forms(answers, texts):
    expected = tb.term_table(tb.TermStatistics.from_texts(texts))
    for question in ("table", "table of counts"):
        found = answers(question)
        assert_same(found, expected.select(found.columns))


def test_counts(answers, texts):
    X, terms = asked.COUNTING.count(texts)
    cells = X.tocoo()
    expected = sorted(zip(cells.row.tolist(), terms[cells.col], cells.data.tolist(), strict=True))
    assert sorted(answers("counts").select("document", "term", "count").rows()) == sorted([*expected, (11, "", 0)])


def test_statistics(answers, s):
    assert answers("statistics") == s


def test_fits(answers, s):
    expected = tb.fit_beta_binomial(s)
    found = {name: getattr(expected, name) for name in FIT} | {"status": expected.status.tolist()}
    numbers = {"n": s.collection_frequency, "b": s.document_frequency}
    assert_same(answers("fits"), pl.DataFrame({"term": s.terms.tolist(), **numbers, **found}))


def test_the_burstiness_test(answers, s):
    assert_same(answers("tested"), tb.burstiness_test(s, draws=99))


def test_effects_and_dispersion(answers, s):
    cells = term_cells(s)
    numbers = {"term": s.terms.tolist(), "n": cells.n_i, "b": cells.b_i}
    assert_same(answers("effects"), pl.DataFrame({**numbers, **burst_columns(burst_effects(cells, confidence=0.95))}))
    assert_same(answers("dispersion"), pl.DataFrame({**numbers, **tb.dispersion(s)}))


def test_keyness(answers, texts):
    expected = tb.keyness(*(tb.TermStatistics.from_texts(texts[start::2], detail="patterns") for start in (0, 1)))
    assert_same(answers("keyness"), expected)
    assert_same(answers("keyness of two"), expected)


def test_a_frame_that_is_scanned(answers, columns):
    read = tb.read(pl.DataFrame(columns), id="document")
    assert_same(answers("scanned"), read.where("who = 'b' OR year = 2000").keyness(by="year >= 2001"))


def test_keyness_of_groups_and_designs(answers, columns, design):
    X, terms = tb.CountingOptions().count(columns["text"])
    groups = tb.keyness_groups(X, columns["year"], terms=terms, contrasts=True)
    assert_same(answers("keyness of groups"), groups, "term", "group", rtol=1e-7)  # as on other engines
    assert_same(answers("keyness by formula"), design(formula="who + year"), "term", "contrast")
    assert_same(answers("keyness with clusters"), design(**asked.CLUSTERED), "term", "contrast")


@pytest.mark.parametrize(
    ("question", "scheme", "norm"), [("weights", "tf-idf", "l2"), ("weights by fits", "surprisal", None)]
)
def test_weights(question, scheme, norm, answers, texts):
    X, terms = tb.CountingOptions().count(texts)
    weights = tb.TermWeighting(scheme, norm=norm).fit_transform(X).tocoo()
    document, term = weights.row.astype(np.int64), terms[weights.col].astype(str)
    expected = pl.DataFrame({"document": document, "term": term, "weight": weights.data})
    assert_same(answers(question), expected, "document", "term")


def test_concordance_lines_and_collocates(answers, columns, texts):
    metadata = pl.DataFrame({"id": columns["document"]})
    lines = Kwic("w0*").answer(texts, metadata).rename({"id": "document"})
    assert lines.height > 100
    assert_same(answers("lines"), lines, "document", "position")
    assert_same(answers("collocates"), Collocates("w02").answer(texts, tb.CountingOptions()))


def test_the_check(answers, columns):
    metadata = {name: columns[name] for name in ("who", "year", "speaker")}
    corpus = tb.read(columns["text"], id=[f"{j}" for j in columns["document"]], metadata=metadata)
    found, expected = answers("check"), corpus.check(cluster="speaker", halves=2)
    assert expected.duplicates.height == 1
    for name in ("documents", "tokens", "effective_documents", "compared", "repeated", "cluster", "halves"):
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("duplicates", "passages", "shares", "false_alarms"):
        assert_frame_equal(getattr(found, name), getattr(expected, name), rel_tol=1e-9)


def test_a_ledger(answers, columns):
    left = [text for j, text in enumerate(columns["text"]) if j >= 8 or columns["year"][j] == 2001]
    assert answers("ledger") == replace(tb.TermStatistics.from_texts(left, detail="patterns"), counting=None)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("null text", "ValueError: the column 'text' has null in 1 row(s): fill them with ''"),
        ("same id", "ValueError: 2 documents have the id 0; ids must be unique"),
        ("bootstrap", "ValueError: the method 'bootstrap' resamples all terms together"),
    ],
)
def test_errors_of_one_sentence(question, message, answers):
    assert answers(question).startswith(message)
    assert "\n" not in answers(question)


def test_connect_of_an_old_version():
    """A frame of PySpark 3.5 has neither the new nor, on Connect, the old way to fetch Arrow."""
    with pytest.raises(ValueError, match=r"^Spark Connect needs PySpark 4 or newer; with PySpark 3\.5, use a classic"):
        to_arrow(object())
