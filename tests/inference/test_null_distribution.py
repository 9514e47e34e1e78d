"""The null of the burstiness test: by hand, by enumeration of all placements, and by NumPy's own hypergeometric."""

import itertools
import math

import numpy as np
import pytest

import termburst as tb
from termburst.inference import null_distribution
from termburst.inference.null_distribution import Lengths, PlrFunction
from termburst.inference.overdispersion import burstiness
from termburst.models.cells import TermCells

LENGTHS = np.array([3, 1, 4, 2, 5])


def cells_of(columns, lengths):
    """Terms whose counts are given, documents × terms, in documents of given lengths (other tokens are not terms)."""
    columns = np.asarray(columns)
    lengths = np.asarray(lengths)
    indptr = np.concatenate([[0], np.cumsum((columns > 0).sum(axis=0))])
    where = [np.flatnonzero(column) for column in columns.T]
    distinct, documents = np.unique(lengths, return_counts=True)
    return TermCells(
        indptr.astype(np.int64),
        np.concatenate([column[at] for column, at in zip(columns.T, where, strict=True)]).astype(np.int32),
        np.concatenate([lengths[at] for at in where]).astype(np.int32),
        np.ones(1),
        columns.sum(axis=0).astype(np.int64),
        (columns > 0).sum(axis=0).astype(np.int64),
        distinct.astype(np.int64),
        documents.astype(np.int64),
    )


def placements(lengths, size):
    """The counts of every placement of that many tokens among all positions, each as likely as any other."""
    document = np.repeat(np.arange(len(lengths)), lengths)
    for chosen in itertools.combinations(range(document.size), size):
        yield np.bincount(document[list(chosen)], minlength=len(lengths))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_lambda_against_all_placements(size):
    """P(λ* ≥ λ) of every count vector there can be, enumerated the slow way."""
    every = np.array(list(placements(LENGTHS, size)))
    distinct = np.unique(every, axis=0)
    cells = cells_of(distinct.T, LENGTHS)
    found = burstiness(cells)
    plr = PlrFunction(cells, None, 1.0, "printed")
    repetition = np.array([sum(math.lgamma(c) for c in row if c) for row in every])
    null = plr(np.full(len(every), size), (every > 0).sum(axis=1), repetition)
    expected = [(null >= value - 1e-9).mean() for value in found.plr.value]
    np.testing.assert_allclose(10**found.plr.log10_p, expected, rtol=1e-10)
    assert set(found.plr.how) == {"exact"}
    mid = burstiness(cells, mid_p=True)
    ties = [(np.abs(null - value) < 1e-9).mean() for value in found.plr.value]
    np.testing.assert_allclose(10**mid.plr.log10_p, np.array(expected) - np.array(ties) / 2, rtol=1e-10)


def test_twice_seen_terms_by_hand():
    lengths = np.array([10, 20, 30, 40])
    columns = np.zeros((4, 2), dtype=int)
    columns[2, 0] = 2
    columns[:2, 1] = 1
    n = lengths.sum()
    p = 10 ** burstiness(cells_of(columns, lengths)).plr.log10_p
    assert p[0] == pytest.approx((lengths * (lengths - 1)).sum() / (n * (n - 1)), rel=1e-12)
    assert p[1] == 1


def test_once_seen_terms_by_hand():
    """λ says nothing of them; the score and the likelihood ratio are the more extreme the shorter the document."""
    cells = cells_of(np.eye(5, dtype=int), LENGTHS)
    found = burstiness(cells)
    assert (found.plr.log10_p == 0).all()
    shorter = [LENGTHS[length >= LENGTHS].sum() / LENGTHS.sum() for length in LENGTHS]
    np.testing.assert_allclose(10**found.score.log10_p, shorter, rtol=1e-12)
    assert ((10**found.lr.log10_p >= np.array(shorter) - 1e-12) | (found.lr.value == 0)).all()
    assert set(found.lr.how) == set(found.score.how) == {"exact"}


@pytest.mark.parametrize("size", [20, 80, 400])
def test_draws_against_numpy_s_multivariate_hypergeometric(size):
    """The null of λ and of the score, at their median and upper 5 % points."""
    rng = np.random.default_rng(5)
    lengths = np.maximum(rng.lognormal(3, 1, 60).astype(int), 1)
    drawn = rng.multivariate_hypergeometric(lengths, size, 4000)
    cells = cells_of(drawn.T[:, :400], lengths)
    found = burstiness(cells)
    plr = PlrFunction(cells, None, 1.0, "printed")
    repetition = np.array([sum(math.lgamma(c) for c in row if c) for row in drawn])
    values = plr(np.full(4000, size), (drawn > 0).sum(axis=1), repetition)
    n = lengths.sum()
    score = (((drawn - lengths * size / n) ** 2).sum(axis=1) / (size / n * (1 - size / n)) - n) / np.sqrt(
        2 * (lengths * (lengths - 1)).sum()
    )
    np.testing.assert_allclose(found.plr.value, values[:400], rtol=1e-9)
    np.testing.assert_allclose(found.score.value, score[:400], rtol=1e-9)
    for tested, null in ((found.plr, values), (found.score, score)):
        for share in (0.5, 0.05):
            at = np.argmin(np.abs(tested.value - np.quantile(null, 1 - share)))
            expected = (null >= tested.value[at] - 1e-9).mean()
            assert 10 ** tested.log10_p[at] == pytest.approx(
                expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000) + 0.01
            )


def test_the_tail_of_lambda_against_many_draws():
    """Where three draws in ten thousand are beyond: within a factor of two and a half of what 60,000 draws say."""
    rng = np.random.default_rng(11)
    lengths = np.maximum(rng.lognormal(4, 1, 300).astype(int), 1)
    for size in (40, 200):
        drawn = np.concatenate([rng.multivariate_hypergeometric(lengths, size, 15_000) for _ in range(4)])
        repeated = np.maximum(drawn, 1)
        table = np.array([math.lgamma(c) for c in range(1, drawn.max() + 1)])
        cells = cells_of(drawn[:1].T, lengths)
        values = PlrFunction(cells, None, 1.0, "printed")(
            np.full(len(drawn), size), (drawn > 0).sum(axis=1), table[repeated - 1].sum(axis=1)
        )
        for share in (1e-3, 3e-4):
            at = np.argmin(np.abs(values - np.quantile(values, 1 - share)))
            log10_p = burstiness(cells_of(drawn[[at]].T, lengths)).plr.log10_p[0]
            expected = np.log10((values >= values[at] - 1e-9).mean())
            assert abs(log10_p - expected) < np.log10(2.5)


def test_absurd_bursts_have_finite_ordered_p():
    lengths = np.full(200, 6000)
    columns = np.zeros((200, 4), dtype=int)
    columns[0] = 5000
    columns[1, 1:] = [0, 0, 0]
    for term, size in enumerate((5000, 4000, 3000, 1000)):
        columns[0, term] = size
        columns[1 : 1 + (5000 - size) // 1000, term] = 1000
    assert (columns.sum(axis=0) == 5000).sum() >= 3
    found = burstiness(cells_of(columns[:, :3], lengths))
    for tested in (found.plr, found.lr, found.score):
        assert np.isfinite(tested.log10_p).all()
        assert (tested.log10_p < -300).all()
        order = np.argsort(tested.value)
        assert (np.diff(tested.log10_p[order]) <= 0).all()


@pytest.mark.parametrize("name", ["plr", "lr", "score"])
def test_p_falls_as_the_statistic_rises(name):
    rng = np.random.default_rng(2)
    lengths = np.maximum(rng.lognormal(4, 1, 200).astype(int), 1)
    drawn = rng.multivariate_hypergeometric(lengths, 50, 400)
    bursty = np.array([rng.multinomial(50, rng.dirichlet(lengths / lengths.sum() * 5)) for _ in range(200)])
    columns = np.minimum(np.concatenate([drawn, bursty]), lengths)
    columns = columns[columns.sum(axis=1) == 50]
    tested = getattr(burstiness(cells_of(columns.T, lengths)), name)
    order = np.argsort(tested.value, kind="stable")
    rises = np.diff(tested.value[order]) > 1e-6
    assert (np.diff(tested.log10_p[order])[rises] <= 1e-9).all()
    assert len(set(tested.how)) > 1


def test_the_same_seed_gives_the_same_p_on_any_number_of_cores(monkeypatch, fig3):
    one = burstiness(fig3, seed=3, draws=999)
    monkeypatch.setattr("termburst._threads.cores", lambda: 5)
    two = burstiness(fig3, seed=3, draws=999)
    other = burstiness(fig3, seed=4, draws=999)
    for name in ("plr", "lr", "score"):
        np.testing.assert_array_equal(getattr(one, name).log10_p, getattr(two, name).log10_p)
    assert (one.lr.log10_p != other.lr.log10_p).any()


def test_statistics_and_matrix_agree(fig3):
    statistics = tb.TermStatistics.from_counts(fig3, detail="patterns")
    for name in ("plr", "lr", "score"):
        a, b = (getattr(burstiness(source, draws=999), name) for source in (fig3, statistics))
        np.testing.assert_allclose(a.log10_p, b.log10_p, atol=1e-9)
        np.testing.assert_allclose(a.value, b.value, atol=1e-9)


def test_lambda_is_that_of_plr_statistic(fig3):
    occurs = fig3.sum(axis=0) > 0
    for form in ("printed", "corrected"):
        found = burstiness(fig3, form=form, draws=99, mu=60.0, sigma2=2.0)
        expected = tb.plr_statistic(fig3, form=form, mu=60.0, sigma2=2.0)
        np.testing.assert_allclose(found.plr.value[occurs], expected[occurs], rtol=1e-12, atol=1e-9)
        assert np.isnan(found.plr.value[~occurs]).all()


def test_enumeration_stops_where_it_would_take_too_long(monkeypatch, fig3):
    exact = burstiness(fig3, draws=999)
    monkeypatch.setattr(null_distribution, "WORK", 1000)
    drawn = burstiness(fig3, draws=9999)
    small = (fig3.sum(axis=0) > 1) & (fig3.sum(axis=0) <= 16)
    assert set(exact.plr.how[small]) == {"exact"}
    assert "exact" not in set(drawn.plr.how[fig3.sum(axis=0) > 4])
    p, q = 10 ** exact.plr.log10_p[small], 10 ** drawn.plr.log10_p[small]
    np.testing.assert_allclose(p, q, atol=0.02)


def test_positions_find_their_documents():
    cells = cells_of(np.eye(5, dtype=int), LENGTHS)
    lengths = Lengths.of(cells)
    assert lengths.ends[-1] == LENGTHS.sum()
    for position in np.linspace(0, LENGTHS.sum() - 1e-9, 50):
        first = lengths.guide[int(position * lengths.scale)]
        assert first <= np.searchsorted(lengths.ends, position, side="right")


def test_bad_arguments(fig3):
    with pytest.raises(ValueError, match="draws is at least 99"):
        burstiness(fig3, draws=9)
    with pytest.raises(ValueError, match="nothing to test"):
        burstiness(np.zeros((3, 2), dtype=int))
