"""`engines.check` on every engine, compared with `Corpus.check` of the same documents."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from termburst import engines
from termburst.engines import batches
from termburst.inference import corpus_check

NOTICE = "this message and any files sent with it are confidential and meant only for the person named above"


@pytest.fixture(scope="module")
def columns():
    """Near-copies, the same text twice, a notice below many, an author of most, an empty document."""
    rng = np.random.default_rng(8)
    words = np.array([f"w{i:03}" for i in range(150)])
    weight = rng.pareto(0.8, words.size) + 0.05
    texts = [" ".join(rng.choice(words, size=rng.integers(20, 60), p=rng.dirichlet(weight))) for _ in range(60)]
    texts[21] = texts[3]
    texts[33] = texts[5] + " and one more"
    texts[41] = texts[33]
    texts = [f"{text} {NOTICE}" if j % 4 == 0 else text for j, text in enumerate(texts)]
    texts[11] = ""
    author = ["ann" if j % 3 else f"b{j % 11}" for j in range(60)]
    return {"document": range(60), "text": texts, "author": author, "site": [f"s{j // 4}" for j in range(60)]}


@pytest.fixture(scope="module")
def corpus(columns):
    metadata = {name: columns[name] for name in ("author", "site")}
    return tb.read(columns["text"], id=[f"{j}" for j in range(60)], metadata=metadata)


@pytest.mark.parametrize("cluster", [pytest.param(None, marks=pytest.mark.slow), "site"])
def test_the_check(cluster, engine, columns, corpus, monkeypatch):
    if engine.name == "spark" and cluster is None:
        pytest.skip("seconds each: clusters have all that differs on Spark")
    monkeypatch.setattr(corpus_check, "PER_BAND", 6)  # words of a band are chosen
    monkeypatch.setattr(batches, "ROWS_OF_TERMS", 200)
    expected = corpus.check(cluster=cluster, halves=3)
    found = engines.check(engine(columns), cluster=cluster, halves=3, check=False)
    assert expected.duplicates.height == 3
    assert expected.passages.height
    for name in (
        "documents",
        "tokens",
        "effective_documents",
        "threshold",
        "compared",
        "repeated",
        "cluster",
        "halves",
    ):
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("duplicates", "passages", "shares", "false_alarms"):
        assert_frame_equal(getattr(found, name), getattr(expected, name), rel_tol=1e-12)
    assert str(found) == str(expected)


def test_few_documents():
    found = engines.check(pl.LazyFrame({"id": ["a", "b"], "text": ["so it goes", ""]}), document="id")
    assert found.documents == 2
    assert found.halves == 0
    assert not found.false_alarms.height


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ({"document": [], "text": []}, {}, "there are no documents"),
        ({"document": [1, 2], "text": ["", "!"]}, {}, "no document has a term"),
        ({"document": [1], "text": ["so"]}, {"cluster": "who"}, "the frame has no column 'who' (cluster=...)"),
        ({"document": [1], "text": ["so"]}, {"threshold": 2}, "threshold must lie between"),
        (
            {"document": [1], "text": ["so"], "who": [None]},
            {"cluster": "who"},
            "1 documents have nothing in the column",
        ),
        ({"document": [1], "term": ["so"], "count": [1]}, {}, "the frame has counts; this function needs texts"),
    ],
)
def test_bad_arguments_raise_one_sentence(rows, options, message):
    schema = {"document": pl.Int64, "text": pl.String} if not rows["document"] else None
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(").replace(")", r"\)")):
        engines.check(pl.LazyFrame(rows, schema=schema), **options)
