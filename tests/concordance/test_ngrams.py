"""N-grams: counts and cohesion by hand."""

from collections import Counter

import numpy as np
import pytest

import termburst as tb


@pytest.mark.parametrize("size", [2, 3])
def test_counts_are_those_made_by_hand(size):
    rng = np.random.default_rng(size)
    documents = [rng.choice(list("abcdefgh"), rng.integers(0, 40)).tolist() for _ in range(30)]
    grams = [[tuple(one[k : k + size]) for k in range(len(one) - size + 1)] for one in documents]
    n, tokens = Counter(gram for one in grams for gram in one), Counter(token for one in documents for token in one)
    frame = tb.read(documents).ngrams(size)
    assert dict(frame.select("term", "n").rows()) == {" ".join(g): count for g, count in n.items() if count >= 2}
    everything, places = sum(tokens.values()), sum(map(len, grams))
    for term, count, inside, ratio in frame.select("term", "n", "documents", "log_ratio").rows():
        parts = term.split()
        assert inside == sum(tuple(parts) in one for one in grams)
        expected = places * np.prod([tokens[part] / everything for part in parts])
        assert ratio == pytest.approx(np.log2(count / expected))


def test_nothing_and_wrong_sizes():
    corpus = tb.read(["so", "it", ""])
    assert corpus.ngrams().height == 0
    for wrong in (1, 11, 2.5):
        with pytest.raises(ValueError, match="size must be"):
            corpus.ngrams(wrong)
