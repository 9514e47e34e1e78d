"""Merged cells of many batches equal those of single documents."""

import numpy as np
import polars as pl
import pytest

from termburst import CountingOptions
from termburst.counting import plain_tokenizer, tokenizer
from termburst.questions.text_cells import merged_cells, tokenised

WORDS = ["so", "it", "goes", "The", "ÉTÉ", "été", "İstanbul", "ΟΔΟΣ", "don’t", "日本", "a", "x" * 40, "naïve", "!", "–"]
OPTIONS = [
    CountingOptions(),
    CountingOptions(lowercase=False),
    CountingOptions(ngrams=(1, 2), stop_words=("so", "été")),
    CountingOptions(words="sklearn"),
    CountingOptions(language="tr"),
    CountingOptions(token_pattern=r"\w+(?=\s)"),  # not compiled
    CountingOptions(pretokenized=True),  # nor this
]


def batches(seed=0, number=4):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(60)]
    frame = pl.DataFrame({"document": range(60), "text": texts, "group": [f"g{k % 3}" for k in range(60)]})
    return list(frame.iter_slices(-(-60 // number)))


def expected(batch, counting, grain):
    """From the cells of each document."""
    cells = tokenised(batch, counting=counting).join(batch.drop("text"), on="document")
    lengths = cells.filter(pl.col("term").is_null()).with_columns(tokens=0)
    cells = cells.filter(pl.col("term").is_not_null())
    cells = cells.with_columns(tokens="length", length=0 if grain == "counts" else pl.col("length"))
    return added([cells.with_columns(documents=1), lengths.select(cells.columns).with_columns(documents=1)], grain)


def added(frames, grain):
    rows = pl.concat([frame.drop("document", strict=False) for frame in frames], how="vertical_relaxed")
    sums = ["documents", "tokens"] if grain == "counts" else ["documents"]
    keys = sorted({"term", "count", "length", "group"} & set(rows.columns))
    return rows.group_by(keys).agg(pl.col(sums).cast(pl.Int64).sum()).sort(keys)


@pytest.mark.parametrize("grain", ["counts", "patterns"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_cells_of_many_batches_are_those_of_documents(monkeypatch, options, grouped, grain):
    monkeypatch.setattr(plain_tokenizer, "SMALL", -1)  # small texts are counted by compiled code, too
    monkeypatch.setattr(tokenizer, "CHUNK", 100)
    given = [batch if grouped else batch.drop("group") for batch in batches()]
    parts = list(merged_cells(given, counting=options, grain=grain, scale=0))
    assert len(parts) > 1
    assert not any(part.drop("documents").is_duplicated().any() for part in parts)
    found = added(parts, grain)
    assert found["term"].n_unique() > 5
    assert found.equals(expected(pl.concat(given), options, grain))


def test_a_null_is_refused():
    given = pl.DataFrame({"document": [1, 2], "text": ["so so it goes", None]})
    with pytest.raises(ValueError, match="must be a string"):
        list(merged_cells([given], counting=CountingOptions(), grain="counts"))
