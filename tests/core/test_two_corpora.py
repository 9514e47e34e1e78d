"""The tests of Fisher, Welch, and Mann and Whitney equal their twins; bad arrays are errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import two_corpora as twin

from termburst.core import two_corpora as core
from termburst.core.cells import cells as core_cells


def random_cells(seed, terms=20, groups=2, longest=12, most=40, weighted=True):
    """Few distinct counts and lengths, so that relative frequencies tie."""
    rng = np.random.default_rng(seed)
    held = rng.integers(0, most, (groups, terms)) * (rng.random((groups, terms)) < 0.8)
    ends = held.ravel().cumsum()
    indptr = np.column_stack([np.concatenate([[0], ends[terms - 1 : -1 : terms]]), ends.reshape(groups, terms)])
    length = rng.integers(1, longest + 1, ends[-1]).astype(np.int32)
    count = rng.integers(1, length + 1).astype(np.int32)
    weight = rng.integers(1, 5, ends[-1]).astype(float) if weighted else np.ones(1)
    return indptr.astype(np.int64), count, length, weight


def fisher(tables):
    x, y, n_a, n_b = tables
    p = np.empty(x.size)
    core.fisher(x, y, n_a, n_b, 0, x.size // 2, p)
    core.fisher(x, y, n_a, n_b, x.size // 2, x.size, p)
    return p


def tables(seed, size, n_a, n_b):
    rng = np.random.default_rng(seed)
    shares = rng.beta(0.3, 3, size)
    x, y = rng.binomial(n_a, shares), rng.binomial(n_b, np.clip(shares * rng.choice([1, 1, 1.2, 0], size), 0, 1))
    return x.astype(float), y.astype(float), float(n_a), float(n_b)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("n_a", "n_b"), [(5, 7), (40, 40), (1, 300), (2_000, 900), (50_000, 70_000)])
def test_fisher_equals_its_twin(n_a, n_b):
    for seed in range(5):
        problem = tables(seed, 25, n_a, n_b)
        expected = np.empty(25)
        twin.fisher(0, 25, *problem, expected)
        np.testing.assert_allclose(fisher(problem), expected, rtol=1e-12)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("weighted", [True, False])
def test_relative_moments_equal_their_twin(weighted):
    for seed in range(5):
        indptr, count, length, weight = random_cells(seed, groups=1, weighted=weighted)
        for documents in (100.0, 400.0):
            mean, squares, expected = np.empty(20), np.empty(20), np.empty((20, 2))
            core.relative_moments(core_cells(indptr[0], count, length, weight), documents, 0, 20, mean, squares)
            twin.relative_moments(0, 20, indptr[0], count, length, weight, documents, expected)
            np.testing.assert_array_equal(np.column_stack([mean, squares]), expected)


def test_the_sum_of_squares_is_exactly_0_if_all_documents_are_equal():
    cells = core_cells(np.array([0, 3, 3]), np.array([1, 2, 3], np.int32), np.array([3, 6, 9], np.int32), np.ones(1))
    mean, squares = np.empty(2), np.empty(2)
    core.relative_moments(cells, 3.0, 0, 2, mean, squares)
    assert mean.tolist() == [1 / 3, 0.0]
    assert squares.tolist() == [0.0, 0.0]


def ranked(indptr, count, length, weight, documents=(200.0, 300.0)):
    terms = indptr.shape[1] - 1
    u, ties = np.empty(terms), np.empty(terms)
    most = int(np.diff(indptr).sum(axis=0).max(initial=0))
    core.mann_whitney(core_cells(indptr, count, length, weight), *documents, 0, terms, most, u, ties)
    return np.column_stack([u, ties])


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("longest", "most"), [(2, 5), (5, 40), (1000, 40), (1000, 300)])
def test_mann_whitney_equals_its_twin(longest, most):
    for seed in range(3):
        problem = random_cells(seed, longest=longest, most=most)
        expected = np.empty((20, 2))
        twin.mann_whitney(0, 20, *problem, 200.0, 300.0, expected)
        np.testing.assert_array_equal(ranked(*problem), expected)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9), st.booleans()), max_size=70))
def test_ranks_of_any_documents(documents):
    """U is the number of pairs that the first corpus wins; ties count half."""
    cells = [(count, count + more, in_a) for count, more, in_a in documents]
    a, b = ([cell[:2] for cell in cells if cell[2] == which] for which in (True, False))
    indptr = np.array([[0, len(a)], [len(a), len(cells)]])
    count, length = (np.array([cell[k] for cell in a + b], np.int32) for k in range(2))
    share_a, share_b = (
        np.array([c / n for c, n in part] + [0.0]) for part in (a, b)
    )  # one document without the term in each
    wins = (share_a[:, None] > share_b) + (share_a[:, None] == share_b) / 2
    _, tied = np.unique(np.concatenate([share_a, share_b]), return_counts=True)
    found = ranked(indptr, count, length, np.ones(1), (len(a) + 1.0, len(b) + 1.0))
    assert found.tolist() == [[wins.sum(), (tied**3 - tied).sum()]]


def test_both_libraries_agree_to_the_last_bit(on_both):
    def found():
        problem = random_cells(7, longest=1000, most=100)
        mean, squares = np.empty(20), np.empty(20)
        core.relative_moments(core_cells(problem[0][0].copy(), *problem[1:]), 500.0, 0, 20, mean, squares)
        return [fisher(tables(3, 200, 60_000, 9_000)), ranked(*problem), mean, squares]

    for one, other in zip(*on_both(found), strict=True):
        assert np.array_equal(one, other)


def test_tails_of_very_many_tokens_do_not_hang():
    n = 2.0**50
    p = fisher((np.array([n / 4, n / 4, 5.0, n, 0.0]), np.array([n / 4 + 1e9, n / 4 + 3e7, 7.0, 0.0, 0.0]), n, n))
    assert ((p >= 0) & (p <= 1)).all()
    assert p[2] == pytest.approx(0.774414, abs=1e-6)
    assert p[4] == 1
    with pytest.raises(ValueError, match="2⁵³"):
        fisher((np.array([1e16]), np.array([1.0]), 2e16, 1.0))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -3.0, 0.5, 1e18])
def test_fisher_of_impossible_numbers_does_not_hang(bad):
    for x, y in ((bad, 3.0), (3.0, bad), (bad, bad)):
        assert fisher((np.array([x]), np.array([y]), 10.0, 20.0)).shape == (1,)
    assert fisher((np.array([5.0]), np.array([1.0]), -10.0, 20.0)).shape == (1,)


def test_invalid_weights_are_harmless():
    for bad in (np.nan, np.inf, -1.0, 0.0):
        indptr, count, length, weight = random_cells(2)
        weight[::3] = bad
        assert ranked(indptr, count, length, weight).shape == (20, 2)


def test_shapes_that_do_not_match_are_errors():
    indptr, count, length, weight = random_cells(2)
    cells, x, y = core_cells(indptr, count, length, weight), np.zeros(20), np.zeros(20)
    one = core_cells(indptr[0].copy(), count, length, weight)
    for bad in (
        lambda: core.fisher(x, y[:-1], 1.0, 1.0, 0, 20, x),
        lambda: core.fisher(x, y, 1.0, 1.0, 0, 21, x),
        lambda: core.fisher(x, y, 1.0, 1.0, -1, 20, x),
        lambda: core.relative_moments(one, 1.0, 0, 21, x, y),
        lambda: core.relative_moments(one, 1.0, 0, 20, x[:-1], y),
        lambda: core.mann_whitney(one, 1.0, 1.0, 0, 20, 500, x, y),
        lambda: core.mann_whitney(cells, 1.0, 1.0, 0, 21, 500, x, y),
        lambda: core.mann_whitney(cells, 1.0, 1.0, 0, 20, 500, x, y[:-1]),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            bad()
    with pytest.raises(RuntimeError, match="too small"):
        core.mann_whitney(cells, 1.0, 1.0, 0, 20, 1, x, y)
