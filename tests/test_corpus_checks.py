"""`Corpus.check` and `Corpus.drop_duplicates`."""

import json

import numpy as np
import polars as pl
import pytest

import termburst as tb


def texts(rng, number, words=150, size=80):
    weight = 1 / np.arange(1, words + 1)
    drawn = rng.choice(words, (number, size), p=weight / weight.sum())
    return [" ".join(f"w{k}" for k in row) for row in drawn]


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(81)
    plain = texts(rng, 60)
    notice = " this message and its attachments are only for the use of the addressee please"
    listed = [text + notice if k % 3 == 0 else text for k, text in enumerate(plain)]
    listed += [listed[k] + " end" for k in range(6)]
    author = [f"a{k % 12}" for k in range(66)]
    return tb.read(listed, id=[f"d{k}" for k in range(66)], metadata={"author": author, "kind": ["x"] * 60 + ["y"] * 6})


@pytest.fixture(scope="module")
def found(corpus):
    return corpus.check(halves=2)


def test_copies_passages_and_shares(corpus, found):
    assert found.duplicates.rows()[:2] == [
        ("d60", "d0", pytest.approx(0.98, abs=0.02)),
        ("d61", "d1", pytest.approx(0.98, abs=0.02)),
    ]
    assert found.duplicates.height == 6
    assert found.passages["passage"][0].startswith("this message and its attachments")
    assert found.passages["documents"][0] == 20
    assert 0.01 < found.repeated < 0.1
    row = found.shares.filter(column="kind").row(0, named=True)
    assert row["value"] == "x"
    assert row["documents"] == pytest.approx(60 / 66)
    assert (found.documents, found.tokens) == (66, corpus.tokens)


def test_the_answer_in_words(found):
    text = str(found)
    assert text.startswith("Take care with p-values here: 66 documents")
    assert "6 of 66 documents (9.1 %) are near-copies of others (such as d60 of d0)" in text
    assert "kind = x" in text
    assert "cannot show whether documents depend on each other" in text
    assert "Words with p below 5 % in random halves" in text
    assert repr(found) == text
    assert "near-copies" in found._repr_html_()


def test_everything_is_json(found):
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert values["documents"] == 66
    assert len(values["duplicates"]) == 6
    assert values["false_alarms"][0]["summed"] is None


def test_clusters(corpus):
    clustered = corpus.check(cluster="author", halves=2)
    assert "halves of the values of author" in clustered.words
    assert clustered.false_alarms["summed"].is_not_nan().all()
    with pytest.raises(ValueError, match="no column 'writer'"):
        corpus.check(cluster="writer")
    with pytest.raises(ValueError, match="has 2 values; to deal them out, at least 10"):
        corpus.check(cluster="kind")
    missing = corpus.with_metadata({"who": [None, *["x"] * 65]})
    with pytest.raises(ValueError, match="1 documents have nothing in the column 'who'"):
        missing.check(cluster="who")


def test_a_corpus_without_problems():
    found = tb.read(texts(np.random.default_rng(82), 40)).check(halves=2)
    assert found.words.startswith("Nothing here speaks against the p-values: 40 documents")
    assert "No document is a near-copy of another (40 compared)." in found.words
    assert found.warnings == []


def test_too_few_documents():
    found = tb.read(["so it goes on and on", "the crowd said nothing at all"]).check()
    assert found.false_alarms.height == found.halves == 0
    assert "there are so few documents" in found.words
    assert "too few documents or words to try random halves" in found.words
    long = tb.read([*texts(np.random.default_rng(83), 30), *texts(np.random.default_rng(84), 1, size=20_000)])
    assert "a few long documents outweigh all others" in long.check(halves=2).words


def test_few_words_in_each_row_of_the_table():
    """The table is there, so the text must not say that halves could not be tried."""
    rng = np.random.default_rng(2)
    found = tb.read([" ".join(rng.choice(list("abcdefgh"), 60)) for _ in range(30)]).check(halves=4)
    assert found.false_alarms.height > 0
    assert "No row of the table has 50 words" in found.words
    assert "too few documents" not in found.words


def test_dropping_duplicates(corpus):
    dropped = corpus.drop_duplicates()
    assert dropped.ids == [f"d{k}" for k in range(60)]
    assert dropped.dropped.rows()[0][:2] == ("d60", "d0")
    assert corpus.dropped is None
    assert "6 near-duplicates dropped" in repr(dropped)
    assert dropped.metadata.height == 60
    assert dropped.check(halves=2).duplicates.height == 0
    assert len(corpus.drop_duplicates(threshold=1)) == 66


def test_reading_without_duplicates(tmp_path):
    rng = np.random.default_rng(85)
    some = texts(rng, 12)
    path = tmp_path / "t.csv"
    pl.DataFrame({"id": [f"r{k}" for k in range(14)], "text": [*some, some[3], some[4] + " x"]}).write_csv(path)
    read = tb.read(path, id="id").drop_duplicates()
    assert read.dropped["duplicate_of"].to_list() == ["r3", "r4"]
    assert (len(read), len(read.texts)) == (12, 12)


def test_counts_can_be_checked(corpus):
    counts = tb.read(corpus.counts, terms=corpus.terms)
    found = counts.check(halves=2)
    assert found.duplicates.height >= 6
    assert np.isnan(found.repeated)
    assert len(counts.drop_duplicates()) <= 60


@pytest.mark.parametrize("options", [{"halves": 1}, {"threshold": 0.2}, {"seed": -1}, {"halves": 2.5}])
def test_bad_options(corpus, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        corpus.check(**options)


def test_measures_that_need_more_than_counts():
    corpus = tb.read(["so it goes on", "so so it is"])
    table = corpus.dispersion(["arf", "dp"])
    assert table.columns == ["term", "arf", "dp"]
    with pytest.raises(ValueError, match="made from counts"):
        tb.read([[1, 2], [3, 4]]).dispersion("arf")
    with pytest.raises(ValueError, match="single words"):
        tb.read(["so it goes on"], ngrams=(1, 2)).dispersion("arf")
    with pytest.raises(ValueError, match="a measure must be one of"):
        corpus.dispersion("dq")


def test_pieces_without_copies_are_checked():
    """No piece has to be read again then; that ended with an error of zip."""
    rng = np.random.default_rng(5)
    texts = [" ".join(map(str, rng.integers(100_000, 999_999, 120))) for _ in range(12)]
    assert tb.read(texts).split(tokens=40).check(halves=2).documents == 36
