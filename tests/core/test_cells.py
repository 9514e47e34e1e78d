"""Cells are checked before a kernel uses them; terms with equal cells are found."""

import numpy as np
import pytest

from termburst.core.cells import alike_terms, cells


def made(columns, weight=None):
    """Cells of terms, given as lists of (count, length), or as groups of such lists."""
    groups = columns if isinstance(columns[0][0], list) else [columns]
    flat = [cell for group in groups for column in group for cell in column]
    sizes = [[0, *np.cumsum([len(column) for column in group])] for group in groups]
    offset = np.cumsum([0, *(sum(map(len, group)) for group in groups[:-1])])
    count, length = np.array(flat, dtype=np.int32).reshape(-1, 2).T.copy()
    indptr = (np.array(sizes, dtype=np.int64) + offset[:, None]).squeeze()
    return cells(indptr, count, length, np.ones(1) if weight is None else np.array(weight, dtype=float))


def test_room_is_sized_by_the_largest_term_and_the_longest_document():
    of = made([[(3, 10), (1, 99)], [], [(2, 50)]])
    assert (of.terms, of.groups, of.size, of.occurrences, of.longest) == (3, 1, 3, 4, 99)


@pytest.mark.parametrize("cell", [(0, 5), (-1, 5), (6, 5), (1, 0), (1, -4)])
def test_an_impossible_count_is_an_error(cell):
    with pytest.raises(ValueError, match="at least 1 and at most the length"):
        made([[(1, 1)], [cell]])


@pytest.mark.parametrize("indptr", [[0, 2, 1], [-1, 1, 2], [0, 1, 3], [0, 2**60, 2]])
def test_ranges_outside_the_arrays_are_errors(indptr):
    ones = np.ones(2, dtype=np.int32)
    with pytest.raises(ValueError, match="an index is out of range"):
        cells(np.array(indptr), ones, ones, np.ones(1))


def test_shapes_that_do_not_match_are_errors():
    ones = np.ones(3, dtype=np.int32)
    with pytest.raises(ValueError, match="one entry per cell"):
        cells(np.array([0, 3]), ones, ones[:2].copy(), np.ones(1))
    with pytest.raises(ValueError, match="or one for all"):
        cells(np.array([0, 3]), ones, ones, np.ones(2))
    with pytest.raises(TypeError, match="count must be an array of int32; got int64"):
        cells(np.array([0, 3]), ones.astype(np.int64), ones, np.ones(1))


def alike_by_sorting(columns):
    """The index of the first column with the same cells in any order."""
    seen = {}
    return [seen.setdefault(tuple(sorted(column)), k) for k, column in enumerate(columns)]


def test_terms_with_the_same_cells_in_any_order_are_alike():
    rng = np.random.default_rng(0)
    columns = [
        [(int(c), int(n)) for c, n in zip(rng.integers(1, 3, k), rng.integers(3, 6, k), strict=True)]
        for k in rng.integers(0, 5, 4000)
    ]
    distinct, place = alike_terms(made(columns), np.arange(len(columns)))
    assert distinct[place].tolist() == alike_by_sorting(columns)
    assert distinct.size < 1000


def test_terms_with_many_cells_are_not_compared():
    columns = [[(1, 5)] * 8, [(1, 5)] * 8, [(1, 5)] * 9, [(1, 5)] * 9]
    distinct, place = alike_terms(made(columns), np.arange(4))
    assert distinct.tolist() == [0, 2, 3]
    assert place.tolist() == [0, 0, 1, 2]


def test_terms_with_other_groups_or_weights_differ():
    groups = [[[(1, 5)], [], [(1, 5)]], [[(2, 7)], [(1, 5), (2, 7)], [(2, 7)]]]
    distinct, place = alike_terms(made(groups), np.arange(3))
    assert (distinct.tolist(), place.tolist()) == ([0, 1], [0, 1, 0])
    distinct, _ = alike_terms(made([[(1, 5)], [(1, 5)], [(1, 5)]], weight=[1, 2, 1]), np.arange(3))
    assert distinct.tolist() == [0, 1]


def test_an_unknown_term_is_an_error():
    with pytest.raises(ValueError, match="an index is out of range"):
        alike_terms(made([[(1, 5)]]), np.array([1]))
