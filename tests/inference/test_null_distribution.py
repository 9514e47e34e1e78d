"""The parts of the null distributions: documents drawn by their length, sums over the draws, tilted weights, tails."""

import weakref
from dataclasses import replace
from math import comb, factorial, log

import numpy as np
import pytest
from scipy import special, stats
from scipy.interpolate import PchipInterpolator

from helpers.simulated import cells_of_columns
from termburst.core import null as core
from termburst.core import tails
from termburst.core.binding import record
from termburst.inference import null_lengths, null_tails
from termburst.inference.null_distribution import Null, PlrFunction
from termburst.inference.null_exact import partitions
from termburst.inference.null_lengths import Lengths
from termburst.inference.null_ratio import ratio_samples
from termburst.inference.null_tails import PlrTail, plr_curves, sampled_p
from termburst.models.cells import TermCells, term_cells
from termburst.models.length_table import LengthTable


def cells_on(n_j):
    """One term, once in the first document; only the lengths matter."""
    return cells_of_columns(np.eye(len(n_j), 1, dtype=np.int64), n_j)


@pytest.mark.parametrize("n_j", [[7], [3, 3, 3], [1, 1, 1, 10**9], [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 2, 9]])
def test_aliases_give_each_document_its_share(n_j):
    check_aliases(np.array(n_j))


def test_aliases_of_many_lengths():
    rng = np.random.default_rng(1)
    for size in range(1, 300):
        check_aliases(rng.integers(1, rng.integers(2, 60), size))


def check_aliases(n_j):
    lengths = Lengths.of(cells_on(n_j))
    d = lengths.documents
    assert ((lengths.accept >= 0) & (lengths.accept <= 1)).all()
    share = (lengths.accept + np.bincount(lengths.other.astype(int), 1 - lengths.accept, d)) / d
    np.testing.assert_allclose(share, np.sort(n_j[n_j > 0]) / n_j.sum(), rtol=1e-9, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_j", "separate"),
    [
        (np.arange(1, 60), 59),
        (np.array([1, 1, 2, 2, 3, 30]), 6),
        (np.array([1, 1, 2, 2, 3, 30]), 5),
        (np.repeat([1, 4, 9], [30, 8, 3]), 0),
    ],
)
def test_draws_agree_with_enumeration(n_j, separate, monkeypatch):
    """b and Σ log (n_ij − 1)! of 400,000 draws against the partitions' probabilities; Σ n_ij n_j by its mean.

    Up to this number, each document is drawn separately; beyond it, documents of equal length are drawn together.
    """
    monkeypatch.setattr(null_lengths, "SEPARATE", separate)
    lengths = Lengths.of(cells_on(n_j))
    null = Null(cells_on(n_j), 99, 0, False, PlrFunction(cells_on(n_j), None, 1.0, "printed"))
    sizes, draws = np.array([2, 5, 9]), 400_000
    b, repetition, scatter = np.empty((3, draws), np.int32), np.empty((3, draws)), np.empty((3, draws))
    core.simulate(lengths.for_kernels(), 5, 0, draws, sizes, b, repetition, scatter)
    n, pairs = n_j.sum(), (n_j * (n_j - 1)).sum()
    for at, v in enumerate(sizes.tolist()):
        states = partitions(null.lengths, 9)[v]
        key = 100 * states.documents + states.repetition
        values, place = np.unique(key.round(6), return_inverse=True)
        expected = draws * np.bincount(place, states.mass)
        found = np.bincount(np.searchsorted(values, 100 * b[at] + repetition[at] - 1e-4), minlength=values.size)
        assert not found[expected == 0].any()
        often = expected > 5
        distance = ((found - expected)[often] ** 2 / expected[often]).sum()
        assert distance <= stats.chi2.isf(1e-4, max(often.sum() - 1, 1)), v
        mean = v + v * (v - 1) * pairs / (n * (n - 1)) - 2 * v**2 / n**2 * (n_j**2).sum()
        assert abs(scatter[at].mean() - mean) < 4.5 * scatter[at].std() / draws**0.5 + 1e-9, v


@pytest.mark.parametrize("v", [2, 12, 90])
def test_likelihood_ratios_are_the_same_by_document_and_by_length(v, monkeypatch):
    cells = cells_on(np.repeat([2, 9, 40], [60, 30, 5]))
    table = LengthTable.of(cells.lengths, cells.length_documents).for_kernels()
    found = []
    for separate in (95, 0):
        monkeypatch.setattr(null_lengths, "SEPARATE", separate)
        found.append(np.empty(20_000))
        core.simulate_ratio(Lengths.of(cells).for_kernels(), table, 3 + separate, 0, 20_000, v, 1.5, found[-1])
    assert stats.ks_2samp(*np.round(found, 9)).pvalue > 1e-3


def test_very_many_documents_are_kept_by_length():
    """With more documents than fit into memory one by one, 12 tokens are in 12 of them."""
    lengths, documents = np.arange(1, 40), np.full(39, 10**11)
    once = TermCells(
        np.array([0, 1]), np.array([2], np.int32), np.array([30], np.int32), np.ones(1), np.array([12]), np.array([11]),
        lengths, documents,
    )  # fmt: skip
    null = Null(once, 999, 0, False, PlrFunction(once, None, 1.0, "printed"))
    drawn = null._draw(np.array([12]), 999, null.phase_seeds[0])
    assert (drawn[0] == 12).all()
    assert (drawn[1] == 0).all()
    nodes, samples = ratio_samples(null)
    assert nodes[-1] == 12
    assert all(np.isfinite(sample).all() for sample in samples)


SHORT_AND_LONG = ([1.0, 2.5, 30.0, 400.0], [50.0, 40.0, 20.0, 3.0])  # a mean length need not be whole


@pytest.mark.parametrize(
    ("lengths", "weights", "share"),
    [(*SHORT_AND_LONG, 0.01), (*SHORT_AND_LONG, 0.5), ([90_000.0, 150_000.0], [2.0, 1.0], 0.01), ([999.0], [5.0], 0.9)],
)
@pytest.mark.parametrize("tilt", [0, 5, 10])
def test_tilted_weights_by_logarithms(lengths, weights, share, tilt):
    """The recurrence against weights computed one by one, also where they overflow a float."""
    lengths, weights, slope = np.array(lengths), np.array(weights), -3.0
    s, n_i, odds = null_tails.CURVE[tilt], float(share * weights @ lengths), share / (1 - share)
    steps, log_gamma = null_tails._steps()
    grid, one = np.array([[1.0, 2.0]]), np.ones(1)
    task = tails.tail_task(one * n_i, one * odds, one, grid, grid, null_tails.CURVE, lengths, weights, steps, log_gamma)
    u, mass, b, r = tails.tilted(task, tilt, slope, 0.0)
    c, m = np.arange(int(min(n_i, np.ceil(lengths.max()))) + 1), lengths[:, None]
    own = special.gammaln(np.maximum(c, 1))
    choose = -special.betaln(m - c + 1, c + 1) - np.log(m + 1)
    log_w = np.where(c <= np.ceil(m), choose, -np.inf) + c * (log(odds) + u) + s * np.where(c > 0, slope + 2 * own, 0.0)
    log_z = special.logsumexp(log_w, axis=1)
    p = np.exp(log_w - log_z[:, None])
    assert weights @ (p @ c) == pytest.approx(n_i, rel=1e-4)
    assert mass == pytest.approx(weights @ log_z - u * n_i, rel=1e-10, abs=1e-10)
    assert b == pytest.approx(weights @ p[:, 1:].sum(axis=1), rel=1e-10)
    assert r == pytest.approx(weights @ (p @ own), rel=1e-10)


# ---- tails


def p_of_one(sample, observed, tail, mid_p, top):
    """`sampled_p` for one null distribution, with one shape of its tail."""
    row = np.zeros(observed.size, np.int64)
    return sampled_p(sample[None], observed, row, lambda values, row, anchor: tail(values)[None], mid_p, top)


def test_a_tail_begins_where_the_draws_end():
    """`sampled_p` of a sample with a known tail: p continues from the last draws that are counted, without a jump."""
    sample = np.sort(np.random.default_rng(9).exponential(size=9_999))
    top = 25
    anchor = sample[-top]
    observed = np.array([anchor * (1 - 1e-6), anchor, anchor * (1 + 1e-6), anchor + 1.0, anchor + 1_000.0])
    log_p, from_tail = p_of_one(sample, observed, lambda x: -x, False, 25.5 / 9_999)
    assert from_tail.tolist() == [False, False, True, True, True]
    assert log_p[1] == pytest.approx(log((1 + top) / 10_000))
    assert abs(log_p[2] - log_p[1]) < 1e-4
    np.testing.assert_allclose(log_p[3:] - log_p[1], [-1.0, -1_000.0], rtol=1e-9)
    assert log_p[1] == pytest.approx(-anchor, abs=0.6)  # the draws have the distribution e^−x
    flat, from_tail = p_of_one(np.zeros(999), np.array([0.0, 1.0]), lambda x: -x, True, 0.0025)
    assert flat[0] == pytest.approx(log((1 + 999 / 2) / 1000))
    assert from_tail[1]
    assert flat[1] == pytest.approx(log(4 / 1000))  # although the tail itself begins at p = 1


def test_a_tail_does_not_begin_at_an_atom():
    """99 of 3,000 draws are above 0, with the distribution e^−x. p follows it, although the upper tenth begins at 0."""
    above = -np.log((np.arange(99, 0, -1) - 0.5) / 99)
    sample, observed = np.append(np.zeros(2_901), above), np.array([0.0, 0.5, 2.0, 20.0])
    log_p, from_tail = p_of_one(sample, observed, lambda x: -x, False, 0.1)
    assert from_tail.tolist() == [False, True, True, True]
    np.testing.assert_allclose(log_p, [0.0, *(log(99 / 3_000) - observed[1:])], atol=0.02)
    few = np.append(np.zeros(2_991), np.arange(1.0, 10.0))  # too few above 0 to trust a shape: they are counted
    log_p, from_tail = p_of_one(few, np.array([0.5, 5.0, 9.0, 12.0]), lambda x: -x, False, 0.1)
    assert from_tail.tolist() == [False, False, False, True]
    np.testing.assert_allclose(np.exp(log_p) * 3_001, [10, 6, 2, 2 * np.exp(-3)])


@pytest.mark.parametrize("steepness", [0.0, 50.0])
def test_draws_limit_a_tail_of_the_wrong_shape(steepness):
    sample = np.sort(np.random.default_rng(17).exponential(size=1_999))
    observed = np.linspace(1.5, 7.0, 40)
    log_p, _ = p_of_one(sample, observed, lambda x: -steepness * x, False, 0.25)
    count = 1.0 + (sample >= observed[:, None]).sum(axis=1)
    p = 2_000 * np.exp(log_p)
    assert (np.abs(p - count) <= 3 * np.sqrt(count) + 1e-9).all()
    assert (np.diff(p) <= 1e-9).all()


def parts_of(total, most, places):
    """The ways to write *total* as a sum of *places* numbers of at most *most*, in descending order."""
    if places == 0:
        return [()] if total == 0 else []
    return [(c, *rest) for c in range(min(most, total), -1, -1) if c * places >= total
            for rest in parts_of(total - c, c, places - 1)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("each", "size"), [(20, 60), (20, 24), (40, 60)])
def test_the_tail_of_lambda_by_all_splits_of_a_term_that_is_much_of_the_text(each, size):
    """Six equally long documents; p by the saddlepoint, from the upper quarter of 20,000 draws on, against exact p."""
    n_j = np.full(6, each)
    splits = np.array(parts_of(size, each, 6))
    orders = [factorial(6) / np.prod([factorial(k) for k in np.unique(s, return_counts=True)[1]]) for s in splits]
    mass = np.array(orders) * special.binom(each, splits).prod(axis=1) / comb(6 * each, size)
    assert mass.sum() == pytest.approx(1, rel=1e-9)
    plr = PlrFunction(cells_on(n_j), 10.0 * size, 1.0, "printed")
    value = plr(np.full(mass.size, size), (splits > 0).sum(axis=1), special.gammaln(np.maximum(splits, 1)).sum(axis=1))
    order = np.argsort(value)
    value, mass = value[order], mass[order]
    exact = np.cumsum(mass[::-1])[::-1]
    sample = np.sort(np.random.default_rng(18).choice(value, 20_000, p=mass / mass.sum()))
    grid = np.linspace(1, 6, 257)
    base = plr(np.full(257, size), grid, np.zeros(257))
    classes = np.array([float(each)]), np.array([6.0])
    curves = plr_curves(np.array([size]), float(n_j.sum()), *classes, grid[None], base[None])
    moments = np.array([(sample.mean(), sample.std(), 0.0)], record("Moments"))  # a curve has its own skewness
    row = np.zeros(value.size, np.int64)
    log_p, from_tail = sampled_p(sample[None], value, row, PlrTail(curves, moments), False, 0.25)
    ratio = np.exp(log_p - np.log(exact))[from_tail]
    exact = exact[from_tail]
    assert exact.max() > 0.15
    assert ratio[exact > 1e-7].min() > 0.85  # with so few documents p is too large, more so further out
    assert ratio[exact > 1e-2].max() < 1.3
    assert ratio[exact > 1e-4].max() < 6


CORNERS = {
    "short posts, 5 %": (np.random.default_rng(1).integers(5, 26, 5_000), 3_750),
    "equal documents, 10 %": (np.full(100, 400), 4_000),
    "equal documents, half": (np.full(100, 100), 5_000),
    "uneven documents, 10 %": (np.round(np.random.default_rng(1).lognormal(5, 0.7, 300)).astype(int), 5_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("corner", CORNERS)
def test_sizes_of_terms_that_are_much_of_the_text(corner):
    """The size of the test, by NumPy's draws of the null, is right within their error, ours, and a fifth."""
    n_j, size = CORNERS[corner]
    terms, asked = 3_000, 49_975
    columns = np.random.default_rng(19).multivariate_hypergeometric(n_j, size, terms, method="marginals")
    cells = cells_of_columns(columns.T, n_j)
    null = Null(cells, asked, 0, False, PlrFunction(cells, None, 1.0, "printed"))
    plr = null.plr(cells.n_i, cells.b_i, special.gammaln(np.maximum(columns, 1)).sum(axis=1))
    score = null.lengths.score(cells.n_i, (columns**2).sum(axis=1), columns @ n_j)
    log_p, how = null.drawn_p(plr, score)
    for name, found, kinds in zip(("plr", "score"), log_p, how, strict=True):
        assert "tail" in kinds, name
        for level in (0.1, 0.05, 0.01):
            error = 4 * np.sqrt(level * (1 - level) * (1 / terms + 1 / (0.04 * asked))) + 0.2 * level
            assert abs(np.mean(np.exp(found) <= level) - level) < error, (name, level)


@pytest.mark.slow
def test_falling_cubics_are_scipys():
    """Also if a curve has fewer points than there are columns, and is shifted; beyond its ends it is constant."""
    rng = np.random.default_rng(0)
    columns, shift = 13, rng.normal(size=200)
    for size in range(3, columns):
        x, y = np.cumsum(rng.exponential(size=(2, 200, columns)) ** 3 + 1e-6, axis=2)
        inside = rng.uniform(x[:, :1], x[:, size - 1 : size], (200, 20))
        at = np.concatenate([inside, x[:, :size], x[:, :1] - 1, x[:, size - 1 : size] + 1], axis=1) + shift[:, None]
        row = np.repeat(np.arange(200), at.shape[1])
        sizes = np.full(200, size)
        found = tails.falling_cubics(x, -y, sizes, shift, at.ravel(), row).reshape(at.shape)
        for k in range(200):
            points = x[k, :size] + shift[k]
            expected = PchipInterpolator(points, -y[k, :size])(np.clip(at[k], points[0], points[-1]))
            np.testing.assert_allclose(found[k], expected, rtol=1e-12)


def test_several_nulls_at_once_equal_each_on_its_own():
    rng = np.random.default_rng(5)
    samples = np.sort(np.stack([rng.exponential(size=999), rng.normal(size=999), np.zeros(999)]), axis=1)
    row = rng.integers(0, 3, 60)
    observed = rng.normal(3, 3, 60)

    def tail(values, row, anchor):
        return np.stack([-(row + 1.0) * values, -(values**2)])

    together = sampled_p(samples, observed, row, tail, True, 0.05)
    for k in range(60):
        alone = sampled_p(samples, observed[[k]], row[[k]], tail, True, 0.05)
        assert (together[0][k], together[1][k]) == (alone[0][0], alone[1][0])


@pytest.mark.slow
def test_a_frequent_term_that_is_rare_in_every_document():
    """Beyond 20,000 tokens λ has a gamma tail with its moments, even if hardly any document has the term twice."""
    documents, term, terms = 1_250_000, 25_000, 60
    cells = cells_on(np.full(documents, 300))
    null = Null(cells, 99, 0, False, PlrFunction(cells, None, 1.0, "printed"))
    rng, plr = np.random.default_rng(3), np.empty(terms)
    for k in range(terms):
        count = np.bincount(rng.integers(0, documents, term))
        b, repetition = np.count_nonzero(count), special.gammaln(np.maximum(count, 1)).sum()
        plr[k] = null.plr(np.array([term]), np.array([b]), np.array([repetition]))[0]
    p = np.exp(null._frequent_p(term, plr))
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_sums_over_documents_by_a_few_lengths():
    rng = np.random.default_rng(3)
    for n_j in (
        rng.integers(1, 5_000, 30_000),
        rng.integers(700, 90_000, 400),
        np.array([7, 7, 9]),
        np.array([1, 10**6]),
    ):
        length, weight = Lengths.of(cells_on(n_j)).nodes(1.03)
        assert length.size <= 400
        for f in (np.log1p, special.gammaln, lambda n: 1 - 0.98**n, lambda n: n**1.5):
            np.testing.assert_allclose(np.sum(weight * f(length)), np.sum(f(n_j)), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("documents", "shortest", "longest"), [(20_000, 50, 400), (3_000, 3_000, 40_000), (60_000, 1, 60)]
)
@pytest.mark.parametrize("share", [0.06, 0.4, 0.6])
def test_p_of_frequent_terms_is_that_of_draws(documents, shortest, longest, share):
    rng = np.random.default_rng(documents)
    n_j = rng.integers(shortest, longest, documents)
    n_ij, cells = rng.binomial(n_j, share), cells_on(n_j)
    null, n_i = Null(cells, 999, 0, False, PlrFunction(cells, None, 1.0, "printed")), np.array([n_ij.sum()])

    def plr(held):
        return null.plr(n_i, np.array([np.count_nonzero(held)]), special.gammaln(np.maximum(held, 1)).sum()[None])

    drawn = [plr(rng.multivariate_hypergeometric(n_j, n_i[0], method="marginals"))[0] for _ in range(199)]
    p = np.exp(null._frequent_p(int(n_i[0]), plr(n_ij)))[0]
    assert p == pytest.approx(np.mean(drawn >= plr(n_ij)[0]), abs=0.15)


@pytest.mark.parametrize("v", [40_000, 70_000, 120_000, 200_000])
def test_frequent_terms_in_documents_of_similar_length(v):
    """500 documents of 1,900 to 2,050 tokens: the mean of Σ log Γ must be exact to a fraction of its deviation."""
    rng = np.random.default_rng(v)
    n_j = rng.integers(1_900, 2_051, 500)
    counts = rng.multivariate_hypergeometric(n_j, v, size=800, method="marginals")
    cells = cells_of_columns(np.column_stack([counts[0], n_j - counts[0]]), n_j)
    null = Null(cells, 99, 0, False, PlrFunction(cells, None, 1.0, "printed"))
    plr = null.plr(np.full(800, v), (counts > 0).sum(axis=1), special.gammaln(np.maximum(counts, 1)).sum(axis=1))
    p = np.exp(null._frequent_p(v, plr))
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=3.5 * np.sqrt(0.05 * 0.95 / 800))
    assert p.mean() == pytest.approx(0.5, abs=3.5 / np.sqrt(12 * 800))
    assert p.min() > 1e-5


def test_lengths_are_made_once_for_all_groups_of_terms(monkeypatch):
    made = []
    monkeypatch.setattr(null_lengths, "_aliases", lambda share: made.append(share) or (share, np.arange(share.size)))
    cells = term_cells([[3, 0, 2], [1, 4, 1], [0, 0, 9]])
    group = replace(cells, indptr=cells.indptr[:2], n_i=cells.n_i[:1], b_i=cells.b_i[:1])
    assert Lengths.of(cells) is Lengths.of(group)
    other = replace(cells, lengths=cells.lengths.copy())
    assert Lengths.of(other) is not Lengths.of(cells)
    assert len(made) == 3
    kept = weakref.ref(other.lengths)
    Lengths.of(other)
    del other
    assert kept() is None  # arrays that are gone are not kept alive,
    assert not null_lengths._last  # nor what was made of them
