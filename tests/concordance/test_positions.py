"""Tokens as numbers: the same words and counts as `CountingOptions.count`, compiled or not."""

import numpy as np

from termburst.concordance import positions
from termburst.concordance.positions import Numbering, TokenPositions, sentences_of
from termburst.counting.options import CountingOptions

TEXTS = ["So it goes. And so on!", "", "DON’T naïve café, 3,5 _x_", "it " * 3000, "自由 İstanbul"]
OPTIONS = [
    CountingOptions(words="sklearn"),
    CountingOptions(),
    CountingOptions(lowercase=False),
    CountingOptions(language="fr"),
    CountingOptions(token_pattern=r"\w+(?:-\w+)*"),
    CountingOptions(pretokenized=True),
]


def test_tokens_are_those_that_are_counted():
    for counting in OPTIONS:
        found = TokenPositions.of(TEXTS, counting)
        words = [[found.words[k] for k in part] for part in np.split(found.chunk.tokens, found.chunk.ends)[:-1]]
        assert words == [[token for token, _, _ in counting.placed_tokens(text)[1]] for text in TEXTS]
        assert found.words == sorted(found.words)


def test_stop_words_have_their_places():
    found = TokenPositions.of(["so it goes"], CountingOptions(stop_words=["it"]))
    assert [found.words[k] for k in found.chunk.tokens] == ["so", "it", "goes"]


def test_many_new_words_make_the_tables_grow():
    texts = [
        " ".join(f"word{k}" * (1 + k % 5) for k in range(first, first + 3000)) for first in range(0, 300_000, 3000)
    ]
    numbering = Numbering(CountingOptions())
    chunk = numbering.chunk(texts)
    assert chunk.tokens.tolist() == list(range(300_000))
    assert numbering.words(299_999) == ["word299999" * 5]
    assert numbering.words(300_000) == []


def test_chunks_are_joined(monkeypatch):
    whole = TokenPositions.of(TEXTS, CountingOptions(), sentences=True)
    monkeypatch.setattr(positions, "in_chunks", lambda texts: ([text] for text in texts))
    parts = TokenPositions.of(TEXTS, CountingOptions(), sentences=True)
    for name in ("tokens", "ends", "sentences"):
        np.testing.assert_array_equal(getattr(whole.chunk, name), getattr(parts.chunk, name))


def test_sentences_end_at_marks_and_empty_lines():
    assert sentences_of("One. Two? \"Three!\" four\n\nFive 3.5 e.g. six") == [
        "One. ", "Two? ", '"Three!" four\n\n', "Five 3.5 e.g. six",
    ]  # fmt: skip
    assert sentences_of("") == [""]
    assert sentences_of("Done. ") == ["Done. "]
    assert sentences_of("这是。那是") == ["这是。", "那是"]
    assert sentences_of([]) == [[]]
    assert sentences_of(["a", ".", "b", "!"]) == [["a", "."], ["b", "!"]]
    chunk = Numbering(CountingOptions(), sentences=True).chunk(["One two. Three.", "", "Four"])
    assert chunk.sentences.tolist() == [2, 3, 3, 4]
    assert chunk.ends.tolist() == [3, 3, 4]
