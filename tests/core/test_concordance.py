"""The compiled search finds what `re` finds, and cuts the same lines, in both libraries."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import concordance as twin

from termburst.concordance.queries import parsed
from termburst.core import concordance as core
from termburst.counting.character_class import character_class
from termburst.counting.tokenizer import joined

WORDS = character_class(r"\w+").wide
LETTERS = "sSſkKKiIıİ etTheé_1 \n\t\xa0\u3000\u2028'-.*東\U0001d400σςΣß"
QUERIES = ("the", "s", "k", "i", "é", "the s", "t?e", "the*", "σ", "'s", "s'", "-", "東", "e\u0301", "the * t", "1_")


def found_in(texts, query, *, width=5, room=3, **options):
    """The matches by the kernel, some at a time, as (document, start, stop) in bytes, places, and lines."""
    data, ends = joined(texts)
    searched, asked, at = core.searched(data, ends, WORDS), parsed(query, **options).compiled, 0
    matches, lines = [], []
    while at < data.size:
        found = core.find(searched, asked, at, room)
        at = found.next
        arrays = [found.arrays[name][: found.size].tolist() for name in ("document", "start", "stop", "place")]
        matches += list(zip(*arrays, strict=True))
        if found.size:
            text = core.lines(searched, found, width).tobytes().decode("utf-8", "surrogatepass")
            lines += [tuple(line.split("\t")) for line in text[:-1].split("\n")]
    return matches, lines


def check(texts, query, **options):
    pattern = parsed(query, **options).pattern
    expected = twin.find(texts, pattern)
    matches, lines = found_in(texts, query, **options)
    assert [(document, place) for document, _, _, place in matches] == [(d, start) for d, start, _ in expected]
    assert lines == [twin.line(texts[d], start, stop, 5) for d, start, stop in expected]


@pytest.mark.usefixtures("library")
def test_a_few_texts():
    for query in QUERIES:
        texts = ["", "The THE, theK ſ the_ the\n\n s's. -", "é É e\u0301 σς ΣΣ Σ 東 東京", "the", "the big t 1_ it"]
        check(texts, query)
        check(texts, query, ignore_case=False)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(LETTERS, max_size=30), min_size=1, max_size=3), st.sampled_from(QUERIES))
def test_any_texts(texts, query):
    check(texts, query)


def test_a_half_of_a_surrogate_pair_is_a_character_like_others():
    matches, lines = found_in(["\ud800 the \udc00"], "the")
    assert [place for *_, place in matches] == [2]
    assert lines == [("\ud800 ", "the", " \udc00")]


def test_a_word_matches_as_the_plain_expression_does():
    for word in ("free", "C++", "don't", "3.5", "(x)"):
        assert parsed(word).pattern.pattern == rf"(?<!\w){re.escape(word)}(?!\w)"


def test_wrong_arrays_are_refused():
    data, ends = joined(["so", "it"])
    asked = parsed("so").compiled
    for wrong in ([3, 2], [2, 9], [-1, 4]):
        with pytest.raises(ValueError, match="out of range"):
            core.find(core.searched(data, np.array(wrong), WORDS), asked, 0, 4)
    with pytest.raises(ValueError, match="out of range"):
        core.find(core.searched(data, ends, WORDS), asked, 9, 4)
    found = core.find(core.searched(data, ends, WORDS), asked, 0, 4)
    found.arrays["stop"][0] = 3
    with pytest.raises(ValueError, match="out of range"):
        core.lines(core.searched(data, ends, WORDS), found, 4)
    with pytest.raises(ValueError, match="must be a letter"):
        core.query([(core.ANY, ())])


def test_no_word_table_means_no_word_characters():
    data, ends = joined(["xsox"])
    searched = core.searched(data, ends, np.empty(0, dtype=np.uint8))
    assert core.find(searched, parsed("so").compiled, 0, 4).size == 1
