"""Digests of the texts: they do not depend on order or grouping, add up, and survive saving."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import termburst as tb
from termburst.statistics.contents import Content, RunningContent, held, without

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
    running = RunningContent(Content.of(["before"]))
    running.see(["a", "b"])
    running.see(["c"])
    assert running.value(2) == Content.of(["before", "a"])
    assert running.value(2) == Content.of(["before", "a"])
    assert running.value() == Content.of(["before", "a", "b", "c"])


def test_held_under_another_batch_id():
    known = (replace(Content.of(["a"]), batch="monday"), Content.of(["b"]))
    assert held(known, replace(Content.of(["a"]), batch="tuesday")) == known[0]
    assert held(known, Content.of(["a", "a"])) is None
    assert held((), Content.of([])) == Content()


def test_what_is_known_after_subtracting():
    a, b = Content.of(["a", "a2"]), Content.of(["b"])
    assert without((a, b), (b,)) == (a,)
    assert without((a,), (Content.of(["a2"]),)) == (Content.of(["a"]),)
    assert without((a, b), (Content.of(["a2"]),)) == (Content.of(["a", "b"]),)
    old = tuple(replace(one, hashes=b"") for one in (a, b))  # of older versions
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


def test_older_files_have_no_digests(tmp_path):
    s = tb.TermStatistics.from_texts(["so it goes"])
    s.save(tmp_path / "s.parquet")
    assert tb.TermStatistics.load(tmp_path / "s.parquet").contents == ()


@pytest.mark.parametrize("digest", ["0" * 31, "0" * 33, "G" * 32, ""])
def test_a_wrong_digest_is_not_saved(tmp_path, digest):
    s = replace(tb.TermStatistics.from_texts(["so it goes"]), contents=(Content(1, digest),))
    with pytest.raises(ValueError, match="cannot be saved: each entry of the header field 'contents'"):
        s.save(tmp_path / "s.parquet")
