"""The reference given the bursts equals counting, with the same bits in both libraries."""

from itertools import combinations

import numpy as np
import pytest

from termburst.core import placements as core
from termburst.inference.contrast_rows import contrast_rows
from termburst.inference.designs import Contrast, DesignComparison
from termburst.models.beta_binomial_regression import design_cells
from termburst.models.cells import term_cells

CONTRAST = Contrast("x", np.array([0.0, 1.0]), np.array([0, 1]))


def compared(values, held, length=200):
    """Documents of one length with covariate *values*; those of *held* have the term once."""
    X = np.array([[int(k in held), length - int(k in held)] for k in range(len(values))])
    rows, cell = np.unique(np.column_stack([np.ones(len(values)), values]), axis=0, return_inverse=True)
    return DesignComparison(design_cells([term_cells(X[cell == g]) for g in range(len(rows))]), rows)


def permuted(values, held):
    """Two-sided mid-p of the sum of the values of *held*, over all subsets of that size."""
    sums = np.array([sum(values[k] for k in chosen) for chosen in combinations(range(len(values)), len(held))])
    own, tie = sum(values[k] for k in held), 1e-9
    tails = [np.mean(side * (sums - own) > tie) + np.mean(np.abs(sums - own) <= tie) / 2 for side in (1, -1)]
    return 2 * min(tails)


@pytest.mark.parametrize("held", [(0, 1, 3, 6), (2, 9, 11, 13), (0, 4, 9, 13, 15), (15, 14, 12, 11, 10)])
def test_p_is_nearly_that_of_all_permutations(held):
    values = np.array([0.0, 0.3, 0.7, 1.0, 1.6, 1.9, 2.4, 3.1, 3.3, 4.0, 4.2, 5.1, 5.5, 6.2, 6.8, 7.7])
    found = compared(values, held).test(CONTRAST, None)
    assert found.p_method[0] == "conditional"
    assert found.p_value[0] == pytest.approx(permuted(values, held), abs=0.03, rel=0.25)


def test_a_fully_separated_term_has_the_hypergeometric_probability():
    values = np.repeat([0.0, 1.0], 6)
    p_value = compared(values, range(6)).test(CONTRAST, None).p_value[0]
    assert p_value == pytest.approx(1 / 924, rel=0.02)  # all six documents of one side: twice the mid-p


def test_bursts_cannot_share_a_document():
    X = np.array([[1, 999]] * 5 + [[0, 1000]] + [[1, 999]] * 15 + [[0, 1000]] * 39)
    data = design_cells([term_cells(X[6:]), term_cells(X[:6])])
    p_value = DesignComparison(data, np.array([[1.0, 0], [1, 1]])).test(CONTRAST, None).p_value[0]
    assert p_value == pytest.approx(0.0070, abs=0.002)  # hypergeometric; with replacement .0272


def test_one_document_alone_is_never_significant():
    values = np.append(np.zeros(99), 1.0)
    assert compared(values, [99]).test(CONTRAST, None).p_value[0] == 1.0


def test_both_libraries_and_errors(on_both):
    of = compared(np.arange(12) % 3, (0, 1, 2, 6))
    rows = contrast_rows(of.rows, CONTRAST.vector, of.data.tokens)
    start = of._start(rows)
    start[:, 0] = 0.0
    without = of.regression.fit(rows, start, held=True)
    design = of.regression.design(rows)
    terms = np.array([0])

    def tested():
        out = np.full((2, core.RESULTS), np.nan)
        core.placements(of.regression.cells, design, of.classes, terms, without, 6.0, out)
        return out

    baseline, avx2 = on_both(tested)
    np.testing.assert_array_equal(baseline, avx2)
    assert 0 < baseline[0, 0] <= 1
    with pytest.raises(ValueError, match="out of range"):
        core.placements(of.regression.cells, design, of.classes, np.array([5]), without, 6.0, tested())
    with pytest.raises(ValueError, match="5 numbers"):
        core.placements(of.regression.cells, design, of.classes, terms, without, 6.0, np.empty((2, 3)))


@pytest.mark.parametrize("held", [range(6), (0, 1, 2, 6, 7, 8), (0, 7, 8, 9, 10, 11)])
def test_the_smallest_p_does_not_depend_on_where_the_bursts_are(held):
    found = compared(np.repeat([0.0, 1.0], 6), held).test(CONTRAST, None)
    assert found.least_p[0] == pytest.approx(1 / 924, rel=0.02)
    assert found.least_p[0] <= found.p_value[0]


def test_documents_that_a_covariate_rules_out_do_not_matter():
    """The term is only in the first of three groups: its p is that of this group alone."""
    group, x = np.repeat([0, 1, 2], 14), np.tile([0.0, 1.0], 21)
    held = (0, 2, 4, 7)
    X = np.array([[int(k in held), 200 - int(k in held)] for k in range(42)])
    matrix = np.column_stack([np.ones(42), group == 1, group == 2, x]).astype(float)
    rows, cell = np.unique(matrix, axis=0, return_inverse=True)
    whole = DesignComparison(design_cells([term_cells(X[cell == g]) for g in range(len(rows))]), rows)
    found = whole.test(Contrast("x", np.eye(4)[3], np.array([0, 3])), None)
    alone = compared(x[:14], held).test(CONTRAST, None)
    assert found.p_value[0] == pytest.approx(alone.p_value[0], rel=1e-4)
    assert found.least_p[0] == pytest.approx(alone.least_p[0], rel=1e-4)
