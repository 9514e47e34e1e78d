"""The null distribution of bursts equals the twin in plain Python, and has the same bits in both libraries."""

import itertools

import numpy as np
import pytest
from scipy import stats
from twins import bursts as twin
from twins.arrays import Plain

from helpers.simulated import uneven_terms
from termburst import keyness
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
    expected = np.full((2, b_i.size), np.nan)
    twin.reference_terms(
        terms, 0.5, plain.indptr, plain.count, plain.weight, b_i, *classes, *model, enough, *expected
    )  # fmt: skip

    def found():
        p = np.full((2, b_i.size), np.nan)
        core.burst_reference(
            grouped.cells, core.length_classes(*classes), core.common_model(*model, 0.5), terms, b_i, enough, *p
        )
        return p

    baseline, avx2 = on_both(found)
    np.testing.assert_array_equal(baseline, avx2)
    np.testing.assert_allclose(baseline, expected, rtol=1e-9)
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


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize(
    "bursts", [0, 1, 5, pytest.param(11, marks=pytest.mark.slow), 12, pytest.param(40, marks=pytest.mark.slow)]
)
def test_mid_p_equals_the_twin(bursts, crowded, on_both):
    rng = np.random.default_rng(bursts)
    for _ in range(3 if bursts <= 5 else 1):  # the twin lists 2 to the power of bursts
        scores, shares = rng.gamma(2.0, size=bursts) + 0.2, rng.uniform(0.01, 0.9, bursts)
        in_first = rng.random(bursts) < shares
        crowding = np.exp(-np.square(np.arange(bursts + 1) - shares.sum()) / (bursts + 1)) if crowded else None
        baseline, avx2 = on_both(lambda s=scores, p=shares, i=in_first, c=crowding: core.mid_p(s, p, i, c))
        assert baseline == avx2
        expected = twin.mid_p(scores, shares, in_first, crowding=crowding)
        assert baseline == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_bursts_in_documents_of_one_length_are_hypergeometric():
    """Without replacement: 5 of the 20 documents with the term are among the 6 of A, 15 among the 54 of B."""
    drawn = stats.hypergeom(60, 20, 6)
    p = keyness([[1, 999]] * 5 + [[0, 1000]], [[1, 999]] * 15 + [[0, 1000]] * 39, terms=["it", "rest"])
    p = dict(p.select("term", "p_value").iter_rows())["it"]
    assert p == pytest.approx(drawn.pmf(6) + drawn.pmf(5) / 2, rel=1e-9)  # no outcome on the other side is as unlikely


def conditional_law(n_j, in_a, counts, alpha, alpha_0):
    """P(number of bursts in A) over all ways to give the counts to different documents, by enumeration."""
    with_term = stats.betabinom.pmf(np.array(counts)[:, None], n_j, alpha, alpha_0 - alpha)
    odds = with_term / stats.betabinom.pmf(0, n_j, alpha, alpha_0 - alpha)
    law = np.zeros(len(counts) + 1)
    for chosen in itertools.permutations(range(n_j.size), len(counts)):
        law[in_a[list(chosen)].sum()] += np.prod(odds[np.arange(len(counts)), chosen])
    return law / law.sum()


@pytest.mark.parametrize("counts", [(1, 1, 1), (1, 1, 2, 1), (1, 3, 1, 2)])
def test_crowding_in_documents_of_different_lengths(counts):
    """Close to the exact law, and closer than draws with replacement are."""
    n_j, in_a = np.array([20, 60, 100, 150, 30, 90, 200, 400]), np.arange(8) < 4
    alpha, alpha_0 = 0.8, 90.0
    exact = conditional_law(n_j, in_a, counts, alpha, alpha_0)
    classes = n_j.astype(float), np.column_stack([in_a, ~in_a]).astype(float)
    shares = [core.burst(core.length_classes(*classes), c, alpha, alpha_0, alpha / alpha_0, 0.5)[0][0] for c in counts]
    independent = np.ones(1)
    for share in shares:
        independent = np.convolve(independent, [1 - share, share])
    crowded = independent * twin.crowding(len(counts), *classes, alpha, alpha_0, alpha / alpha_0)
    crowded /= crowded.sum()
    assert np.abs(crowded - exact).max() < 0.02
    assert np.abs(crowded - exact).sum() < 0.3 * np.abs(independent - exact).sum()


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
    p = np.empty((2, b_i.size))
    with pytest.raises(ValueError, match="an index is out of range"):
        core.burst_reference(*common, np.array([-1]), b_i, 6.0, *p)
    with pytest.raises(RuntimeError, match="room"):
        core.burst_reference(*common, np.flatnonzero(b_i), np.ones_like(b_i), 6.0, *p)
    with pytest.raises(ValueError, match="one entry per term"):
        core.burst_draws(*common, np.array([0]), b_i, np.zeros(1, np.int64), 9, p[0])
