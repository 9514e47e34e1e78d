"""The permutation test equals its twin for each way to a p-value; bad arrays are errors."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from twins import permutation as twin

from helpers.simulated import two_corpora
from termburst.core import permutation as core
from termburst.core.cells import cells as core_cells
from termburst.inference import permutation_test as kt
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial


class Problem:
    """Two corpora, in the forms for the kernel and for its twin."""

    def __init__(self, A, B, strata=1, mean=None, rho=None):
        a, b = term_cells(A), term_cells(B)
        fit = fit_beta_binomial(np.vstack([A, B]))
        occurs = a.n_i + b.n_i > 0
        self.of = kt._length_classes(a, b, strata)
        self.mean = np.where(occurs, fit.mean, 0.0) if mean is None else mean
        self.rho = np.where(occurs, 1 / (1 + fit.alpha_0), 0.0) if rho is None else rho
        self.indptr = np.stack([a.indptr, b.indptr + a.count.size]).astype(np.int64)
        self.count, self.length = np.concatenate([a.count, b.count]), np.concatenate([a.length, b.length])
        self.weight = np.concatenate([np.broadcast_to(one.weight, one.count.shape) for one in (a, b)]).astype(float)
        self.size = self.indptr.shape[1] - 1
        self.terms = np.arange(self.size)

    def by_kernel(self, terms=None):
        terms = self.terms if terms is None else terms
        cells = core_cells(self.indptr, self.count, self.length, self.weight)
        found = np.zeros((2, self.size))
        most = int(np.diff(self.indptr).sum(axis=0).max(initial=0))
        core.permutation(cells, self.of, terms, most, self.mean, self.rho, *found)
        return found

    def by_twin(self):
        of, out = self.of, np.zeros((self.size, 2))
        twin.permutation(
            self.terms, self.indptr, self.count, self.length, self.weight, of.class_of[self.length], of.lengths,
            of.in_a, of.both, of.starts, of.strata_of, of.taken, of.documents, self.mean, self.rho, out,
        )  # fmt: skip
        return out.T

    def agrees(self, rtol=1e-11):
        ours, plain = self.by_kernel(), self.by_twin()
        np.testing.assert_allclose(ours[0], plain[0], rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(ours[1], plain[1], rtol=rtol)
        return ours[1]


corpora = partial(two_corpora, terms=12, burst=8.0, rarest=1e-4)


@pytest.fixture
def roads(monkeypatch):
    """Records which functions of the twin were used."""
    used = set()

    def noting(name, function):
        def noted(*arguments):
            used.add(name)
            return function(*arguments)

        return noted

    for name in ("enumerated", "lattice", "at_the_end", "saddlepoint"):
        monkeypatch.setattr(twin, name, noting(name, getattr(twin, name)))
    return used


@pytest.mark.usefixtures("library")
def test_small_corpora_equal_the_twin(roads):
    for d_a, d_b in [(8, 9), (3, 40), (40, 3), (30, 35), (2, 2)]:
        for strata in [1, 3]:
            for seed in range(3):
                problem = Problem(*corpora(seed, d_a, d_b), strata)
                if problem.of is not None:  # with four documents in three strata, none may move
                    problem.agrees()
            assert "enumerated" in roads or (d_a, strata) == (2, 3)


@pytest.mark.slow
@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("strata", [1, 4])
@pytest.mark.parametrize(("d_a", "d_b"), [(150, 160), (12, 300), (300, 12)])
def test_larger_corpora_equal_the_twin(d_a, d_b, strata, roads):
    Problem(*corpora(5, d_a, d_b, terms=50), strata).agrees(1e-10)
    assert roads >= {"enumerated", "lattice"} | ({"saddlepoint"} if d_a == 150 else set())


@pytest.mark.usefixtures("library")
def test_many_equal_documents_are_enumerated_with_logarithms(roads):
    for held in (8, 9, 48, 49, 60, 1500):  # small numbers are of two kinds
        d = held + 700
        X = np.tile([0, 30], (2 * d, 1))
        X[:held] = [1, 29]
        if held < 60:
            X[held : held + 39] = [2, 28]
        order = np.random.default_rng(held).permutation(2 * d)
        A, B = X[order[:d]], X[order[d:]]
        problem = Problem(A, B, mean=np.array([0.01, 0.99]), rho=np.array([0.1, 0.1]))
        problem.terms = np.array([0])
        problem.agrees()
    assert roads == {"enumerated"}


@pytest.mark.usefixtures("library")
def test_the_ends_of_the_range_of_t(roads):
    counts = np.arange(1, 301)
    A, B = np.column_stack([counts, 1000 - counts]), np.tile([0, 1000], (300, 1))
    Problem(A, B).agrees()
    Problem(B, A).agrees()
    assert "at_the_end" in roads


@pytest.mark.parametrize("strata", [1, 3])
def test_both_libraries_agree_to_the_last_bit(strata, on_both):
    problem = Problem(*corpora(9, 60, 150, terms=25), strata)
    assert np.array_equal(*on_both(problem.by_kernel))


def test_equal_terms_are_tested_once():
    A, B = corpora(3, 20, 25)
    doubled = [np.hstack([X, X[:, ::-1]]) for X in (A, B)]
    fit = fit_beta_binomial(np.vstack(doubled))
    found = kt.permutation(*map(term_cells, doubled), fit)
    for values in found:
        assert np.array_equal(values[:12], values[12:][::-1])
    # fits may differ even if cells are equal: then each term is tested separately
    own = replace(fit, mean=fit.mean * np.repeat([1.0, 0.5], 12))
    statistic, _ = kt.permutation(*map(term_cells, doubled), own)
    occurs = np.isfinite(fit.alpha_0[:12]) & (statistic[:12] != 0)
    assert np.any(statistic[:12][occurs] != statistic[12:][::-1][occurs])


def test_nan_gives_nan():
    problem = Problem(*corpora(1, 20, 25))
    expected = problem.by_kernel()
    for name, value in (("mean", np.nan), ("mean", -0.1), ("mean", np.inf), ("rho", np.nan), ("rho", 1.5)):
        changed = Problem(*corpora(1, 20, 25))
        getattr(changed, name)[3] = value
        found = changed.by_kernel()
        assert np.isnan(found[:, 3]).all()
        others = np.delete(np.arange(12), 3)
        assert np.array_equal(found[:, others], expected[:, others])


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def test_indices_out_of_range_are_errors():
    for bad in [-1, 10**6, 2**62, -(2**62)]:
        problem = Problem(*corpora(1, 20, 25), 3)
        of = problem.of
        with pytest.raises(ValueError, match="out of range"):
            problem.by_kernel(np.array([0, bad]))
        for name in ("starts", "strata_of"):
            for place in range(getattr(of, name).size):
                problem.of = replace(of, **{name: changed(getattr(of, name), place, bad)})
                with pytest.raises(ValueError, match=r"out of range|at least 1"):
                    problem.by_kernel()
        if bad > 0:
            problem.of = replace(of, class_of=np.full_like(of.class_of, min(bad, 2**31 - 1)))
            with pytest.raises(ValueError, match="out of range"):
                problem.by_kernel()


def test_impossible_numbers_of_documents_are_errors():
    for what in ["lengths", "in_a", "both", "taken", "documents"]:
        for bad in [np.nan, -1.0, np.inf, 1e300]:
            problem = Problem(*corpora(1, 20, 25), 3)
            if what == "lengths" and bad > 0:
                continue  # any length of 1 or more is valid
            problem.of = replace(problem.of, **{what: changed(getattr(problem.of, what), 0, bad)})
            with pytest.raises(ValueError, match="at least 1"):
                problem.by_kernel()


def test_impossible_weights_are_errors():
    for bad in [np.nan, -1.0, 0.0, np.inf, 1e300]:
        problem = Problem(*corpora(1, 20, 25))
        problem.weight[5] = bad
        with pytest.raises(ValueError, match="at least 1"):
            problem.by_kernel()


def test_more_cells_than_documents_are_an_error():
    for many in [100.0, 1e6, 2.0**53]:
        problem = Problem(*corpora(1, 4, 60))
        problem.weight[5] = many
        with pytest.raises(ValueError, match="at least 1"):
            problem.by_kernel()


@pytest.mark.parametrize("scale", [1e6, 1e9, 1e13])
def test_very_many_documents_do_not_hang(scale):
    problem = Problem(*corpora(1, 4, 60))
    of = problem.of
    b_only = of.both - of.in_a
    both = of.in_a + scale * b_only
    problem.of = replace(of, both=both, documents=np.array([both.sum()]))
    problem.weight[problem.indptr[1, 0] :] *= scale
    statistic, p_value = problem.by_kernel()
    assert np.isfinite(statistic).all()
    assert ((p_value >= 0) & (p_value <= 1)).all()


def test_shapes_that_do_not_match_are_errors():
    problem = Problem(*corpora(1, 20, 25), 3)
    of = problem.of
    for name in ("lengths", "in_a", "both", "starts", "strata_of", "taken", "documents", "class_of"):
        problem.of = replace(of, **{name: getattr(of, name)[:-1].copy()})
        with pytest.raises(ValueError):  # noqa: PT011
            problem.by_kernel()
    problem.of, problem.mean = of, problem.mean[:-1].copy()
    with pytest.raises(ValueError, match="one entry per term"):
        problem.by_kernel()
    cells = core_cells(problem.indptr[:1].copy(), problem.count, problem.length, problem.weight)
    with pytest.raises(ValueError, match="two corpora"):
        core.permutation(cells, of, problem.terms, 9, *np.zeros((4, 12)))
    cells = core_cells(problem.indptr, problem.count, problem.length, problem.weight)
    with pytest.raises(RuntimeError, match="too small"):
        core.permutation(cells, of, problem.terms, 1, *np.full((4, 12), 0.5))
