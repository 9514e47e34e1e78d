"""The cells of a collection by term, and of several collections joined: as if their matrices were stacked."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from termburst import TermStatistics, fit_beta_binomial
from termburst.models import cells as module
from termburst.models.cells import TermCells, joined, merged, term_cells

COUNTS = st.integers(1, 4).flatmap(
    lambda m: st.lists(
        arrays(np.int64, st.tuples(st.integers(1, 6), st.just(m)), elements=st.integers(0, 3)), min_size=1, max_size=4
    )
)


def expanded(cells):
    """The cells of each term as a sorted list of (count, length), each as often as it has documents."""
    weight = np.broadcast_to(cells.weight, cells.count.shape)
    found = []
    for first, last in zip(cells.indptr[:-1], cells.indptr[1:], strict=True):
        part = zip(cells.count[first:last], cells.length[first:last], weight[first:last], strict=True)
        found.append(sorted((int(c), int(n)) for c, n, times in part for _ in range(int(times))))
    return found


def lengths_of(cells):
    assert (np.diff(cells.lengths) > 0).all()
    return dict(zip(cells.lengths.tolist(), cells.length_documents.tolist(), strict=True))


def same(left, right):
    assert expanded(left) == expanded(right)
    assert lengths_of(left) == lengths_of(right)
    np.testing.assert_array_equal(left.n_i, right.n_i)
    np.testing.assert_array_equal(left.b_i, right.b_i)
    assert left.tokens == right.tokens
    assert left.mean_length == right.mean_length


def patterns(X):
    return term_cells(TermStatistics.from_counts(X, detail="patterns"))


def by_hand(X):
    """The cells of a dense matrix, computed in plain loops."""
    n_j = X.sum(axis=1)
    return [sorted((int(c), int(n)) for c, n in zip(column, n_j, strict=True) if c > 0) for column in X.T]


@pytest.mark.slow
@given(COUNTS)
def test_cells_are_those_of_the_matrix(groups):
    for X in groups:
        for cells in (term_cells(X), patterns(X), term_cells(sp.csc_array(X))):
            assert expanded(cells) == by_hand(X)
            assert sum(lengths_of(cells).values()) == len(X)
            assert cells.tokens == X.sum()
            np.testing.assert_array_equal(cells.n_i, X.sum(axis=0))
            np.testing.assert_array_equal(cells.b_i, (X > 0).sum(axis=0))
            np.testing.assert_array_equal(np.bincount(cells.term, minlength=X.shape[1]), np.diff(cells.indptr))


@pytest.mark.slow
@given(COUNTS)
def test_joined_equals_stacking(groups):
    stacked = term_cells(np.vstack(groups))
    same(joined([term_cells(X) for X in groups]), stacked)
    same(joined([patterns(X) for X in groups]), stacked)
    same(joined([patterns(X) if k % 2 else term_cells(X) for k, X in enumerate(groups)]), stacked)


def test_joined_cells_stay_in_the_order_of_their_terms():
    X = np.array([[2, 0, 1], [0, 0, 4], [1, 0, 1]])
    both = joined([term_cells(X), patterns(X[:2]), term_cells(X[1:2])])
    assert both.indptr.tolist() == [0, 3, 3, 9]
    assert both.term.tolist() == [0] * 3 + [2] * 6
    assert both.weight.tolist() == [1.0] * 9
    doubled = np.vstack([X, X])
    assert joined([patterns(doubled), term_cells(X)]).weight.tolist() == [
        2.0,
        2.0,
        1.0,
        1.0,
        2.0,
        2.0,
        2.0,
        1.0,
        1.0,
        1.0,
    ]


def test_joined_keeps_empty_documents_and_collections_without_cells():
    X, empty = np.array([[1, 2], [0, 0]]), np.zeros((3, 2), dtype=int)
    both = joined([term_cells(X), term_cells(empty)])
    same(both, term_cells(np.vstack([X, empty])))
    assert lengths_of(both) == {0: 4, 3: 1}
    same(joined([term_cells(empty), patterns(empty)]), term_cells(np.vstack([empty, empty])))


def test_joining_is_of_no_consequence_to_a_fit():
    rng = np.random.default_rng(2)
    X = rng.poisson(rng.gamma(0.3, 4.0, (60, 8)))
    X[::7] = 0
    parts = [term_cells(X[:20]), patterns(X[20:45]), term_cells(X[45:])]
    one, several = fit_beta_binomial(X), fit_beta_binomial(joined(parts))
    for name in ("mean", "alpha_0", "loglik"):
        np.testing.assert_allclose(getattr(several, name), getattr(one, name), rtol=1e-9, err_msg=name)
    assert several.status.tolist() == one.status.tolist()


def test_a_weight_of_its_own_for_every_cell_or_one_for_all():
    X = np.array([[2, 1], [0, 3]])
    cells = term_cells(X)
    assert cells.weight.tolist() == [1.0]
    twice = replace(cells, weight=np.array([2.0]), n_i=2 * cells.n_i, b_i=2 * cells.b_i,
                    length_documents=2 * cells.length_documents)  # fmt: skip
    same(joined([twice, cells]), term_cells(np.vstack([X, X, X])))
    assert joined([twice, cells]).weight.tolist() == [2.0, 1.0, 2.0, 2.0, 1.0, 1.0]


def test_cells_pass_through_and_what_has_none_is_refused(monkeypatch):
    cells = term_cells([[1, 2]])
    assert isinstance(cells, TermCells)
    assert term_cells(cells) is cells
    with pytest.raises(ValueError, match="patterns"):
        term_cells(TermStatistics.from_counts([[1, 2]]))
    with pytest.raises(ValueError, match="nothing to fit: the count matrix is 0 × 3"):
        term_cells(np.zeros((0, 3), dtype=int))
    monkeypatch.setattr(module, "LONGEST", 5)
    with pytest.raises(ValueError, match="a document of 6 tokens is too long"):
        term_cells([[1, 5]])
    with pytest.raises(ValueError, match="a document of 6 tokens is too long"):
        patterns(np.array([[1, 5]]))


def test_merged_is_joined_with_equal_cells_as_one_however_many_terms_are_taken_at_a_time(monkeypatch):
    rng = np.random.default_rng(5)
    groups = [term_cells(rng.poisson(0.5, (30, 9)) * (np.arange(9) != 4)) for _ in range(3)]  # a term that never occurs
    whole, apart = merged(groups), joined(groups)
    keys = [(i, n, length) for i, n, length in zip(apart.term, apart.count, apart.length, strict=True)]
    assert sorted({*keys}) == list(zip(whole.term, whole.count, whole.length, strict=True))
    assert whole.weight.tolist() == [keys.count(key) for key in sorted({*keys})]
    assert whole.weight.max() > 1
    for size in (1, 7, 40):
        monkeypatch.setattr(module, "BLOCK", size)
        same(merged(groups), whole)
