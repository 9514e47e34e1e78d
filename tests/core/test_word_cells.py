"""The cells of words equal their twin, in both libraries; broken input is an error."""

import numpy as np
import pytest
from twins import word_cells as twin

from termburst.core.word_cells import placed_words, word_cells, word_documents


def some_documents(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 30, 20)
    tokens = np.minimum(rng.geometric(0.15, sizes.sum()) - 1, 24).astype(np.int32)
    return tokens, rng.random(tokens.size) < 0.7, np.cumsum(sizes), 25


@pytest.mark.parametrize("seed", range(3))
def test_cells_equal_the_twin(seed, on_both):
    given = some_documents(seed)
    expected = twin.word_cells(*given)
    left_out = np.arange(25) % 5 == 1

    def run():
        placed = placed_words(*given)
        documents = word_documents(placed)
        return documents, *word_cells(placed, np.where(left_out, 0, documents))

    baseline, avx2 = on_both(run)
    for one, other in zip(baseline, avx2, strict=True):
        np.testing.assert_array_equal(one, other)
    documents, starts, document, count = baseline
    assert documents.tolist() == [len(cells) for cells in expected]
    for word, cells in enumerate(expected):
        of = slice(starts[word], starts[word + 1])
        found = list(zip(document[of].tolist(), count[of].tolist(), strict=True))
        assert found == ([] if left_out[word] else cells)


def test_no_documents():
    placed = placed_words(np.empty(0, np.int32), np.empty(0, bool), np.empty(0, np.int64), 2)
    assert word_documents(placed).tolist() == [0, 0]
    assert [part.tolist() for part in word_cells(placed, np.zeros(2, np.int64))] == [[0, 0, 0], [], []]


@pytest.mark.parametrize(
    ("tokens", "ends"),
    [([0, 2], [2]), ([0, -1], [2]), ([0, 1], [3]), ([0, 1], [2, 1]), ([0, 1], [-1])],
)
def test_broken_input_is_an_error(tokens, ends):
    placed = placed_words(np.array(tokens, np.int32), np.ones(2, bool), np.array(ends), 2)
    with pytest.raises(ValueError, match="out of range"):
        word_documents(placed)
    with pytest.raises(ValueError, match="out of range"):
        word_cells(placed, np.ones(2, np.int64))


def test_too_few_cells_are_an_error():
    placed = placed_words(np.zeros(2, np.int32), np.ones(2, bool), np.array([1, 2]), 1)
    with pytest.raises(RuntimeError, match="too small"):
        word_cells(placed, np.ones(1, np.int64))
    with pytest.raises(ValueError, match="one entry per place"):
        placed_words(np.zeros(2, np.int32), np.ones(1, bool), np.array([2]), 1)
