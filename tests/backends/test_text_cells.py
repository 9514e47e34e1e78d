"""Cells of texts that are counted from their bytes, with one vocabulary for many batches, equal those of each batch."""

import numpy as np
import polars as pl
import pytest

from termburst import CountingOptions
from termburst.counting import plain_tokenizer
from termburst.counting.tokenizer import CHUNK
from termburst.counting.utf8_texts import count_utf8, prepared, utf8
from termburst.questions import text_cells
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


def added(frames):
    rows = pl.concat([frame.select(sorted(frame.columns)) for frame in frames])
    sums = [name for name in ("documents", "tokens") if name in rows.columns]
    keys = sorted(set(rows.columns) - set(sums))
    return rows.group_by(keys).agg(pl.col(sums).sum()).filter(pl.col("documents") > 0).sort(keys)


@pytest.fixture
def compiled(monkeypatch):
    """Small texts are counted by compiled code, too, and what is held is full after a few words."""
    monkeypatch.setattr(plain_tokenizer, "SMALL", -1)
    for name, value in (("CELLS", 40), ("NODES", 12), ("ROWS", 30)):
        monkeypatch.setattr(text_cells, name, value)


@pytest.mark.parametrize("grain", ["counts", "patterns"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_cells_of_many_batches_are_those_of_each(compiled, options, grouped, grain):
    given = [batch if grouped else batch.drop("group") for batch in batches()]
    expected = added(tokenised(batch, counting=options, grain=grain) for batch in given)
    found = added(merged_cells(given, counting=options, grain=grain))
    assert found["term"].null_count() > 0
    assert found["term"].n_unique() > 5
    assert found.equals(expected)


def test_a_vocabulary_that_is_not_full_is_kept(monkeypatch):
    monkeypatch.setattr(plain_tokenizer, "SMALL", -1)
    given = [batch.drop("group") for batch in batches()]
    found = list(merged_cells(given, counting=CountingOptions(), grain="counts"))
    assert len(found) == 1
    assert not found[0].select("term", "count", "length").is_duplicated().any()


def test_a_null_is_refused_as_in_small_batches(compiled):
    given = pl.DataFrame({"document": [1, 2], "text": ["so so it goes", None]})
    with pytest.raises(ValueError, match="must be a string"):
        list(merged_cells([given], counting=CountingOptions(), grain="counts"))


@pytest.mark.parametrize("options", [CountingOptions(), CountingOptions(language="tr")])
def test_bytes_are_prepared_as_strings_are(options):
    texts = ["", "ISO", "ÉTÉ so", "", "", "I", "İstanbul", ""]
    tokenizer = options.tokenizer()
    data, ends = prepared(tokenizer, *utf8(texts))
    expected, expected_ends = tokenizer.encoded(texts)
    assert bytes(data).lower() == bytes(expected).lower()
    assert ends.tolist() == expected_ends.tolist()


def test_slices_and_chunks_of_a_column():
    pairs = CHUNK // 5
    texts = pl.Series(["so"] * 3 + ["x y " * pairs] * 3 + ["", "it goes"])
    tokenizer = CountingOptions().tokenizer()
    lengths = [counted.lengths for counted in count_utf8(tokenizer, *utf8(texts))]
    assert len(lengths) > 1
    assert np.concatenate(lengths).tolist() == [1, 1, 1, 2 * pairs, 2 * pairs, 2 * pairs, 0, 2]
    data, ends = utf8(texts[6:])
    assert (bytes(data), ends.tolist()) == (b"it goes", [0, 7])
    data, ends = utf8(pl.Series([], dtype=pl.String))
    assert (data.size, ends.size) == (0, 0)
