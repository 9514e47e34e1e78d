"""At the limits of burst ratio and reuse the likelihood has fallen by what is asked, says the twin in plain Python."""

import math

import numpy as np
import pytest
from mpmath import mp
from scipy.optimize import brentq
from scipy.special import betaln, expit, logsumexp
from twins import effects as twin

from termburst.core import effects as core
from termburst.core.binding import record
from termburst.inference.burst_effects import burst_level, coordinates
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.length_table import LengthTable

LENGTH = 25  # of the document that reuse is about
ROOTS = (1.7, 1.96)


class Problem:
    """Four terms in 30 short documents, from rare and bursty to frequent and even, and all other tokens."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        shape, mean = np.array([0.3, 0.6, 2.0, 50.0]), np.array([0.6, 1.5, 3.0, 2.0])
        counts = rng.poisson(rng.gamma(shape, mean / shape, (30, 4)))
        self.X = np.column_stack([counts, rng.integers(15, 40, 30)])
        cells = term_cells(self.X)
        fit = fit_beta_binomial(cells)
        gain = np.maximum(fit.loglik - fit.loglik_binomial, 0.0)
        self.cells, self.fits = cells.for_kernels(), (*coordinates(fit), gain)
        self.table = LengthTable.of(cells.lengths, cells.length_documents).for_kernels()

    def limits(self, effect, fits=None, roots=ROOTS, terms=(0, 1, 2, 3)):
        pairs = np.array([roots] * 5).view(record("Roots")).ravel()
        out = np.full((5, 2), np.nan).view(record("Roots")).ravel()
        fits = self.fits if fits is None else fits
        core.effect_limits(self.cells, self.table, effect, LENGTH, np.array(terms), fits, pairs, out)
        return out.view(np.float64).reshape(5, 2)

    def term(self, i):
        return twin.Term(self.X[:, i].tolist(), self.X.sum(axis=1).tolist())


@pytest.mark.parametrize("seed", [0, 1])
def test_limits_of_the_burst_ratio_equal_the_twin(seed, on_both):
    problem = Problem(seed)
    baseline, avx2 = on_both(lambda: problem.limits(core.RATIO))
    np.testing.assert_array_equal(baseline, avx2)
    tau, omega, gain = problem.fits
    estimate = burst_level(tau, omega)
    checked = 0
    for i in range(4):
        for side, root in enumerate(ROOTS):
            level = baseline[i, side]
            if not side and 2 * gain[i] <= root**2:  # R = 1 is not rejected
                assert level == -np.inf or (np.isnan(level) and tau[i] == np.inf)
            else:
                fall = 2 * (gain[i] - twin.gain_at_ratio(problem.term(i), level))
                assert math.sqrt(fall) == pytest.approx(root, rel=1e-4)
                assert (level - estimate[i]) * (1 if side else -1) > 0
                checked += 1
    assert checked >= 5
    assert np.isnan(baseline[4]).all()  # not asked for


def test_limits_of_reuse_equal_the_twin(on_both):
    problem = Problem(0)
    baseline, avx2 = on_both(lambda: problem.limits(core.REUSE, terms=(1, 2)))
    np.testing.assert_array_equal(baseline, avx2)
    for i in (1, 2):
        for side, root in enumerate(ROOTS):
            fall = 2 * (problem.fits[2][i] - twin.gain_at_reuse(problem.term(i), baseline[i, side], LENGTH))
            assert math.sqrt(fall) == pytest.approx(root, rel=1e-4)
        assert baseline[i, 0] < twin.reuse_logit(problem.fits[0][i], problem.fits[1][i], LENGTH) < baseline[i, 1]


def test_reuse_equals_the_twin(on_both):
    tau, omega = (grid.ravel().copy() for grid in np.meshgrid(np.linspace(-5, 12, 12), np.linspace(-9, 1, 12)))
    for length in (2, 3, 40, 400):
        baseline, avx2 = on_both(lambda length=length: core.reuse_logits(tau, omega, float(length)))
        np.testing.assert_array_equal(baseline, avx2)
        expected = [twin.reuse_logit(t, o, length) for t, o in zip(tau.tolist(), omega.tolist(), strict=True)]
        np.testing.assert_allclose(baseline, expected, rtol=1e-6, atol=1e-6)


def test_without_roots_there_are_no_limits():
    assert np.isnan(Problem(0).limits(core.RATIO, roots=(np.nan, np.nan))).all()


def test_invalid_fits_do_not_hang():
    for bad in [np.nan, np.inf, -np.inf, 1e300, -1e300]:
        for effect in [core.RATIO, core.REUSE]:
            problem = Problem(0)
            problem.limits(effect, fits=tuple(np.full(5, bad) for _ in range(3)))
            problem.limits(effect, roots=(bad, bad))
            core.reuse_logits(np.full(3, bad), np.zeros(3), 10.0)
            core.reuse_logits(np.zeros(3), np.full(3, bad), 10.0)


def test_wrong_shapes_and_indices_are_errors():
    problem = Problem(0)
    with pytest.raises(ValueError, match="an index is out of range"):
        problem.limits(core.RATIO, terms=(5,))
    with pytest.raises(ValueError, match="one entry per term"):
        problem.limits(core.RATIO, fits=tuple(np.zeros(4) for _ in range(3)))
    with pytest.raises(ValueError, match="RATIO or REUSE"):
        problem.limits(2)
    with pytest.raises(ValueError, match="above 1"):
        core.reuse_logits(np.zeros(1), np.zeros(1), 1.0)


class Precise:
    """A term with one occurrence in each of some documents, in 50 digits; α = ∞ is the binomial.

    *documents* are the numbers of documents with each length, *having* those that have the term.
    """

    def __init__(self, documents, having):
        self.documents, self.having = documents, having
        self.n_i, self.n = sum(having.values()), sum(length * number for length, number in documents.items())

    def log_likelihood(self, alpha, alpha_not):
        if alpha == mp.inf:
            return self.n_i * mp.log(alpha_not) + (self.n - self.n_i) * mp.log1p(-alpha_not)  # here the share
        rise = lambda start, by: mp.loggamma(start + by) - mp.loggamma(start)  # noqa: E731
        none = sum(k * (rise(alpha_not, n) - rise(alpha + alpha_not, n)) for n, k in self.documents.items())
        return none + sum(k * mp.log(alpha / (alpha_not + n - 1)) for n, k in self.having.items())

    def at_level(self, alpha, level):
        """The log-likelihood where reuse has this level and α is given."""
        bracket = (-40, -1) if alpha == mp.inf else (-5, 45)
        of = brentq(lambda t: float(reuse_precisely(alpha, mp.exp(t)) - level), *bracket, xtol=1e-14)
        return self.log_likelihood(alpha, mp.exp(of))

    def highest_at(self, level):
        best, width = mp.mpf(-3), mp.mpf(2)
        for steps in (8, 3, 3, 3, 3, 3):  # of log α: from −19 to 13, then finer and finer
            some = [best + width * k for k in range(-steps, steps + 1)]
            best, width = max(some, key=lambda s: self.at_level(mp.exp(s), level)), width / 4
        return max(self.at_level(mp.exp(best), level), self.at_level(mp.inf, level))


def reuse_precisely(alpha, alpha_not):
    """The logit of reuse; for α = ∞ of a binomial with the share α_¬."""
    if alpha == mp.inf:
        none, once = LENGTH * mp.log1p(-alpha_not), LENGTH * alpha_not / (1 - alpha_not)
    else:
        none = sum(mp.log1p(-alpha / (alpha + alpha_not + k)) for k in range(LENGTH))
        once = LENGTH * alpha / (alpha_not + LENGTH - 1)
    return mp.log(mp.expm1(-none) / once - 1)


def test_reuse_is_precise_for_rare_and_even_terms():
    for share in [1e-9, 1e-6, 1e-3]:
        for alpha_0 in [1e3, 1e6, 1e9, 1e11]:
            with mp.workdps(50):
                alpha = mp.mpf(alpha_0) * mp.mpf(share)
                expected = float(reuse_precisely(alpha, mp.mpf(alpha_0) - alpha))
            tau, omega = np.log([alpha_0]), np.log([share]) - np.log1p([-share])
            found = core.reuse_logits(tau, omega, float(LENGTH))[0]
            assert found == pytest.approx(expected, rel=1e-11)  # the odds are down to 1e-8


@pytest.mark.parametrize("having", [{200: 2}, {100: 1}, {100: 6, 200: 1}, {100: 40, 200: 40, 300: 30}])
def test_limits_of_reuse_of_terms_that_never_repeat(having):
    # The likelihood on the curve of a level has two maxima or one, which may be the binomial, at its end.
    documents = {100: 300_000, 200: 400_000, 300: 300_000}
    once, length, weight = np.ones(len(having), np.int32), np.array(list(having), np.int32), list(having.values())
    n_i = np.array([sum(weight)])
    cells = TermCells(
        np.array([0, len(having)]), once, length, np.array(weight, np.float64), n_i, n_i,
        np.array(list(documents)), np.array(list(documents.values())),
    )  # fmt: skip
    fit = fit_beta_binomial(cells)
    gain = np.maximum(fit.loglik - fit.loglik_binomial, 0.0)
    out = np.full(2, np.nan).view(record("Roots"))
    table = LengthTable.of(cells.lengths, cells.length_documents).for_kernels()
    roots = np.array(ROOTS).view(record("Roots"))
    fits = (*coordinates(fit), gain)
    core.effect_limits(cells.for_kernels(), table, core.REUSE, LENGTH, np.zeros(1, np.int64), fits, roots, out)
    with mp.workdps(50):
        term = Precise(documents, having)
        top = term.log_likelihood(mp.inf, mp.mpf(term.n_i) / term.n) + float(gain[0])
        for level, root in zip(out.view(np.float64), ROOTS, strict=True):
            fall = mp.sqrt(2 * (top - term.highest_at(mp.mpf(float(level)))))
            assert float(fall) == pytest.approx(root, rel=1e-4)


class TwoMaxima:
    """A term in a few documents, most of it in one. *others* are the lengths of the documents without it.

    Along the curve of a level its likelihood has two maxima: it is maximised here on a fine grid.
    """

    GRID = np.arange(-15.0, 12.0, 0.01)  # of τ for the burst ratio, of log α for reuse
    LENGTH = 200  # of the document that reuse is about

    def __init__(self, counts, lengths, others):
        self.counts, self.lengths = np.array(counts), np.array(lengths)
        self.all_counts = np.r_[self.counts, np.zeros(len(others), int)]
        self.all_lengths = np.r_[self.lengths, others].astype(int)

    def limits(self, effect, root):
        n_i, b_i, size = np.array([self.counts.sum()]), np.array([self.counts.size]), self.counts.size
        lengths, documents = np.unique(self.all_lengths, return_counts=True)
        count, length = self.counts.astype(np.int32), self.lengths.astype(np.int32)
        cells = TermCells(np.array([0, size]), count, length, np.ones(size), n_i, b_i, lengths, documents)
        fit, out = fit_beta_binomial(cells), np.full(2, np.nan).view(record("Roots"))
        fits = (*coordinates(fit), np.maximum(fit.loglik - fit.loglik_binomial, 0.0))
        table, roots = LengthTable.of(lengths, documents).for_kernels(), np.full(2, root).view(record("Roots"))
        core.effect_limits(cells.for_kernels(), table, effect, self.LENGTH, np.zeros(1, np.int64), fits, roots, out)
        return out[0], self.log_likelihood(fit.alpha, fit.alpha_not)[0]

    def log_likelihood(self, alpha, alpha_not):
        alpha, alpha_not = alpha[:, None], alpha_not[:, None]
        rise = betaln(alpha + self.all_counts, alpha_not + self.all_lengths - self.all_counts) - betaln(
            alpha, alpha_not
        )
        return rise.sum(axis=1)

    def highest_at(self, effect, level):
        if effect == core.RATIO:
            alpha_0, share = np.exp(self.GRID), expit(-level - np.logaddexp(0.0, self.GRID))
            return self.log_likelihood(alpha_0 * share, alpha_0 * (1 - share)).max()
        grid = self.GRID[::10]
        at = [brentq(lambda t, s=s: reuse_of_sums(s, t, self.LENGTH) - level, -15.0, 40.0) for s in grid]
        return self.log_likelihood(np.exp(grid), np.exp(at)).max()


def reuse_of_sums(log_alpha, log_alpha_not, length):
    """The logit of reuse: the odds are Σ_k≥2 P(k)/P(1), each term of the sum by its logarithm."""
    k, alpha, alpha_not = np.arange(1, length + 1), math.exp(log_alpha), math.exp(log_alpha_not)
    choose = -betaln(k + 1.0, length - k + 1.0)
    log_p = choose + betaln(k + alpha, length - k + alpha_not)
    return float(logsumexp(log_p[1:]) - log_p[0])


@pytest.mark.parametrize(
    ("counts", "lengths", "others", "root"),
    [
        ([17], [120], [200], 2.576),
        ([67, 1], [250, 250], [], 4.0),
        ([75, 1, 1], [178, 72, 106], [], 4.0),
        ([60, 1, 2, 1], [207] * 4, [207] * 996, 4.0),
    ],
)
def test_lower_limits_of_the_burst_ratio_are_those_of_the_higher_of_two_maxima(counts, lengths, others, root):
    term = TwoMaxima(counts, lengths, others)
    limits, top = term.limits(core.RATIO, root)
    fall = math.sqrt(2 * (top - term.highest_at(core.RATIO, limits["low"])))
    assert fall == pytest.approx(root, rel=1e-3)


@pytest.mark.parametrize(("count", "root"), [(12, 1.96), (13, 1.96)])
def test_upper_limits_of_reuse_are_those_of_the_higher_of_two_maxima(count, root):
    term = TwoMaxima([count], [200], [200])
    limits, top = term.limits(core.REUSE, root)
    fall = math.sqrt(2 * (top - term.highest_at(core.REUSE, limits["high"])))
    assert fall == pytest.approx(root, rel=1e-3)
