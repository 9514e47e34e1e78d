"""Hashes of the texts: they do not depend on order or grouping, and survive adding, subtracting and saving."""

import base64
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termburst as tb
from termburst.digests import seal
from termburst.statistics import contents
from termburst.statistics.contents import NewTexts, hash_of, known_hashes, shared, together, without

texts = st.lists(st.text(max_size=2), max_size=6)


def hashes_of(texts):
    return known_hashes(map(hash_of, texts))


@given(texts, texts, st.randoms())
def test_hashes_are_those_of_a_multiset(first, second, random):
    both = [*first, *second]
    random.shuffle(both)
    assert together(hashes_of(first), hashes_of(second)).tolist() == hashes_of(both).tolist()
    assert without(hashes_of(both), hashes_of(second)).tolist() == hashes_of(first).tolist()
    left = list(first)
    number = 0
    for text in second:
        if text in left:
            left.remove(text)
            number += 1
    assert shared(hashes_of(first), hashes_of(second)) == number


def test_other_texts_have_another_hash():
    distinct = ["", "a", "b", "ab", "a b", ["a", "b"], ["ab"], ["a b"], [], "\ud800", "?"]
    assert len(set(map(hash_of, distinct))) == len(distinct)


def counted(some):
    return replace(tb.TermStatistics.from_texts(some), texts=hashes_of(some))


def test_statistics_keep_hashes_when_saved_added_and_subtracted(tmp_path):
    a, b = counted(["so it goes"]), counted(["it goes on", "so so"])
    both = a + b
    assert both.texts.tolist() == hashes_of(["so it goes", "it goes on", "so so"]).tolist()
    assert (both - b).texts.tolist() == a.texts.tolist()
    both.save(tmp_path / "s.parquet")
    assert np.array_equal(tb.TermStatistics.load(tmp_path / "s.parquet").texts, both.texts)
    assert both == replace(both, texts=a.texts)  # numbers are compared, not the texts that they come from


def test_what_is_not_known_does_not_seem_to_be_there(tmp_path):
    s = tb.TermStatistics.from_texts(["so it goes"])
    s.save(tmp_path / "s.parquet")
    assert tb.TermStatistics.load(tmp_path / "s.parquet").texts.size == 0
    both = counted(["so it goes"]) + counted(["on"])
    assert (both - s).texts.size == 0
    assert (both + s).texts.size == 2


def test_texts_are_known_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHES", 3)
    assert hashes_of(["a", "b", "c"]).size == 3
    assert hashes_of(["a", "b", "c", "d"]).size == 0
    assert together(hashes_of(["a", "b"]), hashes_of(["c", "d"])).size == 0


def test_texts_are_left_out_as_often_as_they_are_known():
    texts = NewTexts(hashes_of(["a", "a", "b"]))
    assert texts.only(["a", "b", "a"]) == []
    assert (texts.read, texts.repeated) == (3, 3)
    assert texts.only(["a", "c"]) == ["a", "c"]
    assert (texts.read, texts.repeated, list(texts.added)) == (5, 3, [hash_of("a"), hash_of("c")])
    again = NewTexts(hashes_of(["a"]), again=True)
    assert again.only(["a"]) == ["a"]
    assert again.repeated == 0


@pytest.mark.parametrize("texts", ["AAAA", "!", 3, ["AAAAAAAAAAA="], base64.b64encode(bytes(16)).decode()])
def test_damaged_hashes_are_refused(tmp_path, texts):
    counted(["so it goes"]).save(tmp_path / "s.parquet")
    frame, metadata = pl.read_parquet(tmp_path / "s.parquet"), pl.read_parquet_metadata(tmp_path / "s.parquet")
    header = json.loads(metadata["termburst"]) | {"texts": texts}
    header["digest"] = header.pop("digest")
    frame.write_parquet(tmp_path / "bad.parquet", metadata={"termburst": json.dumps(header)})
    seal(tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as statistics: [^i]"):
        tb.TermStatistics.load(tmp_path / "bad.parquet")
