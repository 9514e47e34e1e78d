"""Repeated passages: against brute force."""

import numpy as np
import pytest

from termburst.inference.repeated_passages import RepeatedPairs, repeated_tokens
from termburst.models.urn_sequences import Sequences


def drawn(seed, terms=3):
    rng = np.random.default_rng(seed)
    documents = [rng.integers(0, terms, rng.integers(0, 12)) for _ in range(8)]
    ends = np.cumsum([one.size for one in documents]).astype(np.int64)
    return documents, Sequences(np.concatenate(documents).astype(np.int32), ends, terms)


def brute(documents, width):
    runs = [{tuple(one[s : s + width]) for s in range(one.size - width + 1)} for one in documents]
    covered = []
    for j, one in enumerate(documents):
        others = set().union(*(runs[i] for i in range(len(documents)) if i != j))
        mine = np.zeros(one.size, dtype=bool)
        for s in range(one.size - width + 1):
            if tuple(one[s : s + width]) in others:
                mine[s : s + width] = True
        covered.append(mine)
    return covered


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("width", [2, 4])
def test_tokens_and_pairs_equal_brute_force(seed, width):
    documents, sequences = drawn(seed)
    covered = brute(documents, width)
    np.testing.assert_array_equal(repeated_tokens(sequences, width), np.concatenate(covered))
    pairs = RepeatedPairs(sequences, width)
    for source, target in ((0, 1), (1, 0), (2, 1)):
        expected = 0
        for one, mine in zip(documents, covered, strict=True):
            expected += source in one[mine] and target in one[mine]
        assert pairs.documents(np.array([source]), np.array([target])).tolist() == [expected]


def test_nothing_is_repeated_in_short_or_no_documents():
    assert repeated_tokens(Sequences(np.zeros(0, np.int32), np.array([0, 0]), 1)).size == 0
    assert not repeated_tokens(Sequences(np.zeros(6, np.int32), np.array([3, 6]), 1)).any()
