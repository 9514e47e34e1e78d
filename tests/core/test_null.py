"""Null distributions against their twins in plain Python, the same bits in both libraries."""

import numpy as np
import pytest
from twins import null as twin

from termburst.core import null as core
from termburst.inference import null_tails
from termburst.inference.null_distribution import Lengths
from termburst.models.cells import term_cells
from termburst.models.length_table import LengthTable

X = np.random.default_rng(0).integers(0, 9, (40, 3))


def ready():
    cells = term_cells(X)
    return Lengths.of(cells), LengthTable.of(cells.lengths, cells.length_documents)


def quietly(function, *arguments):
    with np.errstate(over="ignore"):  # numbers of 64 bits wrap around, which Numpy mentions
        return function(*arguments)


def test_draws_are_those_of_the_twin(on_both):
    lengths, _ = ready()
    checkpoints, draws = np.array([1, 4, 30, 90]), 7
    shape = (checkpoints.size, draws)
    expected = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape)
    other = lengths.other.astype(float)
    quietly(
        twin.simulate, np.uint64(2**63 + 11), 2, draws, checkpoints, lengths.each, lengths.accept, other, *expected
    )  # fmt: skip

    def found():
        out = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape)
        core.simulate(lengths.for_kernels(), 2**63 + 11, 2, draws, checkpoints, *out)
        return out

    for baseline, avx2, of_twin in zip(*on_both(found), expected, strict=True):
        np.testing.assert_array_equal(baseline, avx2)
        np.testing.assert_array_equal(baseline, of_twin)


@pytest.mark.parametrize("tokens", [2, 12])
def test_ratios_of_draws_are_those_of_the_twin(tokens, on_both):
    lengths, table = ready()
    expected = np.zeros(6)
    quietly(
        twin.simulate_ratio, np.uint64(5), 0, 6, tokens, lengths.each, lengths.accept, lengths.other.astype(float),
        table.longest, table.pairs, table.coefficients, 1.5, expected,
    )  # fmt: skip

    def found():
        out = np.zeros(6)
        core.simulate_ratio(lengths.for_kernels(), table.for_kernels(), 5, 0, 6, tokens, 1.5, out)
        return out

    baseline, avx2 = on_both(found)
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-10, atol=1e-10)


def test_masses_of_partitions_are_those_of_the_twin(on_both):
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


def tail(v, classes=3):
    """Tilts, E b, n_i, odds, lengths and weights of classes, a grid of b and g on it."""
    length, weight = np.array([4.0, 30.5, 250.0, 999.0, 20.0])[:classes], np.array([9.0, 5.0, 2.0, 1.0, 3.0])[:classes]
    grid = np.linspace(1, weight.sum(), 33)
    odds = v / (weight @ length - v)
    start = float(weight @ -np.expm1(-length * np.log1p(odds)))
    return null_tails.CURVE, start, float(v), odds, length, weight, grid, -2.0 * grid


def curves(tails):
    """The kernel's, of several tails over the same classes."""
    tilts, start, n_i, odds, length, weight, grid, base = zip(*tails, strict=True)
    columns = (np.array(column) for column in (n_i, odds, start, grid, base))
    task = core.tail_task(*columns, tilts[0], length[0], weight[0], *null_tails._steps())
    return np.stack(core.tail_curves(task), axis=1)


@pytest.mark.parametrize(("v", "classes"), [((6,), 1), ((40, 6, 3), 3), ((300,), 4), ((300, 70), 5)])
def test_tails_are_those_of_the_twin_to_the_last_bit(v, classes, on_both):
    """A few tails hang on the last digits of the sums, so that the same p-values need the same sums."""
    tails = [tail(n_i, classes) for n_i in v]
    baseline, avx2 = on_both(lambda: curves(tails))
    np.testing.assert_array_equal(baseline, avx2)
    for found, arguments in zip(baseline, tails, strict=True):
        expected = np.empty((2, null_tails.CURVE.size))
        twin.tail_curve(*arguments, *null_tails._steps(), *expected)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_chances_of_one_document_are_those_of_the_twin(on_both):
    excess, length, weight = np.array([0.0, 3.0, 500.0, 1e9]), np.array([5.0, 80.0, 700.0]), np.array([9.0, 4.0, 1.0])
    rate, expected = 0.02 * length, np.empty(4)
    twin.log_one_document(excess, 0.02, rate, weight, length, expected)
    baseline, avx2 = on_both(lambda: core.log_one_document(excess, 0.02, rate, weight, length))
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-12)


def test_more_tokens_than_there_are_cannot_be_drawn():
    lengths, table = ready()
    tokens = int(lengths.tokens)
    out = np.zeros((1, 1), np.int32), np.zeros((1, 1)), np.zeros((1, 1))
    core.simulate(lengths.for_kernels(), 1, 0, 1, np.array([tokens]), *out)
    assert out[0][0, 0] == lengths.each.size
    with pytest.raises(ValueError, match="out of range"):
        core.simulate(lengths.for_kernels(), 1, 0, 1, np.array([tokens + 1]), *out)
    with pytest.raises(ValueError, match="checkpoints rise"):
        core.simulate(lengths.for_kernels(), 1, 0, 1, np.array([0]), *out)
    with pytest.raises(ValueError, match="out of range"):
        core.simulate_ratio(lengths.for_kernels(), table.for_kernels(), 1, 0, 1, tokens + 1, 1.5, np.zeros(1))
    aliases = lengths.other.copy()
    aliases[0] = aliases.size
    with pytest.raises(ValueError, match="out of range"):
        core.simulate(core.documents(lengths.each, lengths.accept, aliases), 1, 0, 1, np.array([1]), *out)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, 0.0])
def test_strange_tails_end(bad):
    task = list(tail(40))
    task[3] = bad
    curves([task])
