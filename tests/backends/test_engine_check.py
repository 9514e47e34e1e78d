"""The check of a frame: samples, bands and sums of workers, compared with memory, and what it refuses."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from termburst.backends import check_stages, stream
from termburst.inference import corpus_check, duplicates

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


def test_false_alarms_are_of_the_same_words(columns, corpus, monkeypatch):
    monkeypatch.setattr(stream, "ROWS", 50)
    monkeypatch.setattr(corpus_check, "PER_BAND", 40)  # words of a band are chosen
    expected = corpus.check(cluster="site", halves=25, seed=2)
    found = tb.scan(pl.LazyFrame(columns)).check(cluster="site", halves=25, seed=2)
    assert expected.false_alarms["keyness"].sum() > 0
    assert_frame_equal(found.false_alarms, expected.false_alarms, rel_tol=1e-12)


def test_a_sample_of_passages_is_that_in_memory(columns, corpus, monkeypatch):
    """Those who read texts know only a part of the tokens, and keep more passages than are looked at in the end."""
    monkeypatch.setattr(duplicates, "SAMPLED", 300)
    monkeypatch.setattr(check_stages, "BLOCK", 500)
    expected = corpus.check(halves=2)
    assert duplicates.every_passage(expected.tokens) == 16
    assert 0 < expected.repeated < 1
    found = tb.scan(pl.LazyFrame(columns)).check(halves=2)
    assert found.repeated == expected.repeated
    assert_frame_equal(found.passages, expected.passages)


def test_passages_become_rarer_as_tokens_are_seen(columns, monkeypatch):
    monkeypatch.setattr(duplicates, "SAMPLED", 300)
    monkeypatch.setattr(check_stages, "BLOCK", 500)
    batches = pl.DataFrame(columns).select("document", "text").iter_slices(20)
    parts = list(check_stages.traced(batches, counting=tb.CountingOptions(), bands=(25, 4)))
    whole = pl.concat(parts).filter(pl.col("term").is_null() & pl.col("print").is_null())
    assert len(parts) > 20
    tokens, every = 0, []
    for part in parts:
        tokens += part.filter(pl.col("print").is_not_null())["length"].sum()
        every.append(duplicates.every_passage(tokens))
        hashes = part.filter(pl.col("term").is_null() & pl.col("print").is_null())["length"].to_numpy().view(np.uint64)
        assert not (hashes % np.uint64(every[-1])).any()
    assert (every[0], every[-1]) == (1, 16)
    passages = sum(max(len(text.split()) - 11, 0) for text in columns["text"])
    assert 300 < whole.height < 300 * (1 + np.log2(16)) < passages


def test_few_documents():
    found = tb.scan(pl.LazyFrame({"id": ["a", "b"], "text": ["so it goes", ""]})).check()
    assert found.documents == 2
    assert found.halves == 0
    assert not found.false_alarms.height


def test_bad_arguments_raise_one_sentence():
    for rows, options, message in [
        ({"document": [], "text": []}, {}, "there are no documents"),
        ({"document": [1, 2], "text": ["", "!"]}, {}, "no document has a term"),
        ({"document": [1], "text": ["so"]}, {"cluster": "who"}, "the frame has no column 'who' (cluster=...)"),
        ({"document": [1], "text": ["so"]}, {"threshold": 2}, "threshold must be a number from 0.5 to 1; got 2"),
        (
            {"document": [1], "text": ["so"], "who": [None]},
            {"cluster": "who"},
            "1 documents have nothing in the column",
        ),
        ({"document": [1], "term": ["so"], "count": [1]}, {}, "the frame has counts; this needs texts"),
    ]:
        schema = {"document": pl.Int64, "text": pl.String} if not rows["document"] else None
        with pytest.raises(ValueError, match="^" + message.replace("(", r"\(").replace(")", r"\)")):
            tb.scan(pl.LazyFrame(rows, schema=schema)).check(**options)
