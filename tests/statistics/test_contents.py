"""Digests of the texts: they do not depend on order or grouping, add up, and survive saving."""

import json
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termburst as tb
from termburst.digests import seal
from termburst.statistics import contents
from termburst.statistics.contents import Content, NewTexts, RunningContent, held, together, without

texts = st.lists(st.text(max_size=8), max_size=6)


@given(texts, texts, st.randoms())
def test_the_digest_is_a_sum_over_texts(first, second, random):
    both = [*first, *second]
    random.shuffle(both)
    assert Content.of(first) + Content.of(second) == Content.of(both)
    assert Content.of(both) - Content.of(second) == Content.of(first)


def test_other_texts_have_another_digest():
    distinct = [[], [""], ["", ""], ["a"], ["b"], ["ab"], ["a", "b"], [["a", "b"]], [["ab"]], [["a b"]], ["a b"], [[]]]
    assert len({Content.of(some).digest for some in distinct} | {"x"}) == len(distinct) + 1


def test_lone_surrogates_have_a_digest():
    assert Content.of(["\ud800"]) != Content.of(["?"])


def test_the_digest_of_the_first_texts():
    running = RunningContent()
    running.see(["a", "b"])
    running.see(["c"])
    assert running.value(1) == running.value(1) == Content.of(["a"])
    assert running.rest().value() == Content.of(["b", "c"])


def test_held_under_another_batch_id():
    known = (replace(Content.of(["a"]), batch="monday"), Content.of(["b"]))
    assert held(known, replace(Content.of(["a"]), batch="tuesday")) == known[0]
    assert held(known, Content.of(["a", "a"])) is None
    assert held((), Content.of([])) == Content()


def test_what_is_known_after_subtracting():
    a, b = Content.of(["a", "a2"]), Content.of(["b"])
    assert without((a, b), (b,)) == (a,)
    assert without((a,), (Content.of(["a2"]),)) == (Content.of(["a"]),)
    assert without((a, b), (Content.of(["a2"]),)) == (Content.of(["a"]), b)
    assert without((a, b), (Content.of(["a2", "b"]),)) == (Content.of(["a"]),)
    c = Content.of(["c", "c2"])
    assert without((a, b, c), (Content.of(["a2", "c2"]),)) == (Content.of(["a", "b", "c"]),)  # the digests are one sum
    assert without((a, a), (a,)) == (a,)  # counted twice with --again, subtracted once
    old = tuple(replace(one, hashes=b"") for one in (a, b))  # as of corpora that are too large
    assert without(old, (Content.of(["a2"]),)) == old  # it is not known which corpus had it


def test_statistics_keep_digests_when_saved_added_and_subtracted(tmp_path):
    a, b = (
        replace(tb.TermStatistics.from_texts(some), contents=(Content.of(some),))
        for some in (["so it goes"], ["it goes on", "so so"])
    )
    both = a + b
    assert set(both.contents) == {*a.contents, *b.contents}
    assert (both - b).contents == a.contents
    both.save(tmp_path / "s.parquet")
    assert tb.TermStatistics.load(tmp_path / "s.parquet").contents == both.contents
    assert both == replace(both, contents=())  # numbers are compared, not the texts that they come from


def test_statistics_of_texts_in_memory_have_no_digests(tmp_path):
    s = tb.TermStatistics.from_texts(["so it goes"])
    s.save(tmp_path / "s.parquet")
    assert tb.TermStatistics.load(tmp_path / "s.parquet").contents == ()


@pytest.mark.parametrize("digest", ["0" * 31, "0" * 33, "G" * 32, ""])
def test_a_wrong_digest_is_not_saved(tmp_path, digest):
    s = replace(tb.TermStatistics.from_texts(["so it goes"]), contents=(Content(1, digest),))
    with pytest.raises(ValueError, match="cannot be saved: each entry of the header field 'contents'"):
        s.save(tmp_path / "s.parquet")


def test_single_texts_are_known_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHES", 3)
    assert Content.of(["a", "b", "c"]).knows_each
    many = Content.of(["a", "b", "c", "d"])
    assert not many.knows_each
    assert NewTexts([many]).only(["a", "e"]) == ["a", "e"]
    first, second = (Content.of([name, f"{name}2"]) for name in "ab")
    kept = together((first,), (second,))
    assert kept == (first, second)
    assert [one.knows_each for one in kept] == [False, True]  # the last ones stay
    running = RunningContent()
    running.see("abcdef")
    assert [running.value(k).knows_each for k in (2, 3, 4, 6)] == [True, True, False, False]
    assert running.value() == Content.of("abcdef")


def test_texts_are_left_out_as_often_as_they_are_known():
    texts = NewTexts([Content.of(["a", "a"]), Content.of(["b"])])
    assert texts.only(["a", "b", "a"]) == []
    assert texts.held() == Content.of(["a", "a", "b"])
    assert texts.only(["a", "c"]) == ["a", "c"]
    assert (texts.repeated, texts.held(), texts.added()) == (3, None, Content.of(["a", "c"]))
    again = NewTexts([Content.of(["a"])], again=True)
    assert again.only(["a"]) == ["a"]
    assert again.held() is None


@pytest.mark.parametrize("texts", [["AAAA"], ["!"], [], ["AAAAAAAAAAA=", ""]])
def test_damaged_hashes_are_refused(tmp_path, texts):
    s = replace(tb.TermStatistics.from_texts(["so it goes"]), contents=(Content.of(["so it goes"]),))
    s.save(tmp_path / "s.parquet")
    frame, metadata = pl.read_parquet(tmp_path / "s.parquet"), pl.read_parquet_metadata(tmp_path / "s.parquet")
    header = json.loads(metadata["termburst"]) | {"texts": texts}
    frame.write_parquet(tmp_path / "bad.parquet", metadata={"termburst": json.dumps(header)})
    seal(tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as statistics: [^i]"):
        tb.TermStatistics.load(tmp_path / "bad.parquet")
