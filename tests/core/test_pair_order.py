"""The kernel of pair_order.c refuses what is out of range; tests/inference/test_word_pairs.py checks its counts."""

import numpy as np
import pytest

from termburst.core import pair_order
from termburst.core.binding import struct

TOKENS, ENDS = np.array([0, 1, 1, 0], np.int32), np.array([2, 2, 4])


def count(pairs, span=None, places=None):
    one, other = (np.array(part, np.int32) for part in pairs)
    later, earlier = np.zeros(one.size, np.int64), np.zeros(one.size, np.int64)
    places = pair_order.term_places(TOKENS, ENDS, 3) if places is None else places
    pair_order.count_orders(places, (one, other), span or (0, one.size), later, earlier)
    return later.tolist(), earlier.tolist()


def test_each_document_counts_once_for_a_pair():
    assert count(([0, 1, 0], [1, 0, 2])) == ([1, 1, 0], [1, 1, 0])


@pytest.mark.parametrize("pairs", [([3], [0]), ([0], [3]), ([-1], [0])])
def test_words_out_of_range_are_refused(pairs):
    with pytest.raises(ValueError, match="out of range"):
        count(pairs)


def test_wrong_places_are_refused():
    with pytest.raises(ValueError, match="all tokens"):
        pair_order.term_places(TOKENS, np.array([2, 3]), 3)
    with pytest.raises(ValueError, match="out of range"):
        count(([0], [1]), span=(0, 2))
    for name, bad in (("places", [9, 9, 9, 9]), ("term_of", [0, 9, 9, 9]), ("document_of", [7, 7, 7, 7])):
        arrays = {
            "places": np.array([0, 3, 1, 2]), "term_of": np.array([0, 2, 4, 4]),
            "document_of": np.array([0, 0, 2, 2], np.int32),
        }  # fmt: skip
        arrays[name] = np.array(bad, arrays[name].dtype)
        wrong = struct("TermPlaces", **arrays, term_count=3, ends=ENDS)
        with pytest.raises(ValueError, match="out of range"):
            count(([0], [1]), places=wrong)
