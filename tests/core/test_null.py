"""Null distributions equal their twins in plain Python, with the same bits in both libraries."""

import numpy as np
import pytest
from twins import null as twin

from termburst.core import null as core
from termburst.inference.null_lengths import Lengths
from termburst.models.cells import term_cells
from termburst.models.length_table import LengthTable

X = np.random.default_rng(0).integers(0, 9, (40, 3))


def ready():
    cells = term_cells(X)
    return Lengths.of(cells), LengthTable.of(cells.lengths, cells.length_documents)


def quietly(function, *arguments):
    with np.errstate(over="ignore"):  # 64-bit numbers wrap around, and NumPy would warn
        return function(*arguments)


def test_draws_equal_the_twin(on_both):
    lengths, _ = ready()
    checkpoints, draws = np.array([1, 4, 30, 90]), 7
    shape = (checkpoints.size, draws)
    expected = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape)
    other = lengths.other.astype(float)
    quietly(
        twin.simulate, np.uint64(2**63 + 11), 2, draws, checkpoints, lengths.length, lengths.accept, other, *expected
    )  # fmt: skip

    def found():
        out = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape)
        core.simulate(lengths.for_kernels(), 2**63 + 11, 2, draws, checkpoints, *out)
        return out

    for baseline, avx2, of_twin in zip(*on_both(found), expected, strict=True):
        np.testing.assert_array_equal(baseline, avx2)
        np.testing.assert_array_equal(baseline, of_twin)


def test_draws_by_length_are_the_same_in_both_libraries(on_both, monkeypatch):
    monkeypatch.setattr("termburst.inference.null_lengths.SEPARATE", 0)
    lengths, table = ready()
    assert lengths.length.size < lengths.documents
    shape = (3, 9)

    def found():
        out = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape)
        core.simulate(lengths.for_kernels(), 7, 0, 9, np.array([1, 30, int(lengths.tokens)]), *out)
        ratio = np.zeros(5)
        core.simulate_ratio(lengths.for_kernels(), table.for_kernels(), 7, 0, 5, 20, 1.5, ratio)
        return *out, ratio

    baseline, avx2 = on_both(found)
    for one, other in zip(baseline, avx2, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (baseline[0][2] == lengths.documents).all()  # all tokens were drawn, so all documents were


@pytest.mark.parametrize(("tokens", "draws"), [(2, 6), (3, 1), (12, 6), (90, 5)])
def test_ratios_of_draws_equal_the_twin(tokens, draws, on_both):
    lengths, table = ready()
    expected = np.zeros(draws)
    quietly(
        twin.simulate_ratio, np.uint64(5), 0, draws, tokens, lengths.length, lengths.accept,
        lengths.other.astype(float), table.longest, table.pairs, table.coefficients, 1.5, expected,
    )  # fmt: skip

    def found():
        out = np.zeros(draws)
        core.simulate_ratio(lengths.for_kernels(), table.for_kernels(), 5, 0, draws, tokens, 1.5, out)
        return out

    baseline, avx2 = on_both(found)
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-10, atol=1e-10)


def test_masses_of_partitions_equal_the_twin(on_both):
    sizes = np.array([0, 1, 2, 2, 3, 3, 3])  # () (1) (2) (1,1) (3) (2,1) (1,1,1)
    onward = np.array([[-1, 1, 2, 4], [-1, 3, 5, -1], [-1, 5, -1, -1], [-1, 6, -1, -1], *[[-1] * 4] * 3])
    choose, each, lengths = np.array([[1, 1, 0, 0], [1, 3, 3, 1.0]]), np.array([2, 3]), np.array([1, 3])
    expected = np.empty(7)
    twin.partition_masses(lengths, each, choose, onward, sizes, expected)
    baseline, avx2 = on_both(lambda: core.partition_masses(each, choose, onward, sizes))
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-14)
    with pytest.raises(ValueError, match="an index is out of range"):
        core.partition_masses(each, choose, onward + 9, sizes)


def test_values_of_draws_equal_the_twin(on_both):
    lengths, _ = ready()
    rng = np.random.default_rng(2)
    checkpoints, sampled, draws = np.array([2, 5, 9, 40]), 1, 23
    b = rng.integers(3, 8, (4, draws)).astype(np.int32)
    repetition, scatter = rng.gamma(2, 9, (2, 4, draws))
    least, start = np.array([3, 1, 3, 0]), np.array([0, 0, 9, 20, 29])
    g = rng.normal(size=29)

    def found():
        mine = b, repetition.copy(), scatter.copy()
        task = core.null_values(*mine, checkpoints, sampled, g, least, start, lengths.tokens, lengths.squared)
        core.make_values(task, 0, 2)
        core.make_values(task, 2, 4)
        return *mine[1:], *(task.arrays[name].view(np.float64).reshape(4, 3) for name in ("plr", "score"))

    expected = twin.null_values(
        b, repetition, scatter, checkpoints, sampled, g, least, start, lengths.tokens, lengths.squared
    )
    for baseline, avx2, of_twin in zip(*on_both(found), expected, strict=True):
        np.testing.assert_array_equal(baseline, avx2)
        np.testing.assert_allclose(baseline, of_twin, rtol=1e-13)
    task = core.null_values(
        b + 9, repetition, scatter, checkpoints, sampled, g, least, start, lengths.tokens, lengths.squared
    )
    with pytest.raises(ValueError, match="out of range"):
        core.make_values(task, 0, 4)


def test_more_tokens_than_the_collection_has_cannot_be_drawn():
    lengths, table = ready()
    tokens = int(lengths.tokens)
    out = np.zeros((1, 1), np.int32), np.zeros((1, 1)), np.zeros((1, 1))
    core.simulate(lengths.for_kernels(), 1, 0, 1, np.array([tokens]), *out)
    assert out[0][0, 0] == lengths.documents
    with pytest.raises(ValueError, match="out of range"):
        core.simulate(lengths.for_kernels(), 1, 0, 1, np.array([tokens + 1]), *out)
    with pytest.raises(ValueError, match="checkpoints must increase"):
        core.simulate(lengths.for_kernels(), 1, 0, 1, np.array([0]), *out)
    with pytest.raises(ValueError, match="out of range"):
        core.simulate_ratio(lengths.for_kernels(), table.for_kernels(), 1, 0, 1, tokens + 1, 1.5, np.zeros(1))
    aliases = lengths.other.copy()
    aliases[0] = aliases.size
    with pytest.raises(ValueError, match="the alias of a document must be a document"):
        core.documents(lengths.length, lengths.each, lengths.accept, aliases)
