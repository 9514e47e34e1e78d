"""The null distribution of bursts equals the twin in plain Python, and has the same bits in both libraries."""

import numpy as np
import pytest
from twins import bursts as twin
from twins.arrays import Plain

from helpers.simulated import uneven_terms
from termburst.core import bursts as core
from termburst.inference.keyness import _length_classes
from termburst.models.cells import joined, term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.fit_groups import GroupedCells


def compared(seed, parts=2, documents=40):
    X = uneven_terms(seed, documents=documents, terms=6)
    groups = [term_cells(X[k::parts]) for k in range(parts)]
    null = fit_beta_binomial(joined(groups))
    inside = null.status == "converged"
    alpha, alpha_0 = np.where(inside, null.alpha, np.inf), np.where(inside, null.alpha_0, np.inf)
    b_i = np.sum([g.b_i for g in groups], axis=0)
    return GroupedCells(groups), Plain(groups), _length_classes(groups), (alpha, alpha_0, null.mean), b_i


@pytest.mark.parametrize(("seed", "enough"), [(0, 1e9), (1, 1e9), (2, 3.0)])
def test_mid_p_of_terms_equals_the_twin(seed, enough, on_both):
    grouped, plain, classes, model, b_i = compared(seed)
    terms = np.flatnonzero(b_i)
    expected = np.full(b_i.size, np.nan)
    twin.reference_terms(
        terms, 0.5, plain.indptr, plain.count, plain.weight, b_i, *classes, *model, enough, expected
    )  # fmt: skip

    def found():
        p = np.full(b_i.size, np.nan)
        core.burst_reference(
            grouped.cells, core.length_classes(*classes), core.common_model(*model, 0.5), terms, b_i, enough, p
        )
        return p

    baseline, avx2 = on_both(found)
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-10)
    assert np.isfinite(expected).any()


@pytest.mark.parametrize("parts", [2, 3])
def test_draws_use_the_stream_of_numpy(parts, on_both):
    grouped, plain, classes, model, b_i = compared(3, parts)
    terms, seeds = np.flatnonzero(b_i), np.arange(b_i.size) * 7919 + 2**31
    expected = np.full(b_i.size, np.nan)
    twin.drawn_terms(
        terms, 0.5, plain.indptr, plain.count, plain.weight, b_i, *classes, *model, 30, seeds, expected
    )  # fmt: skip

    def found():
        p = np.full(b_i.size, np.nan)
        core.burst_draws(
            grouped.cells, core.length_classes(*classes), core.common_model(*model, 0.5), terms, b_i, seeds, 30, p
        )
        return p

    baseline, avx2 = on_both(found)
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_array_equal(baseline, expected)


@pytest.mark.parametrize("bursts", [0, 1, 5, 11, 12, 40])
def test_mid_p_equals_the_twin(bursts, on_both):
    rng = np.random.default_rng(bursts)
    for _ in range(3):
        scores, shares = rng.gamma(2.0, size=bursts), rng.uniform(0.01, 0.9, bursts)
        in_first = rng.random(bursts) < shares
        room = np.empty((2, twin.SPACE + bursts))
        baseline, avx2 = on_both(lambda s=scores, p=shares, i=in_first: core.mid_p(s, p, i))
        assert baseline == avx2
        assert baseline == pytest.approx(twin.mid_p(bursts, scores, shares, in_first, *room), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, 1e300, 0.0])
def test_invalid_scores_do_not_hang(bad):
    for size in (5, 30):
        scores, shares = np.ones(size), np.full(size, 0.5)
        scores[2] = bad
        try:
            core.mid_p(scores, shares, np.zeros(size, dtype=bool))
        except RuntimeError as error:
            assert "room" in str(error)  # noqa: PT017


def test_terms_out_of_range_and_wrong_shapes_are_errors():
    grouped, _, classes, model, b_i = compared(0)
    common = grouped.cells, core.length_classes(*classes), core.common_model(*model, 0.5)
    p = np.empty(b_i.size)
    with pytest.raises(ValueError, match="an index is out of range"):
        core.burst_reference(*common, np.array([-1]), b_i, 6.0, p)
    with pytest.raises(RuntimeError, match="room"):
        core.burst_reference(*common, np.flatnonzero(b_i), np.ones_like(b_i), 6.0, p)
    with pytest.raises(ValueError, match="one entry per term"):
        core.burst_draws(*common, np.array([0]), b_i, np.zeros(1, np.int64), 9, p)
